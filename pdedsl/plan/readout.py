"""The data of class probabilities → what follows the path: W of softmax(W x), or a learned network."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Tuple

from pdedsl import mistakes
from pdedsl.ir.boxes import Bounds, box_of, boxes_of, place_of_box
from pdedsl.ir.plan import Maps, Part, Timed
from pdedsl.ir.representation import Paths
from pdedsl.ir.spec import Learned, Space, Spec
from pdedsl.ir.types import Operator, Simplex
from pdedsl.symbolic.symbols import Applied, Component, Field, Softmax
from pdedsl.words.networks import Linear, Mlp, Torch


@dataclass(frozen=True)
class Readout:
    """A linear map W to scores, with ‖W‖ ≤ bound for every weight, or with entries that training keeps in a box."""

    bound: Expr | None
    box: Bounds | None


def readout_of(paths: Paths, spec: Spec, parts: tuple[Part, ...]) -> Readout | None:
    """W after the parts; None if a network has scores of its own, or the unknown is not a class probability."""
    operator: Learned | None = None
    named = next((p for p in parts if isinstance(p, Maps | Timed)), None)
    if isinstance(spec.unknowns[0].type, Simplex):
        operator = _operator(paths, spec) if isinstance(paths.data, Softmax) else None
        if operator is None:
            _check_network(paths, spec, named)
    _check_boxes(operator, spec)
    if operator is None:
        return None
    made = _within(operator, spec)
    if named is None:
        return made
    if made != Readout(None, None):
        box = boxes_of(spec)[0][1] if made.box else None
        raise mistakes.networks.readout_of_its_own(named.net.name, operator.name, box or operator.span, box)
    return None


def _operator(paths: Paths, spec: Spec) -> Learned:
    """The learned operator W of softmax(W x), which must be applied to the point itself."""
    scores = paths.data.args[0]
    head = scores.operator.head if isinstance(scores, Applied) and isinstance(scores.operator, Field) else None
    learned = next((w for w in spec.learned if w.head == head), None)
    if learned is None or not _is_point(scores.body, spec.space):
        raise mistakes.networks.linear_scores(_point(spec.space), paths.data_span)
    assert learned.net is not None
    if not isinstance(learned.net.word, Linear):
        raise mistakes.networks.no_scores(learned.net.word.name, learned.span, learned.net.span)
    if learned.arguments:
        raise mistakes.networks.readout_in_time(learned.name, learned.span)
    return learned


def _is_point(expr: Expr, space: Space) -> bool:
    """Whether it is the point: (x, y), or xᵢ in a space that is not written out."""
    if not space.explicit:
        return isinstance(expr, Component) and expr.args[0] == space.coordinates[0] and not expr.args[1].is_Integer
    return (tuple(expr) if isinstance(expr, Tuple) else (expr,)) == space.coordinates


def _point(space: Space) -> str:
    return space.names[0] if len(space.names) == 1 else f"[{', '.join(space.names)}]"


def _check_network(paths: Paths, spec: Spec, named: Maps | Timed | None) -> None:
    """Requires the data to be a learned network, evaluated at the point."""
    data = paths.data
    learned = next((w for w in spec.learned if isinstance(data, Field) and w.head == data.head), None)
    if learned is None or learned.net is None:
        raise mistakes.networks.no_probabilities(_point(spec.space), paths.data_span)
    if tuple(data.arguments) != tuple(learned.arguments):
        raise mistakes.networks.data_elsewhere(learned.name, paths.data_span)
    if named is not None:
        raise mistakes.networks.scores_twice(named.net.name, _point(spec.space), paths.data_span)
    if spec.space.image is None and not isinstance(learned.net.word, Mlp | Torch):
        raise mistakes.networks.acts_on_images(learned.net.word.name, learned.span, learned.net.span)


def _check_boxes(operator: Learned | None, spec: Spec) -> None:
    for box, span in boxes_of(spec):
        if operator is None or box.operator != operator.name:
            raise mistakes.networks.not_in_network(box.operator, operator.name if operator else None, span)


def _within(operator: Learned, spec: Spec) -> Readout:
    assert isinstance(operator.type, Operator)
    made = Readout(operator.type.bound, box_of(operator.name, spec))
    if made.bound is not None and made.box is not None:
        raise mistakes.networks.norm_and_box(operator.name, operator.span, place_of_box(operator.name, spec))
    return made
