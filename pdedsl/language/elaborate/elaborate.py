"""Elaboration: syntax tree → Spec. Declarations first, in any order, then equations and conditions, the experiment, and
checks across statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.blocks import Block
from pdedsl.config.methods import Realizations
from pdedsl.config.networks import NORMALIZATIONS
from pdedsl.config.sweep import Sweep
from pdedsl.diagnostics import PdeError, Reporter, Source, Span, sort_diagnostics
from pdedsl.ir.spec import (
    Condition,
    Equation,
    ExactSolution,
    History,
    IntegralCondition,
    Observation,
    Requirement,
    Spec,
    Summand,
)
from pdedsl.language import ast as t
from pdedsl.language.elaborate.boundary import antiperiodic_conditions, boundary_condition, condition_at_fixed_argument
from pdedsl.language.elaborate.checks import check_spec, elaborate_exact, elaborate_observation, find_duplicate
from pdedsl.language.elaborate.condition_types import boundary_conditions
from pdedsl.language.elaborate.curvilinear import regularity_conditions
from pdedsl.language.elaborate.declarations import inequalities_of, point_space, space_of, time_of
from pdedsl.language.elaborate.environment import MAX_ERRORS, Environment, suggest_derivative, uses_of_names
from pdedsl.language.elaborate.equations import (
    complex_unknown_of,
    elaborate_equation,
    elaborate_summands,
    has_fixed_argument,
    integral_condition,
    is_normalization,
    learned_fields,
    match_equations,
    own_arguments,
    size_of,
    unknown_fields,
)
from pdedsl.language.elaborate.experiment import elaborate_block, elaborate_realization, elaborate_requirements
from pdedsl.language.elaborate.expression_limits import report_exceeded_limits
from pdedsl.language.elaborate.expressions import RESERVED
from pdedsl.language.elaborate.history import history, history_interval, with_initial_values
from pdedsl.language.elaborate.point_sources import require_no_point_sources, require_point_sources
from pdedsl.language.elaborate.sweep import check_sweep, elaborate_sweep
from pdedsl.language.parser import parse_syntax
from pdedsl.language.printing.latex import to_latex

# ---- Equations and conditions


Relation = Equation | Condition | IntegralCondition | History


def elaborate_equation_statement(statement: t.EquationStmt, env: Environment) -> list[Relation]:
    """An equation or condition; two real ones if it is for one component of a complex vector."""
    _report_interface_conditions(statement, env)
    scope = replace(env.scope(), normal=bool(statement.on) and "n" not in env.declared)
    summands = elaborate_summands(statement, scope)
    count = len(summands[0].exprs)
    unknown = complex_unknown_of([e for s in summands for e in s.exprs], env) if count > 1 else None
    if unknown is None or size_of(unknown, env) == count:
        return [_equation_or_condition(statement, summands, env)]
    rows = [tuple(replace(s, exprs=(s.exprs[k],)) for s in summands) for k in range(count)]
    return [_equation_or_condition(statement, row, env) for row in rows]


def _report_interface_conditions(statement: t.EquationStmt, env: Environment) -> None:
    """Reports a jump condition `[u] = 0 on x = ½`, and a condition on a free boundary, `on x = s(t)`."""
    surfaces = [place for place in statement.on if isinstance(place, t.SurfaceEquation)]
    if not surfaces:
        return
    calls = [n for place in surfaces for n in t.walk(place) if isinstance(n, t.Call) and isinstance(n.head, t.Name)]
    heads = [call.head for call in calls if isinstance(call.head, t.Name)]
    if any(isinstance(env.declared.get(h.id), t.UnknownDecl) or _is_called_at_time(h, calls, env) for h in heads):
        raise errors.unsupported.not_supported(errors.unsupported.FREE_BOUNDARY, surfaces[0].span)
    if isinstance(statement.left, t.ListExpr) and len(statement.left.items) == 1:
        raise errors.unsupported.not_supported(errors.unsupported.JUMP_CONDITION, statement.left.span)


def _is_called_at_time(head: t.Name, calls: list[t.Call], env: Environment) -> bool:
    """Whether an undeclared name is called with the time as its argument."""
    arguments = [a for call in calls if call.head == head for a in call.args if isinstance(a, t.Name)]
    timed = any(isinstance(env.declared.get(a.id), t.TimeDecl) for a in arguments)
    return timed and env.is_undeclared(head.id) and head.id not in RESERVED


def _equation_or_condition(statement: t.EquationStmt, summands: tuple[Summand, ...], env: Environment) -> Relation:
    """An equation if an unknown is evaluated at its own variables; a condition if it is evaluated at fixed values
    outside of integrals, or occurs only in integrals that are numbers."""
    exprs = [e for s in summands for e in s.exprs]
    fields = unknown_fields(exprs, env)
    if not fields and statement.on and (learned := learned_fields(exprs, env)):
        return boundary_condition(statement, summands, learned, env)
    if not fields:
        step = isinstance(statement.left, t.Prefix) and isinstance(statement.left.body, t.Name)
        raise errors.equations.missing_unknown(step, statement.span)
    if (interval := history_interval(statement, env)) is not None:
        require_no_point_sources(summands)
        return history(statement, summands, interval, env)
    if not statement.on and is_normalization(exprs, env):
        return integral_condition(statement, summands, env)
    fields = unknown_fields(exprs, env, outside_integrals=True) or fields
    domain = tuple(dict.fromkeys(e.xreplace(env.numbers) for s in summands for e in s.domain))
    if statement.on:
        require_no_point_sources(summands)
        return replace(boundary_condition(statement, summands, fields, env), domain=domain)
    if all(f.arguments != own_arguments(f, env) and has_fixed_argument(f, env) for f in fields):
        require_no_point_sources(summands)
        return replace(condition_at_fixed_argument(statement, summands, fields, env), domain=domain)
    require_point_sources(summands, frozenset(u.head for u in env.unknowns.values()))
    return elaborate_equation(statement, summands, env)


# ---- Specs


PHYSICAL_UNITS = {*("m", "cm", "mm", "km", "s", "ms", "kg", "g", "K", "J", "W", "N", "Pa", "Hz", "mol", "V")}
MAX_UNKNOWNS = 64  # bounds the time of the analysis, which is quadratic in it
MAX_EQUATIONS = 200  # equations and conditions; each time interval has its own equation


def elaborate(syntax: t.Syntax, source: Source, reporter: Reporter) -> Spec:
    """The elaborated spec; raises all errors at once."""
    header = _header(syntax, source, reporter)
    env = Environment(reporter, Path(source.name).parent, uses_of_names(syntax), unresolved=set(syntax.unparsed))
    _declare(syntax, env)
    env.resolve_all()
    relations = _relations(syntax, env)
    exact, observed = _exact_and_observed(syntax, env)
    realizations, required, blocks = _experiment(syntax, env)
    histories = tuple(r for r in relations if isinstance(r, History))
    complete = not reporter.errors
    if not complete or env.space is None or header is None:
        raise PdeError(sort_diagnostics(reporter.errors), source)
    spec = Spec(
        header.name.text,
        header.title.value if header.title else "",
        env.space,
        env.time,
        tuple(env.constants.values()),
        tuple(env.unknowns.values()),
        tuple(env.learned.values()),
        tuple(r for r in relations if isinstance(r, Equation)),
        with_initial_values([r for r in relations if isinstance(r, Condition)], histories, env),
        realizations,
        tuple(required),
        source,
        exact=tuple(exact),
        observations=tuple(observed),
        integral_conditions=tuple(r for r in relations if isinstance(r, IntegralCondition)),
        histories=histories,
        eigenvalue=env.eigenvalue,
        latex=to_latex(syntax),
        **blocks,
    )
    spec = replace(spec, equations=match_equations(spec))
    spec = replace(spec, conditions=(*spec.conditions, *antiperiodic_conditions(spec, env.antiperiodic)))
    spec = replace(spec, conditions=(*spec.conditions, *regularity_conditions(spec)))
    spec = replace(spec, boundary_conditions=tuple(boundary_conditions(spec)))
    check_spec(spec, env)
    if spec.sweep is not None and not reporter.errors:
        check_sweep(spec.sweep, source, _elaborate_alone, reporter)
    if reporter.errors:
        raise PdeError(sort_diagnostics(reporter.errors), source)
    return spec


def _elaborate_alone(source: Source) -> Spec:
    """Parse and elaborate a source; raises its errors."""
    reporter = Reporter()
    syntax = parse_syntax(source, reporter)
    if reporter.errors:
        raise PdeError(sort_diagnostics(reporter.errors), source)
    return elaborate(syntax, source, reporter)


def _header(syntax: t.Syntax, source: Source, reporter: Reporter) -> t.Header | None:
    headers = [s for s in syntax.statements if isinstance(s, t.Header)]
    if not syntax.statements or not isinstance(syntax.statements[0], t.Header):
        first = syntax.statements[0].span if syntax.statements else Span(0, 0)
        where = headers[0].span if headers else Span(first.start, min(first.start + 1, syntax.span.end))
        if "PDE" not in syntax.unparsed and (syntax.statements or not reporter.errors):
            reporter.add(errors.syntax.missing_header(source.quote(where) if headers else None, where))
    for extra in headers[1:]:
        reporter.add(errors.syntax.duplicate_header(extra.span))
    return headers[0] if headers else None


def _declare(syntax: t.Syntax, env: Environment) -> None:
    """Registers all names, then resolves the space and the time, on which the others depend."""
    spaces = [s for s in syntax.statements if isinstance(s, t.SpaceDecl)]
    times = [s for s in syntax.statements if isinstance(s, t.TimeDecl)]
    for space in spaces[1:]:
        env.reporter.add(errors.syntax.duplicate_space(space.span))
        env.unresolved |= {name.id for name in space.names} - {name.id for name in spaces[0].names}
    for time in times[1:]:
        env.reporter.add(errors.syntax.duplicate_time(time.span))
    for statement in syntax.statements:
        if isinstance(statement, t.Declaration) and statement not in (*spaces[1:], *times[1:]):
            names = statement.names if isinstance(statement, t.SpaceDecl) else (statement.name,)
            for name in names:
                with env.reporter.guard():
                    _declare_name(name, statement, env)
    unknowns = [s for s in syntax.statements if isinstance(s, t.UnknownDecl)]
    if len(unknowns) > MAX_UNKNOWNS:
        raise errors.syntax.too_many_unknowns(MAX_UNKNOWNS, unknowns[MAX_UNKNOWNS].span)
    if (not spaces and syntax.statements) or {"SPACE", "TIME"} & syntax.unparsed:
        env.unresolved |= {p.id for u in unknowns for p in u.params or () if p.id not in env.declared}
    ordinary = bool(times) and bool(unknowns) and all(u.params and len(u.params) == 1 for u in unknowns)
    if not spaces and syntax.statements and "SPACE" not in syntax.unparsed and not ordinary:
        env.reporter.add(errors.syntax.missing_space(syntax.statements[0].span))
    for statement in [s for s in syntax.statements if isinstance(s, t.EquationStmt)][:MAX_EQUATIONS]:
        _report_missing_const(statement, env)
    _report_units(syntax, env)
    with env.reporter.guard():
        env.space = space_of(spaces[0], env) if spaces else point_space(times[0]) if ordinary else None
    with env.reporter.guard():
        env.time = time_of(times[0], env) if times else None
    if env.space is not None and spaces and spaces[0].where:
        with env.reporter.guard(), report_exceeded_limits(spaces[0].span):
            more = inequalities_of(spaces[0], env)
            env.space = replace(env.space, inequalities=(*env.space.inequalities, *more))


def _declare_name(name: t.Name, declaration: t.Declaration, env: Environment) -> None:
    if name.id in RESERVED or name.id in NORMALIZATIONS:
        raise errors.names.reserved_name(name.text, name.span)
    earlier = env.declared.get(name.id)
    if earlier is not None and earlier is not declaration:
        raise errors.names.declared_twice(name.text, name.span, earlier.span)
    env.declared[name.id] = declaration


def _relations(syntax: t.Syntax, env: Environment) -> list[Relation]:
    """Equations, conditions, normalizations and histories."""
    relations: list[Relation] = []
    statements = [s for s in syntax.statements if isinstance(s, t.EquationStmt)]
    if len(statements) > MAX_EQUATIONS:
        env.reporter.add(errors.source.too_many_equations(MAX_EQUATIONS, statements[MAX_EQUATIONS].span))
    for statement in statements[:MAX_EQUATIONS]:
        if len(env.reporter.errors) >= MAX_ERRORS:
            break
        with env.reporter.guard(), report_exceeded_limits(statement.span):
            relations += elaborate_equation_statement(statement, env)
    return relations


def _report_missing_const(statement: t.EquationStmt, env: Environment) -> None:
    """Reports `κ = 0.1` without `const` once, and not at every use of κ."""
    name = statement.left
    if isinstance(name, t.Name) and not statement.on and env.is_undeclared(name.id) and name.id not in RESERVED:
        unknown = env.declared.get(name.id.rstrip("0").rstrip("_")) if name.id.endswith("0") else None
        if isinstance(unknown, t.UnknownDecl) and unknown.params:
            arguments = ", ".join([*(p.text for p in unknown.params[:-1]), "0"])
            error = errors.names.undeclared_initial_value(name.text, unknown.name.text, arguments, statement.span)
        else:
            error = suggest_derivative(name, env.declared) or errors.names.undeclared_constant(
                name.text, statement.span
            )
        env.reporter.add(error)
        env.unresolved.add(name.id)


def _report_units(syntax: t.Syntax, env: Environment) -> None:
    """Reports physical units, as in `const κ = 0.1 m` and `time t in [0 s, 1 s]`."""
    for statement in syntax.statements:
        match statement:
            case t.ConstDecl(name=name, value=value):
                _report_units_in([value], {name.id}, env)
            case t.TimeDecl(interval=t.ListExpr(items=items), name=name):
                _report_units_in(items, {name.id}, env)
            case t.SpaceDecl(factors=factors, names=names):
                intervals = [f.body for f in factors if isinstance(f.body, t.ListExpr)]
                _report_units_in([v for interval in intervals for v in interval.items], {n.id for n in names}, env)


def _report_units_in(values: Sequence[t.Expr], names: set[str], env: Environment) -> None:
    """Reports units in the values of a declaration of `names`."""
    units = {value: [n for n in t.walk(value) if _is_unit(n, env)] for value in values}
    found = [n for own in units.values() for n in own if isinstance(n, t.Name)]
    if found:
        removed = [Span(own[0].span.start, value.span.end) for value, own in units.items() if own]
        env.reporter.add(errors.names.physical_unit(found[0].text, removed, found[0].span))
        env.unresolved |= names | {n.id for n in found}


def _is_unit(node: t.Node, env: Environment) -> bool:
    return isinstance(node, t.Name) and node.id in PHYSICAL_UNITS and env.is_undeclared(node.id)


def _exact_and_observed(syntax: t.Syntax, env: Environment) -> tuple[list[ExactSolution], list[Observation]]:
    exact: list[ExactSolution] = []
    observed: list[Observation] = []
    for statement in syntax.statements:
        with env.reporter.guard(), report_exceeded_limits(statement.span):
            match statement:
                case t.ExactStmt():
                    exact += elaborate_exact(statement, env)
                case t.ObserveStmt():
                    observed.append(elaborate_observation(statement, env))
    duplicate = find_duplicate(tuple(exact))
    if duplicate:
        env.reporter.add(errors.equations.duplicate_exact_solution(duplicate))
    return exact, observed


def _experiment(syntax: t.Syntax, env: Environment) -> tuple[Realizations, list[Requirement], dict[str, Any]]:
    realized: dict[str, Located[Any]] = {}
    required: list[Requirement] = []
    blocks: dict[str, Block | Sweep | None] = {}
    for statement in syntax.statements:
        with env.reporter.guard(), report_exceeded_limits(statement.span):
            match statement:
                case t.RealizeStmt():
                    method, part = elaborate_realization(statement, env), statement.part.id
                    if part in realized:
                        raise errors.options.duplicate_method(part, statement.span)
                    realized[part] = method
                case t.RequireStmt():
                    required += elaborate_requirements(statement)
                case t.BlockStmt():
                    if statement.kind.id in blocks:
                        raise errors.options.duplicate_block(statement.kind.text, statement.kind.span)
                    blocks[statement.kind.id] = elaborate_block(statement, env)
                case t.SweepStmt():
                    if "sweep" in blocks:
                        raise errors.options.duplicate_block(statement.kind.text, statement.kind.span)
                    blocks["sweep"] = elaborate_sweep(statement, env)
    return Realizations(**realized), required, blocks
