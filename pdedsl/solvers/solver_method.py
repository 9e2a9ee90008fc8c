"""A solver of boundary value problems: one level, levels of refinement, and the formats of its stored solutions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

from pdedsl.ir.solver_plans import SolverPlan
from pdedsl.solvers.budget import CpuBudget
from pdedsl.solvers.method_result import Levels, SolverResult
from pdedsl.solvers.pinn.residuals import Measurement
from pdedsl.solvers.progress import Watch


@dataclass(frozen=True)
class SolveOptions:
    """Options of a solver besides the plan: seed, device, progress, measurements, tolerance and CPU time."""

    seed: int = 0
    device: torch.device = torch.device("cpu")  # noqa: RUF009  # a constant
    watch: Watch = field(default_factory=Watch)
    measurements: tuple[Measurement, ...] = ()
    tolerance: float = 1e-4  # requested relative L2 error
    budget: CpuBudget = field(default_factory=CpuBudget)


# ---- Stored modules


P = TypeVar("P", bound=SolverPlan)
Form = dict[str, Any]
"""Plain data from which a module is rebuilt, besides its tensors."""


@dataclass(frozen=True)
class StoredModule(Generic[P]):
    """A module in a file, with the plan and the options of its solution."""

    form: Form
    tensors: Mapping[str, Tensor]
    plan: P
    options: SolveOptions


@dataclass(frozen=True)
class ModuleFormat(Generic[P]):
    """A module as tensors and plain data; `kind` is its name in files."""

    kind: str
    module: type[nn.Module]
    rebuild: Callable[[StoredModule[P]], nn.Module]
    describe: Callable[[Any], Form] = lambda _: {}


# ---- Solvers


@dataclass(frozen=True)
class SolverMethod(Generic[P]):
    """A solver; `formats` are those of the modules of its solutions."""

    solve: Callable[[P, SolveOptions], SolverResult]
    levels: Callable[[P, SolveOptions], Levels]
    formats: tuple[ModuleFormat[P], ...]
