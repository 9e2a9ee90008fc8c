"""Forward-mode derivatives. Torch prepares them on first use, with a warning of its own about `torch.jit.script`: it is
silenced here, once, and so does not break into a user's output."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import torch
from torch import Tensor
from torch.autograd import forward_ad

with warnings.catch_warnings(), forward_ad.dual_level():
    warnings.filterwarnings("ignore", "`torch.jit.script` is (deprecated|not supported)", FutureWarning)
    forward_ad.make_dual(torch.zeros(1), torch.zeros(1))  # type: ignore[no-untyped-call]


def tangent_of(f: Callable[..., Tensor], points: tuple[Tensor, ...], tangents: tuple[Tensor, ...]) -> Tensor:
    """f′·tangent, where f is a function of as many tensors as there are points."""
    found: Tensor = torch.func.jvp(f, points, tangents)[1]
    return found
