"""Discs and strips, nonlocal terms, waves, systems, constants and the maximum principle.

- where F(c) has the sign of -c and a side is held at 0, u stays between 0 and its data.
- u(-x, t) and u(1 - x, t) on a ring have the mass of u; u(x + 1, t) on a ring of length 1 is u itself.
"""

from __future__ import annotations

from analysis.more_spec_templates import ZERO_SPEED, line, linear, nonlinear, periodic_2pi, physical, system
from analysis.spec_templates import Row, interval, lines, pair, periodic, stationary


def disc(equation: str) -> str:
    return lines(
        "pde Row",
        "space (x, y) in [-1, 1]^2 where x² + y² < 1",
        "time t in [0, 1]",
        "unknown u(x, y, t) : scalar",
        equation,
        "u(x, y, 0) = 1 - x² - y²",
        "u = 0 on boundary",
    )


def strip(equation: str, ends: str) -> str:
    return physical("(x, y) in [0, 1] periodic * [0, 1]", equation, "sin(2π x) cos(π y)", "scalar", "", ends)


TABLE: tuple[Row, ...] = (
    linear("beyond, disc pole", disc("∂u/∂t = Δu - (1/x) ∂u/∂x"), "convection-diffusion", "..U...."),
    nonlinear("beyond, disc x²X³", disc("∂u/∂t = x² (Δu)³"), "nonlinear-diffusion", "..r...."),
    linear("beyond, disc log rate", disc("∂u/∂t = Δu + log(x²) u"), "reaction-diffusion", "..p...."),
    linear("beyond, disc exp(1/√t)", disc("∂u/∂t = Δu + exp(1/sqrt(t)) u"), "reaction-diffusion", "..r...."),
    linear("beyond, strip shut", strip("∂u/∂t = Δu", "n·∇u = 0 on bottom, top"), "diffusion", "PPPPP..PP"),
    linear(
        "beyond, strip shear",
        strip("∂u/∂t = Δu + ∂(y u)/∂x", "n·∇u = 0 on bottom, top"),
        "convection-diffusion",
        "PPPPP..PP",
    ),
    linear(
        "beyond, strip blow",
        strip("∂u/∂t = Δu + ∂(x u)/∂y", "n·∇u = 0 on bottom, top"),
        "convection-diffusion",
        "..p.....R",
    ),
    linear(
        "beyond, strip blow shut",
        strip("∂u/∂t = Δu + ∂(sin(2π x) u)/∂y", "∂u/∂y + sin(2π x) u = 0 on bottom, top"),
        "convection-diffusion",
        "..p.....P",
    ),
    linear(
        "beyond, strip seam",
        strip("∂u/∂t = Δu + ∂(x u)/∂x", "n·∇u = 0 on bottom, top"),
        "reaction-diffusion",
        "..p.....r",
    ),
    linear("beyond, mirror", line("∂u/∂t = u(-x, t) - u"), "ode", "PPpPR...p"),
    linear("beyond, dilation", line("∂u/∂t = Δu + u(½ x, t) - 2u"), "reaction-diffusion", "PRpPR...p"),
    nonlinear("beyond, nonlocal product", line("∂u/∂t = u u(0, t)"), "ode", "RR.PR...r"),
    linear("beyond, ring once round", periodic("∂u/∂t = u(x + 1, t)"), "ode", "P..PP.."),
    linear("beyond, ring mirrored", periodic("∂u/∂t = u(1 - x, t) - u"), "ode", "PPpPR...p"),
    linear(
        "beyond, beam, ring",
        periodic("∂²u/∂t² = -∂⁴u/∂x⁴", rest=ZERO_SPEED),
        "higher-order",
        "PPR.P..",
        order=2,
    ),
    nonlinear("beyond, wave u³", periodic("∂²u/∂t² = ∂²u/∂x² - u³", rest=ZERO_SPEED), "wave", "RRr.....R", order=2),
    linear("beyond, wave drift", line("∂²u/∂t² = ∂²u/∂x² + ∂u/∂x", rest=ZERO_SPEED), "wave", "PPr....", order=2),
    linear("beyond, Tricomi", line("∂²u/∂t² = t ∂²u/∂x²", rest=ZERO_SPEED), "wave", "PP.....", order=2),
    nonlinear(
        "beyond, shallow water",
        system("h v", "∂h/∂t + ∂(h v)/∂x = 0\n∂v/∂t + v ∂v/∂x + ∂h/∂x = 0", "x in [0, 1] periodic"),
        "transport transport",
        "RP.PP...P",
    ),
    nonlinear(
        "beyond, Keller-Segel",
        system("u w", "∂u/∂t = Δu - ∇·(u ∇w)\nΔw = w - u", "x in [0, 1] periodic", stationary="w"),
        "convection-diffusion elliptic",
        "R..PR...p",
        order=(0, 1),
    ),
    nonlinear(
        "beyond, algebraic", system("u w", "∂u/∂t = u w\nw = u", stationary="w"), "ode ode", "RR.PP..", order=(0, 1)
    ),
    nonlinear(
        "beyond, predator",
        pair("∂u/∂t = Δu + u - u v", "∂v/∂t = Δv - v + u v"),
        "reaction-diffusion reaction-diffusion",
        "RRr....",
    ),
    linear("beyond, rotation", pair("∂u/∂t = v", "∂v/∂t = -u"), "hamiltonian hamiltonian", "PRr...."),
    nonlinear("beyond, advected pair", pair("∂u/∂t = v ∂u/∂x", "∂v/∂t = Δv"), "transport diffusion", "RP.PP...R"),
    nonlinear("beyond, sin πu", periodic_2pi("∂u/∂t = Δu + sin(π u)"), "reaction-diffusion", "RRPPP..R."),
    linear("beyond, u - u", periodic_2pi("∂u/∂t = Δu + u - u"), "diffusion", "PPPPPPPPP"),
    linear(
        "beyond, relu sum", periodic_2pi("∂u/∂t = Δu + relu(u) + relu(-u) - |u|"), "reaction-diffusion", "PPPPP..Pp"
    ),
    linear("beyond, decay ring", periodic_2pi("∂u/∂t = Δu - u"), "reaction-diffusion", "PRPPPPPRR"),
    linear("beyond, decay cold", interval("∂u/∂t = Δu - u"), "reaction-diffusion", "PRPPP..PR"),
    linear("beyond, growth cold", interval("∂u/∂t = Δu + u"), "reaction-diffusion", "PRPPP..r."),
    nonlinear("beyond, cubic cold", interval("∂u/∂t = Δu - u³"), "reaction-diffusion", "RRPPP..p."),
    linear("beyond, decay warm", interval("∂u/∂t = Δu - u", "u = 1 on boundary"), "reaction-diffusion", "RRPPP..r."),
    linear(
        "beyond, towards 1",
        interval("∂u/∂t = Δu - (u - 1)", "u = 1 on boundary"),
        "reaction-diffusion",
        ".RPPP..p.",
    ),
    linear("beyond, rest Laplace", stationary("Δu = 0"), "elliptic", "P.P....P.", order=0),
    linear("beyond, rest source", stationary("Δu = 1"), "elliptic", "R.P....r.", order=0),
    linear(
        "beyond, rest damped warm", stationary("Δu - u = 0", ends="u = 1 on boundary"), "elliptic", "..P....r.", order=0
    ),
    linear(
        "beyond, rest damped half cold",
        stationary("Δu - u = 0", ends="u = 0 on left\nu = 1 on right, bottom, top"),
        "elliptic",
        "..P....p.",
        order=0,
    ),
    linear(
        "beyond, rest -Δu + u, cold",
        stationary("-Δu + u = 0", ends="u = x on right, bottom, top\nu = 0 on left"),
        "elliptic",
        "..P....p.",
        order=0,
    ),
    linear("beyond, rest drift", stationary("Δu + 100 ∂u/∂x = 0"), "elliptic", "P.P....P.", order=0),
)
