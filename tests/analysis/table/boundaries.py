"""Conditions on the boundary are part of the problem.

- Dirichlet: comparison by the weak maximum principle (Evans 7.1.4), for data of any kind in time and space.
- ∂u/∂n = g(x, t, u), g locally Lipschitz in u: the difference w of two solutions has ∂w/∂n = c w with c bounded, and
  with w = exp(φ) z, ∂φ/∂n > c, the sign of c does not matter (Friedman 1964, chapter 2): comparison, for either sign,
  as long as both solutions exist. Where g is not Lipschitz and increases, solutions from zero are not unique.
- Maximum principle: u stays between the least and the largest of its data, the start and the values on the boundary. A
  flux that pushes out of them breaks it. (What it says of sides that cool, ∂u/∂n = -u, is a convention: no letter.)
- Constants are kept if each meets the conditions; T is linear if the conditions besides the start are homogeneous.
- Mass: d/dt ∫u is the flux through the ends.
- ∂u/∂t + b ∂u/∂x = 0 takes data where b points inwards, and nowhere else.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    INSULATED,
    ZERO_SPEED,
    linear,
    nonlinear,
    segment,
    square,
)
from analysis.spec_templates import Row, declared, interval

HEAT = "∂u/∂t = Δu"
FLUX = "the flux through the boundary is no affine function that falls"
WRONG = "the sign of the condition asks for another unknown first"
MOVES = "∂u/∂t + ∂u/∂x = 0"
FREE_LEFT = "n·∇u = 0 on left"

TABLE: tuple[Row, ...] = (
    # ---- values
    linear("ends, cold", segment(HEAT, DIRICHLET, "sin(3π x)"), "diffusion", "PRPPP..PR"),
    linear("ends, warm", segment(HEAT, "u = 2 on boundary", "2"), "diffusion", "RRPPP..PR"),
    linear("ends, of the place", interval(HEAT, "u = x on boundary"), "diffusion", "RRPPP..PR"),
    linear("ends, of the time", interval(HEAT, "u = t on boundary"), "diffusion", "RRPPP..PR"),
    linear("ends, swinging", interval(HEAT, "u = sin(4t) on boundary"), "diffusion", "RRPPP..PR"),
    linear("ends, two values", interval(HEAT, declared("u = 0 on left", "u = 1 on right")), "diffusion", "RRPPP..PR"),
    linear("ends, given at points", interval(HEAT, declared("u(0, t) = 0", "u(1, t) = 0")), "diffusion", "PRPPP..PR"),
    linear("ends, u² = 1", interval(HEAT, "u² = 1 on boundary"), "diffusion", "Rrr......", "1 and -1 both do"),
    linear("ends, u³ = 1", interval(HEAT, "u³ = 1 on boundary"), "diffusion", "rrp.P...r", "u = 1 in disguise"),
    linear("square, cold", square(HEAT), "diffusion", "PRPPP..PR"),
    linear(
        "square, warm on one side",
        square(HEAT, declared("u = 1 on top", "u = 0 on left, right, bottom")),
        "diffusion",
        "RRPPP..PR",
    ),
    linear(
        "square, band",
        square(HEAT, "u = 0 on bottom, top", space="(x, y) in [0, 1] periodic * [0, 1]"),
        "diffusion",
        "PRPPP..PR",
    ),
    # ---- Neumann
    linear("ends, insulated", segment(HEAT, INSULATED, "cos(π x)"), "diffusion", "PPPPP..PP"),
    linear(
        "ends, insulated, by ∂/∂x",
        segment(HEAT, "∂u/∂x = 0 on left, right", "cos(π x)"),
        "diffusion",
        "PPPPP..PP",
    ),
    linear("square, insulated", square(HEAT, INSULATED), "diffusion", "PPPPP..PP"),
    linear("ends, insulated and cold", interval(HEAT, declared(FREE_LEFT, "u = 0 on right")), "diffusion", "PRPPP..PR"),
    linear("ends, insulated and warm", interval(HEAT, declared(FREE_LEFT, "u = 1 on right")), "diffusion", "RRPPP..PR"),
    linear(
        "square, two sides insulated",
        square(HEAT, declared("u = 0 on left, right", "n·∇u = 0 on bottom, top")),
        "diffusion",
        "PRPPP..PR",
    ),
    linear(
        "ends, fed on the right",
        interval(HEAT, declared(FREE_LEFT, "n·∇u = 1 on right")),
        "diffusion",
        "RRPPP..rR",
    ),
    linear(
        "ends, drained on the right",
        interval(HEAT, declared(FREE_LEFT, "n·∇u = -1 on right")),
        "diffusion",
        "RRPPP..rR",
    ),
    linear(
        "ends, fed more and more",
        interval(HEAT, declared(FREE_LEFT, "n·∇u = t on right")),
        "diffusion",
        "RRPPP..rR",
    ),
    linear(
        "ends, fed on the left and drained on the right",
        interval(HEAT, declared("n·∇u = 1 on left", "n·∇u = -1 on right")),
        "diffusion",
        "RRPPP..rp",
        "u tends to a line of slope -1, and what enters leaves",
    ),
    linear(
        "ends, fed as much as is lost",
        interval("∂u/∂t = Δu - 2", "n·∇u = 1 on boundary"),
        "diffusion|reaction-diffusion",
        "RRPPP...p",
        "x² - x is at rest, and 0 is not",
    ),
    # ---- Robin
    linear("ends, radiating", segment(HEAT, "∂u/∂n + u = 0 on boundary", "1"), "diffusion", "PRPPP...R"),
    linear("ends, radiating into warmth", interval(HEAT, "∂u/∂n + u = 1 on boundary"), "diffusion", "RRPPP...R"),
    linear("ends, radiating more and more", interval(HEAT, "∂u/∂n + t u = 0 on boundary"), "diffusion", "PRPPP...R"),
    linear(
        "ends, radiating on the right",
        interval(HEAT, declared(FREE_LEFT, "∂u/∂n = -3u on right")),
        "diffusion",
        "PRPPP...R",
    ),
    linear("ends, wrong sign", interval(HEAT, "∂u/∂n = u on boundary"), "diffusion", "PRpPP..rR", "u = 1 grows"),
    linear(
        "ends, wrong sign on the left",
        interval(HEAT, declared("∂u/∂n = 2u on left", "u = 0 on right")),
        "diffusion",
        "PRpPP..rR",
        WRONG,
    ),
    linear(
        "ends, both signs in time",
        interval(HEAT, "∂u/∂n = (1 - 2t) u on boundary"),
        "diffusion",
        "PRpPP..rR",
        WRONG,
    ),
    linear(
        "square, wrong sign on top",
        square(HEAT, declared("n·∇u = 0 on left, right, bottom", "n·∇u = u on top")),
        "diffusion",
        "PRpPP..rR",
        WRONG,
    ),
    linear(
        "ends, no flux",
        interval("∂u/∂t = ∂(∂u/∂x - u)/∂x", "∂u/∂x - u = 0 on boundary"),
        "convection-diffusion",
        "PRpPP..rP",
        "at rest it is eˣ; on the right the sign of the condition is the wrong one",
    ),
    linear(
        "square, oblique",
        square(HEAT, declared("n·∇u + ∂u/∂y = 0 on right", "n·∇u = 0 on left, bottom, top")),
        "diffusion",
        "PPpPP..pr",
        "the direction is not the normal, but points outwards",
    ),
    # ---- nonlinear flux
    linear("ends, flux u²", interval(HEAT, "n·∇u = u² on boundary"), "diffusion", "RRpPP..rr", FLUX),
    linear("ends, flux -u³", interval(HEAT, "n·∇u = -u³ on boundary"), "diffusion", "RRpPP...r", FLUX),
    linear("ends, flux sin u", interval(HEAT, "∂u/∂n = sin(u) on boundary"), "diffusion", "RRpPP..rr", FLUX),
    linear("ends, flux -tanh u", interval(HEAT, "∂u/∂n = -tanh(u) on boundary"), "diffusion", "RRpPP...r", FLUX),
    linear("ends, flux exp u", interval(HEAT, "∂u/∂n = exp(u) on boundary"), "diffusion", "RRpPP..rr", FLUX),
    linear("ends, flux 1 - u⁴", interval(HEAT, "∂u/∂n = 1 - u⁴ on boundary"), "diffusion", "RRpPP..rr", FLUX),
    linear(
        "ends, flux √|u|",
        interval(HEAT, "∂u/∂n = sqrt(abs(u)) on boundary"),
        "diffusion",
        "RRr.P..rr",
        "from zero, both zero and a positive solution (Deng and Levine 2000)",
    ),
    linear(
        "ends, flux -√|u| that falls",
        interval(HEAT, "∂u/∂n = -sign(u) sqrt(abs(u)) on boundary"),
        "diffusion",
        "RRpPP...r",
        "a flux that falls needs no slope",
    ),
    # ---- neither value nor flux
    linear(
        "ends, antiperiodic",
        interval(HEAT, declared("u(0, t) = -u(1, t)", "∂u/∂x(0, t) = -∂u/∂x(1, t)")),
        "diffusion",
        "PRr.P..rr",
        "a bump at the left end comes out negative at the right",
    ),
    linear(
        "ends, antiperiodic, and no more",
        interval(HEAT, "u(0, t) = -u(1, t)"),
        "diffusion",
        ".Rr....rr",
        "not unique",
    ),
    linear(
        "ends, periodic by conditions",
        segment(HEAT, declared("u(0, t) = u(1, t)", "∂u/∂x(0, t) = ∂u/∂x(1, t)"), "sin(2π x)"),
        "diffusion",
        "PPpPP..pp",
        "a ring in disguise",
    ),
    linear(
        "ends, third derivative",
        interval(HEAT, "∂³u/∂x³ = 0 on boundary"),
        "diffusion",
        "PprpP..rr",
        "∂u/∂x stays as it was at each end: -½ + a steep slope up to 0 feeds the rod past 0",
    ),
    linear(
        "ends, second derivative",
        interval(HEAT, "∂²u/∂x² = 0 on boundary"),
        "diffusion",
        "PppPP..pr",
        "∂u/∂t = 0 there: values that stay as they were",
    ),
    linear(
        "ends, dynamic, wrong sign",
        interval(HEAT, declared(FREE_LEFT, "∂u/∂t = n·∇u on right")),
        "diffusion",
        "PprpP..rr",
        "½(1 - x)² - (1 - x) ≤ 0 grows past 0 at its right end",
    ),
    linear(
        "ends, dynamic",
        interval(HEAT, declared(FREE_LEFT, "∂u/∂t = -∂u/∂x on right")),
        "diffusion",
        "PpppP..pr",
        "Wentzell's condition; the end stores heat of its own",
    ),
    # ---- other equations
    linear(
        "wave, fixed ends",
        interval("∂²u/∂t² = Δu", DIRICHLET, rest=ZERO_SPEED),
        "wave",
        "PRrrp..rr",
        "cos(πt) sin(πx)",
        order=2,
    ),
    linear(
        "wave, free ends",
        interval("∂²u/∂t² = Δu", INSULATED, rest=ZERO_SPEED),
        "wave",
        "PPprp..pp",
        "reflected data",
        order=2,
    ),
    linear(
        "wave, fixed ends, fast",
        interval("∂²u/∂t² = 4Δu", DIRICHLET, rest=ZERO_SPEED),
        "wave",
        "PRrrp..rr",
        order=2,
    ),
    linear(
        "plate, hinged",
        interval("∂u/∂t = -∂⁴u/∂x⁴", declared(DIRICHLET, "∂²u/∂x² = 0 on boundary")),
        "higher-order",
        "PRRPP..rr",
    ),
    linear(
        "plate, no flux",
        interval("∂u/∂t = -∂⁴u/∂x⁴", declared("∂u/∂x = 0 on boundary", "∂³u/∂x³ = 0 on boundary")),
        "higher-order",
        "PPRPP..rp",
    ),
    nonlinear(
        "Burgers, free ends",
        interval("∂u/∂t + u ∂u/∂x = Δu", INSULATED),
        "convection-diffusion",
        "RPPPP..PR",
        "½u² leaves",
    ),
    nonlinear("Allen-Cahn, insulated", interval("∂u/∂t = Δu + u - u³", INSULATED), "reaction-diffusion", "RRPPP..RR"),
    nonlinear("porous medium, insulated", interval("∂u/∂t = Δ(u³)", INSULATED), "nonlinear-diffusion", "RPPPP..PP"),
    # ---- first order
    linear("transport, cold inflow", interval(MOVES, "u = 0 on left"), "transport", "PRPPP..PR"),
    linear("transport, warm inflow", interval("∂u/∂t = ∂u/∂x", "u = 1 on right"), "transport", "RRPPP..PR"),
    linear("transport, swinging inflow", interval(MOVES, "u = sin(t) on left"), "transport", "RRPPP..PR"),
    linear("transport, still ends", interval("∂u/∂t + x(1 - x) ∂u/∂x = 0", ""), "transport", "PPPPP..PR", "no inflow"),
    linear(
        "transport, out at both ends",
        interval("∂u/∂t + (x - ½) ∂u/∂x = 0", ""),
        "transport",
        "PPPPP..PR",
        "no inflow",
    ),
    linear("transport, in at both ends", interval("∂u/∂t + (½ - x) ∂u/∂x = 0"), "transport", "PRPPP..PR"),
    linear(
        "transport, nothing said of the inflow",
        interval(MOVES, ""),
        "transport",
        "..r......",
        "what enters may be anything",
    ),
)
