"""Squares, discs and planes, stationary problems, systems, stationary unknowns, weights and feature maps.

- On a disc of radius 1 the normal is (x, y): n·∇u + u = 0 is the flux of ∇·(∇u + (x, y)u); a rotation has none.
- An oblique condition n·∇u + τ·∇u = 0 keeps order and constants, and not mass.
- 2π² = 19.74 is the first eigenvalue of the square, ¼π² + π² = 12.34 with one free side, which the condition decides.
- q = -∂u/∂x is a name for a flux: ∂u/∂t = -∂q/∂x is heat. Δc - c = -u is a mean over all of space.
- For k > 0: k + 1/k ≥ 2, k - log k ≥ 1. For all q: q² - q + 1 > 0; q² - q has both signs.
- In R^20 the matrix of ones has the eigenvalue 20.
- One step of Euler with h = 1: 1 - s‖K‖² lies in [-1, 1] for slopes s ≤ 1 and ‖K‖² ≤ 2.
"""

from __future__ import annotations

from analysis.more_spec_templates import DIRICHLET, INSULATED, ZERO_VELOCITY_PLANE, classless, square, system
from analysis.spec_templates import Row, data, declared, image, lines, maps, periodic_box, plane, stationary

RING = "x in [0, 1] periodic"
DISC = "(x, y) in [-1, 1]^2 where x² + y² < 1"
ANNULUS = "(x, y) in [-1, 1]^2 where x² + y² > 0.25"
FREE_LEFT = "n·∇u = 0 on left\nu = 0 on right, bottom, top"
K = "learn K : operator, ‖K‖ ≤ "


def plate(name: str, right: str, ends: str, cells: str, bent: bool = False, space: str = "(x, y) in [0, 1]^2") -> Row:
    return classless(f"analyst, plate, {name}", square(f"∂u/∂t = {right}", ends, space=space), cells, "", bent)


def flat(name: str, right: str, cells: str, bent: bool = False) -> Row:
    return classless(f"analyst, plane, {name}", plane(f"∂u/∂t = {right}"), cells, "", bent)


def doughnut(name: str, right: str, cells: str, bent: bool = False) -> Row:
    return classless(f"analyst, torus, {name}", periodic_box(f"∂u/∂t = {right}"), cells, "", bent)


def calm(name: str, equation: str, cells: str, bent: bool = False, ends: str = DIRICHLET) -> Row:
    return classless(f"analyst, at rest, {name}", stationary(equation, ends=ends), cells, "", bent, 0)


def many(name: str, unknowns: str, equations: str, cells: str, bent: bool = False, positive: str = "") -> Row:
    text = system(unknowns, equations, RING, positive=positive)
    return classless(f"analyst, system, {name}", text, cells, "", bent, 1, len(unknowns.split()))


def rest(name: str, other: str, equations: str, cells: str, bent: bool = False, positive: str = "") -> Row:
    """u evolves on a ring, another unknown is at rest."""
    text = system(f"u {other}", equations, RING, stationary=other, positive=positive)
    return classless(f"analyst, rest, {name}", text, cells, "the other unknown is a name", bent, (1, 0), 2)


def walled(name: str, other: str, equations: str, ends: str, cells: str, bent: bool = False) -> Row:
    """The same on an interval."""
    text = lines(
        "pde Row", "space x in [0, 1]", "time t in [0, 1]", "unknown u(x, t) : scalar",
        f"unknown {other}(x, t) : scalar", equations, "u(x, 0) = cos(π x)", ends,
    )  # fmt: skip
    return classless(f"analyst, walled, {name}", text, cells, "the other unknown is a name", bent, (1, 0), 2)


def learned(name: str, right: str, declare: str, cells: str, bent: bool = False, space: str = "x in R^2") -> Row:
    return classless(f"analyst, learned, {name}", data(f"∂u/∂t = {right}", space, declare), cells, "", bent)


def picture(name: str, right: str, declare: str, cells: str) -> Row:
    return classless(f"analyst, image, {name}", image(f"∂u/∂t = {right}", declare), cells)


def layer(name: str, right: str, declare: str, cells: str, bent: bool = True, time: str = "euler(steps=3)") -> Row:
    return classless(f"analyst, layer, {name}", maps(f"∂Y/∂t = {right}", declare, time), cells, "", bent)


PLATES: tuple[Row, ...] = (
    plate("oblique", "2Δu", "n·∇u + ∂u/∂y = 0 on left\nn·∇u = 0 on right, bottom, top", "PPpPP..pr"),
    plate("oblique, held besides", "2Δu", "n·∇u - 3∂u/∂y = 0 on left\nu = 0 on right, bottom, top", "PRpPP..pR"),
    plate("along the wall", "2Δu", "∂u/∂y = 0 on left\nu = 0 on right, bottom, top", "PR.PP...."),
    plate("cooled on one side", "2Δu", "n·∇u + 5u = 0 on left\nn·∇u = 0 on right, bottom, top", "PRPPP...R"),
    plate("cooled and held", "2Δu", "n·∇u + 5u = 0 on left\nu = 0 on right, bottom, top", "PRPPP..pR"),
    plate(
        "a rate of cooling that varies",
        "2Δu",
        "n·∇u + sin(7y) u = 0 on left\nn·∇u = 0 on right, bottom, top",
        "PRpPP..rR",
    ),
    plate("a flux of mean zero", "2Δu", "n·∇u = y - ½ on left\nn·∇u = 0 on right, bottom, top", "RRPPP..rp"),
    plate("a shear between walls", "2Δu + y ∂u/∂x", INSULATED, "PPPPP..PR"),
    plate(
        "a cell that does not close", "Δu + sin(π x) cos(π y) ∂u/∂x + cos(π x) sin(π y) ∂u/∂y", INSULATED, "PPPPP..PR"
    ),
    plate("anisotropic, shut", "3∂²u/∂x² + 5∂²u/∂y²", INSULATED, "PPPPP..PP"),
    plate("mixed too much", "Δu + 3∂²u/∂x∂y", DIRICHLET, "PRRPP...."),
    plate("one direction", "∂²u/∂x²", "u = 0 on left, right", "PRpPP..pR"),
    plate("p = 4", "∇·(2‖∇u‖²∇u)", INSULATED, "RPPPP..Pp", True),
    plate("total variation, smoothed", "∇·(∇u/sqrt(3 + ‖∇u‖²))", INSULATED, "RPPPP..Pp", True),
    plate("curvature, times the length", "sqrt(3 + ‖∇u‖²) ∇·(∇u/sqrt(3 + ‖∇u‖²))", INSULATED, "RPPPP..PR", True),
    plate("disc, shut", "7Δu", INSULATED, "PPpPP..pp", space=DISC),
    plate("disc, rotation", "7Δu + y ∂u/∂x - x ∂u/∂y", INSULATED, "PPpPP..pp", space=DISC),
    plate("disc, outflow", "7Δu + x ∂u/∂x + y ∂u/∂y", INSULATED, "PPpPP..pr", space=DISC),
    plate("disc, no flux", "∇·(∇u + [x, y] u)", "n·∇u + u = 0 on boundary", "PrpPP..rp", space=DISC),
    plate("disc, held", "7Δu - ‖∇u‖²", DIRICHLET, "RRPPP..pr", True, space=DISC),
    plate(
        "annulus, shut on the square, held inside",
        "7Δu",
        "u = 0 on x² + y² = 0.25\nn·∇u = 0 on left, right, bottom, top",
        "PRpPP..pr",
        space=ANNULUS,
    ),
    plate(
        "cylinder, shut",
        "∂²u/∂x² + ∂/∂y((1 + y)∂u/∂y)",
        "n·∇u = 0 on bottom, top",
        "PPPPP..PP",
        space="(x, y) in [0, 1] periodic * [0, 1]",
    ),
    flat("Grushin, a root", "∂²u/∂x² + |x| ∂²u/∂y²", "PPpPP.."),
    flat("Kolmogorov", "3∂²u/∂x² + x ∂u/∂y", "PPPPP.r"),
    flat("Kolmogorov, quadratic", "3∂²u/∂x² + x² ∂u/∂y", "PPpPP.r"),
    flat("curvature of levels plus heat", "Δu + ‖∇u‖ + ½‖∇∇u‖", "RPpPP..", True),
    flat("infinity", "(∂u/∂x)² ∂²u/∂x² + 2∂u/∂x ∂u/∂y ∂²u/∂x∂y + (∂u/∂y)² ∂²u/∂y²", "RPPPP..", True),
    flat("infinity, wrong sign of one", "(∂u/∂x)² ∂²u/∂x² + 3∂u/∂x ∂u/∂y ∂²u/∂x∂y + (∂u/∂y)² ∂²u/∂y²", "RPRPP..", True),
    flat("the product of slopes", "Δu + 3∂u/∂x ∂u/∂y", "RPPPP..", True),
    flat("swapped", "Δu + 2u(y, x, t) - 2u", "PPpPR.."),
    doughnut("a cell", "2Δu + sin(2π y) ∂u/∂x + sin(2π x) ∂u/∂y", "PPPPPppPP"),
    doughnut("a stretch", "2Δu + sin(2π x) ∂u/∂x", "PPPPPppPR"),
    doughnut("porous", "∇·((1 + 3u²)∇u)", "RPPPP..PP", True),
    doughnut("Swift and Hohenberg", "-Δ²u - 2Δu - u³", "RRRPP..rR", True),
    doughnut("surface growth", "-Δ²u + ∇·(‖∇u‖²∇u)", "RPRPP..rP", True),
    classless("analyst, torus, waves", periodic_box("∂²u/∂t² = 7Δu", rest=ZERO_VELOCITY_PLANE), "PPr.P..rP", order=2),
)
CALM: tuple[Row, ...] = (
    calm("below the first eigenvalue", "Δu + 19u = 0", "P.p....r."),
    calm("beyond the first eigenvalue", "Δu + 19.8u = 0", "..r......"),
    calm("a free side", "Δu + 12u = 0", "..p....r.", ends=FREE_LEFT),
    calm("a free side, beyond", "Δu + 12.5u = 0", "..r......", ends=FREE_LEFT),
    calm("absorption", "Δu = 2u³", "R.P....p.", True),
    calm("minimal surface", "∇·(∇u/sqrt(2 + ‖∇u‖²)) = 0", "R.p....p.", True),
    calm("p = 4", "∇·(3‖∇u‖²∇u) = 0", "R.p....p.", True),
    calm("a source", "Δu = 3", "R.P....r."),
    calm("wind", "Δu + 9∂u/∂x - 4y ∂u/∂y = 0", "P.P....P."),
    calm("plate, propped", "Δ²u = 0", "P.p......", ends=f"{DIRICHLET}\nΔu = 0 on boundary"),
    calm("Tricomi's half", "∂²u/∂x² + (1 + x) ∂²u/∂y² = 0", "P.P....P."),
)
SYSTEMS: tuple[Row, ...] = (
    many("waves", "u v", "∂u/∂t = 2∂v/∂x\n∂v/∂t = 2∂u/∂x", "PPrPPp..P"),
    many("cooperation", "u v", "∂u/∂t = Δu + 3v\n∂v/∂t = 2Δv + u", "PRpPP..RR"),
    many("exchange", "u v", "∂u/∂t = Δu + 3v - 3u\n∂v/∂t = Δv + u - v", "PRpPP...R"),
    many("cross-diffusion", "u v", "∂u/∂t = Δu + 3Δv\n∂v/∂t = Δv", "PPrPP..rP"),
    many("predator and prey", "u v", "∂u/∂t = Δu + u - 3u v\n∂v/∂t = Δv + 2u v - v", "RRrPP..RR", True),
    many("one way", "u v", "∂u/∂t = Δu + 3v²\n∂v/∂t = Δv", "RRrPP..RR", True),
    many("one way, positive", "u v", "∂u/∂t = Δu + 3v²\n∂v/∂t = Δv", "RRpPP..RR", True, "u v"),
    many("no way", "u v", "∂u/∂t = Δu\n∂v/∂t = 3Δv + ∂v/∂x", "PPpPPppPP"),
    many("chemotaxis", "u v", "∂u/∂t = Δu - ∂(2u ∂v/∂x)/∂x\n∂v/∂t = Δv + u - v", "RR.PP...R", True),
    rest("a flux", "q", "∂u/∂t = -∂q/∂x\nq = -3∂u/∂x", "PPpPPpppP"),
    rest("a cubic flux", "q", "∂u/∂t = -∂q/∂x\nq = -3u² ∂u/∂x", "RPpPP..pP", True),
    rest("a flux with a wind", "q", "∂u/∂t = -∂q/∂x\nq = -3∂u/∂x - cos(2π x) u", "PrpPP..rp"),
    rest("a flux that reads elsewhere", "q", "∂u/∂t = ∂q/∂x\nq = ∂u/∂x + 3u(x + ½, t)", "PPrPr..rP"),
    rest("Cahn-Hilliard", "m", "∂u/∂t = Δm\nm = 2u³ - 2u - Δu", "RPrPP..rP", True),
    rest("porous", "m", "∂u/∂t = Δm\nm = 3u + 2u³", "RPpPP..pP", True),
    rest("Darcy", "p", "∂u/∂t = ∂(u ∂p/∂x)/∂x\np = 3u", "RPpPP..pP", True, "u"),
    rest("Darcy of both signs", "p", "∂u/∂t = ∂(u ∂p/∂x)/∂x\np = 3u", "RPrPP...P", True),
    rest("chemotaxis", "c", "∂u/∂t = Δu - ∂(3u ∂c/∂x)/∂x\nΔc - c = -u", "RPrPR...P", True),
    rest("a mean", "w", "∂u/∂t = Δu + ∂w/∂x\nΔw - 3w = u", "PPrPR..rP"),
    rest("a mean that draws", "w", "∂u/∂t = 2w - 2u\nΔw - w = -u", "PPpPR..pp"),
    rest("a mean that repels", "w", "∂u/∂t = 2u - 2w\nΔw - w = -u", "PPrPR..rp"),
    rest("a mean, wrong height", "w", "∂u/∂t = w - u\nΔw - 2w = -u", "PRpPR...r"),
    rest("a mean undone", "w", "∂u/∂t = 2Δw - 2w\nΔw - w = -u", "PRpPp..Rr"),
    rest("a memory", "w", "∂u/∂t = Δu + w - u\nw = u(x, 0)", "PPpR...pp"),
    rest("twice removed", "w", "∂u/∂t = 3Δw\nw + w³ = u", "rppPP..pP", True),
    rest("a name that bends", "w", "∂u/∂t = 3Δw\nw = |u|", "RPrPP...P", True),
    rest("an implicit name that folds", "w", "∂u/∂t = 3Δu + w\nw³ = u³", "prpPp..rr", True),
    many("a chain", "u v w", "∂u/∂t = Δu\n∂v/∂t = Δv + 2u\n∂w/∂t = Δw + 2v", "PRpPP..RR"),
    many("three in a circle", "u v w", "∂u/∂t = Δu + v - w\n∂v/∂t = Δv + w - u\n∂w/∂t = Δw + u - v", "PRrPP..RR"),
    many("telegraph", "u v", "∂u/∂t = ∂u/∂x + 3v - 3u\n∂v/∂t = -∂v/∂x + 3u - 3v", "PRpPP...R"),
    many("Schrödinger", "u v", "∂u/∂t = -2Δv\n∂v/∂t = 2Δu", "PPrPP...P"),
    many("shallow water", "h v", "∂h/∂t = -∂(h v)/∂x\n∂v/∂t = -v ∂v/∂x - 9∂h/∂x", "RPrPP...P", True, "h"),
    walled("a flux, shut", "q", "∂u/∂t = -∂q/∂x\nq = -3∂u/∂x", "q = 0 on boundary", "pppPP..pp"),
    walled("potential held at its ends", "p", "∂u/∂t = Δu + p\nΔp = u", f"{INSULATED}\np = 0 on boundary", "PrrPR..rr"),
    walled("potential, pushed upwards", "p", "∂u/∂t = Δu - p\nΔp = u", f"{INSULATED}\np = 0 on boundary", "PrpPR..rr"),
)
A, B = "learn A : matrix, psd", "learn B : matrix, psd"
POSITIVE = "learn k : scalar > 0"
FREE = "learn q : scalar"
FIELD = "learn w(x) : vector = mlp"
WEIGHTS: tuple[Row, ...] = (
    learned("a cube, positive", "k³Δu", POSITIVE, "PPPPPPP"),
    learned("a cube of any sign", "q³Δu", FREE, "PPUPP.."),
    learned("a fourth power", "q⁴Δu", FREE, "PPPPPPP"),
    learned("a logarithm", "log(k)Δu", POSITIVE, "PPUPP.."),
    learned("a mean above one", "(k + 1/k - 2)Δu", POSITIVE, "PPpPP.."),
    learned("above a tangent", "(k - log(k) - 1)Δu", POSITIVE, "PPpPP.."),
    learned("a form without roots", "(q² - q + 1)Δu", FREE, "PPPPPPP"),
    learned("a form with roots", "(q² - q)Δu", FREE, "PPUPP.."),
    learned("a rate that decays", "Δu - k u", POSITIVE, "PRPPPPP"),
    learned("two matrices", "A:∇∇u + 2B:∇∇u", declared(A, B), "PPPPPPP"),
    learned("a difference of matrices", "A:∇∇u - B:∇∇u", declared(A, B), "PPUPP.."),
    learned("less a matrix", "Δu - A:∇∇u", A, "PPUPP.."),
    learned("a wind without divergence", "∇·(w u)", "learn w(x) : vector, divergence_free = mlp", "PPPPP.."),
    learned("a wind with divergence", "∇·(w u)", FIELD, "PUPPP.."),
    learned("decay that may be nothing", "Δu - c u", "learn c(x) : scalar ≥ 0 = mlp", "PUPPP.."),
    learned("decay", "Δu - c u", "learn c(x) : scalar > 0 = mlp", "PRPPP.."),
    learned("a reaction", "Δu + r(u)", "learn r(u) : scalar = mlp", ".UPPP..", True),
    learned("a slope", "Δu - k‖∇u‖", POSITIVE, "RPPPP..", True),
    learned("a slope of a wind", "Δu - ‖w‖‖∇u‖", FIELD, ".PpPP..", True),
    learned("ones, in 20 dimensions", "Δu - 0.04 Σᵢ Σⱼ ∂²u/∂xᵢ∂xⱼ", "", "PPPPPPP", space="x in R^20"),
    learned("too many ones, in 20 dimensions", "Δu - 0.06 Σᵢ Σⱼ ∂²u/∂xᵢ∂xⱼ", "", "PPRPP..", space="x in R^20"),
    learned("a rate by norm, in 20 dimensions", "Δu - 2‖x‖²u", "", "PRpPP..", space="x in R^20"),
    learned("inwards, in 20 dimensions", "Δu - ‖x‖² x·∇u", "", "PPpPP..", space="x in R^20"),
    picture(
        "a residual network with heat",
        "v·∇u + kΔu",
        "learn v(x, t) : vector = resnet(depth=32)\n" + POSITIVE,
        "PPPPP..",
    ),
    picture("decay", "v·∇u - k u", "learn v(x, t) : vector = resnet(depth=32)\n" + POSITIVE, "PRPPP.."),
    picture("a rate", "v·∇u + 3Δu + q u", "learn v(x, t) : vector = resnet(depth=32)\n" + FREE, "PUPPP.."),
    picture("heat less ones", "Δu - ½Σᵢ Σⱼ ∂²u/∂xᵢ∂xⱼ", "", "PPRPP.."),
)
LAYERS: tuple[Row, ...] = (
    layer("atan below the bound", "-Kᵀ atan(K Y)", f"{K}1.4 = conv(3)", "PP.."),
    layer("softplus below the bound", "-Kᵀ softplus(K Y)", f"{K}1.4 = conv(3)", "Pr.."),
    layer("sine", "-Kᵀ sin(K Y)", f"{K}0.7 = conv(3)", "...."),
    layer("wrong sign", "Kᵀ atan(K Y)", f"{K}0.7 = conv(3)", "rr.."),
    layer("decay, a half", "-½Y", "", "PPR.", False),
    layer("decay and a layer", "-½Y - Kᵀ atan(K Y)", f"{K}1.2 = conv(3)", "Pp.."),
    layer("growth", "0.001Y", "", "RRR.", False),
    layer("a quarter in other words", "0.5Y - ½Y - 1/4 Y", "", "PPR.", False),
)
TABLE: tuple[Row, ...] = (*PLATES, *CALM, *SYSTEMS, *WEIGHTS, *LAYERS)
