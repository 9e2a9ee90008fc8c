"""Two and three dimensions, mixed derivatives and matrices.

- Off the diagonal c/2 stands for c ∂²u/∂x∂y: 1, ½, ½ has the eigenvalues 2, ½, ½; 1, -½, -½ has 0; 1, -1, -1 has -1.
- [[1, f], [f, 1]] is semidefinite for |f| ≤ 1; [[x², x], [x, 1]] is vvᵀ; [[x², 1], [1, 1]] has x² - 1 < 0 at 0.
- ∂/∂X of ‖X‖ is X/‖X‖, at most 1: Δu ± ‖∇∇u‖ is elliptic, ½Δu - ‖∇∇u‖ is not; det(I + X) is not.
- ∂²u/∂x∂y is a divergence, and no diffusion.
"""

from __future__ import annotations

from analysis.more_spec_templates import classless
from analysis.spec_templates import Row, lines, periodic_box, plane

ROOT = "its root"


def flat(name: str, right: str, cells: str, why: str = "", bent: bool = False, declare: str = "") -> Row:
    return classless(f"third, plane, {name}", plane(f"∂u/∂t = {right}", declare), cells, why, bent)


def matrix(name: str, rows: str, cells: str, why: str = ROOT) -> Row:
    return flat(f"matrix, {name}", "A:∇∇u", cells, why, declare=f"let A(x, y, t) = {rows}")


def room(name: str, equation: str, cells: str, why: str = "", bent: bool = False, order: int = 1) -> Row:
    text = lines(
        "pde Row", "space (x, y, z) in R^3", "time t in [0, 1]", "unknown u(x, y, z, t) : scalar", equation,
        "u(x, y, z, 0) = exp(-x² - y² - z²)", "∂u/∂t(x, y, z, 0) = 0" if order > 1 else "",
    )  # fmt: skip
    return classless(f"third, room, {name}", text, cells, why, bent, order)


def tiled(name: str, right: str, cells: str, why: str = "") -> Row:
    return classless(f"third, tiled, {name}", periodic_box(f"∂u/∂t = {right}"), cells, why)


XY, YZ, XZ = "∂²u/∂x∂y", "∂²u/∂y∂z", "∂²u/∂x∂z"

TABLE: tuple[Row, ...] = (
    flat("2u_xy", f"Δu + 2{XY}", "PPPPPPPPP"),
    flat("-2u_xy", f"Δu - 2{XY}", "PPPPPPPPP"),
    flat("2.0001u_xy", f"Δu + 2.0001{XY}", "PPRPP..R."),
    flat("u_xy alone", XY, "PPRPP..R."),
    flat("u_xx - u_yy", "∂²u/∂x² - ∂²u/∂y²", "PPRPP..R."),
    flat("u_xx + u_y", "∂²u/∂x² + ∂u/∂y", "PPPPPPPPP"),
    flat("u_xx + xu_y", "∂²u/∂x² + x ∂u/∂y", "PP.PPpr.p", "Kolmogorov"),
    flat("(1 + y²)u_xx", "(1 + y²) ∂²u/∂x² + ∂²u/∂y²", "PP.PPrr.p"),
    flat("y u_xx", "y ∂²u/∂x² + ∂²u/∂y²", "PPRPP..R.", "y < 0"),
    flat("1e-9 against", "∂²u/∂x² - 1e-9 ∂²u/∂y²", "PPRPP..R."),
    flat("1e-9 with", "∂²u/∂x² + 1e-9 ∂²u/∂y²", "PPPPPPPPP"),
    matrix("sin(xy)", "[[1, sin(x y)], [sin(x y), 1]]", "PPpPP...."),
    matrix("2, sin x", "[[2, sin(x)], [sin(x), 2]]", "PPPPP...."),
    matrix("1, sin x", "[[1, sin(x)], [sin(x), 1]]", "PPPPP...."),
    matrix("1, 2sin x", "[[1, 2sin(x)], [2sin(x), 1]]", "PPRPP...."),
    matrix("1 + x², x, 1", "[[1 + x², x], [x, 1]]", "PPpPP...."),
    matrix("x², x, 1", "[[x², x], [x, 1]]", "PPpPP...."),
    matrix("x², 1, 1", "[[x², 1], [1, 1]]", "PPRPP...."),
    matrix("x², 2x, 3", "[[x², 2x], [2x, 3]]", "PPRPP...."),
    matrix("1, t, t²", "[[1, t], [t, t²]]", "PPpPP...."),
    matrix("t, t, t", "[[t, t], [t, t]]", "PPpPP...."),
    matrix("t, t², t", "[[t, t²], [t², t]]", "PPpPP...."),
    matrix("t², t, t²", "[[t², t], [t, t²]]", "PPRPP...."),
    matrix("1 + 1e-12", "[[1, 1 + 1e-12], [1 + 1e-12, 1]]", "PPrPP...."),
    matrix("1 - 1e-12", "[[1, 1 - 1e-12], [1 - 1e-12, 1]]", "PPpPP...."),
    matrix("not symmetric", "[[1, 3], [-3, 1]]", "PPPPP....", "its symmetric part is I"),
    matrix("not symmetric, 3 and 0", "[[1, 3], [0, 1]]", "PPRPP....", "3/2 off the diagonal"),
    flat("Δu or slope", "max(Δu, ‖∇u‖)", "RPPPP....", "", True),
    flat("‖∇u‖ - Δu", "‖∇u‖ - Δu", "RPRPP....", "", True),
    flat("|Δu|", "|Δu|", "RPRPP....", "", True),
    flat("|u_xy|", f"|{XY}|", "RPRPP....", "", True),
    flat("relu of a product", "relu(∂²u/∂x² ∂²u/∂y²)", "RPrPP....", "both negative", True),
    flat("exp Δu", "exp(Δu) - 1", "RPPPP....", "", True),
    flat("atan each", "atan(∂²u/∂x²) + atan(∂²u/∂y²)", "RPPPP....", "", True),
    flat("√ of squares", "sqrt((∂²u/∂x²)² + (∂²u/∂y²)²)", "RPrPP....", "", True),
    flat("Δu + √ of squares", "Δu + sqrt((∂²u/∂x²)² + (∂²u/∂y²)²)", "RPpPP....", "1 - 1 at least", True),
    flat("Δu - ‖∇∇u‖", f"Δu - sqrt((∂²u/∂x²)² + 2({XY})² + (∂²u/∂y²)²)", "RPpPP....", "1 - 1 at least", True),
    flat("½Δu - ‖∇∇u‖", f"½Δu - sqrt((∂²u/∂x²)² + 2({XY})² + (∂²u/∂y²)²)", "RPrPP....", "½ - 1", True),
    flat("det(I + D²u)", f"(1 + ∂²u/∂x²) (1 + ∂²u/∂y²) - ({XY})² - 1", "RPRPP....", "", True),
    flat("Δ(u³)", "Δ(u³)", "RPPPP..PP", "", True),
    flat("Δ(u³ - u)", "Δ(u³ - u)", "RPRPP...P", "", True),
    flat("∇·(‖∇u‖²∇u)", "∇·(‖∇u‖² ∇u)", "RPPPP...p", "", True),
    flat("∇·(∇u/(1 + ‖∇u‖²))", "∇·(∇u/(1 + ‖∇u‖²))", "RPRPP...p", "Perona and Malik", True),
    flat("∇·(∇u/√(1 + ‖∇u‖²))", "∇·(∇u/sqrt(1 + ‖∇u‖²))", "RPpPP...p", "", True),
    flat("biharmonic", "-Δ(Δu)", "PPRPP..RP"),
    flat("u_xxyy", "-∂⁴u/∂x²∂y²", "PPRPP..RP"),
    flat("third, mixed", "∂³u/∂x²∂y", "PPRPP..RP"),
    # ---- three dimensions
    room("½ each", f"∂u/∂t = Δu + {XY} + {YZ} + {XZ}", "PPPPPPPPP"),
    room("-½ each", f"∂u/∂t = Δu - {XY} - {YZ} - {XZ}", "PPPPPPPPP"),
    room("-0.505 each", f"∂u/∂t = Δu - 1.01{XY} - 1.01{YZ} - 1.01{XZ}", "PPRPP..R."),
    room("1 each", f"∂u/∂t = Δu + 2{XY} + 2{YZ} + 2{XZ}", "PPPPPPPPP"),
    room("-1 each", f"∂u/∂t = Δu - 2{XY} - 2{YZ} - 2{XZ}", "PPRPP..R."),
    room("turning", "∂u/∂t = Δu + x ∂u/∂y - y ∂u/∂x", "PPPPPpr.P"),
    room("one direction", "∂u/∂t = ∂²u/∂z²", "PPPPPPPPP"),
    room("wave", "∂²u/∂t² = Δu", "PPRRP..R.", "", False, 2),
    room("wave in two of three", "∂²u/∂t² = ∂²u/∂x² + ∂²u/∂y²", "PPRRP..R.", "", False, 2),
    room("wave in one of three", "∂²u/∂t² = ∂²u/∂x²", "PPpRP..p.", "d'Alembert", False, 2),
    room("Klein-Gordon in one of three", "∂²u/∂t² = ∂²u/∂x² - u", "PRRRP..R.", "", False, 2),
    room("xyz as a rate", "∂u/∂t = Δu + x y z u", "PR.PPrr.R"),
    room("Euler's identity", "∂u/∂t = x ∂u/∂x + y ∂u/∂y + z ∂u/∂z", "PPPPPpr.R"),
    room("cubic flux", "∂u/∂t = Δu + ∂(u²)/∂z", "RPPPP..PP", "", True),
    # ---- tori
    tiled("u_xy", XY, "PPRPP..RP"),
    tiled("sin u_xx", "sin(2π x) ∂²u/∂x²", "PPRPP..RR"),
    tiled("(sin(2πy)u_x)_x", "∂(sin(2π y) ∂u/∂x)/∂x", "PPRPP..RP"),
    tiled("((2 + sin)u_x)_x", "∂((2 + sin(2π x)) ∂u/∂x)/∂x + ∂²u/∂y²", "PPPPP..PP"),
    tiled("(cos(x + y)u)_x", "∂(cos(2π (x + y)) u)/∂x", "PR.PP..rP"),
    tiled("(yu)_x", "∂(y u)/∂x", "PP.PP...p", "along x"),
    tiled("slanted", "∂²u/∂x² + 2∂²u/∂x∂y + ∂²u/∂y²", "PPPPPPPPP"),
)
