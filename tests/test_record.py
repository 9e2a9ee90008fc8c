"""A record behaves like a standard frozen dataclass."""

from __future__ import annotations

import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from pdedsl.record import Record


class Point(Record):
    """A point."""

    x: int
    y: int = 0
    note: str = field(default="", compare=False, repr=False)
    tags: list[str] = field(default_factory=list)


class Named(Point, kw_only=True):
    """A subclass with keyword-only fields and an own representation."""

    name: str

    def __repr__(self) -> str:
        return f"<{self.name}>"


@dataclasses.dataclass(frozen=True)
class Standard:
    """The standard class with the same fields."""

    x: int
    y: int = 0
    note: str = field(default="", compare=False, repr=False)
    tags: list[str] = field(default_factory=list)


@pytest.mark.parametrize("values", [(1,), (1, 2), (1, 2, "a"), (1, 2, "a", ["b"])])
def test_values_and_text_are_those_of_the_standard_class(values: tuple[int, int, str, list[str]]) -> None:
    fast, standard = Point(*values), Standard(*values)
    assert repr(fast) == repr(standard).replace("Standard", "Point")
    assert dataclasses.asdict(fast) == dataclasses.asdict(standard)
    assert [f.name for f in fields(fast)] == [f.name for f in fields(standard)]
    assert pickle.loads(pickle.dumps(fast)) == fast
    assert Point.__match_args__ == Standard.__match_args__


def test_comparison_ignores_fields_that_are_not_compared() -> None:
    assert Point(1, 2, "a") == Point(1, 2, "b") != Point(1, 3, "a")
    assert Point(1).__eq__(Standard(1)) is NotImplemented
    assert hash(Code(1, "a")) == hash(Code(1, "b")) != hash(Code(2, "a"))
    assert Point(1).tags is not Point(1).tags


class Code(Record):
    """A class with hashable fields."""

    number: int
    text: str = field(compare=False)


@pytest.mark.parametrize("name", ["number", "other"])
def test_instances_are_frozen(name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(Code(1, "a"), name, 2)
    with pytest.raises(FrozenInstanceError):
        delattr(Code(1, "a"), name)
    with pytest.raises(TypeError):
        Code(*[1])


def test_subclass_and_replace() -> None:
    named = Named(1, name="P")
    assert repr(named) == "<P>"
    assert replace(named, x=5) == Named(5, name="P") != Point(5)


def test_field_names_do_not_collide_with_the_constructor() -> None:
    class Named(Record):
        set: int = 1
        MISSING: int = 2

    assert (Named().set, Named().MISSING, Named(3).set) == (1, 2, 3)
