"""A plan for a physical problem in words: the statement, the method with its reason, and the alternatives."""

from __future__ import annotations

from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.statement import Domain, Statement
from pdedsl.symbolic.notation import notation

SHOWN = 3  # dimensions of space whose sides are written out


def solving_lines(plan: SolvePlan) -> list[str]:
    return [*statement_lines(plan.statement), *method_lines(plan)]


def statement_lines(statement: Statement) -> list[str]:
    names = ", ".join(c.name for c in statement.components)
    equations, conditions = len(statement.equations), sum(len(c.residuals) for c in statement.conditions)
    linear = "linear" if statement.is_affine else "not linear"
    found = [
        f"{_count(equations, 'equation')} and {_count(conditions, 'condition')} for {names}, {linear} in the unknowns"
    ]
    found += [f"on {domain_text(statement.domain)}"]
    found += [
        f"{c.name} is known: {notation(e)}"
        for c, e in zip(statement.components, statement.exact, strict=True)
        if e is not None
    ]
    found += [f"{w.name} is found with the solution" for w in statement.parameters]
    return [*found, *floating_lines(statement)]


def domain_text(domain: Domain) -> str:
    """The box, its periodic sides, and the shape that is cut out of it."""
    if len(domain.space) > SHOWN:
        return f"a box of {len(domain.space)} coordinates{' and time' * domain.timed}"
    sides = [
        f"{x} in [{notation(i.start)}, {notation(i.end)}]{' periodic' * i.periodic}"
        for x, i in zip(domain.coordinates, domain.intervals, strict=True)
    ]
    shape = f", where {', '.join(f'{notation(g)} > 0' for g in domain.inside)}" if domain.inside else ""
    return f"{', '.join(sides)}{shape}"


def floating_lines(statement: Statement) -> list[str]:
    """The components that are determined only up to a constant or a function of time."""
    free = "a function of time" if statement.domain.timed else "a constant"
    return [
        f"{statement.components[c].name} is determined up to {free}, which comparisons ignore"
        for c in statement.floating
    ]


def method_lines(plan: SolvePlan) -> list[str]:
    chosen = [f"solved by {plan.method}: {plan.reason}"]
    others = [
        f"not by {a.method.name}: {a.obstacle}" if a.obstacle else f"{a.method.name} applies as well"
        for a in plan.alternatives
    ]
    chosen += [f"with N a network: {text}" for text in plan.ansatz]
    reference = [f"compared with {plan.reference}"] if plan.reference else []
    return [*chosen, *others, *reference]


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"
