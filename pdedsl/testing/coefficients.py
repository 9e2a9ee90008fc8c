"""Numpy evaluation of drift and diffusion coefficients at points, independent of the generated torch code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import erf
from sympy import Dummy, Expr, Function, KroneckerDelta, Max, Min, Symbol, lambdify, preorder_traversal
from torch import nn

from pdedsl.ir.spec import Spec
from pdedsl.numerics.activations import ACTIVATIONS, Algebra
from pdedsl.symbolic.symbols import INDEX, Component, Contraction, Field, Partial

Array = NDArray[np.float64]
ELEMENTARY = "exp log sqrt sin cos tan sinh cosh tanh sign".split()


class CoefficientNotEvaluable(Exception):
    """An expression that cannot be evaluated here."""


NUMPY_ALGEBRA = Algebra(
    *(np.maximum, np.minimum, np.abs, np.exp, np.tanh, np.arctan, np.sin, erf, np.sqrt),
    softplus=lambda x: np.logaddexp(0.0, x),
    sigmoid=lambda x: 0.5 * (1.0 + np.tanh(x / 2.0)),
)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: lambda x, r=record: r.formula(NUMPY_ALGEBRA, x) for name, record in ACTIVATIONS.items()},
    "maximum": lambda *args: reduce(np.maximum, args),
    "minimum": lambda *args: reduce(np.minimum, args),
}
SUPPORTED = {"Add", "Mul", "Pow", "Max", "Min", "Abs", "Heaviside", "asin", "acos", *ELEMENTARY, *ACTIVATIONS}


def compile_numpy(expr: Expr, leaves: Sequence[Expr]) -> Callable[..., Any]:
    """The expression as a function of arrays that stand for its leaves, by sympy's printer. Every leaf becomes a Dummy:
    no text of a spec is in the generated source."""
    dummies = [Dummy() for _ in leaves]
    body = expr.xreplace(dict(zip(leaves, dummies, strict=True)))
    for part in preorder_traversal(body):
        if part.args and not part.is_number and type(part).__name__ not in SUPPORTED:
            raise CoefficientNotEvaluable(f"'{part}' is not supported by the test")
    for kind, name in ((Max, "maximum"), (Min, "minimum")):  # numpy.amax does not broadcast
        body = body.replace(kind, Function(name))
    function: Callable[..., Any] = lambdify(dummies, body, [FUNCTIONS, "scipy", "numpy"])
    return function


CENTRAL_DIFFERENCE_WEIGHTS = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))  # sixth order
DIFFERENCE_STEP = 1e-2  # relative error about 1e-10
UNUSED_ARGUMENT_SHIFT = 0.7  # of arguments on which a field must not depend


def central_difference(value: Callable[[float], Any]) -> Array:
    """d/ds at s = 0 by central differences: learned fields have no formula to differentiate."""
    total = sum(w * (value(k * DIFFERENCE_STEP) - value(-k * DIFFERENCE_STEP)) for k, w in CENTRAL_DIFFERENCE_WEIGHTS)
    return np.asarray(total / DIFFERENCE_STEP)


def _leaves(e: Expr) -> Iterator[Expr]:
    """The outermost parts that are not arithmetic."""
    parts = preorder_traversal(e)
    for part in parts:
        if isinstance(part, Symbol | Component | KroneckerDelta | Field | Partial | Contraction):
            parts.skip()
            yield part


@dataclass(frozen=True)
class CoefficientEvaluator:
    """Evaluates expressions at points x (n, d) and a time: scalars have shape (n, 1), vectors (n, d)."""

    spec: Spec
    fields: Mapping[Symbol, nn.Module]
    cache: dict[Symbol, tuple[Array, float, Array]] = field(default_factory=dict, compare=False)  # cached values
    compiled: dict[Expr, tuple[list[Expr], Callable[..., Any]]] = field(default_factory=dict, compare=False)

    def vector(self, exprs: tuple[Expr, ...], x: Array, t: float) -> Array:
        """A vector (n, d), from its components, or from the generic component with index INDEX."""
        if not self.spec.space.explicit:
            return np.broadcast_to(self._at(exprs[0], x, t, INDEX), x.shape)
        columns = [np.broadcast_to(self._at(e, x, t, None), (len(x), 1)) for e in exprs]
        return np.concatenate(columns, -1)

    def number(self, expr: Expr, x: Array, t: float) -> Array:
        """A scalar at each point, (n,)."""
        return np.broadcast_to(self._at(expr, x, t, None), (len(x), 1))[:, 0]

    def matrix(self, rows: tuple[tuple[Expr, ...], ...], x: Array, t: float) -> Array:
        """A matrix at each point, (n, d, d)."""
        return np.stack([self.vector(row, x, t) for row in rows], -2)

    def _at(self, e: Expr, x: Array, t: float, index: Symbol | None) -> Any:
        if e not in self.compiled:
            leaves = list(dict.fromkeys(_leaves(e)))
            self.compiled[e] = leaves, compile_numpy(e, leaves)
        leaves, function = self.compiled[e]
        return function(*(self._leaf(a, x, t, index) for a in leaves))

    def _leaf(self, e: Expr, x: Array, t: float, index: Symbol | None) -> Any:
        match e:
            case Symbol() if self.spec.time is not None and e == self.spec.time.symbol:
                return t
            case Symbol() if e in self.spec.space.coordinates:
                k = self.spec.space.coordinates.index(e)
                return x[:, k : k + 1]
            case Component(args=(_, place)):
                return self._place(x, place, index)
            case KroneckerDelta():
                k = next(p for p in e.args if p != index)
                return np.eye(x.shape[1])[int(k) - 1]
            case Field():
                return self._field(e, x, t, index)
            case Partial(body=body, slots=(*others, slot)):
                return self._derivative(Partial(body, *others) if others else body, slot, x, t, index)
            case Contraction(index=own, body=body) if index is None or index not in body.free_symbols:
                return np.broadcast_to(self._at(body, x, t, own), x.shape).sum(-1, keepdims=True)
        raise CoefficientNotEvaluable(f"'{e}' is not supported by the test")

    def _derivative(self, e: Expr, slot: Expr, x: Array, t: float, index: Symbol | None) -> Array:
        """∂e/∂slot; if the slot has the free index, the derivative of each component along its own coordinate."""
        if self.spec.time is not None and slot == self.spec.time.symbol:
            return central_difference(lambda s: self._at(e, x, t + s, index))

        def along(k: int) -> Array:
            unit = np.eye(x.shape[1])[k]
            return central_difference(lambda s: np.broadcast_to(self._at(e, x + s * unit, t, index), x.shape))

        if slot in self.spec.space.coordinates:
            return along(self.spec.space.coordinates.index(slot))[:, :1]
        if slot.args[1] == index:
            return np.stack([along(k)[:, k] for k in range(x.shape[1])], -1)
        return along(int(slot.args[1]) - 1)

    def field(self, head: Symbol, x: Array, t: float) -> Array:
        """A learned field at points. Coordinates that are not arguments of the field are shifted, to detect a network
        that depends on them."""
        if head not in self.fields:
            raise CoefficientNotEvaluable(f"'{head}' is not a field on R^d")
        last = self.cache.get(head)
        if last is None or last[0] is not x or last[1] != t:
            arguments = next(w.arguments for w in self.spec.learned if w.head == head)
            at = np.where([c in arguments for c in self.spec.space.coordinates], x, x + UNUSED_ARGUMENT_SHIFT)
            time = t if self.spec.time is None or self.spec.time.symbol in arguments else t + UNUSED_ARGUMENT_SHIFT
            with torch.no_grad():
                values = self.fields[head](torch.from_numpy(np.ascontiguousarray(at)), time).double().numpy()
            last = self.cache[head] = (x, t, values)
        return last[2]

    def _field(self, e: Field, x: Array, t: float, index: Symbol | None) -> Array:
        values = self.field(e.head, x, t)
        match tuple(e.indices):
            case ():
                return np.asarray(values[:, None])
            case (place,):
                return self._place(values, place, index)
            case (i, j) if i.is_Integer and j.is_Integer:
                return np.asarray(values[:, int(i) - 1, int(j) - 1][:, None])
        raise CoefficientNotEvaluable(f"'{e}' is not supported by the test")

    def _place(self, values: Array, place: Expr, index: Symbol | None) -> Array:
        if place == index:
            return values
        if not place.is_Integer:
            raise CoefficientNotEvaluable(f"component index '{place}' is not supported by the test")
        k = int(place) - 1
        return values[:, k : k + 1]
