"""One equation with what was read off it, and its terms by their own words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pdedsl.analyse.jets import Jet, unknown_of
from pdedsl.analyse.states import State, state_of
from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import Term
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.types import Vector

MAX_NAMED = 5


@dataclass(frozen=True)
class Part:
    """A term and what stands in it: as a function of the jet of one unknown, and in all unknowns, a component each."""

    term: Term
    jet: Jet
    states: tuple[State, ...]


@dataclass(frozen=True)
class Problem:
    """∂ⁿu/∂tⁿ = F: an equation, its parts, and F in the direction in which the data travel."""

    equation: Equation
    parts: tuple[Part, ...]
    jet: Jet
    spec: Spec

    @cached_property
    def states(self) -> tuple[State, ...]:
        """F in all unknowns, one for each component."""
        return tuple(state_of(e, self.spec) for e in self.equation.right)

    @property
    def is_vector(self) -> bool:
        return isinstance(unknown_of(self.equation, self.spec).type, Vector)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        return tuple(p.term for p in self.parts)

    def terms_where(self, *kinds: str) -> list[Term]:
        return [t for t in self.terms if t.kind in kinds]

    @cached_property
    def pushing(self) -> list[Term]:
        """The terms that are not the time derivative."""
        return [p.term for p in self.pushing_parts]

    @property
    def pushing_parts(self) -> list[Part]:
        return [p for p in self.parts if p.term.kind != "time_derivative"]


def named(terms: list[Term]) -> str:
    """Terms by their own words, the first of many."""
    shown = ", ".join(f"'{t.text}'" for t in terms[:MAX_NAMED])
    more = len(terms) - MAX_NAMED
    return f"{shown} and {more} more" if more > 0 else shown or "the equation"


def spans(terms: list[Term]) -> tuple[Span, ...]:
    return tuple(t.span for t in terms)
