"""Separable and second-order systems on feature maps by all methods, and unsupported equations."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import pytest
import torch
from texts import compiled, fresh
from torch import Tensor

import pdedsl
from pdedsl.codegen.program import run_function
from pdedsl.ir.plan import ImagePlan
from pdedsl.runtime.pde_blocks import FirstOrderBlock, LeapfrogBlock, PdeBlock, SecondOrderBlock, VerletBlock
from pdedsl.training.losses.weight_penalty import smooth_in_time

HEAD = "pde Made\nspace x in pixels\ntime t in [0, 2]\n"
FRAME = "network {\n  input image(1, 8, 8)\n  stem 4\n  stages [4]\n  classes 2\n}\n"
K, L = "learn K(t) : operator = conv(3)\n", "learn L(t) : operator = conv(3)\n"
Y, Z = "unknown Y(x, t) : channels\n", "unknown Z(x, t) : channels\n"
PUSHED, PULLED = "∂Y/∂t = Kᵀ relu(K Z)\n", "∂Z/∂t = -Lᵀ tanh(L Y)\n"
REST = "∂Y/∂t(x, 0) = 0\n"


def pair(method: str) -> str:
    return f"{HEAD}{Y}{Z}{K}{L}{PUSHED}{PULLED}realize time by {method}\n{FRAME}"


def second(method: str, right: str = "-Kᵀ tanh(K Y)", declared: str = K) -> str:
    return f"{HEAD}{Y}{declared}∂²Y/∂t² = {right}\n{REST}realize time by {method}\n{FRAME}"


def first(right: str, declared: str, more: str = "", method: str = "euler(steps=4)", unknown: str = Y) -> str:
    return f"{HEAD}{unknown}{declared}∂Y/∂t = {right}\n{more}realize time by {method}\n{FRAME}"


def block(of: str, width: int = 4) -> PdeBlock:
    torch.manual_seed(0)
    made: PdeBlock = run_function(compiled(of).program, "block", width=width).double()
    return made


def states(seed: int = 1) -> Tensor:
    return torch.randn(2, 4, 5, 6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


# ---- any method


def test_euler_of_a_separable_system() -> None:
    made, start = block(pair("euler(steps=4)")), states()
    k, l = made.right_hand_sides()  # noqa: E741
    y, z = start.chunk(2, dim=1)
    for j in range(4):
        push, pull = k.layer(j).operator, l.layer(j).operator
        y, z = y + 0.5 * push.adjoint(push(z).relu()), z - 0.5 * pull.adjoint(pull(y).tanh())
    assert isinstance(made, FirstOrderBlock)
    assert torch.allclose(made(start), torch.cat([y, z], dim=1), rtol=1e-12)
    with pytest.raises(ValueError, match="verlet"):
        made.inverse(made(start))


def test_euler_of_second_order() -> None:
    made, y = block(second("euler(steps=4)")), states()
    (k,) = made.right_hand_sides()
    expected, v = y, torch.zeros_like(y)
    for j in range(4):
        operator = k.layer(j).operator
        expected, v = expected + 0.5 * v, v - 0.5 * operator.adjoint(operator(expected).tanh())
    assert isinstance(made, SecondOrderBlock)
    assert torch.allclose(made(y), expected, rtol=1e-12)
    assert torch.allclose(made.last_states(y)[1], v, rtol=1e-12)


METHODS = {"euler": 1, "heun": 2, "rk4": 4, "leapfrog": 2}


@pytest.mark.parametrize("method", METHODS)
def test_order_for_an_oscillator(method: str) -> None:
    """Y″ = -Y from rest is Y₀ cos t."""
    y = states()
    made = [block(second(f"{method}(steps={n})", "-Y", "")) for n in (16, 32, 64)]
    errors = [float((b(y) - math.cos(2) * y).abs().max()) for b in made]
    for coarse, fine in pairwise(errors):
        assert math.log2(coarse / fine) == pytest.approx(METHODS[method], abs=0.15)


@pytest.mark.parametrize("method", ["verlet", "euler", "heun", "rk4"])
def test_order_for_a_rotation(method: str) -> None:
    """Y′ = Z, Z′ = -Y turns (Y, Z) by the angle t."""
    start = states()
    y, z = start.chunk(2, dim=1)
    turned = torch.cat([math.cos(2) * y + math.sin(2) * z, math.cos(2) * z - math.sin(2) * y], dim=1)
    turn = f"{HEAD}{Y}{Z}∂Y/∂t = Z\n∂Z/∂t = -Y\nrealize time by {method}(steps=%d)\n{FRAME}"
    errors = [float((block(turn % n)(start) - turned).abs().max()) for n in (16, 32, 64)]
    for coarse, fine in pairwise(errors):
        assert math.log2(coarse / fine) == pytest.approx({"verlet": 1, **METHODS}[method], abs=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("of", ["pair", "second"])
@pytest.mark.parametrize("method", ["dopri5", "bosh3", "dopri8", "dopri5(adjoint=true, norm=batch)"])
def test_adaptive_methods(of: str, method: str) -> None:
    smooth = {"K(t)": "K", "L(t)": "L", "relu": "tanh"}
    given = method.replace(")", ", ") if "(" in method else f"{method}("
    texts = [(pair if of == "pair" else second)(m) for m in (f"{given}rtol=1e-8, atol=1e-8)", "rk4(steps=200)")]
    for word, other in smooth.items():
        texts = [text.replace(word, other) for text in texts]
    adaptive, fine = (block(text) for text in texts)
    fine.load_state_dict(adaptive.state_dict())
    start = states()
    assert torch.allclose(adaptive(start), fine(start), rtol=1e-6, atol=1e-6)
    assert adaptive.evaluations is not None
    adaptive(start).sum().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in adaptive.parameters())


@pytest.mark.parametrize(
    ("of", "kind"),
    [
        (pair("verlet(steps=2)"), VerletBlock),
        (pair("rk4(steps=2)"), FirstOrderBlock),
        (second("leapfrog(steps=2)"), LeapfrogBlock),
        (second("heun(steps=2)"), SecondOrderBlock),
    ],
)
def test_package_and_program_agree(of: str, kind: type) -> None:
    model, written = compiled(of).module().double(), fresh(of).model().double()
    written.load_state_dict(model.state_dict())
    images = torch.rand(2, 1, 8, 8, dtype=torch.float64)
    assert torch.equal(model(images), written(images))
    assert any(isinstance(module, kind) for module in written.modules())
    assert smooth_in_time(model) > 0


def test_order_of_statements() -> None:
    one, other = pair("verlet(steps=4)"), f"{HEAD}{Z}{Y}{L}{K}{PULLED}{PUSHED}realize time by verlet(steps=4)\n{FRAME}"
    assert compiled(one).spec.hash == compiled(other).spec.hash
    made, swapped, start = block(one), block(other), states()
    swapped.load_state_dict(made.state_dict())
    assert torch.equal(made(start), swapped(start))


# ---- arguments


def test_autonomous_field() -> None:
    field = "learn f(Y) : channels = convnet(layers=2)\n"
    made, y = block(first("f(Y)", field)), states()
    (f,) = made.right_hand_sides()
    assert torch.equal(f.layer(0)(0.0, y), f.layer(0)(2.0, y))
    assert f.layer(0) is f.layer(3)
    assert sum(p.numel() for p in made.parameters()) == 2 * (4 * 4 * 9 + 4) + 3 * 2 * 4
    timed = block(first("f(Y, t)", field.replace("f(Y)", "f(Y, t)")))
    layer = timed.right_hand_sides()[0].layer(0)
    assert not torch.equal(layer(0.0, y), layer(2.0, y))


def test_autonomous_separable_system_is_reversible() -> None:
    fields = "learn f(Z) : channels = convnet(layers=1)\nlearn g(Y) : channels = convnet(layers=1)\n"
    made = block(f"{HEAD}{Y}{Z}{fields}∂Y/∂t = f(Z)\n∂Z/∂t = g(Y)\nrealize time by verlet(steps=50)\n{FRAME}")
    with torch.no_grad():
        assert torch.allclose(made.inverse(made(states())), states(), rtol=1e-10, atol=1e-11)
    found = []
    for made.chain.store in (False, True):
        found.append(torch.autograd.grad(made(states()).sin().sum(), tuple(made.parameters())))
    for ours, plain in zip(*found, strict=True):
        assert torch.allclose(ours, plain, rtol=1e-9, atol=1e-10)


# ---- names

RENAMED = [{"Y": "Z", "Z": "Y"}, {"K": "L", "L": "K"}, {"Y": "Q", "Z": "B", "K": "W", "L": "A"}]
SUMS = second("leapfrog(steps=4)", "-Kᵀ tanh(K Y) - Lᵀ relu(L Y) - 2Y", K.replace("(t)", "") + L)


def renamed(of: str, names: dict[str, str]) -> str:
    """All names at once: no other word has such a letter."""
    return re.sub("[YZKL]", lambda found: names.get(found[0], found[0]), of)


@pytest.mark.parametrize("names", RENAMED)
@pytest.mark.parametrize("of", [pair("verlet(steps=4)"), pair("heun(steps=4)"), SUMS])
def test_renaming_preserves_hash_and_network(of: str, names: dict[str, str]) -> None:
    other = renamed(of, names)
    assert other != of
    assert compiled(other).spec.hash == compiled(of).spec.hash
    assert torch.equal(block(other)(states()), block(of)(states()))


def test_order_of_the_half_steps() -> None:
    """Y' = ∂H/∂Z, Z' = -∂H/∂Y."""
    for names in ({}, *RENAMED):
        plan = compiled(renamed(pair("verlet(steps=4)"), names)).plan
        assert isinstance(plan, ImagePlan)
        assert [float(right.layers[0].factor) for right in plan.system.right_hand_sides] == [1, -1]


# ---- what has no network

FIELD = "learn f(Y, t) : channels = convnet(layers=1)\n"
WRONG = {
    "third order": ("E602", "∂³Y/∂t³", HEAD + Y + K + f"∂³Y/∂t³ = -Kᵀ relu(K Y)\n{REST}∂²Y/∂t²(x, 0) = 0\n" + FRAME),
    "a start": ("E602", "Y(x, 0) = 0", first("f(Y, t)", FIELD, "Y(x, 0) = 0\n")),
    "an end": ("E602", "Y(x, 2) = 0", first("f(Y, t)", FIELD, "Y(x, 2) = 0\n")),
    "a moving start": ("E602", "∂Y/∂t(x, 0) = 1", second("leapfrog").replace(REST, "∂Y/∂t(x, 0) = 1\n")),
    "a start as fast as it is": (
        "E602",
        "∂Y/∂t(x, 0) = Y(x, 0)",
        second("leapfrog").replace(REST, "∂Y/∂t(x, 0) = Y(x, 0)\n"),
    ),
    "rest at the end": ("E602", "∂Y/∂t(x, 2) = 0", second("leapfrog").replace(REST, "∂Y/∂t(x, 2) = 0\n")),
    "a start of one half": ("E602", "Z(x, 0) = 0", pair("verlet").replace(PUSHED, f"Z(x, 0) = 0\n{PUSHED}")),
    "a field of the place": ("E602", "learn f(x, t)", first("f(x, t)", FIELD.replace("f(Y, t)", "f(x, t)"))),
    "a field of the time": ("E602", "learn f(t)", first("f(t)", FIELD.replace("f(Y, t)", "f(t)"))),
    "a field of both": ("E602", "learn f(Y, x, t)", first("f(Y, x, t)", FIELD.replace("f(Y, t)", "f(Y, x, t)"))),
    "an operator of the place": ("E602", "learn K(x, t)", first("-Kᵀ relu(K Y)", K.replace("K(t)", "K(x, t)"))),
    "pieces in time": (
        "E602",
        "∂Y/∂t = f(Y, t)",
        first("f(Y, t) for t in [0, 1]", FIELD, "∂Y/∂t = 2 f(Y, t) for t in [1, 2]\n"),
    ),
    "noise": ("E605", "realize diffusion", first("f(Y, t)", FIELD, "realize diffusion by noise(samples=3)\n")),
    "reaction": ("E605", "realize reaction", first("f(Y, t)", FIELD, "realize reaction by rk4(steps=7)\n")),
    "batch norm run backwards": (
        "E605",
        "∂²Y/∂t²",
        second("leapfrog", "-Kᵀ relu(N(K Y))", f"{K}let N = batch_norm()\n"),
    ),
    "weights for steps of an adaptive method": ("E605", "learn K(t)", first("-Kᵀ relu(K Y)", K, method="dopri5")),
    "a number": ("E602", "unknown Y", first("-Y", "", unknown="unknown Y(x, t) : scalar\n")),
    "an ansatz": ("E602", "unknown Y", first("-Y", "", unknown="unknown Y(x, t) : channels = convnet\n")),
}


@pytest.mark.parametrize("name", WRONG)
def test_unsupported_equations_are_errors(name: str) -> None:
    code, marked, of = WRONG[name]
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(of)
    (diagnostic,) = found.value.diagnostics
    assert diagnostic.code == code
    assert found.value.source is not None
    assert found.value.source.text[diagnostic.span.start : diagnostic.span.end].startswith(marked)
    assert diagnostic.hint


def test_single_time_interval() -> None:
    whole, piece = (first(f"f(Y, t){of}", FIELD) for of in ("", " for t in [0, 2]"))
    made, same = block(whole), block(piece)
    same.load_state_dict(made.state_dict())
    assert torch.equal(made(states()), same(states()))
