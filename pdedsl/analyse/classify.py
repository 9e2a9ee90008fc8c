"""Terms by what they are, and equations by their class. The class is read off the normal form alone."""

from __future__ import annotations

from sympy import Add, Expr, S, Symbol, default_sort_key

from pdedsl.analyse.jets import Jet, as_scalar, jet_of, symbolic_right, unknown_of
from pdedsl.analyse.problem import Part
from pdedsl.analyse.states import State, state_of
from pdedsl.ir.analysis import Direction, EquationClass, Flow, Term, TermKind
from pdedsl.ir.spec import Equation, Spec, Summand
from pdedsl.symbolic.symbols import Applied, Field, Layer, Partial, Transposed, with_number


def direction_of(spec: Spec, head: Symbol | None) -> Direction:
    kinds = {c.kind for c in spec.conditions if c.unknown == head and c.order == 0 and c.kind != "boundary"}
    return "terminal" if kinds == {"terminal"} else "initial"


def forward(equation: Equation, spec: Spec) -> Jet:
    """F in u_t = F, counted in the direction in which the data travel."""
    sign = -1 if direction_of(spec, equation.unknown) == "terminal" and equation.order == 1 else 1
    unknown = unknown_of(equation, spec)
    return jet_of(sign * as_scalar(equation.right, unknown), unknown, spec)


# ---- terms


def parts_of(equation: Equation, spec: Spec) -> tuple[Part, ...]:
    return tuple(_part(s, equation, spec) for s in equation.summands if any(e != 0 for e in s.exprs))


def _part(summand: Summand, equation: Equation, spec: Spec) -> Part:
    unknown = unknown_of(equation, spec)
    exprs = tuple(e.xreplace(spec.values) for e in summand.exprs)
    whole = as_scalar(exprs, unknown)
    jet, states = jet_of(whole, unknown, spec), tuple(state_of(e, spec) for e in exprs)
    return Part(_term(summand, whole, jet, states, spec), jet, states)


def _term(summand: Summand, whole: Expr, jet: Jet, states: tuple[State, ...], spec: Spec) -> Term:
    text = "-" * summand.minus + spec.source.at(summand.span)
    order = _time_order(whole, spec)
    if order:
        return Term("time_derivative", text, summand.span, True, f"order {order}")
    kind = _kind(jet, whole, spec)
    linear = not whole.has(Layer) and all(s.is_linear for s in states)
    return Term(kind, text, summand.span, linear, _detail(kind, jet, spec))


def _time_order(expr: Expr, spec: Spec) -> int:
    if spec.time is None:
        return 0
    heads = {u.head for u in spec.unknowns}
    orders = [
        p.slots.count(spec.time.symbol)
        for p in expr.atoms(Partial)
        if isinstance(p.body, Field) and p.body.head in heads
    ]
    return max(orders, default=0)


def _kind(jet: Jet, expr: Expr, spec: Spec) -> TermKind:
    heads = {u.head for u in spec.unknowns}
    touched = any(f.head in heads for f in expr.atoms(Field))
    if not touched:
        return "source"
    if jet.nonlocal_:
        return "nonlocal"
    if expr.has(Applied, Layer):
        return "nonlinear"
    if jet.higher and jet.expr.free_symbols & set(jet.higher):
        return "higher_order"
    if jet.hidden:
        return "nonlinear"
    free = jet.expr.free_symbols
    for variables, kind in ((jet.second, "diffusion"), (jet.p, "convection")):
        if free & set(variables):
            return kind if jet.is_affine_in(variables) else "nonlinear"  # type: ignore[return-value]
    return "reaction"


def _detail(kind: TermKind, jet: Jet, spec: Spec) -> str:
    if kind == "diffusion":
        entries = tuple(e for row in jet.matrix for e in row if e != 0)
        return f"{shape_of(jet.matrix)}, {_nature(entries, jet, spec)}"
    if kind == "convection":
        return _nature(tuple(e for e in jet.drift if e != 0), jet, spec)
    return ""


def _nature(entries: tuple[Expr, ...], jet: Jet, spec: Spec) -> str:
    """What coefficients depend on."""
    if jet.depends_on(entries, jet.variables):
        return "depends on the solution"
    heads = {w.head for w in spec.learned}
    if any(f.head in heads for e in entries for f in e.atoms(Field)):
        return "learned"
    varying = {*jet.coordinates, *((spec.time.symbol,) if spec.time else ())}
    return "known" if jet.depends_on(entries, tuple(varying)) else "constant"


def shape_of(rows: tuple[tuple[Expr, ...], ...]) -> str:
    if any(e != 0 for i, row in enumerate(rows) for j, e in enumerate(row) if i != j):
        return "full"
    return "isotropic" if len({rows[i][i] for i in range(len(rows))}) == 1 else "diagonal"


# ---- equations


def class_of(equation: Equation, jet: Jet, spec: Spec) -> EquationClass:
    feature = _feature_class(equation, spec)
    if feature:
        return feature
    if jet.order > 2 or equation.order > 2:
        return "higher-order"
    if equation.order == 2:
        return "wave"
    if equation.order == 0:
        return "elliptic" if jet.order == 2 else _first_order(jet)
    if jet.order == 2:
        return _second_order(jet)
    if jet.order == 1:
        return _first_order(jet)
    return "ode"


def _second_order(jet: Jet) -> EquationClass:
    entries = tuple(e for row in jet.matrix for e in row)
    if jet.depends_on(entries, jet.variables) or any(len(d.slots) > 1 for d in jet.hidden):
        return "nonlinear-diffusion"
    if jet.depends_on(jet.drift, jet.p):
        return "hamilton-jacobi"
    free = jet.expr.free_symbols
    lower = jet.expr.xreplace(dict.fromkeys((*jet.p, *jet.second), S.Zero))
    if jet.u in lower.free_symbols:
        return "reaction-diffusion"
    return "convection-diffusion" if free & set(jet.p) else "diffusion"


def _first_order(jet: Jet) -> EquationClass:
    return "hamilton-jacobi" if jet.depends_on(jet.drift, jet.p) else "transport"


def _feature_class(equation: Equation, spec: Spec) -> EquationClass | None:
    """Classes that are read off the shape of a system or of a symmetric layer."""
    if is_separable_pair(spec):
        return "hamiltonian"
    right = equation.right[0]
    learned = any(_is_learned_of_unknown(f, spec) for f in right.atoms(Field))
    if right.has(Applied) or (learned and not _differentiates(right, spec)):
        if equation.order == 2:
            return "wave"
        terms = gradient_terms(equation, spec)
        return "gradient-flow" if terms and terms[0] else "ode"
    return None


def _differentiates(right: Expr, spec: Spec) -> bool:
    heads = {u.head for u in spec.unknowns}
    return any(f.head in heads for p in right.atoms(Partial) for f in p.body.atoms(Field))


def _is_learned_of_unknown(field: Field, spec: Spec) -> bool:
    heads = {u.head for u in spec.unknowns}
    own = {w.head for w in spec.learned}
    return field.head in own and any(f.head in heads for a in field.arguments for f in a.atoms(Field))


def is_separable_pair(spec: Spec) -> bool:
    """Y' = f(Z, t), Z' = g(Y, t): each half is pushed by the other alone."""
    equations = [e for e in spec.equations if e.interval is None]
    if len(spec.unknowns) != 2 or len(equations) != 2 or any(e.order != 1 or len(e.right) != 1 for e in equations):
        return False
    for e in equations:
        heads = {u.head for u in spec.unknowns}
        found = {f.head for f in e.right[0].atoms(Field)} & heads
        if e.unknown is None or found != heads - {e.unknown}:
            return False
    return len({e.unknown for e in equations}) == 2


def gradient_terms(equation: Equation, spec: Spec) -> tuple[tuple[tuple[Expr, Applied], ...], Expr] | None:
    """The c > 0 and Kᵀ σ(N(K Y)) of -Σ c Kᵀ σ(N(K Y)) - λY, and λ; None if anything else stands there.

    In a separable pair the state is that of the other half.
    """
    pushed = [u for u in spec.unknowns if (u.head == equation.unknown) != is_separable_pair(spec)]
    state = Field(pushed[0].head, (), pushed[0].arguments) if pushed else None
    layers: list[tuple[Expr, Applied]] = []
    reaction = S.Zero
    for term in sorted(Add.make_args(equation.right[0]), key=default_sort_key):
        factor, rest = with_number(term)
        if rest == state:
            reaction -= factor
        elif factor.is_negative and isinstance(rest, Applied) and _is_symmetric(rest, state):
            layers.append((-factor, rest))
        else:
            return None
    return tuple(layers), reaction


def _is_symmetric(layer: Applied, state: Expr | None) -> bool:
    """Whether it is Kᵀ σ(N(K Y)), with any chain of functions between the operators."""
    inner = layer.body
    while not isinstance(inner, Applied):
        if isinstance(inner, Layer):
            inner = inner.body
        elif len(inner.args) == 1:
            inner = inner.args[0]
        else:
            return False
    return bool(layer.operator == Transposed(inner.operator) and inner.body == state)


def flow_of(equation: Equation, spec: Spec) -> Flow | None:
    """Drift and diffusivity of a linear equation of first order in time and at most second in space."""
    if equation.order != 1 or len(equation.right) != 1 or equation.right[0].has(Applied):
        return None
    direction = direction_of(spec, equation.unknown)
    sign = -1 if direction == "terminal" else 1
    jet = jet_of(sign * symbolic_right(equation, spec), unknown_of(equation, spec), spec)
    if jet.order > 2 or not jet.is_affine or jet.nonlocal_:
        return None
    shape = "none" if jet.order < 2 else shape_of(jet.matrix)
    return Flow(jet.drift, jet.matrix, shape, direction)  # type: ignore[arg-type]
