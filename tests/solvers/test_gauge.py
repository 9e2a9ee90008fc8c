"""Components that are defined up to a constant, or up to a function of time."""

from __future__ import annotations

import torch
from torch import Tensor

from pdedsl.solvers.collocation_points import PointSampler, fix_gauge
from tests.solvers.problems import stated

FLOW = """pde Flow
space (x, y) in [0, 1]^2
time t in [0, 1]
unknown v(x, y, t) : vector(2)
unknown p(x, y, t) : scalar
∂v/∂t + v·∇v = -∇p + Δv
∇·v = 0
v(x, y, 0) = [0, 0]
v = [0, 0] on boundary
"""


def test_a_pressure_is_compared_up_to_a_function_of_time() -> None:
    statement = stated(FLOW)
    points = PointSampler(statement.domain).inside(20, 1)

    def flow(shift: float) -> Tensor:
        return fix_gauge(
            lambda x: torch.stack([x[:, 0], x[:, 1], x[:, 0] ** 2 + shift * x[:, 2]], 1), statement, points
        )

    assert statement.defined_up_to_constant == (2,)
    torch.testing.assert_close(flow(3.0), flow(0.0))
    torch.testing.assert_close(flow(0.0)[:, :2], points[:, :2])


def test_a_pure_neumann_problem_is_defined_up_to_a_constant() -> None:
    free = "pde A\nspace x in [0, 1]\nunknown u(x) : scalar\n∂²u/∂x² = cos(π x)\n∂u/∂n = 0 on boundary\n"
    assert stated(free).defined_up_to_constant == (0,)
    assert stated(free.replace("∂u/∂n = 0 on boundary", "u = 0 on boundary")).defined_up_to_constant == ()
