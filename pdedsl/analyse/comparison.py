"""The comparison principle: f ≤ g implies T(f) ≤ T(g).

First order in time: degenerate ellipticity, ∂F/∂(∇∇u) ⪰ 0 (Crandall, Ishii, Lions 1992). Second order in time: the
fundamental solution changes its sign in the plane and in space (Evans, Partial Differential Equations, section 2.4).
"""

from __future__ import annotations

from sympy import Matrix as Entries

from pdedsl.analyse.conditions import further, holds_values
from pdedsl.analyse.problem import Problem, named, spans
from pdedsl.analyse.samples import ranges_of
from pdedsl.analyse.signs import Sign, nonnegative, semidefinite
from pdedsl.ir.terms import Diffusion, HigherOrder, Nonlinear, Nonlocal, Reaction, TimeDerivative
from pdedsl.ir.types import Matrix
from pdedsl.ir.verdicts import Proved, Refuted, Unknown, Verdict
from pdedsl.symbolic.symbols import Field

SOLVED = "a derivative in time and space makes the equation nonlocal when it is solved for ∂u/∂t."
TOUCHING = "data that touch 0 from above with a large derivative of third or fourth order there leave it downwards"
BUMP = "f = 0 and a narrow bump g ≥ 0 with the same ∂u/∂t at the start: behind its front T(g) falls below T(f)"


def comparison(problem: Problem) -> Verdict:
    jet, order = problem.jet, problem.equation.order
    if problem.is_vector:
        return Unknown("the unknown is a vector, and an order of vectors is a convention.")
    if is_mixed(problem):
        return Unknown(SOLVED)
    if order > 2 or jet.order > 2:
        return _too_high(problem)
    if jet.nonlocal_:
        at = spans(problem.where(Nonlocal))
        return Unknown("a nonlocal term keeps order only where its kernel is nonnegative.", guilty=at)
    if _is_coupled(problem):
        return Unknown("the unknowns are coupled, and a system keeps order only where it is cooperative.")
    match order:
        case 0:
            return _elliptic(problem)
        case 1:
            return _parabolic(problem)
        case _:
            return _wave(problem)


def is_mixed(problem: Problem) -> bool:
    """Whether derivatives in time and in space stand together, as in ∂³u/∂x²∂t."""
    jet, time = problem.jet, problem.spec.time
    found = [set(jet.back[h].slots) for h in jet.higher if h in jet.expr.free_symbols]
    return any(time is not None and time.symbol in slots and len(slots) > 1 for slots in found)


def _is_coupled(problem: Problem) -> bool:
    others = {u.head for u in problem.spec.unknowns} - {problem.equation.unknown}
    return any(f.head in others for f in problem.jet.expr.atoms(Field))


def _too_high(problem: Problem) -> Verdict:
    guilty = problem.where(HigherOrder, Nonlinear) or problem.pushing
    why = f"{named(guilty)} is of third or higher order, which no comparison principle allows"
    return Refuted(f"{why}.", TOUCHING, spans(guilty))


# ---- first order in time


def _parabolic(problem: Problem) -> Verdict:
    if problem.jet.order < 2:
        return Proved("the equation has no second derivatives: values travel along characteristics.")
    guilty = problem.where(Diffusion, Nonlinear)
    sign = ellipticity(problem)
    match sign.nonnegative:
        case True:
            return Proved(f"{named(guilty)} is degenerate elliptic: ∂F/∂(∇∇u) is positive semidefinite.")
        case False:
            witness = f"∂F/∂(∇∇u) has a negative {sign.witness or 'eigenvalue'}: data that touch from above there cross"
            return Refuted(f"{named(guilty)} is not elliptic.", witness, spans(guilty))
        case None:
            return Unknown(f"the sign of {named(guilty)} cannot be decided.", guilty=spans(guilty))


def ellipticity(problem: Problem, sign: int = 1) -> Sign:
    """Whether ± ∂F/∂(∇∇u) is positive semidefinite; unknown where second derivatives are hidden in functions."""
    jet, spec = problem.jet, problem.spec
    if any(len(d.slots) > 1 for d in jet.hidden):
        return Sign(None)
    rows = tuple(tuple(sign * e for e in row) for row in jet.matrix)
    psd = frozenset(w.head for w in spec.learned if isinstance(w.type, Matrix) and w.type.psd)
    free = frozenset((*jet.coordinates, *jet.variables, *((spec.time.symbol,) if spec.time else ())))
    return semidefinite(rows, free, psd, ranges_of(spec, problem.equation))


# ---- no time


def _elliptic(problem: Problem) -> Verdict:
    """0 = F keeps the order of its data when ∂F/∂(∇∇u) and -∂F/∂u have one sign, and the data are values."""
    jet, guilty = problem.jet, problem.where(Diffusion, Nonlinear)
    sign = 1 if ellipticity(problem).nonnegative else -1 if ellipticity(problem, -1).nonnegative else 0
    if jet.order < 2 or not sign:
        return Unknown(f"the sign of {named(guilty)} cannot be decided.", guilty=spans(guilty))
    damped = nonnegative(-sign * jet.rate)
    data = bool(problem.spec.space.boundary) and all(map(holds_values, further(problem.spec)))
    if damped and data and _is_definite(problem, sign):
        return Proved(f"{named(guilty)} is elliptic, and no term of order zero works against it.")
    why = "a term of order zero may work against the elliptic ones, or the solution may not be unique"
    return Unknown(f"{why}.", guilty=spans(problem.pushing))


def _is_definite(problem: Problem, sign: int) -> bool:
    """Uniformly elliptic, as far as numbers and the signs on a diagonal show."""
    rows = Entries([[sign * e for e in row] for row in problem.jet.matrix])
    if all(e.is_number for e in rows):
        return bool(rows.is_positive_definite)
    return bool(rows.is_diagonal()) and all(rows[i, i].is_positive for i in range(rows.rows))


# ---- second order in time


def _wave(problem: Problem) -> Verdict:
    """At rest, the line averages (d'Alembert) unless a force pulls back; in the plane and in space waves overshoot."""
    guilty = problem.where(TimeDerivative)
    rank = _rank(problem)
    if rank >= 2:
        why = f"{named(guilty)} makes waves, and a wave in more than one dimension overshoots behind its front"
        return Refuted(f"{why}.", BUMP, spans(guilty))
    damped = set(problem.jet.higher) & problem.jet.expr.free_symbols
    if rank == 1 and problem.jet.rate.is_negative and not damped:
        pulling = problem.where(Reaction)
        return Refuted(f"{named(pulling)} pulls a wave below zero.", BUMP, spans(guilty))
    why = f"{named(guilty)} makes waves: on the line they average data at rest, in general they overshoot"
    return Unknown(f"{why}.", guilty=spans(guilty))


def _rank(problem: Problem) -> int:
    """In how many directions waves travel, for an affine equation with numbers before its second derivatives."""
    rows = problem.jet.matrix
    if not problem.jet.is_affine or not all(e.is_number for row in rows for e in row):
        return 0
    matrix = Entries(rows)
    return int(matrix.rank()) if matrix.is_positive_semidefinite else 0
