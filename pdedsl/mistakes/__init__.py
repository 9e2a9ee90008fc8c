"""Every mistake that a user can make: one constructor each, with its code, its wording and a way out.

Families follow the codes. Nothing outside this package writes a code or the message of a diagnostic.
"""

from __future__ import annotations

from pdedsl.mistakes import characters as characters
from pdedsl.mistakes import data as data
from pdedsl.mistakes import equations as equations
from pdedsl.mistakes import evaluations as evaluations
from pdedsl.mistakes import geometry as geometry
from pdedsl.mistakes import known as known
from pdedsl.mistakes import names as names
from pdedsl.mistakes import networks as networks
from pdedsl.mistakes import notation as notation
from pdedsl.mistakes import own_networks as own_networks
from pdedsl.mistakes import paths as paths
from pdedsl.mistakes import pixels as pixels
from pdedsl.mistakes import proofs as proofs
from pdedsl.mistakes import reading as reading
from pdedsl.mistakes import realizations as realizations
from pdedsl.mistakes import runs as runs
from pdedsl.mistakes import settings as settings
from pdedsl.mistakes import shapes as shapes
from pdedsl.mistakes import sizes as sizes
from pdedsl.mistakes import syntax as syntax
from pdedsl.mistakes import types as types
from pdedsl.mistakes import words as words
from pdedsl.mistakes.code import Code

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
