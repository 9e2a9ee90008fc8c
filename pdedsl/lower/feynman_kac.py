"""The Feynman-Kac formula: u_t = b·∇u + A:∇∇u + c u + f is solved by a mean over random paths.

Øksendal, Stochastic Differential Equations, section 8.2: u(x, T) = E[e^{∫c} g(X_T) + ∫ e^{∫₀ˢc} f(X_s, T - s) ds] with
dX = b dt + Σ dB, X₀ = x, ΣΣᵀ = 2A; b, Σ, c and f at time T - s for initial data, at time s for terminal data. An
Euler-Maruyama step is a residual map followed by noise of covariance 2AΔt (Wang, Yuan, Shi, Osher, eq. 2.8).
"""

from __future__ import annotations

from pdedsl.ir.analysis import Analysis
from pdedsl.ir.representation import Paths
from pdedsl.ir.theorem import Theorem
from pdedsl.lower.stretches import generators, paths_of

NAME = "the Feynman-Kac formula"
ALONG = Theorem(
    NAME,
    "Øksendal, section 8.2; Wang, Yuan, Shi, Osher, eq. 2.8",
    "u is the mean of the data over a random path; a step of Euler-Maruyama is a residual map and then noise",
)
STILL = Theorem(
    NAME,
    "Øksendal, section 8.2; Campbell, Finlay, Oberman, eq. 7; Cohen et al.",
    "u is the Gaussian average of the data",
)
WEIGHTED = Theorem(
    NAME,
    "Øksendal, section 8.2",
    "u is the mean over a random path of the data with the weight e^{∫c}, and of the sources that it gathers",
)


def accepts(analysis: Analysis) -> bool:
    """Whether the equation is linear; those without diffusion are taken by characteristics before."""
    return generators(analysis) is not None


def lower(analysis: Analysis) -> Paths:
    paths = paths_of(analysis, ALONG)
    if any(s.weighs for s in paths.stretches):
        return paths_of(analysis, WEIGHTED)
    return paths if any(s.moves for s in paths.stretches) else paths_of(analysis, STILL)
