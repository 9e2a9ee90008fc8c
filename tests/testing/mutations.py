"""Mutation testing of the compiler: each mutation with the specs that it affects and the test that must detect it.

A mutation replaces a function of the runtime, of lowering or of planning by one with a realistic error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

Change = Callable[[Any], Any]
"""Maps a function to its mutant."""


@dataclass(frozen=True)
class Mutation:
    """`where` lists dotted paths within a package; `of` is the name of the finding that must detect the mutation."""

    name: str
    where: tuple[str, ...]
    change: Change
    specs: tuple[str, ...]
    of: str
    package: str = "runtime"


@contextmanager
def mutated(mutation: Mutation) -> Iterator[None]:
    """Context manager: applies the mutation to the compiler."""
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
    """Every mutation with every spec that it affects."""
    return [(b, spec) for table in tables for b in table for spec in b.specs]
