"""A solution on disk: its numbers as safetensors, and what is needed to rebuild its module. Nothing is unpickled."""

from __future__ import annotations

import json
from math import inf, nan
from pathlib import Path
from typing import Any

import torch

from pdedsl.compiler import to_compilation
from pdedsl.files import RunError, well_formed
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.spec import Spec
from pdedsl.quoting import command
from pdedsl.solving.forms import form_of, module_of
from pdedsl.solving.fresh import Gap
from pdedsl.solving.methods import How
from pdedsl.solving.report import FIGURES
from pdedsl.solving.solution import Solution
from pdedsl.solving.solved import Estimate, Solved
from pdedsl.solving.trust import Comparison, ErrorBar, Trust
from pdedsl.solving.views import bounds
from pdedsl.sources import source_of
from pdedsl.training.checkpoint import Damaged, Tensors, load_tensors, save_tensors
from pdedsl.training.folder import refuse_other
from pdedsl.training.saved import SPEC, WEIGHTS


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


def kept(folder: Path, plan: SolvePlan, how: How) -> tuple[Solved, float] | None:
    """The solution in this folder, and how long it took; None if it was not solved to the end."""
    if not (folder / WEIGHTS).exists():
        return None
    try:
        tensors, plain = load_tensors(folder / WEIGHTS)
    except Damaged as damage:
        raise RunError(f"{damage}; take it away to solve anew") from None
    with well_formed(f"{folder / WEIGHTS} holds no solution of this spec"):
        return _solved(tensors, plain, plan, how), float(plain["seconds"])


def _solved(tensors: Tensors, plain: dict[str, Any], plan: SolvePlan, how: How) -> Solved:
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
    how = How(compilation.spec.train.seed if compilation.spec.train else 0)
    found = kept(folder, plan, how)
    if found is None or not (folder / FIGURES).exists():
        again = command("pdedsl", "solve", folder / SPEC, "-o", folder, "--resume")
        raise RunError(f"the solution in {folder} is not finished. To go on: {again}")
    return Solution(compilation, found[0], _trust(folder / FIGURES), found[1], folder)


def _trust(path: Path) -> Trust:
    with well_formed(f"{path} cannot be read"):
        read: dict[str, Any] = json.loads(path.read_text("utf-8"))
        gaps = tuple(Gap(**row) for row in _rows(read["residuals"]))
        comparisons = tuple(Comparison(**{**row, "components": _pairs(row)}) for row in _rows(read["comparisons"]))
        value = read["error"]["value"]
        own = None if gaps else ErrorBar(inf if value is None else value, read["error"]["against"])
        return Trust(gaps, comparisons, tuple(read["notes"]), own)


def _rows(read: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: nan if v is None else v for k, v in row.items()} for row in read]


def _pairs(row: dict[str, Any]) -> tuple[tuple[str, float], ...]:
    return tuple((name, distance) for name, distance in row["components"])
