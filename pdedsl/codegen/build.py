"""Code generation: plan → program, and its execution, program → torch modules."""

from __future__ import annotations

from typing import cast

from torch import nn

from pdedsl.codegen.data_space import member_functions, model_function, operator_function, solution_function
from pdedsl.codegen.fields import (
    data_expressions,
    field_function,
    fields_in,
    has_per_sample_time,
    model_expressions,
    operator_expressions,
)
from pdedsl.codegen.image_plane import image_functions
from pdedsl.codegen.names import factory_name, python_name
from pdedsl.codegen.physics import solve_functions
from pdedsl.codegen.program import Program, run_function
from pdedsl.ir.plan import ImagePlan, Model, OperatorPlan, SolvePlan
from pdedsl.ir.spec import Spec
from pdedsl.runtime.learned_fields import CompositeField
from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps

# ---- Program → modules


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
        maker = next(factory_name(w) for w in spec.learned if python_name(w) == name)
        return cast(nn.Module, run_function(program, maker))
    for part in module.modules():
        if isinstance(part, CompositeField) and name in part.fields:
            return part.fields[name]
    found = [
        m.field
        for m in module.modules()
        if isinstance(m, CharacteristicSteps) and not isinstance(m.field, CompositeField)
    ]
    if not found:
        raise ValueError("this module has no learned field on R^d")
    return cast(nn.Module, found[0])


# ---- Plan → program


def generate_program(model: Model, operator: OperatorPlan | None, spec: Spec) -> Program:
    """The whole model as functions that build it."""
    title = f" {spec.title}." if spec.title else ""
    doc = f"{spec.name}.{title}\n\nCompiled by pdedsl from spec.pde."
    if isinstance(model, ImagePlan):
        return Program(doc, image_functions(model, spec))
    if isinstance(model, SolvePlan):
        return Program(doc, solve_functions(model, spec))
    in_model = fields_in(model_expressions(model), spec)
    in_operator = fields_in(operator_expressions(operator), spec) if operator else ()
    per_sample_time = has_per_sample_time(model)
    in_data = fields_in(data_expressions(model, spec), spec)
    functions = [
        field_function(w, spec, per_sample_time) for w in spec.learned if w in (*in_model, *in_operator, *in_data)
    ]
    if model.classes is not None:
        functions += [*member_functions(model, in_model, spec), model_function(model)]
    if operator is not None:
        functions.append(operator_function(operator, in_operator, spec))
        if model.classes is None:
            functions.append(solution_function(in_operator, spec))
    return Program(doc, tuple(functions))
