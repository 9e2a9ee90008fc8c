"""Bounds for a binomial probability p from k successes in n trials, and the certified radii that follow from p."""

from __future__ import annotations

import math
from bisect import bisect_right

import torch
from scipy.special import betaincinv, betaln, ndtr, ndtri
from torch import Tensor


def require_confidence(alpha: float, *draws: int) -> None:
    """Raise ValueError for an invalid failure probability or number of noise samples."""
    if not (0.0 < alpha < 1.0 and min(draws) > 0):
        raise ValueError(f"numbers of noise samples must be positive and alpha in (0, 1), got {draws} and {alpha}")


def clopper_pearson_lower(counts: Tensor, draws: int, alpha: float) -> Tensor:
    """One-sided Clopper-Pearson bound (1934): p̲ with P(Bin(n, p̲) ≥ k) = α, the α-quantile of Beta(k, n − k + 1).

    p ≥ p̲ with probability at least 1 − α, for a fixed n = `draws`; 0 for k = 0.
    """
    k = counts.cpu().double().numpy()
    quantile = betaincinv(k.clip(min=1.0), draws - k + 1.0, alpha)
    return torch.where(counts.cpu() > 0, torch.as_tensor(quantile), 0.0)


def min_count_above(draws: int, alpha: float, above: float = 0.5) -> int:
    """The smallest count k of n for which p̲ > `above`; n + 1 if there is none."""
    return bisect_right(
        range(draws + 1), above, key=lambda k: clopper_pearson_lower(torch.tensor(k), draws, alpha).item()
    )


def log_mixture_martingale(counts: Tensor, draws: Tensor, p: float) -> Tensor:
    """ln M_n(p) = ln B(k + ½, n − k + ½) − ln B(½, ½) − k ln p − (n − k) ln(1 − p).

    Robbins' mixture martingale (1970; Voráček, NeurIPS 2024): M has mean 1 if p is the true probability. By Ville's
    inequality P(sup_n M_n ≥ 1/α) ≤ α, so that {p : M_n(p) < 1/α} is a confidence sequence: it contains the true p for
    all n simultaneously with probability at least 1 − α.
    """
    k, n = counts.cpu().double(), draws.cpu().double()
    mixed = torch.as_tensor(betaln(k.numpy() + 0.5, (n - k).numpy() + 0.5)) - betaln(0.5, 0.5)
    log_martingale: Tensor = mixed - k * math.log(p) - (n - k) * math.log1p(-p)
    return log_martingale


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
