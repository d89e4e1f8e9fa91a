"""A wrong answer made right by evidence, or refused: what is replaced, dropped, filled, stripped."""

from __future__ import annotations

from typing import Any

import pytest

from guardrail.judge.model import Decision, Outcome
from guardrail.judge.policy import Policy
from tests.judge.turns import answer, codes, hotel, item, judged, parameter_turn, scope_turn
from tests.scoring import policies

CLINIC = policies()["clinic-en"]
CHARGED = "A missed appointment is charged 25 euros."
OPEN = "The clinic is open Monday to Friday from 8 am to 6 pm."
PROMISE = "A specialist will call you back within the hour."


def said(text: str, message: str = "what do you charge?", policy: Policy = CLINIC, **fields: Any) -> Decision:
    """The decision on a clinic's answer."""
    return judged(scope_turn(text, policy, intent="book_appointment"), message, policy, **fields)


def replayed(before: str, decision: Decision) -> str:
    """The model's answer with the decision's edits made one after the other, blanks aside."""
    for edit in decision.edits:
        assert edit.before in before
        before = before.replace(edit.before, edit.after, 1) if edit.before else f"{before} {edit.after}"
    return " ".join(before.split())


CORRECTED = {
    "replaced": (
        "A missed appointment is charged 75 euros. Which day would you like?",
        f"{CHARGED} Which day would you like?",
    ),
    "dropped": (f"{CHARGED} {PROMISE}", CHARGED),
    "dropped_from_the_middle": (f"{CHARGED} {PROMISE} {OPEN}", f"{CHARGED} {OPEN}"),
    "not_said_twice": (f"{CHARGED} A missed appointment is charged 75 euros.", CHARGED),
    "two_replaced": (
        "A missed appointment is charged 75 euros. The clinic is open Monday to Friday from 7 am to 6 pm.",
        f"{CHARGED} {OPEN}",
    ),
    "stripped": (f"<think>easy</think>{CHARGED}</content>", CHARGED),
    "stripped_and_dropped": (f"<think>easy</think>{CHARGED} {PROMISE}", CHARGED),
}


@pytest.mark.parametrize("name", CORRECTED)
def test_what_is_wrong_is_put_right_and_nothing_else_is_touched(name: str) -> None:
    """Given an answer with something wrong in it, then only that is changed, and the edits describe the change
    exactly.
    """
    text, wanted = CORRECTED[name]
    decision = said(text)
    assert decision.outcome is Outcome.CORRECTED
    assert decision.answer_source == "corrected"
    assert answer(decision) == wanted
    assert replayed(text, decision) == wanted
    assert all(edit.pointer == "/generated_answer/answer" for edit in decision.edits)


def test_an_answer_that_was_only_wrong_is_filled_from_the_evidence() -> None:
    """Given an answer of which nothing stands, then the evidence that the question is about is said, under its id."""
    decision = said(PROMISE, "what is charged for a missed appointment?")
    assert decision.outcome is Outcome.CORRECTED
    assert answer(decision) == CHARGED
    assert [(e.before, e.after, e.evidence_id) for e in decision.edits] == [(PROMISE, "", None), ("", CHARGED, "doc-3")]


def test_evidence_that_only_shares_a_word_is_no_answer() -> None:
    """Given a wish that no evidence answers, then a wrong answer isn't filled with some sentence about cancelling."""
    decision = said("See you on Tuesday at 10:30!", "I want an appointment")
    assert (decision.outcome, decision.answer_source) == (Outcome.REJECTED, "fallback")


def test_courtesy_alone_is_not_an_answer() -> None:
    """Given nothing but courtesy left, then the evidence fills it."""
    decision = said(f"Thank you. {PROMISE}", "what is charged for a missed appointment?")
    assert answer(decision) == f"Thank you. {CHARGED}"
    assert replayed(f"Thank you. {PROMISE}", decision) == answer(decision)


def test_without_evidence_for_the_question_it_is_refused() -> None:
    """Given an answer of which nothing stands and a question that the evidence doesn't know, then it is refused."""
    decision = said(PROMISE, "hello there")
    assert (decision.outcome, decision.answer_source) == (Outcome.REJECTED, "fallback")
    assert decision.edits == ()


FEES = {
    "fee": "A missed appointment is charged 25 euros, unless it is cancelled 24 hours before.",
    "card": "Payment by card is possible at the desk.",
    "late": "Patients who are late by 15 minutes wait for the next free slot.",
}
CALIBRATED = {"calibration": {"risk": 1.0, "level": 0.05, "answers": 100}}
FEE, CARD, LATE = FEES.values()
JOINED = {
    "connective_loses_its_sentence": (f"{PROMISE} However, payment by card is possible at the desk.", CARD),
    "connective_behind_what_stands": (f"{CARD} {PROMISE} Also, {LATE[0].lower()}{LATE[1:]}", f"{CARD} {LATE}"),
    "pronoun_loses_its_sentence": (f"{CARD} {PROMISE} It is free of charge.", CARD),
    "what_depended_goes_too": (f"{CARD} {PROMISE} Otherwise, it is lost.", CARD),
    "list_item": (f"1. {CARD}\n2. {PROMISE}\n3. {LATE}", f"1. {CARD}\n2. {LATE}"),
    "lead_kept": (
        "According to the documentation, payment by cheque is possible at the desk.",
        "According to the documentation, payment by card is possible at the desk.",
    ),
    "article_behind_a_lead": (
        "Based on the information available, an appointment missed is charged 35 euros.",
        f"Based on the information available, a{FEE[1:]}",
    ),
    "said_twice": (f"{CARD} Payment by cheque is possible at the desk.", CARD),
    "nearly_twice": (f"{LATE} Patients who are late by 25 minutes wait for the next free slot.", LATE),
    "two_alike": (f"{CARD} {PROMISE} {PROMISE}", CARD),
}


def billed(text: str, message: str = "what should I know?", **changed: Any) -> Decision:
    """The decision of a calibrated clinic on an answer."""
    passages = [{"id": name, "text": passage} for name, passage in FEES.items()]
    policy = hotel(**{"evidence": passages, "grounding": CALIBRATED, **changed})
    return judged(scope_turn(text, policy), message, policy)


@pytest.mark.parametrize("name", JOINED)
def test_what_is_left_reads_as_if_nothing_had_been_there(name: str) -> None:
    """Given a sentence that goes, then what hung on it follows, nothing is said twice, and blanks stay."""
    text, wanted = JOINED[name]
    decision = billed(text)
    assert decision.outcome is Outcome.CORRECTED
    assert answer(decision) == wanted
    assert replayed(text, decision) == " ".join(wanted.split())


CHEQUE = "Payment by cheque is possible at the desk."
MARKS_KEPT = {
    "hyphen": ("- {}", "- {}"),
    "star": ("* {}", "* {}"),
    "bullet": ("• {}", "• {}"),
    "letter": ("a) {}", "a) {}"),
    "bold": ("**{}**", "**{}**"),
    "quotes": ("« {} »", "« {} »"),
    "quoted": ('"{}"', '"{}"'),
    "yes": ("Yes, {}", "Yes, {}"),
    "bold_head_goes_whole": ("- **So:** {}", "- {}"),
}


@pytest.mark.parametrize("name", MARKS_KEPT)
def test_marks_around_what_is_put_right_stay(name: str) -> None:
    """Given a bullet, a letter, bold marks, quotes or a yes around a wrong sentence, then they stand around the right
    one.
    """
    before, after = MARKS_KEPT[name]
    small = name == "yes"
    decision = billed(before.format("payment" + CHEQUE[7:] if small else CHEQUE))
    assert decision.outcome is Outcome.CORRECTED
    assert answer(decision) == after.format("payment" + CARD[7:] if small else CARD)


def test_a_yes_goes_with_what_it_said_yes_to() -> None:
    """Given a yes to a figure that the evidence doesn't have, then the right figure isn't said behind a yes."""
    decision = billed(f"Yes, a{FEE[1:].replace('24', '12')}", "can I cancel 12 hours before?")
    assert (decision.outcome, answer(decision)) == (Outcome.CORRECTED, FEE)


def test_a_number_that_reads_as_a_figure_goes_before_the_sentence_does() -> None:
    """Given a wrong item with a number that the evidence doesn't have, then the item is put right without it."""
    assert answer(billed(f"3) {LATE.replace('15', '25')}")) == LATE


def test_a_clause_ends_as_it_ended() -> None:
    """Given wrong clauses parted by a semicolon, then each becomes its original, and the mark stays between them."""
    rooms = [{"id": "rooms", "text": "The pool opens at 7 in summer; the bar opens at 9 in winter."}]
    decision = billed("The pool opens at 8 in summer; the bar opens at 9 in winter.", evidence=rooms)
    assert answer(decision) == "The pool opens at 7 in summer; the bar opens at 9 in winter."


def test_a_clause_that_is_left_alone_is_a_sentence() -> None:
    """Given a clause that goes behind a semicolon, then what stood before it ends as a sentence."""
    decision = billed("Payment by card is possible at the desk; bring 3 dogs from Paris.")
    assert (decision.outcome, answer(decision)) == (Outcome.CORRECTED, CARD)


def test_a_whole_original_ends_as_the_clause_did() -> None:
    """Given a wrong clause in other words, then the sentence that it misquotes ends in the clause's own mark."""
    decision = billed("At the desk payment is possible by card for 9 euros; patients who are late by 15 minutes wait.")
    assert "desk.;" not in answer(decision)
    assert CARD[:-1] in answer(decision) or decision.outcome is Outcome.REJECTED


def test_a_sentence_begins_with_a_capital_where_its_evidence_does_not() -> None:
    """Given evidence that is written small, then a sentence that becomes it begins as the sentence did."""
    decision = billed(CHEQUE, evidence=[{"id": "card", "text": CARD.lower()}])
    assert answer(decision) == CARD


def test_another_of_two_like_sentences_is_no_repetition() -> None:
    """Given two rules that differ in their subject, one of them wrong, then it is put right and not dropped."""
    text = "{} pay {} euros a year for the yellow card at the main desk in the hall."
    right = f"{text.format('Adults', 12)} {text.format('Students', 6)}"
    wrong = f"{text.format('Adults', 12)} {text.format('Students', 8)}"
    assert answer(billed(wrong, evidence=[{"id": "fees", "text": right}])) == right


def test_a_list_of_what_the_evidence_says_stands() -> None:
    """Given numbered items, each word for word from the evidence, then their numbers are no figures to be checked."""
    decision = billed(f"1. {FEE}\n2. {CARD}\n3. {LATE}")
    assert (decision.outcome, decision.edits) == (Outcome.APPROVED, ())


def test_a_deed_that_the_evidence_reports_is_held_to_the_calibrated_risk_too() -> None:
    """Given a rule about what is sent with a word changed, and the rule itself, then the first alone is put right."""
    rule = "A reminder letter is sent to every patient by the reception desk."
    sent = [{"id": "sent", "text": rule}]
    strict = {"calibration": {"risk": 0.0, "level": 0.05, "answers": 100}}
    assert billed(rule, evidence=sent, grounding=strict).outcome is Outcome.APPROVED
    decision = billed(rule.replace("reception", "pharmacy"), evidence=sent, grounding=strict)
    assert (decision.outcome, answer(decision)) == (Outcome.CORRECTED, rule)


def test_a_repair_touches_only_what_differs_and_names_its_evidence() -> None:
    """Given a near copy with another figure beside a faithful sentence, then that one alone changes, under its id."""
    wrong = FEE.replace("24", "48")
    decision = billed(f"{CARD} {wrong}")
    assert answer(decision) == f"{CARD} {FEE}"
    assert [(edit.before, edit.after, edit.evidence_id) for edit in decision.edits] == [(wrong, FEE, "fee")]


def test_what_speaks_of_another_thing_is_not_mended() -> None:
    """Given a near copy about a thing that the user named and its original doesn't have, then it isn't put back."""
    decision = billed("Payment by cheque is possible at the desk.", "may I pay by cheque?")
    assert all(edit.after != CARD for edit in decision.edits)


@pytest.mark.parametrize("opening", ["", "According to the documentation, "])
def test_a_true_part_of_a_sentence_is_not_put_in_its_own_place(opening: str) -> None:
    """Given a doubted part of a sentence that stands in the evidence so, then no edit says what was there before."""
    part = (
        "the phone was first unveiled on June 7, 2010, at the developers conference in San Francisco, and was released "
        "on June 24, 2010, in the United States, United Kingdom, France"
    )
    found = f"T{part[1:]}, Germany and Japan."
    strict = {"calibration": {"risk": 0.0, "level": 0.05, "answers": 100}}
    decision = billed(f"{opening}{part}.", evidence=[{"id": "phone", "text": found}], grounding=strict)
    assert decision.outcome is not Outcome.APPROVED
    assert all(edit.before != edit.after for edit in decision.edits)


BY_INTENT = [
    {"id": "Book_Room", "name": "Book Room"},
    {"id": "Cancel_Reservation", "name": "Cancel Reservation"},
    {"id": "Ask_Check_In_Time", "name": "Ask Check In Time", "correct": False},
]


@pytest.mark.parametrize(
    ("intent", "correct", "outcome"),
    [
        ("Ask_Check_In_Time", True, Outcome.REJECTED),
        ("Book_Room", True, Outcome.CORRECTED),
        ("Book_Room", False, Outcome.REJECTED),
    ],
)
def test_correction_is_switched_by_agent_and_by_intent(intent: str, outcome: Outcome, *, correct: bool) -> None:
    """Given a switch on the agent or on one intent, then there the answer is rejected, and elsewhere corrected."""
    passages = [{"id": name, "text": passage} for name, passage in FEES.items()]
    policy = hotel(evidence=passages, intents=BY_INTENT, grounding={**CALIBRATED, "correct": correct})
    turn = scope_turn("Payment by cheque is possible at the desk.", policy, intent=intent)
    decision = judged(turn, "how can I pay?", policy)
    assert decision.outcome is outcome
    assert bool(decision.edits) is (outcome is Outcome.CORRECTED)


def test_marks_are_cut_under_an_intent_that_is_not_corrected() -> None:
    """Given an intent without corrections, then a broken mark is cut all the same."""
    policy = hotel(evidence=[{"id": "card", "text": CARD}], intents=BY_INTENT)
    decision = judged(scope_turn(f"{CARD}\0", policy, intent="Ask_Check_In_Time"), "how can I pay?", policy)
    assert (decision.outcome, answer(decision)) == (Outcome.CORRECTED, CARD)


BROKEN = {
    "word_hurt": "Which da\0y would you like?",
    "field_name": "Which day? simulate_regex_execution",
    "only_thought": "<think>which day</think>",
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_mended_without_guessing_is_refused(name: str) -> None:
    """Given a hurt word, a leaked field name, or nothing but thoughts, then the answer is refused, not mended."""
    decision = said(BROKEN[name])
    assert decision.outcome is Outcome.REJECTED
    assert decision.edits == ()


MARKED = [
    "Which day would you like?\0",
    "Which day would you like?\ud83d",
    "Which day\u202e would you like?",
    "<b>Which day would you like?</b>",
    "Which day would you like?<|im_end|>",
    '<parameter name="x">1</parameter>Which day would you like?',
]


@pytest.mark.parametrize("text", MARKED)
def test_marks_are_stripped(text: str) -> None:
    """Given broken, reordering or leaked marks at words' edges, then they are cut, and the edit shows it."""
    decision = said(text)
    assert decision.outcome is Outcome.CORRECTED
    assert answer(decision) == "Which day would you like?"
    assert [edit.after for edit in decision.edits] == ["Which day would you like?"]


REFUSED = {"parameter_extracted_part": "ab1234", "simulate_regex_execution": False}


def misstated(text: str, message: str = "its ab1234", **fields: Any) -> Decision:
    """The decision on an answer that says what the booking id should look like."""
    return judged(parameter_turn(item(**REFUSED), message=message, answer=text), message, **fields)


def test_a_misstated_format_is_put_right() -> None:
    """Given an answer with another format than the configured one, then the sentence is replaced, and asks if it
    asked.
    """
    decision = misstated("It must have 2 letters followed by 4 numbers. Please try again.")
    assert decision.outcome is Outcome.CORRECTED
    assert "3 letters followed by 3 numbers (e.g., ABC123)" in answer(decision)
    assert answer(decision).endswith("Please try again.")
    assert "2 letters" not in answer(decision)


def test_a_misstated_format_is_put_right_once() -> None:
    """Given a sentence wrong in two ways (format and figure), then it is replaced once and the rest stands."""
    text = "Please note that it must have 77 letters followed by 4 numbers. Please try again."
    decision = misstated(text)
    if decision.outcome is Outcome.CORRECTED:
        assert answer(decision).count("3 letters") == 1
        assert answer(decision).endswith("Please try again.")
        assert replayed(text, decision) == answer(decision)
    assert len({edit.before for edit in decision.edits}) == len(decision.edits)


def test_a_correction_is_in_the_users_language() -> None:
    """Given a French record under an English policy, then a sentence of the sidecar's own is French."""
    decision = misstated("Il faut 2 letters et 4 numbers. Redonnez la valeur.", "c'est ab1234", locale="fr")
    assert "3 letters followed by 3 numbers" in answer(decision)
    assert "The expected format" not in answer(decision)


def test_a_correction_too_long_to_be_an_answer_is_refused() -> None:
    """Given a bound on answers that the evidence sentence breaks, then the correction doesn't go out."""
    layout = CLINIC.layout.model_dump(mode="json", by_alias=True, exclude_unset=True)
    short = hotel(**{**layout, "limits": {"answer_chars": 50}})
    text = "We open at 7 am."
    assert len(OPEN) > 50 > len(text)
    decision = said(text, "when is the clinic open, Monday or Friday?", policy=short)
    assert decision.outcome is Outcome.REJECTED
    assert len(answer(decision)) <= 8_000


def test_a_correction_that_another_check_refuses_is_not_used() -> None:
    """Given a wrong figure beside a deed that nobody did, then nothing is corrected."""
    decision = said("A missed appointment is charged 75 euros. I have booked you for Monday.")
    assert decision.outcome is Outcome.REJECTED
    assert decision.edits == ()


def test_a_policy_may_refuse_instead() -> None:
    """Given a reject for the code, then a wrong figure isn't corrected."""
    layout = CLINIC.layout.model_dump(mode="json", by_alias=True, exclude_unset=True)
    strict = hotel(**{**layout, "on_fail": {"ground.number_mismatch": "reject"}})
    decision = said(CORRECTED["replaced"][0], policy=strict)
    assert decision.outcome is Outcome.REJECTED
    assert "ground.number_mismatch" in codes(decision)


def test_only_what_the_policy_corrects_is_corrected() -> None:
    """Given a report for one code and a correct for another, then only the second's sentence is changed."""
    layout = CLINIC.layout.model_dump(mode="json", by_alias=True, exclude_unset=True)
    lenient = hotel(**{**layout, "on_fail": {"ground.unsupported_sentence": "report"}})
    decision = said(f"A missed appointment is charged 75 euros. {PROMISE}", policy=lenient)
    assert decision.outcome is Outcome.CORRECTED
    assert answer(decision) == f"{CHARGED} {PROMISE}"


def test_where_there_is_no_answer_nothing_is_corrected() -> None:
    """Given a policy that corrects marks and reports a missing answer, then a mark elsewhere can't be corrected."""
    policy = hotel(on_fail={"schema": "report", "encoding.nul_char": "correct"})
    turn = parameter_turn(message="cancel XKT904\0")
    del turn["generated_answer"]["answer"]
    decision = judged(turn, "cancel XKT904\0", policy)
    assert (decision.outcome, decision.edits) == (Outcome.REJECTED, ())


def test_evidence_of_another_thing_corrects_nothing() -> None:
    """Given a wrong sentence about a thing that the evidence doesn't have, then what the evidence says of something
    else isn't put in its place.
    """
    policy = hotel(evidence=[{"id": "parking", "text": "Parking costs 18 euros per night."}])
    turn = scope_turn("The gym costs 99 euros per night.", policy)
    decision = judged(turn, "How much is the gym?", policy)
    assert all(edit.after == "" for edit in decision.edits)
    assert decision.outcome is Outcome.REJECTED


def test_what_a_policy_only_reports_stays_where_a_mark_is_cut() -> None:
    """Given a promise that the policy only reports beside broken marks, then the marks go and the promise stays."""
    layout = CLINIC.layout.model_dump(mode="json", by_alias=True, exclude_unset=True)
    policy = hotel(**{**layout, "on_fail": {"ground": "report"}})
    assert answer(said(f"<b>{PROMISE}</b> {CHARGED}", policy=policy)) == f"{PROMISE} {CHARGED}"


def test_where_correction_is_off_nothing_is_said_from_evidence() -> None:
    """Given a policy that doesn't correct, then an answer of which nothing stands isn't filled."""
    layout = CLINIC.layout.model_dump(mode="json", by_alias=True, exclude_unset=True)
    policy = hotel(**{**layout, "grounding": {"correct": False}})
    leak = "The user is asking about the missed appointment fee."
    assert said(leak, "what is charged for a missed appointment?", policy).outcome is Outcome.REJECTED
