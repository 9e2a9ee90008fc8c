"""Small specs for mutation testing."""

from __future__ import annotations

from functools import cache

import pdedsl
from pdedsl.compiler import Compilation

POINTS = """pde Points
space (x, y) in R^2
time t in [0, 1]
unknown u(x, y, t) : {kind}
{declared}
{equation}
{data}
{realized}
"""
PICTURE = """pde Picture
space x in image(1, 8, 8)
time t in [0, {end}]
unknown u(x, t) : simplex(3)
learn v(x, t) : vector = resnet(depth=20)
learn W : operator = linear
{equation}
u(x, {at}) = softmax(W x)
{realized}
"""
PIXELS = """pde Pixels
space x in pixels
time t in [0, {end}]
{declared}
{equation}
realize time by {method}
network {{
  input image(1, 8, 8)
  stem 4
  stages [4]
  classes 2
}}
"""
FIELD = "learn v(x, y, t) : vector = mlp(width=8, depth=1)\nlearn W : operator = linear"
SOFTMAX = "u(x, y, 0) = softmax(W [x, y])"


def points(equation: str, realized: str, declared: str = FIELD, data: str = SOFTMAX, kind: str = "simplex(2)") -> str:
    return POINTS.format(kind=kind, declared=declared, equation=equation, data=data, realized=realized)


def known(equation: str, realized: str, declared: str = "", data: str = "u(x, y, 0) = exp(-x² - y²)") -> str:
    return points(equation, realized, declared, data, "scalar")


def picture(equation: str, realized: str = "", end: str = "9", at: str = "0") -> str:
    return PICTURE.format(equation=equation, realized=realized, end=end, at=at)


def pixels(equation: str, method: str, declared: str = "", end: str = "1") -> str:
    unknown = "unknown Y(x, t) : channels\n"
    return PIXELS.format(equation=equation, method=method, declared=unknown + declared, end=end)


NOISE, WALK = "realize diffusion by noise(samples=8{more})", "realize time by euler(steps=4)"
NET = "learn f(Y, t) : channels = convnet(layers=2)"
LAYER = "learn K(t) : operator = conv(3)\nlet N = tv_norm(eps=1e-3)"
PAIR = (
    "unknown Z(x, t) : channels\nlearn K1(t) : operator = conv(3)\nlearn K2(t) : operator = conv(3)\n"
    "let N = tv_norm(eps=1e-3)"
)


SWING = "let v(x, y, t) = [cos(y + 4 t), sin(2 x) (1 - 2 t)]"
RATES = "(t - x²/4) u + cos(x) (1 + t)"


def _noise(more: str = "") -> str:
    return f"{NOISE.format(more=more)}\n{WALK}"


SMALL: dict[str, str] = {
    # points
    "isotropic": points("∂u/∂t = v·∇u + 0.05 Δu", _noise(", members=2")),
    "full": points("∂u/∂t = v·∇u + A:∇∇u", _noise(), f"{FIELD}\nconst A = [[0.10, 0.04], [0.04, 0.05]]"),
    "laplace": points("∂u/∂t = v·∇u + 0.05 Δu", _noise(", kind=laplace")),
    "scaled": points("∂u/∂t = v·∇u + (0.1 + 0.1 x²) Δu", _noise()),
    "terminal": points("∂u/∂t + v·∇u + 0.05 Δu = 0", _noise(), data="u(x, y, 1) = softmax(W [x, y])"),
    "split": points(
        "∂u/∂t = v·∇u for t in [0, 1/2]\n∂u/∂t = 0.1 Δu for t in [1/2, 1]", f"{NOISE.format(more='')}\n{WALK}"
    ),
    "units": points("∂u/∂t = v·∇u + 0.1 (v[1]² ∂²u/∂x² + v[2]² ∂²u/∂y²)", WALK),
    "known": known("∂u/∂t = v·∇u + 0.04 Δu", _noise(), SWING),
    "pieces": known(
        "∂u/∂t = v·∇u for t in [0, 1/2]\n∂u/∂t = 0.1 Δu + ∂u/∂x for t in [1/2, 1]",
        _noise(),
        "let v(x, y) = [-y, x]",
    ),
    "corrected": points("∂u/∂t = v·∇u + (0.02 + 0.2 t) Δu", _noise().replace("euler", "heun")),
    "terminal known": known("∂u/∂t + v·∇u + 0.04 Δu = 0", _noise(), SWING, "u(x, y, 1) = exp(-x² - y²)"),
    "steady": known("∂u/∂t = 0.2 Δu + ∂u/∂x", _noise(", kind=laplace")),
    # weights and sources
    "weighed": known(f"∂u/∂t = v·∇u + 0.04 Δu + {RATES}", _noise(), SWING),
    "weighed backwards": known(f"∂u/∂t + v·∇u + 0.04 Δu + {RATES} = 0", _noise(), SWING, "u(x, y, 1) = exp(-x² - y²)"),
    "constant": known("∂u/∂t = v·∇u + 0.04 Δu + 0.5 u + 0.3", _noise(), SWING),
    "growing": known(f"∂u/∂t = v·∇u + {RATES}", "realize time by rk4(steps=4)", SWING),
    "weighed pieces": known(
        f"∂u/∂t = v·∇u + {RATES} for t in [0, 1/2]\n∂u/∂t = 0.1 Δu + 0.5 u + 0.3 for t in [1/2, 1]",
        _noise(),
        "let v(x, y) = [-y, x]",
    ),
    "divergence": known("∂u/∂t = ∇·(v u) + 0.04 Δu", _noise(), "let v(x, y, t) = [x cos(t), sin(2 x)]"),
    "learned": known("∂u/∂t = ∇·(v u) + 0.04 Δu", _noise(), "learn v(x, y, t) : vector = mlp(width=8, depth=1)"),
    "conducting": known("∂u/∂t = ∇·(a ∇u)", _noise(), "learn a(x, y) : scalar > 0 = mlp(width=8, depth=1)"),
    "one letter": points("∂u/∂t = v·∇u + a Δu", _noise(), f"{FIELD}\nlearn a(x) : scalar > 0 = mlp(width=8, depth=1)"),
    "time alone": points("∂u/∂t = v·∇u + a Δu", _noise(), f"{FIELD}\nlearn a(t) : scalar > 0 = mlp(width=8, depth=1)"),
    "carried": points("∂u/∂t = v·∇u", "realize time by rk4(steps=3)"),
    "own steps": points("∂u/∂t = 3v·∇u", "realize time by dopri5(rtol=1e-5, atol=1e-5)"),
    # pictures
    "transport": picture("∂u/∂t = v·∇u"),
    "smooth": picture("∂u/∂t = v·∇u + 0.02 Δu", "realize diffusion by noise(members=2, samples=2)"),
    "heavy": picture("∂u/∂t = v·∇u + 0.02 Δu", "realize diffusion by noise(members=2, kind=laplace)"),
    "relative": picture("∂u/∂t + v·∇u + 0.02 Δu = 0", "realize diffusion by noise(members=2, scale=relative)", at="9"),
    "sampling": picture(
        "∂u/∂t = v·∇u for t in [0, 8]\n∂u/∂t = 0.1 Δu for t in [8, 9]", "realize diffusion by sampling(samples=4)"
    ),
    "features": picture("∂u/∂t = 0.1 Δu for t in [0, 1]\n∂u/∂t = v·∇u for t in [1, 9]", "realize diffusion by noise"),
    "dropout": picture("∂u/∂t = v·∇u + 1/6 Σᵢ vᵢ² ∂²u/∂xᵢ²"),
    "depth": picture("∂u/∂t = v·∇u + 1/8 Σᵢ Σⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ", "realize diffusion by stochastic_depth"),
    "shake": picture(
        "∂u/∂t = ½(v + g)·∇u + 1/24 Σᵢ Σⱼ (vᵢ - gᵢ) (vⱼ - gⱼ) ∂²u/∂xᵢ∂xⱼ", "realize diffusion by shake_shake"
    ).replace("learn W", "learn g(x, t) : vector = resnet(depth=20)\nlearn W"),
    # pixels
    "layers": pixels("∂Y/∂t = -Kᵀ relu(N(K Y)) - 0.3 Y", "euler(steps=3)", LAYER),
    "decaying": pixels(
        "∂Y/∂t = -Kᵀ tanh(K Y)",
        "euler(steps=2)\nrequire stability, energy_decay",
        "learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)",
    ),
    "two terms": pixels("∂Y/∂t = -Kᵀ relu(N(K Y)) + f(Y, t)", "euler(steps=2)", f"{LAYER}\n{NET}"),
    "net": pixels("∂Y/∂t = f(Y, t)", "euler(steps=3)", NET, "3"),
    "heun": pixels("∂Y/∂t = f(Y, t)", "heun(steps=2)", NET),
    "rk4": pixels("∂Y/∂t = f(Y, t)", "rk4(steps=2)", NET),
    "series": pixels("∂Y/∂t = f(Y, t)", "backward_euler(steps=2, terms=2)", NET),
    "adaptive": pixels("∂Y/∂t = f(Y, t)", "dopri5(rtol=1e-4, atol=1e-4)", NET),
    "pair": pixels("∂Y/∂t = K1ᵀ relu(N(K1 Z))\n∂Z/∂t = -K2ᵀ relu(N(K2 Y))", "verlet(steps=3)", PAIR),
    "second": pixels("∂²Y/∂t² = -Kᵀ relu(N(K Y))\n∂Y/∂t(x, 0) = 0", "leapfrog(steps=4)", LAYER, "2"),
}


@cache
def small(name: str) -> Compilation:
    return pdedsl.compile(SMALL[name])
