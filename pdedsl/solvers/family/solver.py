"""Families of problems: the solution as a function of parameters, from members solved one by one.

Members at Leja points are interpolated in the reference variables of the parameters, or members chosen by a greedy
algorithm span a reduced basis. The error is the largest relative L2 error over unseen members, which are solved but
not used in the approximation; if it exceeds the tolerance, the approximation is refined further.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import ceil, inf
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn

from pdedsl.compiler import Compilation
from pdedsl.diagnostics.escaping import as_json
from pdedsl.io import RunError, RunInterrupted, malformed_as_run_error, write_text_atomically
from pdedsl.ir.family import Family, is_normal
from pdedsl.ir.plan import SolvePlan
from pdedsl.runs.events import Finishing
from pdedsl.solvers.budget import CpuBudget
from pdedsl.solvers.collocation_points import fix_gauge
from pdedsl.solvers.error_estimate import TEST_SEED, ErrorBar, ErrorEstimate, relative_error, sample_test_points
from pdedsl.solvers.family.approximation import FamilyApproximation, InterpolatedMembers
from pdedsl.solvers.family.member_modules import member_modules
from pdedsl.solvers.family.solution import FamilySolution, sample_members
from pdedsl.solvers.family.sparse_interpolation import SparseInterpolant
from pdedsl.solvers.method_result import SolverResult
from pdedsl.solvers.progress import Watch
from pdedsl.solvers.serialize import load_result, read_attempt, read_metrics, save
from pdedsl.solvers.solver_method import SolveOptions
from pdedsl.solvers.strategy import Attempt, Outcome, Strategy

MEMBERS, FAMILY = "members", "family.json"  # the folder with their solutions, and the description of the approximation
UNSEEN_MEMBERS = 12  # members by which the error is measured
MEMBER_FACTOR, MARGIN_FACTOR = 0.1, 0.2  # errors of members, and estimated ones of the family, over the tolerance
TIMED_MEMBERS = 5  # members for the median CPU time of one solution to the tolerance
TIMED_EVALUATIONS = 5  # of the approximation at the test points
TIGHTENING_FACTOR = 0.25  # of the estimated errors, if unseen members are not accurate
ACCURATE_ROUNDS = 2  # of a refinement
MIN_MEMBERS = 3  # before costs are predicted: the first one includes imports
MAX_MEMBERS = 4000  # bounds memory: each has its own coefficients
COST_FACTOR = 1.5  # on the cost of a member, for those still to come
ERROR_BASIS = f"worst of {UNSEEN_MEMBERS} unseen members"
BREAK_EVEN, SOLVED = "members to break even", "members"  # in metrics


@dataclass(frozen=True)
class Member:
    """A member with its values at the test points, the CPU time of its solution, and its estimated error."""

    outcome: Outcome
    values: Tensor
    seconds: float
    error: float

    @property
    def module(self) -> nn.Module:
        return self.outcome.result.module


@dataclass
class FamilySolver(ABC):
    """State of the solution of a family: the members so far, and their approximation."""

    compilation: Compilation
    options: SolveOptions
    folder: Path | None = None
    solved: list[Member] = field(default_factory=list)  # in the order of the approximation
    unseen: list[tuple[Tensor, Member]] = field(default_factory=list)  # with their reference variables
    points: Tensor | None = None
    count: int = 0
    loaded_seconds: float = 0.0  # CPU time of members that an earlier run solved

    @abstractmethod
    def refine(self, target: float) -> str:
        """Adds members until the estimated relative error is below the target; otherwise the reason why it ended."""

    @abstractmethod
    def predict(self, y: Tensor) -> Tensor:
        """The values (n, c) of the approximation at the test points, for the variables y (p,)."""

    @abstractmethod
    def approximation(self) -> FamilyApproximation:
        """The approximation by the members so far."""

    @abstractmethod
    def description(self) -> dict[str, Any]:
        """The entries of family.json, by which the approximation is made again from the stored members."""

    @abstractmethod
    def restore(
        self, description: Mapping[str, Any], load: Callable[[tuple[float, ...]], SolverResult]
    ) -> FamilyApproximation:
        """The approximation with a description; `load` gives the result of a member at reference variables."""

    @property
    def plan(self) -> SolvePlan:
        plan = self.compilation.plan
        assert isinstance(plan, SolvePlan)
        return plan

    @property
    def family(self) -> Family:
        assert self.plan.family is not None
        return self.plan.family

    # ---- Refinement

    def run(self) -> FamilySolution:
        """Refines until the unseen members are accurate, or the CPU time is exhausted."""
        start, unmet = time.perf_counter(), ""
        target = MARGIN_FACTOR * self.options.tolerance
        while True:
            unmet = self.refine(target)
            error = self._check()
            if error <= self.options.tolerance or unmet:
                break
            target *= TIGHTENING_FACTOR
        if error <= self.options.tolerance:
            unmet = ""
        return self._solution(error, unmet, time.perf_counter() - start)

    def exhausted(self) -> str:
        """Why no further member is solved: those of the check must still fit into the CPU time."""
        if len(self.solved) >= MAX_MEMBERS:
            return f"{MAX_MEMBERS} members"
        remaining = (1 + UNSEEN_MEMBERS - len(self.unseen)) * COST_FACTOR * median(m.seconds for m in self.solved)
        return "the next member exceeds the CPU time" if remaining > self.options.budget.remaining else ""

    def _check(self) -> float:
        """The largest relative error over unseen members, with that of their own solution."""
        samples = sample_members(self.family, UNSEEN_MEMBERS, self.options.seed + TEST_SEED)
        for y in samples[len(self.unseen) :]:
            self.unseen.append((y, self.solve(tuple(y.tolist()))))
        predicted = self._predictions()
        return max(relative_error(v, m.values) + m.error for v, (_, m) in zip(predicted, self.unseen, strict=True))

    def _predictions(self) -> list[Tensor]:
        """The values of the approximation at the test points, for the unseen members."""
        return [self.predict(y) for y, _ in self.unseen]

    def _max_errors(self) -> tuple[float, ...]:
        """Of each component: the largest absolute error over unseen members and test points, with that of their own
        solution in relation to their root mean square."""
        rows = [
            (predicted - m.values).abs().amax(0) + m.error * m.values.square().mean(0).sqrt()
            for predicted, (_, m) in zip(self._predictions(), self.unseen, strict=True)
        ]
        return tuple(torch.stack(rows).amax(0).tolist())

    # ---- Members

    def solve(self, variables: tuple[float, ...]) -> Member:
        """The member at reference variables, from the folder if it was solved before."""
        if self.options.watch.interrupted():
            raise RunInterrupted
        self.count += 1
        for listener in self.options.watch.listeners:
            listener(Finishing(f"member {self.count}"))
        budget = CpuBudget(max(self.options.budget.remaining, 1.0))
        plan = self.compilation.plan_member(variables)
        options = replace(self.options, tolerance=MEMBER_FACTOR * self.options.tolerance, budget=budget, watch=Watch())
        folder = None if self.folder is None else member_folder(self.folder, variables)
        loaded = load_result(folder, plan, options) if folder is not None else None
        if loaded is not None:
            outcome, seconds = loaded
            self.loaded_seconds += seconds
        else:
            outcome = Strategy(plan, self.compilation.spec.source, options).run()
            seconds = budget.spent
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
                save(folder, outcome, self.compilation.spec, seconds)
        bar = outcome.error_bar
        error = bar.value if bar is not None else inf
        with torch.no_grad():
            values = fix_gauge(outcome.result, self.plan.problem, self._test_points(outcome.result))
        return Member(outcome, values, seconds, error)

    def _test_points(self, result: SolverResult) -> Tensor:
        if self.points is None:
            self.points = sample_test_points(self.plan.problem, result, self.options)
        return self.points

    # ---- Result

    def _solution(self, error: float, reason: str, seconds: float) -> FamilySolution:
        first, approximation = self.solved[0].outcome, self.approximation()
        center = approximation.member(torch.zeros(len(self.family.parameters), dtype=torch.float64))
        error += self._resampling_error(center)
        break_even = self._break_even(center)
        costs = self.options.budget.spent + self.loaded_seconds
        result = SolverResult(
            center, first.result.method, {SOLVED: float(len(self.solved)), **break_even}, first.result.notes
        )
        unmet = ""
        if reason:
            reached = f"tolerance {self.options.tolerance:.1e} not met: worst error {error:.1e}"
            unmet = f"{reached}, {reason}; try more CPU time: --budget {10 * self.plan.budget:g}"
        estimate = ErrorEstimate((), (), (), ErrorBar(error, ERROR_BASIS), self.options.tolerance, unmet)
        attempt = Attempt(
            f"{len(self.solved)} members, {UNSEEN_MEMBERS} unseen", {}, costs, reason or "accepted", error
        )
        attempts = (*first.attempts, attempt)
        return FamilySolution(
            self.compilation, result, estimate, seconds, self.folder, attempts, approximation, self._max_errors()
        )

    def _resampling_error(self, center: nn.Module) -> float:
        """The relative difference of the approximation at the center and its values at the test points: expansions are
        interpolated at common times."""
        assert self.points is not None
        with torch.no_grad():
            values = self.predict(torch.zeros(len(self.family.parameters), dtype=torch.float64))
            return relative_error(fix_gauge(center, self.plan.problem, self.points), values)

    def _break_even(self, center: nn.Module) -> dict[str, float]:
        """The number of members after which the family costs less than solving each alone to its tolerance, if it ever
        does: the CPU time of the family, divided by that which is saved by evaluating it at the test points."""
        assert self.points is not None
        alone = median(self._seconds_alone(tuple(y.tolist())) for y, _ in self.unseen[:TIMED_MEMBERS])
        evaluation = median(self._seconds_of_evaluation() for _ in range(TIMED_EVALUATIONS))
        costs = self.options.budget.spent + self.loaded_seconds
        return {BREAK_EVEN: float(ceil(costs / (alone - evaluation)))} if alone > evaluation else {}

    def _seconds_alone(self, variables: tuple[float, ...]) -> float:
        budget = CpuBudget(self.plan.budget)
        options = replace(self.options, budget=budget, watch=Watch())
        plan = self.compilation.plan_member(variables, alone=True)
        outcome = Strategy(plan, self.compilation.spec.source, options).run()
        with torch.no_grad():
            outcome.result.module(self.points)
        return budget.spent

    def _seconds_of_evaluation(self) -> float:
        assert self.points is not None
        budget = CpuBudget()
        with torch.no_grad():
            self.approximation().member(self.unseen[0][0])(self.points)
        return budget.spent


# ---- Sparse interpolation


@dataclass
class SparseInterpolationSolver(FamilySolver):
    """Members at Leja points; the interpolant is that of their values at the test points."""

    interpolant: SparseInterpolant = field(init=False)

    def __post_init__(self) -> None:
        self.interpolant = SparseInterpolant(tuple(is_normal(p.distribution) for p in self.family.parameters))

    def refine(self, target: float) -> str:
        """Until all surpluses in the margin are below the target, twice in succession: a node where the solution is
        large does not show relative errors elsewhere."""
        own, accurate = self.interpolant, 0
        while True:
            for index in list(own.missing()):
                if len(self.solved) >= MIN_MEMBERS and (reason := self.exhausted()):
                    return reason
                member = self.solve(own.node(index))
                own.add(index, member.values.reshape(-1))
                self.solved.append(member)
            accurate = accurate + 1 if own.largest_surplus() <= target else 0
            if accurate == ACCURATE_ROUNDS:
                return ""
            own.activate()

    def predict(self, y: Tensor) -> Tensor:
        return self.interpolant(y[None])[0].reshape(self.solved[0].values.shape)

    def approximation(self) -> FamilyApproximation:
        return InterpolatedMembers(self.interpolant, member_modules([m.module for m in self.solved]))

    def description(self) -> dict[str, Any]:
        return {"indices": self.interpolant.indices}

    def restore(
        self, description: Mapping[str, Any], load: Callable[[tuple[float, ...]], SolverResult]
    ) -> FamilyApproximation:
        own = self.interpolant
        own.indices.extend(tuple(map(int, index)) for index in description["indices"])
        return InterpolatedMembers(own, member_modules([load(own.node(index)).module for index in own.indices]))


# ---- Files


def member_folder(folder: Path, variables: tuple[float, ...]) -> Path:
    """The folder of the member at reference variables."""
    return folder / MEMBERS / sha256(repr(variables).encode()).hexdigest()[:16]


def family_solver(compilation: Compilation, options: SolveOptions, folder: Path | None) -> FamilySolver:
    from pdedsl.solvers.family.reduced_basis import ReducedBasisSolver

    assert isinstance(compilation.plan, SolvePlan)
    assert compilation.plan.family is not None
    has_basis = compilation.plan.family.reduction is not None
    return (ReducedBasisSolver if has_basis else SparseInterpolationSolver)(compilation, options, folder)


def solve_family(compilation: Compilation, options: SolveOptions, folder: Path | None) -> FamilySolution:
    """The solution of a family; members are stored in the folder."""
    with torch.random.fork_rng(devices=[]):
        solver = family_solver(compilation, options, folder)
        solution = solver.run()
    if folder is not None:
        description = {**solver.description(), "max_errors": solution.max_errors}
        write_text_atomically(folder / FAMILY, as_json(description) + "\n")
    return solution


def open_family(
    compilation: Compilation, options: SolveOptions, folder: Path, estimate: ErrorEstimate, report: Mapping[str, Any]
) -> FamilySolution:
    """The solution of a family in a folder, with the error estimate and the content of its report."""
    solver = family_solver(compilation, options, folder)

    def load(variables: tuple[float, ...]) -> SolverResult:
        loaded = load_result(member_folder(folder, variables), compilation.plan_member(variables), options)
        if loaded is None:
            raise RunError(f"{member_folder(folder, variables)} is missing; solve the family again with --resume")
        return loaded[0].result

    center = (0.0,) * len(solver.family.parameters)
    with malformed_as_run_error(f"{folder / FAMILY} cannot be read"):
        description = json.loads((folder / FAMILY).read_text("utf-8"))
        max_errors = tuple(map(float, description["max_errors"]))
        approximation = solver.restore(description, load)
    module = approximation.member(torch.tensor(center, dtype=torch.float64))
    result = replace(load(center), module=module, metrics=read_metrics(report["metrics"]))
    attempts = tuple(map(read_attempt, report["attempts"]))
    seconds = float(report["seconds"])
    return FamilySolution(compilation, result, estimate, seconds, folder, attempts, approximation, max_errors)
