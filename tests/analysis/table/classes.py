"""Classes of stationary and evolution equations, and ill-posed Cauchy problems.

At rest, a uₓₓ + b uₓᵧ + c uᵧᵧ + … = 0 is elliptic, parabolic or hyperbolic as b² - 4ac is negative, zero or positive
(with terms of first order that keep it from being an equation on lines), and mixed where the sign changes.
In time: ∂²u/∂t² = -Δu is elliptic in (x, t), and ill-posed (Hadamard). Even orders 2m in space are well-posed with the
sign of (-1)^(m+1), odd ones with any. Comparison fails for every order above two (the kernel changes its sign).
At rest linearity and comparison are asked of the values on the boundary: comparison by the maximum principle for
-Δu + b·∇u + f(u), f not decreasing (Gilbarg and Trudinger, theorem 3.3 and 10.1).
"""

from __future__ import annotations

from analysis.more_spec_templates import ZERO_SPEED, ZERO_VELOCITY_PLANE, linear, nonlinear
from analysis.spec_templates import Row, data, periodic, plane, stationary

X_VALUES = "u = x on boundary"
WIDE = "(x, y) in [-1, 1]^2"
CUBE = "(x, y, z) in [0, 1]^3"


def edge(equation: str, space: str = "(x, y) in [0, 1]^2") -> str:
    return stationary(equation, space=space, ends=X_VALUES)


TABLE: tuple[Row, ...] = (
    # ---- elliptic
    linear("at rest, Laplace", edge("Δu = 0", WIDE), "elliptic", "p.p....p.", order=0),
    linear("at rest, Laplace, cube", edge("Δu = 0", CUBE), "elliptic", "p.p....p.", order=0),
    linear("at rest, Laplace, written out", edge("∂²u/∂x² = -∂²u/∂y²"), "elliptic", "p.p....p.", order=0),
    linear(
        "at rest, mixed but elliptic",
        edge("2 ∂²u/∂x² + 3 ∂²u/∂x∂y + 2 ∂²u/∂y² = 0"),
        "elliptic",
        "p.p....p.",
        "9 < 16",
        order=0,
    ),
    linear("at rest, drift", edge("Δu + ∂u/∂x = 0"), "elliptic", "p.p....p.", order=0),
    linear("at rest, uneven", edge("(2 + sin(x)) ∂²u/∂x² + ∂²u/∂y² = 0"), "elliptic", "p.p....p.", order=0),
    linear("at rest, divergence form", edge("∇·((1 + x²)∇u) = 0"), "elliptic", "p.p....p.", order=0),
    linear("at rest, screened", edge("Δu = 4u"), "elliptic", "p.p......", order=0),
    linear("at rest, heated", edge("-Δu = 2"), "elliptic", "..p....r.", "½x(1 - x) and more", order=0),
    linear(
        "at rest, resonant",
        stationary("Δu + 2π²u = 0"),
        "elliptic",
        "..r....r.",
        "sin(πx) sin(πy) and zero have one datum",
        order=0,
    ),
    nonlinear("at rest, cubic", edge("Δu = u³"), "elliptic", "r.p......", order=0),
    nonlinear(
        "at rest, cubic, wrong sign",
        stationary("Δu + 100u³ = 0"),
        "elliptic",
        "..r....r.",
        "a positive solution besides zero (Ambrosetti, Rabinowitz)",
        order=0,
    ),
    nonlinear(
        "at rest, minimal surface",
        edge("∇·(∇u/sqrt(1 + ‖∇u‖²)) = 0"),
        "elliptic|nonlinear-diffusion",
        "r.p....p.",
        order=0,
    ),
    nonlinear("at rest, p-Laplace", edge("∇·(‖∇u‖²∇u) = 0"), "elliptic|nonlinear-diffusion", "r.p....p.", order=0),
    nonlinear(
        "at rest, viscous eikonal",
        edge("Δu = ‖∇u‖²"),
        "elliptic|hamilton-jacobi",
        "r.p....p.",
        "exp(-u) is harmonic",
        order=0,
    ),
    linear(
        "at rest, line",
        stationary("∂²u/∂x² = 0", space="x in [0, 1]", ends=X_VALUES),
        "elliptic|ode",
        "p.p....p.",
        order=0,
    ),
    # ---- not elliptic
    linear("at rest, hyperbolic", edge("∂²u/∂x² - ∂²u/∂y² = 0"), "hyperbolic", ".........", order=0),
    linear("at rest, hyperbolic, mixed", edge("∂²u/∂x∂y = 0"), "hyperbolic", ".........", order=0),
    linear(
        "at rest, hyperbolic, steep",
        edge("∂²u/∂x² + 3 ∂²u/∂x∂y + ∂²u/∂y² = 0"),
        "hyperbolic",
        ".........",
        "9 > 4",
        order=0,
    ),
    linear("at rest, hyperbolic, wide", edge("∂²u/∂x² = (1 + x²) ∂²u/∂y²", WIDE), "hyperbolic", ".........", order=0),
    linear("at rest, heat in y", edge("∂²u/∂x² - ∂u/∂y = 0"), "parabolic", ".........", order=0),
    linear("at rest, heat in x", edge("∂u/∂x = ∂²u/∂y²"), "parabolic", ".........", order=0),
    linear(
        "at rest, parabolic by a square",
        edge("∂²u/∂x² + 2 ∂²u/∂x∂y + ∂²u/∂y² + ∂u/∂x = 0"),
        "parabolic",
        ".........",
        order=0,
    ),
    linear(
        "at rest, Kolmogorov",
        edge("∂²u/∂x² + x ∂u/∂y = 0", WIDE),
        "parabolic|mixed",
        ".........",
        "forward and backward",
        order=0,
    ),
    linear("at rest, Tricomi", edge("y ∂²u/∂x² + ∂²u/∂y² = 0", WIDE), "mixed", ".........", order=0),
    linear(
        "at rest, Tricomi, upper half",
        edge("y ∂²u/∂x² + ∂²u/∂y² = 0"),
        "elliptic|mixed",
        ".........",
        "degenerate on one side",
        order=0,
    ),
    linear("at rest, Tricomi, shifted", edge("(1 + y) ∂²u/∂x² + ∂²u/∂y² = 0"), "elliptic", "p.p....p.", order=0),
    linear("at rest, Tricomi, lower half", edge("(y - 2) ∂²u/∂x² + ∂²u/∂y² = 0"), "hyperbolic", ".........", order=0),
    linear("at rest, sines of both signs", edge("∂²u/∂x² + sin(4x) ∂²u/∂y² = 0"), "mixed", ".........", order=0),
    linear("at rest, transport", edge("∂u/∂x + ∂u/∂y = 0"), "transport|hyperbolic", ".........", order=0),
    linear(
        "at rest, plate",
        stationary("Δ²u = 1", ends="u = 0 on boundary\nn·∇u = 0 on boundary"),
        "higher-order|elliptic",
        ".......r.",
        order=0,
    ),
    linear("at rest, wave in z", edge("∂²u/∂x² + ∂²u/∂y² - ∂²u/∂z² = 0", CUBE), "hyperbolic", ".........", order=0),
    # ---- second order in time
    linear(
        "in time, elliptic",
        data("∂²u/∂t² = -Δu") + ZERO_SPEED + "\n",
        "elliptic|ill-posed",
        "PPr....",
        "cosh(kt) cos(kx)",
        order=2,
    ),
    linear(
        "in time, elliptic, plane",
        plane("∂²u/∂t² + Δu = 0") + ZERO_VELOCITY_PLANE + "\n",
        "elliptic|ill-posed",
        "PPr....",
        order=2,
    ),
    linear(
        "in time, ultrahyperbolic",
        plane("∂²u/∂t² = ∂²u/∂x² - ∂²u/∂y²") + ZERO_VELOCITY_PLANE + "\n",
        "hyperbolic|ill-posed|mixed",
        "PPr....",
        "cosh(kt) cos(ky)",
        order=2,
    ),
    linear(
        "in time, of both signs",
        data("∂²u/∂t² = x Δu") + ZERO_SPEED + "\n",
        "mixed|ill-posed",
        "PPr....",
        "elliptic for x < 0",
        order=2,
    ),
    linear("in time, Tricomi", data("∂²u/∂t² = t Δu") + ZERO_SPEED + "\n", "wave", "PP.rp..", order=2),
    linear(
        "in time, uneven",
        data("∂²u/∂t² = (2 + sin(x)) Δu") + ZERO_SPEED + "\n",
        "wave",
        "PPrrp..",
        "echoes from slower parts are negative",
        order=2,
    ),
    linear(
        "in time, uneven, divergence form",
        data("∂²u/∂t² = ∂((2 + sin(x)) ∂u/∂x)/∂x") + ZERO_SPEED + "\n",
        "wave",
        "PPrrp..",
        "echoes from stiffer parts are negative",
        order=2,
    ),
    linear("in time, fast", data("∂²u/∂t² = 9Δu") + ZERO_SPEED + "\n", "wave", "PPPrpPp", order=2),
    linear(
        "in time, space",
        data("∂²u/∂t² = Δu", "x in R^3") + ZERO_SPEED + "\n",
        "wave",
        "PPrrp..",
        "the derivative of a mean",
        order=2,
    ),
    linear(
        "in time, R^d",
        data("∂²u/∂t² = Δu", "x in R^d") + ZERO_SPEED + "\n",
        "wave",
        "PPrrp..",
        "averages on the line alone",
        order=2,
    ),
    linear(
        "in time, one direction of the plane",
        plane("∂²u/∂t² = ∂²u/∂x²") + ZERO_VELOCITY_PLANE + "\n",
        "wave",
        "PPprp..",
        "d'Alembert on each line",
        order=2,
    ),
    linear("in time, ring", periodic("∂²u/∂t² = 4Δu", rest=ZERO_SPEED), "wave", "PPPrp..PP", order=2),
    linear(
        "in time, beam, wrong sign",
        data("∂²u/∂t² = ∂⁴u/∂x⁴") + ZERO_SPEED + "\n",
        "higher-order|ill-posed",
        "PPr....",
        "cosh(k²t) cos(kx)",
        order=2,
    ),
    linear(
        "in time, beam in tension",
        data("∂²u/∂t² = Δu - ∂⁴u/∂x⁴") + ZERO_SPEED + "\n",
        "higher-order|wave",
        "PPrrp..",
        order=2,
    ),
    # ---- first order in time
    linear("sixth order", data("∂u/∂t = ∂⁶u/∂x⁶"), "higher-order", "PPRPPPp"),
    linear("sixth order, backward", data("∂u/∂t = -∂⁶u/∂x⁶"), "higher-order", "PPR...."),
    linear("fifth order", data("∂u/∂t = ∂⁵u/∂x⁵"), "higher-order", "PPRpppp"),
    linear("third order and heat", data("∂u/∂t = Δu + ∂³u/∂x³"), "higher-order", "PPRPPpp"),
    linear("fourth order, one direction", plane("∂u/∂t = Δu - ∂⁴u/∂y⁴"), "higher-order", "PPRPPpp"),
    linear(
        "fourth order, backward, ring",
        periodic("∂u/∂t = Δu + ∂⁴u/∂x⁴"),
        "higher-order",
        "PPR.....p",
        "the mean mode stays",
    ),
    linear("nothing", data("∂u/∂t = 0"), "ode", "PPPPPPP"),
    linear("rate of the place", data("∂u/∂t = x u"), "ode", "PRPPP..", "f exp(xt)"),
    linear("Kolmogorov", plane("∂u/∂t = y ∂u/∂x + ∂²u/∂y²"), "convection-diffusion", "PPPPPpr"),
    linear("Grushin", plane("∂u/∂t = ∂²u/∂x² + x² ∂²u/∂y²"), "diffusion", "PPPPPrr"),
    linear("Grushin, linear", plane("∂u/∂t = ∂²u/∂x² + x ∂²u/∂y²"), "diffusion", "PPR....", "x = -1"),
    linear(
        "black and scholes",
        data("∂u/∂t = ½x² ∂²u/∂x² + x ∂u/∂x - u"),
        "reaction-diffusion|convection-diffusion",
        "PRPPPrr",
    ),
    nonlinear("Kardar-Parisi-Zhang", data("∂u/∂t = Δu + ‖∇u‖²", "x in R^20"), "hamilton-jacobi", "RPPPPpp"),
    nonlinear("slope times curvature", data("∂u/∂t = abs(∂u/∂x) Δu"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear(
        "slope of any sign times curvature", data("∂u/∂t = ∂u/∂x Δu"), "nonlinear-diffusion", "RPR....", "slope -1"
    ),
)
