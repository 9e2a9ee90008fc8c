"""Trigonometric polynomials: products on the finer grid, at whatever length is quick to transform."""

from math import pi

import pytest
import torch

from pdedsl.runtime.basis.fourier import FourierAxis, FourierGrid


@pytest.mark.parametrize("half", [3, 100, 171, 384, 512, 768, 1001])
def test_products_of_two_have_no_aliases(half: int) -> None:
    """Against the convolution of all coefficients, those of negative frequencies included."""
    grid = FourierGrid((FourierAxis(0.0, 2 * pi, half),), 3, torch.zeros((), dtype=torch.float64))
    generator = torch.Generator().manual_seed(half)
    upper = torch.randn(2, half, dtype=torch.complex128, generator=generator)
    upper[:, 0].imag = 0
    one, other = torch.cat([upper[:, 1:].flip(-1).conj(), upper], dim=-1)
    every = torch.fft.ifft(torch.fft.fft(one, n=4 * half) * torch.fft.fft(other, n=4 * half))
    left, right = grid.values(upper)
    assert torch.allclose(grid.coefficients(left * right), every[2 * half - 2 : 3 * half - 2], atol=1e-10)


@pytest.mark.parametrize("least", [513, 1024, 1536, 2304, 6144, 99_999])
def test_a_quick_length_is_little_longer(least: int) -> None:
    (size,) = FourierGrid((FourierAxis(0.0, 1.0, least),), 1, torch.zeros(())).sizes
    assert least <= size < 1.07 * least
    assert size % 11 == 0 or size % 13 == 0
