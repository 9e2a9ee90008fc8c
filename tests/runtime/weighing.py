"""Points, a wave, and the tolerance of an estimate."""

from __future__ import annotations

import torch
from torch import Tensor

from pdedsl.runtime.sde.feynman_kac import Estimate

F64 = torch.float64


X = torch.tensor([[-1.2], [-0.3], [0.0], [0.5], [1.7]], dtype=F64)


def within(estimate: Estimate, exact: Tensor, bias: float = 0.0) -> None:
    distance = (estimate.mean - exact).abs()
    assert (distance <= 5 * estimate.standard_error + bias).all(), (distance, estimate.standard_error)


def wave(x: Tensor) -> Tensor:
    return torch.cos(2.0 * x[..., 0])
