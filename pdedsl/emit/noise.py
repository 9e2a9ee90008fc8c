"""Noise of the plan → noise blocks of the runtime."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, Symbol

from pdedsl.emit.expressions import rows
from pdedsl.emit.fields import TIME, at_points, formula, scalar
from pdedsl.emit.names import RUNTIME, name_of, number
from pdedsl.emit.program import Call, Items, Node
from pdedsl.ir.noise import Added, Correlated, Plain, Relative, Scaled
from pdedsl.ir.spec import Learned, Spec
from pdedsl.words.diffusions import Law
from pdedsl.words.integrators import Across

Named = tuple[tuple[str, Node], ...]
SEED: Named = (("seed", 0),)
HOME = f"{RUNTIME}.noise"


def noise_node(noise: Added, fields: tuple[Learned, ...], spec: Spec, t: Node = TIME) -> Node:
    """The noise block; `t` is the time at which a time-dependent size is evaluated."""
    names = {w.head: name_of(w) for w in fields}
    match noise:
        case Plain(std=std, law=law):
            return Call(f"{HOME}.{_class(law)}", (number(std),), SEED)
        case Relative(scale=scale, across=across, law=law):
            shared: Named = () if across is Across.SAMPLE else (("across", across.value),)
            return Call(f"{HOME}.RelativeNoise", (number(scale),), (*SEED, *shared, *_law(law)))
        case Scaled(std=std, law=law):
            size = formula(("x",), at_points(std, names, spec), (std,), names, t)
            return Call(f"{HOME}.ScaledNoise", (size,), (*SEED, *_law(law)))
        case Correlated(covariance=covariance, law=law):
            return Call(f"{HOME}.CorrelatedNoise", (_factor(covariance, names, spec),), (*SEED, *_law(law)))
        case _:
            assert_never(noise)


def _class(law: Law) -> str:
    match law:
        case Law.GAUSSIAN:
            return "GaussianNoise"
        case Law.LAPLACE:
            return "LaplaceNoise"
        case _:
            assert_never(law)


def _law(law: Law) -> Named:
    return () if law is Law.GAUSSIAN else (("law", law.value),)


def _factor(covariance: tuple[tuple[Expr, ...], ...], names: dict[Symbol, str], spec: Spec) -> Node:
    entries = [[scalar(e, names, spec) for e in row] for row in covariance]
    if all(e.is_number for row in covariance for e in row):
        table = Items(tuple(Items(tuple(number(e) for e in row)) for row in covariance))
        return Call(f"{RUNTIME}.noise.cholesky", (Call("torch.tensor", (table,)),))
    exprs = [e for row in covariance for e in row]
    return formula(("x",), Call(f"{RUNTIME}.noise.cholesky", (rows(entries),)), exprs, names)
