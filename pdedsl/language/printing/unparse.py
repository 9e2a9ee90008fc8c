"""Unparser: expressions and types → canonical text, in Unicode or in ASCII; and the layout of rows of cells.

Parsing the text gives the tree back. Trees are as the parser builds them: parentheses are a Group, except that
`grad(…)`, `dot(…)` and `sum(…)` imply theirs, and that an atom needs none. An operand of lower precedence is
parenthesized, so that a tree built by hand is parsed as intended.

A cell may contain layout codes: OPEN and CLOSE enclose an alignment at the current column, and BREAK starts a new line
there. They begin with a newline, which no name, number, string or comment contains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from pdedsl.diagnostics import Span, width
from pdedsl.language import ast as t
from pdedsl.language.ast import Comment
from pdedsl.language.names import (
    FRACTION_SIGNS,
    MAX_NAME_LENGTH,
    SUPERSCRIPT_LETTERS,
    SUPERSCRIPTS,
    is_differential,
    subscript,
    superscript,
    unicode_name,
)
from pdedsl.language.precedence import (
    DOT_FUNCTIONS,
    Factors,
    has_dot,
    parenthesize_leading_derivative,
    parenthesize_transpose_exponent,
    strip_parentheses,
)
from pdedsl.language.token_stream import DeclaredNames, format_ascii_derivative, format_subscript
from pdedsl.record import Record

# ---- Layout


OPEN, CLOSE, BREAK = "\n<", "\n>", "\n|"
_BLANK = re.compile(r"(?>\r\n|\r|\n)\s*?[\r\n]")


class Row(Record):
    """A line of the result. The cells of neighbouring rows of the same kind are aligned."""

    cells: tuple[str, ...]
    span: Span
    kind: str = ""
    indent: str = ""
    trailing: Sequence[Comment] = ()


def align(text: str) -> str:
    """The text, with continuation lines aligned to its start."""
    return f"{OPEN}{text}{CLOSE}" if BREAK in text else text


def lay_out(rows: list[Row], source: str) -> str:
    """The rows as text, with the author's blank lines."""
    return "".join(_row_texts(rows, source))


def _row_texts(rows: list[Row], source: str) -> Iterator[str]:
    run: list[Row] = []
    for i, row in enumerate(rows):
        blank = i > 0 and _BLANK.search(source, rows[i - 1].span.end, row.span.start) is not None
        if run and (blank or row.kind != run[0].kind):
            yield from _align_rows(run)
            run = []
        if blank:
            yield "\n"
        run.append(row)
    yield from _align_rows(run)


def _align_rows(run: list[Row]) -> Iterator[str]:
    """Consecutive rows of the same kind with aligned cells: `head : type = net`, or `body    for …`."""
    named = max((width(row.cells[0]) for row in run if len(row.cells) > 1), default=0)
    typed = max((width(row.cells[1]) for row in run if len(row.cells) > 2), default=0)
    ends = max((_last_line_width(_apply_layout_codes(row.cells[0])) for row in run), default=0)
    for row in run:
        match row.kind, row.cells:
            case "piece", (body, during):
                body = _apply_layout_codes(body)
                text = f"{body}{' ' * (ends - _last_line_width(body))}    {during}"
            case _, (head, *types):
                text = head + " " * (named - width(head)) * bool(types)
                text += f" : {types[0]}" if types else ""
                text += f"{' ' * (typed - width(types[0]))} = {types[1]}" if len(types) > 1 else ""
                text = _apply_layout_codes(text)
        lines = f"{text}{''.join(f'  {c.text}' for c in row.trailing)}".split("\n")
        yield "".join(f"{row.indent}{line}\n" for line in lines)


def _last_line_width(text: str) -> int:
    """The width of the last line."""
    return width(text.rpartition("\n")[2])


def _apply_layout_codes(text: str) -> str:
    """The text with its layout codes applied."""
    first, *rest = text.split("\n")
    lines, columns = [first], [0]
    for part in rest:
        match part[0]:
            case "<":
                columns.append(width(lines[-1]))
            case ">":
                columns.pop()
            case _:
                lines.append(" " * columns[-1])
        lines[-1] += part[1:]
    return "\n".join(lines)


# ---- Expressions


Gap = Callable[[t.Node, t.Node, bool], str]  # the text between two nodes: a space, or a line break

_SIGNS: dict[t.Operator, str] = {"grad": "∇", "div": "∇·", "curl": "∇×", "lap": "Δ", "hess": "∇∇"}
_PLAIN_NAME = re.compile(r"[^\W\d_eE]\w*+(?!\()")  # not a call; 2e… would be a number
_DIFFERENTIAL = re.compile(r"(?<!\w)d\w+$")
_TRANSPOSE = re.compile(r"T(?![A-Za-z0-9_])")
_SMALL_INTEGER = re.compile(r"0|[1-9][0-9]?")


def unparse(expr: t.Expr, ascii: bool = False) -> str:
    """An expression on one line."""
    return Unparser(ascii).sum(expr)


def unparse_type_attribute(attribute: t.TypeAttribute, ascii: bool = False) -> str:
    """A type attribute on one line: `‖K‖ ≤ 1`."""
    return Unparser(ascii).type_attribute(attribute)


def one_space(before: t.Node, after: t.Node, listed: bool) -> str:
    return " "


class Unparser(Record):
    """One method for each precedence level; expressions of lower precedence are parenthesized.

    Without `declared`, names in derivatives are assumed to be declared. `gap` is the text between the items of a list
    or a call (`listed`) and between the terms of a sum that may be spread over lines.
    """

    ascii: bool
    declared: DeclaredNames | None = None
    gap: Gap = one_space

    def name(self, name: t.Name) -> str:
        # Not name.text: the Unicode form must be recoverable from the ASCII form.
        return name.id if self.ascii else unicode_name(name.id)

    # ---- sums and products

    def sum(self, expr: t.Expr, spread: bool = False) -> str:
        if not isinstance(expr, t.Sum):
            return self.term(expr)
        sign, first = expr.terms[0]
        text = "-" * (sign == "-") + self.term(first)
        for (_, before), (sign, term) in pairwise(expr.terms):
            gap = self.gap(before, term, False) if spread else " "
            text += f" {sign}{gap}{self.term(term)}"
        return text

    def term(self, expr: t.Expr) -> str:
        return self.product(expr.factors) if isinstance(expr, t.Product) else self.factors([("", expr)])

    def product(self, factors: Factors) -> str:
        at = next((i for i, (sign, _) in enumerate(factors) if sign in DOT_FUNCTIONS), 0)
        if not at:
            return self.factors(factors)
        sign, first = factors[at]
        left, right = factors[:at], [("", first), *factors[at + 1 :]]
        if self.ascii:
            return f"{DOT_FUNCTIONS[sign]}({self.dot_operand(left)}, {self.dot_operand(right)})"
        return f"{self.factors(left)}{sign}{self.factors(right)}"

    def dot_operand(self, factors: Factors) -> str:
        """An operand of `dot(…)`, where a sum needs no parentheses."""
        body = strip_parentheses(factors[0][1])
        return self.sum(body) if len(factors) == 1 and isinstance(body, t.Sum) else self.factors(factors)

    def factors(self, factors: Factors) -> str:
        """Factors without dots; a leading `1/2` that is not divided needs no parentheses in ASCII."""
        match factors:
            case [(_, t.Fraction(value=(a, b)))] | [(_, t.Fraction(value=(a, b))), ("" | "*", _), *_] if self.ascii:
                text = f"{a}/{b}"
            case [(_, first), *_]:
                text = self.signed_factor("", first)
        for (above, before), (sign, factor) in pairwise(factors):
            piece = self.signed_factor(sign, factor)
            text += self.separator(text, before, above == "/", sign, factor, piece) + piece
        return text

    def signed_factor(self, sign: t.ProductSign, factor: t.Expr) -> str:
        """A factor as it may be written after a sign."""
        match factor:
            case t.Negation(body=body):
                return f"-{self.factor(body)}"
            case t.Summation():
                return self.summation(factor)
            case t.Integral() if sign == "/":
                return self.postfix(factor)
            case _:
                return self.factor(parenthesize_leading_derivative(factor) if sign == "/" else factor)

    def separator(
        self, text: str, before: t.Expr, divided: bool, sign: t.ProductSign, factor: t.Expr, piece: str
    ) -> str:
        """The text between two factors."""
        if sign == "/":  # `du/dx` without spaces may be a derivative
            return " / " if _DIFFERENTIAL.search(text[-MAX_NAME_LENGTH - 1 :]) and piece[0] == "d" else "/"
        if (
            sign or isinstance(factor, t.Fraction) or piece[0] in FRACTION_SIGNS.values()
        ):  # 2½ is 5/2, and 2½² its square
            return f" {sign} " if sign else " "
        number = isinstance(before, t.Number) or (isinstance(before, t.Fraction) and not self.ascii)
        if piece[0] in "Δ∇":
            raised = isinstance(before, t.Power) and text[-1] in SUPERSCRIPTS
            tight = number or raised or isinstance(before, t.Name | t.Group)
        else:
            named = _PLAIN_NAME.match(piece) is not None and not isinstance(factor, t.Derivative)
            tight = number and (named or piece[0] == "(")
        return "" if tight and not divided else " "

    def integral(self, expr: t.Integral) -> str:
        """`∫₀ˣ … ds`; `int(…)` in ASCII, and for a variable that does not follow a `d` recognizably."""
        declared, variables = (self.declared.fields, self.declared.variables) if self.declared else ((), ())
        differential = f"d{self.name(expr.variable)}"
        if self.ascii or not is_differential(differential, declared, variables):
            limits = (expr.lower,) if expr.upper is None else (expr.lower, expr.upper)
            return f"int({self.items([(None, e) for e in (*limits, expr.body, expr.variable)])})"
        body = f"({self.sum(expr.body)})" if isinstance(expr.body, t.Sum) else self.term(expr.body)
        return f"∫{self.limits(expr)} {body} {differential}"

    def limits(self, expr: t.Integral) -> str:
        """Scripts where these exist: `₀ˣ`, `₀^(x + 1)`, `_a^b`, `_Ω`."""
        lower = _limit_script(expr.lower, _lower_script)
        if expr.upper is None or lower is None:
            text = f"_{self.postfix(expr.lower)}"
            return text if expr.upper is None else f"{text}^{self.postfix(expr.upper)}"
        letter = SUPERSCRIPT_LETTERS.get(expr.upper.id) if isinstance(expr.upper, t.Name) else None
        return lower + (letter or _limit_script(expr.upper, superscript) or f"^{self.postfix(expr.upper)}")

    def summation(self, total: t.Summation) -> str:
        mark = subscript([total.index.id])
        if mark and not self.ascii:
            return f"Σ{mark} {self.term(total.body)}"
        body = strip_parentheses(total.body)
        return f"sum({self.name(total.index)}, {self.sum(body if isinstance(body, t.Sum) else total.body)})"

    # ---- factors

    def factor(self, expr: t.Expr) -> str:
        match expr:
            case t.Prefix():
                return self.prefix(expr)
            case t.FractionalLaplacian():
                return self.fractional_laplacian(expr)
            case t.Power():
                return self.power(expr)
            case t.Derivative():
                return self.derivative(expr)
            case t.Integral():
                return self.integral(expr)
            case _:
                return self.postfix(expr)

    def postfix(self, expr: t.Expr) -> str:
        """An atom, or a parenthesized expression."""
        if isinstance(expr, t.Integral):
            text = self.integral(expr)
            return f"({text})" if text[0] == "∫" else text
        if isinstance(expr, t.ATOMS):
            return self.atom(expr)
        body = strip_parentheses(expr)
        functional = self.ascii and (has_dot(body) or isinstance(body, t.Summation))
        return self.sum(body) if functional else f"({self.sum(body)})"

    def prefix(self, expr: t.Prefix) -> str:
        if self.ascii:
            return f"{expr.operator}({self.sum(strip_parentheses(expr.body))})"
        sign, body, times = _SIGNS[expr.operator], expr.body, 1
        while sign == "Δ" and times < 4 and isinstance(body, t.Prefix) and body.operator == "lap":
            body, times = body.body, times + 1
        return (
            sign + _order_superscript(times) + (self.prefix(body) if isinstance(body, t.Prefix) else self.postfix(body))
        )

    def fractional_laplacian(self, expr: t.FractionalLaplacian) -> str:
        if self.ascii:
            return f"fraclap({self.sum(expr.exponent)}, {self.sum(strip_parentheses(expr.body))})"
        return f"(-Δ)^{self.exponent(expr.exponent)} {self.postfix(expr.body)}"

    def power(self, expr: t.Power) -> str:
        base, raised = self.postfix(expr.base), None if self.ascii else _exponent_superscript(expr.exponent)
        if raised:
            return base + raised
        exponent = self.exponent(expr.exponent)
        if isinstance(expr.base, t.Name) and self.transposable(expr.base) and _TRANSPOSE.match(exponent):
            exponent = self.exponent(parenthesize_transpose_exponent(expr.exponent))  # K^T would be the adjoint
        return f"{base}^{exponent}"

    def exponent(self, expr: t.Expr) -> str:
        if isinstance(expr, t.Negation):
            return f"-{self.exponent(expr.body)}"
        return self.power(expr) if isinstance(expr, t.Power) else self.postfix(expr)

    # ---- derivatives

    def derivative(self, expr: t.Derivative, called: bool = False) -> str:
        """A derivative; one that is `called` needs the form of a fraction: `∂u/∂t(x, 0)`."""
        wrt, body = expr.wrt, strip_parentheses(expr.body)
        below = [format_subscript(w.indices) for w in wrt]
        if self.ascii and isinstance(body, t.Name) and (tight := format_ascii_derivative(body, wrt, self.declared)):
            return tight
        if None in below or (self.ascii and not called):
            return f"diff({self.sum(body)}, {', '.join(self.variable(w) for w in wrt for _ in range(w.order))})"
        above = self.numerator(body)
        under = (f"∂{self.name(w.name)}{i}{_order_superscript(w.order)}" for w, i in zip(wrt, below, strict=True))
        return f"∂{_order_superscript(sum(w.order for w in wrt))}{above}/{''.join(under)}"

    def numerator(self, body: t.Expr) -> str:
        match body:
            case t.Name():
                return self.name(body)
            case t.Index(body=t.Name() as name, indices=indices) if (
                mark := format_subscript(indices)
            ) and not self.ascii:
                return self.name(name) + mark
            case _:
                return f"({self.sum(body)})"

    def variable(self, wrt: t.DerivativeVariable) -> str:
        return self.name(wrt.name) + (f"[{', '.join(map(self.sum, wrt.indices))}]" if wrt.indices else "")

    # ---- atoms

    def atom(self, expr: t.Expr) -> str:
        match expr:
            case t.Number(text=text):
                return text
            case t.Fraction(value=(a, b)):
                return f"({a}/{b})" if self.ascii else FRACTION_SIGNS[a, b]
            case t.Name():
                return self.name(expr)
            case t.String(value=value):
                return f'"{value}"'
            case t.ListExpr(items=items):
                return f"[{self.items([(None, item) for item in items])}]"
            case t.Norm(body=body):
                text = self.sum(body)
                return f"norm({text})" if self.ascii or "‖" in text else f"‖{text}‖"
            case t.Call(head=head, args=args, named=named):
                return f"{self.head(head)}({self.items([*((None, arg) for arg in args), *named])})"
            case t.Index():
                return self.index(expr)
            case t.Adjoint(body=body):
                return self.adjoint(body)
            case _:
                raise AssertionError(f"{type(expr).__name__} is not an atom")

    def head(self, expr: t.Expr) -> str:
        match expr:
            case t.Derivative():
                return self.derivative(expr, called=True)
            case t.Adjoint(body=body):
                return self.adjoint(body, called=True)
            case _:
                return self.postfix(expr)

    def index(self, expr: t.Index) -> str:
        mark = format_subscript(expr.indices)
        if mark and not self.ascii and (called := self.component_of_call(expr.body, mark)):
            return called
        body = self.postfix(expr.body)
        if mark and not isinstance(expr.body, t.Index) and not self.ascii:
            return body + mark
        indexable = isinstance(expr.body, t.Name | t.Adjoint) or body[-1] == ")"  # else `[…]` would be a factor
        return f"{body if indexable else f'({body})'}[{', '.join(map(self.sum, expr.indices))}]"

    def component_of_call(self, body: t.Expr, mark: str) -> str | None:
        """`u₁(x, 0)` if u is declared as a function, and `∂u₁/∂t(x, 0)`."""
        match body:
            case t.Call(head=t.Name(id=name) as head) if self.declared and name in self.declared.functions:
                return f"{self.name(head)}{mark}{self.atom(body).removeprefix(self.name(head))}"
            case t.Call(head=t.Derivative(body=t.Name() as head, wrt=wrt)) as call:
                derivative = self.derivative(t.Derivative(head, wrt), called=True)
                order, denominator = derivative.split(self.name(head), 1)[0], derivative.split("/", 1)[1]
                return f"{order}{self.name(head)}{mark}/{denominator}{self.atom(call).removeprefix(derivative)}"
            case _:
                return None

    def transposable(self, name: t.Name) -> bool:
        return self.declared is not None and name.id in self.declared.transposable

    def adjoint(self, body: t.Expr, called: bool = False) -> str:
        """An adjoint; one that is `called` needs the sign ᵀ: `adj(K)(x)` would be a product."""
        if self.ascii and isinstance(body, t.Name) and self.transposable(body):
            return f"{body.id}^T"
        return f"adj({self.sum(strip_parentheses(body))})" if self.ascii and not called else f"{self.postfix(body)}ᵀ"

    def items(self, items: Sequence[tuple[t.Name | None, t.Expr]]) -> str:
        """The items of a list or a call, broken where the author broke them."""
        text = ""
        for i, (key, value) in enumerate(items):
            text += f",{self.gap(items[i - 1][1], key or value, True)}" if i else ""
            text += f"{key.id}={self.sum(value)}" if key else self.sum(value)
        return align(text)

    # ---- types

    def type_attribute(self, attribute: t.TypeAttribute) -> str:
        body = self.factor(attribute.body)
        if attribute.bound is None:
            return body
        return f"{body} {self.relation(attribute.relation)} {self.sum(attribute.bound)}"

    def relation(self, sign: str) -> str:
        return sign if self.ascii else sign.replace("<=", "≤").replace(">=", "≥")


def _order_superscript(order: int) -> str:
    return superscript(order) if order != 1 else ""


def _exponent_superscript(exponent: t.Expr) -> str | None:
    """A small integer exponent as a superscript, otherwise None."""
    match exponent:
        case t.Number(text=text) if _SMALL_INTEGER.fullmatch(text):
            return superscript(int(text))
        case t.Negation(body=t.Number(text=text)) if _SMALL_INTEGER.fullmatch(text) and text != "0":
            return superscript(-int(text))
        case _:
            return None


def _lower_script(value: int) -> str:
    return "₋" * (value < 0) + (subscript([str(abs(value))]) or "")


def _limit_script(limit: t.Expr, script: Callable[[int], str]) -> str | None:
    """A limit that is a small integer, as a script."""
    match limit:
        case t.Number(text=text) if _SMALL_INTEGER.fullmatch(text):
            return script(int(text))
        case t.Sum(terms=(("-", t.Number(text=text)),)) if _SMALL_INTEGER.fullmatch(text) and text != "0":
            return script(-int(text))
        case _:
            return None
