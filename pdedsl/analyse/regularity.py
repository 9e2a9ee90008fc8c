"""Regularity: what the coefficients of an equation say about translations in space and small times."""

from __future__ import annotations

from math import isfinite

from sympy import Add, Expr, Pow, atan, cos, erf, exp, log, sin, tan, tanh

from pdedsl.analyse.problem import Problem
from pdedsl.analyse.samples import MAX_TERMS
from pdedsl.analyse.signs import nonnegative
from pdedsl.ir.spec import Learned
from pdedsl.ir.verdicts import Proved, Unknown, Verdict
from pdedsl.numerics.activations import ACTIVATIONS as RECORDS
from pdedsl.symbolic.activations import ACTIVATIONS
from pdedsl.symbolic.symbols import Field
from pdedsl.words.networks import Convnet, Mlp

BOUNDED_ACTIVATIONS = {name for name, facts in RECORDS.items() if facts.bounded}
LIPSCHITZ_ACTIVATIONS = {name for name, facts in RECORDS.items() if isfinite(facts.lipschitz)}
BOUNDED_FUNCTIONS = (sin, cos, tanh, erf, atan, ACTIVATIONS["sigmoid"])


def spatial_regularity(problem: Problem, ordered: Verdict) -> Verdict:
    """‖T(f(· + h)) - T(f)(· + h)‖ ≤ C |h| t: coefficients must be Lipschitz in x."""
    jet = problem.jet
    if problem.is_vector:
        return Unknown("the bound for a vector depends on how its components are coupled.")
    if problem.spec.space.boundary:
        return Unknown("a translation leaves a domain that has a boundary.")
    if jet.hidden:
        return Unknown("the derivative of a function of u is not worked out.")
    if not _varies(jet.expr, problem):
        return Proved("the coefficients do not depend on x: the equation commutes with translations.")
    if not jet.is_affine:
        return Unknown("the equation is nonlinear and its coefficients depend on x.")
    if ordered.truth != "proved":
        return Unknown("without a comparison principle the bound does not follow.")
    if any(_varies(e, problem) for row in jet.matrix for e in row):
        return Unknown("the diffusion depends on x: the square root of its matrix may not be Lipschitz.")
    if all(_is_lipschitz(e, problem) for e in (*jet.drift, jet.rate, jet.source)) and _is_bounded(jet.rate, problem):
        return Proved("the coefficients are Lipschitz in x.")
    return Unknown("a coefficient may not be Lipschitz in x; on bounded sets it is.")


def temporal_regularity(problem: Problem, ordered: Verdict, constant: Verdict) -> Verdict:
    """‖T(f) - f‖ ≤ C s after a time s: F must be bounded for smooth bounded f, along the solution."""
    jet = problem.jet
    if problem.equation.order != 1:
        return Unknown("the bound depends on the initial velocity.")
    if problem.is_vector:
        return Unknown("the bound for a vector depends on how its components are coupled.")
    if problem.spec.space.boundary:
        return Unknown("near the boundary the bound takes data that fit the conditions there.")
    if ordered.truth != "proved":
        return Unknown("without a comparison principle the bound does not follow.")
    coefficients = (*jet.drift, *(e for row in jet.matrix for e in row), jet.rate, jet.source)
    if jet.is_affine and all(_is_bounded(e, problem) for e in coefficients):
        return Proved("the coefficients are bounded, so u changes at a bounded rate.")
    settled = constant.truth == "proved" or jet.u not in jet.expr.free_symbols
    if not jet.is_affine and settled and not _varies(jet.expr, problem) and not jet.singular and not jet.hidden:
        return Proved("F does not depend on x and is bounded for bounded derivatives.")
    return Unknown("a coefficient may be unbounded; on bounded sets the rate of change is bounded.")


def _varies(expr: Expr, problem: Problem) -> bool:
    """Whether an expression depends on x other than through u."""
    if expr.free_symbols & set(problem.jet.coordinates):
        return True
    base = set(problem.spec.space.coordinates)
    return any(f.free_symbols & base for f in expr.atoms(Field))


def _is_lipschitz(expr: Expr, problem: Problem) -> bool:
    """Globally Lipschitz in x: a network, or bounded derivatives."""
    if expr.has(Field):
        learned = _learned(expr.as_coeff_Mul()[1], problem)
        return learned is not None and _activation(learned) in LIPSCHITZ_ACTIVATIONS
    if len(Add.make_args(expr)) > MAX_TERMS:
        return False
    return all(_is_bounded(expr.diff(c), problem) for c in problem.jet.coordinates)


def _learned(expr: Expr, problem: Problem) -> Learned | None:
    if not isinstance(expr, Field):
        return None
    return next((w for w in problem.spec.learned if w.head == expr.head), None)


def _activation(learned: Learned) -> str:
    net = learned.net.word if learned.net else None
    return net.activation.name if isinstance(net, Mlp | Convnet) else "relu"


def _is_bounded(expr: Expr, problem: Problem) -> bool:
    """Bounded in x and t, as far as this can be read off."""
    jet = problem.jet
    if expr.free_symbols & jet.variable_set:
        return False
    if not expr.free_symbols & set(jet.coordinates) and not expr.has(Field):
        return _is_finite_in_time(expr, problem)
    if expr.is_Add or expr.is_Mul:
        return all(_is_bounded(a, problem) for a in expr.args)
    if expr.is_Pow and expr.exp.is_nonnegative and not expr.exp.free_symbols:
        return _is_bounded(expr.base, problem)
    if isinstance(expr, exp):
        return bool(nonnegative(-expr.args[0]))
    if isinstance(expr, Field):
        return _is_bounded_network(expr, problem)
    return isinstance(expr, BOUNDED_FUNCTIONS)


def _is_finite_in_time(expr: Expr, problem: Problem) -> bool:
    """Whether nothing can blow up as t runs through its interval: no quotient and no logarithm of t."""
    time = problem.spec.time
    if time is None or time.symbol not in expr.free_symbols:
        return True
    quotients = (p for p in expr.atoms(Pow) if not p.exp.is_nonnegative and not isinstance(p, exp))
    return not any(a.has(time.symbol) for a in (*quotients, *expr.atoms(log, tan)))


def _is_bounded_network(field: Field, problem: Problem) -> bool:
    learned = _learned(field, problem)
    if learned is None:
        return False
    net = learned.net
    return net is None or (isinstance(net.word, Mlp) and net.word.activation.name in BOUNDED_ACTIVATIONS)
