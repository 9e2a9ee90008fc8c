"""Numbers that are learned beside the unknowns, as letters behind those of the components."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import log

from sympy import Expr, Symbol, exp

from pdedsl.ir.spec import Learned
from pdedsl.ir.statement import Derivative, Imposed, Residual, Statement
from pdedsl.ir.types import Scalar, Sign
from pdedsl.symbolic.symbols import Field


@dataclass(frozen=True)
class Number:
    """ν = value(letter): eᵐ where it must be positive."""

    name: str
    letter: Symbol
    value: Expr
    start: float  # of the letter


def numbers_of(statement: Statement) -> tuple[Number, ...]:
    return tuple(map(_number, statement.parameters))


def _number(learned: Learned) -> Number:
    letter = Symbol(f"m_{learned.name}", real=True)
    signed = isinstance(learned.type, Scalar) and learned.type.sign is not Sign.ANY
    begin = float(learned.start) if learned.start is not None else float(signed)
    return Number(learned.name, letter, exp(letter) if signed else letter, log(begin) if signed else begin)


def with_letters(statement: Statement) -> Statement:
    """The same problem, in which every learned number is a function of its letter."""
    values = {p.head: n for p, n in zip(statement.parameters, numbers_of(statement), strict=True)}
    if not values:
        return statement
    places = {n.letter: len(statement.components) + k for k, n in enumerate(values.values())}

    def lettered(residual: Residual) -> Residual:
        return _lettered(residual, values, places, len(statement.domain.coordinates))

    def imposed(condition: Imposed) -> Imposed:
        return replace(condition, residuals=tuple(map(lettered, condition.residuals)))

    equations, conditions = tuple(map(lettered, statement.equations)), tuple(map(imposed, statement.conditions))
    return replace(statement, equations=equations, conditions=conditions, parameters=())


def _lettered(
    residual: Residual, values: Mapping[Symbol, Number], places: Mapping[Symbol, int], coordinates: int
) -> Residual:
    fields = {f: values[f.head].value for f in residual.expr.atoms(Field) if f.head in values}
    expr = residual.expr.xreplace(fields)
    zero = (0,) * coordinates
    more = tuple((s, Derivative(k, zero)) for s, k in places.items() if s in expr.free_symbols)
    return replace(residual, expr=expr, letters=(*residual.letters, *more))
