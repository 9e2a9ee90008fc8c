"""What k counts in n draws say about the probability p of a hit, and what p says about a radius."""

from __future__ import annotations

import math
from bisect import bisect_right

import torch
from scipy.special import betaincinv, betaln, ndtr, ndtri
from torch import Tensor


def require_confidence(alpha: float, *draws: int) -> None:
    if not (0.0 < alpha < 1.0 and min(draws) > 0):
        raise ValueError(f"a certificate takes draws and an alpha between 0 and 1, not {draws} and {alpha}")


def lower_bound(counts: Tensor, draws: int, alpha: float) -> Tensor:
    """Clopper and Pearson 1934: p̲ with P(Bin(n, p̲) ≥ k) = α, the α-quantile of Beta(k, n − k + 1); 0 for k = 0.

    p ≥ p̲ with probability at least 1 − α, for this one n.
    """
    k = counts.cpu().double().numpy()
    quantile = betaincinv(k.clip(min=1.0), draws - k + 1.0, alpha)
    return torch.where(counts.cpu() > 0, torch.as_tensor(quantile), 0.0)


def fewest_hits(draws: int, alpha: float, above: float = 0.5) -> int:
    """The fewest counts of n draws for which p̲ > `above`; n + 1 if there is no such number."""
    return bisect_right(range(draws + 1), above, key=lambda k: lower_bound(torch.tensor(k), draws, alpha).item())


def log_wealth(counts: Tensor, draws: Tensor, p: float) -> Tensor:
    """ln M_n(p) = ln B(k + ½, n − k + ½) − ln B(½, ½) − k ln p − (n − k) ln(1 − p).

    M is a martingale of mean 1 if p is the true probability: the wealth of a gambler who bets against p with a mixture
    of all odds (Robbins 1970; Voráček, NeurIPS 2024). By Ville's inequality it ever reaches 1/α with probability at
    most α, so that {p : M_n(p) < 1/α} contains the true p for all n at once with probability at least 1 − α.
    """
    k, n = counts.cpu().double(), draws.cpu().double()
    mixed = torch.as_tensor(betaln(k.numpy() + 0.5, (n - k).numpy() + 0.5)) - betaln(0.5, 0.5)
    wealth: Tensor = mixed - k * math.log(p) - (n - k) * math.log1p(-p)
    return wealth


def radius(p: Tensor, sigma: float) -> Tensor:
    """R_C = s Φ⁻¹(p) for p > ½, else 0 (Cohen, Rosenfeld, Kolter, ICML 2019), for noise of standard deviation s."""
    return torch.as_tensor(sigma * ndtri(p.double().numpy())).clamp_min(0.0)


def lipschitz_radius(p: Tensor, sigma: float) -> Tensor:
    """R_L = s √(π/2) (p_A − p_B) with p_B ≤ 1 − p: each average is 1/(s√(2π))-Lipschitz."""
    return sigma * math.sqrt(0.5 * math.pi) * (2.0 * p - 1.0).clamp_min(0.0)


def paper_radius(p: Tensor, sigma: float, dimension: int) -> Tensor:
    """R_a = σ/√(2d) (p_A − p_B) with s = √2 σ, hence s/(2√d) (2p − 1) (Wang, Tao, Bao, Shi, Theorem 3.1)."""
    return sigma / (2.0 * math.sqrt(dimension)) * (2.0 * p - 1.0).clamp_min(0.0)


def needed(radius: float, sigma: float) -> float:
    """p₀ = Φ(r/s): a probability above it certifies the radius r."""
    return float(ndtr(radius / sigma))
