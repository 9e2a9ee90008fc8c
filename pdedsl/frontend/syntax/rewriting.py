"""Lines as other programs and books write them, rewritten in our notation: `D[u[x,t],t] == k D[u[x,t],{x,2}]`, `k.*u`,
`np.sin(x)`, `space 0 <= x <= 1`. Each rule rewrites what it knows, and leaves the rest of a line as it is; whether the
result is a line of the language is for the caller to try, before it is shown to anybody."""

from __future__ import annotations

import re
from collections.abc import Callable

from pdedsl.frontend.syntax.calls import WORD, Known, calls, conditions, derivative, differential
from pdedsl.frontend.syntax.domains import images, interval, sampled, shapes
from pdedsl.frontend.syntax.latex import in_our_notation

_TEXT = re.compile(r'"[^"]*"')
_READ = re.compile(r"""^\s+["']\w+["']\s*:|\bExpression\(""")  # lines whose quotes are part of their notation
_EQUATION = r"(?:[^\W\d∂∇]|[∂∇Δ]).*=.*"
PREFIX = r"\b(?:np|numpy|jnp|jax|math|Math|torch|nn|functional|autograd|optim|sympy|sp|tf|ufl|dde|grad|F|xp)\."


Rule = Callable[[str, Known], str]


def rewritten(line: str, names: Known) -> tuple[str, str]:
    """A line in our notation, and what was not; the line itself and nothing if no rule applies."""
    texts = [] if _READ.search(line) else _TEXT.findall(line)  # what is in quotes is no notation
    line = _TEXT.sub('""', line) if texts else line
    causes = []
    for why, rule in RULES:
        new = rule(line, names)
        causes += [why] if new != line else []
        line = new
    cause = next((why for why in causes if why not in CAREFUL), causes[0] if causes else "")
    if cause:  # what is read as it is, or has a message of its own, beside the rest
        line = re.sub(r"(?<![=<>:])==(?!=)", "=", line)
        line = re.sub(r"\bPi\b", "pi", line) if "Pi" not in names.names else line
    kept = iter(texts)
    return _TEXT.sub(lambda _: next(kept, '""'), line) if texts else line, cause


# ---- signs


def _dollars(line: str, names: Known) -> str:
    """`$$u_t = u_xx$$ (heat)`."""
    found = re.fullmatch(r"(\s*)\$+([^$]+)\$+[^$=]*", line)
    return f"{found[1]}{found[2].strip()}" if found else line


def _defined(line: str, names: Known) -> str:
    """`def f(x): return sin(x)`."""
    return re.sub(r"^(\s*)def\s+(\w+\([\w, ]*\))\s*:\s*return\s+", r"\1let \2 = ", line)


def _differentials(line: str, names: Known) -> str:
    """`du_t = k*du_xx`."""
    own = "|".join(map(re.escape, names.functions)) or r"\b\B"
    below = "".join(re.escape(v) for v in names.variables if len(v) == 1)
    return re.sub(rf"\bd((?:{own})_[{below}]+)\b", r"\1", line) if below else line


def _elementwise(line: str, names: Known) -> str:
    """`k.*u.^2`, `sin.(u)`."""
    line = re.sub(r"(?<=[\w)\]\s])\.(?=[*/^+-])", "", line)
    return re.sub(r"(?<=[A-Za-z])\.(?=\()", "", line)


def _lower(found: re.Match[str]) -> str:
    return (found[1] or "").lower()


def _prefixes(line: str, names: Known) -> str:
    line = re.sub(r"\b(?:torch\.)?autograd\.grad\(", "gradients(", line)
    line = re.sub(rf"(?<![\w.])(?:{PREFIX})+(?:(?=[a-z])|(Adam|SGD|RMSprop|AdamW|LBFGS)\b)", _lower, line)
    return re.sub(r"(softmax\([^()]*), *dim *= *-?\d+\)", r"\1)", line)


def _anonymous(line: str, names: Known) -> str:
    """`= @(x) sin(x)`, `= lambda x: sin(x)`, `= x -> sin(x)`."""
    if {"lambda", "λ"} & names.names:  # `λ A:∇∇u`
        return line
    own = re.fullmatch(r"(\s*let\s+\w+)\s*=\s*(?:@\(|lambda\s+)([\w, ]+)[):](.*)", line)
    if own:
        return f"{own[1]}({own[2].strip()}) = {own[3].strip()}"
    return re.sub(r"(=\s*+)(?:@\([\w, ]*\)|lambda\s+[\w, ]+:|\(?[\w, ]++\)?\s*(?:->|↦|=>))\s*", r"\1", line)


def _equal(line: str, names: Known) -> str:
    return line.replace("~", "=") if "=" not in line else line


def _residual(line: str, names: Known) -> str:
    """`return u_t - u_xx`, `u_t - u_xx`."""
    body = re.sub(r"^\s*return\s+", "", line)
    slopes = rf"\b(?:{'|'.join(map(re.escape, names.functions)) or '_'})_\w|∂\w*/∂|[Δ∇]|\bd\w+/d\w"
    signed = re.search(slopes, body) and not re.search(r"[=<>≤≥:~{}]|\b(?:on|in|for|by|if)\b", body)
    return f"{body.rstrip()} = 0" if signed else line


def _from_zero(line: str, names: Known) -> str:
    """`x[0]`, `x[1]` for the coordinates (x, y)."""
    if len(names.coordinates) < 2 or "x[0]" not in line.replace(" ", ""):
        return line
    return re.sub(r"\bx\[\s*([0-9])\s*\]", lambda m: (*names.coordinates, *[m[0]] * 10)[int(m[1])], line)


def _primes(line: str, names: Known) -> str:
    """`u''(t) + u(t) = 0`, `u'(0) = 1`, where u has one variable; `W'` of an operator."""

    def new(found: re.Match[str]) -> str:
        name, marks, called = found.groups()
        by = names.functions.get(name, ())
        if name in names.operators and len(marks) == 1 and not called:
            return f"{name}ᵀ"
        if len(by) != 1:
            return found[0]
        return derivative(name, [by[0]] * len(marks), names) + ("" if not called or called[1:-1] == by[0] else called)

    line = re.sub(r"(\w+)('+|′+|″)(\(\w+\))?", new, line.replace("″", "''"))
    if "∂" in line:  # beside derivatives, u(t) is u
        own = "|".join(f"{re.escape(f)}\\({re.escape(a[0])}\\)" for f, a in names.functions.items() if len(a) == 1)
        line = re.sub(own or r"$^", lambda m: m[0].partition("(")[0], line)
    return line


def _partial_words(line: str, names: Known) -> str:
    """`partial^2 u / partial x^2`."""
    one = r"partial\s*(?:(?!partial)[^\W\d])+(?:\s*\^?\s*\d)?"  # atomic below: there is one way to read it
    below = rf"((?>{one})(?>\s*{one})*)"
    above = rf"\bpartial\s*(?:\^?\s*(\d))?\s*(\w+)\s*/\s*\(?\s*{below}\s*\)?(?=$|[\s)+*-])"

    def new(found: re.Match[str]) -> str:
        by = [v for v, n in re.findall(r"partial\s*([^\W\d]+)\s*\^?\s*(\d?)", found[3]) for _ in range(int(n or 1))]
        return f"{derivative(found[2], by, names)} " if {*by} <= {*names.variables} else found[0]

    return re.sub(above, new, line).rstrip() if "partial" not in names.names else line


def _sums(line: str, names: Known) -> str:
    """`Σ_{i=1}^{10} x_i`, `sum(x_i, i=1..10)`."""
    low = {"i": "ᵢ", "j": "ⱼ", "k": "ₖ"}
    line = re.sub(
        r"(?:\bsum|[Σ∑])_\{?([ijk])(?:\s*=[^}\s]*)?\}?(?:\^(?:\{[^}]*\}|\w+))?", lambda m: f"Σ{low[m[1]]}", line
    )
    long = re.search(r"\bsum\((.*),\s*([ijk])\s*=[^,()]*\)", line)
    if long:
        line = line[: long.start()] + f"Σ{low[long[2]]} {long[1]}" + line[long.end() :]
    if "Σ" in line:
        line = re.sub(r"(?<=[^\W\d_])_([ijk])(?![A-Za-z_])", lambda m: low[m[1]], line)
    return line


def _counted(line: str, names: Known) -> str:
    """`1. ∂u/∂t = Δu`, `1) ∂u/∂t = Δu`."""
    return re.sub(rf"^\s*\d{{1,3}}[.)]\s+(?={_EQUATION}$)", "", line)


def numbered(line: str, names: Known) -> str:
    """`∂u/∂t = Δu   (2.3)`, `(1) ∂u/∂t = Δu`: without what is read as a factor."""
    before = re.fullmatch(rf"\s*\(\d{{1,3}}[a-z]?\)\s+({_EQUATION})", line)
    if before:
        return before[1]
    found = re.fullmatch(r"([^#\"]*=[^#\"]*?(\S))\s+\((\d{1,3}(?:\.\d{1,3})*[a-z]?)\)\s*", line)
    last = {word.lstrip("Δ") for word in WORD.findall(found[1])[-1:]} if found else set()
    called = found and found[2].isalpha() and not last & names.names
    return line if found is None or called or found[2] in "+-*/^=,·×:(" else found[1]


def _ending(line: str, names: Known) -> str:
    """`∂u/∂t = Δu.`, `∂u/∂t = Δu,`."""
    return re.sub(r"(?<=[\w)\]²³])(?:\s*,|\s+\.|(?<![0-9])\.)\s*$", "", line) if "=" in line else line


# ---- entries of blocks


def _entries(line: str, names: Known) -> str:
    """`"data": "moons",`, `- data: moons`."""
    line = re.sub(r"^(\s+)-\s+(\w+)\s*:\s*([^=]*)$", r"\1\2 \3", line)
    found = re.fullmatch(r"(\s+)[\"'](\w+)[\"']\s*:\s*([^=]*?),?\s*", line)
    value = found and re.fullmatch(r"[\"'](\w+)[\"']", found[3])
    return line if found is None else f"{found[1]}{found[2]} {value[1] if value else found[3]}"


def _nabla(line: str, names: Known) -> str:
    return re.sub(r"∇[ \t]*2(?=\s*[^\W\d]|\s*\()", "∇²", line)


def _either(rule: Rule, mark: str) -> Rule:
    """A rule for lines with a mark alone, outside of quotes: a title may say what it likes."""
    return lambda line, names: rule(line, names) if re.search(mark, re.sub(r'"[^"]*"', '""', line)) else line


RULES: tuple[tuple[str, Rule], ...] = (
    ("equations are not numbered", _counted),
    (
        "this line is written in LaTeX",
        _either(lambda line, _: in_our_notation(line), r"^(?!.*\|_).*(?:\\[A-Za-z\\]|&)"),
    ),
    ("an entry of a block is a word and its value, without quotes or signs", _entries),
    ("an interval is written [a, b], after 'in'", interval),
    ("a space of images is written image(channels, height, width)", images),
    ("points are chosen by the method: declare the interval", sampled),
    ("a domain is made of intervals and inequalities", shapes),
    ("formulas stand alone, without $", _either(_dollars, r"\$")),
    ("this is not how a function is declared", _either(_defined, r"\bdef\b")),
    ("this is not how a derivative is written", _differentials),
    ("a statement ends with its line, without a sign", _ending),
    ("products, powers and functions act at every point, and are written without dots", _elementwise),
    ("a function is named without the library that it comes from", _prefixes),
    ("a value is an expression, not a function of its own", _anonymous),
    ("an equation is written with '='", _either(_equal, "~")),
    ("coordinates have names", _from_zero),
    ("this is not how a derivative is written", _either(differential, "Differential")),
    ("this is not how a condition is written", conditions),
    ("this has another name in the language", calls),
    ("this is not how a derivative is written", _either(_primes, "['′″]")),
    ("this is not how a derivative is written", _partial_words),
    ("a sum runs over all components", _either(_sums, r"sum|[Σ∑]_")),
    ("∇2 is not an operator", _nabla),
    ("an equation has two sides", _residual),
)

CAREFUL = {why for why, rule in RULES if rule in (_ending, _residual)}
"""Reasons that hold only where a line cannot be read as it is: it might go on below."""

REMARKS: tuple[tuple[str, str, str], ...] = (
    (
        r"\b(?:inner|dot)\(\s*(?:grad|nabla)\b.*(?:grad|nabla)|\bint[123]d\(",
        "an equation is written at a point, without integrals and test functions",
        "write the equation itself, as in -Δu = f, and its conditions: u = 0 on boundary",
    ),
    (
        r"^\s*bcs?\s*=|^\s*\w+\s*=.*(?:Dirichlet|Neumann|Robin|Periodic)BC\b",
        "a condition is an equation on a line of its own",
        "as in: u = 0 on boundary, u(0, t) = 0, or u(x, 0) = … for the start",
    ),
    (
        r"^\s*\w+(?:\([\w, ]*\))?\s*(?:->|→)",
        "a limit is not a condition",
        "on a bounded domain write: u = 0 on boundary; on R^d nothing is asked at infinity",
    ),
    (r"□", "this operator is not part of the language", "write ∂²u/∂t² - c² Δu"),
    (r"^\s*end;?\s*$", "a spec has no 'end'", "leave it out"),
    (
        r"^\s*∂(?!Ω|Omega)[0-9²]?\w+\s*$",
        "a derivative is written on one line",
        "as in ∂u/∂t or ∂²u/∂x²: copied formulas lose their fraction bars",
    ),
)
"""What has no counterpart on the same line: a pattern, what is wrong, and a way out."""
