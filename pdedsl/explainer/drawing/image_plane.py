"""A model on the image plane as blocks: the frame, and the layers of the equation at every width."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import assert_never

from pdedsl.config.methods import Adaptive, Verlet
from pdedsl.config.networks import Lipschitz, Paper
from pdedsl.diagnostics import Span
from pdedsl.explainer.describe import objective_lines
from pdedsl.explainer.drawing.blocks import Block, Group, Node, counted, sizes
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.plan import (
    BoxConstraint,
    Constraint,
    ConvolutionalField,
    ImagePlan,
    Layer,
    NormBound,
    RightHandSide,
    SymmetricConvolution,
    Unconstrained,
)
from pdedsl.ir.semidiscrete_systems import SeparableOde
from pdedsl.ir.terms import LearnedField, Reaction, SymmetricLayer, Term
from pdedsl.symbolic.printing import notation


def image_nodes(plan: ImagePlan, analysis: Analysis) -> tuple[Node, ...]:
    stages = [_stage(width, size, plan, analysis) for width, size in zip(plan.stages, _sizes(plan), strict=True)]
    frame = _framed(plan)
    training = tuple(objective_lines(plan.objective))
    return (
        Block("input", (f"an image, {sizes(*plan.image)}",)),
        next(frame),
        *(node for stage in stages for node in (stage, next(frame))),
        Block("readout", (f"a linear map to {counted(plan.classes, 'score')}",)),
        *((Block("training", training),) if training else ()),
    )


def _sizes(plan: ImagePlan) -> Iterator[tuple[int, int]]:
    """Height and width of the feature maps at each stage: halved between stages, by patches or by means."""
    height, width = plan.image[1:]
    if isinstance(plan.frame, Lipschitz):
        height, width = -(-height // plan.frame.patch), -(-width // plan.frame.patch)
    for _ in plan.stages:
        yield height, width
        up = isinstance(plan.frame, Lipschitz)
        height, width = (height + up) // 2, (width + up) // 2


def _framed(plan: ImagePlan) -> Iterator[Block]:
    """The opening of the network, the layers between its stages, and its closing."""
    first, last = plan.stages[0], plan.close or plan.stages[-1]
    match plan.frame:
        case Paper():
            mixed = "batch norm, relu"
            yield Block("opening", (f"3×3 convolution to {counted(first, 'channel')}", mixed))
            for _, width in pairwise(plan.stages):
                yield Block("connector", (f"1×1 convolution to {counted(width, 'channel')}", f"{mixed}, means of 2×2"))
            yield Block("closing", (f"1×1 convolution to {counted(last, 'channel')}", f"{mixed}, mean over the image"))
        case Lipschitz(patch=patch, dense=dense, activation=activation):
            yield Block("opening", (f"patches of {patch}×{patch}, zeros up to {counted(first, 'channel')}",))
            for _, width in pairwise(plan.stages):
                bounded = f"patches of 2×2, a map of norm ≤ 1 to {counted(width, 'channel')}"
                yield Block("connector", (bounded, activation.value))
            layers = (f"{counted(dense, 'convex potential layer')} with {counted(last, 'row')}",) if dense else ()
            yield Block("closing", ("the whole feature map as one vector", *layers))
        case _:
            assert_never(plan.frame)


def _stage(width: int, size: tuple[int, int], plan: ImagePlan, analysis: Analysis) -> Group:
    length = plan.end - plan.start
    if isinstance(plan.method, Adaptive):
        how = f"{plan.method.name} over a time of {length}, which chooses its steps"
    else:
        how = f"{counted(plan.steps, 'step')} of {plan.method.name}, δt = {length / plan.steps}"
    channels = (
        f"{counted(width, 'channel')}, in two halves" if isinstance(plan.motion, SeparableOde) else f"{width} channels"
    )
    rights = [_summed(tuple(_right(right, analysis))) for right in plan.motion.parts]
    title, in_turn = f"{channels}, {sizes(*size)}: {how}", isinstance(plan.method, Verlet)
    return Group(title, tuple(rights), apart=not in_turn) if len(rights) > 1 else Group(title, (rights[0],))


def _summed(blocks: tuple[Block, ...]) -> Node:
    return blocks[0] if len(blocks) == 1 else Group("added up", blocks, apart=True)


def _right(right: RightHandSide, analysis: Analysis) -> Iterator[Block]:
    terms = [t for e in analysis.equations for t in e.terms if _within(t.origin.span, right.span)]
    for layer in right.layers:
        yield _layer(layer, tuple(t.origin.span for t in terms if _is_of(t, layer)))
    if right.reaction != 0:
        of = tuple(t.origin.span for t in terms if isinstance(t, Reaction))
        yield Block("reaction", (f"{notation(right.reaction)} times the state",), of)


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _is_of(term: Term, layer: Layer) -> bool:
    match term, layer:
        case SymmetricLayer(operator=head), SymmetricConvolution():
            return bool(head == layer.head)
        case LearnedField(field=head), ConvolutionalField():
            return bool(head == layer.head)
        case _:
            return False


def _layer(layer: Layer, of: tuple[Span, ...]) -> Block:
    weights = "new weights at each step" if layer.new_weights else "the same weights at each step"
    match layer:
        case SymmetricConvolution(head=head, size=size, constraint=constraint, activation=activation, norm=norm):
            normed = f" of {norm}" if norm else ""
            lines = (f"{head}: {size}×{size} convolution{_kept(constraint)}", f"{activation.name}{normed}; {weights}")
            return Block("symmetric layer", lines, of)
        case ConvolutionalField(head=head, net=net, timed=timed, factor=factor):
            clock = "; the time is an input" if timed else ""
            scaled = "" if factor == 1 else f"{notation(factor)} times "
            return Block(f"{scaled}{head} = {net}", (f"{weights}{clock}",), of)
        case _:
            assert_never(layer)


def _kept(constraint: Constraint) -> str:
    match constraint:
        case Unconstrained():
            return ""
        case NormBound(bound=bound):
            return f", norm ≤ {notation(bound)}"
        case BoxConstraint(low=low, high=high):
            return f", weights in [{low}, {high}]"
        case _:
            assert_never(constraint)
