"""Delay, coefficients that are singular in t, signs on a time interval, higher orders, and mixed derivatives.

- An unknown at another time (t - 1, t/2, 0) is memory: not Markov.
- ∂u/∂t = c(t)Δu is the heat equation at the time C(t) = ∫₀ᵗ c: comparison exactly if C ≥ 0 on [0, 1] for smooth c. Rows
  in which c turns negative while C stays positive are left out: what they keep depends on where one starts.
  ‖T(f) - f‖ ≤ C s fails where c has no bound near 0: the distance is that of C(s).
- Second order in time, at rest, on the line: d'Alembert averages; e⁻ᵗ, cosh and I₀ kernels are positive, J₁ is not.
- Data of higher order are zero: u = f φ(t) for ∂ⁿu/∂tⁿ = cu, ordered while φ ≥ 0.
"""

from __future__ import annotations

from analysis.more_spec_templates import ZERO_SPEED, linear, nonlinear
from analysis.spec_templates import Row, data, periodic

DELAY = "what happened before the start is not said"
SINGULAR = "the coefficient has no bound at the start"
STILL = "\n".join((ZERO_SPEED, "∂²u/∂t²(x, 0) = 0", ""))
REST_LINE = ZERO_SPEED + "\n"


def at_rest(equation: str) -> str:
    return data(equation) + REST_LINE


TABLE: tuple[Row, ...] = (
    # ---- memory
    linear("delay", data("∂u/∂t = Δu + u(x, t - 1)"), "reaction-diffusion|diffusion", "pRpR...", DELAY),
    linear("delay, pulling back", data("∂u/∂t = Δu - u(x, t - ½)"), "reaction-diffusion|diffusion", "pR.R...", DELAY),
    linear(
        "delay, constants stay", data("∂u/∂t = Δu + u(x, t - 1) - u"), "reaction-diffusion|diffusion", "pppR...", DELAY
    ),
    linear("delay, ring", periodic("∂u/∂t = u(x, t - ½)"), "ode|reaction-diffusion", "pRpR...RR", DELAY),
    nonlinear(
        "delay, logistic", data("∂u/∂t = Δu + u (1 - u(x, t - 1))"), "reaction-diffusion|diffusion", "RR.R...", DELAY
    ),
    linear("pantograph", data("∂u/∂t = u(x, t/2)"), "ode|reaction-diffusion", "PRpR...", "u = f Σ tⁿ 2^(-n(n-1)/2)/n!"),
    linear(
        "the start pushes",
        data("∂u/∂t = Δu + u(x, 0)"),
        "reaction-diffusion|diffusion",
        "PRpR...",
        "a source that is ordered as the data are",
    ),
    linear(
        "the start pulls",
        data("∂u/∂t = Δu - u(x, 0)"),
        "reaction-diffusion|diffusion",
        "PRrR...",
        "a narrow bump: 1/√(4πt) < √(t/π) at t = 1",
    ),
    linear(
        "the start feeds",
        data("∂u/∂t = ∂u/∂x + u(x, 0) - u"),
        "transport|reaction-diffusion",
        "PPpR...",
        "linear, and constants stay",
    ),
    nonlinear(
        "the start is the conductivity", data("∂u/∂t = exp(u(x, 0)) Δu"), "diffusion|nonlinear-diffusion", "RP.R..."
    ),
    # ---- coefficients of time
    linear("heat, 1 - t", data("∂u/∂t = (1 - t)Δu"), "diffusion", "PPPPPPp"),
    linear("heat, t(1 - t)", data("∂u/∂t = t(1 - t)Δu"), "diffusion", "PPPPPPp"),
    linear("heat, cos t", data("∂u/∂t = cos(t)Δu"), "diffusion", "PPPPPPp", "cos 1 > ½"),
    linear("heat, cos(4t)", data("∂u/∂t = cos(4t)Δu"), "diffusion", "PPR....", "¼ sin(4t) < 0 at 1"),
    linear("heat, sin(πt)", data("∂u/∂t = sin(π t)Δu"), "diffusion", "PPPPPPp"),
    linear("heat, 1 - 4t", data("∂u/∂t = (1 - 4t)Δu"), "diffusion", "PPR....", "t - 2t² < 0 at 1"),
    linear("heat, t² - t + 1", data("∂u/∂t = (t² - t + 1)Δu"), "diffusion", "PPPPPPp"),
    linear("heat, t² - ½", data("∂u/∂t = (t² - ½)Δu"), "diffusion", "PPR....", "negative at the start"),
    linear("heat, log t", data("∂u/∂t = log(t)Δu"), "diffusion", "PPR....", "negative before 1"),
    linear("heat, -log t", data("∂u/∂t = -log(t)Δu"), "diffusion", "PPPPPpr", SINGULAR),
    linear("heat, log(1 + t)", data("∂u/∂t = log(1 + t)Δu"), "diffusion", "PPPPPPp"),
    linear("heat, √t", data("∂u/∂t = sqrt(t)Δu"), "diffusion", "PPPPPPp"),
    linear("heat, 1/√t", data("∂u/∂t = Δu/sqrt(t)"), "diffusion", "PPPPPpr", "2√t is the time that passes"),
    linear("heat, 1/t", data("∂u/∂t = Δu/t"), "diffusion", "PP....r", "all of the time passes at once"),
    linear("heat, 1/(1 + t)", data("∂u/∂t = Δu/(1 + t)"), "diffusion", "PPPPPPp"),
    linear("heat, 1/(2 - t)", data("∂u/∂t = Δu/(2 - t)"), "diffusion", "PPPPPPp"),
    linear("heat, 1/(1 - 2t)", data("∂u/∂t = Δu/(1 - 2t)"), "diffusion", "PP.....", "a pole at ½"),
    linear("heat, 1 - t, terminal", data("∂u/∂t + (1 - t)Δu = 0", at="1"), "diffusion", "PPPPPPp"),
    linear(
        "heat, t - ¾, terminal",
        data("∂u/∂t + (t - ¾)Δu = 0", at="1"),
        "diffusion",
        "PPR....",
        "¼s - ½s² < 0 at s = 1 - t = 1",
    ),
    nonlinear(
        "Hamilton-Jacobi, 1/t", data("∂u/∂t = ‖∇u‖²/t"), "hamilton-jacobi", "RP....r", "all of the time passes at once"
    ),
    nonlinear("Hamilton-Jacobi, 1/√t", data("∂u/∂t = ‖∇u‖²/sqrt(t)"), "hamilton-jacobi", "RPPPPpr", SINGULAR),
    nonlinear(
        "Hamilton-Jacobi, cos(9t)", data("∂u/∂t = cos(9t) abs(∂u/∂x)"), "hamilton-jacobi", "RPPPPpp", "any sign does"
    ),
    linear("transport, 1/√t", data("∂u/∂t = ∂u/∂x /sqrt(t)"), "transport", "PPPPPpr", SINGULAR),
    linear("transport, log t", data("∂u/∂t = log(t) ∂u/∂x"), "transport", "PPPPPpr", SINGULAR),
    linear("decay, of the time", data("∂u/∂t = Δu - t u"), "reaction-diffusion", "PRPPPpp"),
    linear("rate 1/√t", data("∂u/∂t = Δu + u/sqrt(t)"), "reaction-diffusion", "PRPPPpr", SINGULAR),
    linear(
        "two halves",
        data("∂u/∂t = (1 + t)Δu for t in [0, ½]\n∂u/∂t = ∂u/∂x for t in [½, 1]"),
        "diffusion transport",
        "PPPPPPp",
    ),
    linear(
        "two halves, one backward",
        data("∂u/∂t = -Δu for t in [0, ½]\n∂u/∂t = 2Δu for t in [½, 1]"),
        "diffusion diffusion",
        "PPR....",
    ),
    # ---- higher orders
    linear("third order, growing", data("∂³u/∂t³ = u") + STILL, "ode", "PRprp..", "1 + t³/6 + …", order=3),
    linear(
        "third order, pulling back", data("∂³u/∂t³ = -u") + STILL, "ode", "PRprp..", "1 - t³/6 + … > 0 up to 1", order=3
    ),
    linear("oscillator, slow", at_rest("∂²u/∂t² = -u"), "ode|wave", "PRprp..", "cos t > 0 up to 1", order=2),
    linear("oscillator, fast", at_rest("∂²u/∂t² = -4u"), "ode|wave", "PRrrp..", "cos 2 < 0", order=2),
    linear("oscillator, running away", at_rest("∂²u/∂t² = u"), "ode|wave", "PRprp..", "cosh t", order=2),
    linear("inertia alone", at_rest("∂²u/∂t² = 0"), "ode|wave", "PPprp..", "nothing moves", order=2),
    linear("wave, pushed outwards", at_rest("∂²u/∂t² = Δu + u"), "wave", "PRprp..", "a positive kernel: I₁", order=2),
    linear("wave, pulled back", at_rest("∂²u/∂t² = Δu - 9u"), "wave", "PRrrp..", "the kernel has -J₁", order=2),
    linear(
        "wave, damped critically",
        at_rest("∂²u/∂t² + 2 ∂u/∂t + u = Δu"),
        "wave",
        "PRprp..",
        "e⁻ᵗ times an average",
        order=2,
    ),
    linear(
        "telegraph, line",
        at_rest("∂²u/∂t² + ∂u/∂t = Δu"),
        "wave",
        "PPprp..",
        "e^(-t/2) times positive kernels",
        order=2,
    ),
    linear("wave, drift", at_rest("∂²u/∂t² = Δu + ∂u/∂x"), "wave", "PPrrp..", "exp(x/2) u is pulled back", order=2),
    linear(
        "wave, slanted",
        at_rest("∂²u/∂t² + ∂²u/∂x∂t = 2Δu"),
        "wave",
        "PPprp..",
        "speeds 2 and -1: weights ⅓ and ⅔",
        order=2,
    ),
    linear("wave, viscous", at_rest("∂²u/∂t² = Δu + ∂³u/∂x²∂t"), "wave|higher-order", "PP.rp..", order=2),
    # ---- mixed derivatives
    linear(
        "Benjamin-Bona-Mahony, linear",
        data("∂u/∂t - ∂³u/∂x²∂t = -∂u/∂x"),
        "higher-order|transport",
        "PPrPrpp",
        "the kernel sign(x) e^-|x|",
    ),
    nonlinear(
        "Benjamin-Bona-Mahony",
        data("∂u/∂t - ∂³u/∂x²∂t + ∂u/∂x + u ∂u/∂x = 0"),
        "higher-order|transport",
        "RPrPrpp",
        "the kernel sign(x) e^-|x|",
    ),
    linear(
        "pseudo-parabolic, twice",
        data("∂u/∂t - ∂³u/∂x²∂t = 2Δu"),
        "higher-order|diffusion",
        "PPpPrpp",
        "an average of u, less u",
    ),
    linear("relaxed source", data("∂u/∂t = Δu + exp(-t) exp(-x²)"), "diffusion|reaction-diffusion", "RRPPPpp"),
    linear("forcing of the time", data("∂u/∂t = ∂u/∂x + cos(9t)"), "transport|reaction-diffusion", "RRPPPpp"),
)
