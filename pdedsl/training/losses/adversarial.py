"""Adversarial training: the batch is replaced by adversarial examples (Wang, Yuan, Shi, Osher 2020, Algorithm 3.1).

The attacks are those of `pdedsl.attacks`:

    fgsm    one step of length ε                                        (eq. 3.2)
    ifgsm   `steps` steps of length `step`, projected to the ball       (eq. 3.3)
    pgd     the same from a random start, uniform in the ball           (Algorithm 3.1; Madry et al. 2018)

During the attack the noise of the model is resampled in every forward pass, and batch norms are in eval mode. The
published code attacks in training mode, where ten adversarial batches enter the running statistics for each training
batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from torch import Tensor, nn

from pdedsl.attacks.batch_ops import column
from pdedsl.attacks.constraints import feasible_set, read_box
from pdedsl.attacks.criterion import Criterion
from pdedsl.attacks.norms import L2, read_norm
from pdedsl.attacks.pgd import AscentConfig, ascend, cross_entropy_loss
from pdedsl.attacks.predictor import Predictor
from pdedsl.config import training as words
from pdedsl.config.evaluation import Norm
from pdedsl.data.sampling import KeyedRng
from pdedsl.frozen_model import frozen, module_modes


@dataclass(frozen=True)
class Adversary:
    """An attack within the ball of radius `eps` around each sample, and within `bounds` if they are given.

    `step` defaults to 2.5·eps/steps; fgsm makes one step of length eps. `eot` gradients with independent noise are
    averaged (expectation over transformation; section 4 of the paper).
    """

    config: words.Adversary
    bounds: tuple[float, float] | None = None

    @property
    def eps(self) -> float:
        return float(self.config.eps)

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, rng: KeyedRng) -> Tensor:
        """Adversarial examples after all steps, without early stopping."""
        norm, (steps, length), x = read_norm(self.config.norm.value), self._schedule(), x.detach()
        with module_modes(model.modules(), training=True), frozen(model.parameters()):
            ball, predictor = (
                feasible_set(norm, x, self.eps, read_box(self.bounds)),
                Predictor(model, eot=self.config.eot),
            )
            start = ball.project(self._start(x, rng)) if isinstance(self.config, words.Pgd) else x
            climb = AscentConfig(norm, length, steps, cross_entropy_loss(predictor), stop=False)
            return ascend(predictor, start, Criterion(y), ball, climb).x

    def _schedule(self) -> tuple[int, float]:
        match self.config:
            case words.Fgsm():
                return 1, self.eps
            case words.Pgd(steps=steps, step=step) | words.Ifgsm(steps=steps, step=step):
                return steps, 2.5 * self.eps / steps if step is None else float(step)
            case _:
                assert_never(self.config)

    def _start(self, x: Tensor, rng: KeyedRng) -> Tensor:
        """Uniform in the ball; keyed by (seed, step, sample index), independent of the number of processes."""
        if self.config.norm is Norm.INF:
            return x + self.eps * (2.0 * rng.like(x, "start", "uniform") - 1.0)
        radius = column(rng.numbers(x, "radius").pow(1.0 / x[0].numel()), x)
        return x + self.eps * radius * L2().steepest(rng.like(x, "start"))
