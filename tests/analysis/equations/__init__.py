"""Equations with their class and verdicts, derived by hand.

Capital letters are demands. Small letters say what is true, and where the program may answer that it does not know.

Reasons that recur:
- A velocity or a matrix that grows has no temporal regularity: sin(eᵗx) - sin(x) reaches 2 for every t > 0.
- ∂u/∂t = F(…, u, ∇u, ∇∇u) has comparison where ∂F/∂(∇∇u) is positive semidefinite, whatever F does with u.
- A solution of second order in time that starts at rest is an average of its data on the line (d'Alembert), not in the
  plane; its value alone is no state.
- Mass is kept by a divergence whose flux has the same value at both ends.
- Y - δt Kᵀσ(KY) moves no two maps apart if σ is monotone with slope at most L and δt L‖K‖² ≤ 2; its norm does not grow
  if, besides, σ(0) = 0.
"""

from __future__ import annotations

from analysis.equations.diffusion import DIFFUSION
from analysis.equations.features import GRADIENT_FLOW, HAMILTONIAN
from analysis.equations.linear import CONVECTION_DIFFUSION, TRANSPORT
from analysis.equations.nonlinear import HAMILTON_JACOBI, NONLINEAR_DIFFUSION, REACTION_DIFFUSION
from analysis.equations.orders import AT_REST, CONSTRAINED, ELLIPTIC, HIGHER_ORDER, ODE, WAVE
from analysis.equations.physical import NONLOCAL, PHYSICAL
from analysis.spec_templates import Row

TABLE: tuple[Row, ...] = (
    *TRANSPORT,
    *CONVECTION_DIFFUSION,
    *DIFFUSION,
    *REACTION_DIFFUSION,
    *NONLINEAR_DIFFUSION,
    *HAMILTON_JACOBI,
    *WAVE,
    *CONSTRAINED,
    *HIGHER_ORDER,
    *ELLIPTIC,
    *AT_REST,
    *ODE,
    *HAMILTONIAN,
    *GRADIENT_FLOW,
    *PHYSICAL,
    *NONLOCAL,
)
