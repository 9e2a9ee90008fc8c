"""The modules of solutions by their kinds: what is plain data of one, and the module again."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from pdedsl.files import RunError
from pdedsl.ir.plan import SolvePlan
from pdedsl.runtime.sines import SineNetwork, Waves
from pdedsl.solving.methods import How
from pdedsl.solving.paths import PathMean, solve_by_paths
from pdedsl.words.solvers import Features, Paths

Form = dict[str, Any]


def form_of(module: nn.Module) -> Form:
    match module:
        case SineNetwork():
            return {"kind": "sines"}
        case PathMean():
            return {"kind": "paths"}
        case _:
            raise TypeError(f"{type(module).__name__} is no module of a solution")


def module_of(form: Form, tensors: dict[str, Tensor], plan: SolvePlan, how: How) -> nn.Module:
    match form, plan.method:
        case {"kind": "sines"}, Features():
            return SineNetwork(Waves(tensors["frequencies"], tensors["phases"]), tensors["weights"])
        case {"kind": "paths"}, Paths() as method:
            return solve_by_paths(plan.statement, method, seed=how.seed).module
        case _:
            raise RunError(f"the weights are of another kind than the spec: {form.get('kind')}")
