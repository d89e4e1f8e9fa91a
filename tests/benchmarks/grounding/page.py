"""The results page: what was measured, beside its controls and its goal. It must never round a miss into a hit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests import measures
from tests.benchmarks.grounding import goals
from tests.benchmarks.grounding.calibrated import LEVEL, Corrected, Gate
from tests.benchmarks.grounding.detection import SHUFFLED_LISTS_MIN, SHUFFLED_ROWS_MIN, SHUFFLES, Desk, Detection
from tests.benchmarks.grounding.fit import FOLDS, HeldOut
from tests.benchmarks.grounding.goals import Goal
from tests.benchmarks.grounding.latency import Latency
from tests.benchmarks.grounding.markdown import bound, figure, fine, met, span, table, whole
from tests.benchmarks.grounding.published import Published
from tests.corpora import grounding as sets
from tests.measures import Interval

Kinds = Mapping[str, Mapping[str, tuple[float, int]]]


@dataclass(frozen=True, slots=True)
class Results:
    """All that a run measured."""

    engine: str
    detections: Sequence[Detection]
    macro: Interval
    desks: Sequence[Desk]
    kinds: Kinds
    held_out: Sequence[HeldOut]
    published: Published
    gates: Sequence[Gate]
    corrections: Sequence[Corrected]
    latency: Latency


HEAD = f"""# Grounding: results

Made by `make bench-grounding`; not to be edited. All but the last section is the same in every run.

Open halves of the public sets, and the project's own (`desk_*`, `agentdesk_*`, `own_*`). The verifier's weights were
fitted on `desk_*`, `own_*_a`, `own_*_b` and the core sets (`python -m tests.benchmarks.grounding.fit`, which also shows
what is held out); **nothing was fitted on `own_*_c`**: read those figures first. Each answer goes through `decide` as
a record that brings its evidence. A null risk (nothing to check) counts as 0. AUROC: the chance
that a wrong answer has a higher risk than a right one, .5 = a coin; in brackets its {measures.LEVEL:.0%} interval
({measures.DRAWS:,} bootstrap draws of whole documents: rough for `agentdesk_*`, which have five). Controls:

* **shuffled**: every answer over another row's evidence, mean of {SHUFFLES} shuffles, on sets of at least
  {SHUFFLED_ROWS_MIN} rows and {SHUFFLED_LISTS_MIN} lists of passages. What is far from .5 there doesn't come from
  reading the evidence.
* **length**: the answer's characters alone, in the direction that fits better. A set that this solves shows little.
* **published**: the published TF-IDF score over the row's own passages (alpha .25, k 3).
""".splitlines()


def page(found: Results) -> str:
    """The whole page."""
    sections = (
        [*HEAD, "", f"Engine: `{found.engine}`.", ""],
        _detection(found),
        _desk(found.desks, found.kinds),
        _held_out(found.held_out),
        _published(found.published),
        _gates(found.gates),
        _corrections(found.corrections),
        _latency(found.latency),
    )
    return "\n".join(line for section in sections for line in section) + "\n"


def _detection(found: Results) -> Iterator[str]:
    yield from ("## Wrong answers found", "", "Service-desk sets: on answers that claim something.", "")
    head = ("set", "rows", "AUROC", "goal", "", "shuffled", "≤ .6", "length", "published")
    macro = ("**macro of the 11 core sets**", "", span(found.macro), bound(goals.MACRO), "", "", "", "", "")
    rows = [(*macro[:4], met(goals.MACRO, found.macro.value), *macro[5:])]
    for one in found.detections:
        goal = goals.AUROC.get(one.name)
        rows.append(
            (
                one.name,
                f"{one.rows:,}",
                span(one.auroc),
                bound(goal),
                met(goal, one.auroc.value),
                figure(one.shuffled),
                met(goals.SHUFFLED, one.shuffled),
                figure(one.length),
                figure(one.published),
            )
        )
    yield from table(head, rows)
    yield from ("", "Core: " + ", ".join(sets.CORE) + ".", "")


def _desk(desks: Sequence[Desk], kinds: Kinds) -> Iterator[str]:
    yield from ("## Service desk", "")
    yield "Empty answers (greetings, questions, hand-overs, refusals) assert nothing. The phrases of the talk were"
    yield "gathered on `own_*_talk`, which has claims that sound alike too; **none was gathered on `own_*_talk_c`**."
    yield ""
    head = ("set", "empty answers seen", bound(goals.EMPTY_SEEN), "claims taken for empty", bound(goals.CLAIMS_TAKEN))
    rows = [
        (
            one.name,
            f"{figure(one.empty_seen)} of {one.empty}",
            met(goals.EMPTY_SEEN, one.empty_seen),
            f"{figure(one.claims_taken)} of {one.claims}",
            met(goals.CLAIMS_TAKEN, one.claims_taken),
        )
        for one in desks
    ]
    yield from table(head, rows)
    yield from ("", "AUROC by kind of error, each beside all right claims of its set (number of wrong answers):", "")
    for family in ("desk", "own", "agentdesk"):
        named = [name for name in kinds if name.startswith(f"{family}_")]
        listed = sorted({kind for name in named for kind in kinds[name]})
        yield from table(("kind", *named), [(kind, *(_kind(kinds[name], kind) for name in named)) for kind in listed])
        yield ""


def _kind(found: Mapping[str, tuple[float, int]], kind: str) -> str:
    value, count = found.get(kind, (float("nan"), 0))
    return f"{figure(value)} ({count})" if count else "-"


def _held_out(found: Sequence[HeldOut]) -> Iterator[str]:
    yield from ("## Weights held out", "")
    yield "AUROC on claims by weights fitted without some of the service-desk sets (core sets always in): without the"
    yield f"scenario's own fold of {FOLDS} (ranked within the fold), without the set, without all sets of its language."
    yield ""
    rows = [(one.name, *map(figure, (one.plain, one.scenarios, one.alone, one.language))) for one in found]
    yield from table(("set", "fitted", "scenarios held out", "set held out", "language held out"), rows)
    yield ""


def _published(found: Published) -> Iterator[str]:
    yield from ("## The published score under its published settings", "")
    yield f"MedHallu, {found.rows:,} answers over all passages of its open half; alpha .25, tau .55, k 3. A score below"
    yield f"tau is a flag. {found.unscored} answers claim nothing and have no score ({found.unscored_right} faithful)."
    yield "These are taken for 0, so flagged. The first two figures score hallucinated answers alone, as published;"
    yield "the others are what that hides."
    yield ""
    rows = [
        _against("recall", found.flags.recall, goals.PUBLISHED["recall"]),
        _against("F1 on hallucinated answers alone", found.f1, goals.PUBLISHED["f1"]),
        _against("faithful answers flagged", found.flags.false, goals.PUBLISHED["false"]),
        _against("AUROC", found.auroc, goals.PUBLISHED["auroc"]),
        _against("AUROC of the answers with a score", found.scored_auroc, None),
        _against("F1 on both kinds, balanced", found.balanced_f1, None),
        _against("the same for flagging everything", found.everything_f1, None),
    ]
    yield from table(("", "figure", "to find again", ""), rows)
    yield ""


def _against(name: str, value: float, goal: Goal | None) -> tuple[str, ...]:
    return name, fine(value), bound(goal), met(goal, value)


def _gates(gates: Sequence[Gate]) -> Iterator[str]:
    yield from (f"## A conformal gate at {LEVEL:.0%}", "")
    yield "The threshold comes from the known-good answers of one half (by SHA-1 parity of the document), and is"
    yield "measured on the other; both directions averaged. The answers of a document share its weight: n counts"
    yield f"documents. False flags have a goal from {goals.FALSE_FLAGS_ANSWERS} calibration answers on (both halves),"
    yield "each of a document of its own."
    yield ""
    head = ("set", "documents", "known good", "false flags", bound(goals.FALSE_FLAGS), "recall", "goal", "")
    yield from table(head, [_gate(one) for one in gates if one.false is not None])
    few = [f"{one.name} ({min(one.clusters)})" for one in gates if one.false is None]
    needed = measures.clusters_needed(LEVEL)
    yield from ("", f"Left out, fewer than {needed} documents in a half (the smaller half): {', '.join(few)}.", "")


def _gate(one: Gate) -> tuple[str, ...]:
    goal = goals.RECALL.get(one.name)
    enough = one.unclustered and sum(one.answers) >= goals.FALSE_FLAGS_ANSWERS
    return (
        one.name,
        " + ".join(map(str, one.clusters)),
        " + ".join(map(str, one.answers)),
        figure(one.false),
        met(goals.FALSE_FLAGS if enough else None, one.false),
        figure(one.recall),
        bound(goal),
        met(goal, one.recall),
    )


DEFINITIONS = f"""The policy holds the threshold of the half that an answer isn't in (`grounding.calibration`, level
{LEVEL:.0%}). Of the hallucinated answers:

* **rate after**: published as they were. Every one is wrong before, so the rate before is 1.
* **still wrong**: these, and those published corrected without being right by gold.
* **right by gold**: corrected, and the text says a right answer: token F1 >= {measures.SAME_F1} with one, or one
  stands in it word for word. Gold: the faithful answers of the same pair; for TruthfulQA its list of right answers
  (the evidence) too; none for begin_wow. On near copies (`counterfact_*`) a slot left wrong still reaches that F1:
  there look at **exact**.
* **exact**: the corrected text is a right answer, case, accents and punctuation aside.
* **refused**: neither published nor corrected.

Of the faithful answers: **regression**, not published as they were; of these **altered** into another text, and
**lost**, refused. The goals for altered answers are held against regression, which is no smaller. In the paper
(MedHallu, TruthfulQA; by its own score): rate 1.000 -> .578, regression .2485.
""".splitlines()


def _corrections(found: Sequence[Corrected]) -> Iterator[str]:
    yield from ("## Correction", "", *DEFINITIONS, "")
    head = ("set", "hallucinated", "rate after", "still wrong", "right by gold", "exact", "refused", "faithful")
    rows = [
        (
            one.name,
            f"{one.wrong:,}",
            *map(figure, (one.left, one.still_wrong, one.by_gold, one.exact, one.refused)),
            f"{one.right:,}",
            *map(figure, (one.regression, one.altered, one.lost)),
        )
        for one in found
    ]
    yield from table((*head, "regression", "altered", "lost"), rows)
    yield ""
    by_name = {one.name: one for one in found}
    aims = [
        (f"{name}: {TITLES[measure]}", figure(value), bound(goal), met(goal, value))
        for (name, measure), goal in goals.CORRECTION.items()
        if name in by_name
        for value in [getattr(by_name[name], measure)]
    ]
    yield from table(("", "figure", "goal", ""), aims)
    yield ""


TITLES = {"left": "rate after", "regression": "regression", "by_gold": "right by gold", "exact": "exact"}


def _latency(found: Latency) -> Iterator[str]:
    yield from (
        "## Latency",
        "",
        "Microseconds of CPU on one core, evidence compiled once (an agent's own passages), no answer",
    )
    yield f"seen before: {found.answers:,} answers of all sets, and {found.decided:,} others through `decide`."
    yield ""
    counted = [
        ("weighing, p50", found.p50, goals.P50_US),
        ("weighing, p99", found.p99, goals.P99_US),
        ("weighing, answers a second", 1e6 / found.mean, goals.A_SECOND),
        (f"weighing, service-desk answers over 3 passages ({found.turns}), p50", found.turn_p50, goals.TURN_US),
        ("`decide`, all checks and the published score, mean", found.decide_mean, None),
        ("`decide`, answers a second", 1e6 / found.decide_mean, None),
    ]
    rows = [(name, whole(v), bound(goal, "count"), met(goal, v, "count")) for name, v, goal in counted]
    yield from table(("", "figure", "goal", ""), rows)
