"""Policies in force: what is wanted, from where; changes on probation; bypasses and canaries."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from guardrail.judge.decide import decide
from guardrail.judge.model import Decision, Outcome, RawRecord
from guardrail.judge.policy import Policies, Policy, compile_policy
from guardrail.settings import BreakerSettings
from guardrail.stream.breaker import REFUSED, refuses
from guardrail.stream.force import InForce
from guardrail.stream.register import Active, Bypassing, Canary, Entry, Proven, Register
from guardrail.stream.wanted import Files, Wanted, wanted

NOW = datetime(2026, 1, 2, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1000)
SIGNED = {"by": "ann", "at": NOW, "why": "ticket 7"}
SMALL = BreakerSettings(least_records=4, records=10)


def policy(agent: str = "hotel", prompt: str = "You help guests.", mode: str = "enforce") -> Policy:
    """A small policy; another prompt is another revision."""
    return compile_policy(json.dumps({"version": 1, "agent": agent, "locale": "en", "prompt": prompt, "mode": mode}))


OLD, NEW, NEWER = policy(), policy(prompt="You help all guests."), policy(prompt="You help every guest.")


def register(entries: dict[str, Entry | bytes | None]) -> Register:
    """A register with these entries and the revisions of all policies here."""
    made = Register()
    for one in (OLD, NEW, NEWER):
        made.take(f"revision/{one.revision}".encode(), one.resolved)
    for key, value in entries.items():
        made.take(key.encode(), msgspec.json.encode(value) if isinstance(value, Entry) else value)
    return made


def put(entries: dict[str, Entry | bytes | None], *files: Policy, before: Wanted | None = None) -> Wanted:
    """What is wanted with these files and entries."""
    found = Files({one.agent: one for one in files})
    return wanted(found, register(entries), before or Wanted(found.policies))


def revisions(found: Policies) -> dict[str, str]:
    """Agent -> revision."""
    return {agent: one.revision for agent, one in found.items()}


def active(one: Policy, *, force: bool = False) -> Active:
    """The entry that puts it in force."""
    return Active(revision=one.revision, force=force, **SIGNED)  # type: ignore[arg-type]


def decisions(refused: int, passed: int, agent: str = "hotel") -> list[Decision]:
    """Decisions of one agent."""
    [template] = decide([RawRecord(b"x")], {})
    outcomes = [Outcome.REJECTED] * refused + [Outcome.APPROVED] * passed
    return [msgspec.structs.replace(template, agent=agent, outcome=o, enforced_outcome=o) for o in outcomes]


def in_force(*steps: Wanted, settings: BreakerSettings = SMALL) -> tuple[InForce, Callable[[], bool], list[Policy]]:
    """The policies in force as each step is wanted in turn; how to take the next; what has proven itself."""
    left, proven = list(steps), list[Policy]()
    made = InForce(lambda: left[0], settings, proven=proven.append)

    def following() -> bool:
        left.pop(0)
        return made.turn(NOW_MS)

    made.turn(NOW_MS)
    return made, following, proven


def none_passed(_: str, __: Policy) -> tuple[int, int, int]:
    """The policy before would have refused them too."""
    return 0, 4, 4


def all_passed(_: str, __: Policy) -> tuple[int, int, int]:
    """The policy before would have let them through."""
    return 4, 4, 4


def test_a_sample_without_time_is_put_together() -> None:
    """Given batches with no time for more than one record under the policy before, then so many of them decide as one
    batch would: a single record says nothing.
    """
    for passed_by_before, trips in ((7, True), (2, False)):
        force, following, _ = in_force(put({}, OLD), put({}, NEW))
        following()
        answers = [(int(index < passed_by_before), 1, 32) for index in range(8)]
        found = [bool(force.trip(decisions(10, 5), lambda *_, a=answer: a)) for answer in answers]
        assert found[:7] == [False] * 7
        assert found[7] is trips


def test_the_register_goes_before_the_files() -> None:
    """An active entry decides which revision is in force; taken back, it is the file's again."""
    found = put({"active/hotel": active(NEW)}, OLD)
    assert revisions(found.policies) == {"hotel": NEW.revision}
    assert (found.origins["hotel"].source, found.origins["hotel"].by) == ("register", "ann")
    found = put({"active/hotel": None}, OLD, before=found)
    assert revisions(found.policies) == {"hotel": OLD.revision}
    assert found.origins["hotel"].source == "file"


JSON_SIGNED = {"by": "ann", "at": "2026-01-02T00:00:00Z"}
REASON = {"why": "ticket 7"}
BAD: dict[str, tuple[str, Entry | bytes]] = {
    "an unknown revision": ("active/hotel", Active(revision="0" * 16, **SIGNED)),  # type: ignore[arg-type]
    "no JSON": ("active/hotel", b"{"),
    "JSON without end": ("active/hotel", b'{"x":' + b"[" * 100_000),
    "no reason": ("active/hotel", json.dumps({"revision": NEW.revision, **JSON_SIGNED}).encode()),
    "no time zone": ("bypass/hotel", json.dumps({"until": "2026-01-02T00:00:00", **JSON_SIGNED, **REASON}).encode()),
    "another agent's": ("active/spa", active(NEW)),
    "a share above one": (
        "canary/hotel",
        json.dumps({"revision": NEW.revision, "share": 1.5, **JSON_SIGNED, **REASON}).encode(),
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_entry_keeps_what_was_in_force(name: str) -> None:
    """Given an entry that can't be used, then it is told, and nothing changes for its agent."""
    key, value = BAD[name]
    before = put({"active/hotel": active(NEWER)}, OLD)
    found = put({"active/hotel": active(NEWER)} | {key: value}, OLD, before=before)
    assert list(found.faults) == [key]
    assert revisions(found.policies) == {"hotel": NEWER.revision}
    assert not found.canaries
    assert not found.bypasses


def test_bytes_that_are_another_revisions_are_refused() -> None:
    """Given an entry whose bytes aren't those of the digest it is named by, then it is never put in force."""
    made = register({"active/hotel": active(NEW), f"revision/{NEW.revision}": NEWER.resolved})
    found = wanted(Files({"hotel": OLD}), made, Wanted({"hotel": OLD}))
    assert revisions(found.policies) == {"hotel": OLD.revision}
    assert NEWER.revision in found.faults["active/hotel"]


def test_bytes_that_no_policy_file_would_have_are_refused() -> None:
    """Given a number longer than Python reads in a policy's place, then that is told, as any other fault."""
    made = register({"active/hotel": active(NEW), f"revision/{NEW.revision}": b"version: " + b"9" * 10_000})
    assert "not YAML" in wanted(Files({"hotel": OLD}), made, Wanted()).faults["active/hotel"]


def test_what_cannot_be_judged_here_is_refused() -> None:
    """Given a policy that needs what isn't installed, then the one in force stays, from file or register."""
    before = put({}, OLD)
    fits = {NEW.revision: "no scorer", NEWER.revision: "no scorer"}.get
    found = wanted(
        Files({"hotel": NEW}), register({"canary/hotel": Canary(revision=NEWER.revision, share=1, **SIGNED)}),  # type: ignore[arg-type]
        before, lambda one: fits(one.revision),
    )  # fmt: skip
    assert revisions(found.policies) == {"hotel": OLD.revision}
    assert not found.canaries
    assert set(found.faults.values()) == {"no scorer"}


def test_a_change_that_refuses_too_much_holds_its_agent() -> None:
    """Given a changed policy under which most is refused that passed before, then its agent is held, until another
    comes; others go on."""
    spa = policy("spa")
    force, following, _ = in_force(put({}, OLD, spa), put({}, NEW, spa), put({}, NEWER, spa))
    assert not force.trip(decisions(9, 1), all_passed), "the first one known is no change"
    following()
    assert not force.trip(decisions(3, 0), all_passed), "too few to tell"
    assert force.trip([*decisions(3, 2), *decisions(5, 0, "spa")], all_passed) == {"hotel"}
    assert force.held == {"hotel"}
    assert force.alarm
    assert NEW.revision in force.alarm
    assert force.shown()["agents"]["hotel"]["tripped"]["then"] == "hold"
    assert following()
    assert (force.held, force.alarm, force.policies["hotel"].revision) == (frozenset(), None, NEWER.revision)
    assert force.trip(decisions(4, 0), all_passed) == {"hotel"}, "it is on probation in its turn"


def test_what_was_refused_before_does_not_count() -> None:
    """Given records that the policy before refuses too, then the new one isn't blamed."""
    force, following, _ = in_force(put({}, OLD), put({}, NEW))
    following()
    assert not force.trip(decisions(10, 0), none_passed)


def test_small_batches_add_up() -> None:
    """Given batches too small to tell, then what was published of them counts with the next one."""
    force, following, _ = in_force(put({}, OLD), put({}, NEW))
    following()
    for _ in range(3):
        assert not force.trip(decisions(1, 0), all_passed)
        force.committed(decisions(1, 0))
    assert force.trip(decisions(1, 0), all_passed) == {"hotel"}


def test_a_policy_that_has_held_is_proven() -> None:
    """Given as many records as a probation lasts, then the policy is proven, and refuses as much as it likes."""
    force, following, proven = in_force(put({}, OLD), put({}, NEW))
    following()
    force.committed(decisions(2, 8))
    assert [one.revision for one in proven] == [NEW.revision]
    assert not force.trip(decisions(50, 0), all_passed)


def test_a_restart_knows_what_has_held() -> None:
    """Given a register that says which revision has held, then a gate that starts under another one is on probation,
    and one under the same isn't."""
    entry = Proven(revision=OLD.revision, **SIGNED)  # type: ignore[arg-type]
    changed, _, _ = in_force(put({"proven/hotel": entry}, NEW))
    assert changed.trip(decisions(5, 0), all_passed) == {"hotel"}
    same, _, _ = in_force(put({"proven/hotel": entry}, OLD))
    assert not same.trip(decisions(50, 0), all_passed)


def test_the_policy_before_takes_over() -> None:
    """Given `previous`, then the policy before judges on, nobody is held, and the alarm stays."""
    force, following, _ = in_force(put({}, OLD), put({}, NEW), settings=SMALL.model_copy(update={"then": "previous"}))
    following()
    assert force.trip(decisions(5, 0), all_passed) == {"hotel"}
    assert force.policies["hotel"].revision == OLD.revision
    assert not force.held
    assert list(force.tripped) == ["hotel"]
    assert not force.turn(NOW_MS), "the same wish doesn't bring it back"


def test_a_hold_that_holds_others_gives_way() -> None:
    """Given a held agent behind which others come to wait, then the policy before judges it, and the alarm stays."""
    force, following, _ = in_force(put({}, OLD), put({}, NEW), put({}, NEWER))
    assert not force.give_way(), "nobody is held"
    following()
    force.trip(decisions(5, 0), all_passed)
    assert force.give_way()
    assert (force.held, list(force.tripped), force.policies["hotel"].revision) == (set(), ["hotel"], OLD.revision)
    assert force.shown()["agents"]["hotel"]["tripped"]["then"] == "previous"
    assert not force.turn(NOW_MS), "the same wish doesn't bring it back"
    assert not force.give_way()
    following()
    assert (force.policies["hotel"].revision, list(force.tripped)) == (NEWER.revision, [])


@pytest.mark.parametrize("then", ["hold", "previous"])
def test_a_canary_that_trips_as_a_policy_decides_nothing(then: str) -> None:
    """Given a canary that is put in force and trips, its entry still there, then no share is its own any more."""
    canary = {"canary/hotel": Canary(revision=NEW.revision, share=1.0, **SIGNED)}  # type: ignore[arg-type]
    steps = [put({**canary, **more}, OLD) for more in ({}, {"active/hotel": active(NEW)})]
    force, following, _ = in_force(*steps, settings=SMALL.model_copy(update={"then": then}))
    assert force.canaried("hotel", b"k")
    following()
    assert force.trip(decisions(5, 0), all_passed) == {"hotel"}
    force.give_way()
    assert force.policies["hotel"].revision == OLD.revision
    assert not force.canaried("hotel", b"k")


def test_who_has_looked_may_force_it() -> None:
    """Given an entry with `force`, then a tripped revision is in force again, without probation."""
    steps = [put({"active/hotel": active(one, force=f)}) for one, f in ((OLD, False), (NEW, False), (NEW, True))]
    force, following, _ = in_force(*steps)
    following()
    force.trip(decisions(5, 0), all_passed)
    assert force.held
    following()
    assert not force.held
    assert not force.trip(decisions(50, 0), all_passed)


def test_a_bypass_ends_by_the_clock() -> None:
    """Given a bypass, for an agent or for all, then its policy isn't enforced until then, held or not, and the
    decision says who and why; a moment later it is."""
    until = NOW + timedelta(minutes=5)
    for name in ("bypass/hotel", "bypass/*"):
        entry = Bypassing(until=until, **SIGNED)  # type: ignore[arg-type]
        force, following, _ = in_force(put({}, OLD), put({}, NEW), put({name: entry}, NEW))
        following()
        force.trip(decisions(5, 0), all_passed)
        following()
        assert not force.held
        assert force.bypassing == {"hotel"}
        bypass = force.policies["hotel"].bypass
        assert bypass is not None
        assert (bypass.by, bypass.why, force.policies["hotel"].mode) == ("ann", "ticket 7", "shadow")
        assert not force.turn(int(until.timestamp() * 1000) - 1)
        assert force.turn(int(until.timestamp() * 1000))
        assert force.policies["hotel"].mode == "enforce"
        assert force.held == {"hotel"}


def test_everyones_bypass_holds_where_an_agents_own_has_ended() -> None:
    """Given an agent's bypass of yesterday that nobody took back, then one for everybody is in force for it too."""
    ended = Bypassing(until=NOW - timedelta(hours=1), by="bob", at=NOW - timedelta(hours=2), why="ticket 6")
    everyones = Bypassing(until=NOW + timedelta(minutes=5), **SIGNED)  # type: ignore[arg-type]
    force, _, _ = in_force(put({"bypass/hotel": ended, "bypass/*": everyones}, OLD))
    bypass = force.policies["hotel"].bypass
    assert bypass is not None
    assert bypass.by == "ann"


@pytest.mark.parametrize(("at", "told"), [(NOW, True), (NOW + timedelta(days=3_649), False)])
def test_a_bypass_that_would_not_end_is_none(at: datetime, told: bool) -> None:
    """Given an entry written by hand that ends in ten years, then the policy is enforced, whatever the entry says."""
    entry = Bypassing(until=NOW + timedelta(days=3_650), by="ann", at=at, why="ticket 7")
    force, _, _ = in_force(put({"bypass/*": entry}, OLD))
    assert not force.bypassing
    assert bool(force.refused) is told
    assert force.policies["hotel"].mode == "enforce"


def test_a_shadow_refuses_nobody() -> None:
    """Given a policy that is tried in shadow, then what it would refuse doesn't hold its agent; the same policy put in
    force is held against what customers got before."""
    shadow, enforced = policy(prompt="New.", mode="shadow"), policy(prompt="New.")
    would = [msgspec.structs.replace(one, outcome=Outcome.APPROVED) for one in decisions(10, 0)]
    force, following, _ = in_force(put({}, OLD), put({}, shadow), put({}, enforced))
    following()
    assert not force.trip(would, all_passed)
    assert not any(refuses(shadow, one) for one in would)
    following()
    assert all(refuses(enforced, one) for one in would), "a bypass' shadow says nothing for a policy"
    assert force.trip(decisions(10, 0), all_passed) == {"hotel"}


def test_a_change_upon_a_change_is_held_against_what_stood_before_both() -> None:
    """Given a second change before the first has held, then the first, which may be as bad, is no measure of it."""
    force, following, _ = in_force(put({}, OLD), put({}, NEW), put({}, NEWER))
    following()
    force.committed(decisions(3, 0))
    following()
    asked = list[str]()

    def passed(_: str, before: Policy) -> tuple[int, int, int]:
        asked.append(before.revision)
        return 10, 10, 10

    assert force.trip(decisions(10, 0), passed) == {"hotel"}
    assert asked == [OLD.revision]


def test_who_has_looked_ends_a_probation() -> None:
    """Given `force` for a revision that is in force already, on probation, then it isn't watched any more."""
    steps = [put({"active/hotel": active(one, force=f)}) for one, f in ((OLD, False), (NEW, False), (NEW, True))]
    force, following, _ = in_force(*steps)
    following()
    following()
    assert not force.trip(decisions(50, 0), all_passed)


def test_a_canary_has_its_share_of_the_keys() -> None:
    """Given a share, then about so many keys are the canary's, each always or never; one that is in force is none."""
    entry = Canary(revision=NEW.revision, share=0.2, **SIGNED)  # type: ignore[arg-type]
    force, following, _ = in_force(put({"canary/hotel": entry}, OLD), put({"canary/hotel": entry}, NEW))
    keys = [f"conversation-{number}".encode() for number in range(2_000)]
    chosen = [key for key in keys if force.canaried("hotel", key)]
    assert 300 < len(chosen) < 500
    assert chosen == [key for key in keys if force.canaried("hotel", key)]
    assert force.second["hotel"]["hotel"].revision == NEW.revision
    following()
    assert not force.second
    assert not any(force.canaried("hotel", key) for key in keys)


def test_a_policy_that_is_gone_stays_in_force() -> None:
    """Given an agent whose file and entry are gone, then its last policy stays, and that is told; one that comes again
    is taken.
    """
    hotel, other, bank = policy(), policy(prompt="Another."), policy("bank")
    first = put({"active/hotel": active(other), f"revision/{other.revision}": other.resolved}, hotel, bank)
    second = put({}, bank, before=first)
    assert revisions(second.policies) == {"hotel": other.revision, "bank": bank.revision}
    assert list(second.faults) == ["gone/hotel"]
    third = put({}, hotel, bank, before=put({}, bank, before=second))
    assert revisions(third.policies) == {"hotel": hotel.revision, "bank": bank.revision}
    assert not third.faults


def test_refused_is_what_customers_do_not_get() -> None:
    """Dead letters count as refused, skipped records don't."""
    assert {Outcome.REJECTED, Outcome.DEAD_LETTER} == REFUSED
