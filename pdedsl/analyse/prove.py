"""Axioms of evolution equations on functions: what holds for every weight, what fails, and why.

The axioms are those of Wang et al., "An axiomatized PDE model of deep neural networks", section 2; a proof of the
comparison principle is degenerate ellipticity, ∂F/∂(∇∇u) ⪰ 0 (Crandall, Ishii, Lions 1992).
"""

from __future__ import annotations

from sympy import Add, Dummy, Expr, S, Symbol, cancel, expand, together

from pdedsl.analyse.classify import forward
from pdedsl.analyse.jets import Jet, unknown_of
from pdedsl.analyse.signs import Sign, nonnegative, semidefinite
from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import Term, Verdict
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.symbols import Field, Partial
from pdedsl.ir.types import Matrix, Vector
from pdedsl.ir.vocabulary import ACTIVATION_FACTS

BOUNDED_ACTIVATIONS = {"tanh", "sigmoid", "sin"}
SMOOTH = "exp sin cos tanh erf atan".split()


def named(terms: list[Term]) -> str:
    """Terms by their own words."""
    return ", ".join(f"'{t.text}'" for t in terms) or "the equation"


def spans(terms: list[Term]) -> tuple[Span, ...]:
    return tuple(t.span for t in terms)


def of_kind(terms: tuple[Term, ...], *kinds: str) -> list[Term]:
    return [t for t in terms if t.kind in kinds]


# ---- the seven axioms


def linearity(jet: Jet, terms: tuple[Term, ...], spec: Spec) -> Verdict:
    if jet.is_linear:
        return Verdict("proved", "every term is linear in u and its derivatives, and there is no source.")
    guilty = [t for t in terms if t.kind != "time_derivative" and not t.linear]
    if _learned_in(guilty, jet, spec):
        return Verdict("unknown", f"{named(guilty)} depends on u through a learned function.", guilty=spans(guilty))
    if jet.is_affine:
        witness = "T(0) is not 0, so T(2f) is not 2T(f)"
        return Verdict("refuted", f"{named(guilty)} does not depend on u: the solution is affine, not linear.", witness, spans(guilty))
    witness = "with data 2f instead of f the two sides scale differently"
    return Verdict("refuted", f"{named(guilty)} is not linear in u.", witness, spans(guilty))


def _learned_in(terms: list[Term], jet: Jet, spec: Spec) -> bool:
    """Whether what breaks linearity is a learned function of u alone."""
    heads = {w.head for w in spec.learned}
    return any(f.head in heads and f.atoms(Dummy) for f in jet.expr.atoms(Field))


def constants(jet: Jet, terms: tuple[Term, ...], spec: Spec) -> Verdict:
    """T(C) = C: F vanishes where u is a constant."""
    if jet.singular:
        return Verdict("unknown", "the equation has no value where the gradient vanishes.")
    at = expand(jet.expr.xreplace(dict.fromkeys((*jet.p, *jet.second, *jet.higher), S.Zero)))
    if vanishes(at):
        return Verdict("proved", "every term contains a derivative of u, so a constant stays as it is.")
    guilty = of_kind(terms, "reaction", "source", "nonlocal", "nonlinear")
    why = f"{named(guilty)} does not vanish for a constant u"
    if any(f.head in {w.head for w in spec.learned} for f in at.atoms(Field)):
        return Verdict("unknown", f"{why} for every weight.", guilty=spans(guilty))
    value = at.xreplace({jet.u: S.One})
    shown = value if value != 0 else at.xreplace({jet.u: S(2)})
    constant = 1 if value != 0 else 2
    return Verdict("refuted", f"{why}.", f"u = {constant} changes at rate {shown}", spans(guilty))


def comparison(jet: Jet, equation: Equation, terms: tuple[Term, ...], spec: Spec) -> Verdict:
    """f ≤ g implies T(f) ≤ T(g)."""
    if equation.order == 2:
        guilty = of_kind(terms, "time_derivative")
        witness = "for u_tt = u_xx, u(x, 0) = bump ≥ 0 with u_t(x, 0) = 0 is fine, but u_t(x, 0) = -1 ≤ 0 gives u < 0"
        return Verdict("refuted", "waves overshoot: an equation of second order in time keeps no order of its data.", witness, spans(guilty))
    if equation.order > 2 or jet.order > 2:
        guilty = of_kind(terms, "higher_order") or list(terms)
        witness = "data that touch 0 from above with a large derivative of third or fourth order there leave it downwards"
        return Verdict("refuted", f"{named(guilty)} is of third or higher order, which no comparison principle allows.", witness, spans(guilty))
    if jet.nonlocal_:
        return Verdict("unknown", "a nonlocal term keeps order only where its kernel is nonnegative.", guilty=spans(of_kind(terms, "nonlocal")))
    if len(spec.unknowns) > 1 and _coupled(jet, equation, spec):
        return Verdict("unknown", "the unknowns are coupled, and a system keeps order only where it is cooperative.")
    if jet.order < 2:
        return Verdict("proved", "the equation has no second derivatives: values travel along characteristics.")
    sign = ellipticity(jet, spec)
    guilty = of_kind(terms, "diffusion", "nonlinear")
    if equation.order == 0:
        return _elliptic_comparison(jet, sign, guilty)
    match sign.nonnegative:
        case True:
            return Verdict("proved", f"{named(guilty)} is degenerate elliptic: ∂F/∂(∇∇u) is positive semidefinite.")
        case False:
            witness = f"∂F/∂(∇∇u) has a negative {sign.witness or 'eigenvalue'}: data that touch from above there cross"
            return Verdict("refuted", f"{named(guilty)} is not elliptic.", witness, spans(guilty))
        case None:
            return Verdict("unknown", f"the sign of {named(guilty)} cannot be decided.", guilty=spans(guilty))


def _coupled(jet: Jet, equation: Equation, spec: Spec) -> bool:
    heads = {u.head for u in spec.unknowns} - {equation.unknown}
    return any(f.head in heads for f in jet.expr.atoms(Field))


def ellipticity(jet: Jet, spec: Spec, sign: int = 1) -> Sign:
    rows = tuple(tuple(sign * e for e in row) for row in jet.matrix)
    psd = frozenset(w.head for w in spec.learned if isinstance(w.type, Matrix) and w.type.psd)
    free = frozenset((*jet.coordinates, *jet.variables, *((spec.time.symbol,) if spec.time else ())))
    return semidefinite(rows, free, psd)


def _elliptic_comparison(jet: Jet, sign: Sign, guilty: list[Term]) -> Verdict:
    """0 = A:∇∇u + b·∇u + cu + f keeps order when A and -c have one sign."""
    if sign.nonnegative is False:
        flipped = nonnegative(-jet.matrix[0][0])
        if not flipped:
            return Verdict("unknown", f"the sign of {named(guilty)} cannot be decided.", guilty=spans(guilty))
    damped = nonnegative(-jet.rate if sign.nonnegative else jet.rate)
    if damped:
        return Verdict("proved", f"{named(guilty)} is elliptic, and no term of order zero works against it.")
    return Verdict("unknown", "the term of order zero may work against the elliptic ones.")


def markov(equation: Equation) -> Verdict:
    if equation.order == 1:
        return Verdict("proved", "first order in time: the solution now is all that the future needs.")
    return Verdict(
        "refuted",
        f"order {equation.order} in time: the future needs ∂u/∂t too, so u alone has no flow.",
        "two solutions with equal u and different ∂u/∂t at a time part afterwards",
        (equation.span,),
    )


def locality(jet: Jet, terms: tuple[Term, ...], spec: Spec) -> Verdict:
    if jet.nonlocal_:
        guilty = of_kind(terms, "nonlocal")
        witness = "two functions that agree near x and differ at the other point"
        return Verdict("refuted", f"{named(guilty)} looks at other points.", witness, spans(guilty))
    return Verdict("proved", "every term is a differential operator: it sees u and its derivatives at one point.")


def spatial_regularity(jet: Jet, equation: Equation, spec: Spec) -> Verdict:
    """‖T(f(· + h)) - T(f)(· + h)‖ ≤ C |h| t: coefficients must be Lipschitz in x."""
    if not _varies(jet, spec):
        return Verdict("proved", "the coefficients do not depend on x: the equation commutes with translations.")
    if not jet.is_affine:
        return Verdict("unknown", "the equation is nonlinear and its coefficients depend on x.")
    if any(_varies_in(e, jet, spec) for row in jet.matrix for e in row):
        return Verdict("unknown", "the diffusion depends on x: the square root of its matrix may not be Lipschitz.")
    if all(_lipschitz(e, jet, spec) for e in (*jet.drift, jet.rate, jet.source)):
        return Verdict("proved", "the coefficients are Lipschitz in x.")
    return Verdict("unknown", "a coefficient may not be Lipschitz in x; on bounded sets it is.")


def temporal_regularity(jet: Jet, equation: Equation, spec: Spec, ordered: Verdict) -> Verdict:
    """‖T(f) - f‖ ≤ C s after a time s: F must be bounded for smooth bounded f."""
    if equation.order != 1:
        return Verdict("unknown", "the bound depends on the initial velocity.")
    if ordered.truth != "proved":
        return Verdict("unknown", "without a comparison principle the bound does not follow.")
    coefficients = (*jet.drift, *(e for row in jet.matrix for e in row), jet.rate, jet.source)
    if jet.is_affine and all(_bounded(e, jet, spec) for e in coefficients):
        return Verdict("proved", "the coefficients are bounded, so u changes at a bounded rate.")
    if not jet.is_affine and not _varies(jet, spec) and not jet.singular:
        return Verdict("proved", "F does not depend on x and is bounded for bounded derivatives.")
    return Verdict("unknown", "a coefficient may be unbounded; on bounded sets the rate of change is bounded.")


# ---- coefficients


def _varies(jet: Jet, spec: Spec) -> bool:
    return _varies_in(jet.expr, jet, spec)


def _varies_in(expr: Expr, jet: Jet, spec: Spec) -> bool:
    """Whether an expression depends on x other than through u."""
    if expr.free_symbols & set(jet.coordinates):
        return True
    base = set(spec.space.coordinates)
    return any(f.free_symbols & base for f in expr.atoms(Field))


def _lipschitz(expr: Expr, jet: Jet, spec: Spec) -> bool:
    """Globally Lipschitz in x: affine, a network, or bounded derivatives."""
    return all(_bounded(_slope(expr, c), jet, spec) for c in jet.coordinates) if not expr.atoms(Field) else _is_network(
        expr, spec
    )


def _slope(expr: Expr, coordinate: Symbol) -> Expr:
    return expr.diff(coordinate)


def _is_network(expr: Expr, spec: Spec) -> bool:
    """A learned field, up to a constant: finite weights and Lipschitz activations make it Lipschitz."""
    rest = expr.as_coeff_Mul()[1]
    heads = {w.head: w for w in spec.learned}
    if not isinstance(rest, Field) or rest.head not in heads:
        return False
    net = heads[rest.head].net
    activation = str(net.get("activation") or "relu") if net else "relu"
    return ACTIVATION_FACTS[activation].lipschitz is not None or activation in ("gelu", "silu")


def _bounded(expr: Expr, jet: Jet, spec: Spec) -> bool:
    """Bounded in x and t, as far as this can be read off."""
    if expr.free_symbols & set(jet.variables):
        return False
    if not expr.free_symbols & set(jet.coordinates) and not expr.atoms(Field):
        return True
    if expr.is_Add or expr.is_Mul:
        return all(_bounded(a, jet, spec) for a in expr.args)
    if expr.is_Pow and expr.exp.is_nonnegative and not expr.exp.free_symbols:
        return _bounded(expr.base, jet, spec)
    if isinstance(expr, Field):
        return _is_bounded_network(expr, spec)
    return type(expr).__name__ in ("sin", "cos", "tanh", "erf", "atan", "sigmoid")


def _is_bounded_network(field: Field, spec: Spec) -> bool:
    learned = next((w for w in spec.learned if w.head == field.head), None)
    if learned is None:
        return False
    net = learned.net
    return net is None or (net.name == "mlp" and str(net.get("activation")) in BOUNDED_ACTIVATIONS)


# ---- physical equations


def maximum_principle(jet: Jet, equation: Equation, ordered: Verdict, constant: Verdict, terms: tuple[Term, ...]) -> Verdict:
    """The maximum is taken on the boundary or at the start."""
    if ordered.truth == "refuted":
        return Verdict("refuted", f"no comparison principle holds: {ordered.reason}", ordered.witness, ordered.guilty)
    if ordered.truth == "proved" and constant.truth == "proved":
        return Verdict("proved", "constants are solutions, and a comparison principle holds.")
    if ordered.truth == "proved" and jet.source == 0 and jet.is_affine and nonnegative(-jet.rate):
        return Verdict("proved", "a comparison principle holds, and the reaction only damps.")
    if ordered.truth == "proved" and constant.truth == "refuted":
        return Verdict("refuted", f"a constant does not stay: {constant.reason}", constant.witness, constant.guilty)
    return Verdict("unknown", "it follows from comparison and constants, and one of them is not proved.")


def conservation(jet: Jet, equation: Equation, spec: Spec, terms: tuple[Term, ...]) -> Verdict:
    """d/dt ∫u = 0: F is a divergence (its Euler operator vanishes) and nothing leaves through the boundary."""
    if equation.order == 0:
        return Verdict("unknown", "nothing evolves in time.")
    if jet.nonlocal_ or len(equation.right) > 1:
        return Verdict("unknown", "only local equations of one unknown are decided.")
    euler = _euler_operator(jet)
    guilty = of_kind(terms, "reaction", "source", "nonlinear", "convection", "diffusion")
    if euler != 0:
        why = "the right-hand side is no divergence"
        if any(f.head in {w.head for w in spec.learned} for f in euler.atoms(Field)):
            return Verdict("unknown", f"{why} for every weight.")
        return Verdict("refuted", f"{why}: mass is made or lost inside.", f"its Euler operator is {euler}", spans(guilty))
    if spec.space.boundary:
        return Verdict("unknown", "the right-hand side is a divergence, but mass may pass through the boundary.")
    if equation.order == 2 and not _at_rest(equation, spec):
        return Verdict("unknown", "it depends on the initial velocity.")
    return Verdict("proved", "the right-hand side is a divergence, and nothing passes through the boundary.")


def _at_rest(equation: Equation, spec: Spec) -> bool:
    return any(c.unknown == equation.unknown and c.order == 1 and c.value == (S.Zero,) for c in spec.conditions)


def _euler_operator(jet: Jet) -> Expr:
    """Σ (-D)^α ∂F/∂u_α: zero exactly for divergences (Olver, Applications of Lie Groups, theorem 4.7)."""
    total = jet.rate.xreplace(jet.back)
    for variable in (*jet.p, *jet.second, *jet.higher):
        slope = jet.slope(variable).xreplace(jet.back)
        partial = jet.back[variable]
        assert isinstance(partial, Partial)
        for slot in partial.slots:
            slope = -jet.total(slope, slot)
        total = total + slope
    result = expand(total)
    return S.Zero if vanishes(result) else result


def vanishes(expr: Expr) -> bool:
    """Whether an expression is zero, as far as expanding and cancelling show."""
    if expr == 0:
        return True
    return len(Add.make_args(expr)) <= 30 and cancel(together(expr)) == 0


def function_axioms(equation: Equation, terms: tuple[Term, ...], spec: Spec) -> dict[str, Verdict]:
    """All verdicts for one equation."""
    jet = forward(equation, spec)
    if isinstance(unknown_of(equation, spec).type, Vector):
        return {}
    ordered = comparison(jet, equation, terms, spec)
    constant = constants(jet, terms, spec)
    found = {"linearity": linearity(jet, terms, spec), "comparison": ordered}
    if equation.order:
        found |= {
            "constants": constant,
            "markov": markov(equation),
            "locality": locality(jet, terms, spec),
            "spatial_regularity": spatial_regularity(jet, equation, spec),
            "temporal_regularity": temporal_regularity(jet, equation, spec, ordered),
        }
    if spec.space.kind == "physical":
        found["maximum_principle"] = maximum_principle(jet, equation, ordered, constant, terms)
        found["conservation"] = conservation(jet, equation, spec, terms)
    return found
