"""∂u/∂t = M(∂)u with constant coefficients: waves e^{iξx + λt}, λ an eigenvalue of M(iξ)."""

from __future__ import annotations

from mpmath import eig
from mpmath import matrix as mp_matrix
from sympy import Symbol

from pdedsl.analyse.coefficients import NotLinear, parts_of
from pdedsl.analyse.problem import Problem
from pdedsl.ir.spec import Spec
from pdedsl.symbolic.symbols import Field, Partial


def rates_of(problems: tuple[Problem, ...], spec: Spec, xi: list[int]) -> list[complex] | None:
    """All λ of a wave vector; None where the coefficients are no numbers."""
    heads = [p.unknown.head for p in problems]
    rows = [_row(p, heads, xi, spec) for p in problems]
    if any(row is None for row in rows) or len(set(heads)) < len(heads):
        return None
    return [complex(v) for v in eig(mp_matrix(rows), left=False, right=False)]


def _row(problem: Problem, heads: list[Symbol], xi: list[int], spec: Spec) -> list[complex] | None:
    row = [0j] * len(heads)
    try:
        parts = list(parts_of(problem.right, frozenset(heads)))
    except NotLinear:
        return None
    for coefficient, letter in parts:
        field, slots = (letter.body, letter.slots) if isinstance(letter, Partial) else (letter, ())
        if not isinstance(field, Field):
            continue
        places = [spec.space.coordinates.index(s) for s in slots if s in spec.space.coordinates]
        if not coefficient.is_number or field.head not in heads or len(places) != len(slots):
            return None
        factor = complex(coefficient)
        for k in places:
            factor *= 1j * xi[k]
        row[heads.index(field.head)] += factor
    return row
