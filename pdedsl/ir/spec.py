"""Spec: the meaning of a `.pde` file. Names are resolved, types checked, and formulas are sympy expressions."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from sympy import Expr, Symbol

from pdedsl.config.base import Located
from pdedsl.config.blocks import Block, EvaluateBlock, NetworkBlock, TrainBlock
from pdedsl.config.data import Measured
from pdedsl.config.methods import Realizations
from pdedsl.config.networks import Network
from pdedsl.diagnostics import NOWHERE, Diagnostic, Source, Span
from pdedsl.ir.types import Type
from pdedsl.ir.verdicts import Axiom


class SpaceKind(StrEnum):
    """Where the unknowns live: on data, on the pixels of feature maps, or on a physical domain."""

    DATA = "data"
    PIXELS = "pixels"
    PHYSICAL = "physical"


class ConditionKind(StrEnum):
    """Where a condition holds: at the start, at the end, or on the boundary."""

    INITIAL = "initial"
    TERMINAL = "terminal"
    BOUNDARY = "boundary"


@dataclass(frozen=True)
class Interval:
    """[start, end]; its ends are identified if it is periodic."""

    start: Expr
    end: Expr
    periodic: bool = False


@dataclass(frozen=True)
class LevelFunction:
    """A function with its place in the text: g in an inequality g > 0, F in a curve or surface F = 0."""

    expr: Expr
    span: Span


@dataclass(frozen=True)
class Space:
    """Where the equation lives. Low dimensions have coordinates; others have one symbol for the position."""

    kind: SpaceKind
    names: tuple[str, ...]
    dimension: int | Symbol
    coordinates: tuple[Symbol, ...]  # one per component, or the position alone
    explicit: bool  # whether the coordinates are components
    image: tuple[int, int, int] | None = None
    intervals: tuple[Interval, ...] = ()
    span: Span = NOWHERE
    inequalities: tuple[LevelFunction, ...] = ()  # a shape: the part of the box where all of these are positive
    dimension_from_data: bool = (
        False  # whether the dimension is a letter in the text and a number here, taken from the data
    )

    @property
    def boundary(self) -> tuple[str, ...]:
        """The names of the sides that carry conditions."""
        return tuple(name for k, side in enumerate(self.intervals) if not side.periodic for name in face_names(k))


def face_names(k: int) -> tuple[str, str]:
    """The two sides of coordinate k, counted from zero."""
    named = (("left", "right"), ("bottom", "top"), ("back", "front"))
    return named[k] if k < 3 else (f"low{k + 1}", f"high{k + 1}")


@dataclass(frozen=True)
class Time:
    """The time variable and its interval."""

    name: str
    symbol: Symbol
    start: Expr
    end: Expr
    span: Span = NOWHERE


@dataclass(frozen=True)
class Constant:
    """A fixed number, or the entries of a vector or matrix in rows."""

    name: str
    symbol: Symbol
    value: Expr
    span: Span


@dataclass(frozen=True)
class Unknown:
    """What the equations determine."""

    name: str
    head: Symbol
    type: Type
    arguments: tuple[Expr, ...]
    net: Located[Network] | None
    span: Span


@dataclass(frozen=True)
class Learned:
    """A learned field, with the network behind it."""

    name: str
    id: str  # its name in ASCII
    head: Symbol
    type: Type
    params: tuple[str, ...]
    arguments: tuple[Expr, ...]
    net: Located[Network] | None
    span: Span
    initial_value: Expr | None = None  # the initial value of a learned number


@dataclass(frozen=True)
class Summand:
    """A term of an equation as written, moved to the left-hand side; one expression per component."""

    exprs: tuple[Expr, ...]
    span: Span
    negated: bool = False  # whether it is preceded by a minus sign
    domain: tuple[Expr, ...] = ()  # roots, poles, logarithms: it has a value where they have one, even if they cancel


@dataclass(frozen=True)
class Equation:
    """Σ summands = 0, during an interval of time.

    `unknown` is what the equation determines, and the normal form is ∂ⁿunknown/∂tⁿ = right, n = `order`, or 0 = right
    if `order` is 0: the same for every way of writing the equation.
    """

    summands: tuple[Summand, ...]
    unknown: Symbol | None
    order: int
    rhs: tuple[Expr, ...]
    interval: tuple[Expr, Expr] | None
    span: Span
    component: int | None = None  # of the unknown, counted from one, if the equation is for that component alone


@dataclass(frozen=True)
class Condition:
    """∂ᵏunknown/∂tᵏ = value at the start or the end, or value = 0 on sides of the boundary and on surfaces, or on the
    `part` of them where inequalities hold."""

    kind: ConditionKind
    unknown: Symbol
    order: int
    value: tuple[Expr, ...]
    faces: tuple[str, ...]
    span: Span
    surfaces: tuple[LevelFunction, ...] = ()
    part: tuple[LevelFunction, ...] = ()
    component: int | None = None  # of the unknown, counted from one, if the condition is for that component alone
    domain: tuple[Expr, ...] = ()  # as of summands

    @property
    def on_boundary(self) -> bool:
        return self.kind is ConditionKind.BOUNDARY


@dataclass(frozen=True)
class ExactSolution:
    """A known solution: the values of an unknown's components, or of one of them, counted from one."""

    unknown: Symbol
    component: int | None
    value: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True)
class Observation:
    """Measured values of unknowns, or of some of their components, in a file."""

    observed: tuple[tuple[Symbol, int | None], ...]
    data: Located[Measured]
    span: Span


@dataclass(frozen=True)
class Requirement:
    """`require axiom`."""

    axiom: Axiom
    span: Span


@dataclass(frozen=True)
class Spec:
    """The meaning of a file."""

    name: str
    title: str
    space: Space
    time: Time | None
    constants: tuple[Constant, ...]
    unknowns: tuple[Unknown, ...]
    learned: tuple[Learned, ...]
    equations: tuple[Equation, ...]
    conditions: tuple[Condition, ...]
    realize: Realizations
    requirements: tuple[Requirement, ...]
    source: Source = field(repr=False)
    network: NetworkBlock | None = None
    train: TrainBlock | None = None
    evaluate: EvaluateBlock | None = None
    exact: tuple[ExactSolution, ...] = ()
    observations: tuple[Observation, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    latex: str = field(default="", repr=False, compare=False)  # the problem as written, for papers and notebooks

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the spec, in the order of the text."""
        found = [b for b in (self.network, self.train, self.evaluate) if b is not None]
        return tuple(sorted(found, key=lambda b: b.span))

    @cached_property
    def values(self) -> dict[Symbol, Expr]:
        """The values of the constants."""
        return {c.symbol: c.value for c in self.constants}

    @cached_property
    def canonical(self) -> str:
        """The same text for every way of writing the same problem."""
        from pdedsl.ir.canonical import canonical_text

        return canonical_text(self)

    @cached_property
    def hash(self) -> str:
        from hashlib import sha256

        return sha256(self.canonical.encode()).hexdigest()[:16]

    def _repr_latex_(self) -> str:
        return self.latex

    def __repr__(self) -> str:
        return f"Spec({self.name}, hash {self.hash})"
