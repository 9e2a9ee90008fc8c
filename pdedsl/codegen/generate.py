"""Code generation: plan → program."""

from __future__ import annotations

from pdedsl.codegen.data_space import member_functions, model_function, operator_function, solution_function
from pdedsl.codegen.image_plane import image_functions
from pdedsl.codegen.learned_fields import (
    data_expressions,
    field_function,
    fields_in,
    has_per_sample_time,
    model_expressions,
    operator_expressions,
)
from pdedsl.codegen.program import Program
from pdedsl.codegen.strong_form import solve_functions
from pdedsl.ir.plan import ImagePlan, Model, OperatorPlan, SolvePlan
from pdedsl.ir.spec import Spec


def generate_program(model: Model, spec: Spec) -> Program:
    """The whole model as functions that build it."""
    title = f" {spec.title}." if spec.title else ""
    doc = f"{spec.name}.{title}\n\nCompiled by pdedsl from spec.pde."
    if isinstance(model, ImagePlan):
        return Program(doc, image_functions(model, spec))
    if isinstance(model, SolvePlan):
        return Program(doc, solve_functions(model, spec))
    operator = model.operator if isinstance(model.operator, OperatorPlan) else None
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
