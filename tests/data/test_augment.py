"""Data augmentation against a loop over samples, its distribution, and independence of the batch layout."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdedsl.config.training import Augmentation, Crop, Flip, GaussianAugmentation
from pdedsl.data.augment import augment, crop, flip
from pdedsl.data.sampling import KeyedRng

ALL: tuple[Augmentation, ...] = (Crop(pad=2), Flip(), GaussianAugmentation(std=0.1), Crop(pad=1))


def images(n: int, c: int = 3, h: int = 5, w: int = 7) -> Tensor:
    """Different, non-zero values everywhere."""
    return torch.arange(1, n * c * h * w + 1, dtype=torch.float32).view(n, c, h, w)


@pytest.mark.parametrize("width", [0, 1, 4, 9])
def test_crop_is_the_window_of_each_sample(width: int) -> None:
    x = images(40)
    source = torch.Generator().manual_seed(0)
    row, column = torch.randint(0, 2 * width + 1, (2, 40), generator=source)
    found = crop(x, width, row, column)
    for i, (top, left) in enumerate(zip(row.tolist(), column.tolist(), strict=True)):
        for y in range(5):
            for z in range(7):
                a, b = y + top - width, z + left - width
                inside = 0 <= a < 5 and 0 <= b < 7
                assert torch.equal(found[i, :, y, z], x[i, :, a, b] if inside else torch.zeros(3))


def test_flip_is_the_mirror_image_of_the_chosen() -> None:
    x = images(6)
    chosen = torch.tensor([True, False, True, True, False, False])
    found = flip(x, chosen)
    for i in range(6):
        assert found[i].tolist() == [[r[::-1] if chosen[i] else r for r in c] for c in x[i].tolist()]


@pytest.mark.parametrize("cut", [1, 16, 32, 50])
def test_augmentation_of_a_batch_is_that_of_its_halves(cut: int) -> None:
    x = images(70)
    whole = augment(x, ALL, KeyedRng(5, 11))
    first, second = augment(x[:cut], ALL, KeyedRng(5, 11)), augment(x[cut:], ALL, KeyedRng(5, 11, row=cut))
    assert torch.equal(torch.cat((first, second)), whole)


def test_the_global_generator_and_the_batch_are_unchanged() -> None:
    x = images(8)
    before, state = x.clone(), torch.get_rng_state()
    augment(x, ALL, KeyedRng(0, 0))
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(x, before)


@pytest.mark.parametrize("kind", [Crop(pad=4), Flip(), GaussianAugmentation(std=0.1)], ids=str)
def test_steps_seeds_and_places_differ(kind: Augmentation) -> None:
    x = images(64)
    found = [augment(x, (kind,), draws) for draws in (KeyedRng(0, 0), KeyedRng(0, 1), KeyedRng(1, 0))]
    found.append(augment(x, (GaussianAugmentation(std=0.0), kind), KeyedRng(0, 0)))
    assert all(not torch.equal(a, b) for k, a in enumerate(found) for b in found[:k])
    assert torch.equal(augment(x, (kind,), KeyedRng(0, 0)), found[0])


def offsets(width: int, steps: int) -> Tensor:
    """Where crops of a lone pixel in the middle of an image put it, (n, 2), counted from 0."""
    size = 2 * width + 1
    x = torch.zeros(1000, 1, size, size)
    x[:, 0, width, width] = 1
    return torch.cat([augment(x, (Crop(pad=width),), KeyedRng(0, step)).flatten(1).argmax(1) for step in range(steps)])


def test_crops_are_uniform() -> None:
    """χ² over 25 places of 10000 crops: above 51.2 (24 degrees of freedom) once in a thousand seeds."""
    counts = torch.bincount(offsets(2, 10), minlength=25).double()
    assert ((counts - 400) ** 2 / 400).sum() < 51.2


def test_flips_are_fair_coins_one_a_sample() -> None:
    """A normal variable beyond 3.3, once in a thousand seeds; twice, for the share and for neighbours that agree."""
    x = images(10_000, 1, 1, 2)
    flipped = (augment(x, (Flip(),), KeyedRng(0, 0)) != x).all(-1).flatten().double()
    agree = (flipped[1:] == flipped[:-1]).double()
    for share in (flipped.mean(), agree.mean()):
        assert abs(share - 0.5) < 3.3 * 0.5 / 100


def test_gaussian_has_its_moments_and_is_not_clipped() -> None:
    """Mean and variance of 60000 numbers within 3.3 standard errors: each fails once in a thousand seeds."""
    noise = augment(torch.zeros(100, 3, 10, 20), (GaussianAugmentation(std=0.5),), KeyedRng(0, 0)) / 0.5
    n = noise.numel()
    assert abs(noise.mean()) < 3.3 / n**0.5
    assert abs(noise.var() - 1) < 3.3 * (2 / n) ** 0.5
    assert noise.min() < 0


def test_choices_are_the_same_in_every_precision() -> None:
    x = images(50) % 251
    expected = augment(x, (Crop(pad=3), Flip()), KeyedRng(2, 3))
    for dtype in (torch.float64, torch.bfloat16):
        found = augment(x.to(dtype), (Crop(pad=3), Flip()), KeyedRng(2, 3))
        assert found.dtype == dtype
        assert torch.equal(found.float(), expected)


def test_points_are_augmented_by_noise_only() -> None:
    x = torch.zeros(5, 2)
    assert augment(x, (GaussianAugmentation(std=1.0),), KeyedRng(0, 0)).shape == (5, 2)
    for kind, name in ((Crop(pad=1), "crop"), (Flip(), "flip")):
        with pytest.raises(ValueError, match=rf"{name} needs images \(n, c, h, w\), got shape \(5, 2\)"):
            augment(x, (kind,), KeyedRng(0, 0))


def test_nothing_asked_is_nothing_done() -> None:
    x = images(3)
    assert augment(x, (), KeyedRng(0, 0)) is x
