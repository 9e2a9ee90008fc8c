"""Plan → program: the constructor and arguments of each block, stated once."""

from __future__ import annotations

from pdedsl.emit.classifier import member_functions, model_function
from pdedsl.emit.fields import data_exprs, field_function, fields_in, model_exprs, operator_exprs, with_clocks
from pdedsl.emit.image import image_functions
from pdedsl.emit.operator import operator_function, solution_function
from pdedsl.emit.program import Program
from pdedsl.emit.solving import solve_functions
from pdedsl.ir.plan import ImagePlan, Model, OperatorPlan, SolvePlan
from pdedsl.ir.spec import Spec


def program_of(model: Model, operator: OperatorPlan | None, spec: Spec) -> Program:
    """The whole model as functions that build it."""
    title = f" {spec.title}." if spec.title else ""
    doc = f"{spec.name}.{title}\n\nCompiled by pdedsl from spec.pde."
    if isinstance(model, ImagePlan):
        return Program(doc, image_functions(model, spec))
    if isinstance(model, SolvePlan):
        return Program(doc, solve_functions(model, spec))
    in_model = fields_in(model_exprs(model), spec)
    in_operator = fields_in(operator_exprs(operator), spec) if operator else ()
    clocks = with_clocks(model)
    in_data = fields_in(data_exprs(model, spec), spec)
    functions = [field_function(w, spec, clocks) for w in spec.learned if w in (*in_model, *in_operator, *in_data)]
    if model.classes is not None:
        functions += [*member_functions(model, in_model, spec), model_function(model)]
    if operator is not None:
        functions.append(operator_function(operator, in_operator, spec))
        if model.classes is None:
            functions.append(solution_function(in_operator, spec))
    return Program(doc, tuple(functions))
