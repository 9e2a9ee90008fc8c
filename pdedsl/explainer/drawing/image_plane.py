"""A network on feature maps as blocks: stem, the layers of the equation in every stage, transitions and head."""

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
    layers = _architecture(plan)
    training = tuple(objective_lines(plan.objective))
    return (
        Block("input", (f"image, {sizes(*plan.image)}",)),
        next(layers),
        *(node for stage in stages for node in (stage, next(layers))),
        Block("readout", (f"linear layer to {counted(plan.classes, 'logit')}",)),
        *((Block("training", training),) if training else ()),
    )


def _sizes(plan: ImagePlan) -> Iterator[tuple[int, int]]:
    """Height and width of the feature maps in each stage: halved between stages, by patches or by average pooling."""
    height, width = plan.image[1:]
    if isinstance(plan.frame, Lipschitz):
        height, width = -(-height // plan.frame.patch), -(-width // plan.frame.patch)
    for _ in plan.stages:
        yield height, width
        rounds_up = isinstance(plan.frame, Lipschitz)
        height, width = (height + rounds_up) // 2, (width + rounds_up) // 2


def _architecture(plan: ImagePlan) -> Iterator[Block]:
    """Stem, transitions between the stages, and head."""
    first, last = plan.stages[0], plan.head or plan.stages[-1]
    match plan.frame:
        case Paper():
            activated = "batch norm, relu"
            yield Block("stem", (f"3×3 convolution to {counted(first, 'channel')}", activated))
            for _, width in pairwise(plan.stages):
                yield Block(
                    "transition",
                    (f"1×1 convolution to {counted(width, 'channel')}", f"{activated}, 2×2 average pooling"),
                )
            yield Block(
                "head", (f"1×1 convolution to {counted(last, 'channel')}", f"{activated}, global average pooling")
            )
        case Lipschitz(patch=patch, dense=dense, activation=activation):
            yield Block("stem", (f"{patch}×{patch} patches, zero-padded to {counted(first, 'channel')}",))
            for _, width in pairwise(plan.stages):
                bounded = f"2×2 patches, linear map of norm ≤ 1 to {counted(width, 'channel')}"
                yield Block("transition", (bounded, activation.value))
            layers = (f"{counted(dense, 'convex potential layer')} of width {last}",) if dense else ()
            yield Block("head", ("flatten", *layers))
        case _:
            assert_never(plan.frame)


def _stage(width: int, size: tuple[int, int], plan: ImagePlan, analysis: Analysis) -> Group:
    length = plan.end - plan.start
    if isinstance(plan.method, Adaptive):
        steps = f"{plan.method.name} with adaptive steps over a time of {length}"
    else:
        steps = f"{counted(plan.steps, 'step')} of {plan.method.name}, δt = {length / plan.steps}"
    channels = (
        f"{counted(width, 'channel')}, in two halves" if isinstance(plan.system, SeparableOde) else f"{width} channels"
    )
    rights = [_summed(tuple(_right(right, analysis))) for right in plan.system.right_hand_sides]
    title, alternates = f"{channels}, {sizes(*size)}: {steps}", isinstance(plan.method, Verlet)
    return Group(title, tuple(rights), parallel=not alternates) if len(rights) > 1 else Group(title, (rights[0],))


def _summed(blocks: tuple[Block, ...]) -> Node:
    return blocks[0] if len(blocks) == 1 else Group("sum", blocks, parallel=True)


def _right(right: RightHandSide, analysis: Analysis) -> Iterator[Block]:
    terms = [t for e in analysis.equations for t in e.terms if _within(t.origin.span, right.span)]
    for layer in right.layers:
        yield _layer(layer, tuple(t.origin.span for t in terms if _is_of(t, layer)))
    if right.reaction != 0:
        of = tuple(t.origin.span for t in terms if isinstance(t, Reaction))
        yield Block("reaction", (f"{notation(right.reaction)} Y",), of)


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
    weights = "separate weights for each step" if layer.weights_per_step else "weights shared by all steps"
    match layer:
        case SymmetricConvolution(head=head, size=size, constraint=constraint, activation=activation, norm=norm):
            normed = f" of {norm}" if norm else ""
            lines = (
                f"{head}: {size}×{size} convolution{_constraint_text(constraint)}",
                f"{activation.name}{normed}; {weights}",
            )
            return Block("symmetric layer", lines, of)
        case ConvolutionalField(head=head, net=net, time_dependent=timed, factor=factor):
            time_input = "; time is an input" if timed else ""
            scaled = "" if factor == 1 else f"{notation(factor)} × "
            return Block(f"{scaled}{head} = {net}", (f"{weights}{time_input}",), of)
        case _:
            assert_never(layer)


def _constraint_text(constraint: Constraint) -> str:
    match constraint:
        case Unconstrained():
            return ""
        case NormBound(bound=bound):
            return f", norm ≤ {notation(bound)}"
        case BoxConstraint(low=low, high=high):
            return f", weights in [{low}, {high}]"
        case _:
            assert_never(constraint)
