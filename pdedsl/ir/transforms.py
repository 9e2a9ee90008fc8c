"""Transform of a boundary value problem: u = output(v) for the solution v of another problem, by a theorem.

The other problem may be linear where the first is not (Hopf-Cole, Kirchhoff), without drift and reaction (Galilean
transformation, exponential scaling), or of lower dimension (symmetry reduction).
"""

from __future__ import annotations

from dataclasses import field

from sympy import Expr, Symbol

from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative
from pdedsl.ir.theorem import Theorem
from pdedsl.record import Record
from pdedsl.symbolic.printing import notation

MAX_WRITTEN_TERMS = 6  # derivatives in an equation that is written out


class Transform(Record):
    """u(x) = output(x, v(y), ∂v(y), …) with y = `coordinates`(x), for the solution v of `problem`.

    `jets` are the symbols of v and of its derivatives in `output`; those of log v if `is_logarithmic`, as v > 0 may
    underflow where its logarithm does not. `formula` is the transform in one line.
    """

    theorem: Theorem
    problem: StrongForm = field(repr=False)
    coordinates: tuple[Expr, ...]
    output: tuple[Expr, ...]
    jets: tuple[tuple[Symbol, Derivative], ...]
    formula: str
    is_logarithmic: bool = False

    @property
    def order(self) -> int:
        """The highest order of the derivatives of v in the output map."""
        return max((d.order for _, d in self.jets), default=0)

    @property
    def text(self) -> str:
        """The transform in words, with the transformed equation in jet variables, if that is short."""
        text = f"{self.theorem.name} ({self.theorem.source}): {self.formula}"
        first = self.problem.equations[0]
        short = len(first.jet_variables) <= MAX_WRITTEN_TERMS
        return f"{text}, where {notation(first.expr)} = 0" if short else text
