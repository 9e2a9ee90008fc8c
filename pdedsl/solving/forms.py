"""The modules of solutions by their kinds: what is plain data of one, and the module again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor, nn

from pdedsl.files import RunError
from pdedsl.ir.plan import SolvePlan
from pdedsl.runtime.expansions import Axis, Cells, Expansion, Segment
from pdedsl.runtime.fourier import Ring
from pdedsl.runtime.scattered import Scattered
from pdedsl.runtime.sines import SineNetwork, Waves
from pdedsl.solving.ansatz_module import AnsatzModule
from pdedsl.solving.methods import How
from pdedsl.solving.paths import PathMean, solve_by_paths
from pdedsl.solving.points import Points
from pdedsl.solving.residual import DEFAULT, Task
from pdedsl.words.solvers import Collocation, Features, Grid, Paths

Form = dict[str, Any]


def form_of(module: nn.Module) -> Form:
    match module:
        case SineNetwork():
            return {"kind": "sines"}
        case Expansion(axes=axes, timed=timed, stencil=stencil):
            return {"kind": "expansion", "axes": [_axis_form(a) for a in axes], "timed": timed, "stencil": stencil}
        case Scattered(h=h):
            return {"kind": "scattered", "h": h}
        case AnsatzModule():
            return {"kind": "network"}
        case PathMean():
            return {"kind": "paths"}
        case _:
            raise TypeError(f"{type(module).__name__} is no module of a solution")


def module_of(form: Form, tensors: dict[str, Tensor], plan: SolvePlan, how: How) -> nn.Module:
    match form, plan.method:
        case {"kind": "sines"}, Features():
            return _sines(tensors["frequencies"], tensors["phases"], tensors["weights"])
        case {"kind": "expansion"}, Grid():
            return _expansion(form, tensors)
        case {"kind": "scattered", "h": float(h)}, Grid():
            return Scattered(tensors["places"], tensors["values"], h)
        case {"kind": "network"}, Collocation() as method:
            task = Task(plan.statement, method, plan.network or DEFAULT, Points(plan.statement.domain), how.seed)
            module = AnsatzModule(task.ansatz, plan.statement.domain.coordinates, task.network(), task.functions())
            module.load_state_dict(tensors)
            return module
        case {"kind": "paths"}, Paths() as method:
            return solve_by_paths(plan.statement, method, seed=how.seed).module
        case _:
            raise RunError(f"the weights are of another kind than the spec: {form.get('kind')}")


def _sines(frequencies: Tensor, phases: Tensor, weights: Tensor) -> SineNetwork:
    (n, _), (_, m) = frequencies.shape, weights.shape
    if n != m or phases.shape != (n,):
        raise ValueError(f"{n} frequencies, {m} weights and phases of the shape {tuple(phases.shape)}")
    return SineNetwork(Waves(frequencies, phases), weights)


AXES: dict[str, type[Axis]] = {"ring": Ring, "segment": Segment, "cells": Cells}


def _axis_form(axis: Axis) -> Form:
    return {"kind": next(kind for kind, of in AXES.items() if isinstance(axis, of)), **asdict(axis)}


def _expansion(form: Form, tensors: dict[str, Tensor]) -> Expansion:
    """Of zeros first, which then take the numbers: coefficients have the shape of values."""
    axes = tuple(AXES[a["kind"]](**{k: v for k, v in a.items() if k != "kind"}) for a in form["axes"])
    zeros, times = torch.zeros_like(tensors["coefficients"]), tensors["times"] if form["timed"] else None
    module = Expansion(axes, zeros, times, form["stencil"])
    module.load_state_dict(tensors)
    return module
