"""Python names and source references in the emitted module."""

from __future__ import annotations

import re
from keyword import iskeyword

from sympy import Expr

from pdedsl.diagnostics import Span
from pdedsl.ir.spec import Learned, Spec

RUNTIME = "pdedsl.runtime"
# Names that learned fields cannot have in the emitted module. A field gets an underscore instead, and its name is a key
# of the state_dict: removing a name here would change the keys of saved runs.
RESERVED_NAMES = frozenset(
    "x t seed samples member model operator readout layer range torch nn stack stack_rows number cholesky "
    "constant moment vector flat total fixed unit column coordinate times partial shaken instant along gradient "
    "instants diagonal heaviside largest smallest "
    "vector_field mlp resnet resnet18 preact_resnet18 wide_resnet convnet dropped torchvision_model "
    "stack_components stack_matrix broadcast_scalar broadcast_vector squeeze_scalar as_tensor as_column time_column "
    "take_component sum_components constant_vector unit_vector matvec partial_derivative jacobian_diagonal maximum "
    "minimum uniform_times add_dropout shake_shake user_backbone cnn".split()
)


def python_name(learned: Learned) -> str:
    """The name of a learned field in the emitted module."""
    name = learned.id
    taken = (
        iskeyword(name)
        or name in RESERVED_NAMES
        or name[:1].isupper()
        or re.fullmatch(r"(part|member|block_|member_)\d+|make_.*|my_.*", name)
    )
    return f"{name}_" if taken else name


def user_code_name(name: str) -> str:
    """The name of user code in the emitted module, different from all names of pdedsl."""
    return f"My{name}" if name[0].isupper() else f"my_{name}"


def factory_name(learned: Learned) -> str:
    return f"make_{learned.id}"


def source_reference(span: Span, spec: Spec) -> str:
    """The text of a term and its line in the spec, for a comment."""
    line, _ = spec.source.position(span.start)
    return f"{spec.source.quote(span)} (spec.pde:{line})"


def to_float(value: Expr) -> float:
    return float(value)
