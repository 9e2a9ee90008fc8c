"""What newcomers write, and the way out that they read: one message each."""

from __future__ import annotations

import pytest

from pdedsl.compiler import to_spec
from pdedsl.diagnostics import PdeError, Source

HEAT = """pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = sin(π x)
u = 0 on boundary
"""
MOONS = """pde P
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
"""


@pytest.mark.parametrize(
    ("text", "way"),
    [
        (HEAT + "solve by grid\n", "did you mean 'realize'?"),
        (HEAT + "realize equation by pinn\n", "did you mean 'residual'?"),
        (HEAT + "realize equation by fdm\n", "did you mean 'grid'?"),
        (HEAT.replace("u = 0 on boundary", "u(0, t) = 0, u(1, t) = 0"), "write one statement a line"),
        (HEAT.replace("on boundary", "at boundary"), "a side is named behind 'on'"),
        (HEAT.replace("∂u/∂t = Δu", "u_t - u_xx"), "an equation has two sides"),
        (HEAT.replace("∂u/∂t = Δu", "diff(u, t) = diff(u, x, 2)"), "a second derivative is diff(u, x, x)"),
        (HEAT.replace("∂u/∂t = Δu", "D(u, t) = Δu"), "a derivative is written ∂u/∂t"),
        (HEAT.replace("u(x, t)", "u"), "write u(x, t), with the coordinates and the time"),
        (HEAT.replace("time t in", "t in"), "write: time t in …"),
        (HEAT.replace("u(x, 0)", "u0"), "the start is written: u(x, 0) = …"),
        (HEAT.replace(": scalar", ": float"), "did you mean 'scalar'?"),
        (HEAT.replace("unknown u", "unknown H₁(x, t) : scalar\nunknown u"), "declare H as a vector"),
        (MOONS.replace("= mlp", "= mlp(hidden=8)"), "did you mean 'width'?"),
        (MOONS.replace("v·∇u", "v.∇u"), "write v·w for a dot product"),
        (MOONS + "train {\n dataset moons\n}\n", "did you mean 'data'?"),
        (MOONS + "train {\n data moons\n lr 0.1\n}\n", "optimizer sgd(lr=0.1)"),
        (MOONS + "train {\n data moons\n batch_size 8\n}\n", "did you mean 'batch'?"),
        (MOONS + "train {\n data moons\n optimizer adam(learning_rate=1)\n}\n", "did you mean 'lr'?"),
        (MOONS + "evaluate {\n attack pgd(epsilon=0.1)\n}\n", "did you mean 'eps'?"),
        (MOONS + "evaluate {\n attack pgd(eps=0.1, norm=l2)\n}\n", "did you mean '2'?"),
        (MOONS + "require monotonicity\n", "did you mean 'comparison'?"),
    ],
)
def test_one_message_with_its_way_out(text: str, way: str) -> None:
    with pytest.raises(PdeError) as caught:
        to_spec(Source(text))
    (found,) = caught.value.diagnostics
    assert way in found.hint
