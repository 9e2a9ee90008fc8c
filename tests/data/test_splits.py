"""Splits, batches, channel statistics, and stratified orders."""

from __future__ import annotations

import pytest
import torch

from pdedsl.data.splits import Split, channel_statistics, stratified_order, stratified_split, stratified_subset

BYTES = torch.arange(256, dtype=torch.uint8).view(4, 1, 8, 8)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_bytes_become_their_255th_parts(dtype: torch.dtype) -> None:
    split = Split(BYTES, torch.arange(4))
    x, y = split.batch(torch.tensor([3, 0]), dtype=dtype)
    assert x.dtype == dtype
    exact = torch.cat((torch.arange(192, 256), torch.arange(64))).double() / 255
    assert torch.equal(x.flatten(), exact.to(dtype))
    assert y.tolist() == [3, 0]
    assert split.inputs.dtype == torch.uint8


@pytest.mark.parametrize("indices", [torch.tensor([0, 1, 2]), slice(None)], ids=["indices", "slice"])
def test_batches_are_copies(indices: torch.Tensor | slice) -> None:
    split = Split(torch.zeros(3, 2), torch.zeros(3, dtype=torch.int64))
    x, y = split.batch(indices)
    x += 1
    y += 1
    assert split.inputs.eq(0).all()
    assert split.labels.eq(0).all()


def test_a_split_has_a_label_for_each_sample() -> None:
    with pytest.raises(ValueError, match=r"\(2,\) labels for inputs of shape \(4, 1, 8, 8\)"):
        Split(BYTES, torch.zeros(2, dtype=torch.int64))


def test_moments_of_bytes_are_those_of_the_real_numbers() -> None:
    source = torch.Generator().manual_seed(0)
    x = torch.randint(0, 256, (50, 3, 4, 5), dtype=torch.uint8, generator=source)
    mean, std = channel_statistics(x)
    real = x.double() / 255
    assert mean == pytest.approx(real.mean((0, 2, 3)).tolist(), rel=1e-13)
    assert std == pytest.approx(real.std((0, 2, 3), correction=0).tolist(), rel=1e-13)


@pytest.mark.parametrize("value", [0.1, torch.pi, 0.0])
def test_a_constant_channel_has_std_one(value: float) -> None:
    x = torch.full((1000, 2), value, dtype=torch.float64)
    x[:, 1] = torch.arange(1000)
    assert channel_statistics(x)[1] == pytest.approx((1.0, (999_999 / 12) ** 0.5), rel=1e-13)
    assert channel_statistics(torch.full((9, 1, 2, 2), 7, dtype=torch.uint8)) == ((7 / 255,), (1.0,))


# ---- stratified orders

LABELS = torch.cat([torch.full((n,), k) for k, n in enumerate((500, 300, 0, 150, 50))])


def test_every_prefix_is_stratified() -> None:
    order = stratified_order(LABELS, 3, "test")
    assert order.sort().values.tolist() == list(range(1000))
    for n in (10, 20, 100, 333, 999):
        counts = LABELS[order[:n]].bincount(minlength=5).double()
        assert (counts - n * LABELS.bincount() / 1000).abs().max() < 2


def test_small_classes_are_spread_over_the_order() -> None:
    """900 samples of one class and one of each of 100: a tenth of the order has about 10 of these, sd below 3."""
    labels = torch.cat((torch.zeros(900, dtype=torch.int64), torch.arange(1, 101)))
    rare = (labels[stratified_order(labels, 0, "test")[:100]] > 0).sum().item()
    assert 10 - 3.3 * 3 < rare < 10 + 3.3 * 3


def test_seeds_and_purposes_differ() -> None:
    orders = [stratified_order(LABELS, seed, purpose).tolist() for seed in (0, 1) for purpose in ("a", "b")]
    assert len({tuple(order) for order in orders}) == 4
    assert stratified_order(LABELS, 0, "a").tolist() == orders[0]


def test_each_sample_is_as_likely_as_another() -> None:
    """χ² over 40 samples of a class, 10 of which are taken 400 times: above 72.1 (39 degrees) once in a thousand."""
    labels = torch.arange(2).repeat(40)
    hits = sum(
        torch.zeros(80).index_fill(0, stratified_order(labels, seed, "test")[:20], 1).double() for seed in range(400)
    )
    assert isinstance(hits, torch.Tensor)
    own = hits[labels == 0]
    assert own.sum() == 4000
    assert ((own - 100) ** 2 / 75).sum() * 39 / 40 < 72.1


def test_parts_are_apart_and_complete() -> None:
    split = Split(torch.arange(1000.0)[:, None], LABELS)
    some, rest = stratified_split(split, 200, 0, "test")
    assert torch.equal(some.inputs, stratified_subset(split, 200, 0, "test").inputs)
    assert torch.cat((some.inputs, rest.inputs)).flatten().sort().values.tolist() == list(range(1000))
    assert torch.equal(some.labels, LABELS[some.inputs.flatten().long()])
    assert some.inputs.flatten().diff().min() > 0
