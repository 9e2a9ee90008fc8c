"""Specs that are right, short ones of every kind: nearly all of them are planned and emitted."""

from __future__ import annotations

from random import Random

NUMBERS = "1 2 3 ½ 0.1 π 7/3 1e-3 0.25 sqrt(2) exp(1) 1/3 0.07"
SMALL = "0.1 0.01 ½ 1/3 0.2 1"
WAVES = "sin cos tanh exp atan"
STEPS = "euler heun midpoint ssprk3 rk4"
LETTERS = ("x", "y", "z")


def one(rng: Random, words: str) -> str:
    return rng.choice(words.split())


def some(rng: Random, chance: float, *lines: str) -> list[str]:
    return list(lines) if rng.random() < chance else []


def sound(rng: Random) -> str:
    make = rng.choice((_classes, _operator, _image, _pixels, _pixels, *PROBLEMS) if rng.random() < 0.98 else (_flow,))
    return "\n".join((f"pde {one(rng, 'P Q heat2')}" + rng.choice(("", "", ' "a title"')), *make(rng))) + "\n"


def smooth(rng: Random, atoms: str) -> str:
    """A function of some letters that has a value everywhere."""
    a, b, c = one(rng, atoms), one(rng, atoms), one(rng, NUMBERS)
    return rng.choice(
        (c, f"{c} {a}", f"{a}² - {b}", f"{one(rng, WAVES)}({c} {a})", f"{c} + sin(π {a}) {b}", f"exp(-{a}²)", f"|{a}|")
    )


# ---- data space


def _space(rng: Random) -> tuple[str, str, str]:
    """The statement, the arguments of the unknown, and the letters."""
    n = rng.randint(1, 3)
    if n == 1:
        return "space x in R", "x", "x"
    if rng.random() < 0.5:
        return f"space x in R^{n}", "x", " ".join(f"x[{k + 1}]" for k in range(n))
    names = LETTERS[:n]
    return f"space ({', '.join(names)}) in R^{n}", ", ".join(names), " ".join(names)


def _noise(rng: Random) -> str:
    law = (
        f"members={one(rng, '1 2 3')}",
        f"scale={one(rng, 'exact relative')}",
        f"kind={one(rng, 'gaussian laplace')}",
    )
    return f"realize diffusion by noise({', '.join(rng.sample(law, rng.randint(1, 3)))})"


def _time(rng: Random, methods: str = STEPS) -> str:
    return f"realize time by {one(rng, methods)}(steps={one(rng, '1 2 5')})"


def _classes(rng: Random) -> list[str]:
    first, inside, _ = _space(rng)
    spread = rng.choice(("", f" + {one(rng, SMALL)} Δu", " + ½σ²Δu", " + σ² Δu"))
    lines = [first, f"time t in [0, {one(rng, '1 2 ½')}]", f"unknown u({inside}, t) : simplex({rng.randint(2, 4)})"]
    lines += ["const σ = 0.1"] * ("σ" in spread)
    lines += [f"learn v({inside}, t) : vector = mlp({one(rng, '4 8')}, 2)", "learn W : operator = linear"]
    lines += [f"{one(rng, '∂u/∂t u_t du/dt')} = v·∇u{spread}"]
    lines += [f"u({inside}, 0) = softmax(W {inside if inside == 'x' and 'R^' in first else f'[{inside}]'})"]
    lines += some(rng, 0.3, _time(rng, "euler" if spread else STEPS)) + (some(rng, 0.4, _noise(rng)) if spread else [])
    return lines + some(rng, 0.3, "require linearity, comparison") + some(rng, 0.15, _train(rng))


def _operator(rng: Random) -> list[str]:
    """Known coefficients on the whole space."""
    first, inside, atoms = _space(rng)
    n = len(atoms.split())
    drift = "[" + ", ".join(smooth(rng, atoms) for _ in range(n)) + "]" if n > 1 else smooth(rng, "x")
    terms = [f"({drift})·∇u" if n > 1 else f"({drift}) ∂u/∂x", f"{one(rng, SMALL)} Δu", f"(1 + {one(rng, atoms)}²) Δu"]
    terms += [f"{one(rng, NUMBERS)} u", smooth(rng, atoms), "(-½) u"]
    right = " + ".join(rng.sample(terms, rng.randint(1, 3)))
    start = smooth(rng, atoms)
    lines = [first, "time t in [0, 1]", f"unknown u({inside}, t) : scalar", f"∂u/∂t = {right}"]
    moves = right.startswith("(") and "Δ" not in right and "∂" in right + "∂" * ("∇" in right)
    return [*lines, f"u({inside}, 0) = {start}", *(some(rng, 0.4, _time(rng)) if moves else [])]


def _image(rng: Random) -> list[str]:
    net = one(rng, "resnet(20) resnet([20,32]) resnet18 preact_resnet18 wide_resnet(10,1)")
    spread = rng.choice(("", " + ½σ²Δu", " + σ²Δu"))
    lines = [f"space x in image({one(rng, '1,28,28 3,32,32 3,8,8')})", "time t in [0, 1]"]
    lines += [f"unknown u(x, t) : simplex({rng.randint(2, 10)})", f"learn v(x, t) : vector = {net}"]
    lines += ["learn W : operator = linear", *["const σ = 0.1"] * bool(spread)]
    lines += [f"∂u/∂t = v·∇u{spread}", "u(x, 0) = softmax(W x)"]
    return [*lines, *(some(rng, 0.4, _noise(rng)) if spread else []), *some(rng, 0.2, _evaluate(rng))]


def _pixels(rng: Random) -> list[str]:
    activation = one(rng, "relu tanh sin sigmoid softplus identity abs elu gelu mish")
    normal = rng.random() < 0.3
    body = "N({k} {y})" if normal else "{k} {y}"
    layer = f"{{k}}ᵀ {activation}({body})"
    lines = ["space x in pixels", "time t in [0, 2]", "unknown Y(x, t) : channels"]
    lines += [f"let N = {one(rng, 'tv_norm() tv_norm(eps=1e-3)')}"] * normal
    lines += [f"learn K(t) : operator{one(rng, ' ,‖K‖≤1') if rng.random() < 0.5 else ''} = conv(3)"]
    match rng.randrange(4):
        case 0:
            lines += ["unknown Z(x, t) : channels", "learn L(t) : operator = conv(3)"]
            lines += [f"∂Y/∂t = {layer.format(k='K', y='Z')}", f"∂Z/∂t = -{layer.format(k='L', y='Y')}"]
            lines += some(rng, 0.5, f"realize time by verlet(steps={one(rng, '1 3')})")
        case 1:
            lines += [f"∂²Y/∂t² = -{layer.format(k='K', y='Y')}", "∂Y/∂t(x, 0) = 0"]
            lines += some(rng, 0.5, "realize time by leapfrog")
        case 2:
            lines += ["learn F(Y, t) : channels = convnet", f"∂Y/∂t = F(Y, t) - {layer.format(k='K', y='Y')}"]
        case _:
            lines += [f"∂Y/∂t = -{layer.format(k='K', y='Y')}" + rng.choice(("", f" - {one(rng, SMALL)} Y"))]
            lines += some(rng, 0.4, _time(rng)) + some(rng, 0.2, "require stability" if "‖" in lines[-2] else "")
    lines += ["network {", f"input image({one(rng, '3,32,32 1,8,8')})", "open 4", f"stages [{one(rng, '4 4,8')}]"]
    return [*lines, f"classes {rng.randint(2, 10)}", "}", *some(rng, 0.1, _evaluate(rng))]


def _train(rng: Random) -> str:
    rows = ["data moons(train=20)", f"{one(rng, 'epochs steps')} 2", "batch = 10", "seed: 3"]
    rows += [
        f"optimizer {one(rng, 'sgd(lr=0.1) adam adamw(1e-3) adam,lbfgs(2)')}",
        f"schedule {one(rng, 'cosine constant')}",
    ]
    return "train {\n" + "\n".join(rng.sample(rows, rng.randint(1, 6))) + "\n}"


def _evaluate(rng: Random) -> str:
    rows = ["natural", "attack fgsm(eps=[1/255, 8/255]), pgd(eps=0.1)", "attack autoattack(eps=8/255)"]
    rows += ["certify gaussian(n0=10, n=100)", "plot confusion, samples", "audit gradient_masking"]
    return "evaluate {\n" + "\n".join(rng.sample(rows, rng.randint(1, 4))) + "\n}"


# ---- physical domains


def _method(rng: Random) -> list[str]:
    words = "features features(n=50) residual residual(points=100,steps=5) grid(n=32) paths(samples=100) grid"
    return some(rng, 0.5, f"realize equation by {one(rng, words)}") + some(
        rng, 0.1, "evaluate {\nreference grid(n=32)\n}"
    )


def _at_rest(rng: Random) -> list[str]:
    shape = rng.choice(("x² + y² < 1", "x + y < 1", "x² + y² > 0.04", "(x - 0.4)² + y² > 0.04, |y| < 0.9"))
    lines = [f"space (x, y) in [-1, 1]{one(rng, '^2 ²')} where {shape}", "unknown u(x, y) : scalar"]
    lines += [f"{one(rng, '-Δu -∇^2u -∇·(∇u) -laplace(u) -div(grad(u)) -u_xx-u_yy')} = {smooth(rng, 'x y')}"]
    if shape == "x² + y² > 0.04" and rng.random() < 0.7:
        return [*lines, "u = 1 on x² + y² = 0.04", "u = 0 on left, right, bottom, top", *_method(rng)]
    if shape == "x² + y² < 1" and rng.random() < 0.5:
        return [*lines, "u = 1 on boundary where x > 0", "u = 0 on boundary where x < 0", *_method(rng)]
    return [*lines, f"{one(rng, 'u ∂u/∂n+u')} = {smooth(rng, 'x y')} on {one(rng, 'boundary ∂Ω')}", *_method(rng)]


def _evolving(rng: Random) -> list[str]:
    n, periodic = rng.randint(1, 2), rng.random() < 0.4
    inside = ", ".join(LETTERS[:n])
    letters = inside.replace(",", "")
    lines = [f"space {f'({inside})' if n > 1 else 'x'} in [0, 1]{'^2' * (n > 1)}{' periodic' * periodic}"]
    lines += ["time t in [0, 1]", f"unknown u({inside}, t) : scalar{' = mlp(8, 2)' * (rng.random() < 0.2)}"]
    more = rng.choice(
        ("", " - u³ + u", " - u ∂u/∂x", " + u_x", f" + {smooth(rng, letters + ' t')}", " - ‖∇u‖²", " - sin(u)")
    )
    slope = rng.choice(("∂u/∂t", "u_t", "∂_t u", "du/dt"))
    bend = rng.choice(("Δu", "lap(u)", "∂²u/∂x²", "u_xx", "u_{xx}", "∂_xx u", "∇^2 u", "Laplacian u", "d^2u/dx^2"))
    lines += [f"{slope} = {one(rng, SMALL)} {bend}{more}"]
    wave = f"sin(2π x){' cos(2π y)' * (n > 1)}" if periodic else f"{smooth(rng, letters)}"
    lines += [f"u({inside}, 0) = {wave}"]
    part = rng.choice(("boundary", "boundary", "left, right" if n == 1 else "left, right, bottom, top"))
    lines += [f"{one(rng, 'u n·∇u ∂u/∂n+u ∂u/∂n')} = {smooth(rng, letters + ' t')} on {part}"] * (not periodic)
    return lines + _method(rng)


def _known(rng: Random) -> list[str]:
    """Heat, waves and transport with a known solution."""
    k = one(rng, "1 2 3")
    match rng.randrange(3):
        case 0:
            lines = ["space x in [0, 1]", "time t in [0, ½]", "unknown u(x, t) : scalar", "∂u/∂t = 0.1Δu"]
            lines += [f"u(x, 0) = sin({k}π x)", "u = 0 on boundary", f"exact u = exp(-0.1 {k}² π² t) sin({k}π x)"]
        case 1:
            lines = ["space x in [0, 1] periodic", "time t in [0, 1]", "unknown u(x, t) : scalar"]
            lines += ["∂²u/∂t² = Δu", "u(x, 0) = sin(2π x)", "∂u/∂t(x, 0) = 0", "exact u = sin(2π x) cos(2π t)"]
        case _:
            lines = ["space (x, y) in [0, 1]^2", "unknown u(x, y) : scalar", f"Δu = {k}"]
            lines += [f"u = {k}/4 (x² + y²) on boundary", f"exact u = {k}/4 (x² + y²)"]
    return lines + _method(rng)


def _system(rng: Random) -> list[str]:
    lines = ["space x in [0, 1] periodic", "time t in [0, ½]", "unknown u(x, t) : vector(2)"]
    c = one(rng, NUMBERS)
    lines += [f"∂u₁/∂t = {one(rng, SMALL)} Δu₁ - {c} u₂", f"∂u₂/∂t = {one(rng, SMALL)} Δu₂ + {c} u₁"]
    return [*lines, "u₁(x, 0) = sin(2π x)", f"u₂(x, 0) = {one(rng, '0 1 cos(2π*x)')}", *_method(rng)]


def _inverse(rng: Random) -> list[str]:
    lines = ["space x in [0, 1] periodic", "time t in [0, 1]", "unknown u(x, t) : scalar"]
    lines += [f"learn λ : scalar{one(rng, '>0 ≥0 >0')} = {one(rng, '0.3 1 ½')}"]
    lines += ["∂u/∂t + ∂u/∂x = -λ u", "u(x, 0) = 2 + sin(2π x)", 'observe u from npz("a.npz")']
    return lines + some(rng, 0.5, "realize equation by residual(points=100)")


def _flow(rng: Random) -> list[str]:
    """Velocity and pressure."""
    lines = ["space (x, y) in [0, 1]²", "unknown v(x, y) : vector(2)", "unknown p(x, y) : scalar"]
    lines += [f"{one(rng, 'v·∇v (v·∇)v')} = -∇p + {one(rng, SMALL)} Δv", "∇·v = 0", "v = [0, 0] on left, right, bottom"]
    return [*lines, f"v = [{smooth(rng, 'x')}, 0] on top", *some(rng, 0.5, "realize equation by features(n=50)")]


PROBLEMS = (_known, _known, _evolving, _evolving, _at_rest, _system, _inverse, _inverse)
