"""Implicit-explicit Runge-Kutta methods from their records in `numerics.butcher`: steps in networks and on grids.

For y' = cy + N(t, y) with a number c the implicit equations of the stages are divisions by 1 - h a_ii c (Ascher, Ruuth,
Spiteri 1997): a step evaluates the layers as often as an explicit one, and is not limited by a large negative c. On
Fourier grids, for ∂w/∂t = L w + N(w, t), I - h a_ii L is a number or a small matrix for each mode. A method of order 1
is extrapolated there (Constantinescu, Sandu 2010): steps of length h/n for n = 1, …, 4 give order 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import final

import torch
from torch import Tensor

from pdedsl.numerics.butcher import IMEX, ImexRungeKutta, Row
from pdedsl.runtime.image_fields import VectorField
from pdedsl.runtime.ode.etdrk import NonlinearTerm, matvec_modes
from pdedsl.runtime.ode.explicit import OneStepMethod

# ---- A step


def imex_step(
    method: ImexRungeKutta,
    y: Tensor,
    h: float,
    linear: Callable[[Tensor], Tensor],
    solve: Callable[[Tensor, float], Tensor],
    nonlinear: Callable[[Tensor, float], Tensor],
) -> Tensor:
    """A step of length h for y' = Ly + N(t, y), from L z, (I - h a L)⁻¹ z for a > 0, and N(t + ch, z) by the node c."""
    implicit: list[Tensor] = []
    explicit: list[Tensor] = []
    for k, (node, a, e) in enumerate(zip(method.nodes, method.matrix, ((), *method.rows), strict=True)):
        z = _combine(y, h, (implicit, a), (explicit, e))
        z = solve(z, a[k]) if a[k] else z
        implicit.append(linear(z))
        if method.explicit_weights[k] or any(row[k] for row in method.rows[k:]):
            explicit.append(nonlinear(z, node))
    return _combine(y, h, (implicit, method.weights), (explicit, method.explicit_weights))


def _combine(y: Tensor, h: float, *sums: tuple[list[Tensor], Row]) -> Tensor:
    """y + h Σ factor · value."""
    for values, factors in sums:
        for value, factor in zip(values, factors, strict=False):
            if factor:
                y = y + h * factor * value
    return y


# ---- In networks


@final
@dataclass(frozen=True)
class ImexIntegrator(OneStepMethod):
    """An implicit-explicit Runge-Kutta method: the linear part cy of the field is implicit, the rest explicit.

    `ImexEuler(c)`, `ARS222(c)`, … of this module are the methods of `pdedsl.numerics.butcher`.

    Args:
        method: the two Butcher tableaux.
        reaction: c.

    Example:
        >>> import torch
        >>> from pdedsl.numerics.butcher import ARS222
        >>> from pdedsl.runtime import ImexIntegrator, TimeGrid
        >>> stiff = ImexIntegrator(ARS222, -1000.0)  # y' = -1000 y + 1000, in steps of 0.1
        >>> y = stiff.integrate(lambda step, t, y: 1000 - 1000 * y, torch.zeros(1), TimeGrid(0.0, 1.0, 10))
        >>> round(y.item(), 3)
        1.0
    """

    method: ImexRungeKutta
    reaction: float

    def step(self, field: VectorField, j: int, t: float, h: float, y: Tensor) -> Tensor:
        c = self.reaction
        return imex_step(
            self.method,
            y,
            h,
            lambda z: c * z,
            lambda z, a: z / (1 - h * a * c),
            lambda z, node: field(j, t + node * h, z) - c * z,
        )


# ---- On grids


EXTRAPOLATED_ORDER = 4  # by ten steps of order 1; at an error of 1e-6 these would be tens of thousands otherwise


def order_of_steps(method: ImexRungeKutta) -> int:
    """The order of the steps on grids."""
    return EXTRAPOLATED_ORDER if method.order == 1 else method.order


def _extrapolate(values: list[Tensor]) -> Tensor:
    """The limit of the values with n = 1, 2, … steps, whose error is a power series in 1/n (Aitken, Neville)."""
    for k in range(1, len(values)):
        values = [fine + (fine - coarse) * (j / k) for j, (coarse, fine) in enumerate(pairwise(values), 1)]
    return values[0]


@dataclass
class ImexSteps:
    """Steps of length T / 2^level of w (..., m, modes…). L is (..., m, modes…) if it is diagonal, otherwise
    (..., modes…, m, m); `nonlinear` is N."""

    symbol: Tensor
    nonlinear: NonlinearTerm | None
    length: float
    matrices: bool
    dimension: int
    method: ImexRungeKutta
    inverses: dict[float, Tensor] = field(default_factory=dict)  # (I - h a L)⁻¹ by h a

    def __call__(self, w: Tensor, time: float, level: int) -> Tensor:
        h = self.length / 2**level
        if self.method.order > 1:
            return self._step(w, time, h)
        return _extrapolate([self._repeat(w, time, h, n) for n in range(1, EXTRAPOLATED_ORDER + 1)])

    def _repeat(self, w: Tensor, time: float, h: float, n: int) -> Tensor:
        """n steps of length h / n."""
        for k in range(n):
            w = self._step(w, time + k * h / n, h / n)
        return w

    def _step(self, w: Tensor, time: float, h: float) -> Tensor:
        nonlinear = self.nonlinear
        return imex_step(
            self.method,
            w,
            h,
            lambda z: self._apply(self.symbol, z),
            lambda z, a: self._apply(self._inverse(h * a), z),
            lambda z, node: torch.zeros_like(z) if nonlinear is None else nonlinear(z, time + node * h),
        )

    def _inverse(self, scale: float) -> Tensor:
        if scale not in self.inverses:
            scaled = scale * self.symbol
            identity = torch.eye(scaled.shape[-1], dtype=scaled.dtype, device=scaled.device)
            inverse: Tensor = torch.linalg.inv(identity - scaled) if self.matrices else 1 / (1 - scaled)
            self.inverses[scale] = inverse
        return self.inverses[scale]

    def _apply(self, factor: Tensor, w: Tensor) -> Tensor:
        return matvec_modes(factor, w, self.dimension) if self.matrices else factor * w


def __getattr__(label: str) -> Callable[[float], ImexIntegrator]:
    """`ImexEuler`, `ARS222`, …: every implicit-explicit method by its label."""
    for method in IMEX.values():
        if method.label == label:
            return partial(ImexIntegrator, method)
    raise AttributeError(f"no integrator {label!r}")
