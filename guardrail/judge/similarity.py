"""The published TF-IDF score (BACKGROUND §2), with scikit-learn.

It must never be the gate by default: see GROUNDING §1.

`Score = alpha * Sim(answer, D) + (1 - alpha) * Sim(query, D)` where D is the query's top-k passages as one document
and Sim the TF-IDF cosine. Vectors are fitted once a policy (once more for a record that
brings evidence) and transformed once a batch; every row is computed alone,
so that a record's score has the same bits in any batch. Source: the paper summarised in seed 002.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from guardrail.judge.text import visible

Floats = NDArray[np.float64]


class PassageVectors:
    """The passages of one policy (or record) as TF-IDF vectors. Immutable after construction."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Fit the vocabulary and weights on `texts`. Bounds: any texts; without a single word every score is 0."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(norm=None)
        try:
            weights = self._vectorizer.fit_transform([visible(text) for text in texts])
        except ValueError:  # an empty vocabulary
            self._passages: Floats = np.zeros((len(texts), 0))
        else:
            self._passages = np.asarray(weights.todense(), dtype=np.float64)
        self._lengths: Floats = np.sqrt(np.maximum((self._passages**2).sum(axis=1), 1e-300))

    def scores(self, pairs: Sequence[tuple[str, str]], *, alpha: float, k: int) -> list[float]:
        """The published score of each (query, answer), in [0, 1]."""
        if not pairs or not self._passages.size:
            return [0.0] * len(pairs)
        texts = [visible(text) for pair in pairs for text in pair]
        matrix = self._vectorizer.transform(texts)
        norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
        products: Floats = np.asarray(matrix @ self._passages.T)
        return [self._score(products[row : row + 2], norms[row : row + 2], alpha, k) for row in range(0, len(texts), 2)]

    def _score(self, products: Floats, norms: Floats, alpha: float, k: int) -> float:
        order = np.argsort(-(products[0] / self._lengths), kind="stable")[:k]
        length = float(np.linalg.norm(self._passages[order].sum(axis=0)))
        query, answer = (
            float(products[i][order].sum() / (norms[i] * length)) if norms[i] > 0 and length > 0 else 0.0
            for i in (0, 1)
        )
        return min(1.0, max(0.0, alpha * answer + (1 - alpha) * query))
