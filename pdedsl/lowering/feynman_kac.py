"""Method of characteristics and Feynman-Kac formula for linear equations on a data space.

u_t = b·∇u + A:∇∇u + c u + f is solved by u(x, T) = E[e^{∫c} g(X_T) + ∫ e^{∫₀ˢc} f(X_s, T - s) ds] with X₀ = x,
dX = b dt + Σ dB, ΣΣᵀ = 2A; coefficients at time T - s for initial data, at time s for terminal data (Øksendal,
Stochastic Differential Equations, section 8.2). Without diffusion X is a characteristic (Evans, Partial Differential
Equations, section 3.2). An Euler step along X is the residual block x + Δt·b(x) (Wang, Tao, Bao, Shi, eq. 1.3); an
Euler-Maruyama step is a residual block followed by noise of covariance 2AΔt (Wang, Yuan, Shi, Osher, eq. 2.8).

A segment holds the generator on one time interval. With initial data, time runs backward along a path: the last
interval comes first in the network.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import assert_never

from sympy import Add, Expr, S, Symbol

from pdedsl import errors
from pdedsl.config.methods import Direction
from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.noise import DropoutResidual, RandomResidual, ShakeShakeResidual, StochasticDepthResidual
from pdedsl.ir.representation import PathExpectation, SdeSegment
from pdedsl.ir.spec import ConditionKind, Learned, SpaceKind, Spec
from pdedsl.ir.terms import (
    Coefficient,
    Components,
    Convection,
    Diffusion,
    Generator,
    Indexed,
    MatrixStructure,
    Reaction,
    SourceTerm,
    Term,
)
from pdedsl.ir.theorem import Theorem
from pdedsl.ir.types import Scalar, Simplex, Vector
from pdedsl.symbolic.rewrite import expand_products
from pdedsl.symbolic.symbols import INDEX, Component, Contraction, Field, Partial, atoms

# ---- Segments


AVERAGED_TYPES = Scalar | Simplex  # types of unknowns that are averaged over paths


def generators(analysis: Analysis) -> list[Generator] | None:
    """The generators for one unknown on a data space, one per time interval; None if the theorems do not apply."""
    spec = analysis.spec
    if (
        spec.space.kind is not SpaceKind.DATA
        or len(spec.unknowns) != 1
        or not isinstance(spec.unknowns[0].type, AVERAGED_TYPES)
    ):
        return None
    every = [facts.generator for facts in analysis.equations]
    return [g for g in every if g is not None] if None not in every else None


def path_expectation(analysis: Analysis, theorem: Theorem) -> PathExpectation:
    """The segments of the paths, in network order, with the data."""
    spec = analysis.spec
    condition = next(c for c in spec.conditions if c.order == 0 and not c.on_boundary)
    initial = condition.kind is ConditionKind.INITIAL
    segments = [_segment(facts, spec, initial) for facts in analysis.equations]
    segments.sort(key=lambda s: float(s.start), reverse=initial)
    direction = Direction.INITIAL if initial else Direction.TERMINAL
    return PathExpectation(theorem, direction, tuple(segments), condition.value[0], condition.span)


def _segment(facts: EquationFacts, spec: Spec, backwards: bool) -> SdeSegment:
    time, generator = spec.time, facts.generator
    assert generator is not None
    assert time is not None
    start, end = facts.equation.interval or (time.start, time.end)
    first, last = (end, start) if backwards else (start, end)
    _require_local_fields(generator, facts, spec)
    drift, matrix, index = _coefficients(generator, facts)
    return SdeSegment(
        first,
        last,
        tuple(drop_zero_divergences(b, spec) for b in drift),
        matrix,
        _structure(facts.random_residual) if facts.random_residual else generator.structure,
        _term_span(facts, Convection),
        _term_span(facts, Diffusion),
        facts.random_residual,
        index,
        drop_zero_divergences(generator.rate, spec),
        drop_zero_divergences(generator.source, spec),
        _term_span(facts, Reaction),
        _term_span(facts, SourceTerm),
    )


def _structure(random: RandomResidual) -> MatrixStructure:
    """The structure of the diffusion matrix of a random residual, for any drift."""
    match random:
        case DropoutResidual():
            return MatrixStructure.DIAGONAL
        case StochasticDepthResidual() | ShakeShakeResidual():
            return MatrixStructure.FULL
        case _:
            assert_never(random)


def _term_span(facts: EquationFacts, kind: type[Term]) -> Span | None:
    """The span of the first term of a kind."""
    return next((t.origin.span for t in facts.terms if isinstance(t, kind)), None)


Rows = tuple[tuple[Expr, ...], ...]


def _coefficients(generator: Generator, facts: EquationFacts) -> tuple[tuple[Expr, ...], Rows, Expr | None]:
    """Drift and diffusion matrix in components, or their component i in a symbolic dimension."""
    match generator.drift, generator.matrix:
        case Components(rows=(drift,)), Components(rows=rows):
            return drift, rows, None
        case Indexed(diagonal=drift_i), Indexed(diagonal=a, outer=outer, learned=learned, has_other_entries=rest):
            if (outer or learned or rest) and facts.random_residual is None:
                raise errors.networks.full_diffusion_matrix(_term_span(facts, Diffusion) or facts.equation.span)
            return (drift_i,), ((a,),), INDEX
        case _:
            raise AssertionError(generator)


def _require_local_fields(generator: Generator, facts: EquationFacts, spec: Spec) -> None:
    """Requires learned fields to be evaluated at the point and time of the path."""
    learned = {w.head: w for w in spec.learned}
    exprs = (*_entries(generator.drift), *_entries(generator.matrix), generator.rate, generator.source)
    for field in sorted({f for e in exprs for f in atoms(e, Field)}, key=str):
        if field.head in learned and tuple(field.arguments) != tuple(learned[field.head].arguments):
            raise errors.networks.nonlocal_field(learned[field.head].name, facts.equation.span)


def _entries(coefficient: Coefficient) -> tuple[Expr, ...]:
    match coefficient:
        case Components(rows=rows):
            return tuple(e for row in rows for e in row)
        case Indexed(diagonal=a, outer=outer):
            return (a, *(e for pair in outer for e in pair))
        case _:
            assert_never(coefficient)


def drop_zero_divergences(expr: Expr, spec: Spec) -> Expr:
    """Removes ∇·v of fields that are divergence-free for all weights."""
    free = [w for w in spec.learned if isinstance(w.type, Vector) and w.type.divergence_free]
    if not free or not expr.has(Partial):
        return expr
    if spec.space.explicit:
        return expand_products(
            expr.xreplace({k: v for w in free for k, v in _divergence_substitution(w, spec).items()})
        )
    heads = {w.head for w in free}
    return expr.replace(lambda e: _is_divergence(e, heads), lambda e: S.Zero)


def _divergence_substitution(learned: Learned, spec: Spec) -> dict[Expr, Expr]:
    """∂v_d/∂x_d = -Σ ∂v_k/∂x_k over the other components, as a substitution."""
    slots = enumerate(spec.space.coordinates, 1)
    parts = [Partial(Field(learned.head, (S(k),), learned.arguments), slot) for k, slot in slots]
    return {parts[-1]: -Add(*parts[:-1])}


def _is_divergence(expr: Expr, heads: Container[Symbol]) -> bool:
    """Whether it is Σᵢ ∂vᵢ/∂xᵢ."""
    match expr:
        case Contraction(index=i, body=Partial(body=Field() as field, slots=(Component(args=(_, k)),))):
            return field.head in heads and tuple(field.indices) == (i,) and i == k
        case _:
            return False


# ---- Method of characteristics


CHARACTERISTICS = Theorem(
    "the method of characteristics",
    "Evans, section 3.2; Wang et al., eq. 1.3",
    "u is constant along X' = v; an Euler step is a residual block x + δt v(x)",
)
CHARACTERISTICS_WITH_REACTION = Theorem(
    "the method of characteristics",
    "Evans, section 3.2",
    "along X' = v the solution satisfies the ODE u' = c u + f",
)


# ---- Feynman-Kac formula


FEYNMAN_KAC = "the Feynman-Kac formula"
FEYNMAN_KAC_WITH_DRIFT = Theorem(
    FEYNMAN_KAC,
    "Øksendal, section 8.2; Wang, Yuan, Shi, Osher, eq. 2.8",
    "u = E g(X_T); an Euler-Maruyama step is a residual block followed by noise",
)
GAUSSIAN_AVERAGE = Theorem(
    FEYNMAN_KAC,
    "Øksendal, section 8.2; Campbell, Finlay, Oberman, eq. 7; Cohen et al.",
    "u is the convolution of the data with a Gaussian",
)
FEYNMAN_KAC_WITH_WEIGHT = Theorem(
    FEYNMAN_KAC,
    "Øksendal, section 8.2",
    "u = E[e^{∫c} g(X_T) + ∫ e^{∫c} f dt]: the data with the Feynman-Kac weight, and the source along the path",
)


def lower(analysis: Analysis) -> PathExpectation | None:
    """A linear equation on a data space: without diffusion on any time interval by the method of characteristics,
    otherwise by the Feynman-Kac formula."""
    segments = generators(analysis)
    if segments is None:
        return None
    has_weight = any(g.rate != 0 or g.source != 0 for g in segments)
    if all(g.structure is MatrixStructure.NONE for g in segments):
        return path_expectation(analysis, CHARACTERISTICS_WITH_REACTION if has_weight else CHARACTERISTICS)
    paths = path_expectation(analysis, FEYNMAN_KAC_WITH_DRIFT)
    if any(s.has_weight for s in paths.segments):
        return replace(paths, theorem=FEYNMAN_KAC_WITH_WEIGHT)
    return paths if any(s.has_drift for s in paths.segments) else replace(paths, theorem=GAUSSIAN_AVERAGE)
