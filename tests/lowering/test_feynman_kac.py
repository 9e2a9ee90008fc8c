"""Feynman-Kac formula: reactions, sources and divergences of complete specs.

Closed forms and Gaussian integrals; where draws are compared, within 5 standard errors of their mean (one false alarm
in 1.7·10⁶ a number, fixed seeds), with the bias of the steps beside it.
"""

from __future__ import annotations

import math

import pytest
import torch
from texts import compiled, fresh
from torch import Tensor, nn

from pdedsl.ir.representation import PathExpectation
from pdedsl.runtime.sde.feynman_kac import EvolutionOperator

F64 = torch.float64
X = torch.tensor([[0.0, 0.0], [0.7, -0.4], [-1.1, 0.3]], dtype=F64)
MANY = torch.zeros(2, 20, dtype=F64)
MANY[1, :3] = torch.tensor([0.5, -0.2, 0.1])
HEUN = "realize time by heun(steps=20)"


def spec(equation: str, declared: str = "", realized: str = "", data: str = "exp(-‖x‖²/2)", space: str = "R^2") -> str:
    at = "" if data.startswith("u(") else "u(x, 0) = "
    return (
        f"pde Weighted\nspace x in {space}\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
        f"{declared}\n{equation}\n{at}{data}\n{realized}\n"
    )


def operator(text: str, samples: int = 20_000) -> EvolutionOperator:
    made = compiled(text).operator(samples=samples)
    assert isinstance(made, EvolutionOperator)
    return made.double()


def gauss(x: Tensor) -> Tensor:
    return torch.exp(-x.square().sum(-1) / 2)


def close(text: str, exact: Tensor, bias: float, x: Tensor = X) -> None:
    found = operator(text).estimate(gauss, x, 1.0)
    distance = (found.mean - exact).abs()
    assert (distance <= 5 * found.standard_error + bias).all(), (distance, found.standard_error)


@pytest.mark.parametrize(
    "equation",
    ["∂u/∂t = ∇·(x u) + Δu", "∂u/∂t = x·∇u + 2u + Δu", "∂u/∂t = ∂(x₁ u)/∂x₁ + ∂(x₂ u)/∂x₂ + Δu"],
)
def test_stationary_density(equation: str) -> None:
    """Fokker-Planck: e^{-|x|²/2} is kept, where x·∇u + Δu alone gives 0.15 of it at the origin."""
    close(spec(equation, realized=HEUN), gauss(X), bias=5e-3)


def test_stationary_density_in_high_dimension() -> None:
    """∇·(x u) = x·∇u + 20u on R^20, by characteristics: u(x, 1) = e^{20} g(e x)."""
    text = spec("∂u/∂t = ∇·(x u)", realized="realize time by rk4(steps=40)", space="R^20")
    found = operator(text)(gauss, MANY, 1.0)
    torch.testing.assert_close(found, math.exp(20) * gauss(math.e * MANY), rtol=1e-5, atol=0)


def test_diffusion_inside_the_laplacian() -> None:
    """Δ(x₁²u) = x₁²Δu + 4x₁ ∂u/∂x₁ + 2u: at x₁ = 0 nothing moves, and u grows as e^{2t}."""
    x = torch.tensor([[0.0, 0.3]], dtype=F64)
    found = operator(spec("∂u/∂t = Δ(x₁² u)"), samples=10)(gauss, x, 1.0)
    torch.testing.assert_close(found, math.exp(2) * gauss(x), rtol=1e-12, atol=0)


@pytest.mark.parametrize("c", [1, -1])
def test_terminal_data(c: int) -> None:
    """u_t + Δu + c u + 3 = 0, u(x, 1) = g: e^c E g + 3(e^c - 1)/c at t = 0; E g over N(x, 2) is e^{-|x|²/6}/3."""
    text = spec(f"∂u/∂t + Δu {c:+d} u + 3 = 0", data="u(x, 1) = exp(-‖x‖²/2)")
    exact = math.exp(c) * torch.exp(-X.square().sum(-1) / 6) / 3 + 3 * math.expm1(c) / c
    found = operator(text).estimate(gauss, X, 0.0)
    assert ((found.mean - exact).abs() <= 5 * found.standard_error).all()


def test_module_and_operator_agree() -> None:
    """x ↦ u(x, 1) with the data of the spec, drawn anew: the means of 40 calls and of the operator's draws agree."""
    text = spec("∂u/∂t = Δu + sin(x₁) u + t x₂", realized="realize time by heun(steps=8)")
    model = compiled(text).module(seed=3).double().eval()
    with torch.no_grad():
        calls = torch.stack([model(X) for _ in range(40)])
        found = operator(text, samples=40_000).estimate(gauss, X, 1.0)
    spread = torch.hypot(calls.std(0) / 40**0.5, found.standard_error)
    assert ((calls.mean(0) - found.mean).abs() <= 5 * spread).all()


@pytest.mark.parametrize(("law", "fourth"), [("gaussian", 12.0), ("laplace", 14.0)])
def test_constant_coefficients_need_one_step(law: str, fourth: float) -> None:
    """Variance 2 by sums of n independent numbers has the fourth moment 12(1 + κ/3n): κ = 0 for Gauss, 3 for Laplace,
    whose sum is no Laplace number, and tends to Gauss with n = 6 steps."""
    steps = "realize time by euler(steps=6)\n" * (law == "laplace")
    made = operator(spec("∂u/∂t = Δu", realized=f"{steps}realize diffusion by noise(kind={law})"))
    found = made.estimate(lambda x: x[..., 0] ** 4, X[:1], 1.0)
    assert abs(found.mean.item() - fourth) <= 5 * found.standard_error.item() < 3.0


# ---- learned coefficients


V = "learn v(x, t) : vector = mlp(width=6, depth=2)"


@pytest.mark.parametrize(("space", "x"), [("R^2", X), ("R^20", MANY)])
def test_divergence_of_a_learned_field(space: str, x: Tensor) -> None:
    """u_t = ∇·(v u): one step of Euler is e^{h ∇·v(x)} g(x + h v(x)), the trace being that of the Jacobian."""
    module = fresh(spec("∂u/∂t = ∇·(v u)", V, "realize time by euler(steps=1)", space=space))
    v = module.make_v().double()
    made = module.operator(v).double()
    jacobian = torch.stack([torch.autograd.functional.jacobian(lambda y: v(y, 1.0), row) for row in x])
    trace = jacobian.diagonal(dim1=-2, dim2=-1).sum(-1)
    torch.testing.assert_close(made(gauss, x, 1.0), trace.exp() * gauss(x + v(x, 1.0)), rtol=1e-10, atol=1e-12)


def test_divergence_in_training() -> None:
    """Gradients by the weights go through the divergence, and agree with differences."""
    torch.manual_seed(0)
    module = fresh(spec("∂u/∂t = ∇·(v u) + Δu", V, "realize time by euler(steps=2)"))
    v = module.make_v().double()
    made = module.operator(v, samples=3).double()
    names = [name for name, _ in made.named_parameters()]

    def value(*weights: Tensor) -> Tensor:
        return torch.func.functional_call(made, dict(zip(names, weights, strict=True)), (gauss, X[1:2], 1.0))

    assert torch.autograd.gradcheck(value, tuple(p.detach().clone().requires_grad_() for p in made.parameters()))


@pytest.mark.parametrize(
    ("declared", "conductivity"),
    [("learn a(x, t) : scalar > 0 = mlp(width=6, depth=1)", "a"), ("learn A(x, t) : matrix, psd = mlp(width=6)", "A")],
)
def test_divergence_form_of_a_learned_coefficient(declared: str, conductivity: str) -> None:
    """∇·(A∇u) = A:∇∇u + (∇·A)·∇u: the drift of the operator is the divergence of the rows, by autograd."""
    module = fresh(spec(f"∂u/∂t = ∇·({conductivity} ∇u)", declared))
    field = getattr(module, f"make_{conductivity}")().double()
    (piece,) = module.operator(field).double().pieces

    def matrix(x: Tensor) -> Tensor:
        value = field(x, 0.5)
        return value * torch.eye(2, dtype=F64) if value.dim() == 0 else value

    expected = []
    for row in X:
        jacobian = torch.autograd.functional.jacobian(matrix, row)  # ∂Aᵢⱼ/∂xₖ
        expected.append(torch.einsum("ijj->i", jacobian))
    torch.testing.assert_close(piece.velocity(X, 0.5), torch.stack(expected), rtol=1e-9, atol=1e-10)


def test_a_divergence_free_field_has_no_weight() -> None:
    """∇·v = 0 for every weight: no derivative is computed, in few dimensions and in many."""
    declared = "learn v(x, t) : vector, divergence_free = mlp(width=6, depth=1)"
    for space in ("R^2", "R^20"):
        representation = compiled(spec("∂u/∂t = ∇·(v u)", declared, space=space)).representation
        assert isinstance(representation, PathExpectation)
        assert representation.segments[0].rate == 0


def test_learned_reaction_source_and_data() -> None:
    """c, f and g as networks: one trapezoidal step without noise or drift, by hand."""
    declared = "\n".join(f"learn {name} : scalar = mlp(width=5, depth=1)" for name in ("c(x, t)", "f(x)", "g(x)"))
    text = spec("∂u/∂t = c u + f", declared, "realize time by heun(steps=1)", data="u(x, 0) = g")
    torch.manual_seed(1)
    model = compiled(text).module().double()
    assert sum(p.numel() for p in model.parameters()) == (4 * 5 + 6) + 2 * (3 * 5 + 6)
    made = {name: model.get_submodule(place) for name, place in _places(model).items()}
    c1, c0, f = made["c"](X, 1.0), made["c"](X, 0.0), made["f"](X, None)
    growth = (c1 + c0) / 2
    gained = (f + torch.exp(c1) * f) / 2  # Heun for S' = e^L f, with L predicted by Euler
    torch.testing.assert_close(model(X), growth.exp() * made["g"](X, None) + gained)


def _places(model: nn.Module) -> dict[str, str]:
    names = [name for name, _ in model.named_modules()]
    return {key: next(n for n in names if n.endswith(f"fields.{key}")) for key in ("c", "f", "g")}


# ---- functions with corners


@pytest.mark.parametrize("space", ["R^2", "R^20"])
def test_corners_in_coefficients(space: str) -> None:
    """max, min, heaviside, abs and sign as Python computes them, in every place of the equation."""
    text = spec(
        "∂u/∂t = max(x₁, 0, t) ∂u/∂x₁ + heaviside(x₂) u + min(x₁, x₂) + abs(x₂) Δu - sign(x₁) ∂u/∂x₂",
        data="u(x, 0) = max(x₁, x₂) + abs(x₁)",
        space=space,
    )
    made = compiled(text)
    (piece,) = made.operator().double().pieces
    x = (X if space == "R^2" else MANY)[:2]
    a, b = x[:, 0], x[:, 1]
    half = torch.tensor(0.5, dtype=F64)
    torch.testing.assert_close(piece.velocity(x, 0.25)[:, 0], a.clamp_min(0.25))
    torch.testing.assert_close(piece.velocity(x, 0.25)[:, 1], -a.sign())
    torch.testing.assert_close(piece.rate(x, 0.25), torch.heaviside(b, half))
    torch.testing.assert_close(piece.source(x, 0.25), torch.minimum(a, b))
    torch.testing.assert_close(piece.diffusion(x, 0.25), b.abs())
    model = made.module().double()
    torch.testing.assert_close(model.data(x), torch.maximum(a, b) + a.abs())
