"""Ansatz of a PINN: u = base + factor · N, which satisfies conditions for every network N, and its symmetry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import product
from math import comb, prod

from sympy import Expr, S, Symbol

from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.record import Record
from pdedsl.symbolic.printing import notation

SymmetryArguments = tuple[int, tuple[int, ...]] | tuple[int, tuple[int, ...], bool]


class Ansatz(Record):
    """base + factor · N for one component, and the conditions that it satisfies, as (condition, residual)."""

    base: Expr = S.Zero
    factor: Expr = S.One
    satisfied: frozenset[tuple[int, int]] = field(default=frozenset(), repr=False)

    def text(self, name: str) -> str:
        factor = notation(self.factor)
        network = "N" if self.factor == 1 else f"({factor}) N" if " " in factor else f"{factor} N"
        return f"{name} = {network}" if self.base == 0 else f"{name} = {notation(self.base)} + {network}"


class ReflectionSymmetry(Record):
    """u_c(Rx) = signs[c] u_c(x), where R reflects a coordinate about the center of its interval, or shifts it by the
    length of the interval."""

    axis: int
    signs: tuple[int, ...]
    is_shift: bool = False

    @property
    def arguments(self) -> SymmetryArguments:
        return (self.axis, self.signs, True) if self.is_shift else (self.axis, self.signs)

    def text(self, problem: StrongForm) -> str:
        domain = problem.domain
        x, interval = domain.coordinates[self.axis], domain.intervals[self.axis]
        if self.is_shift:
            return f"antiperiodic in {x}"
        center = (interval.start + interval.end) / 2
        pairs = list(zip(problem.components, self.signs, strict=True))
        groups = [(kind, [c.name for c, s in pairs if s == sign]) for kind, sign in (("even", 1), ("odd", -1))]
        kinds = [f"{', '.join(names)} {kind}" for kind, names in groups if names]
        return f"{' and '.join(kinds)} about {x} = {notation(center)}"


class HardConstraints(Record):
    """Conditions satisfied exactly for every network N: the ansatz u = base + factor · N of each component, and a
    reflection symmetry."""

    parts: tuple[Ansatz, ...]
    symmetry: ReflectionSymmetry | None = None

    def lines(self, problem: StrongForm) -> tuple[str, ...]:
        """The ansatz in words."""
        texts = (a.text(c.name) for a, c in zip(self.parts, problem.components, strict=True))
        return (*texts, *(() if self.symmetry is None else (self.symmetry.text(problem),)))


def substitute_ansatz(residual: Residual, ansatz: Sequence[Ansatz], coordinates: tuple[Symbol, ...]) -> Residual:
    """The residual of base + factor · N in the derivatives of N: by Leibniz, ∂^α(f N) = Σ C(α, β) ∂^(α-β)f ∂^β N."""
    jets: dict[Derivative, Symbol] = {}
    values: dict[Symbol, Expr] = {}
    for symbol, derivative in residual.jet_variables:
        if derivative.component >= len(ansatz):  # something learned besides the unknowns
            jets[derivative] = values[symbol] = symbol
            continue
        component = ansatz[derivative.component]
        value = _differentiate(component.base, derivative.orders, coordinates)
        for beta in product(*(range(n + 1) for n in derivative.orders)):
            remaining = tuple(a - b for a, b in zip(derivative.orders, beta, strict=True))
            factor = _differentiate(component.factor, remaining, coordinates)
            if factor != 0:
                part = Derivative(derivative.component, beta)
                jets.setdefault(part, Symbol(f"N{len(jets)}", real=True))
                value += prod(map(comb, derivative.orders, beta)) * factor * jets[part]
        values[symbol] = value
    return Residual(
        residual.expr.xreplace(values), tuple((s, d) for d, s in jets.items()), residual.span, residual.interval
    )


def _differentiate(expr: Expr, orders: Sequence[int], coordinates: Sequence[Symbol]) -> Expr:
    for x, order in zip(coordinates, orders, strict=True):
        if order:
            expr = expr.diff(x, order)
    return expr
