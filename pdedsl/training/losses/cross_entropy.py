"""Cross-entropy of the class probabilities u(x, T)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from pdedsl.data.draws import Draws
from pdedsl.runtime.expectation import Expectation


@dataclass(frozen=True)
class CrossEntropyLoss:
    """Mean of -log u_y(x, T).

    `apart`: the sum over the members of an ensemble of each one's own, so that they are trained as if alone (Wang,
    Yuan, Shi, Osher 2020, section 4.2).
    """

    apart: bool = False

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, draws: Draws) -> dict[str, Tensor]:
        ensemble = _ensemble(model) if self.apart else None
        if ensemble is None:
            return {"cross_entropy": functional.cross_entropy(model(x), y)}
        scores = ensemble.each(x)
        members = scores.shape[0]
        return {"cross_entropy": members * functional.cross_entropy(scores.flatten(0, 1), y.repeat(members))}


def _ensemble(model: nn.Module) -> Expectation | None:
    return next((module for module in model.modules() if isinstance(module, Expectation)), None)
