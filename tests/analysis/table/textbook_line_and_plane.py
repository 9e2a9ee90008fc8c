"""Textbook equations on the line, in the plane, in space and on periodic boxes.

- A is semidefinite for [[2 + sin x, 1], [1, 2 + cos y]], and not for 1.1 beside the diagonal; for Heisenberg's fields
  with (x² + y²)/4, and not with (x² + y²)/5.
- (y, -x - y) has the divergence -1, (sin x cos y, -cos x sin y) none: mass is that of ∇·v.
- u_xx/(1 + u_x²) is a flux, atan(u_x); ‖∇u‖² and u_x u_y make mass.
- Orders above two, and waves in the plane, lose the order of data.
"""

from __future__ import annotations

from analysis.more_spec_templates import ZERO_SPEED, ZERO_VELOCITY_PLANE, classless, line
from analysis.spec_templates import Row, data, lines, periodic, periodic_box, plane

X, XX = "∂u/∂x", "∂²u/∂x²"


def on(name: str, text: str, cells: str, bent: bool = False, order: int = 1, why: str = "") -> Row:
    return classless(f"blind, {name}", text, cells, why, bent, order)


def real(name: str, right: str, cells: str, bent: bool = False, kind: str = "scalar") -> Row:
    return on(f"line, {name}", line(f"∂u/∂t = {right}", kind=kind), cells, bent)


def last(name: str, equation: str, cells: str, bent: bool = False, space: str = "x in R") -> Row:
    return on(f"last, {name}", data(equation, space, at="1"), cells, bent)


def flat(name: str, right: str, cells: str, bent: bool = False) -> Row:
    return on(f"plane, {name}", plane(f"∂u/∂t = {right}"), cells, bent)


def wave(name: str, equation: str, cells: str, bent: bool = False) -> Row:
    return on(f"plane, {name}", plane(f"{equation}\n{ZERO_VELOCITY_PLANE}"), cells, bent, 2)


def room(name: str, right: str, cells: str, bent: bool = False, space: str = "R^3") -> Row:
    text = lines(
        "pde Row", f"space (x, y, z) in {space}", "time t in [0, 1]", "unknown u(x, y, z, t) : scalar",
        f"∂u/∂t = {right}", f"u(x, y, z, 0) = {'exp(-x² - y² - z²)' if 'R' in space else 'sin(2π x)'}",
    )  # fmt: skip
    return on(f"room, {name}", text, cells, bent)


def loop(name: str, right: str, cells: str, bent: bool = True, kind: str = "scalar") -> Row:
    text = periodic(f"∂u/∂t = {right}", start="2 + sin(2π x)")
    return on(f"ring, {name}", text.replace("u(x, t) : scalar", f"u(x, t) : {kind}"), cells, bent)


def tiled(name: str, right: str, cells: str, bent: bool = True) -> Row:
    return on(f"torus, {name}", periodic_box(f"∂u/∂t = {right}"), cells, bent)


TABLE: tuple[Row, ...] = (
    # ---- the line
    real("double well, forward", f"∂((x³ - x) u)/∂x + 0.1{XX}", "PR.PP..rp"),
    real("double well, backward", f"0.1{XX} - (x³ - x) {X}", "PPpPP.rpr"),
    real("Hill", "3Δu + (cos(x) + 2cos(2x)) u", "PRPPPpprr"),
    real("drift -tanh x", f"Δu - 2tanh(x) {X} + sin(t) {X}", "PPPPPpppr"),
    real("composite", f"∂((2 + cos(x)) {X})/∂x", "PPPPPpppp"),
    real("composite, inside", "Δ((2 + cos(x)) u)", "PRpPPpprp"),
    real("oscillator", "½Δu - (x² + x⁴) u", "PRpPP.rrr"),
    real("1 + x² and x", f"(1 + x²) {XX} + x {X}", "PPpPPrrpr"),
    real("1 + x² in a flux", f"∂((3 + 2x²) {X})/∂x", "PPpPPrrpp"),
    real("bistable", "Δu + u (1 - u) (u - 0.3)", "RRpPP..rr", True),
    real("Arrhenius", "Δu + exp(-1/(1 + u²))", "RRpPP..rr", True),
    real("growth along the normal", f"Δu + sqrt(1 + ({X})²)", "RRpPP..rr", True),
    real("curve shortening and wind", f"{XX}/(1 + ({X})²) + 2{X}", "RPpPP..pp", True),
    real("curve shortening, away", f"-{XX}/(1 + ({X})²)", "RPrPP..rp", True),
    real("surface diffusion", f"-∂²({XX}/(1 + ({X})²))/∂x²", "RPrPP..rp", True),
    real("relativistic heat", f"∂({X}/sqrt(4 + ({X})²))/∂x", "RPpPP..pp", True),
    real("dispersion in a medium", f"∂((2 + sin(x)) {XX})/∂x", "PPrPP..rp"),
    real("porous Fisher", "Δ(u²) + u (1 - u)", "RRpPP..rr", True, "scalar ≥ 0"),
    real("porous and convective", "Δ(u²) + ∂(u²)/∂x", "RPpPP..pp", True, "scalar ≥ 0"),
    real("Merton", "Δu + ½ (u(x + 1, t) - u)", "pppPR..pp"),
    real("dilation", "Δu + u(x/2, t) - u", "pppPR..pr"),
    real("reflection", "2Δu + 3u(1 - x, t) - 3u", "pppPR..pp"),
    real("memory of half the time", "Δu - u + tanh(u(x, t/2))", "r..R....r", True),
    real("Klein, tanh flux and sink", "∂(tanh(u))/∂x - u³", "RRpPP..rr", True),
    real("saturating sink", "Δu - u/(1 + u²)", "RRpPP..rr", True),
    real("jump of the rate", "Δu + heaviside(x - 1) u - heaviside(-x) u", "PRpPP..rr"),
    real("x sin(1/(1 + x²))", f"Δu + x sin(1/(1 + x²)) {X}", "PPpPP..pr"),
    real("Gaussian well", "exp(-x²) Δu - exp(-x²) u", "PRpPP..rr"),
    real("(1 - exp(-x²))Δu", "(1 - exp(-x²)) Δu", "PPpPP..pr"),
    real("(½ - exp(-x²))Δu", "(½ - exp(-x²)) Δu", "PPrPP..rr"),
    on("line, beam on a bed", line("∂²u/∂t² = -∂⁴u/∂x⁴ - u", rest=ZERO_SPEED), "PRrrP..rr", order=2),
    on("line, Boussinesq", periodic(f"∂²u/∂t² = {XX} + ∂²(u²)/∂x² - ∂⁴u/∂x⁴", rest=ZERO_SPEED), "RPrrP..rp", True, 2),
    on("line, φ⁴", periodic("∂²u/∂t² = Δu + u - u³", rest=ZERO_SPEED), "RRrrP..rr", True, 2),
    on("line, string in a medium", line(f"∂²u/∂t² = ∂((3 + cos(2x)) {X})/∂x", rest=ZERO_SPEED), "PP.rP...p", order=2),
    # ---- data at the end
    last("Black and Scholes, logarithm", f"∂u/∂t + 0.02{XX} + 0.03{X} - 0.05u = 0", "PRPPPpprr"),
    last("Vasicek", f"∂u/∂t + 0.005{XX} + 2 (0.05 - x) {X} - x u = 0", "PR.PP.rrr"),
    last("Kac, with a source", "∂u/∂t + ½Δu + cos(x) = 0", "RRpPP..r."),
    last("two controls", f"∂u/∂t + max(½{XX} + {X}, 2{XX} - {X}) = 0", "RPpPP..p.", True),
    last("two players", f"∂u/∂t + min(max(Δu, 2Δu + {X}), 3Δu - {X}) = 0", "RPpPP..p.", True),
    last("running cost", "∂u/∂t + Δu - ½‖∇u‖² - x²/(1 + x²) = 0", "RRpPP..r.", True),
    last("speed of a car", "∂u/∂t + ½Δu - ‖∇u‖ = 0", "RPpPP..pr", True, "(x, y) in R^2"),
    last("wrong end", "∂u/∂t = 2Δu + ∂u/∂x", "PPrPP..rp"),
    last("quadratic regulator, R^20", "∂u/∂t + Δu - ‖∇u‖² = 0", "RPpPP..p.", True, "x in R^20"),
    # ---- the plane
    flat("SABR", "½y² ∂²u/∂x² + ½y² ∂²u/∂x∂y + ½y² ∂²u/∂y²", "PPpPPrrpr"),
    flat("Langevin, backward", "y ∂u/∂x - (x + y) ∂u/∂y + ∂²u/∂y²", "PPpPPprpr"),
    flat("Langevin, forward", "-∂(y u)/∂x + ∂((x + y) u)/∂y + ∂²u/∂y²", "PRpPPprrp"),
    flat("Grushin, sine", "∂²u/∂x² + sin(x)² ∂²u/∂y²", "PPpPP..pp"),
    flat("Grushin, 1 + sine", "∂²u/∂x² + (1 + sin(x)) ∂²u/∂y²", "PPpPP..pp"),
    flat("Grushin, half and sine", "∂²u/∂x² + (½ + sin(x)) ∂²u/∂y²", "PPrPP..rp"),
    flat("1 + sin x cos y", "(1 + sin(x) cos(y)) Δu", "PPpPP..pr"),
    flat("1 + 2sin x cos y", "(1 + 2sin(x) cos(y)) Δu", "PPrPP..rr"),
    flat("axis that turns", "cos(t)² ∂²u/∂x² + 2sin(t) cos(t) ∂²u/∂x∂y + sin(t)² ∂²u/∂y²", "PPpPP..pp"),
    flat("axis that turns too much", "cos(t)² ∂²u/∂x² + 3sin(t) cos(t) ∂²u/∂x∂y + sin(t)² ∂²u/∂y²", "PPrPP..rp"),
    flat("2 + sin x, 1, 2 + cos y", "(2 + sin(x)) ∂²u/∂x² + 2∂²u/∂x∂y + (2 + cos(y)) ∂²u/∂y²", "PPpPP..pr"),
    flat("2 + sin x, 1.1, 2 + cos y", "(2 + sin(x)) ∂²u/∂x² + 2.2∂²u/∂x∂y + (2 + cos(y)) ∂²u/∂y²", "PPrPP..rr"),
    flat("shear", "Δu + sin(y) ∂u/∂x", "PPpPPpppp"),
    flat("cells", "Δu + sin(x) cos(y) ∂u/∂x - cos(x) sin(y) ∂u/∂y", "PPpPPpppp"),
    flat("cells that drain", "Δu + sin(x) cos(y) ∂u/∂x + cos(x) sin(y) ∂u/∂y", "PPpPPpppr"),
    flat("strain", "Δu + x ∂u/∂x - y ∂u/∂y", "PPpPPprpp"),
    flat("film in tension", "Δu - Δ²u", "PPrPP..rp"),
    flat("min of two", "min(Δu, 2∂²u/∂x² + ∂²u/∂y²)", "RPpPP..p.", True),
    flat("median", "max(∂²u/∂x², min(∂²u/∂y², Δu))", "RPpPP..p.", True),
    flat("product of slopes", "Δu + ∂u/∂x ∂u/∂y + (∂u/∂y)²", "RPpPP..pr", True),
    flat("regular curvature flow", "sqrt(1 + ‖∇u‖²) ∇·(∇u/sqrt(1 + ‖∇u‖²))", "RPpPP..p.", True),
    flat("Nicholson's flies", "Δu - u + u(x, y, t - ½) exp(-u(x, y, t - ½))", "rr.R....r", True),
    flat("five points", "u(x + 1, y, t) + u(x - 1, y, t) + u(x, y + 1, t) + u(x, y - 1, t) - 4u", "pppPR..pp"),
    flat("oscillator", "Δu - (x² + y²) u", "PRpPP.rrr"),
    flat("porous, each way its own", "∂²(u³)/∂x² + ∂²u/∂y²", "RPpPP..pp", True),
    flat("porous, one way wrong", "∂²(u³ - u)/∂x² + 2∂²u/∂y²", "RPrPP..rp", True),
    wave("membrane in a medium", "∂²u/∂t² = (2 + sin(x)) Δu", "PPrrP..r."),
    wave("telegraph", "∂²u/∂t² + 2∂u/∂t = Δu", "PPrrP..rp"),
    wave("Klein and Gordon, y", "∂²u/∂t² = Δu - (1 + y²) u", "PRrrP..rr"),
    wave("sine-Gordon", "∂²u/∂t² = Δu - sin(u)", "RRrrP..rr", True),
    # ---- space
    room("Heisenberg", "∂²u/∂x² + ∂²u/∂y² + ¼ (x² + y²) ∂²u/∂z² - y ∂²u/∂x∂z + x ∂²u/∂y∂z", "PPpPP.rpp"),
    room("Heisenberg, too thin", "∂²u/∂x² + ∂²u/∂y² + 0.2 (x² + y²) ∂²u/∂z² - y ∂²u/∂x∂z + x ∂²u/∂y∂z", "PPrPP..rp"),
    room("chain of Kolmogorov", "∂²u/∂x² + x ∂u/∂y + y ∂u/∂z", "PPpPPprpp"),
    room("area of Lévy", "Δu + y z ∂u/∂x", "PPpPP.rpp"),
    room("1 + r²", "(1 + x² + y² + z²) Δu", "PPpPPrrpr"),
    room("shear twice", "Δu + y ∂u/∂x + z ∂u/∂y", "PPpPPprpp"),
    room("ABC", "0.1Δu + (sin(2π z) + cos(2π y)) ∂u/∂x + (sin(2π x) + cos(2π z)) ∂u/∂y"
         " + (sin(2π y) + cos(2π x)) ∂u/∂z", "PPpPP..pp", space="[0, 1]^3 periodic"),
    room("ABC, one letter wrong", "0.1Δu + (sin(2π x) + cos(2π y)) ∂u/∂x + (sin(2π x) + cos(2π z)) ∂u/∂y"
         " + (sin(2π y) + cos(2π x)) ∂u/∂z", "PPpPP..pr", space="[0, 1]^3 periodic"),
    room("spinodal", "Δ(u³ - u - 0.01Δu)", "RPrPP..rp", True, "[0, 1]^3 periodic"),
    room("p-Laplacian, 3", "∇·(‖∇u‖ ∇u)", "RppPP..pp", True, "[0, 1]^3 periodic"),
    room("reaction of rank 3", "Δu + u³ - u⁵", "RRpPP..rr", True, "[0, 1]^3 periodic"),
    # ---- rings and tori
    loop("KdV and Burgers", f"-u {X} + Δu - ∂³u/∂x³", "RPrPP..rP"),
    loop("Kawahara", f"-u {X} + ∂³u/∂x³ - ∂⁵u/∂x⁵", "RPrPP..rP"),
    loop("Swift and Hohenberg", "0.2u - u - 2Δu - Δ²u - u³", "RRrPP..rr"),
    loop("phase-field crystal", "Δ(0.8u + 2Δu + Δ²u + u³)", "RPrPP..rP"),
    loop("film with a force", f"-∂(u³ ∂³u/∂x³)/∂x - ∂({X}/u)/∂x", "RPrPP..rp", kind="scalar > 0"),
    loop("Buckley and Leverett", "-∂(u²/(u² + (1 - u)²))/∂x", "RppPP..pp"),
    loop("traffic", "-∂(u (1 - u))/∂x", "RPpPP..pP"),
    loop("traffic on a road", "0.1Δu - ∂((2 + sin(2π x)) u (1 - u))/∂x", "RRpPP..rP"),
    loop("rate that swings", "Δu + cos(2π t) u", "PRPPP..rr", False),
    loop("drift that swings", f"Δu + cos(2π t) {X}", "PPPPP..pP", False),
    loop("source that cancels in time", "Δu + cos(2π t)", "RRPPP..rr", False),
    loop("Fokker-Planck", "0.5Δu + ∂(sin(2π x) u)/∂x", "PRPPP..rP", False),
    loop("logarithmic sink", "Δu - u log(u)", "RRpPP..rr", kind="scalar > 0"),
    loop("fast diffusion and sink", "Δ(sqrt(u)) - sqrt(u)", "RRpPP..rr", kind="scalar > 0"),
    loop("half a turn", "Δu + u(x + ½, t) - u", "pppPR..pp", False),
    loop("quarter against quarter", "Δu + u(x + ¼, t) - u(x - ¼, t)", "pp.PR...p", False),
    loop("against half a turn", "Δu + u - u(x + ½, t)", "pprPR..rp", False),
    tiled("Zakharov and Kuznetsov", "-u ∂u/∂x - ∂(Δu)/∂x", "RPrPP..rP"),
    tiled("Cahn and Hilliard", "Δ(u³ - u - 0.01Δu)", "RPrPP..rP"),
    tiled("Kuramoto and Sivashinsky", "-Δu - Δ²u - ½‖∇u‖²", "RPrPP..rr"),
    tiled("Burgers", "Δu - u ∂u/∂x - u ∂u/∂y", "RPpPP..pP"),
    tiled("minimal graphs", "∇·(∇u/sqrt(1 + ‖∇u‖²))", "RPpPP..pp"),
    tiled("Perona and Malik, exp", "∇·(exp(-‖∇u‖²) ∇u)", "RPrPP...P"),
    tiled("denoising", "∇·(∇u/sqrt(1 + ‖∇u‖²)) + ½ - u", "RRpPP..rr"),
    tiled("bands", "∂((2 + sin(2π y)) ∂u/∂x)/∂x + ∂((2 + sin(2π x)) ∂u/∂y)/∂y", "PPPPP..PP", False),
    tiled("stirred", "Δu + cos(2π t) sin(2π y) ∂u/∂x + sin(2π t) sin(2π x) ∂u/∂y", "PPpPP..pp", False),
    tiled("epitaxy", "-Δ²u - ∇·((1 - ‖∇u‖²) ∇u)", "RPrPP..rP"),
    # ---- monotone or nearly so
    real("Δ(|u|³u)", "Δ(|u|³ u)", "RPpPP..pp", True),
    real("Δ(u - sin u)", "Δ(u - sin(u))", "RPpPP..pp", True),
    real("Δ(u - 1.1sin u)", "Δ(u - 1.1sin(u))", "RPrPP..rp", True),
    real("(u' - sin u')'", f"∂({X} - sin({X}))/∂x", "RPpPP..pp", True),
    real("(u' - 1.1sin u')'", f"∂({X} - 1.1sin({X}))/∂x", "RPrPP...p", True),
    real("Δ(u + ½u²)", "Δ(u + ½u²)", "RPrPP..rp", True),
    real("Δ(u + ½u²), u ≥ 0", "Δ(u + ½u²)", "RPpPP..pp", True, "scalar ≥ 0"),
    real("Δ((u - 1)³)", "Δ(u³ - 3u² + 3u)", "RPpPP..pp", True),
    real("Δ((u - 1)³ - u/10)", "Δ(u³ - 3u² + 2.9u)", "RPrPP..rp", True),
    real("softplus Δu", "log(1 + exp(Δu)) - log(2)", "RPpPP..p.", True),
    real("softsign Δu", "Δu/(1 + |Δu|)", "RPpPP..p.", True),
    real("Δu - ½sin 2Δu", "Δu - ½sin(2Δu)", "RPpPP..p.", True),
    real("Δu - 0.6sin 2Δu", "Δu - 0.6sin(2Δu)", "RPrPP....", True),
    flat("tanh one way, cubic the other", "∂(tanh(∂u/∂x))/∂x + ∂((∂u/∂y)³)/∂y", "RPpPP..pp", True),
    flat("tanh one way, sine the other", "∂(tanh(∂u/∂x))/∂x + ∂(sin(∂u/∂y))/∂y", "RPrPP...p", True),
    last("cubic sink", "∂u/∂t + Δu - u³ = 0", "RRpPP..r.", True),
    last("root that pulls", "∂u/∂t + Δu = sign(u) sqrt(|u|)", "RRpPP..r.", True),
    last("root that pushes", "∂u/∂t + Δu + sign(u) sqrt(|u|) = 0", "RRrPP..r.", True),
    last("root of one sign", "∂u/∂t + Δu = sqrt(|u|)", "RRrPP..r.", True),
)  # fmt: skip
