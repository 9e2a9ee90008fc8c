"""Symplectic splittings for two-part systems with fixed steps: Verlet (symplectic Euler) and leapfrog.

A splitting maps a pair to a pair by additive couplings (Y, Z) ↦ (Y + h·f(Z), Z), each of which is exactly invertible;
the same list of couplings is run forward, backward, and by the reversible execution of reversible.py (Ruthotto, Haber
2018, section 3.2; Hairer, Lubich, Wanner 2006, chapter VI).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

import torch
from torch import Tensor

from pdedsl.runtime.image_fields import VectorField
from pdedsl.runtime.ode.explicit import TimeGrid

StatePair = tuple[Tensor, Tensor]


@final
@dataclass(frozen=True, slots=True)
class AdditiveCoupling:
    """state[target] += scale · fields[field](step, time, state[1 − target]); field None stands for the identity."""

    target: int
    field: int | None
    scale: float
    step: int
    time: float

    def increment(self, fields: Sequence[VectorField], source: Tensor) -> Tensor:
        return source if self.field is None else fields[self.field](self.step, self.time, source)


class SplittingMethod(ABC):
    """A method made of couplings; each adds a function of one half of the state to the other: invertible."""

    @abstractmethod
    def couplings(self, steps: TimeGrid) -> tuple[AdditiveCoupling, ...]:
        """The additive couplings, in order."""

    def integrate(self, fields: Sequence[VectorField], state: StatePair, steps: TimeGrid) -> StatePair:
        for coupling in self.couplings(steps):
            state = _couple(coupling, fields, state, coupling.scale)
        return state

    def inverse(self, fields: Sequence[VectorField], state: StatePair, steps: TimeGrid) -> StatePair:
        """The state that `integrate` maps to this one: the same couplings, subtracted in reverse order."""
        for coupling in reversed(self.couplings(steps)):
            state = _couple(coupling, fields, state, -coupling.scale)
        return state


@final
@dataclass(frozen=True)
class Verlet(SplittingMethod):
    """Y_{j+1} = Y_j + h f(t_j, Z_j); Z_{j+1} = Z_j + h g(t_j, Y_{j+1}), fields (f, g) (Ruthotto, Haber, eq. 10).

    The equation decides the signs. It is symplectic Euler: order 1, with bounded energy error for a Hamiltonian system.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import TimeGrid, Verlet
        >>> f, g = lambda step, t, z: z, lambda step, t, y: -y  # a harmonic oscillator
        >>> start, grid = (torch.ones(1), torch.zeros(1)), TimeGrid(0.0, 1.0, 10)
        >>> end = Verlet().integrate((f, g), start, grid)
        >>> [round(half.item(), 6) + 0.0 for half in Verlet().inverse((f, g), end, grid)]
        [1.0, 0.0]
    """

    def couplings(self, steps: TimeGrid) -> tuple[AdditiveCoupling, ...]:
        pairs = (
            (AdditiveCoupling(0, 0, steps.h, j, steps.time(j)), AdditiveCoupling(1, 1, steps.h, j, steps.time(j)))
            for j in range(steps.count)
        )
        return tuple(coupling for pair in pairs for coupling in pair)


FIRST_STEP_COEFFICIENT = {"consistent": 0.5, "paper": 1.0}  # coefficient of h²F in the first step of leapfrog


@final
@dataclass(frozen=True)
class Leapfrog(SplittingMethod):
    """Y_{j+1} = 2Y_j − Y_{j−1} + h² F(t_j, Y_j) for Y″ = F, Y′(0) = 0 (Ruthotto, Haber, after eq. 11).

    The state is (Y_j, D_j) with D_j = Y_j − Y_{j−1}: D += h²F(Y), then Y += D, which is the same recursion with less
    round-off (Hairer, Lubich, Wanner 2006, I.1.4). The consistent start Y₁ = Y₀ + ½h²F(Y₀) has order 2; their
    Y₋₁ = Y₀, that is Y₁ = Y₀ + h²F(Y₀), has order 1.

    Args:
        start: first step, "consistent" (order 2) or "paper" (order 1).

    Example:
        >>> import math
        >>> import torch
        >>> from pdedsl.runtime import Leapfrog, TimeGrid
        >>> state = Leapfrog.zero_velocity(torch.ones(1))  # Y″ = −Y with Y = cos t
        >>> y, _ = Leapfrog().integrate((lambda step, t, y: -y,), state, TimeGrid(0.0, 1.0, 100))
        >>> abs(y.item() - math.cos(1.0)) < 1e-4
        True
    """

    start: Literal["consistent", "paper"] = "consistent"

    def couplings(self, steps: TimeGrid) -> tuple[AdditiveCoupling, ...]:
        pairs = (
            (
                AdditiveCoupling(1, 0, self._weight(j) * steps.h**2, j, steps.time(j)),
                AdditiveCoupling(0, None, 1.0, j, steps.time(j)),
            )
            for j in range(steps.count)
        )
        return tuple(coupling for pair in pairs for coupling in pair)

    def _weight(self, step: int) -> float:
        return FIRST_STEP_COEFFICIENT[self.start] if step == 0 else 1.0

    @staticmethod
    def zero_velocity(y: Tensor) -> StatePair:
        """(Y₀, 0): the state for Y′(0) = 0."""
        return y, torch.zeros_like(y)


def _couple(coupling: AdditiveCoupling, fields: Sequence[VectorField], state: StatePair, scale: float) -> StatePair:
    y, z = state
    if coupling.target == 0:
        return torch.add(y, coupling.increment(fields, z), alpha=scale), z
    return y, torch.add(z, coupling.increment(fields, y), alpha=scale)
