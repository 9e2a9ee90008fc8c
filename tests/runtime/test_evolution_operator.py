"""The evolution operator against closed forms, its own laws, and the independent grid solver.

Monte-Carlo means must lie within 5 standard errors of the exact value: one false alarm in 1.7·10⁶ per number compared,
about a hundred numbers in this file, and the seeds are fixed. The bias of Euler-Maruyama is bounded beside it.
"""

from __future__ import annotations

import copy
import math
import pickle

import pytest
import torch
from torch import Tensor, nn

from pdedsl.runtime.backbones import vector_field
from pdedsl.runtime.ode.explicit import VelocityField
from pdedsl.runtime.sde.feynman_kac import EvolutionOperator, GeneratorCoefficients
from runtime.evolutions import assert_within, bump, points, torch_double

K = torch.tensor([1.3, -0.7], dtype=torch_double)


A = torch.tensor([[0.30, 0.15], [0.15, 0.20]], dtype=torch_double)


V = torch.tensor([0.4, -0.9], dtype=torch_double)


def wave(x: Tensor) -> Tensor:
    """cos(k·x), of which a Gaussian average is exp(−kᵀAk·t)·cos(k·x)."""
    return torch.cos(x @ K)


def rotation(x: Tensor, t: float) -> Tensor:
    return torch.stack([-x[..., 1], x[..., 0]], -1)


def swing(x: Tensor, t: float) -> Tensor:
    """v(x, t) = M(t)·x with matrices that do not commute: shear first, stretch later."""
    return (
        torch.stack([x[..., 1], torch.zeros_like(x[..., 1])], -1)
        if t < 0.5
        else torch.stack([x[..., 0], -x[..., 1]], -1)
    )


def test_constant_velocity_is_a_shift() -> None:
    x = points()
    torch.testing.assert_close(EvolutionOperator(V)(bump, x, 0.7), bump(x + 0.7 * V))
    torch.testing.assert_close(EvolutionOperator(lambda x, t: V.expand_as(x), dt=0.1)(bump, x, 0.7), bump(x + 0.7 * V))


def test_rotation() -> None:
    x, angle = points(), 1.1
    turn = torch.tensor([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]], dtype=torch_double)
    torch.testing.assert_close(
        EvolutionOperator(rotation, dt=0.01)(bump, x, angle), bump(x @ turn.T), rtol=1e-8, atol=1e-9
    )


def test_rotation_with_diffusion() -> None:
    """Rotations commute with Δ: exp(−ν|k|²t)·cos(k·Rx). Euler's growth of the radius is a bias O(Δt)."""
    x, angle, nu = points(), 1.0, 0.1
    turn = torch.tensor([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]], dtype=torch_double)
    exact = math.exp(-nu * float(K.square().sum()) * angle) * wave(x @ turn.T)
    assert_within(EvolutionOperator(rotation, nu, dt=0.005, samples=4000).estimate(wave, x, angle), exact, bias=0.01)


@pytest.mark.parametrize("antithetic", [False, True])
def test_the_heat_equation_takes_one_exact_step(antithetic: bool) -> None:
    x, nu, t = points(), 0.2, 0.8
    heat = EvolutionOperator(None, nu, samples=20_000, antithetic=antithetic)
    assert [leg.steps for leg in heat.segments(t)] == [1]
    assert_within(heat.estimate(wave, x, t), math.exp(-nu * float(K.square().sum()) * t) * wave(x))
    width = 1 + 4 * nu * t  # a Gaussian bump stays one: exp(−|x−c|²/w)/w in two dimensions
    assert_within(heat.estimate(bump, x, t), torch.exp(-(x - 0.3).square().sum(-1) / width) / width)


def test_full_matrix_with_constant_velocity() -> None:
    x, t = points(), 0.9
    exact = math.exp(-float(K @ A @ K) * t) * wave(x + t * V)
    assert_within(EvolutionOperator(V, A, samples=20_000).estimate(wave, x, t), exact)
    by_steps = EvolutionOperator(lambda x, t: V.expand_as(x), A, dt=0.1, samples=20_000)
    assert_within(by_steps.estimate(wave, x, t), exact)


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_every_way_to_say_a_coefficient(rank: int) -> None:
    """ν, diagonal or matrix, constant or as a function: the same noise, the same numbers."""
    x = points()
    value = [torch.tensor(0.3), torch.tensor([0.3, 0.1]), A][rank].double()
    constant = EvolutionOperator(rotation, value, dt=0.1, samples=50)(wave, x, 0.5)
    function = EvolutionOperator(
        rotation, lambda x, t: value.expand(*x.shape[:-1], *value.shape), dt=0.1, samples=50, rows=100
    )
    torch.testing.assert_close(function(wave, x, 0.5), constant)


def test_ornstein_uhlenbeck() -> None:
    """u_t = −θx·∇u + νΔu: E cos(k·Y) with Y ~ N(e^{−θt}x, ν(1−e^{−2θt})/θ)."""
    x, theta, nu, t = points(), 1.5, 0.3, 1.0
    variance = nu * (1 - math.exp(-2 * theta * t)) / theta
    exact = torch.exp(-0.5 * variance * K.square().sum()) * wave(math.exp(-theta * t) * x)
    process = EvolutionOperator(lambda x, t: -theta * x, nu, dt=0.01, samples=10_000, antithetic=True)
    assert_within(process.estimate(wave, x, t), exact, bias=0.01)


def test_state_dependent_diffusion() -> None:
    """u_t = ½s²x²u_xx (geometric Brownian motion): E Y² = x²·e^{s²t}, Euler-Maruyama exactly x²(1 + s²Δt)^n."""
    x, s, t, dt = torch.tensor([[0.5], [1.0], [2.0]], dtype=torch_double), 0.5, 1.0, 0.1
    motion = EvolutionOperator(None, lambda x, t: 0.5 * s**2 * x[..., 0].square(), dt=dt, samples=100_000)
    estimate = motion.estimate(lambda y: y[..., 0].square(), x, t)
    assert_within(estimate, x[:, 0].square() * (1 + s**2 * dt) ** 10)


def test_time_dependent_field_in_network_order() -> None:
    """u(·, 1) = f∘Φ with the flow of v(·, 1 − τ): stretch (late) first, then shear. The reverse is far off."""
    x, e = points(), math.exp(0.5)
    stretch = torch.tensor([[e, 0.0], [0.0, 1 / e]], dtype=torch_double)
    shear = torch.tensor([[1.0, 0.5], [0.0, 1.0]], dtype=torch_double)
    right, reverse = bump(x @ (shear @ stretch).T), bump(x @ (stretch @ shear).T)
    early, late = (
        GeneratorCoefficients(0.0, 0.5, lambda x, t: swing(x, 0.2)),
        GeneratorCoefficients(0.5, 1.0, lambda x, t: swing(x, 0.7)),
    )
    torch.testing.assert_close(EvolutionOperator(pieces=[early, late], dt=0.01)(bump, x, 1.0), right)
    whole = EvolutionOperator(swing, dt=0.001, scheme="euler")(bump, x, 1.0)
    torch.testing.assert_close(whole, right, rtol=0.02, atol=0.005)
    assert (whole - reverse).abs().max() > 0.05


def test_pieces_are_passed_last_first() -> None:
    """Convect on [0, 1], diffuse on [1, 2]: E f(X(x + ξ)), noise on the input, not on the features."""
    x, scale = points(), 1.0
    field: VelocityField = lambda x, t: scale * x  # noqa: E731
    nu, e = 0.1, math.exp(scale)
    split = EvolutionOperator(
        pieces=[GeneratorCoefficients(0, 1, field), GeneratorCoefficients(1, 2, None, nu)], samples=20_000
    )
    assert [(leg.start, leg.steps) for leg in split.segments(2.0)] == [(2.0, 1), (1.0, 100)]
    assert [leg.start for leg in split.segments(0.4)] == [0.4]
    size = float(K.square().sum())
    assert_within(split.estimate(wave, x, 2.0), math.exp(-nu * size * e**2) * wave(e * x), bias=1e-6)
    other = EvolutionOperator(
        pieces=[GeneratorCoefficients(0, 1, None, nu), GeneratorCoefficients(1, 2, field)], samples=20_000
    )
    assert_within(other.estimate(wave, x, 2.0), math.exp(-nu * size) * wave(e * x), bias=1e-6)


@pytest.mark.parametrize("diffusion", [0.0, 0.1])
def test_initial_and_terminal_forms_agree(diffusion: float) -> None:
    """u(x, T) of u_t = v(x, t)·∇u + νΔu equals w(x, 0) of w_t + v(x, T − t)·∇w + νΔw = 0, draw by draw."""

    def field(x: Tensor, t: float) -> Tensor:
        return torch.sin(x.flip(-1) + 3.0 * t)

    x = points()
    initial = EvolutionOperator(field, diffusion, dt=0.05, samples=64)(bump, x, 1.0)
    terminal = EvolutionOperator(
        lambda x, t: field(x, 1.0 - t), diffusion, dt=0.05, samples=64, form="terminal", horizon=1.0
    )
    torch.testing.assert_close(terminal(bump, x, 0.0), initial)
    naive = EvolutionOperator(field, diffusion, dt=0.05, samples=64, form="terminal", horizon=1.0)(bump, x, 0.0)
    assert (naive - initial).abs().max() > 0.01


def test_linear_monotone_and_keeps_constants() -> None:
    x = points(20)
    operator = EvolutionOperator(rotation, lambda x, t: 0.2 + 0.1 * torch.sin(x[..., 0]), dt=0.1, samples=64)
    combined = operator(lambda y: 2.0 * wave(y) - 3.0 * bump(y), x, 1.0)
    torch.testing.assert_close(combined, 2.0 * operator(wave, x, 1.0) - 3.0 * operator(bump, x, 1.0))
    assert (operator(lambda y: wave(y) + 0.01 * bump(y), x, 1.0) >= operator(wave, x, 1.0)).all()
    assert torch.equal(operator(lambda y: torch.full(y.shape[:-1], 0.75), x, 1.0), torch.full((20,), 0.75))


def test_a_point_knows_neither_its_batch_nor_the_chunks() -> None:
    x = points(6)
    options = {"dt": 0.1, "samples": 30, "antithetic": True}
    operator = EvolutionOperator(rotation, A, **options)  # type: ignore[arg-type]
    together = operator(wave, x, 0.5)
    torch.testing.assert_close(
        torch.cat([operator(wave, row, 0.5) for row in x.split(1)]), together, rtol=1e-12, atol=0
    )
    chunked = EvolutionOperator(rotation, A, rows=13, **options)  # type: ignore[arg-type]
    torch.testing.assert_close(chunked(wave, x, 0.5), together, rtol=1e-12, atol=0)


def test_user_generator_is_untouched() -> None:
    torch.manual_seed(0)
    before = torch.get_rng_state()
    first = EvolutionOperator(rotation, 0.1, dt=0.1, samples=10)(wave, points(), 0.5)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(1)
    assert torch.equal(EvolutionOperator(rotation, 0.1, dt=0.1, samples=10)(wave, points(), 0.5), first)
    assert not torch.equal(EvolutionOperator(rotation, 0.1, dt=0.1, samples=10, seed=1)(wave, points(), 0.5), first)


def test_learned_coefficients_receive_gradients() -> None:
    drift = vector_field(2, 8, 2, time=True).double()
    nu = nn.Parameter(torch.tensor(0.1, dtype=torch_double))
    operator = EvolutionOperator(drift, nu, dt=0.25, samples=8)
    x = points().requires_grad_()
    operator(wave, x, 1.0).sum().backward()
    assert x.grad is not None
    assert nu.grad is not None
    assert all(p.grad is not None for p in drift.parameters())
    assert len(list(operator.parameters())) == len(list(drift.parameters())) + 1


def test_gradcheck() -> None:
    operator = EvolutionOperator(swing, lambda x, t: A * (1 + x[..., :1, None].square()), dt=0.25, samples=4)
    assert torch.autograd.gradcheck(lambda x: operator(wave, x, 1.0), points(2).requires_grad_())


def test_meta_device_and_copies() -> None:
    operator = EvolutionOperator(rotation, A, dt=0.25, samples=4)
    y = operator.to("meta")(lambda y: y.sum(-1), torch.empty(3, 2, device="meta"), 1.0)
    assert y.shape == (3,)
    operator = EvolutionOperator(rotation, A, dt=0.25, samples=4)
    expected = operator(wave, points(), 1.0)
    assert torch.equal(copy.deepcopy(operator)(wave, points(), 1.0), expected)
    assert torch.equal(pickle.loads(pickle.dumps(operator))(wave, points(), 1.0), expected)


def test_invalid_arguments_are_errors() -> None:
    with pytest.raises(ValueError, match="gap"):
        EvolutionOperator(pieces=[GeneratorCoefficients(0, 1), GeneratorCoefficients(2, 3)])
    with pytest.raises(ValueError, match="start < stop"):
        GeneratorCoefficients(1, 1)
    with pytest.raises(ValueError, match="finite horizon"):
        EvolutionOperator(form="terminal")
    with pytest.raises(ValueError, match="pairs"):
        EvolutionOperator(samples=3, antithetic=True)
    with pytest.raises(ValueError, match="outside"):
        EvolutionOperator(pieces=[GeneratorCoefficients(0, 1)])(wave, points(), 1.5)
