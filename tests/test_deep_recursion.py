"""Deep recursion in a thread with a large stack, and progress messages of slow calls."""

from __future__ import annotations

import sys
import threading
import time
from itertools import count

import pytest

from pdedsl import deep_recursion
from pdedsl.cli import _echo_still_running


def depth(n: int) -> int:
    return 0 if n == 0 else 1 + depth(n - 1)


def test_recursion_beyond_the_default_limit() -> None:
    deeper = 5 * sys.getrecursionlimit()
    assert deep_recursion.run_with_big_stack(lambda: depth(deeper)) == deeper
    with pytest.raises(RecursionError):
        depth(deeper)


def test_exceptions_are_reraised() -> None:
    with pytest.raises(ZeroDivisionError):
        deep_recursion.run_with_big_stack(lambda: 1 / 0)


def test_listeners_are_called_repeatedly(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, enough = count(1), threading.Event()

    def listener() -> None:
        if next(calls) == 3:
            enough.set()

    monkeypatch.setattr(deep_recursion, "NOTIFY_EVERY", 0.001)
    monkeypatch.setattr(deep_recursion, "_listeners", [listener])
    assert deep_recursion.run_with_big_stack(lambda: enough.wait(60))


def test_progress_is_shown_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _echo_still_running(time.monotonic() - 5)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    _echo_still_running(time.monotonic() - 5)
    assert capsys.readouterr() == ("", "still running after 5 s: the spec is large\n")
