"""What a spec on feature maps may contain: whatever has no place in the network is an error, never ignored."""

from __future__ import annotations

from pdedsl import mistakes
from pdedsl.ir.spec import Condition, ConditionKind, Learned, Spec
from pdedsl.ir.types import Channels, Operator
from pdedsl.symbolic.symbols import Field


def require_expressible(spec: Spec) -> None:
    _require_states(spec)
    for condition in spec.conditions:
        _require_rest(condition, spec)
    for learned in spec.learned:
        _require_arguments(learned, spec)
    for part, method in spec.realize.written():
        if method is not spec.realize.time:
            raise mistakes.pixels.part_of_its_own(part, method.line)


def _require_states(spec: Spec) -> None:
    for unknown in spec.unknowns:
        if not isinstance(unknown.type, Channels) or unknown.net is not None:
            raise mistakes.pixels.not_a_feature_map(unknown.name, str(unknown.type), unknown.span)


def _require_rest(condition: Condition, spec: Spec) -> None:
    """Allows only ∂Y/∂t = 0 at the start, for second order in time: the opening layer provides Y."""
    second = any(e.unknown == condition.unknown and e.order == 2 for e in spec.equations)
    at_start = condition.kind is ConditionKind.INITIAL and condition.order == 1
    if second and at_start and all(v == 0 for v in condition.value):
        return
    raise mistakes.pixels.no_place_for_condition(second, condition.span)


def _require_arguments(learned: Learned, spec: Spec) -> None:
    """Requires K or K(t) for operators, f(Y) or f(Y, t) for fields."""
    assert spec.time is not None
    rest = [a for a in learned.arguments if a != spec.time.symbol]
    if isinstance(learned.type, Operator):
        if rest:
            raise mistakes.pixels.operator_depends(learned.name, learned.span)
    elif len(rest) != 1 or not any(rest[0] == Field(u.head, (), u.arguments) for u in spec.unknowns):
        raise mistakes.pixels.field_depends(learned.name, learned.span)
