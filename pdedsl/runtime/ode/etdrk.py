"""Exponential time differencing Runge-Kutta methods from their records in `numerics.butcher`, for

    ∂w/∂t = L w + N(w, t)   with L known for every mode

(Cox, Matthews 2002; Krogstad 2005); without N a step is exact. The φ-functions φ₀(z) = eᶻ,
φₖ(z) = Σ zʲ / (j + k)! are computed without cancellation: by their series near 0, and beyond it by
φₖ(2z) = 2⁻ᵏ (φ₀(z) φₖ(z) + Σ_{j=1..k} φⱼ(z) / (k - j)!)
for every mode as often as its |z| requires (Skaflestad and Wright 2009).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import factorial

import torch
from torch import Tensor

from pdedsl.numerics.butcher import ETDRK4, ExponentialRungeKutta, Row
from pdedsl.runtime.ode.step_doubling import PairedStep

# ---- φ-functions of scalars or matrices


SERIES_TERMS = 16  # 2⁻¹⁶ / 16! is below rounding
Product = Callable[[Tensor, Tensor], Tensor]


def phi_functions(z: Tensor, count: int, *, matrices: bool = False) -> list[Tensor]:
    """φ₀ … φ_count of every entry of z, or of every matrix in its last two dimensions."""
    product: Product = torch.matmul if matrices else torch.mul
    one = torch.eye(z.shape[-1], dtype=z.dtype, device=z.device).expand_as(z) if matrices else torch.ones_like(z)
    doublings = _doublings(z, matrices)
    phis = _series(z * 0.5**doublings, one, count, product)
    for done in range(int(doublings.max())):
        doubled = [_double(phis, k, product) for k in range(count + 1)]
        phis = [torch.where(doublings > done, new, old) for new, old in zip(doubled, phis, strict=True)]
    return phis


def _doublings(z: Tensor, matrices: bool) -> Tensor:
    """For each entry or matrix the smallest number that is sufficient: each doubles the rounding errors."""
    sizes = torch.linalg.matrix_norm(z.detach(), ord=1, keepdim=True) if matrices else z.detach().abs()
    return (torch.log2(sizes.clamp_min(0.25)).ceil() + 1).clamp_min(0)


def _series(z: Tensor, one: Tensor, count: int, product: Product) -> list[Tensor]:
    powers = [one]
    for _ in range(SERIES_TERMS):
        powers.append(product(powers[-1], z))
    return [
        sum((p * (1 / factorial(j + k)) for j, p in enumerate(powers)), torch.zeros_like(z)) for k in range(count + 1)
    ]


def _double(phi: list[Tensor], k: int, product: Product) -> Tensor:
    rest = sum((phi[j] / factorial(k - j) for j in range(1, k + 1)), torch.zeros_like(phi[0]))
    twice = product(phi[0], phi[k]) + rest
    return twice * 0.5**k


# ---- Steps


NonlinearTerm = Callable[[Tensor, float], Tensor]
MAX_BATCHED_SIZE = 1 << 14  # state size up to which two step lengths at once are faster than one after the other


@dataclass(frozen=True)
class EtdWeights:
    """e^{chL} for each node c, and the coefficients of the stages for one step length, or for several along a first
    axis; None where a coefficient is zero."""

    exponentials: dict[float, Tensor]
    rows: tuple[tuple[Tensor | None, ...], ...]
    last: tuple[Tensor | None, ...]


@dataclass
class ExponentialSteps(PairedStep):
    """Steps of length T / 2^level of w (..., m, modes…). L is (..., m, modes…) if it is diagonal, otherwise
    (..., modes…, m, m); `nonlinear` is N, and `autonomous` if it does not depend on time."""

    symbol: Tensor
    nonlinear: NonlinearTerm | None
    length: float
    matrices: bool
    dimension: int
    method: ExponentialRungeKutta = ETDRK4
    autonomous: bool = False
    weights_by_levels: dict[tuple[int, ...], EtdWeights] = field(default_factory=dict)
    phis_by_length: dict[float, list[Tensor]] = field(default_factory=dict)  # φ₀, φ₁, … of c h L, by c h / T
    _first: tuple[Tensor, float, Tensor] | None = None  # the last state and time, and N there

    def weights(self, *levels: int) -> EtdWeights:
        if levels not in self.weights_by_levels:
            h = self.symbol.new_tensor([self.length / 2**level for level in levels])
            h = h.reshape(-1, *[1] * self.symbol.ndim) if len(levels) > 1 else h.squeeze()
            phis = {c: self._phis([c / 2**level for level in levels]) for c in {*self.method.nodes[1:], 1.0}}

            def combine(row: tuple[Row, ...], c: float) -> tuple[Tensor | None, ...]:
                return tuple(h * _combination(phis[c], a) if any(a) else None for a in row)

            rows = tuple(map(combine, self.method.rows, self.method.nodes[1:]))
            exponentials = {c: phi[0] for c, phi in phis.items()}
            self.weights_by_levels[levels] = EtdWeights(exponentials, rows, combine(self.method.weights, 1.0))
        return self.weights_by_levels[levels]

    def _phis(self, lengths: list[float]) -> list[Tensor]:
        """φ₀, φ₁, … of h L for step lengths h / T, along a first axis if there are several."""
        if len(lengths) > 1:
            return [torch.stack(same) for same in zip(*(self._phis([one]) for one in lengths), strict=True)]
        (one,) = lengths
        if one not in self.phis_by_length:
            count = max(map(len, (*self.method.weights, *(a for row in self.method.rows for a in row))))
            self.phis_by_length[one] = phi_functions(self.length * one * self.symbol, count, matrices=self.matrices)
        return self.phis_by_length[one]

    def __call__(self, w: Tensor, time: float, level: int) -> Tensor:
        return self._step(self.weights(level), w, time, self.length / 2**level)

    def both(self, w: Tensor, time: float, level: int) -> tuple[Tensor, Tensor]:
        """A step, and one of half the length from the same state: if N is autonomous, stage by stage together."""
        if self.nonlinear is None or not self.autonomous or w.numel() > MAX_BATCHED_SIZE:
            return self(w, time, level), self(w, time, level + 1)
        one, other = self._step(self.weights(level, level + 1), w, time, 0.0).unbind()
        return one, other

    def _step(self, weights: EtdWeights, w: Tensor, time: float, h: float) -> Tensor:
        whole = self._add(None, weights.exponentials[1.0], w)
        if self.nonlinear is None:
            return whole
        bases = {1.0: whole}
        stages = [self._at_start(w, time, self.nonlinear)]
        for c, row in zip(self.method.nodes[1:], weights.rows, strict=True):
            bases[c] = state = bases[c] if c in bases else self._add(None, weights.exponentials[c], w)
            for a, n in zip(row, stages, strict=True):
                state = state if a is None else self._add(state, a, n)
            stages.append(self.nonlinear(state, time + c * h))
        sums: dict[Row, Tensor] = {}  # stages with equal weights are added first
        for b, n in zip(self.method.weights, stages, strict=True):
            sums[b] = sums[b] + n if b in sums else n
        by_weight = dict(zip(self.method.weights, weights.last, strict=True))
        for b, total in sums.items():
            weight = by_weight[b]
            whole = whole if weight is None else self._add(whole, weight, total)
        return whole

    def _at_start(self, w: Tensor, time: float, rest: NonlinearTerm) -> Tensor:
        """N(w, t), shared by steps of several lengths from one state."""
        if self._first is None or self._first[0] is not w or self._first[1] != time:
            self._first = w, time, rest(w, time)
        return self._first[2]

    def _add(self, to: Tensor | None, weight: Tensor, w: Tensor) -> Tensor:
        """to + weight · w, or weight · w alone."""
        if self.matrices:
            product = matvec_modes(weight, w, self.dimension)
            return product if to is None else to + product
        return weight * w if to is None else torch.addcmul(to, weight, w)


def _combination(phis: list[Tensor], coefficients: Row) -> Tensor:
    """Σ_k a_k φ_{k+1}."""
    terms = [a * phi for a, phi in zip(coefficients, phis[1:], strict=False) if a]
    return sum(terms[1:], terms[0])


def matvec_modes(matrix: Tensor, w: Tensor, dimension: int) -> Tensor:
    """Matrices (..., modes…, i, j) times w (..., j, modes…): (..., i, modes…)."""
    place = -dimension - 1
    return (matrix @ w.movedim(place, -1).unsqueeze(-1)).squeeze(-1).movedim(-1, place)
