"""Templates of specs for an equation."""

from __future__ import annotations

ZERO_SPEED = "∂u/∂t(x, 0) = 0"


def lines(*parts: str) -> str:
    return "\n".join(part for part in parts if part) + "\n"


def declared(*names: str) -> str:
    return "\n".join(names)


def arguments(space: str) -> str:
    return space.split(" in ")[0].strip("()")


BELLS = {"x": "exp(-x²)", "x, y": "exp(-x² - y²)", "": "exp(-‖x‖²)"}


def bell(space: str) -> str:
    flat = space in {"x in R"} or space.startswith("(")
    return BELLS[arguments(space) if flat else ""]


def data(equation: str, space: str = "x in R", declare: str = "", at: str = "0", kind: str = "scalar") -> str:
    """A problem for a function on data, with a bell at the start, or at the end for `at="1"`."""
    x = arguments(space)
    start = f"u({x}, {at}) = {bell(space) if kind == 'scalar' else 'softmax(W x)'}"
    final = "" if kind == "scalar" else "learn W : operator = linear"
    return lines(
        "pde Row", f"space {space}", "time t in [0, 1]", f"unknown u({x}, t) : {kind}", final, declare, equation, start
    )


def plane(equation: str, declare: str = "", at: str = "0") -> str:
    return data(equation, "(x, y) in R^2", declare, at)


def pair(first: str, second: str, space: str = "x in R", declare: str = "") -> str:
    """Two unknowns u and v, with a bell each."""
    x = arguments(space)
    return lines(
        "pde Row",
        f"space {space}",
        "time t in [0, 1]",
        f"unknown u({x}, t) : scalar",
        f"unknown v({x}, t) : scalar",
        declare,
        first,
        second,
        f"u({x}, 0) = {bell(space)}",
        f"v({x}, 0) = {bell(space)}",
    )


def periodic(equation: str, declare: str = "", rest: str = "", start: str = "sin(2π x)") -> str:
    """A periodic interval; `rest` is what else stands at the start."""
    return lines(
        "pde Row",
        "space x in [0, 1] periodic",
        "time t in [0, 1]",
        "unknown u(x, t) : scalar",
        declare,
        equation,
        f"u(x, 0) = {start}",
        rest,
    )


def periodic_box(equation: str, declare: str = "", rest: str = "") -> str:
    return lines(
        "pde Row",
        "space (x, y) in [0, 1]^2 periodic",
        "time t in [0, 1]",
        "unknown u(x, y, t) : scalar",
        declare,
        equation,
        "u(x, y, 0) = sin(2π x) cos(2π y)",
        rest,
    )


def interval(equation: str, ends: str = "u = 0 on boundary", declare: str = "", rest: str = "") -> str:
    """The unit interval, with conditions at its ends."""
    return lines(
        "pde Row",
        "space x in [0, 1]",
        "time t in [0, 1]",
        "unknown u(x, t) : scalar",
        declare,
        equation,
        "u(x, 0) = sin(π x)",
        rest,
        ends,
    )


def stationary(
    equation: str, declare: str = "", space: str = "(x, y) in [0, 1]^2", ends: str = "u = 0 on boundary"
) -> str:
    """A problem without time."""
    x = arguments(space)
    return lines("pde Row", f"space {space}", f"unknown u({x}) : scalar", declare, equation, ends)


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


NETWORK = """network {
  input   image(1, 8, 8)
  open    4
  stages  [4]
  classes 2
}"""


def maps(equation: str, declare: str, time: str = "euler(steps=3)", rest: str = "") -> str:
    """Feature maps Y on [0, 3], and Z if it is named."""
    other = "unknown Z(x, t) : channels" if "∂Z" in equation else ""
    return lines(
        "pde Row",
        "space x in pixels",
        "time t in [0, 3]",
        "unknown Y(x, t) : channels",
        other,
        declare,
        equation,
        rest,
        f"realize time by {time}",
        NETWORK,
    )
