"""Functions, points and pairs as small data that hypothesis can draw, shrink and print."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from hypothesis import strategies as st
from torch import Tensor

EXPLICIT_COORDINATES = 3  # coordinates that are drawn one by one; the others come from a seed, and vanish for seed 0


def seeded_coordinates(seed: int, size: int) -> Tensor:
    """Values for the coordinates beyond those that are shown, a vector of length about 2."""
    if seed == 0 or size <= 0:
        return torch.zeros(max(0, size), dtype=torch.float64)
    source = torch.Generator().manual_seed(seed)
    return torch.randn(size, generator=source, dtype=torch.float64).mul(2.0 / size**0.5)


@dataclass(frozen=True)
class CosineSum:
    """A bounded smooth function: base + Σ a cos(k·y + r·y + b), each wave a tuple (a, b, k).

    k runs over the first coordinates, and r, drawn from the seed `rest`, over all others.
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
    """A function whose derivatives of every order vanish at a point: height · exp(-1/|y - x|²)."""

    height: float
    at: tuple[float, ...]

    def __call__(self, y: Tensor) -> Tensor:
        square = (y - torch.tensor(self.at).to(y)).square().sum(-1)
        return self.height * torch.exp(-1.0 / square.clamp_min(1e-12))

    def __str__(self) -> str:
        return f"{self.height:g} exp(-1/|y - {self.at}|²)"


@dataclass(frozen=True)
class AxiomCase:
    """Everything a check needs; `weights` is the seed of the learned fields."""

    f: CosineSum
    g: CosineSum
    bump: Bump
    alpha: float
    beta: float
    point: tuple[float, ...]
    time_fraction: float  # of the time interval
    weights: int
    seed: int = 0  # the seed for the coordinates beyond those of `point`

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
        far = f" and others from seed {self.seed}" if self.seed else ""
        where = f"x = {self.point}{far}, share of time {self.time_fraction:g}, weights from seed {self.weights}"
        return "\n".join([*rows, where])


def _half_integers(low: int, high: int) -> st.SearchStrategy[float]:
    """Multiples of one half: they shrink to small numbers and print well."""
    return st.integers(2 * low, 2 * high).map(lambda n: n / 2)


def cosine_sums(dimension: int) -> st.SearchStrategy[CosineSum]:
    shown = min(dimension, EXPLICIT_COORDINATES)
    wave = st.tuples(_half_integers(-2, 2), _half_integers(0, 3), st.tuples(*[st.integers(-2, 2)] * shown))
    return st.builds(CosineSum, _half_integers(-2, 2), st.lists(wave, max_size=3).map(tuple), _seeds(dimension))


def _seeds(dimension: int) -> st.SearchStrategy[int]:
    """Seeds for the coordinates that are not shown, if there are any."""
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
        share=st.sampled_from((1.0, 0.5, 0.75, 0.25)),
        weights=st.integers(0, 7),
        rest=_seeds(dimension),
    )


@dataclass(frozen=True)
class FeatureMapPair:
    """Two feature maps and weights for a block: drawn from a seed, or the identity; `size` scales the weights."""

    seed: int
    size: float
    identity: bool
    spread: float  # how far the second map is from the first
    scale: float  # of the maps
    shift: float = 0.0  # centre of the maps: some activations decrease for negative arguments
    local: bool = False  # whether they are zero except in two channels of one pixel, where others could hide an effect

    def __str__(self) -> str:
        weights = "K = identity" if self.identity else f"weights from seed {self.seed} times {self.size:g}"
        about = f" about {self.shift:g}" if self.shift else ""
        place = " in two channels of one pixel" if self.local else ""
        return f"{weights}; maps of size {self.scale:g}{about}, {self.spread:g} apart{place} (seed {self.seed})"


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
