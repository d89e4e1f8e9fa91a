"""A call beside ours returns, raises, or is left alone in time."""

import threading

import pytest

from guardrail.stream.aside import Aside, HeldError


def test_a_call_comes_back_with_what_it_did() -> None:
    """A call that returns is over, and one that raises raises here; both on the same thread beside ours."""
    aside, threads = Aside(), []

    def breaks() -> None:
        raise KeyError("broken")

    for _ in range(2):
        aside.call(lambda: threads.append(threading.current_thread()), lambda: False)
    with pytest.raises(KeyError, match="broken"):
        aside.call(breaks, lambda: True)
    aside.close()
    assert len(set(threads)) == 1
    assert threads[0] is not threading.current_thread()


def test_a_held_call_is_left_alone() -> None:
    """A call that doesn't come back is waited for while it may be, then no more; its thread ends when it does."""
    aside, held, seen = Aside(), threading.Event(), []

    def call() -> None:
        seen.append(threading.current_thread())
        held.wait(10)

    waits = iter([True, True, False])
    with pytest.raises(HeldError):
        aside.call(call, lambda: next(waits))
    assert next(waits, None) is None
    assert seen[0].is_alive()
    held.set()
    seen[0].join(10)
    assert not seen[0].is_alive()
