"""Syntax → LaTeX of the problem as it was written, for both MathJax and TeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import assert_never

from pdedsl.diagnostics import escaping
from pdedsl.language import ast as t
from pdedsl.language.names import LETTER_OF
from pdedsl.language.precedence import DOTS, Factors, inside

FUNCTIONS = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "max", "min")
OPERATORS: dict[t.Operator, str] = {
    "grad": r"\nabla ",
    "div": r"\nabla\cdot ",
    "lap": r"\Delta ",
    "hess": r"\nabla\nabla ",
}
RELATIONS = {"<": "<", ">": ">", "<=": r"\le", ">=": r"\ge"}
_NAME = re.compile(r"(.[^\d_]*)_*(.*)", re.DOTALL)


def latex_of(syntax: t.Syntax) -> str:
    """Equations, conditions, the known solution, abbreviations and constants, one below the other."""
    rows = [row for statement in syntax.statements for row in _rows(statement)]
    constants = [
        f"{_power(name(c.name), c.power)} = {of(c.value)}" for c in syntax.statements if isinstance(c, t.ConstDecl)
    ]
    rows += [rf"&\text{{with }} {', '.join(constants)}"] if constants else []
    return "$$\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}$$"


def _rows(statement: t.Statement) -> Iterator[str]:
    match statement:
        case t.EquationStmt(left=left, right=right, during=during, on=on, where=where):
            yield f"{of(left)} &= {of(right)}{_during(during)}{_on(on, where)}"
        case t.ExactStmt(unknown=unknown, value=value):
            yield rf"{of(unknown)} &= {of(value)} && \text{{exactly}}"
        case t.LetDecl(name=head, params=params, value=value):
            yield rf"{name(head)}{_arguments(params or ())} &:= {of(value)}"
        case t.SpaceDecl(where=where) if where:
            yield rf"&\text{{where }} {_inequalities(where)}"
        case _:
            pass


def _during(during: tuple[t.Name, t.Expr] | None) -> str:
    return rf" && {name(during[0])} \in {of(during[1])}" if during else ""


def _on(places: Sequence[t.Spot], where: Sequence[t.Inequality]) -> str:
    if not places:
        return ""
    shown = ", ".join(_place(place) for place in places)
    return rf" && \text{{on }} {shown}" + (rf" \text{{ where }} {_inequalities(where)}" if where else "")


def _place(place: t.Spot) -> str:
    match place:
        case t.Curve(left=left, right=right):
            return f"{of(left)} = {of(right)}"
        case t.Name(id=word):
            return rf"\text{{{escaping.latex(word)}}}"
        case _:
            return of(place)


def _inequalities(cuts: Sequence[t.Inequality]) -> str:
    return ", ".join(f"{of(c.left)} {RELATIONS[c.relation]} {of(c.right)}" for c in cuts)


def _arguments(names: Sequence[t.Name]) -> str:
    return f"({', '.join(map(name, names))})" if names else ""


# ---- expressions


def of(expr: t.Expr) -> str:
    """An expression in math mode."""
    match expr:
        case t.Sum(terms=terms):
            (sign, first), *others = terms
            return "-" * (sign == "-") + of(first) + "".join(f" {sign} {of(term)}" for sign, term in others)
        case t.Product(factors=factors):
            return _product(factors)
        case t.Number(text=text):
            return _number(text)
        case t.Fraction(over=(a, b)):
            return rf"\tfrac{{{a}}}{{{b}}}"
        case t.Name():
            return name(expr)
        case t.Text(value=value):
            return rf"\text{{``{escaping.latex(value)}''}}"
        case t.Group(body=body):
            return rf"\left({of(body)}\right)"
        case t.ListOf(items=items):
            return _list(items)
        case t.Norm(body=body):
            return rf"\left\| {of(body)} \right\|"
        case t.Derivative(body=body, wrt=wrt):
            return _derivative(body, wrt)
        case t.Call(head=head, args=args):
            return _call(head, args)
        case t.Index(body=t.Call(head=head, args=args), indices=indices):
            return f"{_below(of(head), indices)}({_listed(args)})"
        case t.Index(body=body, indices=indices):
            return _below(of(body), indices)
        case t.Adjoint(body=body):
            return rf"{{{of(body)}}}^{{\top}}"
        case t.Prefix(operator=operator, body=body):
            return OPERATORS[operator] + of(body)
        case t.Power(base=base, exponent=exponent):
            return f"{{{of(base)}}}^{{{of(inside(exponent))}}}"
        case t.Negative(body=body):
            return f"-{of(body)}"
        case t.Total(index=index, body=body):
            return rf"\sum_{{{name(index)}}} {of(body)}"
        case _:
            assert_never(expr)


def _product(factors: Factors) -> str:
    """Factors with a dot: each side of the dot is a product of its own."""
    at = next((i for i, (sign, _) in enumerate(factors) if sign in DOTS), 0)
    if not at:
        return _row(factors)
    sign, first = factors[at]
    dot = r"\cdot" if sign == "·" else ":"
    return f"{_row(factors[:at])} {dot} {_row([('', first), *factors[at + 1 :]])}"


def _row(factors: Factors) -> str:
    """Factors from left to right: a quotient divides everything before it."""
    text = of(factors[0][1])
    for (_, before), (sign, factor) in pairwise(factors):
        match sign, factor:
            case "/", _:
                above = of(inside(before)) if text == of(before) else text
                text = rf"\frac{{{above}}}{{{of(inside(factor))}}}"
            case ("*", _) | (_, t.Number() | t.Negative()):
                text += rf" \cdot {of(factor)}"
            case _:
                text += rf"\,{of(factor)}"
    return text


def _number(text: str) -> str:
    mantissa, e, power = text.lower().partition("e")
    return rf"{mantissa} \cdot 10^{{{int(power)}}}" if e else mantissa


def name(node: t.Name) -> str:
    """σ is \\sigma, x1 and x_1 are x_{1}, K_σ is K_{\\sigma}, and a word is set upright."""
    head, below = _NAME.fullmatch(node.id).groups()  # type: ignore[union-attr]  # any text is a name with nothing below
    if len(head) > 1 and head not in LETTER_OF:
        return rf"\mathrm{{{escaping.latex(node.id)}}}"
    return _letter(head) + (f"_{{{', '.join(map(_letter, below.split('_')))}}}" if below else "")


def _letter(word: str) -> str:
    if word in LETTER_OF:
        return {"omicron": "o"}.get(word, f"\\{word}")
    return word if len(word) == 1 or word.isdecimal() else rf"\mathrm{{{escaping.latex(word)}}}"


def _list(items: Sequence[t.Expr]) -> str:
    """A vector, an interval, or a matrix by its rows."""
    if items and all(isinstance(row, t.ListOf) for row in items):
        rows = [" & ".join(map(of, row.items)) for row in items if isinstance(row, t.ListOf)]
        return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"
    return rf"\left[{_listed(items)}\right]"


def _listed(items: Sequence[t.Expr]) -> str:
    return ", ".join(map(of, items))


def _derivative(body: t.Expr, wrt: Sequence[t.Wrt]) -> str:
    order = sum(w.order for w in wrt)
    above = _power(r"\partial", order)
    below = r"\,".join(_power(rf"\partial {_below(name(w.name), w.indices)}", w.order) for w in wrt)
    if isinstance(body, t.Group):
        return rf"\frac{{{above}}}{{{below}}} {of(body)}"
    return rf"\frac{{{above} {of(body)}}}{{{below}}}"


def _call(head: t.Expr, args: Sequence[t.Expr]) -> str:
    match head, args:
        case t.Name(id="sqrt"), (one,):
            return rf"\sqrt{{{of(one)}}}"
        case t.Name(id="abs"), (one,):
            return rf"\left| {of(one)} \right|"
        case t.Name(id=word), _ if word in FUNCTIONS:
            return rf"\{word}\left({_listed(args)}\right)"
        case _:
            return rf"{of(head)}\left({_listed(args)}\right)"


def _below(text: str, indices: Sequence[t.Expr]) -> str:
    return f"{{{text}}}_{{{_listed(indices)}}}" if indices else text


def _power(text: str, n: int) -> str:
    return f"{text}^{{{n}}}" if n != 1 else text
