"""Syntax tree → LaTeX of the problem as written, for MathJax and TeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import assert_never

from pdedsl.diagnostics import escaping
from pdedsl.language import ast as t
from pdedsl.language.names import GREEK_LETTERS
from pdedsl.language.precedence import DOT_FUNCTIONS, Factors, strip_parentheses

FUNCTIONS = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "max", "min")
OPERATORS: dict[t.Operator, str] = {
    "grad": r"\nabla ",
    "div": r"\nabla\cdot ",
    "curl": r"\nabla\times ",
    "lap": r"\Delta ",
    "hess": r"\nabla\nabla ",
}
RELATIONS = {"<": "<", ">": ">", "<=": r"\le", ">=": r"\ge"}
_NAME = re.compile(r"(.[^\d_]*)_*(.*)", re.DOTALL)


def to_latex(syntax: t.Syntax) -> str:
    """An aligned display of equations, conditions, the exact solution, definitions and constants."""
    rows = [row for statement in syntax.statements for row in _rows(statement)]
    constants = [
        f"{_power(name_to_latex(c.name), c.power)} = {expression_to_latex(c.value)}"
        for c in syntax.statements
        if isinstance(c, t.ConstDecl)
    ]
    rows += [rf"&\text{{with }} {', '.join(constants)}"] if constants else []
    return "$$\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}$$"


def _rows(statement: t.Statement) -> Iterator[str]:
    match statement:
        case t.EquationStmt(left=left, right=right, time_interval=interval, on=on, where=where):
            place = f"{_time_interval(interval)}{_boundary_places(on, where)}"
            yield f"{expression_to_latex(left)} &= {expression_to_latex(right)}{place}"
        case t.ExactStmt(unknown=unknown, value=value):
            yield rf"{expression_to_latex(unknown)} &= {expression_to_latex(value)} && \text{{exactly}}"
        case t.LetDecl(name=head, params=params, value=value):
            yield rf"{name_to_latex(head)}{_arguments(params or ())} &:= {expression_to_latex(value)}"
        case t.ParameterDecl(name=name, interval=interval):
            yield rf"&\text{{for }} {name_to_latex(name)} \in {expression_to_latex(interval)}"
        case t.ParameterFunctionDecl(name=name, params=params, distribution=distribution):
            yield rf"&\text{{for }} {name_to_latex(name)}{_arguments(params)} \sim {expression_to_latex(distribution)}"
        case t.RandomDecl(name=name, distribution=distribution):
            yield rf"&{name_to_latex(name)} \sim {expression_to_latex(distribution)}"
        case t.SpaceDecl(names=names, factors=factors, where=where, system=system):
            if system is not None:
                coordinates = ", ".join(map(name_to_latex, names))
                yield rf"&\text{{in {system.id} coordinates }} {coordinates}"
            for factor in factors:
                match factor.body:
                    case t.Call(head=t.Name(id="polygon"), args=(t.ListExpr(items=vertices),)):
                        points = ", ".join(f"({_coordinates(v)})" for v in vertices)
                        yield rf"&\text{{on the polygon with vertices }} {points}"
                    case t.Call(head=t.Name(id="mesh"), args=(t.String(value=file),)):
                        escaped = re.sub(r"([%&#$_{}])", r"\\\1", file)
                        yield rf"&\text{{on the mesh {escaped}}}"
            if where:
                yield rf"&\text{{where }} {_inequalities(where)}"
        case _:
            pass


def _time_interval(interval: tuple[t.Name, t.Expr] | None) -> str:
    return rf" && {name_to_latex(interval[0])} \in {expression_to_latex(interval[1])}" if interval else ""


def _boundary_places(places: Sequence[t.BoundaryPlace], where: Sequence[t.Inequality]) -> str:
    if not places:
        return ""
    shown = ", ".join(_place(place) for place in places)
    return rf" && \text{{on }} {shown}" + (rf" \text{{ where }} {_inequalities(where)}" if where else "")


def _place(place: t.BoundaryPlace) -> str:
    match place:
        case t.SurfaceEquation(left=left, right=right):
            return f"{expression_to_latex(left)} = {expression_to_latex(right)}"
        case t.Name(id=word):
            return rf"\text{{{escaping.latex(word)}}}"
        case _:
            return expression_to_latex(place)


def _coordinates(vertex: t.Expr) -> str:
    items = vertex.items if isinstance(vertex, t.ListExpr) else (vertex,)
    return ", ".join(map(expression_to_latex, items))


def _inequalities(inequalities: Sequence[t.Inequality]) -> str:
    return ", ".join(
        f"{expression_to_latex(c.left)} {RELATIONS[c.relation]} {expression_to_latex(c.right)}" for c in inequalities
    )


def _arguments(names: Sequence[t.Name]) -> str:
    return f"({', '.join(map(name_to_latex, names))})" if names else ""


# ---- Expressions


def expression_to_latex(expr: t.Expr) -> str:
    """An expression in math mode."""
    match expr:
        case t.Sum(terms=terms):
            (sign, first), *others = terms
            return (
                "-" * (sign == "-")
                + expression_to_latex(first)
                + "".join(f" {sign} {expression_to_latex(term)}" for sign, term in others)
            )
        case t.Product(factors=factors):
            return _product(factors)
        case t.Number(text=text):
            return _number(text)
        case t.Fraction(value=(a, b)):
            return rf"\tfrac{{{a}}}{{{b}}}"
        case t.Name():
            return name_to_latex(expr)
        case t.String(value=value):
            return rf"\text{{``{escaping.latex(value)}''}}"
        case t.Group(body=body):
            return rf"\left({expression_to_latex(body)}\right)"
        case t.ListExpr(items=items):
            return _list(items)
        case t.Norm(body=body):
            return rf"\left\| {expression_to_latex(body)} \right\|"
        case t.Derivative(body=body, wrt=wrt):
            return _derivative(body, wrt)
        case t.Call(head=head, args=args):
            return _call(head, args)
        case t.Index(body=t.Call(head=head, args=args), indices=indices):
            return f"{_with_subscript(expression_to_latex(head), indices)}({_comma_separated(args)})"
        case t.Index(body=body, indices=indices):
            return _with_subscript(expression_to_latex(body), indices)
        case t.Adjoint(body=body):
            return rf"{{{expression_to_latex(body)}}}^{{\top}}"
        case t.Prefix(operator=operator, body=body):
            return OPERATORS[operator] + expression_to_latex(body)
        case t.FractionalLaplacian(exponent=exponent, body=body):
            return rf"(-\Delta)^{{{expression_to_latex(exponent)}}} {expression_to_latex(body)}"
        case t.Power(base=base, exponent=exponent):
            return f"{{{expression_to_latex(base)}}}^{{{expression_to_latex(strip_parentheses(exponent))}}}"
        case t.Negation(body=body):
            return f"-{expression_to_latex(body)}"
        case t.Summation(index=index, body=body):
            return rf"\sum_{{{name_to_latex(index)}}} {expression_to_latex(body)}"
        case t.Integral(lower=lower, upper=upper, body=body, variable=variable):
            limits = f"_{{{expression_to_latex(lower)}}}" + (f"^{{{expression_to_latex(upper)}}}" if upper else "")
            inner = expression_to_latex(body)
            inner = rf"\left({inner}\right)" if isinstance(body, t.Sum) else inner
            return rf"\int{limits} {inner}\,d{name_to_latex(variable)}"
        case _:
            assert_never(expr)


def _product(factors: Factors) -> str:
    """A product with a dot: each operand of the dot is a product."""
    at = next((i for i, (sign, _) in enumerate(factors) if sign in DOT_FUNCTIONS), 0)
    if not at:
        return _factors(factors)
    sign, first = factors[at]
    dot = r"\cdot" if sign == "·" else ":"
    return f"{_factors(factors[:at])} {dot} {_factors([('', first), *factors[at + 1 :]])}"


def _factors(factors: Factors) -> str:
    """Factors from left to right: a quotient divides everything before it."""
    text = expression_to_latex(factors[0][1])
    for (_, before), (sign, factor) in pairwise(factors):
        match sign, factor:
            case "/", _:
                above = expression_to_latex(strip_parentheses(before)) if text == expression_to_latex(before) else text
                text = rf"\frac{{{above}}}{{{expression_to_latex(strip_parentheses(factor))}}}"
            case ("*", _) | (_, t.Number() | t.Negation()):
                text += rf" \cdot {expression_to_latex(factor)}"
            case _:
                text += rf"\,{expression_to_latex(factor)}"
    return text


def _number(text: str) -> str:
    mantissa, e, power = text.lower().partition("e")
    return rf"{mantissa} \cdot 10^{{{int(power)}}}" if e else mantissa


def name_to_latex(node: t.Name) -> str:
    """σ is \\sigma, x1 and x_1 are x_{1}, K_σ is K_{\\sigma}; words are upright."""
    head, below = _NAME.fullmatch(node.id).groups()  # type: ignore[union-attr]  # any text is a name with nothing below
    if len(head) > 1 and head not in GREEK_LETTERS:
        return rf"\mathrm{{{escaping.latex(node.id)}}}"
    return _letter_to_latex(head) + (f"_{{{', '.join(map(_letter_to_latex, below.split('_')))}}}" if below else "")


def _letter_to_latex(word: str) -> str:
    if word in GREEK_LETTERS:
        return {"omicron": "o"}.get(word, f"\\{word}")
    return word if len(word) == 1 or word.isdecimal() else rf"\mathrm{{{escaping.latex(word)}}}"


def _list(items: Sequence[t.Expr]) -> str:
    """A vector, an interval, or a matrix by its rows."""
    if items and all(isinstance(row, t.ListExpr) for row in items):
        rows = [" & ".join(map(expression_to_latex, row.items)) for row in items if isinstance(row, t.ListExpr)]
        return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"
    return rf"\left[{_comma_separated(items)}\right]"


def _comma_separated(items: Sequence[t.Expr]) -> str:
    return ", ".join(map(expression_to_latex, items))


def _derivative(body: t.Expr, wrt: Sequence[t.DerivativeVariable]) -> str:
    order = sum(w.order for w in wrt)
    above = _power(r"\partial", order)
    below = r"\,".join(_power(rf"\partial {_with_subscript(name_to_latex(w.name), w.indices)}", w.order) for w in wrt)
    if isinstance(body, t.Group):
        return rf"\frac{{{above}}}{{{below}}} {expression_to_latex(body)}"
    return rf"\frac{{{above} {expression_to_latex(body)}}}{{{below}}}"


def _call(head: t.Expr, args: Sequence[t.Expr]) -> str:
    match head, args:
        case t.Name(id="sqrt"), (one,):
            return rf"\sqrt{{{expression_to_latex(one)}}}"
        case t.Name(id="abs"), (one,):
            return rf"\left| {expression_to_latex(one)} \right|"
        case t.Name(id="conj"), (one,):
            return rf"\overline{{{expression_to_latex(one)}}}"
        case t.Name(id=("tr" | "sym") as word), (one,):
            return rf"\operatorname{{{word}}}\left({expression_to_latex(one)}\right)"
        case t.Name(id="cross"), (one, other):
            return rf"\left({expression_to_latex(one)}\right) \times \left({expression_to_latex(other)}\right)"
        case t.Name(id=("Re" | "Im" | "re" | "im") as word), (one,):
            return rf"\operatorname{{{word.capitalize()}}}\left({expression_to_latex(one)}\right)"
        case t.Name(id=word), _ if word in FUNCTIONS:
            return rf"\{word}\left({_comma_separated(args)}\right)"
        case _:
            return rf"{expression_to_latex(head)}\left({_comma_separated(args)}\right)"


def _with_subscript(text: str, indices: Sequence[t.Expr]) -> str:
    return f"{{{text}}}_{{{_comma_separated(indices)}}}" if indices else text


def _power(text: str, n: int) -> str:
    return f"{text}^{{{n}}}" if n != 1 else text
