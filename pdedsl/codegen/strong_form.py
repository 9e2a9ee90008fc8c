"""Code generation for physical problems: strong form → the PINN and the residuals of equations and conditions.

The emitted module has `model`, the network of the unknowns; `residual_k` and `condition_k`, which vanish on a solution;
and `exact`, the exact solution if the spec states one. Conditions that are imposed exactly make the network
u = lift + distance·N (Lagaris, Likas, Fotiadis 1998).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from keyword import iskeyword
from unicodedata import normalize

from sympy import DiracDelta, Expr, Mul, S, Symbol

from pdedsl.codegen.expressions import expression_node
from pdedsl.codegen.names import RESERVED_NAMES, RUNTIME, python_name, source_reference
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
    Ref,
    ReturnType,
)
from pdedsl.ir.ansatz import HardConstraints
from pdedsl.ir.boundary import ConditionResidual
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, NonlocalTerm, Residual
from pdedsl.ir.spec import Interval, Learned, Spec
from pdedsl.symbolic.mesh_domain import MeshNormal
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Field, Partial, atoms

# ---- Residuals


POINTS = Ref("points")
NORMAL = Ref("normal")  # outer normals at the points, for conditions on parts of a mesh
EQUATION, CONDITION = "residual_", "condition_"  # names of the emitted residuals, followed by a number
LOCAL_NAMES = RESERVED_NAMES | {"points", "normal", "values", "partials", "model", "exact", "lift", "distance"}


def residual_functions(problem: StrongForm, spec: Spec) -> list[FunctionDefinition]:
    equations = [_equation(f"{EQUATION}{k}", r, problem, spec) for k, r in enumerate(problem.equations, 1)]
    imposed = [(c, r) for c in problem.conditions for r in c.residuals]
    conditions = [_condition(f"{CONDITION}{k}", c, r, problem, spec) for k, (c, r) in enumerate(imposed, 1)]
    normalizations = [
        _residual(f"normalization_{k}", r, f"Residual of {source_reference(r.span, spec)}.", problem, spec)
        for k, (_, r) in enumerate(problem.normalizations, 1)
    ]
    return [*equations, *conditions, *normalizations, *_exact(problem, spec)]


def _equation(name: str, residual: Residual, problem: StrongForm, spec: Spec) -> FunctionDefinition:
    during = ""
    if residual.interval is not None:
        start, end = residual.interval
        during = f", for {problem.domain.coordinates[-1]} in [{start}, {end}]"
    doc = f"Residual of {source_reference(residual.span, spec)} in the interior{during}."
    return _residual(name, residual, doc, problem, spec)


def _condition(
    name: str, imposed: ConditionResidual, residual: Residual, problem: StrongForm, spec: Spec
) -> FunctionDefinition:
    part = "".join(f", where {notation(g)} > 0" for g in imposed.part)
    doc = f"Residual of {source_reference(imposed.span, spec)} {problem.domain.text_of(imposed.place)}{part}."
    return _residual(name, residual, doc, problem, spec)


def _residual(name: str, residual: Residual, doc: str, problem: StrongForm, spec: Spec) -> FunctionDefinition:
    expr = residual.expr.replace(DiracDelta, lambda *_: S.Zero)  # no point lies on the discontinuity
    fields = fields_of(expr, problem)
    names = PythonNames(problem, residual)
    jet_variables = [(s, d) for s, d in residual.jet_variables if not residual.has_dirac or s in expr.free_symbols]
    paths = tuple(ItemList(derivative_path(d)) for _, d in jet_variables)
    bindings = [*names.coordinates(expr)]
    if paths:
        derivatives = Call(f"{RUNTIME}.diff.autodiff.partial_derivatives", (Ref("model"), POINTS, *paths))
        bindings.append(Binding("values", derivatives))
        bindings += [Binding(names.of[s], IndexedComponent(Ref("values"), k)) for k, (s, _) in enumerate(jet_variables)]
    bindings += [Binding(names.of[s], _nonlocal_term(term, problem)) for s, term in residual.nonlocal_terms]
    normal = ["normal"] if expr.has(MeshNormal) else []
    eigenvalue = [names.of[s] for s in eigenvalue_parts(problem) if s in expr.free_symbols]
    arguments = ("model", "points", *normal, *map(python_name, fields), *eigenvalue)
    params = tuple((name, None) for name in arguments)
    result = _at_points(expr, names)
    doc = f"{doc[:-1]}, away from the discontinuities of its coefficients." if residual.has_dirac else doc
    doc = f"{doc[:-1]}, away from its point sources." if residual.point_sources else doc
    returns = ReturnType.TENSOR
    return FunctionDefinition(name, params, doc, tuple(bindings), result, returns=returns, numbers=tuple(eigenvalue))


def _nonlocal_term(term: NonlocalTerm, problem: StrongForm) -> Node:
    """An integral by quadrature, with the bound variables as further coordinates; or a value at another point."""
    if term.power:
        return _fractional_laplacian(term, problem)
    variables = (*problem.domain.coordinates, *(r.variable for r in term.ranges))
    columns = {x: IndexedComponent(POINTS, k) for k, x in enumerate(variables)}

    def leaf(e: Expr) -> Node | None:
        return values.get(e) or columns[e] if isinstance(e, Symbol) else None

    def stacked(exprs: Sequence[Expr]) -> Node:
        nodes = (expression_node(e, leaf, POINTS) for e in exprs)
        return Call(f"{RUNTIME}.tensor_helpers.stack_components", (POINTS, *nodes))

    values: dict[Symbol, Node] = {}
    for symbol, value in term.values:
        path = ItemList(derivative_path(value.derivative))
        derivatives = Call(f"{RUNTIME}.diff.autodiff.partial_derivatives", (Ref("model"), stacked(value.point), path))
        node: Node = IndexedComponent(derivatives, 0)
        if value.history is not None:
            past, after = (expression_node(e, leaf, POINTS) for e in (value.history, value.point[-1] - value.start))
            node = Call(f"{RUNTIME}.quadrature.with_history", (after, past, derivatives))
        values[symbol] = node
    integrand = expression_node(term.integrand, leaf, POINTS)
    if not term.ranges:
        return integrand
    limits = (Lambda(("points",), stacked((r.lower, r.upper, *r.kinks))) for r in term.ranges)
    periods = tuple(k for k, r in enumerate(term.ranges) if r.periodic)
    named = (("periodic", ItemList(periods)),) if periods else ()
    return Call(f"{RUNTIME}.quadrature.integral", (Lambda(("points",), integrand), POINTS, *limits), named)


def _fractional_laplacian(term: NonlocalTerm, problem: StrongForm) -> Node:
    """By the Fourier symbol, on periodic grids that start at the points."""
    ((_, value),) = term.values
    path = ItemList(derivative_path(value.derivative))
    derivatives = Call(f"{RUNTIME}.diff.autodiff.partial_derivatives", (Ref("model"), POINTS, path))
    periods = ItemList(tuple(float(i.end - i.start) for i in problem.domain.intervals[: len(problem.domain.space)]))
    function = Lambda(("points",), IndexedComponent(derivatives, 0))
    return Call(f"{RUNTIME}.fractional.fractional_laplacian", (function, POINTS, float(term.power), periods))


def _exact(problem: StrongForm, spec: Spec) -> Iterator[FunctionDefinition]:
    known = [e for e in problem.exact if e is not None]
    if len(known) != len(problem.exact):
        return
    yield point_function("exact", "The exact solution stated in the spec.", known, problem)


def point_function(name: str, doc: str, exprs: Sequence[Expr], problem: StrongForm) -> FunctionDefinition:
    """Expressions in the coordinates as one function of points."""
    names = PythonNames(problem, None)
    result = Call(f"{RUNTIME}.tensor_helpers.stack_components", (POINTS, *(_node(e, names) for e in exprs)))
    return FunctionDefinition(
        name, (("points", None),), doc, tuple(names.coordinates(*exprs)), result, returns=ReturnType.TENSOR
    )


def derivative_path(derivative: Derivative) -> tuple[int, ...]:
    """The component, then each coordinate repeated as often as it is differentiated by."""
    return (derivative.component, *(k for k, n in enumerate(derivative.orders) for _ in range(n)))


def fields_of(expr: Expr, problem: StrongForm) -> tuple[Learned, ...]:
    heads = {f.head for f in atoms(expr, Field)}
    return tuple(w for w in problem.parameters if w.head in heads)


def eigenvalue_parts(problem: StrongForm) -> tuple[Symbol, ...]:
    """The real number of an eigenproblem, or its real and imaginary part: arguments of the residuals."""
    return () if problem.eigenvalue is None else problem.eigenvalue.parts


class PythonNames:
    """A Python name for each coordinate and symbol of a residual."""

    def __init__(self, problem: StrongForm, residual: Residual | None) -> None:
        self.statement = problem
        jet_variables = [s for s, _ in (*residual.jet_variables, *residual.nonlocal_terms)] if residual else []
        own = {python_name(w) for w in problem.parameters}
        self.of = _python_names([*problem.domain.coordinates, *eigenvalue_parts(problem), *jet_variables], own)

    def coordinates(self, *exprs: Expr) -> Iterator[Binding]:
        """Bindings of the coordinates that the expressions use."""
        read = {s for e in exprs for s in e.free_symbols}
        for k, x in enumerate(self.statement.domain.coordinates):
            if x in read:
                yield Binding(self.of[x], IndexedComponent(POINTS, k))

    def leaf(self, e: Expr) -> Node | None:
        match e:
            case Symbol():
                return Ref(self.of[e])
            case MeshNormal(axis=axis):
                return IndexedComponent(NORMAL, axis)
            case Field(head=head):
                return IndexedComponent(Method(Ref(self._field(head)), "", (POINTS,)), 0)
            case Partial(body=Field(head=head), slots=slots):
                path = (0, *sorted(self.statement.domain.coordinates.index(s) for s in slots))
                return IndexedComponent(
                    Call(
                        f"{RUNTIME}.diff.autodiff.partial_derivatives", (Ref(self._field(head)), POINTS, ItemList(path))
                    ),
                    0,
                )
            case Mul(args=args) if sum(bool(a.is_number) for a in args) > 1:
                factor = Mul(*(a for a in args if a.is_number))
                rest = tuple(_node(a, self) for a in args if not a.is_number)
                return Operation("*", (float(factor), *rest))
        return None

    def _field(self, head: Symbol) -> str:
        return next(python_name(w) for w in self.statement.parameters if w.head == head)


def _python_names(symbols: Iterable[Symbol], taken: set[str]) -> dict[Symbol, str]:
    names: dict[Symbol, str] = {}
    for symbol in symbols:
        name = re.sub(r"\W", "_", normalize("NFKC", symbol.name))
        name = name if name.isidentifier() else f"_{name}"
        while iskeyword(name) or name in (LOCAL_NAMES - {"x", "t"}) | taken | set(names.values()):
            name += "_"
        names[symbol] = name
    return names


def _node(expr: Expr, names: PythonNames) -> Node:
    return expression_node(expr, names.leaf, POINTS)


def _at_points(expr: Expr, names: PythonNames) -> Node:
    return (
        Call(f"{RUNTIME}.tensor_helpers.broadcast_scalar", (POINTS, float(expr)))
        if expr.is_number
        else _node(expr, names)
    )


# ---- Network of the unknowns


MAX_LISTED_NAMES = 8  # more coordinates are abbreviated in the docstring
MAX_LISTED_INTERVALS = 3  # more intervals are emitted as [interval] * n


def solve_functions(plan: SolvePlan, spec: Spec) -> tuple[FunctionDefinition, ...]:
    return (_model(plan), *_hard_constraint_functions(plan), *residual_functions(plan.problem, spec))


def _model(plan: SolvePlan) -> FunctionDefinition:
    problem = plan.problem
    unknowns = ", ".join(c.name for c in problem.components)
    names = [x.name for x in problem.domain.coordinates]
    coordinates = ", ".join(names if len(names) <= MAX_LISTED_NAMES else [*names[:2], "…", *names[-2:]])
    doc = f"{unknowns} at points (n, {len(names)}) with coordinates {coordinates}; untrained."
    network = _network(plan)
    if _has_hard_constraints(plan.hard_constraints):
        parts = (_function_reference("lift"), _function_reference("distance"))
        network = Call(f"{RUNTIME}.hard_constraints.HardConstraintNetwork", (network, *parts))
    return FunctionDefinition("model", (("seed", 0),), doc, (), network)


def _has_hard_constraints(built: HardConstraints) -> bool:
    return any(a.base != 0 or a.factor != 1 for a in built.parts)


def _function_reference(name: str) -> Node:
    return Lambda(("points",), Call(name, named=(("points", POINTS),)))


def _network(plan: SolvePlan) -> Node:
    chosen, domain = plan.network, plan.problem.domain
    named: list[tuple[str, Node]] = [
        ("width", chosen.width),
        ("depth", chosen.depth),
        ("outputs", len(plan.problem.components)),
        ("activation", chosen.activation.name),
        ("seed", Ref("seed")),
    ]
    if plan.hard_constraints.symmetry is not None:
        axis, signs, *shift = plan.hard_constraints.symmetry.arguments
        named.append(("symmetry", ItemList((axis, ItemList(signs), *shift))))
    return Call(f"{RUNTIME}.diff.mlp_jets.JetNetwork.on_box", (_interval_list(domain.intervals),), tuple(named))


def _interval_list(intervals: tuple[Interval, ...]) -> Node:
    """The intervals, listed one by one, or runs of equal ones as [interval] * n."""
    every = [ItemList((float(i.start), float(i.end), i.periodic)) for i in intervals]
    if len(every) <= MAX_LISTED_INTERVALS:
        return ItemList(tuple(every), square=True)
    runs = [(interval, len(list(same))) for interval, same in groupby(every)]
    parts = tuple(Operation("*", (ItemList((interval,), square=True), count)) for interval, count in runs)
    return Operation("+", parts) if len(parts) > 1 else parts[0]


def _hard_constraint_functions(plan: SolvePlan) -> tuple[FunctionDefinition, ...]:
    """The functions `lift` and `distance`, if conditions are imposed exactly."""
    if not _has_hard_constraints(plan.hard_constraints):
        return ()
    parts, problem = plan.hard_constraints.parts, plan.problem
    lift_doc = "Satisfies the boundary and initial conditions that are imposed exactly."
    distance_doc = "Vanishes where these are imposed: lift + distance·N satisfies them for every N."
    return (
        point_function("lift", lift_doc, [a.base for a in parts], problem),
        point_function("distance", distance_doc, [a.factor for a in parts], problem),
    )
