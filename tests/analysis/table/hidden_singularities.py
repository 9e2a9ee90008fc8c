"""Singularities inside functions, characteristics that reach infinity, and user networks.

- ∂u/∂t = c(t)u with ∫c = ∞ at t = 0: C exp(-∫ₜc) starts from 0 for every C. 1/√t is integrable, exp(1/√t) is not.
- ∂u/∂t = ∇·(A∇u + b u) moves mass along x' = -b: it is lost if this explodes, as for b = -x³, or is absorbed at a pole.
- v = curl ψ of a relu network jumps. Nothing is known about a network of one's own.
"""

from __future__ import annotations

from analysis.more_spec_templates import line, linear, nonlinear, periodic_2pi, physical
from analysis.spec_templates import Row, data, interval, plane

T = 'torch("my.nets:Net")'
V = "learn v(x) : vector, divergence_free = mlp(activation=%s)"


TABLE: tuple[Row, ...] = (
    # ---- rates in time
    linear("against, exp(1/√t) rate", data("∂u/∂t = exp(1/sqrt(t)) u"), "ode", "..r...."),
    linear("against, exp(1/√t) rate, heat", data("∂u/∂t = Δu + exp(1/sqrt(t)) u"), "reaction-diffusion", "..r...."),
    linear("against, sinh(log t) drift", data("∂u/∂t = sinh(log(t)) ∂u/∂x"), "transport", "..r...."),
    linear("against, exp(1/√t) diffusion", data("∂u/∂t = exp(1/sqrt(t)) Δu"), "diffusion", "..U...U"),
    linear("against, integrable powers", data("∂u/∂t = t^(-1/2) Δu + t^(-1/3) u"), "reaction-diffusion", "..P...."),
    linear("against, log t rate", data("∂u/∂t = log(t) u"), "ode", "..P...."),
    linear("against, sin(1/√t) drift", data("∂u/∂t = sin(1/sqrt(t)) ∂u/∂x"), "transport", "..p...."),
    linear("against, cosh(t^-⅓) rate", data("∂u/∂t = cosh(t^(-1/3)) u"), "ode", "..r...."),
    linear("against, exp(t^-¼) drift", data("∂u/∂t = exp(t^(-1/4)) ∂u/∂x"), "transport", "..r...."),
    linear("against, t^-3/2 rate", data("∂u/∂t = t^(-3/2) u"), "ode", "..r...."),
    linear("against, |log t| diffusion", data("∂u/∂t = abs(log(t)) Δu"), "diffusion", "..p...."),
    linear("against, t^-½ log² rate", data("∂u/∂t = t^(-1/2) log(t)^2 u"), "ode", "..p...."),
    linear("against, exp(|log t|) rate", data("∂u/∂t = exp(abs(log(t))) u"), "ode", "..r...."),
    nonlinear(
        "against, exp(1/√t) reaction, nonlinear",
        data("∂u/∂t = Δu + exp(1/sqrt(t)) sin(u)"),
        "reaction-diffusion",
        "..r....",
    ),
    nonlinear("against, exp(1/√t) HJ", data("∂u/∂t = exp(1/sqrt(t)) |∂u/∂x|"), "hamilton-jacobi", "..U...."),
    linear("against, exp(1/√t) ring", periodic_2pi("∂u/∂t = exp(1/sqrt(t)) u"), "ode", "..r...."),
    linear("against, softplus(1/√t) rate", data("∂u/∂t = softplus(1/sqrt(t)) u"), "ode", "..p...."),
    linear("against, exp(softplus(1/√t)) rate", data("∂u/∂t = exp(softplus(1/sqrt(t))) u"), "ode", "..r...."),
    linear("against, x/√t drift", data("∂u/∂t = (x/sqrt(t)) ∂u/∂x"), "transport", "..p...."),
    linear("against, 1/√t, terminal", data("∂u/∂t + exp(1/sqrt(t)) Δu = 0", at="1"), "diffusion", "..U...."),
    # ---- mass that reaches infinity, or a pole, in finite time
    linear("against, FP outward cubic", data("∂u/∂t = ∂²u/∂x² - ∂(x³ u)/∂x"), "reaction-diffusion", "..p.....r"),
    linear("against, outward cubic alone", data("∂u/∂t = -∂(x³ u)/∂x"), "transport", "........r"),
    linear("against, FP inward cubic", data("∂u/∂t = ∂²u/∂x² + ∂(x³ u)/∂x"), "reaction-diffusion", "........p"),
    linear("against, OU", data("∂u/∂t = ∂²u/∂x² + ∂(x u)/∂x"), "reaction-diffusion", "........P"),
    linear("against, outward linear", data("∂u/∂t = -∂(x u)/∂x"), "transport", "........P"),
    linear("against, FP outward x|x|", data("∂u/∂t = ∂²u/∂x² - ∂(x abs(x) u)/∂x"), "reaction-diffusion", "........r"),
    linear("against, FP outward fifth", data("∂u/∂t = ∂²u/∂x² - ∂((x + x⁵) u)/∂x"), "reaction-diffusion", "........r"),
    linear("against, FP a=(1+x²)²", data("∂u/∂t = ∂²((1 + x²)² u)/∂x²"), "reaction-diffusion", "........p"),
    linear("against, div a=(1+x²)²", data("∂u/∂t = ∂/∂x((1 + x²)² ∂u/∂x)"), "convection-diffusion", "........r"),
    linear("against, FP 1/x inward, plane", plane("∂u/∂t = Δu + ∂(u/x)/∂x"), "reaction-diffusion", "........r"),
    linear("against, FP 1/x outward, plane", plane("∂u/∂t = Δu - ∂(u/x)/∂x"), "reaction-diffusion", "........p"),
    linear(
        "against, FP explosive plane", data("∂u/∂t = Δu - ∇·(‖x‖² x u)", "x in R^2"), "reaction-diffusion", "........r"
    ),
    linear(
        "against, FP explosive R^d", data("∂u/∂t = Δu - ∇·(‖x‖² x u)", "x in R^d"), "reaction-diffusion", "........r"
    ),
    linear(
        "against, FP explosive R^20", data("∂u/∂t = Δu - ∇·(‖x‖² x u)", "x in R^20"), "reaction-diffusion", "........r"
    ),
    linear(
        "against, FP confining plane", data("∂u/∂t = Δu + ∇·(‖x‖² x u)", "x in R^2"), "reaction-diffusion", "........p"
    ),
    linear("against, FP explosive in y", plane("∂u/∂t = Δu - ∂(y³ u)/∂y"), "reaction-diffusion", "........r"),
    nonlinear("against, TV flow", line("∂u/∂t = ∂/∂x(∂u/∂x / |∂u/∂x|)"), "nonlinear-diffusion", "........r"),
    nonlinear(
        "against, p-Laplacian 5/4 in R³",
        physical("(x, y, z) in R^3", "∂u/∂t = ∇·(‖∇u‖^(-3/4) ∇u)", "exp(-x² - y² - z²)", "scalar", "", ""),
        "nonlinear-diffusion",
        "........r",
    ),
    nonlinear(
        "against, p-Laplacian 3/2 on R", line("∂u/∂t = ∂/∂x(|∂u/∂x|^(-1/2) ∂u/∂x)"), "nonlinear-diffusion", "........p"
    ),
    nonlinear(
        "against, fast diffusion 1/5 in R³",
        physical("(x, y, z) in R^3", "∂u/∂t = Δ(u^(1/5))", "exp(-x² - y² - z²)", "scalar >= 0", "", ""),
        "nonlinear-diffusion",
        "........r",
    ),
    nonlinear(
        "against, log diffusion in R²",
        physical("(x, y) in R^2", "∂u/∂t = Δ(log(1 + u))", "exp(-x² - y²)", "scalar >= 0", "", ""),
        "nonlinear-diffusion",
        "........p",
    ),
    # ---- learned fields
    nonlinear(
        "against, own f(u)",
        line("∂u/∂t = Δu + f(u)", declare=f"learn f(u) : scalar = {T}"),
        "reaction-diffusion",
        "..U..U.",
    ),
    nonlinear(
        "against, own f(u), rod",
        interval("∂u/∂t = Δu + f(u)", declare=f"learn f(u) : scalar = {T}"),
        "reaction-diffusion",
        "..U....",
    ),
    nonlinear("against, own f(u), ODE", line("∂u/∂t = f(u)", declare=f"learn f(u) : scalar = {T}"), "ode", "..U...."),
    nonlinear(
        "against, own f(u) flux",
        line("∂u/∂t = f(u) ∂u/∂x", declare=f"learn f(u) : scalar = {T}"),
        "transport",
        "..U....",
    ),
    nonlinear(
        "against, relu f(u)",
        line("∂u/∂t = Δu + f(u)", declare="learn f(u) : scalar = mlp(activation=relu)"),
        "reaction-diffusion",
        "..P....",
    ),
    nonlinear(
        "against, f(x, u)",
        line("∂u/∂t = Δu + f(x, u)", declare="learn f(x, u) : scalar = mlp"),
        "reaction-diffusion",
        "..p....",
    ),
    nonlinear(
        "against, square f(u)",
        line("∂u/∂t = Δu + f(u)", declare="learn f(u) : scalar = mlp(activation=square)"),
        "reaction-diffusion",
        "..p....",
    ),
    nonlinear(
        "against, f(u)|u_x|",
        line("∂u/∂t = f(u) |∂u/∂x|", declare="learn f(u) : scalar = mlp"),
        "hamilton-jacobi",
        "..U....",
    ),
    nonlinear(
        "against, f(Δu)", line("∂u/∂t = f(u) Δu", declare="learn f(u) : scalar = mlp"), "nonlinear-diffusion", "..U...."
    ),
    nonlinear(
        "against, f(u)>0 Δu",
        line("∂u/∂t = f(u) Δu", declare="learn f(u) : scalar > 0 = mlp"),
        "nonlinear-diffusion",
        "..p....",
    ),
    nonlinear(
        "against, f(u) flux", line("∂u/∂t = ∂/∂x f(u)", declare="learn f(u) : scalar = mlp"), "transport", "..p...."
    ),
    linear("against, solenoidal relu", data("∂u/∂t = v·∇u", "x in R^2", V % "relu"), "transport", "..U..U."),
    linear("against, solenoidal leaky", data("∂u/∂t = v·∇u", "x in R^2", V % "leaky_relu"), "transport", "..U..U."),
    linear("against, solenoidal abs", data("∂u/∂t = v·∇u", "x in R^3", V % "abs"), "transport", "..U..U."),
    linear("against, solenoidal tanh", data("∂u/∂t = v·∇u", "x in R^2", V % "tanh"), "transport", "PPPPP.."),
    linear("against, solenoidal softplus", data("∂u/∂t = v·∇u", "x in R^3", V % "softplus"), "transport", "PPPPP.."),
    linear("against, solenoidal elu", data("∂u/∂t = v·∇u", "x in R^2", V % "elu"), "transport", "..p...."),
    linear(
        "against, solenoidal relu, heat",
        data("∂u/∂t = Δu + v·∇u", "x in R^2", V % "relu"),
        "convection-diffusion",
        "..p..r.",
    ),
    linear("against, solenoidal relu, mass", data("∂u/∂t = ∇·(u v)", "x in R^2", V % "relu"), "transport", "........p"),
    linear("against, solenoidal tanh, mass", data("∂u/∂t = ∇·(u v)", "x in R^2", V % "tanh"), "transport", "........p"),
    linear(
        "against, drift by square",
        data("∂u/∂t = q ∂u/∂x", declare="learn q(x) : scalar = mlp(activation=square)"),
        "transport",
        "..U....",
    ),
    linear(
        "against, psd by square",
        data("∂u/∂t = D:∇∇u", "x in R^2", "learn D(x) : matrix, psd = mlp(activation=square)"),
        "diffusion",
        "..U....",
    ),
    linear(
        "against, q² drift, tanh",
        data("∂u/∂t = q² ∂u/∂x", declare="learn q(x) : scalar = mlp(activation=tanh)"),
        "transport",
        "..p....",
    ),
    linear(
        "against, q² diffusion, relu",
        data("∂u/∂t = q² Δu", declare="learn q(x) : scalar = mlp(activation=relu)"),
        "diffusion",
        "..p....",
    ),
    linear(
        "against, |q| diffusion",
        data("∂u/∂t = |q| Δu", declare="learn q(x) : scalar = mlp(activation=tanh)"),
        "diffusion",
        "..U....",
    ),
    linear(
        "against, relu(q) diffusion",
        data("∂u/∂t = relu(q) Δu", declare="learn q(x) : scalar = mlp(activation=tanh)"),
        "diffusion",
        "..p....",
    ),
    linear(
        "against, relu(q) diffusion, relu",
        data("∂u/∂t = relu(q) Δu", declare="learn q(x) : scalar = mlp(activation=relu)"),
        "diffusion",
        "..p....",
    ),
    linear(
        "against, q^½ diffusion",
        data("∂u/∂t = sqrt(q) Δu", declare="learn q(x) : scalar >= 0 = mlp(activation=tanh)"),
        "diffusion",
        "..p....",
    ),
    linear(
        "against, learned on ring",
        periodic_2pi("∂u/∂t = q ∂u/∂x", declare="learn q(x) : scalar = mlp"),
        "transport",
        "..U....",
    ),
    linear(
        "against, learned time", data("∂u/∂t = q Δu", declare="learn q(t) : scalar > 0 = mlp"), "diffusion", "..P...."
    ),
)
