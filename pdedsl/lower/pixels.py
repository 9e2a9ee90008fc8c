"""What an equation on feature maps may say: whatever has no place in the network is a mistake, never ignored."""

from __future__ import annotations

from collections import Counter

from pdedsl.diagnostics import fail
from pdedsl.ir.spec import Condition, Learned, Spec
from pdedsl.ir.types import Channels, Operator
from pdedsl.symbolic.symbols import Field


def require_expressible(spec: Spec) -> None:
    _require_states(spec)
    _require_equations(spec)
    for condition in spec.conditions:
        _require_rest(condition, spec)
    for learned in spec.learned:
        _require_arguments(learned, spec)
    for part, method in spec.realize.written():
        if method is not spec.realize.time:
            hint = "its network is made by: realize time by …"
            raise fail("E605", f"an equation on pixels has no {part} of its own", method.line, hint)


def _require_states(spec: Spec) -> None:
    for unknown in spec.unknowns:
        if not isinstance(unknown.type, Channels) or unknown.net is not None:
            raise fail("E602", f"'{unknown.name}' is no feature map", unknown.span, "write: unknown Y(x, t) : channels")


def _require_equations(spec: Spec) -> None:
    found = Counter(equation.unknown for equation in spec.equations)
    for equation in spec.equations:
        if equation.order not in (1, 2):
            order = f"order {equation.order} in time" if equation.order else "no derivative in time"
            raise fail("E602", f"an equation with {order} has no network", equation.span, "write ∂Y/∂t or ∂²Y/∂t²")
        if found[equation.unknown] > 1:
            raise fail(
                "E602", "pieces in time have no network on pixels", equation.span, "write one equation for all t"
            )


def _require_rest(condition: Condition, spec: Spec) -> None:
    """The opening layer gives Y at the start; of second order, ∂Y/∂t = 0 there."""
    second = any(e.unknown == condition.unknown and e.order == 2 for e in spec.equations)
    if second and condition.kind == "initial" and condition.order == 1 and all(v == 0 for v in condition.value):
        return
    start = "the opening layer of the network gives the start"
    hint = f"{start}, at rest: ∂Y/∂t(x, 0) = 0" if second else f"{start}: leave it out"
    raise fail("E602", "this condition has no place in the network", condition.span, hint)


def _require_arguments(learned: Learned, spec: Spec) -> None:
    """K or K(t); f(Y) or f(Y, t)."""
    assert spec.time is not None
    rest = [a for a in learned.arguments if a != spec.time.symbol]
    if isinstance(learned.type, Operator):
        if rest:
            raise fail("E602", f"'{learned.name}' reads more than the time", learned.span, "write K or K(t)")
    elif len(rest) != 1 or not any(rest[0] == Field(u.head, (), u.arguments) for u in spec.unknowns):
        hint = "write f(Y), or f(Y, t) if it is another at each time"
        raise fail("E602", f"'{learned.name}' does not read one feature map", learned.span, hint)
