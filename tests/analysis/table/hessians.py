"""F(∇∇u) by monotone composition.

∂u/∂t = F(∇∇u) has comparison if F is continuous and does not decrease in the order of symmetric matrices (Crandall,
Ishii, Lions 1992, theorem 8.2; kinks of max, relu and |·| are harmless), and fails to where F decreases along some
direction aaᵀ: R. Rules: sums, maxima and minima of increasing functions are increasing; so is an increasing function of
one, and a product of two that are not negative. Constants are kept exactly if F(0) = 0.
"""

from __future__ import annotations

from analysis.more_spec_templates import nonlinear
from analysis.spec_templates import Row, data, plane

XX = "∂²u/∂x²"
YY = "∂²u/∂y²"
KIND = "nonlinear-diffusion"

TABLE: tuple[Row, ...] = (
    nonlinear("curvature, relu", data(f"∂u/∂t = relu({XX})"), KIND, "RPPPPpp"),
    nonlinear("curvature, minus relu", data(f"∂u/∂t = -relu({XX})"), KIND, "RPR....", "curvature 1"),
    nonlinear("curvature, relu turned inside", data(f"∂u/∂t = relu(-{XX})"), KIND, "RPR....", "curvature -1"),
    nonlinear("curvature, relu turned twice", data(f"∂u/∂t = -relu(-{XX})"), KIND, "RPPPPpp"),
    nonlinear("curvature, relu, images", data("∂u/∂t = relu(Δu)", "x in image(1, 8, 8)"), KIND, "RPPPPpp"),
    nonlinear("curvature, softplus", data(f"∂u/∂t = softplus({XX})"), KIND, "RRPPPpp", "log 2 at constants"),
    nonlinear("curvature, -softplus(-)", data(f"∂u/∂t = -softplus(-{XX})"), KIND, "RRPPPpp", "-log 2 at constants"),
    nonlinear("curvature, tanh", data(f"∂u/∂t = tanh({XX})"), KIND, "RPPPPpp"),
    nonlinear("curvature, tanh of Δ", data("∂u/∂t = tanh(Δu)", "x in R^d"), KIND, "RPPPPpp"),
    nonlinear("curvature, minus tanh", data(f"∂u/∂t = -tanh({XX})"), KIND, "RPR...."),
    nonlinear("curvature, sigmoid - ½", data(f"∂u/∂t = sigmoid({XX}) - ½"), KIND, "RPPPPpp"),
    nonlinear("curvature, leaky relu", data(f"∂u/∂t = leaky_relu({XX})"), KIND, "RPPPPpp"),
    nonlinear("curvature, elu", data(f"∂u/∂t = elu({XX})"), KIND, "RPPPPpp"),
    nonlinear("curvature, gelu", data(f"∂u/∂t = gelu({XX})"), KIND, "RPR....", "falls at -1.5"),
    nonlinear("curvature, mish", data(f"∂u/∂t = mish({XX})"), KIND, "RPR....", "falls at -2"),
    nonlinear("curvature, sine", data(f"∂u/∂t = sin({XX})"), KIND, "RPR....", "falls at π"),
    nonlinear("curvature, once and sine", data(f"∂u/∂t = {XX} + sin({XX})"), KIND, "RPPPPpp"),
    nonlinear("curvature, twice and sine", data(f"∂u/∂t = 2 {XX} + sin({XX})"), KIND, "RPPPPpp"),
    nonlinear("curvature, once and two sines", data(f"∂u/∂t = {XX} + 2sin({XX})"), KIND, "RPR....", "1 - 2 at π"),
    nonlinear("curvature, exponential", data(f"∂u/∂t = exp({XX}) - 1"), KIND, "RPPPPpp"),
    nonlinear("curvature, exponential, no one", data(f"∂u/∂t = exp({XX})"), KIND, "RRPPPpp"),
    nonlinear("curvature, 1 - exp(-)", data(f"∂u/∂t = 1 - exp(-{XX})"), KIND, "RPPPPpp"),
    nonlinear("curvature, exp(-)", data(f"∂u/∂t = exp(-{XX})"), KIND, "RRR...."),
    nonlinear("curvature, cubic", data(f"∂u/∂t = ({XX})³ + {XX}"), KIND, "RPPPPpp"),
    nonlinear("curvature, cubic of both signs", data(f"∂u/∂t = ({XX})³ - {XX}"), KIND, "RPR....", "curvature 0"),
    nonlinear("curvature, fifth power", data(f"∂u/∂t = ({XX})⁵"), KIND, "RPPPPpp"),
    nonlinear("curvature, fourth power", data(f"∂u/∂t = ({XX})⁴"), KIND, "RPR....", "curvature -1"),
    nonlinear("curvature, square and once", data(f"∂u/∂t = ({XX})² + {XX}"), KIND, "RPR....", "curvature -1"),
    nonlinear("curvature, times its modulus", data(f"∂u/∂t = {XX} abs({XX})"), KIND, "RPPPPpp"),
    nonlinear("curvature, twice and modulus", data(f"∂u/∂t = 2 {XX} + abs({XX})"), KIND, "RPPPPpp", "slopes 1 and 3"),
    nonlinear("curvature, once and two moduli", data(f"∂u/∂t = {XX} + 2abs({XX})"), KIND, "RPR....", "slope -1"),
    nonlinear("curvature, √(1 + ·²)", data(f"∂u/∂t = sqrt(1 + ({XX})²)"), KIND, "RRR....", "falls at -1"),
    nonlinear("curvature, once and √(1 + ·²)", data(f"∂u/∂t = {XX} + sqrt(1 + ({XX})²)"), KIND, "RRPPPpp"),
    nonlinear("curvature, ·/(1 + ·²)", data(f"∂u/∂t = {XX}/(1 + ({XX})²)"), KIND, "RPR....", "falls at 2"),
    nonlinear("curvature, ·/√(1 + ·²)", data(f"∂u/∂t = {XX}/sqrt(1 + ({XX})²)"), KIND, "RPPPPpp"),
    nonlinear("curvature, least of three", data(f"∂u/∂t = min({XX}, 2 {XX}, 3 {XX})"), KIND, "RPPPPpp"),
    nonlinear("curvature, max of both signs", data(f"∂u/∂t = max({XX}, -{XX})"), KIND, "RPR...."),
    nonlinear("curvature, or slope", data(f"∂u/∂t = max({XX}, ∂u/∂x)"), KIND, "RPPPPpp"),
    nonlinear("curvature, obstacle", data(f"∂u/∂t = max({XX}, -u)"), KIND, "RRPPPpp", "constants below 0 rise"),
    nonlinear("curvature, tanh of relu", data(f"∂u/∂t = tanh(relu({XX}))"), KIND, "RPPPPpp"),
    nonlinear(
        "curvature, relu of tanh of both",
        data(f"∂u/∂t = relu(tanh({XX}) - tanh(2 {XX}))"),
        KIND,
        "RPR....",
        "it is relu of a function that falls at 0",
    ),
    nonlinear("curvature, cube of exp", data(f"∂u/∂t = (exp({XX}) - 1)³"), KIND, "RPPPPpp"),
    nonlinear(
        "curvature, atan, learned weight",
        data(f"∂u/∂t = κ atan({XX})", declare="learn κ : scalar > 0"),
        KIND,
        "RPPPPpp",
    ),
    nonlinear("curvature, uneven relu", data(f"∂u/∂t = (2 + sin(x)) relu({XX})"), KIND, "RPPPPpp"),
    nonlinear(
        "curvature, relu of both signs", data(f"∂u/∂t = sin(x) relu({XX})"), KIND, "RPR....", "x = -π/2, curvature 1"
    ),
    nonlinear("Hessian, larger of two", plane(f"∂u/∂t = max({XX}, {YY})"), KIND, "RPPPPpp"),
    nonlinear("Hessian, smaller of two", plane(f"∂u/∂t = min({XX}, {YY})"), KIND, "RPPPPpp"),
    nonlinear("Hessian, larger of two against", plane(f"∂u/∂t = max({XX}, -{YY})"), KIND, "RPR...."),
    nonlinear("Hessian, Pucci of Δ", plane("∂u/∂t = 2relu(Δu) - relu(-Δu)"), KIND, "RPPPPpp"),
    nonlinear("Hessian, Δ and its modulus", plane("∂u/∂t = Δu + abs(Δu)"), KIND, "RPPPPpp"),
    nonlinear("Hessian, half Δ and its modulus", plane("∂u/∂t = ½Δu + abs(Δu)"), KIND, "RPR....", "slope -½"),
    nonlinear("Hessian, product", plane(f"∂u/∂t = {XX} {YY}"), KIND, "RPR....", "∂²u/∂y² = -1"),
    nonlinear("Hessian, product of relus", plane(f"∂u/∂t = relu({XX}) relu({YY})"), KIND, "RPPPPpp"),
    nonlinear("Hessian, sum of exponentials", plane(f"∂u/∂t = exp({XX}) + exp({YY}) - 2"), KIND, "RPPPPpp"),
    nonlinear("Hessian, difference of exponentials", plane(f"∂u/∂t = exp({XX}) - exp({YY})"), KIND, "RPR...."),
    nonlinear("Hessian, sum of cubes", plane(f"∂u/∂t = ({XX})³ + ({YY})³"), KIND, "RPPPPpp"),
    nonlinear("Hessian, cube of Δ", plane("∂u/∂t = (Δu)³"), KIND, "RPPPPpp"),
    nonlinear("Hessian, sum of tanh", plane(f"∂u/∂t = tanh({XX}) + tanh({YY})"), KIND, "RPPPPpp"),
    nonlinear("Hessian, tanh of the mixed", plane("∂u/∂t = tanh(∂²u/∂x∂y)"), KIND, "RPR....", "∂²/∂x∂y is indefinite"),
    nonlinear(
        "Hessian, relu of a good matrix", plane(f"∂u/∂t = relu({XX} + ∂²u/∂x∂y + {YY})"), KIND, "RPPPPpp", "1 ± ½"
    ),
    nonlinear(
        "Hessian, relu of a bad matrix", plane(f"∂u/∂t = relu({XX} + 3 ∂²u/∂x∂y + {YY})"), KIND, "RPR....", "1 - 3/2"
    ),
    nonlinear("Hessian, of slope and Δ", plane("∂u/∂t = ‖∇u‖² Δu"), KIND, "RPPPPpp"),
    nonlinear("Hessian, tanh(Δu) exp(-|∇u|²)", plane("∂u/∂t = exp(-‖∇u‖²) tanh(Δu)"), KIND, "RPPPPpp"),
)
