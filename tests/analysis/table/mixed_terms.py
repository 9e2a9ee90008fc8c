"""Terms in which x, u and derivatives are multiplied.

- ∂u/∂t = x²g(∂²u/∂x²): with x²g(φ'') = a the function at + φ(x) is a solution if φ'' is integrable at 0, and so is
  the one that stays φ(0) there. g(X) = X³ has φ'' = (a/x²)^⅓, sinh X has φ'' ≈ 2 log 1/|x|; g(X) = X has none.
- ∂u/∂t = u|∂u/∂x|: a jump from 0 to h may travel at any speed between 0 and h (compare both envelopes with smooth
  functions), as higher level sets move faster. u ∂u/∂x is a conservation law, -u|∂u/∂x| decreases in u.
- a linear equation of first order is solved along its characteristics, however fast its rate grows.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    ZERO_SPEED,
    line,
    linear,
    nonlinear,
    periodic_2pi,
    physical,
    segment,
)
from analysis.spec_templates import Row, data, interval, lines, pair, periodic, plane, stationary

TABLE: tuple[Row, ...] = (
    # ---- F(x, ∇∇u)
    nonlinear("against, x² X³", line("∂u/∂t = x² (∂²u/∂x²)³"), "nonlinear-diffusion", "..r...."),
    nonlinear("against, (1+x²) X³", line("∂u/∂t = (1 + x²) (∂²u/∂x²)³"), "nonlinear-diffusion", "..p...."),
    nonlinear("against, x² sinh X", line("∂u/∂t = x² sinh(∂²u/∂x²)"), "nonlinear-diffusion", "..r...."),
    nonlinear("against, x² (e^X - 1)", line("∂u/∂t = x² (exp(∂²u/∂x²) - 1)"), "nonlinear-diffusion", "..r...."),
    nonlinear("against, plane x² (Δu)³", plane("∂u/∂t = x² (Δu)³"), "nonlinear-diffusion", "..r...."),
    nonlinear("against, sin² X³ ring", periodic_2pi("∂u/∂t = sin(x)² (∂²u/∂x²)³"), "nonlinear-diffusion", "..r...."),
    nonlinear("against, x² relu X", line("∂u/∂t = x² relu(∂²u/∂x²)"), "nonlinear-diffusion", "..p...."),
    nonlinear(
        "against, x² max(X, 2X)", line("∂u/∂t = sin(x)² max(∂²u/∂x², 2 ∂²u/∂x²)"), "nonlinear-diffusion", "..p...."
    ),
    nonlinear("against, |x| X³", line("∂u/∂t = |x| (∂²u/∂x²)³"), "nonlinear-diffusion", "..r...."),
    nonlinear("against, x² (X + X³)", line("∂u/∂t = x² (∂²u/∂x² + (∂²u/∂x²)³)"), "nonlinear-diffusion", "..r...."),
    nonlinear("against, x² tanh X", line("∂u/∂t = x² tanh(∂²u/∂x²)"), "nonlinear-diffusion", "..p...."),
    # ---- level sets that overtake each other
    nonlinear("against, u|u_x|", line("∂u/∂t = u |∂u/∂x|"), "hamilton-jacobi", "..r...."),
    nonlinear("against, u|u_x| ring", periodic_2pi("∂u/∂t = u |∂u/∂x|"), "hamilton-jacobi", "..r...."),
    nonlinear("against, u‖∇u‖ plane", plane("∂u/∂t = u ‖∇u‖"), "hamilton-jacobi", "..r...."),
    nonlinear("against, u‖∇u‖ R^d", data("∂u/∂t = u ‖∇u‖", "x in R^d"), "hamilton-jacobi", "..r...."),
    nonlinear("against, u_yy + u|u_x|", plane("∂u/∂t = ∂²u/∂y² + u |∂u/∂x|"), "hamilton-jacobi", "..r...."),
    nonlinear("against, -u|u_x|", line("∂u/∂t = -u |∂u/∂x|"), "hamilton-jacobi", "..p...."),
    nonlinear("against, tanh(u)|u_x|", line("∂u/∂t = tanh(u) |∂u/∂x|"), "hamilton-jacobi", "..r...."),
    nonlinear("against, u²|u_x|", line("∂u/∂t = u² |∂u/∂x|", kind="scalar >= 0"), "hamilton-jacobi", "..r...."),
    nonlinear("against, |u_x|/(1+u²)", line("∂u/∂t = |∂u/∂x|/(1 + u²)"), "hamilton-jacobi", "..r...."),
    nonlinear(
        "against, |u_x|/(1+u²), u>0", line("∂u/∂t = |∂u/∂x|/(1 + u²)", kind="scalar > 0"), "hamilton-jacobi", "..p...."
    ),
    nonlinear("against, u√(1+u_x²)", line("∂u/∂t = u sqrt(1 + (∂u/∂x)²)"), "hamilton-jacobi", "..r...."),
    nonlinear("against, Δu + u|u_x|", line("∂u/∂t = Δu + u |∂u/∂x|"), "hamilton-jacobi", "..p...."),
    nonlinear("against, u u_x", line("∂u/∂t = u ∂u/∂x"), "transport", "..P...."),
    nonlinear("against, u u_x + u² u_y", plane("∂u/∂t = u ∂u/∂x + u² ∂u/∂y"), "transport", "..p...."),
    nonlinear("against, u_yy + u u_x", plane("∂u/∂t = ∂²u/∂y² + u ∂u/∂x"), "convection-diffusion", "..p...."),
    nonlinear("against, u|u_x|^½", line("∂u/∂t = u sqrt(|∂u/∂x|)"), "hamilton-jacobi", "..U...."),
    nonlinear("against, relu(u u_x)", line("∂u/∂t = relu(u ∂u/∂x)"), "hamilton-jacobi", "..p...."),
    # ---- at rest
    nonlinear("against, Δu - u³", stationary("Δu - u³ = 0"), "elliptic", "..P....", order=0),
    linear("against, Δu + u", stationary("Δu + u = 0"), "elliptic", "..p....", order=0),
    linear("against, Δu + 20u", stationary("Δu + 20u = 0"), "elliptic", "..r....", order=0),
    linear("against, -Δu + u = x", stationary("-Δu + u = x"), "elliptic", "..P....", order=0),
    nonlinear("against, Δu = -e^u", stationary("Δu = -exp(u)"), "elliptic", "..r....", order=0),
    nonlinear("against, Δu = relu u", stationary("Δu = relu(u)"), "elliptic", "..P....", order=0),
    nonlinear("against, ∇·((1+u²)∇u)", stationary("∇·((1 + u²)∇u) = 0"), "elliptic", "..p....", order=0),
    nonlinear("against, (2+sin u)Δu", stationary("(2 + sin(u))Δu = 0"), "elliptic", "..p....", order=0),
    nonlinear(
        "against, X + X³", stationary("∂²u/∂x² + (∂²u/∂x²)³ = 0", space="x in [0, 1]"), "elliptic", "..P....", order=0
    ),
    nonlinear("against, X³", stationary("(∂²u/∂x²)³ = 0", space="x in [0, 1]"), "elliptic", "..p....", order=0),
    linear(
        "against, Δu = u_x/x",
        stationary("Δu = (1/x) ∂u/∂x", space="(x, y) in [0, 1]^2"),
        "elliptic",
        "..p....",
        order=0,
    ),
    linear(
        "against, rest ½ periodic",
        lines(
            "pde Row",
            "space (x, y) in [0, 1] * [0, 1] periodic",
            "unknown u(x, y) : scalar",
            "Δu - u = 0",
            "u = 0 on left, right",
        ),
        "elliptic",
        "..P....",
        order=0,
    ),
    # ---- poles
    linear("against, heat - u_x/x plane", plane("∂u/∂t = Δu - (1/x) ∂u/∂x"), "convection-diffusion", "..r...."),
    linear("against, heat + u_x/x plane", plane("∂u/∂t = Δu + (1/x) ∂u/∂x"), "convection-diffusion", "..p...."),
    linear("against, heat + u/x plane", plane("∂u/∂t = Δu + u/x"), "reaction-diffusion", "..U...."),
    linear("against, -u/x² plane", plane("∂u/∂t = Δu - u/x²"), "reaction-diffusion", "..p...."),
    # ---- rates that grow
    linear("against, u_x + x²u", line("∂u/∂t = ∂u/∂x + x² u"), "transport", "..P...."),
    linear("against, -x u_x + x²u", line("∂u/∂t = -x ∂u/∂x + x² u"), "transport", "..P...."),
    linear("against, x²u", line("∂u/∂t = x² u"), "ode", "..P...."),
    linear("against, e^x u", line("∂u/∂t = exp(x) u"), "ode", "..P...."),
    linear("against, u_xx + x² u", line("∂u/∂t = ∂²u/∂x² + x² u"), "reaction-diffusion", "..r...."),
    linear("against, u_xx - x² u", line("∂u/∂t = ∂²u/∂x² - x² u"), "reaction-diffusion", "..P...."),
    linear("against, u_xx + |x| u", line("∂u/∂t = ∂²u/∂x² + |x| u"), "reaction-diffusion", "..P...."),
    linear("against, u_xx + x⁴ u - ", line("∂u/∂t = x² ∂²u/∂x² + x u"), "reaction-diffusion", "..p...."),
    # ---- kinks and jumps
    linear("against, H(x) u_x", line("∂u/∂t = heaviside(x) ∂u/∂x"), "transport", "..r...."),
    linear("against, -sign u_x", line("∂u/∂t = -sign(x) ∂u/∂x"), "transport", "..p...."),
    linear("against, sign u_x", line("∂u/∂t = sign(x) ∂u/∂x"), "transport", "..r...."),
    linear("against, (2sign²-1)Δ", line("∂u/∂t = (2 sign(x)² - 1) Δu"), "diffusion", "..p...."),
    linear("against, H(x) Δu", line("∂u/∂t = heaviside(x) Δu"), "diffusion", "..r...."),
    linear("against, relu² u_xx", line("∂u/∂t = max(x, 0)² ∂²u/∂x²"), "diffusion", "..P...."),
    linear("against, relu u_xx", line("∂u/∂t = max(x, 0) ∂²u/∂x²"), "diffusion", "..p...."),
    linear("against, relu^½ u_xx", line("∂u/∂t = sqrt(max(x, 0)) ∂²u/∂x²"), "diffusion", "..r...."),
    linear("against, relu^1.5 u_xx", line("∂u/∂t = max(x, 0)^(3/2) ∂²u/∂x²"), "diffusion", "..p...."),
    linear("against, |x|u_xx + u_x", line("∂u/∂t = |x| ∂²u/∂x² + ∂u/∂x"), "convection-diffusion", "..p...."),
    linear("against, (1-x²)u_xx line", line("∂u/∂t = (1 - x²) ∂²u/∂x²"), "diffusion", "..R...."),
    linear(
        "against, (1-x²)u_xx segment",
        segment("∂u/∂t = (1 - x²) ∂²u/∂x²", DIRICHLET, "1 - x²", "x in [-1, 1]"),
        "diffusion",
        "..P....",
    ),
    linear("against, ∂∂, 2", plane("∂u/∂t = ∂²u/∂x² + 2 ∂²u/∂x∂y + ∂²u/∂y²"), "diffusion", "..P...."),
    linear("against, ∂∂, 2.01", plane("∂u/∂t = ∂²u/∂x² + 2.01 ∂²u/∂x∂y + ∂²u/∂y²"), "diffusion", "..R...."),
    linear("against, (x·∇)²", plane("∂u/∂t = x² ∂²u/∂x² + 2 x y ∂²u/∂x∂y + y² ∂²u/∂y²"), "diffusion", "..P...."),
    linear("against, |x|y cross", plane("∂u/∂t = x² ∂²u/∂x² + |x| y ∂²u/∂x∂y + y² ∂²u/∂y²"), "diffusion", "..p...."),
    # ---- Hamilton-Jacobi
    nonlinear("against, x|p|", line("∂u/∂t = x |∂u/∂x|"), "hamilton-jacobi", "..P...."),
    nonlinear("against, x²|p|", line("∂u/∂t = x² |∂u/∂x|"), "hamilton-jacobi", "..r...."),
    nonlinear("against, -x²|p|", line("∂u/∂t = -x² |∂u/∂x|"), "hamilton-jacobi", "..r...."),
    nonlinear("against, x²p²", line("∂u/∂t = x² (∂u/∂x)²"), "hamilton-jacobi", "..p...."),
    nonlinear("against, e^p", line("∂u/∂t = exp(∂u/∂x)"), "hamilton-jacobi", "..P...."),
    nonlinear("against, √|p|", line("∂u/∂t = sqrt(|∂u/∂x|)"), "hamilton-jacobi", "..p...."),
    nonlinear("against, x√|p|", line("∂u/∂t = x sqrt(|∂u/∂x|)"), "hamilton-jacobi", "..p...."),
    nonlinear("against, √|x||p|", line("∂u/∂t = sqrt(|x|) |∂u/∂x|"), "hamilton-jacobi", "..U...."),
    nonlinear("against, log|p|", line("∂u/∂t = log(|∂u/∂x|)"), "hamilton-jacobi", "..U...."),
    nonlinear("against, 1/p", line("∂u/∂t = 1/(∂u/∂x)"), "hamilton-jacobi", "..U...."),
    nonlinear("against, Perona-Malik", line("∂u/∂t = ∂/∂x(∂u/∂x/(1 + (∂u/∂x)²))"), "nonlinear-diffusion", "..R...."),
    # ---- growth
    linear("against, sin(x²) u_x", line("∂u/∂t = sin(x²) ∂u/∂x"), "transport", "..p..rp"),
    linear("against, sin(x²) u", line("∂u/∂t = Δu + sin(x²) u"), "reaction-diffusion", "..P..rP"),
    linear("against, e^-x⁴ u_x", line("∂u/∂t = exp(-x⁴) ∂u/∂x"), "transport", "..P..pP"),
    linear("against, log(1+x²) u_x", line("∂u/∂t = log(1 + x²) ∂u/∂x"), "transport", "..P..pr"),
    linear("against, (1+x²)^⅔ u_x", line("∂u/∂t = (1 + x²)^(2/3) ∂u/∂x"), "transport", "..r...."),
    linear("against, x log² u_x", line("∂u/∂t = x log(1 + x²)² ∂u/∂x"), "transport", "..r...."),
    linear("against, x sin log", line("∂u/∂t = x sin(log(1 + x²)) ∂u/∂x"), "transport", "..p...."),
    linear("against, √(x²+t)", line("∂u/∂t = sqrt(x² + t) ∂u/∂x"), "transport", "..p...."),
    linear("against, √(|x|+t)", line("∂u/∂t = sqrt(|x| + t) ∂u/∂x"), "transport", "..p...."),
    linear("against, x/(1+x²)", line("∂u/∂t = x/(1 + x²) ∂u/∂x"), "transport", "..P..PP"),
    linear("against, x²/(1+x²)Δ", line("∂u/∂t = x²/(1 + x²) Δu"), "diffusion", "..P..rP"),
    linear("against, R^d √(1+r²)Δ", data("∂u/∂t = sqrt(1 + ‖x‖²) Δu", "x in R^d"), "diffusion", "..P...."),
    linear(
        "against, R^d (1+r²)^½ x·∇",
        data("∂u/∂t = Δu + sqrt(1 + ‖x‖²) x·∇u", "x in R^d"),
        "convection-diffusion",
        "..r....",
    ),
    linear(
        "against, half periodic drift",
        physical(
            "(x, y) in [0, 1] periodic * [0, 1]",
            "∂u/∂t = x ∂u/∂y + ∂²u/∂y² + ∂²u/∂x²",
            "sin(π y)",
            "scalar",
            "",
            "u = 0 on bottom, top",
        ),
        "convection-diffusion",
        "..p....",
    ),
    # ---- systems
    linear(
        "against, cooperative",
        pair("∂u/∂t = Δu + v", "∂v/∂t = Δv + u"),
        "reaction-diffusion reaction-diffusion",
        "..p....",
    ),
    linear("against, competitive", pair("∂u/∂t = Δu", "∂v/∂t = Δv - u"), "diffusion reaction-diffusion", "..r...."),
    # ---- waves
    linear("against, wave, ring", periodic("∂²u/∂t² = ∂²u/∂x²", rest=ZERO_SPEED), "wave", "..P....", order=2),
    linear(
        "against, wave, Robin",
        interval("∂²u/∂t² = ∂²u/∂x²", "n·∇u = -u on boundary", rest=ZERO_SPEED),
        "wave",
        "..r....",
        order=2,
    ),
    linear("against, wave, c(x)", line("∂²u/∂t² = (2 + sin(x)) ∂²u/∂x²", rest=ZERO_SPEED), "wave", "..r....", order=2),
    linear("against, wave, c(t)", line("∂²u/∂t² = (2 - t) ∂²u/∂x²", rest=ZERO_SPEED), "wave", "..U....", order=2),
    linear("against, wave + u", line("∂²u/∂t² = ∂²u/∂x² + u", rest=ZERO_SPEED), "wave", "..p....", order=2),
    linear("against, wave - u", line("∂²u/∂t² = ∂²u/∂x² - u", rest=ZERO_SPEED), "wave", "..R....", order=2),
    linear("against, telegraph", line("∂²u/∂t² + 2 ∂u/∂t = ∂²u/∂x²", rest=ZERO_SPEED), "wave", "..p....", order=2),
    linear(
        "against, telegraph -u", line("∂²u/∂t² + 2 ∂u/∂t = ∂²u/∂x² - u", rest=ZERO_SPEED), "wave", "..p....", order=2
    ),
    # ---- pieces in time
    linear(
        "against, split, second explosive",
        lines(
            "pde Row",
            "space x in R",
            "time t in [0, 1]",
            "unknown u(x, t) : scalar",
            "∂u/∂t = Δu for t in [0, ½]",
            "∂u/∂t = x² ∂u/∂x for t in [½, 1]",
            "u(x, 0) = exp(-x²)",
        ),
        "diffusion transport",
        "..r....",
    ),
    linear(
        "against, split, 1/t later",
        lines(
            "pde Row",
            "space x in R",
            "time t in [0, 1]",
            "unknown u(x, t) : scalar",
            "∂u/∂t = Δu for t in [0, ½]",
            "∂u/∂t = u/t for t in [½, 1]",
            "u(x, 0) = exp(-x²)",
        ),
        "diffusion ode",
        "..p....",
    ),
    linear(
        "against, split, 1/(t-½)",
        lines(
            "pde Row",
            "space x in R",
            "time t in [0, 1]",
            "unknown u(x, t) : scalar",
            "∂u/∂t = Δu for t in [0, ½]",
            "∂u/∂t = u/(t - ½) for t in [½, 1]",
            "u(x, 0) = exp(-x²)",
        ),
        "diffusion ode",
        "..r....",
    ),
)
