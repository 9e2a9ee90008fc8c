"""Cross-entropy with an offset: trains scores for a margin, and so a Lipschitz network for a certified radius."""

from __future__ import annotations

import math
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from pdedsl.data.draws import Draws
from pdedsl.training.losses.accuracy import ACCURACY, accuracy


@dataclass(frozen=True)
class MarginLoss:
    """Mean of τ·CE((s - 2√2 ε e_y)/τ, y), τ = `temperature` (Prach, Brau, Buttazzo, Lampert, CVPR 2024).

    The score of the label must lead by 2√2 ε before the loss is as small as plain cross-entropy at a lead of 0.
    """

    eps: float
    temperature: float

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, draws: Draws) -> dict[str, Tensor]:
        scores = model(x)
        lowered = scores - self.offset * functional.one_hot(y, scores.shape[1]).to(scores.dtype)
        loss = self.temperature * functional.cross_entropy(lowered / self.temperature, y)
        return {"margin": loss, ACCURACY: accuracy(scores, y)}

    @property
    def offset(self) -> float:
        return 2.0 * math.sqrt(2.0) * self.eps
