"""The formatter: a fixed point in both spellings, that loses nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdedsl.compiler import format as formatted
from pdedsl.diagnostics import PdeError, Reporter, Source
from pdedsl.frontend.printing.spell import show, show_trait
from pdedsl.frontend.syntax import tree as t
from pdedsl.frontend.syntax.building import MAX_CHAIN
from pdedsl.frontend.syntax.names import FRACTION_OF, unicode_name
from pdedsl.frontend.syntax.operators import DOTS
from pdedsl.frontend.syntax.parse import parse_syntax

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.pde"))
DECLARED = """space (x, y) in R^2
time t in [0, 1]
unknown u(x, y, t) : scalar
unknown F(x, y, t) : vector(2)
learn K(t) : operator
const A = [[1, 0], [0, 1]]
const sigma = 1
"""


def parsed(text: str) -> t.Syntax:
    reporter = Reporter()
    syntax = parse_syntax(Source(text), reporter)
    assert not reporter.diagnostics, (text, reporter.diagnostics)
    return syntax


def expression(text: str) -> t.Expr:
    """The expression that a text is, where the names above are declared."""
    statement = parsed(f"{DECLARED}let probe = {text}\n").statements[-1]
    assert isinstance(statement, t.LetDecl)
    return statement.value


def line(text: str, ascii: bool = False) -> str:
    """An expression, formatted in a spec that declares its names."""
    last = formatted(f"{DECLARED}let probe = {text}\n", ascii).splitlines()[-1]
    return last.removeprefix("let     probe = ")


def comments(text: str) -> list[str]:
    return [c.text for c in parsed(text).comments]


def check(text: str) -> None:
    """Both forms have the tree of the text, are fixed points, and each gives the other."""
    unicode, ascii = formatted(text), formatted(text, ascii=True)
    assert formatted(unicode) == unicode
    assert formatted(ascii, ascii=True) == ascii
    assert formatted(ascii) == unicode
    assert formatted(unicode, ascii=True) == ascii
    assert parsed(unicode) == parsed(text)
    assert parsed(ascii) == parsed(text)
    assert comments(unicode) == comments(ascii) == comments(text)


def codes(text: str) -> list[str]:
    """The mistakes in an expression."""
    with pytest.raises(PdeError) as caught:
        formatted(f"{DECLARED}let probe = {text}\n")
    return [d.code for d in caught.value.diagnostics]


# ---- specs


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_specs(path: Path) -> None:
    text = path.read_text("utf-8")
    check(text)
    assert re.sub(r"#.*", "", formatted(text, ascii=True)).isascii()


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_specs_with_windows_lines(path: Path) -> None:
    text = path.read_text("utf-8")
    assert formatted(text.replace("\n", "\r\n")) == formatted(text)


def test_there_are_specs() -> None:
    assert len(SPECS) >= 17


# ---- expressions

SPACING = [
    ("a+b-c", "a + b - c", "a + b - c"),
    ("-  sin(pi x)", "-sin(π x)", "-sin(pi x)"),
    ("2 pi*x", "2π * x", "2pi * x"),
    ("2 e + 2 E1", "2 e + 2 E1", "2 e + 2 E1"),
    ("2 sin(x)", "2 sin(x)", "2 sin(x)"),
    ("2 (x + y)", "2(x + y)", "2(x + y)"),
    ("1/2 (x + y)", "½(x + y)", "1/2 (x + y)"),
    ("1/2 sigma^2 lap(u)", "½σ²Δu", "1/2 sigma^2 lap(u)"),
    ("1/2", "½", "1/2"),
    ("x ½ y", "x ½y", "x (1/2) y"),
    ("x^½ + ½²", "x^½ + ½²", "x^(1/2) + (1/2)^2"),
    ("x/½", "x/½", "x/(1/2)"),
    ("½/x", "½/x", "(1/2)/x"),
    ("½ * x", "½ * x", "1/2 * x"),
    ("3/7 x", "3/7 x", "3/7 x"),
    ("(1-p)/(2p)Σᵢ vᵢ²∂²u/∂xᵢ²", "(1 - p)/(2p) Σᵢ vᵢ² ∂²u/∂xᵢ²", "(1 - p)/(2p) sum(i, v[i]^2 d2u/dx[i]2)"),
    ("κ Δu + 2 Δu + (a+b) Δu + vᵢ Δu", "κΔu + 2Δu + (a + b)Δu + vᵢ Δu", None),
    ("a/2 Δu + x^n Δu", "a/2 Δu + x^n Δu", "a/2 lap(u) + x^n lap(u)"),
    ("K (x + y)", "K (x + y)", "K (x + y)"),
    ("K [x, y]", "K [x, y]", "K [x, y]"),
    ("v[a, 1]", "v[a, 1]", "v[a, 1]"),
    ("vᵢⱼ x₁₂", "vᵢⱼ x₁₂", "v[i, j] x[12]"),
    ("v₁ᵢ", "v[1, i]", "v[1, i]"),
    ("a*-b + x^-1 + x^-n", "a * -b + x⁻¹ + x^-n", "a * -b + x^-1 + x^-n"),
    ("x^(n+1) + x^100 + x^2.5 + x^y^2 + x^0", "x^(n + 1) + x^100 + x^2.5 + x^y² + x⁰", None),
    ("dot(F, grad(u))", "F·∇u", "dot(F, grad(u))"),
    ("F·∇u", "F·∇u", "dot(F, grad(u))"),
    ("½ F·∇u y", "½F·∇u y", "dot(1/2 F, grad(u) y)"),
    ("2(a·b) c", "2(a·b) c", "2 dot(a, b) c"),
    ("(a·b)² + (a·b)/2", "(a·b)² + (a·b)/2", "dot(a, b)^2 + dot(a, b)/2"),
    ("(a + b)·-c", "(a + b)·(-c)", "dot(a + b, -c)"),
    ("(a·b c)·d", "(a·b c)·d", "dot(dot(a, b c), d)"),
    ("v·1/2", "v·½", "dot(v, 1/2)"),
    ("A:∇∇u", "A:∇∇u", "ddot(A, hess(u))"),
    ("∇·(K ∇u) + ∇·F", "∇·(K∇u) + ∇·F", "div(K grad(u)) + div(F)"),
    ("∇u² + ∇(∇·F) + ∇Δu + ∇·∇u", "∇(u²) + ∇(∇·F) + ∇Δu + ∇·∇u", None),
    ("κ ΔΔu + Δ³u + Δ(u²)", "κΔ²u + Δ³u + Δ(u²)", "kappa lap(lap(u)) + lap(lap(lap(u))) + lap(u^2)"),
    ("∇∂u/∂x", "∇(∂u/∂x)", "grad(du/dx)"),
    ("‖∇u‖² + ‖a norm(b)‖", "‖∇u‖² + norm(a ‖b‖)", "norm(grad(u))^2 + norm(a norm(b))"),
    ("Kᵀ(K x) + (A K)ᵀ + Lᵀ", "Kᵀ(K x) + (A K)ᵀ + Lᵀ", "K^T(K x) + adj(A K) + adj(L)"),
    ("K^(T) + K^T + K^(T)^2 + K^(T(x))", "K^(T) + Kᵀ + K^(T)² + K^(T(x))", "K^(T) + K^T + K^(T)^2 + K^(T(x))"),
    ("Σᵢ (vᵢ + 1) + Σᵢⱼ aᵢⱼ", "Σᵢ (vᵢ + 1) + Σᵢ Σⱼ aᵢⱼ", "sum(i, v[i] + 1) + sum(i, sum(j, a[i, j]))"),
    ("sum(i, v[i]) x", "(Σᵢ vᵢ) x", "sum(i, v[i]) x"),
    ("sum(a, v[a])", "sum(a, v[a])", "sum(a, v[a])"),
    ("∂(u x)/∂x + ∂²(u x)/∂x²", "∂(u x)/∂x + ∂²(u x)/∂x²", "diff(u x, x) + diff(u x, x, x)"),
    ("d2u/dxdy + d2u/dx2", "∂²u/∂x∂y + ∂²u/∂x²", "d2u/dxdy + d2u/dx2"),
    ("∂w/∂x + ∂u/∂z", "∂w/∂x + ∂u/∂z", "diff(w, x) + diff(u, z)"),
    ("∂u/∂t(x, 0)", "∂u/∂t(x, 0)", "du/dt(x, 0)"),
    ("du/dx^2", "(∂u/∂x)²", "(du/dx)^2"),
    ("a/du/dx", "a/(∂u/∂x)", "a/(du/dx)"),
    ("du / dx", "du / dx", "du / dx"),
    ("|x| + f(  ) + g(a,k = 2)", "abs(x) + f() + g(a, k=2)", None),
    ("f(x)ᵢ", "f(x)ᵢ", "f(x)[i]"),
    ("(A x)[1] + Kᵀ[a, 2] + Lᵀ[a, 2]", "(A x)₁ + Kᵀ[a, 2] + Lᵀ[a, 2]", "(A x)[1] + K^T[a, 2] + adj(L)[a, 2]"),
    ("v[i][j] + v[1][i]", "vᵢⱼ + v[1, i]", "v[i, j] + v[1, i]"),
    ("norm(x)[a] + ‖x‖₁ + [a, b]ᵢ", "(‖x‖)[a] + ‖x‖₁ + [a, b]ᵢ", "norm(x)[a] + norm(x)[1] + ([a, b])[i]"),
    ("f(x) [i] + (x) [y] + [[1, 2], [3, 4]]", "f(x) [i] + x [y] + [[1, 2], [3, 4]]", None),
    ("[[1, 2][3, 4]] + v₁[i]", "[[1, 2] [3, 4]] + v₁ [i]", "[[1, 2] [3, 4]] + v[1] [i]"),
    ("grad(u)^2 + grad(u)[1]", "(∇u)² + (∇u)₁", "(grad(u))^2 + (grad(u))[1]"),
    ("x^grad(u) + x^-du/dx", "x^(∇u) + x^-(∂u/∂x)", "x^(grad(u)) + x^-(du/dx)"),
    ("a/du/dt(x, 0)^2 + a/du/dt(x, 0)[1]", "a/(∂u/∂t(x, 0))² + a/(∂u/∂t(x, 0))₁", None),
    ("du/dx[1](x, 0) + du/dx[1] [2]", "∂u/∂x₁(x, 0) + ∂u/∂x₁ [2]", "du/dx[1](x, 0) + du/dx[1] [2]"),
    ("K^\n  T", "Kᵀ", "K^T"),
    ('npz("a.npz", alpha=sigma)', 'npz("a.npz", alpha=σ)', 'npz("a.npz", alpha=sigma)'),
    ("K_σ + sigma_x + a_rho2_b", "K_σ + σ_x + a_ρ2_b", "K_sigma + sigma_x + a_rho2_b"),
    ("Ksigma + sigmas_x + a__", "Ksigma + sigmas_x + a__", None),
]


@pytest.mark.parametrize(("written", "unicode", "ascii"), SPACING, ids=[row[0] for row in SPACING])
def test_spacing(written: str, unicode: str, ascii: str | None) -> None:
    assert line(written) == unicode
    assert line(unicode) == unicode
    there = line(written, ascii=True)
    assert there == (ascii or there)
    assert (line(there, ascii=True), line(there)) == (there, unicode)
    assert expression(written) == expression(unicode) == expression(there)


def test_a_name_is_not_run_into_what_follows() -> None:
    """Where a space tells a product from a call or an index, it stays."""
    for text in ("K (x + y)", "K [x, y]", "u v", "2 3", "x ½", "∂u/∂x (x + y)", "Kᵀ (x + y)"):
        assert expression(show(expression(text))) == expression(text)


def test_show_takes_one_line() -> None:
    value = expression("[a,\n  b +\n  c]")
    assert show(value) == show(value, ascii=True) == "[a, b + c]"


def test_show_trait() -> None:
    syntax = parsed("learn K : operator, norm(K) <= 1\n")
    assert isinstance(syntax.statements[0], t.LearnDecl)
    bound = syntax.statements[0].type[1]
    assert (show_trait(bound), show_trait(bound, ascii=True)) == ("‖K‖ ≤ 1", "norm(K) <= 1")


@pytest.mark.parametrize("text", ["(1 + " * 190 + "x" + ")" * 190, "∇Δ" * (MAX_CHAIN // 2) + "u"])
def test_the_deepest_tree_is_printed(text: str) -> None:
    assert line(line(text)) == line(text)
    assert line(line(text, ascii=True)) == line(text)


def test_two_dots_need_brackets() -> None:
    assert codes("a·b c·d") == codes("a:b·c") == ["E105"]


def test_no_derivative_is_of_order_0() -> None:
    assert codes("∂²u/∂x²∂y⁰") == codes("∂⁰u/∂x⁰") == ["E112"]


def test_a_text_ends_with_its_line() -> None:
    for end in ("\n", "\r\n", "\r"):
        with pytest.raises(PdeError) as caught:
            formatted(f'pde X "title{end}space x in R^2{end}"')
        first = caught.value.diagnostics[0]
        assert (first.code, first.span) == ("E110", (6, 12))


# ---- declared names


def test_keywords_that_are_names_are_declared() -> None:
    text = "space (x, time) in R^2\nunknown train(x, time) : scalar\nlet f = dtrain/dtime + d2train/dxdtime\n"
    assert formatted(text).splitlines()[-1] == "let     f = ∂train/∂time + ∂²train/∂x∂time"
    check(text)


@pytest.mark.parametrize("left", ["time", "time²", "train + 1", "space(x)", "require[1]", "learn·x", "timeᵀ x"])
def test_an_equation_begins_no_other_statement(left: str) -> None:
    """`+time = 1` is an equation for a thing called time, and stays one when its sign is gone."""
    written = formatted(f"+{left} = 1\n")
    assert written.startswith("(")
    assert formatted(written) == written


@pytest.mark.parametrize("name", ["on", "in", "for", "by", "from", "periodic"])
def test_words_inside_statements_are_no_names(name: str) -> None:
    with pytest.raises(PdeError) as caught:
        formatted(f"const {name} = 3\n")
    assert [d.code for d in caught.value.diagnostics] == ["E102"]


def test_a_declaration_is_read_to_its_end() -> None:
    """However many parameters it has, and on however many lines."""
    params = ",\n  ".join(f"x{i}" for i in range(30))
    text = f"space ({params}) in R^30\nlearn K({params}) : operator\nlet f = K^T dK/dx29\n"
    assert formatted(text).splitlines()[-1] == "let     f = Kᵀ ∂K/∂x29"
    check(text)


@pytest.mark.parametrize("value", ["[[1, 0], [0, 1]]", "[[1, 0], [0, 1]] * 2", "([[1, 0], [0, 1]])", "2 [[1]]", "[1]"])
def test_the_printed_declaration_decides_what_a_transpose_is(value: str) -> None:
    check(f"const M = {value}\nlet f = M^T + M^(T) + adj(M)\n")
    check(f"learn M : matrix = mlp\nlet f = M^T + M^(T) + adj(M)\nconst N = {value}\n")


def test_long_denominators_are_read_in_bounded_time() -> None:
    """`d` and `dd` are variables: there are exponentially many ways to read the denominator, and none is right."""
    text = f"space (d, dd) in R^2\nunknown u(d, dd) : scalar\nlet f = d99u/{'d' * 99}x + du/{'dd0' * 5000}\n"
    with pytest.raises(PdeError):
        formatted(text)


# ---- layout

WRITTEN = """

# above
pde  X   "title"   # behind

const sigma^2=0.2
space (x,y) in [0,1]^2 periodic*R
time t in [0, T-1]
unknown u(x,y,t):simplex(2)
learn v(x, y, t) : vector = mlp( width = 64,depth=3 )   # the field
learn W:operator,‖W‖<=1 = linear


learn 東京 : scalar > 0 = mlp
learn b : scalar=mlp
# between
learn long_name : scalar
du/dt = v·∇u for t in [0, 1]
du/dt = sigma^2 lap(u) + u   for t in [1, T] on left,right
u = 0 on boundary
u(x, y, 0) = a +   # one
   # two
   b -
   c * [1,
     2,  # three
     3]
u(x, y, 1) = ( # four
   a + b)
let f(x) = x
realize  time by euler( steps=3 )
require   a,b
train { # five
  # six
  data moons

  epochs   20  # seven
  at [1, # eight
   2,
     # nine
      3]
  attack ifgsm from resnet, K in [-1,1]
  # ten
} # eleven
evaluate {}
# end

"""

UNICODE = """\
# above
pde X "title"  # behind

const   σ² = 0.2
space   (x, y) in [0, 1]² periodic * R
time    t in [0, T - 1]
unknown u(x, y, t) : simplex(2)
learn   v(x, y, t) : vector            = mlp(width=64, depth=3)  # the field
learn   W          : operator, ‖W‖ ≤ 1 = linear

learn   東京 : scalar > 0 = mlp
learn   b    : scalar     = mlp
# between
learn   long_name : scalar
∂u/∂t = v·∇u        for t in [0, 1]
∂u/∂t = σ²Δu + u    for t in [1, T] on left, right
u = 0 on boundary
u(x, y, 0) = a +  # one
             # two
             b -
             c * [1,
                  2,  # three
                  3]
# four
u(x, y, 1) = (a + b)
let     f(x) = x
realize time by euler(steps=3)
require a, b
train {  # five
  # six
  data   moons

  epochs 20  # seven
  at     [1,  # eight
          2,
          # nine
          3]
  attack ifgsm from resnet, K in [-1, 1]
  # ten
}  # eleven
evaluate {
}
# end
"""


def test_layout() -> None:
    assert formatted(WRITTEN) == UNICODE


def test_layout_is_stable() -> None:
    check(WRITTEN)


def test_windows_and_old_lines_give_the_same() -> None:
    assert formatted(WRITTEN.replace("\n", "\r\n")) == formatted(WRITTEN)
    assert formatted(WRITTEN.replace("\n", "\r")) == formatted(WRITTEN)


def test_nothing_gives_nothing() -> None:
    assert formatted("\n \n") == ""
    assert formatted("# only\n\n\n# these") == "# only\n\n# these\n"


def test_a_keyword_never_starts_a_continued_line() -> None:
    text = "let f = [a\n, time x]\n"
    assert formatted(text) == "let     f = [a, time x]\n"


def test_breaks_stand_below_their_own_bracket() -> None:
    text = "let f = [[1,\n2], f(3,\nk=4),\n5] +\n6\n"
    expected = [
        "let     f = [[1,",
        "              2], f(3,",
        "                    k=4),",
        "             5] +",
        "            6",
    ]
    assert formatted(text).splitlines() == expected
    check(text)


def test_powers_of_constants() -> None:
    assert formatted("const sigma^0 = 1\nconst x^1 = 2\n") == "const   σ⁰ = 1\nconst   x = 2\n"
    assert formatted("const σ³ = 1\nconst σ⁻¹ = 2\n", ascii=True) == "const   sigma^3 = 1\nconst   sigma⁻¹ = 2\n"


def test_moved_comments_keep_their_order() -> None:
    text = "u = [a,  # one\n  b[1,  # two\n  2],\n  c,  # three\n  d]\n"
    assert formatted(text) == "# one\n# two\nu = [a,\n     b[1, 2],\n     c,  # three\n     d]\n"
    check(text)


# ---- comments wherever a line may end


def test_more_indices_than_a_subscript_holds() -> None:
    i = t.Name("i", "i")
    many = t.Index(t.Name("a", "a"), (i,) * 5)
    assert show(many) == "a[i, i, i, i, i]"
    assert expression(show(many)) == many


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.data())
def test_no_comment_is_lost(data: st.DataObject) -> None:
    """Comments put at the ends of any lines of a text that breaks wherever it can."""
    text = (
        "pde X\nspace (x,\ny) in [0,\n1]\nlearn v(x,\ny) :\nvector =\nmlp(a,\nk=[1,\n2])\n"
        "u(x,\n0) =\na +\nb *\n(c -\nd) -\nΣᵢ f(\nvᵢ,\n‖a +\nb‖\n) for t in [0,\n1] on left,\nright\n"
        "let g = [[1,\n2],\n[3,\n4]\n]\ntrain {\na 1\n\nb f(1,\n2),\nc\n}\nevaluate {\n}\n"
    )
    lines = text.splitlines()
    marks = data.draw(
        st.lists(st.sampled_from(["", "", " # {}", "\n# {}", "\n\n# {}"]), min_size=len(lines), max_size=len(lines))
    )
    written = "".join(f"{row}{mark.format(i)}\n" for i, (row, mark) in enumerate(zip(lines, marks, strict=True)))
    check(written)
    assert parsed(formatted(written)) == parsed(text)


# ---- random trees

NAMES = st.sampled_from(
    ["a", "b", "e", "u", "v", "x", "y", "sigma", "lambda", "K", "F", "dx", "du", "E1", "x_2", "i"]
).map(lambda n: t.Name(n, unicode_name(n)))
INDICES = st.sampled_from("ijk").map(lambda n: t.Name(n, n))
LEAVES = st.one_of(
    NAMES,
    st.sampled_from(["0", "2", "5", "12", "0.5", "1e-3", ".5"]).map(t.Number),
    st.sampled_from(sorted(FRACTION_OF)).map(t.Fraction),
)


def tuples(items: st.SearchStrategy[t.Expr], least: int = 1, most: int = 3) -> st.SearchStrategy[tuple[t.Expr, ...]]:
    return st.lists(items, min_size=least, max_size=most).map(tuple)


def grouped(expr: t.Expr) -> t.Expr:
    """In brackets, as the parser keeps them."""
    return expr if isinstance(expr, (*t.ATOMS, t.Group)) else t.Group(expr)


@st.composite
def derivatives(draw: st.DrawFn, exprs: st.SearchStrategy[t.Expr]) -> t.Expr:
    """Of declared names, for `show` takes them to be declared."""
    names = st.sampled_from("xyt").map(lambda n: t.Name(n, n))
    fields = st.sampled_from("uFK").map(lambda n: t.Name(n, n))
    wrt = st.builds(t.Wrt, names, st.one_of(st.just(()), tuples(INDICES, most=2)), st.integers(1, 3))
    return t.Derivative(
        draw(st.one_of(fields, exprs.filter(lambda e: not show(e).isidentifier()).map(grouped))),
        draw(st.lists(wrt, min_size=1, max_size=2).map(tuple)),
    )


@st.composite
def products(draw: st.DrawFn, exprs: st.SearchStrategy[t.Expr]) -> t.Expr:
    """A product with at most one dot, in which no division can be read in two ways."""
    factors: list[tuple[t.Times, t.Expr]] = [("", draw(exprs))]
    signs: st.SearchStrategy[t.Times] = st.sampled_from(["", "", "*", "·", "/", ":"])
    for factor in draw(st.lists(exprs, min_size=1, max_size=4)):
        sign, (before, below) = draw(signs), factors[-1]
        if isinstance(below, t.Total):
            factors[-1] = (before, t.Group(below))
        if sign in DOTS and any(s in DOTS for s, _ in factors):
            sign = "*"
        if before == "/" and (sign == "/" or (sign == "" and not isinstance(below, t.Number | t.Sum | t.Product))):
            sign = "*"
        factors.append((sign, t.Negative(factor) if sign not in ("", "/") and draw(st.booleans()) else factor))
    return t.Product(tuple(factors))


def larger(exprs: st.SearchStrategy[t.Expr]) -> st.SearchStrategy[t.Expr]:
    signs: st.SearchStrategy[t.Sign] = st.sampled_from(["+", "-"])
    named = st.lists(st.tuples(NAMES, exprs), max_size=2).map(tuple)
    operators: st.SearchStrategy[t.Operator] = st.sampled_from(["grad", "div", "lap", "hess"])
    return st.one_of(
        products(exprs),
        products(exprs),
        derivatives(exprs),
        st.lists(st.tuples(signs, exprs), min_size=2, max_size=3).map(lambda terms: t.Sum(tuple(terms))),
        exprs.map(grouped),
        exprs.map(t.Norm),
        exprs.map(t.Adjoint),
        tuples(exprs, least=0).map(t.ListOf),
        st.builds(t.Call, NAMES, tuples(exprs, least=0), named),
        st.builds(t.Index, NAMES, tuples(exprs)),
        st.builds(t.Index, exprs, tuples(INDICES)),
        st.builds(t.Prefix, operators, exprs),
        st.builds(t.Power, exprs, st.one_of(exprs, exprs.map(t.Negative))),
        st.builds(t.Total, INDICES, exprs),
    )


EXPRESSIONS = st.recursive(LEAVES, larger, max_leaves=12)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(EXPRESSIONS)
def test_random_trees(tree: t.Expr) -> None:
    """What is shown is read as what it shows, in both spellings and from either."""
    for ascii in (False, True):
        read = expression(show(tree, ascii))
        assert read == expression(show(read)) == expression(show(read, ascii=True))


@settings(derandomize=True, max_examples=150, deadline=None)
@given(EXPRESSIONS)
def test_random_statements(tree: t.Expr) -> None:
    """The same in a spec, whose declarations decide what `du/dx` and `K^T` are."""
    check(f"{DECLARED}let probe = {show(tree)}\n")
