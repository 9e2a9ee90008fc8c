"""Execution of a program: program → torch modules."""

from __future__ import annotations

from typing import cast

from torch import nn

from pdedsl.codegen.names import factory_name, python_name
from pdedsl.codegen.program import Program, run_function
from pdedsl.ir.spec import Spec
from pdedsl.runtime.learned_fields import CompositeField
from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps


def build_model(program: Program, seed: int) -> nn.Module:
    return cast(nn.Module, run_function(program, "model", seed=seed))


def build_operator(program: Program, spec: Spec, module: nn.Module | None, samples: int | None, seed: int) -> nn.Module:
    """The evolution operator, with the learned fields of a module, or newly initialised ones."""
    names = [name for name, default in program.function("operator").params if default is None]
    fields = {name: _field_module(name, program, spec, module) for name in names}
    chosen = {} if samples is None else {"samples": samples}
    return cast(nn.Module, run_function(program, "operator", **fields, **chosen, seed=seed))


def _field_module(name: str, program: Program, spec: Spec, module: nn.Module | None) -> nn.Module:
    if module is None:
        factory = next(factory_name(w) for w in spec.learned if python_name(w) == name)
        return cast(nn.Module, run_function(program, factory))
    for part in module.modules():
        if isinstance(part, CompositeField) and name in part.fields:
            return part.fields[name]
    modules = [
        m.field
        for m in module.modules()
        if isinstance(m, CharacteristicSteps) and not isinstance(m.field, CompositeField)
    ]
    if not modules:
        raise ValueError("this module has no learned field on R^d")
    return cast(nn.Module, modules[0])
