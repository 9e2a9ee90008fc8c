"""Several unknowns.

- The order of vectors is that of their components. u' = F(u) + D Δu with D diagonal keeps it exactly if the system is
  cooperative, ∂Fᵢ/∂uⱼ ≥ 0 for i ≠ j (Kamke; Protter and Weinberger, chapter 3, section 8). Derivatives of another
  unknown, or a negative ∂Fᵢ/∂uⱼ, break it. That order is a convention: small letters.
- An unknown that is given by an elliptic equation, Δv = v - u, is a mean of the others over all of space: not local.
- A system is elliptic, hyperbolic or parabolic as a whole. Words for one equation of it, by its own terms, are allowed
  as well; what is not: an ordinary differential equation or a reaction where derivatives of another unknown stand.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear, nonlinear, system
from analysis.spec_templates import Row, pair

ORDER = "an order of pairs is a convention"
RING = "x in [0, 1] periodic"
RD = "reaction-diffusion"
HYP = "transport|hyperbolic|system"
CROSS = "diffusion|convection-diffusion|nonlinear-diffusion|system"

TABLE: tuple[Row, ...] = (
    # ---- an unknown that is given by the others at once
    nonlinear(
        "Keller-Segel",
        system("u v", "∂u/∂t = Δu - ∇·(u ∇v)\nΔv = v - u", stationary="v"),
        f"{CROSS}|reaction-diffusion elliptic|system",
        "Rp..R..",
        ORDER,
        order=(1, 0),
    ),
    nonlinear(
        "Keller-Segel, plane",
        system("u v", "∂u/∂t = Δu - ∇·(u ∇v)\nΔv = v - u", "(x, y) in R^2", stationary="v"),
        f"{CROSS}|reaction-diffusion elliptic|system",
        "Rp..R..",
        ORDER,
        order=(1, 0),
    ),
    nonlinear(
        "Keller-Segel, parabolic",
        system("u v", "∂u/∂t = Δu - ∇·(u ∇v)\n∂v/∂t = Δv - v + u"),
        f"{CROSS}|reaction-diffusion reaction-diffusion|system",
        "RRrPP..",
        ORDER,
    ),
    nonlinear(
        "vorticity",
        system("ω ψ", "∂ω/∂t + ∂ψ/∂y ∂ω/∂x - ∂ψ/∂x ∂ω/∂y = 0.1Δω\nΔψ = -ω", "(x, y) in R^2", stationary="ψ"),
        "convection-diffusion|nonlinear-diffusion|system elliptic|system",
        "R...R..",
        order=(1, 0),
    ),
    nonlinear(
        "vorticity, inviscid",
        system("ω ψ", "∂ω/∂t + ∂ψ/∂y ∂ω/∂x - ∂ψ/∂x ∂ω/∂y = 0\nΔψ = -ω", "(x, y) in R^2", stationary="ψ"),
        "transport|system elliptic|system",
        "R...R..",
        order=(1, 0),
    ),
    linear(
        "a screened mean",
        system("u v", "∂u/∂t = v - u\nΔv = v - u", stationary="v"),
        "ode|reaction-diffusion|system elliptic|system",
        "ppp.R..",
        "v = (1 - Δ)⁻¹u, a positive mean",
        order=(1, 0),
    ),
    linear(
        "heat and a screened mean",
        system("u v", "∂u/∂t = Δu + v - u\nΔv = v - u", stationary="v"),
        "reaction-diffusion|system elliptic|system",
        "ppp.R..",
        "v = (1 - Δ)⁻¹u, a positive mean",
        order=(1, 0),
    ),
    linear(
        "heat against a screened mean",
        system("u v", "∂u/∂t = Δu - 9v\nΔv = v - u", stationary="v"),
        "reaction-diffusion|system elliptic|system",
        "pRr.R..",
        "from a narrow bump, u < 0 at a distance at once",
        order=(1, 0),
    ),
    # ---- derivatives of another unknown
    linear(
        "acoustics",
        system("h q", "∂h/∂t + ∂q/∂x = 0\n∂q/∂t + ∂h/∂x = 0"),
        f"{HYP}|wave|hamiltonian {HYP}|wave|hamiltonian",
        "PPrPPpp",
        ORDER,
    ),
    nonlinear(
        "shallow water",
        system("h v", "∂h/∂t + ∂(h v)/∂x = 0\n∂v/∂t + v ∂v/∂x + ∂h/∂x = 0"),
        f"{HYP} {HYP}",
        "RPrPP..",
        ORDER,
    ),
    nonlinear(
        "shallow water, momentum",
        system("h q", "∂h/∂t + ∂q/∂x = 0\n∂q/∂t + ∂(q²/h + ½h²)/∂x = 0", positive="h"),
        f"{HYP} {HYP}",
        "RPrPP..",
        ORDER,
    ),
    nonlinear(
        "shallow water, ring",
        system("h q", "∂h/∂t + ∂q/∂x = 0\n∂q/∂t + ∂(q²/h + ½h²)/∂x = 0", RING, positive="h"),
        f"{HYP} {HYP}",
        "RPrPP..rP",
        "both are divergences",
    ),
    linear(
        "acoustics, ring",
        system("h q", "∂h/∂t + ∂q/∂x = 0\n∂q/∂t + ∂h/∂x = 0", RING),
        f"{HYP}|wave|hamiltonian {HYP}|wave|hamiltonian",
        "PPrPP..rP",
    ),
    linear(
        "driven by a slope",
        pair("∂u/∂t = ∂v/∂x", "∂v/∂t = Δv"),
        f"{HYP}|diffusion diffusion|system",
        "PPrPPpp",
        "v = -x near a point: u < 0",
    ),
    linear(
        "driven by a slope, and heat",
        pair("∂u/∂t = Δu + ∂v/∂x", "∂v/∂t = Δv"),
        f"{CROSS} diffusion|system",
        "PPrPPpp",
        ORDER,
    ),
    linear(
        "driven by a curvature",
        pair("∂u/∂t = Δu + Δv", "∂v/∂t = Δv"),
        f"{CROSS} diffusion|system",
        "PPrPPpp",
        "v a bump: u < 0 at its top",
    ),
    linear(
        "Schrödinger",
        pair("∂u/∂t = Δv", "∂v/∂t = -Δu"),
        "hamiltonian|system|wave hamiltonian|system|wave",
        "PPrPPpp",
        ORDER,
    ),
    linear(
        "wave as a pair of first order",
        pair("∂u/∂t = v", "∂v/∂t = Δu"),
        "hamiltonian|wave|system hamiltonian|wave|system",
        "PRrPP..",
        ORDER,
    ),
    linear(
        "Maxwell, damped",
        pair("∂u/∂t = ∂v/∂x - u", "∂v/∂t = ∂u/∂x"),
        f"{HYP}|wave|reaction-diffusion {HYP}|wave|hamiltonian",
        "PRrPP..",
        ORDER,
    ),
    nonlinear(
        "p-system",
        pair("∂u/∂t = ∂v/∂x", "∂v/∂t = ∂(tanh(u))/∂x"),
        f"{HYP}|wave|hamiltonian {HYP}|wave|hamiltonian",
        "RPrPP..",
        ORDER,
    ),
    nonlinear(
        "cross-diffusion", pair("∂u/∂t = Δ(u + u v²)", "∂v/∂t = Δv"), f"{CROSS} diffusion|system", "RPrPP..", ORDER
    ),
    # ---- reactions
    nonlinear(
        "Gray-Scott", pair("∂u/∂t = Δu - u v² + 1 - u", "∂v/∂t = ½Δv + u v² - 2v"), f"{RD} {RD}", "RRrPP..", ORDER
    ),
    nonlinear("FitzHugh-Nagumo", pair("∂u/∂t = Δu + u - u³ - v", "∂v/∂t = u - v"), f"{RD} {RD}|ode", "RRrPP..", ORDER),
    nonlinear(
        "competition", pair("∂u/∂t = Δu + u (1 - u - v)", "∂v/∂t = Δv + v (1 - v - u)"), f"{RD} {RD}", "RRrPP..", ORDER
    ),
    nonlinear("epidemic", pair("∂u/∂t = Δu - u v", "∂v/∂t = Δv + u v - v"), f"{RD} {RD}", "RRrPP..", ORDER),
    linear("cooperation", pair("∂u/∂t = Δu + v", "∂v/∂t = 2Δv + u"), f"{RD} {RD}", "PRpPPpp", ORDER),
    linear(
        "cooperation, moving",
        pair("∂u/∂t = ∂u/∂x + v", "∂v/∂t = -∂v/∂x + u"),
        f"transport|{RD}|system transport|{RD}|system",
        "PRpPPpp",
        ORDER,
    ),
    linear("one helps", pair("∂u/∂t = Δu + v", "∂v/∂t = Δv"), f"{RD} diffusion", "PRpPPpp", ORDER),
    linear(
        "one harms", pair("∂u/∂t = Δu - v", "∂v/∂t = Δv"), f"{RD} diffusion", "PRrPPpp", "u = 0 and v a bump: u < 0"
    ),
    nonlinear(
        "cooperation, bounded",
        pair("∂u/∂t = Δu + tanh(v) - u", "∂v/∂t = Δv + tanh(u) - v"),
        f"{RD} {RD}",
        "RRpPP..",
        ORDER,
    ),
    nonlinear(
        "cooperation, of two kinds",
        pair("∂u/∂t = Δu + tanh(v)", "∂v/∂t = ∂v/∂x - exp(-u)"),
        f"{RD} {RD}|transport",
        "RRpPP..",
        ORDER,
    ),
    linear(
        "exchange of three",
        system("u v w", "∂u/∂t = Δu + v - u\n∂v/∂t = Δv + w - v\n∂w/∂t = Δw + u - w"),
        f"{RD} {RD} {RD}",
        "PRpPPpp",
        ORDER,
    ),
    linear(
        "three that ignore each other",
        system("u v w", "∂u/∂t = Δu\n∂v/∂t = ∂v/∂x\n∂w/∂t = 2Δw"),
        "diffusion transport diffusion",
        "PPPPPPP",
    ),
    linear("one of two is backward", pair("∂u/∂t = Δu", "∂v/∂t = -Δv"), "diffusion diffusion", "PPR...."),
)
