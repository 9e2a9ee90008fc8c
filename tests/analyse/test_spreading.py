"""Examples that refute stability are run through the compiled network, with the numbers that are printed."""

from __future__ import annotations

import re

import pytest
import torch
from compiled.texts import compiled
from torch import Tensor

from analyse.frames import NETWORK, lines
from analyse.outcomes import analysed
from pdedsl.emit.program import run
from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.runtime.operators import Conv

WIDTH = 3
SHOWN = re.compile(
    r"K = (\S+) times the identity(?: on two channels)?, Y = (.+?) and Y' = (.+?): at the end, by (\w+) with "
    r"δt = (\S+), they are (\S+) times as far apart"
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


def states(shown: str) -> Tensor:
    """A map that is the state at one pixel and zero elsewhere."""
    y = torch.zeros(1, WIDTH, 3, 3, dtype=torch.float64)
    values = numbers(shown)
    y[0, : len(values), 1, 1] = torch.tensor(values, dtype=torch.float64)
    return y


@torch.no_grad()
def growth(text: str, k: float, one: str, other: str) -> float:
    """How much further apart two states are at the end, by the network with K = k times the identity."""
    block = run(compiled(text).program, "block", width=WIDTH).double().eval()
    for module in block.modules():
        if isinstance(module, Conv):
            module.weight.zero_()
            module.weight[range(WIDTH), range(WIDTH), 1, 1] = k
            assert torch.equal(module.constrained_weight(), module.weight)  # K keeps its bound as it is
    a, b = states(one), states(other)
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
def test_the_printed_example_is_one(text: str) -> None:
    verdict = analysed(text).axioms["stability"]
    assert verdict.truth == "refuted"
    found = SHOWN.fullmatch(verdict.witness)
    assert found, verdict.witness
    k, one, other, method, step, times = found.groups()
    plan = compiled(text).plan
    assert (method, step) == (plan.method.name, str((plan.end - plan.start) / plan.steps))
    bound = re.search(r"‖K‖ ≤ ([^ ]+)", text)
    assert bound is None or float(k) <= eval_fraction(bound[1])
    seen = growth(text, float(k), one, other)
    assert seen > 1
    assert seen == pytest.approx(float(times), rel=1e-3)
    assert seen - 1 == pytest.approx(float(times) - 1, rel=0.1)


def eval_fraction(text: str) -> float:
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


@pytest.mark.parametrize("box", [("-0.2", "0.2"), ("-1", "0.5")])
def test_a_box_is_kept(box: tuple[str, str]) -> None:
    text = net(TV_RELU, "") + f"train {{\n  constrain K in [{box[0]}, {box[1]}]\n}}\n"
    found = SHOWN.fullmatch(analysed(text).axioms["stability"].witness)
    assert found
    assert float(found[1]) <= float(box[1])
    assert growth(text, float(found[1]), found[2], found[3]) > 1


def test_where_the_identity_is_not_allowed_nothing_is_claimed() -> None:
    text = net(TV_RELU, "") + "train {\n  constrain K in [0.1, 1]\n}\n"
    assert analysed(text).axioms["stability"].truth == "unknown"
    narrow = net(TV_RELU).replace("open    4", "open    1").replace("stages  [4]", "stages  [1]")
    assert analysed(narrow).axioms["stability"].truth == "unknown"  # on one channel relu after tv_norm is monotone


@pytest.mark.parametrize("method", ["dopri5(rtol=1e-8, atol=1e-10)", "euler(steps=5000)"])
def test_where_it_is_not_run_a_small_operator_will_do(method: str) -> None:
    text = net(TV_RELU, "1", method, "1").replace("K(t)", "K")
    verdict = analysed(text).axioms["stability"]
    found = re.fullmatch(
        r"K a small multiple of the identity, K Y = (.*) and K Y' = (.*) on two channels", verdict.witness
    )
    assert found
    k = 0.1
    one, other = (f"({', '.join(str(a / k) for a in numbers(shown))})" for shown in found.groups())
    assert growth(text.replace("steps=5000", "steps=50"), k, one, other) > 1.003


def test_the_other_operators_are_zero() -> None:
    two = net("-Kᵀ relu(N(K Y)) - Lᵀ tanh(L Y)").replace("let N", "learn L : operator, ‖L‖ ≤ 1 = conv(3)\nlet N")
    witness = analysed(two).axioms["stability"].witness
    assert witness.startswith("the other operators zero, K = 0.75 times")
