"""Hypothesis strategies for test functions, points and feature maps, as data that shrinks and prints."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from hypothesis import strategies as st
from torch import Tensor

EXPLICIT_COORDINATES = 3  # coordinates generated individually; the others come from a seed, and are zero for seed 0


def seeded_coordinates(seed: int, size: int) -> Tensor:
    """Values of the coordinates that are not explicit: a vector of length about 2."""
    if seed == 0 or size <= 0:
        return torch.zeros(max(0, size), dtype=torch.float64)
    source = torch.Generator().manual_seed(seed)
    return torch.randn(size, generator=source, dtype=torch.float64).mul(2.0 / size**0.5)


@dataclass(frozen=True)
class CosineSum:
    """A bounded smooth function: base + Σ a cos(k·y + r·y + b), with terms (a, b, k).

    k has entries for the explicit coordinates, and r, from `seed`, for all others.
    """

    base: float
    terms: tuple[tuple[float, float, tuple[int, ...]], ...]
    seed: int = 0

    def __call__(self, y: Tensor) -> Tensor:
        total = torch.full_like(y[..., 0], self.base)
        far = y[..., EXPLICIT_COORDINATES:] @ seeded_coordinates(self.seed, y.shape[-1] - EXPLICIT_COORDINATES).to(y)
        for a, b, k in self.terms:
            phase = sum((c * y[..., i % y.shape[-1]] for i, c in enumerate(k)), far + b)
            total = total + a * torch.cos(phase)
        return total

    def __str__(self) -> str:
        far = f"r·y (seed {self.seed})" if self.seed else ""
        terms = [
            f"{a:g} cos({_sum([*(_times(c, f'y{i + 1}') for i, c in enumerate(k)), far, _number(b)])})"
            for a, b, k in self.terms
            if a
        ]
        return _sum([_number(self.base), *terms])


def _number(value: float) -> str:
    return f"{value:g}" if value else ""


def _times(factor: int, name: str) -> str:
    return {0: "", 1: name, -1: f"-{name}"}.get(factor, f"{factor} {name}")


def _sum(terms: list[str]) -> str:
    return " + ".join(filter(None, terms)).replace("+ -", "- ") or "0"


@dataclass(frozen=True)
class Bump:
    """A nonnegative function, height · exp(-|y - centre|²/width²)."""

    height: float
    centre: tuple[float, ...]
    width: float = 1.0

    def __call__(self, y: Tensor) -> Tensor:
        k = min(len(self.centre), y.shape[-1])
        away = y[..., :k] - torch.tensor(self.centre[:k]).to(y)
        return self.height * torch.exp(-(away / self.width).square().sum(-1))

    def __str__(self) -> str:
        return f"{self.height:g} exp(-|y - {self.centre}|²" + (")" if self.width == 1 else f"/{self.width:g}²)")


@dataclass(frozen=True)
class FlatFunction:
    """A function all of whose derivatives vanish at a point: height · exp(-1/|y - x|²)."""

    height: float
    at: tuple[float, ...]

    def __call__(self, y: Tensor) -> Tensor:
        square = (y - torch.tensor(self.at).to(y)).square().sum(-1)
        return self.height * torch.exp(-1.0 / square.clamp_min(1e-12))

    def __str__(self) -> str:
        return f"{self.height:g} exp(-1/|y - {self.at}|²)"


@dataclass(frozen=True)
class AxiomCase:
    """A test case for an axiom: functions, a point and a time; `weights` is the seed of the learned fields."""

    f: CosineSum
    g: CosineSum
    bump: Bump
    alpha: float
    beta: float
    point: tuple[float, ...]
    time_fraction: float  # of the time interval
    weights: int
    seed: int = 0  # of the coordinates that are not in `point`

    def position(self, dimension: int) -> Tensor:
        """The point, of shape (1, d)."""
        first = torch.tensor(self.point[:dimension], dtype=torch.float64)
        return torch.cat([first, seeded_coordinates(self.seed, dimension - len(first))]).unsqueeze(0)

    def __str__(self) -> str:
        rows = [
            f"f(y) = {self.f}",
            f"g(y) = {self.g}",
            f"bump(y) = {self.bump}",
            f"α = {self.alpha:g}, β = {self.beta:g}",
        ]
        far = f" and other coordinates from seed {self.seed}" if self.seed else ""
        where = f"x = {self.point}{far}, time fraction {self.time_fraction:g}, weights from seed {self.weights}"
        return "\n".join([*rows, where])


def _half_integers(low: int, high: int) -> st.SearchStrategy[float]:
    """Multiples of one half: they shrink to small numbers and print well."""
    return st.integers(2 * low, 2 * high).map(lambda n: n / 2)


def cosine_sums(dimension: int) -> st.SearchStrategy[CosineSum]:
    shown = min(dimension, EXPLICIT_COORDINATES)
    wave = st.tuples(_half_integers(-2, 2), _half_integers(0, 3), st.tuples(*[st.integers(-2, 2)] * shown))
    return st.builds(CosineSum, _half_integers(-2, 2), st.lists(wave, max_size=3).map(tuple), _seeds(dimension))


def _seeds(dimension: int) -> st.SearchStrategy[int]:
    """Seeds for the coordinates that are not explicit, if there are any."""
    return st.integers(0, 50) if dimension > EXPLICIT_COORDINATES else st.just(0)


def points(dimension: int) -> st.SearchStrategy[tuple[float, ...]]:
    return st.tuples(*[_half_integers(-1, 1)] * dimension)


def cases(dimension: int) -> st.SearchStrategy[AxiomCase]:
    small = min(dimension, EXPLICIT_COORDINATES)
    return st.builds(
        AxiomCase,
        f=cosine_sums(dimension),
        g=cosine_sums(dimension),
        bump=st.builds(Bump, _half_integers(1, 3), points(small), st.sampled_from((1.0, 0.5, 0.2))),
        alpha=_half_integers(-2, 2),
        beta=_half_integers(-2, 2),
        point=points(small),
        time_fraction=st.sampled_from((1.0, 0.5, 0.75, 0.25)),
        weights=st.integers(0, 7),
        seed=_seeds(dimension),
    )


@dataclass(frozen=True)
class FeatureMapPair:
    """Two feature maps, and weights of a block: random from a seed times `size`, or the identity."""

    seed: int
    size: float
    identity: bool
    spread: float  # standard deviation of the difference
    scale: float  # standard deviation of the maps
    shift: float = 0.0  # mean of the maps: some activations decrease for negative arguments
    local: bool = False  # zero except in two channels of one pixel, so that no other channel hides an effect

    def __str__(self) -> str:
        weights = "K = identity" if self.identity else f"weights from seed {self.seed} times {self.size:g}"
        mean = f" and mean {self.shift:g}" if self.shift else ""
        maps = f"feature maps of standard deviation {self.scale:g}{mean}"
        place = " in two channels of one pixel" if self.local else ""
        return f"{weights}; {maps}, their difference {self.spread:g}{place} (seed {self.seed})"


def feature_map_pairs() -> st.SearchStrategy[FeatureMapPair]:
    return st.builds(
        FeatureMapPair,
        seed=st.integers(0, 200),
        size=st.sampled_from((1.0, 0.3, 3.0, 10.0)),
        identity=st.booleans(),
        spread=st.sampled_from((1.0, 0.1, 3.0)),
        scale=st.sampled_from((1.0, 0.2, 5.0)),
        shift=st.sampled_from((0.0, -2.0, 2.0, -20.0, 20.0)),
        local=st.booleans(),
    )
