"""High and symbolic dimensions, R^100 and R^d: known drift, ν(t) and learned fields, compared with closed forms.

A plane wave cos(k·x), ‖k‖ ≈ 1, keeps its shape under drifts a(t)x + b and under isotropic diffusion. Where noise is
drawn, a mean must lie within 5 standard errors of the law of the scheme: one false alarm in 1.7·10⁶ per number, about
60 numbers in this file, so 4·10⁻⁵ for all of it, with fixed seeds. Float64.
"""

from __future__ import annotations

import math

import pytest
import torch
from texts import compiled, fresh
from torch import Tensor, nn

import pdedsl
from pdedsl.runtime.sde.feynman_kac import EvolutionOperator

F64 = torch.float64
D = 100
SOURCE = torch.Generator().manual_seed(5)
K = torch.randn(D, generator=SOURCE, dtype=F64) / math.sqrt(D)
X = torch.randn(4, D, generator=SOURCE, dtype=F64)
B = [round(0.02 * (k - 50), 2) for k in range(D)]
CONSTANT = f"const b = [{', '.join(map(str, B))}]"
SHIFT = torch.tensor(B, dtype=F64)
STEPS = 16
DRAWS = 4_000
SPACE = """pde Many
space x in {space}
time t in [0, 1]
unknown u(x, t) : {kind}
{declared}
{equation}
{data}
{realized}
"""


def text(
    equation: str, declared: str = "", space: str = "R^100", steps: int | None = STEPS, scheme: str = "euler"
) -> str:
    return SPACE.format(
        space=space,
        kind="scalar",
        declared=declared,
        equation=equation,
        data="u(x, 0) = exp(-‖x‖²)",
        realized=f"realize time by {scheme}(steps={steps})" if steps else "",  # none where one step is exact
    )


def classifier(equation: str, declared: str, realized: str = "", space: str = "R^100") -> str:
    return SPACE.format(
        space=space,
        kind="simplex(3)",
        declared=f"{declared}\nlearn W : operator = linear",
        equation=equation,
        data="u(x, 0) = softmax(W x)",
        realized=realized,
    )


def wave(y: Tensor) -> Tensor:
    return torch.cos(y @ K)


def operator(spec: str, samples: int = DRAWS) -> EvolutionOperator:
    made = compiled(spec).operator(samples=samples).double()
    assert isinstance(made, EvolutionOperator)
    return made


def gaussian_wave(mean: Tensor, variance: float) -> Tensor:
    """E cos(k·Y), Y ~ N(mean, variance·I)."""
    return math.exp(-0.5 * variance * float(K @ K)) * wave(mean)


def assert_within(spec: str, expected: Tensor, t: float = 1.0) -> None:
    estimate = operator(spec).estimate(wave, X, t)
    assert (estimate.standard_error > 0).all()
    distance = (estimate.mean - expected).abs()
    assert (distance <= 5 * estimate.standard_error).all(), (distance, estimate.standard_error)


# ---- diffusion alone and with constant velocity: one exact step


@pytest.mark.parametrize("space", ["R^100", "R^d", "R^17"])
def test_heat(space: str) -> None:
    spec = text("∂u/∂t = 0.3 Δu", space=space, steps=None)
    d = 17 if space == "R^17" else D
    made = operator(spec).estimate(lambda y: torch.cos(y @ K[:d]), X[:, :d], 0.7)
    expected = math.exp(-0.3 * 0.7 * float(K[:d] @ K[:d])) * torch.cos(X[:, :d] @ K[:d])
    assert ((made.mean - expected).abs() <= 5 * made.standard_error).all()


def test_transport_by_a_constant_vector_is_exact() -> None:
    found = operator(text("∂u/∂t = b·∇u", CONSTANT, steps=None), 1)(wave, X, 0.8)
    torch.testing.assert_close(found, wave(X + 0.8 * SHIFT), rtol=1e-12, atol=1e-13)


def test_constant_velocity_with_diffusion() -> None:
    assert_within(text("∂u/∂t = b·∇u + 0.2 Δu", CONSTANT, steps=None), gaussian_wave(X + SHIFT, 0.4))


# ---- drifts linear in the position


def scheme_law(rate: float, nu: float, shift: Tensor | float = 0.0) -> tuple[Tensor, float]:
    """Mean and variance of Y ← Y + Δt(aY + b) + √(2νΔt)ξ after all steps, from the points X."""
    dt, mean, variance = 1.0 / STEPS, X, 0.0
    for _ in range(STEPS):
        mean = mean + dt * (rate * mean + shift)
        variance = (1 + dt * rate) ** 2 * variance + 2 * nu * dt
    return mean, variance


@pytest.mark.parametrize("space", ["R^100", "R^d"])
@pytest.mark.parametrize(
    ("declared", "drift"),
    [("let v(x) = -x", "v"), ("const λ = 1", "-λ x"), ("", "(-x)"), ("let v(x, t) = -(x + x)/2", "v")],
)
def test_ornstein_uhlenbeck(declared: str, drift: str, space: str) -> None:
    """Y ~ N(e^{-t}x, ν(1 - e^{-2t})): the law of the scheme, and that within O(Δt) of the exact one."""
    spec = text(f"∂u/∂t = {drift}·∇u + 0.3 Δu", declared, space)
    law = gaussian_wave(*scheme_law(-1.0, 0.3))
    assert_within(spec, law)
    exact = gaussian_wave(math.exp(-1.0) * X, 0.3 * (1 - math.exp(-2.0)))
    assert (law - exact).abs().max() < 1.0 / STEPS


def test_drift_towards_a_point() -> None:
    spec = text("∂u/∂t = (b - x)·∇u + 0.3 Δu", CONSTANT)
    assert_within(spec, gaussian_wave(*scheme_law(-1.0, 0.3, SHIFT)))


@pytest.mark.parametrize(("scheme", "order"), [("euler", 1), ("heun", 2), ("rk4", 4)])
def test_drift_that_depends_on_time(scheme: str, order: int) -> None:
    """u_t = (1 + sin 2t)x·∇u: X(1) = x·exp(∫₀¹ 1 + sin 2s ds), the integral 1 + (1 - cos 2)/2."""

    def error(steps: int) -> float:
        seen: list[Tensor] = []
        spec = text("∂u/∂t = (1 + sin(2t)) x·∇u", steps=steps, scheme=scheme)
        operator(spec, 1)(lambda y: seen.append(y) or y[..., 0], X, 1.0)
        return float((seen[0].reshape(4, D) - math.exp(1 + (1 - math.cos(2.0)) / 2) * X).abs().max())

    assert math.log2(error(20) / error(40)) == pytest.approx(order, abs=0.25)


def test_time_runs_backward_for_initial_data() -> None:
    """With u_t = t x·∇u + …, one step from t = 1 uses the coefficient at 1, not at 0."""
    found = operator(text("∂u/∂t = t x·∇u", steps=1), 1)(wave, X, 1.0)
    torch.testing.assert_close(found, wave(2 * X))


def test_diffusivity_that_depends_on_time() -> None:
    """u_t = (1 + 2t)/5 Δu: the variance of the scheme is 2Δt Σ ν(1 - kΔt)."""
    spec = text("∂u/∂t = (1 + 2t)/5 Δu")
    dt = 1.0 / STEPS
    variance = sum(2 * dt * (1 + 2 * (1 - k * dt)) / 5 for k in range(STEPS))
    assert_within(spec, gaussian_wave(X, variance))


# ---- functions of the distance


def test_radial_drift() -> None:
    """X' = X/(1 + ‖X‖²): along the ray, log r + r²/2 grows by t."""
    spec = text("∂u/∂t = (1/(1 + ‖x‖²)) x·∇u", steps=8, scheme="rk4")
    seen: list[Tensor] = []
    operator(spec, 1)(lambda y: seen.append(y) or y[..., 0], X, 1.0)
    start, end = X.norm(dim=-1), seen[0].reshape(4, D).norm(dim=-1)
    torch.testing.assert_close(end.log() + end**2 / 2, start.log() + start**2 / 2 + 1.0, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(seen[0].reshape(4, D) / end.unsqueeze(-1), X / start.unsqueeze(-1))


def test_radial_diffusivity_of_one_step() -> None:
    """Covariance 2ν(x)Δt·I at each point, ν = 1/(1 + ‖x‖²): each coordinate's second moment, over 4,000 draws."""
    spec = text("∂u/∂t = (1/(1 + ‖x‖²)) Δu", steps=1)
    nu = 1 / (1 + X.square().sum(-1))
    estimate = operator(spec).estimate(lambda y: (y[..., 7] - X[:, 7]).square(), X, 1.0)
    assert ((estimate.mean - 2 * nu).abs() <= 5 * estimate.standard_error).all()


def test_drift_by_component() -> None:
    """Σᵢ cos(xᵢ + t) ∂u/∂xᵢ + Σᵢ (1 + xᵢ²) ∂²u/∂xᵢ²: one step, in mean and variance of a coordinate."""
    spec = text("∂u/∂t = Σᵢ cos(xᵢ + t) ∂u/∂xᵢ + Σᵢ (1 + xᵢ²) ∂²u/∂xᵢ²", steps=1)
    mean = X[:, 3] + torch.cos(X[:, 3] + 1.0)
    first = operator(spec).estimate(lambda y: y[..., 3], X, 1.0)
    second = operator(spec).estimate(lambda y: (y[..., 3] - mean).square(), X, 1.0)
    assert ((first.mean - mean).abs() <= 5 * first.standard_error).all()
    assert ((second.mean - 2 * (1 + X[:, 3].square())).abs() <= 5 * second.standard_error).all()


def test_single_components() -> None:
    """x₁ ∂u/∂x₂: only the second coordinate moves, by the first."""
    found = operator(text("∂u/∂t = x₁ ∂u/∂x₂", steps=4, scheme="rk4"), 1)(wave, X, 1.0)
    moved = X.clone()
    moved[:, 1] += X[:, 0]
    torch.testing.assert_close(found, wave(moved))


def test_symbolic_and_explicit_dimensions_agree() -> None:
    """The same text in R^16, which is written out, and in R^17 with a coordinate that is constant in time."""
    equation = "∂u/∂t = exp(-‖x‖²/20) x·∇u + (1 + t) Δu"
    few, many = operator(text(equation, space="R^16"), 1), operator(text(equation, space="R^17"), 1)
    for made in (few, many):
        made._noise = lambda x, *_: torch.full((1, 1, x.shape[-1]), 0.3, dtype=F64) * (torch.arange(x.shape[-1]) < 16)
    x = X[:, :16]
    ended: list[Tensor] = []
    few(lambda y: ended.append(y) or y[..., 0], x, 1.0)
    many(lambda y: ended.append(y) or y[..., 0], torch.cat([x, torch.zeros(4, 1, dtype=F64)], -1), 1.0)
    torch.testing.assert_close(ended[1][..., :16], ended[0])


# ---- learned fields


def test_learned_velocity_and_matrix() -> None:
    """Of the written file: one step is x + v(x, 1) + Ax + b."""
    declared = "learn v(x, t) : vector = mlp(width=8, depth=2)\nlearn A : matrix\nlearn b : vector"
    module = fresh(text("∂u/∂t = v·∇u + (A x)·∇u + b·∇u", declared, steps=1))
    v, a, b = module.make_v().double(), module.make_A().double(), module.make_b().double()
    nn.init.normal_(a.value, generator=SOURCE)
    nn.init.normal_(b.value, generator=SOURCE)
    made = module.operator(v, a, b).double()
    expected = wave(X + v(X, 1.0) + X @ a.value.T + b.value)
    torch.testing.assert_close(made(wave, X, 1.0), expected)
    assert {id(p) for p in made.parameters()} == {id(p) for f in (v, a, b) for p in f.parameters()}


def test_adjoint_matrix() -> None:
    module = fresh(text("∂u/∂t = Σᵢ Σⱼ A[j, i] xⱼ ∂u/∂xᵢ", "learn A : matrix", steps=1))
    a = module.make_A().double()
    nn.init.normal_(a.value, generator=SOURCE)
    torch.testing.assert_close(module.operator(a).double()(wave, X, 1.0), wave(X + X @ a.value))


V = "learn v(x, t) : vector = mlp(width=8, depth=2)"
LEARNED = f"{V}\nlearn a(x, t) : scalar > 0 = mlp(width=4)"


@pytest.mark.parametrize(
    ("equation", "declared"),
    [
        ("∂u/∂t = v·∇u + 0.1 Δu", V),
        ("∂u/∂t = (v - x)·∇u + a Δu", LEARNED),
        ("∂u/∂t = -x·∇u + 0.1 Δu", ""),
        ("∂u/∂t = v·∇u + ¼ Σᵢ Σⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ", V),
        ("∂u/∂t = v·∇u + ¼ Σᵢ vᵢ² ∂²u/∂xᵢ²", V),
    ],
)
def test_classifiers_train(equation: str, declared: str) -> None:
    spec = classifier(equation, declared, "realize time by euler(steps=3)")
    model = compiled(spec).module().double().train()
    model(X)[:, 0].sum().backward()
    assert model(X).shape == (4, 3)
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


# ---- refusals


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        (text("∂u/∂t = A:∇∇u", "learn A : matrix, psd"), "E604"),
        (classifier("∂u/∂t = -x·∇u", "", space="R^d"), "E604"),
        (text("∂u/∂t = v·∇u", "learn v(x) : vector = mlp", space="R^d"), "E604"),
    ],
)
def test_refused(spec: str, code: str) -> None:
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(spec)
    assert [d.code for d in found.value.diagnostics] == [code]
    assert all(d.hint for d in found.value.diagnostics)


def test_no_operator_for_a_full_matrix() -> None:
    """A classifier compiles, and only its operator is refused; a scalar has no other model."""
    equation, declared = "∂u/∂t = v·∇u + ¼ Σᵢ Σⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ", "learn v(x, t) : vector = mlp(width=8, depth=2)"
    with pytest.raises(pdedsl.PdeError) as found:
        compiled(classifier(equation, declared)).operator()
    assert [d.code for d in found.value.diagnostics] == ["E606"]
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(text(equation, declared))
    assert [d.code for d in found.value.diagnostics] == ["E606"]
