"""Every implicit and exponential record: orders in networks and on grids, stability, gradients, constraints."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from torch import Tensor

from pdedsl.numerics.butcher import ETDRK4, IMPLICIT, ImplicitRungeKutta, amplification_factor
from pdedsl.numerics.stability import is_contractive
from pdedsl.runtime.ode.etdrk import ExponentialSteps, phi_functions
from pdedsl.runtime.ode.explicit import TimeGrid
from pdedsl.runtime.ode.implicit import ImplicitIntegrator, NewtonSteps

records = pytest.mark.parametrize("method", IMPLICIT.values(), ids=lambda m: m.name)
DOUBLE = torch.float64


def order(errors: list[float]) -> float:
    return math.log2(errors[-2] / errors[-1])


def steps(method: ImplicitRungeKutta, count: int, end: float = 2.0) -> Tensor:
    """y′ = y cos t, y = y₀ exp(sin t), for two samples."""
    start = torch.tensor([[1.0, -2.0], [0.5, 3.0]], dtype=DOUBLE)
    return ImplicitIntegrator(method).integrate(lambda j, t, y: y * math.cos(t), start, TimeGrid(0.0, end, count))


@records
def test_order_in_networks(method: ImplicitRungeKutta) -> None:
    exact = torch.tensor([[1.0, -2.0], [0.5, 3.0]], dtype=DOUBLE) * math.exp(math.sin(2.0))
    counts = (10, 20) if method.order > 3 else (40, 80)
    errors = [float((steps(method, n) - exact).abs().max()) for n in counts]
    assert order(errors) == pytest.approx(method.order, abs=0.2)


@records
def test_order_on_grids(method: ImplicitRungeKutta) -> None:
    """w′ = -w² + cos t - …: w = 2 + sin t, by Newton's method."""

    def right(w: Tensor, t: float) -> Tensor:
        return math.cos(t) - (w**2 - (2 + math.sin(t)) ** 2)

    def jacobian(w: Tensor, t: float) -> Tensor:
        return torch.diag(-2 * w)

    errors = []
    for level in (4, 5):
        w = torch.tensor([2.0], dtype=DOUBLE)
        stepper = NewtonSteps(right, jacobian, torch.ones(1, dtype=DOUBLE), 2.0, False, method)
        for k in range(2**level):
            w = stepper(w, 2.0 * k / 2**level, level)
        errors.append(abs(float(w) - 2 - math.sin(2.0)))
    assert order(errors) == pytest.approx(method.order, abs=0.3)


@records
def test_a_step_multiplies_by_the_stability_function(method: ImplicitRungeKutta) -> None:
    """y′ = Λy with Λ = [[-a, b], [-b, -a]], whose eigenvalues are -a ± ib; also for stiff Λ."""
    numerator, denominator = (np.polynomial.Polynomial(p) for p in method.stability)
    for z in (-0.5 + 1j, -30 + 20j, -400 + 0j):
        matrix = torch.tensor([[z.real, z.imag], [-z.imag, z.real]], dtype=DOUBLE)
        start = torch.tensor([[1.0, 0.0]], dtype=DOUBLE)
        end = ImplicitIntegrator(method).integrate(lambda j, t, y, m=matrix: y @ m, start, TimeGrid(0.0, 1.0, 1))
        assert complex(*end[0]) == pytest.approx(complex(numerator(z) / denominator(z)), abs=1e-9)


@records
def test_records_are_a_stable_and_consistent(method: ImplicitRungeKutta) -> None:
    numerator, denominator = method.stability
    for y in (0.1, 1.0, 10.0, 1e3):
        assert amplification_factor(numerator, 1j * y) <= amplification_factor(denominator, 1j * y) * (1 + 1e-12)
    roots = np.roots(denominator[::-1])
    assert (roots.real > 0).all()
    for k in range(1, method.order + 1):  # quadrature conditions
        assert sum(b * c ** (k - 1) for b, c in zip(method.weights, method.nodes, strict=True)) == pytest.approx(1 / k)


@pytest.mark.parametrize("name", ["radau5", "implicit_midpoint"])
def test_algebraically_stable_methods_contract_for_every_step(name: str) -> None:
    """Burrage, Butcher 1979; ∇ of a convex function in a network with a large step."""
    assert all(is_contractive(IMPLICIT[name], Fraction(size)) for size in (1, 100, 10**6))
    rng = torch.Generator().manual_seed(0)
    weights = torch.randn(6, 4, generator=rng, dtype=DOUBLE)
    pair = torch.randn(8, 4, generator=rng, dtype=DOUBLE)

    def field(j: int, t: object, y: Tensor) -> Tensor:
        return -torch.tanh(y @ weights.T) @ weights

    end = ImplicitIntegrator(IMPLICIT[name]).integrate(field, pair, TimeGrid(0.0, 4.0, 2))
    assert end.isfinite().all()
    before, after = torch.cdist(pair, pair), torch.cdist(end, end)
    assert (after <= before + 1e-9).all()


@records
def test_gradients_by_the_implicit_function_theorem(method: ImplicitRungeKutta) -> None:
    weights = torch.tensor([[1.0, -0.5], [0.3, 0.8]], dtype=DOUBLE, requires_grad=True)
    start = torch.tensor([[0.4, -0.2], [1.0, 0.1]], dtype=DOUBLE, requires_grad=True)

    def end(y: Tensor, w: Tensor) -> Tensor:
        return ImplicitIntegrator(method).integrate(lambda j, t, y: -torch.tanh(y @ w), y, TimeGrid(0.0, 3.0, 2))

    assert torch.autograd.gradcheck(end, (start, weights), eps=1e-5, atol=1e-6)
    with pytest.raises(RuntimeError, match="differentiable once"):
        torch.autograd.grad(end(start, weights).sum(), start, create_graph=True)


@records
def test_samples_are_independent_and_failures_are_nan(method: ImplicitRungeKutta) -> None:
    def end(*samples: float) -> Tensor:
        start = torch.tensor(samples, dtype=DOUBLE).unsqueeze(1)
        return ImplicitIntegrator(method).integrate(lambda j, t, y: -(y**3), start, TimeGrid(0.0, 1.0, 3)).squeeze(1)

    assert end(1.0, math.nan, 2.0).isnan().tolist() == [False, True, False]
    # Bit for bit in a batch of one size; the rounding of batched products depends on the size.
    assert torch.equal(end(1.0, math.nan, 2.0)[2], end(0.3, 5.0, 2.0)[2])
    torch.testing.assert_close(end(1.0, math.nan, 2.0)[2], end(2.0)[0], rtol=1e-13, atol=0)


@pytest.mark.parametrize("method", [m for m in IMPLICIT.values() if m.is_stiffly_accurate], ids=lambda m: m.name)
def test_algebraic_equations_hold_at_the_end_of_a_step(method: ImplicitRungeKutta) -> None:
    """u′ = -v, 0 = v - u²."""

    def right(w: Tensor, t: float) -> Tensor:
        return torch.stack([-w[1], w[1] - w[0] ** 2])

    def jacobian(w: Tensor, t: float) -> Tensor:
        return torch.tensor([[0.0, -1.0], [-2 * float(w[0]), 1.0]], dtype=DOUBLE)

    mass = torch.tensor([1.0, 0.0], dtype=DOUBLE)
    w = NewtonSteps(right, jacobian, mass, 1.0, False, method)(torch.tensor([1.0, 1.0], dtype=DOUBLE), 0.0, 4)
    assert float(w[1]) == pytest.approx(float(w[0]) ** 2, abs=1e-13)
    assert abs(float(w[0]) - 1 / (1 + 1 / 16)) < 2 * (1 / 16) ** (method.order + 1)  # the error of one step


@pytest.mark.parametrize("method", [ETDRK4], ids=lambda m: m.name)
def test_order_of_exponential_methods(method: object) -> None:
    """w′ = -3w + N(w, t) with w = 2 + sin t; without N a step is exact."""
    symbol = torch.tensor([-3.0], dtype=DOUBLE)

    def nonlinear(w: Tensor, t: float) -> Tensor:
        return math.cos(t) + 3 * (2 + math.sin(t)) - (w**2 - (2 + math.sin(t)) ** 2)

    errors = []
    for level in (4, 5):
        w = torch.tensor([2.0], dtype=DOUBLE)
        stepper = ExponentialSteps(symbol, nonlinear, 2.0, False, 1)
        for k in range(2**level):
            w = stepper(w, 2.0 * k / 2**level, level)
        errors.append(abs(float(w) - 2 - math.sin(2.0)))
    assert order(errors) == pytest.approx(ETDRK4.order, abs=0.3)
    exact = ExponentialSteps(symbol, None, 2.0, False, 1)(torch.ones(1, dtype=DOUBLE), 0.0, 0)
    assert float(exact) == pytest.approx(math.exp(-6.0), rel=1e-13)


@records
def test_gradient_of_a_field_that_does_not_depend_on_the_state(method: ImplicitRungeKutta) -> None:
    """y′ = w, so that ∂y(T)/∂w = T."""
    w = torch.tensor(0.3, dtype=DOUBLE, requires_grad=True)
    start = torch.zeros(2, 1, dtype=DOUBLE)
    end = ImplicitIntegrator(method).integrate(lambda j, t, y: w * torch.ones_like(y), start, TimeGrid(0.0, 2.0, 3))
    (slope,) = torch.autograd.grad(end[0, 0], w)
    assert slope.item() == pytest.approx(2.0, rel=1e-12)


@records
def test_overflow_is_not_convergence(method: ImplicitRungeKutta) -> None:
    start = torch.full((1, 1), 1e15, dtype=torch.float32)
    end = ImplicitIntegrator(method).integrate(lambda j, t, y: 1e3 * y**3, start, TimeGrid(0.0, 1.0, 1))
    assert bool(end.isnan().all())


def test_large_modes_do_not_change_the_rounding_errors_of_small_ones() -> None:
    """φ₀ of h [[0, 1], [-ω², 0]] is a rotation: h ω = 0.04 beside 10⁵, which needs eighteen doublings more."""
    h, omega = 1e-3, torch.tensor([40.0, 1e8], dtype=torch.float64)
    zero = torch.zeros_like(omega)
    symbol = torch.stack([torch.stack([zero, zero + 1], -1), torch.stack([-omega.square(), zero], -1)], -2)
    first = phi_functions(h * symbol, 2, matrices=True)[0][0]
    cosine, sine = math.cos(40 * h), math.sin(40 * h)
    expected = torch.tensor([[cosine, sine / 40], [-40 * sine, cosine]], dtype=torch.float64)
    assert float((first / expected - 1).abs().max()) < 1e-14
