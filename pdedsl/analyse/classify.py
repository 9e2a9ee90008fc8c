"""Terms by what they are, and equations by their class. The class is read off the normal form alone."""

from __future__ import annotations

from sympy import Add, Expr, S, Symbol

from pdedsl.analyse.jets import Jet, jet_of, symbolic_right, unknown_of
from pdedsl.ir.analysis import Direction, EquationClass, Flow, Term, TermKind
from pdedsl.ir.spec import Equation, Spec, Summand
from pdedsl.ir.symbols import Applied, Field, Layer, Partial, Transposed
from pdedsl.ir.types import Vector


def direction_of(spec: Spec, head: Symbol | None) -> Direction:
    kinds = {c.kind for c in spec.conditions if c.unknown == head and c.order == 0 and c.kind != "boundary"}
    return "terminal" if kinds == {"terminal"} else "initial"


def forward(equation: Equation, spec: Spec) -> Jet:
    """F in u_t = F, counted in the direction in which the data travel."""
    sign = -1 if direction_of(spec, equation.unknown) == "terminal" and equation.order == 1 else 1
    return jet_of(sign * equation.right[0], unknown_of(equation, spec), spec)


# ---- terms


def terms_of(equation: Equation, spec: Spec) -> tuple[Term, ...]:
    return tuple(_term(s, equation, spec) for s in equation.summands if any(e != 0 for e in s.exprs))


def _term(summand: Summand, equation: Equation, spec: Spec) -> Term:
    text = "-" * summand.minus + spec.source.at(summand.span)
    whole = summand.exprs[0]
    order = _time_order(whole, spec)
    if order:
        return Term("time_derivative", text, summand.span, True, f"order {order}")
    jet = jet_of(whole.xreplace(spec.values), unknown_of(equation, spec), spec)
    kind = _kind(jet, whole, spec)
    return Term(kind, text, summand.span, _is_linear(jet, whole, spec), _detail(kind, jet, spec))


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
    free = jet.expr.free_symbols
    for variables, kind in ((jet.second, "diffusion"), (jet.p, "convection")):
        if free & set(variables):
            slopes = tuple(map(jet.slope, variables))
            return "nonlinear" if jet.depends_on(slopes, variables) else kind  # type: ignore[return-value]
    return "reaction"


def _is_linear(jet: Jet, expr: Expr, spec: Spec) -> bool:
    if expr.has(Layer):
        return False
    return jet.is_linear


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
    return "constant" if all(e.is_number for e in entries) else "known"


def shape_of(rows: tuple[tuple[Expr, ...], ...]) -> str:
    if any(e != 0 for i, row in enumerate(rows) for j, e in enumerate(row) if i != j):
        return "full"
    return "isotropic" if len({rows[i][i] for i in range(len(rows))}) == 1 else "diagonal"


# ---- equations


def class_of(equation: Equation, spec: Spec) -> EquationClass:
    feature = _feature_class(equation, spec)
    if feature:
        return feature
    jet = forward(equation, spec)
    if isinstance(unknown_of(equation, spec).type, Vector):
        jet = _vector_jet(equation, spec)
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


def _vector_jet(equation: Equation, spec: Spec) -> Jet:
    """Orders for a vector equation: derivatives of any component count."""
    unknown = unknown_of(equation, spec)
    fields = {f for e in equation.right for f in e.atoms(Field) if f.head == unknown.head}
    scalar = dict.fromkeys(fields, Field(unknown.head, (), unknown.arguments))
    whole = Add(*(e.xreplace(scalar) * Symbol(f"_{k}") for k, e in enumerate(equation.right)))
    return jet_of(whole, unknown, spec)


def _second_order(jet: Jet) -> EquationClass:
    entries = tuple(e for row in jet.matrix for e in row)
    if jet.depends_on(entries, jet.variables):
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
    if right.has(Applied) or any(_is_learned_of_unknown(f, spec) for f in right.atoms(Field)):
        if equation.order == 2:
            return "wave"
        return "gradient-flow" if symmetric_layer(right) else "ode"
    return None


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


def symmetric_layer(right: Expr) -> Applied | None:
    """The Kᵀ σ(N(K Y)) of -c Kᵀ σ(N(K Y)), c > 0, if the right-hand side is one."""
    coefficient, rest = right.as_coeff_Mul()
    if not coefficient.is_negative or not isinstance(rest, Applied):
        return None
    inner = rest.body
    while not isinstance(inner, Applied):
        if isinstance(inner, Layer):
            inner = inner.body
        elif len(inner.args) == 1:
            inner = inner.args[0]
        else:
            return None
    return rest if rest.operator == Transposed(inner.operator) and isinstance(inner.body, Field) else None


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
