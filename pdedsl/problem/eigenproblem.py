"""The pencil A - λB of an eigenproblem from its strong form, its self-adjointness, and the order of its eigenvalues.

The formal adjoint of L = Σ a_α ∂^α is L* v = Σ (-1)^|α| ∂^α (ā_α v). On an interval v̄ Lu - u L*v̄ is the derivative of
the bilinear concomitant, which must vanish at both ends for all functions that satisfy the conditions (Coddington,
Levinson 1955, ch. 11). Large eigenvalues are those of the principal symbols of A and B at large wave numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product
from math import comb, isfinite, prod

from mpmath import eig as mp_eig
from mpmath import lu_solve as mp_lu_solve
from mpmath import matrix as mp_matrix
from sympy import Add, Expr, I, Matrix, Pow, Rational, S, Symbol, conjugate, cos, cosh, exp, expand, simplify, sin, sinh

from pdedsl import errors
from pdedsl.ir.boundary import Dirichlet, Face, Robin, classify
from pdedsl.ir.eigenproblem import Eigenproblem, PencilCondition, PencilRow, PencilTerm
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.ir.spec import EigenvalueUnknown
from pdedsl.ir.verdicts import Proved, Refuted, Undecided, Verdict
from pdedsl.problem.curl_form import curl_coefficient
from pdedsl.symbolic.evaluate import is_numerically_equal

MAX_COLLOCATION_DIMENSION = 3  # dense matrices
MAX_MATCHED = 6  # components up to which all pairings with equations are tried
Coefficients = dict[tuple[int, ...], Expr]
"""a_α by the multi-index α."""
Waves = Sequence[Sequence[int]]


def eigenproblem_of(problem: StrongForm) -> Eigenproblem:
    """The eigenproblem; raises PdeError if it is no linear pencil."""
    eigenvalue = problem.eigenvalue
    assert eigenvalue is not None
    if eigenvalue.is_complex and not all(c.complex_number for c in problem.components):
        real = next(c for c in problem.components if not c.complex_number)
        raise errors.eigenproblems.real_and_complex_unknowns(real.name, eigenvalue.span)
    size = len(problem.components) // len(eigenvalue.parts)
    rows = match_rows(tuple(_rows(problem.equations, eigenvalue)), size)
    grouped: dict[tuple[object, ...], list[Residual]] = {}
    for c in problem.conditions:
        grouped.setdefault((c.place, c.part, c.span), []).extend(c.residuals)
    conditions = tuple(
        PencilCondition(row, place, part)  # type: ignore[arg-type]
        for (place, part, _), residuals in grouped.items()
        for row in _rows(residuals, eigenvalue)
    )
    conditions = without_tangential_derivatives(_without_axes(conditions, problem.domain))
    direction = _direction(rows, problem.domain) if len(rows) == size else 0
    pencil = Eigenproblem(rows, conditions, eigenvalue.is_complex, direction)
    counts = reduced_counts(problem, pencil) if not collocation_obstacle(problem, pencil) else None
    return replace(pencil, self_adjointness=self_adjointness(problem, pencil), reduced_counts=counts)


def _without_axes(conditions: Sequence[PencilCondition], domain: Domain) -> tuple[PencilCondition, ...]:
    """Conditions of regularity on axes are left out: bounded functions satisfy them, where the coefficients are
    smooth."""
    axes = () if domain.metric is None else domain.metric.axes
    return tuple(c for c in conditions if c.place not in axes)


def _rows(residuals: Sequence[Residual], eigenvalue: EigenvalueUnknown) -> Iterator[PencilRow]:
    """One row for each residual, or for each pair of real and imaginary part."""
    size = len(eigenvalue.parts)
    for k in range(0, len(residuals), size):
        terms: dict[Derivative, tuple[Expr, Expr]] = {}
        for unit, residual in zip((S.One, I), residuals[k : k + size], strict=False):
            assert residual.affine is not None
            for derivative, coefficient in residual.affine.terms:
                if derivative.component % size == 0:  # the real part determines the complex coefficient
                    own = Derivative(derivative.component // size, derivative.orders)
                    zero = dict.fromkeys(eigenvalue.parts, S.Zero)
                    a, b = terms.get(own, (S.Zero, S.Zero))
                    in_eigenvalue = coefficient.diff(eigenvalue.parts[0]).xreplace(zero)
                    terms[own] = a + unit * coefficient.xreplace(zero), b - unit * in_eigenvalue
        span = residuals[k].span
        yield PencilRow(tuple(PencilTerm(d, a, b) for d, (a, b) in terms.items() if a != 0 or b != 0), span)


# ---- Direction of the large eigenvalues


WAVE_NUMBER = 10_000  # terms of lower order change the direction by 1e-4
DIRECTION_ATOL = 0.05  # larger than the effect of lower order, smaller than the angle between directions
MIN_GROWTH = 100.0  # of |λ| relative to a wave number of 1: bounded eigenvalues have no direction
SHIFT = 0.7 + 0.4j  # of the symbol's pencil, whose B may be singular: no eigenvalue of a symbol with simple numbers
SAMPLE_FRACTIONS = (Rational(1, 3), Rational(3, 5))  # of every interval


def _direction(rows: Sequence[PencilRow], domain: Domain) -> complex:
    """The common limit of λ/|λ|; 0 if there is none."""
    units: list[complex] = []
    dimension = len(domain.space)
    for wave in _waves(dimension):
        for fraction in SAMPLE_FRACTIONS:
            at = {
                x: i.start + fraction * (i.end - i.start)
                for x, i in zip(domain.coordinates, domain.intervals, strict=True)
            }
            low, high = (_symbol_eigenvalues(rows, at, [size * w for w in wave]) for size in (1, WAVE_NUMBER))
            if low is None or high is None:
                return 0
            large = [v for v in high if abs(v) > MIN_GROWTH * max(1.0, *map(abs, low))]
            units += [v / abs(v) for v in large]
    if not units or any(abs(u - units[0]) > DIRECTION_ATOL for u in units):
        return 0
    nearest = next((d for d in (1, -1, 1j, -1j) if abs(units[0] - d) < DIRECTION_ATOL), None)
    return complex(nearest) if nearest is not None else sum(units) / len(units)


def _waves(dimension: int) -> Waves:
    return (
        [w for w in product((-1, 0, 1), repeat=dimension) if any(w)]
        if dimension < 3
        else [
            (1, 0, 0),
            (0, 1, 0),
            (0, 0, 1),
            (-1, 0, 0),
            (0, -1, 0),
            (0, 0, -1),
            (1, 1, 1),
        ]
    )


def _symbol_eigenvalues(
    rows: Sequence[PencilRow], at: Mapping[Symbol, Expr], wave: Sequence[int]
) -> list[complex] | None:
    """The eigenvalues of A(iξ) - λ B(iξ); none if B(iξ) = 0, and None if a coefficient is not a finite number."""
    size = len(rows)
    a, b = ([[0j] * size for _ in rows] for _ in range(2))
    for k, row in enumerate(rows):
        for term in row.terms:
            factor = prod((1j * w) ** n for w, n in zip(wave, term.derivative.orders, strict=True))
            for matrix, coefficient in ((a, term.a), (b, term.b)):
                try:
                    value = complex(coefficient.xreplace(dict(at)).evalf())
                except (TypeError, ValueError):
                    return None
                if not isfinite(abs(value)):
                    return None
                matrix[k][term.derivative.component] += value * factor
    if size == 1:
        return [a[0][0] / b[0][0]] if b[0][0] else []
    shifted = mp_matrix([[x - SHIFT * y for x, y in zip(p, q, strict=True)] for p, q in zip(a, b, strict=True)])
    try:
        inverse = mp_eig(_solve_columns(shifted, mp_matrix(b)), left=False, right=False)
    except (RuntimeError, ZeroDivisionError):
        return None
    scale = max((abs(v) for v in inverse), default=0.0)
    return [complex(SHIFT + 1 / v) for v in inverse if abs(v) > 1e-12 * scale]  # rounding errors of infinite λ


def _solve_columns(matrix: mp_matrix, right: mp_matrix) -> mp_matrix:
    columns = [mp_lu_solve(matrix, right[:, k]) for k in range(right.cols)]
    return mp_matrix([[columns[k][j] for k in range(right.cols)] for j in range(right.rows)])


# ---- Self-adjointness


REAL = "the eigenvalues are real, and eigenfunctions of different eigenvalues are orthogonal"


def self_adjointness(problem: StrongForm, pencil: Eigenproblem) -> Verdict:
    """Whether ⟨Au, v⟩ = ⟨u, Av⟩ and ⟨Bu, v⟩ = ⟨u, Bv⟩ in L2 for all u, v that satisfy the conditions."""
    domain, size = problem.domain, len(pencil.rows)
    pencil = _with_volume_element(pencil, domain)
    operators = [
        {(i, j): _entry(pencil.rows, i, j, part) for i, j in product(range(size), repeat=2)} for part in (0, 1)
    ]
    for name, operator in zip("AB", operators, strict=True):
        for (i, j), coefficients in operator.items():
            known = operator[j, i]
            adjoint = formal_adjoint(coefficients, domain.space)
            for alpha in {*adjoint, *known}:
                difference = expand(adjoint.get(alpha, S.Zero) - known.get(alpha, S.Zero))
                if difference != 0 and simplify(difference) != 0:
                    reason = f"{name} is not formally self-adjoint: its adjoint has other coefficients"
                    return Refuted(f"{reason}.", _derivative_text(alpha, domain), (pencil.rows[i].span,))
    reason = _boundary_reason(problem, pencil, operators)
    if reason:
        return Undecided(f"A and B are formally self-adjoint; {reason}.")
    if irregular := [e for row in pencil.rows for t in row.terms for e in (t.a, t.b) if not _is_smooth(e, domain)]:
        return Undecided(f"A and B are symmetric, but the coefficient {irregular[0]} may be singular.")
    return Proved(f"A and B are self-adjoint: {REAL}.", ("the coefficients are smooth in the closed domain",))


def _with_volume_element(pencil: Eigenproblem, domain: Domain) -> Eigenproblem:
    """The rows times the volume element of curvilinear coordinates: L2 is that of the space."""
    if domain.metric is None:
        return pencil
    volume = domain.metric.volume

    def scaled(row: PencilRow) -> PencilRow:
        terms = (PencilTerm(t.derivative, expand(volume * t.a), expand(volume * t.b)) for t in row.terms)
        return PencilRow(tuple(terms), row.span)

    return replace(pencil, rows=tuple(map(scaled, pencil.rows)))


def _derivative_text(alpha: tuple[int, ...], domain: Domain) -> str:
    below = "".join(x.name * n for x, n in zip(domain.space, alpha, strict=True))
    return f"the coefficient of u{'_' * bool(below)}{below} differs"


def _entry(rows: Sequence[PencilRow], i: int, j: int, part: int) -> Coefficients:
    terms = [t for t in rows[i].terms if t.derivative.component == j]
    coefficients: Coefficients = {t.derivative.orders: (t.a, t.b)[part] for t in terms}
    return {alpha: a for alpha, a in coefficients.items() if a != 0}


def formal_adjoint(coefficients: Coefficients, space: Sequence[Symbol]) -> Coefficients:
    """The coefficients of L* v = Σ (-1)^|α| ∂^α (ā_α v)."""
    result: dict[tuple[int, ...], list[Expr]] = {}
    for alpha, a in coefficients.items():
        for beta in product(*(range(n + 1) for n in alpha)):
            derivative = _conjugate(a)
            for x, n, m in zip(space, alpha, beta, strict=True):
                derivative = derivative.diff(x, n - m) if n > m else derivative
            factor = (-1) ** sum(alpha) * prod(map(comb, alpha, beta))
            result.setdefault(beta, []).append(factor * derivative)
    return {beta: total for beta, parts in result.items() if (total := expand(Add(*parts))) != 0}


def _conjugate(expr: Expr) -> Expr:
    return conjugate(expr) if expr.has(I) else expr


def _is_smooth(expr: Expr, domain: Domain) -> bool:
    """Whether a coefficient is shown to be smooth in the closed domain: composed of polynomials, exp, sin, cos, and
    powers of positive functions."""
    match expr:
        case _ if expr.is_number or expr.is_Symbol:
            return True
        case _ if expr.is_Add or expr.is_Mul or isinstance(expr, exp | sin | cos | sinh | cosh):
            return all(_is_smooth(e, domain) for e in expr.args)
        case Pow(base=base, exp=exponent) if exponent.is_number:
            natural = bool(exponent.is_Integer and exponent > 0)
            return _is_smooth(base, domain) and (natural or _is_positive(base, domain) or _is_positive(-base, domain))
        case _:
            return False


def _is_positive(expr: Expr, domain: Domain) -> bool:
    """Whether a function is shown to be positive: a linear function of one coordinate that is positive at both ends, or
    a positive number plus even powers."""
    box = dict(zip(domain.coordinates, domain.intervals, strict=True))
    symbols = [x for x in box if expr.has(x)]
    if len(symbols) == 1 and expr.is_polynomial(symbols[0]) and expr.diff(symbols[0], 2) == 0:
        (x,) = symbols
        return all(bool(expr.xreplace({x: end}).is_positive) for end in (box[x].start, box[x].end))
    constant, terms = expr.as_coeff_Add()
    factors = [t.as_coeff_Mul() for t in Add.make_args(terms)]
    return bool(constant.is_positive) and all(
        c.is_nonnegative and isinstance(t, Pow) and t.exp.is_Integer and t.exp % 2 == 0 and t.exp > 0
        for c, t in factors
    )


def _boundary_reason(
    problem: StrongForm, pencil: Eigenproblem, operators: Sequence[Mapping[tuple[int, int], Coefficients]]
) -> str:
    """Why the boundary terms of integration by parts may not vanish; empty if they do."""
    domain = problem.domain
    if any(c.row.has_eigenvalue for c in pencil.conditions):
        return "conditions contain the eigenvalue"
    if problem.periodic or not all(
        _is_periodic(e, domain) for row in pencil.rows for t in row.terms for e in (t.a, t.b)
    ):
        return "the coefficients are not shown to be periodic"
    derivatives = [alpha for operator in operators for c in operator.values() for alpha in c]
    order = max(map(sum, derivatives), default=0)
    if len(domain.space) == 1 and len(pencil.rows) == 1:
        return _interval_reason(problem, pencil, [operator[0, 0] for operator in operators])
    if order > 2:
        return "conditions of equations of higher order are not checked"
    return _second_order_reason(problem, pencil, operators)


def _is_periodic(expr: Expr, domain: Domain) -> bool:
    for x, interval in zip(domain.coordinates, domain.intervals, strict=True):
        if interval.periodic and expr.has(x):
            shifted = expr.xreplace({x: x + interval.end - interval.start})
            if simplify(shifted - expr) != 0:
                return False
    return True


def _interval_reason(problem: StrongForm, pencil: Eigenproblem, operators: Sequence[Coefficients]) -> str:
    """By the bilinear concomitant Σₖ Σⱼ<ₖ (-1)^j ∂^j(aₖ v̄) ∂^(k-1-j)u at both ends."""
    domain = problem.domain
    (x,), interval = domain.space, domain.intervals[0]
    if interval.periodic:
        return ""
    order = max((alpha[0] for c in operators for alpha in c), default=0)
    for upper, end in ((False, interval.start), (True, interval.end)):
        own = [c.row for c in pencil.conditions if c.place == Face(0, upper)]
        jets = [
            [next((t.a for t in r.terms if t.derivative.orders == (k,)), S.Zero) for k in range(order)] for r in own
        ]
        at_end = Matrix([[e.xreplace({x: end}) for e in row] for row in jets]) if jets else Matrix(0, order, [])
        basis = at_end.nullspace() if order else []
        for coefficients in operators:
            form = _concomitant(coefficients, order, x).xreplace({x: end})
            for u, v in product(basis, repeat=2):
                value = simplify((v.conjugate().T * form * u)[0, 0])
                if value != 0:
                    return f"the boundary terms at {x} = {end} do not vanish"
    return ""


def _concomitant(coefficients: Coefficients, order: int, x: Symbol) -> Matrix:
    """The matrix of the concomitant: entry (m, l) multiplies ∂^m v̄ ∂^l u."""
    entries = [[S.Zero] * order for _ in range(order)]
    for (k,), a in coefficients.items():
        for j in range(k):
            for m in range(j + 1):
                derivative = a.diff(x, j - m) if j > m else a
                entries[m][k - 1 - j] += (-1) ** j * comb(j, m) * derivative
    return Matrix(entries)


def _second_order_reason(
    problem: StrongForm, pencil: Eigenproblem, operators: Sequence[Mapping[tuple[int, int], Coefficients]]
) -> str:
    """Dirichlet conditions, and Robin conditions with the conormal derivative of a scalar A; B has no derivatives
    there."""
    a, b = operators
    space, size = problem.domain.space, len(pencil.rows)
    differentiated = {j for operator in operators for (i, j), c in operator.items() if any(sum(k) > 1 for k in c)}
    for place in dict.fromkeys(c.place for c in pencil.conditions):
        own = [classify(_as_residual(c.row), place.normal(space)) for c in pencil.conditions if c.place == place]
        fixed = {kind.component for kind in own if isinstance(kind, Dirichlet)}
        free = differentiated - fixed
        if free and (size > 1 or any(sum(k) for k in b[0, 0])):
            return "conditions other than Dirichlet's are not checked"
        if free and not (_is_isotropic(a[0, 0], space) and any(isinstance(kind, Robin) for kind in own)):
            return "conditions with derivatives other than the conormal derivative are not checked"
        unconstrained = [j for j in range(size) if j not in fixed]
        first = (a[i, j] for i in unconstrained for j in unconstrained if size > 1)
        if any(any(sum(k) for k in c) for c in first):
            return "conditions for first derivatives are not checked"
    return ""


def _as_residual(row: PencilRow) -> Residual:
    symbols = [(Symbol(f"j{k}", real=True), t) for k, t in enumerate(row.terms)]
    expr = Add(*(t.a * s for s, t in symbols))
    return Residual(expr, tuple((s, t.derivative) for s, t in symbols), row.span)


def _is_isotropic(coefficients: Coefficients, space: Sequence[Symbol]) -> bool:
    """Whether the principal part is p Δ."""
    second = {alpha: a for alpha, a in coefficients.items() if sum(alpha) == 2}
    pure = [second.get(tuple(2 * int(i == k) for i in range(len(space))), S.Zero) for k in range(len(space))]
    return len(second) == len(space) and all(p == pure[0] or is_numerically_equal(pure[0], p) for p in pure)


# ---- Spectral collocation


def collocation_obstacle(problem: StrongForm, pencil: Eigenproblem) -> str:
    """Why spectral collocation on a box does not apply; empty if it does."""
    domain, dimension = problem.domain, len(problem.domain.space)
    if not 1 <= dimension <= MAX_COLLOCATION_DIMENSION:
        return f"collocation is for one to {MAX_COLLOCATION_DIMENSION} dimensions"
    if domain.inequalities:
        return "the domain is not a box"
    if curl_coefficient(problem) is not None:
        return "all gradients are eigenfunctions of ∇×∇×, which Nédélec elements separate from the others"
    if any(r.has_dirac for r in problem.equations):
        return "the coefficients contain derivatives of discontinuities"
    if any(c.part or not isinstance(c.place, Face) for c in pencil.conditions):
        return "conditions must hold on whole faces"
    if any(p.jump != 0 for p in problem.periodic):
        return "periodic conditions with a jump are not homogeneous"
    if dimension > 1 and not all(_is_condition_along_axis(c) for c in pencil.conditions):
        return "conditions on faces need constant coefficients and normal derivatives of one component"
    return "" if reduced_counts(problem, pencil) else "the conditions of an equation do not match its order"


def _is_condition_along_axis(condition: PencilCondition) -> bool:
    assert isinstance(condition.place, Face)
    axis, terms = condition.place.coordinate, condition.row.terms
    single = len({t.derivative.component for t in terms}) == 1
    return single and all(
        t.b == 0 and t.a.is_number and sum(t.derivative.orders) == t.derivative.orders[axis] for t in terms
    )


def reduced_counts(problem: StrongForm, pencil: Eigenproblem) -> tuple[tuple[int, ...], ...] | None:
    """For each component and axis, by how many the points of its equation are fewer than its nodes: the number of its
    conditions. None if the numbers of equations and unknowns then differ."""
    size, dimension = len(pencil.rows), len(problem.domain.space)
    if problem.components and size * (2 if pencil.is_complex else 1) != len(problem.components):
        return None
    counts = [[0] * dimension for _ in range(size)]
    for p in problem.periodic:
        if not p.component % (2 if pencil.is_complex else 1):
            component = p.component // (2 if pencil.is_complex else 1)
            counts[component][p.axis] += _order(pencil, component, component, p.axis)
    own = [{t.derivative.component for t in c.row.terms} for c in pencil.conditions]
    if all(len(components) == 1 for components in own):
        for condition, (component,) in zip(pencil.conditions, own, strict=True):
            assert isinstance(condition.place, Face)
            counts[component][condition.place.coordinate] += 1
        return tuple(map(tuple, counts))
    orders = [_order(pencil, k, k, 0) for k in range(size)]
    return tuple((n,) for n in orders) if sum(orders) == len(pencil.conditions) else None


def _order(pencil: Eigenproblem, row: int, component: int, axis: int) -> int:
    """The order of the derivatives of a component along an axis in a row."""
    own = (t.derivative for t in pencil.rows[row].terms if t.derivative.component == component)
    return max((d.orders[axis] for d in own), default=0)


def match_rows(rows: Sequence[PencilRow], size: int) -> tuple[PencilRow, ...]:
    """The rows in the order of the components, so that the sum of squares of the orders is the largest."""
    if not 1 < len(rows) == size <= MAX_MATCHED:
        return tuple(rows)

    def order(row: PencilRow, component: int) -> int:
        own = (sum(t.derivative.orders) for t in row.terms if t.derivative.component == component)
        return 1 + max(own, default=-1)

    best = max(permutations(range(size)), key=lambda p: sum(order(rows[e], c) ** 2 for c, e in enumerate(p)))
    return tuple(rows[e] for e in best)


def without_tangential_derivatives(conditions: Sequence[PencilCondition]) -> tuple[PencilCondition, ...]:
    """On a face with u = 0 the tangential derivatives of u vanish: Δu = 0 is a condition for ∂²u/∂n²."""
    fixed = {
        (c.place, c.part, c.row.terms[0].derivative.component)
        for c in conditions
        if len(c.row.terms) == 1 and not any(c.row.terms[0].derivative.orders)
    }

    def keeps(term: PencilTerm, condition: PencilCondition) -> bool:
        if not isinstance(condition.place, Face) or not any(term.derivative.orders):
            return True
        is_fixed = (condition.place, condition.part, term.derivative.component) in fixed
        return not (is_fixed and term.derivative.orders[condition.place.coordinate] == 0)

    return tuple(
        PencilCondition(PencilRow(tuple(t for t in c.row.terms if keeps(t, c)), c.row.span), c.place, c.part)
        for c in conditions
    )
