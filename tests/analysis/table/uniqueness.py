"""Hypotheses of uniqueness: coefficients that are not Lipschitz, growing drifts, and reactions that are not Lipschitz.

- ∂u/∂t = aΔu + b·∇u on Rⁿ: bounded solutions are unique exactly if dX = b dt + √(2a) dB does not explode (Khasminskii
  1960; on the line Feller's test). The probability v(x, t) of explosion before t is a solution that starts from zero:
  where it is positive, comparison between solutions fails. Inward drifts of any growth are harmless: L|x|² ≤ C.
  Without drift the line and the plane are recurrent and never explode; in R³ (1 + |x|⁴)Δu does.
- ∂u/∂t = b ∂u/∂x: the same for x' = b(x). x² and x³ reach infinity in finite time, -x³ does not.
- ∂u/∂t = |x|^α ∂²u/∂x²: for α < 1 a path at 0 may stay or leave (Engelbert and Schmidt 1985); both give continuous
  solutions. For α ≥ 1 it stays. With a > 0 Hölder coefficients do no harm (Friedman 1964).
- ∂u/∂t = f(u): unique for f one-sided Lipschitz. √|u|: 0 and ¼t² from zero; -√|u|: 0 and -¼t².
Where solutions are not unique, `proved` is false and `refuted` is fair: two solutions of one datum are not ordered.
"""

from __future__ import annotations

from analysis.more_spec_templates import DIRICHLET, linear, nonlinear, periodic_2pi, segment
from analysis.spec_templates import Row, data, plane

ESCAPE = "paths reach infinity in finite time, and values from there may be anything"
NO_ESCAPE = "the drift is not of linear growth, but paths do not escape"
STUCK = "a path at zero may stay or leave"
RD = "x in R^d"
CD = "convection-diffusion"
NO_SOLUTION = "the rate grows too fast: no bounded solution"
AT_ONCE = "paths from tx² > 1 come from infinity at t = 0"
P = "learn p : scalar"
Q_RELU = "learn q(x) : scalar > 0 = mlp(activation=relu)"
Q_TANH = "learn q(x) : scalar > 0 = mlp(activation=tanh)"
RATE = "the reaction has no slope at zero"

TABLE: tuple[Row, ...] = (
    # ---- drifts, with diffusion
    linear("outward cubic", data("∂u/∂t = Δu + x³ ∂u/∂x"), CD, "P.r....", ESCAPE),
    linear("inward cubic", data("∂u/∂t = Δu - x³ ∂u/∂x"), CD, "PPPPPrr"),
    linear("outward x|x|", data("∂u/∂t = Δu + x abs(x) ∂u/∂x"), CD, "P.r....", ESCAPE),
    linear("inward x|x|", data("∂u/∂t = Δu - x abs(x) ∂u/∂x"), CD, "PPPPP.r"),
    linear("rightward square", data("∂u/∂t = Δu + x² ∂u/∂x"), CD, "P.r....", ESCAPE),
    linear("leftward square", data("∂u/∂t = Δu - x² ∂u/∂x"), CD, "P.r....", ESCAPE),
    linear("outward cubic, terminal", data("∂u/∂t + Δu + x³ ∂u/∂x = 0", at="1"), CD, "P.r....", ESCAPE),
    linear("inward cubic, terminal", data("∂u/∂t + Δu - x³ ∂u/∂x = 0", at="1"), CD, "PPPPPrr"),
    linear("outward, R^d", data("∂u/∂t = Δu + ‖x‖² x·∇u", RD), CD, "P.r....", ESCAPE),
    linear("inward, R^d", data("∂u/∂t = Δu - ‖x‖² x·∇u", RD), CD, "PPPPPrr"),
    linear("outward, R^20", data("∂u/∂t = Δu + ‖x‖² x·∇u", "x in R^20"), CD, "P.r....", ESCAPE),
    linear("inward linear", data("∂u/∂t = Δu - x ∂u/∂x"), CD, "PPPPPpr"),
    linear("outward linear", data("∂u/∂t = Δu + x ∂u/∂x"), CD, "PPPPPpr"),
    linear("inward fifth power", data("∂u/∂t = Δu - x⁵ ∂u/∂x"), CD, "PPPPPrr"),
    linear("inward, then outward", data("∂u/∂t = Δu + (x³ - x) ∂u/∂x"), CD, "P.r....", ESCAPE),
    linear("outward, then inward", data("∂u/∂t = Δu + (x - x³) ∂u/∂x"), CD, "PPPPPrr"),
    linear(
        "outward cubic on an interval",
        segment("∂u/∂t = Δu + x³ ∂u/∂x", DIRICHLET, "sin(π x)"),
        CD,
        "PRPPP..PR",
    ),
    # ---- drifts alone
    linear("transport, x²", data("∂u/∂t = x² ∂u/∂x"), "transport", "P.r....", ESCAPE),
    linear("transport, -x²", data("∂u/∂t = -x² ∂u/∂x"), "transport", "P.r....", ESCAPE),
    linear("transport, x³", data("∂u/∂t = x³ ∂u/∂x"), "transport", "P.r....", ESCAPE),
    linear("transport, -x³", data("∂u/∂t = -x³ ∂u/∂x"), "transport", "PPPPPrr"),
    linear("transport, exp x", data("∂u/∂t = exp(x) ∂u/∂x"), "transport", "P.r....", ESCAPE),
    linear("transport, -exp x", data("∂u/∂t = -exp(x) ∂u/∂x"), "transport", "PPpPP..", NO_ESCAPE),
    linear(
        "transport, x² sin x",
        data("∂u/∂t = x² sin(x) ∂u/∂x"),
        "transport",
        "PPpPP..",
        "paths are caught between zeros of the sine",
    ),
    linear(
        "transport, x log(1 + x²)",
        data("∂u/∂t = x log(1 + x²) ∂u/∂x"),
        "transport",
        "PPpPP..",
        "Osgood: infinity is out of reach",
    ),
    linear(
        "transport, fast rotation",
        plane("∂u/∂t = v·∇u", "let v(x, y) = [-y(x² + y²), x(x² + y²)]"),
        "transport",
        "PPpPPrr",
        NO_ESCAPE,
    ),
    linear(
        "transport, fast spiral inwards",
        plane("∂u/∂t = v·∇u", "let v(x, y) = [-x(x² + y²), -y(x² + y²)]"),
        "transport",
        "PPPPPrr",
    ),
    linear(
        "transport, fast spiral outwards",
        plane("∂u/∂t = v·∇u", "let v(x, y) = [x(x² + y²), y(x² + y²)]"),
        "transport",
        "P.r....",
        ESCAPE,
    ),
    nonlinear("level sets, x²", data("∂u/∂t = x² abs(∂u/∂x)"), "hamilton-jacobi", "R.r....", ESCAPE),
    nonlinear("level sets, 1 + |x|", data("∂u/∂t = (1 + abs(x)) abs(∂u/∂x)"), "hamilton-jacobi", "RPPPPpr"),
    nonlinear("level sets, sin x", data("∂u/∂t = sin(x) abs(∂u/∂x)"), "hamilton-jacobi", "RPPPPpp"),
    # ---- coefficients that are positive, and come near zero far away
    linear("1/sigmoid, outwards", data("∂u/∂t = Δu + (1/sigmoid(-x)) ∂u/∂x"), CD, "P.r....", ESCAPE),
    linear("1/sigmoid, outwards, plane", plane("∂u/∂t = Δu + (1/sigmoid(-x)) ∂u/∂x"), CD, "P.r....", ESCAPE),
    linear("1/softplus, outwards", data("∂u/∂t = Δu + (1/softplus(-x)) ∂u/∂x"), CD, "P.r....", ESCAPE),
    linear("transport, 1/sigmoid, outwards", data("∂u/∂t = (1/sigmoid(-x)) ∂u/∂x"), "transport", "P.r....", ESCAPE),
    linear("transport, 1/sigmoid, inwards", data("∂u/∂t = (1/sigmoid(x)) ∂u/∂x"), "transport", "PPPPP.r"),
    linear(
        "1/sigmoid on an interval",
        segment("∂u/∂t = Δu + (1/sigmoid(x)) ∂u/∂x", DIRICHLET, "sin(π x)"),
        CD,
        "PRPPP..PR",
    ),
    linear("1/sigmoid Δu", data("∂u/∂t = (1/sigmoid(-x)) Δu"), "diffusion", "PPpPP.r", "the line is recurrent"),
    linear("source 1/sigmoid", data("∂u/∂t = Δu + 1/sigmoid(x)"), "diffusion", "RRPPPrr"),
    linear("rate 1/sigmoid", data("∂u/∂t = Δu + u/sigmoid(-x)"), "reaction-diffusion", "PRU....", NO_SOLUTION),
    linear(
        "rate log(1 + exp x³)", data("∂u/∂t = Δu + log(1 + exp(x³)) u"), "reaction-diffusion", "PRU....", NO_SOLUTION
    ),
    linear(
        "transport, logarithm of bells",
        data("∂u/∂t = -log(exp(-x²) + exp(-x⁴)) ∂u/∂x"),
        "transport",
        "P.r....",
        ESCAPE,
    ),
    linear("transport, log(1/(1 + x²))", data("∂u/∂t = log(1/(1 + x²)) ∂u/∂x"), "transport", "PPPPPpr"),
    linear("transport, x² softplus", data("∂u/∂t = x² softplus(1/(1 + x²)) ∂u/∂x"), "transport", "P.r....", ESCAPE),
    linear("transport, x² gelu", data("∂u/∂t = x² gelu(1/(1 + x²)) ∂u/∂x"), "transport", "PPPPPpp"),
    linear("transport, x³/(1 + tx²)", data("∂u/∂t = (x³/(1 + t x²)) ∂u/∂x"), "transport", "P.r....", AT_ONCE),
    linear(
        "transport, x³/(1 + p²x²)", data("∂u/∂t = (x³/(1 + p² x²)) ∂u/∂x", declare=P), "transport", "P.r....", "p = 0"
    ),
    linear("transport, 1/q, relu", data("∂u/∂t = (1/q(x)) ∂u/∂x", declare=Q_RELU), "transport", "P.r....", ESCAPE),
    linear("transport, 1/q, tanh", data("∂u/∂t = (1/q(x)) ∂u/∂x", declare=Q_TANH), "transport", "PPPPPpp"),
    linear("transport, q(x²), relu", data("∂u/∂t = q(x²) ∂u/∂x", declare=Q_RELU), "transport", "P.r....", ESCAPE),
    linear("transport, q(2x), relu", data("∂u/∂t = q(2x) ∂u/∂x", declare=Q_RELU), "transport", "PPPPPpr"),
    # ---- diffusion that vanishes or grows
    linear("√|x| Δu", data("∂u/∂t = sqrt(abs(x)) ∂²u/∂x²"), "diffusion", "P.r....", STUCK),
    linear("|sin x|^½ Δu", data("∂u/∂t = sqrt(abs(sin(x))) ∂²u/∂x²"), "diffusion", "P.r....", STUCK),
    linear(
        "√|x| Δu, interval",
        segment("∂u/∂t = sqrt(abs(x)) Δu", DIRICHLET, "cos(½π x)", "x in [-1, 1]"),
        "diffusion",
        "PRr.....R",
        STUCK,
    ),
    linear(
        "√x Δu on [0, 1]",
        segment("∂u/∂t = sqrt(x) Δu", DIRICHLET, "sin(π x)"),
        "diffusion",
        "PRPPP..PR",
        "zero is at the end, where the value is given",
    ),
    linear(
        "|x| Δu",
        data("∂u/∂t = abs(x) Δu"),
        "diffusion",
        "PPpPP.r",
        "the root of |x| is not Lipschitz, but paths stay at 0",
    ),
    linear("x² Δu", data("∂u/∂t = x² Δu"), "diffusion", "PPPPPrr"),
    linear(
        "x⁴ Δu",
        data("∂u/∂t = x⁴ Δu"),
        "diffusion",
        "PPpPP.r",
        "Σ = x² is not of linear growth, but the line is recurrent",
    ),
    linear("1 + √|x|", data("∂u/∂t = (1 + sqrt(abs(x)))Δu"), "diffusion", "PPpPP.r", "Hölder and positive"),
    linear("(1 + x⁴)Δu, line", data("∂u/∂t = (1 + x⁴)Δu"), "diffusion", "PPpPP.r", "the line is recurrent"),
    linear(
        "(1 + |x|⁴)Δu, plane", plane("∂u/∂t = (1 + (x² + y²)²)Δu"), "diffusion", "PPpPP.r", "the plane is recurrent"
    ),
    linear("(1 + |x|⁴)Δu, space", data("∂u/∂t = (1 + ‖x‖⁴)Δu", "x in R^3"), "diffusion", "P.r....", ESCAPE),
    linear("(1 + |x|⁴)Δu, R^20", data("∂u/∂t = (1 + ‖x‖⁴)Δu", "x in R^20"), "diffusion", "P.r....", ESCAPE),
    linear(
        "(1 + x⁴), divergence form",
        data("∂u/∂t = ∂((1 + x⁴) ∂u/∂x)/∂x"),
        "diffusion|convection-diffusion",
        "P.r....",
        ESCAPE,
    ),
    linear("exp(x) Δu", data("∂u/∂t = exp(x) Δu"), "diffusion", "PPpPP.r", "the line is recurrent"),
    linear("Hölder drift", data("∂u/∂t = Δu + sqrt(abs(x)) ∂u/∂x"), CD, "PPpPP.r", "diffusion makes up for it"),
    linear("a jump in the drift", data("∂u/∂t = Δu + sign(x) ∂u/∂x"), CD, "PPpPP..", "diffusion makes up for it"),
    linear("sines in the drift", data("∂u/∂t = Δu + sin(x) ∂u/∂x"), CD, "PPPPPpp"),
    # ---- reactions
    nonlinear("√|u|", data("∂u/∂t = sqrt(abs(u))"), "ode", "RRr.P..", RATE),
    nonlinear("-√|u|", data("∂u/∂t = -sqrt(abs(u))"), "ode", "RRr.P..", RATE),
    nonlinear(
        "√|u| that falls", data("∂u/∂t = -sign(u) sqrt(abs(u))"), "ode", "RRpPP.p", "falling is enough, without a slope"
    ),
    nonlinear("√|u| that rises", data("∂u/∂t = sign(u) sqrt(abs(u))"), "ode", "RRr.P..", RATE),
    nonlinear("√|u| and heat", data("∂u/∂t = Δu + sqrt(abs(u))"), "reaction-diffusion", "RRr.P..", RATE),
    nonlinear(
        "√|u| and heat, ring", periodic_2pi("∂u/∂t = Δu + sqrt(abs(u))"), "reaction-diffusion", "RRr.P..RR", RATE
    ),
    nonlinear(
        "√|u| that falls, and heat",
        data("∂u/∂t = Δu - sign(u) sqrt(abs(u))"),
        "reaction-diffusion",
        "RRpPP.p",
        "falling is enough",
    ),
    nonlinear("√(1 + u²)", data("∂u/∂t = Δu + sqrt(1 + u²)"), "reaction-diffusion", "RRPPPpp"),
    nonlinear("|u|", data("∂u/∂t = Δu + abs(u)"), "reaction-diffusion", "RRPPPpp"),
    nonlinear("relu of u", data("∂u/∂t = Δu - relu(u)"), "reaction-diffusion", "RRPPPpp"),
    nonlinear("sign of u", data("∂u/∂t = Δu + sign(u)"), "reaction-diffusion", "RRr.P..", "from zero 0, t and -t"),
    nonlinear(
        "minus the sign of u", data("∂u/∂t = Δu - sign(u)"), "reaction-diffusion", "RRpPP.p", "a maximal monotone graph"
    ),
    nonlinear("u², blowing up", data("∂u/∂t = Δu + u²"), "reaction-diffusion", "RRPPP..", "as long as solutions exist"),
    nonlinear("-u³", data("∂u/∂t = Δu - u³"), "reaction-diffusion", "RRPPPpp"),
    nonlinear("sin(u²)", data("∂u/∂t = Δu + sin(u²)"), "reaction-diffusion", "RRPPPpp"),
)
