"""The class of an equation in words: linearity, name and type (elliptic, parabolic, hyperbolic).

∂u/∂t = A:∇∇u + … is parabolic if A is positive definite and degenerate parabolic if A is positive semidefinite;
∂²u/∂t² = A:∇∇u + … is hyperbolic if A is positive definite (Evans, Partial Differential Equations, sections 7.1, 7.2).
"""

from __future__ import annotations

from enum import Enum
from typing import assert_never

from sympy import Expr, Matrix, Symbol

from pdedsl.analysis.bounds.definiteness import indexed_semidefinite, semidefinite
from pdedsl.analysis.bounds.interval import Box, range_of
from pdedsl.analysis.bounds.sign import box_of, nonnegative
from pdedsl.analysis.sample_points import ranges_of
from pdedsl.explainer.terms import is_backward, ordinal
from pdedsl.ir.analysis import Analysis, EquationClass, EquationFacts
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.ir.terms import (
    Components,
    Convection,
    Coupling,
    Diffusion,
    HigherOrder,
    Indexed,
    MatrixStructure,
    Nonlinear,
    SymmetricLayer,
    Term,
    TimeDerivative,
    matrix_structure,
)
from pdedsl.ir.types import Matrix as MatrixType
from pdedsl.ir.types import Vector
from pdedsl.language.elaborate.boundary import is_curl_curl
from pdedsl.symbolic.symbols import Field, Integral, atoms


def class_text(facts: EquationFacts, analysis: Analysis) -> str:
    """`Linear convection-diffusion equation (parabolic)`."""
    linear = "linear" if facts.linear else "nonlinear"
    text = _name(facts, analysis)
    text = text if text.startswith("nonlinear") else f"{linear} {text}"
    terminal = ", a terminal-value problem" if is_backward(facts, analysis.spec) else ""
    return f"{text[0].upper()}{text[1:]}{terminal}"


def _name(facts: EquationFacts, analysis: Analysis) -> str:
    """Name and type."""
    spec, order = analysis.spec, facts.equation.order
    match facts.kind:
        case EquationClass.TRANSPORT:
            return _first_order(facts, spec)
        case (
            EquationClass.DIFFUSION
            | EquationClass.CONVECTION_DIFFUSION
            | EquationClass.REACTION_DIFFUSION
            | EquationClass.CONVECTION_DIFFUSION_REACTION
        ):
            if not _diffusions(facts):
                return f"second-order equation of {_system_name(facts, spec)}"
            return f"{facts.kind} equation ({_parabolic(facts, spec)})"
        case EquationClass.NONLINEAR_DIFFUSION:
            return "nonlinear diffusion equation (parabolic where its diffusion coefficient is positive)"
        case EquationClass.HAMILTON_JACOBI:
            if _diffusions(facts):
                return f"viscous Hamilton-Jacobi equation ({_parabolic(facts, spec)})"
            return f"{'stationary ' * (order == 0)}Hamilton-Jacobi equation (first order)"
        case EquationClass.WAVE:
            return _wave(facts, spec)
        case EquationClass.HAMILTONIAN:
            exact = not any(map(_is_normalized, analysis.equations))
            return f"equation of a separable Hamiltonian system{'' if exact else ', up to the normalization'}"
        case EquationClass.PARTITIONED:
            return "equation of a partitioned system: the right-hand side contains only the other unknown"
        case EquationClass.GRADIENT_FLOW:
            approximate = ", up to the normalization" if _is_normalized(facts) else ""
            return f"gradient flow ∂Y/∂t = -∇E(Y), with symmetric layers -Kᵀσ(KY){approximate}"
        case EquationClass.ODE:
            return "algebraic equation" if order == 0 else "ordinary differential equation"
        case EquationClass.ELLIPTIC:
            return "elliptic equation (stationary)" if order == 0 else "equation that is elliptic in space and time"
        case EquationClass.PARABOLIC:
            return "stationary equation of parabolic type: one of the coordinates acts as time"
        case EquationClass.HYPERBOLIC if is_curl_curl(facts.equation.unknown, spec):
            return "stationary equation with ∇×∇×, elliptic for fields without divergence"
        case EquationClass.HYPERBOLIC:
            return "stationary equation of hyperbolic type"
        case EquationClass.MIXED:
            return "equation of mixed type: elliptic only in a part of the domain"
        case EquationClass.HIGHER_ORDER:
            return _higher_order(facts)
        case EquationClass.INTEGRAL:
            return _integral_equation(facts, spec)
        case EquationClass.FRACTIONAL:
            return {0: "stationary equation", 2: "wave equation"}.get(order, "diffusion equation") + (
                " with a fractional Laplacian"
            )
        case EquationClass.CONSTRAINT:
            return "constraint on the other unknowns"
        case _:
            assert_never(facts.kind)


def _integral_equation(facts: EquationFacts, spec: Spec) -> str:
    """Volterra if a limit depends on the coordinates, otherwise Fredholm."""
    coordinates = {*spec.space.coordinates, *([spec.time.symbol] if spec.time else [])}
    integrals = [i for e in facts.equation.rhs for i in atoms(e, Integral)]
    volterra = any(limit.free_symbols & coordinates for i in integrals for limit in (i.lower, i.upper))
    name = f"{'Volterra' if volterra else 'Fredholm'} "
    return f"{name}integro-differential equation" if facts.equation.order else f"{name}integral equation"


def _terms(facts: EquationFacts) -> list[Term]:
    return [t for t in facts.terms if not isinstance(t, TimeDerivative)]


def _diffusions(facts: EquationFacts) -> list[Diffusion]:
    return [t for t in facts.terms if isinstance(t, Diffusion)]


def _is_normalized(facts: EquationFacts) -> bool:
    """Whether a symmetric layer contains a normalization, Kᵀσ(N(KY)), and so is not exactly a gradient."""
    return any(isinstance(t, SymmetricLayer) and t.norm is not None for t in facts.terms)


def _system_name(facts: EquationFacts, spec: Spec) -> str:
    """A single complex unknown is not called a system."""
    types = [u.type for u in spec.unknowns]
    alone = len(types) == 1 and isinstance(types[0], Vector) and types[0].is_complex and types[0].size == 2
    return "a complex unknown" if alone else "a system"


def _first_order(facts: EquationFacts, spec: Spec) -> str:
    if facts.equation.order == 0:
        return "first-order equation (stationary)"
    if any(isinstance(t, Coupling) and t.order for t in facts.terms):
        return f"first-order equation of {_system_name(facts, spec)}"
    if not facts.linear:
        return "first-order equation (hyperbolic)"
    if all(isinstance(t, Convection) for t in _terms(facts)):
        return "transport equation (first order, hyperbolic): the solution is constant along characteristics"
    return "transport equation (first order, hyperbolic)"


def _wave(facts: EquationFacts, spec: Spec) -> str:
    if spec.space.kind is SpaceKind.PIXELS:
        return "system of second order in time"
    if _diffusions(facts):
        hyperbolic = "hyperbolic, " if _sign(facts, spec) is _Sign.POSITIVE else ""
        return f"wave equation ({hyperbolic}second order in time)"
    if any(isinstance(t, Nonlinear | Coupling) and t.order == 2 for t in facts.terms):
        return "wave equation (second order in time)"
    return "equation of second order in time"


def _higher_order(facts: EquationFacts) -> str:
    orders = [t.order for t in facts.terms if isinstance(t, HigherOrder | Nonlinear | Coupling)]
    in_space, in_time = max(orders, default=0), facts.equation.order
    if in_time > 2:
        return f"equation of order {in_time} in time"
    dispersive = in_time == 1 and in_space % 2
    return f"{'dispersive ' * bool(dispersive)}equation of {ordinal(in_space)} order in space"


# ---- Definiteness of the second-order coefficients


class _Sign(Enum):
    POSITIVE = "positive definite"
    SEMIDEFINITE = "positive semidefinite"
    NEGATIVE = "negative definite"
    UNDECIDED = "undecided"


def _parabolic(facts: EquationFacts, spec: Spec) -> str:
    match _sign(facts, spec):
        case _Sign.POSITIVE:
            return "parabolic"
        case _Sign.SEMIDEFINITE:
            return "degenerate parabolic"
        case _Sign.NEGATIVE:
            return "backward parabolic, ill-posed"
        case _Sign.UNDECIDED:
            return "parabolic where its diffusion matrix is positive definite"


def _sign(facts: EquationFacts, spec: Spec) -> _Sign:
    """The definiteness of the sum of the matrices A, in the direction of time from the data."""
    box, dimension = box_of(ranges_of(spec)), spec.space.dimension
    entries = _diagonal(facts, spec)
    if not entries:
        return _sign_of_full(facts, spec, box)
    if all(_is_positive(e, box, dimension) for e in entries):
        return _Sign.POSITIVE
    if all(_is_positive(-e, box, dimension) for e in entries):
        return _Sign.NEGATIVE
    if all(nonnegative(e, box, dimension) for e in entries):
        return _Sign.SEMIDEFINITE
    return _Sign.UNDECIDED


def _sign_of_full(facts: EquationFacts, spec: Spec, box: Box) -> _Sign:
    """The definiteness of a full matrix A of a single term."""
    if len(_diffusions(facts)) != 1 or is_backward(facts, spec):
        return _Sign.UNDECIDED
    matrix, psd = _diffusions(facts)[0].matrix, _psd_heads(spec)
    match matrix:
        case Components(rows=rows):
            numbers = Matrix([[e.xreplace(spec.values) for e in row] for row in rows])
            if not numbers.free_symbols and not numbers.has(Field) and numbers.is_positive_definite:
                return _Sign.POSITIVE
            is_semidefinite = semidefinite(tuple(map(tuple, numbers.tolist())), box, psd)
        case Indexed():
            is_semidefinite = indexed_semidefinite(matrix, psd, box, spec.space.dimension)
        case _:
            assert_never(matrix)
    return _Sign.SEMIDEFINITE if is_semidefinite else _Sign.UNDECIDED


def _psd_heads(spec: Spec) -> frozenset[Symbol]:
    """Learned matrices that are positive semidefinite by their type."""
    return frozenset(w.head for w in spec.learned if isinstance(w.type, MatrixType) and w.type.psd)


def _is_positive(expr: Expr, box: Box, dimension: int | None) -> bool:
    if expr.is_positive is not None:
        return bool(expr.is_positive)
    bounds = range_of(expr, box, dimension)
    return bounds is not None and bounds.low > 0


def _diagonal(facts: EquationFacts, spec: Spec) -> list[Expr]:
    """The entries of a diagonal matrix A, with constants as numbers; none if A is not diagonal."""
    sign = -1 if is_backward(facts, spec) else 1
    sums: dict[int, Expr] = {}
    for matrix in (t.matrix for t in _diffusions(facts)):
        if matrix_structure(matrix) is MatrixStructure.FULL:
            return []
        match matrix:
            case Components(rows=rows):
                entries = [rows[i][i] for i in range(len(rows))]
            case Indexed(diagonal=entry):
                entries = [entry]
            case _:
                assert_never(matrix)
        for i, entry in enumerate(entries):
            sums[i] = sums.get(i, 0) + sign * entry.xreplace(spec.values)
    return list(dict.fromkeys(sums.values()))
