"""Noise blocks: their laws, and what every one of them must keep (streams, batches, devices, gradients)."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable

import pytest
import torch
from torch import nn

from pdedsl.runtime.rng import frozen_noise, hash_words, monte_carlo_samples, seed_noise, single_call, streams
from pdedsl.runtime.sde.noise import GaussianNoise
from runtime.noises import KINDS, points

every_kind = pytest.mark.parametrize("kind", list(KINDS))


def test_mix_separates_words_and_their_order() -> None:
    keys = [hash_words(*words) for words in [(0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1), (2**40, 0)]]
    assert len({key & 0xFFFFFFFF for key in keys}) == len(keys)
    assert all(0 <= key < 2**63 for key in keys)


@every_kind
def test_the_users_generator_is_neither_read_nor_advanced(kind: str) -> None:
    block, x = KINDS[kind](0), points()
    outputs = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        before = torch.get_rng_state()
        seed_noise(block, 7)
        outputs.append((block.train()(x), block.eval()(x)))
        assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(outputs[0][0], outputs[1][0])
    assert torch.equal(outputs[0][1], outputs[1][1])


@every_kind
def test_evaluation_has_new_noise_for_each_row_and_call(kind: str) -> None:
    """64 copies of one sample: rows and calls differ, and a second block with the seed repeats the calls."""
    block, twin, x = KINDS[kind](3).eval(), KINDS[kind](3).eval(), points(1).repeat(64, 1)
    calls = [block(x) for _ in range(3)]
    assert all(len(call.unique(dim=0)) > 1 for call in calls)
    assert not torch.equal(calls[0], calls[1])
    assert all(torch.equal(twin(x), call) for call in calls)
    seed_noise(block, 8)
    again = block(x)
    seed_noise(block, 8)
    assert torch.equal(block(x), again)


def test_noise_of_rows_and_calls_is_independent() -> None:
    """10³ numbers a row: |correlation| < 4.9/√1000 fails once in 10⁶, three times compared."""
    block = GaussianNoise(1.0, seed=0).eval()
    first, second = block(torch.zeros(2, 1000)), block(torch.zeros(2, 1000))
    for a, b in ((first[0], first[1]), (first[0], second[0]), (first[1], second[1])):
        assert abs(float((a * b).mean())) < 4.9 / math.sqrt(1000)


def test_many_evaluations_as_one_call() -> None:
    """The noise of a row does not depend on the size of the batches; the next call has another."""
    x, found = points(70), []
    for size in (70, 33, 8):
        block = GaussianNoise(1.0, seed=0).eval()
        with single_call(block) as begin:
            rows = []
            for start in range(0, 70, size):
                begin(start)
                rows.append(block(x[start : start + size]))
        found.append(torch.cat(rows))
        assert not torch.equal(block(x), found[-1])
        assert block.stream.row is None
        assert block.stream.state.tolist()[1:] == [0, 2]
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


@every_kind
def test_a_frozen_evaluation_repeats_itself_and_knows_no_batch(kind: str) -> None:
    block, x = KINDS[kind](3).eval(), points(9)
    with frozen_noise(block):
        together = block(x)
        assert torch.equal(block(x), together)
        assert torch.equal(torch.cat([block(row) for row in x.split(1)]), together)
        order = torch.tensor([4, 0, 8, 2, 1])
        assert torch.equal(block(x[order]), together[order])
    assert not streams(block)[0].frozen
    assert streams(block)[0].state[1:].tolist() == [0, 0]


@every_kind
def test_folding_does_not_change_samples(kind: str) -> None:
    block, x = KINDS[kind](3).eval(), points(4)
    with frozen_noise(block):
        alone = []
        for k in range(16):
            with monte_carlo_samples(streams(block), k, 1):
                alone.append(block(x))
        with monte_carlo_samples(streams(block), 0, 16):
            folded = block(x.repeat(16, 1))
        torch.testing.assert_close(folded, torch.cat(alone))
        assert not all(torch.equal(alone[0], other) for other in alone)
        assert torch.equal(block(x), alone[0])  # the context leaves nothing behind


@every_kind
def test_training_is_independent_over_rows_and_steps_and_resumes(kind: str) -> None:
    block, x = KINDS[kind](3), points(1).repeat(64, 1)
    first = block(x)
    assert len(first.unique(dim=0)) > 1
    saved, second = copy.deepcopy(block.state_dict()), block(x)
    assert not torch.equal(first, second)
    resumed = KINDS[kind](99)
    resumed.load_state_dict(saved)
    assert torch.equal(resumed(x), second)


def test_an_evaluation_between_steps_changes_no_training_noise() -> None:
    x, block, other = points(), GaussianNoise(1.0, seed=0), GaussianNoise(1.0, seed=0)
    block.eval()(x)
    assert torch.equal(block.train()(x), other(x))


@pytest.mark.parametrize("cut", [1, 32, 50])
@pytest.mark.parametrize("samples", [1, 3])
def test_noise_does_not_depend_on_the_number_of_processes(cut: int, samples: int) -> None:
    x, halves, model = points(100), [], GaussianNoise(1.0, seed=0)
    for part, row in ((x[:cut], 0), (x[cut:], cut)):
        seed_noise(model, 5, row=row)
        with monte_carlo_samples(streams(model), 0, samples):
            halves.append(model(part.repeat(samples, 1)).reshape(samples, len(part), -1))
    seed_noise(model, 5)
    with monte_carlo_samples(streams(model), 0, samples):
        whole = model(x.repeat(samples, 1)).reshape(samples, len(x), -1)
    assert torch.equal(torch.cat(halves, 1), whole)
    assert len((whole - x).flatten(0, 1).unique(dim=0)) == samples * len(x)


def test_chunks_of_samples_belong_to_one_step() -> None:
    x, model = points(5), GaussianNoise(1.0, seed=0)
    with monte_carlo_samples(streams(model), 0, 4):
        whole = model(x.repeat(4, 1)).reshape(4, 5, -1)
    twin = GaussianNoise(1.0, seed=0)
    parts = []
    for first, count in ((0, 1), (1, 3)):
        with monte_carlo_samples(streams(twin), first, count):
            parts.append(twin(x.repeat(count, 1)).reshape(count, 5, -1))
    assert torch.equal(torch.cat(parts), whole)


def test_layers_have_different_streams() -> None:
    model = nn.Sequential(GaussianNoise(1.0, seed=0), nn.Identity(), GaussianNoise(1.0, seed=0)).eval()
    seed_noise(model, 4)
    a, b = (stream(torch.zeros(1, 1000)) for stream in streams(model))
    # Two independent streams of 1000: |correlation| < 4.9/√1000 fails once in 10⁶.
    assert abs(float((a * b).mean())) < 4.9 / math.sqrt(1000)


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"])
@every_kind
def test_copies_are_independent_and_equal(kind: str, copier: Callable[[nn.Module], nn.Module]) -> None:
    block, x = KINDS[kind](3), points()
    block(x)
    twin = copier(block)
    assert torch.equal(twin(x), block(x))
    twin(x)
    assert torch.equal(twin.eval()(x), block.eval()(x))
    assert streams(twin)[0].state[1] == 3
    assert streams(block)[0].state[1] == 2


@every_kind
@pytest.mark.parametrize("training", [True, False])
def test_meta_device(kind: str, training: bool) -> None:
    block = KINDS[kind](0).to("meta").train(training)
    x = torch.empty(5, 3, device="meta", requires_grad=True)
    y = block(x)
    y.sum().backward()
    assert y.shape == (5, 3)
    assert y.is_meta
    assert x.grad is not None


@every_kind
def test_gradcheck(kind: str) -> None:
    block = KINDS[kind](0).eval().double()
    x = points(3, torch.float64).requires_grad_()
    with frozen_noise(block):
        assert torch.autograd.gradcheck(block, x)
    assert block(x).dtype == torch.float64


@every_kind
def test_half_precision(kind: str) -> None:
    block = KINDS[kind](0).to(torch.bfloat16)
    assert block(points(3, torch.bfloat16)).dtype == torch.bfloat16
    assert block.eval()(points(3, torch.bfloat16)).dtype == torch.bfloat16
