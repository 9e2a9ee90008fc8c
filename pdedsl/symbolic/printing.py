"""Printer for expressions in the notation of a spec: `√2 σ`, `2π x² - ½`, `∂²u/∂x∂t`, `|x|`.

The result can be pasted into a spec, with the same meaning.
"""

from __future__ import annotations

import re

from sympy import Add, Dummy, Expr, Integer, Mul, Pow, Rational, S, Symbol, fraction
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from pdedsl.symbolic.symbols import Component, Contraction, Field, FractionalLaplacian, Partial, PointSource

SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
SUBSCRIPTS = str.maketrans("0123456789ijk", "₀₁₂₃₄₅₆₇₈₉ᵢⱼₖ")
HALF = Rational(1, 2)
AMBIGUOUS_AFTER_FACTOR = "(½0123456789"  # after a factor these would be parsed as its argument or as a digit


def notation(expr: Expr) -> str:
    """An expression as one line of text in the notation of a spec."""
    return re.sub(r"(?<=\d) π", "π", _Notation().doprint(expr))


def superscript(n: int) -> str:
    return str(n).translate(SUPERSCRIPTS)


class _Notation(StrPrinter):  # type: ignore[misc]
    """Factors are juxtaposed; `*` is printed only where the result could be parsed as a call."""

    printmethod = "_notation"  # defined by no node: all printing is done here

    def _print_Dummy(self, e: Dummy) -> str:
        return str(e.name)

    def _print_MeshBoundary(self, e: Expr) -> str:
        return str(e.part)

    def _print_MeshNormal(self, e: Expr) -> str:
        return str(e)

    def _print_Mul(self, e: Mul) -> str:
        if e.could_extract_minus_sign():
            return f"-{self._positive(-e)}"
        return self._positive(e)

    def _positive(self, e: Expr) -> str:
        """A product, with a slash if there is a denominator; ½ is a leading factor."""
        if not e.is_Mul:
            return str(self.parenthesize(e, PRECEDENCE["Mul"]))
        half, rest = e.as_coeff_Mul()
        above, below = (e, S.One) if half == HALF and fraction(rest, exact=True)[1] == 1 else fraction(e, exact=True)
        if below == 1:
            return self._side_by_side(above)
        return f"{self._side_by_side(above)}/{self._tight(below)}"

    def _side_by_side(self, e: Expr) -> str:
        first, *others = [
            self._print(f) if f == HALF else self.parenthesize(f, PRECEDENCE["Mul"]) for f in _sort_terms(e)
        ]
        return str(first) + "".join(f"{' * ' if text[0] in AMBIGUOUS_AFTER_FACTOR else ' '}{text}" for text in others)

    def _tight(self, e: Expr) -> str:
        """A power or an atom; anything else in parentheses."""
        return str(self.parenthesize(e, PRECEDENCE["Pow"], strict=True))

    def _print_Pow(self, e: Pow, rational: bool = False) -> str:
        base, power = e.args
        if power == HALF:
            return f"√{self._print(base)}" if base.is_Integer or base.is_Symbol else f"√({self._print(base)})"
        if power.is_Rational and power.is_negative:
            return f"1/{self._tight(Pow(base, -power))}"
        shown = self.parenthesize(base, PRECEDENCE["Pow"])
        if isinstance(power, Integer):
            return f"{shown}{superscript(int(power))}"
        return f"{shown}^{self._print(power)}" if power.is_Symbol else f"{shown}^({self._print(power)})"

    def _print_Rational(self, e: Rational) -> str:
        return f"{'-' * (e.p < 0)}½" if abs(e) == HALF else f"{e.p}/{e.q}"

    def _print_Half(self, _: Rational) -> str:
        return "½"

    def _print_Float(self, e: Expr) -> str:
        return f"{float(e):.6g}"

    def _print_ImaginaryUnit(self, _: Expr) -> str:
        return "i"

    def _print_Pi(self, _: Expr) -> str:
        return "π"

    def _print_Exp1(self, _: Expr) -> str:
        return "exp(1)"

    def _print_Infinity(self, _: Expr) -> str:
        return "∞"

    def _print_NegativeInfinity(self, _: Expr) -> str:
        return "-∞"

    def _print_Abs(self, e: Expr) -> str:
        return f"|{self._print(e.args[0])}|"

    def _print_Max(self, e: Expr) -> str:
        return f"max({self.stringify(e.args, ', ')})"

    def _print_Min(self, e: Expr) -> str:
        return f"min({self.stringify(e.args, ', ')})"

    def _print_Heaviside(self, e: Expr) -> str:
        return f"heaviside({self._print(e.args[0])})"

    # ---- Nodes of `symbolic.symbols`

    def _print_Symbol(self, e: Symbol) -> str:
        """Prints x_1 as x₁."""
        base, mark, number = e.name.rpartition("_")
        return f"{base}{number.translate(SUBSCRIPTS)}" if mark and number.isdecimal() else str(e.name)

    def _print_Field(self, e: Field) -> str:
        name = f"{self._print(e.head)}{''.join(str(i).translate(SUBSCRIPTS) for i in e.indices)}"
        if e.head.is_real is None and e.indices:
            k = int(e.indices[0])
            number = str((k + 1) // 2).translate(SUBSCRIPTS) if k > 2 else ""
            name = f"{'Re' if k % 2 else 'Im'}({self._print(e.head)}{number})"
        plain = all(isinstance(a, Symbol) for a in e.arguments)
        return name if plain else f"{name}({self.stringify(e.arguments, ', ')})"

    def _print_Component(self, e: Component) -> str:
        return f"{e.args[0].name}{str(e.args[1]).translate(SUBSCRIPTS)}"

    def _print_Partial(self, e: Partial) -> str:
        n = len(e.slots)
        counts = {s: e.slots.count(s) for s in e.slots}
        below = "".join(f"∂{self._print(s)}{superscript(k) if k > 1 else ''}" for s, k in counts.items())
        above = f"∂{superscript(n) if n > 1 else ''}"
        if isinstance(e.body, Field):
            return f"{above}{self._print(e.body)}/{below}"
        return f"{above}/{below} ({self._print(e.body)})"

    def _print_FractionalLaplacian(self, e: FractionalLaplacian) -> str:
        power = self._print(e.power) if e.power.is_Symbol else f"({self._print(e.power)})"
        return f"(-Δ)^{power} {self._tight(e.body)}"

    def _print_PointSource(self, e: PointSource) -> str:
        return f"δ({self._print(e.coordinate - e.place)})"

    def _print_Contraction(self, e: Contraction) -> str:
        body = self.parenthesize(e.body, PRECEDENCE["Mul"])
        return f"Σ{str(e.index).translate(SUBSCRIPTS)} {body}"


def _sort_terms(e: Expr) -> list[Expr]:
    """Numbers first, then symbols, functions, sums, and last fields, derivatives and contractions."""
    factors = list(Mul.make_args(e))
    return sorted(factors, key=lambda f: (not f.is_number, f.is_Number is False and f.is_number, _rank(f)))


def _rank(e: Expr) -> int:
    match e:
        case Symbol() | Pow(args=(Symbol(), _)):
            return 0
        case Field() | Partial() | Contraction():
            return 3
        case Add():
            return 2
        case _:
            return 1
