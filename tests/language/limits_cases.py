"""Texts that could exhaust time or memory of a compiler: name → bytes."""

from __future__ import annotations

MIB = 1 << 20
FRAME = """pde P
space (x, y) in R^2
time t in [0, 1]
unknown u(x, y, t) : scalar
u(x, y, 0) = 0
"""
DATA = """pde P
space x in R^d
time t in [0, 1]
unknown u(x, t) : scalar
learn v(x, t) : vector = mlp
u(x, 0) = 0
"""


def equation(right: str, frame: str = FRAME) -> str:
    return f"{frame}∂u/∂t = {right}\n"


def declared(*lines: str) -> str:
    return FRAME + "\n".join(lines) + "\n∂u/∂t = a0 Δu\n"


def filled(unit: str, size: int = MIB - 300) -> str:
    """A unit repeated to almost 1 MiB."""
    return unit * (size // len(unit.encode()))


def somewhere(space: str) -> str:
    """The heat equation in a space with one coordinate."""
    return f"{FRAME.replace('(x, y) in R^2', f'x in {space}').replace('x, y', 'x')}∂u/∂t = Δu\n"


def constants(line: str, count: int, last: str) -> str:
    return declared("const b0 = 3", *(line.format(i + 1, i) for i in range(count)), f"const a0 = {last}")


def chain(line: str, depth: int) -> str:
    """Definitions that each use the next: `{0}` and `{1}` in a line are the numbers of the two."""
    return declared(*(line.format(i, i + 1) for i in range(depth)), f"let a{depth} = x")


def nested(left: str, right: str, depth: int = 10_000, inside: str = "x") -> str:
    return equation(left * depth + inside + right * depth)


def hessian(dimension: int) -> str:
    """Every second derivative of a physical equation in many dimensions."""
    return (
        f"pde P\nspace x in [0, 1]^{dimension}\ntime t in [0, 1]\nunknown u(x, t) : scalar\nu(x, 0) = 0\n"
        "u = 0 on boundary\n∂u/∂t = Δu + ΣᵢΣⱼ xᵢ xⱼ ∂²u/∂xᵢ∂xⱼ\n"
    )


def megabytes() -> dict[str, str]:
    return {
        "1 MiB, one name": FRAME + filled("a"),
        "1 MiB, one number": equation(filled("7")),
        "1 MiB, one comment": FRAME + "#" + filled("c"),
        "1 MiB, comments": equation("Δu") + filled("# c\n"),
        "comments that never end": FRAME + "*/\n" + filled("/*\n", MIB // 2),
        "1 MiB, a sum": equation(filled("u + ") + "u"),
        "1 MiB, a product": equation(filled("u ") + "u"),
        "1 MiB, opening brackets": equation(filled("(")),
        "1 MiB, closing brackets": equation(filled(")")),
        "1 MiB, norms": equation(filled("‖")),
        "1 MiB, stray characters": filled("§"),
        "1 MiB, one open text": filled('"'),
        "1 MiB, newlines": filled("\n"),
        "1 MiB, blanks": filled(" "),
        "1 MiB, half derivatives": equation(filled("∂")),
        "1 MiB, one derivative": equation("∂u/" + filled("∂x")),
        "1 MiB, nablas": equation(filled("∇")),
        "1 MiB, superscripts": equation("u" + filled("²")),
        "1 MiB, subscripts": equation("u" + filled("ᵢ")),
        "1 MiB, ascii derivative": equation("d" + filled("2") + "u/d" + "x"),
        "1 MiB, ascii denominators": equation("du/" + filled("dx")),
        "1 MiB, exponent digits": equation("1e" + filled("9")),
        "1 MiB and one byte": "#" + "c" * MIB,
    }


def deep() -> dict[str, str]:
    pairs = {"round": "()", "square": "[]", "curly": "{}", "bars": "||", "norms": "‖‖"}
    return {
        **{f"10,000 {name} brackets": nested(left, right) for name, (left, right) in pairs.items()},
        **{f"199 {name} brackets": nested(left, right, 195) for name, (left, right) in pairs.items()},
        "10,000 calls": nested("sin(", ")"),
        "190 calls": nested("sin(", ")", 190),
        "190 squares": nested("(x + ", ")^2", 190),
        "190 exponentials of sums": nested("exp(u + ", ")", 190),
        "190 quotients": nested("1/(u + ", ")", 190),
        "190 roots": nested("sqrt(1 + ", ")", 190),
        "190 gradients": nested("div(grad(", "))", 90, "u"),
        "10,000 indices": nested("x[", "]"),
        "10,000 absolute derivatives": nested("∂(", ")/∂x"),
        "brackets of all kinds": nested("([", "])", 90),
        "10,000 blocks": "train {\n" * 10_000,
        "Laplacians": equation("Δ" * 5000 + "u"),
        "Laplacian powers": equation("Δ⁴" * 300 + "u"),
        "8 Laplacians of a product": equation("ΔΔΔΔ(sin(x y) exp(x u) cos(u y))"),
        "Laplacians of products": equation("Δ⁴(u^9 exp(u) sin(u x y))"),
        "gradients": equation("∇·∇" * 2000 + "u"),
        "a derivative of high order": equation("∂⁹⁹⁹⁹⁹⁹⁹⁹⁹u/∂x⁹⁹⁹⁹⁹⁹⁹⁹⁹"),
        "a mixed derivative of high order": equation("∂⁹⁹⁹⁹⁹⁹⁹⁹⁹u/∂x⁹⁹⁹⁹⁹⁹⁹⁹⁸∂y"),
        "a parenthesized derivative of high order": equation("∂⁹⁹⁹⁹⁹⁹⁹⁹⁹(u)/∂x⁹⁹⁹⁹⁹⁹⁹⁹⁹"),
        "a derivative of endless order": equation(f"∂{'⁹' * 5000}u/∂x{'⁹' * 5000}"),
        "a component of endless number": equation(f"u{'₉' * 5000}"),
        "a norm of gradients": equation("‖∇(‖∇u‖)‖"),
        "a norm of gradients of a square": equation("‖∇(‖∇u‖²)‖"),
        "norms of gradients": equation("‖∇(‖∇(‖∇u‖)‖)‖"),
        "signs": equation("u " + "-" * 5000 + "x"),
        "sums over an index": equation("Σᵢ" * 500 + " u", DATA),
        "sums over many indices": equation("Σᵢ" + "ⱼ" * 300 + " u", DATA),
        "sums over an index, written out": equation("sum(i, " * 150 + "x" + ")" * 150),
        "sums over an index of sums": equation("sum(i, x + " * 60 + "x" + ")" * 60, DATA),
        "lets in a chain": chain("let a{0} = a{1}", 2000),
        "lets that double": chain("let a{0} = a{1}*(a{1} + x)", 60),
        "lets that double sums": chain("let a{0} = (a{1} + 1)*(a{1} + x)", 60),
        "lets that double in a function": chain("let a{0} = sin(a{1}) + cos(a{1})", 60),
        "lets that double as functions": chain("let a{0}(z) = a{1}(a{1}(z))", 60).replace("a60 =", "a60(z) ="),
        "lets that square": chain("let a{0} = a{1}²", 60),
        "lets in a circle": chain("let a{0} = a{1}", 50).replace("a50 = x", "a50 = a0"),
        "functions that call themselves": equation("f(x)").replace("u(x, y, 0)", "let f(z) = f(z + 1)\nu(x, y, 0)"),
        "constants that square": constants("const b{0} = b{1}^2", 60, "b60"),
        "constants that double": constants("const b{0} = b{1} + b{1}", 2000, "b9"),
    }


def numbers() -> dict[str, str]:
    values = {
        "a tower of powers": "9^9^9^9^9",
        "a tower in brackets": "(((9^9)^9)^9)^9",
        "a tower in superscripts": "9⁹⁹⁹⁹⁹⁹⁹⁹",
        "a tower of products": "(9^999)*(9^999)*(9^999)*(9^999)*(9^999)*(9^999)*(9^999)*(9^999)",
        "a negative tower": "9^-9^-9^-9",
        "a root of a root": "(((2^0.5)^0.5)^0.5 + 3^0.5)^0.5",
        "powers of irrational numbers": "(1 + 2^0.5)^999",
        "sums of roots": "(2^0.5 + 3^0.5 + 5^0.5 + 7^0.5 + 11^0.5)^100",
        "a root of a large prime": "1000000000000000000000000000057^0.5",
        "a hard factor": "(1000000000000000003*10000000000000000051)^(1/3)",
        "a large decimal power": "2^0.123456789012345678901234567890",
        "an exponential tower": "exp(exp(exp(exp(exp(9)))))",
        "a small exponential tower": "exp(-exp(exp(exp(9))))",
        "a sine of a tower": "sin(exp(exp(exp(9))))",
        "a sine of a large number": "sin(1e300)",
        "a cancellation": "sin(1)^2 + cos(1)^2 - 1",
        "one over a cancellation": "1/(sin(1)^2 + cos(1)^2 - 1)",
        "a logarithm of a large number": "log(1e300)",
        "too large": "1e999999",
        "too large, with a sign": "1e+999999999999999999999",
        "too small": "1e-999999",
        "a million digits": "7" * 1_000_000,
        "a million decimals": "0." + "7" * 1_000_000,
        "a large number": "1e308*1e308*1e308*1e308",
        "sixty digits": "7" * 60,
        "superscripts": "2" + "⁹" * 5000,
        "negative superscripts": "2⁻" + "⁹" * 5000,
    }
    places = {
        "a huge dimension": somewhere("R^1000000000"),
        "a larger dimension": somewhere("R^10^30"),
        "a dimension of 16": FRAME.replace("(x, y) in R^2", "x in R^16").replace("x, y", "x") + "∂u/∂t = Δ⁴u\n",
        "a huge domain": somewhere("[0, 1]^1000000000"),
        "a domain of 1,000 dimensions": somewhere("[0, 1]^1000 periodic"),
        "every second derivative in 32 dimensions": hessian(32),
        "every second derivative in 200 dimensions": hessian(200),
        "a huge image": somewhere("image(10^9, 10^9, 10^9)"),
        "a huge vector": FRAME.replace("scalar", "vector(1000000)") + "∂u/∂t = Δu\n",
        "many classes": FRAME.replace("scalar", "simplex(1000000000)") + "∂u/∂t = Δu\n",
        "a huge list": declared("const a0 = [" + "1, " * 40_000 + "1]"),
        "a huge matrix": declared(f"const A = {[[1] * 150] * 150}", "const a0 = 1"),
        "a huge interval": FRAME.replace("[0, 1]", "[0, 9^9^9]") + "∂u/∂t = Δu\n",
        "a huge step": equation("Δu") + "realize time by euler(steps=10^300)\n",
        "a root of a huge power": declared("const a^99 = 2", "const a0 = a^98"),
    }
    return {**{name: declared(f"const a0 = {text}") for name, text in values.items()}, **places}


LINE = FRAME.replace("(x, y) in R^2", "x in [0, 1]").replace("x, y", "x") + "u = 0 on boundary\n"


def algebra() -> dict[str, str]:
    return {
        "a power of a sum": equation("(x + y + u + t + sin(x) + cos(x))^100"),
        "a power of a sum in a function": equation("exp((x + y + u + t + sin(x) + cos(x))^100)"),
        "a power of a sum below a line": equation("1/(x + y + u + t + sin(x) + cos(x))^100"),
        "a huge number beside small ones": equation(
            "[|t|, min(t, 1e-3)]·∇u + (v + [1e300, 1])·∇u + (1/3)^0.5*u",
            FRAME.replace("R^2", "[0, 1]^2") + "learn v(x, y, t) : vector = mlp\nu = x on boundary\n",
        ),
        "a product of sums": equation(" ".join(f"(x + {i})" for i in range(2, 102))),
        "a product of sums of unknowns": equation(" ".join(f"(x + u^{i} + y^{i})" for i in range(2, 22))),
        "a derivative of a power": equation("Δ((x + y + u)^50)"),
        "a derivative of a product": equation("Δ(" + " ".join(f"sin({i} u)" for i in range(2, 32)) + ")"),
        "a tower of the unknown": equation("^".join(["u"] * 150)),
        "a longer tower of the unknown": equation("^".join(["u"] * 5000)),
        "a derivative of a tower": equation("Δ(" + "^".join(["u"] * 12) + ")"),
        "a power of a power": equation("(((((x + u)^100)^100)^100)^100)^100"),
        "quotients": equation(" + ".join(f"u/(x + {i})" for i in range(2, 60))),
        "quotients of polynomials": equation(" + ".join(f"(x^{i} + 1)/(x^{i} - y^{i + 1} + 1)" for i in range(2, 40))),
        "nested quotients": equation("1/(1 + " * 40 + "u" + ")" * 40),
        "powers with symbols": equation(" + ".join(f"u^(x + {i})" for i in range(2, 200))),
        "minima of minima": equation("min(x, " * 100 + "u" + ")" * 100),
        "many minima": equation("max(" + ", ".join(f"u^{i} - x" for i in range(2, 80)) + ")"),
        "a shape of 300 inequalities": FRAME.replace(
            "R^2", "[-1, 1]^2 where " + ", ".join(f"x² > {i}" for i in range(300))
        )
        + "∂u/∂t = Δu\n",
        "sums that cancel": equation(f"({'(exp(' * 8}sin(x)² + cos(x)² - 1{') - 1)' * 8}) u"),
        "numbers that cancel": equation(f"({'(exp(' * 8}sin(1)² + cos(1)² - 1{') - 1)' * 8}) u"),
        "moduli": equation("|x + " * 90 + "u" + "|" * 90),
        "moduli of products": equation("abs((x + u)(y - u)(t - u)(x y - u)(x - y u)^3)"),
        "1,500 terms": equation(" + ".join(f"{i} u^{i % 90} ∂u/∂x" for i in range(1, 1501))),
        "1,500 known terms": equation(" + ".join(f"sin({i} x)" for i in range(1, 1501))),
        "a quotient of fifty powers": equation(f"Δu/({' + '.join(f'(x - {i}/50)^{2 * i}' for i in range(50))})", LINE),
        "a solution nested deeply": equation("Δu", LINE) + f"exact u = {'sin(' * 55}x t{')' * 55}\n",
        "2,000 constants": declared(*(f"const a{i} = {i}" for i in range(2000))),
    }


def long() -> dict[str, str]:
    return {
        "a name of 100,000 letters": equation("a" * 100_000),
        "a Greek name of 100,000 letters": equation("σ" * 100_000),
        "an index name of 100,000 letters": equation(f"u[{'a' * 100_000}]"),
        "a name of 100 letters": declared("const a0 = 1", "const " + "b" * 100 + " = 1"),
        "100,000 statements": "u = 0\n" * 100_000,
        "20,000 doubled declarations": FRAME + "const c = 1\n" * 20_000,
        "2,500 conditions": FRAME + "u(x, y, 0) = 0\n" * 2_500,
        "a long line": equation(" " * 500_000 + "Δu"),
        "5,000 unknown names": equation(" + ".join(f"name{i}" for i in range(5000))),
        "1,500 invalid lines": FRAME + "".join(f"let b{i} = name{i}\n" for i in range(1500)),
        "5,000 unreadable lines": FRAME + "let = =\n" * 5000,
        "5,000 misspelt lines": FRAME + "uknown u(x, t) : scalar\n" * 5000,
        "5,000 open brackets": FRAME + "let a = (\n" * 5000,
        "1,500 entries": equation("Δu") + "evaluate {\n" + "  attack fgsm(eps=0.1)\n" * 1500 + "}\n",
        "1,500 invalid entries": equation("Δu") + "evaluate {\n" + "  atack fgsm(eps=0.1)\n" * 1500 + "}\n",
        "a long list of steps": equation("Δu") + "train {\n  schedule step(at=[" + "1, " * 6_000 + "1])\n}\n",
        "400 unknowns": "pde P\nspace x in pixels\ntime t in [0, 1]\n"
        + "".join(f"unknown u{i}(x, t) : channels\n∂u{i}/∂t = -u{i}\n" for i in range(400)),
        "400 learned numbers": equation(" + ".join(f"w{i} u" for i in range(400)))
        + "".join(f"learn w{i} : scalar\n" for i in range(400)),
    }


def odd() -> dict[str, bytes]:
    return {
        "combining marks": equation("u" + "\u0301" * 5000).encode(),
        "a combining name": equation("a\u0308 + u").encode(),
        "right to left": equation("שלום\u202e + u\u202c").encode(),
        "Arabic digits": equation("٣ u").encode(),
        "zero width": equation("u\u200b\u200d\ufeffu").encode(),
        "full width": equation("ｕ＋１").encode(),
        "mathematical letters": equation("𝑢 + 𝟏").encode(),
        "a superscript only": "²".encode(),
        "a name like a keyword": equation("let + time").encode(),
        "surrogates": equation("u").encode() + b"\xed\xa0\x80\n",
        "overlong": b"\xc0\xaf",
        "four bytes": b"\xf8\x88\x80\x80\x80",
        "two marks of order": b"\xef\xbb\xbf\xef\xbb\xbf" + FRAME.encode(),
        "UTF-16": equation("u").encode("utf-16"),
        "UTF-32": equation("u").encode("utf-32"),
        "Latin": b'pde P "M\xfcller"\n',
        "line separators": equation("u").replace("\n", "\u2028").encode(),
        "next lines": equation("u").replace("\n", "\x85").encode(),
        "form feeds": equation("u").replace("\n", "\f").encode(),
        "controls": bytes(range(1, 32)),
        "all bytes": bytes(range(1, 256)) * 100,
        "a text of controls": b'pde P "\x1b[31m\x07"\n' + equation("Δu").encode().split(b"\n", 1)[1],
        "empty": b"",
        "nothing but a mark of order": b"\xef\xbb\xbf",
        "no newline at the end": equation("Δu").encode().rstrip(),
        "carriage returns": equation("Δu").replace("\n", "\r").encode(),
    }


def cases() -> dict[str, bytes]:
    texts = {**megabytes(), **deep(), **numbers(), **algebra(), **long()}
    return {**{name: text.encode() for name, text in texts.items()}, **odd()}
