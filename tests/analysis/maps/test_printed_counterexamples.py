"""Printed counterexamples to stability, reproduced by the compiled network."""

from __future__ import annotations

import re

import pytest
import torch
from texts import compiled
from torch import Tensor

from analysis.analysis_cache import analysed
from analysis.spec_templates import NETWORK, lines
from pdedsl.codegen.program import run_function
from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.symmetric_layer import TotalVariationNorm

WIDTH = 3
SHOWN = re.compile(
    r"K = (\S+) times the identity, (?:scale (\S+) and bias (\S+) in N, )?Y = (.+?) and Y' = (.+?): "
    r"integrated by (\w+) with δt = (\S+), their final distance is (\S+) times the initial one"
)
TV_RELU = "-Kᵀ relu(N(K Y))"
FALLING = [name for name, facts in ACTIVATIONS.items() if not facts.monotone]


def net(right: str, bound: str = "1", method: str = "euler(steps=3)", end: str = "3", eps: str = "1e-3") -> str:
    return lines(
        "pde Net",
        "space x in pixels",
        f"time t in [0, {end}]",
        "unknown Y(x, t) : channels",
        f"learn K(t) : operator{f', ‖K‖ ≤ {bound}' if bound else ''} = conv(3)",
        f"let N = tv_norm(eps={eps})" if "N(" in right else "",
        f"∂Y/∂t = {right}",
        f"realize time by {method}" if method else "",
        NETWORK,
    )


def numbers(shown: str) -> list[float]:
    return [float(part) for part in shown.strip("()").split(",")]


def states(shown: str, width: int = WIDTH) -> Tensor:
    """A map that is the state at every pixel, and zero in the other channels."""
    y = torch.zeros(1, width, 3, 3, dtype=torch.float64)
    values = numbers(shown)
    y[0, : len(values)] = torch.tensor(values, dtype=torch.float64)[:, None, None]
    return y


@torch.no_grad()
def growth(text: str, found: re.Match[str], width: int = WIDTH) -> float:
    """How much further apart two states are at the end, by the network with K = k times the identity."""
    k, scale, bias, one, other = found.groups()[:5]
    block, channels = run_function(compiled(text).program, "block", width=width).double().eval(), len(numbers(one))
    for module in block.modules():
        if isinstance(module, ConvOperator):
            module.weight.zero_()
            module.weight[range(channels), range(channels), 1, 1] = float(k)
            assert torch.equal(module.constrained_weight(), module.weight)  # K keeps its bound as it is
        if isinstance(module, TotalVariationNorm) and scale:
            torch.nn.init.constant_(module.scale, float(scale))
            torch.nn.init.constant_(module.bias, float(bias))
    a, b = states(one, width), states(other, width)
    return float((block(a) - block(b)).norm() / (a - b).norm())


CASES = [
    *(net(TV_RELU, bound) for bound in ("1", "0.1", "1e-3", "2/3", "7", "")),
    *(net(TV_RELU, "0.1", f"euler(steps={n})", "0.1") for n in (1, 10)),
    *(
        net(TV_RELU, "1", method)
        for method in ("heun(steps=2)", "rk4(steps=2)", "backward_euler(steps=4, terms=3)", "")
    ),
    net(TV_RELU, "1", "euler(steps=100)", "100"),
    net("-3Kᵀ relu(N(K Y))", "1"),
    *(net(TV_RELU, "1", eps=eps) for eps in ("1", "1e-6")),
    *(net(f"-Kᵀ {name}(K Y)", bound) for name in FALLING for bound in ("1", "0.1")),
    *(net(f"-Kᵀ {name}(K Y)", "1", "rk4(steps=8)", "8") for name in FALLING),
]


@pytest.mark.parametrize("text", CASES)
def test_printed_counterexample_is_valid(text: str) -> None:
    verdict = analysed(text).axioms["stability"]
    assert verdict.truth == "refuted"
    found = SHOWN.fullmatch(verdict.counterexample)
    assert found, verdict.counterexample
    k, *_, method, step, times = found.groups()
    plan = compiled(text).plan
    assert (method, step) == (plan.method.name, str((plan.end - plan.start) / plan.steps))
    bound = re.search(r"‖K‖ ≤ ([^ ]+)", text)
    assert bound is None or float(k) <= eval_fraction(bound[1])
    seen = growth(text, found)
    assert seen > 1
    assert seen == pytest.approx(float(times), rel=1e-3)
    assert seen - 1 == pytest.approx(float(times) - 1, rel=0.1)


def eval_fraction(text: str) -> float:
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


@pytest.mark.parametrize("box", [("-0.2", "0.2"), ("-1", "0.5")])
def test_box_constraint_is_satisfied(box: tuple[str, str]) -> None:
    text = net(TV_RELU, "") + f"train {{\n  constrain K in [{box[0]}, {box[1]}]\n}}\n"
    found = SHOWN.fullmatch(analysed(text).axioms["stability"].counterexample)
    assert found
    assert float(box[0]) <= float(found[1]) <= float(box[1])
    assert growth(text, found) > 1


@pytest.mark.parametrize("box", ["[0.1, 1]", "[-1, -0.1]"])
def test_inadmissible_identity_refutes_nothing(box: str) -> None:
    text = net(TV_RELU, "") + f"train {{\n  constrain K in {box}\n}}\n"
    assert analysed(text).axioms["stability"].truth == "unknown"


def test_one_sided_box_constraint() -> None:
    text = net(TV_RELU, "") + "train {\n  constrain K in [-0.5, 0]\n}\n"
    found = SHOWN.fullmatch(analysed(text).axioms["stability"].counterexample)
    assert found
    assert float(found[1]) == -0.5
    assert growth(text, found) > 1


def test_one_channel_is_enough() -> None:
    narrow = net(TV_RELU).replace("open    4", "open    1").replace("stages  [4]", "stages  [1]")
    found = SHOWN.fullmatch(analysed(narrow).axioms["stability"].counterexample)
    assert found
    assert len(numbers(found[4])) == 1
    assert growth(narrow, found, width=1) > 1


@pytest.mark.parametrize("method", ["dopri8(rtol=1e-8, atol=1e-10)", "euler(steps=5000)"])
def test_not_simulated_is_not_refuted(method: str) -> None:
    text = net(TV_RELU, "1", method, "1").replace("K(t)", "K")
    assert analysed(text).axioms["stability"].truth == "unknown"


def test_the_other_operators_may_be_zero() -> None:
    two = net("-Kᵀ relu(N(K Y)) - Lᵀ tanh(L Y)").replace("let N", "learn L : operator, ‖L‖ ≤ 1 = conv(3)\nlet N")
    witness = analysed(two).axioms["stability"].counterexample
    assert witness.startswith("K = 0.843 and L = 0 times the identity, ")


BATCH = "let N = batch_norm()"


@torch.no_grad()
def test_batch_norm_is_run_as_a_new_network_is_used() -> None:
    text = net(TV_RELU).replace("let N = tv_norm(eps=1e-3)", BATCH)
    found = SHOWN.fullmatch(analysed(text).axioms["stability"].counterexample)
    assert found
    block = run_function(compiled(text).program, "block", width=WIDTH).double().eval()
    for module in block.modules():
        if isinstance(module, ConvOperator):
            torch.nn.init.zeros_(module.weight)
            module.weight[range(2), range(2), 1, 1] = float(found[1])
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.constant_(module.weight, float(found[2] or 1))
            torch.nn.init.constant_(module.bias, float(found[3] or 0))
    a, b = states(found[4]), states(found[5])
    assert float((block(a) - block(b)).norm() / (a - b).norm()) == pytest.approx(float(found[8]), rel=1e-3)
