"""Rows of the sets sent through the judge's public face: policies and records in, decisions out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guardrail.judge.decide import decide
from guardrail.judge.model import Decision, Grounding, Outcome, RawRecord, Reply, Source, Verdict
from guardrail.judge.policy import Policies, Policy, compile_policy
from tests.corpora.grounding import Row

BATCH = 500
PROMPTS = {
    "en": "You are an assistant. Reply to the message.",
    "fr": "Vous êtes un assistant. Répondez au message.",
    "es": "Eres un asistente. Responde al mensaje.",
}
"""They say nothing that an answer could rest on."""
_SILENT = ("syntax", "encoding", "types", "envelope", "schema", "catalog", "param", "consistency", "transport")


@dataclass(frozen=True, slots=True)
class Judged:
    """A row and what the judge made of its answer."""

    row: Row
    decision: Decision

    @property
    def grounding(self) -> Grounding:
        """What grounding found."""
        assert self.decision.grounding is not None, self.row.id
        return self.decision.grounding

    @property
    def risk(self) -> float:
        """The answer's risk; 0 where there is nothing to check."""
        return self.grounding.risk or 0.0

    @property
    def score(self) -> float | None:
        """The published score; null where the answer claims nothing."""
        return self.grounding.score

    @property
    def seen_empty(self) -> bool:
        """Whether the verdict is that the answer asserts nothing."""
        return self.grounding.verdict is Verdict.NOTHING_TO_CHECK

    @property
    def approved(self) -> bool:
        """Whether the answer is published as it was."""
        return self.decision.outcome is Outcome.APPROVED

    @property
    def corrected(self) -> str | None:
        """The text that is published instead of the answer; null when it is approved or rejected."""
        reply = self.decision.reply
        if self.decision.outcome is not Outcome.CORRECTED or not isinstance(reply, Reply):
            return None
        return reply.generated_answer.answer or ""


def policy(
    lang: str, *, agent: str = "", passages: Sequence[str] = (), grounding: Mapping[str, Any] | None = None
) -> Policy:
    """A neutral agent of this language, named by it unless told; whatever isn't grounding acts on nothing."""
    document = {
        "version": 1,
        "agent": agent or lang,
        "locale": lang,
        "prompt": PROMPTS[lang],
        "evidence": [{"id": f"p{number}", "text": text} for number, text in enumerate(passages)],
        "grounding": dict(grounding or {}),
        "on_fail": dict.fromkeys(_SILENT, "ignore"),
    }
    return compile_policy(json.dumps(document), f"{agent or lang}.json")


def neutral(grounding: Mapping[str, Any] | None = None) -> dict[str, Policy]:
    """The three agents; evidence comes with each record."""
    return {lang: policy(lang, grounding=grounding) for lang in PROMPTS}


def response(row: Row) -> dict[str, Any]:
    """A scope turn of the right shape with the row's answer."""
    fields = {
        "evidence_from_prompt": PROMPTS[row.lang],
        "intents_i_am_familiar_with": [],
        "out_of_scope_request": False,
        "answer": row.answer,
    }
    return {"detected_intent": {"id": None, "name": None}, "generated_answer": fields}


def record(row: Row, number: int = 0, *, agent: str = "", bring: bool = True) -> RawRecord:
    """The row as it comes from a topic; `bring` tells whether its evidence comes along."""
    value = {
        "agent_id": agent or row.lang,
        "message_id": row.id,
        "user_message": row.query,
        "locale": row.lang,
        "response": json.dumps(response(row)),
        **({"evidence": list(row.evidence)} if bring else {}),
    }
    return RawRecord(json.dumps(value).encode(), b"c-1", (), Source("raw", 0, number, 1_790_000_000_000))


def judged(rows: Sequence[Row], policies: Policies, *, bring: bool = True) -> list[Judged]:
    """The decision on each row, in order."""
    found: list[Judged] = []
    for start in range(0, len(rows), BATCH):
        some = rows[start : start + BATCH]
        decisions = decide([record(row, start + i, bring=bring) for i, row in enumerate(some)], policies)
        found += [Judged(row, decision) for row, decision in zip(some, decisions, strict=True)]
    strays = [one.row.id for one in found if one.decision.grounding is None]
    assert not strays, f"never weighed: {strays[:5]}"
    return found
