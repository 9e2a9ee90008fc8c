"""Bounds for a binomial probability p from k successes in n trials: Clopper-Pearson, confidence sequences."""

from __future__ import annotations

import math
from bisect import bisect_right

import torch
from scipy.special import betaincinv, betaln
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
