"""The data of class probabilities → what stands behind the path: W of softmax(W x), or a learned network."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Tuple

from pdedsl.diagnostics import fail
from pdedsl.ir.boxes import Bounds, box_of, boxes_of
from pdedsl.ir.plan import Maps, Part, Timed
from pdedsl.ir.representation import Paths
from pdedsl.ir.spec import Learned, Space, Spec
from pdedsl.ir.types import Operator, Simplex
from pdedsl.symbolic.symbols import Applied, Component, Field, Softmax
from pdedsl.words.networks import Linear, Mlp


@dataclass(frozen=True)
class Readout:
    """A linear map to scores, ‖W‖ ≤ bound for every weight, or with numbers in a box that training keeps."""

    bound: Expr | None
    box: Bounds | None


def readout_of(paths: Paths, spec: Spec, parts: tuple[Part, ...]) -> Readout | None:
    """W behind the parts; none where a network ends in scores by itself, or the unknown is no class probability."""
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
        span = boxes_of(spec)[0][1] if made.box else operator.span
        message = f"{named.net.name} ends in a readout of its own, which keeps no constraint of '{operator.name}'"
        raise fail("E610", message, span, "leave the constraint out, or use mlp along the path")
    return None


def _operator(paths: Paths, spec: Spec) -> Learned:
    """The learned operator of softmax(W x), which acts on the point itself."""
    scores = paths.data.args[0]
    head = scores.operator.head if isinstance(scores, Applied) and isinstance(scores.operator, Field) else None
    learned = next((w for w in spec.learned if w.head == head), None)
    if learned is None or not _is_point(scores.body, spec.space):
        hint = f"write softmax(W {_point(spec.space)}): factors and signs are learned with W"
        raise fail("E604", "only scores that are linear in the point have a network", paths.data_span, hint)
    assert learned.net is not None
    if not isinstance(learned.net.word, Linear):
        raise fail("E604", f"{learned.net.word.name} has no scores of classes", learned.span, "use linear")
    if learned.arguments:
        hint = f"write: learn {learned.name} : operator = linear"
        raise fail("E604", f"'{learned.name}' is one map, behind the whole path", learned.span, hint)
    return learned


def _is_point(expr: Expr, space: Space) -> bool:
    """Whether it is (x, y), or xᵢ in a space that is not written out."""
    if not space.explicit:
        return isinstance(expr, Component) and expr.args[0] == space.coordinates[0] and not expr.args[1].is_Integer
    return (tuple(expr) if isinstance(expr, Tuple) else (expr,)) == space.coordinates


def _point(space: Space) -> str:
    return space.names[0] if len(space.names) == 1 else f"[{', '.join(space.names)}]"


def _check_network(paths: Paths, spec: Spec, named: Maps | Timed | None) -> None:
    """The data as a learned network, read at the point."""
    data = paths.data
    learned = next((w for w in spec.learned if isinstance(data, Field) and w.head == data.head), None)
    if learned is None or learned.net is None:
        hint = f"write softmax(W {_point(spec.space)}) with a learned operator W, or a learned network"
        raise fail("E604", "these class probabilities have no network", paths.data_span, hint)
    if tuple(data.arguments) != tuple(learned.arguments):
        hint = f"write {learned.name} with the arguments of its declaration"
        raise fail("E604", f"'{learned.name}' is read elsewhere than at the end of the path", paths.data_span, hint)
    if named is not None:
        message = f"{named.net.name} ends in scores: no other network stands behind it"
        raise fail("E604", message, paths.data_span, f"write softmax(W {_point(spec.space)})")
    if spec.space.image is None and not isinstance(learned.net.word, Mlp):
        raise fail("E604", f"{learned.net.word.name} acts on images", learned.span, "use mlp on R^d")


def _check_boxes(operator: Learned | None, spec: Spec) -> None:
    for box, span in boxes_of(spec):
        if operator is None or box.operator != operator.name:
            message = f"'{box.operator}' is not in the network: there is nothing to project"
            raise fail("E610", message, span, f"constrain {operator.name}" if operator else "leave it out")


def _within(operator: Learned, spec: Spec) -> Readout:
    assert isinstance(operator.type, Operator)
    made = Readout(operator.type.bound, box_of(operator.name, spec))
    if made.bound is not None and made.box is not None:
        raise fail("E610", f"'{operator.name}' has both a norm bound and a box", operator.span, "keep one of the two")
    return made
