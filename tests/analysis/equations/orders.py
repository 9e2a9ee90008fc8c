"""Wave equations, higher orders, stationary and ordinary differential equations."""

from __future__ import annotations

from analysis.equations.common import GENERAL, TWO, VECTOR, ZERO_SPEED, ZERO_VELOCITY_PLANE
from analysis.spec_templates import Row, data, maps, pair, periodic, periodic_box, plane, stationary

WAVE = (
    Row("wave, line", data("∂²u/∂t² = Δu") + ZERO_SPEED + "\n", ("wave",), True, 2, "PPprpPp"),
    Row("wave, plane", plane("∂²u/∂t² = 4Δu") + ZERO_VELOCITY_PLANE + "\n", ("wave",), True, 2, "PPrrp.."),
    Row(
        "wave, with a push",
        data("∂²u/∂t² = Δu") + "∂u/∂t(x, 0) = exp(-x²)\n",
        ("wave",),
        True,
        2,
        "rrprp..",
        "it takes the data of the velocity",
    ),
    Row("Klein-Gordon", data("∂²u/∂t² = Δu - 4u") + ZERO_SPEED + "\n", ("wave",), True, 2, "PRrrp.."),
    Row("telegraph", plane("∂²u/∂t² + ∂u/∂t = Δu") + ZERO_VELOCITY_PLANE + "\n", ("wave",), True, 2, "PPrrp.."),
    Row("sine-Gordon", data("∂²u/∂t² = Δu - sin(u)") + ZERO_SPEED + "\n", ("wave",), False, 2, "RRrrp.."),
    Row("wave, ring", periodic("∂²u/∂t² = Δu", rest=ZERO_SPEED), ("wave",), True, 2, "PPprp..pP"),
    Row("wave, torus", periodic_box("∂²u/∂t² = Δu", rest=ZERO_VELOCITY_PLANE), ("wave",), True, 2, "PPrrp..rP"),
    Row("wave, ring, pushed", periodic("∂²u/∂t² = Δu", rest="∂u/∂t(x, 0) = 1"), ("wave",), True, 2, "rr.rp..rr"),
    Row(
        "wave, ring, pushed both ways",
        periodic("∂²u/∂t² = Δu", rest="∂u/∂t(x, 0) = cos(2π x)"),
        ("wave",),
        True,
        2,
        "rr.rp..rp",
    ),
    Row("Klein-Gordon, ring", periodic("∂²u/∂t² = Δu - u", rest=ZERO_SPEED), ("wave",), True, 2, "PRrrp..rr"),
    Row(
        "wave, ring, damped more and more",
        periodic("∂²u/∂t² + t ∂u/∂t = Δu", rest=ZERO_SPEED),
        ("wave",),
        True,
        2,
        "PP.rp...p",
    ),
    Row(
        "telegraph, ring",
        periodic("∂²u/∂t² + ∂u/∂t = Δu", rest=ZERO_SPEED),
        ("wave",),
        True,
        2,
        "PPprp..pP",
    ),
)

HIGHER_ORDER = (
    Row("biharmonic", plane("∂u/∂t = -Δ²u"), ("higher-order",), True, 1, "PPRPPPp"),
    Row("biharmonic, backward", plane("∂u/∂t = Δ²u"), ("higher-order",), True, 1, "PPR...."),
    Row("biharmonic and heat", data("∂u/∂t = Δu - Δ²u"), ("higher-order",), True, 1, "PPRPPPp"),
    Row("Airy", data("∂u/∂t = ∂³u/∂x³"), ("higher-order",), True, 1, "PPRpppp"),
    Row("Korteweg-de Vries", data("∂u/∂t + 6u ∂u/∂x + ∂³u/∂x³ = 0"), ("higher-order",), False, 1, "RPRpppp"),
    Row(
        "Kuramoto-Sivashinsky",
        data("∂u/∂t + ½(∂u/∂x)² + ∂²u/∂x² + ∂⁴u/∂x⁴ = 0"),
        ("higher-order",),
        False,
        1,
        "RPRpppp",
    ),
    Row("Cahn-Hilliard", plane("∂u/∂t = Δ(u³ - u - 0.01Δu)"), ("higher-order",), False, 1, "RPRpppp"),
    Row(
        "pseudo-parabolic",
        data("∂u/∂t - ∂³u/∂x²∂t = Δu"),
        ("higher-order|diffusion",),
        True,
        1,
        "PPpPrpp",
        "solved for ∂u/∂t it is an average of u, less u: neither local nor of third order",
    ),
    Row("beam", data("∂²u/∂t² = -∂⁴u/∂x⁴") + ZERO_SPEED + "\n", ("higher-order|wave",), True, 2, "PPRrp.."),
    Row(
        "Korteweg-de Vries, ring",
        periodic("∂u/∂t + u ∂u/∂x + ∂³u/∂x³ = 0"),
        ("higher-order",),
        False,
        1,
        "RPRpp..rP",
    ),
    Row(
        "Kuramoto-Sivashinsky, ring",
        periodic("∂u/∂t + u ∂u/∂x + Δu + Δ²u = 0"),
        ("higher-order",),
        False,
        1,
        "RPRpp..rP",
    ),
    Row(
        "Kuramoto-Sivashinsky, integrated, ring",
        periodic("∂u/∂t + (∂u/∂x)² + Δu + Δ²u = 0"),
        ("higher-order",),
        False,
        1,
        "RPRpp..rr",
    ),
    Row("Cahn-Hilliard, torus", periodic_box("∂u/∂t = Δ(u³ - u - 0.01Δu)"), ("higher-order",), False, 1, "RPRpp..rP"),
)

ELLIPTIC = (
    Row("Laplace", stationary("Δu = 0", ends="u = x on boundary"), ("elliptic",), True, 0, ".......p."),
    Row("Poisson", stationary("-Δu = 1"), ("elliptic",), True, 0, ".......r."),
    Row("Poisson, a source of the place", stationary("Δu = sin(π x)"), ("elliptic",), True, 0, ".......r."),
    Row("Helmholtz", stationary("Δu + 4u = 1"), ("elliptic",), True, 0, ".......r."),
    Row("screened Poisson", stationary("-Δu + u = sin(π x)"), ("elliptic",), True, 0, ".......r."),
    Row(
        "elliptic, learned",
        stationary("∇·(κ∇u) = 1", "learn κ(x, y) : scalar > 0 = mlp"),
        ("elliptic",),
        True,
        0,
        ".......r.",
    ),
    Row("elliptic, nonlinear", stationary("-Δu + u³ = 1"), ("elliptic",), False, 0, ".......r."),
)

ODE = (
    Row("relaxation", data("∂u/∂t = -u"), ("ode",), True, 1, "PRPPPPP", "the reaction is bounded by the data"),
    Row("relaxation, any dimension", data("∂u/∂t + 2u = 0", GENERAL), ("ode",), True, 1, "PRPPPPp"),
    Row("pendulum, overdamped", data("∂u/∂t = sin(u)"), ("ode",), False, 1, "RRPPPpp"),
    Row("forcing", data("∂u/∂t = cos(t)"), ("ode",), True, 1, "RRPPPPp"),
    Row(
        "learned dynamics of a value",
        data("∂u/∂t = f(u)", VECTOR, "learn f(u) : scalar = mlp"),
        ("ode",),
        False,
        1,
        "rrpPPpp",
        "the network may be zero, and its slope has no bound in its type",
    ),
    Row(
        "Lotka-Volterra",
        pair("∂u/∂t = u (1 - v)", "∂v/∂t = v (u - 1)"),
        ("ode", "ode"),
        False,
        1,
        "RRrPP..",
        "an order of pairs is a convention",
    ),
    Row(
        "neural ODE",
        maps("∂Y/∂t = f(Y, t)", "learn f(Y, t) : channels = convnet(layers=2)", "dopri5"),
        ("ode",),
        False,
        1,
        "UU..",
        "a learned field may be anything",
    ),
    Row(
        "residual network",
        maps("∂Y/∂t = f(Y, t)", "learn f(Y, t) : channels = convnet(layers=2)"),
        ("ode",),
        False,
        1,
        "UU..",
        "a learned field may be anything",
    ),
    Row("feature maps, decay", maps("∂Y/∂t = -Y", ""), ("ode|gradient-flow",), True, 1, "pprr"),
    Row(
        "feature maps, decay in one step",
        maps("∂Y/∂t = -Y", "", "euler(steps=1)"),
        ("ode|gradient-flow",),
        True,
        1,
        "rrrr",
    ),
    Row("feature maps, growth", maps("∂Y/∂t = Y", ""), ("ode|gradient-flow",), True, 1, "rrrr"),
    Row("two operators", maps("∂Y/∂t = -K1ᵀ tanh(K2 Y)", TWO), ("ode",), False, 1, "rrrr"),
)

SQUARE = "(x, y) in [-1, 1]^2"
AT_REST = (
    *(
        Row(f"at rest, hyperbolic, {k}", stationary(text), ("hyperbolic",), True, 0, ".........")
        for k, text in enumerate(
            (
                "∂²u/∂x∂y = 0",
                "∂²u/∂x² - ∂²u/∂y² = 0",
                "∂²u/∂x² = 4 ∂²u/∂y² + u",
                "∂²u/∂x² + 3 ∂²u/∂x∂y + ∂²u/∂y² = 1",
                "∂²u/∂x² - (1 + x²) ∂²u/∂y² = ∂u/∂x",
                "2 ∂²u/∂x∂y = x - y",
            )
        )
    ),
    *(
        Row(f"at rest, parabolic, {k}", stationary(text), ("parabolic",), True, 0, ".........")
        for k, text in enumerate(
            (
                "∂²u/∂x² - ∂u/∂y = 0",
                "∂u/∂x = ∂²u/∂y²",
                "∂²u/∂x² = 0",
                "∂²u/∂x² + 2 ∂²u/∂x∂y + ∂²u/∂y² = ∂u/∂x",
                "(1 + y²) ∂²u/∂y² + u = 1",
                "∂²u/∂x² - 4 ∂²u/∂x∂y + 4 ∂²u/∂y² + ∂u/∂y = 0",
            )
        )
    ),
    *(
        Row(f"at rest, mixed, {k}", stationary(text, space=SQUARE), ("mixed",), True, 0, ".........")
        for k, text in enumerate(
            (
                "y ∂²u/∂x² + ∂²u/∂y² = 0",
                "x ∂²u/∂y² + ∂²u/∂x² = 1",
                "sin(x) ∂²u/∂x² + ∂²u/∂y² = 0",
                "(x² - ½) ∂²u/∂x² + ∂²u/∂y² = u",
                "∂²u/∂x² + 4x ∂²u/∂x∂y + ∂²u/∂y² = 0",
                "(x + y) Δu + ∂²u/∂x² = 0",
            )
        )
    ),
)


def flow(motion: str, constraint: str = "∇·v = 0") -> str:
    return (
        "pde Row\nspace (x, y) in [0, 1]^2 periodic\ntime t in [0, 1]\nunknown v(x, y, t) : vector(2)\n"
        f"unknown p(x, y, t) : scalar\n{motion}\n{constraint}\nv(x, y, 0) = [0, 0]\n"
    )


BY_PRESSURE = "the pressure is given by v, over all of space"
CONSTRAINED = (
    Row("Stokes", flow("∂v/∂t + ∇p = Δv"), ("diffusion", "constraint"), True, (1, 0), "PP.P....."),
    Row("Brinkman", flow("∂v/∂t + ∇p = Δv - v"), ("reaction-diffusion", "constraint"), True, (1, 0), "PR.P....."),
    Row("Oseen", flow("∂v/∂t + 2∂v/∂x + ∇p = Δv"), ("convection-diffusion", "constraint"), True, (1, 0), "PP.P....."),
    Row("Darcy, in time", flow("∂v/∂t + ∇p = -v"), ("transport", "constraint"), True, (1, 0), "PR.P....."),
    Row(
        "Navier-Stokes",
        flow("∂v/∂t + v·∇v + ∇p = Δv", "∂v₁/∂x + ∂v₂/∂y = 0"),
        ("convection-diffusion", "constraint"),
        False,
        (1, 0),
        "rP.Pr....",
        BY_PRESSURE,
    ),
    Row(
        "Euler",
        flow("∂v/∂t + v·∇v + ∇p = 0", "3∇·v = 0"),
        ("transport", "constraint"),
        False,
        (1, 0),
        "rP.Pr....",
        BY_PRESSURE,
    ),
)
