"""A physical problem as blocks: the unknowns, what they must satisfy, and how they are found."""

from __future__ import annotations

from typing import assert_never

from pdedsl.config.methods import Grid, MonteCarlo, Pinn, RandomFeatures
from pdedsl.diagnostics import Span
from pdedsl.explainer.describe import domain_text, gauge_lines
from pdedsl.explainer.drawing.blocks import Block, Group, Node, counted
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.terms import Convection, Diffusion, Reaction, SourceTerm, Term


def solve_nodes(plan: SolvePlan, analysis: Analysis) -> tuple[Node, ...]:
    domain = Block("points of the domain", (domain_text(plan.statement.domain),))
    names = ", ".join(c.name for c in plan.statement.components)
    found = (*(f"{w.name} is found with it" for w in plan.statement.parameters), *gauge_lines(plan.statement))
    return domain, *_method(plan, analysis), Block(f"the solution {names}", found)


def _method(plan: SolvePlan, analysis: Analysis) -> tuple[Node, ...]:
    asked = _asked(plan, analysis)
    match plan.method:
        case RandomFeatures(n=n):
            sines = counted(n, "sine") if n else "sines"
            return Block("features", (f"{sines} of random frequencies",)), asked, Block("least squares", (plan.reason,))
        case Pinn():
            network = str(plan.network) if plan.network else "a network"
            return Block(network, plan.ansatz), asked, Block("training", (str(plan.method), plan.reason))
        case Grid(n=n):
            return Block("grid", (f"{n} points a side",)), asked, Block("reference solver", (plan.reason,))
        case MonteCarlo(samples=samples, steps=steps):
            title = f"{counted(samples, 'random path')}, {counted(steps, 'step')} each"
            ends = Group("where a path ends, or turns", _ends(plan), apart=True)
            mean = Block("mean", ("with an interval of 95 %", plan.reason))
            return Group(title, tuple(_moves(analysis))), ends, mean
        case _:
            assert_never(plan.method)


def _asked(plan: SolvePlan, analysis: Analysis) -> Group:
    """The equations and conditions that the solution must satisfy."""
    equations = [_residual(k, facts, analysis) for k, facts in enumerate(analysis.equations, 1)]
    return Group("asked of it", (*equations, *_ends(plan), *_measured(plan)), apart=True)


def _residual(k: int, facts: EquationFacts, analysis: Analysis) -> Block:
    number = f" {k}" if len(analysis.equations) > 1 else ""
    linear = "linear" if facts.linear else "nonlinear"
    return Block(f"equation{number} holds", (f"{facts.kind}, {linear}",), tuple(t.origin.span for t in facts.terms))


def _ends(plan: SolvePlan) -> tuple[Block, ...]:
    conditions = {c.span: None for c in plan.statement.conditions}
    return tuple(Block("condition holds", _places(plan, span), (span,)) for span in conditions)


def _places(plan: SolvePlan, span: Span) -> tuple[str, ...]:
    domain = plan.statement.domain
    found = dict.fromkeys(domain.text_of(c.place) for c in plan.statement.conditions if c.span == span)
    return (", ".join(found),)


def _measured(plan: SolvePlan) -> tuple[Block, ...]:
    return tuple(Block("measurements are met", (o.file,), (o.span,)) for o in plan.statement.observed)


def _moves(analysis: Analysis) -> list[Block]:
    """What a path does at each step, by the terms that cause it."""
    terms = [t for facts in analysis.equations for t in facts.terms]
    kinds: tuple[tuple[type[Term], str, str], ...] = (
        (Convection, "drift", "moves the path"),
        (Diffusion, "noise", "scatters it"),
        (Reaction, "weight", "grows or decays along it"),
        (SourceTerm, "source", "is gathered along it"),
    )
    found = [(title, does, tuple(t.origin.span for t in terms if isinstance(t, kind))) for kind, title, does in kinds]
    return [Block(title, (does,), of) for title, does, of in found if of]
