"""Noise of the plan → noise blocks of the runtime."""

from __future__ import annotations

from typing import assert_never

from sympy import Symbol

from pdedsl.emit.expressions import rows
from pdedsl.emit.fields import at_points, formula, scalar
from pdedsl.emit.names import RUNTIME, name_of, number
from pdedsl.emit.program import Call, Items, Node
from pdedsl.ir.plan import Noise
from pdedsl.ir.spec import Learned, Spec
from pdedsl.words.diffusions import Law
from pdedsl.words.integrators import Across

Named = tuple[tuple[str, Node], ...]
SEED: Named = (("seed", 0),)
HOME = f"{RUNTIME}.noise"


def noise_node(noise: Noise, fields: tuple[Learned, ...], spec: Spec) -> Node:
    names = {w.head: name_of(w) for w in fields}
    match noise.kind:
        case "plain":
            return Call(f"{HOME}.{_class(noise.law)}", (_value(noise),), SEED)
        case "relative":
            across: Named = () if noise.across is Across.SAMPLE else (("across", noise.across.value),)
            return Call(f"{HOME}.RelativeNoise", (_value(noise),), (*SEED, *across, *_law(noise)))
        case "scaled":
            assert noise.value is not None
            scale = formula(("x",), at_points(noise.value, names, spec), (noise.value,), names)
            return Call(f"{HOME}.ScaledNoise", (scale,), (*SEED, *_law(noise)))
        case "correlated":
            return Call(f"{HOME}.CorrelatedNoise", (_factor(noise, names, spec),), (*SEED, *_law(noise)))
        case "dropout" | "shake":
            raise AssertionError(f"{noise.kind} acts on a velocity")
        case _:
            assert_never(noise.kind)


def _value(noise: Noise) -> float:
    assert noise.value is not None
    return number(noise.value)


def _class(law: Law) -> str:
    match law:
        case Law.GAUSSIAN:
            return "GaussianNoise"
        case Law.LAPLACE:
            return "LaplaceNoise"
        case _:
            assert_never(law)


def _law(noise: Noise) -> Named:
    return () if noise.law is Law.GAUSSIAN else (("law", noise.law.value),)


def _factor(noise: Noise, names: dict[Symbol, str], spec: Spec) -> Node:
    entries = [[scalar(e, names, spec) for e in row] for row in noise.matrix]
    if all(e.is_number for row in noise.matrix for e in row):
        table = Items(tuple(Items(tuple(number(e) for e in row)) for row in noise.matrix))
        return Call(f"{RUNTIME}.noise.cholesky", (Call("torch.tensor", (table,)),))
    exprs = [e for row in noise.matrix for e in row]
    return formula(("x",), Call(f"{RUNTIME}.noise.cholesky", (rows(entries),)), exprs, names)
