"""Step sizes: observed orders of convergence, and FractalNet as a Heun step."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch
from texts import built, changed, compiled, inputs, light, shipped

from pdedsl.codegen.program import run_function

SMOOTH = ("f(Y, t) : channels = convnet(layers=2)", "f(Y) : channels = convnet(layers=2, activation=tanh)")
SWEPT = changed(shipped("small_steps"), SMOOTH, ("= f(Y, t)", "= f(Y)"), ("[0, 3]", "[0, 1/2]"))


def _end(method: str) -> torch.Tensor:
    """Y at the end, for one field whatever the method and its steps."""
    torch.manual_seed(2)
    text = changed(SWEPT, ("euler(steps=12)", method))
    block = run_function(compiled(text).program, "block", width=4).double()
    state = torch.randn(1, 4, 6, 6, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    with torch.no_grad():
        return block(state)


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("heun", 2)])
def test_order_of_convergence(method: str, order: int) -> None:
    exact = _end("rk4(steps=256)")
    errors = [float((_end(f"{method}(steps={n})") - exact).norm()) for n in (32, 64, 128)]
    for coarse, fine in pairwise(errors):
        assert math.log2(coarse / fine) == pytest.approx(order, abs=0.15)


def test_small_steps() -> None:
    text = light("small_steps")
    (stage, _) = built(text).stages
    assert stage.steps.h == 0.25
    (field,) = stage.right_hand_sides()
    y = torch.randn(1, 8, 4, 4, dtype=torch.float64)
    expected = y
    for j in range(12):
        expected = expected + 0.25 * field.layers[j](j / 4, expected)
    assert torch.allclose(stage(y), expected, rtol=1e-12)


def test_fractalnet_is_a_heun_step() -> None:
    text = light("fractalnet")
    (stage, _) = built(text).stages
    (field,) = stage.right_hand_sides()
    y = torch.randn(1, 8, 4, 4, dtype=torch.float64)
    expected = y
    for j, f in enumerate(field.layers):
        first = f(j, expected)
        expected = expected + (first + f(j + 1, expected + first)) / 2
    assert torch.allclose(stage(y), expected, rtol=1e-12)
    assert built(text)(inputs(text, 2)).shape == (2, 10)


def test_many_steps_are_a_loop() -> None:
    """In the plan and in the written module; one step more than are written out gives nearly the same network."""
    text = """pde P
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn W : operator = linear
∂u/∂t = [-x₂, t x₁]·∇u
u(x, 0) = softmax(W x)
realize time by rk4(steps={})
"""
    assert len(compiled(text.format(100_000)).python()) < 3000
    x = torch.tensor([[1.0, 2.0], [-0.5, 0.3]], dtype=torch.float64)
    ends = []
    for steps in (256, 257):
        torch.manual_seed(0)
        ends.append(compiled(text.format(steps)).module().double()(x))
    assert torch.allclose(*ends, rtol=0, atol=1e-9)
