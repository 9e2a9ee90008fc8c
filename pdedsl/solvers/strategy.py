"""Strategy of a solve: candidates in their order, each on successively finer levels, until the tolerance is met.

A level is accepted if two error estimates of different kinds are below the tolerance; for Monte Carlo its confidence
interval suffices. The error of a level is estimated by

- refinement: the relative L2 difference d to the previous level at held-out points, times the ratio of the errors of
  the two levels. The ratio is that of the omitted coefficients, if the method estimates them, and in time that of the
  errors of the steps; or it follows from the differences of three levels: r / (1 - r) with r = d₂ / d₁ (Richardson
  1911), and is at most that of the residuals at held-out points in least-squares methods;
- the method itself: decay of the coefficients, residual-based estimators, confidence intervals;
- the relative residual at held-out points;
- for inverse problems also the confidence intervals of the learned parameters;
- a second method: the difference to the best result of another candidate, plus the error of the latter. If the
  difference exceeds the errors of both by far, as for an iteration that stagnates at the same function on all levels,
  the residual counts as the error by refinement.

The next candidate follows if a method fails, stagnates or would exceed the CPU time. The best of all results is
returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite, isnan, log

import torch
from torch import Tensor

from pdedsl.config.methods import MonteCarlo
from pdedsl.diagnostics import Source
from pdedsl.io import RunError, RunInterrupted
from pdedsl.ir.plan import Candidate, SolvePlan
from pdedsl.ir.solver_plans import FiniteVolumeScheme, GridPlan, MonteCarloPlan, PinnPlan, SolverPlan
from pdedsl.runs.events import Finishing
from pdedsl.solvers.collocation_points import fix_gauge
from pdedsl.solvers.dispatch import has_derivatives, levels_of
from pdedsl.solvers.error_estimate import (
    ONE_DIGIT_RTOL,
    ErrorBar,
    ErrorEstimate,
    confidence_error,
    relative_error,
    residual_audit,
    sample_test_points,
)
from pdedsl.solvers.grid.grid_result import TIME_ERROR, IllPosedProblem
from pdedsl.solvers.method_result import TEST_RESIDUAL, EstimateKind, SolverResult, parameter_error
from pdedsl.solvers.solver_method import SolveOptions

Estimates = Mapping[EstimateKind, float]

SAFETY_FACTOR = 1.25  # on errors from differences of three levels: the grid convergence index of Roache (1994)
MIN_RATE = 0.1  # smallest assumed ratio of the errors of two levels, from differences alone: order 3.3 under doubling
MIN_RESIDUAL_RATIO = 1e-2  # smallest assumed ratio of the errors, from residuals: these weigh high frequencies more
PREASYMPTOTIC_FACTOR = 100.0  # on the difference, of the smallest ratio: coarse levels overestimate the decay
UNEXPLAINED_RATIO = 0.3  # smallest ratio for the part of a difference that neither explains: coefficients are too small
EXPLAINED_FACTOR = 3.0  # a difference up to this multiple of the omitted coefficients, or of errors in time, is due to
# these
COEFFICIENT_FACTOR = 100.0  # a difference that exceeds the omitted coefficients more is not explained by these
STAGNATION_FACTOR, STAGNATION_LEVELS = 2.0, 2  # smallest improvement over two levels
UNRESOLVED_ERROR = 0.3  # above this error, the scales of the solution may not be resolved yet: no stagnation
MAX_UNRESOLVED_LEVELS = 6  # levels after which an unresolved method has stagnated
COST_GROWTH = 3.0  # assumed ratio of the costs of two levels before it has been observed
AGREEMENT_LEVELS = 3  # levels whose differences decrease, for methods with no estimate but refinement
COMMON_STEPS_RATIO = 0.5  # of the errors of time steps: levels whose tolerances differ by ten have common steps above
CONTRADICTION_FACTOR = 10.0  # difference of two methods over their errors, above which one estimate must be wrong
ROUNDING = 1e-15  # smallest relative error in double precision


@dataclass(frozen=True)
class Attempt:
    """One level of one candidate: the method with its size, error estimates by kind, CPU time, and the outcome."""

    method: str
    estimates: Estimates
    cpu_seconds: float
    outcome: str
    error: float = inf  # by the estimates together


@dataclass(frozen=True)
class RefinementLevel:
    """A result, its values at the test points, and its error estimates."""

    result: SolverResult
    values: Tensor
    estimates: Estimates
    difference: float = inf  # relative, to the previous level

    @property
    def error(self) -> float:
        return combine(self.estimates)


@dataclass(frozen=True)
class SecondMethod:
    """A result of another candidate: its error, and the relative difference to it."""

    error: float
    difference: float

    @property
    def estimate(self) -> float:
        """A bound of the error by the triangle inequality."""
        return self.error + self.difference

    def contradicts(self, own_error: float) -> bool:
        """Whether the difference exceeds the errors of both by far."""
        return isfinite(own_error) and self.difference > CONTRADICTION_FACTOR * (self.error + own_error)


@dataclass(frozen=True)
class Outcome:
    """The best result of a solve, its error estimates, all attempts, and why the tolerance is not met."""

    result: SolverResult
    candidate: Candidate
    estimates: Estimates
    attempts: tuple[Attempt, ...]
    unmet: str = ""  # with a next step to try; empty if the tolerance is met

    @property
    def error_bar(self) -> ErrorBar | None:
        """The error by refinement and by the method; None if there are only residuals."""
        kinds = [k for k in self.estimates if k is not EstimateKind.RESIDUAL]
        norm = ", in L1" if has_shocks(self.candidate.solver) else ""
        return ErrorBar(combine(self.estimates), " and ".join(kinds) + norm) if kinds else None


def combine(estimates: Estimates) -> float:
    """The error by estimates of several kinds.

    Refinement and the decay of the coefficients complement each other: the larger one counts. Estimates from residuals
    may exceed the error by far: they count only with neither refinement nor a second method. The confidence intervals
    of learned parameters, which no residual contains, bound the accuracy of an inverse problem from below.
    """
    if EstimateKind.CONFIDENCE in estimates:
        return estimates[EstimateKind.CONFIDENCE]
    kinds = (EstimateKind.REFINEMENT, EstimateKind.DECAY, EstimateKind.PARAMETERS)
    sharp = [value for kind, value in estimates.items() if kind in kinds and not isnan(value)]
    if EstimateKind.REFINEMENT in estimates:
        return max(sharp)
    others = [estimates[k] for k in (EstimateKind.SECOND_METHOD, EstimateKind.RESIDUAL) if k in estimates]
    return max([*sharp, *others[:1]], default=inf)


def is_accepted(estimates: Estimates, tolerance: float) -> bool:
    """Whether two estimates of different kinds are below the tolerance; a confidence interval suffices."""
    met = [kind for kind, value in estimates.items() if value <= tolerance]
    return EstimateKind.CONFIDENCE in met or (len(met) >= 2 and combine(estimates) <= tolerance)


def has_shocks(solver: SolverPlan) -> bool:
    """Whether the solution may be discontinuous: its error is then measured in L1."""
    return isinstance(solver, GridPlan) and isinstance(solver.scheme, FiniteVolumeScheme)


# ---- Strategy


@dataclass
class Strategy:
    """State of a solve: attempts so far, and the best level of each candidate."""

    plan: SolvePlan
    source: Source
    options: SolveOptions
    record: Callable[[tuple[Attempt, ...]], None] = lambda attempts: None
    attempts: list[Attempt] = field(default_factory=list)
    best: list[tuple[Candidate, RefinementLevel]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def run(self) -> Outcome:
        for candidate in self.plan.candidates:
            if self.best and not self._is_worthwhile(candidate):
                continue
            if self._try(candidate):
                break
        if not self.best:
            raise RunError(self.failures[0] if self.failures else "no method has a result within the CPU time")
        candidate, level = min(self.best, key=lambda pair: (not self._accepts(pair[1]), pair[1].error))
        met = self._accepts(level) or self.attempts[-1].outcome == ACCEPTED
        return Outcome(
            level.result,
            candidate,
            level.estimates,
            tuple(self.attempts),
            "" if met else self._explain(candidate, level),
        )

    def _is_worthwhile(self, candidate: Candidate) -> bool:
        """Whether a further candidate may improve the best result: networks and Monte Carlo only without any digit."""
        best = min(level.error for _, level in self.best)
        if isinstance(candidate.solver, PinnPlan | MonteCarloPlan):
            return not best <= ONE_DIGIT_RTOL and not self.options.budget.is_exhausted
        return self.options.budget.remaining > candidate.seconds

    def _try(self, candidate: Candidate) -> bool:
        """Refines a candidate; whether a level is accepted."""
        levels, history, costs = levels_of(candidate, self.options), list[RefinementLevel](), list[float]()
        while True:
            self._notify(candidate, len(history))
            start = self.options.budget.spent
            try:
                level = self._next_level(levels, candidate, history)
            except RunError as failure:
                self.failures.append(str(failure))
                self._add(Attempt(candidate.text, {}, self.options.budget.spent - start, f"failed: {failure}"))
                if isinstance(failure, IllPosedProblem):  # no other method can do better
                    raise
                return False
            if level is None:
                if candidate.refinable and history:
                    self._replace_outcome("finest level")
                return False
            history.append(level)
            costs.append(self.options.budget.spent - start)
            outcome = self._outcome(candidate, history, costs)
            attempt = Attempt(str(level.result.method), level.estimates, costs[-1], outcome, level.error)
            self._add(attempt)
            self._keep(candidate, level)
            if outcome != REFINED:
                return outcome == ACCEPTED

    def _next_level(
        self, levels: Iterator[SolverResult], candidate: Candidate, history: list[RefinementLevel]
    ) -> RefinementLevel | None:
        try:
            result = next(levels, None)
        except torch.linalg.LinAlgError as error:  # type: ignore[attr-defined]  # torch's stubs lack it
            raise RunError(f"the discrete system is singular ({error})") from None
        return None if result is None else self._estimate(result, candidate, history)

    def _estimate(self, result: SolverResult, candidate: Candidate, history: list[RefinementLevel]) -> RefinementLevel:
        """The level with its error estimates; the residual at held-out points only if two kinds are missing."""
        problem, options = self.plan.problem, self.options
        estimates = dict(result.error_estimates)
        if result.eigenvalues:
            return self._estimate_eigenvalues(result, candidate)
        if isinstance(result.method, MonteCarlo):
            estimates[EstimateKind.CONFIDENCE] = confidence_error(result, problem, options).value
        uncertainty = parameter_error(result.parameters)
        if uncertainty is not None:
            estimates[EstimateKind.PARAMETERS] = uncertainty
        points = sample_test_points(problem, result, options)
        with torch.no_grad():
            values = fix_gauge(result, problem, points)
        if not values.isfinite().all():
            raise RunError(f"{result.method} diverges: its values are not finite")
        values = values[:, [c for c in range(values.shape[1]) if c not in result.not_integrable]]
        difference = inf
        if history:
            difference = relative_error(history[-1].values, values, self._power)
            error = refinement_error(difference, result, estimates, history) + _common_error(result, history[-1])
            estimates[EstimateKind.REFINEMENT] = max(error, ROUNDING)
        elif EstimateKind.DECAY in estimates:
            estimates[EstimateKind.DECAY] += result.metrics.get(TIME_ERROR, 0.0)
        second = self._second_method(candidate, values)
        contradicted = second is not None and second.contradicts(combine(estimates))
        if second is not None:
            estimates[EstimateKind.SECOND_METHOD] = second.estimate
        if (len(estimates) < 2 or contradicted) and has_derivatives(result):
            estimates[EstimateKind.RESIDUAL] = self._residual(result)
            if contradicted and EstimateKind.REFINEMENT in estimates:
                larger = max(estimates[EstimateKind.REFINEMENT], estimates[EstimateKind.RESIDUAL])
                estimates[EstimateKind.REFINEMENT] = larger
        return RefinementLevel(result, values, estimates, difference)

    def _estimate_eigenvalues(self, result: SolverResult, candidate: Candidate) -> RefinementLevel:
        """Methods compare the eigenvalues of their levels themselves: modes of multiple eigenvalues are not unique."""
        parts = [part for e in result.eigenvalues for part in (e.value.real, e.value.imag)]
        values = torch.tensor(parts, dtype=torch.float64)[:, None]
        estimates = dict(result.error_estimates)
        second = self._second_method(candidate, values)
        if second is not None:
            estimates[EstimateKind.SECOND_METHOD] = second.estimate
        return RefinementLevel(result, values, estimates, estimates.get(EstimateKind.REFINEMENT, inf))

    def _second_method(self, candidate: Candidate, values: Tensor) -> SecondMethod | None:
        """The comparison with the best result of another candidate."""
        others = [
            SecondMethod(level.error, relative_error(values, level.values, self._power))
            for other, level in self.best
            if other is not candidate and level.values.shape == values.shape and level.error <= ONE_DIGIT_RTOL
        ]
        return min(others, key=lambda other: other.estimate, default=None)

    def _residual(self, result: SolverResult) -> float:
        norms = residual_audit(result, self.plan.problem, self.options).residual_norms(self.source)
        estimate = ErrorEstimate(norms)
        return max(norm.relative_rms for norm in norms) * estimate.amplification

    @property
    def _power(self) -> int:
        """1 for solutions with shocks, whose errors are measured in L1."""
        return 1 if any(has_shocks(c.solver) for c in self.plan.candidates) else 2

    # ---- Outcome of a level

    def _outcome(self, candidate: Candidate, history: list[RefinementLevel], costs: list[float]) -> str:
        level, accepted = history[-1], self._accepts(history[-1]) or self._converges(history)
        if accepted and not (candidate.refinable and _needs_refinement(level.estimates)):
            return ACCEPTED
        if not candidate.refinable:
            return "stated size"
        if self.options.watch.interrupted():
            raise RunInterrupted
        if _stagnates(history):
            return "stagnation"
        growth = _cost_growth(history, costs)
        if level.error > UNRESOLVED_ERROR:  # the steps in time do not follow the solution yet
            growth = min(growth, COST_GROWTH)
        if costs[-1] * growth > self.options.budget.remaining:
            return ACCEPTED if accepted else "the next level exceeds the CPU time"
        return REFINED

    def _accepts(self, level: RefinementLevel) -> bool:
        return is_accepted(level.estimates, self.options.tolerance)

    def _converges(self, history: list[RefinementLevel]) -> bool:
        """Whether a method with no estimate but refinement converges: the differences between three levels decrease,
        or are below the tolerance, and so is the last error."""
        if set(history[-1].estimates) != {EstimateKind.REFINEMENT} or len(history) < AGREEMENT_LEVELS:
            return False
        first, second = history[-2].difference, history[-1].difference
        return second <= max(first, self.options.tolerance) and history[-1].error <= self.options.tolerance

    def _keep(self, candidate: Candidate, level: RefinementLevel) -> None:
        """Replaces the best level of the candidate: a finer one is better unless its estimate is larger."""
        for k, (other, known) in enumerate(self.best):
            if other is candidate:
                if level.error <= known.error or self._accepts(level):
                    self.best[k] = candidate, level
                return
        self.best.append((candidate, level))

    def _add(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)
        self.record(tuple(self.attempts))

    def _replace_outcome(self, outcome: str) -> None:
        self.attempts[-1] = replace(self.attempts[-1], outcome=outcome)

    def _notify(self, candidate: Candidate, level: int) -> None:
        if candidate.refinable:
            for listener in self.options.watch.listeners:
                listener(Finishing(f"{candidate.text}, level {level + 1}"))

    # ---- Explanation

    def _explain(self, candidate: Candidate, level: RefinementLevel) -> str:
        """Why the tolerance is not met, and a next step; empty for stated sizes, which are judged by their error."""
        if not candidate.refinable:
            return ""
        own = [a for a in self.attempts if a.method.startswith(candidate.solver.method.name)]
        accuracy = f"estimated error {level.error:.1e}" if isfinite(level.error) else "no error estimate"
        reached = (
            f"tolerance {self.options.tolerance:.1e} not met: {accuracy} by {level.result.method}, {own[-1].outcome}"
        )
        return f"{reached}; try {self._next_step()}"

    def _next_step(self) -> str:
        if any("CPU time" in a.outcome for a in self.attempts):
            return f"more CPU time: --budget {10 * self.plan.budget:g}"
        return f"a larger tolerance: --tol {10 * self.options.tolerance:.0e}"


ACCEPTED, REFINED = "accepted", "refined"


def refinement_error(
    difference: float, result: SolverResult, estimates: Estimates, history: list[RefinementLevel]
) -> float:
    """The error of this level from the difference to the previous one, which is about the error of that."""
    previous = history[-1]
    if result.is_irregular:
        return difference
    if EstimateKind.DECAY in estimates and EstimateKind.DECAY in previous.estimates:
        return _error_in_space_and_time(difference, result, estimates[EstimateKind.DECAY], previous)
    if EstimateKind.SECOND_METHOD in result.error_estimates:
        return difference * min(1.0, _time_ratio(result, previous))
    if not isfinite(previous.difference) or previous.difference <= difference:
        return difference * min(1.0, _residual_ratio(result, previous))
    rate = difference / previous.difference
    ratio = SAFETY_FACTOR * min(1.0, max(MIN_RATE, rate / (1 - rate)))
    return difference * min(ratio, _residual_ratio(result, previous))


def _error_in_space_and_time(difference: float, result: SolverResult, tail: float, previous: RefinementLevel) -> float:
    """The part of the difference that the omitted coefficients of the previous level explain decreases with these, the
    part that its time steps explain with their errors; the rest may be due to either."""
    before = previous.estimates[EstimateKind.DECAY]
    reliable = min(MIN_RATE, PREASYMPTOTIC_FACTOR * difference)
    space, time = min(1.0, max(tail / max(before, 1e-300), reliable)), min(1.0, _time_ratio(result, previous))
    in_space = min(difference, EXPLAINED_FACTOR * before)
    in_time = min(difference, EXPLAINED_FACTOR * previous.result.metrics.get(TIME_ERROR, 0.0))
    rest = max(0.0, difference - in_space - in_time)
    explained = difference <= COEFFICIENT_FACTOR * before
    return in_space * space + in_time * time + rest * (max(space, time, UNEXPLAINED_RATIO) if explained else 1.0)


def _residual_ratio(result: SolverResult, previous: RefinementLevel) -> float:
    """The residual at held-out points of a least-squares method relative to that of the previous level; inf without
    one, 1 if it does not decrease."""
    if not (TEST_RESIDUAL in result.metrics and TEST_RESIDUAL in previous.result.metrics):
        return inf
    after, before = (r.metrics[TEST_RESIDUAL] for r in (result, previous.result))
    return min(1.0, max(after / max(before, 1e-300), MIN_RESIDUAL_RATIO))


def _time_ratio(result: SolverResult, previous: RefinementLevel) -> float:
    """The sum of the error estimates of all time steps relative to that of the previous level; 0 without steps."""
    after, before = (r.metrics.get(TIME_ERROR, 0.0) for r in (result, previous.result))
    return after / before if before > 0 else 0.0


def _common_error(result: SolverResult, previous: RefinementLevel) -> float:
    """The error of time steps that both levels have in common, which their difference does not contain."""
    return result.metrics.get(TIME_ERROR, 0.0) if _time_ratio(result, previous) > COMMON_STEPS_RATIO else 0.0


def _cost_growth(history: list[RefinementLevel], costs: list[float]) -> float:
    """The predicted ratio of the costs of the next level and this one: that of the last two levels, or a power of the
    ratio of the numbers of unknowns, with the exponent observed on the last two levels."""
    if len(costs) < 2 or costs[-2] <= 0:
        return COST_GROWTH
    observed = max(costs[-1] / costs[-2], 1.0)
    before, now = (level.result.unknowns for level in history[-2:])
    if before is None or now is None or now[0] <= before[0]:
        return observed
    exponent = max(1.0, log(observed) / log(now[0] / before[0]))
    return float((now[1] / now[0]) ** exponent)


def _needs_refinement(estimates: Estimates) -> bool:
    """Whether the decay of the coefficients is confirmed only by residuals: both miss errors of the discrete operator,
    as those of a pressure."""
    return set(estimates) == {EstimateKind.DECAY, EstimateKind.RESIDUAL}


def _stagnates(history: list[RefinementLevel]) -> bool:
    """Whether the error has not halved over two levels, although the solution is resolved."""
    if len(history) <= STAGNATION_LEVELS + 1:  # the first level has no refinement
        return False
    before, now = history[-1 - STAGNATION_LEVELS].error, history[-1].error
    unresolved = now > UNRESOLVED_ERROR and len(history) <= MAX_UNRESOLVED_LEVELS
    return not unresolved and not now <= before / STAGNATION_FACTOR


# ---- Machine-readable form


def plain_estimates(estimates: Estimates) -> dict[str, float | None]:
    """JSON has no infinity: it becomes null."""
    return {kind.name.lower(): value if isfinite(value) else None for kind, value in estimates.items()}


def attempt_row(attempt: Attempt) -> dict[str, object]:
    """An attempt in machine-readable form."""
    return {
        "method": attempt.method,
        "estimates": plain_estimates(attempt.estimates),
        "error": attempt.error if isfinite(attempt.error) else None,
        "outcome": attempt.outcome,
        "cpu_seconds": attempt.cpu_seconds,
    }
