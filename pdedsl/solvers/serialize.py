"""The modules of solutions by kind: a module as plain data, and the module again from these."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import Enum
from math import inf, nan
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pdedsl.compiler import to_compilation
from pdedsl.config.methods import Grid, MonteCarlo, Pinn, RandomFeatures
from pdedsl.diagnostics.escaping import command
from pdedsl.io import RunError, well_formed
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.spec import Spec
from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.basis.interpolation import Axis, CellAxis, ChebyshevAxis, MovingLeastSquares, TensorProductExpansion
from pdedsl.runtime.basis.random_features import FourierFeatureModel, FourierFeatures
from pdedsl.solvers.ansatz import AnsatzModule
from pdedsl.solvers.collocation_points import Points
from pdedsl.solvers.error_estimate import Comparison, ErrorBar, ErrorEstimate, ResidualNorm
from pdedsl.solvers.method_result import Estimate, Solved
from pdedsl.solvers.methods import SolveOptions
from pdedsl.solvers.monte_carlo import PathMean, solve_by_paths
from pdedsl.solvers.pinn.task import PinnTask
from pdedsl.solvers.plots import bounds
from pdedsl.solvers.report import FIGURES
from pdedsl.solvers.solution import Solution
from pdedsl.sources import source_of
from pdedsl.training.checkpoint import Damaged, Tensors, load_tensors, save_tensors
from pdedsl.training.run_folder import refuse_other
from pdedsl.training.run_loader import SPEC, WEIGHTS

# ---- forms


Form = dict[str, Any]


class Kind(Enum):
    """What kind of module the saved weights belong to."""

    SINES = "sines"
    EXPANSION = "expansion"
    SCATTERED = "scattered"
    NETWORK = "network"
    PATHS = "paths"


def form_of(module: nn.Module) -> Form:
    match module:
        case FourierFeatureModel():
            return {"kind": Kind.SINES.value}
        case TensorProductExpansion(axes=axes, timed=timed, stencil=stencil):
            held = {"axes": [_axis_form(a) for a in axes], "timed": timed, "stencil": stencil}
            return {"kind": Kind.EXPANSION.value, **held}
        case MovingLeastSquares(h=h):
            return {"kind": Kind.SCATTERED.value, "h": h}
        case AnsatzModule():
            return {"kind": Kind.NETWORK.value}
        case PathMean():
            return {"kind": Kind.PATHS.value}
        case _:
            raise TypeError(f"{type(module).__name__} is no module of a solution")


def module_of(form: Form, tensors: dict[str, Tensor], plan: SolvePlan, how: SolveOptions) -> nn.Module:
    match _kind(form), plan.method:
        case Kind.SINES, RandomFeatures():
            return _sines(tensors["frequencies"], tensors["phases"], tensors["weights"])
        case Kind.EXPANSION, Grid():
            return _expansion(form, tensors)
        case Kind.SCATTERED, Grid() if isinstance(h := form.get("h"), float):
            return MovingLeastSquares(tensors["places"], tensors["values"], h)
        case Kind.NETWORK, Pinn() as method:
            task = PinnTask(plan.statement, method, plan.network, Points(plan.statement.domain), how.seed)
            module = AnsatzModule(task.ansatz, plan.statement.domain.coordinates, task.network(), task.functions())
            module.load_state_dict(tensors)
            return module
        case Kind.PATHS, MonteCarlo() as method:
            return solve_by_paths(plan.statement, method, seed=how.seed).module
        case _:
            raise RunError(f"the weights are of another kind than the spec: {form.get('kind')}")


def _kind(form: Form) -> Kind | None:
    return next((kind for kind in Kind if kind.value == form.get("kind")), None)


def _sines(frequencies: Tensor, phases: Tensor, weights: Tensor) -> FourierFeatureModel:
    (n, _), (_, m) = frequencies.shape, weights.shape
    if n != m or phases.shape != (n,):
        raise ValueError(f"{n} frequencies, {m} weights and phases of the shape {tuple(phases.shape)}")
    return FourierFeatureModel(FourierFeatures(frequencies, phases), weights)


AXES: dict[str, type[Axis]] = {"ring": FourierAxis, "segment": ChebyshevAxis, "cells": CellAxis}


def _axis_form(axis: Axis) -> Form:
    return {"kind": next(kind for kind, of in AXES.items() if isinstance(axis, of)), **asdict(axis)}


def _axis(form: Form) -> Axis:
    given = dict(form)
    return AXES[given.pop("kind")](**given)


def _expansion(form: Form, tensors: dict[str, Tensor]) -> TensorProductExpansion:
    """First with zeros, then with the saved numbers: coefficients have the shape of values."""
    axes = tuple(map(_axis, form["axes"]))
    zeros, times = torch.zeros_like(tensors["coefficients"]), tensors["times"] if form["timed"] else None
    module = TensorProductExpansion(axes, zeros, times, form["stencil"])
    module.load_state_dict(tensors)
    return module


# ---- saved
# A solution on disk: its numbers as safetensors, and what is needed to rebuild its module. Nothing is unpickled.


def save(folder: Path, solved: Solved, spec: Spec, seconds: float) -> None:
    plain = {
        "hash": spec.hash,
        "seconds": seconds,
        "form": form_of(solved.module),
        "figures": solved.figures,
        "notes": list(solved.notes),
        "parameters": {name: [e.value, e.deviation] for name, e in solved.parameters.items()},
    }
    save_tensors(folder / WEIGHTS, solved.module.state_dict(), plain)


def kept(folder: Path, plan: SolvePlan, how: SolveOptions) -> tuple[Solved, float] | None:
    """The solution in this folder, and how long it took; None if it was not solved to the end."""
    if not (folder / WEIGHTS).exists():
        return None
    try:
        tensors, plain = load_tensors(folder / WEIGHTS)
    except Damaged as damage:
        raise RunError(f"{damage}; take it away to solve anew") from None
    with well_formed(f"{folder / WEIGHTS} holds no solution of this spec"):
        return _solved(tensors, plain, plan, how), float(plain["seconds"])


def _solved(tensors: Tensors, plain: dict[str, Any], plan: SolvePlan, how: SolveOptions) -> Solved:
    module = module_of(plain["form"], tensors, plan, how).to(how.device)
    module(torch.stack(bounds(plan.statement.domain)).mean(0, keepdim=True).to(how.device))  # fails unless valid
    parameters = {name: Estimate(*pair) for name, pair in plain["parameters"].items()}
    if not all(isinstance(value, int | float) for value in plain["figures"].values()):
        raise TypeError("figures that are no numbers")
    return Solved(module, plan.method, plain["figures"], tuple(map(str, plain["notes"])), parameters)


def begun(folder: Path, spec: Spec) -> None:
    """A run can only be continued with the spec that it began with."""
    if (folder / SPEC).exists():
        refuse_other((folder / SPEC).read_text("utf-8"), spec, folder)


def opened(folder: Path) -> Solution:
    if not (folder / SPEC).is_file():
        raise RunError(f"{folder} holds no solution: no {SPEC}")
    compilation = to_compilation(source_of(folder / SPEC))
    plan = compilation.plan
    if not isinstance(plan, SolvePlan):
        raise RunError(f"{folder} holds a run of training: open it with pdedsl.Run.open")
    how = SolveOptions(compilation.spec.train.seed if compilation.spec.train else 0)
    found = kept(folder, plan, how)
    if found is None or not (folder / FIGURES).exists():
        again = command("pdedsl", "solve", folder / SPEC, "-o", folder, "--resume")
        raise RunError(f"the solution in {folder} is not finished. To go on: {again}")
    return Solution(compilation, found[0], _trust(folder / FIGURES), found[1], folder)


def _trust(path: Path) -> ErrorEstimate:
    with well_formed(f"{path} cannot be read"):
        read: dict[str, Any] = json.loads(path.read_text("utf-8"))
        gaps = tuple(ResidualNorm(**row) for row in _rows(read["residuals"]))
        comparisons = tuple(Comparison(**{**row, "components": _pairs(row)}) for row in _rows(read["comparisons"]))
        value = read["error"]["value"]
        own = None if gaps else ErrorBar(inf if value is None else value, read["error"]["against"])
        return ErrorEstimate(gaps, comparisons, tuple(read["notes"]), own)


def _rows(read: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: nan if v is None else v for k, v in row.items()} for row in read]


def _pairs(row: dict[str, Any]) -> tuple[tuple[str, float], ...]:
    return tuple((name, distance) for name, distance in row["components"])
