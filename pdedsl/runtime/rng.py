"""Counter-based random numbers: noise is a function of (seed, step) in training and of (seed, call) in evaluation.

The user's generator is neither read nor advanced. A RandomStream keeps three integers, so it is saved with the weights,
copied, pickled and resumed exactly. For `torch.compile` and `torch.export` a sample is one opaque operator: they see a
call, not a generator (compiled `randn` is eleven times slower than eager). Elsewhere it is a plain function: the first
call of an operator imports the compiler, and every call costs more than a small sample itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, cast

import torch
from torch import Tensor, nn

# ---- ONNX: samples by operators that every runtime has, with its generator instead of our seeds


def _sample_laplace(shape: list[int], **options: Any) -> Tensor:
    """Variance 1, by the inverse distribution function, clamped away from log 0."""
    centred: Tensor = torch.rand(shape, **options) - 0.5
    tail = torch.log((1.0 - 2.0 * centred.abs()).clamp(min=1e-7))
    return -torch.sign(centred) * tail * math.sqrt(0.5)


RUNTIME_SAMPLERS: dict[str, Callable[..., Tensor]] = {
    "normal": torch.randn,
    "laplace": _sample_laplace,
    "uniform": torch.rand,
}


def sample_by_runtime(law: str, shape: Sequence[int], dtype: torch.dtype, device: torch.device) -> Tensor:
    """Independent samples of the distribution `law`."""
    return RUNTIME_SAMPLERS[law](list(shape), dtype=dtype, device=device)


# ---- Streams


NoiseLaw = Literal["normal", "laplace", "uniform"]
CLOSED_UNDER_ADDITION: dict[NoiseLaw, bool] = {
    "normal": True,
    "laplace": False,
    "uniform": False,
}  # closed under addition

_MASK = (1 << 64) - 1  # arithmetic modulo 2⁶⁴
_TRAIN, _FROZEN, _EVAL = 1, 2, 3  # part of the key: samples of training and evaluation are independent


def hash_words(*words: int) -> int:
    """Hash integers to one of 63 bits, with the step function of splitmix64 (Steele, Lea & Flood 2014).

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
    """A new generator for one sample, keyed by `words`."""
    return torch.Generator(device).manual_seed(hash_words(*words))


ROWS_PER_GENERATOR = 32
"""Rows of a batch that share a generator: few enough for many processes to share a batch, many enough to be fast."""


def fill_rows(out: Tensor, law: str, row: int, *words: int) -> None:
    """Fill the rows of a batch, the first of which is number `row` of the whole batch.

    The noise of a row depends only on its number, so processes that share a batch get the samples of a single process.
    """
    end = row + out.shape[0]
    for block in range(row // ROWS_PER_GENERATOR, -(-end // ROWS_PER_GENERATOR)):
        low, high = max(block * ROWS_PER_GENERATOR, row), min((block + 1) * ROWS_PER_GENERATOR, end)
        source = generator(out.device, *words, block)
        if high - low == ROWS_PER_GENERATOR:
            fill(out[low - row : high - row], law, source)
            continue
        whole = torch.empty(ROWS_PER_GENERATOR, *out.shape[1:], dtype=out.dtype, device=out.device)
        fill(whole, law, source)
        out[low - row : high - row] = whole[low - block * ROWS_PER_GENERATOR : high - block * ROWS_PER_GENERATOR]


def fill(out: Tensor, law: str, source: torch.Generator) -> None:
    """Fill with independent variables of mean 0 and variance 1 (normal, laplace), or uniform on [0, 1)."""
    SAMPLERS[law](out, source)


def _fill_normal(out: Tensor, source: torch.Generator) -> None:
    out.normal_(generator=source)


def _fill_laplace(out: Tensor, source: torch.Generator) -> None:
    """A difference of exponentials: the inverse distribution function would evaluate log 0 once in 2²⁴ samples."""
    out.exponential_(generator=source).sub_(torch.empty_like(out).exponential_(generator=source))
    out.mul_(0.5**0.5)


def _fill_uniform(out: Tensor, source: torch.Generator) -> None:
    out.uniform_(generator=source)


SAMPLERS: dict[str, Callable[[Tensor, torch.Generator], None]] = {
    "normal": _fill_normal,
    "laplace": _fill_laplace,
    "uniform": _fill_uniform,
}


def sample_noise(
    state: Tensor,
    law: str,
    shape: Sequence[int],
    dtype: torch.dtype,
    device: torch.device,
    first: int,
    row: int,
    training: bool,
) -> Tensor:
    """Noise of shape (samples, rows, ...). Sample k has the number `first + k`.

    row >= 0: noise of this step or call, for rows `row`, `row + 1`, ... of the batch; row < 0: frozen.
    """
    out = torch.empty(shape, dtype=dtype, device=device)
    if out.is_meta:
        return out
    words = _key_words(state, training, row < 0)
    for k in range(shape[0]):  # one generator each: independent of the split into chunks
        if row >= 0:
            fill_rows(out[k], law, row, *words, first + k)
        else:
            fill(out[k], law, generator(device, *words, first + k))
    return out


def sample_noise_block(
    state: Tensor,
    law: str,
    shape: Sequence[int],
    dtype: torch.dtype,
    device: torch.device,
    training: bool,
    frozen: bool,
    words: Sequence[int],
) -> Tensor:
    """Noise of this shape from one generator, keyed by `words` within a step or call."""
    out = torch.empty(shape, dtype=dtype, device=device)
    if not out.is_meta:
        fill(out, law, generator(device, *_key_words(state, training, frozen), *words))
    return out


def _key_words(state: Tensor, training: bool, frozen: bool) -> tuple[int, ...]:
    """The words that identify the noise of one step or call or, if frozen, of all of them."""
    seed, step, call = state.tolist()
    return (_FROZEN, seed) if frozen else (_TRAIN, seed, step) if training else (_EVAL, seed, call)


OPAQUE_SAMPLE = torch.library.custom_op("pdedsl::draw", sample_noise, mutates_args=())
OPAQUE_SAMPLE_BLOCK = torch.library.custom_op("pdedsl::draw_block", sample_noise_block, mutates_args=())


@OPAQUE_SAMPLE.register_fake
@OPAQUE_SAMPLE_BLOCK.register_fake
def _(state: Tensor, law: str, shape: Sequence[int], dtype: torch.dtype, device: torch.device, *_: object) -> Tensor:
    return torch.empty(shape, dtype=dtype, device=device)


def _is_traced(state: Tensor) -> bool:
    """Whether a compiler or a function transform is tracing, or only shapes are needed."""
    transformed = torch._C._functorch.maybe_current_level() is not None
    return transformed or torch.compiler.is_compiling() or type(state) is not Tensor


class RandomStream(nn.Module):
    """The source of one noise block. `state` = (seed, steps, calls) is part of the state_dict.

    Every row of a batch has its own noise, and it differs between steps of training and between calls in evaluation.
    `row` is the number of the first row in the whole batch, if processes share one; by default the rows of different
    processes of a process group are far apart, so that no two have the same noise. While it is `frozen`, there is one
    row per sample, shared by all inputs and calls (common random numbers), so that an output does not depend
    on its batch and the averaged operator f -> u is linear, monotone and preserves constants.
    """

    state: Tensor

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.register_buffer("state", torch.tensor([hash_words(seed), 0, 0]))
        self.first, self.count, self.frozen = 0, 1, False
        self.row: int | None = None

    def reseed(self, seed: int) -> None:
        """Restart at step 0 and call 0 of another stream."""
        self.state.copy_(torch.tensor([hash_words(seed), 0, 0]))

    def forward(self, x: Tensor, law: NoiseLaw = "normal", features: int | None = None) -> Tensor:
        """Noise with as many rows as x or, if frozen, as samples; `features` = 0 gives one number per row."""
        shape = [1] * (x.dim() - 1) if features == 0 else list(x.shape[1:])
        if self.frozen:
            return _match_layout(x, self._draw(x, law, [self.count, *shape], -1))
        if self.first == 0 and not torch.onnx.is_in_onnx_export():  # later chunks belong to the same step or call
            self.advance()
        return self._sample(x, law, [self.count, x.shape[0] // self.count, *shape])

    def advance(self) -> None:
        """Go to the next step of training, or to the next call in evaluation."""
        self.state[1 if self.training else 2].add_(1)

    def block(self, x: Tensor, law: NoiseLaw, shape: Sequence[int], *words: int) -> Tensor:
        """Noise of any shape, identified by `words`, for callers that advance the stream themselves."""
        if torch.onnx.is_in_onnx_export():
            return sample_by_runtime(law, shape, x.dtype, x.device)
        drawn = OPAQUE_SAMPLE_BLOCK if _is_traced(self.state) else sample_noise_block
        made = drawn(self.state, law, list(shape), x.dtype, x.device, self.training, self.frozen, list(words))
        return cast(Tensor, made)

    def spread(self, noise: Tensor, x: Tensor) -> Tensor:
        """Noise with one row per sample, repeated to fit x: all inputs for sample 1, then for sample 2, …"""
        if not self.frozen or self.count == 1:
            return noise
        return noise.repeat_interleave(x.shape[0] // self.count, dim=0)

    def _sample(self, x: Tensor, law: NoiseLaw, shape: list[int]) -> Tensor:
        row = _first_row_of_process() if self.row is None else self.row
        # Sampled in memory order: `randn_like` on a channels_last tensor is seven times slower.
        if not _is_channels_last(x):
            return self._draw(x, law, shape, row).flatten(0, 1)
        samples, n, c, h, w = shape
        return self._draw(x, law, [samples, n, h, w, c], row).flatten(0, 1).permute(0, 3, 1, 2)

    def _draw(self, x: Tensor, law: NoiseLaw, shape: list[int], row: int) -> Tensor:
        if torch.onnx.is_in_onnx_export():
            return sample_by_runtime(law, shape, x.dtype, x.device)
        drawn = OPAQUE_SAMPLE if _is_traced(self.state) else sample_noise
        return cast(Tensor, drawn(self.state, law, shape, x.dtype, x.device, self.first, row, self.training))

    def extra_repr(self) -> str:
        return "" if self.state.is_meta else f"state={self.state.tolist()}"


ROWS_PER_PROCESS = 1 << 40  # more than any batch
"""Distance between the rows of two processes with unknown positions in the batch."""


def _first_row_of_process() -> int:
    distributed = torch.distributed.is_available() and torch.distributed.is_initialized()
    return torch.distributed.get_rank() * ROWS_PER_PROCESS if distributed else 0


def _is_channels_last(x: Tensor) -> bool:
    if x.dim() != 4 or torch._C._functorch.is_batchedtensor(x):  # vmap has no layouts
        return False
    return not x.is_contiguous() and x.is_contiguous(memory_format=torch.channels_last)


def _match_layout(x: Tensor, noise: Tensor) -> Tensor:
    """Frozen noise has the same values in every layout; only its strides follow those of x."""
    return noise.contiguous(memory_format=torch.channels_last) if _is_channels_last(x) else noise


def streams(model: nn.Module) -> list[RandomStream]:
    """Every source of randomness in the model, in the order of its modules."""
    return [module for module in model.modules() if isinstance(module, RandomStream)]


def seed_noise(model: nn.Module, seed: int, row: int | None = None) -> None:
    """Give every noise block its own stream, all derived from one seed, each at step 0.

    `row` is the number of this process's first row in a batch that several processes share; by default each process of
    a process group has its own noise.
    """
    for index, stream in enumerate(streams(model)):
        stream.reseed(hash_words(seed, index))
        stream.row = row


@contextmanager
def frozen_noise(model: nn.Module) -> Iterator[None]:
    """Within, all rows and calls share the noise samples: the model is a function of its input."""
    before = [(source, source.frozen) for source in streams(model)]
    try:
        for source, _ in before:
            source.frozen = True
        yield
    finally:
        for source, was in before:
            source.frozen = was


@contextmanager
def single_call(model: nn.Module) -> Iterator[Callable[[int], None]]:
    """Within, many evaluations are one call on one long batch; the yielded function sets the first row of the next.

    So the noise of a row depends neither on the batch size nor on the number of processes that share the rows.
    """
    before = [(source, source.row, source.state.clone()) for source in streams(model)]

    def begin(row: int) -> None:
        for source, _, state in before:
            source.state.copy_(state)
            source.row = row

    try:
        yield begin
    finally:
        begin(0)
        for source, row, _ in before:
            source.row = row
            source.advance()


@contextmanager
def monte_carlo_samples(sources: Sequence[RandomStream], first: int, count: int) -> Iterator[None]:
    """Within, the batch axis carries the Monte Carlo samples first, ..., first + count - 1."""
    before = [(source.first, source.count) for source in sources]
    try:
        for source in sources:
            source.first, source.count = first, count
        yield
    finally:
        for source, (start, number) in zip(sources, before, strict=True):
            source.first, source.count = start, number
