"""Serialization of solutions: tensors as safetensors, and the data from which the module is rebuilt. No pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from math import inf, nan
from pathlib import Path
from typing import Any, assert_never

import torch
from torch import Tensor, nn

from pdedsl.compiler import Compilation, to_compilation
from pdedsl.config.methods import Grid, MonteCarlo, Pinn, RandomFeatures
from pdedsl.diagnostics.escaping import command
from pdedsl.io import RunError, malformed_as_run_error
from pdedsl.ir.plan import Candidate, SolvePlan
from pdedsl.ir.solver_plans import ElementsPlan, GridPlan, MonteCarloPlan, PinnPlan, RandomFeaturesPlan, SolverPlan
from pdedsl.ir.spec import Spec
from pdedsl.runs.checkpoint import CorruptCheckpoint, Tensors, load_tensors, save_tensors
from pdedsl.runs.folder import SPEC, WEIGHTS
from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.basis.interpolation import (
    Axis,
    CellAxis,
    ChebyshevAxis,
    MovingLeastSquares,
    PiecewiseChebyshev,
    PiecewiseChebyshevAxis,
    TensorProductExpansion,
)
from pdedsl.runtime.basis.piecewise_polynomials import PiecewisePolynomials
from pdedsl.runtime.basis.random_features import FourierFeatureModel, FourierFeatures
from pdedsl.runtime.diff.mlp_jets import JetNetwork
from pdedsl.solvers.ansatz import AnsatzModule, add_lifts
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.error_estimate import (
    ERROR_RTOL,
    ONE_DIGIT_RTOL,
    SELF_CONVERGENCE,
    Comparison,
    ErrorBar,
    ErrorEstimate,
    ResidualNorm,
)
from pdedsl.solvers.method_result import Estimate, EstimateKind, SolverResult
from pdedsl.solvers.methods import NETWORK_WIDTH, SolveOptions
from pdedsl.solvers.monte_carlo import MonteCarloSolution, solve_by_monte_carlo
from pdedsl.solvers.pinn.task import PinnTask
from pdedsl.solvers.plots import bounds
from pdedsl.solvers.report import REPORT_JSON
from pdedsl.solvers.solution import Solution
from pdedsl.solvers.strategy import Attempt, Estimates, Outcome, attempt_row, plain_estimates
from pdedsl.solvers.whole_space import BASIS, PATHS, PATHS_ERROR, evolution_result, is_solvable_on_space
from pdedsl.sources import source_of

# ---- Modules as plain data


Form = dict[str, Any]
HALVED = "itself on half as many points a side"  # self-convergence, in reports of version 0.2 and earlier


class Kind(Enum):
    """Kinds of modules, as stored with the weights."""

    SINES = "sines"
    EXPANSION = "expansion"
    PIECEWISE = "piecewise polynomial"
    SCATTERED = "scattered"
    ELEMENTS = "elements"
    NETWORK = "network"
    PATHS = "paths"
    LIFTED = "lifted"  # plus the lifts of periodic conditions with jumps


def describe_module(module: nn.Module) -> Form:
    match module:
        case FourierFeatureModel():
            return {"kind": Kind.SINES.value}
        case TensorProductExpansion(axes=axes, timed=timed, stencil=stencil):
            fields = {"axes": [_describe_axis(a) for a in axes], "timed": timed, "stencil": stencil}
            return {"kind": Kind.EXPANSION.value, **fields}
        case PiecewiseChebyshev():
            return {"kind": Kind.PIECEWISE.value}
        case MovingLeastSquares(h=h):
            return {"kind": Kind.SCATTERED.value, "h": h}
        case PiecewisePolynomials(degrees=degrees):
            return {"kind": Kind.ELEMENTS.value, "degrees": list(degrees)}
        case AnsatzModule(network=JetNetwork()):
            return {"kind": Kind.NETWORK.value}
        case AnsatzModule(network=inner):
            return {"kind": Kind.LIFTED.value, "inner": describe_module(inner)}
        case MonteCarloSolution():
            return {"kind": Kind.PATHS.value}
        case _:
            raise TypeError(f"{type(module).__name__} cannot be serialized")


def rebuild_module(form: Form, tensors: dict[str, Tensor], solver: SolverPlan, options: SolveOptions) -> nn.Module:
    problem = solver.problem
    match _kind(form), solver:
        case Kind.LIFTED, (GridPlan(lifts=lifts) | RandomFeaturesPlan(lifts=lifts)):
            inner = {name.removeprefix("network."): value for name, value in tensors.items()}
            module = rebuild_module(form["inner"], inner, solver, options)
            return add_lifts(module, lifts, problem.domain.coordinates)
        case Kind.SINES, RandomFeaturesPlan():
            return _random_features(tensors["frequencies"], tensors["phases"], tensors["weights"])
        case Kind.EXPANSION, GridPlan():
            return _rebuild_expansion(form, tensors)
        case Kind.PIECEWISE, GridPlan():
            return _rebuild_piecewise(tensors)
        case Kind.SCATTERED, GridPlan() if isinstance(h := form.get("h"), float):
            return MovingLeastSquares(tensors["places"], tensors["values"], h)
        case Kind.ELEMENTS, ElementsPlan():
            return _rebuild_elements(form["degrees"], tensors)
        case Kind.NETWORK, PinnPlan():
            task = PinnTask(solver, PointSampler(problem.domain), options.seed)
            module = task.module(task.network(), task.functions())
            module.load_state_dict(tensors)
            return module
        case Kind.PATHS, MonteCarloPlan():
            return solve_by_monte_carlo(solver, seed=options.seed).module
        case _:
            raise RunError(f"the weights are of kind {form.get('kind')!r}, which does not match the method of the spec")


def _kind(form: Form) -> Kind | None:
    return next((kind for kind in Kind if kind.value == form.get("kind")), None)


def _random_features(frequencies: Tensor, phases: Tensor, weights: Tensor) -> FourierFeatureModel:
    (n, _), (_, m) = frequencies.shape, weights.shape
    if n != m or phases.shape != (n,):
        raise ValueError(f"{n} frequencies, {m} weights and phases of the shape {tuple(phases.shape)}")
    return FourierFeatureModel(FourierFeatures(frequencies, phases), weights)


def _rebuild_elements(degrees: list[int], tensors: dict[str, Tensor]) -> PiecewisePolynomials:
    shapes, dofs = ({p: tensors[f"{name}_{p}"] for p in set(degrees)} for name in ("shapes", "dofs"))
    coefficients = [tensors[f"coefficients_{c}"] for c in range(len(degrees))]
    return PiecewisePolynomials(tensors["geometry"], degrees, shapes, dofs, coefficients, tensors.get("times"))


def _describe_axis(axis: Axis) -> Form:
    match axis:
        case FourierAxis():
            return {"kind": "ring", "start": axis.start, "period": axis.period, "half": axis.half}
        case ChebyshevAxis():
            return {"kind": "segment", "start": axis.start, "end": axis.end, "n": axis.n}
        case PiecewiseChebyshevAxis():
            return {"kind": "pieces", "breaks": list(axis.breaks), "n": axis.n}
        case CellAxis():
            return {"kind": "cells", "start": axis.start, "end": axis.end, "n": axis.n, "periodic": axis.periodic}


def _rebuild_axis(form: Form) -> Axis:
    match form:
        case {"kind": "ring", "start": start, "period": period, "half": half}:
            return FourierAxis(start, period, half)
        case {"kind": "segment", "start": start, "end": end, "n": n}:
            return ChebyshevAxis(start, end, n)
        case {"kind": "pieces", "breaks": breaks, "n": n}:
            return PiecewiseChebyshevAxis(tuple(breaks), n)
        case {"kind": "cells", "start": start, "end": end, "n": n, "periodic": periodic}:
            return CellAxis(start, end, n, periodic)
        case _:
            raise ValueError(f"unknown kind of axis: {form.get('kind')}")


def _rebuild_expansion(form: Form, tensors: dict[str, Tensor]) -> TensorProductExpansion:
    """Created with zeros, then loaded: coefficients have the shape of values."""
    axes = tuple(map(_rebuild_axis, form["axes"]))
    zeros, times = torch.zeros_like(tensors["coefficients"]), tensors["times"] if form["timed"] else None
    module = TensorProductExpansion(axes, zeros, times, form["stencil"])
    module.load_state_dict(tensors)
    return module


def _rebuild_piecewise(tensors: dict[str, Tensor]) -> PiecewiseChebyshev:
    module = PiecewiseChebyshev(tensors["breaks"], torch.zeros_like(tensors["coefficients"]))
    module.load_state_dict(tensors)
    return module


# ---- Folder of a solution


def save(folder: Path, outcome: Outcome, spec: Spec, seconds: float) -> None:
    result = outcome.result
    plain = {
        "hash": spec.hash,
        "seconds": seconds,
        "form": describe_module(result.module),
        "metrics": result.metrics,
        "notes": list(result.notes),
        "parameters": {name: [e.value, e.deviation] for name, e in result.parameters.items()},
        "sizes": _sizes(result),
        "estimates": plain_estimates(outcome.estimates),
        "attempts": list(map(attempt_row, outcome.attempts)),
        "unmet": outcome.unmet,
    }
    save_tensors(folder / WEIGHTS, result.module.state_dict(), plain)


def _read_estimates(row: dict[str, float | None]) -> Estimates:
    return {EstimateKind[name.upper()]: inf if value is None else float(value) for name, value in row.items()}


def _read_attempt(row: dict[str, Any]) -> Attempt:
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
    parameters = {name: Estimate(*pair) for name, pair in plain["parameters"].items()}
    if not all(isinstance(value, int | float) for value in plain["metrics"].values()):
        raise TypeError("metrics must be numbers")
    result = SolverResult(module, solver.method, plain["metrics"], tuple(map(str, plain["notes"])), parameters)
    estimates = _read_estimates(plain.get("estimates", {}))  # none in solutions of version 0.3 and earlier
    attempts = tuple(map(_read_attempt, plain.get("attempts", ())))
    return Outcome(result, candidate, estimates, attempts, str(plain.get("unmet", "")))


def _candidate_of(form: Form, plan: SolvePlan) -> Candidate:
    """The candidate whose solutions have this kind of module."""
    kind = _kind(form["inner"] if _kind(form) is Kind.LIFTED else form)
    for candidate in plan.candidates:
        if kind in KINDS_OF[type(candidate.solver)]:
            return candidate
    raise RunError(f"the weights are of kind {form.get('kind')!r}, which does not match the method of the spec")


KINDS_OF: Mapping[type[SolverPlan], frozenset[Kind]] = {
    RandomFeaturesPlan: frozenset({Kind.SINES}),
    GridPlan: frozenset({Kind.EXPANSION, Kind.PIECEWISE, Kind.SCATTERED}),
    ElementsPlan: frozenset({Kind.ELEMENTS}),
    PinnPlan: frozenset({Kind.NETWORK}),
    MonteCarloPlan: frozenset({Kind.PATHS}),
}
"""Kinds of the modules of each method."""


def _with_sizes(solver: SolverPlan, plain: dict[str, Any]) -> SolverPlan:
    """The plan with the sizes of the stored level; solutions of version 0.3 and earlier have those of the spec."""
    sizes = {name: int(value) for name, value in plain.get("sizes", {}).items()}
    match solver:
        case _ if not sizes:
            return solver
        case ElementsPlan():
            return solver  # the mesh is stored
        case PinnPlan(network=network):
            return replace(solver, network=replace(network, width=sizes["width"]))
        case GridPlan(method=grid):
            return replace(solver, method=replace(grid, n=sizes["n"]))
        case RandomFeaturesPlan(method=features):
            return replace(solver, method=replace(features, n=sizes["n"]))
        case MonteCarloPlan(method=paths):
            return replace(solver, method=replace(paths, samples=sizes["samples"]))
        case _:
            assert_never(solver)


def _sizes(result: SolverResult) -> dict[str, int]:
    """The size of the level: points per axis, features, samples, or the width of a network."""
    match result.method:
        case Grid(n=n):
            return {"n": n}
        case RandomFeatures(n=int(n)):
            return {"n": n}
        case MonteCarlo(samples=samples):
            return {"samples": samples}
        case Pinn() if NETWORK_WIDTH in result.metrics:
            return {"width": round(result.metrics[NETWORK_WIDTH])}
        case _:
            return {}


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
    loaded = load_result(folder, plan, options)
    if loaded is None or not (folder / REPORT_JSON).exists():
        again = command("pdedsl", "solve", folder / SPEC, "-o", folder, "--resume")
        raise RunError(f"the solution in {folder} is incomplete. To continue: {again}")
    outcome, seconds = loaded
    estimate = _read_estimate(folder / REPORT_JSON, outcome)
    return Solution(compilation, outcome.result, estimate, seconds, folder, outcome.attempts)


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
        result = replace(result, metrics=read["metrics"])
        attempts = tuple(map(_read_attempt, read["attempts"]))
        return Solution(compilation, result, estimate, float(read["seconds"]), folder, attempts)


def _seed(spec: Spec) -> int:
    return spec.train.seed if spec.train else 0


def _read_estimate(path: Path, outcome: Outcome) -> ErrorEstimate:
    with malformed_as_run_error(f"{path} cannot be read"):
        read: dict[str, Any] = json.loads(path.read_text("utf-8"))
        residual_norms = tuple(ResidualNorm(**row) for row in _with_nan(read["residuals"]))
        comparisons = tuple(map(_comparison, _with_nan(read["comparisons"])))
        value, own = read["error"]["value"], outcome.error_bar
        if own is None and not residual_norms:  # Monte Carlo in version 0.3 and earlier
            own = ErrorBar(inf if value is None else value, read["error"]["against"])
        unstated = ERROR_RTOL if residual_norms else ONE_DIGIT_RTOL  # in version 0.3 and earlier
        requested = float(read.get("tolerance", unstated))
        return ErrorEstimate(residual_norms, comparisons, tuple(read["notes"]), own, requested, outcome.unmet)


def _with_nan(read: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: nan if v is None else v for k, v in row.items()} for row in read]


def _comparison(row: dict[str, Any]) -> Comparison:
    components = tuple((name, distance) for name, distance in row["components"])
    if row["reference"] == HALVED:
        row = {**row, "reference": SELF_CONVERGENCE, "error": nan}
    return Comparison(**{**row, "components": components})
