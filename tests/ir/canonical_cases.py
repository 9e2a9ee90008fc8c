"""Equivalent and different specs, for tests of the canonical form."""

from __future__ import annotations

PLANE = """pde P
space (x, y) in R^2
time t in [0, 1]
unknown u(x, y, t) : scalar
const σ = 0.3
const λ = 2
const a = 5
learn v(x, y, t) : vector = mlp
learn κ(x, y) : scalar > 0 = mlp
u(x, y, 0) = exp(-x² - y²)
"""
LINE = """pde L
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
const ν = 0.1
∂u/∂t = νΔu
u(x, 0) = sin(π x)
u = 0 on boundary
"""
PIXELS = """pde N
space x in pixels
time t in [0, 3]
unknown Y(x, t) : channels
learn K(t) : operator = conv(3)
let N = tv_norm(eps=1e-3)
∂Y/∂t = -Kᵀ relu(N(K Y))
realize time by euler(steps=3)
"""
DATA = """pde D
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp
learn W : operator = linear
∂u/∂t = v·∇u + Δu
u(x, 0) = softmax(W x)
"""

# Equations for PLANE; the members of a row say the same.
SAME_EQUATIONS: list[list[str]] = [
    ["∂u/∂t = v·∇u + σ²Δu", "∂u/∂t - v·∇u = σ²Δu", "0 = -∂u/∂t + σ²Δu + v·∇u", "σ²Δu + v·∇u - ∂u/∂t = 0"],
    ["∂u/∂t = ½σ²Δu", "∂u/∂t = 0.5 σ²Δu", "∂u/∂t = 1/2 σ²Δu", "2 ∂u/∂t = σ²Δu", "∂u/∂t = σ²Δu/2", "∂u/∂t = 0.045 Δu"],
    ["∂u/∂t = Δu", "∂u/∂t = ∂²u/∂x² + ∂²u/∂y²", "∂u/∂t = ∇·∇u", "∂u/∂t = ∇·(∇u)", "du/dt = lap(u)"],
    [
        "∂u/∂t = Δu",
        "du/dt = d2u/dx2 + d2u/dy2",
        "∂u/∂t = [[1, 0], [0, 1]]:∇∇u",
        "∂u/∂t = diff(u, x, x) + diff(u, y, y)",
    ],
    ["∂u/∂t = ∇·(σ²∇u)", "∂u/∂t = σ²Δu", "∂u/∂t = σ σ Δu", "∂u/∂t = Δ(σ²u)", "∂u/∂t = ∇·(σ ∇(σ u))"],
    [
        "∂u/∂t = λ(a - u)",
        "∂u/∂t = -λ(u - a)",
        "∂u/∂t = λ a - λ u",
        "∂u/∂t + λ u = λ a",
        "∂u/∂t = 10 - 2u",
        "∂u/∂t = (a - u)*λ",
    ],
    ["∂u/∂t = ∇·(κ∇u)", "∂u/∂t = κΔu + ∇κ·∇u", "∂u/∂t = ∂(κ ∂u/∂x)/∂x + ∂(κ ∂u/∂y)/∂y", "-∇·(κ∇u) = -∂u/∂t"],
    [
        "∂u/∂t = ∇·(u v)",
        "∂u/∂t = u ∇·v + v·∇u",
        "∂u/∂t = ∂(u v₁)/∂x + ∂(u v₂)/∂y",
        "∂u/∂t = ∂(v[1] u)/∂x + ∂(v[2] u)/∂y",
    ],
    ["∂u/∂t = (u - 1)(u + 1)", "∂u/∂t = u² - 1", "∂u/∂t + 1 = u^2", "∂u/∂t = -(1 - u)(1 + u)"],
    ["∂u/∂t = ‖∇u‖²", "∂u/∂t = ∇u·∇u", "∂u/∂t = (∂u/∂x)² + (∂u/∂y)²", "∂u/∂t = dot(grad(u), grad(u))"],
    ["∂u/∂t = v·∇u", "∂u/∂t = v₁ ∂u/∂x + v₂ ∂u/∂y", "2∂u/∂t - v·∇u = ∂u/∂t"],
    ["∂u/∂t = exp(-x) u", "∂u/∂t = u/exp(x)", "exp(x) ∂u/∂t = u"],
    ["∂u/∂t = ΔΔu", "∂u/∂t = Δ²u", "∂u/∂t = lap(lap(u))", "∂u/∂t = ∂⁴u/∂x⁴ + 2 ∂⁴u/∂x²∂y² + ∂⁴u/∂y⁴"],
    ["∂u/∂t = sin(2π x) u", "∂u/∂t = sin(2 pi x) u", "∂u/∂t = u sin(π x 2)", "∂u/∂t = -u sin(-2π x)"],
    ["∂u/∂t = u^3 - u", "∂u/∂t = u (u² - 1)", "∂u/∂t = u³ - u", "∂u/∂t = -u*(1 - u)(1 + u)"],
    ["∂u/∂t = 2/3 Δu", "∂u/∂t = ⅔Δu", "3∂u/∂t = 2Δu", "∂u/∂t = (2Δu)/3"],
]


IMAGES = DATA.replace("R^2", "image(1, 8, 8)").replace("mlp", "resnet(20)").replace(" + Δu", "")
SAID = ("noise", "noise(kind=gaussian)", "noise(across=batch)", "noise(samples=1)", "noise(1, 1)")
SCALAR = """pde S
space x in R^2
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = x·∇u + Δu
u(x, 0) = exp(-‖x‖²)
"""
MANY = DATA.replace("R^2", "R^30")
DROPPED = DATA.replace("Δu", "Σᵢ vᵢ² ∂²u/∂xᵢ²")
EULER = [("time", "euler"), ("time", "euler(10)"), ("convection", "euler"), ("convection", "euler(steps=10)")]
DEFAULT_ENTRIES = [
    "",
    "epochs 10",
    "batch 128",
    "optimizer sgd(momentum=0.9)",
    "optimizer sgd(0.1, 0.9, nesterov=false)",
    "schedule constant",
    "precision float32",
    "seed 0",
]


OTHERS = [
    *((DATA, word) for word in ("noise(samples=2)", "noise(members=2)", "noise(kind=laplace)", "sampling")),
    *((SCALAR, f"noise(samples={n})") for n in (1, 1023)),
    *((DROPPED, word) for word in ("noise", "dropout(samples=2)")),
]


def ways(base: str, old: str, *new: str) -> list[str]:
    """A spec, and the same with a part written in other ways."""
    assert old in base
    return [base, *(base.replace(old, text) for text in new)]


# Whole specs; the members of a row say the same.
FRAMED = "network {{\n  input image(1, 28, 28)\n  stem 8\n  stages [8, 16]\n  {close}\n  classes 10\n}}\n"
SAME_SPECS: list[list[str]] = [
    ways(LINE, "const ν = 0.1\n∂u/∂t = νΔu", "const D = 1/10\n∂u/∂t = D Δu", "∂u/∂t = 0.1Δu"),
    ways(LINE, "u = 0 on boundary", "u(0, t) = 0\nu(1, t) = 0", "u = 0 on left\n-2u = 0 on right"),
    ways(LINE, "u = 0 on boundary", "u = 0 on right, left", "0 = u on boundary", "3u = 0 on boundary"),
    ways(
        LINE, "u = 0 on boundary", "n·∇u = 1 on left\n∂u/∂x = u on right", "∂u/∂x = -1 on left\n∂u/∂n - u = 0 on right"
    )[1:],
    ways(LINE, "u = 0 on boundary", "n·∇u = 0 on boundary", "-2∂u/∂x = 0 on left\n∂u/∂x = 0 on right")[1:],
    ways(LINE, "u(x, 0) = sin(π x)", "2u(x, 0) - 2sin(π x) = 0", "sin(π x) = u(x, 0)", "u(x, 0) = -sin(-π x)"),
    ways(LINE, "pde L\n", 'pde Other "with a title"\n', "# a comment\npde L\n", "pde L\r\n", "\n\npde L # so\n\n"),
    ways(LINE, "const ν = 0.1", "const ν² = 0.01", "let ν = 0.1", "const ν = 1e-1", "const nu = 0.1"),
    ways(LINE, "sin(π x)\n", "f(x)\nlet f(z) = sin(π z)\n", "f\nlet f = sin(x π)\n"),
    ways(LINE, "time t in [0, 1]", "time t in [0, T]\nconst T = 1", "time t ∈ [0, 1]", "time t in [1 - 1, 2/2]"),
    ways(DATA, "v·∇u", "Σᵢ vᵢ ∂u/∂xᵢ", "sum(i, v[i] du/dx[i])", "v₁ ∂u/∂x₁ + v₂ ∂u/∂x₂", "dot(v, grad(u))"),
    ways(DATA, "Δu", "Σᵢ ∂²u/∂xᵢ²", "sum(j, d2u/dx[j]2)", "∂²u/∂x₂² + ∂²u/∂x₁²", "∇·∇u"),
    ways(PIXELS, "-Kᵀ relu", "-adj(K) relu", "-K^T relu", "Kᵀ*-relu"),
    [PIXELS, PIXELS.replace("K", "L"), PIXELS.replace("Y", "Z"), PIXELS.replace("N(", "M(").replace("let N", "let M")],
    ways(PIXELS, "tv_norm(eps=1e-3)", "tv_norm(eps=0.001)", "tv_norm()", "tv_norm(1e-3)"),
    ways(PIXELS, "conv(3)", "conv", "conv(size=3)"),
    ways(PIXELS, "steps=3", "3", "steps=1+2"),
    ways(PIXELS, "realize time by euler(steps=3)\n", "realize time by euler\n", ""),
    ways(PIXELS, "euler(steps=3)", "backward_euler(steps=3, terms=2)", "backward_euler")[1:],
    [DATA + realized for realized in ("", *(f"realize {part} by {word}\n" for part, word in EULER))],
    [IMAGES + realized for realized in ("", "realize time by euler\n", "realize time by euler(steps=9)\n")],
    [DATA, *(DATA + f"realize diffusion by {noise}\n" for noise in SAID)],
    [SCALAR, *(SCALAR + f"realize diffusion by noise{samples}\n" for samples in ("", "(samples=1024)"))],
    [MANY, *(MANY + f"realize diffusion by {noise}\n" for noise in SAID)],
    [DROPPED, *(DROPPED + f"realize diffusion by {word}\n" for word in ("dropout", "dropout(samples=1)"))],
    [DATA + f"realize diffusion by residual({word})\n" for word in ("", "tau=1", "times=[0, 1]", "weight=1/20")],
    [PIXELS + f"train {{\n  data mnist\n{entry}\n}}\n" for entry in DEFAULT_ENTRIES],
    [PIXELS + FRAMED.format(close=close) for close in ("", "head 16", "head 4²")],
    [PIXELS + f"evaluate {{\n  {entry}\n}}\n" for entry in ("attack fgsm(eps=0.1)", "attack fgsm(inf, [1/10], 1)")],
]

# Specs whose members are the same network, whatever is said of the diffusion.
SAME_NETWORKS = [row for row in SAME_SPECS if row[0] in (DATA, SCALAR, MANY, DROPPED) and "diffusion" in row[-1]]

# Changes of LINE or PIXELS that make another problem.
DIFFERENT: list[tuple[str, str, str]] = [
    (LINE, "0.1", "0.2"),
    (LINE, "νΔu", "νΔu + u"),
    (LINE, "νΔu", "νΔu + ∂u/∂x"),
    (LINE, "νΔu", "νΔu - ∂u/∂x"),
    (LINE, "sin(π x)", "-sin(π x)"),
    (LINE, "sin(π x)", "cos(π x)"),
    (DATA.replace(" + Δu", ""), "u(x, 0)", "u(x, 1)"),
    *((base, base, f"{base}realize diffusion by {word}\n") for base, word in OTHERS),
    (LINE, "u = 0 on boundary", "u = 1 on boundary"),
    (LINE, "u = 0 on boundary", "u = 0 on left\nu = 1 on right"),
    (LINE, "u = 0 on boundary", "u = 1 on left\nu = 0 on right"),
    (LINE, "u = 0 on boundary", "n·∇u = 0 on boundary"),
    (LINE.replace("u = 0 on boundary", "u = n·∇u on boundary"), "n·∇u on boundary", "∂u/∂x on boundary"),
    (LINE, "time t in [0, 1]", "time t in [0, 2]"),
    (LINE, "space x in [0, 1]", "space x in [0, 2]"),
    (LINE, "scalar", "scalar = mlp(width=20)"),
    (LINE, "scalar", "scalar = mlp(width=21)"),
    (LINE, "boundary\n", "boundary\nrealize equation by grid(n=64)\n"),
    (LINE, "boundary\n", "boundary\nrealize equation by grid(n=65)\n"),
    (LINE, "boundary\n", "boundary\nrealize equation by residual\n"),
    (LINE, "boundary\n", "boundary\nrequire linearity\n"),
    (LINE, "boundary\n", "boundary\ntrain {\n  steps 3\n}\n"),
    (LINE, "boundary\n", "boundary\ntrain {\n  steps 4\n}\n"),
    (LINE, "boundary\n", "boundary\ntrain {\n  epochs 4\n}\n"),
    (LINE, "boundary\n", "boundary\nevaluate {\n  reference grid(n=256)\n}\n"),
    (PIXELS, "-Kᵀ relu", "Kᵀ relu"),
    (PIXELS, "relu", "tanh"),
    (PIXELS, "N(K Y)", "K Y"),
    (PIXELS, "tv_norm(eps=1e-3)", "batch_norm(eps=1e-3)"),
    (PIXELS, "1e-3", "1e-2"),
    (PIXELS, "conv(3)", "conv(5)"),
    (PIXELS, "K(t)", "K"),
    (PIXELS, "operator", "operator, ‖K‖ ≤ 1"),
    (PIXELS, "operator", "operator, ‖K‖ ≤ 2"),
    (PIXELS, "euler(steps=3)", "euler(steps=4)"),
    (PIXELS, "euler(steps=3)", "rk4(steps=3)"),
    (PIXELS, "Kᵀ relu(N(K Y))", "K relu(N(K Y))"),
    (PIXELS, "steps=3)\n", "steps=3)\ntrain {\n  data mnist\n}\n"),
    (PIXELS, "steps=3)\n", "steps=3)\ntrain {\n  data fashion_mnist\n}\n"),
    (PIXELS, "steps=3)\n", "steps=3)\ntrain {\n  constrain K in [-1, 1]\n}\n"),
    (PIXELS, "steps=3)\n", "steps=3)\ntrain {\n  constrain K in [-2, 1]\n}\n"),
    (PIXELS, "steps=3)\n", "steps=3)\nnetwork {\n  input image(1, 28, 28)\n  stem 8\n  stages [8]\n  classes 10\n}\n"),
]
