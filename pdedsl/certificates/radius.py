"""Certified ℓ2 radius of a Gaussian-smoothed classifier from the probability p of its top class."""

from __future__ import annotations

import math

import torch
from scipy.special import ndtr, ndtri
from torch import Tensor


def cohen_radius(p: Tensor, sigma: float) -> Tensor:
    """R_C = s Φ⁻¹(p) for p > ½, else 0 (Cohen, Rosenfeld, Kolter, ICML 2019), for noise of standard deviation s."""
    return torch.as_tensor(sigma * ndtri(p.double().numpy())).clamp_min(0.0)


def lipschitz_radius(p: Tensor, sigma: float) -> Tensor:
    """R_L = s √(π/2) (p_A − p_B) with p_B ≤ 1 − p: Gaussian averages are 1/(s√(2π))-Lipschitz."""
    return sigma * math.sqrt(0.5 * math.pi) * (2.0 * p - 1.0).clamp_min(0.0)


def wang_radius(p: Tensor, sigma: float, dimension: int) -> Tensor:
    """R_a = σ/√(2d) (p_A − p_B) with s = √2 σ, hence s/(2√d) (2p − 1) (Wang, Tao, Bao, Shi, Theorem 3.1)."""
    return sigma / (2.0 * math.sqrt(dimension)) * (2.0 * p - 1.0).clamp_min(0.0)


def required_probability(radius: float, sigma: float) -> float:
    """p₀ = Φ(r/s): a class probability above p₀ certifies the radius r."""
    return float(ndtr(radius / sigma))
