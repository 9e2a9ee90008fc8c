"""Templates of specs on more domains, for systems, and one-line constructors of rows."""

from __future__ import annotations

from analysis.spec_templates import Row, arguments, bell, lines
from pdedsl.ir.analysis import EquationClass

EVERY = "|".join(EquationClass)
INSULATED = "n·∇u = 0 on boundary"
DIRICHLET = "u = 0 on boundary"
ZERO_SPEED = "∂u/∂t(x, 0) = 0"
ZERO_VELOCITY_PLANE = "∂u/∂t(x, y, 0) = 0"


def linear(name: str, text: str, kinds: str, cells: str, weak: str = "", order: int | tuple[int, ...] = 1) -> Row:
    """A row for equations that are affine in their unknowns; `kinds` has a word for each, with a blank between."""
    return Row(name, text, tuple(kinds.split()), True, order, cells, weak)


def nonlinear(name: str, text: str, kinds: str, cells: str, weak: str = "", order: int | tuple[int, ...] = 1) -> Row:
    return Row(name, text, tuple(kinds.split()), False, order, cells, weak)


def line(equation: str, start: str = "exp(-x²)", kind: str = "scalar", declare: str = "", rest: str = "") -> str:
    """The line, with any datum and any type of the unknown."""
    return physical("x in R", equation, start, kind, declare, rest)


def periodic_2pi(
    equation: str, start: str = "2 + sin(x)", kind: str = "scalar", declare: str = "", rest: str = ""
) -> str:
    """A periodic interval of length 2π."""
    return physical("x in [0, 2π] periodic", equation, start, kind, declare, rest)


def segment(
    equation: str, ends: str, start: str, space: str = "x in [0, 1]", kind: str = "scalar", declare: str = ""
) -> str:
    """An interval, with any datum and any type of the unknown."""
    return physical(space, equation, start, kind, declare, ends)


def square(equation: str, ends: str = DIRICHLET, declare: str = "", space: str = "(x, y) in [0, 1]^2") -> str:
    return physical(space, equation, "sin(π x) sin(π y)", "scalar", declare, ends)


def physical(space: str, equation: str, start: str, kind: str, declare: str, rest: str) -> str:
    x = arguments(space)
    return lines(
        "pde Row",
        f"space {space}",
        "time t in [0, 1]",
        f"unknown u({x}, t) : {kind}",
        declare,
        equation,
        f"u({x}, 0) = {start}",
        rest,
    )


def system(
    unknowns: str, equations: str, space: str = "x in R", declare: str = "", stationary: str = "", positive: str = ""
) -> str:
    """A system for several unknowns; those not in `stationary` have a Gaussian or a sine as initial condition."""
    x = arguments(space)
    start = bell(space) if "R" in space else "2 + sin(2π x)"
    names = unknowns.split()
    return lines(
        "pde Row",
        f"space {space}",
        "time t in [0, 1]",
        *(f"unknown {u}({x}, t) : scalar{' > 0' if u in positive.split() else ''}" for u in names),
        declare,
        equations,
        *(f"{u}({x}, 0) = {start}" for u in names if u not in stationary.split()),
    )


def classless(
    name: str,
    text: str,
    cells: str,
    why: str = "",
    bent: bool = False,
    order: int | tuple[int, ...] = 1,
    count: int = 1,
) -> Row:
    """A row that says nothing of the classes of its equations."""
    return (nonlinear if bent else linear)(name, text, " ".join([EVERY] * count), cells, why, order)
