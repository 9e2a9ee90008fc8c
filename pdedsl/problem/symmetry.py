"""Statement → a reflection that leaves it invariant: its solution is even or odd about the middle of an axis.

If u solves it, so does ±u(Rx). With initial data the solution is unique and hence its own image; for a linear problem
the mean of u and its image is a solution, too. For other problems nothing follows, and nothing is built in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from sympy import Expr

from pdedsl.ir.problem import ConditionResidual, Derivative, Face, Residual, StrongForm
from pdedsl.problem.ansatz import ansatz_of
from pdedsl.symbolic.evaluate import Put, same
from pdedsl.symbolic.printing import notation

MOST = 3  # components, and dimensions of space, up to which symmetries are tried


@dataclass(frozen=True)
class Symmetry:
    """u_c(Rx) = signs[c] u_c(x), where R reflects a coordinate about the middle of its interval."""

    axis: int
    signs: tuple[int, ...]

    def text(self, statement: StrongForm) -> str:
        domain = statement.domain
        x, side = domain.coordinates[self.axis], domain.intervals[self.axis]
        middle = (side.start + side.end) / 2
        pairs = list(zip(statement.components, self.signs, strict=True))
        groups = [(kind, [c.name for c, s in pairs if s == sign]) for kind, sign in (("even", 1), ("odd", -1))]
        kinds = [f"{', '.join(names)} {kind}" for kind, names in groups if names]
        return f"{' and '.join(kinds)} about {x} = {notation(middle)}"


def symmetry_of(statement: StrongForm) -> Symmetry | None:
    """The first symmetry found that base and factor of the ansatz have as well."""
    domain, count = statement.domain, len(statement.components)
    unique = statement.is_affine or any(_in_time(c, statement) for c in statement.conditions)
    if not unique or domain.inequalities or statement.parameters or statement.measurements:
        return None
    if count > MOST or len(domain.space) > MOST or any(r.interval is not None for r in statement.equations):
        return None
    found = (Symmetry(axis, signs) for axis in range(len(domain.space)) for signs in product((1, -1), repeat=count))
    return next((s for s in found if _holds(s, statement) and _is_in(s, statement)), None)


def parities_of(statement: StrongForm) -> tuple[int, ...]:
    """1 or -1 for each coordinate about whose middle the solution of a linear problem may be taken to be even or odd,
    and 0 for the others."""
    domain = statement.domain
    free = (0,) * len(domain.coordinates)
    if not _is_plain(statement):
        return free
    kinds = ([s for s in (1, -1) if _holds(Symmetry(k, (s,)), statement)] for k in range(len(domain.space)))
    return (*(k[0] if k else 0 for k in kinds), *free[len(domain.space) :])


def is_exchangeable(statement: StrongForm) -> bool:
    """Whether the solution of a linear problem at rest may be taken not to change with the order of its coordinates."""
    domain = statement.domain
    if not _is_plain(statement) or domain.has_time or len({(i.start, i.end, i.periodic) for i in domain.intervals}) > 1:
        return False
    return all(_swaps(k, statement) for k in range(len(domain.space) - 1))


def _is_plain(statement: StrongForm) -> bool:
    """Whether it is one linear equation on a box, without anything to be learned."""
    learned = statement.parameters or statement.measurements
    whole = all(r.interval is None for r in statement.equations)
    return (
        statement.is_affine
        and whole
        and not (statement.domain.inequalities or learned or len(statement.components) > 1)
    )


def _swaps(k: int, statement: StrongForm) -> bool:
    """Whether nothing changes if coordinates k and k + 1 are exchanged."""
    every = [*statement.equations, *(r for c in statement.conditions for r in c.residuals)]
    letters = {d: s for r in every for s, d in r.jet_variables}
    x, y = statement.domain.coordinates[k : k + 2]
    there: dict[Expr, Expr] = {x: y, y: x}
    for d, letter in letters.items():
        other = Derivative(d.component, _exchanged(d.orders, k))
        if other not in letters:
            return False
        there[letter] = letters[other]
    equations = [r.expr for r in statement.equations]
    if not all(_among(e, there, equations) for e in equations):
        return False
    return all(_finds(c, k, there, statement) for c in statement.conditions)


def _finds(condition: ConditionResidual, k: int, there: dict[Expr, Expr], statement: StrongForm) -> bool:
    place = condition.place
    if not isinstance(place, Face) or condition.part:
        return False
    face = Face({k: k + 1, k + 1: k}.get(place.coordinate, place.coordinate), place.upper)
    others, fixed = _imposed_on(face, statement), _fixed(face, statement)
    return all(_among(r.expr, _then(there, fixed), others, fixed) for r in condition.residuals)


def _exchanged(orders: tuple[int, ...], k: int) -> tuple[int, ...]:
    return (*orders[:k], orders[k + 1], orders[k], *orders[k + 2 :])


def _is_in(symmetry: Symmetry, statement: StrongForm) -> bool:
    """Whether base + factor · N has the symmetry for every N that has it."""
    turned = _turned(symmetry, statement)
    pairs = zip(ansatz_of(statement), symmetry.signs, strict=True)
    return all(same(a.base, a.base, turned, sign=sign) and same(a.factor, a.factor, turned) for a, sign in pairs)


def _in_time(condition: ConditionResidual, statement: StrongForm) -> bool:
    place, last = condition.place, len(statement.domain.coordinates) - 1
    return statement.domain.has_time and isinstance(place, Face) and place.coordinate == last


def _holds(symmetry: Symmetry, statement: StrongForm) -> bool:
    equations = [r.expr for r in statement.equations]
    if not all(_among(r.expr, _image(r, symmetry, statement), equations) for r in statement.equations):
        return False
    return all(_imposed(c, symmetry, statement) for c in statement.conditions)


def _imposed(condition: ConditionResidual, symmetry: Symmetry, statement: StrongForm) -> bool:
    """Whether the reflection of a condition is one of the conditions at the reflected place."""
    place = condition.place
    if not isinstance(place, Face) or condition.part:
        return False
    there = Face(place.coordinate, place.upper != (place.coordinate == symmetry.axis))
    others, fixed = _imposed_on(there, statement), _fixed(there, statement)
    images = ((r.expr, _then(_image(r, symmetry, statement), fixed)) for r in condition.residuals)
    return all(_among(expr, image, others, fixed) for expr, image in images)


def _imposed_on(face: Face, statement: StrongForm) -> list[Expr]:
    return [r.expr for c in statement.conditions if c.place == face for r in c.residuals]


def _fixed(face: Face, statement: StrongForm) -> Put:
    """The coordinate that is constant on a face, and its value there."""
    side = statement.domain.intervals[face.coordinate]
    return {statement.domain.coordinates[face.coordinate]: side.end if face.upper else side.start}


def _then(first: Put, fixed: Put) -> Put:
    return {**fixed, **{letter: value.xreplace(fixed) for letter, value in first.items()}}


def _image(residual: Residual, symmetry: Symmetry, statement: StrongForm) -> Put:
    """What turns a residual into that of ±u(Rx), evaluated at Rx."""
    there = _turned(symmetry, statement)
    for letter, d in residual.jet_variables:
        there[letter] = symmetry.signs[d.component] * (-1) ** d.orders[symmetry.axis] * letter
    return there


def _turned(symmetry: Symmetry, statement: StrongForm) -> dict[Expr, Expr]:
    x, side = statement.domain.coordinates[symmetry.axis], statement.domain.intervals[symmetry.axis]
    return {x: side.start + side.end - x}


def _among(expr: Expr, image: Put, others: Sequence[Expr], at: Put | None = None) -> bool:
    """Whether an expression at the image of a point is, up to its sign, one of the others at the point."""
    return any(same(other, expr, image, at, sign) for other in others for sign in (1, -1))
