"""Every mistake that a user can make: one constructor each, with its code, its wording and a way out.

Families follow the codes. Nothing outside this package writes a code or the message of a diagnostic.
"""

from __future__ import annotations

from pdedsl.errors import equations, names, networks, runs, settings, syntax, types
from pdedsl.errors import equations as geometry
from pdedsl.errors import equations as known
from pdedsl.errors import equations as proofs
from pdedsl.errors import evaluation as evaluations
from pdedsl.errors import feature_maps as pixels
from pdedsl.errors import methods as paths
from pdedsl.errors import methods as realizations
from pdedsl.errors import networks as own_networks
from pdedsl.errors import networks as sizes
from pdedsl.errors import options as words
from pdedsl.errors import runs as data
from pdedsl.errors import source as reading
from pdedsl.errors import syntax as characters
from pdedsl.errors import syntax as notation
from pdedsl.errors import types as shapes
from pdedsl.errors.base import Code

FAMILIES = (
    reading,
    syntax,
    characters,
    notation,
    names,
    shapes,
    types,
    equations,
    geometry,
    known,
    proofs,
    words,
    networks,
    own_networks,
    realizations,
    sizes,
    paths,
    pixels,
    evaluations,
    runs,
    data,
    settings,
)


def codes() -> tuple[Code, ...]:
    """The catalogue, in the order of the codes; warnings last."""
    found = {value for family in FAMILIES for value in vars(family).values() if isinstance(value, Code)}
    return tuple(sorted(found, key=lambda code: code.name))
