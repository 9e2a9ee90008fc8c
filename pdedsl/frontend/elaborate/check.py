"""What the statements of a spec owe each other: each unknown an equation, each equation its conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from sympy import Expr, S, Symbol

from pdedsl import mistakes
from pdedsl.diagnostics import Reporter
from pdedsl.frontend.elaborate.environment import Environment
from pdedsl.frontend.elaborate.numbers import numeral
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Condition, Equation, SpaceKind, Spec, Unknown
from pdedsl.symbolic.symbols import Field, Partial


def check(spec: Spec, env: Environment) -> None:
    """Reports what is missing, doubled, contradictory or unused."""
    reporter = env.reporter
    if not spec.unknowns:
        reporter.add(mistakes.syntax.no_unknown(spec.space.span))
    for unknown in spec.unknowns:
        own = [e for e in spec.equations if _concerns(e, unknown)]
        if not own:
            reporter.add(mistakes.equations.no_equation(unknown.name, unknown.span))
            continue
        _pieces(spec, unknown, [e for e in own if e.unknown == unknown.head], reporter)
        _start(spec, unknown, max(e.order for e in own if e.unknown in (None, unknown.head)), reporter) if any(
            e.unknown in (None, unknown.head) for e in own
        ) else None
        _boundary(spec, unknown, own, reporter)
    if spec.network and spec.space.kind is not SpaceKind.PIXELS:
        reporter.add(mistakes.words.frame_without_pixels(spec.network.span))
    _unused(env)


def _concerns(equation: Equation, unknown: Unknown) -> bool:
    if equation.unknown is not None:
        return bool(equation.unknown == unknown.head)
    return any(f.head == unknown.head for e in equation.right for f in e.atoms(Field))


# ---- pieces in time


def _pieces(spec: Spec, unknown: Unknown, equations: list[Equation], reporter: Reporter) -> None:
    """The intervals of an unknown's equations cover the time, without gap or overlap."""
    whole = [e for e in equations if e.interval is None]
    pieces = sorted((e for e in equations if e.interval is not None), key=lambda e: float(e.interval[0]))  # type: ignore[index]
    for extra in whole[1:] or (whole if pieces else []):
        time = spec.time.name if spec.time else None
        reporter.add(mistakes.equations.second_equation(unknown.name, time, extra.span))
    if whole or not pieces or spec.time is None:
        return
    name, reached, end = spec.time.name, spec.time.start, spec.time.end
    for piece in pieces:
        assert piece.interval is not None
        a, b = piece.interval
        if a < spec.time.start or b > end:
            reporter.add(mistakes.equations.outside_the_time(_shown(a, b), _shown(spec.time.start, end), piece.span))
        elif a > reached:
            reporter.add(mistakes.equations.gap(name, numeral(reached), numeral(a), piece.span))
        elif a < reached:
            until = numeral(min(b, reached))
            reporter.add(mistakes.equations.overlap(name, numeral(a), until, numeral(reached), piece.span))
        reached = max(reached, b)
    if reached < end:
        reporter.add(mistakes.equations.gap_at_the_end(name, numeral(reached), numeral(end), pieces[-1].span))


def _shown(start: Expr, end: Expr) -> str:
    return f"[{numeral(start)}, {numeral(end)}]"


# ---- conditions


def _start(spec: Spec, unknown: Unknown, order: int, reporter: Reporter) -> None:
    """Initial or terminal conditions for each order below that of the equation, each once, all at one end."""
    own = [c for c in spec.conditions if c.unknown == unknown.head and not c.on_boundary]
    for twice in _repeated(own, lambda c: (c.kind, c.order)):
        kind = f"{twice.kind} {'velocity' if twice.order else 'condition'}"
        reporter.add(mistakes.equations.second_condition(unknown.name, kind, twice.span))
    late = next((c for c in own if c.kind != own[0].kind and c.order == own[0].order), None)
    if late and order < 2:
        reporter.add(mistakes.equations.start_and_end(unknown.name, late.span))
    for extra in (c for c in own if c.order >= order):
        reporter.add(mistakes.equations.needless_condition(order, extra.span))
    given = {c.order for c in own}
    name, args = unknown.name, _shown_arguments(spec)
    for k in range(order):
        if (
            k not in given
            and not (k == 0 and spec.space.kind is SpaceKind.PIXELS)
            and not (own and late and order >= 2)
        ):
            left = f"{name}({args})" if k == 0 else f"∂{name}/∂{_time(spec)}({args})"
            what = "initial condition" if k == 0 else "initial velocity"
            reporter.add(mistakes.equations.no_start(name, what, left, unknown.span))


def _shown_arguments(spec: Spec) -> str:
    start = spec.time.start if spec.time else S.Zero
    return ", ".join((*spec.space.names, numeral(start)))


def _time(spec: Spec) -> str:
    return spec.time.name if spec.time else "t"


def _repeated(conditions: list[Condition], key: Callable[[Condition], object]) -> list[Condition]:
    seen: set[object] = set()
    return [c for c in conditions if key(c) in seen or seen.add(key(c))]  # type: ignore[func-returns-value]


def _boundary(spec: Spec, unknown: Unknown, equations: list[Equation], reporter: Reporter) -> None:
    """A condition on every side, as many as the order of the equation in space needs."""
    order = max(spatial_order(e, unknown.head, spec) for e in equations)
    counts: Counter[str] = Counter()
    for c in spec.conditions:
        if c.on_boundary and c.unknown == unknown.head:
            share = 1 / len(c.sides) if _relates_sides(c, unknown) else 1
            counts.update(dict.fromkeys(c.sides, share))
    missing = [side for side in spec.space.boundary if not counts[side]]
    if order >= 2 and missing:
        some = missing if len(missing) < len(spec.space.boundary) else ()
        reporter.add(mistakes.equations.no_condition_on(unknown.name, some, unknown.span))
    most = max(1, order // 2)
    for condition in spec.conditions:
        if condition.on_boundary and condition.unknown == unknown.head:
            crowded = [s for s in condition.sides if counts[s] > most]
            if crowded and _is_last(condition, crowded[0], spec):
                reporter.add(mistakes.equations.second_condition_on(crowded[0], condition.span))


def _relates_sides(condition: Condition, unknown: Unknown) -> bool:
    """u(0, t) = u(1, t) is one condition for two sides."""
    fields = (f for v in condition.value for f in v.atoms(Field) if f.head == unknown.head)
    return len(condition.sides) > 1 and any(tuple(f.arguments) != tuple(unknown.arguments) for f in fields)


def _is_last(condition: Condition, side: str, spec: Spec) -> bool:
    same = [c for c in spec.conditions if c.unknown == condition.unknown and side in c.sides]
    return condition is same[-1]


def spatial_order(equation: Equation, head: Symbol, spec: Spec) -> int:
    """The highest order of a derivative in space."""
    time = spec.time.symbol if spec.time else None
    orders = [
        sum(s != time for s in p.slots)
        for e in equation.right
        for p in e.atoms(Partial)
        if any(f.head == head for f in p.body.atoms(Field))
    ]
    return max(orders, default=0)


# ---- names


def _unused(env: Environment) -> None:
    for id_, declaration in env.declared.items():
        if id_ in env.used or id_ in env.broken:
            continue
        name = declaration.names[0] if isinstance(declaration, t.SpaceDecl) else declaration.name
        if isinstance(declaration, t.SpaceDecl):
            name = next(n for n in declaration.names if n.id == id_)
        env.reporter.add(mistakes.names.never_used(name.text, name.span))
