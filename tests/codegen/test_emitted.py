"""The model in memory and the file that is written are one model."""

from __future__ import annotations

import ast
import copy
import importlib
import pickle
import sys

import pytest
import torch
from texts import MODELS, compiled, fresh, inputs, learned, light, picture, shipped, written
from torch import nn

from pdedsl.runtime.rng import streams

V = "learn v(x, y, t) : vector = mlp(width=8, depth=2)"
NOISY = learned("∂u/∂t = v·∇u + σ² Δu", f"{V}\nconst σ = 0.2", realized="realize diffusion by noise(samples=3)")
# Specs whose names, titles and formulas try the writer.
AWKWARD = {
    "keyword": NOISY.replace("v·∇u", "λ·∇u").replace("learn v(", "learn λ("),
    "greek": NOISY.replace("v·∇u", "φ·∇u").replace("learn v(", "learn φ("),
    "underscore": NOISY.replace("v·∇u", "v_·∇u").replace("learn v(", "learn v_("),
    "script": NOISY.replace("v·∇u", "скорость·∇u").replace("learn v(", "learn скорость("),
    "named like a block": NOISY.replace("v·∇u", "block_1·∇u").replace("learn v(", "learn block_1("),
    "named torch": NOISY.replace("v·∇u", "torch·∇u + sin(x) ∂u/∂x").replace("learn v(", "learn torch("),
    "named like a class": NOISY.replace("v·∇u", "CharacteristicSteps·∇u").replace(
        "learn v(", "learn CharacteristicSteps("
    ),
    "named operator": NOISY.replace("v·∇u", "operators·∇u").replace("learn v(", "learn operators("),
    "backslashes": NOISY.replace("pde Plane", r'pde Plane "\users \N \x \d \ "'),
    "long formula": learned(
        "∂u/∂t = w·∇u + v·∇u",
        f"{V}\nlet w(x, y, t) = "
        "[sin(3x + 2y - t) cos(x - 2y + 3t) + exp(-x² - y² - t²) tanh(x + y), x y t - y³ x² + 1/7]",
    ),
    "many fields": learned(
        "∂u/∂t = velocity·∇u + another_velocity·∇u + diffusivity Δu",
        "learn velocity(x, y, t) : vector = mlp(width=4, depth=1)\n"
        "learn another_velocity(x, y, t) : vector = mlp(width=4, depth=1)\n"
        "learn diffusivity(x, y, t) : scalar > 0 = mlp(width=4, depth=1)",
    ),
    "powers": learned("∂u/∂t = w·∇u", "let w(x, y, t) = [(1 + x²)^(-1/2), (1 + x²)^(-2) 2^(-y²) sqrt(2) / (3 + t)]"),
    "convnet": picture("∂u/∂t = v·∇u + σ²Δu", net="convnet(layers=2)"),
    "torchvision": picture("∂u/∂t = v·∇u", net='torchvision("resnet18")').replace("image(1,", "image(3,"),
}
# Specs whose networks are not shipped: other integrators, and a readout within its type.
MORE = {
    "adaptive": learned("∂u/∂t = v·∇u", V, realized="realize time by dopri5"),
    "adaptive, adjoint": learned("∂u/∂t = v·∇u", V, realized="realize time by bosh3(adjoint=true)"),
    "implicit": learned("∂u/∂t = v·∇u", V, realized="realize time by backward_euler(steps=2, terms=3)"),
    "adaptive, many fields": learned(
        "∂u/∂t = a v·∇u + sin(t) (A [x, y])·∇u",
        f"{V}\nlearn a(x, t) : scalar > 0 = mlp(width=4, depth=1)\nlearn A(y, t) : matrix, psd = mlp(width=4, depth=1)",
        realized="realize time by dopri5(rtol=1e-2, atol=1e-2)",
    ),
    "bounded": learned("∂u/∂t = v·∇u", V).replace("W : operator", "W : operator, ‖W‖ ≤ 0.1"),
    "boxed": learned("∂u/∂t = v·∇u", V) + "train {\n  data moons\n  epochs 1\n  constrain W in [-0.1, 0.2]\n}\n",
}
TEXTS = {**{name: light(name) for name in MODELS}, **AWKWARD, **MORE}
OPERATORS = ["anisotropic", "convection_diffusion", "rotation", *(n for n, text in AWKWARD.items() if "R^2" in text)]
ALLOWED = {"functools", "torch", "pdedsl.runtime", "__future__"}


def pair(text: str, seed: int = 5) -> tuple[nn.Module, nn.Module]:
    torch.manual_seed(2)
    ours = compiled(text).module(seed)
    torch.manual_seed(2)
    theirs: nn.Module = written(text).model(seed)
    return ours, theirs


@pytest.mark.parametrize("name", TEXTS)
def test_same_parameters_and_outputs(name: str) -> None:
    ours, theirs = pair(TEXTS[name])
    a, b = ours.state_dict(), theirs.state_dict()
    assert list(a) == list(b)
    assert all(torch.equal(a[key], b[key]) for key in a)
    x = inputs(TEXTS[name], 3).float()
    with torch.no_grad():
        assert torch.equal(ours.eval()(x), theirs.eval()(x))
        assert torch.equal(ours.train()(x), theirs.train()(x))  # the noise of training too


@pytest.mark.parametrize("name", MODELS)
def test_same_state_at_full_size(name: str) -> None:
    ours, theirs = pair(shipped(name))
    a, b = ours.state_dict(), theirs.state_dict()
    assert {k: v.shape for k, v in a.items()} == {k: v.shape for k, v in b.items()}
    assert all(torch.equal(a[key], b[key]) for key in a)


@pytest.mark.parametrize("name", OPERATORS)
def test_same_operator(name: str) -> None:
    text = TEXTS[name]
    torch.manual_seed(2)
    ours = compiled(text).operator(samples=4, seed=3)
    torch.manual_seed(2)
    module = written(text)
    fields = [f for f in compiled(text).program.function("operator").params if f[1] is None]
    made = {key: getattr(module, f"make_{key}", None) or getattr(module, f"make_{key[:-1]}") for key, _ in fields}
    theirs = module.operator(**{key: make() for key, make in made.items()}, samples=4, seed=3)
    x = torch.randn(5, 2)
    t = 1.0 if ours.form == "initial" else 0.0
    assert torch.equal(ours(lambda y: y[..., 0].cos(), x, t), theirs(lambda y: y[..., 0].cos(), x, t))


def test_another_seed_is_other_noise_on_the_same_weights() -> None:
    (a, _), (b, _) = pair(NOISY, 1), pair(NOISY, 2)
    x = inputs(NOISY, 3).float()
    assert all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters(), strict=True))
    assert not torch.equal(a.eval()(x), b.eval()(x))


@pytest.mark.parametrize("name", TEXTS)
def test_imports(name: str) -> None:
    """Only torch and the runtime, all of them used and all of them there."""
    tree = ast.parse(compiled(TEXTS[name]).python())
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            found.append(node.module)
            assert all(hasattr(importlib.import_module(node.module), alias.name) for alias in node.names)
    assert all(any(f == a or f.startswith(f"{a}.") for a in ALLOWED) for f in found), found


@pytest.mark.parametrize("name", MODELS)
def test_a_block_quotes_its_term_and_place(name: str) -> None:
    text = shipped(name)
    places = [line for line in compiled(text).python().splitlines() if "(spec.pde:" in line]
    assert places
    for line in places:
        for quote in line.split("; "):
            if "(spec.pde:" in quote:
                number = int(quote.split("(spec.pde:")[1].split(")")[0])
                term = quote.split("(spec.pde:")[0].strip(' #"')
                assert "".join(term.split()) in "".join(text.splitlines()[number - 1].split())


@pytest.mark.parametrize("name", ["enresnet", "rotation", "parabolic", "many fields"])
def test_emitted_models_can_be_copied(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy is equal and has separate weights: formulas do not keep references to the original fields."""
    module = fresh(TEXTS[name])
    monkeypatch.setitem(sys.modules, "emitted", module)
    model, x = module.model().eval(), inputs(TEXTS[name], 2).float()
    for stream in streams(model):
        stream.frozen = True
    with torch.no_grad():
        expected, twin = model(x), copy.deepcopy(model)
        assert torch.equal(twin(x), expected)
        for parameter in model.parameters():
            parameter.normal_()
        assert torch.equal(twin(x), expected)
        assert torch.equal(pickle.loads(pickle.dumps(twin))(x), expected)


def test_two_learned_fields_are_both_quoted() -> None:
    """A comment names every term of the step, not only the last one."""
    text = AWKWARD["many fields"]
    comment = next(line for line in compiled(text).python().splitlines() if "steps of" in line)
    assert "velocity·∇u" in comment.replace("another_velocity·∇u", "")


@pytest.mark.parametrize("name", ["rotation", "anisotropic", "enresnet", "parabolic"])
def test_writing_twice_gives_equal_text(name: str) -> None:
    assert compiled(shipped(name)).python() == compiled.__wrapped__(shipped(name)).python()
    assert fresh(shipped(name)).__doc__ == written(shipped(name)).__doc__
