"""Specs without a network are compile-time errors, with code, location and hint."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts import MODELS, changed, compiled, learned, light, picture, refused, shipped

import pdedsl
from pdedsl.diagnostics import Diagnostic, Source

V = "learn v(x, y, t) : vector = mlp(width=8, depth=2)"
HEAT = "∂u/∂t = v·∇u + 0.1 Δu"
PARABOLIC, SECOND, PAIR = light("parabolic"), light("second_order"), light("hamiltonian")
# Code, marked text, part of the hint, spec.
CASES = {
    "a reaction of probabilities": ("E601", "u", "scalar", learned(f"{HEAT} - u", V)),
    "a divergence that is not free": ("E601", "∇·(v u)", "scalar", learned("∂u/∂t = ∇·(v u)", V)),
    "third order": ("E601", "∂³u/∂x³", "", learned(f"{HEAT} + ∂³u/∂x³", V)),
    "no layer": ("E602", "t Y", "Kᵀ", changed(PARABOLIC, ("N(K Y))", "N(K Y)) + t Y"))),
    "a chain of activations": (
        "E602",
        "Kᵀ relu(tanh(K Y))",
        "Kᵀ σ(N(K Y))",
        changed(PARABOLIC, ("relu(N(K Y))", "relu(tanh(K Y))")),
    ),
    "a norm behind the activation": (
        "E602",
        "Kᵀ N(relu(K Y))",
        "Kᵀ σ(N(K Y))",
        changed(PARABOLIC, ("relu(N(K Y))", "N(relu(K Y))")),
    ),
    "no activation": ("E602", "Kᵀ exp(K Y)", "σ", changed(PARABOLIC, ("relu(N(K Y))", "exp(K Y)"))),
    "a field elsewhere": (
        "E602",
        "f(-Y, t)",
        "their declared arguments",
        changed(light("polynet"), ("= f(Y, t)", "= f(-Y, t)")),
    ),
    "an operator on a field": ("E602", "Kᵀ relu(K f(Y, t))", "Kᵀ σ(N(K Y))", ""),
    "an operator in two layers": (
        "E602",
        "Kᵀ tanh(K Y)",
        "a second operator like 'K'",
        changed(PARABOLIC, ("N(K Y))", "N(K Y)) - Kᵀ tanh(K Y)")),
    ),
    "two operators": ("E602", "Kᵀ relu(N(L Y))", "Kᵀ", ""),
    "a factor": (
        "E602",
        "t f(Y, t)",
        "c constant",
        changed(light("polynet"), ("= f(Y, t)", "= t f(Y, t)")),
    ),
    "scalar by resnet": ("E604", "learn a(x, y, t) : scalar > 0 = resnet(depth=20)", "mlp", ""),
    "operator by linear": ("E604", "learn   K(t)    : operator = linear", "conv(3)", ""),
    "rk4 with noise": ("E605", "0.1 Δu", "euler", learned(HEAT, V, realized="realize time by rk4(steps=4)")),
    "midpoint with noise": ("E605", "0.1 Δu", "heun", learned(HEAT, V, realized="realize time by midpoint(steps=4)")),
    "verlet on points": (
        "E605",
        "verlet(steps=4)",
        "rk4",
        learned("∂u/∂t = v·∇u", V, realized="realize time by verlet(steps=4)"),
    ),
    "verlet for one state": (
        "E605",
        "verlet(steps=3)",
        "euler",
        changed(PARABOLIC, ("euler(steps=3)", "verlet(steps=3)")),
    ),
    "verlet of second order": ("E605", "verlet(steps=3)", "leapfrog", changed(SECOND, ("leapfrog(", "verlet("))),
    "leapfrog for a pair": ("E605", "leapfrog(steps=3)", "verlet", changed(PAIR, ("verlet(", "leapfrog("))),
    "no frame": ("E607", "space   x in pixels", "network {", ""),
    "opening": ("E608", "16", "equal", changed(PARABOLIC, ("stem 8", "stem 16"))),
    "no middle": (
        "E604",
        "learn   K(t)    : operator = conv(4)",
        "conv(3)",
        changed(PARABOLIC, ("operator = conv(3)", "operator = conv(4)")),
    ),
    "no halves": ("E608", "[8, 13]", "even", changed(PAIR, ("[8, 12]", "[8, 13]"))),
    "too many stages": ("E608", "[8, 8, 8, 8, 8]", "fewer", changed(PARABOLIC, ("[8, 12]", "[8, 8, 8, 8, 8]"))),
}
MADE = {
    "two operators": changed(
        PARABOLIC, ("N(K Y))", "N(L Y))"), ("let     N", "learn   L(t) : operator = conv(3)\nlet     N")
    ),
    "scalar by resnet": learned("∂u/∂t = v·∇u + a Δu", f"{V}\nlearn a(x, y, t) : scalar > 0 = resnet(depth=20)"),
    "operator by linear": changed(PARABOLIC, ("operator = conv(3)", "operator = linear")),
    "no frame": PARABOLIC.split("network {")[0],
    "an operator on a field": changed(
        PARABOLIC, ("relu(N(K Y))", "relu(K f(Y, t))"), ("let     N", "learn   f(Y, t) : channels = convnet\nlet     N")
    ),
}


def mistakes(text: str) -> tuple[Source, tuple[Diagnostic, ...]]:
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(text)
    assert found.value.source is not None
    return found.value.source, found.value.diagnostics


@pytest.mark.parametrize("name", CASES)
def test_code_location_and_hint(name: str) -> None:
    code, marked, hint, text = CASES[name]
    source, (found,) = mistakes(text or MADE[name])
    assert (found.code, source.text[found.span.start : found.span.end]) == (code, marked)
    assert hint in found.hint
    assert found.hint
    assert found.message


@pytest.mark.parametrize("name", [n for n in MODELS if n not in ("anisotropic", "convection_diffusion", "rotation")])
def test_no_operator_on_images(name: str) -> None:
    """It compiles, and only its operator is refused, with reason and location."""
    compilation = compiled(shipped(name))
    with pytest.raises(pdedsl.PdeError) as found:
        compilation.operator()
    (diagnostic,) = found.value.diagnostics
    assert diagnostic.code == "E606"
    assert found.value.source is not None
    assert found.value.source.text[diagnostic.span.start : diagnostic.span.end].startswith("space")
    assert "E606" in str(found.value)
    assert diagnostic.hint


def test_integrator_of_a_resnet() -> None:
    """The residual blocks of a resnet are its steps: no network has another number of steps or another scheme."""
    for method in ("rk4(steps=3)", "heun(steps=3)", "dopri5(rtol=1e-3, atol=1e-3)", "euler(steps=3)"):
        source, (found,) = mistakes(picture("∂u/∂t = v·∇u", realized=f"realize time by {method}"))
        assert (found.code, source.text[found.span.start : found.span.end]) == ("E605", method)
    assert compiled(picture("∂u/∂t = v·∇u", realized="realize time by euler(steps=9)")).module()


def test_noise_on_the_input_only() -> None:
    """`sampling` says: noise on the input. Diffusion along with transport is not that."""
    source, (found,) = mistakes(picture("∂u/∂t = v·∇u + σ²Δu", realized="realize diffusion by sampling(samples=3)"))
    assert found.code.startswith("E6")
    assert source.text[found.span.start : found.span.end] in ("sampling(samples=3)", "σ²Δu")


def test_negative_drift_on_images() -> None:
    """Not for being no field on R^d, which nobody asked for, and not with the advice to use another network."""
    text = picture("∂u/∂t = -v·∇u")
    if refused(text):
        source, (found,) = mistakes(text)
        assert "v·∇u" in source.text[found.span.start : found.span.end]
        assert "R^d" not in found.message


def test_divergence_free_network_on_images() -> None:
    text = picture("∂u/∂t = v·∇u").replace(": vector ", ": vector, divergence_free ")
    source, (found,) = mistakes(text)
    assert found.code == "E604"
    assert "divergence_free" in source.text[found.span.start : found.span.end]


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_built(name: str, tmp_path: Path) -> None:
    """A file has the error of the text."""
    path = tmp_path / "my.pde"
    path.write_text(CASES[name][3] or MADE[name], "utf-8")
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(path)
    assert [d.code for d in found.value.diagnostics] == [CASES[name][0]]
    assert str(path) in str(found.value)
