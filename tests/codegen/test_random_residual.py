"""Diffusion that is the second moment of a random residual map: dropped units, dropped maps, shared branches.

A step X + Δt·V has the mean X + Δt·v and the covariance 2AΔt of the spec's own v and A. Means and covariances are of
N = 20,000 rows, in float64 and with fixed seeds; each number must lie within 5.5 standard errors, which are computed
from the fourth moments of the rows: one false alarm in 2.6·10⁷ per number, about 60 numbers here, so 3·10⁻⁶ for all.
"""

from __future__ import annotations

import math

import pytest
import torch
from lowering.test_network_order import features
from sympy import Rational
from texts import changed, compiled, inputs, learned, parameters, picture, shipped
from torch import Tensor

import pdedsl
from codegen.test_learned_diffusion import watched
from pdedsl.explainer.describe import network_lines
from pdedsl.ir.noise import StochasticDepthResidual
from pdedsl.runtime.rng import streams
from pdedsl.runtime.sde.random_residual import Dropout, RandomMix, ShakeShake

N = 20_000
POINT = torch.tensor([[0.4, -1.1]], dtype=torch.float64)
V = "learn v(x, y, t) : vector = mlp(width=8, depth=2)"
FG = "learn f(x, y, t) : vector = mlp(width=8, depth=2)\nlearn g(x, y, t) : vector = mlp(width=8, depth=2)"
OUTER = "Σᵢ Σⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ"
BETWEEN = "Σᵢ Σⱼ (fᵢ - gᵢ)(fⱼ - gⱼ) ∂²u/∂xᵢ∂xⱼ"


def depth_text(strength: str, steps: int = 1, end: str = "1", term: str = OUTER) -> str:
    return plane(f"∂u/∂t = v·∇u + {strength} {term}", V, steps, end)


def shake_text(strength: str, steps: int = 1, end: str = "1") -> str:
    return plane(f"∂u/∂t = ½(f + g)·∇u + {strength} {BETWEEN}", FG, steps, end)


def plane(equation: str, declared: str, steps: int, end: str) -> str:
    text = learned(equation, declared, end, realized=f"realize time by euler(steps={steps})")
    return changed(text, ("(x, y) in R^2", "x in R^2"), ("(x, y, ", "(x, "), ("W [x, y]", "W x"))


def step_rows(text: str) -> tuple[Tensor, dict[str, Tensor]]:
    """N rows of one step from a point, in training, and the values of the fields there; one step is at t = T."""
    module = compiled(text).module().double().train()
    made = {k: f for m in module.modules() for k, f in getattr(m, "fields", {}).items()} or {
        "v": next(m.field for m in module.modules() if hasattr(m, "times"))
    }
    end = float(compiled(text).spec.time.end)
    with torch.no_grad():
        values = {name: field(POINT, end)[0] for name, field in made.items()}
        return features(module, POINT.expand(N, 2)), values


def assert_moments(rows: Tensor, mean: Tensor, covariance: Tensor) -> None:
    """Within 5.5 standard errors; a covariance beyond a matrix of rank one would show in its determinant."""
    deviation = rows.std(0)
    assert (deviation > 0).all()
    assert ((rows.mean(0) - mean).abs() <= 5.5 * deviation / math.sqrt(N)).all()
    products = (rows - mean).unsqueeze(-1) * (rows - mean).unsqueeze(-2)
    errors = products.flatten(1).std(0).reshape(2, 2) / math.sqrt(N)
    rounding = 1e-12 * covariance.abs().max()  # at p = ½ the products do not vary at all
    assert ((products.mean(0) - covariance).abs() <= 5.5 * errors + rounding).all(), (products.mean(0), covariance)


# ---- one step has the mean and covariance of the equation


@pytest.mark.parametrize(("strength", "end"), [("1/8", "1"), ("1/2", "1"), ("1/8", "3")])
def test_stochastic_depth(strength: str, end: str) -> None:
    dt = float(end)
    rows, values = step_rows(depth_text(strength, end=end))
    v = values["v"]
    a = eval(strength) * torch.outer(v, v)
    assert_moments(rows, POINT[0] + dt * v, 2 * dt * a)
    moved = (rows - POINT) / v  # a whole map is dropped or kept: both components by one number
    torch.testing.assert_close(moved[:, 0], moved[:, 1])
    assert len(moved[:, 0].mul(1e6).round().unique()) == 2


@pytest.mark.parametrize(("strength", "end"), [("1/24", "1"), ("1/6", "1"), ("1/24", "2")])
def test_shake_shake(strength: str, end: str) -> None:
    dt = float(end)
    rows, values = step_rows(shake_text(strength, end=end))
    f, g = values["f"], values["g"]
    a = eval(strength) * torch.outer(f - g, f - g)
    assert_moments(rows, POINT[0] + dt * (f + g) / 2, 2 * dt * a)
    share = (rows - POINT - dt * g) / (dt * (f - g))
    torch.testing.assert_close(share[:, 0], share[:, 1])
    width = math.sqrt(6 * eval(strength) / dt)
    assert (share - 0.5).abs().max() <= width + 1e-9
    assert share.amax() - share.amin() > 1.99 * width  # 20,000 uniform numbers leave less than 1 % free: e⁻²⁰⁰


def test_the_two_branches_of_the_operator_have_the_same_moments() -> None:
    """The operator of the same spec takes Gaussian steps with the matrix of the equation."""
    text = shake_text("1/24")
    made = compiled(text).module()
    operator = compiled(text).operator(made, samples=N).double()
    made.double()
    fields = next(m.fields for m in made.modules() if hasattr(m, "fields"))
    with torch.no_grad():
        f, g = (fields[k](POINT, 1.0)[0] for k in ("f", "g"))
        rows: list[Tensor] = []
        operator(lambda y: rows.append(y[:, 0]) or y[..., 0], POINT, 1.0)
    assert_moments(rows[0], POINT[0] + (f + g) / 2, torch.outer(f - g, f - g) / 12)


# ---- recognised however it is written


@pytest.mark.parametrize("term", [OUTER, "Σᵢⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ", "v·(∇∇u·v)", "Σᵢ vᵢ Σⱼ vⱼ ∂²u/∂xⱼ∂xᵢ"])
def test_spellings_of_a_matrix_of_rank_one(term: str) -> None:
    for text in (depth_text("¼", term=term), changed(depth_text("¼", term=term), ("R^2", "R^30"))):
        facts = compiled(text).analysis.equations[0]
        assert facts.structures == ("stochastic depth",)
        assert facts.random_residual == StochasticDepthResidual(Rational(1, 4))


@pytest.mark.parametrize(
    "equation",
    [
        f"v·∇u - ¼ {OUTER} + ½ {OUTER}",
        f"2v·∇u + {OUTER}",
        f"-v·∇u + ¼ {OUTER}",
    ],
)
def test_factors_and_signs_of_the_velocity(equation: str) -> None:
    """A = c b bᵀ for the drift b = ±v, 2v: always ¼."""
    (facts,) = compiled(plane(f"∂u/∂t = {equation}", V, 1, "1")).analysis.equations
    assert facts.random_residual == StochasticDepthResidual(Rational(1, 4))


@pytest.mark.parametrize(
    "equation",
    [
        f"½ v·∇u + 0.1 {OUTER} + 0.1 Δu",  # more than rank one
        f"w·∇u + 0.1 {OUTER}",  # along another velocity
        f"v·∇u + (1 + t) {OUTER}",  # a strength that varies
        "v·∇u + 0.1 v₁² ∂²u/∂x₁² + 0.1 v₁ v₂ ∂²u/∂x₁∂x₂ + 0.1 v₂² ∂²u/∂x₂²",  # half of the mixed term
    ],
)
def test_maps_without_random_residuals(equation: str) -> None:
    declared = f"{V}\nlearn w(x, y, t) : vector = mlp(width=8, depth=2)" if "w·" in equation else V
    text = plane(f"∂u/∂t = {equation}", declared, 1, "1")
    assert compiled(text).analysis.equations[0].random_residual is None
    assert not [m for m in compiled(text).module().modules() if isinstance(m, Dropout | RandomMix)]


@pytest.mark.parametrize(
    ("equation", "method", "marked"),
    [
        ("∂u/∂t = v·∇u + σ²Δu", "dropout", "σ²Δu"),
        ("∂u/∂t = v·∇u + σ²Δu", "stochastic_depth", "σ²Δu"),
        ("∂u/∂t = v·∇u + σ Σᵢ vᵢ² ∂²u/∂xᵢ²", "stochastic_depth", "σ Σᵢ vᵢ² ∂²u/∂xᵢ²"),
        (f"∂u/∂t = v·∇u + σ {OUTER}", "dropout", f"σ {OUTER}"),
        (f"∂u/∂t = v·∇u + σ {OUTER}", "shake_shake", f"σ {OUTER}"),
        (f"∂u/∂t = v·∇u + σ {OUTER}", "noise", f"σ {OUTER}"),
        ("∂u/∂t = v·∇u + σ Σᵢ vᵢ² ∂²u/∂xᵢ²", "noise(scale=relative)", "σ Σᵢ vᵢ² ∂²u/∂xᵢ²"),
        ("∂u/∂t = v·∇u + σ Σᵢ vᵢ² ∂²u/∂xᵢ²", "noise", "σ Σᵢ vᵢ² ∂²u/∂xᵢ²"),
        ("∂u/∂t = v·∇u + (1 + x₁²) Δu", "noise", "(1 + x₁²) Δu"),
        ("∂u/∂t = v·∇u + (1 + t) Δu", "noise(scale=relative)", "(1 + t) Δu"),
    ],
)
def test_a_method_that_does_not_fit_is_rejected(equation: str, method: str, marked: str) -> None:
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(picture(equation, realized=f"realize diffusion by {method}"))
    (diagnostic,) = found.value.diagnostics
    assert found.value.source is not None
    assert (diagnostic.code, found.value.source.text[diagnostic.span.start : diagnostic.span.end]) == ("E604", marked)
    assert diagnostic.hint


# ---- named networks


@pytest.mark.parametrize(("end", "keep"), [("9", 0.8), ("1", 0.8 / (0.8 + 9 * 0.2)), ("18", 1.6 / (1.6 + 0.2))])
def test_survival_probability_of_the_nine_maps(end: str, keep: float) -> None:
    """Δt(1−q)/(2q) = (1−p)/(2p): q = p when Δt = 1, otherwise q = pΔt/(pΔt + 1 − p)."""
    model = compiled(changed(shipped("stochastic_depth"), ("[0, 9]", f"[0, {end}]"))).module()
    found = [m for m in model.modules() if isinstance(m, Dropout)]
    assert [m.keep for m in found] == pytest.approx([keep] * 9, rel=1e-12)
    assert {m.of for m in found} == {"layer"}


@pytest.mark.parametrize(("end", "width"), [("9", 0.5), ("36", 0.25), ("1", 1.5)])
def test_weights_of_the_branches(end: str, width: float) -> None:
    """Δt w²/6 = 1/24: w = ½ when Δt = 1."""
    model = compiled(changed(shipped("shake_shake"), ("[0, 9]", f"[0, {end}]"))).module()
    assert [m.width for m in model.modules() if isinstance(m, RandomMix)] == pytest.approx([width] * 9, rel=1e-12)


def field_size(inputs_: int, outputs: int) -> int:
    """Two convolutions, and the norm before each; at a transition the first norm belongs to both branches."""
    norms = 4 * outputs if inputs_ == outputs else 2 * outputs
    return 9 * inputs_ * outputs + 9 * outputs**2 + norms


def test_shake_shake_counts_each_branch_once() -> None:
    """A second velocity at each map; stem, head, shortcuts and the activation before a transition are shared."""
    widths = [(16, 16)] * 3 + [(16, 32)] + [(32, 32)] * 2 + [(32, 64)] + [(64, 64)] * 2
    second = sum(field_size(a, b) for a, b in widths)
    model = compiled(shipped("shake_shake")).module()
    assert parameters(model) == 271_994 + second == 540_410
    assert len([m for m in model.modules() if isinstance(m, ShakeShake)]) == 9
    assert len({int(s.state[0]) for s in streams(model)}) == 9


def test_dropped_branches_are_not_evaluated() -> None:
    """A kept map is twice its velocity at p = ½, a dropped one is the identity: per sample, in training."""
    text = changed(shipped("stochastic_depth"), ("p = 0.8", "p = 0.5"), ("image(1, 28, 28)", "image(1, 8, 8)"))
    model = compiled(text).module().double().train()
    block = next(m for m in model.modules() if hasattr(m, "field") and hasattr(m, "dt"))
    x = torch.randn(64, 16, 8, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        velocity = block.field[0](x)
        ratio = ((block(x) - x) / velocity).flatten(1)
    kept = ratio.mean(1).round()
    torch.testing.assert_close(ratio, kept.unsqueeze(1).expand_as(ratio), rtol=1e-6, atol=1e-6)
    assert set(kept.tolist()) == {0.0, 2.0}  # 64 fair coins are all alike once in 10¹⁹


def test_branches_must_be_alike() -> None:
    one, other = (f"g(x, t) : vector   = resnet(depth={depth})" for depth in (20, 32))
    text = changed(shipped("shake_shake"), (one, other))
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(text)
    assert [d.code for d in found.value.diagnostics] == ["E604"]


@pytest.mark.parametrize("name", ["stochastic_depth", "shake_shake"])
def test_evaluation_averages_noise_samples(name: str) -> None:
    """The mean of draws is a probability, and one draw is not another."""
    text = changed(shipped(name), ("image(1, 28, 28)", "image(1, 8, 8)"))
    model, x = compiled(text).module().double().eval(), inputs(text, 3)
    with torch.no_grad():
        found = []
        for samples in (1, 2, 5):
            model.eval_samples = samples
            found.append(model(x).exp())
        torch.testing.assert_close(found[2].sum(-1), torch.ones(3, dtype=torch.float64))
        assert not torch.allclose(found[0], found[1])


def test_explanation_names_the_map() -> None:
    for name, words in (("stochastic_depth", "survival probability 4/5"), ("shake_shake", "shake")):
        lines = network_lines(compiled(shipped(name)).plan)
        assert any(words in line for line in lines)


def test_learned_fields_of_a_shared_step_are_parts_of_the_model() -> None:
    renamed = ("learn g(x, t)", "learn a(x, t)"), ("(f + g)", "(f + a)"), ("gᵢ", "aᵢ"), ("gⱼ", "aⱼ")
    model, made = watched(changed(shake_text("1/24"), *renamed))
    ours = {id(p) for p in model.parameters()}
    assert all(id(p) in ours for p in made["a"].parameters())
