"""Calls of other programs in our notation: `D(u, x, 2)`, `del2(u)`, `Sin[x]`, `DirichletBC(u, 0, boundary)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from pdedsl import errors
from pdedsl.diagnostics import Diagnostic, PdeError, Reporter, Source, Span, in_order
from pdedsl.language import ast as t
from pdedsl.language.latex import translate_latex
from pdedsl.language.lexer import normalize_characters
from pdedsl.language.names import superscript
from pdedsl.language.parser import parse_syntax

# ---- calls


_DECLARED = re.compile(
    r"^[ \t]*(space|time|unknown|let|const|learn)\b[ \t]*([^\n:=#]*)(?::[ \t]*(operator)\b)?", re.MULTILINE
)
WORD = re.compile(r"[^\W\d]\w*")
_CALLED = re.compile(r"(?<![\w.∂])([^\W\d]\w*)([\[(])")
_CLOSER = {"(": ")", "[": "]", "{": "}"}
MATHS = (
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "exp", "log", "sqrt", "abs", "sign"),
    *("max", "min", "relu", "sigmoid", "softmax", "heaviside"),
)
OTHER_NAMES = {"ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "heavisidetheta": "heaviside"}
SLOPES = {"D", "diff", "Diff", "Derivative", "derivative", "deriv", "der", "pder", "pdiff", "PD", "partial", "d"}
LAPLACIANS = {"del2", "Laplacian", "laplacian", "laplace", "lap", "Lap", "delsq"}
HESSIANS = {"hessian", "Hessian", "Hess"}
TRACES = {"tr", "Tr", "trace", "Trace"}


@dataclass(frozen=True)
class Known:
    """What a text declares, read off its words: functions with their arguments, coordinates and time."""

    functions: dict[str, tuple[str, ...]]
    coordinates: tuple[str, ...]
    time: str | None
    operators: frozenset[str]
    names: frozenset[str]

    @property
    def variables(self) -> tuple[str, ...]:
        return (*self.coordinates, *([self.time] if self.time else ()))


def known(text: str) -> Known:
    functions: dict[str, tuple[str, ...]] = {}
    coordinates: tuple[str, ...] = ()
    time, operators, names = None, set(), set()
    for keyword, rest, operator in _DECLARED.findall(text):
        words = WORD.findall(rest.partition(" in ")[0].partition("∈")[0])
        names |= {*words[:1]}
        if keyword == "space":
            coordinates = tuple(words)
        elif keyword == "time" and words:
            time = words[0]
        elif words and "(" in rest:
            functions[words[0]] = tuple(words[1:])
        if words and operator:
            operators.add(words[0])
    return Known(functions, coordinates, time, frozenset(operators), frozenset(names | {*coordinates}))


def _split(inside: str) -> list[str]:
    """Arguments, parted at the commas outside of brackets."""
    parts, depth = [""], 0
    for char in inside:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def _end(line: str, at: int) -> int:
    """The place of the bracket that closes the one at `at`, or -1."""
    open_: list[str] = []
    for i in range(at, len(line)):
        if line[i] in _CLOSER:
            open_.append(_CLOSER[line[i]])
        elif open_ and line[i] == open_[-1]:
            open_.pop()
            if not open_:
                return i
    return -1


def calls(line: str, names: Known) -> str:
    """The line with its calls rewritten, inner ones first; `u.diff(t)` and `Eq(…, …)` are calls, too."""
    line = re.sub(r"(?<![\w.])(\w+(?:\([\w, ]*\))?)\.diff\(", r"diff(\1, ", line)
    line = re.sub(r"'(?=diff\()", "", line)
    sides = re.fullmatch(r"\s*Eq\((.*)\)\s*", line)
    if sides and len(_split(sides[1])) == 2:
        line = " = ".join(_split(sides[1]))
    for found in reversed(list(_CALLED.finditer(line))[:40]):
        end = _end(line, found.start(2))
        if end < 0 or found[1] in names.names - {*names.functions}:
            continue
        arguments = _split(line[found.start(2) + 1 : end])
        new = _called(found[1], found[2], arguments, names)
        if new is not None:
            line = line[: found.start()] + new + line[end + 1 :]
    return line


def _called(name: str, bracket: str, arguments: list[str], names: Known) -> str | None:
    lower = OTHER_NAMES.get(name.lower(), name.lower())
    below = re.fullmatch(r"(?:d_d|[Dd]_?)([a-z]+)", name)
    if name in names.functions:  # `u[x, 0]`, but not `A[1, 2]`
        own = names.functions[name]
        home = bracket == "[" and len(arguments) == len(own) > 1 and any(map(str.__eq__, arguments, own))
        return f"{name}({', '.join(arguments)})" if home else None
    if name == "diff" and len(arguments) > 1 and all(a in names.variables for a in arguments[1:]):
        return None
    if name in SLOPES:
        return _slope(arguments, names)
    if name in ("jacobian", "hessian", "gradients") and len(arguments) > 1:
        return _autograd(arguments, ("i", "j") if name == "hessian" else ("j",), names)
    if below and len(arguments) == 1 and {*below[1]} <= {*names.variables}:
        return derivative(arguments[0], list(below[1]), names)
    if name in LAPLACIANS and (bracket == "[" or len(arguments) > 1 or name in ("del2", "delsq")):
        return f"Δ{_alone(arguments[0], names)}"
    if name in HESSIANS and len(arguments) == 1:
        return f"∇∇{_alone(arguments[0], names)}"
    if name == "gradient_squared" and len(arguments) == 1:
        return f"‖∇{_alone(arguments[0], names)}‖²"
    if name in TRACES and len(arguments) == 1:
        return _trace(arguments[0])
    if name in ("Rational", "Fraction") and len(arguments) == 2:
        return f"({arguments[0]}/{arguments[1]})"
    if name == "Constant" and len(arguments) == 1:
        return arguments[0]
    if name == "Expression" and (text := re.fullmatch(r'["\'](.*)["\']', arguments[0])):
        return f"({text[1]})"
    if lower in MATHS and (name != name.lower() or (bracket == "[" and re.search(r"\W", "".join(arguments)))):
        return f"{lower}({', '.join(arguments)})"
    return None


def _trace(inside: str) -> str | None:
    found = re.fullmatch(r"(?:(\w+)\s*[*·@]?\s*)?(?:∇∇|D²|D\^2)\s*(\w+)", inside)
    return None if found is None else f"{found[1]}:∇∇{found[2]}" if found[1] else f"Δ{found[2]}"


def _alone(body: str, names: Known) -> str:
    """A function without its own arguments, as derivatives take it; anything but a name in brackets."""
    found = re.fullmatch(r"(\w+)[\[(](.*)[\])]", body)
    if found and names.functions.get(found[1]) == tuple(_split(found[2])):
        body = found[1]
    return body if re.fullmatch(r"\w+", body) else f"({body})"


def _slope(arguments: list[str], names: Known) -> str | None:
    """`D(u, x, x)`, `D(u, x, 2)`, `D[u, {x, 2}]`, `diff(u, 2)`, `der(u)`."""
    body, *by = arguments
    order: list[str] = []
    for part in by:
        piece = re.fullmatch(r"[{(]\s*(\w+)\s*,\s*(\d)\s*[})]", part) or re.fullmatch(r"(\w+)\$(\d)", part)
        if piece:
            order += [piece[1]] * int(piece[2])
        elif re.fullmatch(r"[1-4]", part) and (order or len(names.variables) == 1):
            order += [order[-1] if order else names.variables[0]] * (int(part) - bool(order))
        else:
            order.append(part)
    if not by:
        order = [names.time] if names.time else [*names.variables[:1]]
    return derivative(body, order, names) if order and {*order} <= {*names.variables} else None


def _autograd(arguments: list[str], keys: tuple[str, ...], names: Known) -> str | None:
    """`gradients(u, x)`, `jacobian(u, x, i=0, j=1)`, `hessian(u, x, i=0, j=0)`."""
    places = {key: int(n) for key, n in re.findall(r"\b([ij])\s*=\s*(\d)\b", ",".join(arguments[2:]))}
    by = [arguments[1]] if arguments[1] in names.variables and not places else []
    for key in keys:
        by += [*names.variables[places[key] : places[key] + 1]] if key in places else []
    return derivative(arguments[0], by, names) if by else None


def derivative(body: str, by: list[str], names: Known) -> str:
    """`∂²u/∂x²` for u and [x, x]."""
    below = "".join(f"∂{v}{superscript(by.count(v)) if by.count(v) > 1 else ''}" for v in dict.fromkeys(by))
    return f"∂{superscript(len(by)) if len(by) > 1 else ''}{_alone(body, names)}/{below}"


def differential(line: str, names: Known) -> str:
    """`Differential(x)^2(u)`."""
    found = re.search(r"\bDifferential\((\w+)\)(?:\^(\d))?\s*\*?\s*\(", line)
    end = _end(line, found.end() - 1) if found else -1
    if found is None or end < 0 or found[1] not in names.variables:
        return line
    new = derivative(line[found.end() : end], [found[1]] * int(found[2] or 1), names)
    return differential(line[: found.start()] + new + line[end + 1 :], names)


def conditions(line: str, names: Known) -> str:
    """`DirichletBC(u, 0, boundary)`, `DirichletCondition[u[x] == 0, True]`, `u = 0 on near(x, 0)`."""
    line = re.sub(r"(?<=\bon )\s*near\((\w+)(?:\[0\])?,\s*([^(),]+)\)", r"\1 = \2", line)
    found = re.fullmatch(r"\s*Dirichlet(?:BC|Condition)\s*[\[(](.*)[\])]\s*", line)
    if found is None:
        return line
    first, *rest = _split(found[1])
    unknown, equal, value = (part.strip() for part in re.sub(r"==", "=", first).partition("="))
    value = value if equal else next(iter(rest), "")
    return f"{_alone(unknown, names)} = {value} on boundary" if value else line


# ---- domains
# Domains as other programs declare them: `0 <= x <= 1`, `UnitSquareMesh(8, 8)`, `tensor(3, 32, 32)`.


_NUMBER = r"-?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|pi|π|inf)"
_HEAD, _REST = r"(?P<head>\s*(?:space|time)\s+)", r"(?P<rest>(?:\s+periodic)?)\s*"
_FIRST, _LAST, _BETWEEN = rf"(?P<first>{_NUMBER})", rf"(?P<last>{_NUMBER})", r"\s*(?:,|:|;|–|to|\.\.+|…)\s*"
INTERVALS = (
    rf"{_HEAD}{_FIRST}\s*(?:<=?|≤)\s*(?P<name>\w+)\s*(?:<=?|≤)\s*{_LAST}{_REST}",
    rf"{_HEAD}(?P<name>\w+)\s*(?:\bin\b|∈|\bfrom\b|=|:)?\s*(?!image)[A-Za-z]*[(\[\]{{]?\s*{_FIRST}{_BETWEEN}{_LAST}\s*[)\]\[}}]?{_REST}",
    rf"{_HEAD}[({{]\s*(?P<name>\w+)\s*,\s*{_FIRST}\s*,\s*{_LAST}\s*[)}}]{_REST}",
)
"""Ways to declare an interval."""


def interval(line: str, names: Known) -> str:
    """`space 0 <= x <= 1`, `space x from 0 to 1`, `time t in 0:1`, `space x in Interval(0, 1)`, `space x in ]0, 1[`."""
    bare = re.match(r"\s*([^\W\d]\w*)\s*∈\s*[A-Za-z]*[(\[]", line)  # `x ∈ Interval(0, 1)`
    if bare and bare[1] not in names.names:
        line = f"{'time' if bare[1] == 't' else 'space'} {line.strip()}"
    found = next((m for pattern in INTERVALS if (m := re.fullmatch(pattern, line))), None)
    closed = line.count("[") == line.count("]") and line.count("(") == line.count(")")
    if found is None or not closed or re.search(r"\[\s*[^\[\],]+,[^\[\],]+\]", line):
        return line
    first, last = found["first"].rstrip("."), found["last"].rstrip(".")
    return f"{found['head']}{found['name']} in [{first}, {last}]{found['rest']}"


def images(line: str, names: Known) -> str:
    """`space x in tensor(3, 32, 32)`."""
    return re.sub(r"^(\s*space\s+\w+\s+(?:in|∈)\s+)(?!image)[A-Za-z_.]*\((\d+, *\d+, *\d+)\)", r"\1image(\2)", line)


def sampled(line: str, names: Known) -> str:
    """`x = linspace(0, 1, 100)`, `geom = geometry.Interval(0, 1)`."""
    shape = re.fullmatch(r"\s*\w+\s*=\s*((?:[\w.]*\.)?(?:Unit|Rectangle|Disk|Box)\w*(?:\(.*\))?);?\s*", line)
    if shape and not names.coordinates:
        new = shapes(f"space (x, y) in {shape[1]}", replace(names, coordinates=("x", "y")))
        return line if new.endswith(shape[1]) else new
    made = r"(?:[\w.]*\.)?(linspace|arange|range|Interval|TimeDomain)"
    found = re.fullmatch(rf"\s*(\w+)\s*=\s*\(?{made}\(({_NUMBER}),\s*({_NUMBER})\b.*\)\s*;?\s*", line)
    if found is None:
        return line
    timed = found[1] == "t" or "Time" in found[2] or "time" in found[1]
    name = ("t" if timed else "x") if found[2][0].isupper() else found[1]
    return f"{'time' if timed else 'space'} {name} in [{found[3]}, {found[4]}]"


def shapes(line: str, names: Known) -> str:
    """`space (x, y) in UnitSquare(32, 32)`, `Rectangle((0, 0), (2, 1))`, `Disk((0, 0), 1)`."""
    before = re.match(r"\s*space\s++[^∈]*?(?:\sin|∈)\s+", line)
    declared = before and re.fullmatch(r"\s*space\s++\(?[\w, ]+\)?\s*(?:in|∈)?\s*", before[0])
    found = declared and re.fullmatch(r"(?:[\w.]*\.)?(\w+?)(?:Mesh)?\b\s*(\(.*\))?\s*", line[declared.end() :])
    if not before or not found:
        return line
    numbers = re.findall(_NUMBER, found[2] or "")
    unit = {"UnitInterval": "", "UnitSquare": "^2", "UnitCube": "^3"}.get(found[1])
    if unit is not None:
        return f"{before[0]}[0, 1]{unit}"
    if found[1] in ("Rectangle", "Rect", "Box") and len(numbers) == 4:
        (a, b), (c, d) = numbers[:2], numbers[2:]
        return f"{before[0]}[{a}, {c}] × [{b}, {d}]"
    if found[1] in ("Disk", "Disc", "Circle", "Ball", "UnitDisk") and len(names.coordinates) == 2:
        r = numbers[-1] if numbers and found[1] != "UnitDisk" else "1"
        x, y = names.coordinates
        centred = {*numbers[:-1]} <= {"0", "0.0"}
        return f"{before[0]}[-{r}, {r}]^2 where {x}² + {y}² < {'1' if r == '1' else f'{r}²'}" if centred else line
    return line


# ---- rewriting
# Lines as other programs and books write them, rewritten in our notation: `D[u[x,t],t] == k D[u[x,t],{x,2}]`, `k.*u`,
# `np.sin(x)`, `space 0 <= x <= 1`. Each rule rewrites what it knows, and leaves the rest of a line as it is; whether
# the result is a line of the language is for the caller to try, before it is shown to anybody.


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
        _either(lambda line, _: translate_latex(line), r"^(?!.*\|_).*(?:\\[A-Za-z\\]|&)"),
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


# ---- remarks
# Lines of other programs that have no counterpart in a spec, and what to do instead.


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
        r"\b(?:add_equation|N?DSolve(?:Value)?|dsolve|pdepe|PDE|PDESystem|TransientTerm|DiffusionTerm)\s*[\[(]|^\s*solve\(",
        "an equation is a line of its own, not part of a call",
        "as in: ∂u/∂t = k Δu; it is solved by the command: pdedsl solve",
    ),
    (
        r"=\s*(?:\w+\.)?(?:\w*FunctionSpace|TrialFunctions?|TestFunctions?|FiniteElement|CellVariable|Grid[123]D)\(",
        "function spaces, grids and test functions are no part of a spec",
        "leave this line out: the method chooses them, as in: realize equation by grid(n=128)",
    ),
    (
        r"^\s*\w+\s*=\s*Differential\(\w+\)(?:\s*\^\s*\d)?\s*;?\s*$",
        "derivatives are not declared",
        "leave this line out: a derivative is written ∂u/∂t, ∂²u/∂x² or diff(u, x)",
    ),
    (
        r"^\s*@(?:parameters|variables|named|constants)\b(?!\s+\w+\s*=)|=\s*(?:\w+\.)?symbols?\(",
        "this is not how a name is declared",
        "as in: space x in [0, 1], time t in [0, 1], unknown u(x, t) : scalar, const k = 0.1",
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


# ---- strange
# Lines in the notation of other programs: each is reported once, with the same line in ours.
#
# They are looked for only in a text that has mistakes, so that no correct text is refused because it resembles
# another program's. What is shown is tried first: only a line that can be read once it is rewritten is shown so;
# others keep the mistakes that they have as they were written.


_LINE = re.compile(r"[^\r\n]+")
LONG = 300  # characters of a line that is not rewritten
MOST = 2000  # lines that are looked at
_CODE = re.compile(r'(?:"[^"]*"|[^"#])*')
_DEFINES = re.compile(r"\s*(?:@\w+ )?([\w, ]+)(?:=|$)")  # `V = …`, `@parameters k`
Parse = Callable[[Source, Reporter], t.Syntax]
T = TypeVar("T")


def read(
    source: Source, reporter: Reporter, meaning: Callable[[t.Syntax, Reporter], T], parse: Parse = parse_syntax
) -> T:
    """The meaning of a text; of one with mistakes, what remains of it without the lines of other programs."""
    first = Reporter()
    with first.guard():
        result = meaning(parse(source, first), first)
        if not first.errors:
            reporter.diagnostics += [*first.diagnostics, *_numbers_strange(source)]
            return result
    rest, lost = without_strange_lines(source, reporter, first.errors)
    if not reporter.errors:
        raise PdeError(in_order(first.errors), source)
    syntax = parse(rest, reporter)
    return meaning(replace(syntax, lost=syntax.lost | lost), reporter)


def without_strange_lines(
    source: Source, reporter: Reporter, diagnostics: Sequence[Diagnostic]
) -> tuple[Source, frozenset[str]]:
    """The text with such lines blanked, and the names that they declare. `diagnostics` are its mistakes as it
    is written: a line without any is ours, as far as there is a space to judge it by."""
    names = known(normalize_characters(source.text))
    wrong = _lines_of(diagnostics, source) if names.coordinates else range(MOST)
    source, defined = _without_remarks(source, names, wrong, reporter)
    found: dict[int, tuple[Span, str, str]] = {}  # by line: its place, the same in our notation, and why
    for at, span, written in (line for line in _lines(source) if line[0] in wrong):
        new, why = rewritten(written, names)
        if why and new.strip():
            found[at] = (span, new, why)
    if not found:
        return source, defined
    unread = _lines_of(_parsed(source)[1], source)
    found = {at: one for at, one in found.items() if at in unread or one[2] not in CAREFUL}
    tried = Source(_replaced(source.text, [(span, new) for span, new, _ in found.values()]), source.name)
    syntax, left = _parsed(tried)
    still = _lines_of(left, tried)
    good = {at: one for at, one in found.items() if at not in still}
    for span, new, why in good.values():
        reporter.add(errors.syntax.strange(why, source.text[span.start : span.end], new, span))
    blank = _replaced(source.text, [(span, " " * (span.end - span.start)) for span, _, _ in good.values()])
    return replace(source, text=blank), defined | _declared(syntax, {*good}, tried)


def _numbers_strange(source: Source) -> Iterator[Diagnostic]:
    """Equations that may carry a number, `Δu = 0 (2.3)`, which is a factor as they are read."""
    names = known(normalize_characters(source.text))
    for _, span, written in _lines(source):
        new = numbered(written, names)
        if new != written:
            yield errors.syntax.numbered(new, span)


def _lines(source: Source) -> Iterator[tuple[int, Span, str]]:
    """The lines that are looked at: number, place and text without the comment; '#' in quotes does not start one."""
    for line in islice(_LINE.finditer(normalize_characters(source.text)), MOST):
        found = _CODE.match(line[0])
        written = found[0].rstrip() if found else line[0]
        if len(written) <= LONG:
            yield source.position(line.start())[0], Span(line.start(), line.start() + len(written)), written


def _without_remarks(
    source: Source, names: Known, wrong: Container[int], reporter: Reporter
) -> tuple[Source, frozenset[str]]:
    """The text without lines that have no counterpart, each kind reported once, and the names that they define."""
    defined: set[str] = set()
    edits: list[tuple[Span, str]] = []
    broken = False  # whether the line above belongs to a formula that was broken into lines
    for at, span, written in _lines(source):
        code = _TEXT.sub('""', written) if at in wrong else ""
        found = next((one for one in REMARKS if re.search(one[0], code)), None)
        rest = broken and written.lstrip().startswith("∂") and "/" not in written
        broken = rest or found is REMARKS[-1]
        if found is None and not rest:
            continue
        span = Span(span.start + len(written) - len(written.lstrip()), span.end)
        edits.append((span, " " * (span.end - span.start)))
        if left := _DEFINES.match(written):
            defined |= {*WORD.findall(left[1])} - names.names
        if found is not None and not (rest and found is REMARKS[-1]):
            reporter.add(errors.syntax.remark(found[1], found[2], span))
    return replace(source, text=_replaced(source.text, edits)) if edits else source, frozenset(defined)


def _parsed(source: Source) -> tuple[t.Syntax, list[Diagnostic]]:
    reporter = Reporter()
    return parse_syntax(source, reporter), reporter.errors


def _lines_of(found: Sequence[Diagnostic], source: Source) -> set[int]:
    return {source.position(d.span.start)[0] for d in found}


def _replaced(text: str, edits: list[tuple[Span, str]]) -> str:
    for span, new in reversed(edits):
        text = text[: span.start] + new + text[span.end :]
    return text


def _declared(syntax: t.Syntax, lines: set[int], source: Source) -> set[str]:
    """The keywords and names of declarations that start on these lines."""
    lost: set[str] = set()
    for statement in syntax.statements:
        if source.position(statement.span.start)[0] in lines:
            match statement:
                case t.SpaceDecl(names=names):
                    lost |= {"SPACE", *(name.id for name in names)}
                case t.TimeDecl(name=name):
                    lost |= {"TIME", name.id}
                case t.UnknownDecl(name=name) | t.LearnDecl(name=name) | t.ConstDecl(name=name) | t.LetDecl(name=name):
                    lost.add(name.id)
    return lost
