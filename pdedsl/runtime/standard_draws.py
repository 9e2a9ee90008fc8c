"""Noise by operators that every runtime has, for ONNX: it does not use our seeds, but the runtime's own generator."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


def _laplace(shape: list[int], **options: Any) -> Tensor:
    """By the inverse distribution function, kept away from log 0; variance 1."""
    centred: Tensor = torch.rand(shape, **options) - 0.5
    tail = torch.log((1.0 - 2.0 * centred.abs()).clamp(min=1e-7))
    return -torch.sign(centred) * tail * math.sqrt(0.5)


STANDARD: dict[str, Callable[..., Tensor]] = {"normal": torch.randn, "laplace": _laplace, "uniform": torch.rand}


def standard_draw(law: str, shape: Sequence[int], dtype: torch.dtype, device: torch.device) -> Tensor:
    """Independent numbers with the given law."""
    return STANDARD[law](list(shape), dtype=dtype, device=device)
