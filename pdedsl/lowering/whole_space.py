"""Nonlinear evolution equations on R^d as boundary value problems without boundary, in strong form.

Linear ones have an evolution operator, by the Feynman-Kac formula. Nonlinear ones are solved if a transform makes them
linear, or if they are semilinear: ∂u/∂t = G u + F(x, t, u) with the generator G of a diffusion process.
"""

from __future__ import annotations

from pdedsl.ir.analysis import Analysis
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.types import Scalar
from pdedsl.lowering.transforms import transforms_of
from pdedsl.lowering.truncated_domain import problem_on_space


def lower(analysis: Analysis) -> StrongForm | None:
    """The problem on R^d; None if it has learned parts, no initial condition, or no method."""
    spec = analysis.spec
    is_known = not spec.learned and spec.time is not None and spec.space.image is None and bool(spec.conditions)
    in_components = spec.space.explicit or all(isinstance(u.type, Scalar) for u in spec.unknowns)
    if not (is_known and in_components) or not isinstance(spec.space.dimension, int) or spec.train is not None:
        return None
    problem = problem_on_space(analysis)
    if any(transforms_of(problem)):
        return problem
    scalar = len(problem.components) == len(problem.equations) == 1
    return problem if scalar and problem.equations[0].semilinear is not None else None
