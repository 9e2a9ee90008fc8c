"""A network on a data space as blocks: steps along the velocity field, noise after each, readout, average."""

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
    single = len(families) == 1
    members: tuple[Node, ...] = families[0] if single else (Group("ensemble", tuple(map(_as_node, families)), True),)
    return (_input(plan, analysis.spec), *members, *_average(plan), *_training(plan, analysis))


def _as_node(nodes: tuple[Node, ...]) -> Node:
    return nodes[0] if len(nodes) == 1 else Group("one architecture", nodes)


def _input(plan: DataPlan, spec: Spec) -> Block:
    return Block("input", (f"image, {sizes(*plan.image)}",)) if plan.image else point(spec)


def _family(parts: tuple[Part, ...], members: int, plan: DataPlan, analysis: Analysis) -> tuple[Node, ...]:
    nodes = [node for part in parts for node in _part(part, plan.readout_span, analysis)]
    if plan.classes is not None and not any(isinstance(part, TimeConditioned | BaseNetwork) for part in parts):
        nodes.append(Block("readout", (f"linear layer to {counted(plan.classes, 'logit')}",), (plan.readout_span,)))
    return (Group(f"{members} ensemble members with separate weights", tuple(nodes)),) if members > 1 else tuple(nodes)


def _part(part: Part, data: Span, analysis: Analysis) -> list[Node]:
    match part:
        case SdeSteps(scheme=Adaptive() as scheme, span=span, step=step):
            lines = ("adaptive steps", f"over a time of {step}", *nets(part.drift, analysis.spec))
            return [Block(f"{scheme.name} along the velocity field", lines, (span,))]
        case SdeSteps(steps=steps, step=step, scheme=scheme, noise=noise, span=span, start=first):
            lines = (
                f"δt = {step}, the first at {_time_name(analysis.spec)} = {first}",
                *nets(part.drift, analysis.spec),
            )
            block = Block(f"{scheme.name} step along the velocity field", lines, (span,))
            return [Group(counted(steps, "step"), (block, *_noise(noise)))]
        case ResidualBlocks(net=net, step=step, noise=noise, span=span, before_readout=last, branch=branch):
            second = (f"second branch: {branch}",) if branch else ()
            block = Block("residual block", (f"δt = {step}", *second), (span,))
            count = residual_maps(net)
            title = f"{counted(count, 'block')} of {net}" if count is not None else f"every block of {net}"
            return [Group(title, (block, *_noise(noise))), *_noise(last)]
        case NoiseStep(noise=noise):
            return list(_noise(noise))
        case TimeConditioned(net=net, time=time):
            convection = tuple(t.origin.span for e in analysis.equations for t in e.terms if isinstance(t, Convection))
            return [
                Block(
                    str(net), (f"time is an input, evaluated at {time}", "logits of the classes"), (*convection, data)
                )
            ]
        case BaseNetwork(net=net):
            return [Block(str(net), ("logits of the classes",), (data,))]
        case _:
            assert_never(part)


def _time_name(spec: Spec) -> str:
    return spec.time.name if spec.time else "t"


def _noise(noise: Noise | None) -> tuple[Block, ...]:
    return (Block("noise", (noise_text(noise),), (noise.span,)),) if noise else ()


def _average(plan: DataPlan) -> tuple[Block, ...]:
    if plan.members == plan.samples == 1:
        return ()
    weighted = ", with learned weights" if plan.weights is Weighting.LEARNED else ""
    members, samples = counted(plan.members, "ensemble member"), counted(plan.samples, "noise sample")
    return (Block(f"average of the {plan.average.value}", (f"over {members} and {samples}{weighted}",)),)


def _training(plan: DataPlan, analysis: Analysis) -> tuple[Block, ...]:
    lines = tuple(objective_lines(plan.objective))
    in_training = any(isinstance(part, TimeConditioned | BaseNetwork) for part in plan.parts)
    diffusion = tuple(t.origin.span for e in analysis.equations for t in e.terms if isinstance(t, Diffusion))
    return (Block("training", lines, diffusion if in_training else ()),) if lines else ()
