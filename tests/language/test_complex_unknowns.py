"""Complex unknowns: the equations of real and imaginary part, names, notation, verdicts and diagnostics."""

from __future__ import annotations

import pytest
from sympy import I, cos, cosh, exp, im, re, sin, sinh, symbols

import pdedsl
from pdedsl.compiler import check, to_spec
from pdedsl.diagnostics import PdeError, Source
from pdedsl.editor.completion import complete
from pdedsl.editor.document import analysed
from pdedsl.ir.verdicts import Axiom, Proved, Refuted
from pdedsl.symbolic.complex_numbers import NoParts, conjugate, modulus, real_and_imaginary

HEAD = "pde P\nspace x in [-π, π] periodic\ntime t in [0, 1]\nunknown ψ(x, t) : complex\n"
START = "ψ(x, 0) = exp(i x)\n"
PAIR = "pde P\nspace x in [-π, π] periodic\ntime t in [0, 1]\nunknown w(x, t) : vector(2)\n"


def spec(equation: str, start: str = START, head: str = HEAD) -> pdedsl.Spec:
    return to_spec(Source(f"{head}{equation}\n{start}"))


def pair(first: str, second: str) -> pdedsl.Spec:
    """The real system for w₁ = Re ψ, w₂ = Im ψ."""
    return to_spec(Source(f"{PAIR}∂w/∂t = [{first}, {second}]\nw(x, 0) = [cos(x), sin(x)]\n"))


# ---- Real and imaginary part


@pytest.mark.parametrize(
    "function",
    [
        lambda z: z**3,
        lambda z: 1 / z,
        lambda z: z**-2 + 3 * z,
        exp,
        sin,
        cos,
        sinh,
        cosh,
        lambda z: I * z * exp(-z) / (2 + z),
    ],
)
def test_parts_agree_with_complex_arithmetic(function: object) -> None:
    a, b = symbols("a b", real=True)
    assert callable(function)
    real, imaginary = real_and_imaginary(function(a + I * b))
    at = {a: 0.37, b: -1.21}
    value = complex(function(a + I * b).subs(at).evalf())
    assert complex(real.subs(at)) == pytest.approx(value.real, rel=1e-13)
    assert complex(imaginary.subs(at)) == pytest.approx(value.imag, rel=1e-13)
    assert not real.has(I, re, im)
    assert not imaginary.has(I, re, im)


def test_conjugate_and_modulus() -> None:
    a, b = symbols("a b", real=True)
    assert conjugate((a + I * b) ** 2).expand() == (a**2 - b**2 - 2 * I * a * b).expand()
    assert modulus(3 - 4 * I) == 5
    with pytest.raises(NoParts):
        real_and_imaginary((a + I * b) ** symbols("s", real=True))


# ---- Equations


@pytest.mark.parametrize(
    ("equation", "first", "second"),
    [
        ("i ∂ψ/∂t = -½Δψ", "-½ ∂²(w₂)/∂x²", "½ ∂²(w₁)/∂x²"),
        ("∂ψ/∂t = (1 + 2i) Δψ", "∂²(w₁)/∂x² - 2 ∂²(w₂)/∂x²", "2 ∂²(w₁)/∂x² + ∂²(w₂)/∂x²"),
        ("i ∂ψ/∂t + ∂ψ/∂x = |ψ|²ψ", "-∂(w₂)/∂x + w₁² w₂ + w₂³", "∂(w₁)/∂x - w₁³ - w₁ w₂²"),
        ("∂ψ/∂t = i Δψ + conj(ψ)", "w₁ - ∂²(w₂)/∂x²", "∂²(w₁)/∂x² - w₂"),
        ("∂ψ/∂t = i Δψ + Re(ψ) + 3 i im(ψ)", "w₁ - ∂²(w₂)/∂x²", "∂²(w₁)/∂x² + 3 w₂"),
        ("∂ψ/∂t = i Δψ + exp(i x) ψ", "-∂²(w₂)/∂x² + cos(x) w₁ - sin(x) w₂", "∂²(w₁)/∂x² + cos(x) w₂ + sin(x) w₁"),
        ("(1 + i) ∂ψ/∂t = 2i Δψ", "∂²(w₁)/∂x² - ∂²(w₂)/∂x²", "∂²(w₁)/∂x² + ∂²(w₂)/∂x²"),
        ("∂ψ/∂t + ½ conj(∂ψ/∂t) = 3 i Δψ", "-2 ∂²(w₂)/∂x²", "6 ∂²(w₁)/∂x²"),
    ],
)
def test_equation_is_the_real_pair(equation: str, first: str, second: str) -> None:
    complex_rows, real_rows = spec(equation).equations[0].rhs, pair(first, second).equations[0].rhs
    assert [str(e).replace("ψ", "w") for e in complex_rows] == [str(e) for e in real_rows]


def test_components_and_vector_form_agree() -> None:
    head = HEAD.replace(": complex", ": vector(2), complex")
    whole = spec("i ∂ψ/∂t = -Δψ + ‖ψ‖²ψ", "ψ(x, 0) = [exp(i x), 2]\n", head)
    parts = spec("i ∂ψ₁/∂t = -Δψ₁ + ‖ψ‖²ψ₁\ni ∂ψ₂/∂t = -Δψ₂ + ‖ψ‖²ψ₂", "ψ₁(x, 0) = exp(i x)\nψ₂(x, 0) = 2\n", head)
    assert whole.equations[0].rhs == tuple(e.rhs[0] for e in parts.equations)
    assert [e.component for e in parts.equations] == [1, 2, 3, 4]
    assert whole.conditions[0].value == tuple(c.value[0] for c in parts.conditions)


def test_real_condition_on_a_complex_unknown() -> None:
    text = (
        "pde P\nspace x in [0, 1]\nunknown ψ(x) : complex\nΔψ = i ψ\nψ = 1 on left\n"
        "Re(ψ) = 0 on right\n∂(Im(ψ))/∂x = 1 on right\n"
    )
    rows = [c.value for c in to_spec(Source(text)).conditions]
    assert [len(v) for v in rows] == [2, 1, 1]


# ---- Names and notation


def test_declared_names_and_indices_take_precedence() -> None:
    declared = spec("const i = 3\n∂ψ/∂t = i Δψ", "ψ(x, 0) = 1\n")
    assert not any(str(e).count("ψ[2]") and k == 0 for k, e in enumerate(declared.equations[0].rhs))
    head = HEAD.replace("x in [-π, π] periodic", "x in [-π, π]^2 periodic")
    summed = spec("∂ψ/∂t = Σᵢ ∂²ψ/∂xᵢ²", "ψ(x, 0) = 1\n", head)
    assert summed.equations[0].rhs == spec("∂ψ/∂t = Δψ", "ψ(x, 0) = 1\n", head).equations[0].rhs


def test_names_are_free_without_a_complex_unknown() -> None:
    text = "pde P\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\nconst Re = 100\nlet im(s) = s²\n"
    assert (
        to_spec(Source(f"{text}∂u/∂t = (1/Re) Δu + im(u)\nu(x, 0) = 0\nu = 0 on boundary\n")).constants[0].name == "Re"
    )


@pytest.mark.parametrize(
    "equations",
    [
        ("i ∂ψ/∂t = -½Δψ", "i dpsi/dt = -1/2 lap(psi)"),
        ("i ∂ψ/∂t + ½Δψ = 0", "∂ψ/∂t = ½ i Δψ"),
        ("∂ψ/∂t = i Δψ - |ψ|²ψ", "∂ψ/∂t = i Δψ - ψ conj(ψ) ψ", "∂ψ/∂t = i Δψ - (Re(ψ)² + Im(ψ)²)ψ"),
    ],
)
def test_equal_equations_have_equal_hashes(equations: tuple[str, ...]) -> None:
    assert len({spec(e).hash for e in equations}) == 1


def test_formatting_is_a_fixed_point_with_the_same_hash() -> None:
    text = f"{HEAD}i ∂ψ/∂t = -½ Δψ + (1 + 2i) |ψ|² ψ + conj(ψ)\n{START}exact ψ = exp(i (x - t/2))\n"
    for ascii_ in (False, True):
        once = pdedsl.format(text, ascii=ascii_)
        assert pdedsl.format(once, ascii=ascii_) == once
        assert to_spec(Source(once)).hash == to_spec(Source(text)).hash


def test_latex() -> None:
    latex = spec("i ∂ψ/∂t = -Δψ + conj(ψ) + Re(ψ)").latex
    assert r"i\,\frac{\partial \psi}{\partial t}" in latex
    assert r"\overline{\psi} + \operatorname{Re}\left(\psi\right)" in latex


def test_completion() -> None:
    text = f"{HEAD}i ∂ψ/∂t = -Δψ + "
    labels = {item.label for item in complete(analysed(text), len(text))}
    assert {"i", "conj", "Re", "Im"} <= labels
    plain = text.replace(": complex", ": scalar")
    assert not {"conj", "Re"} & {item.label for item in complete(analysed(plain), len(plain))}


# ---- Verdicts


@pytest.mark.parametrize(
    ("equation", "kind"),
    [
        ("i ∂ψ/∂t = -½Δψ", Proved),
        ("∂ψ/∂t = (1 + i) Δψ + 2i ψ", Proved),
        ("∂ψ/∂t = i Δψ + x² ψ", Proved),
        ("∂ψ/∂t = i Δψ + conj(ψ)", Refuted),
        ("∂ψ/∂t = Δψ + Re(ψ)", Refuted),
        ("∂ψ/∂t = i Δψ + |ψ|²ψ", Refuted),
        ("∂ψ/∂t = i Δψ + i", Refuted),
    ],
)
def test_linearity_over_the_complex_numbers(equation: str, kind: type) -> None:
    verdict = check(Source(f"{HEAD}{equation}\n{START}")).analysis.axioms[Axiom.LINEARITY]
    assert isinstance(verdict, kind)


@pytest.mark.parametrize("equation", ["∂ψ/∂t = -(1 + i) Δψ", "∂ψ/∂t = -(1 + i) Δψ - |ψ|²ψ", "∂ψ/∂t = (i - 1) Δψ"])
def test_backward_diffusion_is_ill_posed(equation: str) -> None:
    assert [d.code for d in check(Source(f"{HEAD}{equation}\n{START}")).errors] == ["E418"]


@pytest.mark.parametrize("equation", ["∂ψ/∂t = -i Δψ", "∂ψ/∂t = (1 - 3i) Δψ - |ψ|²ψ", "∂ψ/∂t = i Δ²ψ"])
def test_dispersive_and_parabolic_equations_are_well_posed(equation: str) -> None:
    assert not check(Source(f"{HEAD}{equation}\n{START}")).errors


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ("∂ψ/∂t = i Δψ + sqrt(ψ)", "E308"),
        ("∂ψ/∂t = i Δψ + max(ψ, 1)", "E308"),
        ("∂ψ/∂t = i Δψ + ψ^½", "E308"),
        ("∂ψ/∂t = i Δψ + 1/(i - i)", "E308"),
        ("∂ψ/∂t = i(x) Δψ", "E304"),
        ("∂ψ/∂t = i Δψ + conj(ψ, ψ)", "E307"),
        ("∂ψ/∂t = i Δψ\nexact Re(ψ) = 1", "E440"),
    ],
)
def test_errors(lines: str, code: str) -> None:
    with pytest.raises(PdeError) as caught:
        spec(lines)
    assert code in {d.code for d in caught.value.diagnostics}


@pytest.mark.parametrize(("sign", "codes"), [("-", []), ("", ["E418"])])
def test_growth_of_a_vector_with_one_component(sign: str, codes: list[str]) -> None:
    text = "pde P\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : vector\n"
    assert [d.code for d in check(Source(f"{text}∂u/∂t = {sign}∂⁴u/∂x⁴ - u\nu(x, 0) = 0\n")).errors] == codes
