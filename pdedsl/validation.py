"""Validation of inputs, labels and logits: returns them in normal form or raises ValueError."""

from __future__ import annotations

import torch
from torch import Tensor


def validate_batch(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """A batch x and its labels y, detached; labels may have any integer dtype."""
    if x.dim() < 2 or y.shape != x.shape[:1]:
        raise ValueError(f"x must have shape (n, ...) and y shape (n,), found {tuple(x.shape)} and {tuple(y.shape)}")
    if not x.is_floating_point() or y.is_floating_point():
        raise ValueError(f"x must be floating point and y integer, found {x.dtype} and {y.dtype}")
    x, y = _detach(x), validate_labels(y)
    if not bool(x.isfinite().all()):
        raise ValueError("x has NaN or infinite values")
    return x, y


def validate_labels(y: Tensor) -> Tensor:
    """Labels as int64, at least 0."""
    y = _detach(y).long()
    if len(y) and int(y.min()) < 0:
        raise ValueError(f"labels must be at least 0, found {int(y.min())}")
    return y


def _detach(t: Tensor) -> Tensor:
    with torch.inference_mode(False):
        return t.clone() if t.is_inference() else t.detach()


def validate_logits(logits: object, n: int) -> Tensor:
    """The output of a classifier for n inputs."""
    if not isinstance(logits, Tensor) or not logits.is_floating_point():
        kind = logits.dtype if isinstance(logits, Tensor) else type(logits).__name__
        raise ValueError(f"the model must return a floating point tensor of logits, found {kind}")
    if logits.dim() != 2 or len(logits) != n or logits.shape[1] < 2:
        raise ValueError(
            f"the model must return logits of shape ({n}, classes), at least two classes, found {tuple(logits.shape)}; "
            "for a single logit s of a binary classifier use torch.stack([-s / 2, s / 2], 1)"
        )
    return logits
