"""Feynman-Kac with reaction and source, u_t = v·∇u + A:∇∇u + c u + f, against closed forms and an independent grid.

Means of draws lie within 5 standard errors of what they estimate (one false alarm in 1.7·10⁶ a number, some hundred
numbers here, fixed seeds), with the bias of the steps beside it where there is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from pdedsl.runtime.backbones import vector_field
from pdedsl.runtime.rng import frozen_noise, seed_noise
from pdedsl.runtime.sde.feynman_kac import EvolutionOperator, FeynmanKacSolution, GeneratorCoefficients, Rate
from runtime.weighing import F64, X, wave, within


@pytest.mark.parametrize("c", [-1.5, 0.0, 0.7])
@pytest.mark.parametrize("f", [0.0, 2.0])
def test_constant_reaction_and_source_are_exact(c: float, f: float) -> None:
    """u_t = ½u_xx + c u + f: e^{(c-2)t} cos 2x + f(e^{ct} - 1)/c, in one step."""
    t = 0.8
    made = EvolutionOperator(None, 0.5, rate=c, source=f, samples=20_000)
    gained = f * (math.expm1(c * t) / c if c else t)
    assert [leg.steps for leg in made.segments(t)] == [1]
    within(made.estimate(wave, X, t), math.exp((c - 2) * t) * wave(X) + gained)
    still = EvolutionOperator(torch.tensor([0.3], dtype=F64), rate=c, source=f)
    torch.testing.assert_close(still(wave, X, t), math.exp(c * t) * wave(X + 0.3 * t) + gained, rtol=1e-12, atol=1e-12)


def test_a_source_on_an_ornstein_uhlenbeck_process() -> None:
    """u_t = -x u_x + ½u_xx + x² with u(x, 0) = 0: ∫₀ᵗ E X_s² ds = x²(1 - e^{-2t})/2 + t/2 - (1 - e^{-2t})/4."""
    t, decay = 1.0, (1 - math.exp(-2.0)) / 2
    made = EvolutionOperator(lambda x, t: -x, 0.5, source=lambda x, t: x[..., 0] ** 2, dt=0.01, samples=20_000)
    found = made.estimate(lambda x: torch.zeros_like(x[..., 0]), X, t)
    within(found, X[:, 0] ** 2 * decay + t / 2 - decay / 2, bias=0.03)


@pytest.mark.parametrize("dt", [0.25, 0.05])
def test_a_linear_potential(dt: float) -> None:
    """u_t = ½u_xx + a x u, u(x, 0) = 1: e^{a x t + a²t³/6}. With the trapezoidal rule ∫X is Gaussian with the variance
    t³/3 - t Δt²/12 in place of t³/3, without the bridges between the steps, so that the scheme's mean is known, too."""
    a, t = 0.8, 1.0
    made = EvolutionOperator(None, 0.5, rate=lambda x, t: a * x[..., 0], dt=dt, samples=40_000)
    exact = torch.exp(a * X[:, 0] * t + a**2 * (t**3 / 3 - t * dt**2 / 12) / 2)
    within(made.estimate(lambda x: torch.ones_like(x[..., 0]), X, t), exact)


def test_black_scholes() -> None:
    """V_t + ½σ²S²V_SS + r S V_S - r V = 0, V(S, T) = max(S - K, 0): SΦ(d₁) - K e^{-rT}Φ(d₂).

    The steps of Euler-Maruyama have a bias of order Δt, here below 0.02 of a price of 10."""
    s, r, sigma, k, horizon = torch.tensor([[80.0], [100.0], [120.0]], dtype=F64), 0.05, 0.2, 100.0, 1.0
    made = EvolutionOperator(
        lambda x, t: r * x,
        lambda x, t: 0.5 * sigma**2 * x[..., 0].square(),
        rate=-r,
        form="terminal",
        horizon=horizon,
        dt=0.02,
        samples=40_000,
    )
    d1 = (torch.log(s[:, 0] / k) + (r + sigma**2 / 2) * horizon) / (sigma * horizon**0.5)
    phi = torch.special.ndtr
    exact = s[:, 0] * phi(d1) - k * math.exp(-r * horizon) * phi(d1 - sigma * horizon**0.5)
    within(made.estimate(lambda x: (x[..., 0] - k).clamp_min(0), s, 0.0), exact, bias=0.02)


def test_stationary_density_of_fokker_planck() -> None:
    """u_t = ∇·(x u) + Δu = x·∇u + 2u + Δu on R² keeps e^{-|x|²/2}/2π, 0.159 at 0, where x·∇u + Δu gives 0.024."""
    x = torch.tensor([[0.0, 0.0], [1.0, -0.5]], dtype=F64)

    def density(x: Tensor) -> Tensor:
        return torch.exp(-x.square().sum(-1) / 2) / (2 * math.pi)

    made = EvolutionOperator(lambda x, t: x, 1.0, rate=2.0, dt=0.02, samples=20_000, scheme="heun")
    found = made.estimate(density, x, 1.0)
    within(found, density(x), bias=1e-3)
    assert float(found.mean[0]) == pytest.approx(1 / (2 * math.pi), rel=0.1)


def test_time_and_form() -> None:
    """u(x, T) of u_t = ½u_xx + c(x, t)u + f(x, t) is w(x, 0) of w_t + ½w_xx + c(x, T - t)w + f(x, T - t) = 0."""

    def c(x: Tensor, t: float) -> Tensor:
        return torch.sin(x[..., 0] + 3 * t)

    def f(x: Tensor, t: float) -> Tensor:
        return t * x[..., 0]

    for diffusion in (0.0, 0.5):
        initial = EvolutionOperator(None, diffusion, rate=c, source=f, dt=0.1, samples=16)(wave, X, 1.0)
        turned = {"rate": lambda x, t: c(x, 1 - t), "source": lambda x, t: f(x, 1 - t)}
        terminal = EvolutionOperator(None, diffusion, dt=0.1, samples=16, form="terminal", horizon=1.0, **turned)
        torch.testing.assert_close(terminal(wave, X, 0.0), initial)
        naive = EvolutionOperator(None, diffusion, rate=c, source=f, dt=0.1, samples=16, form="terminal", horizon=1.0)
        assert (naive(wave, X, 0.0) - initial).abs().max() > 0.01


def test_pieces_weigh_one_after_the_other() -> None:
    """c = 1 on [0, 1], f = 1 on [1, 2]: u(x, 2) = e·g + 1; the other way round e·(g + 1)."""
    grow, gain = {"rate": 1.0}, {"source": 1.0}
    late = EvolutionOperator(pieces=[GeneratorCoefficients(0, 1, **grow), GeneratorCoefficients(1, 2, **gain)])  # type: ignore[arg-type]
    torch.testing.assert_close(late(wave, X, 2.0), math.e * wave(X) + 1)
    early = EvolutionOperator(pieces=[GeneratorCoefficients(0, 1, **gain), GeneratorCoefficients(1, 2, **grow)])  # type: ignore[arg-type]
    torch.testing.assert_close(early(wave, X, 2.0), math.e * (wave(X) + 1))
    torch.testing.assert_close(early.between(1.0, 2.0)(wave, X, 2.0), math.e * wave(X))


def solve_on_grid(
    c: Callable[[Tensor], Tensor], f: Callable[[Tensor], Tensor], t: float, h: float
) -> Callable[[float], float]:
    """u_t = sin(x)u_x + ½u_xx + c u + f by Crank-Nicolson and central differences on [-10, 10]: error O(h²)."""
    n = round(20 / h)
    x = torch.linspace(-10, 10, n + 1, dtype=F64)
    off, up = torch.full((n,), 0.5 / h**2, dtype=F64), torch.sin(x) / (2 * h)
    a = torch.diag(c(x) - 1 / h**2) + torch.diag(off + up[:-1], 1) + torch.diag(off - up[1:], -1)
    steps = round(t / h)
    half, eye = 0.5 * (t / steps) * a, torch.eye(n + 1, dtype=F64)
    factor = torch.linalg.lu_factor(eye - half)
    u = torch.cos(2 * x)
    for _ in range(steps):
        u = torch.linalg.lu_solve(*factor, ((eye + half) @ u + (t / steps) * f(x)).unsqueeze(-1)).squeeze(-1)
    return lambda at: float(u[round((at + 10) / h)])


def test_against_finite_differences() -> None:
    """All four coefficients at once; the grid's own error is 4·10⁻⁴ by halving its mesh."""

    def c(x: Tensor) -> Tensor:
        return torch.cos(x)

    def f(x: Tensor) -> Tensor:
        return torch.tanh(x)

    at = torch.tensor([[-1.0], [0.0], [0.5], [2.0]], dtype=F64)
    solution = solve_on_grid(c, f, 1.0, 0.025)
    made = EvolutionOperator(
        lambda x, t: torch.sin(x),
        0.5,
        rate=lambda x, t: c(x[..., 0]),
        source=lambda x, t: f(x[..., 0]),
        dt=0.02,
        samples=40_000,
        scheme="heun",
    )
    within(made.estimate(wave, at, 1.0), torch.tensor([solution(float(p)) for p in at], dtype=F64), bias=2e-3)


# ---- learned coefficients, noise


class Level(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.network = vector_field(1, 6, 1, outputs=1).double()

    def forward(self, x: Tensor, t: float) -> Tensor:
        return self.network(x, t).squeeze(-1)


@pytest.mark.parametrize("diffusion", [0.0, 0.3])
@pytest.mark.parametrize("scheme", ["euler", "heun"])
def test_learned_rates_have_gradients(diffusion: float, scheme: str) -> None:
    torch.manual_seed(0)
    c, f = Level(), Level()
    made = EvolutionOperator(lambda x, t: torch.sin(x), diffusion, rate=c, source=f, dt=0.25, samples=4, scheme=scheme)
    assert len(list(made.parameters())) == 8
    names = [name for name, _ in made.named_parameters()]

    def value(x: Tensor, *weights: Tensor) -> Tensor:
        return torch.func.functional_call(made, dict(zip(names, weights, strict=True)), (wave, x, 1.0))

    weights = tuple(p.detach().clone().requires_grad_() for p in made.parameters())
    assert torch.autograd.gradcheck(value, (X[:2].clone().requires_grad_(), *weights))


def test_affine_in_the_data() -> None:
    """u is linear in (g, f) together, whatever c is."""
    c: Rate = lambda x, t: torch.sin(x[..., 0])  # noqa: E731
    f: Rate = lambda x, t: x[..., 0]  # noqa: E731
    options = {"dt": 0.1, "samples": 8}
    both = EvolutionOperator(None, 0.5, rate=c, source=f, **options)  # type: ignore[arg-type]
    alone = EvolutionOperator(None, 0.5, rate=c, **options)  # type: ignore[arg-type]
    zero = both(lambda x: torch.zeros_like(x[..., 0]), X, 1.0)
    torch.testing.assert_close(both(wave, X, 1.0), alone(wave, X, 1.0) + zero)


def test_every_evaluation_of_a_solution_has_new_noise() -> None:
    """Two rows at one point, two calls: four independent means of 64 draws. Frozen, all are one."""
    model = FeynmanKacSolution(EvolutionOperator(None, 0.5, rate=0.3, samples=64), wave, 1.0).eval()
    x = torch.zeros(2, 1, dtype=F64)
    first, second = model(x), model(x)
    assert len({*first.tolist(), *second.tolist()}) == 4
    with frozen_noise(model):
        assert len({*model(x).tolist(), *model(x).tolist()}) == 1
    seed_noise(model, 3)
    again = model(x)
    seed_noise(model, 3)
    assert torch.equal(model(x), again)
    many = torch.stack([model(x) for _ in range(200)]).flatten()
    assert abs(float(many.mean()) - math.exp(0.3 - 2)) < 5 * float(many.std()) / 20


def test_laplace_noise_in_the_operator() -> None:
    """E ξ⁴ = 6 for Laplace ξ of variance 1, 3 for Gaussian: one step of variance 1 from 0; the standard deviation of ξ⁴
    is √(2520 - 36) = 50 for Laplace, √96 for Gaussian."""
    for law, fourth, spread in (("normal", 3.0, 96**0.5), ("laplace", 6.0, 2484**0.5)):
        made = EvolutionOperator(None, 0.5, dt=1.0, samples=200_000, law=law)  # type: ignore[arg-type]
        found = float(made(lambda x: x[..., 0] ** 4, torch.zeros(1, 1, dtype=F64), 1.0))
        assert abs(found - fourth) < 5 * spread / 200_000**0.5
