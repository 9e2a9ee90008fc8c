"""Right-hand sides, integrators and expected verdicts: the rows of `steps.txt`."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.maps.reference import Array, Field, Operators, Push, first_order, pair, second_order
from analysis.maps.rights import RIGHTS
from analysis.spec_templates import NETWORK, lines
from analysis.tables import ROWS, Verdicts, read_columns, read_verdicts


@dataclass(frozen=True)
class MapRow:
    """An equation, or the two of a pair, by a method as it is called in `reference`."""

    rights: tuple[str, ...]
    method: str
    end: float
    verdicts: Verdicts
    why: str
    steps: int = 1
    bound: float | None = 1  # of the operators
    order: int = 1
    static: bool = True

    @property
    def name(self) -> str:
        of = "" if self.bound == 1 else f" {self.bound}"
        return f"{'; '.join(self.rights)} ({self.order}) {self.method} {self.end:g}/{self.steps}{of}"

    @property
    def operators(self) -> list[str]:
        return sorted({k for right in self.rights for k in RIGHTS[right].operators})

    @property
    def compiles(self) -> bool:
        return all(RIGHTS[right].compiles for right in self.rights)

    @property
    def text(self) -> str:
        bounds = {k: f", ‖{k}‖ ≤ {self.bound:g}" if self.bound else "" for k in self.operators}
        time = "" if self.static else "(t)"
        left = "∂²Y/∂t²" if self.order == 2 else "∂Y/∂t"
        return lines(
            "pde Row",
            "space x in pixels",
            f"time t in [0, {self.end:g}]",
            "unknown Y(x, t) : channels",
            "unknown Z(x, t) : channels" if len(self.rights) == 2 else "",
            *(f"learn {k}{time} : operator{bound} = conv(3)" for k, bound in bounds.items()),
            *(RIGHTS[right].more for right in self.rights),
            *(f"{d} = {right}" for d, right in zip((left, "∂Z/∂t"), self.rights, strict=False)),
            "∂Y/∂t(x, 0) = 0" if self.order == 2 else "",
            f"realize time by {self._word}",
            NETWORK,
        )

    @property
    def _word(self) -> str:
        if self.method.startswith("series"):
            return f"backward_euler(steps={self.steps}, terms={self.method.removeprefix('series')})"
        if self.method == "paper":
            return f"leapfrog(steps={self.steps}, start=paper)"
        return f"{self.method}(steps={self.steps})"

    def run(self, operators: Operators, start: Array) -> Array:
        """The state at the end, with the same operators at every step."""
        h, fields = self.end / self.steps, [_with(RIGHTS[right].push, operators) for right in self.rights]
        if len(fields) == 2:
            return pair(self.method, fields[0], fields[1], h, self.steps, start)
        return (first_order, second_order)[self.order - 1](self.method, fields[0], h, self.steps, start)


def _with(push: Push, operators: Operators) -> Field:
    return lambda y: push(y, operators)


def read_row(columns: list[str]) -> MapRow:
    rights, integrator, verdicts, why = columns
    method, *words = integrator.split()
    options = dict(word.split("=") for word in words)
    bound = options.get("bound", "1")
    return MapRow(
        tuple(rights.split("; ")),
        method,
        float(options["T"]),
        read_verdicts(verdicts),
        why,
        int(options.get("steps", "1")),
        None if bound == "none" else float(bound),
        int(options.get("order", "1")),
        "weights" not in options,
    )


STEPS = tuple(map(read_row, read_columns(ROWS / "steps.txt")))
