"""A threshold as the piece of a policy file that carries it.

It must never give one that too few answers stand behind.
"""

from __future__ import annotations

import json

from guardrail.calibration.answers import Calibration


def fragment(found: Calibration) -> str:
    """YAML for a policy's `grounding`, with what it rests on; without a threshold, comments that say why.

    The same answers give the same text: no date, no path.
    """
    chosen, good = found.threshold, len(found.good)
    head = (
        f"# Grounding threshold of agent {json.dumps(found.agent)}: {good} known-good answers on {chosen.documents} "
        "documents.\n"
    )
    if chosen.risk is None:
        return (
            f"{head}"
            f"# Annotate only: level {chosen.level:g} needs at least {chosen.needed} documents, hence no threshold.\n"
            "# Without one a low score only reports; conflicts with the evidence act all the same.\n"
        )
    return (
        f"{head}"
        f"# Split-conformal: number {chosen.rank} of {chosen.documents} documents' risks, from the smallest. Of good\n"
        f"# documents like these, at most a share of {chosen.level:g} is expected above it.\n"
        f"{_fitted_on(found)}"
        f"# Merge into the policy; where it has a grounding key of its own, put {_keys(found)} under that.\n"
        "grounding:\n"
        f"{_scorers(found)}"
        "  calibration:\n"
        f"    risk: {yaml_float(chosen.risk)}\n"
        f"    level: {yaml_float(chosen.level)}\n"
        f"    answers: {good}\n"
    )


def _keys(found: Calibration) -> str:
    return "calibration" if found.fitted is None else "scorers and calibration"


def _fitted_on(found: Calibration) -> str:
    if (fitted := found.fitted) is None:
        return ""
    return (
        f"# Scorers fitted on {fitted.good} good and {fitted.bad} bad answers of {fitted.documents} other documents.\n"
    )


def _scorers(found: Calibration) -> str:
    """The scales of scorers, where any were fitted."""
    if found.fitted is None:
        return ""
    lines = ["  scorers:"]
    for name, scale in found.fitted.scales.items():
        version = [] if scale.version is None else [f"version: {json.dumps(scale.version)}"]
        keys = [*version, f"slope: {yaml_float(scale.slope)}", f"intercept: {yaml_float(scale.intercept)}"]
        lines.append(f"    {json.dumps(name)}: {{{', '.join(keys)}}}")
    return "".join(f"{line}\n" for line in lines)


def yaml_float(number: float) -> str:
    """A float's shortest exact text, with the point that YAML 1.1 wants before an exponent: 1e-05 would be a string."""
    mantissa, e, exponent = repr(float(number)).partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{e}{exponent}"
