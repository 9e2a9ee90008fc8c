"""A model on a data space as blocks: steps along the velocity, noise after each, the readout, the mean."""

from __future__ import annotations

from typing import assert_never

from pdedsl.config.methods import Adaptive, Weighting
from pdedsl.config.networks import residual_maps
from pdedsl.diagnostics import Span
from pdedsl.explainer.describe import noise_text, objective_lines
from pdedsl.explainer.drawing.blocks import Block, Group, Node, counted, sizes
from pdedsl.explainer.drawing.operator import nets, operator_nodes, point
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.noise import Noise
from pdedsl.ir.plan import BaseNetwork, DataPlan, NoiseStep, Part, ResidualBlocks, SdeSteps, TimeConditioned
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import Convection, Diffusion


def data_nodes(plan: DataPlan, analysis: Analysis) -> tuple[Node, ...]:
    if plan.classes is None:
        return operator_nodes(plan, analysis)
    families = [_family(family.parts, family.members, plan, analysis) for family in plan.families]
    alike = len(families) == 1
    members: tuple[Node, ...] = families[0] if alike else (Group("side by side", tuple(map(_joined, families)), True),)
    return (_input(plan, analysis.spec), *members, *_mean(plan), *_training(plan, analysis))


def _joined(nodes: tuple[Node, ...]) -> Node:
    return nodes[0] if len(nodes) == 1 else Group("one architecture", nodes)


def _input(plan: DataPlan, spec: Spec) -> Block:
    return Block("input", (f"an image, {sizes(*plan.image)}",)) if plan.image else point(spec)


def _family(parts: tuple[Part, ...], members: int, plan: DataPlan, analysis: Analysis) -> tuple[Node, ...]:
    nodes = [node for part in parts for node in _part(part, plan.readout_span, analysis)]
    if plan.classes is not None and not any(isinstance(part, TimeConditioned | BaseNetwork) for part in parts):
        nodes.append(Block("readout", (f"a linear map to {counted(plan.classes, 'score')}",), (plan.readout_span,)))
    return (Group(f"{members} members, each with weights of its own", tuple(nodes)),) if members > 1 else tuple(nodes)


def _part(part: Part, data: Span, analysis: Analysis) -> list[Node]:
    match part:
        case SdeSteps(scheme=Adaptive() as scheme, span=span, step=step):
            lines = ("chooses its steps", f"over a time of {step}", *nets(part.field, analysis.spec))
            return [Block(f"{scheme.name} along the velocity", lines, (span,))]
        case SdeSteps(steps=steps, step=step, scheme=scheme, noise=noise, span=span, first=first):
            lines = (f"δt = {step}, the first at {_clock(analysis.spec)} = {first}", *nets(part.field, analysis.spec))
            block = Block(f"{scheme.name} step along the velocity", lines, (span,))
            return [Group(counted(steps, "step"), (block, *_noise(noise)))]
        case ResidualBlocks(net=net, step=step, noise=noise, span=span, before_readout=last, branch=branch):
            beside = (f"beside it one of {branch}",) if branch else ()
            block = Block("residual map", (f"δt = {step}", *beside), (span,))
            maps = residual_maps(net)
            of = f"{counted(maps, 'map')} of {net}" if maps is not None else f"every map of {net}"
            return [Group(of, (block, *_noise(noise))), *_noise(last)]
        case NoiseStep(noise=noise):
            return list(_noise(noise))
        case TimeConditioned(net=net, time=time):
            moving = tuple(t.origin.span for e in analysis.equations for t in e.terms if isinstance(t, Convection))
            return [
                Block(str(net), (f"the time is an input, read at {time}", "scores of the classes"), (*moving, data))
            ]
        case BaseNetwork(net=net):
            return [Block(str(net), ("scores of the classes",), (data,))]
        case _:
            assert_never(part)


def _clock(spec: Spec) -> str:
    return spec.time.name if spec.time else "t"


def _noise(noise: Noise | None) -> tuple[Block, ...]:
    return (Block("noise", (noise_text(noise),), (noise.span,)),) if noise else ()


def _mean(plan: DataPlan) -> tuple[Block, ...]:
    if plan.members == plan.samples == 1:
        return ()
    weighted = ", with learned weights" if plan.weights is Weighting.LEARNED else ""
    over = f"over {counted(plan.members, 'member')} and {counted(plan.samples, 'draw')}{weighted}"
    return (Block(f"mean of {plan.average.value}", (over,)),)


def _training(plan: DataPlan, analysis: Analysis) -> tuple[Block, ...]:
    lines = tuple(objective_lines(plan.objective))
    in_training = any(isinstance(part, TimeConditioned | BaseNetwork) for part in plan.parts)
    spread = tuple(t.origin.span for e in analysis.equations for t in e.terms if isinstance(t, Diffusion))
    return (Block("training", lines, spread if in_training else ()),) if lines else ()
