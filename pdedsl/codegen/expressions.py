"""sympy → nodes of the program: an expression in x and t as torch operations on points (..., d)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sympy import Add, Expr, Integer, KroneckerDelta, Mul, Symbol

from pdedsl.codegen.program import (
    Binding,
    Call,
    FunctionDefinition,
    IndexedComponent,
    ItemList,
    Lambda,
    Method,
    Node,
    Operation,
    Program,
    Ref,
    ReturnType,
    child_nodes,
    iter_nodes,
    replace_children,
)
from pdedsl.numerics.functions import NARY_FUNCTIONS, UNARY_FUNCTIONS
from pdedsl.numerics.scattered_data import ScatteredSource
from pdedsl.symbolic.data_functions import DataFunction
from pdedsl.symbolic.evaluate import fold
from pdedsl.symbolic.symbols import Component as CoordinateComponent
from pdedsl.symbolic.symbols import Contraction, Field, Partial

# ---- Expressions at points


AUTODIFF = "pdedsl.runtime.diff.autodiff"
Leaf = Callable[[Expr], Node | None]
"""The node of an atom: an expression without arithmetic operations; None for others."""


X = Ref("x")
OPERATORS = {"Add": "+", "Mul": "*", "Pow": "**"}


def _interpolant(e: DataFunction, args: list[Node]) -> Node:
    source = e.source
    if isinstance(source, ScatteredSource):
        known: tuple[Node, ...] = (source.file, source.digest, source.name, ItemList(source.axes), ItemList(e.orders))
        return Call("pdedsl.runtime.scattered_interpolation.interpolate_scattered", (*known, *args))
    lists = (ItemList(source.axes), ItemList(source.periods), ItemList(e.orders))
    known = (source.file, source.digest, source.name, *lists)
    return Call("pdedsl.runtime.grid_interpolation.interpolate", (*known, *args))


def expression_node(expr: Expr, leaf: Leaf, points: Ref = X) -> Node:
    """The expression at points `x` and time `t`; planning has made sure that it has one of these forms.

    With other `points` every symbol stands for a tensor, including the time.
    """

    def operation(e: Expr, args: list[Node]) -> Node:
        name = type(e).__name__
        if isinstance(e, DataFunction):
            return _interpolant(e, args)
        if name in OPERATORS:
            return Operation(OPERATORS[name], tuple(args))
        if name in NARY_FUNCTIONS:
            return Call(NARY_FUNCTIONS[name], (points, *args))
        return Call(UNARY_FUNCTIONS[name], (_tensor(args[0]) if points == X else args[0],))

    def number_or_leaf(e: Expr) -> Node | None:
        return leaf(e) if not e.is_number else int(e) if e.is_Integer else float(e)

    return fold(expr, number_or_leaf, operation)


def _tensor(node: Node) -> Node:
    """The node as a tensor: functions of torch need tensors, and the time is a number."""
    return (
        node
        if any(n == Ref("x") for n in iter_nodes(node))
        else Call("pdedsl.runtime.tensor_helpers.as_tensor", (node,))
    )


def coordinate_leaf(coordinates: tuple[Symbol, ...], time: Symbol | None, fields: Mapping[Symbol, str]) -> Leaf:
    """Coordinates are columns of x; learned fields are called by their names."""

    def leaf(e: Expr) -> Node | None:
        if e in coordinates:
            return IndexedComponent(Ref("x"), coordinates.index(e))
        if e == time:
            return Ref("t")
        match e:
            case Field(head=head, indices=indices) if head in fields:
                return _component(field_call(fields[head]), [int(i) - 1 for i in indices])
            case Partial(body=body, slots=(*before, last)):
                inner = expression_node(Partial(body, *before) if before else body, leaf)
                return Call(
                    f"{AUTODIFF}.partial_derivative", (Lambda(("x",), inner), Ref("x"), coordinates.index(last))
                )
        return None

    return leaf


def field_call(name: str) -> Node:
    return Method(Ref(name), "", (Ref("x"), Ref("t")))


def _component(value: Node, indices: list[int]) -> Node:
    match indices:
        case []:
            return value
        case [i]:
            return IndexedComponent(value, i)
        case [i, j]:
            return IndexedComponent(value, i, j)
        case _:
            raise ValueError(f"{len(indices)} indices")


def stack_node(nodes: list[Node]) -> Node:
    return Call("pdedsl.runtime.tensor_helpers.stack_components", (Ref("x"), *nodes))


def matrix_node(matrix: list[list[Node]]) -> Node:
    return Call(
        "pdedsl.runtime.tensor_helpers.stack_matrix", (Ref("x"), ItemList(tuple(ItemList(tuple(r)) for r in matrix)))
    )


# ---- Index notation: component i, for all i at once
#
# A vector is a tensor (..., d), and torch works on all components; a scalar is (..., 1), so that the two broadcast:
# -xᵢ is `-1 * x`, exp(-Σⱼ xⱼ²) xᵢ is `x * torch.exp(-1 * sum_components(x, x**2))`.


TENSOR_HELPERS = "pdedsl.runtime.tensor_helpers"


def component_node(expr: Expr, index: Symbol | None, time: Symbol | None, fields: Mapping[Symbol, str]) -> Node:
    """The expression at points x (..., d), for the component `index`; without one it is a number."""

    def leaf(e: Expr) -> Node | None:
        match e:
            case CoordinateComponent(args=(_, place)):
                return _at(Ref("x"), place)
            case KroneckerDelta() if index in e.args:
                return Call(f"{TENSOR_HELPERS}.unit_vector", (Ref("x"), _delta_index(e, index)))
            case Field(head=head, indices=indices) if head in fields and len(indices) < 2:
                value = field_call(fields[head])
                return _at(value, indices[0]) if indices else Call(f"{TENSOR_HELPERS}.as_column", (value,))
            case Contraction(index=own, body=body):
                return _total(own, body)
            case Partial(body=body, slots=(*before, last)):
                return _derivative(Partial(body, *before) if before else body, last.args[1])
        return Call(f"{TENSOR_HELPERS}.time_column", (Ref("t"),)) if e == time else None

    def _at(vector: Node, place: Expr) -> Node | None:
        if place == index:
            return vector
        return (
            Call(f"{TENSOR_HELPERS}.take_component", (vector, int(place) - 1)) if isinstance(place, Integer) else None
        )

    def _total(own: Symbol, body: Expr) -> Node:
        if index is not None and index in body.free_symbols:
            return _product(own, body)
        return Call(f"{TENSOR_HELPERS}.sum_components", (Ref("x"), component_node(body, own, time, fields)))

    def _product(own: Symbol, body: Expr) -> Node:
        """Σⱼ Aᵢⱼ wⱼ."""
        matrix = next(f for f in Mul.make_args(body) if isinstance(f, Field) and len(f.indices) == 2)
        values = field_call(fields[matrix.head])
        if tuple(matrix.indices) == (own, index):
            values = Method(values, "transpose", (-1, -2))
        return Call("pdedsl.runtime.sde.noise.matvec", (values, component_node(body / matrix, own, time, fields)))

    def _derivative(body: Expr, place: Expr) -> Node:
        """∂/∂xₖ; for ∂/∂xᵢ with the free index i, the gradient of a number, or the diagonal of a vector's Jacobian."""
        function = Lambda(("x",), expression_node(body, leaf))
        if isinstance(place, Integer):
            return Call(f"{AUTODIFF}.partial_derivative", (function, Ref("x"), int(place) - 1))
        own = index is not None and index in body.free_symbols
        return Call(f"{AUTODIFF}.{'jacobian_diagonal' if own else 'gradient'}", (function, Ref("x")))

    return expression_node(expr, leaf)


def _delta_index(delta: Expr, index: Symbol | None) -> int:
    """k - 1 of δᵢₖ."""
    return int(next(p for p in delta.args if p != index)) - 1


def split_constant_vector(expr: Expr, index: Symbol, dimension: int | Symbol) -> tuple[list[float], Expr]:
    """The constant vector in a sum, Σₖ cₖ δᵢₖ with numbers cₖ, and the rest of the sum."""
    numbers: dict[int, float] = {}
    rest = []
    for term in Add.make_args(expr):
        number, delta = term.as_coeff_Mul()
        if isinstance(delta, KroneckerDelta) and index in delta.args:
            numbers[_delta_index(delta, index)] = float(number)
        else:
            rest.append(term)
    size = dimension if isinstance(dimension, int) else max(numbers, default=-1) + 1
    return [numbers.get(k, 0.0) for k in range(size)] if numbers else [], Add(*rest)


# ---- Formulas as named functions


FORMULA_DOCS = {
    "drift": "Drift v(x, t) of the SDE: the velocity of the characteristics.",
    "branches": "Both branches of the residual, (f(x, t), g(x, t)).",
    "diffusion": "Diffusion coefficient A(x, t) of A:∇∇u: a scalar, its diagonal, or the matrix.",
    "rate": "Reaction rate c(x, t) of the term c u.",
    "source": "Source term f(x, t).",
    "noise_std": "Standard deviation of the noise at the state x.",
    "noise_factor": "Cholesky factor of the noise covariance at the state x.",
    "initial_data": "Initial data u(x, t₀).",
    "terminal_data": "Terminal data u(x, T).",
}


def extract_formulas(program: Program) -> Program:
    """Each lambda of x becomes a function named by its label and numbered if there are several; equal ones share it."""
    values = [n for f in program.functions for n in (*(b.value for b in f.bindings), f.result)]
    formulas = list(dict.fromkeys(formula for value in values for formula in _formulas(value)))
    names = dict(zip(formulas, _function_names([f.label for f in formulas], program), strict=True))
    functions = tuple(_without_lambdas(f, names) for f in program.functions)
    made = tuple(
        FunctionDefinition(
            name,
            tuple((p, None) for p in formula.params),
            FORMULA_DOCS.get(formula.label, "A coefficient of the equation, at points x."),
            (),
            formula.body,
            returns=ReturnType.TENSOR,
        )
        for formula, name in names.items()
    )
    return replace(program, functions=(*made, *functions))


def _formulas(node: Node) -> Iterator[Lambda]:
    """The outermost lambdas of x."""
    match node:
        case Lambda(params=("x", *_)):
            yield node
        case _:
            for child in child_nodes(node):
                yield from _formulas(child)


def _function_names(labels: list[str], program: Program) -> Iterator[str]:
    """A name for each label that no function, parameter or variable of the program has."""
    taken = {f.name for f in program.functions} | {name for f in program.functions for name, _ in f.params}
    taken |= {b.name for f in program.functions for b in f.bindings}
    counts: Counter[str] = Counter()
    for label in labels:
        counts[label] += 1
        name = f"{label}_{counts[label]}" if labels.count(label) > 1 else label
        while name in taken:
            name = f"{name}_function"
        yield name


def _without_lambdas(function: FunctionDefinition, names: Mapping[Lambda, str]) -> FunctionDefinition:
    bindings = tuple(Binding(b.name, _replace_formulas(b.value, names), b.comment) for b in function.bindings)
    return replace(function, bindings=bindings, result=_replace_formulas(function.result, names))


def _replace_formulas(node: Node, names: Mapping[Lambda, str]) -> Node:
    if isinstance(node, Lambda) and node.params[:1] == ("x",):
        return Ref(names[node])
    return replace_children(node, lambda child: _replace_formulas(child, names))
