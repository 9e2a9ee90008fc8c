"""Coefficients of diffusion: learned ones that are trained, of the right size at a point, and dropout.

Covariances are of N = 20,000 rows. A sample variance s² of Gaussian rows deviates by s²√(2/N) = 0.01 s², so 6 % is 6
standard errors: one false alarm in 5·10⁸ per number; the fourth moment of dropout is allowed for beside it.
"""

from __future__ import annotations

import math

import pytest
import torch
from lowering.test_network_order import features
from texts import built, changed, compiled, fresh, inputs, learned, picture, refused, shipped
from torch import Tensor, nn

from pdedsl.runtime.sde.random_residual import Dropout

V = "learn v(x, y, t) : vector = mlp(width=8, depth=2)"
STEP = "realize time by euler(steps=1)"
ONE = f"{STEP}\nrealize diffusion by noise(samples=2)"
# The term, its declaration, and A as a function of the learned field's value at a point.
COEFFICIENTS = {
    "scalar": ("a Δu", "learn a(x, y, t) : scalar > 0 = mlp(width=8, depth=2)", lambda a: a * torch.eye(2)),
    "half": ("½ a Δu", "learn a(x, y, t) : scalar > 0 = mlp(width=8, depth=2)", lambda a: a / 2 * torch.eye(2)),
    "square": ("a² Δu", "learn a(x, y, t) : scalar = mlp(width=8, depth=2)", lambda a: a**2 * torch.eye(2)),
    "number": ("a Δu", "learn a : scalar > 0", lambda a: a * torch.eye(2)),
    "matrix": ("a:∇∇u", "learn a(x, y, t) : matrix, psd = mlp(width=8, depth=2)", lambda a: a),
}
N = 20_000
POINT = torch.tensor([[0.4, -1.1]], dtype=torch.float64)


def text(name: str, velocity: str = "v·∇u + ") -> str:
    term, declared, _ = COEFFICIENTS[name]
    return learned(f"∂u/∂t = {velocity}{term}", f"{V * bool(velocity)}\n{declared}", realized=ONE)


def watched(spec: str) -> tuple[nn.Module, dict[str, nn.Module]]:
    """The model, with the learned fields that were made for it."""
    module, made = fresh(spec), {}

    def watch(name: str) -> None:
        make = getattr(module, f"make_{name}")
        setattr(module, f"make_{name}", lambda: made.setdefault(name, make()))

    for key in ("v", "a"):
        if hasattr(module, f"make_{key}"):
            watch(key)
    return module.model(), made


def still(field: nn.Module) -> None:
    """A velocity that is zero, so that a step is its noise alone."""
    for parameter in field.parameters():
        nn.init.zeros_(parameter)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_the_coefficient_is_part_of_the_model(name: str) -> None:
    """In memory and as written: its weights are parameters, receive gradients, and follow `to`."""
    model, made = watched(text(name))
    ours = {id(p) for p in model.parameters()}
    assert all(id(p) in ours for p in made["a"].parameters())
    memory = compiled(text(name)).module()
    assert sum(p.numel() for p in memory.parameters()) == sum(p.numel() for p in model.parameters())
    model.double().train()(inputs(text(name), 8))[:, 0].sum().backward()
    for parameter in made["a"].parameters():
        assert parameter.dtype == torch.float64
        assert parameter.grad is not None
    assert any(p.grad.abs().max() > 0 for p in made["a"].parameters())


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_noise_of_a_step(name: str) -> None:
    """Covariance 2A(x)Δt at a point; Δt = 1, t = 1 for initial data on [0, 1]."""
    model, made = watched(text(name))
    model = model.double().train()
    made["a"].double()
    still(made["v"])
    with torch.no_grad():
        value = made["a"](POINT, 1.0)[0]
        rows = features(model, POINT.expand(N, 2))
    covariance = torch.cov(rows.T)
    expected = 2 * COEFFICIENTS[name][2](value)
    scale = expected.diagonal().max()
    assert ((covariance - expected).abs() <= 0.06 * scale).all(), (covariance, expected)
    mean_error = 6 * math.sqrt(float(scale) / N)
    assert ((rows.mean(0) - POINT[0]).abs() <= mean_error).all()


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_operator_with_learned_coefficients(name: str) -> None:
    """E y yᵀ over one step, from the operator of the written file."""
    module = fresh(text(name))
    v, a = module.make_v().double(), module.make_a().double()
    operator = module.operator(v, a, samples=N).double()
    assert {id(p) for p in operator.parameters()} == {id(p) for f in (v, a) for p in f.parameters()}
    with torch.no_grad():
        mean = (POINT + v(POINT, 1.0))[0]
        expected = 2 * COEFFICIENTS[name][2](a(POINT, 1.0)[0])
        rows: list[Tensor] = []
        operator(lambda y: rows.append(y[:, 0]) or y[..., 0], POINT, 1.0)
    centred = rows[0] - mean
    covariance = centred.T @ centred / N
    assert ((covariance - expected).abs() <= 0.06 * expected.diagonal().max()).all()


@pytest.mark.parametrize("name", ["scalar", "matrix"])
def test_diffusion_without_velocity(name: str) -> None:
    """A coefficient that depends on x cannot be one Gaussian step over the whole time: it takes steps."""
    spec = text(name, velocity="").replace("steps=1", "steps=4")
    model = compiled(spec).module().double().train()
    x = inputs(spec, 3)
    first = model(x)
    first[:, 0].sum().backward()
    assert all(p.grad is not None for p in model.parameters())
    assert sum(p.numel() for p in model.parameters()) > 4


def test_two_velocities() -> None:
    spec = learned("∂u/∂t = v·∇u + a·∇u", f"{V}\nlearn a(x, y, t) : vector = mlp(width=8, depth=2)", realized=STEP)
    model, made = watched(spec)
    model = model.double()
    for field in made.values():
        field.double()
    expected = POINT + made["v"](POINT, 1.0) + made["a"](POINT, 1.0)
    torch.testing.assert_close(features(model.eval(), POINT), expected)
    assert len(list(model.parameters())) == 1 + sum(len(list(f.parameters())) for f in made.values())


def test_operator_takes_each_field_from_the_module() -> None:
    """`operator(module)` is that module's equation: all of its fields, and all that is left out is W."""
    module = compiled(text("scalar")).module().double()
    operator = compiled(text("scalar")).operator(module, samples=4).double()
    assert operator(lambda y: y[..., 0], POINT, 1.0).shape == (1,)
    left = {id(p) for p in module.parameters()} - {id(p) for p in operator.parameters()}
    assert [tuple(p.shape) for p in module.parameters() if id(p) in left] == [(2, 2)]
    assert len(list(operator.parameters())) == 12


def test_a_coefficient_of_time_depends_on_time_only() -> None:
    spec = learned("∂u/∂t = v·∇u + a Δu", f"{V}\nlearn a(t) : scalar > 0 = mlp(width=8, depth=2)", realized=ONE)
    _, made = watched(spec)
    x = torch.randn(5, 2)
    values = made["a"](x, 0.5)
    torch.testing.assert_close(values, values[:1].expand_as(values))


# ---- spaces of many dimensions


@pytest.mark.parametrize("space", ["R^20", "image(1, 4, 4)"])
def test_mlp_velocity_in_many_dimensions(space: str) -> None:
    spec = picture("∂u/∂t = v·∇u + σ²Δu", net="mlp(width=8, depth=2)").replace("image(1, 8, 8)", space)
    if not refused(spec):
        assert built(spec)(inputs(spec, 3)).shape == (3, 3)


def test_resnet_on_points_runs_or_is_rejected() -> None:
    spec = picture("∂u/∂t = v·∇u").replace("image(1, 8, 8)", "R^2")
    if not refused(spec):
        assert built(spec)(inputs(spec, 3)).shape == (3, 3)


def test_heat_equation_on_images() -> None:
    spec = picture("∂u/∂t = σ²Δu").replace("learn v(x, t) : vector = resnet(depth=20)\n", "")
    assert built(spec)(inputs(spec, 3)).shape == (3, 3)


# ---- dropout


def kept(model: nn.Module) -> list[float]:
    return [m.keep for m in model.modules() if isinstance(m, Dropout)]


@pytest.mark.parametrize(("end", "keep"), [("9", 0.9), ("1", 0.5), ("18", 0.9 * 2 / (0.9 * 2 + 0.1))])
def test_keep_probability_of_the_nine_maps(end: str, keep: float) -> None:
    """Δt(1−q)/(2q) = (1−p)/(2p): q = p when Δt = 1, otherwise q = pΔt/(pΔt + 1 − p)."""
    model = compiled(changed(shipped("dropout"), ("[0, 9]", f"[0, {end}]"))).module()
    assert kept(model) == pytest.approx([keep] * 9, rel=1e-12)


def test_dropout_of_a_walk_has_the_variance_of_its_term() -> None:
    """Rows x + v·z/q: mean x + v, variance 2·(1−p)/(2p)·v² over Δt = 1, where q = p = 0.7."""
    spec = changed(
        picture("∂u/∂t = v·∇u + (1-p)/(2p) Σᵢ vᵢ² ∂²u/∂xᵢ²", net="mlp(width=8, depth=2)", realized=ONE.split("\n")[0]),
        ("image(1, 8, 8)", "R^2"),
        ("const σ = 0.3", "const p = 0.7"),
    )
    model, made = watched(spec)
    model = model.double().train()
    assert kept(model) == pytest.approx([0.7], rel=1e-12)
    with torch.no_grad():
        v = made["v"].double()(POINT, 1.0)[0]
        rows = features(model, POINT.expand(N, 2))
    variance = 0.3 / 0.7 * v**2
    assert ((rows.var(0) - variance).abs() <= 0.06 * variance).all()
    assert ((rows.mean(0) - POINT[0] - v).abs() <= 6 * (variance / N).sqrt()).all()
