"""Activation functions as sympy functions: symbolic on feature maps, evaluated at numbers.

Their formulas and properties (monotone, odd, bounds) are in `numerics.activations`.
"""

from __future__ import annotations

from functools import cache

from sympy import Abs, Dummy, Expr, Function, Max, Min, Pow, atan, erf, exp, log, sin, sqrt, tanh

from pdedsl.numerics import activations
from pdedsl.numerics.activations import Algebra

SYMPY_ALGEBRA = Algebra(
    *(Max, Min, Abs, exp, tanh, atan, sin, erf, sqrt),
    softplus=lambda x: log(1 + exp(x)),
    sigmoid=lambda x: 1 / (1 + exp(-x)),
)
SYMPY_FUNCTIONS = ("sin", "tanh", "atan", "erf")  # these exist in sympy


def formula_of(record: activations.Activation, x: Expr) -> Expr:
    """σ(x) in elementary functions."""
    return record.formula(SYMPY_ALGEBRA, x)


class ActivationFunction(Function):  # type: ignore[misc]
    """An activation function; evaluated at numbers. If it is odd, signs are extracted: σ(-K Y) = -σ(K Y)."""

    nargs = 1
    record: activations.Activation

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x.is_comparable:
            return formula_of(cls.record, x)
        if cls.record.odd and x.as_coeff_Mul()[0].is_negative:
            return -cls(-x)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        return ACTIVATION_DERIVATIVES[type(self).__name__](self.args[0])

    def _eval_is_real(self) -> bool:
        return True

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.record.lower >= 0 else None

    def _eval_is_positive(self) -> bool | None:
        return True if self.record.positive else None


ACTIVATIONS: dict[str, type[ActivationFunction]] = {
    name: type(name, (ActivationFunction,), {"record": record})
    for name, record in activations.ACTIVATIONS.items()
    if name not in SYMPY_FUNCTIONS
}


ARGUMENT = Dummy("z", real=True)


@cache
def derivative_of(record: activations.Activation, order: int) -> Expr:
    """σ or a derivative of it at ARGUMENT, in elementary functions; cached."""
    return formula_of(record, ARGUMENT).diff(ARGUMENT, order) if order else formula_of(record, ARGUMENT)


class ActivationDerivative(Function):  # type: ignore[misc]
    """The derivative σ' of an activation, with known sign and bound; evaluated at numbers."""

    nargs = 1
    record: activations.Activation

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if not x.is_comparable:
            return None
        return derivative_of(cls.record, 1).xreplace({ARGUMENT: x})

    def fdiff(self, argindex: int = 1) -> Expr:
        """σ'', by its formula."""
        return derivative_of(self.record, 2).xreplace({ARGUMENT: self.args[0]})

    def _eval_is_real(self) -> bool:
        return True

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.record.monotone else None


ACTIVATION_DERIVATIVES: dict[str, type[ActivationDerivative]] = {
    name: type(f"{name}_slope", (ActivationDerivative,), {"record": record})
    for name, record in activations.ACTIVATIONS.items()
}


def as_activation(body: Expr) -> Expr:
    """Replaces |z| and z² by activations, so that they are recognised as layers."""
    match body:
        case Abs(args=(inner,)):
            return ACTIVATIONS["abs"](inner)
        case Pow(base=base, exp=power) if power == 2:
            return ACTIVATIONS["square"](base)
        case _:
            return body
