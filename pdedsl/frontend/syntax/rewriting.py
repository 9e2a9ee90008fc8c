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
_READ = re.compile(
    r"""^\s+["']\w+["']\s*:|\b(?:Expression|Function)\("""
)  # lines whose quotes are part of their notation
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
    """`du_t = k*du_xx`, `d2u/dx^2`."""
    own = "|".join(map(re.escape, names.functions)) or r"\b\B"
    by = "|".join(map(re.escape, names.variables)) or r"\b\B"
    twice = rf"\bd([2-4])({own})\s*/\s*d({by})(?:\^|\*\*)\1(?!\w)"
    line = re.sub(twice, lambda m: derivative(m[2], [m[3]] * int(m[1]), names), line)
    below = "".join(re.escape(v) for v in names.variables if len(v) == 1)
    return re.sub(rf"\bd((?:{own})_[{below}]+)\b", r"\1", line) if below else line


def _elementwise(line: str, names: Known) -> str:
    """`k.*u.^2`, `sin.(u)`."""
    line = re.sub(r"(?<=[\w)\]\s])\.(?=[*/^+-])", "", line)
    return re.sub(r"(?<=[A-Za-z])\.(?=\()", "", line)


def _numbers(line: str, names: Known) -> str:
    """`1_000`, `1x10^-3`."""
    line = re.sub(r"(?<![\w.])\d{1,3}(?:_\d{3})+(?!\w)", lambda m: m[0].replace("_", ""), line)
    return re.sub(r"(?<=\d)x10(?=\^|\*\*|[⁻⁰¹²³⁴-⁹])", "*10", line) if "x10" not in names.names else line


def _rows(line: str, names: Known) -> str:
    """`[1 0; 0 2]`."""

    def new(found: re.Match[str]) -> str:
        rows = [", ".join(re.split(r"\s*,\s*|\s+", row.strip())) for row in found[1].split(";")]
        return f"[{', '.join(f'[{row}]' if ',' in row else row for row in rows)}]"

    return re.sub(r"\[([^\[\]()=]*;[^\[\]()=]*)\]", new, line)


def _declarations(line: str, names: Known) -> str:
    """`u = Function('u')(x, t)`, `@parameters k = 0.1`."""
    line = re.sub(r"^\s*@(?:parameters|constants)\s+(\w+\s*=)", r"const \1", line)
    own = r"""^\s*(\w+)\s*=\s*(?:\w+\.)?Function\(["']\w*["']\)(\([\w, ]+\))\s*$"""
    return re.sub(own, r"unknown \1\2 : scalar", line)


def _lower(found: re.Match[str]) -> str:
    return (found[1] or "").lower()


def _modules(line: str, names: Known) -> str:
    """`mlp(activation=nn.ReLU())`, `loss nn.CrossEntropyLoss()`."""
    line = re.sub(r"(?<![\w.])(?:torch\.)?nn\.(ReLU|Tanh|GELU|SiLU|Sigmoid|Softplus|ELU|Mish)\b(?:\(\))?", _lower, line)
    return re.sub(r"(?<![\w.])(?:torch\.)?nn\.CrossEntropyLoss\b(?:\(\))?", "cross_entropy", line)


def _prefixes(line: str, names: Known) -> str:
    line = re.sub(r"\b(?:torch\.)?autograd\.grad\(", "gradients(", line)
    line = re.sub(rf"(?<![\w.])(?:{PREFIX})+(?:(?=[a-z])|(Adam|SGD|RMSprop|AdamW|LBFGS)\b)", _lower, line)
    return re.sub(r"(softmax\([^()]*), *dim *= *-?\d+\)", r"\1)", line)


def _anonymous(line: str, names: Known) -> str:
    """`= @(x) sin(x)`, `= lambda x: sin(x)`, `= x -> sin(x)`."""
    if {"lambda", "λ"} & names.names:  # `λ A:∇∇u`
        return line
    own = re.fullmatch(r"\s*(?:let\s+)?(\w+)\s*=\s*(?:@\(|lambda\s+)([\w, ]+)[):](.*)", line)
    if own and (own[1] not in names.names or line.lstrip().startswith("let ")):
        return f"let {own[1]}({own[2].strip()}) = {own[3].strip()}"
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
    """`u''(t) + u(t) = 0`, `u'(0) = 1`, where u has one variable."""

    def new(found: re.Match[str]) -> str:
        name, marks, called = found.groups()
        by = names.functions.get(name, ())
        if len(by) != 1:
            return found[0]
        return derivative(name, [by[0]] * len(marks), names) + ("" if not called or called[1:-1] == by[0] else called)

    line = re.sub(r"(\w+)('+|′+|″)(\(\w+\))?", new, line.replace("″", "''"))
    if "∂" in line:  # beside derivatives, u(t) is u
        own = "|".join(f"{re.escape(f)}\\({re.escape(a[0])}\\)" for f, a in names.functions.items() if len(a) == 1)
        line = re.sub(own or r"$^", lambda m: m[0].partition("(")[0], line)
    return line


def _adjoints(line: str, names: Known) -> str:
    """`W'` of an operator."""
    return re.sub(r"(\w+)['′](?!['′(])", lambda m: f"{m[1]}ᵀ" if m[1] in names.operators else m[0], line)


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
    """`"data": "moons",`, `- data: moons`, `attack pgd-20(eps=0.1)`."""
    line = re.sub(r"^(\s+)-\s+(\w+)\s*:\s*([^=]*)$", r"\1\2 \3", line)
    found = re.fullmatch(r"(\s+)[\"'](\w+)[\"']\s*:\s*([^=]*?),?\s*", line)
    value = found and re.fullmatch(r"[\"'](\w+)[\"']", found[3])
    line = re.sub(r"^(\s+(?:attack|adversary)\s+)(ifgsm|pgd)-(\d{1,4})\(([^()]+)\)", r"\1\2(\4, steps=\3)", line)
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
    ("this is not how a number is written", _numbers),
    ("a matrix is a list of its rows", _either(_rows, ";")),
    ("this is not how a name is declared", _declarations),
    ("a word of the language stands alone", _modules),
    ("a function is named without the library that it comes from", _prefixes),
    ("a value is an expression, not a function of its own", _anonymous),
    ("an equation is written with '='", _either(_equal, "~")),
    ("coordinates have names", _from_zero),
    ("this is not how a derivative is written", _either(differential, "Differential")),
    ("this is not how a condition is written", conditions),
    ("this has another name in the language", calls),
    ("an adjoint is written Kᵀ or K^T", _either(_adjoints, "['′]")),
    ("this is not how a derivative is written", _either(_primes, "['′″]")),
    ("this is not how a derivative is written", _partial_words),
    ("a sum runs over all components", _either(_sums, r"sum|[Σ∑]_")),
    ("∇2 is not an operator", _nabla),
    ("an equation has two sides", _residual),
)

CAREFUL = {why for why, rule in RULES if rule in (_ending, _residual)}
"""Reasons that hold only where a line cannot be read as it is: it might go on below."""
