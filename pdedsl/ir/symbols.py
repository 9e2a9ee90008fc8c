"""The sympy vocabulary of a spec: fields, partial derivatives, contractions, operators and layers.

Low dimensions are written out in components, `Δu = ∂²u/∂x² + ∂²u/∂y²`. Where the dimension is large or symbolic,
components carry an index and sums over them are contractions, `Δu = Σᵢ ∂²u/∂xᵢ²`; both are the same nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import (
    Add,
    Dummy,
    Expr,
    Function,
    Integer,
    KroneckerDelta,
    Mul,
    Pow,
    S,
    Symbol,
    Tuple,
    default_sort_key,
    expand,
    log,
)
from sympy.core.symbol import Str

INDEX = Symbol("i", integer=True)  # of the component that stands for all, in a space that is not written out
MAX_ORDER = 8  # of a derivative
MAX_NODES = 20_000  # that one derivative may create
MAX_TERMS = 5_000  # that one expression may have when it is multiplied out


class TooLarge(Exception):
    """An expression that would grow beyond the limits above."""


class _Node(Expr):  # type: ignore[misc]
    """A real, commutative expression of our own."""

    is_commutative = True

    def _eval_is_real(self) -> bool:
        return True


class Field(_Node):
    """A component of an unknown, learned or known function at its arguments: `v₁(x, t)`."""

    def __new__(cls, head: Symbol, indices: tuple[Expr, ...], arguments: tuple[Expr, ...]) -> Field:
        return super().__new__(cls, head, Tuple(*indices), Tuple(*arguments))  # type: ignore[no-any-return]

    head = property(lambda self: self.args[0])
    indices = property(lambda self: self.args[1])
    arguments = property(lambda self: self.args[2])

    def _eval_is_positive(self) -> bool | None:
        return self.head.is_positive  # type: ignore[no-any-return]

    def _eval_is_nonnegative(self) -> bool | None:
        return self.head.is_nonnegative  # type: ignore[no-any-return]

    def _latex(self, printer: Any) -> str:
        return _with_indices(printer._print(self.head), self.indices, printer)

    def _sympystr(self, printer: Any) -> str:
        subscript = f"[{', '.join(map(printer._print, self.indices))}]" if self.indices else ""
        return f"{self.head.name}{subscript}({', '.join(map(printer._print, self.arguments))})"


class Component(_Node):
    """A coordinate with a symbolic index, `xᵢ`, or a component of the outer normal, `nᵢ`."""

    def __new__(cls, base: Symbol, index: Expr) -> Component:
        return super().__new__(cls, base, index)  # type: ignore[no-any-return]

    def _latex(self, printer: Any) -> str:
        return _with_indices(printer._print(self.args[0]), self.args[1:], printer)

    def _sympystr(self, printer: Any) -> str:
        return f"{self.args[0].name}[{printer._print(self.args[1])}]"


class Partial(_Node):
    """A partial derivative, its variables in canonical order: `Partial(u, t)`, `Partial(u, x, x)`."""

    def __new__(cls, body: Expr, *slots: Expr) -> Partial:
        if isinstance(body, Partial):
            body, slots = body.args[0], (*body.args[1:], *slots)
        if len(slots) > MAX_ORDER:
            raise TooLarge(f"a derivative of order above {MAX_ORDER}")
        return super().__new__(cls, body, *sorted(slots, key=default_sort_key))  # type: ignore[no-any-return]

    body = property(lambda self: self.args[0])
    slots = property(lambda self: self.args[1:])

    def _latex(self, printer: Any) -> str:
        n = len(self.slots)
        above = r"\partial" + (f"^{{{n}}}" if n > 1 else "")
        counts = {s: self.slots.count(s) for s in self.slots}
        below = " ".join(rf"\partial {printer._print(s)}" + (f"^{{{k}}}" if k > 1 else "") for s, k in counts.items())
        return rf"\frac{{{above} {printer._print(self.body)}}}{{{below}}}"

    def _sympystr(self, printer: Any) -> str:
        return f"D({', '.join(map(printer._print, self.args))})"


class Contraction(_Node):
    """`Σᵢ body`, over the components of the space."""

    def __new__(cls, index: Symbol, body: Expr) -> Contraction:
        return super().__new__(cls, index, body)  # type: ignore[no-any-return]

    index = property(lambda self: self.args[0])
    body = property(lambda self: self.args[1])

    def _latex(self, printer: Any) -> str:
        return rf"\sum_{{{printer._print(self.index)}}} {printer._print(self.body)}"

    def _sympystr(self, printer: Any) -> str:
        return f"Sum({printer._print(self.index)}, {printer._print(self.body)})"


class Transposed(_Node):
    """The adjoint of a linear operator."""

    def __new__(cls, operator: Expr) -> Expr:
        if isinstance(operator, Transposed):
            return operator.args[0]
        return super().__new__(cls, operator)

    def _latex(self, printer: Any) -> str:
        return rf"{printer._print(self.args[0])}^{{\top}}"

    def _sympystr(self, printer: Any) -> str:
        return f"{printer._print(self.args[0])}ᵀ"


class Applied(_Node):
    """A linear operator applied: `K Y`, `W x`."""

    def __new__(cls, operator: Expr, body: Expr) -> Applied:
        return super().__new__(cls, operator, body)  # type: ignore[no-any-return]

    operator = property(lambda self: self.args[0])
    body = property(lambda self: self.args[1])

    def _latex(self, printer: Any) -> str:
        return rf"{printer._print(self.operator)}\left({printer._print(self.body)}\right)"

    def _sympystr(self, printer: Any) -> str:
        return f"{printer._print(self.operator)}·({printer._print(self.body)})"


def with_number(expr: Expr) -> tuple[Expr, Expr]:
    """c and f of a product c f, where c is a number."""
    factors = Mul.make_args(expr)
    return Mul(*(f for f in factors if f.is_number)), Mul(*(f for f in factors if not f.is_number))


class Layer(_Node):
    """A normalisation with its settings, `tv_norm(eps=1/1000)`, applied to a feature map."""

    def __new__(cls, name: Str, settings: Tuple, body: Expr) -> Layer:
        return super().__new__(cls, name, settings, body)  # type: ignore[no-any-return]

    name = property(lambda self: self.args[0].name)
    settings = property(lambda self: self.args[1])
    body = property(lambda self: self.args[2])

    def _latex(self, printer: Any) -> str:
        return rf"\mathrm{{{self.name}}}\left({printer._print(self.body)}\right)".replace("_", r"\_")

    def _sympystr(self, printer: Any) -> str:
        settings = ", ".join(f"{k.name}={v}" for k, v in self.settings)
        return f"{self.name}({settings})({printer._print(self.body)})"


class Softmax(_Node):
    """Class probabilities from scores."""

    def __new__(cls, body: Expr) -> Softmax:
        return super().__new__(cls, body)  # type: ignore[no-any-return]

    def _latex(self, printer: Any) -> str:
        return rf"\operatorname{{softmax}}\left({printer._print(self.args[0])}\right)"

    def _sympystr(self, printer: Any) -> str:
        return f"softmax({printer._print(self.args[0])})"


def _with_indices(base: str, indices: Any, printer: Any) -> str:
    return f"{base}_{{{''.join(map(printer._print, indices))}}}" if indices else base


class Activation(Function):  # type: ignore[misc]
    """A named activation that sympy does not know; what is known of each is in `vocabulary`."""

    nargs = 1

    def _eval_is_real(self) -> bool:
        return True

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = rf"\operatorname{{{type(self).__name__}}}\left({printer._print(self.args[0])}\right)"
        return f"{text}^{{{exp}}}" if exp else text


def activation(name: str) -> type[Activation]:
    return type(name, (Activation,), {})


ACTIVATIONS: dict[str, type[Activation]] = {
    name: activation(name) for name in ("relu", "leaky_relu", "elu", "gelu", "silu", "softplus", "sigmoid", "identity")
}


# ---- calculus


def depends(expr: Expr, slot: Expr) -> bool:
    """Whether an expression varies with a coordinate or with time."""
    base = slot.args[0] if isinstance(slot, Component) else slot
    return base in expr.free_symbols


def differentiate(expr: Expr, slot: Expr) -> Expr:
    """∂expr/∂slot by the rules of calculus; derivatives of fields stay symbolic."""
    budget = [MAX_NODES]

    def d(e: Expr) -> Expr:
        budget[0] -= 1
        if budget[0] < 0:
            raise TooLarge("a derivative with too many terms")
        if e == slot:
            return S.One
        if not depends(e, slot):
            return S.Zero
        match e:
            case Symbol():
                return S.Zero
            case Component():
                same = isinstance(slot, Component) and e.args[0] == slot.args[0]
                return KroneckerDelta(e.args[1], slot.args[1]) if same else S.Zero
            case Add():
                return Add(*map(d, e.args))
            case Mul():
                rest = [Mul(*e.args[:i], *e.args[i + 1 :]) for i in range(len(e.args))]
                return Add(*(d(a) * r for a, r in zip(e.args, rest, strict=True)))
            case Pow(base=base, exp=power):
                if not depends(power, slot):
                    return power * base ** (power - 1) * d(base)
                return e * (d(power) * log(base) + power * d(base) / base)
            case Contraction(index=index, body=body):
                return contract(lambda i: d(body.xreplace({index: i})), None)
            case Function() if not isinstance(e, Activation):
                return Add(*(e.fdiff(i + 1) * d(a) for i, a in enumerate(e.args) if depends(a, slot)))
            case _:
                return Partial(e, slot)

    return d(expr)


def contract(body: Callable[[Expr], Expr], dimension: int | Expr | None) -> Expr:
    """Σᵢ body(i): written out when the dimension is a number, otherwise a canonical contraction."""
    if isinstance(dimension, int):
        return Add(*(body(Integer(i)) for i in range(1, dimension + 1)))
    index = Dummy("i", integer=True)
    return Add(*(_contracted(term, index) for term in Add.make_args(multiply_out(body(index)))))


def _contracted(term: Expr, index: Symbol) -> Expr:
    """Σ over one index of a single product: constants come out, Kronecker deltas are used up."""
    outside, inside = term.as_independent(index, as_Add=False)
    for factor in Mul.make_args(inside):
        if isinstance(factor, KroneckerDelta) and index in factor.args:
            other = factor.args[1] if factor.args[0] == index else factor.args[0]
            return outside * (inside / factor).xreplace({index: other})
    name = Symbol(f"i{_depth(inside) + 1}", integer=True)
    return outside * Contraction(name, inside.xreplace({index: name}))


def _depth(expr: Expr) -> int:
    """How many contractions are nested in an expression."""
    if not expr.has(Contraction):
        return 0
    below = max((_depth(a) for a in expr.args), default=0)
    return below + 1 if isinstance(expr, Contraction) else below


def apply_linear(operator: Expr, body: Expr, is_constant: Callable[[Expr], bool]) -> Expr:
    """K(aY + bZ) = a K Y + b K Z, for factors a, b that do not vary in space."""
    parts = []
    for term in Add.make_args(multiply_out(body)):
        factors = Mul.make_args(term)
        outside = [f for f in factors if is_constant(f)]
        inside = [f for f in factors if not is_constant(f)]
        parts.append(Mul(*outside) * (Applied(operator, Mul(*inside)) if inside else Applied(operator, S.One)))
    return Add(*parts)


# ---- multiplying out, within bounds


def multiply_out(expr: Expr) -> Expr:
    """The expression as a sum of products; refuses what would explode."""
    if terms_of(expr) > MAX_TERMS and terms_of(expr) > 2 * len(Add.make_args(expr)):
        raise TooLarge(f"an expression of more than {MAX_TERMS:,} terms when it is multiplied out")
    if isinstance(expr, Add):
        return Add(*(_expanded(a) for a in expr.args))
    return _expanded(expr)


def _expanded(expr: Expr) -> Expr:
    """Products of sums multiplied out, arguments of functions too; exp(a + b) stays whole, as sympy joins it again."""
    if not can_expand(expr):
        return expr
    result = expand(expr, power_exp=False)
    if any(_is_quotient(p) and _without_content(p) != p for p in result.atoms(Pow)):
        return result.replace(_is_quotient, _without_content)
    return result


def can_expand(expr: Expr) -> bool:
    """Whether there is a sum to multiply out, or a power or logarithm of a product to open."""
    if expr.is_Atom:
        return False
    if isinstance(expr, (Add, log)) or (isinstance(expr, Pow) and not expr.exp.is_Integer):
        return True
    return any(map(can_expand, expr.args))


def _is_quotient(expr: Expr) -> bool:
    return isinstance(expr, Pow) and isinstance(expr.base, Add) and bool(expr.exp.is_negative)


def _without_content(power: Expr) -> Expr:
    """1/(2x + 2) as ½/(x + 1): a factor on both sides of an equation leaves no trace in a denominator."""
    content, rest = power.base.primitive()
    if power.exp.is_Integer and _starts_negative(rest):
        content, rest = -content, -rest
    return content**power.exp * rest**power.exp


def _starts_negative(total: Expr) -> bool:
    """A sign for a sum that does not depend on names: of all its coefficients together, or of its constant."""
    balance = Add(*(a.as_coeff_Mul()[0] for a in total.args))
    return bool(balance.is_negative or (balance == 0 and total.as_coeff_Add()[0].is_negative))


def terms_of(expr: Expr) -> int:
    """An upper bound on the number of terms after multiplying out."""
    if expr.is_Atom:
        return 1
    if isinstance(expr, Add):
        return sum(map(terms_of, expr.args))
    if isinstance(expr, Mul):
        total = 1
        for a in expr.args:
            total *= terms_of(a)
        return min(total, 10**9)
    if isinstance(expr, Pow) and isinstance(expr.exp, Integer):
        m, n = terms_of(expr.base), abs(int(expr.exp))
        return _binomial(m + n - 1, n) if m > 1 else 1
    return max(map(terms_of, expr.args), default=1)


def _binomial(n: int, k: int) -> int:
    result = 1
    for i in range(min(k, n - k)):
        result = result * (n - i) // (i + 1)
        if result > 10**9:
            return 10**9
    return result
