"""Programs of constructor calls for code generation: executed to build modules, and printed as Python."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import field, fields, is_dataclass, replace
from enum import StrEnum
from functools import cached_property, reduce
from importlib import import_module
from typing import Any, assert_never

from pdedsl.record import Record

LiteralValue = int | float | str | bool | None


class Ref(Record):
    """A parameter or an earlier binding."""

    name: str


class UserSymbol(Record):
    """A function or class of user code."""

    module: str
    name: str


class Call(Record):
    """A function or class by its import path, called: `torch.nn.Sequential(…)`."""

    path: str | UserSymbol
    args: tuple[Node, ...] = ()
    named: tuple[tuple[str, Node], ...] = ()


class Method(Record):
    """`of.name(…)`; an empty name calls `of` itself."""

    of: Node
    name: str
    args: tuple[Node, ...] = ()
    named: tuple[tuple[str, Node], ...] = ()


class Lambda(Record):
    """`lambda params: body`; `label` is the name it gets where it is emitted as a function."""

    params: tuple[str, ...]
    body: Node
    label: str = field(default="formula", compare=False)


class ItemList(Record):
    """A tuple or a list."""

    values: tuple[Node, ...]
    square: bool = False


class Repeat(Record):
    """`[body for _ in range(count)]`."""

    count: int
    body: Node


class IndexedComponent(Record):
    """`of[..., index]`."""

    of: Node
    index: int
    second: int | None = None


class Operation(Record):
    """An arithmetic operation: + * ** //, and - of one argument."""

    sign: str
    args: tuple[Node, ...]


Node = Ref | Call | Method | Lambda | ItemList | Repeat | IndexedComponent | Operation | LiteralValue


class Binding(Record):
    """`name = value`, with a comment above it."""

    name: str
    value: Node
    comment: str = ""


class ReturnType(StrEnum):
    """The return type of a function, as written in its annotation."""

    MODULE = "nn.Module"
    TENSOR = "Tensor"


class FunctionDefinition(Record):
    """`def name(params): bindings; return result`."""

    name: str
    params: tuple[tuple[str, LiteralValue | None], ...]
    doc: str
    bindings: tuple[Binding, ...]
    result: Node
    comment: str = ""
    returns: ReturnType = ReturnType.MODULE
    numbers: tuple[str, ...] = ()  # parameters without a default that are real numbers


class Program(Record):
    """Functions that build a model."""

    doc: str
    functions: tuple[FunctionDefinition, ...]

    def function(self, name: str) -> FunctionDefinition:
        return next(f for f in self.functions if f.name == name)

    def has(self, name: str) -> bool:
        return any(f.name == name for f in self.functions)


def iter_nodes(node: Node) -> Iterator[Node]:
    """A node and all its descendants."""
    yield node
    for child in child_nodes(node):
        yield from iter_nodes(child)


def child_nodes(node: Node) -> Iterator[Node]:
    """The nodes directly below a node; keyword arguments are pairs of a key and a node."""
    for f in fields(node) if is_dataclass(node) else ():
        value = getattr(node, f.name)
        for item in value if isinstance(value, tuple) else (value,):
            child = item[1] if isinstance(item, tuple) else item
            if is_dataclass(child):
                yield child  # type: ignore[misc]


def replace_children(node: Node, change: Callable[[Any], Node]) -> Node:
    """The node with the nodes directly below it changed."""

    def of(value: Any) -> Any:
        return tuple(map(of, value)) if isinstance(value, tuple) else change(value) if is_dataclass(value) else value

    return replace(node, **{f.name: of(getattr(node, f.name)) for f in fields(node)}) if is_dataclass(node) else node


# ---- Execution

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "**": operator.pow,
    "//": operator.floordiv,
}
Scope = dict[str, Any]
Evaluator = Callable[[Scope], Any]
"""A compiled node, evaluated many times: a drift is, at every step."""


def run_function(program: Program, name: str, **arguments: Any) -> Any:
    """The value of a function of the program."""
    function = program.function(name)
    scope: Scope = {**dict(function.params), **arguments}
    for binding in function.bindings:
        scope[binding.name] = compile_node(binding.value, program)(scope)
    return compile_node(function.result, program)(scope)


class Formula(Record):
    """A lambda of the program as a function that can be copied and pickled."""

    function: Lambda
    scope: tuple[tuple[str, Any], ...]
    program: Program

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        positional = dict(zip(self.function.params, arguments, strict=False))
        return self._body({**dict(self.scope), **positional, **named})

    @cached_property
    def _body(self) -> Evaluator:
        return compile_node(self.function.body, self.program)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}


def compile_node(node: Node, program: Program) -> Evaluator:
    def of(n: Node) -> Evaluator:
        return compile_node(n, program)

    match node:
        case Ref(name=name):
            return lambda scope: scope[name]
        case Call(path=path, args=args, named=named):
            if isinstance(path, str) and path.isidentifier():  # a function of the program itself
                keywords = [(k, of(v)) for k, v in named]
                return lambda scope: run_function(program, path, **{k: v(scope) for k, v in keywords})
            callee = resolve(path)
            return _compile_call(lambda _: callee, list(map(of, args)), [(k, of(v)) for k, v in named])
        case Method(of=owner, name=name, args=args, named=named):
            whole = of(owner)
            target = (lambda scope: getattr(whole(scope), name)) if name else whole
            return _compile_call(target, list(map(of, args)), [(k, of(v)) for k, v in named])
        case Lambda():
            return lambda scope: Formula(node, tuple(scope.items()), program)
        case ItemList(values=values, square=square):
            kind, parts = list if square else tuple, list(map(of, values))
            return lambda scope: kind([v(scope) for v in parts])
        case Repeat(count=count, body=body):
            once = of(body)
            return lambda scope: [once(scope) for _ in range(count)]
        case IndexedComponent(of=owner, index=index, second=second):
            whole, place = of(owner), (..., index) if second is None else (..., index, second)
            return lambda scope: whole(scope)[place]
        case Operation(sign=sign, args=args):
            return _compile_operation(sign, list(map(of, args)))
        case int() | float() | str() | None:
            return lambda scope: node
        case _:
            assert_never(node)


def _compile_call(target: Evaluator, args: list[Evaluator], named: list[tuple[str, Evaluator]]) -> Evaluator:
    return lambda scope: target(scope)(*[a(scope) for a in args], **{k: v(scope) for k, v in named})


def _compile_operation(sign: str, args: list[Evaluator]) -> Evaluator:
    if len(args) == 1:
        (only,) = args
        return lambda scope: -only(scope)
    first, *others = args
    operation = OPERATIONS[sign]
    if len(others) == 1:
        (second,) = others
        return lambda scope: operation(first(scope), second(scope))
    return lambda scope: reduce(lambda result, a: operation(result, a(scope)), others, first(scope))


def resolve(path: str | UserSymbol) -> Callable[..., Any]:
    """The object at an import path: a function or class of a module, or a method of such a class."""
    module, names = split_import_path(path)
    target: Any = import_module(module)
    for name in names:
        target = getattr(target, name)
    return target  # type: ignore[no-any-return]


def split_import_path(path: str | UserSymbol) -> tuple[str, list[str]]:
    """The module of a path, and the names within it: the module's path ends before the first class."""
    if isinstance(path, UserSymbol):
        return path.module, [path.name]
    parts = path.split(".")
    k = next((i for i, p in enumerate(parts) if p[0].isupper()), len(parts) - 1)
    return ".".join(parts[:k]), parts[k:]
