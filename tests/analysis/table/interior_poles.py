"""Poles inside a domain, user networks, arguments of learned functions, and conditions of every kind.

- ∂u/∂t = ∂²u/∂x² + ∂(u/x)/∂x absorbs mass at x = 0, where paths with the drift -1/x arrive and stay.
- ∂(√x ∂u/∂x)/∂x with u = 0 at x = 0 loses mass there, though its coefficient vanishes: ∫dx/√x is finite.
- what stands between two Lipschitz functions is no square: |q| |r| has no Lipschitz root where one of them vanishes.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    INSULATED,
    ZERO_SPEED,
    line,
    linear,
    nonlinear,
    periodic_2pi,
    physical,
    segment,
    square,
)
from analysis.spec_templates import Row, data, interval, lines, periodic, plane

T = 'torch("my.nets:Net")'


def seg(equation: str, ends: str) -> str:
    return segment(equation, ends, "1 - x²", "x in [-1, 1]")


SQUEEZED = lines(
    "pde Row",
    "space x in image(3, 64, 64)",
    "time t in [0, 1]",
    "unknown u(x, t) : simplex(10)",
    'learn v(x, t) : vector = torchvision("mobilenet_v3_small")',
    "learn W : operator = linear",
    "∂u/∂t = v·∇u",
    "u(x, 0) = softmax(W x)",
)

TABLE: tuple[Row, ...] = (
    linear("besides, squeeze and excitation", SQUEEZED, "transport", "PPpPPUU"),
    linear(
        "besides, pole inside, absorbing",
        seg("∂u/∂t = ∂²u/∂x² + ∂(u/x)/∂x", "n·∇u = -u on boundary"),
        "reaction-diffusion",
        "........r",
    ),
    linear(
        "besides, pole inside, repelling",
        seg("∂u/∂t = ∂²u/∂x² - ∂(u/x)/∂x", "n·∇u = u on boundary"),
        "reaction-diffusion",
        "........p",
    ),
    linear(
        "besides, pole inside, 2/x",
        seg("∂u/∂t = ∂²u/∂x² + 2 ∂(u/x)/∂x", "n·∇u = -2u on boundary"),
        "reaction-diffusion",
        "........r",
    ),
    linear(
        "besides, pole in a ring",
        physical("x in [-1, 1] periodic", "∂u/∂t = ∂²u/∂x² + ∂(u/x²)/∂x", "1", "scalar", "", ""),
        "reaction-diffusion",
        "........U",
    ),
    linear(
        "besides, pole of diffusion inside",
        seg("∂u/∂t = ∂/∂x((1/x²) ∂u/∂x)", INSULATED),
        "convection-diffusion",
        "........p",
    ),
    linear(
        "besides, pole log inside",
        seg("∂u/∂t = ∂²u/∂x² + ∂(log(|x|) u)/∂x", INSULATED),
        "reaction-diffusion",
        "........p",
    ),
    linear(
        "besides, own rate, transport",
        line("∂u/∂t = ∂u/∂x + q u", declare=f"learn q(x) : scalar = {T}"),
        "transport",
        "..U....",
    ),
    linear(
        "besides, own rate, heat",
        line("∂u/∂t = Δu + q u", declare=f"learn q(x) : scalar = {T}"),
        "reaction-diffusion",
        "..U....",
    ),
    linear("besides, own rate, ODE", line("∂u/∂t = q u", declare=f"learn q(x) : scalar = {T}"), "ode", "..p...."),
    nonlinear("besides, f(√|u|)", line("∂u/∂t = f(sqrt(|u|))", declare="learn f(u) : scalar = mlp"), "ode", "..U...."),
    linear(
        "besides, own rate in time, ODE", line("∂u/∂t = q u", declare=f"learn q(t) : scalar = {T}"), "ode", "..U...."
    ),
    linear("besides, own drift", line("∂u/∂t = q ∂u/∂x", declare=f"learn q(x) : scalar = {T}"), "transport", "..U...."),
    linear(
        "besides, own diffusivity",
        line("∂u/∂t = q Δu", declare=f"learn q(x) : scalar > 0 = {T}"),
        "diffusion",
        "..U....",
    ),
    linear(
        "besides, own diffusivity in time",
        line("∂u/∂t = q Δu", declare=f"learn q(t) : scalar > 0 = {T}"),
        "diffusion",
        "..U...U",
    ),
    linear(
        "besides, own drift in time",
        line("∂u/∂t = q ∂u/∂x", declare=f"learn q(t) : scalar = {T}"),
        "transport",
        "..U...U",
    ),
    linear("besides, own source", line("∂u/∂t = Δu + q", declare=f"learn q(x) : scalar = {T}"), "diffusion", "..p..UU"),
    linear(
        "besides, q(x, 1/t)",
        line("∂u/∂t = q(x, 1/t) ∂u/∂x", declare="learn q(x, t) : scalar = mlp(activation=relu)"),
        "transport",
        "..U....",
    ),
    linear(
        "besides, q(x, exp(1/t))",
        line("∂u/∂t = q(x, exp(1/t)) u", declare="learn q(x, t) : scalar = mlp(activation=relu)"),
        "ode",
        "..U....",
    ),
    linear(
        "besides, q(x², t)",
        line("∂u/∂t = q(x², t) ∂u/∂x", declare="learn q(x, t) : scalar = mlp(activation=relu)"),
        "transport",
        "..U....",
    ),
    linear(
        "besides, q(exp x, t)",
        line("∂u/∂t = q(exp(x), t) ∂u/∂x", declare="learn q(x, t) : scalar = mlp(activation=relu)"),
        "transport",
        "..U....",
    ),
    linear(
        "besides, q(1/x, t)",
        line("∂u/∂t = q(1/x, t) ∂u/∂x", declare="learn q(x, t) : scalar = mlp(activation=tanh)"),
        "transport",
        "..U....",
    ),
    linear(
        "besides, q(√|x|) Δ",
        line("∂u/∂t = q(sqrt(|x|), t) Δu", declare="learn q(x, t) : scalar > 0 = mlp(activation=tanh)"),
        "diffusion",
        "..p....",
    ),
    linear(
        "besides, q(√|x|) drift",
        line("∂u/∂t = q(sqrt(|x|), t) ∂u/∂x", declare="learn q(x, t) : scalar = mlp(activation=tanh)"),
        "transport",
        "..U....",
    ),
    nonlinear(
        "besides, f(u, x) x²",
        line("∂u/∂t = Δu + x² f(u)", declare="learn f(u) : scalar = mlp"),
        "reaction-diffusion",
        "..U....",
    ),
    nonlinear("besides, f(1/u)", line("∂u/∂t = f(1/u)", declare="learn f(u) : scalar = mlp"), "ode", "..U...."),
    nonlinear(
        "besides, f(√u), u≥0",
        line("∂u/∂t = f(sqrt(u))", kind="scalar >= 0", declare="learn f(u) : scalar = mlp"),
        "ode",
        "..U....",
    ),
    nonlinear(
        "besides, f(u²)",
        line("∂u/∂t = Δu + f(u²)", declare="learn f(u) : scalar = mlp"),
        "reaction-diffusion",
        "..p....",
    ),
    nonlinear(
        "besides, f(∂u/∂x)", line("∂u/∂t = f(∂u/∂x)", declare="learn f(u) : scalar = mlp"), "hamilton-jacobi", "..p...."
    ),
    nonlinear(
        "besides, f(Δu)",
        line("∂u/∂t = f(∂²u/∂x²)", declare="learn f(u) : scalar = mlp"),
        "nonlinear-diffusion",
        "..U....",
    ),
    linear("besides, |x|√(1+x²)Δ plane", plane("∂u/∂t = |x| sqrt(1 + x²) Δu"), "diffusion", "..p...."),
    linear(
        "besides, relu(q)·r",
        data("∂u/∂t = |q| |r| Δu", "x in R^2", "learn q(x) : scalar = mlp\nlearn r(x) : scalar = mlp"),
        "diffusion",
        "..U....",
    ),
    linear(
        "besides, q r with q,r≥0",
        data("∂u/∂t = q r Δu", "x in R^2", "learn q(x) : scalar >= 0 = mlp\nlearn r(x) : scalar >= 0 = mlp"),
        "diffusion",
        "..p....",
    ),
    linear(
        "besides, relu(q)relu(r)",
        data("∂u/∂t = relu(q) relu(r) Δu", "x in R^2", "learn q(x) : scalar = mlp\nlearn r(x) : scalar = mlp"),
        "diffusion",
        "..U....",
    ),
    linear("besides, |sin x| cos², plane", plane("∂u/∂t = |sin(x)| (2 + |cos(y)|) Δu"), "diffusion", "..p...."),
    linear(
        "besides, Robin t-dependent",
        interval("∂u/∂t = Δu", "n·∇u = -(t - ½) u on boundary"),
        "diffusion",
        "..p....",
    ),
    linear("besides, Robin right", interval("∂u/∂t = Δu", "n·∇u = -t u on boundary"), "diffusion", "..P...."),
    linear("besides, Neumann t", interval("∂u/∂t = Δu", "n·∇u = t on boundary"), "diffusion", "..P.....R"),
    linear(
        "besides, oblique",
        square("∂u/∂t = Δu", "n·∇u = 0 on left, right, bottom\n∂u/∂y + 10 ∂u/∂x = 0 on top"),
        "diffusion",
        "..p.....r",
    ),
    linear(
        "besides, tangential",
        square("∂u/∂t = Δu", "u = 0 on left, right, bottom\n∂u/∂x = 0 on top"),
        "diffusion",
        "..p....",
    ),
    linear(
        "besides, Dirichlet learned",
        interval("∂u/∂t = Δu", "u = g on boundary", declare="learn g(t) : scalar = mlp"),
        "diffusion",
        "..P....",
    ),
    linear("besides, flux sqrt", interval("∂u/∂t = Δu", "n·∇u = sqrt(|u|) on boundary"), "diffusion", "..r...."),
    linear("besides, flux exp(-u)", interval("∂u/∂t = Δu", "n·∇u = exp(-u) on boundary"), "diffusion", "..p...."),
    linear(
        "besides, zero coefficient at a time",
        interval("∂u/∂t = Δu", "(t - ½) n·∇u + u = 0 on boundary"),
        "diffusion",
        "..r....",
    ),
    linear("besides, vanishing Dirichlet", interval("∂u/∂t = Δu", "t u = 0 on boundary"), "diffusion", "..p...."),
    linear(
        "besides, degenerate Neumann",
        interval("∂u/∂t = ∂/∂x(x (1 - x) ∂u/∂x)", INSULATED),
        "convection-diffusion",
        "........P",
    ),
    linear(
        "besides, FP degenerate Neumann",
        interval("∂u/∂t = ∂²(x (1 - x) u)/∂x²", INSULATED),
        "reaction-diffusion",
        "........r",
    ),
    linear(
        "besides, FP degenerate Dirichlet",
        interval("∂u/∂t = ∂²(x (1 - x) u)/∂x²", DIRICHLET),
        "reaction-diffusion",
        "........r",
    ),
    linear(
        "besides, div degenerate Dirichlet",
        interval("∂u/∂t = ∂/∂x(x (1 - x) ∂u/∂x)", DIRICHLET),
        "convection-diffusion",
        "........p",
    ),
    linear(
        "besides, div degenerate²",
        interval("∂u/∂t = ∂/∂x(x² (1 - x)² ∂u/∂x)", DIRICHLET),
        "convection-diffusion",
        "........p",
    ),
    linear(
        "besides, div √ degenerate Dirichlet",
        interval("∂u/∂t = ∂/∂x(sqrt(x) ∂u/∂x)", "u = 0 on left\nn·∇u = 0 on right"),
        "convection-diffusion",
        "........r",
    ),
    linear(
        "besides, div √ degenerate Neumann",
        interval("∂u/∂t = ∂/∂x(sqrt(x) ∂u/∂x)", INSULATED),
        "convection-diffusion",
        "........p",
    ),
    linear("besides, transport that stops", interval("∂u/∂t = ∂(x (1 - x) u)/∂x", ""), "transport", "........P"),
    linear("besides, transport in", interval("∂u/∂t = -∂u/∂x", "u = 0 on left"), "transport", "........R"),
    nonlinear(
        "besides, Burgers shut",
        interval("∂u/∂t = ∂²u/∂x² - u ∂u/∂x", "n·∇u = 0 on boundary"),
        "convection-diffusion",
        "........R",
    ),
    nonlinear(
        "besides, Burgers cold",
        interval("∂u/∂t = ∂²u/∂x² - u ∂u/∂x", DIRICHLET),
        "convection-diffusion",
        "........R",
    ),
    nonlinear("besides, porous cold", interval("∂u/∂t = Δ(u³)", DIRICHLET), "nonlinear-diffusion", "........r"),
    nonlinear(
        "besides, porous shut flux",
        interval("∂u/∂t = Δ(u³)", "n·∇u = 1 on boundary"),
        "nonlinear-diffusion",
        "........r",
    ),
    linear("besides, source balanced", interval("∂u/∂t = Δu + cos(π x)", INSULATED), "diffusion", "........P"),
    linear("besides, source given", interval("∂u/∂t = Δu + 2", "n·∇u = -1 on boundary"), "diffusion", "........P"),
    linear("besides, source t", interval("∂u/∂t = Δu + (t - ½)", INSULATED), "diffusion", "........R"),
    linear("besides, rate zero mean", periodic_2pi("∂u/∂t = Δu + sin(x) u"), "reaction-diffusion", "........R"),
    linear("besides, square source", square("∂u/∂t = Δu + cos(π x) cos(π y)", INSULATED), "diffusion", "........P"),
    linear(
        "besides, wave pushed",
        interval("∂²u/∂t² = Δu", INSULATED, rest="∂u/∂t(x, 0) = cos(π x)"),
        "wave",
        "........P",
        order=2,
    ),
    linear(
        "besides, wave pushed 1",
        interval("∂²u/∂t² = Δu", INSULATED, rest="∂u/∂t(x, 0) = 1"),
        "wave",
        "........R",
        order=2,
    ),
    nonlinear(
        "besides, nonlinear wave",
        periodic("∂²u/∂t² = ∂²(u³)/∂x²", rest=ZERO_SPEED),
        "wave",
        "........P",
        order=2,
    ),
)
