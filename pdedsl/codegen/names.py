"""Names and places of a spec in the written module."""

from __future__ import annotations

import re
from keyword import iskeyword

from sympy import Expr

from pdedsl.diagnostics import Span
from pdedsl.ir.spec import Learned, Spec

RUNTIME = "pdedsl.runtime"
RESERVED_NAMES = frozenset(  # names of the written module itself
    "x t seed samples member model operator readout layer range torch nn stack stack_rows number cholesky "
    "constant moment vector flat total fixed unit column coordinate times partial shaken instant along gradient "
    "instants diagonal heaviside largest smallest "
    "vector_field mlp resnet resnet18 preact_resnet18 wide_resnet convnet dropped torchvision_model".split()
)


def python_name(learned: Learned) -> str:
    """A Python name for a field of the spec."""
    name = learned.id
    taken = (
        iskeyword(name)
        or name in RESERVED_NAMES
        or name[:1].isupper()
        or re.fullmatch(r"part\d+|member\d+|make_.*|my_.*", name)
    )
    return f"{name}_" if taken else name


def user_code_name(name: str) -> str:
    """The name of the user's own code in the written module, different from all names of pdedsl."""
    return f"My{name}" if name[0].isupper() else f"my_{name}"


def factory_name(learned: Learned) -> str:
    return f"make_{learned.id}"


def source_reference(span: Span, spec: Spec) -> str:
    """A term with its place, for a comment."""
    line, _ = spec.source.position(span.start)
    return f"{spec.source.quote(span)} (spec.pde:{line})"


def to_float(value: Expr) -> float:
    return float(value)
