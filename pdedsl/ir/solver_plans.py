"""Data of the solvers for boundary value problems: axes, splittings and coefficients of the schemes on grids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Symbol

from pdedsl.ir.boundary import Place
from pdedsl.ir.first_order_system import FaceCondition


@dataclass(frozen=True)
class PeriodicAxis:
    """A periodic axis; `reflected` if by even/odd extension."""

    start: Expr
    period: Expr
    reflected: bool = False


@dataclass(frozen=True)
class LinearSplitting:
    """∂w/∂t = Σ coefficient · jet + remainder, with constant or learned scalar coefficients."""

    parts: tuple[tuple[int, Symbol, Expr], ...]  # the row, the jet, its coefficient
    remainders: tuple[Expr, ...]


@dataclass(frozen=True)
class ConservationForm:
    """For each axis the fluxes F of the variables and the flux Jacobian ∂Fₖ/∂wⱼ; and the sources S."""

    fluxes: tuple[tuple[Expr, ...], ...]
    jacobians: tuple[tuple[tuple[Expr, ...], ...], ...]
    sources: tuple[Expr, ...]


@dataclass(frozen=True)
class RobinFace:
    """Robin condition alpha · u + beta · ∂u/∂xᵢ + gamma = 0 on a face normal to axis i."""

    condition: FaceCondition
    alpha: Expr
    beta: Expr
    gamma: Expr


@dataclass(frozen=True)
class InterfaceProblem:
    """Conductivities a and drifts b, one for each axis, the source s, and the boundary conditions."""

    conductivities: tuple[Expr, ...]
    drifts: tuple[Expr, ...]
    source: Expr
    faces: tuple[RobinFace, ...]


@dataclass(frozen=True)
class IrregularDirichletProblem:
    """Σ second·∂ᵢ²u + Σ first·∂ᵢu + zeroth·u + source = 0, with Dirichlet values on each face and each curve g = 0."""

    second: tuple[Expr, ...]
    first: tuple[Expr, ...]
    zeroth: Expr
    source: Expr
    dirichlet: Mapping[Place, Expr]
