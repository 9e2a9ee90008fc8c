"""Equations in a normal form that does not depend on how they are written."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sympy import Abs, Add, Expr, Heaviside, Integer, Max, Min, S, Symbol, sign

from pdedsl import mistakes
from pdedsl.frontend.elaborate.calculus import bounded
from pdedsl.frontend.elaborate.environment import Environment
from pdedsl.frontend.elaborate.intervals import interval_of
from pdedsl.frontend.elaborate.summands import normal, own_arguments, size_of, unknown_fields, unknown_of
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Equation, Summand
from pdedsl.symbolic.activations import Activation
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.expansion import multiply_out
from pdedsl.symbolic.symbols import Field, Partial


def equation_of(statement: t.EquationStmt, summands: tuple[Summand, ...], env: Environment) -> Equation:
    interval = _during(statement, env)
    columns = [[s.exprs[k] for s in summands] for k in range(len(summands[0].exprs))]
    wholes = [bounded(partial(normal, column, env.numbers), statement.span) for column in columns]
    if all(w == S.Zero for w in wholes):
        raise mistakes.equations.terms_cancel(statement.span)
    target = _leading(wholes[0], env)
    if target is None:
        return Equation(summands, _only_unknown(wholes, env), 0, tuple(wholes), interval, statement.span)
    right, body = tuple(_solved(w, target, k, env) for k, w in enumerate(wholes)), target.body
    below = tuple(e for k, w in enumerate(wholes) for e in _below(_coefficient(w, target, k), body, env))
    summands = (replace(summands[0], domain=(*summands[0].domain, *below)), *summands[1:])
    alone = bool(body.indices) and len(wholes) < size_of(unknown_of(body, env), env)
    component = int(body.indices[0]) if alone and body.indices[0].is_Integer else None
    return Equation(summands, body.head, len(target.slots), right, interval, statement.span, component)


def _leading(whole: Expr, env: Environment) -> Partial | None:
    """The time derivative of highest order of any unknown in the equation."""
    if env.time is None:
        return None
    t_ = env.time.symbol
    heads = {u.head for u in env.unknowns.values()}
    found = [
        p
        for p in atoms(whole, Partial)
        if isinstance(p.body, Field)
        and p.body.head in heads
        and set(p.slots) == {t_}
        and p.body.arguments == own_arguments(p.body, env)
    ]
    return max(found, key=lambda p: (len(p.slots), str(p))) if found else None


def _goal(target: Partial, k: int) -> Partial:
    """The time derivative of the component that an equation determines."""
    body = target.body
    if body.indices and k:
        body = Field(body.head, (Integer(k + 1),), tuple(body.arguments))
    return Partial(body, *target.slots)


def _coefficient(whole: Expr, target: Partial, k: int) -> Expr:
    """What the time derivative is multiplied by; 1 in an implicit equation."""
    goal = _goal(target, k)
    found = Add(*(a / goal for a in Add.make_args(whole) if a.has(goal)))
    return S.One if found == 0 or found.has(goal) else found


def _below(coefficient: Expr, body: Field, env: Environment) -> tuple[Expr, ...]:
    """What must have a value for the equation to say something of u: relu(x) ∂u/∂t = relu(x) Δu does not where x < 0,
    nor q ∂u/∂t = q Δu for a weight of 0. Single points, as in x ∂u/∂t = x Δu, do not matter."""
    if unknown_fields([coefficient], env):
        return (1 / coefficient,)
    return (body / coefficient,) if coefficient.has(Field, Activation, Abs, Max, Min, Heaviside, sign) else ()


def _solved(whole: Expr, target: Partial, k: int, env: Environment) -> Expr:
    """The right-hand side when the equation is solved for its time derivative."""
    goal = _goal(target, k)
    terms = Add.make_args(whole)
    with_goal = [a for a in terms if a.has(goal)]
    coefficient = Add(*(a / goal for a in with_goal))
    if not with_goal or coefficient.has(goal):
        return whole  # an implicit equation keeps its whole form
    rest = [a for a in terms if not a.has(goal)]
    return Add(*(multiply_out(-a / coefficient) for a in rest))


def _only_unknown(wholes: list[Expr], env: Environment) -> Symbol | None:
    heads = {f.head for f in unknown_fields(wholes, env)}
    return heads.pop() if len(heads) == 1 else None


def _during(statement: t.EquationStmt, env: Environment) -> tuple[Expr, Expr] | None:
    if statement.during is None:
        return None
    name, expr = statement.during
    if env.time is None or name.id != _time_id(env):
        raise mistakes.equations.not_the_time(name.text, env.time.name if env.time else None, name.span)
    piece = interval_of(expr, env)
    return piece.start, piece.end


def _time_id(env: Environment) -> str:
    return next(n for n, d in env.declared.items() if isinstance(d, t.TimeDecl))
