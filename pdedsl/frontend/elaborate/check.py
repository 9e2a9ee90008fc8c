"""What the statements of a spec owe each other: each unknown an equation, each equation its conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from sympy import S, Symbol

from pdedsl.diagnostics import Reporter
from pdedsl.frontend.elaborate.environment import Environment
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Condition, Equation, Spec, Unknown
from pdedsl.symbolic.symbols import Field, Partial


def check(spec: Spec, env: Environment) -> None:
    """Reports what is missing, doubled, contradictory or unused."""
    reporter = env.reporter
    for unknown in spec.unknowns:
        own = [e for e in spec.equations if _concerns(e, unknown)]
        if not own:
            reporter.error("E411", f"'{unknown.name}' has no equation", unknown.span, f"write one for {unknown.name}")
            continue
        _pieces(spec, unknown, [e for e in own if e.unknown == unknown.head], reporter)
        _start(spec, unknown, max(e.order for e in own if e.unknown in (None, unknown.head)), reporter) if any(
            e.unknown in (None, unknown.head) for e in own
        ) else None
        _boundary(spec, unknown, own, reporter)
    if spec.block("network") and spec.space.kind != "pixels":
        block = spec.block("network")
        assert block
        reporter.error(
            "E517", "'network' frames an equation on pixels", block.span, "remove it, or use space x in pixels"
        )
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
        hint = "give each its time with 'for t in [a, b]', or keep one"
        reporter.error("E412", f"a second equation for '{unknown.name}'", extra.span, hint)
    if whole or not pieces or spec.time is None:
        return
    name, reached = spec.time.name, spec.time.start
    for piece in pieces:
        assert piece.interval is not None
        a, b = piece.interval
        if a < spec.time.start or b > spec.time.end:
            whole_time = f"[{spec.time.start}, {spec.time.end}]"
            reporter.error("E409", f"[{a}, {b}] lies outside the time {whole_time}", piece.span)
        elif a > reached:
            reporter.error(
                "E407", f"no equation for {name} in [{reached}, {a}]", piece.span, f"start this piece at {reached}"
            )
        elif a < reached:
            reporter.error(
                "E408",
                f"two equations for {name} in [{a}, {min(b, reached)}]",
                piece.span,
                f"start this piece at {reached}",
            )
        reached = max(reached, b)
    if reached < spec.time.end:
        hint = f"end this piece at {spec.time.end}, or add one"
        reporter.error("E407", f"no equation for {name} in [{reached}, {spec.time.end}]", pieces[-1].span, hint)


# ---- conditions


def _start(spec: Spec, unknown: Unknown, order: int, reporter: Reporter) -> None:
    """Initial or terminal conditions for each order below that of the equation, each once, all at one end."""
    own = [c for c in spec.conditions if c.unknown == unknown.head and c.kind != "boundary"]
    for twice in _repeated(own, lambda c: (c.kind, c.order)):
        reporter.error(
            "E413", f"a second condition of this kind for '{unknown.name}'", twice.span, "keep one of the two"
        )
    late = next((c for c in own if c.kind != own[0].kind and c.order == own[0].order), None)
    if late and order < 2:
        reporter.error("E414", "both an initial and a terminal condition", late.span, "keep one of the two")
    for extra in (c for c in own if c.order >= order):
        what = f"an equation of order {order} in time" if order else "an equation without a time derivative"
        reporter.error("E415", f"{what} takes no such condition", extra.span, "remove it")
    given = {c.order for c in own}
    name, args = unknown.name, _shown_arguments(spec)
    for k in range(order):
        if k not in given and not (k == 0 and spec.space.kind == "pixels") and not (own and late and order >= 2):
            left = f"{name}({args})" if k == 0 else f"∂{name}/∂{_time(spec)}({args})"
            what = "initial condition" if k == 0 else "initial velocity"
            reporter.error("E416", f"'{name}' has no {what}", unknown.span, f"add {left} = …")


def _shown_arguments(spec: Spec) -> str:
    start = spec.time.start if spec.time else S.Zero
    return ", ".join((*spec.space.names, str(start)))


def _time(spec: Spec) -> str:
    return spec.time.name if spec.time else "t"


def _repeated(conditions: list[Condition], key: Callable[[Condition], object]) -> list[Condition]:
    seen: set[object] = set()
    return [c for c in conditions if key(c) in seen or seen.add(key(c))]  # type: ignore[func-returns-value]


def _boundary(spec: Spec, unknown: Unknown, equations: list[Equation], reporter: Reporter) -> None:
    """A condition on every side, as many as the order of the equation in space needs."""
    order = max(spatial_order(e, unknown.head, spec) for e in equations)
    counts = Counter(
        side for c in spec.conditions if c.kind == "boundary" and c.unknown == unknown.head for side in c.sides
    )
    missing = [side for side in spec.space.boundary if not counts[side]]
    if order >= 2 and missing:
        where = "the boundary" if len(missing) == len(spec.space.boundary) else " and ".join(missing)
        side = "boundary" if len(missing) == len(spec.space.boundary) else ", ".join(missing)
        reporter.error(
            "E417", f"'{unknown.name}' has no condition on {where}", unknown.span, f"add {unknown.name} = … on {side}"
        )
    most = max(1, order // 2)
    for condition in spec.conditions:
        if condition.kind == "boundary" and condition.unknown == unknown.head:
            crowded = [s for s in condition.sides if counts[s] > most]
            if crowded and _is_last(condition, crowded[0], spec):
                reporter.error("E413", f"a second condition on {crowded[0]}", condition.span, "keep one of the two")


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
        env.reporter.warn("W201", f"'{name.text}' is never used", name.span, "remove it, or use it")
