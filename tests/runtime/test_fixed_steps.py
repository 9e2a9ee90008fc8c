"""The same weights with fixed steps: the same network to the order of the method."""

from __future__ import annotations

import torch

import pdedsl
from pdedsl.runtime.ode.solver_control import with_fixed_steps

SPEC = """pde Ode
space x in pixels
time t in [0, 1]
unknown Y(x, t) : channels
learn f(Y, t) : channels = convnet(layers=2, activation=tanh)
∂Y/∂t = f(Y, t)
realize time by dopri5(rtol=1e-10, atol=1e-10)
network {
  input   image(1, 6, 6)
  open    3
  stages  [3]
  classes 2
}
"""


def test_fourth_order() -> None:
    model = pdedsl.compile(SPEC).module().double().eval()
    x = torch.rand(2, 1, 6, 6, dtype=torch.float64)
    errors = []
    with torch.no_grad():
        for parts in (16, 32, 64):
            other = with_fixed_steps(model, parts)
            assert other is not None
            errors.append((other(x) - model(x)).abs().max().item())
    assert errors[0] / errors[1] > 12
    assert errors[1] / errors[2] > 12
    assert errors[2] > 1e-11  # not yet at the tolerance of the solver


def test_nothing_to_fix() -> None:
    assert with_fixed_steps(pdedsl.compile("parabolic").module(), 4) is None
