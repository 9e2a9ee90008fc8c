"""Differences of network outputs are computed in the precision of the weights."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor


def full_precision(x: Tensor) -> AbstractContextManager[object]:
    """Within, automatic mixed precision is off on the device of x."""
    return nullcontext() if x.is_meta else torch.autocast(x.device.type, enabled=False)
