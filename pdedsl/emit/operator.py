"""An operator plan → the function that builds the evolution operator on R^d, and the solution for given data."""

from __future__ import annotations

from sympy import Expr, Symbol

from pdedsl.emit.components import fixed_part
from pdedsl.emit.expressions import rows, stacked
from pdedsl.emit.fields import at_points, components, fields_in, formula, scalar, vector
from pdedsl.emit.names import RUNTIME, maker_of, name_of, number, quoted
from pdedsl.emit.program import Binding, Call, Function, Items, Literal_, Node, Ref
from pdedsl.ir.plan import OperatorPiece, OperatorPlan
from pdedsl.ir.spec import ConditionKind, Learned, Spec
from pdedsl.ir.terms import Shape
from pdedsl.symbolic.symbols import INDEX
from pdedsl.words.diffusions import Law


def operator_function(plan: OperatorPlan, fields: tuple[Learned, ...], spec: Spec) -> Function:
    pieces = tuple(_piece(piece, fields, spec) for piece in plan.pieces)
    params: list[tuple[str, Literal_]] = [(name_of(w), None) for w in fields]
    named: list[tuple[str, Node]] = [
        ("pieces", Items(pieces, square=True)),
        ("form", plan.direction),
        ("dt", number(plan.step)),
        ("scheme", plan.scheme.name),
        ("samples", Ref("samples")),
        ("seed", Ref("seed")),
    ]
    if plan.law is Law.LAPLACE:
        named.append(("law", plan.law.value))
    doc = "The evolution operator: operator(…)(f, x, t) is the solution at time t with data f."
    params += [("samples", plan.samples), ("seed", 0)]
    result = Call(f"{RUNTIME}.evolution.Evolution", (), tuple(named))
    return Function("operator", tuple(params), doc, (), result)


def _piece(piece: OperatorPiece, fields: tuple[Learned, ...], spec: Spec) -> Node:
    names = {w.head: name_of(w) for w in fields}
    still = all(b == 0 for b in piece.drift)
    drift: Node = None if still else _constant(piece.drift, spec) or vector(piece.drift, fields, spec)
    diffusion = _diffusion(piece.diffusivity, piece.shape, names, spec)
    rates = (("rate", piece.rate), ("source", piece.source))
    weights = tuple((key, _rate(e, names, spec)) for key, e in rates if e != 0)
    times = number(piece.start), number(piece.end)
    return Call(f"{RUNTIME}.evolution.Piece", (*times, drift, diffusion), weights)


def _constant(exprs: tuple[Expr, ...], spec: Spec) -> Node:
    """A constant velocity, for which one step is exact."""
    values = [number(e) for e in exprs] if all(e.is_number for e in exprs) else []
    if not spec.space.explicit:
        values, rest = fixed_part(exprs[0], INDEX, spec.space.dimension)
        values = values if rest == 0 else []
    return Call(f"{RUNTIME}.points.constant", (Items(tuple(values), square=True),)) if values else None


def _diffusion(matrix: tuple[tuple[Expr, ...], ...], shape: Shape, names: dict[Symbol, str], spec: Spec) -> Node:
    if shape is Shape.NONE:
        return 0.0
    diagonal = tuple(matrix[i][i] for i in range(len(matrix)))
    if shape is Shape.ISOTROPIC:
        if diagonal[0].is_number:
            return number(diagonal[0])
        return formula(("x", "t"), at_points(diagonal[0], names, spec), diagonal[:1], names)
    if not spec.space.explicit:
        return formula(("x", "t"), components(diagonal, names, spec), diagonal, names)
    if all(e.is_number for row in matrix for e in row):
        table = Items(tuple(Items(tuple(number(e) for e in row), square=True) for row in matrix), square=True)
        return Call(f"{RUNTIME}.points.constant", (table,))
    if shape is Shape.FULL:
        entries = [[scalar(e, names, spec) for e in row] for row in matrix]
        return formula(("x", "t"), rows(entries), [e for row in matrix for e in row], names)
    return formula(("x", "t"), stacked([scalar(e, names, spec) for e in diagonal]), diagonal, names)


def _rate(expr: Expr, names: dict[Symbol, str], spec: Spec) -> Node:
    """A number, or a function of points and time."""
    return number(expr) if expr.is_number else formula(("x", "t"), at_points(expr, names, spec), (expr,), names)


def solution_function(fields: tuple[Learned, ...], spec: Spec) -> Function:
    """u at the end of the path for the data of the spec: x ↦ u(x)."""
    condition = next(c for c in spec.conditions if c.order == 0 and not c.on_boundary)
    assert spec.time is not None
    first, last = number(spec.time.start), number(spec.time.end)
    start, at = (first, spec.time.end) if condition.kind is ConditionKind.INITIAL else (last, spec.time.start)
    in_data = fields_in(list(condition.value), spec)
    names = {w.head: name_of(w) for w in in_data}
    data = formula(("x",), at_points(condition.value[0], names, spec), condition.value, names, start)
    bindings = tuple(Binding(name_of(w), Call(maker_of(w))) for w in spec.learned if w in (*fields, *in_data))
    called = Call("operator", (), (*((name_of(w), Ref(name_of(w))) for w in fields), ("seed", Ref("seed"))))
    result = Call(f"{RUNTIME}.marching.Solution", (called, data, number(at)))
    return Function(
        "model",
        (("seed", 0),),
        f"x to u(x, {at}), with the data of the spec.",
        bindings,
        result,
        quoted(condition.span, spec),
    )
