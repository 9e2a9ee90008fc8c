"""Spec: the elaborated `.pde` file. Names are resolved, types are checked, and formulas are sympy expressions."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from functools import cached_property

from sympy import Expr, Symbol

from pdedsl.config.base import Located
from pdedsl.config.blocks import Block, EvaluateBlock, NetworkBlock, SolveBlock, TrainBlock
from pdedsl.config.data import MeasurementFile
from pdedsl.config.distributions import Distribution
from pdedsl.config.methods import Realizations
from pdedsl.config.networks import Network
from pdedsl.config.sweep import Sweep
from pdedsl.diagnostics import NOWHERE, Diagnostic, Source, Span
from pdedsl.ir.boundary import Face, LevelSet, Place, ScalarCondition
from pdedsl.ir.types import Type
from pdedsl.ir.verdicts import Axiom
from pdedsl.record import Record
from pdedsl.symbolic.mesh_domain import MeshBoundary


class SpaceKind(StrEnum):
    """The domain of the unknowns: the data space, the pixel grid of feature maps, or a physical domain."""

    DATA = "data"
    PIXELS = "pixels"
    PHYSICAL = "physical"


class ConditionKind(StrEnum):
    """Initial, terminal or boundary condition; a two-point condition joins the values at two faces."""

    INITIAL = "initial"
    TERMINAL = "terminal"
    BOUNDARY = "boundary"
    TWO_POINT = "two-point"


class Interval(Record):
    """[start, end]; the end points are identified if it is periodic."""

    start: Expr
    end: Expr
    periodic: bool = False


class Metric(Record):
    """Orthogonal coordinates, |dx|² = Σ hᵢ² dxᵢ² with scale factors hᵢ.

    The volume element is integrated over the angles that are left out by symmetry; it vanishes on the axes, which are
    faces.
    """

    system: str
    scales: tuple[Expr, ...]
    volume: Expr
    axes: tuple[Face, ...] = ()


class LevelFunction(Record):
    """A level-set function with its span: g in an inequality g > 0, F in a curve or surface F = 0."""

    expr: Expr
    span: Span


class Space(Record):
    """The spatial domain: named coordinates in low dimensions, otherwise a single symbol for the position."""

    kind: SpaceKind
    names: tuple[str, ...]
    dimension: int | Symbol
    coordinates: tuple[Symbol, ...]  # one per dimension, or the position symbol
    explicit: bool  # whether there is one symbol per dimension
    image: tuple[int, int, int] | None = None
    intervals: tuple[Interval, ...] = ()
    span: Span = NOWHERE
    inequalities: tuple[LevelFunction, ...] = ()  # g > 0 for each: an irregular domain in the box
    dimension_from_data: bool = False  # symbolic in the text, a number once the data set is known
    metric: Metric | None = None  # None in Cartesian coordinates

    @property
    def groups(self) -> dict[str, LevelFunction]:
        """The parts of the boundary of a mesh by name."""
        return {g.expr.part: g for g in self.inequalities if isinstance(g.expr, MeshBoundary)}

    @property
    def boundary(self) -> tuple[Face, ...]:
        """The faces that need boundary conditions: those of non-periodic axes, unless the metric is singular there."""
        faces = (Face(k, up) for k, axis in enumerate(self.intervals) if not axis.periodic for up in (False, True))
        return tuple(face for face in faces if self.metric is None or face not in self.metric.axes)

    def end(self, face: Face) -> Expr:
        """The value of the coordinate on a face."""
        interval = self.intervals[face.coordinate]
        return interval.end if face.upper else interval.start


class Time(Record):
    """The time variable and its interval."""

    name: str
    symbol: Symbol
    start: Expr
    end: Expr
    span: Span = NOWHERE


class Constant(Record):
    """A constant: a number, or the rows of a vector or matrix."""

    name: str
    symbol: Symbol
    value: Expr
    span: Span
    range: tuple[Expr, Expr] | None = None  # of a slider; not in the hash


class Unknown(Record):
    """An unknown function, which the equations determine."""

    name: str
    head: Symbol
    type: Type
    arguments: tuple[Expr, ...]
    net: Located[Network] | None
    span: Span


class EigenvalueUnknown(Record):
    """The eigenvalue λ of an eigenproblem; `parts` are its real and imaginary part if the unknowns are complex."""

    name: str
    parts: tuple[Symbol, ...]
    span: Span

    @property
    def is_complex(self) -> bool:
        return len(self.parts) == 2


class Learned(Record):
    """A learned field, operator or parameter, with its network."""

    name: str
    id: str  # the name in ASCII
    head: Symbol
    type: Type
    params: tuple[str, ...]
    arguments: tuple[Expr, ...]
    net: Located[Network] | None
    span: Span
    initial_value: Expr | None = None  # of a learned scalar parameter


class FamilyParameter(Learned, kw_only=True):
    """A parameter of a family of problems: a number with a distribution, or a coefficient of a random function.

    For the analysis it is an unknown constant, like a learned scalar: verdicts hold for all of its values.
    """

    distribution: Distribution
    is_random: bool = False  # whether statistics of the solution are requested
    function: str = ""  # the random function of which it is a coefficient


class Summand(Record):
    """A term of an equation as written, moved to the left-hand side; one expression per component."""

    exprs: tuple[Expr, ...]
    span: Span
    negated: bool = False  # whether it is preceded by a minus sign
    domain: tuple[Expr, ...] = ()  # roots, poles, logarithms: the term is defined where these are, even if they cancel


class Equation(Record):
    """Σ summands = 0, on a time interval.

    The normal form, independent of how the equation is written, is ∂ⁿunknown/∂tⁿ = rhs with n = `order`, or 0 = rhs
    for a stationary equation (`order` 0).
    """

    summands: tuple[Summand, ...]
    unknown: Symbol | None
    order: int
    rhs: tuple[Expr, ...]
    interval: tuple[Expr, Expr] | None
    span: Span
    component: int | None = None  # of the unknown, counted from one, if the equation is for that component alone


class Condition(Record):
    """An initial or terminal condition ∂ᵏunknown/∂tᵏ = value, or a boundary condition value = 0 on faces and level
    sets, restricted to the `part` of them where inequalities hold. A two-point condition names both faces."""

    kind: ConditionKind
    unknown: Symbol
    order: int
    value: tuple[Expr, ...]
    places: tuple[Place, ...]
    span: Span
    part: tuple[LevelFunction, ...] = ()
    component: int | None = None  # of the unknown, counted from one, if the condition is for that component alone
    domain: tuple[Expr, ...] = ()  # as in Summand

    @property
    def on_boundary(self) -> bool:
        return self.kind in (ConditionKind.BOUNDARY, ConditionKind.TWO_POINT)

    @property
    def faces(self) -> tuple[Face, ...]:
        return tuple(p for p in self.places if isinstance(p, Face))

    @property
    def level_sets(self) -> tuple[LevelSet, ...]:
        return tuple(p for p in self.places if isinstance(p, LevelSet))


class IntegralCondition(Record):
    """A normalization value = 0 with integrals of an unknown over the domain, such as ∫_Ω p dx - 1 = 0."""

    unknown: Symbol
    value: Expr
    span: Span


class History(Record):
    """The values of an unknown before the initial time, as functions of time, for equations with delays."""

    unknown: Symbol
    value: tuple[Expr, ...]
    start: Expr
    span: Span


class ExactSolution(Record):
    """An exact solution for all components of an unknown, or for one of them, counted from one."""

    unknown: Symbol
    component: int | None
    value: tuple[Expr, ...]
    span: Span


class Observation(Record):
    """Measurements of unknowns, or of some of their components, in a file."""

    observed: tuple[tuple[Symbol, int | None], ...]
    data: Located[MeasurementFile]
    span: Span


class Requirement(Record):
    """`require axiom`."""

    axiom: Axiom
    span: Span


class Spec(Record):
    """The elaborated content of a `.pde` file.

    Attributes:
        name: name of the spec.
        title: one line about it.
        space: data space, image space or physical domain.
        time: time interval; None for a stationary problem.
        constants: constants with their values.
        unknowns: unknown functions.
        eigenvalue: the unknown eigenvalue of an eigenproblem.
        learned: learned fields, operators and parameters, and parameters of a family.
        equations: equations, with their normal forms.
        conditions: initial, terminal and boundary conditions.
        realize: discretization methods.
        requirements: required properties.
        source: source text.
        network: `network` block.
        train: `train` block.
        evaluate: `evaluate` block.
        solve: `solve` block: tolerance and budget.
        sweep: `sweep` block: the axes of a study; it does not enter the hash.
        exact: exact solutions.
        observations: measurements.
        integral_conditions: normalizations such as ∫_Ω p dx = 1.
        histories: values before the initial time, for delays.
        boundary_conditions: every scalar boundary condition with its type, on each of its faces and surfaces.
        warnings: warnings of the compiler.
        latex: the problem in LaTeX.

    Example:
        >>> import pdedsl
        >>> spec = pdedsl.load("heat")
        >>> len(spec.conditions), len(spec.hash)
        (2, 16)
    """

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
    solve: SolveBlock | None = None
    sweep: Sweep | None = None
    exact: tuple[ExactSolution, ...] = ()
    observations: tuple[Observation, ...] = ()
    integral_conditions: tuple[IntegralCondition, ...] = ()
    histories: tuple[History, ...] = ()
    eigenvalue: EigenvalueUnknown | None = None
    boundary_conditions: tuple[ScalarCondition, ...] = field(default=(), repr=False, compare=False)  # of `conditions`
    warnings: tuple[Diagnostic, ...] = ()
    latex: str = field(default="", repr=False, compare=False)  # the problem as written, for papers and notebooks

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the spec, in the order of the text."""
        blocks = [b for b in (self.network, self.train, self.evaluate, self.solve) if b is not None]
        return tuple(sorted(blocks, key=lambda b: b.span))

    @property
    def family(self) -> tuple[FamilyParameter, ...]:
        """The parameters of a family of problems."""
        return tuple(w for w in self.learned if isinstance(w, FamilyParameter))

    @cached_property
    def values(self) -> dict[Symbol, Expr]:
        """The values of the constants."""
        return {c.symbol: c.value for c in self.constants}

    @cached_property
    def canonical(self) -> str:
        """The canonical text: equal for equivalent specs, independent of names and notation."""
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
