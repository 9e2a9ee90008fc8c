"""Rows about axioms: equations with their expected class and verdicts, derived by hand, in text files.

`rows/README.md` describes the columns. A row names the axioms of which it says something, so that a new axiom leaves
every row as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from analysis.spec_templates import NETWORK, lines
from pdedsl.ir.analysis import EquationClass

ROWS = Path(__file__).parent / "rows"
ANY = tuple(EquationClass)
# Why `unknown` is acceptable beside the true verdict, unless the row has its own reason.
WHY_UNKNOWN = {
    "linearity": "it takes the size of the data on the boundary, or every weight",
    "preserves_constants": "it takes the conditions on the boundary, or every weight",
    "comparison": "the equation does not say it: it is seen in its solution",
    "markov": "the state of an equation of second order in time is a convention",
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
Verdicts = dict[str, tuple[str, ...]]  # the acceptable ones by axiom, the true one first


@dataclass(frozen=True)
class Row:
    """A spec and its expected analysis; `classes` has the acceptable ones for each equation."""

    file: str
    name: str
    text: str
    classes: tuple[tuple[str, ...], ...]
    linear: bool
    orders: frozenset[int]  # in time, of all equations
    structures: frozenset[str]
    verdicts: Verdicts
    why: str

    @property
    def id(self) -> str:
        return f"{self.file}: {self.name}"

    def __hash__(self) -> int:
        return hash(self.id)

    def reasons(self) -> dict[str, str]:
        """Why `unknown` is acceptable, by axiom."""
        return {axiom: self.why or WHY_UNKNOWN[axiom] for axiom, truths in self.verdicts.items() if len(truths) > 1}


@dataclass(frozen=True)
class Table:
    """The rows of a file; `make quick` runs one in `quick` of them, `make test` one in `tested`."""

    name: str
    rows: tuple[Row, ...]
    is_ordinary: bool
    quick: int
    tested: int


# ---- reading


def read_columns(path: Path) -> Iterator[list[str]]:
    for line in path.read_text("utf-8").splitlines():
        if line and line[0] not in "#@":
            yield line.split(" | ")


def read_verdicts(text: str) -> Verdicts:
    pairs = (part.split("=") for part in text.split())
    return {axiom: tuple(truths.split("|")) for axiom, truths in pairs}


def spec_text(domain: str, equations: str, conditions: str) -> str:
    """The spec of the three columns; one scalar unknown u unless the domain column names others."""
    space, *others = domain.split("; ")
    times = [part for part in others if " : " not in part]
    arguments = ", ".join((space.split(" in ")[0].strip("()"), *(time.split(" in ")[0] for time in times)))
    unknowns = others[len(times) :] or [f"u({arguments}) : scalar"]
    return lines(
        "pde Row",
        f"space {space}",
        *(f"time {time}" for time in times),
        *(f"unknown {unknown}" for unknown in unknowns),
        *equations.split("; "),
        *conditions.split("; "),
        NETWORK if space.endswith(" pixels") else "",
    )


def read_row(file: str, columns: list[str]) -> Row:
    name, domain, equations, conditions, form, verdicts, why = (*columns, "", "", "")[:7]
    form, _, structures = form.partition(" with ")
    form, _, orders = form.partition(" order ")
    linearity, *classes = form.split()
    assert linearity in ("linear", "nonlinear"), columns
    return Row(
        file,
        name,
        spec_text(domain, equations, conditions),
        tuple(ANY if kind == "any" else tuple(kind.split("|")) for kind in classes),
        linearity == "linear",
        frozenset(map(int, (orders or "1").split(","))),
        frozenset(structures.split(",")) - {""},
        read_verdicts(verdicts),
        why,
    )


@cache
def read_table(path: Path) -> Table:
    name = str(path.relative_to(ROWS).with_suffix(""))
    text = path.read_text("utf-8")
    shares = re.search(r"^@ one row in (\d+) is quick, one in (\d+) is tested$", text, re.MULTILINE)
    rows = tuple(read_row(name, columns) for columns in read_columns(path))
    quick, tested = map(int, shares.groups()) if shares else (1, 1)
    return Table(name, rows, "\n@ ordinary\n" in text, quick, tested)


def read_tables(folder: str) -> tuple[Table, ...]:
    return tuple(read_table(path) for path in sorted(ROWS.glob(f"{folder}/*.txt")))


EQUATIONS: tuple[Row, ...] = tuple(row for table in read_tables("equations") for row in table.rows)
TABLES: tuple[Table, ...] = tuple(table for table in read_tables("*") if not table.name.startswith("equations/"))
TABLE: tuple[Row, ...] = tuple(row for table in TABLES for row in table.rows)
ORDINARY: tuple[Row, ...] = tuple(row for table in TABLES if table.is_ordinary for row in table.rows)


def read_ill_posed() -> tuple[tuple[str, str, str], ...]:
    """Name, spec and reason."""
    found = read_columns(ROWS / "ill_posed.txt")
    return tuple((name, spec_text(*columns), why) for name, *columns, why in found)
