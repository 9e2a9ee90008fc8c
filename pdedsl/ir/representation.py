"""Representation: an equation after a representation theorem is applied, before discretization."""

from __future__ import annotations

from sympy import Add, Expr, KroneckerDelta, S, Symbol

from pdedsl.config.base import Located
from pdedsl.config.methods import Direction, Integrator
from pdedsl.diagnostics import Span
from pdedsl.ir.noise import RandomResidual
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.semidiscrete_systems import OdeSystem
from pdedsl.ir.terms import MapTerm, MatrixStructure
from pdedsl.ir.theorem import Theorem
from pdedsl.record import Record
from pdedsl.symbolic.symbols import with_number


class SdeSegment(Record):
    """A time interval of the SDE in network order: from time `start`, at the first layer, to time `end`.

    ∂u/∂t = drift·∇u + diffusivity:∇∇u + rate u + source, in the direction of the data. In a symbolic dimension
    drift and diffusivity hold one expression each: component `index`, and the diagonal entry there.
    """

    start: Expr
    end: Expr
    drift: tuple[Expr, ...]
    diffusivity: tuple[tuple[Expr, ...], ...]
    structure: MatrixStructure
    convection_span: Span | None
    diffusion_span: Span | None
    random_residual: RandomResidual | None = None  # whose second moment is the diffusion
    index: Symbol | None = None
    rate: Expr = S.Zero
    source: Expr = S.Zero
    reaction_span: Span | None = None
    source_span: Span | None = None

    @property
    def length(self) -> Expr:
        return abs(self.end - self.start)

    @property
    def has_drift(self) -> bool:
        return any(b != 0 for b in self.drift)

    @property
    def has_diffusion(self) -> bool:
        return self.structure is not MatrixStructure.NONE

    @property
    def is_constant(self) -> bool:
        """Whether all coefficients are constant in space and time, so that one step of any length is exact."""
        others = (*(e for row in self.diffusivity for e in row), self.rate, self.source)
        constant = all(e.is_number if self.index is None else _is_constant_component(e) for e in self.drift)
        return bool(constant and all(e.is_number for e in others))

    @property
    def variance(self) -> Expr | None:
        """The variance 2ν|end − start| of the Gaussian noise of this segment; None unless A = νI with a number ν."""
        diagonal = {row[k] for k, row in enumerate(self.diffusivity)}
        off_diagonal = any(
            entry != 0 for k, row in enumerate(self.diffusivity) for j, entry in enumerate(row) if j != k
        )
        if self.random_residual is not None or off_diagonal or len(diagonal) != 1:
            return None
        (nu,) = diagonal
        return 2 * nu * self.length if nu.is_number else None

    @property
    def has_weight(self) -> bool:
        """Whether the Feynman-Kac weight or a source term accumulates on this segment."""
        return bool(self.rate != 0 or self.source != 0)


def _is_constant_component(component: Expr) -> bool:
    """Whether it is Σₖ cₖ δᵢₖ with numbers cₖ: a constant vector with finitely many named components."""
    terms = Add.make_args(component)
    return bool(component == 0) or all(isinstance(with_number(t)[1], KroneckerDelta) for t in terms)


class PathExpectation(Record):
    """u = E[e^{∫c} g(X) + ∫ e^{∫c} f]: characteristics, or the Feynman-Kac formula with data g."""

    theorem: Theorem
    direction: Direction
    segments: tuple[SdeSegment, ...]
    data: Expr
    data_span: Span

    @property
    def input_variance(self) -> Expr | None:
        """The total variance of the Gaussian noise, if every segment is isotropic and constant: then the model is a
        randomized-smoothing classifier, with certified radii."""
        variances = [segment.variance for segment in self.segments]
        total = Add(*(v for v in variances if v is not None))
        return total if None not in variances and total.is_positive else None


class VectorField(Record):
    """Σ terms: the right-hand side of an ODE for feature maps."""

    terms: tuple[MapTerm, ...]
    span: Span


class FeatureMapEvolution(Record):
    """An ODE system for feature maps, with its integrator."""

    theorem: Theorem
    system: OdeSystem[VectorField]
    integrator: Located[Integrator]


Representation = PathExpectation | FeatureMapEvolution | StrongForm
