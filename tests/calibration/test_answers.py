"""Judged answers: which count, which don't and why, and what makes a line a fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardrail.calibration.answers import FAULTS_SHOWN, Calibration, Ledger, uncalibrated
from guardrail.calibration.samples import Sample, read_sample
from guardrail.errors import InputError
from guardrail.judge.decide import judge
from guardrail.judge.failing import unjudged
from guardrail.judge.policy import Policy
from tests.calibration.labelled import UNLIKE, bare, calibration, labelled, supported
from tests.judge.turns import hotel


def samples(*lines: Any) -> list[Sample]:
    """The samples of lines; text stands as it is."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return [s for index, text in enumerate(texts) if (s := read_sample(text.encode(), index)) is not None]


def entered(*lines: Any, policy: Policy | None = None) -> list[Calibration]:
    """The calibrations of these lines."""
    policy = policy or hotel()
    read, ledger = samples(*lines), Ledger()
    ledger.enter(read, judge([s.record for s in read], uncalibrated({policy.agent: policy})))
    return ledger.close(0.05)


def test_what_claims_something_counts() -> None:
    """Given good and bad answers that claim something, then each counts with the risk that the judge gives it."""
    [found] = entered(*supported(6), labelled(bare(UNLIKE), label="bad"))
    assert (found.agent, len(found.good), len(found.bad), len(found.scores)) == ("hotel", 6, 1, 6)
    assert found.bad[0].risk is not None
    assert found.bad[0].risk > max(found.scores)


def test_what_has_no_risk_is_told_apart() -> None:
    """Given a question, an unreadable response, a foreign answer and one without evidence, then none counts, each for
    its reason.
    """
    others = [
        bare("Which night would you like?"),
        bare("早餐不包含在标准价格中。"),
        {**bare(""), "response": "no JSON"},
    ]
    [found] = entered(*others, labelled(bare("Which night?"), label="bad"))
    assert not found.good
    assert found.uncounted == {
        ("nothing_to_check", True): 1,
        ("unsupported_language", True): 1,
        ("unreadable", True): 1,
        ("nothing_to_check", False): 1,
    }
    [alone] = entered(bare("The pool opens at 7 am."), policy=hotel(evidence=[]))
    assert alone.uncounted == {("no_evidence", True): 1}


def test_a_conflict_is_marked() -> None:
    """Given an answer with a changed figure, then it counts, and is marked as acted on whatever the threshold."""
    wrong, right = "Breakfast costs 40 euros per person.", "Breakfast costs 14 euros per person."
    [found] = entered(bare(wrong), bare(right))
    assert [answer.conflict for answer in found.answers] == [True, False]


def test_an_earlier_calibration_leaves_no_trace() -> None:
    """Given a policy with a threshold that flags all, then the answers are the same as without it."""
    before = hotel(grounding={"correct": False, "calibration": {"risk": 0.0, "level": 0.05, "answers": 40}})
    lines = [*supported(6), bare(UNLIKE)]
    assert entered(*lines, policy=before) == entered(*lines, policy=hotel(grounding={"correct": False}))
    assert before.layout.grounding.calibration is not None


def test_answers_on_one_document_give_one_score() -> None:
    """Given several good answers on a document, then it has one score, and a bad answer on it gives none."""
    lines = [labelled(record, document="d") for record in supported(3)]
    [found] = entered(*lines, labelled(bare(UNLIKE), label="bad", document="d"), bare("You can check in from 3 pm."))
    assert (len(found.good), len(found.bad), len(found.scores)) == (4, 1, 2)


FAULTY: list[tuple[Any, str]] = [
    ("hello", "line 2: not a JSON object"),
    ({"agent_id": "motel", "user_message": "", "response": ""}, "line 2: no policy for agent motel"),
    ({"agent_id": "hotel", "response": ""}, "line 2: not a record: transport."),
    ({"value": None}, "line 2: no value"),
    ({"headers": 5, "value": {}}, "line 2: not a record: "),
    (labelled({"agent_id": "motel", "user_message": "", "response": ""}), "line 2: no policy for agent motel"),
    (labelled(None), "line 2: not a record: "),
]


@pytest.mark.parametrize(("line", "fault"), FAULTY)
def test_a_line_that_is_no_answer_is_a_fault(line: Any, fault: str) -> None:
    """Given a line that can't be judged, then the calibration is refused with the line's number and the reason."""
    with pytest.raises(InputError, match=f"^{fault}"):
        entered(*supported(1), line)


def test_every_fault_is_told_up_to_a_bound() -> None:
    """Given many bad lines, then each is told with its number, and beyond the bound how many more there are."""
    with pytest.raises(InputError) as told:
        entered(*["hello"] * (FAULTS_SHOWN + 3))
    lines = str(told.value).splitlines()
    assert [line.partition(":")[0] for line in lines[:-1]] == [f"line {n + 1}" for n in range(FAULTS_SHOWN)]
    assert lines[-1] == "and 3 more"


@pytest.mark.parametrize("on_error", ["fail_closed", "fail_open"])
def test_an_error_of_our_own_is_no_answer(on_error: str) -> None:
    """Given a record that broke the judge, then it is a fault, whatever the policy does with such records."""
    policy, ledger, [sample] = hotel(on_error=on_error), Ledger(), samples(*supported(1))
    ledger.enter([sample], [unjudged(sample.record, {policy.agent: policy})])
    with pytest.raises(InputError, match="line 1: the record could not be judged"):
        ledger.close(0.05)


def test_no_lines_are_no_calibration() -> None:
    """Given nothing, then it is said so."""
    with pytest.raises(InputError, match="no records"):
        Ledger().close(0.05)


def test_too_few_documents_give_no_threshold() -> None:
    """Given 19 documents and 18, then the first have a threshold, and the second say how many are needed."""
    assert calibration(range(19)).threshold.risk == 18
    assert (calibration(range(18)).threshold.risk, calibration(range(18)).threshold.needed) == (None, 19)
    assert calibration(range(40), documents=["a"] * 22).threshold.risk == 39
    assert calibration(range(40), documents=["a"] * 23).threshold.risk is None
