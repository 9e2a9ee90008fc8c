"""Convolution of data with the heat kernel by Gauss-Legendre quadrature, and its logarithm.

In z = (y - x - bτ)/σ, σ² = 2aτ, the integral of e^{E(y)} A(y) against the standard normal density is taken over a
window outside of which the integrand is below rounding, and is split where the data are not smooth. All exponents are
relative to their maximum (log-sum-exp), so that log v is accurate where v underflows, as after the Hopf-Cole transform
with a small viscosity. For radial data in R^d the variables are the component along x and the norm of the others; sums
of products of functions of single coordinates need one-dimensional integrals only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, lgamma, log, pi, sqrt
from typing import NamedTuple

import torch
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.io import RunError
from pdedsl.ir.heat_kernel import Continuation, HeatKernel, HeatKernelAxis
from pdedsl.ir.solver_plans import HeatKernelPlan
from pdedsl.runtime.quadrature import gauss_rule, quadrature_rule
from pdedsl.solvers.method_result import Levels, SolverResult
from pdedsl.solvers.solver_method import ModuleFormat, SolveOptions, SolverMethod, StoredModule

WINDOW = 9.0  # half-width in standard deviations: the normal density is 3e-18 of its maximum outside
MAX_DOUBLINGS = 7  # of the window, for data that grow: then they grow as fast as the kernel decays
NEGLIGIBLE = 36.0  # log of the ratio of the largest and a negligible integrand: 2e-16
COARSE_NODES = 65  # per variable, by which the window is chosen
SMALLEST_TIME = 1e-14  # relative to the time interval: the data themselves, up to rounding
MAX_BREAKS = 64  # pieces of a window; of a wider one the kinks have no influence
MAX_NUMBERS = 1 << 21  # in memory at a time
MAX_NODES = {1: 2048, 2: 128}  # of the finest level, by the number of variables
GROWTH = {1: 2.0, 2: 1.5}  # ratio of the numbers of nodes of two levels: the work at least doubles


class Weighted(NamedTuple):
    """A positive multiple e^maximum · total of a sum."""

    maximum: Tensor
    total: Tensor


class Nodes(NamedTuple):
    """Standard variables (m, q, k), weights (m, q), and the log-density of the variables (m, q)."""

    z: Tensor
    weights: Tensor
    log_density: Tensor


class HeatKernelSolution(nn.Module):
    """Points (m, d + 1) to v (m, 1); `logarithm` is log v."""

    def __init__(self, kernel: HeatKernel, n: int) -> None:
        super().__init__()
        self.kernel, self.n = kernel, n
        self.has_derivatives = kernel.variables == 1  # residuals at thousands of points; others need too much memory
        self.has_expensive_values = kernel.variables > 1
        symbols = (kernel.radius,) if kernel.radius is not None else kernel.domain.space
        self._data = compile_pointwise((kernel.amplitude, kernel.exponent), symbols)
        self._source = compile_pointwise((kernel.source,), kernel.domain.coordinates) if kernel.source != 0 else None
        self._diffusivity = [float(a) for a in kernel.diffusivity]
        self._drift = [float(b) for b in kernel.drift]
        interval = kernel.domain.intervals[-1]
        self._direction, self._start = (-1 if kernel.is_backward else 1), float(kernel.time)
        self._smallest_time = SMALLEST_TIME * float(interval.end - interval.start)

    def forward(self, points: Tensor) -> Tensor:
        """v at points."""
        parts = [self._value(part) for part in self._parts(points)]
        return torch.cat(parts).unsqueeze(-1)

    def logarithm(self, points: Tensor) -> Tensor:
        """log v at points, for positive data; NaN where v is not positive."""
        parts = []
        for part in self._parts(points):
            tau = self._elapsed(part)
            maximum, total = self._expectation(part[:, :-1], tau, self._initial)
            parts.append(float(self.kernel.rate) * tau + maximum + total.log())
        return torch.cat(parts).unsqueeze(-1)

    def _parts(self, points: Tensor) -> tuple[Tensor, ...]:
        sources = self.n if self._source is not None else 1
        return torch.split(points, max(1, MAX_NUMBERS // (sources * self.n**self.kernel.variables)))

    def _elapsed(self, points: Tensor) -> Tensor:
        return (self._direction * (points[:, -1] - self._start)).clamp_min(self._smallest_time)

    def _value(self, points: Tensor) -> Tensor:
        x, tau, rate = points[:, :-1], self._elapsed(points), float(self.kernel.rate)
        maximum, total = self._expectation(x, tau, self._initial)
        value = (rate * tau + maximum).exp() * total
        return value if self._source is None else value + self._duhamel(x, points[:, -1], tau)

    def _duhamel(self, x: Tensor, t: Tensor, tau: Tensor) -> Tensor:
        """∫₀^τ e^{cs} E f(x + bs + Z_s, t - s) ds."""
        source = self._source
        assert source is not None
        fractions, weights = (a.to(x) for a in gauss_rule(self.n))
        s = tau[:, None] * fractions
        moments = (t[:, None] - self._direction * s).reshape(-1)

        def at(y: Tensor) -> tuple[Tensor, Tensor]:
            columns, sign = self._fold(y)
            (values,) = source(*columns, moments[:, None].expand_as(columns[0]))
            return sign * values, torch.zeros_like(values)

        repeated = x.repeat_interleave(len(fractions), 0)
        maximum, total = self._expectation(repeated, s.reshape(-1), at)
        values = (maximum.exp() * total).reshape(len(x), -1)
        return (values * (float(self.kernel.rate) * s).exp() * weights).sum(1) * tau

    # ---- Expectation of the data

    def _expectation(self, x: Tensor, tau: Tensor, data: Callable[[Tensor], tuple[Tensor, Tensor]]) -> Weighted:
        """E A(Y) e^{E(Y)} with Y ~ N(x + bτ, 2τ diag(a)); `data` gives A and E at points (m, q, k)."""
        center = x + tau[:, None] * x.new_tensor(self._drift)
        sigma = (2 * tau[:, None] * x.new_tensor(self._diffusivity)).sqrt()
        with torch.no_grad():
            width = self._window(center, sigma, data)
        nodes = self._nodes(center, sigma, width, self.n, data == self._initial)
        amplitude, exponent = data(self._positions(center, sigma, nodes.z))
        exponent = exponent + nodes.log_density
        maximum = exponent.detach().amax(1)
        total = (nodes.weights * amplitude * (exponent - maximum[:, None]).exp()).sum(1)
        return Weighted(maximum, total)

    def _window(self, center: Tensor, sigma: Tensor, data: Callable[[Tensor], tuple[Tensor, Tensor]]) -> float:
        """Half-width such that the integrand is negligible at its ends, at all points."""
        width = WINDOW
        for _ in range(MAX_DOUBLINGS):
            nodes = self._grid(center, width)
            amplitude, exponent = data(self._positions(center, sigma, nodes.z))
            size = exponent + nodes.log_density + amplitude.abs().log()
            ends = (nodes.z[:, :, 0].abs() >= width).expand_as(size)
            if nodes.z.shape[-1] > 1:
                ends = ends | (nodes.z[:, :, 1] >= nodes.z[:, :, 1].max())
            largest = size.amax(1)
            edge = torch.where(ends, size, -torch.inf).amax(1)
            if not bool((edge > largest - NEGLIGIBLE).any()):
                return width
            width *= 2
        raise RunError("the data grow as fast as the heat kernel decays: the solution blows up")

    def _grid(self, center: Tensor, width: float) -> Nodes:
        """Equidistant nodes with the ends of the window, without weights."""
        one = torch.linspace(-width, width, COARSE_NODES, dtype=center.dtype, device=center.device)
        if self.kernel.variables == 1:
            return self._tensor_nodes([one[None]], [torch.ones_like(one)[None]])
        low, high = self._second_range(width)
        other = low + (high - low) * (one + width) / (2 * width)
        return self._tensor_nodes([one[None], other[None]], [torch.ones_like(one)[None]] * 2)

    def _nodes(self, center: Tensor, sigma: Tensor, width: float, n: int, has_breaks: bool) -> Nodes:
        if self.kernel.variables == 1:
            breaks = self._breaks(center, sigma, width) if has_breaks else center.new_empty(len(center), 0)
            ends = center.new_tensor([-width, width]).expand(len(center), 2)
            z, weights = quadrature_rule(torch.cat([ends, breaks], 1), n)
            return self._tensor_nodes([z], [weights])
        fractions, weights = (a.to(center) for a in gauss_rule(n))
        ranges = ((-width, width), self._second_range(width))
        return self._tensor_nodes(
            [(low + (high - low) * fractions)[None] for low, high in ranges],
            [((high - low) * weights)[None] for low, high in ranges],
        )

    def _second_range(self, width: float) -> tuple[float, float]:
        """Of the second variable: normal, or the norm of the components across x."""
        if self.kernel.radius is None:
            return -width, width
        middle = sqrt(max(len(self.kernel.domain.space) - 2, 0))
        return max(0.0, middle - width), middle + width

    def _tensor_nodes(self, z: Sequence[Tensor], weights: Sequence[Tensor]) -> Nodes:
        """The product of rules, with the log-density of their variables."""
        first = z[0]
        density = -first.square() / 2 - log(2 * pi) / 2
        if len(z) == 1:
            return Nodes(first[..., None], weights[0], density)
        other = self._second_density(z[1])
        pairs = torch.stack(
            [first[:, :, None].expand(-1, -1, z[1].shape[1]), z[1][:, None, :].expand(-1, first.shape[1], -1)], -1
        )
        product = weights[0][:, :, None] * weights[1][:, None, :]
        return Nodes(pairs.flatten(1, 2), product.flatten(1), (density[:, :, None] + other[:, None, :]).flatten(1))

    def _second_density(self, z: Tensor) -> Tensor:
        if self.kernel.radius is None:
            return -z.square() / 2 - log(2 * pi) / 2
        degrees = len(self.kernel.domain.space) - 1
        power = (degrees - 1) * z.log() if degrees > 1 else torch.zeros_like(z)
        density: Tensor = power - z.square() / 2 - (degrees / 2 - 1) * log(2) - lgamma(degrees / 2)
        return density

    def _positions(self, center: Tensor, sigma: Tensor, z: Tensor) -> Tensor:
        """The points (m, q, k) at standard variables; of radial data their norms."""
        if self.kernel.radius is None:
            return center[:, None, :] + sigma[:, None, :] * z
        along = torch.linalg.vector_norm(center, dim=1)[:, None] + sigma[:, :1] * z[..., 0]
        norm: Tensor = (along.square() + (sigma[:, :1] * z[..., 1]).square()).sqrt()
        return norm[..., None]

    # ---- Data, continued to the line

    def _initial(self, y: Tensor) -> tuple[Tensor, Tensor]:
        if self.kernel.radius is not None:
            amplitude, exponent = self._data(y[..., 0])
            return amplitude, exponent
        columns, sign = self._fold(y)
        amplitude, exponent = self._data(*columns)
        return sign * amplitude, exponent

    def _fold(self, y: Tensor) -> tuple[list[Tensor], Tensor | float]:
        """The coordinates in the domain, and the sign of the continuation."""
        columns, sign = list[Tensor](), torch.ones((), dtype=y.dtype, device=y.device)
        for axis, column in zip(self.kernel.axes, y.unbind(-1), strict=True):
            folded, own = _fold_axis(axis, column)
            columns.append(folded)
            sign = sign * own
        return columns, sign

    def _breaks(self, center: Tensor, sigma: Tensor, width: float) -> Tensor:
        """The breaks of the data in standard variables, (m, number of breaks)."""
        (axis,) = self.kernel.axes
        breaks = [float(b) for b in self.kernel.breaks]
        if axis.continuation is not Continuation.NONE and breaks:
            start, length = float(axis.start), float(axis.end - axis.start)
            if axis.continuation is Continuation.REFLECTED:
                breaks, length = [*breaks, *(2 * start - b for b in breaks)], 2 * length
            low = float((center - width * sigma).min())
            high = float((center + width * sigma).max())
            first, last = (ceil((v - start) / length) for v in (low, high))
            breaks = sorted({b + k * length for k in range(first - 2, last + 2) for b in breaks})
            breaks = [b for b in breaks if low < b < high]
        if len(breaks) > MAX_BREAKS:
            breaks = []
        return (center.new_tensor(breaks) - center) / sigma


class ProductSolution(nn.Module):
    """Points (m, d + 1) to e^{cτ} Σ coefficient ∏ vₖ(xₖ, t), (m, 1); equal factors are computed once."""

    has_derivatives = False  # d second derivatives at thousands of points
    has_expensive_values = True

    def __init__(self, kernel: HeatKernel, n: int) -> None:
        super().__init__()
        self.kernel = kernel
        self._coefficients = [float(term.coefficient) for term in kernel.terms]
        self._factors = {pair: HeatKernelSolution(pair[1], n) for term in kernel.terms for pair in term.factors}

    def forward(self, points: Tensor) -> Tensor:
        """v at points."""
        t = points[:, -1:]
        values = {pair: f(torch.cat([points[:, pair[0], None], t], 1)) for pair, f in self._factors.items()}
        total = torch.zeros_like(t)
        for coefficient, term in zip(self._coefficients, self.kernel.terms, strict=True):
            product = torch.full_like(t, coefficient)
            for pair in term.factors:
                product = product * values[pair]
            total = total + product
        return total * (float(self.kernel.rate) * (t - float(self.kernel.time)).abs()).exp()


def _fold_axis(axis: HeatKernelAxis, y: Tensor) -> tuple[Tensor, Tensor | float]:
    if axis.continuation is Continuation.NONE:
        return y, 1.0
    start, length = float(axis.start), float(axis.end - axis.start)
    if axis.continuation is Continuation.PERIODIC:
        return start + torch.remainder(y - start, length), 1.0
    cell = torch.remainder(y - start, 2 * length)
    mirrored = cell > length
    folded = torch.where(mirrored, 2 * length - cell, cell)
    lower, upper = axis.signs
    # a reflection at the upper end, then lower · upper for each period of two lengths
    periods = torch.floor((y - start) / (2 * length))
    sign = torch.where(mirrored, float(upper), 1.0)
    return start + folded, sign * (torch.where(periods.remainder(2) == 1, float(lower * upper), 1.0))


# ---- The method


def _solve(plan: HeatKernelPlan, options: SolveOptions) -> SolverResult:
    kind = ProductSolution if plan.kernel.terms else HeatKernelSolution
    return SolverResult(kind(plan.kernel, plan.method.n), plan.method, {}, (_note(plan),))


def _note(plan: HeatKernelPlan) -> str:
    kernel, n = plan.kernel, plan.method.n
    if kernel.radius is not None:
        return f"radial data in {len(kernel.domain.space)} dimensions: quadrature with {n} nodes in each of 2 variables"
    continued = dict.fromkeys(a.continuation for a in kernel.axes if a.continuation is not Continuation.NONE)
    images = f", data continued ({', '.join(continued)})" if continued else ""
    products = f"{len(kernel.terms)} products of integrals over one variable: " if kernel.terms else ""
    return f"{products}quadrature with {n} nodes per variable{images}"


def _levels(plan: HeatKernelPlan, options: SolveOptions) -> Levels:
    n = plan.method.n
    while n <= MAX_NODES[plan.kernel.variables]:
        yield _solve(plan.resize(n), options)
        n = round(n * GROWTH[plan.kernel.variables])


def _rebuild(stored: StoredModule[HeatKernelPlan]) -> nn.Module:
    return _solve(stored.plan, stored.options).module


METHOD = SolverMethod[HeatKernelPlan](
    _solve,
    _levels,
    (
        ModuleFormat("heat_kernel", HeatKernelSolution, lambda stored: _solve(stored.plan, stored.options).module),
        ModuleFormat(
            "heat_kernel_products", ProductSolution, lambda stored: _solve(stored.plan, stored.options).module
        ),
    ),
)
