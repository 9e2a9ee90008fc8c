"""Whether a learned diffusivity can lose its sign: values of its fields, which weights can give, are drawn and tried.

A type that keeps the sign (scalar > 0, matrix psd) or a form that does (q², softplus(q), v vᵀ) survives every draw.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from math import exp, inf

from sympy import Expr, Float, Integer, Symbol
from sympy import Matrix as Square

from pdedsl import mistakes
from pdedsl.ir.representation import Stretch
from pdedsl.ir.spec import Learned, Spec
from pdedsl.ir.types import Matrix, Scalar, Sign, Type
from pdedsl.plan.fields import fields_of
from pdedsl.symbolic.symbols import INDEX, Component, Contraction, Field, Partial

DRAWS = 64
ROUNDING = 1e-9
Values = dict[Expr, Expr]
Rows = tuple[tuple[Expr, ...], ...]


def require_semidefinite(stretch: Stretch, spec: Spec) -> None:
    """For every weight; of coefficients without weights the analysis speaks."""
    rows = tuple(tuple(_written_out(e) for e in row) for row in stretch.diffusivity)
    free = [w for w in fields_of((e for row in rows for e in row), spec) if not _keeps_sign(w.type)]
    if not free or stretch.random is not None:
        return
    source = random.Random(0)
    for _ in range(DRAWS):
        if _is_indefinite(rows, _drawn(rows, spec, source)):
            learned = free[0]
            place = stretch.diffusion or learned.span
            raise mistakes.networks.not_semidefinite(learned.name, str(learned.type), _instead(learned), place)


def _keeps_sign(type_: Type) -> bool:
    match type_:
        case Scalar(sign=sign):
            return sign is not Sign.ANY
        case Matrix(psd=psd):
            return psd
        case _:
            return False


def _instead(learned: Learned) -> str:
    name = learned.name
    match learned.type:
        case Matrix():
            return f"declare it as a matrix, psd: learn {name} : matrix, psd"
        case Scalar():
            return f"declare it as positive: learn {name} : scalar > 0; or write softplus({name}) or {name}²"
        case _:
            return f"write the squares of its components, or declare a matrix, psd in the place of {name}"


def _written_out(expr: Expr) -> Expr:
    """An entry in two dimensions, where the space is not written out: its first, with sums of two terms."""

    def both(sum_: Expr) -> Expr:
        return sum((sum_.body.xreplace({sum_.index: Integer(k)}) for k in (1, 2)), Integer(0))

    while expr.has(Contraction):
        expr = expr.replace(lambda e: isinstance(e, Contraction) and not e.body.has(Contraction), both)
    return expr.xreplace({INDEX: Integer(1)})


def _is_indefinite(rows: Rows, values: Values) -> bool:
    """Whether elimination, by the largest pivots, meets a negative one, or a zero with something beside it."""
    a = [[float(e.xreplace(values)) for e in row] for row in rows]
    size = max(abs(e) for row in a for e in row)
    left = list(range(len(a)))
    while left and size < inf:
        k = max(left, key=lambda i: a[i][i])
        if a[k][k] <= ROUNDING * size:
            return any(a[i][i] < -ROUNDING * size or abs(a[i][j]) > 1e-6 * size for i in left for j in left)
        left.remove(k)
        for i in left:
            for j in left:
                a[i][j] -= a[i][k] * a[k][j] / a[k][k]
    return False


def _drawn(rows: Rows, spec: Spec, source: random.Random) -> Values:
    """A value for each coordinate, for the time, for each component of a field within its type, and each derivative."""
    entries = [e for row in rows for e in row]
    values: Values = {}
    for learned in fields_of(entries, spec):
        atoms = sorted({f for e in entries for f in e.atoms(Field) if f.head == learned.head}, key=str)
        values |= _of_field(learned.type, atoms, source)
    if spec.time is not None:
        start, end = float(spec.time.start), float(spec.time.end)
        values[spec.time.symbol] = Float(source.uniform(start, end))
    for kind in (Partial, Component, Symbol):
        for atom in sorted({a for e in entries for a in e.atoms(kind)}, key=str):
            values.setdefault(atom, Float(source.gauss(0, 1)))
    return values


def _of_field(type_: Type, atoms: Iterable[Field], source: random.Random) -> Values:
    match type_:
        case Matrix():
            size = max((int(i) for f in atoms for i in f.indices), default=1)
            root = Square([[source.gauss(0, 1) for _ in range(size)] for _ in range(size)])
            made = root * root.T if type_.psd else (root + root.T) / 2 if type_.symmetric else root
            return {f: made[int(f.indices[0]) - 1, int(f.indices[1]) - 1] for f in atoms}
        case Scalar(sign=sign) if sign is not Sign.ANY:
            return {f: Float(exp(source.gauss(0, 1))) for f in atoms}
        case _:
            return {f: Float(source.gauss(0, 1)) for f in atoms}
