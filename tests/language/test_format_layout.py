"""Layout, comments and declared names of formatted specs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language.format_cases import check, expression, parsed
from pdedsl.api import format as formatted
from pdedsl.diagnostics import PdeError
from pdedsl.language import ast as t
from pdedsl.language.printing.unparse import unparse

# ---- Declared names


def test_keywords_can_be_declared_as_names() -> None:
    text = "space (x, time) in R^2\nunknown train(x, time) : scalar\nlet f = dtrain/dtime + d2train/dxdtime\n"
    assert formatted(text).splitlines()[-1] == "let     f = ∂train/∂time + ∂²train/∂x∂time"
    check(text)


@pytest.mark.parametrize("left", ["time", "time²", "train + 1", "space(x)", "require[1]", "learn·x", "timeᵀ x"])
def test_equation_does_not_start_another_statement(left: str) -> None:
    """`+time = 1` is an equation for a thing called time, and stays one when its sign is gone."""
    written = formatted(f"+{left} = 1\n")
    assert written.startswith("(")
    assert formatted(written) == written


@pytest.mark.parametrize("line", ["boundary² = ¼", "cnst b = 1", "initial u = 2"])
def test_leading_sign_hides_no_error(line: str) -> None:
    """Formatting omits the sign, and its output is parsed again."""
    found = []
    for text in (line, f"+{line}"):
        with pytest.raises(PdeError) as caught:
            formatted(f"{text}\n")
        found.append([d.code for d in caught.value.diagnostics])
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["on", "in", "for", "by", "from", "periodic"])
def test_infix_keywords_are_not_names(name: str) -> None:
    with pytest.raises(PdeError) as caught:
        formatted(f"const {name} = 3\n")
    assert [d.code for d in caught.value.diagnostics] == ["E102"]


def test_declaration_is_parsed_completely() -> None:
    """However many parameters it has, and on however many lines."""
    params = ",\n  ".join(f"x{i}" for i in range(30))
    text = f"space ({params}) in R^30\nlearn K({params}) : operator\nlet f = K^T dK/dx29\n"
    assert formatted(text).splitlines()[-1] == "let     f = Kᵀ ∂K/∂x29"
    check(text)


@pytest.mark.parametrize("value", ["[[1, 0], [0, 1]]", "[[1, 0], [0, 1]] * 2", "([[1, 0], [0, 1]])", "2 [[1]]", "[1]"])
def test_printed_declaration_determines_transpose(value: str) -> None:
    check(f"const M = {value}\nlet f = M^T + M^(T) + adj(M)\n")
    check(f"learn M : matrix = mlp\nlet f = M^T + M^(T) + adj(M)\nconst N = {value}\n")


def test_long_denominators_are_parsed_in_bounded_time() -> None:
    """`d` and `dd` are variables: there are exponentially many ways to read the denominator, and none is right."""
    text = f"space (d, dd) in R^2\nunknown u(d, dd) : scalar\nlet f = d99u/{'d' * 99}x + du/{'dd0' * 5000}\n"
    with pytest.raises(PdeError):
        formatted(text)


# ---- Layout

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


def test_line_endings_do_not_matter() -> None:
    assert formatted(WRITTEN.replace("\n", "\r\n")) == formatted(WRITTEN)
    assert formatted(WRITTEN.replace("\n", "\r")) == formatted(WRITTEN)


def test_empty_text_is_formatted_as_empty() -> None:
    assert formatted("\n \n") == ""
    assert formatted("# only\n\n\n# these") == "# only\n\n# these\n"


def test_keyword_never_starts_a_continuation_line() -> None:
    text = "let f = [a\n, time x]\n"
    assert formatted(text) == "let     f = [a, time x]\n"


def test_breaks_are_aligned_with_their_bracket() -> None:
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


# ---- Comments at all possible line ends


def test_indices_too_long_for_a_subscript() -> None:
    i = t.Name("i", "i")
    many = t.Index(t.Name("a", "a"), (i,) * 5)
    assert unparse(many) == "a[i, i, i, i, i]"
    assert expression(unparse(many)) == many


@pytest.mark.slow
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
