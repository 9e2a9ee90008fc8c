"""Activations as functions of sympy: each is a name on feature maps and a formula on numbers.

What is known of them, for proofs, is in `vocabulary`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Abs, Expr, Function, Max, Min, Pow, Rational, erf, exp, log, sqrt, tanh

from pdedsl.ir.vocabulary import ACTIVATION_FACTS

Formula = Callable[[Expr], Expr]
# sin, tanh, atan and erf are sympy's own functions.
FORMULAS: dict[str, Formula] = {
    "identity": lambda x: x,
    "relu": lambda x: Max(0, x),
    "leaky_relu": lambda x: Max(x, x * Rational(1, 100)),
    "elu": lambda x: Max(0, x) + exp(Min(0, x)) - 1,
    "softplus": lambda x: log(1 + exp(x)),
    "sigmoid": lambda x: 1 / (1 + exp(-x)),
    "softsign": lambda x: x / (1 + Abs(x)),
    "hardtanh": lambda x: Max(-1, Min(1, x)),
    "abs": Abs,
    "gelu": lambda x: x * (1 + erf(x / sqrt(2))) / 2,
    "silu": lambda x: x / (1 + exp(-x)),
    "mish": lambda x: x * tanh(log(1 + exp(x))),
    "square": lambda x: x**2,
}


class Activation(Function):  # type: ignore[misc]
    """A named activation; at a number it is its value, and an odd one lets a sign out: σ(-K Y) = -σ(K Y)."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x.is_comparable:
            return FORMULAS[cls.__name__](x)
        if ACTIVATION_FACTS[cls.__name__].odd and x.as_coeff_Mul()[0].is_negative:
            return -cls(-x)
        return None

    def _eval_is_real(self) -> bool:
        return True

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        name, inner = type(self).__name__, printer._print(self.args[0])
        around = {"abs": (r"\left|", r"\right|"), "square": (r"\left(", r"\right)^{2}")}
        left, right = around.get(name, (rf"\operatorname{{{name}}}\left(".replace("_", r"\_"), r"\right)"))
        return f"{{{left}{inner}{right}}}^{{{exp}}}" if exp else f"{left}{inner}{right}"


def _named(name: str) -> type[Activation]:
    return type(name, (Activation,), {})


ACTIVATIONS: dict[str, type[Activation]] = {name: _named(name) for name in FORMULAS}


def as_activation(body: Expr) -> Expr:
    """|z| and z² by their names: they are layers like any other, however they are written."""
    match body:
        case Abs(args=(inner,)):
            return ACTIVATIONS["abs"](inner)
        case Pow(base=base, exp=power) if power == 2:
            return ACTIVATIONS["square"](base)
        case _:
            return body
