"""What newcomers write, and the way out that they read: one message each."""

from __future__ import annotations

import pytest

from pdedsl.compiler import to_spec
from pdedsl.diagnostics import PdeError, Source

HEAT = """pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = sin(π x)
u = 0 on boundary
"""
MOONS = """pde P
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
"""


@pytest.mark.parametrize(
    ("text", "way"),
    [
        (HEAT + "solve by grid\n", "did you mean 'realize'?"),
        (HEAT + "realize equation by pinn\n", "did you mean 'residual'?"),
        (HEAT + "realize equation by fdm\n", "did you mean 'grid'?"),
        (HEAT.replace("u = 0 on boundary", "u(0, t) = 0, u(1, t) = 0"), "write one statement per line"),
        (HEAT.replace("on boundary", "at boundary"), "a side is named behind 'on'"),
        (HEAT.replace("∂u/∂t = Δu", "u_t - u_xx"), "an equation has two sides"),
        (HEAT.replace("∂u/∂t = Δu", "diff(u, t) = diff(u, x, 2)"), "a second derivative is diff(u, x, x)"),
        (HEAT.replace("∂u/∂t = Δu", "D(u, t) = Δu"), "a derivative is written ∂u/∂t"),
        (HEAT.replace("u(x, t)", "u"), "write u(x, t), with the coordinates and the time"),
        (HEAT.replace("time t in", "t in"), "write: time t in …"),
        (HEAT.replace("u(x, 0)", "u0"), "the start is written: u(x, 0) = …"),
        (HEAT.replace(": scalar", ": float"), "did you mean 'scalar'?"),
        (HEAT.replace("unknown u", "unknown H₁(x, t) : scalar\nunknown u"), "declare H as a vector"),
        (HEAT.replace("Δu", "u_yy"), "variables of this spec: x, t"),
        (HEAT.replace("Δu", "uxx"), "did you mean 'u_xx'?"),
        (HEAT.replace("∂u/∂t", "Du/Dt"), "∂u/∂t + (v·∇)u"),
        (HEAT.replace("∂u/∂t = Δu", "du = u_xx dt"), "∂u/∂t = …"),
        (HEAT.replace("Δu", "Δu + δ(x)"), "a narrow one"),
        (HEAT.replace("Δu", "Δu + i u"), "real and imaginary part"),
        (HEAT.replace("Δu", "Δu + H(x)"), "did you mean 'heaviside'?"),
        (HEAT.replace("Δu", "Δu + sgn(x)"), "did you mean 'sign'?"),
        (HEAT.replace("Δu", "Δu + dW"), "½σ²Δu"),
        (HEAT.replace("Δu", "-(-Δ)^0.5 u"), "write what it acts on behind it"),
        (HEAT.replace("Δu", "Δu, 0 < x < 1"), "holds on the whole 'space'"),
        (HEAT.replace("Δu", "κ Δu where κ = 2"), "const k = 2"),
        (HEAT.replace("Δu", "Δu if x < 0.5 else 0"), "heaviside(x - 0.5)"),
        (HEAT.replace("Δu", "{ Δu }"), "( … )"),
        (HEAT.replace("Δu", "Δu + piecewise(x > 0.5, 1, 0)"), "heaviside(x - 0.5)"),
        (HEAT.replace("Δu", "Δu + where(x > 0.5, 1, 0)"), "heaviside(x - 0.5)"),
        (HEAT.replace("Δu", "Δu + (x > 0.5 ? 1 : 0)"), "heaviside(x - 0.5)"),
        (HEAT.replace("Δu", "Δu + log10(1 + x)"), "log(…)/log(10)"),
        (HEAT.replace("Δu", "Δu + sin[π x]"), "round brackets"),
        (HEAT.replace("Δu", "Δu + np.sin(x)"), "the function alone"),
        (HEAT.replace("Δu", "u.diff(x, x)"), "diff(u, x)"),
        (HEAT.replace("Δu", "5. Δu"), "write 5.0"),
        (HEAT.replace("Δu", "1,000 Δu"), "write: 1000 or 1.000"),
        (HEAT.replace("Δu", "curl(u)"), "write out its components"),
        (HEAT.replace("Δu", "sum(u)"), "sum(i, v[i]^2)"),
        (HEAT.replace("Δu", "\\\n  Δu"), "a line goes on below"),
        (HEAT.replace("Δu", "Δu\n  + u"), "end the line above with '+'"),
        (HEAT.replace("∂u/∂t", "∂u(x, t)/∂t"), "without its arguments"),
        (HEAT.replace("∂u/∂t", "• ∂u/∂t"), "leave it out"),
        (HEAT.replace("∂u/∂t", "/* the\n equation */\n∂u/∂t"), "write: # …"),
        (HEAT.replace("u(x, 0) = sin(π x)", "u = sin(π x) at t = 0"), "u(x, 0) = …"),
        (HEAT.replace("u(x, 0) = sin(π x)", "u = sin(π x) on t = 0"), "u(x, 0) = …"),
        (HEAT.replace("u(x, 0) = sin(π x)", "u(t=0) = sin(π x)"), "u(x, 0) for the start"),
        (HEAT.replace("u(x, 0) = sin(π x)", r"u|_{t=0} = \sin(\pi x)"), "write: u(x, 0) = sin(π x)"),
        (HEAT.replace("on boundary", "for x = 0"), "as in: u = 0 on x = 0"),
        (HEAT.replace("unknown u(x, t) : scalar\n", ""), "unknown u(x, t) : scalar"),
        (HEAT.replace(": scalar", ": complex"), "real and imaginary part"),
        (HEAT.replace("space x in", "space: x in"), "as in: space x in"),
        (HEAT.replace("space x in [0, 1]", "space 0 < x < 1"), "as in: space x in"),
        (HEAT.replace("space x in [0, 1]", "space x in 0..1"), "an interval is written [0, 1]"),
        (HEAT.replace("space x in [0, 1]", "space (x, y) in [0, 1]x[0, 1]"), "write × between intervals"),
        (HEAT.replace("x in [0, 1]", "x in [0, 1]\nspace y in [0, 1]").replace("(x,", "(x, y,"), "declared together"),
        (HEAT.replace("in [0, 1]\nunknown", "in [0, ∞)\nunknown"), "finite ends"),
        (HEAT.replace("∂u", "const k = 1, c = 2\n∂u", 1), "one statement per line"),
        (f"```pde\n{HEAT}```\n", "leave lines of ``` out"),
        (MOONS + "train:\n  data moons\n  epochs 2\n", "as in: train { … }"),
        (MOONS + "train\n  data moons\n  epochs 2\n", "as in: train { … }"),
        (MOONS + 'train {\n data "my.csv"\n epochs 2\n}\n', 'npz("data.npz")'),
        (MOONS + "training {\n data moons\n epochs 2\n}\n", "did you mean 'train'?"),
        (HEAT.replace("=", "≈", 1), "write '='"),
        (HEAT.replace("= Δu", "≤ Δu"), "one '='"),
        (HEAT.replace("Δu", "2. Δu"), "5.0 for 5."),
        (HEAT.replace("[0, 1]", "[0, T]", 1), "const T = 1"),
        (HEAT.replace("x in [0, 1]", "x in (0, 1)"), "square brackets"),
        (HEAT.replace("x in [0, 1]", "x in [0, 1], y in [0, 1]"), "space (x, y) in [0, 1] × [0, 2]"),
        (HEAT.replace("time t in [0, 1]\n", "").replace("∂u/∂t = Δu", "u_t = u_xx"), "this spec has no time"),
        (HEAT.replace("pde P", "pde P {") + "}\n", "leave them out"),
        (HEAT.replace("u = 0 on boundary", "periodic"), "space x in [0, 1] periodic"),
        (HEAT.replace("u = 0 on boundary", "u periodic in x"), "space x in [0, 1] periodic"),
        (HEAT.replace("u = 0 on boundary", "u = 0 at x = 0"), "u = 0 on x = 0"),
        (HEAT.replace("u = 0 on boundary", "u(x=0, t) = 0"), "u(0, t)"),
        (HEAT.replace("u = 0 on boundary", "u(0, ·) = 0"), "u(0, t)"),
        (HEAT.replace("u = 0 on boundary", "u|_{x=0} = 0"), "write: u = 0 on x=0"),
        (HEAT.replace("u = 0 on boundary", "u(∂Ω) = 0"), "u = 0 on boundary"),
        (HEAT.replace("u = 0 on boundary", "u(0, t), u(1, t) = 0"), "one statement per line"),
        (HEAT.replace("u = 0 on boundary", "BC: u(0, t) = 0"), "u = … on boundary"),
        (HEAT.replace("u = 0 on boundary", "neumann 0 on boundary"), "∂u/∂n = … on boundary"),
        (HEAT.replace("u(x, 0) =", "initial u ="), "u(x, 0) = …"),
        (MOONS.replace("W x", "W x + b"), "a bias of its own"),
        (MOONS.replace("W x", "W @ x"), "write W x"),
        (MOONS.replace("v·∇u", "⟨v, ∇u⟩"), "write v·w"),
        (MOONS.replace("v·∇u", "v^T ∇u"), "write v·w"),
        (MOONS.replace("∂u/∂t = v·∇u", "dX = v dt + σ dW"), "∂u/∂t + v·∇u + ½σ²Δu = 0"),
        (MOONS.replace("R^2", "image(28, 28)"), "channels, height, width"),
        (MOONS.replace("simplex", "prob"), "did you mean 'simplex'?"),
        (MOONS + "train {\n data moons, epochs 5\n}\n", "a line of its own"),
        (MOONS + "train {\n data cifar-10\n}\n", "cifar10"),
        (MOONS.replace("= mlp", "= mlp(hidden=8)"), "did you mean 'width'?"),
        (MOONS.replace("v·∇u", "v.∇u"), "write v·w for a dot product"),
        (MOONS + "train {\n dataset moons\n}\n", "did you mean 'data'?"),
        (MOONS + "train {\n data moons\n lr 0.1\n}\n", "optimizer sgd(lr=0.1)"),
        (MOONS + "train {\n data moons\n batch_size 8\n}\n", "did you mean 'batch'?"),
        (MOONS + "train {\n data moons\n optimizer adam(learning_rate=1)\n}\n", "did you mean 'lr'?"),
        (MOONS + "evaluate {\n attack pgd(epsilon=0.1)\n}\n", "did you mean 'eps'?"),
        (MOONS + "evaluate {\n attack pgd(eps=0.1, norm=l2)\n}\n", "did you mean '2'?"),
        (MOONS + "require monotonicity\n", "did you mean 'comparison'?"),
    ],
)
def test_one_message_with_its_way_out(text: str, way: str) -> None:
    with pytest.raises(PdeError) as caught:
        to_spec(Source(text))
    (found,) = caught.value.diagnostics
    assert way in found.hint
