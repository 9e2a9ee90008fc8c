"""Residuals at collocation points as rows of a least-squares problem, with their Jacobians; and measurements.

Rows of random features are linearized in the jet variables (u, ∂u, ∂²u, …); rows of a network are differentiated with
respect to its weights. Measurements of the unknowns (`observe u from npz("points.npz")`) are rows u(xᵢ) - uᵢ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from sympy import Expr, S, Symbol
from torch import Tensor

from pdedsl import errors
from pdedsl.codegen.pointwise import PointwiseFunction, compile_pointwise
from pdedsl.data.user_arrays import Array, arrays
from pdedsl.diagnostics import NOWHERE, PdeError, Source, Span
from pdedsl.ir.parameters import learned_scalars
from pdedsl.ir.problem import Measurements, StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.runtime.diff.mlp_jets import (
    DerivativeRequest,
    JetNetwork,
    LayerJets,
    forward_laplacian,
    hutchinson_estimates,
    per_sample_gradients,
    rademacher_signs,
    supports_forward_laplacian,
    supports_hutchinson,
)
from pdedsl.runtime.rng import hash_words
from pdedsl.runtime.sampling import PointDistribution
from pdedsl.solvers.collocation_points import PointSampler, sample_conditions
from pdedsl.solvers.input_files import find_measurements

# ---- Residuals linearized in the jet variables


@dataclass(frozen=True)
class LinearizedResidual:
    """r and ∂r/∂(jet variable) at points (n, k), for values (n,) of the jet variables."""

    residual: Residual
    coordinates: tuple[Symbol, ...]

    @cached_property
    def _at(self) -> PointwiseFunction:
        jet_variables = tuple(s for s, _ in self.residual.jet_variables)
        exprs = (self.residual.expr, *(self.residual.expr.diff(s) for s in jet_variables))
        return compile_pointwise(exprs, (*self.coordinates, *jet_variables))

    def __call__(self, points: Tensor, values: Sequence[Tensor]) -> tuple[Tensor, tuple[Tensor, ...]]:
        value, *partials = self._at(*points.unbind(-1), *values)
        return value, tuple(partials)


@dataclass(frozen=True)
class ResidualRows:
    """A residual at collocation points, and its weight."""

    linearized: LinearizedResidual
    points: Tensor
    weight: float
    target: Tensor | None = None  # measured values that the expression should have

    def at(self, values: Sequence[Tensor]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The residual and its partial derivatives for these values of the jet variables."""
        value, partials = self.linearized(self.points, values)
        return value if self.target is None else value - self.target, partials

    @property
    def derivatives(self) -> tuple[Derivative, ...]:
        return self.linearized.residual.derivatives


def residual_scale(linearized: LinearizedResidual, points: Tensor, half: Tensor) -> float:
    """The largest coefficient of a residual, linearised at u = 0, in coordinates scaled to [-1, 1].

    A residual divided by it has the size of an error in the unknown.
    """
    derivatives = linearized.residual.derivatives
    zeros = [torch.zeros_like(points[:, 0]) for _ in derivatives]
    _, partials = linearized(points, zeros)
    stretched = [_scaled_coefficient(s, d, half) for s, d in zip(partials, derivatives, strict=True)]
    return max((c for c in stretched if c > 0), default=1.0)


def _scaled_coefficient(coefficient: Tensor, derivative: Derivative, half: Tensor) -> float:
    return float(coefficient.abs().mean()) / float((half ** half.new_tensor(derivative.orders)).prod())


@dataclass(frozen=True)
class PointCounts:
    """Numbers of collocation points: in the interior, and for each condition."""

    inside: int
    on: int


def residual_rows(
    statement: StrongForm, points: PointSampler, counts: PointCounts, seed: int, law: PointDistribution, weight: float
) -> list[ResidualRows]:
    """All residuals at their collocation points; `weight` is that of conditions relative to equations."""
    half = (points.high - points.low) / 2

    def rows_at(residual: Residual, at: Tensor, factor: float) -> ResidualRows:
        linearized = LinearizedResidual(residual, statement.domain.coordinates)
        return ResidualRows(linearized, at, factor / residual_scale(linearized, at, half.to(at)))

    interior = hash_words(seed, 0) >> 8
    rows = [rows_at(r, points.inside(counts.inside, interior, law, r.interval), 1) for r in statement.equations]
    places = sample_conditions(points, statement.conditions, counts.on, hash_words(seed, 1) >> 8, law)
    on_conditions = zip(statement.conditions, places, strict=True)
    return rows + [rows_at(r, at, weight) for c, at in on_conditions if len(at) for r in c.residuals]


def initial_scalars(statement: StrongForm, points: PointSampler) -> Tensor:
    """Initial values of the learned scalars (of their logarithms, if they have a sign)."""
    starts = [n.initial for n in learned_scalars(statement)]
    return torch.tensor(starts, dtype=points.dtype, device=points.device)


# ---- Residuals of a network


MAX_OPERATOR_ORDER = 2  # of a linear operator that is propagated as one jet (forward Laplacian)


@dataclass(frozen=True)
class LinearDifferentialOperator:
    """Σ coefficient(x) ∂^α of one component; `symbol` replaces it in the residual."""

    component: int
    parts: tuple[tuple[Derivative, Expr], ...]
    symbol: Symbol


@dataclass(frozen=True)
class JetResidual:
    """A residual in single jet variables and, for each component, one linear operator that collects its linear part."""

    expr: Expr
    jet_variables: tuple[tuple[Symbol, Derivative], ...]
    operators: tuple[LinearDifferentialOperator, ...]
    coordinates: tuple[Symbol, ...]
    components: int

    @cached_property
    def request(self) -> DerivativeRequest:
        zero = (0,) * len(self.coordinates)
        orders = tuple(d.orders for _, d in self.jet_variables if self.is_network_derivative(d))
        return DerivativeRequest(orders or (zero,), tuple(tuple(d.orders for d, _ in o.parts) for o in self.operators))

    def is_network_derivative(self, derivative: Derivative) -> bool:
        """Whether it is a derivative of the network of the components."""
        return derivative.component < self.components

    def function_request(self, component: int, axes: tuple[int, ...]) -> DerivativeRequest:
        """Derivatives of a learned function of the coordinates `axes`."""
        own = tuple(tuple(d.orders[k] for k in axes) for _, d in self.jet_variables if d.component == component)
        return DerivativeRequest(own or ((0,) * len(axes),))

    @cached_property
    def value(self) -> PointwiseFunction:
        jet_variables = (*(s for s, _ in self.jet_variables), *(o.symbol for o in self.operators))
        return compile_pointwise((self.expr,), (*self.coordinates, *jet_variables))

    @cached_property
    def factors(self) -> tuple[PointwiseFunction, ...]:
        return tuple(compile_pointwise([c for _, c in o.parts], self.coordinates) for o in self.operators)


def collect_operators(residual: Residual, coordinates: tuple[Symbol, ...], components: int) -> JetResidual:
    """Collect second derivatives with known coefficients, and first ones along with them, in one operator."""
    jet_variables = {s for s, _ in residual.jet_variables}
    partials = {s: residual.expr.diff(s) for s in jet_variables}
    linear = [(s, d) for s, d in residual.jet_variables if not partials[s].free_symbols & jet_variables]
    operators, collected, expr = [], set(), residual.expr
    for component in range(components):
        own = [(s, d) for s, d in linear if d.component == component and 1 <= d.order <= MAX_OPERATOR_ORDER]
        if any(d.order == MAX_OPERATOR_ORDER for _, d in own):
            symbol = Symbol(f"L{component}", real=True)
            operators.append(LinearDifferentialOperator(component, tuple((d, partials[s]) for s, d in own), symbol))
            collected |= {s for s, _ in own}
            expr += symbol
    expr = expr.xreplace(dict.fromkeys(collected, S.Zero))
    rest = tuple((s, d) for s, d in residual.jet_variables if s not in collected)
    return JetResidual(expr, rest, tuple(operators), coordinates, components)


@dataclass(frozen=True)
class TrainableFunctions:
    """All trainable quantities: the network of the unknowns, networks of learned functions, and learned scalars."""

    network: JetNetwork
    functions: tuple[tuple[tuple[int, ...], JetNetwork], ...]
    scalars: Tensor


@dataclass(frozen=True)
class NetworkRows:
    """A weighted residual of a network at collocation points."""

    jet_residual: JetResidual
    points: Tensor
    weight: Tensor  # one for all points, or one for each
    target: Tensor | None = None  # measured values that the expression should have

    @cached_property
    def coefficients(self) -> tuple[Tensor, ...]:
        columns = self.points.unbind(-1)
        return tuple(torch.stack(f(*columns), -1) for f in self.jet_residual.factors)

    def split(self, size: int) -> Iterator[NetworkRows]:
        """The same rows in chunks of at most `size` points."""
        weight = self.weight.expand(len(self.points))
        for start in range(0, len(self.points), size):
            own = slice(start, start + size)
            target = None if self.target is None else self.target[own]
            yield NetworkRows(self.jet_residual, self.points[own], weight[own], target)

    def residual(self, trainable: TrainableFunctions) -> Tensor:
        """The residual, unweighted."""
        network, request = trainable.network, self.jet_residual.request
        if supports_forward_laplacian(network, request):
            return self._evaluate(
                trainable, trainable.scalars, forward_laplacian(network, self.points, request, *self.coefficients)
            )[0]
        return self._evaluate(trainable, trainable.scalars, network.jets(self.points, request, self.coefficients)[0])[0]

    def product(self, trainable: TrainableFunctions, probes: int, source: torch.Generator) -> Tensor:
        """Σ (weight · r)², or an unbiased estimate of it: the product of two independent Hutchinson estimates of r."""
        jet_residual = self.jet_residual
        if not supports_hutchinson(jet_residual.request):
            return (self.weight * self.residual(trainable)).square().sum()
        signs = rademacher_signs(jet_residual.request, len(self.points), probes, source)
        (coefficients,) = self.coefficients
        u, *operators = hutchinson_estimates(trainable.network, self.points, jet_residual.request, coefficients, signs)
        one, two = (self._evaluate(trainable, trainable.scalars, torch.stack([u, o]))[0] for o in operators)
        return (self.weight.square() * one * two).sum()

    def jacobian(self, trainable: TrainableFunctions) -> tuple[Tensor, Tensor]:
        """The weighted residual (n,), and its Jacobian (n, weights + scalars)."""
        scalars = trainable.scalars.detach().expand(len(self.points), -1).requires_grad_()
        jets, layers = trainable.network.jets(self.points, self.jet_residual.request, self.coefficients)
        value, more_layers = self._evaluate(trainable, scalars, jets)
        gradients = per_sample_gradients(value, [*layers, *more_layers])
        if scalars.shape[1]:
            (by_scalars,) = torch.autograd.grad(value.sum(), scalars, allow_unused=True, retain_graph=True)
            gradients = torch.cat([gradients, torch.zeros_like(scalars) if by_scalars is None else by_scalars], 1)
        weight = self.weight.expand_as(value)
        return (weight * value).detach(), (weight[:, None] * gradients).detach()

    def _evaluate(self, trainable: TrainableFunctions, scalars: Tensor, jets: Tensor) -> tuple[Tensor, list[LayerJets]]:
        """The residual for the jets of the components, and the layers of the learned functions."""
        jet_residual, layers = self.jet_residual, list[LayerJets]()
        values = {
            d: jets[jet_residual.request.place[d.orders], :, d.component]
            for _, d in jet_residual.jet_variables
            if jet_residual.is_network_derivative(d)
        }
        for k, (axes, network) in enumerate(trainable.functions, jet_residual.components):
            request = jet_residual.function_request(k, axes)
            function_jets, function_layers = network.jets(self.points[:, axes], request)
            layers += function_layers
            own = [d for _, d in jet_residual.jet_variables if d.component == k]
            values |= {d: function_jets[request.place[tuple(d.orders[a] for a in axes)], :, 0] for d in own}
        first = jet_residual.components + len(trainable.functions)
        values |= {d: scalars[..., d.component - first] for _, d in jet_residual.jet_variables if d.component >= first}
        operators = [
            jets[k - len(jet_residual.operators), :, o.component] for k, o in enumerate(jet_residual.operators)
        ]
        (value,) = jet_residual.value(
            *self.points.unbind(-1), *(values[d] for _, d in jet_residual.jet_variables), *operators
        )
        return value if self.target is None else value - self.target, layers


def stack_residuals(rows: Sequence[NetworkRows], trainable: TrainableFunctions) -> Tensor:
    """All weighted residuals."""
    return torch.cat([r.weight * r.residual(trainable) for r in rows])


# ---- Measurements


@dataclass(frozen=True)
class Measurement:
    """Measured values (n,) of a component at points (n, k)."""

    component: int
    points: Tensor
    values: Tensor

    @property
    def residual(self) -> Residual:
        """The component itself: its measured values are the target of the rows."""
        symbol = Symbol("u", real=True)
        return Residual(symbol, ((symbol, Derivative(self.component, (0,) * self.points.shape[1])),), NOWHERE)

    def to(self, points: PointSampler) -> Measurement:
        at, values = (a.to(points.device, points.dtype) for a in (self.points, self.values))
        return Measurement(self.component, at, values)


# The file has an array of n numbers for each coordinate and each observed component, by name, or `points` (n, k) and
# `values` (n, c). It is read without pickle.


COORDINATE_RTOL = 1e-6  # relative to the interval, by which coordinates may lie outside: single-precision rounding


def read_measurements(statement: StrongForm, source: Source) -> tuple[Measurement, ...]:
    """The measurements of every `observe` in a spec, on the CPU and in float64."""
    try:
        return tuple(m for observed in statement.measurements for m in _read_file(observed, statement, source))
    except PdeError as error:
        raise PdeError(error.diagnostics, source) from None


def _read_file(observed: Measurements, statement: StrongForm, source: Source) -> list[Measurement]:
    span = observed.span
    coordinates = [x.name for x in statement.domain.coordinates]
    components = [statement.components[k].name for k in observed.components]
    path = find_measurements(observed, source)
    stored = arrays(path, span, (*coordinates, *components, "points", "values"))
    if {"points", "values"} <= stored.keys():
        points = _table(stored, "points", len(coordinates), span)
        values = _table(stored, "values", len(components), span)
    elif {*coordinates, *components} <= stored.keys():
        points, values = (
            np.stack([_column(stored, n, span) for n in names], -1) for names in (coordinates, components)
        )
    else:
        raise errors.runs.unexpected_arrays(
            path.name, sorted(stored), f"{', '.join((*coordinates, *components))}, or points, values", span
        )
    if len(points) != len(values):
        raise errors.runs.sample_count_mismatch("points", len(points), "values", len(values), span)
    _require_inside(points, statement, span)
    at = torch.from_numpy(points)
    return [Measurement(k, at, torch.from_numpy(values[:, i].copy())) for i, k in enumerate(observed.components)]


def _require_inside(points: Array, statement: StrongForm, span: Span) -> None:
    """Requires non-periodic coordinates to lie in their intervals, up to rounding."""
    for k, (x, interval) in enumerate(zip(statement.domain.coordinates, statement.domain.intervals, strict=True)):
        low, high = float(interval.start), float(interval.end)
        slack = COORDINATE_RTOL * (high - low)
        outside = np.flatnonzero((points[:, k] < low - slack) | (points[:, k] > high + slack))
        if len(outside) and not interval.periodic:
            raise errors.runs.observation_outside_domain(int(outside[0]), x.name, float(points[outside[0], k]), span)


def _column(stored: dict[str, Array], name: str, span: Span) -> Array:
    return _table({name: stored[name].reshape(-1, 1) if stored[name].ndim == 1 else stored[name]}, name, 1, span)[:, 0]


def _table(stored: dict[str, Array], name: str, columns: int, span: Span) -> Array:
    array = stored[name]
    if not any(np.issubdtype(array.dtype, kind) for kind in (np.integer, np.floating)):
        raise errors.runs.invalid_dtype(name, array.dtype, span)
    if array.ndim != 2 or array.shape[1] != columns or not len(array):
        raise errors.runs.invalid_observation_shape(name, array.shape, columns, span)
    table = array.astype(np.float64)
    not_finite = np.flatnonzero(~np.isfinite(table).all(-1))
    if len(not_finite):
        raise errors.runs.not_finite(name, int(not_finite[0]), span)
    return table
