"""Random numbers that belong to the model: a pure function of (seed, step) in training, of (seed, draw) in evaluation.

The user's generator is neither read nor advanced. A Stream keeps two integers, so it is saved with the weights, copied,
pickled and resumed exactly. The draw is one opaque operator: `torch.compile` and `torch.export` see a call, not a
generator (compiled `randn` is eleven times slower than the eager one).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, cast

import torch
from torch import Tensor, nn

Law = Literal["normal", "laplace", "uniform"]

_MASK = (1 << 64) - 1
_TRAIN, _EVAL = 1, 2


def mix(*words: int) -> int:
    """Hash integers to one of 63 bits, the step function of splitmix64 (Steele, Lea & Flood 2014).

    The low 32 bits are as good as any others, which matters: torch's CPU generator reads only these of a seed.
    """
    z = 0
    for word in words:
        z = (z + (word & _MASK) + 0x9E3779B97F4A7C15) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        z ^= z >> 31
    return z >> 1


def generator(device: torch.device, *words: int) -> torch.Generator:
    """A fresh generator for one draw, named by `words`."""
    return torch.Generator(device).manual_seed(mix(*words))


ROWS = 32
"""Rows of a batch that share a generator: few enough for many processes to share a batch, many enough to be fast."""


def fill_rows(out: Tensor, law: str, row: int, *words: int) -> None:
    """Fill the rows of a batch, the first of which is number `row` of the whole batch.

    A row's noise depends on its number alone, so processes that share a batch draw what one process would.
    """
    end = row + out.shape[0]
    for block in range(row // ROWS, -(-end // ROWS)):
        low, high = max(block * ROWS, row), min((block + 1) * ROWS, end)
        source = generator(out.device, *words, block)
        if high - low == ROWS:
            fill(out[low - row : high - row], law, source)
            continue
        whole = torch.empty(ROWS, *out.shape[1:], dtype=out.dtype, device=out.device)
        fill(whole, law, source)
        out[low - row : high - row] = whole[low - block * ROWS : high - block * ROWS]


def fill(out: Tensor, law: str, source: torch.Generator) -> None:
    """Fill with independent variables of mean 0 and variance 1 (normal, laplace), or uniform on [0, 1)."""
    match law:
        case "normal":
            out.normal_(generator=source)
        case "laplace":
            # A difference of exponentials: the inverse distribution function would meet log 0 once in 2²⁴ draws.
            out.exponential_(generator=source).sub_(torch.empty_like(out).exponential_(generator=source))
            out.mul_(0.5**0.5)
        case "uniform":
            out.uniform_(generator=source)
        case _:
            raise ValueError(f"unknown law {law!r}")


@torch.library.custom_op("pdedsl::draw", mutates_args=())
def draw(
    state: Tensor, law: str, shape: Sequence[int], dtype: torch.dtype, device: torch.device, first: int, row: int
) -> Tensor:
    """Noise of the given shape, (draws, rows, ...). Draw k is number `first + k`.

    row >= 0: training noise of this step, for rows `row`, `row + 1`, ... of the batch; row < 0: evaluation.
    """
    out = torch.empty(shape, dtype=dtype, device=device)
    if device.type == "meta":
        return out
    seed, step = state.tolist()
    if row >= 0:
        for k in range(shape[0]):
            fill_rows(out[k], law, row, _TRAIN, seed, step, first + k)
        return out
    for k in range(shape[0]):  # each its own generator: a draw does not depend on how the draws are cut into chunks
        fill(out[k], law, generator(device, _EVAL, seed, first + k))
    return out


@draw.register_fake
def _(
    state: Tensor, law: str, shape: Sequence[int], dtype: torch.dtype, device: torch.device, first: int, row: int
) -> Tensor:
    return torch.empty(shape, dtype=dtype, device=device)


class Stream(nn.Module):
    """The source of one noise block. `state` = (seed, step) is part of the state_dict.

    Training: the step advances by one, and every row of the batch has noise of its own. Evaluation: one row per
    Monte-Carlo draw, shared by all inputs (common random numbers), so that an output does not depend on its batch
    and the averaged operator f -> u is linear, monotone and keeps constants. `row` is the number of the first row in
    the whole batch, where processes share one.
    """

    state: Tensor

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.register_buffer("state", torch.tensor([mix(seed), 0]))
        self.first, self.count, self.row = 0, 1, 0

    def reseed(self, seed: int) -> None:
        """Start again at step 0 of another stream."""
        self.state.copy_(torch.tensor([mix(seed), 0]))

    def forward(self, x: Tensor, law: Law = "normal", features: int | None = None) -> Tensor:
        """Noise with as many rows as x (training) or as draws (evaluation); `features` = 0 gives one number a row."""
        shape = [1] * (x.dim() - 1) if features == 0 else list(x.shape[1:])
        if not self.training:
            return _laid_out_as(x, self._draw(x, law, [self.count, *shape], -1))
        if self.first == 0:  # later chunks of draws belong to the same step
            self.state[1].add_(1)
        return self._fresh(x, law, [self.count, x.shape[0] // self.count, *shape])

    def spread(self, noise: Tensor, x: Tensor) -> Tensor:
        """One row per draw made broadcastable to x, whose rows are all inputs of draw 1, then of draw 2, ..."""
        if self.training or self.count == 1:
            return noise
        return noise.repeat_interleave(x.shape[0] // self.count, dim=0)

    def _fresh(self, x: Tensor, law: Law, shape: list[int]) -> Tensor:
        # Drawn in memory order: `randn_like` on a channels_last tensor is seven times slower.
        if not _is_channels_last(x):
            return self._draw(x, law, shape, self.row).flatten(0, 1)
        draws, n, c, h, w = shape
        return self._draw(x, law, [draws, n, h, w, c], self.row).flatten(0, 1).permute(0, 3, 1, 2)

    def _draw(self, x: Tensor, law: Law, shape: list[int], row: int) -> Tensor:
        return cast(Tensor, draw(self.state, law, shape, x.dtype, x.device, self.first, row))

    def extra_repr(self) -> str:
        return "" if self.state.is_meta else f"state={self.state.tolist()}"


def _is_channels_last(x: Tensor) -> bool:
    return x.dim() == 4 and not x.is_contiguous() and x.is_contiguous(memory_format=torch.channels_last)


def _laid_out_as(x: Tensor, noise: Tensor) -> Tensor:
    """Evaluation noise has the same values in every layout; only its strides follow x."""
    return noise.contiguous(memory_format=torch.channels_last) if _is_channels_last(x) else noise


def streams(model: nn.Module) -> list[Stream]:
    """Every source of randomness in the model, in the order of its modules."""
    return [module for module in model.modules() if isinstance(module, Stream)]


def seed_noise(model: nn.Module, seed: int, row: int = 0) -> None:
    """Give every noise block its own stream, all derived from one seed, each at step 0.

    `row` is the number of this process's first row in a batch that several processes share.
    """
    for index, stream in enumerate(streams(model)):
        stream.reseed(mix(seed, index))
        stream.row = row


@contextmanager
def drawing(sources: Sequence[Stream], first: int, count: int) -> Iterator[None]:
    """Within, an evaluation carries the Monte-Carlo draws first, ..., first + count - 1 along the batch axis."""
    before = [(source.first, source.count) for source in sources]
    try:
        for source in sources:
            source.first, source.count = first, count
        yield
    finally:
        for source, (start, number) in zip(sources, before, strict=True):
            source.first, source.count = start, number
