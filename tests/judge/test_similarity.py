"""The published score, against a direct computation with scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from guardrail.judge.decide import judge, prepare
from guardrail.judge.similarity import PassageVectors
from tests.judge.turns import HOTEL, hotel, judged, scope_turn
from tests.scoring import policies
from tests.stream.records import drifting

PASSAGES = [str(passage["text"]) for passage in HOTEL["evidence"]] + [
    "Pets are accepted with a supplement of 10 euros per night.",
    "The pool opens in May.",
]
QUERY = "how much is breakfast per person"
PAIRS = [
    (QUERY, "Breakfast costs 14 euros per person."),
    ("can I cancel before arrival", "Yes, free of charge until 48 hours before."),
    ("pets and pool", "The pool is open and pets are accepted."),
    ("nothing shared", "zzz qqq"),
    ("", "Breakfast."),
    ("breakfast", ""),
]


def directly(query: str, text: str, alpha: float, k: int) -> float:
    """The score as published: D is the query's best k passages as one document, in raw TF-IDF weights."""
    vectorizer = TfidfVectorizer(norm=None).fit(PASSAGES)
    passages, asked, said = (vectorizer.transform(texts) for texts in (PASSAGES, [query], [text]))
    order = np.argsort(-cosine_similarity(asked, passages)[0], kind="stable")[:k]
    document = vectorizer.transform([" ".join(PASSAGES[i] for i in order)])
    similar = [float(cosine_similarity(vector, document)[0, 0]) for vector in (said, asked)]
    return alpha * similar[0] + (1 - alpha) * similar[1]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("alpha", "k"), [(0.25, 3), (1, 1), (0, 5), (0.5, 20)])
def test_the_score_is_the_published_one(pair: tuple[str, str], alpha: float, k: int) -> None:
    """Given a question and an answer, then the score equals a direct computation to the twelfth decimal."""
    [score] = PassageVectors(PASSAGES).scores([pair], alpha=alpha, k=k)
    assert score == pytest.approx(directly(*pair, alpha, k), abs=1e-12)
    assert 0 <= score <= 1


def test_a_batch_gives_the_same_bits() -> None:
    """Given the same pair alone and among others, then the score is the same to the last bit."""
    vectors = PassageVectors(PASSAGES)
    together = vectors.scores(PAIRS, alpha=0.25, k=3)
    assert together == [vectors.scores([pair], alpha=0.25, k=3)[0] for pair in PAIRS]
    assert together == list(reversed(vectors.scores(PAIRS[::-1], alpha=0.25, k=3)))


@pytest.mark.parametrize("texts", [[], ["", " "], ["!!", "¿?"]])
def test_passages_without_a_word_score_nothing(texts: list[str]) -> None:
    """Given no passages, or none with a word, then every score is 0."""
    assert PassageVectors(texts).scores(PAIRS[:2], alpha=0.25, k=3) == [0.0, 0.0]


def test_no_pairs_no_scores() -> None:
    """Given nothing to score, then there are no scores."""
    assert PassageVectors(PASSAGES).scores([], alpha=0.25, k=3) == []


def test_the_decision_carries_the_score_of_the_policys_terms() -> None:
    """Given a policy's alpha, tau and k, then the decision's score follows them."""
    policy = hotel(grounding={"alpha": 1, "tau": 0.3, "k": 1})
    text = "Breakfast costs 14 euros per person."
    decision = judged(scope_turn(text), QUERY, policy)
    assert decision.grounding is not None
    [wanted] = PassageVectors(PASSAGES[:3]).scores([(QUERY, text)], alpha=1, k=1)
    assert decision.grounding.score == wanted
    assert decision.grounding.tau == 0.3


def test_prepared_policies_have_their_vectors() -> None:
    """Given policies that are prepared, then their vectors are there, and records find the same."""
    agents = policies()
    prepare(agents)
    made = {agent: policy.evidence.__dict__["vectors"] for agent, policy in agents.items()}
    judge([drifting("it is P76041", "c-1")], agents)
    assert all(policy.evidence.vectors is made[agent] for agent, policy in agents.items())
