"""The piece of a policy: it loads as written, to the last digit, and says what it rests on."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from guardrail.calibration.fragment import fragment, yaml_float
from guardrail.judge.policy import compile_policy
from tests.calibration.labelled import calibration

POLICY = "version: 1\nagent: hotel\nmode: enforce\n"


@example(1e-05)
@example(1e22)
@example(0.0)
@example(5e-324)
@given(st.floats(0, allow_infinity=False, allow_nan=False))
def test_a_fragment_pasted_into_a_policy_loads_to_the_last_digit(risk: float) -> None:
    """Given any risk, when the fragment ends a policy, then the policy's threshold is that very risk."""
    found = compile_policy(POLICY + fragment(calibration([risk] * 20))).layout.grounding.calibration
    assert found is not None
    assert (found.risk, found.level, found.answers) == (risk, 0.05, 20)


@given(st.floats(1e-12, 1 - 1e-12))
def test_any_level_reads_back(level: float) -> None:
    """Given any level, then its YAML text is that very number."""
    assert yaml.safe_load(yaml_float(level)) == level


def test_a_fragment_says_what_it_rests_on() -> None:
    """Given answers on shared documents, then the comments count answers, documents and rank, and no day or path."""
    found = fragment(calibration(range(30), documents=["a"] * 5))
    assert '"hotel": 30 known-good answers on 26 documents' in found
    assert "number 26 of 26 documents' risks" in found
    assert found == fragment(calibration(range(30), documents=["b"] * 5))


def test_without_enough_answers_there_is_no_threshold() -> None:
    """Given too few documents, then the fragment is comments alone, which say annotate only and how many are needed."""
    found = fragment(calibration(range(10)))
    assert yaml.safe_load(found) is None
    assert "Annotate only: level 0.05 needs at least 19 documents" in found
    assert compile_policy(POLICY + found).layout.grounding.calibration is None


@pytest.mark.parametrize("agent", ["a\nversion: 2", 'a"b', "réception", "#"])
def test_no_agents_name_breaks_out_of_its_comment(agent: str) -> None:
    """Given an agent of any name, then the fragment still holds the threshold alone."""
    found = yaml.safe_load(fragment(calibration(range(20), agent=agent)))
    assert found == {"grounding": {"calibration": {"risk": 19.0, "level": 0.05, "answers": 20}}}
    assert json.dumps(agent) in fragment(calibration(range(20), agent=agent))
