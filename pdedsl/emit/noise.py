"""Noise of the plan → noise blocks of the runtime."""

from __future__ import annotations

from sympy import Symbol

from pdedsl import mistakes
from pdedsl.emit.expressions import rows
from pdedsl.emit.fields import at_points, formula, scalar
from pdedsl.emit.names import RUNTIME, name_of, number
from pdedsl.emit.program import Call, Items, Node
from pdedsl.ir.plan import Noise
from pdedsl.ir.spec import Learned, Spec
from pdedsl.words.integrators import Across

NOISES = {"gaussian": "GaussianNoise", "laplace": "LaplaceNoise", "relative": "RelativeNoise"}


def noise_node(noise: Noise, fields: tuple[Learned, ...], spec: Spec) -> Node:
    seed: tuple[tuple[str, Node], ...] = (("seed", 0),)
    names = {w.head: name_of(w) for w in fields}
    home = f"{RUNTIME}.noise"
    match noise.kind:
        case "gaussian" | "laplace":
            assert noise.value is not None
            return Call(f"{home}.{NOISES[noise.kind]}", (number(noise.value),), seed)
        case "relative":
            assert noise.value is not None
            across: tuple[tuple[str, Node], ...] = (
                () if noise.across is Across.SAMPLE else (("across", noise.across.value),)
            )
            return Call(f"{home}.RelativeNoise", (number(noise.value),), (*seed, *across))
        case "scaled":
            assert noise.value is not None
            scale = formula(("x",), at_points(noise.value, names, spec, noise.span), (noise.value,), names)
            return Call(f"{home}.ScaledNoise", (scale,), seed)
        case "dropout" | "shake":
            raise mistakes.networks.needs_velocity(noise.kind, noise.span)
        case "correlated":
            return Call(f"{home}.CorrelatedNoise", (_factor(noise, names, spec),), seed)


def _factor(noise: Noise, names: dict[Symbol, str], spec: Spec) -> Node:
    entries = [[scalar(e, names, spec, noise.span) for e in row] for row in noise.matrix]
    if all(e.is_number for row in noise.matrix for e in row):
        table = Items(tuple(Items(tuple(number(e) for e in row)) for row in noise.matrix))
        return Call(f"{RUNTIME}.noise.cholesky", (Call("torch.tensor", (table,)),))
    exprs = [e for row in noise.matrix for e in row]
    return formula(("x",), Call(f"{RUNTIME}.noise.cholesky", (rows(entries),)), exprs, names)
