"""The generator b·∇ + A:∇∇ in a space that is not written out: its component of number i.

v·∇u is Σⱼ vⱼ ∂u/∂xⱼ there, so that bᵢ is what stands beside ∂u/∂xⱼ, with i for j; and the diagonal entry Aᵢᵢ is what
stands beside ∂²u/∂xⱼ². A single derivative, ∂u/∂x₃, is a component of δᵢ₃.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Add, Dummy, Expr, KroneckerDelta, Mul, S, Symbol

from pdedsl.symbolic.expansion import multiply_out
from pdedsl.symbolic.symbols import INDEX, Component, Contraction, Field, Partial

Placed = tuple[Expr, Expr]
"""What stands beside a derivative, and the number of the component by which it is taken."""


@dataclass(frozen=True)
class Generator:
    """bᵢ and Aᵢᵢ; `full` says whether A has entries beside its diagonal."""

    drift: Expr
    diagonal: Expr
    full: bool


def generator(right: Expr, head: Symbol, dimension: int | Symbol) -> Generator:
    """Of the right-hand side of u_t = b·∇u + A:∇∇u, linear in u."""
    drift: list[Placed] = []
    diagonal: list[Placed] = []
    full = False
    for term in Add.make_args(multiply_out(right)):
        for coefficient, places in _beside(term, head):
            match places:
                case (j,):
                    drift.append((coefficient, j))
                case (j, k) if j == k:
                    diagonal.append((coefficient, j))
                case _:
                    full = True
    return Generator(_component(drift, dimension), _component(diagonal, dimension), full)


def _component(placed: list[Placed], dimension: int | Symbol) -> Expr:
    """The sum at the place i. What stands at 1, 2, …, d in one form stands at i: Σₖ xₖ δᵢₖ is xᵢ."""
    total: list[Expr] = []
    single: dict[Expr, dict[Expr, Expr]] = {}
    for coefficient, place in placed:
        if not place.is_Integer:
            total.append(coefficient.xreplace({place: INDEX}))
            continue
        for term in Add.make_args(multiply_out(coefficient)):
            single.setdefault(_anywhere(term, place), {})[place] = term
    for general, terms in single.items():
        if len(terms) == dimension and INDEX in general.free_symbols:
            total.append(general)
        else:
            total += [term * KroneckerDelta(INDEX, place) for place, term in terms.items()]
    return Add(*total)


def _anywhere(term: Expr, place: Expr) -> Expr:
    """A term with the components of number `place` as those of any number."""
    own = [e for e in term.atoms(Component) if e.args[1] == place]
    fields = [f for f in term.atoms(Field) if tuple(f.indices) == (place,)]
    moved = {e: Component(e.args[0], INDEX) for e in own} | {f: Field(f.head, (INDEX,), f.arguments) for f in fields}
    return term.xreplace(moved)


def _beside(expr: Expr, head: Symbol) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """What stands beside each derivative of the unknown, and the places at which it is taken."""
    match expr:
        case Partial(body=Field(head=found)) if found == head:
            yield S.One, tuple(s.args[1] for s in expr.slots if isinstance(s, Component))
        case Add(args=args):
            for a in args:
                yield from _beside(a, head)
        case Mul(args=args):
            carrier = next(a for a in args if _has(a, head))
            rest = Mul(*(a for a in args if a is not carrier))
            for coefficient, places in _beside(carrier, head):
                yield rest * coefficient, places
        case Contraction(index=index, body=body):
            own = Dummy(integer=True)  # another contraction beside this one may have the same index
            for coefficient, places in _beside(multiply_out(body.xreplace({index: own})), head):
                yield (coefficient if own in places else Contraction(own, coefficient)), places


def _has(expr: Expr, head: Symbol) -> bool:
    return any(isinstance(p.body, Field) and p.body.head == head for p in expr.atoms(Partial))
