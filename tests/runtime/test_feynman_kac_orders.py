"""Observed orders of weights."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from pdedsl.numerics.butcher import EXPLICIT
from pdedsl.runtime.sde.feynman_kac import EvolutionOperator
from runtime.weighing import F64, X, wave, within

# ---- observed orders


@pytest.mark.parametrize(("scheme", "order"), [(name, method.order) for name, method in EXPLICIT.items()])
def test_weights_have_the_order_of_the_characteristics(scheme: str, order: int) -> None:
    def solution(dt: float, scheme: str) -> Tensor:
        made = EvolutionOperator(
            lambda x, t: torch.sin(x + 2 * t),
            rate=lambda x, t: torch.cos(x[..., 0] - t),
            source=lambda x, t: x[..., 0].square(),
            dt=dt,
            scheme=scheme,
        )
        return made(wave, X, 1.0)

    exact = solution(1 / 320, "rk4")
    coarse, fine = ((solution(dt, scheme) - exact).abs().max() for dt in (1 / 20, 1 / 40))
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.25)


def mean_of(scheme: str, n: int, rate: Callable[[float], float]) -> float:
    """E[Σ over a path of Ornstein-Uhlenbeck of its squares, trapezoidal] from 1, without drawing: m₂ follows from the
    second moments of the scheme, which is linear in x."""
    h, m, total = 1.0 / n, 1.0, 0.0
    keep = rate(h)
    for _ in range(n):
        noise = h if scheme == "euler" else h * (1 - h / 2) ** 2  # of ξ in x + ½h(-x - (x - hx + s)) + s
        following = keep**2 * m + noise
        total, m = total + 0.5 * h * (m + following), following
    return total


@pytest.mark.parametrize(("scheme", "order"), [("euler", 1), ("heun", 2)])
def test_weak_orders_with_additive_noise(scheme: str, order: int) -> None:
    """u_t = -x u_x + ½u_xx + x², u = 0 at first: E ∫X². The draws meet the mean of the scheme, known in closed form,
    and that mean has weak order 1 for Euler-Maruyama and 2 for Heun."""
    factor = {"euler": lambda h: 1 - h, "heun": lambda h: 1 - h + h**2 / 2}[scheme]
    decay = (1 - math.exp(-2.0)) / 2
    exact = decay + 0.5 - decay / 2
    errors = [mean_of(scheme, n, factor) - exact for n in (8, 16, 32)]
    assert math.log2(errors[1] / errors[2]) == pytest.approx(order, abs=0.15)
    made = EvolutionOperator(
        lambda x, t: -x, 0.5, source=lambda x, t: x[..., 0] ** 2, dt=0.125, samples=100_000, scheme=scheme, seed=5
    )
    found = made.estimate(lambda x: torch.zeros_like(x[..., 0]), torch.ones(1, 1, dtype=F64), 1.0)
    within(found, torch.tensor([mean_of(scheme, 8, factor)], dtype=F64))


def test_heun_with_noise_that_varies_in_time() -> None:
    """dX = s(t)dB with s² = 2(1 + t)², t running backwards: the variance of one midpoint step is 2·1.5² = 4.5 of the
    exact 2·7/3 = 4.667; of n steps it converges with order 2."""
    variances = {}
    for n in (1, 2, 4):
        made = EvolutionOperator(
            None, lambda x, t: torch.full_like(x[..., 0], (1 + t) ** 2), dt=1 / n, scheme="heun", samples=50_000
        )
        found = made.estimate(lambda x: x[..., 0].square(), torch.zeros(1, 1, dtype=F64), 1.0)
        h = 1 / n
        exact = sum(2 * h * (2 - (k + 0.5) * h) ** 2 for k in range(n))
        within(found, torch.tensor([exact], dtype=F64))
        variances[n] = exact - 14 / 3
    assert variances[1] / variances[2] == pytest.approx(4)


def test_heun_with_multiplicative_noise_is_ito() -> None:
    """dX = X dt/2 + X dB has E X = x e^{t/2}, where Stratonovich's reading gives x e^{t}: within 5 standard errors of
    the scheme's own mean (1 + h/2 + h²/8)ⁿ, of which the weak order is at least 1."""
    n, x = 16, torch.ones(1, 1, dtype=F64)
    made = EvolutionOperator(
        lambda x, t: x / 2, lambda x, t: x[..., 0].square() / 2, dt=1 / n, scheme="heun", samples=200_000
    )
    found = made.estimate(lambda x: x[..., 0], x, 1.0)
    h = 1 / n
    within(found, torch.tensor([(1 + h / 2 + h**2 / 8) ** n], dtype=F64))
    assert abs(float(found.mean) - math.e**0.5) < 0.05
