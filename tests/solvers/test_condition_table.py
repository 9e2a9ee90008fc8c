"""The table method × condition × region, cell by cell: supported cells against exact solutions at the usual accuracy of
the method, refused cells with their reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import pi

import pytest
import torch
from torch import Tensor

from pdedsl.config.methods import Elements, Grid, MonteCarlo, Pinn, RandomFeatures, Solver
from pdedsl.config.networks import Mlp
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.problem import StrongForm
from pdedsl.planning.method_planners import SolverPlanner
from pdedsl.problem.supported_conditions import BoundaryRegion, ConditionType, MethodFamily, cells, unsupported_reason
from pdedsl.record import Record
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.monte_carlo import MonteCarloSolution

from .problems import (
    error_of,
    solve_by_elements,
    solve_by_grid,
    solve_by_monte_carlo,
    solve_by_pinn,
    solve_by_random_features,
    stated,
)

Exact = Callable[..., Tensor]


class Problem(Record):
    text: str
    exact: Exact


# ---- Δu = 0 with u = x² - y² + x, and the heat equation with this initial value


def polynomial(x: Tensor, y: Tensor, t: Tensor | None = None) -> Tensor:
    return x**2 - y**2 + x


STATIONARY = "unknown u(x, y) : scalar\nΔu = 0\n"
EVOLVING = "time t in [0, 0.3]\nunknown u(x, y, t) : scalar\n∂u/∂t = Δu\nu(x, y, 0) = x² - y² + x\n"
SQUARE = "pde P\nspace (x, y) in [-1, 1]^2\n"
DISC = "pde P\nspace (x, y) in [-1, 1]^2 where x² + y² < 1\n"
QUARTER = "pde P\nspace (x, y) in [0, 1]^2 where x² + y² < 1\n"
REST = "u = x² - y² + x on left, bottom, top\n"
ON_RIGHT = {
    ConditionType.DIRICHLET: ("u = 2 - y²",),
    ConditionType.NEUMANN: ("n·∇u = 3",),
    ConditionType.ROBIN: ("n·∇u + 2u = 7 - 2y²",),
    ConditionType.GENERAL: (
        "∂u/∂x + ∂u/∂y = 3 - 2y",  # oblique
        "∂u/∂y = -2y",  # tangential
        "u + u³ = 2 - y² + (2 - y²)³",
    ),
}
ON_LEFT_OF_QUARTER = {
    ConditionType.DIRICHLET: "u = -y²",
    ConditionType.NEUMANN: "n·∇u = -1",
    ConditionType.ROBIN: "n·∇u + u = -1 - y²",
    ConditionType.GENERAL: "∂u/∂x + ∂u/∂y = 1 - 2y",
}
ON_CIRCLE = {
    ConditionType.DIRICHLET: "u = x² - y² + x",
    ConditionType.NEUMANN: "n·∇u = 2(x² - y²) + x",
    ConditionType.ROBIN: "n·∇u + u = 3(x² - y²) + 2x",
    # with the derivative along the circle
    ConditionType.GENERAL: "(x - y) ∂u/∂x + (x + y) ∂u/∂y + u = 3(x² - y²) + 2x - 4x y - y",
}


def _polynomial_problems(condition: ConditionType, region: BoundaryRegion, equation: str) -> Iterator[Problem]:
    match region:
        case BoundaryRegion.FACE:
            for line in ON_RIGHT[condition]:
                yield Problem(f"{SQUARE}{equation}{line} on right\n{REST}", polynomial)
        case BoundaryRegion.PART:
            others = ("u = 2 - y²", "n·∇u = 3")  # mixed with Dirichlet and with Neumann
            for other in others:
                line = ON_RIGHT[condition][0]
                text = f"{SQUARE}{equation}{line} on right where y > 0\n{other} on right where y < 0\n{REST}"
                yield Problem(text, polynomial)
        case BoundaryRegion.LEVEL_SET:
            line, dirichlet = ON_CIRCLE[condition], ON_CIRCLE[ConditionType.DIRICHLET]
            if condition is not ConditionType.NEUMANN:
                yield Problem(f"{DISC}{equation}{line} on boundary\n", polynomial)
            text = f"{DISC}{equation}{line} on boundary where x > 0\n{dirichlet} on boundary where x < 0\n"
            yield Problem(text, polynomial)


# ---- Convection-diffusion on a circle, with sign and jump


LINE = "pde P\nspace x in [0, 1]{kind}\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = 0.1 Δu - ∂u/∂x\n"
TURN = "u(1, t) = u(0, t) + 2\n∂u/∂x(1, t) = ∂u/∂x(0, t)\n"


def _wave(k: int, jump: float = 0) -> Exact:
    decay = 0.1 * (pi * k) ** 2
    return lambda x, t: jump * (x - t) + torch.exp(-decay * t) * torch.sin(pi * k * (x - t))


CIRCLE = {
    ConditionType.PERIODIC: Problem(LINE.format(kind=" periodic") + "u(x, 0) = sin(2π x)\n", _wave(2)),
    ConditionType.ANTIPERIODIC: Problem(LINE.format(kind=" antiperiodic") + "u(x, 0) = sin(π x)\n", _wave(1)),
    ConditionType.JUMP: Problem(LINE.format(kind="") + f"u(x, 0) = 2x + sin(2π x)\n{TURN}", _wave(2, 2)),
}


# ---- Burgers' equation before its shock


BURGERS = "pde P\nspace x in [0, 1]{kind}\ntime t in [0, 0.1]\nunknown u(x, t) : scalar\n∂u/∂t + u ∂u/∂x = 0\n"
BUMP = "u(x, 0) = 1 + ½ exp(-100 (x - 0.3)²)\nu = 1 on left\n"  # constant at both ends, up to 1e-4
BURGERS_RIGHT = {
    ConditionType.DIRICHLET: "u = 1",
    ConditionType.NEUMANN: "n·∇u = 0",
    ConditionType.ROBIN: "n·∇u + u = 1",
    ConditionType.GENERAL: "u + u³ = 2",
}
BURGERS_CIRCLE = {
    ConditionType.PERIODIC: (" periodic", "u(x, 0) = 1 + ½ sin(2π x)\n"),
    ConditionType.ANTIPERIODIC: (" antiperiodic", "u(x, 0) = sin(π x)\n"),
    ConditionType.JUMP: ("", "u(x, 0) = 2x\nu(1, t) = u(0, t) + 2\n"),
}


def _characteristics(initial: Exact) -> Exact:
    """u = u₀(x - u t), by fixed-point iteration."""

    def exact(x: Tensor, t: Tensor) -> Tensor:
        u = initial(x)
        for _ in range(100):
            u = initial(x - u * t)
        return u

    return exact


bump = _characteristics(lambda x: 1 + 0.5 * torch.exp(-100 * (x - 0.3) ** 2))
sine = _characteristics(lambda x: 1 + 0.5 * torch.sin(2 * pi * x))
PLANE_BURGERS = (
    "pde P\nspace (x, y) in [0, 1]^2\ntime t in [0, 0.1]\nunknown u(x, y, t) : scalar\n"
    "∂u/∂t + u ∂u/∂x = 0\nu(x, y, 0) = 1\nu = 1 on left\nn·∇u = 0 on bottom, top\n"
)


def _burgers(condition: ConditionType, region: BoundaryRegion) -> Problem:
    if condition in BURGERS_CIRCLE:
        kind, data = BURGERS_CIRCLE[condition]
        return Problem(BURGERS.format(kind=kind) + data, sine)
    line = BURGERS_RIGHT[condition]
    match region:
        case BoundaryRegion.FACE:
            return Problem(f"{BURGERS.format(kind='')}{BUMP}{line} on right\n", bump)
        case BoundaryRegion.PART:
            text = f"{PLANE_BURGERS}{line} on right where y > ½\nu = 1 on right where y < ½\n"
            return Problem(text, bump)
        case BoundaryRegion.LEVEL_SET:
            text = f"{PLANE_BURGERS}n·∇u = 0 on right\n{line} on (x - ½)² + (y - ½)² = 0.04\n"
            return Problem(text, bump)


# ---- A coefficient with a jump: a = 1 for x < ½, 2 beyond


INTERFACE = "pde P\nspace x in [0, 1]{kind}\nunknown u(x) : scalar\n"
FLUX = "∇·((1 + heaviside(x - ½)) ∇u)"
INTERFACE_RIGHT = {
    ConditionType.DIRICHLET: "u = 1.5",
    ConditionType.NEUMANN: "n·∇u = 1",
    ConditionType.ROBIN: "n·∇u + 2u = 4",
    ConditionType.GENERAL: "u + u³ = 4.875",
}
INTERFACE_CIRCLE = {
    ConditionType.PERIODIC: (" periodic", ""),
    ConditionType.ANTIPERIODIC: (" antiperiodic", ""),
    ConditionType.JUMP: ("", "u(1) = u(0) + 2\n∂u/∂x(1) = ∂u/∂x(0)\n"),
}
PLANE_INTERFACE = f"pde P\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n{FLUX} = 0\nu = 0 on left, bottom, top\n"


def _interface(condition: ConditionType, region: BoundaryRegion) -> Problem:
    """a u' is continuous: u = 2x for x < ½ and x + ½ beyond; on the circle sin(2πx)/(2πa)."""
    if condition in INTERFACE_CIRCLE:
        kind, lines = INTERFACE_CIRCLE[condition]
        if condition is ConditionType.JUMP:
            return Problem(f"{INTERFACE.format(kind='')}{FLUX} = 0\n{lines}", lambda x: x)  # invariant under u + c
        source = "(2π + (1 - ½ heaviside(x - ½))/(2π)) sin(2π x)"
        text = f"{INTERFACE.format(kind=kind)}-{FLUX} + u = {source}\n{lines}"
        return Problem(text, lambda x: torch.sin(2 * pi * x) / (2 * pi * torch.where(x < 0.5, 1, 2)))
    line, exact = INTERFACE_RIGHT[condition], lambda x: torch.where(x < 0.5, 2 * x, x + 0.5)
    match region:
        case BoundaryRegion.FACE:
            return Problem(f"{INTERFACE.format(kind='')}{FLUX} = 0\nu = 0 on left\n{line} on right\n", exact)
        case BoundaryRegion.PART:
            return Problem(f"{PLANE_INTERFACE}{line} on right where y > ½\nu = 0 on right where y < ½\n", exact)
        case BoundaryRegion.LEVEL_SET:
            return Problem(f"{PLANE_INTERFACE}u = 0 on right\n{line} on (x - ½)² + (y - ½)² = 0.04\n", exact)


# ---- Curved domains by finite differences


def _curved(condition: ConditionType, region: BoundaryRegion) -> Problem:
    if condition in CIRCLE:
        kind = {ConditionType.PERIODIC: " periodic", ConditionType.ANTIPERIODIC: " antiperiodic"}.get(condition, "")
        jump = "u(1, y) = u(-1, y) + 2\n∂u/∂x(1, y) = ∂u/∂x(-1, y)\n" if condition is ConditionType.JUMP else ""
        space = f"space (x, y) in [-1, 1]{kind} * [-1, 1] where x² + y² > ¼\n"
        return Problem(f"pde P\n{space}{STATIONARY}u = 0 on x² + y² = ¼\nu = 0 on bottom, top\n{jump}", polynomial)
    if region is BoundaryRegion.LEVEL_SET:
        return Problem(f"{DISC}{STATIONARY}{ON_CIRCLE[condition]} on boundary\n", polynomial)
    line = ON_LEFT_OF_QUARTER[condition]
    parts = {
        BoundaryRegion.FACE: f"{line} on left",
        BoundaryRegion.PART: f"{line} on left where y > ½\nu = -y² on left where y < ½",
    }
    rest = "u = x² + x on bottom\nu = x² - y² + x on x² + y² = 1\n"
    return Problem(f"{QUARTER}{STATIONARY}{parts[region]}\n{rest}", polynomial)


# ---- An inequality whose obstacle is not active


OBSTACLE_LINE = "pde P\nspace x in [0, 1]{kind}\nunknown u(x) : scalar\nmin(-Δu, u + 5) = 0\n"
INACTIVE = "unknown u(x, y) : scalar\nmin(-Δu, u + 5) = 0\n"
OBSTACLE_KIND = {ConditionType.PERIODIC: " periodic", ConditionType.ANTIPERIODIC: " antiperiodic"}


def _obstacle(condition: ConditionType, region: BoundaryRegion) -> Iterator[Problem]:
    if condition in CIRCLE:
        jump = "u(1) = u(0) + 2\n∂u/∂x(1) = ∂u/∂x(0)\n" if condition is ConditionType.JUMP else ""
        yield Problem(OBSTACLE_LINE.format(kind=OBSTACLE_KIND.get(condition, "")) + jump, lambda x: x)
    elif region is BoundaryRegion.LEVEL_SET:
        line = ON_CIRCLE[condition]
        yield Problem(f"{SQUARE}{INACTIVE}{REST}u = 2 - y² on right\n{line} on x² + y² = ¼\n", polynomial)
    else:
        yield from _polynomial_problems(condition, region, INACTIVE)


# ---- Cells


METHODS: dict[MethodFamily, Solver] = {
    MethodFamily.RANDOM_FEATURES: RandomFeatures(n=200),
    MethodFamily.PINN: Pinn(points=300, steps=60),
    MethodFamily.MONTE_CARLO: MonteCarlo(samples=1000, steps=16),
    MethodFamily.ELEMENTS: Elements(order=2, h=0.5),
}
USUAL_ERROR = {
    MethodFamily.RANDOM_FEATURES: 1e-6,
    MethodFamily.PINN: 1e-2,
    MethodFamily.ELEMENTS: 1e-8,  # polynomials of degree 2 are exact on polygons
    MethodFamily.SPECTRAL: 1e-8,
    MethodFamily.CONSERVATION_LAW: 1e-2,
    MethodFamily.INTERFACE: 1e-2,
    MethodFamily.OBSTACLE: 1e-2,
    MethodFamily.IRREGULAR_DOMAIN: 1e-8,  # five-point differences of polynomials of degree 2 are exact
}
ISOPARAMETRIC_ERROR = 5e-3  # of order h³ with h = ½
SIZES = {
    MethodFamily.SPECTRAL: 12,
    MethodFamily.CONSERVATION_LAW: 128,
    MethodFamily.INTERFACE: 64,
    MethodFamily.IRREGULAR_DOMAIN: 12,
    MethodFamily.OBSTACLE: 32,
}


def problems(method: MethodFamily, condition: ConditionType, region: BoundaryRegion) -> Iterator[Problem]:
    match method:
        case _ if condition is ConditionType.TWO_POINT:
            yield Problem(LINE.format(kind="") + f"u(x, 0) = 2x\n{TURN.replace('= u(0', '= 2u(0')}", _wave(2))
        case MethodFamily.CONSERVATION_LAW:
            yield _burgers(condition, region)
        case MethodFamily.INTERFACE:
            yield _interface(condition, region)
        case MethodFamily.IRREGULAR_DOMAIN:
            yield _curved(condition, region)
        case MethodFamily.OBSTACLE:
            yield from _obstacle(condition, region)
        case _ if condition in CIRCLE:
            yield CIRCLE[condition]
        case MethodFamily.SPECTRAL if region is BoundaryRegion.LEVEL_SET:
            line = ON_CIRCLE[condition]
            yield Problem(f"{SQUARE}{STATIONARY}{REST}u = 2 - y² on right\n{line} on x² + y² = ¼\n", polynomial)
        case MethodFamily.MONTE_CARLO:
            yield from _polynomial_problems(condition, region, EVOLVING)
        case _:
            yield from _polynomial_problems(condition, region, STATIONARY)


def _cases(supported: bool) -> list[object]:
    """The problems of the cells that are supported, or those that are refused."""
    return [
        pytest.param(cell, problem, id=f"{cell[0]}-{cell[1].name}-{cell[2].name}-{k}")
        for cell in cells()
        if (not unsupported_reason(*cell)) is supported
        for k, problem in enumerate(problems(*cell))
    ]


Cell = tuple[MethodFamily, ConditionType, BoundaryRegion]


@pytest.mark.parametrize(("cell", "problem"), _cases(supported=True))
def test_supported_cells_have_the_usual_error_of_their_method(cell: Cell, problem: Problem) -> None:
    method, statement = cell[0], stated(problem.text)
    match METHODS.get(method, Grid(n=SIZES.get(method, 0))):
        case RandomFeatures() as features:
            result = solve_by_random_features(statement, features)
        case Pinn() as pinn:
            result = solve_by_pinn(statement, pinn, network=Mlp(width=8, depth=2))
        case Grid() as grid:
            result = solve_by_grid(statement, grid)
        case Elements() as elements:
            result = solve_by_elements(statement, elements)
        case MonteCarlo() as monte_carlo:
            _require_interval(statement, monte_carlo, problem.exact)
            return
    is_isoparametric = method is MethodFamily.ELEMENTS and cell[2] is BoundaryRegion.LEVEL_SET
    error = error_of(result, statement, problem.exact)
    assert error < (ISOPARAMETRIC_ERROR if is_isoparametric else USUAL_ERROR[method])


def _require_interval(statement: StrongForm, method: MonteCarlo, exact: Exact) -> None:
    """Twice the interval, about four standard deviations; and the interval is short."""
    module = solve_by_monte_carlo(statement, method, seed=1).module
    assert isinstance(module, MonteCarloSolution)
    points = PointSampler(statement.domain).inside(8, 99)
    values, half_width = (v.flatten() for v in module.interval(points))
    expected = exact(*points.unbind(-1))
    assert ((values - expected).abs() <= 2 * half_width).all()
    assert float((values - expected).abs().max() / expected.abs().max()) < 0.1


@pytest.mark.parametrize(("cell", "problem"), _cases(supported=False))
def test_refused_cells_give_their_reason(cell: Cell, problem: Problem) -> None:
    assert unsupported_reason(*cell) in _refusal(problem, METHODS.get(cell[0], Grid(n=16))).diagnostics[0].message


def _refusal(problem: Problem, solver: Solver) -> PdeError:
    try:
        error = SolverPlanner(stated(problem.text)).obstacle(solver, Span(0, 1))
    except PdeError as before:  # by lowering, for all methods
        return before
    assert error is not None
    return error
