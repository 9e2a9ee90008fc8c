"""The order of derivatives of functions of u: fluxes ∂/∂x σ(∂u/∂x) and diffusions Δβ(u).

∂/∂x σ(∂u/∂x) = σ'(∂u/∂x) ∂²u/∂x² is of second order, and comparison holds exactly if σ does not decrease (σ may have
kinks: the flow of the monotone operator -∂/∂x σ(∂u/∂x) keeps the order, Brezis 1973; Crandall, Ishii, Lions 1992). The
same is true of Δβ(u) (Brezis and Crandall 1979). Where σ or β decreases somewhere, waves around that slope or value
grow at every rate, as for the backward heat equation: R. ∇·(g(|∇u|)∇u) has the eigenvalues g and (s g(s))'.
All of these leave constants alone, and none is linear.
"""

from __future__ import annotations

from analysis.more_spec_templates import nonlinear
from analysis.spec_templates import Row, data, plane

TABLE: tuple[Row, ...] = (
    # ---- fluxes
    nonlinear("flux, tanh", data("∂u/∂t = ∂/∂x tanh(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, minus tanh", data("∂u/∂t = -∂/∂x tanh(∂u/∂x)"), "nonlinear-diffusion", "RPR...."),
    nonlinear("flux, relu", data("∂u/∂t = ∂/∂x relu(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, minus relu", data("∂u/∂t = -∂/∂x relu(∂u/∂x)"), "nonlinear-diffusion", "RPR....", "∂u/∂x > 0"),
    nonlinear("flux, relu, terminal", data("∂u/∂t + ∂/∂x relu(∂u/∂x) = 0", at="1"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, relu turned twice", data("∂u/∂t = -∂/∂x relu(-∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, relu turned inside", data("∂u/∂t = ∂/∂x relu(-∂u/∂x)"), "nonlinear-diffusion", "RPR...."),
    nonlinear("flux, softplus", data("∂u/∂t = ∂/∂x softplus(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, softplus turned inside", data("∂u/∂t = ∂/∂x softplus(-∂u/∂x)"), "nonlinear-diffusion", "RPR...."),
    nonlinear("flux, softplus turned twice", data("∂u/∂t = -∂/∂x softplus(-∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, sigmoid", data("∂u/∂t = ∂/∂x sigmoid(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, atan", data("∂u/∂t = ∂/∂x atan(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, leaky relu", data("∂u/∂t = ∂/∂x leaky_relu(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, elu", data("∂u/∂t = ∂/∂x elu(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, softsign", data("∂u/∂t = ∂/∂x softsign(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, hardtanh", data("∂u/∂t = ∂/∂x hardtanh(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, gelu", data("∂u/∂t = ∂/∂x gelu(∂u/∂x)"), "nonlinear-diffusion", "RPR....", "falls at -1.5"),
    nonlinear("flux, silu", data("∂u/∂t = ∂/∂x silu(∂u/∂x)"), "nonlinear-diffusion", "RPR....", "falls at -2"),
    nonlinear("flux, sine", data("∂u/∂t = ∂/∂x sin(∂u/∂x)"), "nonlinear-diffusion", "RPR....", "falls at π"),
    nonlinear("flux, modulus", data("∂u/∂t = ∂/∂x abs(∂u/∂x)"), "nonlinear-diffusion", "RPR....", "falls at -1"),
    nonlinear("flux, square", data("∂u/∂t = ∂/∂x square(∂u/∂x)"), "nonlinear-diffusion", "RPR....", "falls at -1"),
    nonlinear("flux, exponential", data("∂u/∂t = ∂/∂x exp(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, exponential, turned", data("∂u/∂t = ∂/∂x exp(-∂u/∂x)"), "nonlinear-diffusion", "RPR...."),
    nonlinear("flux, sinh", data("∂u/∂t = ∂/∂x sinh(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, twice less tanh", data("∂u/∂t = 2Δu - ∂/∂x tanh(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, half less tanh", data("∂u/∂t = ½Δu - ∂/∂x tanh(∂u/∂x)"), "nonlinear-diffusion", "RPR...."),
    nonlinear("flux, once and sine", data("∂u/∂t = Δu + ∂/∂x sin(∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, tanh of relu", data("∂u/∂t = ∂/∂x tanh(relu(∂u/∂x))"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, max of two", data("∂u/∂t = ∂/∂x max(∂u/∂x, 3 ∂u/∂x)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear(
        "flux, uneven tanh",
        data("∂u/∂t = ∂((2 + sin(x)) tanh(∂u/∂x))/∂x"),
        "nonlinear-diffusion",
        "RPPPPpp",
    ),
    nonlinear(
        "flux, tanh of both signs",
        data("∂u/∂t = ∂(sin(x) tanh(∂u/∂x))/∂x"),
        "nonlinear-diffusion",
        "RPR....",
        "backward where sin(x) < 0",
    ),
    nonlinear(
        "flux, tanh, degenerate",
        data("∂u/∂t = ∂(x² tanh(∂u/∂x))/∂x"),
        "nonlinear-diffusion",
        "RPpPP..",
        "a monotone operator of L²; its coefficient vanishes and grows",
    ),
    nonlinear(
        "flux, conductivity of the value",
        data("∂u/∂t = ∂(exp(u) tanh(∂u/∂x))/∂x"),
        "nonlinear-diffusion",
        "RPPPPpp",
    ),
    nonlinear(
        "flux, conductivity of any sign",
        data("∂u/∂t = ∂(u tanh(∂u/∂x))/∂x"),
        "nonlinear-diffusion",
        "RPR....",
        "u = -1",
    ),
    nonlinear(
        "flux, plane, each", plane("∂u/∂t = ∂/∂x tanh(∂u/∂x) + ∂/∂y relu(∂u/∂y)"), "nonlinear-diffusion", "RPPPPpp"
    ),
    nonlinear(
        "flux, plane, against", plane("∂u/∂t = ∂/∂x tanh(∂u/∂x) - ∂/∂y relu(∂u/∂y)"), "nonlinear-diffusion", "RPR...."
    ),
    nonlinear("flux, tanh of |∇u|²", plane("∂u/∂t = ∇·(tanh(‖∇u‖²)∇u)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, 1 + |∇u|²", plane("∂u/∂t = ∇·((1 + ‖∇u‖²)∇u)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, 1 - |∇u|²", plane("∂u/∂t = ∇·((1 - ‖∇u‖²)∇u)"), "nonlinear-diffusion", "RPR....", "|∇u| = 2"),
    nonlinear("flux, fourth power", plane("∂u/∂t = ∇·(‖∇u‖⁴∇u)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("flux, 1/(1 + |∇u|⁴)", plane("∂u/∂t = ∇·(∇u/(1 + ‖∇u‖⁴))"), "nonlinear-diffusion", "RPR....", "|∇u| = 1"),
    nonlinear(
        "flux, of third order", data("∂u/∂t = ∂²/∂x² tanh(∂u/∂x)"), "higher-order", "RPR....", "near 0 it is Airy's"
    ),
    nonlinear(
        "flux, of fourth order", data("∂u/∂t = -∂²/∂x² tanh(∂²u/∂x²)"), "higher-order", "RPR....", "near 0: -∂⁴u/∂x⁴"
    ),
    # ---- first order all the same
    nonlinear("slope, relu", data("∂u/∂t = relu(∂u/∂x)"), "hamilton-jacobi", "RPPPPpp"),
    nonlinear("slope, minus relu", data("∂u/∂t = -relu(∂u/∂x)"), "hamilton-jacobi", "RPPPPpp"),
    nonlinear("slope, softplus", data("∂u/∂t = softplus(∂u/∂x)"), "hamilton-jacobi", "RRPPPpp", "log 2 at constants"),
    nonlinear("slope, sine", data("∂u/∂t = sin(∂u/∂x)"), "hamilton-jacobi", "RPPPPpp"),
    # ---- densities
    nonlinear("density, u + u³", data("∂u/∂t = Δ(u + u³)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, u³ - u", data("∂u/∂t = Δ(u³ - u)"), "nonlinear-diffusion", "RPR....", "u = 0"),
    nonlinear("density, u⁵", data("∂u/∂t = Δ(u⁵)"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, u⁴", data("∂u/∂t = Δ(u⁴)"), "nonlinear-diffusion", "RPR....", "u = -1"),
    nonlinear("density, minus u³", data("∂u/∂t = -Δ(u³)"), "nonlinear-diffusion", "RPR....", "u = 1"),
    nonlinear("density, u|u|", data("∂u/∂t = Δ(u abs(u))"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, |u|", data("∂u/∂t = Δ(abs(u))"), "nonlinear-diffusion", "RPR....", "u = -1"),
    nonlinear("density, tanh", data("∂u/∂t = Δ(tanh(u))", "x in R^2"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, relu", data("∂u/∂t = Δ(relu(u))", "x in R^2"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, relu, any dimension", data("∂u/∂t = Δ(relu(u))", "x in R^d"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, relu turned inside", data("∂u/∂t = Δ(relu(-u))"), "nonlinear-diffusion", "RPR....", "u = -1"),
    nonlinear("density, softplus", data("∂u/∂t = Δ(softplus(u))"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, gelu", data("∂u/∂t = Δ(gelu(u))"), "nonlinear-diffusion", "RPR....", "u = -1.5"),
    nonlinear("density, sine", data("∂u/∂t = Δ(sin(u))"), "nonlinear-diffusion", "RPR....", "u = π"),
    nonlinear("density, u + sine", data("∂u/∂t = Δ(u + sin(u))"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, exponential", data("∂u/∂t = Δ(exp(u))"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, -exp(-u)", data("∂u/∂t = -Δ(exp(-u))"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, exp(-u)", data("∂u/∂t = Δ(exp(-u))"), "nonlinear-diffusion", "RPR...."),
    nonlinear("density, atan", data("∂u/∂t = Δ(atan(u))"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, u/(1 + u²)", data("∂u/∂t = Δ(u/(1 + u²))"), "nonlinear-diffusion", "RPR....", "u = 2"),
    nonlinear("density, u/√(1 + u²)", data("∂u/∂t = Δ(u/sqrt(1 + u²))"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, min", data("∂u/∂t = Δ(min(u, 0))"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, max of multiples", data("∂u/∂t = Δ(max(u, 2u))"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, max of both signs", data("∂u/∂t = Δ(max(u, -2u))"), "nonlinear-diffusion", "RPR....", "u = -1"),
    nonlinear("density, u² ∂u/∂x", data("∂u/∂t = ∂(u² ∂u/∂x)/∂x"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, relu(u) ∂u/∂x", data("∂u/∂t = ∂(relu(u) ∂u/∂x)/∂x"), "nonlinear-diffusion", "RPPPPpp"),
    nonlinear("density, u ∂u/∂x", data("∂u/∂t = ∂(u ∂u/∂x)/∂x"), "nonlinear-diffusion", "RPR....", "u = -1"),
    nonlinear(
        "density, two terms",
        data("∂u/∂t = Δ(u³) + ∂(tanh(u))/∂x"),
        "nonlinear-diffusion|convection-diffusion",
        "RPPPPpp",
    ),
)
