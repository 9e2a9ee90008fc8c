"""The method of characteristics: u_t = b·∇u + c u + f is an ordinary differential equation along X' = b.

Evans, Partial Differential Equations, section 3.2: along X' = b(X, t) the solution of the equation without c and f is
constant; with them u(x, T) = e^{∫c} g(X_T) + ∫ e^{∫₀ˢc} f(X_s, T - s) ds. An Euler step along X is the residual map
x + Δt·b(x) (Wang, Tao, Bao, Shi, eq. 1.3).
"""

from __future__ import annotations

from pdedsl.ir.analysis import Analysis
from pdedsl.ir.representation import Paths
from pdedsl.ir.terms import Shape
from pdedsl.ir.theorem import Theorem
from pdedsl.lower.stretches import generators, paths_of

CONSTANT = Theorem(
    "the method of characteristics",
    "Evans, section 3.2; Wang et al., eq. 1.3",
    "u is constant along X' = v; a step of Euler is a residual map x + δt v(x)",
)
GROWING = Theorem(
    "the method of characteristics",
    "Evans, section 3.2",
    "along X' = v the value u grows at the rate c and by the source f, as in u' = c u + f",
)


def accepts(analysis: Analysis) -> bool:
    """Whether the equation is linear, without diffusion in any piece of time."""
    found = generators(analysis)
    return found is not None and all(g.shape is Shape.NONE for g in found)


def lower(analysis: Analysis) -> Paths:
    found = generators(analysis)
    assert found is not None
    return paths_of(analysis, CONSTANT if all(g.rate == 0 and g.source == 0 for g in found) else GROWING)
