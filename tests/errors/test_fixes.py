"""Suggested fixes: each fix of each invalid spec is applied, and its error disappears."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
from sampling import marked

from pdedsl import errors
from pdedsl.diagnostics import Diagnostic
from pdedsl.diagnostics.fixes import Fix, apply_edits, resolve_edits
from pdedsl.editor import analysed
from tests.errors.hints_without_fix import WITHOUT_FIX

BAD = Path(__file__).parents[1] / "bad"
CASES = sorted(BAD.glob("*.pde"))


def fixed(text: str) -> list[tuple[Diagnostic, Fix, str]]:
    return [(d, fix, apply_edits(text, resolve_edits(text, fix))) for d in found(text) for fix in d.fixes]


@cache
def found(text: str) -> tuple[Diagnostic, ...]:
    return analysed(text).diagnostics


def count(text: str, code: str) -> int:
    return sum(d.code == code for d in found(text))


HEAT = "pde Heat\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n{}\nu(x, 0) = x\nu = 0 on boundary\n"
POINTS = """pde Points
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(3)
learn v(x, t) : vector = mlp
learn W : operator = linear
{}
u(x, 0) = softmax(W x)
"""
TURNED = "∂u/∂t = Δu for t in [0, 0.5]\n∂u/∂t = v·∇u for t in [0.5, 1]\nrealize diffusion by residual(weight=2)"
PIXELS = """pde Pixels
space x in pixels
time t in [0, 1]
unknown Y(x, t) : channels
learn K : operator = conv(3)
∂Y/∂t = -Kᵀ relu(K Y)
{}
network {{
  input image(1, 8, 8)
  open 8
  stages [8]
  classes 10
}}
"""
FIXED = [  # an error without a file in tests/bad, its code, and the text after its first fix
    (HEAT.format("∂u/∂t = Δu + √x²"), "E105", "√(x²)"),
    (HEAT.format("∂u/∂t = Δu + sin⁻¹ x"), "E105", "asin x"),
    (HEAT.format("∂u/∂t = Δu\nu(x=0, t) = 0"), "E111", "u(0, t) = 0"),
    (HEAT.format("∂u/∂t = Δu").replace("boundary", "{left, right}"), "E111", "u = 0 on left, right"),
    (HEAT.format("∂u/∂t = Δu").replace("boundary", "(left, right)"), "E111", "u = 0 on left, right"),
    (HEAT.format("∂u/∂t = Δu for t in (0, 1)"), "E111", "for t in [0, 1]"),
    (HEAT.format("const k = (1,2,3)\n∂u/∂t = Δu"), "E111", "k = [1,2,3]"),
    (HEAT.format("∂u(x, t)/∂t = Δu"), "E111", "∂u/∂t = Δu"),
    (HEAT.format("∂u/∂t = Δu + {x + 1}"), "E111", "(x + 1)"),
    (HEAT.format("∂u/∂t = = Δu"), "E111", "∂u/∂t =  Δu"),
    (HEAT.format("heat: ∂u/∂t = Δu"), "E111", "\n ∂u/∂t = Δu"),
    (HEAT.format("const k = 1 const c = 2\n∂u/∂t = k c Δu"), "E111", "\nconst c = 2"),
    (POINTS.format('∂u/∂t = v·∇u\ntrain { data "moons" }'), "E501", "data moons"),
    (POINTS.format('∂u/∂t = v·∇u\nevaluate { attack pgd(eps="1/8") }'), "E507", "eps=1/8"),
    (POINTS.format("∂u/∂t = v·∇u\ntrain { batch 8 epochs 2 }"), "E512", "batch 8 \n  epochs 2"),
    (HEAT.format("∂u/∂t = Δu").replace("Heat", "Heat {") + "}\n", "E111", "pde Heat \n"),
    (HEAT.format("∂u/∂t = Δu").replace("u(x, t) :", "u :"), "E205", "unknown u(x, t) : scalar"),
    (HEAT.format("∂u/∂t = Δu\nu0 = x"), "E201", "\nu(x, 0) = x"),
    (POINTS.format("∂u/∂t = v·∇u").replace("W x)", "W x + b)"), "E301", "softmax(W x)"),
    (POINTS.format("∂u/∂t = v·∇u").replace("softmax(W x)", "W x"), "E301", "softmax(W x)"),
    (POINTS.format("∂u/∂t = v·∇u\nevaluate { attack pgd(1/8) }"), "E507", "pgd(eps=1/8)"),
    (POINTS.format("∂u/∂t = v·∇u").replace("R^2", "image(1, 8, 8)").replace("mlp", "resnet(18)"), "E507", "= resnet18"),
    (POINTS.format("∂u/∂t = v·∇u + W[1] u"), "E304", "W [1]"),
    (POINTS.format("∂u/∂t = v·∇u + 1/2 Δu").replace("W :", "W(t) :"), "E604", "learn W : operator = linear"),
    (POINTS.format("∂u/∂t = v·∇u").replace("linear", "conv(3)"), "E604", "operator = linear"),
    (POINTS.format(TURNED), "E604", "realize diffusion by noise\n"),
    (PIXELS.format("Y(x, 0) = 0"), "E602", "relu(K Y)\nnetwork"),
    (PIXELS.format("").replace("conv(3)", "linear"), "E604", "operator = conv(3)"),
    (PIXELS.format("realize time by dopri5").replace("K :", "K(t) :"), "E605", "learn K : operator"),
    (PIXELS.format("train { constrain K in [0, 1] }").replace("r =", "r, ‖K‖ ≤ 1 ="), "E610", "‖K‖ ≤ 1"),
]


@pytest.mark.parametrize(("text", "code", "made"), FIXED, ids=[f"{code} {made.strip()}" for _, code, made in FIXED])
def test_fix(text: str, code: str, made: str) -> None:
    diagnostic, _, after = fixed(text)[0]
    assert diagnostic.code == code
    assert made in after
    assert count(after, code) < count(text, code), after


@pytest.mark.parametrize("path", marked(CASES, lambda p: p.stem, quick=4, tested=2))
def test_every_fix_removes_its_error(path: Path) -> None:
    text = path.read_text("utf-8")
    for diagnostic, fix, after in fixed(text):
        assert after != text, fix
        assert fix.title
        assert count(after, diagnostic.code) < count(text, diagnostic.code), after


# The places of `hint` and `fixes` among the arguments of `Code.at`, `Code.of`, `Code.warning` and `Code.__call__`.
PLACES = {"at": (1, 3), "of": (1, 3), "warning": (2, 3), "": (2, 5)}


def hints() -> dict[str, bool]:
    """The constructors with a hint, and whether they also have a fix."""
    made_by: dict[str, bool] = {}
    for family in errors.FAMILIES:
        tree = ast.parse(Path(str(family.__file__)).read_text("utf-8"))
        for name, made in _constructors(tree):
            for call in (n for n in ast.walk(made) if isinstance(n, ast.Call)):
                hint, fixes = PLACES.get(_method(call), (None, None))
                if hint is not None and fixes is not None and _given(call, hint, "hint"):
                    full = f"{family.__name__.rpartition('.')[2]}.{name}"
                    made_by[full] = made_by.get(full, True) and _given(call, fixes, "fixes")
    return made_by


def _constructors(tree: ast.Module) -> list[tuple[str, ast.AST]]:
    functions = [(f.name, f) for f in tree.body if isinstance(f, ast.FunctionDef)]
    declared = [
        (t.id, a.value) for a in tree.body if isinstance(a, ast.Assign) for t in a.targets if isinstance(t, ast.Name)
    ]
    return [*functions, *declared]


def _method(call: ast.Call) -> str | None:
    """The method of a code that is called: `CODE(…)` is the empty one."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name.isupper():
            return ""
        case ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name), attr=method) if name.isupper():
            return method
    return None


def _given(call: ast.Call, place: int, key: str) -> bool:
    return len(call.args) > place or any(k.arg == key for k in call.keywords)


def test_every_hint_has_a_fix_or_a_reason() -> None:
    given = hints()
    assert len(given) > 300
    assert {name for name, fix in given.items() if not fix} == WITHOUT_FIX
