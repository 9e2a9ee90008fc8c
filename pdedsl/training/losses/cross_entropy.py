"""Cross-entropy of the class probabilities u(x, T)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from pdedsl.data.draws import Draws
from pdedsl.runtime.expectation import Expectation
from pdedsl.training.losses.accuracy import ACCURACY, accuracy


@dataclass(frozen=True)
class CrossEntropyLoss:
    """Mean of -log u_y(x, T).

    `apart`: the sum of the members' own losses in an ensemble, so that each is trained as if alone (Wang, Yuan, Shi,
    Osher 2020, section 4.2).
    """

    apart: bool = False

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, draws: Draws) -> dict[str, Tensor]:
        ensemble = _ensemble(model) if self.apart else None
        if ensemble is None:
            scores = model(x)
            return {"cross_entropy": functional.cross_entropy(scores, y), ACCURACY: accuracy(scores, y)}
        each = ensemble.each(x)
        scores, labels = each.flatten(0, 1), y.repeat(len(each))
        entropy = functional.cross_entropy(scores, labels)  # a mean over rows and members
        return {"cross_entropy": len(each) * entropy, ACCURACY: accuracy(scores, labels)}


def _ensemble(model: nn.Module) -> Expectation | None:
    return next((module for module in model.modules() if isinstance(module, Expectation)), None)
