"""Learned parameters of inverse problems, as additional components after the unknowns: functions, then scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import log

from sympy import Derivative as SympyDerivative
from sympy import Expr, Symbol, exp
from sympy import Function as SympyFunction

from pdedsl.ir.boundary import ConditionResidual
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.ir.spec import Learned
from pdedsl.ir.types import Scalar, Sign
from pdedsl.record import Record
from pdedsl.symbolic.symbols import Field, Partial, atoms

ResidualTransform = Callable[[Residual], Residual]


class LearnedScalar(Record):
    """A learned scalar ν = value(m) of the symbol m: eᵐ if its type has a sign, otherwise m."""

    name: str
    symbol: Symbol
    value: Expr
    initial: float  # initial value of the symbol


def learned_scalars(problem: StrongForm) -> tuple[LearnedScalar, ...]:
    return tuple(_learned_scalar(p) for p in problem.parameters if not p.params)


def _learned_scalar(learned: Learned) -> LearnedScalar:
    symbol = Symbol(f"m_{learned.name}", real=True)
    signed = _is_signed(learned)
    initial = float(learned.initial_value) if learned.initial_value is not None else float(signed)
    return LearnedScalar(learned.name, symbol, exp(symbol) if signed else symbol, log(initial) if signed else initial)


def _is_signed(learned: Learned) -> bool:
    return isinstance(learned.type, Scalar) and learned.type.sign is not Sign.ANY


class LearnedFunction(Record):
    """A learned function k = N, or eᴺ if its type has a sign, for a network N of some coordinates."""

    learned: Learned
    axes: tuple[int, ...]
    signed: bool

    @property
    def name(self) -> str:
        return self.learned.name


def learned_functions(problem: StrongForm) -> tuple[LearnedFunction, ...]:
    coordinates = problem.domain.coordinates
    return tuple(
        LearnedFunction(p, tuple(coordinates.index(a) for a in p.arguments), _is_signed(p))
        for p in problem.parameters
        if p.params
    )


def is_of_coordinates(learned: Learned, problem: StrongForm) -> bool:
    """Whether a learned function is a scalar function of distinct coordinates; others are refused."""
    arguments = learned.arguments
    own = set(arguments) <= set(problem.domain.coordinates) and len(set(arguments)) == len(arguments)
    return own and isinstance(learned.type, Scalar)


def with_parameter_symbols(problem: StrongForm) -> StrongForm:
    """The same problem with learned scalars replaced by their symbols, and learned functions by their networks."""
    with_functions = with_function_symbols(problem)
    values = {p.head: n for p, n in zip(with_functions.parameters, learned_scalars(problem), strict=True)}
    first = len(problem.components) + len(learned_functions(problem))
    places = {n.symbol: first + k for k, n in enumerate(values.values())}
    zero = (0,) * len(problem.domain.coordinates)

    def parametrize(residual: Residual) -> Residual:
        fields = {f: values[f.head].value for f in atoms(residual.expr, Field) if f.head in values}
        expr = residual.expr.xreplace(fields)
        more = tuple((s, Derivative(k, zero)) for s, k in places.items() if s in expr.free_symbols)
        return replace(residual, expr=expr, jet_variables=(*residual.jet_variables, *more))

    return replace(_transform_residuals(with_functions, parametrize), parameters=()) if values else with_functions


def with_function_symbols(problem: StrongForm) -> StrongForm:
    """The same problem with learned functions replaced by their networks, which become additional components."""
    functions = {f.learned.head: (len(problem.components) + k, f) for k, f in enumerate(learned_functions(problem))}
    if not functions:
        return problem
    scalars = tuple(p for p in problem.parameters if not p.params)
    coordinates = problem.domain.coordinates
    return replace(
        _transform_residuals(problem, lambda r: _substitute_functions(r, functions, coordinates)), parameters=scalars
    )


def at_eigenvalue(problem: StrongForm, value: Expr) -> StrongForm:
    """The boundary value problem for a value of the eigenvalue."""
    if problem.eigenvalue is None:
        return problem
    numbers = dict.fromkeys(problem.eigenvalue.parts, value)
    equations = tuple(replace(r, expr=r.expr.xreplace(numbers)) for r in problem.equations)
    conditions = tuple(c.map(lambda e: e.xreplace(numbers)) for c in problem.conditions)
    return replace(problem, equations=equations, conditions=conditions, eigenvalue=None)


def _transform_residuals(problem: StrongForm, change: ResidualTransform) -> StrongForm:
    def change_condition(condition: ConditionResidual) -> ConditionResidual:
        return condition.with_residuals(tuple(map(change, condition.residuals)), problem.domain.space)

    equations, conditions = tuple(map(change, problem.equations)), tuple(map(change_condition, problem.conditions))
    return replace(problem, equations=equations, conditions=conditions)


def _substitute_functions(
    residual: Residual, functions: Mapping[Symbol, tuple[int, LearnedFunction]], coordinates: tuple[Symbol, ...]
) -> Residual:
    jets: dict[Derivative, Symbol] = {}
    values: dict[Expr, Expr] = {}
    for node, field, slots in _occurrences(residual.expr):
        if field.head in functions:
            place, function = functions[field.head]
            values[node] = _network_expression(place, function, slots, coordinates, jets)
    more = tuple((s, d) for d, s in jets.items())
    return replace(residual, expr=residual.expr.xreplace(values), jet_variables=(*residual.jet_variables, *more))


def _occurrences(expr: Expr) -> Iterator[tuple[Expr, Field, tuple[Symbol, ...]]]:
    """Fields and their derivatives; derivatives first, as they contain the fields."""
    yield from ((p, p.body, tuple(p.slots)) for p in sorted(atoms(expr, Partial), key=str) if isinstance(p.body, Field))
    yield from ((f, f, ()) for f in sorted(atoms(expr, Field), key=str))


def _network_expression(
    place: int,
    function: LearnedFunction,
    slots: tuple[Symbol, ...],
    coordinates: tuple[Symbol, ...],
    jets: dict[Derivative, Symbol],
) -> Expr:
    """∂^α of N or eᴺ, with jet symbols for the derivatives of N."""
    network = SympyFunction(f"N{place}", real=True)(*(coordinates[k] for k in function.axes))
    value = exp(network) if function.signed else network
    value = value.diff(*slots) if slots else value

    def jet(orders: tuple[int, ...]) -> Symbol:
        name = f"N{place}_{'_'.join(map(str, orders))}"
        return jets.setdefault(Derivative(place, orders), Symbol(name, real=True))

    symbols = {s: jet(tuple(s.variables.count(x) for x in coordinates)) for s in atoms(value, SympyDerivative)}
    return value.xreplace(symbols).xreplace({network: jet((0,) * len(coordinates))})
