"""A-posteriori error estimate: relative residuals at held-out points, and comparison with a reference solution.

Relative residual of r = Σ τᵢ: rms(r) / rms(Σ |τᵢ|), so that 0 is exact and 1 means that no terms cancel. The points
are sampled with a separate seed and the derivatives are taken by automatic differentiation of the solution: neither
is shared with the solver. A condition such as u = 0 has a single term; its scale is the magnitude of the same
derivative in the whole domain, for a first derivative the largest along all axes. All terms of an equation may
vanish, as for a linear u: the scale of ∂^α u is at least std(u) / length^α.

If the data (the terms without unknowns) are small compared with all other terms in every equation, the operator is
nearly singular: near a resonance every multiple of an eigenfunction has a small relative residual. The tolerance is
then tightened in proportion to data / terms.

Verdict. A relative L2 error of 1 %, or ten times the error of the reference, is visible in a plot: above it, at least
one of the two solutions is incorrect. Discontinuous solutions are compared in L1, where a smeared shock has little
weight (Kuznetsov 1976). Without a reference the relative rms residual has the same tolerance, as it is about the
relative error for a well-conditioned operator. With a reference it may be up to 0.1, as thin layers have large
residuals on a small volume; above 0.1 the solution has no correct digit: training has collapsed, or a condition is
violated. Only the rms is judged; maxima are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, isfinite, isnan, nan, prod

import torch
from sympy import Add, Expr, Float
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.codegen.strong_form import derivative_path
from pdedsl.config.methods import Grid, MonteCarlo
from pdedsl.diagnostics import Source
from pdedsl.explainer.describe import gauge_lines
from pdedsl.ir.boundary import ConditionResidual
from pdedsl.ir.parameters import learned_functions, with_function_symbols
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.residual import Derivative, NonlocalTerm, Residual
from pdedsl.ir.solver_plans import FiniteVolumeScheme
from pdedsl.runtime.basis.interpolation import TensorProductExpansion
from pdedsl.runtime.diff.autodiff import partial_derivatives
from pdedsl.runtime.fractional import fractional_laplacian
from pdedsl.runtime.ode.step_doubling import MaxStepsExceeded, StepSizeUnderflow
from pdedsl.solvers.ansatz import AnsatzModule, AnsatzWithFunctions
from pdedsl.solvers.collocation_points import PointSampler, fix_gauge, sample_conditions
from pdedsl.solvers.dispatch import confidence_half_width, has_derivatives, solve_with
from pdedsl.solvers.grid.driver import solve_by_grid
from pdedsl.solvers.grid.grid_result import GridSolveFailed, IllPosedProblem
from pdedsl.solvers.method_result import SolverResult
from pdedsl.solvers.nonlocal_terms import evaluate_term, quadrature_order
from pdedsl.solvers.solver_method import SolveOptions
from pdedsl.symbolic.symbols import Field, atoms

# ---- Residuals at held-out points


INTERIOR_POINTS = 2048  # of each equation
CONDITION_POINTS = 512  # on each face or curve
HIGH_DIMENSION = 6  # number of coordinates from which there are fewer points
TEST_SEED = 7919  # added to the seed of a run: test points are independent of training points


@dataclass(frozen=True)
class ResidualNorm:
    """Residual of one equation or condition: rms and maximum, the scale `size` of its terms, and that of the data."""

    text: str
    where: str
    rms: float
    maximum: float
    size: float
    points: int
    data: float = 0.0

    @property
    def relative_rms(self) -> float:
        return self.rms / self.size if self.size > 0 else self.rms

    @property
    def relative_max(self) -> float:
        return self.maximum / self.size if self.size > 0 else self.maximum


@dataclass(frozen=True)
class ResidualAudit:
    """Residuals of a problem for one solution; `values` are the estimates of learned scalars."""

    statement: StrongForm
    module: nn.Module
    points: PointSampler
    seed: int
    values: Mapping[str, float]

    def residual_norms(self, source: Source) -> tuple[ResidualNorm, ...]:
        equations = [self._equation(r, source, k) for k, r in enumerate(self.statement.equations)]
        samples = sample_conditions(self.points, self.statement.conditions, CONDITION_POINTS, self._seed)
        pairs = [(c, x) for c, x in zip(self.statement.conditions, samples, strict=True) if len(x)]
        conditions = (self._condition(c, r, x, source) for c, x in pairs for r in c.residuals)
        return (*equations, *conditions, *(self._normalization(r, source) for _, r in self.statement.normalizations))

    def _normalization(self, residual: Residual, source: Source) -> ResidualNorm:
        points = self.points.inside(1, self._seed)
        terms = self._terms(residual, points)
        size = terms.abs().sum(-1).square().mean().sqrt()
        return _residual_norm(
            source.quote(residual.span), "over the domain", terms.sum(-1), size, self._data(residual, points)
        )

    @property
    def _seed(self) -> int:
        return self.seed + TEST_SEED

    @property
    def _interior_count(self) -> int:
        return INTERIOR_POINTS if len(self.statement.domain.coordinates) < HIGH_DIMENSION else INTERIOR_POINTS // 8

    def _equation(self, residual: Residual, source: Source, k: int) -> ResidualNorm:
        points = self.points.inside(self._interior_count, self._seed + k, during=residual.interval)
        terms = self._terms(residual, points)
        size = torch.maximum(terms.abs().sum(-1).square().mean().sqrt(), self._scale(residual, points))
        return _residual_norm(source.quote(residual.span), "inside", terms.sum(-1), size, self._data(residual, points))

    def _scale(self, residual: Residual, points: Tensor) -> Tensor:
        """Σ |a| · deviation of u / lengths^α over the terms a(x) ∂^α u of r: their size, but for polynomials in x."""
        expr = _substitute_parameters(residual.expr, self.statement, self.values)
        jet_symbols = {s for s, _ in residual.jet_variables}
        coefficients = [(expr.diff(s), d) for s, d in residual.jet_variables if d.order]
        integrals = {s for s, _ in residual.nonlocal_terms}
        linear_terms = [(a, d) for a, d in coefficients if not a.free_symbols & (jet_symbols | integrals)]
        if not linear_terms:
            return points.new_zeros(())
        factors = torch.stack(
            compile_pointwise([a for a, _ in linear_terms], self.statement.domain.coordinates)(*points.unbind(-1))
        )
        with torch.no_grad():
            deviation = self.module(points).std(0)[[d.component for _, d in linear_terms]]
        lengths = [float(i.end - i.start) for i in self.statement.domain.intervals]
        units = [prod(length**-n for length, n in zip(lengths, d.orders, strict=True)) for _, d in linear_terms]
        scale: Tensor = factors.square().mean(1).sqrt() @ (deviation * points.new_tensor(units))
        return scale

    def _condition(
        self, condition: ConditionResidual, residual: Residual, points: Tensor, source: Source
    ) -> ResidualNorm:
        terms, where = self._terms(residual, points), self.statement.domain.text_of(condition.place)
        size = torch.maximum(terms.abs().sum(-1).square().mean(), self._domain_scale(residual)).sqrt()
        return _residual_norm(source.quote(condition.span), where, terms.sum(-1), size, self._data(residual, points))

    def _domain_scale(self, residual: Residual) -> Tensor:
        """Σ of the mean squares in the domain of the derivatives in a condition, the largest along any axis."""
        candidates = [
            (k, *pair)
            for k, d in enumerate(residual.derivatives)
            for pair in derivatives_along_axes(d, self.statement.domain)
        ]
        derivatives = evaluate_derivatives(
            self.module, [d for _, d, _ in candidates], self.points.inside(CONDITION_POINTS, self._seed)
        )
        squares = [
            (k, float(column.square().mean()) * f**2)
            for (k, _, f), column in zip(candidates, derivatives.T, strict=True)
        ]
        sizes = [max(s for j, s in squares if j == k) for k in range(len(residual.derivatives))]
        return torch.tensor(sum(sizes), dtype=torch.float64)

    def _data(self, residual: Residual, points: Tensor) -> float:
        """Root mean square of the terms without unknowns."""
        jet_symbols = {s for s, _ in (*residual.jet_variables, *residual.nonlocal_terms)}
        expr = _substitute_parameters(residual.expr, self.statement, self.values)
        data = Add(*(t for t in Add.make_args(expr) if not t.free_symbols & jet_symbols))
        (value,) = compile_pointwise([data], self.statement.domain.coordinates)(*points.unbind(-1))
        return float(value.square().mean().sqrt())

    def _terms(self, residual: Residual, points: Tensor) -> Tensor:
        """τᵢ at points, (n, number of terms)."""
        jet_symbols = self._derivatives(residual, points)
        variables = (*residual.jet_variables, *residual.nonlocal_terms)
        symbols = (*self.statement.domain.coordinates, *(s for s, _ in variables))
        values = (*points.unbind(-1), *jet_symbols.unbind(-1), *self._nonlocal_terms(residual, points))
        terms = Add.make_args(_substitute_parameters(residual.expr, self.statement, self.values))
        return torch.stack(compile_pointwise(terms, symbols)(*values), -1)

    def _nonlocal_terms(self, residual: Residual, points: Tensor) -> list[Tensor]:
        def jets(at: Tensor, derivative: Derivative) -> Tensor:
            return evaluate_derivatives(self.module, [derivative], at)[:, 0]

        return [
            self._fractional_laplacian(term, points)
            if term.power
            else evaluate_term(term, self.statement.domain.coordinates, points, quadrature_order(term), jets)
            for _, term in residual.nonlocal_terms
        ]

    def _fractional_laplacian(self, term: NonlocalTerm, points: Tensor) -> Tensor:
        """(-Δ)ˢ of a solution by Fourier series, from its coefficients; of others by values on grids."""
        (derivative,), domain = (v.derivative for _, v in term.values), self.statement.domain
        if isinstance(self.module, TensorProductExpansion):
            module = self.module.fractional_laplacian(float(term.power))
            return evaluate_derivatives(module, [derivative], points)[:, 0]
        periods = [float(i.end - i.start) for i in domain.intervals[: len(domain.space)]]

        def values(at: Tensor) -> Tensor:
            return evaluate_derivatives(self.module, [derivative], at)[:, 0]

        return fractional_laplacian(values, points, float(term.power), periods)

    def _derivatives(self, residual: Residual, points: Tensor) -> Tensor:
        return evaluate_derivatives(self.module, residual.derivatives, points)


def evaluate_derivatives(module: Callable[[Tensor], Tensor], wanted: Sequence[Derivative], points: Tensor) -> Tensor:
    """A column for each derivative, (n, number of derivatives)."""
    if not wanted:
        return points.new_zeros(len(points), 0)
    if isinstance(module, TensorProductExpansion):
        return torch.stack([_differentiate_expansion(module, d, points) for d in wanted], -1)
    return partial_derivatives(module, points, *map(derivative_path, wanted)).detach()


def _differentiate_expansion(module: TensorProductExpansion, derivative: Derivative, points: Tensor) -> Tensor:
    """By the coefficients in space, and by automatic differentiation in time."""
    space = len(module.axes)
    expansion = module.differentiate(derivative.orders[:space])
    if not any(derivative.orders[space:]):
        with torch.no_grad():
            values: Tensor = expansion(points)[:, derivative.component]
        return values
    x = points[:, :space].detach()
    path = (derivative.component, *(0,) * derivative.orders[space])
    return partial_derivatives(lambda t: expansion.evaluate_at_times(x, t[:, 0]), points[:, space:].detach(), path)[
        :, 0
    ].detach()


def _substitute_parameters(expr: Expr, statement: StrongForm, values: Mapping[str, float]) -> Expr:
    """Replaces learned scalars by their estimates."""
    heads = {w.head: values[w.name] for w in statement.parameters if w.name in values}
    return expr.xreplace({f: Float(heads[f.head]) for f in atoms(expr, Field) if f.head in heads})


def derivatives_along_axes(derivative: Derivative, domain: Domain) -> list[tuple[Derivative, float]]:
    """A pure spatial derivative and those along the other axes, with factors that give them the same units."""
    own, space = derivative.orders, len(domain.space)
    axes = [k for k, order in enumerate(own) if order]
    if len(axes) != 1 or axes[0] >= space or space > HIGH_DIMENSION:
        return [(derivative, 1.0)]
    lengths, order = [float(i.end - i.start) for i in domain.intervals], own[axes[0]]
    along = [Derivative(derivative.component, tuple(order * (j == k) for j in range(len(own)))) for k in range(space)]
    return [(d, (lengths[k] / lengths[axes[0]]) ** order) for k, d in enumerate(along)]


def _residual_norm(text: str, where: str, residual: Tensor, size: Tensor, data: float) -> ResidualNorm:
    rms, maximum = residual.square().mean().sqrt(), residual.abs().max()
    return ResidualNorm(text, where, float(rms), float(maximum), float(size), len(residual), data)


def pde_residual_norm(audit: ResidualAudit, points: Tensor) -> Tensor:
    """Euclidean norm of the residuals of all equations at points, (n,)."""
    rows = [audit._terms(r, points).sum(-1) for r in audit.statement.equations]
    return torch.stack(rows).square().sum(0).sqrt()


# ---- Verdict


ONE_DIGIT_RTOL = 0.1  # above, no digit is correct
DATA_FACTOR = 2.0  # on data / terms: u = g has two terms of equal size, one of which is data
ERROR_RTOL = 0.01  # larger errors are visible in a plot
SELF_CONVERGENCE = "self-convergence: difference to the N/2 grid"
REFERENCE_FACTOR = 10.0  # tolerance relative to the error of the reference
INTERVAL_FACTOR = 3.0  # half-widths of a 95 % interval, that is 5.9 standard deviations: 4e-9 for one point


class Verdict(StrEnum):
    HOLDS = "holds"  # all relative rms residuals, and the error w.r.t. the references, are within their tolerances
    FAILS = "fails"  # an equation, a condition or the exact solution is not satisfied
    DISAGREES = "disagrees"  # with a numerical reference
    INACCURATE = "inaccurate"  # the estimated error exceeds the requested tolerance


@dataclass(frozen=True)
class Comparison:
    """Relative L2 error w.r.t. a reference; `error` is the estimated error of the reference."""

    reference: str
    distance: float
    maximum: float
    error: float
    exact: bool
    components: tuple[tuple[str, float], ...] = ()
    interval: float = 0.0  # half-width of the 95 % confidence intervals of a Monte Carlo solution
    mean: float = nan  # relative L1 error, by which discontinuous solutions are judged

    @property
    def is_self_convergence(self) -> bool:
        """Whether the reference is the same scheme on the N/2 grid, whose error is the distance itself."""
        return self.reference == SELF_CONVERGENCE

    @property
    def tolerance(self) -> float:
        """Tolerance of the relative error."""
        own = 0.0 if self.is_self_convergence else min(REFERENCE_FACTOR * self.error, ONE_DIGIT_RTOL)
        return max(ERROR_RTOL, own, INTERVAL_FACTOR * self.interval)

    @property
    def basis(self) -> str:
        """The reference, for an error statement."""
        return SELF_CONVERGENCE if self.is_self_convergence else f"w.r.t. {self.reference}"

    @property
    def judged_error(self) -> float:
        return self.distance if isnan(self.mean) else self.mean

    @property
    def is_reliable(self) -> bool:
        """Whether the reference has at least one correct digit."""
        return self.exact or self.is_self_convergence or self.error <= ONE_DIGIT_RTOL

    @property
    def passed(self) -> bool:
        near = isfinite(self.distance) and self.judged_error <= self.tolerance
        return near and self.is_reliable and self.interval <= ONE_DIGIT_RTOL


@dataclass(frozen=True)
class ErrorEstimate:
    """Residuals, comparisons with references, and the verdict that follows."""

    residual_norms: tuple[ResidualNorm, ...]
    comparisons: tuple[Comparison, ...] = ()
    notes: tuple[str, ...] = ()
    internal: ErrorBar | None = None  # by refinement, decay of the coefficients or confidence intervals
    requested: float = ERROR_RTOL  # tolerance of the relative error
    unmet: str = ""  # why refinement ended before the tolerance was met

    @property
    def verdict(self) -> Verdict:
        if self._violated or self._has_no_digits or any(c.exact and not c.passed for c in self.comparisons):
            return Verdict.FAILS
        if not all(c.passed for c in self.comparisons):
            return Verdict.DISAGREES
        return Verdict.HOLDS if self.is_accurate else Verdict.INACCURATE

    @property
    def is_accurate(self) -> bool:
        """Whether the requested tolerance is met: by the exact solution, if it is stated, or by the estimates."""
        exact = [c.judged_error for c in self.comparisons if c.exact]
        if exact or (self.internal is None and not self.unmet):
            error = min(exact, default=self.error.value)
            return self.requested >= ERROR_RTOL or error <= self.requested  # larger errors: the other criteria
        return not self.unmet and self.internal is not None and self.internal.value <= self.requested

    @property
    def failures(self) -> tuple[str, ...]:
        """The violated criteria, one sentence each."""
        missed = (
            f"'{r.text}' {r.where} is violated: relative rms residual {r.relative_rms:.1e} "
            f"(tolerance {self.tolerance:.2g})"
            for r in self._violated
        )
        vague = (f"no significant digits: relative error {self.internal}",) if self._has_no_digits else ()
        differences = tuple(_comparison_text(c) for c in self.comparisons if not c.passed)
        return (*missed, *vague, *differences, *self._inaccuracy)

    @property
    def _inaccuracy(self) -> tuple[str, ...]:
        if self.is_accurate:
            return ()
        return (self.unmet or f"error {self.error} exceeds the requested tolerance {self.requested:.1e}",)

    @property
    def _has_no_digits(self) -> bool:
        """Whether the estimates of the method are the only evidence, and too large for one significant digit."""
        return self.internal is not None and not self.comparisons and not self.internal.value <= ONE_DIGIT_RTOL

    @property
    def _violated(self) -> list[ResidualNorm]:
        return [r for r in self.residual_norms if not r.relative_rms <= self.tolerance]  # also if NaN

    @property
    def tolerance(self) -> float:
        """Tolerance of the relative rms residual."""
        return (ONE_DIGIT_RTOL if self._has_evidence else ERROR_RTOL) / self.amplification

    @property
    def _has_evidence(self) -> bool:
        """Whether there is an error estimate besides the residuals."""
        return self.internal is not None or any(c.is_reliable for c in self.comparisons)

    @property
    def amplification(self) -> float:
        """Factor by which the tolerance is tightened: above one if the data are small compared with the other terms."""
        driven = max((g.data / g.size for g in self.residual_norms if g.size > 0), default=0.0)
        return max(1.0, 1 / (DATA_FACTOR * driven)) if driven > 0 else 1.0

    @property
    def error(self) -> ErrorBar:
        """By the best evidence: the exact solution, estimates of the method, a reference, or the residuals alone."""
        reliable = sorted((c for c in self.comparisons if c.is_reliable), key=lambda c: not c.exact)
        if self.internal is not None and not any(c.exact for c in reliable):
            return self.internal
        for c in reliable:
            return ErrorBar(c.distance + (0.0 if c.is_self_convergence else c.error), c.basis)
        largest = max((g.relative_rms for g in self.residual_norms), default=inf) * self.amplification
        if not largest <= ERROR_RTOL:
            return ErrorBar(inf, "unverified: no reference available, and the residuals are not small")
        return ErrorBar(largest, "largest relative rms residual; no reference available")


@dataclass(frozen=True)
class ErrorBar:
    """Estimated relative L2 error, and its basis; infinite if unknown."""

    value: float
    against: str

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.1e} ({self.against})" if isfinite(self.value) else f"unknown ({self.against})"


def _comparison_text(c: Comparison) -> str:
    if not c.is_reliable and not isfinite(c.error):
        return f"unverified: {c.reference}"
    if not c.is_reliable:
        return f"unverified: the reference {c.reference} has an estimated relative error of {c.error:.1e}"
    if not c.interval <= ONE_DIGIT_RTOL:
        return f"no significant digits: the 95 % confidence intervals are ± {c.interval:.1e} (relative)"
    norm = "L2" if isnan(c.mean) else "L1"
    if c.is_self_convergence:
        difference = f"relative {norm} difference {c.judged_error:.1e} to the N/2 grid"
        return f"not converged: {difference} exceeds the tolerance {c.tolerance:.1e}"
    error = f"relative {norm} error {c.judged_error:.1e} w.r.t. {c.reference}"
    return f"{error} exceeds the tolerance {c.tolerance:.1e}"


def compare(
    values: Tensor, expected: Tensor, names: tuple[str, ...], reference: str, error: float, discontinuous: bool = False
) -> Comparison:
    """From values (n, c) at the same points; in L1 too for discontinuous solutions."""
    components = tuple((name, relative_error(values[:, k], expected[:, k])) for k, name in enumerate(names))
    maximum = float((values - expected).abs().max())
    mean = relative_error(values, expected, 1) if discontinuous else nan
    return Comparison(reference, relative_error(values, expected), maximum, error, error == 0.0, components, mean=mean)


def relative_error(values: Tensor, expected: Tensor, power: int = 2) -> float:
    """‖values - expected‖ / ‖expected‖, or the numerator alone where the denominator is zero."""
    norm, error = (torch.linalg.vector_norm(v, power) for v in (expected, values - expected))
    return float(error / norm) if norm > 0 else float(error)


# ---- Reference solutions


COMPARISON_POINTS = 2048  # test points
MONTE_CARLO_POINTS = 64  # each costs thousands of paths
INEXPENSIVE_GRID = {1: 256, 2: 48, 3: 12}  # points per dimension, by the number of space dimensions
MAX_REFERENCE_STEPS = 1500  # time steps of an implicit reference grid
NO_REFERENCE = "no exact solution is stated and no inexpensive grid solver applies: only residuals are available"
MIN_REFERENCE_ERROR = 1e-16  # rounding: 0 stands for an exact solution

Function = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Reference:
    """A reference solution, and its estimated relative error."""

    text: str
    values: Function
    error: float


@dataclass(frozen=True)
class Assessment:
    """Error estimate of a solution, and its references."""

    error_estimate: ErrorEstimate
    references: tuple[Reference, ...]


def assess(
    result: SolverResult,
    plan: SolvePlan,
    source: Source,
    options: SolveOptions,
    own: ErrorBar | None = None,
    unmet: str = "",
) -> Assessment:
    """Residuals and comparisons of a solution. `own` is the estimate from refinement and from the method; without one,
    and with learned parameters, whose intervals are not those of the solution, it is compared with an inexpensive grid.
    `unmet` is why the tolerance is not met."""
    residual_norms = (
        residual_audit(result, plan.problem, options).residual_norms(source) if has_derivatives(result) else ()
    )
    parameters = {name: e.value for name, e in result.parameters.items()}
    inexpensive = own is None or bool(parameters)
    references = tuple(reference_solutions(plan, options, parameters, inexpensive))
    comparisons = tuple(compare_with_reference(result, r, plan, options) for r in references)
    note = () if references or own is not None else (NO_REFERENCE,)
    return Assessment(
        ErrorEstimate(residual_norms, comparisons, (*gauge_lines(plan.problem), *note), own, options.tolerance, unmet),
        tuple(r for r in references if isfinite(r.error)),
    )


def confidence_error(result: SolverResult, statement: StrongForm, options: SolveOptions) -> ErrorBar:
    points = sample_test_points(statement, result, options)
    size = float(result(points).norm())
    half_width = float(confidence_half_width(result, points).norm())
    return ErrorBar(half_width / size if size > 0 else half_width, "half-width of the 95 % confidence intervals")


def residual_audit(result: SolverResult, statement: StrongForm, options: SolveOptions) -> ResidualAudit:
    values = {name: estimate.value for name, estimate in result.parameters.items()}
    module, functions = result.module, learned_functions(statement)
    if functions and isinstance(module, AnsatzModule):
        module = AnsatzWithFunctions(module, [f.axes for f in functions])
    return ResidualAudit(
        with_function_symbols(statement), module, PointSampler(statement.domain, options.device), options.seed, values
    )


def compare_with_reference(
    result: SolverResult, reference: Reference, plan: SolvePlan, options: SolveOptions
) -> Comparison:
    statement = plan.problem
    if not isfinite(reference.error):
        return Comparison(reference.text, nan, nan, inf, exact=False)
    points = sample_test_points(statement, result, options)
    names = tuple(c.text for c in statement.components)
    with torch.no_grad():
        values, expected = (fix_gauge(f, statement, points) for f in (result, reference.values))
    discontinuous = plan.grid is not None and isinstance(plan.grid.scheme, FiniteVolumeScheme)
    comparison = compare(values, expected, names, reference.text, reference.error, discontinuous)
    if isinstance(result.method, MonteCarlo):
        half_width = confidence_half_width(result, points)
        return replace(comparison, interval=float(half_width.norm() / expected.norm()))
    return comparison


def sample_test_points(statement: StrongForm, result: SolverResult, options: SolveOptions) -> Tensor:
    count = MONTE_CARLO_POINTS if isinstance(result.method, MonteCarlo) else COMPARISON_POINTS
    return PointSampler(statement.domain, options.device).inside(count, options.seed + TEST_SEED + 1)


def reference_solutions(
    plan: SolvePlan, options: SolveOptions, parameters: Mapping[str, float] | None = None, inexpensive: bool = True
) -> Iterator[Reference]:
    """The exact solution, if stated; the reference grid of the spec, or, without an exact solution, an inexpensive one
    if `inexpensive`.

    `parameters` are the estimates of learned scalars.
    """
    exact = exact_reference(plan.problem)
    if exact is not None:
        yield exact
    grid = plan.reference or (inexpensive_grid(plan, parameters or {}) if inexpensive and exact is None else None)
    if grid is not None:
        try:
            reference = grid_reference(grid, plan, options, parameters or {})
        except GridSolveFailed as failure:  # an implicit reference may fail, unless the solution blows up
            if plan.reference:
                raise
            cause = failure.__cause__
            if isinstance(failure, IllPosedProblem):
                yield Reference(f"{grid} ({failure})", lambda x: x.new_full((len(x), 1), nan), inf)
            elif isinstance(cause, StepSizeUnderflow) and not isinstance(cause, MaxStepsExceeded):
                yield Reference(f"{grid} breaks down ({failure})", lambda x: x.new_full((len(x), 1), nan), inf)
            return
        if plan.reference or reference.error <= ONE_DIGIT_RTOL:  # an implicit one without a correct digit is ignored
            yield reference


def exact_reference(statement: StrongForm) -> Reference | None:
    exact = [e for e in statement.exact if e is not None]
    if len(exact) < len(statement.components):
        return None
    at = compile_pointwise(exact, statement.domain.coordinates)
    return Reference("the exact solution", lambda x: torch.stack(at(*x.unbind(-1)), -1), 0.0)


def inexpensive_grid(plan: SolvePlan, parameters: Mapping[str, float]) -> Grid | None:
    """An inexpensive grid, if a grid scheme applies with the estimated parameters."""
    statement = plan.problem
    is_determined = bool(statement.parameters) and all(p.name in parameters for p in statement.parameters)
    applies = any(isinstance(a.method, Grid) and not a.obstacle for a in plan.alternatives)
    applies = applies or (is_determined and plan.grid is not None)
    n = INEXPENSIVE_GRID.get(len(statement.domain.space))
    return Grid(n=n) if applies and n is not None else None


def grid_reference(grid: Grid, plan: SolvePlan, options: SolveOptions, parameters: Mapping[str, float]) -> Reference:
    """A grid solution, and its difference to the N/2 grid, which exceeds its error where it converges."""
    if plan.reference:
        result = solve_with(plan.on_grid(grid), options)
    else:
        values = {
            name: torch.tensor(value, dtype=torch.float64, device=options.device) for name, value in parameters.items()
        }
        result = solve_by_grid(
            plan.on_grid(grid),
            seed=options.seed,
            device=options.device,
            parameter_values=values,
            max_steps=MAX_REFERENCE_STEPS,
        )
    with_parameters = (
        f" with {', '.join(f'{name} = {value:.4g}' for name, value in parameters.items())}" if parameters else ""
    )
    return Reference(f"{grid}{with_parameters}", result, max(result.metrics["error"], MIN_REFERENCE_ERROR))
