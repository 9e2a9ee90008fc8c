"""Drift vector b and diffusion matrix A of Σ bᵢ ∂u/∂xᵢ + Σ Aᵢⱼ ∂²u/∂xᵢ∂xⱼ, in components or in index notation.

In index notation, v·∇u is Σⱼ vⱼ ∂u/∂xⱼ, so bᵢ is the coefficient of ∂u/∂xⱼ with i
substituted for j. The diagonal entry Aᵢᵢ is the coefficient of ∂²u/∂xⱼ², and Σⱼₖ c fⱼ gₖ ∂²u/∂xⱼ∂xₖ has the matrix
½c(fgᵀ + gfᵀ), which becomes a sum of c w wᵀ by completing squares. A single derivative ∂u/∂x₃ contributes δᵢ₃.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce

from sympy import Add, Dummy, Expr, KroneckerDelta, Mul, S, Symbol, cancel

from pdedsl.ir.terms import Components, Indexed
from pdedsl.symbolic.calculus import contract, differentiate
from pdedsl.symbolic.rewrite import expand, expand_products
from pdedsl.symbolic.symbols import (
    INDEX,
    Component,
    Contraction,
    Field,
    FractionalLaplacian,
    Integral,
    Partial,
    atoms,
    free_symbols,
)

# ---- Linear terms


LinearTerm = tuple[Expr, Expr]
"""A coefficient and its jet variable; an index that is free in both is summed over."""
IndexedCoefficient = tuple[Expr, Expr]
"""A coefficient and the index of the coordinate of its derivative."""
BilinearForm = dict[tuple[Expr, Expr], Expr]
"""c of Σ c fⱼ gₖ, by fᵢ and gᵢ."""


class NotLinear(Exception):
    """A product that is not a coefficient times one value or derivative of an unknown."""


def is_jet_variable(expr: Expr, heads: frozenset[Symbol]) -> bool:
    """Whether an expression is a jet variable: a value of an unknown, possibly at another point, or a derivative; or an
    integral that is linear in one of them."""
    if isinstance(expr, FractionalLaplacian):
        return is_jet_variable(expr.body, heads)
    if isinstance(expr, Integral):
        factors = [f for f in Mul.make_args(expr.body) if contains_unknown(f, heads)]
        return len(factors) == 1 and is_jet_variable(factors[0], heads)
    field = expr.body if isinstance(expr, Partial) else expr
    if not isinstance(field, Field) or field.head not in heads:
        return False
    return not any(contains_unknown(a, heads) for a in field.arguments)


def contains_unknown(expr: Expr, heads: frozenset[Symbol]) -> bool:
    return not expr.is_Atom and any(f.head in heads for f in atoms(expr, Field))


def linear_terms(expr: Expr, heads: frozenset[Symbol]) -> Iterator[LinearTerm]:
    """The terms of an affine expression; a source is the coefficient of 1. Raises NotLinear."""
    return _linear_terms(expr, lambda e: contains_unknown(e, heads), lambda e: is_jet_variable(e, heads))


def second_order_terms(expr: Expr, head: Symbol) -> Iterator[LinearTerm]:
    """The second derivatives of an unknown with their coefficients, which may depend on it. Raises NotLinear."""
    terms = _linear_terms(
        expr, lambda e: any(_is_second(p, head) for p in atoms(e, Partial)), lambda e: _is_second(e, head)
    )
    return ((coefficient, variable) for coefficient, variable in terms if variable is not S.One)


def _is_second(expr: Expr, head: Symbol) -> bool:
    return (
        isinstance(expr, Partial) and len(expr.slots) == 2 and isinstance(expr.body, Field) and expr.body.head == head
    )


Test = Callable[[Expr], bool]


def _linear_terms(expr: Expr, touched_by: Test, variable: Test) -> Iterator[LinearTerm]:
    for product in Add.make_args(expr):
        touched = [f for f in Mul.make_args(product) if touched_by(f)]
        rest = Mul(*(f for f in Mul.make_args(product) if not touched_by(f)))
        match touched:
            case []:
                yield product, S.One
            case [factor]:
                for coefficient, jet_variable in _factor_terms(factor, touched_by, variable):
                    yield rest * coefficient, jet_variable
            case _:
                raise NotLinear


def _factor_terms(factor: Expr, touched_by: Test, variable: Test) -> Iterator[LinearTerm]:
    match factor:
        case _ if variable(factor):
            yield S.One, factor
        case Contraction(index=index, body=body):
            own = Dummy(integer=True)  # another contraction in the product may have the same index
            for coefficient, jet_variable in _linear_terms(
                expand_products(body.xreplace({index: own})), touched_by, variable
            ):
                yield (
                    (coefficient if own in free_symbols(jet_variable) else Contraction(own, coefficient)),
                    jet_variable,
                )
        case _:
            raise NotLinear


def sum_of_terms(parts: Iterable[LinearTerm]) -> Expr:
    """The sum of linear terms; a product with a free index is summed over it."""
    return Add(*(_sum_over_indices(coefficient * variable) for coefficient, variable in parts))


def _sum_over_indices(expr: Expr) -> Expr:
    for index in sorted((s for s in free_symbols(expr) if isinstance(s, Dummy)), key=lambda s: s.dummy_index):
        expr = contract(partial(_at, expr, index), None)
    return expr


def _at(expr: Expr, index: Symbol, place: Expr) -> Expr:
    return expr.xreplace({index: place})


# ---- Vectors and matrices


def vector(parts: Iterable[LinearTerm], coordinates: tuple[Symbol, ...]) -> Components:
    """b of Σ bᵢ ∂u/∂xᵢ, in components."""
    rows: dict[Expr, list[Expr]] = {}
    for coefficient, variable in parts:
        rows.setdefault(variable.slots[0], []).append(coefficient)
    return Components((tuple(Add(*rows.get(c, ())) for c in coordinates),))


def matrix(parts: Iterable[LinearTerm], coordinates: tuple[Symbol, ...]) -> Components:
    """The symmetric A of Σ Aᵢⱼ ∂²u/∂xᵢ∂xⱼ, in components."""
    entries: dict[frozenset[Expr], list[Expr]] = {}
    for coefficient, variable in parts:
        a, b = variable.slots
        entries.setdefault(frozenset((a, b)), []).append(coefficient / (1 if a == b else 2))
    rows = (tuple(Add(*entries.get(frozenset((a, b)), ())) for b in coordinates) for a in coordinates)
    return Components(tuple(rows))


def indexed_vector(parts: Iterable[LinearTerm], dimension: int | Symbol) -> Indexed:
    located = [(c, *_indices_of(variable)) for c, variable in parts]
    return Indexed(_component(located, dimension))


def indexed_matrix(parts: Iterable[LinearTerm], dimension: int | Symbol, learned: frozenset[Symbol]) -> Indexed:
    """`learned` are the heads of learned matrices."""
    diagonal: list[IndexedCoefficient] = []
    form: BilinearForm = {}
    matrices: dict[Symbol, Expr] = {}
    rest = False
    for coefficient, variable in parts:
        j, k = _indices_of(variable)
        if j == k:
            diagonal.append((coefficient, j))
            continue
        for product in Add.make_args(expand_products(coefficient)):
            factors = _bilinear(product, j, k, learned)
            match factors:
                case (c, Field(head=head)):
                    matrices[head] = matrices.get(head, S.Zero) + c
                case (c, f, g):
                    form[f, g] = form.get((f, g), S.Zero) + c
                case _:
                    rest = True
    outer = _complete_squares(form)
    total = _component(diagonal, dimension)
    shared = tuple((c, h) for h, c in matrices.items() if c != 0)
    return Indexed(total, outer or (), shared, rest or outer is None)


def _indices_of(variable: Expr) -> tuple[Expr, ...]:
    return tuple(s.args[1] for s in variable.slots if isinstance(s, Component))


def _component(located: list[IndexedCoefficient], dimension: int | Symbol) -> Expr:
    """Component i of the sum. Terms of the same form at all of 1, 2, …, d become one term at i: Σₖ xₖ δᵢₖ is xᵢ."""
    total: list[Expr] = []
    single: dict[Expr, dict[Expr, Expr]] = {}
    for coefficient, place in located:
        if not place.is_Integer:
            total.append(coefficient.xreplace({place: INDEX}))
            continue
        for term in Add.make_args(expand_products(coefficient)):
            single.setdefault(_with_general_index(term, place), {})[place] = term
    for general, terms in single.items():
        if len(terms) == dimension and INDEX in free_symbols(general):
            total.append(general)
        else:
            total += [term * KroneckerDelta(INDEX, place) for place, term in terms.items()]
    return Add(*total)


def _with_general_index(term: Expr, place: Expr) -> Expr:
    """A term with INDEX in place of the index `place`."""
    own = [e for e in atoms(term, Component) if e.args[1] == place]
    fields = [f for f in atoms(term, Field) if tuple(f.indices) == (place,)]
    substitution = {e: Component(e.args[0], INDEX) for e in own} | {
        f: Field(f.head, (INDEX,), f.arguments) for f in fields
    }
    return term.xreplace(substitution)


def _bilinear(
    product: Expr, j: Expr, k: Expr, learned: frozenset[Symbol]
) -> tuple[Expr, Expr, Expr] | tuple[Expr, Field] | None:
    """c, f and g of c fⱼ gₖ, or c and H of c Hⱼₖ; None if it is neither."""
    places = (j, k)
    outside: list[Expr] = []
    at: dict[Expr, list[Expr]] = {p: [] for p in places}
    both: list[Expr] = []
    for factor in Mul.make_args(product):
        indices = [p for p in places if not p.is_Integer and p in free_symbols(factor)]
        (both if len(indices) > 1 else at[indices[0]] if indices else outside).append(factor)
    match both:
        case []:
            f, g = (KroneckerDelta(INDEX, p) if p.is_Integer else Mul(*at[p]).xreplace({p: INDEX}) for p in places)
            return Mul(*outside), f, g
        case [Field(head=head) as matrix_] if head in learned and not at[j] and not at[k]:
            return Mul(*outside), matrix_
        case _:
            return None


def _complete_squares(form: BilinearForm) -> tuple[tuple[Expr, Expr], ...] | None:
    """Σ c w wᵀ by completing squares (Lagrange); None if there are more than six vectors."""
    names = sorted({f for pair in form for f in pair}, key=str)
    if len(names) > 6:
        return None
    c = {(a, b): (form.get((a, b), S.Zero) + form.get((b, a), S.Zero)) / 2 for a in names for b in names}
    squares: list[tuple[Expr, Expr]] = []
    while any(v != 0 for v in c.values()):
        pivot = next((a for a in names if c[a, a] != 0), None)
        if pivot is None:
            a, b = next(pair for pair, v in c.items() if v != 0)
            squares += [(c[a, b] / 2, a + b), (-c[a, b] / 2, a - b)]
            c[a, b] = c[b, a] = S.Zero
            continue
        row = {b: c[pivot, b] / c[pivot, pivot] for b in names}
        squares.append((c[pivot, pivot], Add(*(row[b] * b for b in names))))
        c = {(a, b): cancel(v - squares[-1][0] * row[a] * row[b]) for (a, b), v in c.items()}
    return tuple(squares)


# ---- Adjoint
# ∫ Lu = ∫ u L*1 with L*1 = c - Σᵢ ∂bᵢ/∂xᵢ + Σᵢⱼ ∂²Aᵢⱼ/∂xᵢ∂xⱼ, in index notation: if only some coordinates are
# expanded, a sum over these is not the divergence. ∇·(x u) is x·∇u + n u with the full dimension n.


def adjoint_of_one(right: Expr, heads: frozenset[Symbol]) -> Expr:
    """L*1 for an affine right-hand side, ignoring its source. Raises NotLinear."""
    parts = [(c, variable) for c, variable in linear_terms(right, heads) if variable is not S.One]
    return expand(Add(*(_adjoint_term(c, variable) for c, variable in parts)))


def _adjoint_term(coefficient: Expr, variable: Expr) -> Expr:
    """(-1)ᵏ ∂ᵏc/∂xᵢ…∂xⱼ, summed over the indices of the derivative."""
    slots = variable.slots if isinstance(variable, Partial) else ()
    term = reduce(lambda e, slot: -differentiate(e, slot, chain=True), slots, coefficient)
    indices = sorted({s for slot in slots for s in atoms(slot, Dummy)}, key=lambda s: s.dummy_index)
    return reduce(lambda e, index: contract(partial(_at, e, index), None), indices, term)
