"""Evolution operators compared with closed forms.

Where the equation is linear in x with constant diffusion, the scheme's own law is Gaussian and known exactly: its mean
and covariance after n steps. A Monte-Carlo mean must lie within 5 standard errors of that value: one false alarm in
1.7·10⁶ per number, about 100 numbers in this file, so 6·10⁻⁵ for all of it; and the seeds are fixed. What the scheme
differs from the equation is deterministic and is bounded beside it. All in float64.
"""

from __future__ import annotations

import math

import pytest
import torch
from texts import compiled, known, shipped
from torch import Tensor

from pdedsl.runtime.sde.feynman_kac import EvolutionOperator

F64 = torch.float64
K = torch.tensor([1.3, -0.7], dtype=F64)
X = torch.randn(5, 2, generator=torch.Generator().manual_seed(11), dtype=F64)
TURN = [[0.0, -1.0], [1.0, 0.0]]
A = [[0.30, 0.15], [0.15, 0.20]]
DRAWS = 20_000


def wave(x: Tensor) -> Tensor:
    return torch.cos(x @ K)


def bump(x: Tensor) -> Tensor:
    return torch.exp(-(x - 0.3).square().sum(-1))


def operator(text: str, samples: int = DRAWS) -> EvolutionOperator:
    made = compiled(text).operator(samples=samples).double()
    assert isinstance(made, EvolutionOperator)
    return made


def steps(n: int, scheme: str = "euler") -> str:
    return f"realize time by {scheme}(steps={n})"


def matrix(rows: list[list[float]]) -> Tensor:
    return torch.tensor(rows, dtype=F64)


def gaussian_wave(mean: Tensor, covariance: Tensor) -> Tensor:
    """E cos(k·Y), Y ~ N(mean, covariance)."""
    return torch.exp(-0.5 * K @ covariance @ K) * wave(mean)


def scheme_law(m: Tensor, b: Tensor, a: Tensor, n: int, t: float) -> tuple[Tensor, Tensor]:
    """Mean and covariance of Y ← Y + Δt(MY + b) + √(2AΔt)ξ after n steps, from the points X."""
    dt, step, mean, covariance = t / n, torch.eye(2, dtype=F64) + t / n * m, X, torch.zeros(2, 2, dtype=F64)
    for _ in range(n):
        mean = mean @ step.T + dt * b
        covariance = step @ covariance @ step.T + 2 * dt * a
    return mean, covariance


def assert_within(text: str, expected: Tensor, t: float = 1.0) -> Tensor:
    estimate = operator(text).estimate(wave, X, t)
    distance = (estimate.mean - expected).abs()
    assert (estimate.standard_error > 0).all()
    assert (distance <= 5 * estimate.standard_error).all(), (distance, estimate.standard_error)
    return estimate.mean


# ---- transport alone: deterministic


@pytest.mark.parametrize(("sign", "moved"), [("+", 1.0), ("-", -1.0)])
def test_constant_velocity(sign: str, moved: float) -> None:
    """u_t = ±v·∇u: u(x, t) = f(x ± vt)."""
    text = known(f"∂u/∂t = 0 {sign} v·∇u", "const v = [0.4, -0.9]")
    v = torch.tensor([0.4, -0.9], dtype=F64)
    for t in (0.0, 0.3, 1.0):
        torch.testing.assert_close(operator(text)(bump, X, t), bump(X + moved * t * v), rtol=0, atol=1e-6)


@pytest.mark.parametrize(("sign", "turned"), [("", 1.0), ("-", -1.0)])
def test_rotation(sign: str, turned: float) -> None:
    text = known(f"∂u/∂t = {sign}v·∇u", "let v(x, y) = [-y, x]", realized=steps(64, "rk4"))
    turn = torch.linalg.matrix_exp(0.8 * turned * matrix(TURN))
    torch.testing.assert_close(operator(text)(bump, X, 0.8), bump(X @ turn.T), rtol=0, atol=1e-6)


def test_terminal_form_moves_the_other_way_in_time() -> None:
    """u_t + v·∇u = 0, u(·, 1) = f: u(x, t) = f(x + (1 − t)v)."""
    text = known("∂u/∂t + v·∇u = 0", "const v = [0.4, -0.9]", data="u(x, y, 1) = 0")
    v = torch.tensor([0.4, -0.9], dtype=F64)
    torch.testing.assert_close(operator(text)(bump, X, 0.3), bump(X + 0.7 * v), rtol=0, atol=1e-6)


def flow(reverse: bool) -> Tensor:
    """The map of Y' = M(s)Y on [0, 1] with M(t) = (1 − t)·shear + t·stretch, s = 1 − τ in network order."""
    shear, stretch = matrix([[0.0, 2.0], [0.0, 0.0]]), matrix([[1.0, 0.0], [0.0, -1.0]])
    n, y = 4000, torch.eye(2, dtype=F64)
    for k in range(n):  # the exponential at midpoints: error O(n⁻²)
        middle = (k + 0.5) / n
        t = middle if reverse else 1.0 - middle
        y = torch.linalg.matrix_exp(((1 - t) * shear + t * stretch) / n) @ y
    return y


def test_time_dependent_velocity_in_network_order() -> None:
    """The first step sees v at t = 1, the last v near t = 0; the reverse order is far away."""
    declared = "let v(x, y, t) = [2(1 - t) y + t x, -t y]"
    found = operator(known("∂u/∂t = v·∇u", declared, realized=steps(50, "rk4")))(bump, X, 1.0)
    torch.testing.assert_close(found, bump(X @ flow(reverse=False).T), rtol=0, atol=1e-6)
    assert (found - bump(X @ flow(reverse=True).T)).abs().max() > 0.05
    terminal = known("∂u/∂t + v·∇u = 0", declared, data="u(x, y, 1) = 0", realized=steps(50, "rk4"))
    other = operator(terminal)(bump, X, 0.0)
    torch.testing.assert_close(other, bump(X @ flow(reverse=True).T), rtol=0, atol=1e-6)


@pytest.mark.parametrize(("scheme", "order"), [("euler", 1), ("heun", 2), ("rk4", 4)])
@pytest.mark.parametrize("data", ["u(x, y, 0) = 0", "u(x, y, 1) = 0"], ids=["initial", "terminal"])
def test_order_of_transport(scheme: str, order: int, data: str) -> None:
    equation = "∂u/∂t = v·∇u" if "0) = 0" in data else "∂u/∂t + v·∇u = 0"
    t = 1.0 if "0) = 0" in data else 0.0

    def solution(n: int, method: str = scheme) -> Tensor:
        declared = "let v(x, y, t) = [sin(y + 2t), sin(x + 2t)]"
        return operator(known(equation, declared, data=data, realized=steps(n, method)))(bump, X, t)

    exact = solution(320, "rk4")
    coarse, fine = ((solution(n) - exact).abs().max() for n in (20, 40))
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize("network", [False, True], ids=["operator", "network"])
def test_coefficients_that_depend_on_time_only(network: bool) -> None:
    """Functions of t are numbers, not tensors: X(1) = x + ∫₀¹ (sin 2s, s) ds, by rk4 within 1e-7."""
    text = known("∂u/∂t = v·∇u", "let v(x, y, t) = [sin(2t), t]", data="u(x, y, 0) = x + y", realized=steps(8, "rk4"))
    expected = X.sum(-1) + (1 - math.cos(2.0)) / 2 + 0.5
    found = compiled(text).module().double()(X) if network else operator(text)(lambda y: y.sum(-1), X, 1.0)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


# ---- with diffusion


@pytest.mark.parametrize(("term", "nu"), [("0.2 Δu", 0.2), ("½ 0.2 Δu", 0.1), ("σ²Δu", 0.04), ("½σ²Δu", 0.02)])
def test_heat_equation(term: str, nu: float) -> None:
    """exp(−ν|k|²t)·cos(k·x), in one exact step."""
    text = known(f"∂u/∂t = {term}", "const σ = 0.2")
    assert_within(text, gaussian_wave(X, 2 * nu * 0.8 * torch.eye(2, dtype=F64)), 0.8)


def test_constant_matrix_and_velocity() -> None:
    text = known("∂u/∂t = v·∇u + A:∇∇u", f"const v = [0.4, -0.9]\nconst A = {A}")
    shift = torch.tensor([0.4, -0.9], dtype=F64)
    assert_within(text, gaussian_wave(X + shift, 2 * matrix(A)))


def test_matrix_written_by_its_derivatives() -> None:
    """0.3 u_xx + 0.3 u_xy + 0.2 u_yy has the matrix A: a mixed derivative counts twice."""
    by_matrix = known("∂u/∂t = A:∇∇u", f"const A = {A}")
    by_parts = known("∂u/∂t = 0.3 ∂²u/∂x² + 0.3 ∂²u/∂x∂y + 0.2 ∂²u/∂y²")
    torch.testing.assert_close(operator(by_parts, 100)(wave, X, 1.0), operator(by_matrix, 100)(wave, X, 1.0))


def test_directions_without_diffusion() -> None:
    """A semidefinite matrix: noise along y only, and x is carried as it is."""
    text = known("∂u/∂t = 0.2 ∂²u/∂y²")
    assert_within(text, gaussian_wave(X, matrix([[0.0, 0.0], [0.0, 0.4]])))


@pytest.mark.parametrize("n", [8, 64])
def test_rotation_with_diffusion(n: int) -> None:
    text = known("∂u/∂t = v·∇u + 0.1 Δu", "let v(x, y) = [-y, x]", realized=steps(n))
    a, zero = 0.1 * torch.eye(2, dtype=F64), torch.zeros(2, dtype=F64)
    law = gaussian_wave(*scheme_law(matrix(TURN), zero, a, n, 1.0))
    assert_within(text, law)
    exact = gaussian_wave(X @ torch.linalg.matrix_exp(matrix(TURN)).T, 2 * a)
    assert (law - exact).abs().max() < 2.0 / n  # Euler lets the radius grow, O(Δt)


@pytest.mark.parametrize("form", ["λ(a-p)·∇u", "-λ(p-a)·∇u"])
def test_ornstein_uhlenbeck(form: str) -> None:
    """Y ~ N(a + e^{−λt}(x − a), ν(1 − e^{−2λt})/λ)."""
    declared = "const λ = 1.5\nconst a = [0.5, -0.2]\nlet p(x, y) = [x, y]"
    text = known(f"∂u/∂t = {form} + 0.3 Δu", declared, realized=steps(32))
    home, nu = torch.tensor([0.5, -0.2], dtype=F64), 0.3
    eye = torch.eye(2, dtype=F64)
    law = gaussian_wave(*scheme_law(-1.5 * eye, 1.5 * home, nu * eye, 32, 1.0))
    assert_within(text, law)
    exact = gaussian_wave(home + math.exp(-1.5) * (X - home), nu * (1 - math.exp(-3.0)) / 1.5 * eye)
    assert (law - exact).abs().max() < 0.05


def test_state_dependent_diffusion() -> None:
    """u_t = ½s²x²u_xx (geometric Brownian motion): E Y² = x²(1 + s²Δt)ⁿ for Euler-Maruyama, s² = 0.25."""
    text = known("∂u/∂t = 0.125 x² ∂²u/∂x²", realized=steps(10))
    estimate = operator(text, 100_000).estimate(lambda y: y[..., 0].square(), X, 1.0)
    expected = X[:, 0].square() * 1.025**10
    assert ((estimate.mean - expected).abs() <= 5 * estimate.standard_error).all()


def test_divergence_form_has_its_drift() -> None:
    """∇·(a∇u) = aΔu + ∇a·∇u, draw by draw."""
    inside = known("∂u/∂t = ∇·(a ∇u)", "let a(x, y) = 1 + x² y²")
    spread = known("∂u/∂t = a Δu + w·∇u", "let a(x, y) = 1 + x² y²\nlet w(x, y) = [2x y², 2x² y]")
    torch.testing.assert_close(operator(inside, 50)(wave, X, 0.3), operator(spread, 50)(wave, X, 0.3))


@pytest.mark.parametrize("last", [True, False], ids=["heat last", "heat first"])
def test_split_in_time(last: bool) -> None:
    """v = (x, y) stretches by e: noise on the input is stretched with it, noise behind the stretch is not."""
    transport, heat = "∂u/∂t = v·∇u for t in [{}, {}]", "∂u/∂t = 0.1 Δu for t in [{}, {}]"
    pieces = (transport, heat) if last else (heat, transport)
    equation = "\n".join(p.format(k, k + 1) for k, p in enumerate(pieces))
    text = known(equation, "let v(x, y) = [x, y]", end="2", realized=steps(32, "rk4"))
    variance = 0.2 * (math.e**2 if last else 1.0)
    assert_within(text, gaussian_wave(math.e * X, variance * torch.eye(2, dtype=F64)), 2.0)


def test_shipped_rotation_as_a_network() -> None:
    """u(·, 1) of the spec's own data: a Gaussian bump, turned and widened. 4096 draws: 5 errors, and Euler's bias."""
    model = compiled(shipped("rotation")).module().double()
    x = X @ torch.linalg.matrix_exp(matrix(TURN)).T
    width = 1 + 4 * 0.04
    exact = torch.exp(-((x - torch.tensor([1.0, 0.0], dtype=F64)).square().sum(-1)) / width) / width
    assert (model(X) - exact).abs().max() < 5 * 0.5 / math.sqrt(4096) + 0.01  # a value in [0, 1] deviates at most 0.5


def test_constants_are_kept_in_double_precision() -> None:
    """A float64 operator computes with 0.1, not with the float32 number nearest to it."""
    text = known("∂u/∂t = v·∇u", "const v = [0.1, 0.3]")
    found = operator(text)(lambda y: y[..., 0], X, 1.0)
    torch.testing.assert_close(found, X[:, 0] + 0.1, rtol=0, atol=1e-14)
