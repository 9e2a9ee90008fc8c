"""Resolution of a spectral expansion: truncation error of each axis from the decay of its coefficients, and the numbers
of points of the next level.

The norms A and B of the last two blocks of coefficients of an axis give the rate r = B/A and the norm of all omitted
coefficients, B r / (1 - r): exact for geometric decay, and correct up to a constant for algebraic decay (compare the
plateau criterion of Aurentz, Trefethen 2017). On axes with boundary conditions the last coefficient counts as omitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, log

import torch
from torch import Tensor

from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.basis.interpolation import Axis, CellAxis, PiecewiseChebyshevAxis, TensorProductExpansion

MIN_BLOCK = 4  # coefficients per block: even or odd functions have two that are not zero
MIN_SHORT_BLOCK = 2  # the same for fewer than 16 coefficients, the first of which would make the decay look faster
BLOCK_FRACTION = 8  # a block is the last eighth of the coefficients
MIN_RATE = 0.1  # smallest rate by which the last coefficient is extrapolated
LACKING_RATIO = 1e-6  # of the last two coefficients to those before: a drop that no decay explains
MAX_GROWTH, MIN_GROWTH = 2.0, 1.25  # ratio of the numbers of points of an axis in two successive levels


@dataclass(frozen=True)
class AxisDecay:
    """Estimated relative L2 norm of the omitted coefficients of an axis, and their decay rate per coefficient."""

    tail: float
    rate: float


def axis_decays(expansion: TensorProductExpansion) -> tuple[AxisDecay, ...] | None:
    """The decay along each axis; None for cells, which are not spectral."""
    if any(isinstance(axis, CellAxis) for axis in expansion.axes):
        return None
    coefficients = expansion.coefficients.detach()
    squares = coefficients.square() * _time_weights(expansion).reshape(-1, *[1] * (coefficients.ndim - 1))
    return tuple(_decay(axis, squares, k + 2) for k, axis in enumerate(expansion.axes))


def _time_weights(expansion: TensorProductExpansion) -> Tensor:
    """Weights of the trapezoidal rule in time."""
    times = expansion.times
    if len(times) == 1:
        return torch.ones_like(times)
    steps = times.diff()
    return torch.cat([steps, steps.new_zeros(1)]) + torch.cat([steps.new_zeros(1), steps])


def _decay(axis: Axis, squares: Tensor, dim: int) -> AxisDecay:
    """The tails of the components together, and their largest rate."""
    others = [k for k in range(squares.ndim) if k not in (1, dim)]
    lines = squares.sum(others)  # (components, coefficients): time and the other axes are summed
    if isinstance(axis, FourierAxis):  # cosines, then sines without the constant
        lines = torch.cat([lines[:, :1], lines[:, 1 : axis.half] + lines[:, axis.half :]], 1)
    if isinstance(axis, PiecewiseChebyshevAxis):  # lines of all pieces, weighted by their lengths
        weights = lines.new_tensor([(p.end - p.start) / (axis.end - axis.start) for p in axis.pieces])
        lines = (lines.reshape(len(lines), -1, axis.n) * weights[:, None]).flatten(0, 1)
    total = max(float(lines.sum()), 1e-300)
    parts = [_line_decay(line[: _degree_count(line)] / total) for line in lines]
    if isinstance(axis, FourierAxis):  # two coefficients for each degree
        parts = [replace(p, rate=p.rate**0.5) for p in parts]
    else:  # conditions, not equations, determine the last coefficient
        parts = [replace(p, tail=p.tail / max(p.rate, MIN_RATE)) for p in parts]
    rounding = lines.shape[1] * torch.finfo(squares.dtype).eps
    return AxisDecay(max(sum(p.tail**2 for p in parts) ** 0.5, rounding), max(p.rate for p in parts))


def _degree_count(line: Tensor) -> int:
    """The number of coefficients without the last two, if these vanish by construction, as those of a pressure."""
    lacking = len(line) > 2 * MIN_BLOCK and float(line[-2:].max()) <= LACKING_RATIO**2 * float(line[-4:-2].max())
    return len(line) - 2 if lacking else len(line)


def _line_decay(line: Tensor) -> AxisDecay:
    n = len(line)
    block = max(MIN_BLOCK if n >= 4 * MIN_BLOCK else min(MIN_SHORT_BLOCK, n // 2), n // BLOCK_FRACTION)
    before, last = (float(line[n - k * block : n - (k - 1) * block].sum()) ** 0.5 for k in (2, 1))
    ratio = min(last / max(before, 1e-300), 1 - block / n)  # coefficients at rounding level do not decay
    return AxisDecay(last * ratio / (1 - ratio), ratio ** (1 / block))


def refine_sizes(sizes: Sequence[int], decays: Sequence[AxisDecay] | None, tolerance: float) -> tuple[int, ...]:
    """The numbers of points of the next level: enough for the tolerance if the rates persist, at most twice as many;
    axes that are resolved do not change, unless all of them are."""
    if decays is None:
        return tuple(round(MAX_GROWTH * n) for n in sizes)
    unresolved = [d.tail > tolerance for d in decays]
    return tuple(
        _refined_count(n, d, tolerance) if open_axis or not any(unresolved) else n
        for n, d, open_axis in zip(sizes, decays, unresolved, strict=True)
    )


def _refined_count(n: int, decay: AxisDecay, tolerance: float) -> int:
    """Points for which the tail decays to the tolerance."""
    if decay.tail <= tolerance:
        return ceil(MIN_GROWTH * n)
    extra = log(tolerance / decay.tail) / log(decay.rate) if 0 < decay.rate < 1 else MAX_GROWTH * n
    return ceil(min(max(n + extra, MIN_GROWTH * n), MAX_GROWTH * n))


def predict_tail(sizes: Sequence[int], refined: Sequence[int], decays: Sequence[AxisDecay] | None) -> float | None:
    """The largest tail of the next level if the rates persist; None without coefficients."""
    if decays is None:
        return None
    pairs = zip(sizes, refined, decays, strict=True)
    return max((d.tail * d.rate ** (after - before) for before, after, d in pairs), default=0.0)
