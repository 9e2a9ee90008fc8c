"""Model access of the attacks: logits, input gradients of losses, and predictions averaged over noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, final

import torch
from torch import Tensor

from pdedsl.attacks.criterion import Criterion, Loss
from pdedsl.frozen_model import Model, frozen_state, modules_of, random_state
from pdedsl.validation import validate_logits

Transform = Callable[[Tensor], Tensor]

DRAWS = 32
"""Default number of noise samples in a prediction of a stochastic model."""


class LossGradient(NamedTuple):
    """Loss (n,), logits (n, classes) and gradient of the loss with respect to the input (n, …).

    Logits have the dtype of the model, loss and gradient that of the input.
    """

    loss: Tensor
    logits: Tensor
    gradient: Tensor


@final
class Predictor:
    """A classifier under attack: any callable from inputs (m, …) to logits (m, classes); its state is restored.

    Args:
        model: the classifier.
        eot: number of noise samples averaged in every gradient and query of an attack (expectation over transformation;
            Athalye et al. 2018).
        draws: number of new noise samples averaged in every prediction that decides success; by default 32 for a
            stochastic model and 1 for a deterministic one, as detected from its calls. Probabilities are averaged.
        batch: maximal batch size of a call.
        training: attack the model in training mode, except for batch normalization.

    Raises:
        ValueError: if `eot`, `draws` or `batch` is less than 1.

    Example:
        >>> import torch
        >>> from pdedsl import attacks
        >>> noisy = lambda x: torch.cat([x, -x], 1) + 0.1 * torch.randn(len(x), 2)
        >>> predictor = attacks.Predictor(noisy, eot=4, draws=16)
        >>> attacks.pgd(predictor, torch.tensor([[0.25]]), torch.tensor([0]), eps=1.0, steps=5).draws
        16
    """

    def __init__(
        self, model: Model, *, eot: int = 1, draws: int | None = None, batch: int = 128, training: bool = False
    ) -> None:
        if min(eot, batch, 1 if draws is None else draws) < 1:
            raise ValueError("eot, draws and batch must be at least 1")
        self.model, self.eot, self.batch, self.training = model, eot, batch, training
        self.rows = 0
        """Number of samples passed through the model, forwards or backwards."""
        self._requested_draws, self._draws, self._active = draws, draws or 1, False

    @property
    def draws(self) -> int:
        """The number of noise samples that a prediction averages; 1 for a deterministic model."""
        return self._draws

    @property
    def stochastic(self) -> bool:
        return self._draws > 1

    @property
    def is_deterministic(self) -> bool:
        """Whether the model was detected to be deterministic, so that logits need not be recomputed."""
        return self._requested_draws is None and not self.stochastic

    @property
    def _may_draw(self) -> bool:
        """Whether calls may differ: outside of `frozen`, models are not examined."""
        return not self._active or not self.is_deterministic

    @contextmanager
    def frozen(self, x: Tensor, seed: int) -> Iterator[None]:
        """Context manager: the model is frozen and its noise determined by `seed`; nested contexts have no effect."""
        if self._active:
            yield
            return
        self._active, self.rows = True, 0
        try:
            with (
                torch.inference_mode(False),
                torch.no_grad(),
                frozen_state(modules_of(self.model), seed, self.training),
            ):
                self._draws = self._requested_draws or self._detect_draws(x[:8])
                yield
        finally:
            self._active = False

    def _detect_draws(self, x: Tensor) -> int:
        """1 for a model that draws no random numbers and returns the same logits again, else DRAWS."""
        modules = modules_of(self.model)
        state = random_state(modules)
        first = self._call(x).log_softmax(1)
        if random_state(modules) != state:
            return DRAWS
        again = (self._call(x).log_softmax(1) for _ in range(3))
        return 1 if all(torch.allclose(first, other, 1e-4, 1e-6, equal_nan=True) for other in again) else DRAWS

    def query(self, x: Tensor) -> Tensor:
        """Logits of one query: from one call, or the logarithm of the mean probability over `eot` calls."""
        return self._average_logits(x, self.eot if self._may_draw else 1)

    def predict(self, x: Tensor) -> Tensor:
        """Logits that decide success: as `query`, but over `draws` calls."""
        return self._average_logits(x, self._draws)

    def _average_logits(self, x: Tensor, draws: int) -> Tensor:
        return mean_logits(self.draw(x, draws))

    def draw(self, x: Tensor, draws: int) -> Tensor:
        """Logits of `draws` calls with independent noise, (draws, n, classes)."""
        return _cat([torch.stack([self._call(p) for _ in range(draws)]) for p in torch.split(x, self.batch)], 1)

    def is_significant(self, x: Tensor, criterion: Criterion) -> Tensor:
        """Whether the mean over new noise samples satisfies the criterion, by more than three standard errors.

        Used to stop an attack; the final points are evaluated once more on other noise samples.
        """
        return self.predict_with_significance(x, criterion)[1]

    def predict_with_significance(self, x: Tensor, criterion: Criterion) -> tuple[Tensor, Tensor]:
        """Logits of the prediction, and whether they satisfy the criterion significantly, as in `is_significant`."""
        if not self.stochastic:
            logits = self.predict(x)
            return logits, criterion.is_satisfied(logits)
        draws = self.draw(x, self._draws)
        return mean_logits(draws), _has_significant_lead(draws.softmax(-1), criterion)

    def loss_gradient(
        self, x: Tensor, criterion: Criterion, loss: Loss, transform: Transform | None = None
    ) -> LossGradient:
        """Mean of L(f(T x)) and its gradient over `eot` noise samples and transformations T; logits as in `query`."""
        parts = zip(torch.split(x, self.batch), _slices(len(x), self.batch), strict=True)
        evaluations = [self._eot(rows, criterion.take(which), loss, transform) for rows, which in parts]
        return LossGradient(*(_cat(same) for same in zip(*evaluations, strict=True)))

    def _eot(self, x: Tensor, criterion: Criterion, loss: Loss, transform: Transform | None) -> LossGradient:
        samples = self.eot if self._may_draw or transform is not None else 1
        evaluations = [self._single(x, criterion, loss, transform) for _ in range(samples)]
        if samples == 1:
            return evaluations[0]
        losses, logits, gradients = (torch.stack(same) for same in zip(*evaluations, strict=True))
        return LossGradient(losses.mean(0), mean_logits(logits), gradients.mean(0))

    def _single(self, x: Tensor, criterion: Criterion, loss: Loss, transform: Transform | None) -> LossGradient:
        with torch.enable_grad():
            at = x.detach().requires_grad_()
            logits = self._call(at if transform is None else transform(at))
            value = loss(logits, criterion)
            if not value.requires_grad:  # nothing can be differentiated: the audit reports it
                return LossGradient(value.to(x.dtype), logits, torch.zeros_like(x))
            self.rows += len(x)
            (gradient,) = torch.autograd.grad(value.sum(), at, allow_unused=True, materialize_grads=True)
        return LossGradient(value.detach().to(x.dtype), logits.detach(), gradient)

    def _call(self, x: Tensor) -> Tensor:
        self.rows += len(x)
        return validate_logits(self.model(x), len(x))


def mean_logits(logits: Tensor) -> Tensor:
    """log mean softmax over the first axis; a single sample is returned unchanged."""
    return logits[0] if len(logits) == 1 else logits.log_softmax(-1).logsumexp(0) - math.log(len(logits))


def _has_significant_lead(probabilities: Tensor, criterion: Criterion) -> Tensor:
    """m > 3 s/√k for the mean m and the standard deviation s of the probability margin over k noise samples."""
    mean = probabilities.mean(0)
    label = criterion.y if criterion.target is None else criterion.target
    rival = mean.scatter(1, label[:, None], -1.0).argmax(1)
    index = torch.stack([label, rival], 1).expand(len(probabilities), -1, -1)
    ours, theirs = probabilities.gather(2, index).unbind(-1)
    lead = theirs - ours if criterion.target is None else ours - theirs
    return lead.mean(0) > 3.0 * lead.std(0) / math.sqrt(len(lead))


def _slices(n: int, size: int) -> list[slice]:
    return [slice(first, first + size) for first in range(0, max(n, 1), size)]


def _cat(parts: Sequence[Tensor], dim: int = 0) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(list(parts), dim)
