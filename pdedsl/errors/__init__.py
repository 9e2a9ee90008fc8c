"""The catalogue of user errors and warnings: one constructor for each, with its code, message and suggested fix.

The modules follow the codes. No other package defines codes or messages of diagnostics.
"""

from __future__ import annotations

from pdedsl.errors import (
    eigenproblems,
    equations,
    evaluation,
    families,
    feature_maps,
    fractional,
    methods,
    names,
    networks,
    options,
    point_sources,
    runs,
    settings,
    source,
    syntax,
    types,
    unsupported,
)
from pdedsl.errors.base import Code

FAMILIES = (
    source,
    syntax,
    unsupported,
    names,
    types,
    equations,
    eigenproblems,
    point_sources,
    fractional,
    options,
    networks,
    methods,
    feature_maps,
    families,
    evaluation,
    runs,
    settings,
)


def codes() -> tuple[Code, ...]:
    """All codes in order; warnings last."""
    unique = {value for family in FAMILIES for value in vars(family).values() if isinstance(value, Code)}
    return tuple(sorted(unique, key=lambda code: code.name))
