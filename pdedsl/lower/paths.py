"""Transport and diffusion on a data space → paths.

Characteristics (Evans, Partial Differential Equations, section 3.2): u_t = v·∇u is constant along X' = v.
Feynman-Kac (Øksendal, Stochastic Differential Equations, section 8.2): for u_t + v·∇u + A:∇∇u = 0 with terminal data f,
u(x, t) = E f(X_T) with dX = v dt + Σ dB, ΣΣᵀ = 2A. With initial data the clock runs backwards: what is last in the
time of the equation comes first in the network.
"""

from __future__ import annotations

from typing import assert_never

from sympy import Expr

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.representation import Paths, Stretch, Theorem
from pdedsl.ir.terms import (
    Coefficient,
    Components,
    Coupling,
    Diffusion,
    Generator,
    HigherOrder,
    Indexed,
    LearnedField,
    Nonlinear,
    Nonlocal,
    Reaction,
    Source,
    SymmetricLayer,
    TimeDerivative,
    Transport,
)
from pdedsl.symbolic.symbols import INDEX, Field

CHARACTERISTICS = Theorem(
    "the method of characteristics",
    "Evans, section 3.2; Wang et al., eq. 1.3",
    "u is constant along X' = v; a step of Euler is a residual map x + δt v(x)",
)
FEYNMAN_KAC = Theorem(
    "the Feynman-Kac formula",
    "Øksendal, section 8.2; Wang, Yuan, Shi, Osher, eq. 2.8",
    "u is the mean of the data over a random path; a step of Euler-Maruyama is a residual map and then noise",
)


def to_paths(analysis: Analysis) -> Paths:
    """The paths along which the data are averaged, in network order."""
    spec = analysis.spec
    for facts in analysis.equations:
        _check(facts)
    condition = next(c for c in spec.conditions if c.order == 0 and c.kind != "boundary")
    direction = "initial" if condition.kind == "initial" else "terminal"
    stretches = [_stretch(facts, analysis, direction == "initial") for facts in analysis.equations]
    stretches.sort(key=lambda s: float(s.first), reverse=direction == "initial")
    theorem = FEYNMAN_KAC if any(s.shape != "none" for s in stretches) else CHARACTERISTICS
    return Paths(theorem, direction, tuple(stretches), condition.value[0], condition.span)  # type: ignore[arg-type]


def _check(facts: EquationFacts) -> None:
    for term in facts.terms:
        match term:
            case TimeDerivative(mixed=False) | Transport() | Diffusion():
                continue
            case (
                Reaction()
                | Source()
                | Nonlinear()
                | Nonlocal()
                | HigherOrder()
                | Coupling()
                | TimeDerivative()
                | SymmetricLayer()
                | LearnedField()
            ):
                raise mistakes.networks.no_term(term.origin.text, term.origin.span)
            case _:
                assert_never(term)
    if facts.generator is None:
        raise mistakes.networks.no_equation(facts.equation.span)


def _check_reads(generator: Generator, facts: EquationFacts, analysis: Analysis) -> None:
    """Learned fields are read at the point and time of the path, which is where the network has them."""
    learned = {w.head: w for w in analysis.spec.learned}
    exprs = (*_entries(generator.drift), *_entries(generator.matrix))
    for field in {f for e in exprs for f in e.atoms(Field)}:
        if field.head in learned and tuple(field.arguments) != tuple(learned[field.head].arguments):
            raise mistakes.networks.read_elsewhere(learned[field.head].name, facts.equation.span)


def _entries(coefficient: Coefficient) -> tuple[Expr, ...]:
    match coefficient:
        case Components(rows=rows):
            return tuple(e for row in rows for e in row)
        case Indexed(diagonal=a, outer=outer):
            return (a, *(e for pair in outer for e in pair))
        case _:
            assert_never(coefficient)


def _stretch(facts: EquationFacts, analysis: Analysis, backwards: bool) -> Stretch:
    time, generator = analysis.spec.time, facts.generator
    assert generator is not None
    assert time is not None
    start, end = facts.equation.interval or (time.start, time.end)
    first, last = (end, start) if backwards else (start, end)
    _check_reads(generator, facts, analysis)
    shape = facts.random.kind if facts.random else generator.shape
    moving = next((t.origin.span for t in facts.terms if isinstance(t, Transport)), None)
    spreading = next((t.origin.span for t in facts.terms if isinstance(t, Diffusion)), None)
    match generator.drift, generator.matrix:
        case Components(rows=(drift,)), Components(rows=rows):
            return Stretch(first, last, drift, rows, shape, moving, spreading, facts.random)
        case Indexed(diagonal=drift_i), Indexed() as matrix:
            entry = _diagonal(matrix, facts, spreading)
            return Stretch(first, last, (drift_i,), ((entry,),), shape, moving, spreading, facts.random, INDEX)
        case _:
            raise AssertionError(generator)


def _diagonal(matrix: Indexed, facts: EquationFacts, span: Span | None) -> Expr:
    """Aᵢᵢ. A matrix with more than a diagonal must be that of a random map: others have no noise here."""
    if (matrix.outer or matrix.learned or matrix.rest) and facts.random is None:
        raise mistakes.networks.full_matrix(span or facts.equation.span)
    return matrix.diagonal
