"""The solution method of a boundary value problem as blocks: the ansatz, the residuals, the solver, the solution."""

from __future__ import annotations

from typing import assert_never

from pdedsl.config.methods import Grid, MonteCarlo, Pinn, RandomFeatures
from pdedsl.diagnostics import Span
from pdedsl.explainer.classification import class_text
from pdedsl.explainer.describe import domain_text, gauge_lines
from pdedsl.explainer.drawing.blocks import Block, Group, Node, counted
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.terms import Convection, Diffusion, Reaction, SourceTerm, Term


def solve_nodes(plan: SolvePlan, analysis: Analysis) -> tuple[Node, ...]:
    problem = plan.problem
    domain = Block("domain", (domain_text(problem.domain),))
    names = ", ".join(c.name for c in problem.components)
    lines = (*(f"with the parameter {w.name}" for w in problem.parameters), *gauge_lines(problem))
    return domain, *_method(plan, analysis), Block(f"solution {names}", lines)


def _method(plan: SolvePlan, analysis: Analysis) -> tuple[Node, ...]:
    match plan.method:
        case RandomFeatures(n=n):
            features = Block("ansatz", (f"{counted(n, 'random Fourier feature') if n else 'random Fourier features'}",))
            return features, _residuals(plan, analysis), Block("least squares", (plan.reason,))
        case Pinn():
            network = Block(str(plan.network) if plan.network else "network", plan.ansatz)
            return network, _residuals(plan, analysis), Block("training", (str(plan.method), plan.reason))
        case Grid(n=n):
            system = Group("equations on the grid", _equations_and_conditions(plan, analysis), parallel=True)
            return Block("grid", (f"{n} points per dimension",)), system, Block("grid solver", (plan.reason,))
        case MonteCarlo(samples=samples, steps=steps):
            title = f"{counted(samples, 'sample path')} of the diffusion process, {counted(steps, 'step')} each"
            conditions = Group(
                "data at the end of the paths, boundary conditions", _conditions(plan, analysis), parallel=True
            )
            mean = Block("sample mean", ("with a 95 % confidence interval", plan.reason))
            return Group(title, tuple(_path_terms(analysis))), conditions, mean
        case _:
            assert_never(plan.method)


def _residuals(plan: SolvePlan, analysis: Analysis) -> Group:
    title = "minimised residuals" + "; those of conditions built into the ansatz are zero" * bool(plan.ansatz)
    return Group(title, _equations_and_conditions(plan, analysis), parallel=True)


def _equations_and_conditions(plan: SolvePlan, analysis: Analysis) -> tuple[Block, ...]:
    equations = [_equation(k, facts, analysis) for k, facts in enumerate(analysis.equations, 1)]
    misfits = (Block("data misfit", (o.file,), (o.span,)) for o in plan.problem.measurements)
    return (*equations, *_conditions(plan, analysis), *misfits)


def _equation(k: int, facts: EquationFacts, analysis: Analysis) -> Block:
    number = f" {k}" if len(analysis.equations) > 1 else ""
    return Block(f"PDE{number}", (class_text(facts, analysis),), tuple(t.origin.span for t in facts.terms))


def _conditions(plan: SolvePlan, analysis: Analysis) -> tuple[Block, ...]:
    """A block for each condition of the text, with the parts of the boundary where it holds."""
    kinds = {c.span: f"{c.kind} condition" for c in analysis.spec.conditions}
    spans = dict.fromkeys(c.span for c in plan.problem.conditions)
    return tuple(Block(kinds.get(span, "condition"), _locations(plan, span), (span,)) for span in spans)


def _locations(plan: SolvePlan, span: Span) -> tuple[str, ...]:
    domain = plan.problem.domain
    texts = dict.fromkeys(domain.text_of(c.place) for c in plan.problem.conditions if c.span == span)
    return (", ".join(texts),)


def _path_terms(analysis: Analysis) -> list[Block]:
    """The parts of a step along a path, each with the terms that it comes from."""
    terms = [t for facts in analysis.equations for t in facts.terms]
    kinds: tuple[tuple[type[Term], str, str], ...] = (
        (Convection, "drift", "b dt"),
        (Diffusion, "noise", "√2 A^½ dB"),
        (Reaction, "weight", "e^{∫c} along the path"),
        (SourceTerm, "source", "weighted integral along the path"),
    )
    spans = {kind: tuple(t.origin.span for t in terms if isinstance(t, kind)) for kind, _, _ in kinds}
    return [Block(title, (line,), spans[kind]) for kind, title, line in kinds if spans[kind]]
