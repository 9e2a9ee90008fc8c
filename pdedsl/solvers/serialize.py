"""Serialization of solutions: tensors as safetensors, and the data from which the module is rebuilt. No pickle."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

import torch

from pdedsl.compiler import Compilation, to_compilation
from pdedsl.diagnostics.escaping import command
from pdedsl.io import RunError, malformed_as_run_error
from pdedsl.ir.plan import Candidate, SolvePlan
from pdedsl.ir.solver_plans import SolverPlan
from pdedsl.ir.spec import Spec
from pdedsl.runs.checkpoint import CorruptCheckpoint, Tensors, load_tensors, save_tensors
from pdedsl.runs.folder import SPEC, WEIGHTS
from pdedsl.solvers.dispatch import describe_module, is_module_of, rebuild_module
from pdedsl.solvers.eigen_solution import EigenSolution
from pdedsl.solvers.error_estimate import (
    ERROR_RTOL,
    ONE_DIGIT_RTOL,
    SELF_CONVERGENCE,
    Comparison,
    ErrorBar,
    ErrorEstimate,
    ResidualNorm,
)
from pdedsl.solvers.grid.grid_result import DISCRETE_RESIDUAL, L1_ERROR, NET_FLUX, TIME_ERROR
from pdedsl.solvers.method_result import EigenvalueEstimate, EstimateKind, ParameterEstimate, SolverResult
from pdedsl.solvers.plots import bounds
from pdedsl.solvers.report import REPORT_JSON
from pdedsl.solvers.solution import Solution
from pdedsl.solvers.solver_method import Form, SolveOptions
from pdedsl.solvers.strategy import Attempt, Estimates, Outcome, attempt_row, plain_estimates
from pdedsl.solvers.whole_space import BASIS, PATHS, PATHS_ERROR, evolution_result, is_solvable_on_space
from pdedsl.sources import source_of

HALVED = "itself on half as many points a side"  # self-convergence, in reports of earlier versions
METRIC_RENAMES = {  # names of metrics in solutions of earlier versions
    "what flows in more than out": NET_FLUX,
    "error of the steps": TIME_ERROR,
    "error in the mean": L1_ERROR,
    "left over": DISCRETE_RESIDUAL,
    "rounds": "iterations",
    "shortest step": "smallest step",
    "longest step": "largest step",
    "fresh_residual": "test residual",
    "residual": "training residual",
    "weights": "network parameters",
    "solves to break even": "members to break even",
}


# ---- Folder of a solution


def save(folder: Path, outcome: Outcome, spec: Spec, seconds: float) -> None:
    result = outcome.result
    plain = {
        "hash": spec.hash,
        "seconds": seconds,
        "form": describe_module(result.module, outcome.candidate.solver),
        "metrics": result.metrics,
        "notes": list(result.notes),
        "parameters": {name: [e.value, e.deviation] for name, e in result.parameters.items()},
        "eigenvalues": [[e.value.real, e.value.imag, e.error, e.bound] for e in result.eigenvalues],
        "sizes": _sizes(result, outcome.candidate.solver),
        "estimates": plain_estimates(outcome.estimates),
        "attempts": list(map(attempt_row, outcome.attempts)),
        "unmet": outcome.unmet,
    }
    save_tensors(folder / WEIGHTS, result.module.state_dict(), plain)


def _read_estimates(row: dict[str, float | None]) -> Estimates:
    return {EstimateKind[name.upper()]: inf if value is None else float(value) for name, value in row.items()}


def read_attempt(row: dict[str, Any]) -> Attempt:
    error = inf if row["error"] is None else float(row["error"])
    return Attempt(row["method"], _read_estimates(row["estimates"]), float(row["cpu_seconds"]), row["outcome"], error)


def load_result(folder: Path, plan: SolvePlan, options: SolveOptions) -> tuple[Outcome, float] | None:
    """The solution in this folder, and how long it took; None if it was not solved to the end."""
    if not (folder / WEIGHTS).exists():
        return None
    try:
        tensors, plain = load_tensors(folder / WEIGHTS)
    except CorruptCheckpoint as damage:
        raise RunError(f"{damage}; delete it and run again") from None
    with malformed_as_run_error(f"{folder / WEIGHTS} does not contain a solution of this spec"):
        return _rebuild_outcome(tensors, plain, plan, options), float(plain["seconds"])


def _rebuild_outcome(tensors: Tensors, plain: dict[str, Any], plan: SolvePlan, options: SolveOptions) -> Outcome:
    candidate = _candidate_of(plain["form"], plan)
    solver = _with_sizes(candidate.solver, plain)
    module = rebuild_module(plain["form"], tensors, solver, options).to(options.device)
    module(torch.stack(bounds(plan.problem.domain)).mean(0, keepdim=True).to(options.device))  # fails unless valid
    parameters = {name: ParameterEstimate(*pair) for name, pair in plain["parameters"].items()}
    metrics = read_metrics(plain["metrics"])
    rows = plain.get("eigenvalues", ())  # none in solutions of earlier versions
    eigenvalues = tuple(EigenvalueEstimate(complex(a, b), error, bound) for a, b, error, bound in rows)
    notes = tuple(map(str, plain["notes"]))
    result = SolverResult(module, solver.method, metrics, notes, parameters, eigenvalues=eigenvalues)
    estimates = _read_estimates(plain.get("estimates", {}))  # none in solutions of earlier versions
    attempts = tuple(map(read_attempt, plain.get("attempts", ())))
    return Outcome(result, candidate, estimates, attempts, str(plain.get("unmet", "")))


def read_metrics(metrics: dict[str, float]) -> dict[str, float]:
    """The stored metrics by their names of today."""
    if not all(isinstance(value, int | float) for value in metrics.values()):
        raise TypeError("metrics must be numbers")
    return {METRIC_RENAMES.get(name, name): value for name, value in metrics.items()}


def _candidate_of(form: Form, plan: SolvePlan) -> Candidate:
    """The candidate whose solutions have this kind of module."""
    for candidate in plan.candidates:
        if is_module_of(form, candidate.solver):
            return candidate
    raise RunError(f"the weights are of kind {form.get('kind')!r}, which does not match the method of the spec")


def _with_sizes(solver: SolverPlan, plain: dict[str, Any]) -> SolverPlan:
    """The plan with the size of the stored level; solutions of earlier versions have that of the spec."""
    sizes = {name: int(value) for name, value in plain.get("sizes", {}).items()}
    return solver.resize(sizes[solver.size_argument]) if sizes else solver


def _sizes(result: SolverResult, solver: SolverPlan) -> dict[str, int]:
    """The size of the level: points per axis, features, samples, or the width of a network."""
    name = solver.size_argument
    size = getattr(result.method, name, result.metrics.get(name)) if name else None
    return {} if size is None else {name: round(size)}


def open_solution(folder: Path) -> Solution:
    if not (folder / SPEC).is_file():
        raise RunError(f"{folder} contains no solution: {SPEC} is missing")
    compilation = to_compilation(source_of(folder / SPEC))
    plan = compilation.plan
    if is_solvable_on_space(compilation):
        return _open_on_space(folder, compilation)
    if not isinstance(plan, SolvePlan):
        raise RunError(f"{folder} contains a training run: open it with pdedsl.Run.open")
    options = SolveOptions(_seed(compilation.spec))
    if plan.family is not None:
        return _open_family(folder, compilation, options)
    loaded = load_result(folder, plan, options)
    if loaded is None or not (folder / REPORT_JSON).exists():
        again = command("pdedsl", "solve", folder / SPEC, "-o", folder, "--resume")
        raise RunError(f"the solution in {folder} is incomplete. To continue: {again}")
    outcome, seconds = loaded
    estimate = _read_estimate(folder / REPORT_JSON, outcome)
    kind = Solution if plan.problem.eigenvalue is None else EigenSolution
    return kind(compilation, outcome.result, estimate, seconds, folder, outcome.attempts)


def _open_family(folder: Path, compilation: Compilation, options: SolveOptions) -> Solution:
    from pdedsl.solvers.family.solver import open_family

    path = folder / REPORT_JSON
    if not path.exists():
        again = command("pdedsl", "solve", folder / SPEC, "-o", folder, "--resume")
        raise RunError(f"the solution in {folder} is incomplete. To continue: {again}")
    with malformed_as_run_error(f"{path} cannot be read"):
        read: dict[str, Any] = json.loads(path.read_text("utf-8"))
        own = ErrorBar(inf if read["error"]["value"] is None else read["error"]["value"], read["error"]["against"])
        unmet = "; ".join(read["failures"]) if own.value > float(read["tolerance"]) else ""
        estimate = ErrorEstimate((), (), tuple(read["notes"]), own, float(read["tolerance"]), unmet)
    return open_family(compilation, options, folder, estimate, read)


def _open_on_space(folder: Path, compilation: Compilation) -> Solution:
    """A solution on R^d: the report has the number of paths, which are simulated again."""
    path = folder / REPORT_JSON
    if not path.exists():
        again = command("pdedsl", "solve", folder / SPEC, "-o", folder, "--resume")
        raise RunError(f"the solution in {folder} is incomplete. To continue: {again}")
    with malformed_as_run_error(f"{path} cannot be read"):
        read: dict[str, Any] = json.loads(path.read_text("utf-8"))
        own = ErrorBar(float(read["metrics"][PATHS_ERROR]), BASIS)
        unmet = "; ".join(read["failures"]) if own.value > float(read["tolerance"]) else ""
        estimate = ErrorEstimate((), (), tuple(read["notes"]), own, float(read["tolerance"]), unmet)
        result = evolution_result(compilation, round(read["metrics"][PATHS]), _seed(compilation.spec))
        result = replace(result, metrics=read_metrics(read["metrics"]))
        attempts = tuple(map(read_attempt, read["attempts"]))
        return Solution(compilation, result, estimate, float(read["seconds"]), folder, attempts)


def _seed(spec: Spec) -> int:
    return spec.train.seed if spec.train else 0


def _read_estimate(path: Path, outcome: Outcome) -> ErrorEstimate:
    with malformed_as_run_error(f"{path} cannot be read"):
        read: dict[str, Any] = json.loads(path.read_text("utf-8"))
        residual_norms = tuple(ResidualNorm(**row) for row in _with_nan(read["residuals"]))
        comparisons = tuple(map(_comparison, _with_nan(read["comparisons"])))
        value, own = read["error"]["value"], outcome.error_bar
        if own is None and not residual_norms:  # Monte Carlo in earlier versions
            own = ErrorBar(inf if value is None else value, read["error"]["against"])
        unstated = ERROR_RTOL if residual_norms else ONE_DIGIT_RTOL  # in earlier versions
        requested = float(read.get("tolerance", unstated))
        return ErrorEstimate(residual_norms, comparisons, tuple(read["notes"]), own, requested, outcome.unmet)


def _with_nan(read: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: nan if v is None else v for k, v in row.items()} for row in read]


def _comparison(row: dict[str, Any]) -> Comparison:
    components = tuple((name, distance) for name, distance in row["components"])
    if row["reference"] == HALVED:
        row = {**row, "reference": SELF_CONVERGENCE, "error": nan}
    return Comparison(**{**row, "components": components})
