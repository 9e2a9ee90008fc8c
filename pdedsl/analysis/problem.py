"""An equation with what the analysis found out about it, and summands quoted in messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Pow, Symbol

from pdedsl.analysis.bounds.interval import range_of
from pdedsl.analysis.bounds.sign import box_of
from pdedsl.analysis.index_expansion import expand_indices
from pdedsl.analysis.jet import Jet, State, opened, state_of
from pdedsl.analysis.normal_form import frame_of, goal_of, unknown_of
from pdedsl.analysis.sample_points import ranges_of
from pdedsl.config.methods import Direction
from pdedsl.diagnostics import Span
from pdedsl.diagnostics.fixes import Edit
from pdedsl.ir.spec import ConditionKind, Equation, Spec, Unknown
from pdedsl.ir.terms import Generator, Origin, Term, TimeDerivative
from pdedsl.ir.types import Vector
from pdedsl.symbolic.symbols import Field

MAX_NAMED = 5


def direction_of(spec: Spec, head: Symbol | None) -> Direction:
    kinds = {c.kind for c in spec.conditions if c.unknown == head and c.order == 0 and not c.on_boundary}
    return Direction.TERMINAL if kinds == {ConditionKind.TERMINAL} else Direction.INITIAL


@dataclass(frozen=True)
class Part:
    """A summand, its terms, and its content: as a function of the jet of one unknown, and as expressions in all
    unknowns, one for each component."""

    origin: Origin
    terms: tuple[Term, ...]
    jet: Jet
    states: tuple[State, ...]

    @property
    def is_goal(self) -> bool:
        """Whether all of its terms are time derivatives."""
        return bool(self.terms) and all(isinstance(t, TimeDerivative) for t in self.terms)


@dataclass(frozen=True, eq=False)
class Problem:
    """∂ⁿu/∂tⁿ = F: an equation, its parts, and F, with the sign changed for terminal data."""

    equation: Equation
    parts: tuple[Part, ...]
    jet: Jet
    generator: Generator | None
    spec: Spec

    @cached_property
    def states(self) -> tuple[State, ...]:
        """F as expressions in all unknowns, one for each component."""
        return tuple(state_of(e, self.spec) for e in self.equation.right)

    @cached_property
    def unknown(self) -> Unknown:
        return unknown_of(self.equation, self.spec)

    @cached_property
    def right(self) -> Expr:
        """F of the first component, with the sign changed for terminal data; index notation is kept."""
        frame = frame_of(self.equation, self.spec)
        late = self.equation.order == 1 and direction_of(self.spec, self.equation.unknown) is Direction.TERMINAL
        return (-1 if late else 1) * opened(frame.counted(self.equation.right[0]))

    def domain(self, jet: Jet) -> tuple[Expr, ...]:
        """What has a real value wherever the equation has one, and does not occur in it, in the letters of a jet."""
        return tuple(jet.in_letters(expand_indices(e, self.spec, jet.layout)) for e in self.dropped)

    @cached_property
    def dropped(self) -> tuple[Expr, ...]:
        """Roots, poles and logarithms that occur in the text, and no more in F."""
        found = domain_of(self.equation, self.spec)
        return tuple(e for e in found if not any(_occurs(e, right) for right in self.equation.right))

    @property
    def partial(self) -> list[Expr]:
        """Roots, poles and logarithms of unknowns that occur in the text."""
        return of_unknowns(domain_of(self.equation, self.spec), self.spec)

    @property
    def is_undefined(self) -> bool:
        """Whether what was dropped may have no value, for some values of the unknowns."""
        return is_undefined(self.dropped, self.spec)

    @property
    def is_affine(self) -> bool:
        return all(s.is_affine for s in self.states)

    @cached_property
    def is_implicit(self) -> bool:
        """Whether the equation is not solved for its time derivative, like exp(∂u/∂t) = Δu."""
        frame = frame_of(self.equation, self.spec)
        goals = [goal_of(frame, k) for k in range(len(self.equation.right))]
        return any(g is not None and e.has(g) for g, e in zip(goals, self.equation.right, strict=True))

    @property
    def is_vector(self) -> bool:
        return isinstance(self.unknown.type, Vector)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        return tuple(t for p in self.parts for t in p.terms)

    def where(self, *kinds: type[Term]) -> list[Origin]:
        """The summands that have terms of these kinds."""
        return [p.origin for p in self.parts if any(isinstance(t, kinds) for t in p.terms)]

    @cached_property
    def pushing(self) -> list[Origin]:
        """The summands that are not the time derivative."""
        return [p.origin for p in self.pushing_parts]

    @property
    def pushing_parts(self) -> list[Part]:
        return [p for p in self.parts if not p.is_goal]


def domain_of(equation: Equation, spec: Spec) -> tuple[Expr, ...]:
    """What has a real value wherever an equation has one."""
    return tuple(dict.fromkeys(e.xreplace(spec.values) for s in equation.summands for e in s.domain))


def of_unknowns(exprs: tuple[Expr, ...], spec: Spec) -> list[Expr]:
    """Those with an unknown, or with a weight."""
    heads = {u.head for u in spec.unknowns} | {w.head for w in spec.learned}
    return [e for e in exprs if any(f.head in heads for f in e.atoms(Field))]


def is_undefined(exprs: tuple[Expr, ...], spec: Spec) -> bool:
    """Whether one may have no value, for some values of the unknowns in it."""
    box = box_of(ranges_of(spec))
    return any(range_of(e, box) is None for e in of_unknowns(exprs, spec))


def _occurs(e: Expr, whole: Expr) -> bool:
    """Whether an expression has a value only where a root, a pole or a logarithm has one."""
    if not isinstance(e, Pow) or not e.exp.is_Rational:
        return bool(whole.has(e))
    powers = [a.exp for a in whole.atoms(Pow) if a.base == e.base]
    return any(k.is_negative if e.exp.is_negative else not k.is_Integer for k in powers)


def named(origins: list[Origin]) -> str:
    """Summands quoted as the subject of a verb in the singular: 'a' (with 'b' and 2 more)."""
    if not origins:
        return "the equation"
    first, *others = [f"'{o.text}'" for o in origins[:MAX_NAMED]]
    more = len(origins) - MAX_NAMED
    others += [f"{more} more"] if more > 0 else []
    listed = " and ".join(filter(None, (", ".join(others[:-1]), *others[-1:])))
    return f"{first} (with {listed})" if others else first


def sign_changed(origins: list[Origin], problem: Problem) -> Edit | None:
    """The edit that flips the sign of a summand; None if there are several."""
    if len(origins) != 1:
        return None
    span, text = origins[0].span, problem.spec.source.text
    before = text[problem.equation.span.start : span.start].rstrip()
    at = problem.equation.span.start + len(before) - 1
    if before.endswith("+"):
        return Edit(Span(at, at + 1), "-")
    if not before.endswith(("-", "−")):
        return Edit(Span(span.start, span.start), "-")
    first = not before[:-1].strip() or before[:-1].rstrip().endswith("=")
    return Edit(Span(at, span.start)) if first else Edit(Span(at, at + 1), "+")


def spans(origins: Iterable[Origin]) -> tuple[Span, ...]:
    return tuple(o.span for o in origins)
