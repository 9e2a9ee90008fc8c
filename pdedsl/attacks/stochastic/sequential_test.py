"""Sequential test of a prediction that averages noise: is the mean lead of another class positive?

For the lead Z = p_rival - p_y in [-1, 1] of independent noise samples, the mixture over a grid of λ

    K_n = mean over λ of Π_{i ≤ n} (1 + λ Z_i)

is a nonnegative supermartingale if E Z ≤ 0, so that P(K_n ≥ 1/α for any n) ≤ α (Ville 1939; Waudby-Smith, Ramdas 2024).
The test for E Z ≥ 0 uses -Z. The rival is selected on other noise samples.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import torch
from torch import Tensor

from pdedsl.attacks.batch_ops import take
from pdedsl.attacks.criterion import Criterion
from pdedsl.attacks.predictor import Predictor

ALPHA = 1e-3  # probability of a false decision per point, both sides together
BETS = tuple(k / 10 for k in range(1, 10))  # the grid of λ
SAMPLES = 32  # between two looks at the test
MAX_SAMPLES = 512  # detects a mean lead of 0.13 for leads of ±1: log(2·9/ALPHA) = 9.8 ≈ 512·0.13²/2 + grid loss


@final
class Judgement(NamedTuple):
    """Which rows are misclassified, which are undecided (not counted as misclassified), and the noise samples used."""

    fooled: Tensor
    undecided: Tensor
    samples: int


def judge(predictor: Predictor, x: Tensor, criterion: Criterion) -> Judgement:
    """Whether the mean prediction at x satisfies an untargeted criterion, by new noise samples."""
    selected = predictor.predict(x)
    if not predictor.stochastic or not len(x):
        fooled = criterion.is_satisfied(selected)
        return Judgement(fooled, torch.zeros_like(fooled), 1)
    rival = selected.scatter(1, criterion.y[:, None], -torch.inf).argmax(1)
    rows = torch.arange(len(x), device=x.device)
    capital = torch.zeros(2, len(BETS), len(x), dtype=torch.float64, device=x.device)
    fooled = torch.zeros(len(x), dtype=torch.bool, device=x.device)
    samples, threshold = 0, math.log(2.0 / ALPHA)
    while len(rows) and samples < MAX_SAMPLES:
        p = predictor.draw(take(x, rows), SAMPLES).double().softmax(-1)
        pair = torch.stack([criterion.y[rows], rival[rows]], 1).expand(SAMPLES, -1, -1)
        ours, theirs = p.gather(2, pair).unbind(-1)
        capital = capital + log_capital(theirs - ours)
        samples += SAMPLES
        above, below = (capital.logsumexp(1) - math.log(len(BETS)) >= threshold).unbind()
        fooled[rows[above]] = True
        left = ~(above | below)
        rows, capital = rows[left], capital[..., left]
    undecided = torch.zeros_like(fooled)
    undecided[rows] = True
    return Judgement(fooled, undecided, samples)


def log_capital(leads: Tensor) -> Tensor:
    """Σᵢ log(1 ± λ Zᵢ) for leads (samples, n) in [-1, 1]: (2, bets, n)."""
    bets = torch.tensor(BETS, dtype=leads.dtype, device=leads.device)[:, None]
    return torch.stack([torch.log1p(bets * (sign * leads)[:, None]).sum(0) for sign in (1.0, -1.0)])
