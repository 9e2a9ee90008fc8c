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

from analysis.more_spec_templates import COLD, REST, SHUT, linear, nonlinear, segment, square
from analysis.spec_templates import Row, declared, rod

HEAT = "∂u/∂t = Δu"
FLUX = "the flux through the boundary is no affine function that falls"
WRONG = "the sign of the condition asks for another unknown first"
MOVES = "∂u/∂t + ∂u/∂x = 0"
FREE_LEFT = "n·∇u = 0 on left"

TABLE: tuple[Row, ...] = (
    # ---- values
    linear("ends, cold", segment(HEAT, COLD, "sin(3π x)"), "diffusion", "PRPPP..PR"),
    linear("ends, warm", segment(HEAT, "u = 2 on boundary", "2"), "diffusion", "RRPPP..PR"),
    linear("ends, of the place", rod(HEAT, "u = x on boundary"), "diffusion", "RRPPP..PR"),
    linear("ends, of the time", rod(HEAT, "u = t on boundary"), "diffusion", "RRPPP..PR"),
    linear("ends, swinging", rod(HEAT, "u = sin(4t) on boundary"), "diffusion", "RRPPP..PR"),
    linear("ends, two values", rod(HEAT, declared("u = 0 on left", "u = 1 on right")), "diffusion", "RRPPP..PR"),
    linear("ends, given at points", rod(HEAT, declared("u(0, t) = 0", "u(1, t) = 0")), "diffusion", "PRPPP..PR"),
    linear("ends, u² = 1", rod(HEAT, "u² = 1 on boundary"), "diffusion", "Rrr......", "1 and -1 both do"),
    linear("ends, u³ = 1", rod(HEAT, "u³ = 1 on boundary"), "diffusion", "rrp.P...r", "u = 1 in disguise"),
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
    linear("ends, insulated", segment(HEAT, SHUT, "cos(π x)"), "diffusion", "PPPPP..PP"),
    linear("ends, insulated, by ∂/∂x", segment(HEAT, "∂u/∂x = 0 on left, right", "cos(π x)"), "diffusion", "PPPPP..PP"),
    linear("square, insulated", square(HEAT, SHUT), "diffusion", "PPPPP..PP"),
    linear("ends, insulated and cold", rod(HEAT, declared(FREE_LEFT, "u = 0 on right")), "diffusion", "PRPPP..PR"),
    linear("ends, insulated and warm", rod(HEAT, declared(FREE_LEFT, "u = 1 on right")), "diffusion", "RRPPP..PR"),
    linear(
        "square, two sides insulated",
        square(HEAT, declared("u = 0 on left, right", "n·∇u = 0 on bottom, top")),
        "diffusion",
        "PRPPP..PR",
    ),
    linear("ends, fed on the right", rod(HEAT, declared(FREE_LEFT, "n·∇u = 1 on right")), "diffusion", "RRPPP..rR"),
    linear(
        "ends, drained on the right", rod(HEAT, declared(FREE_LEFT, "n·∇u = -1 on right")), "diffusion", "RRPPP..rR"
    ),
    linear("ends, fed more and more", rod(HEAT, declared(FREE_LEFT, "n·∇u = t on right")), "diffusion", "RRPPP..rR"),
    linear(
        "ends, fed on the left and drained on the right",
        rod(HEAT, declared("n·∇u = 1 on left", "n·∇u = -1 on right")),
        "diffusion",
        "RRPPP..rp",
        "u tends to a line of slope -1, and what enters leaves",
    ),
    linear(
        "ends, fed as much as is lost",
        rod("∂u/∂t = Δu - 2", "n·∇u = 1 on boundary"),
        "diffusion|reaction-diffusion",
        "RRPPP...p",
        "x² - x is at rest, and 0 is not",
    ),
    # ---- Robin
    linear("ends, radiating", segment(HEAT, "∂u/∂n + u = 0 on boundary", "1"), "diffusion", "PRPPP...R"),
    linear("ends, radiating into warmth", rod(HEAT, "∂u/∂n + u = 1 on boundary"), "diffusion", "RRPPP...R"),
    linear("ends, radiating more and more", rod(HEAT, "∂u/∂n + t u = 0 on boundary"), "diffusion", "PRPPP...R"),
    linear(
        "ends, radiating on the right", rod(HEAT, declared(FREE_LEFT, "∂u/∂n = -3u on right")), "diffusion", "PRPPP...R"
    ),
    linear("ends, wrong sign", rod(HEAT, "∂u/∂n = u on boundary"), "diffusion", "PRpPP..rR", "u = 1 grows"),
    linear(
        "ends, wrong sign on the left",
        rod(HEAT, declared("∂u/∂n = 2u on left", "u = 0 on right")),
        "diffusion",
        "PRpPP..rR",
        WRONG,
    ),
    linear("ends, both signs in time", rod(HEAT, "∂u/∂n = (1 - 2t) u on boundary"), "diffusion", "PRpPP..rR", WRONG),
    linear(
        "square, wrong sign on top",
        square(HEAT, declared("n·∇u = 0 on left, right, bottom", "n·∇u = u on top")),
        "diffusion",
        "PRpPP..rR",
        WRONG,
    ),
    linear(
        "ends, no flux",
        rod("∂u/∂t = ∂(∂u/∂x - u)/∂x", "∂u/∂x - u = 0 on boundary"),
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
    linear("ends, flux u²", rod(HEAT, "n·∇u = u² on boundary"), "diffusion", "RRpPP..rr", FLUX),
    linear("ends, flux -u³", rod(HEAT, "n·∇u = -u³ on boundary"), "diffusion", "RRpPP...r", FLUX),
    linear("ends, flux sin u", rod(HEAT, "∂u/∂n = sin(u) on boundary"), "diffusion", "RRpPP..rr", FLUX),
    linear("ends, flux -tanh u", rod(HEAT, "∂u/∂n = -tanh(u) on boundary"), "diffusion", "RRpPP...r", FLUX),
    linear("ends, flux exp u", rod(HEAT, "∂u/∂n = exp(u) on boundary"), "diffusion", "RRpPP..rr", FLUX),
    linear("ends, flux 1 - u⁴", rod(HEAT, "∂u/∂n = 1 - u⁴ on boundary"), "diffusion", "RRpPP..rr", FLUX),
    linear(
        "ends, flux √|u|",
        rod(HEAT, "∂u/∂n = sqrt(abs(u)) on boundary"),
        "diffusion",
        "RRr.P..rr",
        "from zero, both zero and a positive solution (Deng and Levine 2000)",
    ),
    linear(
        "ends, flux -√|u| that falls",
        rod(HEAT, "∂u/∂n = -sign(u) sqrt(abs(u)) on boundary"),
        "diffusion",
        "RRpPP...r",
        "a flux that falls needs no slope",
    ),
    # ---- neither value nor flux
    linear(
        "ends, antiperiodic",
        rod(HEAT, declared("u(0, t) = -u(1, t)", "∂u/∂x(0, t) = -∂u/∂x(1, t)")),
        "diffusion",
        "PRr.P..rr",
        "a bump at the left end comes out negative at the right",
    ),
    linear("ends, antiperiodic, and no more", rod(HEAT, "u(0, t) = -u(1, t)"), "diffusion", ".Rr....rr", "not unique"),
    linear(
        "ends, periodic by conditions",
        segment(HEAT, declared("u(0, t) = u(1, t)", "∂u/∂x(0, t) = ∂u/∂x(1, t)"), "sin(2π x)"),
        "diffusion",
        "PPpPP..pp",
        "a ring in disguise",
    ),
    linear(
        "ends, third derivative",
        rod(HEAT, "∂³u/∂x³ = 0 on boundary"),
        "diffusion",
        "PprpP..rr",
        "∂u/∂x stays as it was at each end: -½ + a steep slope up to 0 feeds the rod past 0",
    ),
    linear(
        "ends, second derivative",
        rod(HEAT, "∂²u/∂x² = 0 on boundary"),
        "diffusion",
        "PppPP..pr",
        "∂u/∂t = 0 there: values that stay as they were",
    ),
    linear(
        "ends, dynamic, wrong sign",
        rod(HEAT, declared(FREE_LEFT, "∂u/∂t = n·∇u on right")),
        "diffusion",
        "PprpP..rr",
        "½(1 - x)² - (1 - x) ≤ 0 grows past 0 at its right end",
    ),
    linear(
        "ends, dynamic",
        rod(HEAT, declared(FREE_LEFT, "∂u/∂t = -∂u/∂x on right")),
        "diffusion",
        "PpppP..pr",
        "Wentzell's condition; the end stores heat of its own",
    ),
    # ---- other equations
    linear("wave, fixed ends", rod("∂²u/∂t² = Δu", COLD, rest=REST), "wave", "PRrrp..rr", "cos(πt) sin(πx)", order=2),
    linear("wave, free ends", rod("∂²u/∂t² = Δu", SHUT, rest=REST), "wave", "PPprp..pp", "reflected data", order=2),
    linear("wave, fixed ends, fast", rod("∂²u/∂t² = 4Δu", COLD, rest=REST), "wave", "PRrrp..rr", order=2),
    linear(
        "plate, hinged",
        rod("∂u/∂t = -∂⁴u/∂x⁴", declared(COLD, "∂²u/∂x² = 0 on boundary")),
        "higher-order",
        "PRRPP..rr",
    ),
    linear(
        "plate, no flux",
        rod("∂u/∂t = -∂⁴u/∂x⁴", declared("∂u/∂x = 0 on boundary", "∂³u/∂x³ = 0 on boundary")),
        "higher-order",
        "PPRPP..rp",
    ),
    nonlinear(
        "Burgers, free ends", rod("∂u/∂t + u ∂u/∂x = Δu", SHUT), "convection-diffusion", "RPPPP..PR", "½u² leaves"
    ),
    nonlinear("Allen-Cahn, insulated", rod("∂u/∂t = Δu + u - u³", SHUT), "reaction-diffusion", "RRPPP..RR"),
    nonlinear("porous medium, insulated", rod("∂u/∂t = Δ(u³)", SHUT), "nonlinear-diffusion", "RPPPP..PP"),
    # ---- first order
    linear("transport, cold inflow", rod(MOVES, "u = 0 on left"), "transport", "PRPPP..PR"),
    linear("transport, warm inflow", rod("∂u/∂t = ∂u/∂x", "u = 1 on right"), "transport", "RRPPP..PR"),
    linear("transport, swinging inflow", rod(MOVES, "u = sin(t) on left"), "transport", "RRPPP..PR"),
    linear("transport, still ends", rod("∂u/∂t + x(1 - x) ∂u/∂x = 0", ""), "transport", "PPPPP..PR", "no inflow"),
    linear("transport, out at both ends", rod("∂u/∂t + (x - ½) ∂u/∂x = 0", ""), "transport", "PPPPP..PR", "no inflow"),
    linear("transport, in at both ends", rod("∂u/∂t + (½ - x) ∂u/∂x = 0"), "transport", "PRPPP..PR"),
    linear(
        "transport, nothing said of the inflow", rod(MOVES, ""), "transport", "..r......", "what enters may be anything"
    ),
)
