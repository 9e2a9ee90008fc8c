"""Checks on the formulas of a network: they must be computable, from learned fields on R^d."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, Symbol

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.ir.objective import MOST_EXACT
from pdedsl.ir.representation import Stretch
from pdedsl.ir.spec import Learned, Spec
from pdedsl.ir.types import Vector
from pdedsl.plan.computable import problem_of
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.symbols import Field, Partial
from pdedsl.words.networks import Mlp, Torch


def fields_of(exprs: Iterable[Expr], spec: Spec) -> list[Learned]:
    """The learned fields in formulas, in the order of declaration."""
    heads = {f.head for e in exprs for f in atoms(e, Field)}
    return [w for w in spec.learned if w.head in heads]


def require_formulas(exprs: Iterable[Expr], span: Span, spec: Spec, index: Symbol | None = None) -> None:
    """Requires each formula to be computable at points, from fields that are networks on R^d."""
    exprs = tuple(exprs)
    for expr in exprs:
        problem = problem_of(expr, spec, index)
        if problem:
            raise mistakes.networks.not_computable(problem, span)
    for learned in fields_of(exprs, spec):
        _require_field(learned, spec)
    dimension = spec.space.dimension
    if isinstance(dimension, int) and dimension > MOST_EXACT and any(e.has(Partial) for e in exprs):
        raise mistakes.networks.exact_derivatives(dimension, MOST_EXACT, span)


def require_coefficients(stretch: Stretch, spec: Spec) -> None:
    """Requires the same of all coefficients of the generator."""
    place = stretch.convection or stretch.diffusion or stretch.reaction or stretch.gain or spec.space.span
    require_formulas(stretch.drift, place, spec, stretch.index)
    entries = (e for row in stretch.diffusivity for e in row)
    require_formulas(entries, stretch.diffusion or place, spec, stretch.index)
    require_formulas((stretch.rate,), stretch.reaction or place, spec)
    require_formulas((stretch.source,), stretch.gain or place, spec)


def _require_field(learned: Learned, spec: Spec) -> None:
    dimension = spec.space.dimension
    if not isinstance(dimension, int):
        raise mistakes.networks.unknown_dimension(spec.space.span)
    if learned.net is None:
        return
    if not isinstance(learned.net.word, Mlp | Torch):
        raise mistakes.networks.not_a_field(learned.net.word.name, learned.span, learned.net.span)
    match learned.type:
        case Vector(divergence_free=True, size=size) if size not in (None, dimension):
            raise mistakes.networks.divergence_of_size(size, dimension, learned.span)
        case Vector(divergence_free=True) if dimension < 2:
            raise mistakes.networks.divergence_free_on_the_line(learned.name, learned.span)
        case _:
            return
