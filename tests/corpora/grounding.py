"""Public sets of answers beside their evidence, read where they lie beside this clone: see `tests.corpora`.

`../shared/data/grounding`; the service-desk sets of this project (`own_*`) stand in `desk/` beside this file. A row is
`{id, query, evidence: [text], answer, label, pair_id, lang}` and, where known, `edit`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from tests import corpora

FOLDER = corpora.FOLDER.parent / "grounding"
MISSING = f"the public grounding sets aren't beside this clone ({FOLDER.name}/ of ../shared/data): nothing to measure"

CORE = (
    *("medhallu", "halueval_qa", "truthfulqa_oracle", "truthfulqa_loo", "begin_wow", "begin_cmu"),
    *("counterfact_en", "counterfact_fr", "agentdesk_en", "agentdesk_fr", "agentdesk_es"),
)
"""The sets of the macro figure."""
DESK = ("desk_en", "desk_fr", "desk_es")
"""Service-desk answers, some of which assert nothing."""
OTHERS = ("summedits_sales_email", "summedits_sales_call", "summedits_scitldr", "daccord_fr")
"""Sets without a goal."""
OWN_FOLDER = Path(__file__).parent / "desk"
FITTED = ("own_en_a", "own_fr_a", "own_es_a", "own_en_b", "own_fr_b", "own_es_b")
"""Service-desk sets of this project that the verifier's weights were fitted on, with DESK and CORE."""
UNREAD = ("own_en_c", "own_fr_c", "own_es_c")
"""Service-desk sets of this project, by other hands again, that nothing was fitted on."""
TALK = ("own_en_talk", "own_fr_talk", "own_es_talk")
"""Answers that assert nothing beside short ones that sound alike and do: what the talk's phrases were gathered on."""
TALK_UNREAD = ("own_en_talk_c", "own_fr_talk_c", "own_es_talk_c")
"""More of them, by other hands again, that no phrase was gathered on."""
ALL = (*DESK, *FITTED, *UNREAD, *CORE, *OTHERS)


@dataclass(frozen=True, slots=True)
class Row:
    """One answer of a set."""

    id: str
    query: str
    evidence: tuple[str, ...]
    answer: str
    hallucinated: bool
    cluster: str
    """Rows of one cluster stem from one document: they are never taken for independent."""
    lang: str
    edit: str

    @property
    def empty(self) -> bool:
        """Whether the answer asserts nothing, as its author says."""
        return self.edit == "nothing_to_check"

    @property
    def half(self) -> int:
        """0 or 1, the same for a whole cluster: parity of the SHA-1's first byte (the last one's parted off what is
        sealed, so every open row of most sets has the same).
        """
        return hashlib.sha1(self.cluster.encode(), usedforsecurity=False).digest()[0] & 1

    def over(self, evidence: tuple[str, ...]) -> Row:
        """The same answer beside other evidence."""
        return replace(self, evidence=evidence)


def there() -> bool:
    """Whether the sets are beside this clone."""
    return all((FOLDER / f"{name}.jsonl").exists() for name in (*DESK, *CORE, *OTHERS))


@lru_cache(maxsize=len(ALL))
def rows(name: str) -> tuple[Row, ...]:
    """The rows of one set, in the file's order."""
    if name.startswith("own_"):
        return tuple(_own_rows(name.removeprefix("own_")))
    with (FOLDER / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return tuple(_row(json.loads(line)) for line in lines)


def _own_rows(name: str) -> Iterator[Row]:
    """The rows of a set of ours: a line holds a scenario with all its answers."""
    for line in (OWN_FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        scenario = json.loads(line)
        cluster, kept = f"own_{name}:{scenario['scenario']}", {"near_verbatim", "paraphrase", "combined"}
        for number, answer in enumerate(scenario["answers"]):
            edit = answer["edit"]
            yield Row(
                id=f"{cluster}:{number}",
                query=answer["query"],
                evidence=tuple(scenario["evidence"]),
                answer=answer["answer"],
                hallucinated=edit not in kept and edit != "nothing_to_check",
                cluster=cluster,
                lang=name[:2],
                edit=edit,
            )


def _row(fields: dict[str, object]) -> Row:
    evidence = fields["evidence"]
    assert isinstance(evidence, list)
    return Row(
        id=str(fields["id"]),
        query=str(fields["query"]),
        evidence=tuple(str(text) for text in evidence),
        answer=str(fields["answer"]),
        hallucinated=fields["label"] == "hallucinated",
        cluster=str(fields["pair_id"]),
        lang=str(fields["lang"]),
        edit=str(fields.get("edit", "")),
    )


def golds(name: str, listed: Sequence[Row]) -> dict[str, tuple[str, ...]]:
    """Cluster -> its right answers: the faithful ones; TruthfulQA's evidence is a list of right answers too."""
    found: dict[str, list[str]] = {row.cluster: [] for row in listed}
    for row in listed:
        if not row.hallucinated:
            found[row.cluster].append(row.answer)
        if name.startswith("truthfulqa"):
            found[row.cluster] += row.evidence
    return {cluster: tuple(dict.fromkeys(texts)) for cluster, texts in found.items()}


def passages(listed: Iterable[Row]) -> list[str]:
    """The distinct passages of some rows, in order."""
    return list(dict.fromkeys(text for row in listed for text in row.evidence))
