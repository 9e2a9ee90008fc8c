"""Deep work in a thread of its own, and a sign of life while it takes long."""

from __future__ import annotations

import sys
import threading
import time
from itertools import count

import pytest

from pdedsl import big_stack
from pdedsl.cli import _at_work


def depth(n: int) -> int:
    return 0 if n == 0 else 1 + depth(n - 1)


def test_deeper_than_the_ordinary_limit() -> None:
    deeper = 5 * sys.getrecursionlimit()
    assert big_stack.deeply(lambda: depth(deeper)) == deeper
    with pytest.raises(RecursionError):
        depth(deeper)


def test_an_exception_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        big_stack.deeply(lambda: 1 / 0)


def test_who_waits_is_told_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    told, enough = count(1), threading.Event()

    def listener() -> None:
        if next(told) == 3:
            enough.set()

    monkeypatch.setattr(big_stack, "PATIENCE", 0.001)
    monkeypatch.setattr(big_stack, "_listeners", [listener])
    assert big_stack.deeply(lambda: enough.wait(60))


def test_a_person_is_told_and_a_program_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _at_work(time.monotonic() - 5)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    _at_work(time.monotonic() - 5)
    assert capsys.readouterr() == ("", "still at work after 5 s: this spec is long\n")
