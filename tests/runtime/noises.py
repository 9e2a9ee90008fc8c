"""Every kind of noise, made small."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from pdedsl.runtime.ode.explicit import ResidualBlock
from pdedsl.runtime.sde.noise import CorrelatedNoise, GaussianNoise, LaplaceNoise, RelativeNoise, ScaledNoise
from pdedsl.runtime.sde.random_residual import Dropout, ShakeShake

FACTOR = torch.tensor([[1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [-1.0, 0.3, 0.7]])


def norm_of(x: Tensor) -> Tensor:
    return x.norm(dim=1)


def diagonal_of(x: Tensor) -> Tensor:
    return torch.diag_embed(x)


class Twice(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return 2.0 * x


KINDS: dict[str, Callable[[int], nn.Module]] = {
    "gaussian": lambda seed: GaussianNoise(0.5, seed=seed),
    "learned": lambda seed: GaussianNoise(nn.Parameter(torch.tensor(0.5)), seed=seed),
    "laplace": lambda seed: LaplaceNoise(0.5, seed=seed),
    "relative": lambda seed: RelativeNoise(0.5, seed=seed),
    "scaled": lambda seed: ScaledNoise(norm_of, seed=seed),
    "correlated": lambda seed: CorrelatedNoise(FACTOR, seed=seed),
    "state-dependent": lambda seed: CorrelatedNoise(diagonal_of, seed=seed),
    "dropout": lambda seed: ResidualBlock(nn.Sequential(Twice(), Dropout(0.6, seed=seed)), 0.5),
    "stochastic depth": lambda seed: ResidualBlock(nn.Sequential(Twice(), Dropout(0.6, seed=seed, of="layer")), 0.5),
    "shake-shake": lambda seed: ResidualBlock(ShakeShake(Twice(), nn.Tanh(), seed=seed), 0.5),
}


def points(n: int = 6, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(n, 3, generator=torch.Generator().manual_seed(1), dtype=dtype) + 2.0
