"""Specs put together by the language's own rules, with odd numbers, names and combinations: most are understood, and
many compile."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from fuzzing.sound import one, some
from pdedsl.config.base import Choice, Flag, Form, IntegerBounds, Param, RealBounds, Text
from pdedsl.config.data import DATA
from pdedsl.config.evaluation import ATTACKS, CERTIFICATES
from pdedsl.config.methods import PARTS
from pdedsl.config.training import ADVERSARIES, AUGMENTATIONS, OPTIMIZERS, REGULARIZERS, SCHEDULES
from pdedsl.ir.verdicts import Axiom

NUMBERS = "1 2 3 ½ 0.1 π 1e-3 7/3 (1/3)^0.5 exp(1) log(2) σ σ² (2σ) T"
ODD = "0 (-1) (-π) 1e-300 1e300 1e9 log(1/2) (-8)^(1/3) sqrt(-1) (σ-σ) (1/(T-T)) exp(99) (T-3)"
NAMES = "v v v v w κ q function self lambda1 params print x1 partial float open str torch import_ ﬁ 数 Ω"
FUNCTIONS = "sin exp log sqrt tanh relu abs sign heaviside erf sigmoid atan g"
TITLES = (' "a title"', " \"''' \\\\ %s {x}\"", ' ""', "", "")
Forms = Mapping[str, Form[Any]]


def specs(rng: Random) -> str:
    return rng.choice((_data, _data, _data, _image, _pixels, _physical))(rng)


# ---- pieces


def _number(rng: Random) -> str:
    return one(rng, ODD if rng.random() < 0.07 else NUMBERS)


def _value(rng: Random, param: Param) -> str:
    odd = rng.random() < 0.04
    match param.kind:
        case IntegerBounds(among=among):
            value = one(rng, "0 1e6 1/2 -1") if odd else str(rng.choice(among)) if among else one(rng, "1 2 3 5")
        case RealBounds():
            value = _number(rng) if odd else one(rng, "0.1 0.5 1e-3 1/255 0.2")
        case Choice(options=words):
            value = rng.choice(words)
        case Text():
            value = '"a"'
        case Flag():
            value = one(rng, "true false")
    return f"[{value}, {value}]" if param.many and rng.random() < 0.3 else value


def _word(rng: Random, form: Form[Any]) -> str:
    given = [f"{k}={_value(rng, p)}" for k, p in form.params.items() if p.required or rng.random() < 0.3]
    return f"{form.name}({', '.join(given)})" if given else form.name


def _any(rng: Random, forms: Forms) -> str:
    return _word(rng, rng.choice(list(forms.values())))


def _scalar(rng: Random, atoms: str, depth: int = 2) -> str:
    """A scalar expression of some atoms."""
    if depth == 0 or rng.random() < 0.3:
        return one(rng, atoms) if rng.random() < 0.6 else _number(rng)

    def inner() -> str:
        return _scalar(rng, atoms, depth - 1)

    match rng.randrange(9):
        case 0 | 1 | 2:
            return f"({inner()} {rng.choice('+-*')} {inner()})"
        case 3:
            return f"(({inner()})/({inner()}))"
        case 4 | 5:
            return f"{one(rng, FUNCTIONS)}({inner()})"
        case 6:
            return f"({inner()})^({one(rng, '2 3 -1 0.5 1/3 0 -2 σ')})"
        case 7:
            return f"{one(rng, 'min max')}({inner()}, {inner()})"
        case _:
            return f"|{inner()}|"


def _head(rng: Random) -> list[str]:
    root = one(rng, "σ σ²")
    g = _scalar(rng, "s", 1).replace("g(", "sin(")
    end, size = one(rng, "1 2 3 ½"), one(rng, ODD if rng.random() < 0.03 else "0.1 1 0.2 2 1/3")
    return [f"pde P{rng.choice(TITLES)}", f"const T = {end}", f"const {root} = {size}", f"let g(s) = {g}"]


def _experiment(rng: Random, parts: str) -> list[str]:
    lines = [f"realize {p} by {_any(rng, PARTS[p])}" for p in parts.split() if rng.random() < 0.3]
    lines += some(rng, 0.08, "require " + ", ".join(rng.sample([a.value for a in Axiom], rng.randint(1, 3))))
    return lines + some(rng, 0.15, _train(rng)) + some(rng, 0.1, _evaluate(rng))


def _train(rng: Random) -> str:
    rows = [f"data {_any(rng, DATA)}", f"optimizer {_any(rng, OPTIMIZERS)}"]
    rows += some(rng, 0.3, f"schedule {_any(rng, SCHEDULES)}")
    rows += some(rng, 0.2, f"augment {_any(rng, AUGMENTATIONS)}")
    rows += some(rng, 0.2, f"adversary {_any(rng, ADVERSARIES)}")
    rows += some(rng, 0.2, f"regularize {_any(rng, REGULARIZERS)}")
    rows += some(rng, 0.2, f"constrain K in [-1, {_number(rng)}]")
    rows += some(rng, 0.5, f"{one(rng, 'epochs steps batch seed')} {one(rng, '1 2 10')}")
    return "train {\n" + "\n".join(rows) + "\n}"


def _evaluate(rng: Random) -> str:
    rows = ["natural", f"attack {_any(rng, ATTACKS)}", f"certify {_any(rng, CERTIFICATES)}"]
    return "evaluate {\n" + "\n".join(rng.sample(rows, rng.randint(0, 3))) + "\n}"


# ---- equations on R^d and on a domain


def _vector(rng: Random, atoms: str, n: int) -> str:
    return "[" + ", ".join(_scalar(rng, atoms, 1) for _ in range(n)) + "]"


def _term(rng: Random, v: str, atoms: str, n: int, probabilities: bool) -> str:
    c = _scalar(rng, atoms, 1) if rng.random() < 0.4 else _number(rng)
    linear = (
        *(
            f"{v}·∇u",
            f"{v}·∇u",
            f"{c}*({v}·∇u)",
            f"{_vector(rng, atoms, n)}·∇u",
            f"({v} + {_vector(rng, atoms, n)})·∇u",
        ),
        *("½σ²Δu", "σ²Δu", f"{c} Δu", "D:∇∇u", "κ2 Δu", f"∇·({c}∇u)", "∇·(κ2∇u)"),
        *(f"{c}*Σᵢ {v}ᵢ² ∂²u/∂x²", f"{c}*Σᵢ {v}ᵢ u", f"(∇·{v})*u", f"{c}*(∂²u/∂x²)", f"{c}*∂u/∂x"),
        f"{c} Σᵢ {v}[i]^2 d2u/dx[i]2",
    )
    others = (f"{c}*u", f"{c}", "κ2 u", "u(1-u)*2", "‖∇u‖", "‖∇u‖²", f"{one(rng, FUNCTIONS)}(u)", f"∇·(u {v})", "u³")
    return rng.choice(linear if probabilities or rng.random() < 0.7 else others)


def _equations(rng: Random, v: str, atoms: str, n: int, probabilities: bool) -> list[str]:
    def right() -> str:
        terms = [_term(rng, v, atoms, n, probabilities) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
        return rng.choice((" + ", " + ", " - ")).join(terms)

    left = one(rng, "∂u/∂t 2∂u/∂t -∂u/∂t ∂u/∂t-Δu") if rng.random() < 0.1 else "∂u/∂t"
    if rng.random() < 0.2:
        return [f"{left} = {right()} for t in [0, T/2]", f"{left} = {right()} for t in [T/2, T]"]
    return [f"{left} = {right()}", *some(rng, 0.02, f"∂u/∂t = {right()}")]


def _declared(rng: Random, equations: list[str], v: str, inside: str) -> list[str]:
    """The learned fields that are used."""
    text = "\n".join(equations)
    own, network = rng.choice((inside, f"{inside}, t")), "= mlp(width=4, depth=2)"
    lines = []
    if v in text:
        lines += [f"learn {v}({own}) : {one(rng, 'vector vector vector,divergence_free')} {network}"]
    if "κ2" in text:
        lines += [f"learn κ2({own}) : scalar {one(rng, '>0 ≥0 >0')} {network}"]
    if "D:" in text:
        kind = one(rng, "matrix,psd matrix,psd matrix matrix,symmetric")
        lines += [f"learn D : {kind}" if rng.random() < 0.5 else f"learn D({own}) : {kind} {network}"]
    return lines


def _data(rng: Random) -> str:
    """Characteristics and noise in data space."""
    n, named = rng.randint(1, 3), rng.random() < 0.5
    letters = ["x", "y", "z"][:n]
    named |= n == 1
    first = "x" if not named or n == 1 else f"({', '.join(letters)})"
    inside = ", ".join(letters) if named else "x"
    atoms = " ".join([*(letters if named else [f"x[{k + 1}]" for k in range(n)]), "t", "σ"])
    classes, v = rng.random() < 0.6, one(rng, NAMES)
    equations = _equations(rng, v, atoms, n, classes)
    lines = [*_head(rng), f"space {first} in {f'R^{n}' if n > 1 else 'R'}", "time t in [0, T]"]
    lines += [f"unknown u({inside}, t) : {one(rng, 'simplex(2) simplex(3)') if classes else 'scalar'}"]
    lines += _declared(rng, equations, v, inside) + ["learn W : operator = linear"] * classes + equations
    scores = "softmax(W x)" if not named else f"softmax(W [{inside}])"
    lines += [f"u({inside}, {one(rng, '0 0 0 T')}) = {scores if classes else _scalar(rng, atoms.replace(' t', ''))}"]
    return "\n".join([*lines, *_experiment(rng, "time convection diffusion")]) + "\n"


def _physical(rng: Random) -> str:
    n = rng.randint(1, 3)
    letters = ["x", "y", "z"][:n]
    inside, periodic = ", ".join(letters), rng.random() < 0.3
    atoms = " ".join([*letters, "t", "σ", "u"])
    equations = _equations(rng, "v", atoms, n, False)
    first = f"({inside})" if n > 1 else "x"
    lines = [*_head(rng), f"space {first} in [0, 1]{f'^{n}' * (n > 1)}{' periodic' * periodic}", "time t in [0, T]"]
    lines += [f"unknown u({inside}, t) : scalar", *_declared(rng, equations, "v", inside), *equations]
    lines += [f"u({inside}, 0) = {_scalar(rng, ' '.join(letters))}"]
    lines += [f"{one(rng, 'u n·∇u ∂u/∂n+u')} = {_scalar(rng, 'x t σ', 1)} on boundary"] * (not periodic)
    return "\n".join([*lines, *_experiment(rng, "time equation")]) + "\n"


# ---- networks for images


def _network(rng: Random) -> str:
    return one(rng, "resnet(20) resnet([20,32]) resnet18 preact_resnet18 wide_resnet(10,1) convnet mlp(4,2)")


def _image(rng: Random) -> str:
    terms = (
        "v·∇u",
        "v·∇u",
        "½σ²Δu",
        "σ²Δu",
        "σ Σᵢ vᵢ² ∂²u/∂xᵢ²",
        "σ Σᵢ Σⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ",
        "x·∇u",
        "½(v + w)·∇u",
        "w·∇u",
    )
    chosen = [rng.choice((*terms[:2], rng.choice(terms))), *some(rng, 0.6, rng.choice(terms[2:]))]
    if rng.random() < 0.1:
        chosen[0] = f"{_number(rng)}*({chosen[0]})"
    equations = [f"∂u/∂t = {' + '.join(chosen)}"]
    if rng.random() < 0.2:
        equations = [f"∂u/∂t = {chosen[0]} for t in [0, T/2]", f"∂u/∂t = {chosen[-1]} for t in [T/2, T]"]
    net, size = _network(rng), one(rng, "1,28,28 3,32,32 3,8,8 1,1,1")
    lines = [
        *_head(rng),
        f"space x in image({size})",
        "time t in [0, T]",
        f"unknown u(x, t) : simplex({rng.randint(2, 10)})",
    ]
    lines += [f"learn {w}(x, t) : vector = {net}" for w in "vw" if w in " ".join(chosen)]
    lines += ["learn W : operator = linear", *equations, f"u(x, {one(rng, '0 0 0 T')}) = softmax(W x)"]
    return "\n".join([*lines, *_experiment(rng, "time diffusion")]) + "\n"


def _pixels(rng: Random) -> str:
    activation = one(rng, "relu tanh sin sigmoid softplus identity g abs elu")
    pair, c = rng.random() < 0.15, f"{_number(rng)}*" if rng.random() < 0.3 else ""
    layer = (f"Kᵀ {activation}(N(K Y))", f"Kᵀ {activation}(K Y)", "F(Y, t)", "F(Y)")
    right = "-" * (rng.random() < 0.7) + c + (f"Kᵀ {activation}(K Z)" if pair else rng.choice(layer))
    right += rng.choice(("", "", "", f" + {_number(rng)} Y", " - F(Y, t)", " + K Y", " + 1"))
    order = rng.random() < 0.2 and not pair
    lines = [*_head(rng), "space x in pixels", "time t in [0, T]", "unknown Y(x, t) : channels"]
    bound = one(rng, ",‖K‖≤1 ,‖K‖≤σ") if rng.random() < 0.3 else ""
    lines += [f"learn {one(rng, 'K K(t) K(t)')} : operator{bound} = conv(3)"]
    lines += ["learn F(Y, t) : channels = convnet(layers=2)"] * ("F(Y, t)" in right)
    lines += ["learn F(Y) : channels = convnet"] * ("F(Y)" in right)
    lines += [f"let N = {one(rng, 'tv_norm() batch_norm() tv_norm(eps=1e-3)')}"] * ("N(" in right)
    lines += ["unknown Z(x, t) : channels", "learn L(t) : operator = conv(3)"] * pair
    lines += [f"{'∂²Y/∂t²' if order else '∂Y/∂t'} = {right}"] * (rng.random() < 0.98)
    lines += [f"∂Z/∂t = Lᵀ {activation}(L Y)"] * pair + ["∂Y/∂t(x, 0) = 0"] * order
    lines += ["network {", f"input image({one(rng, '3,32,32 1,8,8 3,1,1')})", f"open {one(rng, '4 8 4 4 3')}"]
    lines += [f"stages [{one(rng, '4 4,8 4,6')}]", f"classes {rng.randint(2, 10)}", "}"]
    return "\n".join([*lines, *_experiment(rng, "time")]) + "\n"
