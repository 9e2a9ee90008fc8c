"""Order of the samples: concatenated permutations with random access."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import torch

from pdedsl.data.batches import BatchOrder

SIZES = [(7, 3), (10, 5), (12, 12), (5, 13), (1, 4), (100, 32)]


def stream(order: BatchOrder, steps: Iterable[int]) -> list[int]:
    return [i for step in steps for i in order.at(step).tolist()]


@pytest.mark.parametrize(("n", "batch"), SIZES)
def test_every_pass_holds_every_index_once(n: int, batch: int) -> None:
    found = stream(BatchOrder(3, n, batch), range(-(-5 * n // batch)))
    for k in range(5):
        assert sorted(found[k * n : (k + 1) * n]) == list(range(n))


@pytest.mark.parametrize(("n", "batch"), SIZES)
def test_a_batch_has_its_size_and_any_step_can_be_asked_first(n: int, batch: int) -> None:
    steps = [9, 2, 40, 2, 0, 41]
    found = {step: BatchOrder(3, n, batch).at(step) for step in steps}
    forward = BatchOrder(3, n, batch)
    for step in range(42):
        expected = forward.at(step)
        assert expected.shape == (batch,)
        assert expected.dtype == torch.int64
        if step in found:
            assert torch.equal(found[step], expected)
            assert torch.equal(BatchOrder(3, n, batch).at(step), expected)


def test_the_stream_knows_no_batch_size() -> None:
    assert stream(BatchOrder(1, 20, 4), range(15)) == stream(BatchOrder(1, 20, 6), range(10))


def test_passes_and_seeds_differ() -> None:
    order = BatchOrder(0, 50, 50)
    assert len({tuple(order.at(k).tolist()) for k in range(20)}) == 20
    assert len({tuple(BatchOrder(seed, 50, 50).at(0).tolist()) for seed in range(20)}) == 20


def test_first_elements_are_uniform() -> None:
    """χ² over 10 values of 2000 first elements: above 27.9 (9 degrees of freedom) once in a thousand seeds."""
    first = torch.stack([BatchOrder(seed, 10, 1).at(0) for seed in range(2000)]).flatten()
    counts = torch.bincount(first, minlength=10).double()
    assert ((counts - 200) ** 2 / 200).sum() < 27.9


def test_a_batch_is_a_copy_and_the_global_generator_is_unchanged() -> None:
    state = torch.get_rng_state()
    order = BatchOrder(0, 10, 4)
    expected = order.at(0).tolist()
    order.at(0).zero_()
    assert order.at(0).tolist() == expected
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(("n", "batch"), [(0, 4), (4, 0)])
def test_nothing_to_order(n: int, batch: int) -> None:
    with pytest.raises(ValueError, match="n and batch must be positive"):
        BatchOrder(0, n, batch)
