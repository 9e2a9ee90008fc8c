"""Runs deeply recursive functions in a thread with a large stack, with listeners for slow calls."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
MAX_RECURSION = 20_000  # frames: sympy on expressions of 200 nested brackets
STACK_SIZE = 512 << 20  # bytes of address space; pages are committed on use
NOTIFY_EVERY = 4.0  # seconds between two calls of the listeners
_thread = threading.local()
_listeners: list[Callable[[], None]] = []


def listen(listener: Callable[[], None]) -> None:
    """Registers a function that is called every `NOTIFY_EVERY` seconds while a call is running."""
    _listeners.append(listener)


def has_big_stack() -> bool:
    """Whether the current thread has a large stack."""
    return getattr(_thread, "big_stack", False)


def run_with_big_stack(work: Callable[[], T]) -> T:
    """The result of `work`, run in a thread with `STACK_SIZE` and `MAX_RECURSION`; exceptions are re-raised.

    Without threads, as in a browser, it runs under the default limits.
    """
    if has_big_stack():
        return work()
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        _thread.big_stack = True
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
    """Runs `target` in a thread; False if no thread can be started."""
    size, limit = threading.stack_size(), sys.getrecursionlimit()
    try:
        threading.stack_size(STACK_SIZE)
        thread = threading.Thread(target=target, daemon=True)
        sys.setrecursionlimit(max(limit, MAX_RECURSION))
        thread.start()
        _wait_for(thread)
        return True
    except (RuntimeError, ValueError):
        return False
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)


def _wait_for(thread: threading.Thread) -> None:
    thread.join(NOTIFY_EVERY if _listeners else None)
    while thread.is_alive():
        for listener in _listeners:
            listener()
        thread.join(NOTIFY_EVERY)
