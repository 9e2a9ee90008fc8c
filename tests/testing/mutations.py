"""Ways to break the compiler, each with the specs on which it matters and the finding that must say so.

A break replaces a part of the runtime, of lowering or of planning by one with a mutation in it, as a tired programmer
might make it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

Change = Callable[[Any], Any]
"""From what was there to what is there instead."""


@dataclass(frozen=True)
class Mutation:
    """`where` is a path such as "evolution.Piece.velocity" within a package; `of` is the finding that catches it."""

    name: str
    where: tuple[str, ...]
    change: Change
    specs: tuple[str, ...]
    of: str
    package: str = "runtime"


@contextmanager
def broken(mutation: Mutation) -> Iterator[None]:
    """Within, the compiler has the mutation."""
    with pytest.MonkeyPatch.context() as patch:
        for path in mutation.where:
            owner, _, name = f"pdedsl.{mutation.package}.{path}".rpartition(".")
            before = _located(owner, name)
            patch.setattr(f"{owner}.{name}", mutation.change(before))
        yield


def _located(owner: str, name: str) -> Any:
    from importlib import import_module

    parts = owner.split(".")
    k = next((i for i, part in enumerate(parts) if part[0].isupper()), len(parts))
    found: Any = import_module(".".join(parts[:k]))
    for part in parts[k:]:
        found = getattr(found, part)
    return getattr(found, name)


def plan_of(*tables: tuple[Mutation, ...]) -> list[tuple[Mutation, str]]:
    """Every break on every spec on which it matters."""
    return [(b, spec) for table in tables for b in table for spec in b.specs]
