"""Deep recursion on a stack of its own, large enough for the limit that it runs under."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
FRAMES = 20_000  # two hundred brackets deep, through sympy
STACK = 512 << 20  # bytes; only what is used is ever taken
_here = threading.local()


def is_deep() -> bool:
    """Whether this is such a thread."""
    return getattr(_here, "deep", False)


def deeply(work: Callable[[], T]) -> T:
    """The result of `work`, run in a thread with a stack for `FRAMES` calls; what it raises is raised here.

    Without threads, as in a browser, it runs under the limit that there is.
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
    """Whether there was a thread to run it in."""
    size, limit = threading.stack_size(), sys.getrecursionlimit()
    try:
        threading.stack_size(STACK)
        thread = threading.Thread(target=target, daemon=True)
        sys.setrecursionlimit(max(limit, FRAMES))
        thread.start()
        thread.join()
        return True
    except (RuntimeError, ValueError):
        return False
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
