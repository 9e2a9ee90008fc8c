"""Points, data, and the tolerance of an estimate."""

from __future__ import annotations

import torch
from torch import Tensor

from pdedsl.runtime.sde.feynman_kac import Estimate

torch_double = torch.float64


def points(n: int = 5) -> Tensor:
    return torch.randn(n, 2, generator=torch.Generator().manual_seed(11), dtype=torch_double)


def bump(x: Tensor) -> Tensor:
    return torch.exp(-(x - 0.3).square().sum(-1))


def assert_within(estimate: Estimate, exact: Tensor, bias: float = 0.0, errors: float = 5.0) -> None:
    distance = (estimate.mean - exact).abs()
    assert (distance <= errors * estimate.standard_error + bias).all(), (distance, estimate.standard_error)
