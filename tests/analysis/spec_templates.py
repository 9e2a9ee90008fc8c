"""Templates of specs for an equation, and rows of tables with the expected analysis."""

from __future__ import annotations

from dataclasses import dataclass

FUNCTIONS = (
    "linearity",
    "preserves_constants",
    "comparison",
    "markov",
    "locality",
    "spatial_regularity",
    "temporal_regularity",
)
PHYSICAL = (*FUNCTIONS, "maximum_principle", "conservation")
MAPS = ("stability", "energy_decay", "energy_conservation", "reversibility")
TRUTH = {"p": "proved", "r": "refuted", "u": "unknown"}
# Why `unknown` is acceptable for a cell in lower case, unless the row has its own reason.
WEAK = {
    "linearity": "it takes the size of the data on the boundary, or every weight",
    "preserves_constants": "it takes the conditions on the boundary, or every weight",
    "comparison": "the equation does not say it: it is seen in its solution",
    "markov": "what a state is when the equation has two orders in time is a convention",
    "locality": "the limit needs a solution that is known to exist",
    "spatial_regularity": "it takes bounds on derivatives of the coefficients, or of the solution",
    "temporal_regularity": "it takes bounds on the coefficients, or on the solution",
    "maximum_principle": "it takes the sign of a term along the solution",
    "conservation": "it takes the flux through the boundary, or an integral",
    "stability": "it takes a pair of feature maps and weights that move apart",
    "energy_decay": "it takes a feature map and weights that gain energy",
    "energy_conservation": "the scheme keeps the energy of the equation only to its order",
    "reversibility": "a map may have an inverse that the scheme does not give",
}


@dataclass(frozen=True)
class Row:
    """An equation and its expected analysis.

    `kinds` has one class for each equation; `a|b` where the words allow both. `cells` has one letter for each axiom of
    the space, in the order of FUNCTIONS, PHYSICAL or MAPS: P proved, R refuted, U unknown; p and r where that is
    true but `unknown` is a fair answer, for the reason in `weak` or WEAK; `.` where the axiom has no agreed meaning.
    """

    name: str
    text: str
    kinds: tuple[str, ...]
    linear: bool
    order: int | tuple[int, ...]  # for a system whose equations differ, one for each kind of them
    cells: str
    weak: str = ""
    shapes: tuple[str, ...] = ()

    @property
    def axioms(self) -> tuple[str, ...]:
        return {len(MAPS): MAPS, len(FUNCTIONS): FUNCTIONS, len(PHYSICAL): PHYSICAL}[len(self.cells)]

    def allowed(self) -> dict[str, tuple[str, ...]]:
        """The acceptable verdicts for each axiom that the row specifies."""
        cells = zip(self.axioms, self.cells, strict=True)
        return {axiom: _allowed(cell) for axiom, cell in cells if cell != "."}

    def reasons(self) -> dict[str, str]:
        """Why `unknown` is fair, for each weak cell."""
        cells = zip(self.axioms, self.cells, strict=True)
        return {axiom: self.weak or WEAK[axiom] for axiom, cell in cells if cell.islower()}


def _allowed(cell: str) -> tuple[str, ...]:
    truth = TRUTH[cell.lower()]
    return (truth,) if cell.isupper() else (truth, "unknown")


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


def image(equation: str, declare: str = "", at: str = "0") -> str:
    return data(equation, "x in image(1, 8, 8)", declare, at, "simplex(10)")


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
