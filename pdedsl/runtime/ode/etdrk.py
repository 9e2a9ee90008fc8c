"""ETDRK4-B, the exponential time differencing Runge-Kutta method of order four of Krogstad 2005, for

    ∂w/∂t = L w + N(w, t)   with L known for every mode,

with the weights of Cox and Matthews 2002; without N a step is exact. The φ-functions φ₀(z) = eᶻ,
φₖ(z) = Σ zʲ / (j + k)! are computed without cancellation: by their series near 0, and beyond it by
φₖ(2z) = 2⁻ᵏ (φ₀(z) φₖ(z) + Σ_{j=1..k} φⱼ(z) / (k - j)!)
(Skaflestad and Wright 2009).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, factorial, log2

import torch
from torch import Tensor

from pdedsl.runtime.ode.step_doubling import PairedStep

# ---- φ-functions of scalars or matrices


SERIES_TERMS = 16  # 2⁻¹⁶ / 16! is below rounding
Product = Callable[[Tensor, Tensor], Tensor]


def phi_functions(z: Tensor, count: int, *, matrices: bool = False) -> list[Tensor]:
    """φ₀ … φ_count of every entry of z, or of every matrix in its last two dimensions."""
    product: Product = torch.matmul if matrices else torch.mul
    one = torch.eye(z.shape[-1], dtype=z.dtype, device=z.device).expand_as(z) if matrices else torch.ones_like(z)
    doublings = _doublings(z, matrices)
    found = _series(z / 2**doublings, one, count, product)
    for _ in range(doublings):
        found = [_double(found, k, product) for k in range(count + 1)]
    return found


def _doublings(z: Tensor, matrices: bool) -> int:
    sizes = torch.linalg.matrix_norm(z.detach(), ord=1) if matrices else z.detach().abs()
    largest = float(sizes.max())
    return max(0, ceil(log2(largest)) + 1) if largest > 0 else 0


def _series(z: Tensor, one: Tensor, count: int, product: Product) -> list[Tensor]:
    powers = [one]
    for _ in range(SERIES_TERMS):
        powers.append(product(powers[-1], z))
    return [
        sum((p * (1 / factorial(j + k)) for j, p in enumerate(powers)), torch.zeros_like(z)) for k in range(count + 1)
    ]


def _double(found: list[Tensor], k: int, product: Product) -> Tensor:
    rest = sum((found[j] / factorial(k - j) for j in range(1, k + 1)), torch.zeros_like(found[0]))
    twice = product(found[0], found[k]) + rest
    return twice * 0.5**k


# ---- Steps


NonlinearTerm = Callable[[Tensor, float], Tensor]
ORDER = 4


MAX_BATCHED_SIZE = 1 << 14  # state size up to which two step lengths at once are faster than one after the other


@dataclass(frozen=True)
class EtdWeights:
    """The weights of the stages for one step length, or for several along a first axis."""

    half: Tensor
    whole: Tensor
    second: Tensor
    third: tuple[Tensor, Tensor]
    fourth: tuple[Tensor, Tensor]
    last: tuple[Tensor, Tensor, Tensor]


@dataclass
class ETDRK4B(PairedStep):
    """Steps of length T / 2^level of w (..., m, modes…). L is (..., m, modes…) if it is diagonal, otherwise
    (..., modes…, m, m); `nonlinear` is N, and `autonomous` if it does not depend on time."""

    symbol: Tensor
    nonlinear: NonlinearTerm | None
    length: float
    matrices: bool
    dimension: int
    autonomous: bool = False
    weights_by_levels: dict[tuple[int, ...], EtdWeights] = field(default_factory=dict)
    phis_by_level: dict[int, list[Tensor]] = field(default_factory=dict)  # φ₀ … φ₃ of h L, by level
    _first: tuple[Tensor, float, Tensor] | None = None  # the last state and time, and N there

    def weights(self, *levels: int) -> EtdWeights:
        if levels not in self.weights_by_levels:
            h = self.symbol.new_tensor([self.length / 2**level for level in levels])
            h = h.reshape(-1, *[1] * self.symbol.ndim) if len(levels) > 1 else h.squeeze()
            e2, p1, p2, _ = self._phis(*(level + 1 for level in levels))
            e, f1, f2, f3 = self._phis(*levels)
            third, fourth = (h * (p1 / 2 - p2), h * p2), (h * (f1 - 2 * f2), 2 * h * f2)
            last = (h * (f1 - 3 * f2 + 4 * f3), h * (2 * f2 - 4 * f3), h * (4 * f3 - f2))
            self.weights_by_levels[levels] = EtdWeights(e2, e, h / 2 * p1, third, fourth, last)
        return self.weights_by_levels[levels]

    def _phis(self, *levels: int) -> list[Tensor]:
        """φ₀ … φ₃ of h L, along a first axis if there are several levels."""
        if len(levels) > 1:
            return [torch.stack(same) for same in zip(*(self._phis(level) for level in levels), strict=True)]
        (level,) = levels
        if level not in self.phis_by_level:
            self.phis_by_level[level] = phi_functions(self.length / 2**level * self.symbol, 3, matrices=self.matrices)
        return self.phis_by_level[level]

    def __call__(self, w: Tensor, time: float, level: int) -> Tensor:
        return self._step(self.weights(level), w, time, self.length / 2**level)

    def both(self, w: Tensor, time: float, level: int) -> tuple[Tensor, Tensor]:
        """A step, and one of half the length from the same state: if N is autonomous, stage by stage together."""
        if self.nonlinear is None or not self.autonomous or w.numel() > MAX_BATCHED_SIZE:
            return self(w, time, level), self(w, time, level + 1)
        one, other = self._step(self.weights(level, level + 1), w, time, 0.0).unbind()
        return one, other

    def _step(self, weights: EtdWeights, w: Tensor, time: float, h: float) -> Tensor:
        add, n = self._add, self.nonlinear
        whole = add(None, weights.whole, w)
        if n is None:
            return whole
        half = add(None, weights.half, w)
        first = self._at_start(w, time, n)
        second = n(add(half, weights.second, first), time + h / 2)
        third = n(add(add(half, weights.third[0], first), weights.third[1], second), time + h / 2)
        fourth = n(add(add(whole, weights.fourth[0], first), weights.fourth[1], third), time + h)
        a, b, c = weights.last
        return add(add(add(whole, a, first), b, second + third), c, fourth)

    def _at_start(self, w: Tensor, time: float, rest: NonlinearTerm) -> Tensor:
        """N(w, t), shared by steps of several lengths from one state."""
        if self._first is None or self._first[0] is not w or self._first[1] != time:
            self._first = w, time, rest(w, time)
        return self._first[2]

    def _add(self, to: Tensor | None, weight: Tensor, w: Tensor) -> Tensor:
        """to + weight · w, or weight · w alone."""
        if self.matrices:
            found = matvec_modes(weight, w, self.dimension)
            return found if to is None else to + found
        return weight * w if to is None else torch.addcmul(to, weight, w)


def matvec_modes(matrix: Tensor, w: Tensor, dimension: int) -> Tensor:
    """Matrices (..., modes…, i, j) times w (..., j, modes…): (..., i, modes…)."""
    place = -dimension - 1
    return (matrix @ w.movedim(place, -1).unsqueeze(-1)).squeeze(-1).movedim(-1, place)
