"""Unsupported features: one diagnostic E130 with the nearest statement, which is accepted."""

from __future__ import annotations

import pytest

from pdedsl.compiler import check
from pdedsl.diagnostics import Diagnostic, PdeError, Source
from pdedsl.errors import unsupported
from pdedsl.errors.unsupported import Feature

HEAD = "pde P\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
DATA = "u(x, 0) = sin(π x)\nu = 0 on boundary\n"
STATIONARY = "pde P\nspace x in [0, 1]\nunknown u(x) : scalar\n"
PLANE = "pde P\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n-Δu = 1\nu = 0 on boundary\n"


def heat(equation: str) -> str:
    return f"{HEAD}{equation}\n{DATA}"


def diagnose(text: str) -> tuple[Diagnostic, ...]:
    try:
        return check(Source(text)).errors
    except PdeError as error:
        return error.diagnostics


UNSUPPORTED = [
    (unsupported.FRACTIONAL_DERIVATIVE, heat("∂^(1/2)u/∂t^(1/2) = Δu")),
    (unsupported.FRACTIONAL_DERIVATIVE, heat("caputo(u, t, 0.5) = Δu")),
    (unsupported.INTEGRAL_FUNCTION, heat("∂u/∂t = Δu - mean(u)")),
    (unsupported.INTEGRAL_FUNCTION, heat("∂u/∂t = Δu + integrate(u, x)")),
    (unsupported.NOISE, heat("∂u/∂t = Δu + 0.1 dW/dt")),
    (unsupported.JUMP_PROCESS, heat("∂u/∂t = Δu + levy(u)")),
    (unsupported.MOVING_DOMAIN, heat("∂u/∂t = Δu").replace("[0, 1]\ntime", "[0, 1 + t]\ntime")),
    (unsupported.FREE_BOUNDARY, f"{HEAD}∂u/∂t = Δu\nu(x, 0) = 0\nu = 1 on left\nu = 0 on x = s(t)\n"),
    (unsupported.JUMP_CONDITION, heat("∂u/∂t = Δu\n[u] = 0 on x = ½")),
    (unsupported.JUMP_CONDITION, heat("∂u/∂t = Δu\njump(u) = 0 on x = ½")),
    (unsupported.INEQUALITY, f"{STATIONARY}-Δu >= 1\nu = 0 on boundary\n"),
    (unsupported.DATA_FILE, f'{HEAD}∂u/∂t = Δu\nu(x, 0) = csv("u0.csv")\nu = 0 on boundary\n'),
    (unsupported.DATA_FILE, heat('∂u/∂t = Δu + load("f.npy")')),
]


@pytest.mark.parametrize(("feature", "text"), UNSUPPORTED)
def test_first_diagnostic_names_the_feature(feature: Feature, text: str) -> None:
    first = diagnose(text)[0]
    assert (first.code, first.message) == ("E130", f"{feature.name} are not supported")
    assert first.hint == f"nearest: {feature.nearest}"


def test_every_feature_is_tested() -> None:
    features = {id(value) for value in vars(unsupported).values() if isinstance(value, Feature)}
    assert features == {id(feature) for feature, _ in UNSUPPORTED} == {id(feature) for feature, _ in NEAREST}


NEAREST = [
    (
        unsupported.FRACTIONAL_DERIVATIVE,
        heat("unknown w(x, t) : scalar\n∂u/∂t = Δu - w\n∂w/∂t = u - w\nw(x, 0) = 0"),
    ),
    (unsupported.INTEGRAL_FUNCTION, heat("∂u/∂t = Δu - ∫_Ω u dx + ∫₀ˣ u(s, t) ds")),
    (unsupported.NOISE, heat("const σ = 0.3\n∂u/∂t = ½σ²Δu")),
    (unsupported.JUMP_PROCESS, heat("const σ = 0.3\n∂u/∂t = ½σ²Δu")),
    (
        unsupported.MOVING_DOMAIN,  # s = 1 + t
        heat("let s = 1 + t\n∂u/∂t = (1/s²) ∂²u/∂x² + (x/s) ∂u/∂x"),
    ),
    (unsupported.FREE_BOUNDARY, heat("const s = 0.1\n(1 + exp(-u²/s²)/s) ∂u/∂t = Δu")),
    (unsupported.JUMP_CONDITION, heat("let κ = 1 + heaviside(x - ½)\n∂u/∂t = ∂(κ ∂u/∂x)/∂x")),
    (unsupported.INEQUALITY, f"{STATIONARY}const ψ = -0.1\nmin(-Δu + 1, u - ψ) = 0\nu = 0 on boundary\n"),
    (unsupported.DATA_FILE, heat('∂u/∂t = Δu + data("specs/measured_heat.npz", "u")')),
]


@pytest.mark.parametrize(("feature", "text"), NEAREST)
def test_nearest_statement_is_accepted(feature: Feature, text: str) -> None:
    assert diagnose(text) == (), feature.name


def test_declared_names_are_ordinary_names() -> None:
    assert diagnose(heat("let mean(q) = q/2\nlet data = 2\n∂u/∂t = data Δu - mean(u)")) == ()


def test_second_derivative_of_a_kink_is_an_error() -> None:
    assert [d.code for d in diagnose(heat("∂u/∂t = Δ(max(u, 0))"))] == ["E609"]
