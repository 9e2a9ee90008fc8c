"""Checks across statements: every unknown has an equation, every equation its conditions; and the elaboration of
`exact` and `observe`."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from math import ceil

from sympy import Expr, Integer, S

from pdedsl import errors
from pdedsl.config.data import CLASSES, IMAGE_SHAPES, MEASUREMENT_FILES
from pdedsl.config.evaluation import IteratedAttack, NormOrder
from pdedsl.config.methods import HeatSmoothing
from pdedsl.diagnostics import Reporter, Span
from pdedsl.ir.boundary import LevelSet
from pdedsl.ir.spec import (
    Condition,
    Equation,
    ExactSolution,
    FamilyParameter,
    Learned,
    Observation,
    SpaceKind,
    Spec,
    Unknown,
)
from pdedsl.ir.types import Operator, Simplex, Vector
from pdedsl.language import ast as t
from pdedsl.language.elaborate.boundary import count_conditions, points_on, selects_points, spec_region
from pdedsl.language.elaborate.environment import Environment
from pdedsl.language.elaborate.equations import component_list
from pdedsl.language.elaborate.expressions import is_complex_name, tensor
from pdedsl.language.elaborate.options import elaborate_option
from pdedsl.language.elaborate.values import Tensor, common_shape
from pdedsl.language.names import subscript
from pdedsl.record import Record
from pdedsl.symbolic.complex_numbers import is_complex, real_and_imaginary
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import substitute
from pdedsl.symbolic.symbols import Field, atoms

_FOR_INTERVAL = re.compile(r"\bfor\s+\w+\s+(?:in|∈)\s+\[\s*([^,\[\]]+?)\s*,\s*([^,\[\]]+?)\s*\]$")


def check_spec(spec: Spec, env: Environment) -> None:
    """Reports missing, duplicate, contradictory and unused statements."""
    reporter = env.reporter
    if not spec.unknowns:
        reporter.add(errors.syntax.missing_unknown(spec.space.span))
    for unknown in spec.unknowns:
        own = [e for e in spec.equations if _concerns(e, unknown)]
        if not own:
            reporter.add(
                errors.equations.missing_equation(unknown.name, spec.time.name if spec.time else None, unknown.span)
            )
            continue
        for part in parts_of(unknown, spec):
            _check_time_intervals(spec, part, reporter)
            _check_initial_conditions(spec, part, reporter)
    if spec.space.kind is SpaceKind.PHYSICAL:
        _check_domain(spec, reporter)
        count_conditions(spec, reporter)
        _report_unidentifiable(spec, reporter)
    if spec.network and spec.space.kind is not SpaceKind.PIXELS:
        reporter.add(errors.options.network_block_without_pixels(spec.network.span))
    _check_eigenproblem(spec, reporter)
    _report_unused(env)
    _report_networks_without_input(env)
    _check_experiment(spec, reporter)


def _concerns(equation: Equation, unknown: Unknown) -> bool:
    if equation.unknown is not None:
        return bool(equation.unknown == unknown.head)
    return any(f.head == unknown.head for e in equation.rhs for f in atoms(e, Field))


class UnknownPart(Record):
    """An unknown, or a component with separate equations, with its equations and its conditions in time."""

    unknown: Unknown
    component: int | None
    equations: tuple[Equation, ...]
    conditions: tuple[Condition, ...]

    @property
    def name(self) -> str:
        return self.unknown.name + (subscript([str(self.component)]) or "" if self.component else "")


def parts_of(unknown: Unknown, spec: Spec) -> list[UnknownPart]:
    equations = [e for e in spec.equations if e.unknown in (None, unknown.head)]
    conditions = [c for c in spec.conditions if c.unknown == unknown.head and not c.on_boundary]
    components = {e.component for e in equations} | {c.component for c in conditions}
    if not components - {None}:
        return [UnknownPart(unknown, None, tuple(equations), tuple(conditions))]
    size = (unknown.type.size or spec.space.dimension) if isinstance(unknown.type, Vector) else 1
    return [
        UnknownPart(
            unknown,
            k,
            tuple(e for e in equations if e.component in (None, k)),
            tuple(c for c in conditions if c.component in (None, k)),
        )
        for k in range(1, int(size) + 1)
    ]


# ---- Time intervals


def _check_time_intervals(spec: Spec, part: UnknownPart, reporter: Reporter) -> None:
    """Checks that the time intervals of the equations cover the time without gap or overlap."""
    equations = [e for e in part.equations if e.unknown is not None]
    if part.component and not part.equations:
        reporter.add(
            errors.equations.missing_equation(part.name, spec.time.name if spec.time else None, part.unknown.span)
        )
    whole = [e for e in equations if e.interval is None]
    segments = sorted((e for e in equations if e.interval is not None), key=lambda e: float(e.interval[0]))  # type: ignore[index]
    for extra in whole[1:] or (whole if segments else []):
        time = spec.time.name if spec.time else None
        reporter.add(errors.equations.duplicate_equation(part.name, time, extra.span))
    if whole or not segments or spec.time is None:
        return
    name, reached, end = spec.time.name, spec.time.start, spec.time.end
    for segment in segments:
        assert segment.interval is not None
        a, b = segment.interval
        if a < spec.time.start or b > end:
            reporter.add(
                errors.equations.outside_time_interval(
                    _interval_text(a, b), _interval_text(spec.time.start, end), segment.span
                )
            )
        elif a > reached:
            first, _ = _interval_spans(spec, segment)
            reporter.add(errors.equations.time_gap(name, notation(reached), notation(a), segment.span, first))
        elif a < reached:
            until, (first, _) = notation(min(b, reached)), _interval_spans(spec, segment)
            reporter.add(
                errors.equations.time_overlap(name, notation(a), until, notation(reached), segment.span, first)
            )
        reached = max(reached, b)
    if reached < end:
        _, last = _interval_spans(spec, segments[-1])
        reporter.add(errors.equations.time_gap_at_end(name, notation(reached), notation(end), segments[-1].span, last))


def _interval_spans(spec: Spec, segment: Equation) -> tuple[Span | None, Span | None]:
    """The spans of the ends of an interval, if a pattern finds them."""
    match = _FOR_INTERVAL.search(spec.source.text, segment.span.start, segment.span.end)
    return (Span(*match.span(1)), Span(*match.span(2))) if match else (None, None)


def _interval_text(start: Expr, end: Expr) -> str:
    return f"[{notation(start)}, {notation(end)}]"


# ---- Initial conditions


def _check_initial_conditions(spec: Spec, part: UnknownPart, reporter: Reporter) -> None:
    """Checks the initial or terminal conditions: one for each order below that of the equation, at one end."""
    if not part.equations:
        return
    own, order, unknown = list(part.conditions), max(e.order for e in part.equations), part.unknown
    for duplicate in _duplicates(own, lambda c: (c.kind, c.order)):
        kind = f"{duplicate.kind} {'velocity' if duplicate.order else 'condition'}"
        reporter.add(errors.equations.duplicate_condition(part.name, kind, duplicate.span))
    late = next((c for c in own if c.kind != own[0].kind and c.order == own[0].order), None)
    if late and order < 2:
        reporter.add(errors.equations.initial_and_terminal(part.name, late.span))
    for extra in (c for c in own if c.order >= order):
        reporter.add(errors.equations.condition_order(order, extra.span))
    prescribed = {c.order for c in own}
    name, args = part.name, _initial_arguments(spec)
    for k in range(order):
        if (
            k not in prescribed
            and not (k == 0 and spec.space.kind is SpaceKind.PIXELS)
            and not (own and late and order >= 2)
        ):
            left = f"{name}({args})" if k == 0 else f"∂{name}/∂{_time_name(spec)}({args})"
            kind = "initial condition" if k == 0 else "initial velocity"
            can_be_zero = k > 0 or spec.space.kind is SpaceKind.PHYSICAL
            position = part.equations[-1].span.end if can_be_zero else None
            reporter.add(errors.equations.missing_initial_condition(name, kind, left, unknown.span, position))


def _initial_arguments(spec: Spec) -> str:
    start = spec.time.start if spec.time else S.Zero
    return ", ".join((*spec.space.names, notation(start)))


def _time_name(spec: Spec) -> str:
    return spec.time.name if spec.time else "t"


def _duplicates(conditions: list[Condition], key: Callable[[Condition], object]) -> list[Condition]:
    seen: set[object] = set()
    return [c for c in conditions if key(c) in seen or seen.add(key(c))]  # type: ignore[func-returns-value]


# ---- Domain


def _check_domain(spec: Spec, reporter: Reporter) -> None:
    """Reports an empty domain, a redundant inequality, a condition on an empty set."""
    region = spec_region(spec)
    if spec.space.inequalities and not region.interior(1):
        reporter.add(errors.equations.empty_domain(spec.space.span))
        return
    for g in spec.space.inequalities:
        if not points_on(LevelSet(g.expr), region):
            alone = spec.source.text.rfind("where", 0, g.span.start) if len(spec.space.inequalities) == 1 else None
            reporter.add(errors.equations.redundant_inequality(spec.source.quote(g.span), g.span, alone))
    for condition in (
        c for c in spec.conditions if c.on_boundary and (c.level_sets or c.part or spec.space.inequalities)
    ):
        if not selects_points(condition, region):
            reporter.add(errors.equations.empty_location(condition.span))


# ---- Eigenproblems


def _check_eigenproblem(spec: Spec, reporter: Reporter) -> None:
    """Reports an eigenvalue that does not occur, and statements that an eigenproblem cannot have."""
    if spec.eigenvalue is None:
        if spec.solve is not None and spec.solve.sets("modes"):
            reporter.add(errors.eigenproblems.modes_without_eigenproblem(spec.solve.place("modes")))
        return
    exprs = [e for equation in spec.equations for s in equation.summands for e in s.exprs]
    exprs += [e for condition in spec.conditions for e in condition.value]
    if not any(e.free_symbols & {*spec.eigenvalue.parts} for e in exprs):
        reporter.add(errors.eigenproblems.unused_eigenvalue(spec.eigenvalue.name, spec.eigenvalue.span))
    several = "there are many eigenfunctions"
    statements: list[tuple[str, str, Span]] = [("an exact solution", several, e.span) for e in spec.exact]
    statements += [("observations", several, o.span) for o in spec.observations]
    for w in spec.learned:
        if isinstance(w, FamilyParameter):
            crossing = "eigenvalues cross as a parameter changes, so that modes of members do not correspond by number"
            statements.append(("parameters of a family", crossing, w.span))
        else:
            statements.append(("learned fields", "its operators must be known", w.span))
    for statement, reason, span in statements:
        reporter.add(errors.eigenproblems.not_in_eigenproblem(statement, reason, span))


# ---- Names


def _report_unused(env: Environment) -> None:
    for id_, declaration in env.declared.items():
        if id_ in env.used or id_ in env.unresolved:
            continue
        name = declaration.names[0] if isinstance(declaration, t.SpaceDecl) else declaration.name
        if isinstance(declaration, t.SpaceDecl):
            name = next(n for n in declaration.names if n.id == id_)
        alone = None if isinstance(declaration, t.SpaceDecl | t.TimeDecl) else declaration.span
        env.reporter.add(errors.names.unused_name(name.text, name.span, alone))


def _report_networks_without_input(env: Environment) -> None:
    """Reports networks of fields without arguments, except operators, which act on their operand."""
    coordinates = [*(env.space.names if env.space else ()), *([env.time.name] if env.time else [])]
    for learned in env.learned.values():
        if learned.net is not None and not learned.params and not isinstance(learned.type, Operator):
            description = ", ".join(coordinates), str(learned.type)
            env.reporter.add(errors.names.network_without_arguments(learned.name, *description, learned.span))


def _report_unidentifiable(spec: Spec, reporter: Reporter) -> None:
    """Reports learned parameters that are not identifiable, as there are no observations."""
    learned_fields = [w for w in spec.learned if not isinstance(w, FamilyParameter)]
    for learned in learned_fields if spec.unknowns and not spec.observations else ():
        reporter.add(errors.equations.not_identifiable(learned.name, spec.unknowns[0].name, learned.span))


# ---- Training and evaluation


def _check_experiment(spec: Spec, reporter: Reporter) -> None:
    """Warns of attacks that are weak by their parameters, and of data with fewer classes than the model."""
    training = [spec.train.adversary] if spec.train and spec.train.adversary else []
    evaluation = [*spec.evaluate.attack, *(t.attack for t in spec.evaluate.transfer)] if spec.evaluate else []
    for attack in (*training, *evaluation):
        eps = getattr(attack.config, "eps", ())
        largest = max(eps if isinstance(eps, tuple) else (eps,), default=Fraction(0))
        if isinstance(attack.config, IteratedAttack) and attack.config.step is not None:
            step, steps = attack.config.step, attack.config.steps
            if step * steps < largest:
                sizes = float(largest), float(step * steps), ceil(largest / step)
                reporter.add(errors.evaluation.short_steps(attack.config.name, *sizes, attack.span))
        is_image = spec.space.image is not None or spec.space.kind is SpaceKind.PIXELS
        if is_image and getattr(attack.config, "norm", None) is NormOrder.INF and largest > 1:
            reporter.add(errors.evaluation.large_eps(float(largest), attack.span))
    diffusion = spec.realize.diffusion
    if diffusion and isinstance(diffusion.config, HeatSmoothing) and diffusion.config.is_variational:
        reporter.add(errors.evaluation.variational_smoothing(diffusion.span))
    data = spec.train.data if spec.train else None
    type_ = spec.unknowns[0].type if spec.unknowns else None
    classes = spec.network.classes if spec.network else type_.classes if isinstance(type_, Simplex) else None
    expected = CLASSES.get(type(data.config)) if data else None
    if data and classes and expected and expected < classes:
        reporter.add(errors.evaluation.unused_classes(data.config.name, expected, classes, data.span))
    shape = IMAGE_SHAPES.get(type(data.config)) if data else None
    network = spec.network.input.config.shape if spec.network else None
    model, place = (network, spec.network.span) if spec.network else (spec.space.image, spec.space.span)
    if data and shape and model and shape != model:
        reporter.add(errors.evaluation.other_images(data.config.name, shape, model, data.span, place))


# ---- Exact solutions and observations


def elaborate_exact(statement: t.ExactStmt, env: Environment) -> list[ExactSolution]:
    """The exact value of an unknown, of one of its components, or of a learned parameter; that of a component of a
    complex vector is real and imaginary part."""
    if env.scope().space.kind is not SpaceKind.PHYSICAL:
        raise errors.equations.needs_physical_domain("exact", statement.span)
    field, component = _observed_unknown(statement.unknown, env, learned=True)
    value = tensor(statement.value, env.scope())
    subject = tensor(statement.unknown, env.scope())
    like = common_shape([(1, subject, statement.unknown.span), (-1, value, statement.value.span)], added=False)
    exprs = tuple(substitute(e, env.numbers) for e in component_list(value, like.rank, like.size))
    family = {w.head for w in env.learned.values() if isinstance(w, FamilyParameter)}
    if any(f.head not in family for e in exprs for f in atoms(e, Field)):
        raise errors.equations.exact_has_unknowns(statement.value.span)
    if not (isinstance(field.type, Vector) and field.type.is_complex):
        if any(is_complex(e) for e in exprs):
            raise errors.types.complex_value("this value", statement.value.span)
        return [ExactSolution(field.head, component, exprs, statement.span)]
    values = tuple(part for e in exprs for part in real_and_imaginary(e))
    if component is None:
        return [ExactSolution(field.head, None, values, statement.span)]
    pairs = zip(_real_components(field, component), values, strict=True)
    return [ExactSolution(field.head, k, (v,), statement.span) for k, v in pairs]


def elaborate_observation(statement: t.ObserveStmt, env: Environment) -> Observation:
    if env.scope().space.kind is not SpaceKind.PHYSICAL:
        raise errors.equations.needs_physical_domain("observe", statement.span)
    subjects = tuple(_observed_unknown(e, env, learned=False) for e in statement.unknowns)
    data = elaborate_option(statement.data, MEASUREMENT_FILES, "source of observations", env.number)
    observed = tuple((field.head, j) for field, k in subjects for j in _real_components(field, k))
    return Observation(observed, data, statement.span)


def _real_components(field: Unknown | Learned, component: int | None) -> tuple[int | None, ...]:
    """A component of an unknown in the numbering of real components."""
    if component is None or not (isinstance(field.type, Vector) and field.type.is_complex):
        return (component,)
    return 2 * component - 1, 2 * component


def _observed_unknown(expr: t.Expr, env: Environment, learned: bool) -> tuple[Unknown | Learned, int | None]:
    """An unknown at its own arguments, and its component, if only one is meant."""
    name, component = _name_and_component(expr)
    unknown = _resolve_unknown(name, env, learned)
    value = tensor(expr, env.scope())
    if not _has_own_arguments(value, unknown):
        raise errors.equations.arguments_differ(unknown.name, expr.span)
    return unknown, component


def _has_own_arguments(value: Tensor, field: Unknown | Learned) -> bool:
    first = real_and_imaginary(value.at(*(Integer(1),) * value.rank))[0]
    return isinstance(first, Field) and first.head == field.head and tuple(first.arguments) == tuple(field.arguments)


def _name_and_component(expr: t.Expr) -> tuple[t.Name, int | None]:
    match expr:
        case t.Name():
            return expr, None
        case t.Call(head=head):
            return _name_and_component(head)
        case t.Index(body=body, indices=(t.Number(text=text),)) if text.isdigit():
            return _name_and_component(body)[0], int(text)
        case _:
            raise errors.equations.not_an_unknown(None, expr.span)


def _resolve_unknown(name: t.Name, env: Environment, learned: bool) -> Unknown | Learned:
    if is_complex_name(name.id, env.scope()):
        raise errors.equations.not_an_unknown(name.text, name.span)
    env.value(name)
    if name.id in env.unknowns:
        return env.unknowns[name.id]
    if learned and name.id in env.learned:
        return env.learned[name.id]
    raise errors.equations.not_an_unknown(name.text, name.span)


def find_duplicate(solutions: tuple[ExactSolution, ...]) -> Span | None:
    """The span of a second value for the same component."""
    seen: set[object] = set()
    for e in solutions:
        keys = {(e.unknown, e.component)} if e.component else {(e.unknown, k) for k in range(1, len(e.value) + 1)}
        if keys & seen:
            return e.span
        seen |= keys
    return None
