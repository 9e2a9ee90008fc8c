"""Computability of coefficient expressions at points: torch functions, coordinates, learned fields and derivatives.

Arithmetic and functions are those of generated code, `symbolic.evaluate.unsupported`; atoms depend on the spec.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, KroneckerDelta, Mul, Symbol

from pdedsl import errors
from pdedsl.config.networks import Mlp, Torch
from pdedsl.diagnostics import Span
from pdedsl.ir.plan import MAX_EXACT_LAPLACIAN_DIMENSION
from pdedsl.ir.representation import SdeSegment
from pdedsl.ir.spec import Learned, Spec
from pdedsl.ir.types import Vector
from pdedsl.symbolic.evaluate import unsupported
from pdedsl.symbolic.symbols import Component, Contraction, Field, Partial, atoms

# ---- Expressions


def find_uncomputable(expr: Expr, spec: Spec, index: Symbol | None = None) -> str | None:
    """The part of an expression that cannot be computed, in words, or None; `index` is the index of its component."""
    learned = {w.head: w for w in spec.learned}

    def leaf(e: Expr) -> str | None:
        match e:
            case Symbol():
                known = (*spec.space.coordinates, *((spec.time.symbol,) if spec.time else ()))
                return "" if e in known else f"'{e}'"
            case Component(args=(_, place)):
                return _check_index(place, index)
            case KroneckerDelta(args=(i, j)):
                return _check_index(j if i == index else i, None) if index in (i, j) else "this component index"
            case Field(head=head, indices=indices):
                return _check_field(learned.get(head), indices, index, spec)
            case Partial(body=body, slots=slots):
                in_time = spec.time is not None and spec.time.symbol in slots
                return "a time derivative" if in_time else find_uncomputable(body, spec, index) or ""
            case Contraction(index=own, body=body):
                return _sum(own, body) or ""
        return None

    def _sum(own: Symbol, body: Expr) -> str | None:
        """Sums are computable if they are Σⱼ of scalars at a point, or Σⱼ Aᵢⱼ wⱼ with a learned matrix A."""
        if index is None or index not in body.free_symbols:
            return find_uncomputable(body, spec, own)
        matrix = next((f for f in Mul.make_args(body) if isinstance(f, Field) and len(f.indices) == 2), None)
        if matrix is None or set(matrix.indices) != {own, index} or index in (body / matrix).free_symbols:
            return "this sum over components"
        return find_uncomputable(body / matrix, spec, own)

    return unsupported(expr, leaf)


def _check_index(place: Expr, index: Symbol | None) -> str:
    return "" if place == index or place.is_Integer else "this component index"


def _check_field(learned: Learned | None, indices: Iterable[Expr], index: Symbol | None, spec: Spec) -> str:
    if learned is None:
        return "the unknown in a coefficient"
    places = tuple(indices)
    if not spec.space.explicit and len(places) == 2:
        return "a single entry of a matrix"
    return next(filter(None, (_check_index(place, index) for place in places)), "")


# ---- Coefficients


def learned_fields_in(exprs: Iterable[Expr], spec: Spec) -> list[Learned]:
    """The learned fields in expressions, in the order of declaration."""
    heads = {f.head for e in exprs for f in atoms(e, Field)}
    return [w for w in spec.learned if w.head in heads]


def require_computable_exprs(exprs: Iterable[Expr], span: Span, spec: Spec, index: Symbol | None = None) -> None:
    """Requires each expression to be computable at points, from fields that are networks on R^d."""
    exprs = tuple(exprs)
    for expr in exprs:
        problem = find_uncomputable(expr, spec, index)
        if problem:
            raise errors.networks.not_computable(problem, span)
    for learned in learned_fields_in(exprs, spec):
        _require_field(learned, spec)
    dimension = spec.space.dimension
    if isinstance(dimension, int) and dimension > MAX_EXACT_LAPLACIAN_DIMENSION and any(e.has(Partial) for e in exprs):
        raise errors.networks.exact_derivatives(dimension, MAX_EXACT_LAPLACIAN_DIMENSION, span)


def require_computable_coefficients(segment: SdeSegment, spec: Spec) -> None:
    """Requires all coefficients of the generator to be computable."""
    place = (
        segment.convection_span
        or segment.diffusion_span
        or segment.reaction_span
        or segment.source_span
        or spec.space.span
    )
    require_computable_exprs(segment.drift, place, spec, segment.index)
    entries = (e for row in segment.diffusivity for e in row)
    require_computable_exprs(entries, segment.diffusion_span or place, spec, segment.index)
    require_computable_exprs((segment.rate,), segment.reaction_span or place, spec)
    require_computable_exprs((segment.source,), segment.source_span or place, spec)


def _require_field(learned: Learned, spec: Spec) -> None:
    dimension = spec.space.dimension
    if not isinstance(dimension, int):
        raise errors.networks.unknown_dimension(spec.space.span)
    if learned.net is None:
        return
    if not isinstance(learned.net.config, Mlp | Torch):
        raise errors.networks.cannot_represent_field(learned.net.config.name, learned.span, learned.net.span)
    match learned.type:
        case Vector(divergence_free=True, size=size) if size not in (None, dimension):
            raise errors.networks.divergence_free_size(size, dimension, learned.span)
        case Vector(divergence_free=True) if dimension < 2:
            raise errors.networks.divergence_free_in_one_dimension(learned.name, learned.span)
        case _:
            return
