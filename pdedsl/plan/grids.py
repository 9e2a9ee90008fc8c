"""Which grid scheme fits a statement, or why none does."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from sympy import Expr

from pdedsl.ir.statement import Statement
from pdedsl.plan.conservation import balance_of, held, is_hyperbolic
from pdedsl.plan.cut_boxes import cut_box
from pdedsl.plan.evolution import Evolution, NoGrid, evolution_of
from pdedsl.plan.layered import is_layered, layered_of
from pdedsl.plan.rings import linear_of, loops_of

MOST_DIMENSIONS = 3


class Scheme(StrEnum):
    """A grid scheme, with the reason for it."""

    FOURIER = "a Fourier series: no axis has sides of its own, and the highest derivatives have constant coefficients"
    VOLUMES = "finite volumes with a limiter: a conservation law, whose solutions may jump"
    LAYERS = "finite volumes: conductivities that jump, and one flux from cell to cell"
    SHAPE = "differences that end on the boundary of the shape (Shortley and Weller)"
    COLLOCATION = "collocation at Chebyshev points: a box whose sides have conditions"


@lru_cache(maxsize=4)  # asked several times for each plan
def grid_scheme(statement: Statement) -> Scheme | str:
    """A scheme, or a phrase that says why no grid solves the statement."""
    try:
        return scheme(statement)
    except NoGrid as reason:
        return str(reason)


def scheme(statement: Statement) -> Scheme:
    """A scheme; raises NoGrid with the reason if there is none."""
    domain = statement.domain
    if len(domain.space) > MOST_DIMENSIONS:
        raise NoGrid(f"a grid has at most {MOST_DIMENSIONS} dimensions of space")
    if domain.inside:
        cut_box(statement)
        return Scheme.SHAPE
    evolution = evolution_of(statement)
    if is_layered(evolution):
        layered_of(evolution)
        return Scheme.LAYERS
    if is_hyperbolic(evolution):
        return _volumes(evolution)
    if loops_of(evolution) is not None and _spectral(evolution):
        return Scheme.FOURIER
    if len(evolution.constraints) != len(evolution.still):
        raise NoGrid("there are not as many equations as unknowns")
    return Scheme.COLLOCATION


def _volumes(evolution: Evolution) -> Scheme:
    if evolution.backward:
        raise NoGrid("a conservation law with shocks does not run backward")
    balance_of(evolution)
    for side in evolution.sides:
        held(evolution, side)
    return Scheme.VOLUMES


def _spectral(evolution: Evolution) -> bool:
    """Whether all but the linear terms with constant coefficients are of lower order than these, or of first order."""
    exprs = (*evolution.rights, *evolution.constraints)
    linear = linear_of(evolution, exprs)
    if not evolution.moving:
        return not evolution.jets_in(*linear.rests)
    if any(r != 0 for r in linear.rests[len(evolution.rights) :]):
        return False
    if evolution.still and not _determined(evolution, linear.rests):
        return False
    most = max((evolution.of_jets[s].order for _, s, _ in linear.parts), default=0)
    return all(_order(evolution, r) <= max(1, most - 1) for r in linear.rests)


def _determined(evolution: Evolution, rests: tuple[Expr, ...]) -> bool:
    """Whether the constraints contain still variables, or only the linear part does."""
    still = set(evolution.still)
    spoken = any(d.component in still for _, d in evolution.jets_in(*evolution.constraints))
    return spoken or not any(d.component in still for _, d in evolution.jets_in(*rests))


def _order(evolution: Evolution, expr: Expr) -> int:
    return max((d.order for _, d in evolution.jets_in(expr)), default=0)
