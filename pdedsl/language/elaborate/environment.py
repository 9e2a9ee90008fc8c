"""Environment: the declared names of a spec and their values. All symbols are created here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import get_args

from sympy import Expr, I, Integer, Symbol, Tuple, default_sort_key, sympify
from sympy.core.symbol import Str

from pdedsl import errors
from pdedsl.config.networks import NORMALIZATIONS
from pdedsl.diagnostics import PdeError, Reporter, Span, closest_match
from pdedsl.ir.spec import (
    Constant,
    EigenvalueUnknown,
    FamilyParameter,
    Interval,
    Learned,
    Space,
    SpaceKind,
    Time,
    Unknown,
)
from pdedsl.ir.types import Channels, Eigenvalue, Matrix, Operator, Scalar, Simplex, Type, Vector
from pdedsl.language import ast as t
from pdedsl.language.elaborate.expression_limits import report_exceeded_limits
from pdedsl.language.elaborate.expressions import (
    FUNCTIONS,
    argument_components,
    components,
    evaluate,
    have_parameter_ranks,
    require_arity,
    require_constant,
    require_distinct,
    tensor,
)
from pdedsl.language.elaborate.families import (
    interval_parameter,
    random_coefficient,
    random_coefficients,
    random_function,
)
from pdedsl.language.elaborate.options import elaborate_option
from pdedsl.language.elaborate.scope import Scope
from pdedsl.language.elaborate.types import elaborate_type, initial_value, is_complex_type, network_of
from pdedsl.language.elaborate.values import (
    Function,
    LinearMap,
    Tensor,
    Value,
    collect_domain,
    describe,
    require_defined,
    scalar,
)
from pdedsl.language.names import canonical_name, split_product, unicode_name
from pdedsl.numerics.activations import MAXMIN
from pdedsl.symbolic.calculus import apply_linear
from pdedsl.symbolic.complex_numbers import is_complex
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Applied, Field, Layer, Transposed

# ---- Constants


def number_constant(declaration: t.ConstDecl, value: Expr) -> tuple[Constant, Tensor]:
    """A numeric constant: `const σ² = 0.2` defines σ as the real root; the symbol carries its sign as an assumption."""
    name, n = declaration.name.text, declaration.power
    if n == 0 or (n % 2 == 0 and value.is_negative):
        raise errors.types.no_real_root(name, declaration.value.span)
    root = value ** (Integer(1) / n) if not value.is_negative else -((-value) ** (Integer(1) / n))
    sign = {"positive": True} if root.is_positive else {"negative": True} if root.is_negative else {"zero": True}
    symbol = Symbol(name, **sign)
    return Constant(name, symbol, root, declaration.span), scalar(symbol if root != 0 else Integer(0))


def tensor_constant(declaration: t.ConstDecl, value: Tensor, numbers: Mapping[Symbol, Expr]) -> tuple[Constant, Tensor]:
    """A constant vector or matrix, by its entries."""
    if declaration.power != 1:
        raise errors.types.power_of_tensor_constant(declaration.span)
    if value.size is None:
        raise errors.types.not_constant(declaration.value.span)
    name, entries = declaration.name.text, components(value).xreplace(numbers)
    for entry in entries if value.rank == 1 else chain.from_iterable(entries):
        require_constant(entry, declaration.value.span)
    result = Constant(name, Symbol(name, real=True), entries, declaration.span)
    return result, Tensor(value.rank, lambda *i: _entry(entries, i), value.size)


def _entry(entries: Expr, index: tuple[Expr, ...]) -> Expr:
    for i in index:
        entries = entries[int(i) - 1]
    return entries


# ---- Fields


def field_value(head: Symbol, type_: Type, arguments: tuple[Expr, ...], scope: Scope) -> Value:
    """A field at its arguments."""
    dimension = scope.dimension
    match type_:
        case Scalar():
            return scalar(Field(head, (), arguments))
        case Simplex(classes=classes):
            return Tensor(0, lambda: Field(head, (), arguments), classes, "simplex")
        case Channels():
            return scalar(Field(head, (), arguments), "channels")
        case Vector(size=2, is_complex=True):
            return scalar(_complex_component(head, 1, arguments))
        case Vector(size=size, is_complex=True):
            return Tensor(1, lambda i: _complex_component(head, int(i), arguments), (size or 0) // 2)
        case Vector(size=size):
            return Tensor(1, lambda i: Field(head, (i,), arguments), size or dimension)
        case Matrix(psd=psd, symmetric=symmetric):
            both = psd or symmetric
            return Tensor(2, lambda i, j: Field(head, _sorted_pair(i, j) if both else (i, j), arguments), dimension)
        case Operator():
            return _linear_operator(Field(head, (), arguments), scope.space)
        case Eigenvalue():
            return scalar(head)


def _complex_component(head: Symbol, k: int, arguments: tuple[Expr, ...]) -> Expr:
    """ψₖ = Re ψₖ + i Im ψₖ, components 2k - 1 and 2k of the real vector."""
    real, imaginary = (Field(head, (Integer(j),), arguments) for j in (2 * k - 1, 2 * k))
    return real + I * imaginary


def _sorted_pair(i: Expr, j: Expr) -> tuple[Expr, Expr]:
    a, b = sorted((i, j), key=default_sort_key)
    return a, b


def _linear_operator(operator: Expr, space: Space) -> LinearMap:
    spatial = set(space.coordinates)

    def apply(x: Tensor, at: Span) -> Tensor:
        if x.kind == "simplex" or x.kind == "features":
            raise errors.types.invalid_operand(x.describe(), at)
        if x.rank == 0 and x.kind == "number":
            return scalar(apply_linear(operator, x.expr, lambda e: not (e.free_symbols & spatial)), "features")
        if x.rank == 0:
            return scalar(apply_linear(operator, x.expr, lambda e: not (e.free_symbols & spatial)), x.kind)
        return scalar(Applied(operator, components(x)), "features")

    return LinearMap(apply, lambda: _linear_operator(Transposed(operator), space))


def apply_operator(value: Value, args: tuple[Value, ...], span: Span, name: t.Name) -> Value:
    """`K(Y)`: an operator applied to its argument."""
    if isinstance(value, LinearMap) and len(args) == 1 and isinstance(args[0], Tensor):
        return value.apply(args[0], span)
    raise errors.types.invalid_call(name.text, describe(value), span)


# ---- Undeclared names that look like derivatives of an unknown


MAX_SUBSCRIPT_LENGTH = 4  # of an unknown, as in u_xxyy


def declared_variables(declared: Mapping[str, t.Statement]) -> tuple[list[str], bool]:
    """The names of coordinates and time, and whether there is a time."""
    times = [n for n, d in declared.items() if isinstance(d, t.TimeDecl)]
    return [unicode_name(n) for n, d in declared.items() if isinstance(d, t.SpaceDecl)] + times, bool(times)


def suggest_derivative(name: t.Name, declared: Mapping[str, t.Statement]) -> PdeError | None:
    """The error for `u_yy` with an undeclared coordinate, `uxx` for u_xx, `Du`, `du`."""
    known, timed = declared_variables(declared)
    for unknown in (d.name for d in declared.values() if isinstance(d, t.UnknownDecl) and d.params):
        if name.id == f"D{unknown.id}":
            return errors.names.material_derivative(name.text, unknown.text, name.span)
        if name.id == f"d{unknown.id}":
            return errors.names.differential(name.text, unknown.text, name.span)
        same = name.text.lower().startswith(f"{unknown.text}_".lower())  # U_xx for u_xx
        below = name.text[len(unknown.text) :] if same else name.text.removeprefix(unknown.text)
        suffix = below.replace("_", "")
        if below == name.text or not suffix.isalpha() or len(suffix) > MAX_SUBSCRIPT_LENGTH:
            continue
        missing = [variable for variable in suffix if variable not in known]
        if not missing:
            return errors.names.unknown_name(name.text, f"{unknown.text}_{suffix}", False, timed, name.span)
        if below[0] == "_" and len({*suffix} - {*known}) == 1:
            return errors.names.unknown_variable(missing[0], known, timed, name.span)
    base, _, below = name.text.rpartition("_")
    if not base or not below or not {*below} <= {*known, *"xyzt"} or canonical_name(base) in declared:
        return None
    unknowns = {d.name.text for d in declared.values() if isinstance(d, t.UnknownDecl)}
    if not unknowns:  # `u_xx`, where u is not declared
        return errors.names.unknown_name(base, None, True, timed, name.span, first=True)
    factor = next((base.removesuffix(u) for u in unknowns if base.endswith(u)), "")
    meant = f"{factor} {name.text.removeprefix(factor)}" if canonical_name(factor) in declared else None  # `ku_xx`
    return errors.names.unknown_name(name.text, meant, False, timed, name.span) if meant else None


# ---- Environment


MAX_CALLS = 2000  # of functions defined by `let`, including nested calls: nested definitions can double at each level
MAX_DEFINITION_DEPTH = 100  # definitions that depend on each other in a chain
MAX_ERRORS = 100  # errors after which elaboration stops


class AlreadyReported(PdeError):
    """A consequence of an error that was already reported."""

    def __init__(self) -> None:
        super().__init__(())


@dataclass
class NameUses:
    """How names occur in a text: with how many arguments, in products with `·` or `:`, with an index."""

    calls: dict[str, int] = field(default_factory=dict)
    contracted: set[str] = field(default_factory=set)
    indexed: set[str] = field(default_factory=set)


def uses_of_names(syntax: t.Syntax) -> NameUses:
    uses = NameUses()
    for node in (n for statement in syntax.statements for n in t.walk(statement)):
        match node:
            case t.Call(head=t.Name(id=name), args=args):
                uses.calls[name] = len(args)
            case t.Index(body=t.Name(id=name)):
                uses.indexed.add(name)
            case t.Product(factors=factors):
                pairs = zip(factors, [*factors[1:], ("", None)], strict=True)
                uses.contracted |= {
                    f.id for (s, f), (after, _) in pairs if isinstance(f, t.Name) and {s, after} & {"·", ":"}
                }
    return uses


@dataclass
class Environment:
    """The declared names of a spec, each resolved when it is first used, in any order."""

    reporter: Reporter
    folder: Path = Path()  # of the spec, to which the names of files are relative
    uses: NameUses = field(default_factory=NameUses)
    declared: dict[str, t.Declaration] = field(default_factory=dict)
    space: Space | None = None
    time: Time | None = None
    antiperiodic: dict[int, Span] = field(default_factory=dict)  # axes
    types: dict[str, Type] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    unknowns: dict[str, Unknown] = field(default_factory=dict)
    learned: dict[str, Learned] = field(default_factory=dict)
    eigenvalue: EigenvalueUnknown | None = None
    used: set[str] = field(default_factory=set)
    unresolved: set[str] = field(default_factory=set)
    _resolving: list[str] = field(default_factory=list)
    _call_stack: list[str] = field(default_factory=list)
    _call_count: int = 0
    numbers: dict[Symbol, Expr] = field(default_factory=dict)  # values of the resolved constants
    _domains: dict[str, list[Expr]] = field(default_factory=dict)

    # ---- Scopes
    def scope(self) -> Scope:
        if self.space is None:
            raise AlreadyReported
        return Scope(self.space, self.time.symbol if self.time else None, self)

    def constant_scope(self) -> Scope:
        """The scope of constant expressions: only constants are visible."""
        return Scope(Space(SpaceKind.DATA, (), 0, (), True), None, self, constant=True)

    def number(self, expr: t.Expr) -> Expr:
        """The exact value of a constant expression."""
        try:
            value = tensor(expr, self.constant_scope(), 0).expr
        except AlreadyReported as known:  # or a space declared by its own coordinates
            raise known if self.reporter.errors else errors.types.not_constant(expr.span) from None
        return require_constant(value.xreplace(self.numbers), expr.span)

    # ---- Protocol `Names`
    def value(self, name: t.Name) -> Value:
        """The value of a name."""
        declaration = self._find(name)
        if name.id in self.values:
            require_defined(self._domains[name.id])
            return self.values[name.id]
        if len(self._resolving) > MAX_DEFINITION_DEPTH:
            raise errors.names.long_definition_chain(MAX_DEFINITION_DEPTH, name.span)
        if name.id in self._resolving:
            cycle = [*self._resolving[self._resolving.index(name.id) :], name.id]
            raise errors.names.circular_definition(name.text, name.span, [unicode_name(n) for n in cycle])
        self._resolving.append(name.id)
        try:
            with collect_domain() as self._domains[name.id]:
                self.values[name.id] = self._resolve(name, declaration)
        except PdeError:
            self.unresolved.add(name.id)
            raise
        finally:
            self._resolving.pop()
        return self.value(name)

    def variable(self, name: t.Name) -> Value:
        """The value of a name after ∂; if it is undeclared, the error suggests a coordinate or the time."""
        if self.is_undeclared(name.id):
            raise errors.names.unknown_variable(name.text, *declared_variables(self.declared), name.span)
        return self.value(name)

    def callable(self, name: t.Name) -> bool:
        declaration = self._find(name, called=True)
        return isinstance(declaration, t.UnknownDecl | t.LearnDecl | t.LetDecl | t.ParameterFunctionDecl) and (
            bool(declaration.params) or not isinstance(self.value(name), Tensor)
        )

    def call(self, name: t.Name, args: tuple[Value, ...], span: Span) -> Value:
        """A declared function at arguments."""
        declaration = self._find(name)
        match declaration:
            case t.LetDecl(params=None) | t.ParameterFunctionDecl():
                value = self.value(name)
                if isinstance(value, Function):
                    return value.call(args, span)
                return apply_operator(value, args, span, name)
            case t.LetDecl():
                return self._let_at(declaration, args, span)
            case t.UnknownDecl() | t.LearnDecl():
                self.value(name)
                type_ = self.types[name.id]
                if isinstance(type_, Operator) and not self._is_called_with_own_parameters(declaration, args):
                    return apply_operator(self.value(name), args, span, name)
                head = self.unknowns[name.id].head if name.id in self.unknowns else self.learned[name.id].head
                return field_value(head, type_, self._arguments(declaration, args, span), self.scope())
            case _:
                raise errors.types.not_a_function(name.text, describe(self.value(name)), span)

    def layer(self, call: t.Call) -> Function | None:
        """`tv_norm(eps=1e-3)`: a normalization, as a function of a feature map."""
        if not (isinstance(call.head, t.Name) and call.head.id in NORMALIZATIONS and call.head.id not in self.declared):
            return None
        layer = elaborate_option(call, NORMALIZATIONS, "normalization", self.number).config
        settings = Tuple(*(Tuple(Str(k), sympify(v)) for k, v in layer.arguments.items()))

        def apply(args: tuple[Value, ...], span: Span) -> Value:
            if len(args) != 1 or not isinstance(args[0], Tensor) or args[0].rank or args[0].kind != "channels":
                raise errors.types.needs_feature_map(layer.name, span)
            return scalar(Layer(Str(layer.name), settings, args[0].expr), "channels")

        return Function(layer.name, apply, "one feature map")

    # ---- Resolution
    def resolve_all(self) -> None:
        """Resolves every declaration and reports its errors; this does not count as a use of the name."""
        for id_, declaration in self.declared.items():
            names = declaration.names if isinstance(declaration, t.SpaceDecl) else (declaration.name,)
            fresh = id_ not in self.used
            if len(self.reporter.errors) >= MAX_ERRORS:
                break
            with self.reporter.guard(), report_exceeded_limits(declaration.span):
                self.value(next(n for n in names if n.id == id_))
            if fresh:
                self.used.discard(id_)

    def is_undeclared(self, name: str) -> bool:
        """Whether a name is not declared."""
        return name not in self.declared and not self._is_unresolved(name)

    def unknown_names(self) -> tuple[str, ...]:
        return tuple(d.name.text for d in self.declared.values() if isinstance(d, t.UnknownDecl))

    def time_interval(self) -> Interval | None:
        return Interval(self.time.start, self.time.end) if self.time else None

    def has_complex_unknown(self) -> bool:
        """Whether i is the imaginary unit where it is not declared."""
        return any(isinstance(d, t.UnknownDecl) and is_complex_type(d) for d in self.declared.values())

    def _is_unresolved(self, name: str) -> bool:  # its declaration has an error, or, for `u_t`, that of `u`
        return name in self.unresolved or (name not in self.declared and name.partition("_")[0] in self.unresolved)

    def _find(self, name: t.Name, called: bool = False) -> t.Declaration:
        self.used.add(name.id)
        if self._is_unresolved(name.id):
            raise AlreadyReported
        if name.id not in self.declared:
            raise self._unknown_name(name, called)
        return self.declared[name.id]

    def _unknown_name(self, name: t.Name, called: bool) -> PdeError:
        if name.id == MAXMIN.name:
            return errors.names.frame_activation(name.text, name.span)
        if (error := suggest_derivative(name, self.declared)) is not None:
            return error
        if (feature := errors.unsupported.feature_of_name(name.text, called)) is not None:
            return errors.unsupported.not_supported(feature, name.span)
        words = {*self.declared, *FUNCTIONS, "pi", "softmax", *(get_args(t.Operator) if called else ())}
        guess = closest_match(name.id, words)
        meant = split_product(name.text, {*words, *map(unicode_name, words)}) or (guess and unicode_name(guess))
        first = not any(isinstance(d, t.UnknownDecl) for d in self.declared.values())
        at = max((d.span.end for d in self.declared.values()), default=name.span.start)
        declarations = self._possible_declarations(name)
        return errors.names.unknown_name(
            name.text, meant, called, self.time is not None, name.span, first, declarations, at
        )

    def _possible_declarations(self, name: t.Name) -> tuple[str, ...]:
        """Statements that declare a name as it is used: a function, a field, an eigenvalue or a number."""
        variables, timed = declared_variables(self.declared)
        if self.space is None or self.space.kind is SpaceKind.PIXELS or name.id in self.uses.indexed:
            return ()
        if name.id in self.uses.calls:
            count, coordinates = self.uses.calls[name.id], variables[: len(variables) - timed]
            arguments = next((v for v in (variables, coordinates) if len(v) == count), None)
            return (f"let {name.text}({', '.join(arguments)}) = 1",) if arguments else ()
        if name.id in self.uses.contracted:
            is_field = self.space.kind is SpaceKind.DATA
            return (f"learn {name.text}({', '.join(variables)}) : vector = mlp",) if is_field else ()
        constant = f"const {name.text} = 1"
        is_eigenvalue = name.id == "lambda" and not timed and self.space.kind is SpaceKind.PHYSICAL
        return (f"unknown {name.text} : eigenvalue", constant) if is_eigenvalue else (constant,)

    def _resolve(self, name: t.Name, declaration: t.Declaration) -> Value:
        match declaration:
            case t.ConstDecl():
                return self._constant(declaration)
            case t.LetDecl():
                return self._let(declaration)
            case t.UnknownDecl() | t.LearnDecl():
                return self._declare_field(declaration)
            case t.ParameterDecl():
                return self._declare_parameter(interval_parameter(declaration, self.number))
            case t.RandomDecl():
                return self._declare_parameter(random_coefficient(declaration, self.number))
            case t.ParameterFunctionDecl():
                return self._declare_random_function(declaration)
            case t.SpaceDecl():
                return self._coordinate(name)
            case t.TimeDecl():
                if self.time is None:
                    raise AlreadyReported
                return scalar(self.time.symbol)

    def _constant(self, declaration: t.ConstDecl) -> Value:
        value = tensor(declaration.value, self.constant_scope())
        if value.rank:
            made, meaning = tensor_constant(declaration, value, self.numbers)
        else:
            made, meaning = number_constant(declaration, self.number(declaration.value))
            self.numbers[made.symbol] = made.value
        self.constants[declaration.name.id] = replace(made, range=self._range(declaration, made))
        return meaning

    def _range(self, declaration: t.ConstDecl, constant: Constant) -> tuple[Expr, Expr] | None:
        """The range of a slider: that of the power which is written, as the value is."""
        if declaration.range is None:
            return None
        if not constant.value.is_number or len(declaration.range.items) != 2:
            raise errors.families.range_not_scalar(declaration.range.span)
        low, high = (self.number(item) for item in declaration.range.items)
        if not low < high:
            raise errors.types.empty_interval(notation(low), notation(high), declaration.range.span)
        if not low <= self.number(declaration.value) <= high:
            raise errors.families.outside_range(declaration.range.span)
        return low, high

    # ---- Parameters of families
    def _declare_parameter(self, parameter: FamilyParameter) -> Value:
        if self.scope().space.kind is not SpaceKind.PHYSICAL:
            raise errors.families.data_space(parameter.span)
        self.types[parameter.id] = parameter.type
        self.learned[parameter.id] = parameter
        return field_value(parameter.head, parameter.type, (), self.scope())

    def _declare_random_function(self, declaration: t.ParameterFunctionDecl) -> Value:
        """A function of coordinates: the sum of an expansion with random coefficients."""
        require_distinct(declaration.params)
        process, coefficients = random_coefficients(declaration, self.number)
        for coefficient in coefficients:
            self._declare_parameter(coefficient)
        space = self.scope().space
        own = tuple(a for p in declaration.params for a in self._flat(p, self.value(p), p.span))
        if not set(own) <= set(space.coordinates) or not space.intervals:
            raise errors.families.not_a_coordinate(declaration.span)
        box = tuple(space.intervals[space.coordinates.index(a)] for a in own)

        def call(args: tuple[Value, ...], span: Span) -> Value:
            require_arity(declaration.name, declaration.params, args, span)
            flat = (e for p, a in zip(declaration.params, args, strict=True) for e in self._flat(p, a, span))
            return scalar(random_function(process, coefficients, tuple(flat), box))

        arity = f"{len(declaration.params)} argument{'s' * (len(declaration.params) != 1)}"
        return Function(declaration.name.text, call, arity)

    def _let(self, declaration: t.LetDecl) -> Value:
        params = declaration.params
        if params is None:
            return evaluate(declaration.value, self.scope())
        require_distinct(params)
        if all(p.id in self.declared for p in params):
            return self._let_at(declaration, tuple(self.value(p) for p in params), declaration.span)
        arity = f"{len(params)} argument{'s' * (len(params) != 1)}"
        return Function(declaration.name.text, lambda args, span: self._let_at(declaration, args, span), arity)

    def _let_at(self, declaration: t.LetDecl, args: tuple[Value, ...], span: Span) -> Value:
        params = declaration.params or ()
        require_arity(declaration.name, params, args, span)
        for param, argument in zip(params, args, strict=True):
            if param.id in self.declared:
                self._flat(param, argument, span)
        local = {p.id: a for p, a in zip(params, args, strict=True)}
        base, name = self.scope(), declaration.name
        if name.id in self._call_stack:
            raise errors.names.circular_definition(name.text, declaration.span)
        self._call_count += 1
        if self._call_count > MAX_CALLS:
            raise errors.syntax.too_many_calls(MAX_CALLS, span)
        self._call_stack.append(name.id)
        try:
            return evaluate(declaration.value, Scope(base.space, base.time, self, local))
        finally:
            self._call_stack.pop()

    def _declare_field(self, declaration: t.UnknownDecl | t.LearnDecl) -> Value:
        name = declaration.name
        dimension = self.scope().space.dimension
        type_ = elaborate_type(declaration, self.number, dimension if isinstance(dimension, int) else None)
        if isinstance(type_, Vector) and type_.is_complex and self.scope().space.kind is not SpaceKind.PHYSICAL:
            raise errors.types.complex_unknown_in_data_space(declaration.span)
        if isinstance(type_, Eigenvalue):
            return self._declare_eigenvalue(declaration)
        params = declaration.params or ()
        if isinstance(declaration, t.UnknownDecl) and not params:
            known = [n for n, d in self.declared.items() if isinstance(d, t.SpaceDecl | t.TimeDecl)]
            raise errors.names.unknown_without_arguments(name.text, known, declaration.span)
        require_distinct(params)
        arguments = self._own_arguments(params)
        sign = {">": {"positive": True}, ">=": {"nonnegative": True}}.get(getattr(type_, "sign", ""), {"real": True})
        if isinstance(type_, Vector) and type_.is_complex:
            sign = {"complex": True}  # printed as Re and Im
        head = Symbol(name.text, **sign)
        self.types[name.id] = type_
        net = network_of(declaration, type_, self.number)
        if isinstance(declaration, t.UnknownDecl):
            self.unknowns[name.id] = Unknown(name.text, head, type_, arguments, net, declaration.span)
        else:
            start = initial_value(declaration, type_, self.number)
            names = tuple(p.text for p in params)
            self.learned[name.id] = Learned(
                name.text, name.id, head, type_, names, arguments, net, declaration.span, start
            )
        return field_value(head, type_, arguments, self.scope())

    def _declare_eigenvalue(self, declaration: t.UnknownDecl | t.LearnDecl) -> Value:
        """The eigenvalue: a real symbol, or λ = Re λ + i Im λ if there is a complex unknown."""
        name, span = declaration.name, declaration.span
        if declaration.params or declaration.net is not None:
            raise errors.eigenproblems.eigenvalue_with_arguments(name.text, span)
        if self.eigenvalue is not None:
            raise errors.eigenproblems.several_eigenvalues(self.eigenvalue.name, name.text, span)
        if self.scope().space.kind is not SpaceKind.PHYSICAL:
            raise errors.eigenproblems.no_physical_domain(span)
        if self.time is not None:
            raise errors.eigenproblems.time_in_eigenproblem(self.time.name, self.time.span)
        suffixes = ("_re", "_im") if self.has_complex_unknown() else ("",)
        parts = tuple(Symbol(f"{name.text}{suffix}", real=True) for suffix in suffixes)
        self.eigenvalue = EigenvalueUnknown(name.text, parts, span)
        return scalar(parts[0] + I * parts[1] if len(parts) == 2 else parts[0])

    def _coordinate(self, name: t.Name) -> Value:
        scope, declaration = self.scope(), self.declared[name.id]
        assert isinstance(declaration, t.SpaceDecl)
        if len(declaration.names) == 1 and scope.dimension != 1:
            return scope.position()
        return scalar(scope.space.coordinates[declaration.names.index(name)])

    # ---- Arguments
    def _own_arguments(self, params: tuple[t.Name, ...]) -> tuple[Expr, ...]:
        """The declared arguments of a field."""
        arguments: list[Expr] = []
        for param in params:
            if not isinstance(self.declared.get(param.id), t.SpaceDecl | t.TimeDecl | t.UnknownDecl):
                self.variable(param)
                raise errors.names.invalid_argument(param.text, param.span)
            arguments += self._flat(param, self.value(param), param.span)
        return tuple(arguments)

    def _arguments(
        self, declaration: t.UnknownDecl | t.LearnDecl, args: tuple[Value, ...], span: Span
    ) -> tuple[Expr, ...]:
        params = declaration.params or ()
        require_arity(declaration.name, params, args, span)
        return tuple(e for p, a in zip(params, args, strict=True) for e in self._flat(p, a, span))

    def _flat(self, param: t.Name, value: Value, span: Span) -> list[Expr]:
        items = argument_components(param, self.value(param), value, span, self.space)
        if any(is_complex(e) for e in items):
            raise errors.types.complex_value("an argument", span)
        return items

    def _is_called_with_own_parameters(self, declaration: t.UnknownDecl | t.LearnDecl, args: tuple[Value, ...]) -> bool:
        """Whether an operator is called with its own parameters, `K(t)`, rather than applied."""
        params = declaration.params or ()
        return bool(params) and len(params) == len(args) and have_parameter_ranks([self.value(p) for p in params], args)
