"""Transport and diffusion on a data space → paths.

Characteristics (Evans, Partial Differential Equations, section 3.2): u_t = v·∇u is constant along X' = v.
Feynman-Kac (Øksendal, Stochastic Differential Equations, section 8.2): for u_t + v·∇u + A:∇∇u = 0 with terminal data f,
u(x, t) = E f(X_T) with dX = v dt + Σ dB, ΣΣᵀ = 2A. With initial data the clock runs backwards: what is last in the
time of the equation comes first in the network.
"""

from __future__ import annotations

from sympy import Expr, Symbol

from pdedsl.diagnostics import fail
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.representation import Paths, Stretch, Theorem
from pdedsl.lower.components import generator
from pdedsl.symbolic.symbols import INDEX, Field

CHARACTERISTICS = Theorem("the method of characteristics", "Evans, section 3.2; Wang et al., eq. 1.3")
FEYNMAN_KAC = Theorem("the Feynman-Kac formula", "Øksendal, section 8.2; Wang, Yuan, Shi, Osher, eq. 2.8")


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
    extra = next(
        (t for t in facts.terms if t.kind in ("reaction", "source", "nonlinear", "nonlocal", "higher_order")), None
    )
    if extra:
        raise fail(
            "E601",
            f"the {extra.kind.replace('_', ' ')} '{extra.text}' has no network on a data space",
            extra.span,
            "convection and diffusion have one",
        )
    if facts.flow is None:
        raise fail(
            "E601",
            "this equation has no network on a data space",
            facts.equation.span,
            "write it as ∂u/∂t = v·∇u + A:∇∇u, linear in u",
        )


def _check_reads(facts: EquationFacts, analysis: Analysis) -> None:
    """Learned fields are read at the point and time of the path, which is where the network has them."""
    assert facts.flow is not None
    learned = {w.head: w for w in analysis.spec.learned}
    exprs = (*facts.flow.drift, *(a for row in facts.flow.diffusivity for a in row))
    for field in {f for e in exprs for f in e.atoms(Field)}:
        if field.head in learned and tuple(field.arguments) != tuple(learned[field.head].arguments):
            name = learned[field.head].name
            raise fail(
                "E604",
                f"'{name}' is read elsewhere than at the point and time of the path",
                facts.equation.span,
                f"write {name} without arguments, or with those of its declaration",
            )


def _stretch(facts: EquationFacts, analysis: Analysis, backwards: bool) -> Stretch:
    time = analysis.spec.time
    assert facts.flow is not None
    assert time is not None
    start, end = facts.equation.interval or (time.start, time.end)
    first, last = (end, start) if backwards else (start, end)
    _check_reads(facts, analysis)
    spans = {t.kind: t.span for t in reversed(facts.terms)}
    shape = facts.random.kind if facts.random else facts.flow.shape
    places = (spans.get("convection"), spans.get("diffusion"))
    if not analysis.spec.space.explicit:
        component, diagonal = _in_components(facts, analysis.spec.space.dimension, backwards)
        return Stretch(first, last, (component,), ((diagonal,),), shape, *places, facts.random, INDEX)
    values = analysis.spec.values
    drift = tuple(b.xreplace(values) for b in facts.flow.drift)
    matrix = tuple(tuple(a.xreplace(values) for a in row) for row in facts.flow.diffusivity)
    return Stretch(first, last, drift, matrix, shape, *places, facts.random)


def _in_components(facts: EquationFacts, dimension: int | Symbol, backwards: bool) -> tuple[Expr, Expr]:
    """bᵢ and Aᵢᵢ. A matrix with more than a diagonal must be that of a random map: others have no noise here."""
    head = facts.equation.unknown
    assert head is not None
    found = generator(facts.equation.right[0] if backwards else -facts.equation.right[0], head, dimension)
    if found.full and facts.random is None:
        raise fail(
            "E604",
            "a full diffusion matrix needs a space of at most 16 dimensions",
            next(t.span for t in facts.terms if t.kind == "diffusion"),
            "write νΔu, Σᵢ aᵢ ∂²u/∂xᵢ², or c Σᵢⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ along the velocity v",
        )
    return found.drift, found.diagonal
