"""Calls of other programs in our notation: `D(u, x, 2)`, `del2(u)`, `Sin[x]`, `DirichletBC(u, 0, boundary)`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pdedsl.frontend.syntax.names import superscript

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
