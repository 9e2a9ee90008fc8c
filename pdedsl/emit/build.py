"""A program → modules of torch."""

from __future__ import annotations

from typing import cast

from torch import nn

from pdedsl.emit.names import maker_of, name_of
from pdedsl.emit.program import Program, run
from pdedsl.ir.spec import Spec
from pdedsl.runtime.marching import Composed, March


def build_model(program: Program, seed: int) -> nn.Module:
    return cast(nn.Module, run(program, "model", seed=seed))


def build_operator(program: Program, spec: Spec, module: nn.Module | None, samples: int | None, seed: int) -> nn.Module:
    """The evolution operator, with the learned fields of a module, or newly initialised ones."""
    names = [name for name, default in program.function("operator").params if default is None]
    fields = {name: _field(name, program, spec, module) for name in names}
    chosen = {} if samples is None else {"samples": samples}
    return cast(nn.Module, run(program, "operator", **fields, **chosen, seed=seed))


def _field(name: str, program: Program, spec: Spec, module: nn.Module | None) -> nn.Module:
    if module is None:
        maker = next(maker_of(w) for w in spec.learned if name_of(w) == name)
        return cast(nn.Module, run(program, maker))
    for part in module.modules():
        if isinstance(part, Composed) and name in part.fields:
            return part.fields[name]
    found = [m.field for m in module.modules() if isinstance(m, March) and not isinstance(m.field, Composed)]
    if not found:
        raise ValueError("this module has no field on R^d")
    return cast(nn.Module, found[0])
