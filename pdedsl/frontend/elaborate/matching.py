"""Which unknown each equation determines, if no time derivative tells.

A system determines its unknowns if equations and unknowns can be paired. An equation that is solved for a time
derivative has its partner; each of the others is paired, preferably with an unknown that occurs in it, and with the one
it differentiates most: in

    ∂u/∂t + (u·∇)u = -∇p + νΔu        ∇·u = 0

the second determines p (Kuhn, The Hungarian method, 1955, for the pairing).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Symbol

from pdedsl.ir.spec import Equation, SpaceKind, Spec
from pdedsl.ir.types import Vector
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.symbols import Field, Partial


@dataclass(frozen=True)
class Partner:
    """An unknown, or a component of one."""

    head: Symbol
    component: int | None
    rows: int


def assigned(spec: Spec) -> tuple[Equation, ...]:
    """The equations, each with the unknown it determines; one that finds no partner is left unchanged."""
    if spec.space.kind is SpaceKind.PIXELS:
        return spec.equations
    free = [k for k, e in enumerate(spec.equations) if not e.order and e.interval is None]
    taken: dict[Partner, int] = {}
    for inside in (True, False):
        wanted = {k: _wanted(spec.equations[k], _partners(spec), inside) for k in free}
        for k in (k for k in free if k not in taken.values()):
            _paired(k, wanted, taken, set())
    found = {k: partner for partner, k in taken.items()}
    return tuple(_with(e, found.get(k)) for k, e in enumerate(spec.equations))


def _with(equation: Equation, partner: Partner | None) -> Equation:
    return replace(equation, unknown=partner.head, component=partner.component) if partner else equation


def _partners(spec: Spec) -> list[Partner]:
    """What no evolution equation determines: unknowns, and single components where the equations are scalar."""
    settled = {(e.unknown, e.component) for e in spec.equations if e.order}
    found: list[Partner] = []
    for u in spec.unknowns:
        size = _size(u.type, spec)
        alone = size > 1 and not any(_fits(e, u.head, size) for e in spec.equations)
        parts = [Partner(u.head, k, 1) for k in range(1, size + 1)] if alone else [Partner(u.head, None, size)]
        found += [p for p in parts if not {(p.head, None), (p.head, p.component)} & settled]
    return found


def _size(type_: object, spec: Spec) -> int:
    if not isinstance(type_, Vector):
        return 1
    return type_.size or (spec.space.dimension if isinstance(spec.space.dimension, int) else 1)


def _fits(equation: Equation, head: Symbol, size: int) -> bool:
    """Whether an equation could determine the unknown: it contains it, and has as many rows as it has components."""
    return len(equation.right) == size and any(f.head == head for e in equation.right for f in atoms(e, Field))


def _wanted(equation: Equation, partners: list[Partner], inside: bool) -> list[Partner]:
    """Possible partners of an equation, by decreasing order of their derivatives in it; if not only those `inside` it,
    the others come last."""
    fits = [p for p in partners if p.rows == len(equation.right) and (not inside or _order(equation, p) >= 0)]
    return sorted(fits, key=lambda p: -_order(equation, p))


def _order(equation: Equation, partner: Partner) -> int:
    """The order of the partner's highest derivative; -1 if it does not occur in the equation."""

    def own(f: Field) -> bool:
        return f.head == partner.head and (partner.component is None or tuple(f.indices) == (partner.component,))

    partials = [p for e in equation.right for p in atoms(e, Partial) if any(own(f) for f in atoms(p, Field))]
    if partials:
        return max(len(p.slots) for p in partials)
    return 0 if any(own(f) for e in equation.right for f in atoms(e, Field)) else -1


def _paired(k: int, wanted: dict[int, list[Partner]], taken: dict[Partner, int], tried: set[Partner]) -> bool:
    """Finds a partner for an equation, if necessary by giving the equation that has it another one."""
    for partner in wanted[k]:
        if partner in tried:
            continue
        tried.add(partner)
        if partner not in taken or _paired(taken[partner], wanted, taken, tried):
            taken[partner] = k
            return True
    return False
