"""Deep recursion in a thread whose stack is large enough for its recursion limit; who waits for it can be told so."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
FRAMES = 20_000  # two hundred brackets deep, through sympy
STACK = 512 << 20  # bytes, reserved; memory is taken only for what is used
PATIENCE = 4.0  # seconds between two signs of life
_here = threading.local()
_listeners: list[Callable[[], None]] = []


def listen(listener: Callable[[], None]) -> None:
    """Call `listener` whenever a result takes longer than `PATIENCE`, and again after as many seconds."""
    _listeners.append(listener)


def is_deep() -> bool:
    """Whether the current thread already has such a stack."""
    return getattr(_here, "deep", False)


def deeply(work: Callable[[], T]) -> T:
    """The result of `work`, run in a thread with a stack for `FRAMES` calls; exceptions are re-raised here.

    Where threads are not available, as in a browser, it runs under the ordinary limit.
    """
    if is_deep():
        return work()
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        _here.deep = True
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)

    if not _run(run):
        return work()
    if failure:
        raise failure[0]
    return outcome[0]


def _run(target: Callable[[], None]) -> bool:
    """Runs `target` in a thread; returns whether a thread could be started."""
    size, limit = threading.stack_size(), sys.getrecursionlimit()
    try:
        threading.stack_size(STACK)
        thread = threading.Thread(target=target, daemon=True)
        sys.setrecursionlimit(max(limit, FRAMES))
        thread.start()
        _wait_for(thread)
        return True
    except (RuntimeError, ValueError):
        return False
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)


def _wait_for(thread: threading.Thread) -> None:
    thread.join(PATIENCE if _listeners else None)
    while thread.is_alive():
        for listener in _listeners:
            listener()
        thread.join(PATIENCE)
