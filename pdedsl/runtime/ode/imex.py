"""Implicit-explicit Runge-Kutta methods from their records in `numerics.butcher`: steps in networks.

For y' = cy + N(t, y) with a number c the implicit equations of the stages are divisions by 1 - h a_ii c (Ascher, Ruuth,
Spiteri 1997): a step evaluates the layers as often as an explicit one, and is not limited by a large negative c.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import final

from torch import Tensor

from pdedsl.numerics.butcher import IMEX, ImexRungeKutta
from pdedsl.runtime.image_fields import VectorField
from pdedsl.runtime.ode.explicit import OneStepMethod


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
        method, c = self.method, self.reaction
        states: list[Tensor] = []
        slopes: list[Tensor] = []
        for k, (a, e) in enumerate(zip(method.matrix, ((), *method.rows), strict=True)):
            z = self._combine(y, h, states, slopes, a[:k], e) / (1 - h * a[k] * c)
            states.append(z)
            if method.explicit_weights[k] or any(row[k] for row in method.rows[k:]):
                slopes.append(field(j, t + method.nodes[k] * h, z) - c * z)
        return self._combine(y, h, states, slopes, method.weights, method.explicit_weights[: len(slopes)])

    def _combine(
        self,
        y: Tensor,
        h: float,
        states: list[Tensor],
        slopes: list[Tensor],
        a: tuple[float, ...],
        e: tuple[float, ...],
    ) -> Tensor:
        """y + h Σⱼ (aⱼ c Zⱼ + eⱼ N(Zⱼ))."""
        for factor, z in zip(a, states, strict=True):
            if factor:
                y = y + h * factor * self.reaction * z
        for factor, n in zip(e, slopes, strict=True):
            if factor:
                y = y + h * factor * n
        return y


def __getattr__(label: str) -> Callable[[float], ImexIntegrator]:
    """`ImexEuler`, `ARS222`, …: every implicit-explicit method by its label."""
    for method in IMEX.values():
        if method.label == label:
            return partial(ImexIntegrator, method)
    raise AttributeError(f"no integrator {label!r}")
