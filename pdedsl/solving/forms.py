"""The modules of solutions by kind: a module as plain data, and the module again from these."""

from __future__ import annotations

from dataclasses import asdict
from enum import Enum
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
from pdedsl.solving.residual import Task
from pdedsl.words.solvers import Collocation, Features, Grid, Paths

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
        case SineNetwork():
            return {"kind": Kind.SINES.value}
        case Expansion(axes=axes, timed=timed, stencil=stencil):
            held = {"axes": [_axis_form(a) for a in axes], "timed": timed, "stencil": stencil}
            return {"kind": Kind.EXPANSION.value, **held}
        case Scattered(h=h):
            return {"kind": Kind.SCATTERED.value, "h": h}
        case AnsatzModule():
            return {"kind": Kind.NETWORK.value}
        case PathMean():
            return {"kind": Kind.PATHS.value}
        case _:
            raise TypeError(f"{type(module).__name__} is no module of a solution")


def module_of(form: Form, tensors: dict[str, Tensor], plan: SolvePlan, how: How) -> nn.Module:
    match _kind(form), plan.method:
        case Kind.SINES, Features():
            return _sines(tensors["frequencies"], tensors["phases"], tensors["weights"])
        case Kind.EXPANSION, Grid():
            return _expansion(form, tensors)
        case Kind.SCATTERED, Grid() if isinstance(h := form.get("h"), float):
            return Scattered(tensors["places"], tensors["values"], h)
        case Kind.NETWORK, Collocation() as method:
            task = Task(plan.statement, method, plan.network, Points(plan.statement.domain), how.seed)
            module = AnsatzModule(task.ansatz, plan.statement.domain.coordinates, task.network(), task.functions())
            module.load_state_dict(tensors)
            return module
        case Kind.PATHS, Paths() as method:
            return solve_by_paths(plan.statement, method, seed=how.seed).module
        case _:
            raise RunError(f"the weights are of another kind than the spec: {form.get('kind')}")


def _kind(form: Form) -> Kind | None:
    return next((kind for kind in Kind if kind.value == form.get("kind")), None)


def _sines(frequencies: Tensor, phases: Tensor, weights: Tensor) -> SineNetwork:
    (n, _), (_, m) = frequencies.shape, weights.shape
    if n != m or phases.shape != (n,):
        raise ValueError(f"{n} frequencies, {m} weights and phases of the shape {tuple(phases.shape)}")
    return SineNetwork(Waves(frequencies, phases), weights)


AXES: dict[str, type[Axis]] = {"ring": Ring, "segment": Segment, "cells": Cells}


def _axis_form(axis: Axis) -> Form:
    return {"kind": next(kind for kind, of in AXES.items() if isinstance(axis, of)), **asdict(axis)}


def _axis(form: Form) -> Axis:
    given = dict(form)
    return AXES[given.pop("kind")](**given)


def _expansion(form: Form, tensors: dict[str, Tensor]) -> Expansion:
    """First with zeros, then with the saved numbers: coefficients have the shape of values."""
    axes = tuple(map(_axis, form["axes"]))
    zeros, times = torch.zeros_like(tensors["coefficients"]), tensors["times"] if form["timed"] else None
    module = Expansion(axes, zeros, times, form["stencil"])
    module.load_state_dict(tensors)
    return module
