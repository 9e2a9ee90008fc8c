"""Which fields give the same values when evaluated again."""

from __future__ import annotations

from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.instancenorm import _InstanceNorm


def require_repeatable(field: nn.Module) -> None:
    """Refuse modules whose second evaluation differs from the first: randomness, or statistics of the batch.

    Other modules can declare it by an attribute `stochastic = True`; in addition, reversible.py compares two runs.
    """
    for name, module in field.named_modules():
        reason = _unrepeatable(module)
        if reason:
            where = f" at {name!r}" if name else ""
            raise ValueError(
                f"reversible execution composes with noise-free blocks only: {type(module).__name__}{where} {reason}"
            )


def _unrepeatable(module: nn.Module) -> str | None:
    if isinstance(module, _BatchNorm):
        return "uses batch statistics"
    if isinstance(module, _InstanceNorm) and module.track_running_stats:
        return "updates running statistics"
    if isinstance(module, (_DropoutNd, nn.RReLU, nn.FractionalMaxPool2d)) or getattr(module, "stochastic", False):
        return "draws random numbers"
    return None
