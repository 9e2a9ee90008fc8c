"""Checks samples, classes and scores as they come in: returns them in usable form, or raises ValueError."""

from __future__ import annotations

import torch
from torch import Tensor


def read_samples(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """A batch and a class for each of its rows, detached from any graph; classes may be of any integer type."""
    if x.dim() < 2 or y.shape != x.shape[:1]:
        raise ValueError(f"x is a batch and y a class for each of its rows, not {tuple(x.shape)} and {tuple(y.shape)}")
    if not x.is_floating_point() or y.is_floating_point():
        raise ValueError(f"x is of floating point and y of whole numbers, not {x.dtype} and {y.dtype}")
    x, y = _apart(x), read_classes(y)
    if not bool(x.isfinite().all()):
        raise ValueError("x holds numbers that are not finite")
    return x, y


def read_classes(y: Tensor) -> Tensor:
    """Class indices, from 0 on."""
    y = _apart(y).long()
    if len(y) and int(y.min()) < 0:
        raise ValueError(f"classes are counted from 0, and there is {int(y.min())}")
    return y


def _apart(t: Tensor) -> Tensor:
    with torch.inference_mode(False):
        return t.clone() if t.is_inference() else t.detach()


def read_scores(scores: object, n: int) -> Tensor:
    """What a model returns for n rows."""
    if not isinstance(scores, Tensor) or not scores.is_floating_point():
        kind = scores.dtype if isinstance(scores, Tensor) else type(scores).__name__
        raise ValueError(f"a model returns a tensor of scores, of floating point, not {kind}")
    if scores.dim() != 2 or len(scores) != n or scores.shape[1] < 2:
        raise ValueError(
            f"a model returns a score for each of two classes or more, ({n}, classes), not {tuple(scores.shape)}; "
            "one score s for two classes is torch.stack([-s / 2, s / 2], 1)"
        )
    return scores
