"""Time intervals of an equation on a data space with their coefficients, for the reference simulation.

Coefficients are summed from the terms of the analysis, independently of lowering and planning, so that an error there
does not affect the expected values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from sympy import Add, Expr, Integer, KroneckerDelta

from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.noise import RandomResidual
from pdedsl.ir.spec import Condition, ConditionKind, Spec
from pdedsl.ir.terms import (
    Coefficient,
    Components,
    Convection,
    Coupling,
    Diffusion,
    HigherOrder,
    Indexed,
    LearnedField,
    Nonlinear,
    Nonlocal,
    Reaction,
    SourceTerm,
    SymmetricLayer,
    TimeDerivative,
)
from pdedsl.symbolic.rewrite import expand_products
from pdedsl.symbolic.symbols import Contraction, atoms, with_number
from pdedsl.testing.coefficients import CoefficientNotEvaluable

Rows = tuple[tuple[Expr, ...], ...]


@dataclass(frozen=True)
class TimeInterval:
    """∂u/∂t = drift·∇u + matrix:∇∇u + rate u + source, in the direction of the data. A path enters it at time `start`.

    In a symbolic dimension `drift` holds the component with index INDEX, `matrix` its diagonal entry.
    """

    start: float
    length: float
    drift: tuple[Expr, ...]
    matrix: Rows
    rate: Expr
    source: Expr
    random_residual: RandomResidual | None
    written_out: bool

    @property
    def has_drift(self) -> bool:
        return any(b != 0 for b in self.drift)

    @property
    def has_diffusion(self) -> bool:
        return self.random_residual is not None or any(e != 0 for row in self.matrix for e in row)

    @property
    def has_weight(self) -> bool:
        return bool(self.rate != 0 or self.source != 0)

    @property
    def has_constant_rates(self) -> bool:
        return bool(self.rate.is_number and self.source.is_number)

    @property
    def is_constant(self) -> bool:
        """Whether one step of any length is exact."""
        fixed = all(b.is_number if self.written_out else _is_constant_component(b) for b in self.drift)
        return fixed and self.has_constant_rates and all(e.is_number for row in self.matrix for e in row)


def _is_constant_component(component: Expr) -> bool:
    """Σₖ cₖ δᵢₖ with numbers cₖ."""
    return component == 0 or all(isinstance(with_number(t)[1], KroneckerDelta) for t in Add.make_args(component))


def time_condition(spec: Spec) -> Condition:
    """The initial or terminal condition of the unknown itself."""
    return next(c for c in spec.conditions if c.order == 0 and not c.on_boundary)


def is_initial(spec: Spec) -> bool:
    return time_condition(spec).kind is ConditionKind.INITIAL


def time_intervals(analysis: Analysis) -> list[TimeInterval]:
    """The intervals in the order of a path: for initial data, the last in time comes first."""
    initial = is_initial(analysis.spec)
    intervals = [_time_interval(facts, analysis.spec, initial) for facts in analysis.equations]
    return sorted(intervals, key=lambda p: p.start, reverse=initial)


def interval_with_drift(intervals: list[TimeInterval]) -> TimeInterval:
    """The interval whose steps are the residual blocks of a standard architecture."""
    return next(p for p in intervals if p.has_drift)


def _time_interval(facts: EquationFacts, spec: Spec, initial: bool) -> TimeInterval:
    assert spec.time is not None
    _require_known(facts)
    start, end = facts.equation.interval or (spec.time.start, spec.time.end)
    size = len(spec.space.coordinates) if spec.space.explicit else 1
    drifts = [_rows(t.drift) for t in facts.terms if isinstance(t, Convection)]
    matrices = [_rows(t.matrix) for t in facts.terms if isinstance(t, Diffusion)]
    rates = [((t.rate,),) for t in facts.terms if isinstance(t, Reaction)]
    sources = [((t.values[0],),) for t in facts.terms if isinstance(t, SourceTerm)]
    sign = 1 if initial else -1  # ∂u/∂t + b·∇u + … = 0 for terminal data

    def add_rows(tables: Sequence[Rows], rows: int, columns: int) -> Rows:
        return tuple(tuple(_sum([sign * t[i][j] for t in tables], spec) for j in range(columns)) for i in range(rows))

    return TimeInterval(
        float(end if initial else start),
        float(end - start),
        add_rows(drifts, 1, size)[0],
        add_rows(matrices, size, size),
        add_rows(rates, 1, 1)[0][0],
        add_rows(sources, 1, 1)[0][0],
        facts.random_residual,
        spec.space.explicit,
    )


def _require_known(facts: EquationFacts) -> None:
    for term in facts.terms:
        match term:
            case Convection() | Diffusion() | Reaction() | SourceTerm() | TimeDerivative(exprs=()):
                continue
            case TimeDerivative() | Coupling() | Nonlocal() | Nonlinear() | HigherOrder():
                raise CoefficientNotEvaluable(f"'{term.origin.text}' has no path representation")
            case SymmetricLayer() | LearnedField():
                raise CoefficientNotEvaluable(f"'{term.origin.text}' is a term on feature maps")
            case _:
                assert_never(term)


def _rows(coefficient: Coefficient) -> Rows:
    match coefficient:
        case Components(rows=rows):
            return rows
        case Indexed(diagonal=diagonal):
            return ((diagonal,),)
        case _:
            assert_never(coefficient)


def _sum(exprs: list[Expr], spec: Spec) -> Expr:
    """The sum, expanded, with constants as numbers, and Σᵢ 1 as the dimension."""
    total = Add(*exprs).xreplace(spec.values)
    size = spec.space.dimension
    ones = [c for c in atoms(total, Contraction) if c.body == 1] if isinstance(size, int) else []
    return expand_products(total.xreplace(dict.fromkeys(ones, Integer(size))))
