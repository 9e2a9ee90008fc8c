"""Lines in the notation of other programs and textbooks: one diagnostic each, with a valid equivalent line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pdedsl.diagnostics.fixes import apply_edits, resolve_edits
from pdedsl.editor import analysed
from pdedsl.language.hints import HintTable, declared_names
from pdedsl.sources import shipped_specs

ROOT = Path(__file__).parents[2]
HEAT = """pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
const k = 0.1
{}
u(x, 0) = sin(π x)
u = 0 on boundary
"""
SQUARE = "pde Square\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n{}\nu = 0 on boundary\n"
DOMAIN = "pde Square\n{}\nunknown u(x, y) : scalar\n-Δu = 1\nu = 0 on boundary\n"
START = HEAT.format("∂u/∂t = k Δu").replace("u(x, 0) = sin(π x)", "{}")
ODE = "pde Swing\nspace t in [0, 1]\nunknown u(t) : scalar\n{}\nu(0) = 1\n∂u/∂t(0) = 0\n"
SPACE = HEAT.format("∂u/∂t = k Δu").replace("space x in [0, 1]", "{}")
SIDES = HEAT.format("∂u/∂t = k Δu").replace("u = 0 on boundary", "{}")
POINTS = """pde Points
space x in R^3
time t in [0, 1]
unknown u(x, t) : scalar
const A = [[1, 0, 0], [0, 2, 0], [0, 0, 3]]
{}
u(x, 0) = exp(-‖x‖²)
"""
PIXELS = (
    "pde Layers\nspace x in pixels\ntime t in [0, 3]\nunknown Y(x, t) : channels\nlearn K(t) : operator = conv(3)\n{}\n"
)
MATLAB, NESTED = "const A = [1 0 0; 0, 2, 0; 0 0 3]", "const A = [[1, 0, 0], [0, 2, 0], [0, 0, 3]]"
FUNCTION, DECLARED = "u = Function('u')(x, t)", "unknown u(x, t) : scalar"
CASES = [
    (HEAT, "D[u[x,t],t] == k D[u[x,t],{x,2}]", "∂u/∂t = k ∂²u/∂x²"),
    (HEAT, "D(u, t) = k D(u, x, x)", "∂u/∂t = k ∂²u/∂x²"),
    (HEAT, "diff(u, t) = k*diff(u, x, 2)", "diff(u, t) = k*∂²u/∂x²"),
    (HEAT, "Dt(u(x, t)) ~ k * Dxx(u(x, t))", "∂u/∂t = k * ∂²u/∂x²"),
    (HEAT, "Differential(t)(u) = k*Differential(x)^2(u)", "∂u/∂t = k*∂²u/∂x²"),
    (HEAT, "jacobian(u, x, i=0, j=1) = k*hessian(u, x, i=0, j=0)", "∂u/∂t = k*∂²u/∂x²"),
    (HEAT, "partial u / partial t = k partial^2 u / partial x^2", "∂u/∂t = k ∂²u/∂x²"),
    (HEAT, "u_t = k.*u_xx - u.^2", "u_t = k*u_xx - u^2"),
    (HEAT, "u_t = k*u_xx .+ sin.(u)", "u_t = k*u_xx + sin(u)"),
    (HEAT, "u_t = k*u_xx + np.exp(-t)", "u_t = k*u_xx + exp(-t)"),
    (HEAT, "u_t - k*u_xx", "u_t - k*u_xx = 0"),
    (HEAT, "return u_t - k*u_xx", "u_t - k*u_xx = 0"),
    (HEAT, "∂u/∂t = k∇2u", "∂u/∂t = k∇²u"),
    (HEAT, "∂u/∂t = k del2(u)", "∂u/∂t = k Δu"),
    (HEAT, "∂u/∂t = k ∂²u/∂x².", "∂u/∂t = k ∂²u/∂x²"),
    (ODE, "u''(t) + u(t) = 0", "∂²u/∂t² + u(t) = 0"),
    (SQUARE, "-Δu = sin(pi*x[0])*x[1]", "-Δu = sin(pi*x)*y"),
    (SQUARE, "Laplacian[u[x,y],{x,y}] == -1", "Δu = -1"),
    (POINTS, "∂u/∂t = tr(A D²u)", "∂u/∂t = A:∇∇u"),
    (POINTS, "∂u/∂t = trace(hessian(u))", "∂u/∂t = Δu"),
    (POINTS, "∂u/∂t = Σ_{i=1}^{3} ∂²u/∂x_i²", "∂u/∂t = Σᵢ ∂²u/∂xᵢ²"),
    (START, "u(x, 0) = @(x) sin(pi*x)", "u(x, 0) = sin(pi*x)"),
    (START, "u(x, 0) = lambda x: sin(pi*x)", "u(x, 0) = sin(pi*x)"),
    (START, "u(x, 0) = Sin[Pi x]", "u(x, 0) = sin(pi x)"),
    (SPACE, "space 0 <= x <= 1", "space x in [0, 1]"),
    (SPACE, "space x from 0 to 1", "space x in [0, 1]"),
    (SPACE, "space x in 0:1", "space x in [0, 1]"),
    (SPACE, "space x ∈ Interval(0.0, 1.0)", "space x in [0.0, 1.0]"),
    (SPACE, "geom = dde.geometry.Interval(0, 1)", "space x in [0, 1]"),
    (SPACE, "x = linspace(0, 1, 100)", "space x in [0, 1]"),
    (DOMAIN, "space (x, y) in UnitSquareMesh(8, 8)", "space (x, y) in [0, 1]^2"),
    (DOMAIN, "space (x, y) in Disk((0,0), 2)", "space (x, y) in [-2, 2]^2 where x² + y² < 2²"),
    (DOMAIN, "space (x, y) in Rectangle((0, 0), (2, 1))", "space (x, y) in [0, 2] × [0, 1]"),
    (HEAT, "2. ∂u/∂t = k Δu", "∂u/∂t = k Δu"),
    (HEAT, "Eq(u.diff(t), k*u.diff(x, 2))", "∂u/∂t = k*∂²u/∂x²"),
    (HEAT, "diff(u(x,t),t) = k*diff(u(x,t),x$2)", "diff(u(x,t),t) = k*∂²u/∂x²"),
    (HEAT, "\\frac{d u}{d t} = k \\nabla^2 u", "∂u/∂t = k ∇² u"),
    (HEAT, "\\dot{u} = k \\partial_{xx} u", "∂u/∂t = k ∂_xx u"),
    (HEAT, "u_t &= k u_xx \\\\", "u_t = k u_xx"),
    (HEAT, "return du_t - k*du_xx", "u_t - k*u_xx = 0"),
    (HEAT, "$$u_t = k u_xx$$ (heat)", "u_t = k u_xx"),
    (SIDES, "DirichletBC(u, 0, boundary)", "u = 0 on boundary"),
    (HEAT, "dt(u) - k*lap(u) = 0", "∂u/∂t - k*lap(u) = 0"),
    (HEAT, "∂u/∂t = k Δu - u d_dx(u)", "∂u/∂t = k Δu - u ∂u/∂x"),
    (SQUARE, "-(dxx(u) + dyy(u)) = 1", "-(∂²u/∂x² + ∂²u/∂y²) = 1"),
    (HEAT, "∂u/∂t = k d2u/dx^2", "∂u/∂t = k ∂²u/∂x²"),
    (SPACE, "x ∈ Interval(0.0, 1.0)", "space x in [0.0, 1.0]"),
    (HEAT.replace("{}", "{}\n∂u/∂t = k Δu + f"), "f = @(x) x.*(1-x)", "let f(x) = x*(1-x)"),
    (HEAT, "∂u/∂t = 1_000 Δu", "∂u/∂t = 1000 Δu"),
    (START, "u[x, 0] == Sin[Pi x]", "u(x, 0) = sin(pi x)"),
    (PIXELS, "∂Y/∂t = -K' relu(K Y)", "∂Y/∂t = -Kᵀ relu(K Y)"),
    (POINTS.replace("const A = [[1, 0, 0], [0, 2, 0], [0, 0, 3]]\n{}", "{}\n∂u/∂t = A:∇∇u"), MATLAB, NESTED),
    (HEAT.replace("unknown u(x, t) : scalar", "{}").replace("0.1\n{}", "0.1\n∂u/∂t = k Δu"), FUNCTION, DECLARED),
    (HEAT.replace("const k = 0.1\n{}", "{}\n∂u/∂t = k Δu"), "@parameters k = 0.1", "const k = 0.1"),
]


@pytest.mark.parametrize(("spec", "line", "ours"), CASES, ids=[line for _, line, _ in CASES])
def test_equivalent_line_is_suggested(spec: str, line: str, ours: str) -> None:
    text = spec.format(line)
    (found,) = analysed(text).diagnostics
    assert found.hint == f"write: {ours}"
    at = text.index(line)
    assert at <= found.span.start < found.span.end <= at + len(line) + 1
    (fix,) = found.fixes
    mended = apply_edits(text, resolve_edits(text, fix))
    assert mended == spec.format(ours)
    left = analysed(mended).diagnostics
    assert not [d for d in left if d.code.startswith(("E1", "E2"))], left


@pytest.mark.parametrize(
    ("spec", "line", "way"),
    [
        (SQUARE, "dot(grad(u), grad(w)) = 1", "-Δu = f"),
        (SIDES, "u -> 0 as x -> inf", "u = 0 on boundary"),
        (SIDES, "bcs = [u(0,t) ~ 0, u(1,t) ~ 0]", "u = 0 on boundary"),
        (HEAT, "□u = 0", "∂²u/∂t² - c² Δu"),
        (HEAT, "∂u\n∂t = k∂2u\n∂x2", "∂u/∂t or ∂²u/∂x²"),
        (HEAT, 'problem.add_equation("dt(u) - k*lap(u) = 0")', "∂u/∂t = k Δu"),
        (HEAT, "TransientTerm() == DiffusionTerm(coeff=k)", "∂u/∂t = k Δu"),
        (HEAT, 'eq = PDE({"u": "k * laplace(u)"})', "∂u/∂t = k Δu"),
        (HEAT, "NDSolve[{D[u[x,t],t] == k D[u[x,t],x,x]}, u, {x,0,1}]", "∂u/∂t = k Δu"),
        (SQUARE, "solve(a == L, u, bc)", "∂u/∂t = k Δu"),
        (SQUARE, 'V = FunctionSpace(mesh, "CG", 1)\n-Δu = 1', "leave this line out"),
        (HEAT, "Dxx = Differential(x)^2\n∂u/∂t = k Dxx(u)", "leave this line out"),
        (HEAT, "@variables w\n∂u/∂t = k Δu + w", "const k = 0.1"),
    ],
)
def test_unsupported_line_is_reported_once(spec: str, line: str, way: str) -> None:
    (found,) = analysed(spec.format(line)).diagnostics
    assert way in found.hint


def snippets() -> list[str]:
    pages = [ROOT / "README.md", ROOT / "grammar" / "README.md", *(ROOT / "docs").rglob("*.md")]
    return [text for page in pages for text in re.findall(r"```pde\n(.*?)```", page.read_text("utf-8"), re.DOTALL)]


def test_valid_lines_are_not_changed() -> None:
    texts = [path.read_text("utf-8") for path in shipped_specs().values()] + snippets()
    assert len(texts) > 45
    for text in texts:
        table = HintTable(declared_names(text))
        for line in text.splitlines():
            written = line.split("#")[0].rstrip()
            if "=" in written or "Δ" not in written:  # a continuation line has no sides
                assert table.rewrite(written) == (None, written)


@pytest.mark.parametrize(
    "text",
    [
        HEAT.format("∂u/∂t =\n  k Δu +\n  u"),
        HEAT.format("∂u/∂t = k (Δu +\n  u)"),
        HEAT.format("let D(x) = x²\n∂u/∂t = k Δu + D(x)"),
        HEAT.format("const λ = 1\nconst A = 2\n∂u/∂t = k Δu + λ A u"),
        HEAT.format("let box(x) = x²\n∂u/∂t = k Δu + box(x)"),
        HEAT.format("∂u/∂t = k Δu;").replace("[0, 1]", "[0, 1];"),
        HEAT.format("∂u/∂t = k Δu").replace("pde Heat", r'pde Heat "R&D # \nabla \\ u.^2 -> $x$ D[u] ~ (2)"'),
        HEAT.format("∂u⁄∂t = k Δu"),
        START.format("u(x, 0) = x sin (1)"),
        HEAT.format("let x10 = x\nlet d_dx(x) = 2\nlet dx(s) = s²\n∂u/∂t = k Δu + 1x10^2 + d_dx(x) + dx(u)"),
        HEAT.format("let gradient(s) = s²\n∂u/∂t = k Δu + gradient(u)"),
        SQUARE.format("-divergence(gradient(u)) = 1"),
        HEAT.format("let PDE(s) = s\nlet symbol(s) = s\n∂u/∂t = k Δu + PDE(u) + symbol(x)"),
    ],
)
def test_valid_specs_have_no_errors(text: str) -> None:
    assert not [d for d in analysed(text).diagnostics if d.is_error]


@pytest.mark.parametrize(
    "line",
    [
        "partial u/" + "partialx" * 35 + "!",  # one way to read each of these, or their number doubles with every word
        "partial u/" + "partial  x " * 25 + "!",
        "u =" + " " * 290 + "!",
        "DirichletBC(u)",
        "DirichletBC()",
    ],
)
def test_unrecognised_lines_keep_their_errors(line: str) -> None:
    assert analysed(HEAT.format(line)).diagnostics


def test_spans_are_inside_a_short_text() -> None:
    found = analysed("∇^2u").diagnostics
    assert all(d.span.end <= len("∇^2u") for d in found)
    assert found


@pytest.mark.parametrize("line", ["∂u/∂t = k Δu (2.3)", "∂u/∂t = k Δu (2)", "(7) ∂u/∂t = k Δu", "(1) ∂u/∂t = k Δu"])
def test_equation_number_is_a_factor_with_a_warning(line: str) -> None:
    (found,) = analysed(HEAT.format(line)).diagnostics
    assert (found.code, found.is_error) == ("W115", False)
    assert found.hint.endswith("write: ∂u/∂t = k Δu")
    assert not analysed(apply_edits(HEAT.format(line), found.fixes[0].edits)).diagnostics


def test_valid_lines_are_not_reported_as_foreign() -> None:
    """`u_t - u_xx = dot(grad(u), grad(u))` is no weak form because another line is wrong."""
    text = HEAT.format("∂u/∂t = dot(grad(u), grad(u)) (2.3)").replace("u = 0 on", "u = w on")
    assert ["'w'" in d.message for d in analysed(text).diagnostics] == [True]


def test_products_of_gradients_are_not_weak_forms() -> None:
    text = HEAT.format("0 = dot(grad(diff(u, x)), grad(diff(u, x)))")
    assert not any("test functions" in d.message for d in analysed(text).diagnostics)
