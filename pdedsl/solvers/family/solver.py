"""Families of problems: the solution as a function of parameters, by adaptive sparse interpolation of members.

Members at Leja points are solved by the strategy of a single problem, and interpolated in the reference variables of
the parameters. The error is the largest relative L2 error over unseen members, which are solved but not interpolated;
if it exceeds the tolerance, the interpolant is refined further.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
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
from pdedsl.solvers.family.member_modules import member_modules
from pdedsl.solvers.family.solution import FamilySolution, sample_members
from pdedsl.solvers.family.sparse_interpolation import SparseInterpolant
from pdedsl.solvers.method_result import SolverResult
from pdedsl.solvers.progress import Watch
from pdedsl.solvers.serialize import load_result, read_attempt, read_metrics, save
from pdedsl.solvers.solver_method import SolveOptions
from pdedsl.solvers.strategy import Attempt, Outcome, Strategy

MEMBERS, FAMILY = "members", "family.json"  # the folder with their solutions, and the indices of the interpolant
UNSEEN_MEMBERS = 12  # members by which the error is measured
MEMBER_FACTOR, MARGIN_FACTOR = 0.1, 0.2  # errors of members, and surpluses of the margin, relative to the tolerance
TIMED_MEMBERS = 5  # members for the median CPU time of one solution to the tolerance
TIGHTENING_FACTOR = 0.25  # of the surpluses, if unseen members are not accurate
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
class FamilySolver:
    """State of the solution of a family: the members so far, and the interpolant of their values at test points."""

    compilation: Compilation
    options: SolveOptions
    folder: Path | None = None
    interpolant: SparseInterpolant = field(init=False)
    solved: list[Member] = field(default_factory=list)  # in the order of the interpolant
    unseen: list[tuple[Tensor, Member]] = field(default_factory=list)  # with their interpolation variables
    points: Tensor | None = None
    count: int = 0

    def __post_init__(self) -> None:
        self.interpolant = SparseInterpolant(tuple(is_normal(p.distribution) for p in self.family.parameters))

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
            unmet = self._interpolate(target)
            error = self._check()
            if error <= self.options.tolerance or unmet:
                break
            target *= TIGHTENING_FACTOR
        if error <= self.options.tolerance:
            unmet = ""
        return self._solution(error, unmet, time.perf_counter() - start)

    def _interpolate(self, target: float) -> str:
        """Adds members until the surpluses in the margin are below the target; otherwise the reason why it ended."""
        own = self.interpolant
        while True:
            for index in list(own.missing()):
                if len(self.solved) >= MIN_MEMBERS and (reason := self._exhausted()):
                    return reason
                member = self._solve(own.node(index))
                own.add(index, member.values.reshape(-1))
                self.solved.append(member)
            if own.largest_surplus() <= target:
                return ""
            own.activate()

    def _exhausted(self) -> str:
        """Why no further member is solved: those of the check must still fit into the CPU time."""
        if len(self.solved) >= MAX_MEMBERS:
            return f"{MAX_MEMBERS} members"
        remaining = (1 + UNSEEN_MEMBERS - len(self.unseen)) * COST_FACTOR * median(m.seconds for m in self.solved)
        return "the next member exceeds the CPU time" if remaining > self.options.budget.remaining else ""

    def _check(self) -> float:
        """The largest relative error over unseen members, with that of their own solution."""
        samples = sample_members(self.family, UNSEEN_MEMBERS, self.options.seed + TEST_SEED)
        for y in samples[len(self.unseen) :]:
            self.unseen.append((y, self._solve(tuple(y.tolist()))))
        return max(
            relative_error(self.interpolant(y[None])[0].reshape(member.values.shape), member.values) + member.error
            for y, member in self.unseen
        )

    # ---- Members

    def _solve(self, variables: tuple[float, ...]) -> Member:
        """The member at interpolation variables, from the folder if it was solved before."""
        if self.options.watch.interrupted():
            raise RunInterrupted
        self.count += 1
        for listener in self.options.watch.listeners:
            listener(Finishing(f"member {self.count}"))
        plan = self.compilation.plan_member(variables)
        budget = CpuBudget(max(self.options.budget.remaining, 1.0))
        options = replace(self.options, tolerance=MEMBER_FACTOR * self.options.tolerance, budget=budget, watch=Watch())
        folder = None if self.folder is None else member_folder(self.folder, variables)
        loaded = load_result(folder, plan, options) if folder is not None else None
        if loaded is not None:
            outcome, seconds = loaded
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
        first, members = self.solved[0].outcome, member_modules([m.module for m in self.solved])
        weights = self.interpolant.weights(torch.zeros(1, len(self.family.parameters), dtype=torch.float64))[0]
        center = members.combine(weights)
        error += self._resampling_error(center)
        costs = sum(m.seconds for m in (*self.solved, *(m for _, m in self.unseen)))
        metrics = {SOLVED: float(len(self.solved)), **self._break_even(center, costs)}
        result = SolverResult(center, first.result.method, metrics, first.result.notes)
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
            self.compilation, result, estimate, seconds, self.folder, attempts, self.interpolant, members
        )

    def _resampling_error(self, center: nn.Module) -> float:
        """The relative error of the first member by the interpolation of expansions at common times."""
        assert self.points is not None
        first = self.solved[0]
        with torch.no_grad():
            return relative_error(fix_gauge(center, self.plan.problem, self.points), first.values)

    def _break_even(self, center: nn.Module, costs: float) -> dict[str, float]:
        """The number of members after which the family costs less than their solution, if it ever does: the CPU time of
        all solutions, divided by that which is saved by evaluating the interpolant at the test points. A member alone
        is solved to the tolerance of the family."""
        assert self.points is not None
        start = time.process_time()
        with torch.no_grad():
            center(self.points)
        evaluation = time.process_time() - start
        alone = median(self._seconds_alone(tuple(y.tolist())) for y, _ in self.unseen[:TIMED_MEMBERS])
        return {BREAK_EVEN: float(ceil(costs / (alone - evaluation)))} if alone > evaluation else {}

    def _seconds_alone(self, variables: tuple[float, ...]) -> float:
        budget = CpuBudget(self.plan.budget)
        options = replace(self.options, budget=budget, watch=Watch())
        Strategy(self.compilation.plan_member(variables), self.compilation.spec.source, options).run()
        return budget.spent


# ---- Files


def member_folder(folder: Path, variables: tuple[float, ...]) -> Path:
    """The folder of the member at reference variables."""
    return folder / MEMBERS / sha256(repr(variables).encode()).hexdigest()[:16]


def solve_family(compilation: Compilation, options: SolveOptions, folder: Path | None) -> FamilySolution:
    """The solution of a family; members are stored in the folder."""
    with torch.random.fork_rng(devices=[]):
        solver = FamilySolver(compilation, options, folder)
        solution = solver.run()
    if folder is not None:
        write_text_atomically(folder / FAMILY, as_json({"indices": solver.interpolant.indices}) + "\n")
    return solution


def open_family(
    compilation: Compilation, options: SolveOptions, folder: Path, estimate: ErrorEstimate, report: Mapping[str, Any]
) -> FamilySolution:
    """The solution of a family in a folder, with the error estimate and the content of its report."""
    solver = FamilySolver(compilation, options, folder)
    interpolant, modules = solver.interpolant, []
    with malformed_as_run_error(f"{folder / FAMILY} cannot be read"):
        indices = json.loads((folder / FAMILY).read_text("utf-8"))["indices"]
        interpolant.indices.extend(tuple(map(int, index)) for index in indices)
    for index in interpolant.indices:
        variables = interpolant.node(index)
        loaded = load_result(member_folder(folder, variables), compilation.plan_member(variables), options)
        if loaded is None:
            raise RunError(f"{member_folder(folder, variables)} is missing; solve the family again with --resume")
        modules.append(loaded[0].result)
    members = member_modules([m.module for m in modules])
    center = members.combine(interpolant.weights(torch.zeros(1, interpolant.dimension, dtype=torch.float64))[0])
    result = replace(modules[0], module=center, metrics=read_metrics(report["metrics"]))
    attempts = tuple(map(read_attempt, report["attempts"]))
    seconds = float(report["seconds"])
    return FamilySolution(compilation, result, estimate, seconds, folder, attempts, interpolant, members)
