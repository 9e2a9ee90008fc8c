"""Statement → a reflection that leaves it invariant: its solution is even or odd about the middle of an axis.

If u solves it, so does ±u(Rx). With initial data the solution is unique and hence its own image; for a linear problem
the mean of u and its image is a solution, too. For other problems nothing follows, and nothing is built in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from sympy import Expr

from pdedsl.ir.statement import Face, Imposed, Residual, Statement
from pdedsl.plan.ansatz import ansatz_of
from pdedsl.plan.rings import same
from pdedsl.symbolic.notation import notation

MOST = 3  # components, and dimensions of space, up to which symmetries are tried


@dataclass(frozen=True)
class Symmetry:
    """u_c(Rx) = signs[c] u_c(x), where R reflects a coordinate about the middle of its interval."""

    axis: int
    signs: tuple[int, ...]

    def text(self, statement: Statement) -> str:
        domain = statement.domain
        x, side = domain.coordinates[self.axis], domain.intervals[self.axis]
        middle = (side.start + side.end) / 2
        pairs = list(zip(statement.components, self.signs, strict=True))
        groups = [(kind, [c.name for c, s in pairs if s == sign]) for kind, sign in (("even", 1), ("odd", -1))]
        kinds = [f"{', '.join(names)} {kind}" for kind, names in groups if names]
        return f"{' and '.join(kinds)} about {x} = {notation(middle)}"


def symmetry_of(statement: Statement) -> Symmetry | None:
    """The first symmetry found that base and factor of the ansatz have as well."""
    domain, count = statement.domain, len(statement.components)
    unique = statement.is_affine or any(_in_time(c, statement) for c in statement.conditions)
    if not unique or domain.inside or statement.parameters or statement.observed:
        return None
    if count > MOST or len(domain.space) > MOST or any(r.interval is not None for r in statement.equations):
        return None
    found = (Symmetry(axis, signs) for axis in range(len(domain.space)) for signs in product((1, -1), repeat=count))
    return next((s for s in found if _holds(s, statement) and _is_in(s, statement)), None)


def _is_in(symmetry: Symmetry, statement: Statement) -> bool:
    """Whether base + factor · N has the symmetry for every N that has it."""
    turned = _turned(symmetry, statement)
    pairs = zip(ansatz_of(statement), symmetry.signs, strict=True)
    return all(
        same(a.base.xreplace(turned), sign * a.base) and same(a.factor.xreplace(turned), a.factor) for a, sign in pairs
    )


def _in_time(condition: Imposed, statement: Statement) -> bool:
    place, last = condition.place, len(statement.domain.coordinates) - 1
    return statement.domain.timed and isinstance(place, Face) and place.coordinate == last


def _holds(symmetry: Symmetry, statement: Statement) -> bool:
    equations = [r.expr for r in statement.equations]
    if not all(_among(_image(r, symmetry, statement), equations) for r in statement.equations):
        return False
    return all(_imposed(c, symmetry, statement) for c in statement.conditions)


def _imposed(condition: Imposed, symmetry: Symmetry, statement: Statement) -> bool:
    """Whether the reflection of a condition is one of the conditions at the reflected place."""
    place = condition.place
    if not isinstance(place, Face) or condition.part:
        return False
    there = Face(place.coordinate, place.upper != (place.coordinate == symmetry.axis))
    others = [_there(r.expr, there, statement) for c in statement.conditions if c.place == there for r in c.residuals]
    return all(_among(_there(_image(r, symmetry, statement), there, statement), others) for r in condition.residuals)


def _there(expr: Expr, face: Face, statement: Statement) -> Expr:
    side = statement.domain.intervals[face.coordinate]
    return expr.xreplace({statement.domain.coordinates[face.coordinate]: side.end if face.upper else side.start})


def _image(residual: Residual, symmetry: Symmetry, statement: Statement) -> Expr:
    """The residual of ±u(Rx), evaluated at Rx."""
    there = _turned(symmetry, statement)
    for letter, d in residual.letters:
        there[letter] = symmetry.signs[d.component] * (-1) ** d.orders[symmetry.axis] * letter
    return residual.expr.xreplace(there)


def _turned(symmetry: Symmetry, statement: Statement) -> dict[Expr, Expr]:
    x, side = statement.domain.coordinates[symmetry.axis], statement.domain.intervals[symmetry.axis]
    return {x: side.start + side.end - x}


def _among(image: Expr, exprs: Sequence[Expr]) -> bool:
    return any(same(image, e) or same(image, -e) for e in exprs)
