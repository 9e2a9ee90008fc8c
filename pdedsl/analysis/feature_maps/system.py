"""Equations on feature maps as one system, and eigenvalue bounds for symmetric layers."""

from __future__ import annotations

from functools import cached_property
from math import isfinite
from typing import assert_never

from sympy import Expr, Max, Min, Rational, S, Symbol, oo

from pdedsl.analysis.feature_maps.steps import TimeStepping, time_stepping
from pdedsl.analysis.feature_maps.terms import is_linear, map_terms, normalization_of
from pdedsl.ir.canonical import unknowns_in_order
from pdedsl.ir.default_methods import is_separable_pair
from pdedsl.ir.semidiscrete_systems import FirstOrderOde, OdeSystem, SecondOrderOde, SeparableOde
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Reaction, SymmetricLayer
from pdedsl.ir.types import Operator
from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.record import Record
from pdedsl.symbolic.symbols import Layer, atoms

# ---- System


IDENTITY = ACTIVATIONS["identity"]


class StateEquation(Record):
    """A state with its equation and the terms of that equation."""

    head: Symbol
    equation: Equation
    terms: tuple[MapTerm, ...]


class FeatureMapSystem(Record):
    """The semidiscrete system and its time integrator."""

    spec: Spec
    ode: OdeSystem[StateEquation]
    stepping: TimeStepping

    @property
    def state_symbols(self) -> tuple[Symbol, ...]:
        return tuple(state.head for state in self.ode.right_hand_sides)

    @property
    def equations(self) -> tuple[Equation, ...]:
        return tuple(state.equation for state in self.ode.right_hand_sides)

    @property
    def terms(self) -> tuple[tuple[MapTerm, ...], ...]:
        return tuple(state.terms for state in self.ode.right_hand_sides)

    @property
    def all_terms(self) -> tuple[MapTerm, ...]:
        return tuple(term for terms in self.terms for term in terms)

    @property
    def is_linear(self) -> bool:
        return all(is_linear(term, self.spec) for term in self.all_terms)

    @property
    def has_static_weights(self) -> bool:
        """Whether the weights are the same in all steps."""
        time = self.spec.time
        changing = time is not None and any(time.symbol in w.arguments for w in self.spec.learned)
        return not changing or self.stepping.steps == 1

    @cached_property
    def epsilons(self) -> tuple[float, ...]:
        """The ε of the normalizations, if there are any."""
        layers = [layer for e in self.equations for layer in sorted(atoms(e.rhs[0], Layer), key=str)]
        return tuple(float(normalization_of(layer).eps) for layer in layers)

    @cached_property
    def eigenvalue_bounds(self) -> EigenvalueBounds | None:
        """The eigenvalue bounds of a system of one equation; None for a pair."""
        return eigenvalue_bounds(self.terms[0], self.spec) if len(self.terms) == 1 else None


class EigenvalueBounds(Record):
    """-F is a gradient, and the eigenvalues of its symmetric Jacobian lie in [low, high] for every weight."""

    low: Expr
    high: Expr


def eigenvalue_bounds(terms: tuple[MapTerm, ...], spec: Spec) -> EigenvalueBounds | None:
    """Eigenvalue bounds of the Jacobian of -F = Σ Kᵀφ(K Y) + λY, φ = Σ c σ over the layers with the same K; None if
    there are other terms.

    KᵀDK with D = diag(φ') in [l, L] has its eigenvalues in ‖K‖² [min(0, l), max(0, L)].
    """
    low = high = S.Zero
    layers: dict[tuple[Symbol, bool], EigenvalueBounds] = {}
    for term in terms:
        match term:
            case Reaction(rate=rate):
                low, high = low - rate, high - rate
            case SymmetricLayer(norm=None, operator=operator, adjoint=adjoint):
                own, others = _layer_bounds(term), layers.get((operator, adjoint), EigenvalueBounds(S.Zero, S.Zero))
                layers[operator, adjoint] = EigenvalueBounds(own.low + others.low, own.high + others.high)
            case SymmetricLayer() | LearnedField() | Nonlinear():
                return None
            case _:
                assert_never(term)
    for (operator, _), derivative in layers.items():
        low += _multiply(Min(S.Zero, derivative.low), bound_squared(operator, spec))
        high += _multiply(Max(S.Zero, derivative.high), bound_squared(operator, spec))
    return EigenvalueBounds(low, high)


def _layer_bounds(layer: SymmetricLayer) -> EigenvalueBounds:
    """Bounds of the derivative of -factor·σ: σ' is in [0, L] if σ is monotone, [1, 1] for the identity, [-L, L]
    otherwise."""
    sigma, c = layer.activation, -layer.factor
    steep = Rational(str(sigma.lipschitz)) if isfinite(sigma.lipschitz) else oo
    flat = steep if sigma == IDENTITY else S.Zero if sigma.monotone else -steep
    return EigenvalueBounds(Min(c * flat, c * steep), Max(c * flat, c * steep))


def _multiply(a: Expr, b: Expr) -> Expr:
    """a b, with 0 · ∞ = 0."""
    return S.Zero if a == 0 else a * b


def bound_squared(operator: Symbol, spec: Spec) -> Expr:
    """An upper bound on ‖K‖²."""
    kind = next(w.type for w in spec.learned if w.head == operator)
    return kind.bound**2 if isinstance(kind, Operator) and kind.bound is not None else oo


# ---- Construction


def system_of(spec: Spec) -> FeatureMapSystem | None:
    """The equations as one system; None if they are neither a single equation nor a separable system."""
    ode = _ode_system(spec)
    return None if ode is None else FeatureMapSystem(spec, ode, time_stepping(spec))


def _ode_system(spec: Spec) -> OdeSystem[StateEquation] | None:
    state_equations = [
        StateEquation(e.unknown, e, map_terms(e, spec)) for e in spec.equations if e.unknown and len(e.rhs) == 1
    ]
    if is_separable_pair(spec):
        order = unknowns_in_order(spec)
        return SeparableOde(*sorted(state_equations, key=lambda state: order.index(state.head)))
    if len(spec.equations) != 1 or len(state_equations) != 1 or len(spec.unknowns) != 1:
        return None
    match state_equations[0].equation.order:
        case 1:
            return FirstOrderOde(state_equations[0])
        case 2:
            return SecondOrderOde(state_equations[0])
        case _:
            return None
