"""Roles of names: references to declarations, or names of types, networks, methods, arguments, entries and axioms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, assert_never

from pdedsl.config.base import Choice, Flag, Form, Forms, Param
from pdedsl.config.blocks import ENTRIES, Boxes, Calls, Entry, Names, Nothing, Plain
from pdedsl.config.data import MEASURED
from pdedsl.config.methods import PARTS
from pdedsl.config.networks import NETWORKS, NORMALISATIONS
from pdedsl.diagnostics import Span
from pdedsl.ir.verdicts import Axiom
from pdedsl.language import ast as t
from pdedsl.language.elaborate.declarations import IMAGES


@dataclass(frozen=True)
class DeclaredReference:
    """A declared name, or a known function."""


@dataclass(frozen=True)
class SpecName:
    """The name of the spec."""


@dataclass(frozen=True)
class TypeName:
    """`scalar`, `psd`, `pixels`."""


@dataclass(frozen=True)
class CallName:
    """The name of a network, method or data set; `form` is None if it is unknown."""

    form: Form[Any] | None


@dataclass(frozen=True)
class ArgumentName:
    """`width` of `mlp(width=64)`."""

    key: str
    param: Param | None


@dataclass(frozen=True)
class ArgumentValue:
    """`relu` of `convnet(activation=relu)`."""

    key: str
    param: Param


@dataclass(frozen=True)
class EntryName:
    """`epochs` of a `train` block."""

    block: str
    key: str


@dataclass(frozen=True)
class EntryValue:
    """`float32` after `precision`."""

    key: str


@dataclass(frozen=True)
class PartName:
    """`diffusion` of `realize diffusion by …`."""


@dataclass(frozen=True)
class AxiomName:
    """`comparison` of `require comparison`."""

    axiom: Axiom | None


@dataclass(frozen=True)
class FaceName:
    """`boundary`, `left`."""


@dataclass(frozen=True)
class SpecReference:
    """`resnet` of `… from resnet`: another spec."""


NameRole = (
    DeclaredReference
    | SpecName
    | TypeName
    | CallName
    | ArgumentName
    | ArgumentValue
    | EntryName
    | EntryValue
    | PartName
    | AxiomName
    | FaceName
    | SpecReference
)
Roles = Iterator[tuple[Span, NameRole]]
ALL_METHODS: Forms[Any] = {name: form for methods in PARTS.values() for name, form in methods.items()}


def name_roles(syntax: t.Syntax) -> dict[Span, NameRole]:
    """The roles of names that are not references, by span."""
    return {span: use for statement in syntax.statements for span, use in _statement(statement)}


def _statement(statement: t.Statement) -> Roles:
    match statement:
        case t.Header(name=name):
            yield name.span, SpecName()
        case t.SpaceDecl(factors=factors):
            for side in factors:
                yield from _space(side.body)
        case t.UnknownDecl(type=traits, net=net) | t.LearnDecl(type=traits, net=net):
            for trait in traits:
                yield from _trait(trait)
            yield from _network(net)
        case t.EquationStmt(on=spots):
            yield from ((spot.span, FaceName()) for spot in spots if isinstance(spot, t.Name))
            yield from _layers(statement)
        case t.LetDecl():
            yield from _layers(statement)
        case t.ObserveStmt(data=data):
            yield from _call(data, MEASURED)
        case t.RealizeStmt(part=part, method=method):
            yield part.span, PartName()
            yield from _call(method, PARTS.get(part.id, ALL_METHODS))
        case t.RequireStmt(axioms=axioms):
            yield from ((name.span, AxiomName(Axiom(name.id) if name.id in set(Axiom) else None)) for name in axioms)
        case t.BlockStmt(kind=kind, entries=entries):
            for entry in entries:
                yield entry.key.span, EntryName(kind.id, entry.key.id)
                rule = ENTRIES[kind.id].get(entry.key.id)
                for item in entry.items if rule else ():
                    assert rule is not None
                    yield from _item(item, rule, entry.key.id)
        case t.TimeDecl() | t.ConstDecl() | t.ExactStmt():
            pass
        case _:
            assert_never(statement)


def _space(body: t.Expr) -> Roles:
    match body:
        case t.Name(span=span) | t.Power(base=t.Name(span=span)):
            yield span, TypeName()
        case t.Call():
            yield from _call(body, IMAGES)


def _trait(trait: t.TypeAttribute) -> Roles:
    match trait.body:
        case t.Name(span=span) | t.Call(head=t.Name(span=span)):
            yield span, TypeName()


def _network(net: t.Expr | None) -> Roles:
    """A network; the initial value of a plain parameter is not one."""
    match net:
        case t.Name(id=word) | t.Call(head=t.Name(id=word)) if word in NETWORKS:
            yield from _call(net, NETWORKS)


def _layers(statement: t.Statement) -> Roles:
    """`tv_norm(eps=1e-3)` within an expression."""
    for node in t.walk(statement):
        match node:
            case t.Call(head=t.Name(id=word)) if word in NORMALISATIONS:
                yield from _call(node, NORMALISATIONS)


def _item(item: t.Item, rule: Entry, key: str) -> Roles:
    if isinstance(item.source, t.Name):
        yield item.source.span, SpecReference()
    match rule.what:
        case Calls(forms=forms):
            yield from _call(item.value, forms)
        case Names(forms=forms) if isinstance(item.value, t.Call):
            yield from _call(item.value, forms)
        case Names() if isinstance(item.value, t.Name):
            yield item.value.span, EntryValue(key)
        case Plain(param=param):
            yield from _value(item.value, key, param)
        case Names() | Boxes() | Nothing():
            pass
        case _:
            assert_never(rule.what)


def _call(expr: t.Expr, forms: Forms[Any]) -> Roles:
    """A call with its arguments."""
    match expr:
        case t.Name(id=word, span=span):
            yield span, CallName(forms.get(word))
        case t.Call(head=t.Name(id=word, span=span), args=args, named=named):
            form = forms.get(word)
            yield span, CallName(form)
            params = form.params if form else {}
            for key, value in zip(params, args, strict=False):
                yield from _value(value, key, params[key])
            for name, value in named:
                param = params.get(name.id)
                yield name.span, ArgumentName(name.id, param)
                yield from _value(value, name.id, param) if param else ()


def _value(expr: t.Expr, key: str, param: Param) -> Roles:
    match expr:
        case t.Name(span=span) if isinstance(param.kind, Choice | Flag):
            yield span, ArgumentValue(key, param)
        case t.ListExpr(items=items):
            for item in items:
                yield from _value(item, key, param)
