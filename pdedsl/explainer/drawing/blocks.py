"""Block diagram of a network or solution method: blocks in network order, each with the spans of the
text that it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import ceil
from typing import TypeAlias, assert_never

from sympy import Expr, Max, sqrt

from pdedsl.config.methods import Adaptive, NoiseDistribution, Verlet
from pdedsl.config.networks import LipschitzFrame, Paper, count_residual_blocks
from pdedsl.diagnostics import Span
from pdedsl.explainer.classification import class_text
from pdedsl.explainer.describe import (
    average_texts,
    count_noun,
    domain_text,
    gauge_lines,
    noise_text,
    objective_lines,
    unknown_names,
)
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.default_methods import operator_samples
from pdedsl.ir.noise import ConstantNoise, CorrelatedNoise, Noise
from pdedsl.ir.plan import (
    BaseNetwork,
    BoxConstraint,
    Constraint,
    ConvolutionalField,
    DataPlan,
    ImagePlan,
    Layer,
    NoiseStep,
    NormBound,
    Part,
    ResidualBlocks,
    RightHandSide,
    SdeSteps,
    SolvePlan,
    SymmetricConvolution,
    TimeConditioned,
    Unconstrained,
)
from pdedsl.ir.semidiscrete_systems import SeparableOde
from pdedsl.ir.solver_plans import MonteCarloPlan
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import Convection, Diffusion, LearnedField, Nonlinear, Reaction, SourceTerm, SymmetricLayer, Term
from pdedsl.record import Record
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Field, atoms

# ---- Block diagram of a network: blocks in network order, each with the spans of the text that it comes from


class DiagramBlock(Record):
    """A box of the drawing: its title, its lines of text, and the spans that it comes from."""

    title: str
    lines: tuple[str, ...] = ()
    of: tuple[Span, ...] = ()


class BlockGroup(Record):
    """Blocks in sequence, such as those of one step; or in parallel, such as the members of an ensemble."""

    title: str
    nodes: tuple[Node, ...]
    parallel: bool = False


Node: TypeAlias = DiagramBlock | BlockGroup


def blocks_in(nodes: tuple[Node, ...]) -> tuple[DiagramBlock, ...]:
    """Every block, in network order."""
    return tuple(b for node in nodes for b in ((node,) if isinstance(node, DiagramBlock) else blocks_in(node.nodes)))


def sizes(*numbers: int) -> str:
    return " × ".join(map(str, numbers))


# ---- The solution operator on R^d as blocks (Feynman-Kac)


def point(spec: Spec) -> DiagramBlock:
    return DiagramBlock("input", (f"point of R^{spec.space.dimension}",))


def operator_nodes(plan: DataPlan, analysis: Analysis) -> tuple[Node, ...]:
    """The operator as blocks. Segments with constant coefficients take one exact step; of the others, the longest takes
    all planned steps."""
    segments = [part for part in plan.parts if isinstance(part, SdeSteps)]
    longest = Max(*(w.steps * w.step for w in segments if not _has_constant_coefficients(w, analysis)), 0)
    nodes: list[Node] = []
    for part in plan.parts:
        match part:
            case SdeSteps():
                nodes.append(_segment(part, longest / part.steps, analysis))
            case NoiseStep(noise=noise):
                nodes.append(DiagramBlock("noise", (noise_text(noise),), (noise.span,)))
    random = any(
        isinstance(part, NoiseStep) or part.noise for part in plan.parts if isinstance(part, SdeSteps | NoiseStep)
    )
    over = f"over {count_noun(operator_samples(analysis.spec), 'sample path')}" if random else "at the end of the path"
    data = DiagramBlock("sample mean of the data" if random else "value of the data", (over,), (plan.readout_span,))
    return point(analysis.spec), *nodes, *_path_integrals(analysis), data


def _segment(segment: SdeSteps, max_step: Expr, analysis: Analysis) -> Node:
    """The steps of one segment, each at most `max_step` long."""
    length = segment.steps * segment.step
    steps = 1 if _has_constant_coefficients(segment, analysis) else ceil(length / max_step)
    noise = segment.noise and DiagramBlock(
        "noise", (noise_text(_rescale_noise(segment.noise, segment.steps, steps)),), (segment.noise.span,)
    )
    if steps == 1 and _has_constant_coefficients(segment, analysis):
        block = DiagramBlock("one exact step along the velocity field", (f"over a time of {length}",), (segment.span,))
        return BlockGroup("one step", (block, noise)) if noise else block
    lines = (
        f"δt = {notation(length / steps)}, the first at {_time_name(analysis.spec)} = {segment.start}",
        *nets(segment.drift, analysis.spec),
    )
    block = DiagramBlock(f"{segment.scheme.name} step along the velocity field", lines, (segment.span,))
    return BlockGroup(count_noun(steps, "step"), (block, noise) if noise else (block,))


def _rescale_noise(noise: Noise, planned: int, taken: int) -> Noise:
    """The noise rescaled to a step of another length: its variance is proportional to the length."""
    return replace(noise, std=noise.std * sqrt(planned) / sqrt(taken)) if isinstance(noise, ConstantNoise) else noise


def _has_constant_coefficients(segment: SdeSteps, analysis: Analysis) -> bool:
    spec = analysis.spec
    terms = [t for facts in analysis.equations for t in facts.terms]
    rates = [t.rate for t in terms if isinstance(t, Reaction)]
    coefficients = [*segment.drift, *rates, *(value for t in terms if isinstance(t, SourceTerm) for value in t.values)]
    varying = {*spec.space.coordinates, *([spec.time.symbol] if spec.time else [])}
    constant = all(not e.free_symbols & varying and not e.has(Field) for e in coefficients)
    match segment.noise:
        case ConstantNoise(law=law) | CorrelatedNoise(law=law):
            return constant and law is NoiseDistribution.GAUSSIAN
        case None:
            return constant
        case _:
            return False


def nets(field: tuple[Expr, ...], spec: Spec) -> tuple[str, ...]:
    """The networks of the learned fields in a vector field."""
    heads = {f.head for entry in field for f in atoms(entry, Field)}
    return tuple(f"{w.name} = {w.net}" for w in spec.learned if w.head in heads and w.net)


def _path_integrals(analysis: Analysis) -> tuple[DiagramBlock, ...]:
    terms = [t for facts in analysis.equations for t in facts.terms]
    weights = tuple(t.origin.span for t in terms if isinstance(t, Reaction))
    sources = tuple(t.origin.span for t in terms if isinstance(t, SourceTerm))
    blocks = (
        DiagramBlock("weight", ("e^{∫c} along the path",), weights),
        DiagramBlock("sources", ("weighted integral along the path",), sources),
    )
    return tuple(block for block in blocks if block.of)


# ---- A network on a data space as blocks: steps along the velocity field, noise after each, readout, average


def data_nodes(plan: DataPlan, analysis: Analysis) -> tuple[Node, ...]:
    if plan.classes is None:
        return operator_nodes(plan, analysis)
    ensembles = [_ensemble(own.parts, own.members, plan, analysis) for own in plan.architectures]
    single = len(ensembles) == 1
    members: tuple[Node, ...] = (
        ensembles[0] if single else (BlockGroup("ensemble", tuple(map(_as_node, ensembles)), True),)
    )
    texts = average_texts(plan)
    average = (DiagramBlock(texts[0], texts[1:]),) if texts else ()
    return (_input(plan, analysis.spec), *members, *average, *_training(plan, analysis))


def _as_node(nodes: tuple[Node, ...]) -> Node:
    return nodes[0] if len(nodes) == 1 else BlockGroup("one architecture", nodes)


def _input(plan: DataPlan, spec: Spec) -> DiagramBlock:
    return DiagramBlock("input", (f"image, {sizes(*plan.image)}",)) if plan.image else point(spec)


def _ensemble(parts: tuple[Part, ...], members: int, plan: DataPlan, analysis: Analysis) -> tuple[Node, ...]:
    nodes = [node for part in parts for node in _part(part, plan.readout_span, analysis)]
    if plan.classes is not None and not any(isinstance(part, TimeConditioned | BaseNetwork) for part in parts):
        nodes.append(
            DiagramBlock("readout", (f"linear layer to {count_noun(plan.classes, 'logit')}",), (plan.readout_span,))
        )
    return (
        (BlockGroup(f"{members} ensemble members with separate weights", tuple(nodes)),)
        if members > 1
        else tuple(nodes)
    )


def _part(part: Part, data: Span, analysis: Analysis) -> list[Node]:
    match part:
        case SdeSteps(scheme=Adaptive() as scheme, span=span, step=step):
            lines = ("adaptive steps", f"over a time of {step}", *nets(part.drift, analysis.spec))
            return [DiagramBlock(f"{scheme.name} along the velocity field", lines, (span,))]
        case SdeSteps(steps=steps, step=step, scheme=scheme, noise=noise, span=span, start=first):
            lines = (
                f"δt = {step}, the first at {_time_name(analysis.spec)} = {first}",
                *nets(part.drift, analysis.spec),
            )
            block = DiagramBlock(f"{scheme.name} step along the velocity field", lines, (span,))
            return [BlockGroup(count_noun(steps, "step"), (block, *_noise(noise)))]
        case ResidualBlocks(net=net, step=step, noise=noise, span=span, before_readout=last, branch=branch):
            second = (f"second branch: {branch}",) if branch else ()
            block = DiagramBlock("residual block", (f"δt = {step}", *second), (span,))
            count = count_residual_blocks(net)
            title = f"{count_noun(count, 'block')} of {net}" if count is not None else f"every block of {net}"
            return [BlockGroup(title, (block, *_noise(noise))), *_noise(last)]
        case NoiseStep(noise=noise):
            return list(_noise(noise))
        case TimeConditioned(net=net, time=time):
            convection = tuple(t.origin.span for e in analysis.equations for t in e.terms if isinstance(t, Convection))
            return [
                DiagramBlock(
                    str(net), (f"time is an input, evaluated at {time}", "logits of the classes"), (*convection, data)
                )
            ]
        case BaseNetwork(net=net):
            return [DiagramBlock(str(net), ("logits of the classes",), (data,))]
        case _:
            assert_never(part)


def _time_name(spec: Spec) -> str:
    return spec.time.name if spec.time else "t"


def _noise(noise: Noise | None) -> tuple[DiagramBlock, ...]:
    return (DiagramBlock("noise", (noise_text(noise),), (noise.span,)),) if noise else ()


def _training(plan: DataPlan, analysis: Analysis) -> tuple[DiagramBlock, ...]:
    lines = tuple(objective_lines(plan.objective))
    in_training = any(isinstance(part, TimeConditioned | BaseNetwork) for part in plan.parts)
    diffusion = tuple(t.origin.span for e in analysis.equations for t in e.terms if isinstance(t, Diffusion))
    return (DiagramBlock("training", lines, diffusion if in_training else ()),) if lines else ()


# ---- A network on feature maps as blocks: stem, the layers of the equation in every stage, transitions and head


def image_nodes(plan: ImagePlan, analysis: Analysis) -> tuple[Node, ...]:
    stages = [_stage(width, size, plan, analysis) for width, size in zip(plan.stages, _sizes(plan), strict=True)]
    layers = _architecture(plan)
    training = tuple(objective_lines(plan.objective))
    return (
        DiagramBlock("input", (f"image, {sizes(*plan.image)}",)),
        next(layers),
        *(node for stage in stages for node in (stage, next(layers))),
        DiagramBlock("readout", (f"linear layer to {count_noun(plan.classes, 'logit')}",)),
        *((DiagramBlock("training", training),) if training else ()),
    )


def _sizes(plan: ImagePlan) -> Iterator[tuple[int, int]]:
    """Height and width of the feature maps in each stage: halved between stages, by patches or by average pooling."""
    height, width = plan.image[1:]
    if isinstance(plan.frame, LipschitzFrame):
        height, width = -(-height // plan.frame.patch), -(-width // plan.frame.patch)
    for _ in plan.stages:
        yield height, width
        rounds_up = isinstance(plan.frame, LipschitzFrame)
        height, width = (height + rounds_up) // 2, (width + rounds_up) // 2


def _architecture(plan: ImagePlan) -> Iterator[DiagramBlock]:
    """Stem, transitions between the stages, and head."""
    first, last = plan.stages[0], plan.head or plan.stages[-1]
    match plan.frame:
        case Paper():
            activated = "batch norm, relu"
            yield DiagramBlock("stem", (f"3×3 convolution to {count_noun(first, 'channel')}", activated))
            for _, width in pairwise(plan.stages):
                yield DiagramBlock(
                    "transition",
                    (f"1×1 convolution to {count_noun(width, 'channel')}", f"{activated}, 2×2 average pooling"),
                )
            yield DiagramBlock(
                "head", (f"1×1 convolution to {count_noun(last, 'channel')}", f"{activated}, global average pooling")
            )
        case LipschitzFrame(patch=patch, dense=dense, activation=activation):
            yield DiagramBlock("stem", (f"{patch}×{patch} patches, zero-padded to {count_noun(first, 'channel')}",))
            for _, width in pairwise(plan.stages):
                bounded = f"2×2 patches, linear map of norm ≤ 1 to {count_noun(width, 'channel')}"
                yield DiagramBlock("transition", (bounded, activation.value))
            layers = (f"{count_noun(dense, 'convex potential layer')} of width {last}",) if dense else ()
            yield DiagramBlock("head", ("flatten", *layers))
        case _:
            assert_never(plan.frame)


def _stage(width: int, size: tuple[int, int], plan: ImagePlan, analysis: Analysis) -> BlockGroup:
    length = plan.end - plan.start
    if isinstance(plan.method, Adaptive):
        steps = f"{plan.method.name} with adaptive steps over a time of {length}"
    else:
        steps = f"{count_noun(plan.steps, 'step')} of {plan.method.name}, δt = {length / plan.steps}"
    channels = (
        f"{count_noun(width, 'channel')}, in two halves"
        if isinstance(plan.system, SeparableOde)
        else f"{width} channels"
    )
    rights = [_sum_node(tuple(_right(right, analysis))) for right in plan.system.right_hand_sides]
    title, alternates = f"{channels}, {sizes(*size)}: {steps}", isinstance(plan.method, Verlet)
    return (
        BlockGroup(title, tuple(rights), parallel=not alternates)
        if len(rights) > 1
        else BlockGroup(title, (rights[0],))
    )


def _sum_node(blocks: tuple[DiagramBlock, ...]) -> Node:
    return blocks[0] if len(blocks) == 1 else BlockGroup("sum", blocks, parallel=True)


def _right(right: RightHandSide, analysis: Analysis) -> Iterator[DiagramBlock]:
    terms = [t for e in analysis.equations for t in e.terms if _within(t.origin.span, right.span)]
    for layer in right.layers:
        yield _layer(layer, tuple(t.origin.span for t in terms if _is_of(t, layer)))
    if right.reaction != 0:
        of = tuple(t.origin.span for t in terms if isinstance(t, Reaction))
        yield DiagramBlock("reaction", (f"{notation(right.reaction)} Y",), of)


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


def _layer(layer: Layer, of: tuple[Span, ...]) -> DiagramBlock:
    weights = "separate weights for each step" if layer.weights_per_step else "weights shared by all steps"
    match layer:
        case SymmetricConvolution(head=head, size=size, constraint=constraint, activation=activation, norm=norm):
            normed = f" of {norm}" if norm else ""
            lines = (
                f"{head}: {size}×{size} convolution{_constraint_text(constraint)}",
                f"{activation.name}{normed}; {weights}",
            )
            return DiagramBlock("symmetric layer", lines, of)
        case ConvolutionalField(head=head, net=net, time_dependent=timed, factor=factor):
            time_input = "; time is an input" if timed else ""
            scaled = "" if factor == 1 else f"{notation(factor)} × "
            return DiagramBlock(f"{scaled}{head} = {net}", (f"{weights}{time_input}",), of)
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


# ---- The solution method of a boundary value problem as blocks: the ansatz, the residuals, the solver, the solution


def solve_nodes(plan: SolvePlan, analysis: Analysis) -> tuple[Node, ...]:
    problem = plan.problem
    domain = DiagramBlock("domain", (domain_text(problem.domain),))
    names = ", ".join(unknown_names(problem))
    lines = (*(f"with the parameter {w.name}" for w in problem.parameters), *gauge_lines(problem))
    return domain, *_method(plan, analysis), DiagramBlock(f"solution {names}", lines)


def _method(plan: SolvePlan, analysis: Analysis) -> tuple[Node, ...]:
    diagram = plan.solver.diagram
    title, *lines = diagram.discretization
    solver, *solver_lines = diagram.solver
    discretization: Node = DiagramBlock(title, tuple(lines))
    equations = _equations_and_conditions(plan, analysis)
    if isinstance(plan.solver, MonteCarloPlan):  # the terms of the equation are those of the paths
        discretization, equations = BlockGroup(title, tuple(_path_terms(analysis))), _conditions(plan, analysis)
    system = BlockGroup(diagram.equations, equations, parallel=True)
    return discretization, system, DiagramBlock(solver, (*solver_lines, plan.reason))


def _equations_and_conditions(plan: SolvePlan, analysis: Analysis) -> tuple[DiagramBlock, ...]:
    equations = [_equation(k, facts, analysis) for k, facts in enumerate(analysis.equations, 1)]
    misfits = (DiagramBlock("data misfit", (o.file,), (o.span,)) for o in plan.problem.measurements)
    return (*equations, *_conditions(plan, analysis), *misfits)


def _equation(k: int, facts: EquationFacts, analysis: Analysis) -> DiagramBlock:
    number = f" {k}" if len(analysis.equations) > 1 else ""
    return DiagramBlock(f"PDE{number}", (class_text(facts, analysis),), tuple(t.origin.span for t in facts.terms))


def _conditions(plan: SolvePlan, analysis: Analysis) -> tuple[DiagramBlock, ...]:
    """A block for each condition of the text, with the parts of the boundary where it holds."""
    kinds = {c.span: f"{c.kind} condition" for c in analysis.spec.conditions}
    spans = dict.fromkeys(c.span for c in plan.problem.conditions)
    return tuple(DiagramBlock(kinds.get(span, "condition"), _locations(plan, span), (span,)) for span in spans)


def _locations(plan: SolvePlan, span: Span) -> tuple[str, ...]:
    domain = plan.problem.domain
    texts = dict.fromkeys(domain.text_of(c.place) for c in plan.problem.conditions if c.span == span)
    return (", ".join(texts),)


def _path_terms(analysis: Analysis) -> list[DiagramBlock]:
    """The parts of a step along a path, each with the terms that it comes from."""
    terms = [t for facts in analysis.equations for t in facts.terms]
    kinds: tuple[tuple[type[Term], str, str], ...] = (
        (Convection, "drift", "b dt"),
        (Diffusion, "noise", "√2 A^½ dB"),
        (Reaction, "weight", "e^{∫c} along the path"),
        (SourceTerm, "source", "weighted integral along the path"),
        (Nonlinear, "nonlinearity", "of the previous iterate, at random times along the path"),
    )
    spans = {kind: tuple(t.origin.span for t in terms if isinstance(t, kind)) for kind, _, _ in kinds}
    return [DiagramBlock(title, (line,), spans[kind]) for kind, title, line in kinds if spans[kind]]
