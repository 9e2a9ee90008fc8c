"""The table of supported conditions: the reference prints it, and refusals are those of the methods."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from solvers.problems import stated

from pdedsl.config.methods import Elements, Grid, MonteCarlo, Solver
from pdedsl.diagnostics import Span
from pdedsl.planning.solver_selection import SolverPlanner
from pdedsl.problem.capabilities import BoundaryRegion, ConditionType, MethodFamily, cells, find_reason, markdown_table

PAGE = Path(__file__).parents[2] / "grammar" / "README.md"
BEGIN, END = "<!-- table: supported conditions -->", "<!-- end -->"
CONDITIONS = {
    ConditionType.DIRICHLET: "u = 1",
    ConditionType.NEUMANN: "n·∇u = 0",
    ConditionType.ROBIN: "n·∇u + u = 1",
    ConditionType.GENERAL: "u³ + u = 1",
}
SQUARE = "pde P\nspace (x, y) in [0, 1]^2\n"
DISC = "pde P\nspace (x, y) in [-1, 1]^2 where x² + y² < 1\n"
STATIONARY = "unknown u(x, y) : scalar\nΔu = 0\n"
LAW = "time t in [0, 1]\nunknown u(x, y, t) : scalar\n∂u/∂t + u ∂u/∂x = 0\nu(x, y, 0) = 0\n"
INTERFACE = "unknown u(x, y) : scalar\n∇·((1 + heaviside(x - ½)) ∇u) = 0\n"
PLACES = {
    BoundaryRegion.FACE: "{c} on right\nu = 1 on left, bottom, top\n",
    BoundaryRegion.PART: "{c} on right where y > ½\nu = 1 on right where y < ½\nu = 1 on left, bottom, top\n",
    BoundaryRegion.LEVEL_SET: "{c} on boundary\n",
}


def test_the_reference_prints_the_table(golden: Callable[[Path, str], None]) -> None:
    text = PAGE.read_text("utf-8")
    before, rest = text.split(BEGIN)
    golden(PAGE, f"{before}{BEGIN}\n{markdown_table()}\n{END}{rest.split(END)[1]}")


def test_every_cell_says_yes_or_why() -> None:
    table = list(cells())
    assert len(table) == len(MethodFamily) * (len(CONDITIONS) * len(BoundaryRegion) + 3)
    assert all(not find_reason(*cell).endswith(".") for cell in table)


LOCAL = [cell for cell in cells() if cell[1] in CONDITIONS]


@pytest.mark.parametrize(("method", "condition", "region"), LOCAL, ids=lambda v: str(v.name))
def test_methods_give_the_reasons_of_the_table(
    method: MethodFamily, condition: ConditionType, region: BoundaryRegion
) -> None:
    """The planner refuses a cell with its reason, and accepts the others."""
    if method in (MethodFamily.RANDOM_FEATURES, MethodFamily.PINN):
        assert find_reason(method, condition, region) == ""
        return
    curved = region is BoundaryRegion.LEVEL_SET
    if curved and method in (MethodFamily.BOX, MethodFamily.CONSERVATION_LAW, MethodFamily.INTERFACE):
        return  # a curved domain has its own scheme
    if not curved and method is MethodFamily.IRREGULAR_DOMAIN:
        text = (
            DISC.replace("[-1, 1]^2", "[0, 1]^2") + STATIONARY + "u = 0 on x² + y² = 1\n" + _on_axes(condition, region)
        )
    else:
        bodies = {MethodFamily.CONSERVATION_LAW: LAW, MethodFamily.INTERFACE: INTERFACE}
        body = bodies.get(method, STATIONARY)
        text = (DISC if curved else SQUARE) + body + PLACES[region].format(c=CONDITIONS[condition])
    if method is MethodFamily.CONSERVATION_LAW:
        text = text.replace("u = 1 on left, bottom, top\n", "u = 1 on left\nn·∇u = 0 on bottom, top\n")
    solvers: dict[MethodFamily, Solver] = {MethodFamily.MONTE_CARLO: MonteCarlo(), MethodFamily.ELEMENTS: Elements()}
    solver = solvers.get(method, Grid(n=8))
    error = SolverPlanner(stated(text)).obstacle(solver, Span(0, 1))
    reason = find_reason(method, condition, region)
    message = "" if error is None else error.diagnostics[0].message
    if reason:
        nonlinear = method is MethodFamily.MONTE_CARLO and condition is ConditionType.GENERAL
        assert ("nonlinear" if nonlinear else reason) in message
    else:
        assert message == "" or "both Dirichlet and Neumann" in message or "never end" in message


def _on_axes(condition: ConditionType, region: BoundaryRegion) -> str:
    """The condition on the left face of a quarter disc, or on a part of it."""
    c = CONDITIONS[condition]
    if region is BoundaryRegion.FACE:
        return f"{c} on left\nu = 0 on bottom\n"
    return f"{c} on left where y > ½\nu = 0 on left where y < ½\nu = 0 on bottom\n"
