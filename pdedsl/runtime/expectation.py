"""u(x, T) = E f(X_T), the Feynman-Kac average, over Monte-Carlo draws and over members with their own weights.

Averages are of probabilities, f = softmax, because the mean of softmax is not the softmax of the mean; the result is
returned as a logarithm, so that the softmax of the scores is u. Averaging logits, as Wang, Yuan, Shi, Osher 2020 do in
sections 3 and 5, is an option.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import assert_never, cast

import torch
from torch import Tensor, nn

from pdedsl.runtime.streams import Stream, drawing, seed_noise, streams
from pdedsl.words.diffusions import Scores, Weighting


class Expectation(nn.Module):
    """log Σ_m w_m · mean_k softmax(member_m(x; draw k)), or Σ_m w_m · mean_k member_m(x; draw k) for logits.

    Members may be of different kinds and depths, and may have been trained separately (Wang, Yuan, Shi, Osher 2020,
    section 4.2); every noise block in them gets its own stream from `seed`. Learned weights are the softmax of
    parameters (section 5 of that paper). `samples` is used in training, `eval_samples` (if set) in evaluation; both may
    be changed at any time. Draws are folded into the batch axis in chunks of at most `rows` rows, or of one draw.
    `batch` is the size of the whole batch if several processes share one in training, so that all split the draws in
    the same way.
    """

    def __init__(
        self,
        members: Iterable[nn.Module],
        *,
        seed: int,
        samples: int = 1,
        eval_samples: int | None = None,
        average: str = "probabilities",
        weights: str = "equal",
        rows: int = 256,
    ) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)
        if not self.members:
            raise ValueError("an expectation needs at least one member")
        self.samples, self.eval_samples, self.average, self.rows = samples, eval_samples, Scores(average), rows
        self.batch: int | None = None
        learned = Weighting(weights) is Weighting.LEARNED
        self.weight_logits = nn.Parameter(torch.zeros(len(self.members))) if learned else None
        seed_noise(self, seed)

    def weights(self) -> Tensor:
        """The weights of the members: positive, with sum 1."""
        return self._log_weights().exp()

    def _log_weights(self) -> Tensor:
        if self.weight_logits is not None:
            return self.weight_logits.log_softmax(0)
        return torch.full((len(self.members),), -math.log(len(self.members)), dtype=torch.float64)

    def forward(self, x: Tensor) -> Tensor:
        scores = [self._over_draws(member, x) for member in self.members]
        if len(scores) == 1:
            return scores[0]
        return self._over_members(torch.stack(scores))

    def each(self, x: Tensor) -> Tensor:
        """The scores of every member by itself, (members, n, classes), to train them separately.

        Σ_m CE(member_m) has the gradients of as many separate trainings, and `forward` averages what they learned
        (Wang, Yuan, Shi, Osher 2020, section 4.2).
        """
        return torch.stack([self._over_draws(member, x) for member in self.members])

    def _over_members(self, scores: Tensor) -> Tensor:
        log_weights = self._log_weights().to(scores).reshape(-1, *[1] * (scores.dim() - 1))
        match self.average:
            case Scores.PROBABILITIES:
                return torch.logsumexp(log_weights + scores, 0)
            case Scores.LOGITS:
                return (log_weights.exp() * scores).sum(0)
            case _:
                assert_never(self.average)

    def _over_draws(self, member: nn.Module, x: Tensor) -> Tensor:
        sources = streams(member)
        samples = self.samples if self.training or self.eval_samples is None else self.eval_samples
        if samples == 1 or not sources:
            return self._mean([self._scores(member(x)).unsqueeze(0)], 1)
        before, after = _split_at_noise(member) if not self.training else ([], [member])
        return self._mean(list(self._chunks(after, _run(before, x), sources, samples)), samples)

    def _chunks(self, parts: list[nn.Module], x: Tensor, sources: list[Stream], samples: int) -> Iterator[Tensor]:
        """Scores of shape (draws, n, classes), one chunk of draws at a time."""
        # An exported graph must not depend on the batch size, so all draws are folded at once there.
        whole = self.batch if self.training and self.batch is not None else x.shape[0]
        most = samples if torch.compiler.is_exporting() else max(1, self.rows // max(whole, 1))
        for first in range(0, samples, most):
            count = min(most, samples - first)
            with drawing(sources, first, count):
                scores = _run(parts, _fold(x, count))
            yield self._scores(scores.reshape(count, x.shape[0], *scores.shape[1:]))

    def _scores(self, logits: Tensor) -> Tensor:
        return logits.log_softmax(-1) if self.average is Scores.PROBABILITIES else logits

    def _mean(self, chunks: list[Tensor], samples: int) -> Tensor:
        scores = chunks[0] if len(chunks) == 1 else torch.cat(chunks)
        if samples == 1:
            return scores.squeeze(0)
        if self.average is Scores.PROBABILITIES:
            return torch.logsumexp(scores, 0) - math.log(samples)
        return scores.mean(0)

    def extra_repr(self) -> str:
        return f"samples={self.samples}, eval_samples={self.eval_samples}, average={self.average.value!r}"


def _fold(x: Tensor, count: int) -> Tensor:
    """All inputs of draw 1, then of draw 2, ..., along the batch axis; by `cat`, since `repeat` loses channels_last."""
    return x if count == 1 else torch.cat([x] * count)


def _split_at_noise(member: nn.Module) -> tuple[list[nn.Module], list[nn.Module]]:
    """What comes before the first noise runs once, not once per draw."""
    parts = list(member) if isinstance(member, nn.Sequential) else [member]
    first = next(index for index, part in enumerate(parts) if streams(part))
    return parts[:first], parts[first:]


def _run(parts: list[nn.Module], x: Tensor) -> Tensor:
    for part in parts:
        x = cast(Tensor, part(x))
    return x
