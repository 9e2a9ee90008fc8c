"""Stability bounds of the step size: stability function and intervals of each method, and the warning at the bound."""

from __future__ import annotations

import math
import time

import pytest
import torch
from sympy import Rational
from texts import compiled

from analysis.analysis_cache import analysed
from analysis.spec_templates import NETWORK, lines
from pdedsl.codegen.program import run_function
from pdedsl.config.methods import INTEGRATORS
from pdedsl.ir.default_methods import DEFAULT_STEPS_PIXELS
from pdedsl.ir.plan import ImagePlan
from pdedsl.numerics import butcher as records
from pdedsl.numerics.butcher import (
    BACKWARD_EULER,
    EXPLICIT,
    amplification_factor,
    imaginary_stability_limit,
    real_stability_limit,
)
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.ode.explicit import BackwardEuler, ExplicitRungeKutta, OneStepMethod

RUN: dict[str, OneStepMethod] = {name: ExplicitRungeKutta(method) for name, method in EXPLICIT.items()}
SERIES = {f"backward_euler({n})": BackwardEuler(n) for n in range(1, 8)}
METHODS = RUN | SERIES
DECAYING = {
    "euler": 2,
    "heun": 2,
    "midpoint": 2,
    "ssprk3": 2.5127453266183286,
    "rk4": 2.785293563405282,
    "backward_euler(1)": 2,
    "backward_euler(2)": 1,
    "backward_euler(3)": 1.3532099641993243,
    "backward_euler(4)": 1,
    "backward_euler(6)": 1,
}
SWINGING = {"euler": 0, "heun": 0, "midpoint": 0, "ssprk3": math.sqrt(3), "rk4": math.sqrt(8), "backward_euler(2)": 1}


def polynomial(name: str) -> tuple[float, ...]:
    return BACKWARD_EULER.stability(int(name[15:-1])) if "(" in name else EXPLICIT[name].stability


def one_step(name: str, z: complex) -> complex:
    """A step of length 1 of y' = zy from 1, by the integrator that networks use."""
    y = torch.tensor([1.0 + 0j], dtype=torch.complex128)
    return complex(METHODS[name].step(lambda _j, _t, w: z * w, 0, 0.0, 1.0, y).item())


def test_every_record_is_a_word_of_the_language() -> None:
    assert set(records.METHODS) == set(INTEGRATORS)


@pytest.mark.parametrize("name", METHODS)
def test_the_stability_polynomial_matches_the_integrator(name: str) -> None:
    for z in (-0.3, -1.7, -2.6, 0.9j, 2.2j, -0.5 + 1j):
        assert abs(one_step(name, z)) == pytest.approx(amplification_factor(polynomial(name), z), rel=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_stability_intervals_match_simulation(name: str) -> None:
    """The first of many points at which the integrator lets a state grow."""
    for axis, found in (
        (-1.0, real_stability_limit(polynomial(name))),
        (1j, imaginary_stability_limit(polynomial(name))),
    ):
        grid = [k / 100 for k in range(1, 400)]
        grown = min(s for s in grid if abs(one_step(name, axis * s)) > 1 + 1e-12)
        assert grown - 0.01001 < found < grown


@pytest.mark.parametrize("name", DECAYING)
def test_known_intervals(name: str) -> None:
    assert real_stability_limit(polynomial(name)) == pytest.approx(DECAYING[name], abs=1e-8)
    if name in SWINGING:
        assert imaginary_stability_limit(polynomial(name)) == pytest.approx(SWINGING[name], abs=1e-8)


def test_a_long_series_is_bounded_work() -> None:
    for terms in (10**9, 10**9 + 1):
        assert real_stability_limit(BACKWARD_EULER.stability(terms)) == pytest.approx(1, abs=0.006)


# ---- the warning


def net(realize: str, end: str, bound: str = "1", equation: str = "∂Y/∂t = -Kᵀ identity(K Y)", more: str = "") -> str:
    return lines(
        "pde Net",
        "space x in pixels",
        f"time t in [0, {end}]",
        "unknown Y(x, t) : channels",
        "unknown Z(x, t) : channels" if "∂Z" in equation else "",
        f"learn K : operator, ‖K‖ ≤ {bound} = conv(3)",
        more,
        equation,
        f"realize time by {realize}" if realize else "",
        NETWORK,
    )


def warned(text: str) -> list[str]:
    return [d.message for d in analysed(text).diagnostics if d.code == "W401"]


@pytest.mark.parametrize("name", DECAYING)
def test_the_warning_is_at_the_bound_of_its_method(name: str) -> None:
    terms = f", terms={name[15:-1]}" if "(" in name else ""
    realize = f"{name.partition('(')[0]}(steps=1{terms})"
    assert not warned(net(realize, f"{DECAYING[name] - 1e-6:.9f}"))
    assert not warned(net(realize, str(DECAYING[name]))) or DECAYING[name] % 1
    (message,) = warned(net(realize, f"{DECAYING[name] + 1e-6:.9f}"))
    assert f"the stability bound of {name.partition('(')[0]}" in message


@torch.no_grad()
@pytest.mark.parametrize(("realize", "end"), [("rk4(steps=1)", 2.5), ("backward_euler(steps=1)", 1.5)])
def test_warning_agrees_with_the_network(realize: str, end: float) -> None:
    """K the identity: each step multiplies by R(-δt)."""
    text = net(realize, str(end))
    block = run_function(compiled(text.replace(", ‖K‖ ≤ 1", "")).program, "block", width=2).double()
    for module in block.modules():
        if isinstance(module, ConvOperator):
            module.weight.zero_()
            module.weight[range(2), range(2), 1, 1] = 1.0
    y = torch.ones(1, 2, 3, 3, dtype=torch.float64)
    assert bool(block(y).abs().max() > 1) is bool(warned(text))


def test_lipschitz_constant_of_activation_enters_the_bound() -> None:
    for name, end in (("sigmoid", 8), ("erf", 1.7), ("softsign", 2)):
        equation = f"∂Y/∂t = -Kᵀ {name}(K Y)"
        assert not warned(net("euler(steps=1)", str(end), equation=equation))
        assert warned(net("euler(steps=1)", str(end * 1.1), equation=equation))


PAIR = "∂Y/∂t = Kᵀ tanh(K Z)\n∂Z/∂t = -Lᵀ tanh(L Y)"
SWING = "∂²Y/∂t² = -Kᵀ tanh(K Y)\n∂Y/∂t(x, 0) = 0"


@pytest.mark.parametrize(("pair", "swing", "squared"), [("verlet", "leapfrog", 4), ("rk4", "rk4", 8)])
def test_oscillators_have_imaginary_stability_bounds(pair: str, swing: str, squared: float) -> None:
    """δt²‖K‖², and δt²‖K‖²‖L‖²: a wide K is no matter beside a narrow L."""
    inside, outside = (f"{math.sqrt(squared) + by:.6f}" for by in (-1e-4, 1e-4))
    narrow = "learn L : operator, ‖L‖ ≤ 0.1 = conv(3)"
    assert not warned(net(f"{pair}(steps=1)", inside, "10", PAIR, narrow))
    assert len(warned(net(f"{pair}(steps=1)", outside, "10", PAIR, narrow))) == 1
    assert not warned(net(f"{swing}(steps=1)", inside, equation=SWING))
    assert len(warned(net(f"{swing}(steps=1)", outside, equation=SWING))) == 1


@pytest.mark.parametrize("method", ["euler", "heun"])
def test_methods_unstable_for_oscillators_at_every_step_size(method: str) -> None:
    assert "at every step size" in warned(net(f"{method}(steps=1000)", "1", equation=SWING))[0]
    assert not warned(net("dopri5", "1", equation=SWING))


def test_pair_without_oscillation_has_no_bound() -> None:
    assert not warned(net("verlet(steps=1)", "9", equation=PAIR.replace("-", ""), more="learn L : operator = conv(3)"))


# ---- the steps that are planned


@pytest.mark.parametrize("realize", ["", "euler"])
def test_the_default_steps_are_those_of_the_plan(realize: str) -> None:
    text = net(realize, "3", equation="∂Y/∂t = -Kᵀ tanh(K Y)")
    plan = compiled(text).plan
    assert isinstance(plan, ImagePlan)
    assert plan.steps == DEFAULT_STEPS_PIXELS
    assert f"δt = {Rational(3, plan.steps)}" in analysed(text).axioms["stability"].reason


@pytest.mark.parametrize(("end", "truth"), [("6", "proved"), ("6.1", "unknown")])
def test_stability_by_default_steps(end: str, truth: str) -> None:
    text = net("", end, equation="∂Y/∂t = -Kᵀ tanh(K Y)")
    axioms = analysed(text).axioms
    assert (axioms["stability"].truth, axioms["energy_decay"].truth) == (truth, truth)
    assert bool(warned(text)) is (truth != "proved")


def test_adaptive_method_has_no_bound() -> None:
    text = net("dopri5", "100", equation="∂Y/∂t = -Kᵀ tanh(K Y)")
    assert analysed(text).axioms["stability"].truth == "unknown"
    assert not warned(text)


@pytest.mark.parametrize(
    ("method", "truth"), [("heun(steps=3)", "refuted"), ("rk4(steps=3)", "unknown"), ("rk4(steps=2)", "refuted")]
)
def test_a_reaction_overshoots_by_every_method(method: str, truth: str) -> None:
    """δt (k² + λ) = 2.73, and 4.1, for the largest k of a network: RK4 is stable up to 2.785."""
    text = net(method, "3", equation="∂Y/∂t = -Kᵀ tanh(K Y) - 2Y")
    assert analysed(text).axioms["stability"].truth == truth


@pytest.mark.parametrize("equation", [SWING, "∂Y/∂t = -Kᵀ sin(K Y)", "∂Y/∂t = -Kᵀ relu(N(K Y))"])
def test_very_many_steps_are_not_run(equation: str) -> None:
    method = "leapfrog" if equation == SWING else "euler"
    more = "let N = tv_norm(eps=1e-3)" if "N(" in equation else ""
    start = time.monotonic()
    analysed(net(f"{method}(steps=100000)", "1", equation=equation, more=more))
    assert time.monotonic() - start < 5
