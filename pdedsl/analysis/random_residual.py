"""Random residual blocks (dropout, stochastic depth, shake-shake) as diffusions (Wang, Tao, Bao, Shi, Table 1, Remark
2.5).

A step X + Δt·V with a random V of mean v has the generator of u_t = v·∇u + A:∇∇u with A = ½Δt·Cov V, up to O(Δt²):
dropout, Vᵢ = vᵢ zᵢ/p with zᵢ ~ Bernoulli(p):            A = Δt(1-p)/(2p) diag(vᵢ²)
stochastic depth, V = v z/p with one z:                   A = Δt(1-p)/(2p) v vᵀ
shake-shake, V = α f + (1-α) g, α ~ U(½-w, ½+w):          A = Δt w²/6 (f-g)(f-g)ᵀ and v = ½(f+g); originally w = ½
"""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, Rational, Symbol

from pdedsl.ir.noise import DropoutResidual, RandomResidual, ShakeShakeResidual, StochasticDepthResidual
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import Components, Generator, Indexed, MatrixStructure
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import INDEX, Field, atoms

Vector = tuple[Expr, ...]


def noise_name(random: RandomResidual) -> str:
    match random:
        case DropoutResidual():
            return "dropout"
        case StochasticDepthResidual():
            return "stochastic depth"
        case ShakeShakeResidual():
            return "shake-shake"
        case _:
            assert_never(random)


def match_random_residual(generator: Generator, spec: Spec) -> RandomResidual | None:
    """The random residual with this drift and diffusion matrix, and its strength; None if there is none."""
    match generator.drift, generator.matrix:
        case Components(rows=(drift,)), Components(rows=rows):
            return _match_components(generator, drift, rows, spec)
        case Indexed(diagonal=drift), Indexed() as matrix:
            return _match_indexed(drift, matrix, spec)
    return None


def _match_components(
    generator: Generator, drift: Vector, rows: tuple[Vector, ...], spec: Spec
) -> RandomResidual | None:
    if generator.structure is MatrixStructure.DIAGONAL:
        strength = _common_factor([(rows[i][i], b**2) for i, b in enumerate(drift)])
        return DropoutResidual(strength) if strength else None
    if generator.structure is not MatrixStructure.FULL:
        return None
    strength = _outer_product_factor(rows, drift)
    if strength:
        return StochasticDepthResidual(strength)
    heads, (f, g) = _branches(drift, spec) or ((), (drift, drift))
    strength = _outer_product_factor(rows, tuple(a - b for a, b in zip(f, g, strict=True))) if heads else None
    return ShakeShakeResidual(strength, heads) if strength else None


def _match_indexed(drift: Expr, matrix: Indexed, spec: Spec) -> RandomResidual | None:
    """The same in index notation, by component i."""
    if matrix.has_other_entries or matrix.learned or drift == 0:
        return None
    if not matrix.outer:
        varies = INDEX in drift.free_symbols & matrix.diagonal.free_symbols
        strength = _common_factor([(matrix.diagonal, drift**2)]) if varies else None
        return DropoutResidual(strength) if strength else None
    if len(matrix.outer) > 1 or matrix.diagonal != 0:
        return None
    ((c, w),) = matrix.outer
    strength = _common_factor([(c * w**2, drift**2)])
    if strength:
        return StochasticDepthResidual(strength)
    heads, ((f,), (g,)) = _branches((drift,), spec) or ((), ((drift,), (drift,)))
    strength = _common_factor([(c * w**2, (f - g) ** 2)]) if heads else None
    return ShakeShakeResidual(strength, heads) if strength else None


def _outer_product_factor(rows: tuple[Vector, ...], w: Vector) -> Expr | None:
    """The number c > 0 with A = c w wᵀ, if there is one."""
    return _common_factor([(a, w[i] * w[j]) for i, row in enumerate(rows) for j, a in enumerate(row)])


def _common_factor(pairs: list[tuple[Expr, Expr]]) -> Expr | None:
    """The number c > 0 with a = c b for every pair (a, b), if there is one."""
    if any(expression == 0 for _, expression in pairs):
        return None
    a, expression = pairs[0]
    number, leading = expand(expression).as_ordered_terms()[0].as_coeff_Mul()
    c = expand(a).coeff(leading) / number
    if not (c.is_number and c.is_positive):
        return None
    return c if all(expand(a - c * expression) == 0 for a, expression in pairs) else None


def _branches(drift: Vector, spec: Spec) -> tuple[tuple[Symbol, ...], tuple[Vector, Vector]] | None:
    """The learned f and g of a drift ½(f + g): their names and components; None for other drifts."""
    heads = tuple(w.head for w in spec.learned if any(f.head == w.head for f in atoms(drift[0], Field)))
    if len(heads) != 2:
        return None
    f, g = (tuple(next(iter(_fields_of(b, head)), Rational(0)) for b in drift) for head in heads)
    halved = all(expand(b - Rational(1, 2) * (f[i] + g[i])) == 0 for i, b in enumerate(drift))
    return (heads, (f, g)) if halved else None


def _fields_of(expr: Expr, head: Symbol) -> list[Field]:
    return [f for f in atoms(expr, Field) if f.head == head]
