"""The solution operator on R^d as blocks (Feynman-Kac): steps, noise, weights and sources along a path, sample mean."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from sympy import Expr, Max, sqrt

from pdedsl.config.methods import Law
from pdedsl.explainer.describe import noise_text
from pdedsl.explainer.drawing.blocks import Block, Group, Node, counted
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.noise import ConstantNoise, CorrelatedNoise, Noise
from pdedsl.ir.plan import DataPlan, NoiseStep, SdeSteps
from pdedsl.ir.spec import Spec
from pdedsl.ir.system_kinds import operator_samples
from pdedsl.ir.terms import Reaction, SourceTerm
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Field, atoms


def point(spec: Spec) -> Block:
    return Block("input", (f"point of R^{spec.space.dimension}",))


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
                nodes.append(Block("noise", (noise_text(noise),), (noise.span,)))
    random = any(
        isinstance(part, NoiseStep) or part.noise for part in plan.parts if isinstance(part, SdeSteps | NoiseStep)
    )
    over = f"over {counted(operator_samples(analysis.spec), 'sample path')}" if random else "at the end of the path"
    data = Block("sample mean of the data" if random else "value of the data", (over,), (plan.readout_span,))
    return point(analysis.spec), *nodes, *_path_integrals(analysis), data


def _segment(segment: SdeSteps, max_step: Expr, analysis: Analysis) -> Node:
    """The steps of one segment, each at most `max_step` long."""
    length = segment.steps * segment.step
    steps = 1 if _has_constant_coefficients(segment, analysis) else ceil(length / max_step)
    noise = segment.noise and Block(
        "noise", (noise_text(_rescaled(segment.noise, segment.steps, steps)),), (segment.noise.span,)
    )
    if steps == 1 and _has_constant_coefficients(segment, analysis):
        block = Block("one exact step along the velocity field", (f"over a time of {length}",), (segment.span,))
        return Group("one step", (block, noise)) if noise else block
    time = analysis.spec.time.name if analysis.spec.time else "t"
    lines = (
        f"δt = {notation(length / steps)}, the first at {time} = {segment.start}",
        *nets(segment.drift, analysis.spec),
    )
    block = Block(f"{segment.scheme.name} step along the velocity field", lines, (segment.span,))
    return Group(counted(steps, "step"), (block, noise) if noise else (block,))


def _rescaled(noise: Noise, planned: int, taken: int) -> Noise:
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
            return constant and law is Law.GAUSSIAN
        case None:
            return constant
        case _:
            return False


def nets(field: tuple[Expr, ...], spec: Spec) -> tuple[str, ...]:
    """The networks of the learned fields in a vector field."""
    heads = {f.head for entry in field for f in atoms(entry, Field)}
    return tuple(f"{w.name} = {w.net}" for w in spec.learned if w.head in heads and w.net)


def _path_integrals(analysis: Analysis) -> tuple[Block, ...]:
    terms = [t for facts in analysis.equations for t in facts.terms]
    weights = tuple(t.origin.span for t in terms if isinstance(t, Reaction))
    sources = tuple(t.origin.span for t in terms if isinstance(t, SourceTerm))
    blocks = (
        Block("weight", ("e^{∫c} along the path",), weights),
        Block("sources", ("weighted integral along the path",), sources),
    )
    return tuple(block for block in blocks if block.of)
