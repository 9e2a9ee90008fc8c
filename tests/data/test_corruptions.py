"""Corruptions of images: closed forms, invariants, moments of the noise, strengths."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdedsl.config.evaluation import (
    CORRUPTIONS,
    Brightness,
    Contrast,
    Corruption,
    DefocusBlur,
    ElasticTransform,
    Fog,
    GaussianNoise,
    ImageCorruption,
    ImpulseNoise,
    JpegCompression,
    MotionBlur,
    Pixelate,
    ShotNoise,
    UniformNoise,
    ZoomBlur,
)
from pdedsl.data.corruptions import STRENGTHS, corrupt, cosine_matrix

KINDS = [kind for kind in STRENGTHS if issubclass(kind, ImageCorruption)]


def images(n: int = 4, size: int = 28) -> Tensor:
    """Smooth images with values in [0.2, 0.8]."""
    ticks = torch.linspace(0.0, 3.0, size)
    waves = torch.stack([torch.sin((k + 1) * ticks)[:, None] * torch.cos(2 * ticks + k) for k in range(2 * n)])
    return 0.5 + 0.3 * waves.reshape(n, 2, size, size)


def corrupted(x: Tensor, corruption: Corruption, level: float, seed: int = 0) -> Tensor:
    return corrupt(x, corruption, level, torch.Generator().manual_seed(seed))


def test_every_keyword_has_a_generator() -> None:
    assert {form.of for form in CORRUPTIONS.values()} == {*STRENGTHS, GaussianNoise, UniformNoise}


@pytest.mark.parametrize("kind", KINDS)
def test_images_remain_images_and_the_strength_increases(kind: type[ImageCorruption]) -> None:
    x = images()
    results = [corrupted(x, kind(), severity) for severity in range(1, 6)]
    assert all(y.shape == x.shape and 0.0 <= y.min() <= y.max() <= 1.0 for y in results)
    distances = [(y - x).square().mean().item() for y in results]
    assert 0.0 < distances[0] < distances[2] < distances[4]
    assert torch.equal(results[0], corrupted(x, kind(), 1))


@pytest.mark.parametrize("kind", [DefocusBlur, MotionBlur, ZoomBlur, ElasticTransform, Pixelate, Contrast])
def test_constant_images_are_fixed(kind: type[ImageCorruption]) -> None:
    x = torch.full((2, 3, 16, 16), 0.375)
    assert torch.allclose(corrupted(x, kind(), 5), x, atol=1e-6)  # rounding


def test_noise_has_its_moments() -> None:
    x = torch.full((1, 1, 200, 200), 0.5)
    error = 4 / 200  # four standard errors, relative to the standard deviation
    for kind, level, deviation in (
        (GaussianNoise(std=(1,)), 0.1, 0.1),
        (UniformNoise(eps=(1,)), 0.3, 0.3 / 3**0.5),
        (ShotNoise(), 5, (0.5 / 40) ** 0.5),
    ):
        y = corrupted(x, kind, level)
        assert abs(y.mean() - 0.5) < error * deviation
        assert abs(y.std() / deviation - 1.0) < error
    y = corrupted(x, ImpulseNoise(), 5)
    assert abs((y == 0.0).double().mean() - 0.04) < error * 0.2
    assert abs((y == 1.0).double().mean() - 0.04) < error * 0.2


def test_uniform_noise_stays_in_its_ball() -> None:
    x = torch.zeros(5, 3)
    assert corrupted(x, UniformNoise(eps=(1,)), 0.2).abs().max() <= 0.2


def test_light() -> None:
    x = images()
    assert torch.allclose(corrupted(x, Brightness(), 2), (x + 0.1).clamp(max=1.0))
    y = corrupted(x, Contrast(), 3)
    assert torch.allclose(y.mean((1, 2, 3)), x.mean((1, 2, 3)), atol=1e-6)
    assert torch.allclose(y.std((1, 2, 3)), 0.4 * x.std((1, 2, 3)), rtol=1e-5)


def test_fog_is_a_mixture() -> None:
    black, white = (corrupted(torch.full((1, 1, 16, 16), value), Fog(), 5) for value in (0.0, 1.0))
    assert torch.allclose(white - black, torch.full_like(black, 0.5), atol=1e-6)
    assert black.min() == 0.0
    assert black.max() == pytest.approx(0.5)


def test_blocks_of_reduced_resolution() -> None:
    y = corrupted(images(), Pixelate(), 2)
    assert torch.equal(y[..., ::2, ::2], y[..., 1::2, 1::2])
    assert torch.allclose(y[..., ::2, ::2], torch.nn.functional.avg_pool2d(images(), 2), atol=1e-6)


def test_quantized_coefficients() -> None:
    assert torch.allclose(cosine_matrix() @ cosine_matrix().T, torch.eye(8, dtype=torch.float64), atol=1e-14)
    x, step = images(size=16).double(), 0.06
    y = corrupted(x, JpegCompression(), 3)
    block = cosine_matrix() @ y[0, 0, :8, 8:] @ cosine_matrix().T
    order = torch.arange(8)
    multiples = block / (step * (1 + order[:, None] + order))
    assert torch.allclose(multiples, multiples.round(), atol=1e-9)
