"""Supported conditions: method × condition × region → supported, or the reason why not.

Methods take their refusals from this table, and the reference prints it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import assert_never

from pdedsl.ir.boundary import BoundaryCondition, Dirichlet, Face, General, LevelSet, Periodic, Place, Robin


class MethodFamily(StrEnum):
    """A solver, or a family of grid schemes."""

    RANDOM_FEATURES = "random_features"
    PINN = "pinn"
    MONTE_CARLO = "monte_carlo"
    ELEMENTS = "elements"
    SPECTRAL = "grid: Fourier, Chebyshev"
    CONSERVATION_LAW = "grid: conservation laws"
    INTERFACE = "grid: discontinuous coefficients"
    IRREGULAR_DOMAIN = "grid: curved domains"
    OBSTACLE = "grid: inequalities"


class ConditionType(StrEnum):
    """A type of `ir.boundary`, with Neumann, antiperiodic and jump conditions apart; two-point conditions have none."""

    DIRICHLET = "u = g"
    NEUMANN = "∂u/∂n = g"
    ROBIN = "α u + β ∂u/∂n = g"
    GENERAL = "other"
    PERIODIC = "periodic"
    ANTIPERIODIC = "antiperiodic"
    JUMP = "u(b) = u(a) + c"
    TWO_POINT = "other two-point"  # refused by lowering


class BoundaryRegion(StrEnum):
    """Where a condition holds."""

    FACE = "faces"
    PART = "parts of faces"
    LEVEL_SET = "curves"


LOCAL = (ConditionType.DIRICHLET, ConditionType.NEUMANN, ConditionType.ROBIN, ConditionType.GENERAL)
SEVERAL_ANTIPERIODIC_AXES = "a network is antiperiodic along one axis at most"
TWO_POINT = "a condition that couples two boundaries is not supported"
_DIRICHLET_OR_ROBIN = "the boundary needs Dirichlet conditions, or Neumann and Robin conditions n·∇u + κu = g"
_CROSSINGS = "paths do not count how often they cross a periodic boundary"
_PERIODIC_ELEMENTS = "periodic faces are not supported"
_NO_NORMAL_FLUX = "elements need Dirichlet, Neumann or Robin conditions, which determine the normal flux"
CONSERVATION_LAW = "a conservation law needs Dirichlet or homogeneous Neumann conditions"
_INTERFACE = "with discontinuous coefficients only Dirichlet, Neumann and Robin conditions are supported"
_OBSTACLE = "inequalities need Dirichlet, Neumann or Robin conditions on entire faces"
_CURVED = "on a curved domain Dirichlet conditions on entire faces and curves are required"
POINT_SOURCE_IN_PLANE = "point sources in several dimensions need Poisson's equation with constant coefficients"
CURVES_ON_GRID = "conditions on curves are not supported"
JUMP_INVARIANCE = "with a jump c between periodic faces, equation and data must be invariant under u + c"
JUMP_GRID = "a jump between periodic faces is supported by Fourier series and collocation only"
ANTIPERIODIC_GRID = "antiperiodic axes need Fourier series: equation and data that are invariant under u(x) → -u(x + L)"


def unsupported_reason(method: MethodFamily, condition: ConditionType, region: BoundaryRegion) -> str:
    """Why a method does not support a condition on a region; empty if it does."""
    if condition is ConditionType.TWO_POINT:
        return TWO_POINT
    match method:
        case MethodFamily.RANDOM_FEATURES | MethodFamily.PINN:
            return ""
        case MethodFamily.MONTE_CARLO:
            if condition in (ConditionType.ANTIPERIODIC, ConditionType.JUMP):
                return _CROSSINGS
            return _DIRICHLET_OR_ROBIN if condition is ConditionType.GENERAL else ""
        case MethodFamily.ELEMENTS:
            if condition not in LOCAL:
                return _PERIODIC_ELEMENTS
            return _NO_NORMAL_FLUX if condition is ConditionType.GENERAL else ""
        case MethodFamily.SPECTRAL:
            return CURVES_ON_GRID if region is BoundaryRegion.LEVEL_SET else ""
        case MethodFamily.CONSERVATION_LAW:
            if condition is ConditionType.JUMP:
                return JUMP_INVARIANCE
            allowed = (ConditionType.DIRICHLET, ConditionType.NEUMANN)
            return _periodic_reason(condition) or _on_faces(condition, region, allowed, CONSERVATION_LAW)
        case MethodFamily.INTERFACE:
            return _periodic_reason(condition) or _on_faces(condition, region, LOCAL[:3], _INTERFACE)
        case MethodFamily.IRREGULAR_DOMAIN:
            if condition not in LOCAL:
                return "curved domains with periodic axes are not supported"
            return "" if condition is ConditionType.DIRICHLET and region is not BoundaryRegion.PART else _CURVED
        case MethodFamily.OBSTACLE:
            if condition not in LOCAL:
                return _OBSTACLE
            return _on_faces(condition, region, LOCAL[:3], _OBSTACLE)
        case _:
            assert_never(method)


def _periodic_reason(condition: ConditionType) -> str:
    reasons = {ConditionType.ANTIPERIODIC: ANTIPERIODIC_GRID, ConditionType.JUMP: JUMP_GRID}
    return reasons.get(condition, "")


def _on_faces(condition: ConditionType, region: BoundaryRegion, allowed: tuple[ConditionType, ...], reason: str) -> str:
    """The reason, unless the condition is periodic, or one of those allowed on entire faces."""
    if region is BoundaryRegion.LEVEL_SET:
        return CURVES_ON_GRID
    return "" if condition not in LOCAL or (condition in allowed and region is BoundaryRegion.FACE) else reason


def type_of(condition: BoundaryCondition | Periodic) -> ConditionType:
    match condition:
        case Dirichlet():
            return ConditionType.DIRICHLET
        case Robin(is_neumann=neumann):
            return ConditionType.NEUMANN if neumann else ConditionType.ROBIN
        case Periodic(sign=sign, jump=jump):
            return (
                ConditionType.ANTIPERIODIC if sign < 0 else ConditionType.JUMP if jump != 0 else ConditionType.PERIODIC
            )
        case General():
            return ConditionType.GENERAL
        case _:
            assert_never(condition)


def region_of_condition(place: Place, part: tuple[object, ...]) -> BoundaryRegion:
    match place:
        case Face():
            return BoundaryRegion.PART if part else BoundaryRegion.FACE
        case LevelSet():
            return BoundaryRegion.LEVEL_SET
        case _:
            assert_never(place)


def cells() -> Iterator[tuple[MethodFamily, ConditionType, BoundaryRegion]]:
    """The cells of the table: periodic conditions join entire faces."""
    for method in MethodFamily:
        for condition in ConditionType:
            for region in BoundaryRegion if condition in LOCAL else (BoundaryRegion.FACE,):
                yield method, condition, region


def markdown_table() -> str:
    """The table with a row for each condition and region, and the reasons as footnotes."""
    reasons = list(dict.fromkeys(unsupported_reason(*cell) for cell in cells() if unsupported_reason(*cell)))
    lines = [f"| condition | on | {' | '.join(MethodFamily)} |", f"|---|---|{'---|' * len(MethodFamily)}"]
    for condition in ConditionType:
        for region in BoundaryRegion if condition in LOCAL else (BoundaryRegion.FACE,):
            marks = (unsupported_reason(m, condition, region) for m in MethodFamily)
            row = " | ".join(f"no ({reasons.index(r) + 1})" if r else "yes" for r in marks)
            lines.append(f"| {condition} | {region} | {row} |")
    notes = [f"{k}. {reason}" for k, reason in enumerate(reasons, 1)]
    return "\n".join([*lines, "", *notes])
