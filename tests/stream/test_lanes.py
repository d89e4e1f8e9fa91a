"""Lanes: who goes first where agents share a topic, and what may never overtake."""

from collections import Counter
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from guardrail.stream.lanes import Queued, by_agent, choose, first_fitting, in_order
from guardrail.stream.progress import WINDOW


class Placed(NamedTuple):
    """A message as lanes see one: a place."""

    in_partition: int
    at_offset: int

    def partition(self) -> int:
        """Its partition."""
        return self.in_partition

    def offset(self) -> int:
        """Its offset."""
        return self.at_offset


def queue(*owners: tuple[str, str], step: int = 1) -> list[Queued]:
    """One partition of messages of these agents and keys."""
    return [Queued(Placed(0, index * step), 10, agent, key) for index, (agent, key) in enumerate(owners)]  # type: ignore[arg-type]


def test_a_flood_leaves_others_their_share() -> None:
    """Given 900 records of one agent before 10 of another, then a batch of 100 holds all ten, and 90 of the flood."""
    waiting = queue(*[("flood", f"f{i}") for i in range(900)], *[("calm", f"c{i}") for i in range(10)])
    chosen = choose(waiting, 100, 10**9)
    assert Counter(waiting[place].agent for place in chosen) == {"flood": 90, "calm": 10}
    assert chosen == sorted(chosen)


def test_who_is_held_waits_and_others_pass() -> None:
    """Given an agent that is held, then none of its records is chosen, nor any later one of their keys."""
    waiting = queue(("held", "a"), ("calm", "b"), ("calm", "a"), ("calm", "c"))
    assert choose(waiting, 10, 10**9, {"held"}) == [1, 3]
    assert choose(waiting[:1], 10, 10**9, {"held"}) == []


def test_none_goes_further_ahead_than_can_be_written() -> None:
    """Given a record left behind, then no other is chosen a window or more beyond it."""
    waiting = queue(("held", "a"), ("calm", "b"), ("calm", "c"), step=WINDOW - 1)
    assert choose(waiting, 10, 10**9, {"held"}) == [1]


def test_a_batch_is_bounded_in_bytes() -> None:
    """A batch holds what fits, and one record however large."""
    waiting = [Queued(Placed(0, i), 60, "a", i) for i in range(5)]  # type: ignore[arg-type]
    assert choose(waiting, 10, 130) == first_fitting(waiting, 10, 130) == [0, 1]
    assert choose(waiting, 10, 1) == first_fitting(waiting, 10, 1) == [0]


OWNERS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=40)


@given(OWNERS, st.integers(1, 50), st.sets(st.sampled_from("abc")), st.data())
def test_no_record_overtakes_one_of_its_key(
    owners: list[tuple[str, str]], count: int, held: set[str], data: st.DataObject
) -> None:
    """Whatever is held, over its share or left unjudged: of each key, a batch holds the first ones that wait."""
    waiting = queue(*owners)
    chosen = choose(waiting, count, 10**9, held)
    assert len(chosen) <= count
    batch = [waiting[place] for place in chosen]
    done = data.draw(st.lists(st.booleans(), min_size=len(batch), max_size=len(batch)))
    kept = {chosen[place] for place in in_order(batch, done)}
    assert all(done[chosen.index(place)] for place in kept)
    for key in "xyz":
        of_key = [place for place, one in enumerate(waiting) if one.key == key]
        taken = [place in kept for place in of_key]
        assert taken == sorted(taken, reverse=True)


@given(OWNERS, st.integers(1, 50))
def test_a_batch_is_as_full_as_keys_allow(owners: list[tuple[str, str]], count: int) -> None:
    """With a key for each record nobody waits while there is room, and all are grouped by whose they are."""
    waiting = queue(*[(agent, f"{key}{index}") for index, (agent, key) in enumerate(owners)])
    assert len(choose(waiting, count, 10**9)) == min(count, len(waiting))
    assert sorted(place for group in by_agent(waiting).values() for place in group) == list(range(len(waiting)))
