"""Many sets of keys, asked at once what each shares with a claim. It must never say what the keys mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class Index:
    """Which of many sets hold a key: what a claim shares with each is summed without looking at the others."""

    def __init__(self, sets: Sequence[frozenset[str]]) -> None:
        """Index the sets by their numbers."""
        self._size = len(sets)
        self._holding: dict[str, list[int]] = {}
        for number, keys in enumerate(sets):
            for key in keys:
                self._holding.setdefault(key, []).append(number)

    def shared(self, weights: Mapping[str, float]) -> dict[int, float]:
        """The summed weight of the keys that each set shares; summed in the order of `weights`, so always the same."""
        found: dict[int, float] = {}
        for key, weight in weights.items():
            for number in self._holding.get(key, ()):
                found[number] = found.get(number, 0.0) + weight
        return found

    def totals(self, weights: Mapping[str, float]) -> list[float]:
        """What `shared` gives, as one number for every set, in order."""
        found = [0.0] * self._size
        holding = self._holding
        for key, weight in weights.items():
            if key in holding:
                for number in holding[key]:
                    found[number] += weight
        return found
