"""Every activation of the runtime is a function of the language: parsed, hashed, formatted, compiled and evaluated."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest
import torch
from sympy import Float
from texts import built, changed, compiled, inputs, known, learned
from torch import Tensor
from torch.nn import functional

import pdedsl
from pdedsl.api import format
from pdedsl.language.elaborate.expressions import FUNCTIONS
from pdedsl.numerics.activations import ACTIVATIONS, OTHER_NAMES
from pdedsl.runtime.activations import activation
from pdedsl.runtime.image_network import ImageNetwork
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.symbolic.functions import ACTIVATIONS as NODES

BY_HAND: dict[str, Callable[[Tensor], Tensor]] = {
    "identity": lambda x: x,
    "relu": lambda x: x.clamp(min=0),
    "leaky_relu": lambda x: torch.where(x > 0, x, 0.01 * x),
    "elu": lambda x: torch.where(x > 0, x, x.clamp(max=0).exp() - 1),
    "softplus": lambda x: torch.logaddexp(x, torch.zeros_like(x)),
    "sigmoid": lambda x: 1 / (1 + (-x).exp()),
    "tanh": lambda x: 1 - 2 / ((2 * x).exp() + 1),
    "atan": lambda x: torch.atan2(x, torch.ones_like(x)),
    "erf": lambda x: 2 * torch.special.ndtr(math.sqrt(2) * x) - 1,
    "softsign": lambda x: x / (1 + x.abs()),
    "hardtanh": lambda x: x.clamp(-1, 1),
    "sin": lambda x: torch.cos(x - math.pi / 2),
    "abs": lambda x: torch.maximum(x, -x),
    "gelu": lambda x: x * torch.special.ndtr(x),
    "silu": lambda x: x / (1 + (-x).exp()),
    "mish": lambda x: x * torch.tanh(torch.logaddexp(x, torch.zeros_like(x))),
    "square": lambda x: x * x,
}
PIXELS = """pde Act
space x in pixels
time t in [0, 1]
unknown Y(x, t) : channels
learn K(t) : operator = conv(3)
let N = tv_norm(eps=1e-2)
∂Y/∂t = -Kᵀ relu(N(K Y))
realize time by euler(steps=2)
network {
  input image(1, 6, 6)
  open 3
  stages [3]
  classes 2
}
"""


def pixels(right: str) -> str:
    return changed(PIXELS, ("-Kᵀ relu(N(K Y))", right))


def hashed(text: str) -> str:
    return compiled(text).spec.hash


# ---- Table


def test_runtime_and_language_use_the_same_table() -> None:
    assert tuple(ACTIVATIONS) == tuple(BY_HAND)
    assert set(ACTIVATIONS) <= set(FUNCTIONS)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_sign_preserving_activations(name: str) -> None:
    products = [z * ACTIVATIONS[name](z) for z in (k / 8 for k in range(-200, 201))]
    assert ACTIVATIONS[name].keeps_sign == (min(products) >= 0)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_all_definitions_agree(name: str) -> None:
    """torch, plain numbers and formulas of sympy, at points on both sides of zero."""
    points = [-30.0, -3.0, -1.0, -0.7, -0.01, 0.0, 0.2, 1.0, 2.5, 40.0]
    x = torch.tensor(points, dtype=torch.float64)
    expected = BY_HAND[name](x)
    torch.testing.assert_close(activation(name)(x), expected, rtol=1e-8, atol=1e-12)
    plain = torch.tensor([ACTIVATIONS[name](p) for p in points], dtype=torch.float64)
    torch.testing.assert_close(plain, expected, rtol=1e-8, atol=1e-12)
    for function in (FUNCTIONS[name][1], NODES.get(name, FUNCTIONS[name][1])):
        found = torch.tensor([float(function(Float(p, 40))) for p in points], dtype=torch.float64)
        torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_bounded_activations_are_bounded(name: str) -> None:
    far = torch.tensor([-1e6, 1e6], dtype=torch.float64)
    assert bool(activation(name)(far).abs().max() < 2) is ACTIVATIONS[name].bounded


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_properties_used_in_proofs(name: str) -> None:
    """Values, first and second differences, on a grid that contains the kinks, by a second definition."""
    facts, x = ACTIVATIONS[name], torch.arange(-30, 30 + 1 / 64, 1 / 64, dtype=torch.float64)
    y = BY_HAND[name](x)
    assert facts.lower <= float(y.min())
    assert float(y.max()) <= facts.upper
    assert facts.positive == bool((y[x > -20] > 0).all())
    differences = y.diff() * 64
    assert float(differences.abs().max()) <= facts.lipschitz * (1 + 1e-9)
    assert facts.monotone == bool((differences >= -1e-9).all())
    assert facts.rising == bool((differences[x[1:].abs() < 4] > 0).all())
    assert facts.smooth == bool((differences.diff() * 64).diff().abs().max() < 0.25)
    assert facts.convex == bool((differences.diff() >= -1e-9).all())
    assert facts.odd == bool((y + y.flip(0)).abs().max() < 1e-9)


# ---- Feature maps


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_compiled_network_equals_formula(name: str, norm: bool) -> None:
    text = pixels(f"-Kᵀ {name}({'N(K Y)' if norm else 'K Y'})")
    if not norm:
        text = changed(text, ("let N = tv_norm(eps=1e-2)\n", ""))
    model, x = built(text), inputs(text, 4)
    assert isinstance(model, ImageNetwork)
    kernels = [module.weight for module in model.modules() if isinstance(module, ConvOperator)]
    assert len(kernels) == 2
    y = model.opening(x)
    for k in kernels:
        z = functional.conv2d(y, k, padding=1)
        z = z / (z.square().sum(1, keepdim=True) + 1e-2).sqrt() if norm else z
        y = y - 0.5 * functional.conv_transpose2d(BY_HAND[name](z), k, padding=1)
    expected = model.classifier(model.connectors[0](y).flatten(1))
    torch.testing.assert_close(model(x), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_both_spellings_are_fixed_points_with_equal_hash(name: str) -> None:
    text = pixels(f"-Kᵀ {name}(N(K Y))")
    for ascii in (False, True):
        written = format(text, ascii=ascii)
        assert name in written
        assert format(written, ascii=ascii) == written
        assert hashed(written) == hashed(text)


def test_hashes_of_activations_are_distinct() -> None:
    assert len({hashed(pixels(f"-Kᵀ {name}(N(K Y))")) for name in ACTIVATIONS}) == len(ACTIVATIONS)


SAME = [
    ("-Kᵀ atan(N(K Y))", "-Kᵀ arctan(N(K Y))"),
    ("-Kᵀ square(N(K Y))", "-Kᵀ N(K Y)²"),
    ("-Kᵀ square(N(K Y))", "-Kᵀ (N(K Y) N(K Y))"),
    ("-4Kᵀ square(N(K Y))", "-Kᵀ square(2 N(K Y))"),
    ("-Kᵀ abs(N(K Y))", "-Kᵀ ‖N(K Y)‖"),
    ("-Kᵀ abs(N(K Y))", "-Kᵀ sqrt(N(K Y)²)"),
    ("-3Kᵀ abs(N(K Y))", "-Kᵀ abs(-3 N(K Y))"),
    ("-Kᵀ N(K Y)", "-Kᵀ identity(N(K Y))"),
    *((f"-Kᵀ {name}(N(K Y))", f"Kᵀ {name}(-N(K Y))") for name, facts in ACTIVATIONS.items() if facts.odd),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_equal_functions_compile_to_equal_networks(one: str, other: str) -> None:
    assert hashed(pixels(one)) == hashed(pixels(other))
    x = inputs(pixels(one), 2)
    torch.testing.assert_close(built(pixels(one))(x), built(pixels(other))(x), rtol=0, atol=0)


@pytest.mark.parametrize("name", ["abs", "square", "leaky_relu", "mish"])
def test_latex(name: str) -> None:
    shown = {"abs": r"\left|", "square": "{square}", "leaky_relu": r"\mathrm{leaky\_relu}", "mish": "{mish}"}
    assert shown[name] in compiled(pixels(f"-Kᵀ {name}(N(K Y))")).spec.latex


# ---- Numbers


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_prescribed_velocity(name: str) -> None:
    """u(x, 1) = x + σ(y): one step along a velocity that does not change."""
    text = known(f"∂u/∂t = {name}(y) ∂u/∂x", realized="realize time by euler(steps=1)", data="u(x, y, 0) = x")
    x = torch.tensor([[0.3, -50.0], [0.3, -1.2], [0.1, 0.0], [0.2, 0.4], [0.0, 1.7], [0.0, 60.0]], dtype=torch.float64)
    expected = x[:, 0] + BY_HAND[name](x[:, 1])
    torch.testing.assert_close(built(text)(x).flatten(), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("written", "value"), [("relu(2)", 2), ("hardtanh(-3)", -1), ("mish(1)", 0.8650983882673103)])
def test_value_at_a_number(written: str, value: float) -> None:
    text = known("∂u/∂t = c ∂u/∂x", f"const c = {written}", data="u(x, y, 0) = x")
    assert built(text)(torch.zeros(1, 2, dtype=torch.float64)).item() == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("name", [*ACTIVATIONS, *OTHER_NAMES])
def test_activation_of_a_network(name: str) -> None:
    text = learned("∂u/∂t = v·∇u", f"learn v(x, y, t) : vector = mlp(width=4, depth=2, activation={name})")
    pointwise = re.findall(r"ActivationLayer\((\w+)\)", str(built(text)))
    assert set(pointwise) == {OTHER_NAMES.get(name, name)}
    assert built(text)(inputs(text, 3)).isfinite().all()


def test_synonyms_have_equal_hashes() -> None:
    texts = [learned("∂u/∂t = v·∇u", f"learn v(x, y) : vector = mlp(activation={n})") for n in ("atan", "arctan")]
    assert hashed(texts[0]) == hashed(texts[1])


def test_misspelled_name_suggests_the_correct_one() -> None:
    with pytest.raises(pdedsl.PdeError, match="did you mean 'softsign'"):
        compiled(pixels("-Kᵀ softsin(N(K Y))"))
