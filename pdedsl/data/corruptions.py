"""Random noise on inputs, and corruptions of images in [0, 1] by five severities.

The kinds are those of Hendrycks and Dietterich (2019), without the ones that need photographs. The generators and their
strengths are defined here, so accuracies are not comparable with published ones on CIFAR-10-C.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import torch
from torch import Tensor
from torch.nn import functional

from pdedsl.config.base import Real
from pdedsl.config.evaluation import (
    Brightness,
    Contrast,
    Corruption,
    DefocusBlur,
    ElasticTransform,
    Fog,
    GaussianNoise,
    ImpulseNoise,
    JpegCompression,
    MotionBlur,
    Pixelate,
    ShotNoise,
    UniformNoise,
    ZoomBlur,
)


def corrupt(x: Tensor, corruption: Corruption, level: Real, source: torch.Generator) -> Tensor:
    """Corrupted inputs (n, …); the corruptions of images need images (n, c, h, w) in [0, 1]. `level` is the standard
    deviation, the ℓ∞ radius or the severity."""
    match corruption:
        case GaussianNoise():
            return x + float(level) * _normal(x, source)
        case UniformNoise():
            return x + float(level) * (2.0 * _uniform(x, source) - 1.0)
        case _:
            index = int(level) - 1
            return IMAGE_CORRUPTIONS[type(corruption)](x, STRENGTHS[type(corruption)][index], source).clamp(0.0, 1.0)


def _normal(x: Tensor, source: torch.Generator) -> Tensor:
    return torch.empty_like(x).normal_(generator=source)


def _uniform(x: Tensor, source: torch.Generator) -> Tensor:
    return torch.empty_like(x).uniform_(generator=source)


# ---- Noise


def _shot_noise(x: Tensor, photons: float, source: torch.Generator) -> Tensor:
    """Poisson(x·photons)/photons."""
    return torch.poisson(x.clamp(min=0.0) * photons, generator=source) / photons


def _impulse_noise(x: Tensor, fraction: float, source: torch.Generator) -> Tensor:
    """A fraction of the values becomes 0 or 1."""
    uniform = _uniform(x, source)
    return torch.where(uniform < fraction, (uniform < 0.5 * fraction).to(x), x)


# ---- Blur


def _filter(x: Tensor, kernel: Tensor) -> Tensor:
    """Convolution of each image with its kernel (n or 1, k, k), k odd, with reflecting boundaries."""
    n, channels, size = len(x), x.shape[1], kernel.shape[-1]
    padded = functional.pad(x, [size // 2] * 4, mode="reflect").flatten(0, 1)[None]
    weight = kernel.to(x).expand(n, size, size).repeat_interleave(channels, 0)[:, None]
    return functional.conv2d(padded, weight, groups=n * channels).reshape(x.shape)


def _offsets(radius: float) -> tuple[Tensor, Tensor]:
    """Row and column offsets of a square kernel."""
    reach = math.ceil(radius)
    ticks = torch.arange(-reach, reach + 1, dtype=torch.float64)
    rows, columns = torch.meshgrid(ticks, ticks, indexing="ij")
    return rows, columns


def _defocus_blur(x: Tensor, radius: float, source: torch.Generator) -> Tensor:
    """The disc has a linear edge of one pixel."""
    rows, columns = _offsets(radius + 0.5)
    disc = (radius + 0.5 - (rows.square() + columns.square()).sqrt()).clamp(0.0, 1.0)
    return _filter(x, (disc / disc.sum())[None])


def _motion_blur(x: Tensor, length: float, source: torch.Generator) -> Tensor:
    """The weight of a pixel decreases linearly with its distance from the segment, to 0 at distance 1."""
    angle = math.pi * _uniform(x.new_empty(len(x), 1, 1), source).double()
    rows, columns = _offsets(0.5 * length)
    along = (columns * angle.cos() + rows * angle.sin()).abs() - 0.5 * length
    across = (rows * angle.cos() - columns * angle.sin()).abs()
    line = (1.0 - torch.hypot(along.clamp(min=0.0), across)).clamp(min=0.0)
    return _filter(x, line / line.sum((1, 2), keepdim=True))


ZOOMS = 6  # magnifications that are averaged


def _zoom_blur(x: Tensor, largest: float, source: torch.Generator) -> Tensor:
    zooms = [1.0 + (largest - 1.0) * k / (ZOOMS - 1) for k in range(ZOOMS)]
    grid = _unit_grid(x)
    return torch.stack([_resample(x, grid / zoom) for zoom in zooms]).mean(0)


def _unit_grid(x: Tensor) -> Tensor:
    """Coordinates (x, y) in [-1, 1] of the centres of the pixels, (n, h, w, 2)."""
    rows, columns = ((2.0 * torch.arange(size, dtype=x.dtype) + 1.0) / size - 1.0 for size in x.shape[2:])
    y, z = torch.meshgrid(rows, columns, indexing="ij")
    return torch.stack([z, y], -1).to(x.device).expand(len(x), -1, -1, -1)


def _resample(x: Tensor, grid: Tensor) -> Tensor:
    return functional.grid_sample(x, grid, mode="bilinear", padding_mode="reflection", align_corners=False)


# ---- Weather and light


def _fog(x: Tensor, weight: float, source: torch.Generator) -> Tensor:
    """(x + w f)/(1 + w) with a random field f in [0, 1]."""
    return (x + weight * _random_field(x, source)) / (1.0 + weight)


def _random_field(x: Tensor, source: torch.Generator) -> Tensor:
    """A Gaussian field with spectrum 1/k² for each image, scaled to [0, 1], (n, 1, h, w)."""
    n, _, height, width = x.shape
    noise = _normal(x.new_empty(n, height, width), source)
    k = torch.hypot(torch.fft.fftfreq(height)[:, None] * height, torch.fft.fftfreq(width)[None] * width).to(x)
    field = torch.fft.ifft2(torch.fft.fft2(noise) / k.clamp(min=1.0).square()).real
    low, high = field.amin((1, 2), keepdim=True), field.amax((1, 2), keepdim=True)
    scaled: Tensor = (field - low) / (high - low)
    return scaled[:, None]


def _brightness(x: Tensor, shift: float, source: torch.Generator) -> Tensor:
    return x + shift


def _contrast(x: Tensor, factor: float, source: torch.Generator) -> Tensor:
    mean = x.mean((1, 2, 3), keepdim=True)
    return mean + factor * (x - mean)


# ---- Digital


SMOOTHING = 2.0  # standard deviation in pixels of the filter that smooths displacements


def _elastic_transform(x: Tensor, amplitude: float, source: torch.Generator) -> Tensor:
    """Displacements of root mean square `amplitude` pixels."""
    noise = _normal(x.new_empty(len(x), 2, *x.shape[2:]), source)
    rows, columns = _offsets(3.0 * SMOOTHING)
    gaussian = torch.exp(-(rows.square() + columns.square()) / (2.0 * SMOOTHING**2))
    smooth = _filter(noise, (gaussian / gaussian.sum())[None])
    shift = amplitude * smooth / smooth.square().mean((1, 2, 3), keepdim=True).sqrt()
    pixels = x.new_tensor([2.0 / x.shape[3], 2.0 / x.shape[2]])
    return _resample(x, _unit_grid(x) + shift.movedim(1, -1) * pixels)


def _pixelate(x: Tensor, fraction: float, source: torch.Generator) -> Tensor:
    height, width = (max(1, round(fraction * size)) for size in x.shape[2:])
    return functional.interpolate(functional.adaptive_avg_pool2d(x, (height, width)), x.shape[2:], mode="nearest-exact")


BLOCK = 8  # pixels, as in JPEG


@cache
def cosine_matrix() -> Tensor:
    """The orthogonal matrix of the cosine transform (DCT-II) of length `BLOCK`."""
    k, j = torch.arange(BLOCK, dtype=torch.float64)[:, None], torch.arange(BLOCK, dtype=torch.float64)[None]
    matrix = (math.pi / BLOCK * (j + 0.5) * k).cos() * math.sqrt(2.0 / BLOCK)
    matrix[0] /= math.sqrt(2.0)
    return matrix


def _jpeg_compression(x: Tensor, step: float, source: torch.Generator) -> Tensor:
    """Coefficients of frequency (i, j) are rounded to multiples of (1 + i + j)·step, in each channel."""
    height, width = x.shape[2:]
    padded = functional.pad(x, [0, -width % BLOCK, 0, -height % BLOCK], mode="replicate")
    blocks = padded.unfold(2, BLOCK, BLOCK).unfold(3, BLOCK, BLOCK)
    transform = cosine_matrix().to(x)
    order = torch.arange(BLOCK, device=x.device)
    steps = step * (1 + order[:, None] + order[None])
    rounded = (transform @ blocks @ transform.T / steps).round() * steps
    tiles = (transform.T @ rounded @ transform).movedim(4, 3)
    return tiles.reshape(padded.shape)[..., :height, :width]


IMAGE_CORRUPTIONS: dict[type[Corruption], Callable[[Tensor, float, torch.Generator], Tensor]] = {
    ShotNoise: _shot_noise,
    ImpulseNoise: _impulse_noise,
    DefocusBlur: _defocus_blur,
    MotionBlur: _motion_blur,
    ZoomBlur: _zoom_blur,
    Fog: _fog,
    Brightness: _brightness,
    Contrast: _contrast,
    ElasticTransform: _elastic_transform,
    Pixelate: _pixelate,
    JpegCompression: _jpeg_compression,
}
STRENGTHS: dict[type[Corruption], Sequence[float]] = {
    ShotNoise: (400, 200, 100, 60, 40),  # photons of a white pixel
    ImpulseNoise: (0.01, 0.02, 0.04, 0.06, 0.08),  # fraction of the values
    DefocusBlur: (0.6, 0.8, 1.0, 1.4, 1.8),  # radius in pixels
    MotionBlur: (2, 3, 4, 5, 6),  # length in pixels
    ZoomBlur: (1.06, 1.12, 1.18, 1.24, 1.3),  # largest magnification
    Fog: (0.2, 0.4, 0.6, 0.8, 1.0),  # weight
    Brightness: (0.05, 0.1, 0.15, 0.2, 0.3),
    Contrast: (0.7, 0.5, 0.4, 0.3, 0.2),  # factor
    ElasticTransform: (0.5, 0.75, 1.0, 1.25, 1.5),  # root mean square in pixels
    Pixelate: (0.7, 0.5, 0.4, 0.35, 0.3),  # fraction of the resolution
    JpegCompression: (0.02, 0.04, 0.06, 0.08, 0.1),  # step of the lowest frequency
}
"""Strengths of the severities 1 to 5, for images of about 32 × 32 pixels."""
