"""Visitor of the syntax tree for editors: of each statement the symbol of the outline, and the roles of its names that
refer to no declaration: names of types, networks, methods, arguments, entries and axioms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Any, assert_never

from pdedsl.config.base import Choice, Flag, Forms, Param
from pdedsl.config.blocks import ENTRIES, BlockEntry, BoxRestriction, Calls, NoValue, OptionNames, Plain
from pdedsl.config.data import MEASUREMENT_FILES
from pdedsl.config.distributions import DISTRIBUTIONS, RANDOM_FUNCTIONS
from pdedsl.config.methods import PARTS
from pdedsl.config.networks import NETWORKS, NORMALIZATIONS
from pdedsl.diagnostics import Source, Span, escaping
from pdedsl.editor.documentation import argument_text, call_text, entry_text
from pdedsl.explainer.explain import evidence
from pdedsl.ir.verdicts import Axiom
from pdedsl.language import ast as t
from pdedsl.language.elaborate.declarations import IMAGES
from pdedsl.record import Record

if TYPE_CHECKING:
    from pdedsl.editor.document import Document


class SymbolKind(StrEnum):
    """Kinds of symbols in the Language Server Protocol."""

    SPEC = "namespace"
    PLACE = "variable"
    UNKNOWN = "field"
    LEARNED = "class"
    CONSTANT = "constant"
    FUNCTION = "function"
    EQUATION = "event"
    CHOICE = "interface"
    BLOCK = "module"
    ENTRY = "property"


class TokenKind(StrEnum):
    """Token kinds of the Language Server Protocol."""

    KEYWORD = "keyword"
    COMMENT = "comment"
    STRING = "string"
    NUMBER = "number"
    OPERATOR = "operator"
    NAMESPACE = "namespace"
    TYPE = "type"
    VARIABLE = "variable"
    PARAMETER = "parameter"
    FUNCTION = "function"
    METHOD = "method"
    PROPERTY = "property"
    ENUM_MEMBER = "enumMember"


class Symbol(Record):
    """A statement or an entry; `selection` is the span of its name."""

    name: str
    detail: str
    kind: SymbolKind
    span: Span
    selection: Span
    children: tuple[Symbol, ...] = ()


def _no_text(_: Document) -> str:
    return ""


class NameRole(Record):
    """The role of a name: its highlighting and its documentation in Markdown, made on use."""

    kind: TokenKind
    text: Callable[[Document], str] = _no_text


Roles = Iterator[tuple[Span, NameRole]]
TYPE, VALUE = NameRole(TokenKind.TYPE), NameRole(TokenKind.ENUM_MEMBER)
ALL_METHODS: Forms[Any] = {name: form for methods in PARTS.values() for name, form in methods.items()}


def visit(statement: t.Statement, source: Source) -> tuple[Symbol, Roles]:
    """The symbol of a statement, and the roles of its names by their spans."""

    def symbol(name: t.Node, kind: SymbolKind, detail: str | Span = "", children: tuple[Symbol, ...] = ()) -> Symbol:
        shown = name.text if isinstance(name, t.Name) else source.quote(name.span)
        detail = detail if isinstance(detail, str) else source.quote(detail)
        return Symbol(shown, detail, kind, statement.span, name.span, children)

    match statement:
        case t.Header(name=name, title=title):
            return symbol(name, SymbolKind.SPEC, title.value if title else ""), iter([(name.span, _spec(name))])
        case t.SpaceDecl(names=names, factors=factors, system=system):
            named: Roles = iter([(system.span, TYPE)] if system else [])
            roles = chain(named, (role for factor in factors for role in _space(factor.body)))
            return symbol(names[0], SymbolKind.PLACE, statement.span), roles
        case t.TimeDecl(name=name):
            return symbol(name, SymbolKind.PLACE, statement.span), iter(())
        case t.UnknownDecl(name=name, type=traits, net=net) | t.LearnDecl(name=name, type=traits, net=net):
            kind = SymbolKind.UNKNOWN if isinstance(statement, t.UnknownDecl) else SymbolKind.LEARNED
            return symbol(name, kind, traits[0].span.to(traits[-1].span)), _declared_type(traits, net)
        case t.ConstDecl(name=name, value=value):
            return symbol(name, SymbolKind.CONSTANT, value.span), iter(())
        case t.LetDecl(name=name, value=value):
            return symbol(name, SymbolKind.FUNCTION, value.span), _layers(statement)
        case t.ParameterDecl(name=name, interval=interval, scale=scale):
            return symbol(name, SymbolKind.CONSTANT, interval.span), iter([(scale.span, VALUE)] if scale else [])
        case t.ParameterFunctionDecl(name=name, distribution=distribution):
            return symbol(name, SymbolKind.FUNCTION, distribution.span), _call(distribution, RANDOM_FUNCTIONS)
        case t.RandomDecl(name=name, distribution=distribution):
            return symbol(name, SymbolKind.CONSTANT, distribution.span), _call(distribution, DISTRIBUTIONS)
        case t.EquationStmt(on=places):
            faces = [(place.span, VALUE) for place in places if isinstance(place, t.Name)]
            return symbol(statement, SymbolKind.EQUATION), iter([*faces, *_layers(statement)])
        case t.ExactStmt():
            return symbol(statement, SymbolKind.CHOICE), iter(())
        case t.ObserveStmt(data=data):
            return symbol(statement, SymbolKind.CHOICE), _call(data, MEASUREMENT_FILES)
        case t.RequireStmt(axioms=axioms):
            return symbol(statement, SymbolKind.CHOICE), ((name.span, _axiom(name)) for name in axioms)
        case t.RealizeStmt(part=part, method=method):
            call = _call(method, PARTS.get(part.id, ALL_METHODS))
            return symbol(part, SymbolKind.CHOICE, method.span), iter([(part.span, _part(part)), *call])
        case t.BlockStmt(kind=name, entries=entries):
            lines = tuple(_entry_symbol(e, source) for e in entries)
            return symbol(name, SymbolKind.BLOCK, children=lines), _block(name.id, entries)
        case t.SweepStmt(kind=name, entries=axes):
            lines = tuple(_axis_symbol(axis, source) for axis in axes)
            return symbol(name, SymbolKind.BLOCK, children=lines), _sweep(axes)
        case _:
            assert_never(statement)


def _axis_symbol(axis: t.SweepEntry, source: Source) -> Symbol:
    values = source.quote(Span(axis.path[-1].span.end, axis.span.end))
    return Symbol(axis.key, values, SymbolKind.ENTRY, axis.span, axis.path[0].span.to(axis.path[-1].span))


def _entry_symbol(entry: t.Entry, source: Source) -> Symbol:
    values = source.quote(Span(entry.key.span.end, entry.span.end))
    return Symbol(entry.key.text, values, SymbolKind.ENTRY, entry.span, entry.key.span)


# ---- Names with a documentation that depends on the spec


def _spec(name: t.Name) -> NameRole:
    def text(document: Document) -> str:
        spec = document.spec
        return f"{escaping.markdown(spec.title or name.text)}\n\nhash `{spec.hash}`" if spec else ""

    return NameRole(TokenKind.NAMESPACE, text)


def _axiom(name: t.Name) -> NameRole:
    """An axiom with its verdict, the reason, and the evidence."""

    def text(document: Document) -> str:
        verdict = document.analysis.axioms.get(Axiom(name.id)) if document.analysis else None
        if verdict is None:
            return f"**{name.id}**"
        reason = verdict.reason[:1].upper() + verdict.reason[1:]
        return f"**{name.id}: {verdict.truth}.** {escaping.markdown(reason + evidence(verdict))}"

    return NameRole(TokenKind.ENUM_MEMBER, text) if name.id in set(Axiom) else VALUE


def _part(part: t.Name) -> NameRole:
    text = f"Methods: {', '.join(PARTS[part.id])}." if part.id in PARTS else ""
    return NameRole(TokenKind.ENUM_MEMBER, lambda _: text)


# ---- Types, networks and calls


def _space(body: t.Expr) -> Roles:
    match body:
        case t.Name(span=span) | t.Power(base=t.Name(span=span)):
            yield span, TYPE
        case t.Call(head=t.Name(id="polygon" | "mesh", span=span)):
            yield span, TYPE
        case t.Call():
            yield from _call(body, IMAGES)


def _declared_type(traits: Iterable[t.TypeAttribute], net: t.Expr | None) -> Roles:
    """The type and the network of a declaration; the initial value of a plain parameter is not a network."""
    for trait in traits:
        match trait.body:
            case t.Name(span=span) | t.Call(head=t.Name(span=span)):
                yield span, TYPE
    match net:
        case t.Name(id=word) | t.Call(head=t.Name(id=word)) if word in NETWORKS:
            yield from _call(net, NETWORKS)


def _layers(statement: t.Statement) -> Roles:
    """`tv_norm(eps=1e-3)` within an expression."""
    for node in t.walk(statement):
        match node:
            case t.Call(head=t.Name(id=word)) if word in NORMALIZATIONS:
                yield from _call(node, NORMALIZATIONS)


def _call(expr: t.Expr, forms: Forms[Any]) -> Roles:
    """A call with its arguments."""
    match expr:
        case t.Name(id=word, span=span) | t.Call(head=t.Name(id=word, span=span)):
            form = forms.get(word)
            yield span, NameRole(TokenKind.METHOD, lambda _: call_text(form) if form else "")
            params = form.params if form else {}
    if isinstance(expr, t.Call) and isinstance(expr.head, t.Name):
        keyword = expr.head.id
        for key, value in zip(params, expr.args, strict=False):
            yield from _value(value, keyword, key, params[key])
        for name, value in expr.named:
            param = params.get(name.id)
            yield name.span, _argument(TokenKind.PROPERTY, keyword, name.id, param)
            yield from _value(value, keyword, name.id, param) if param else ()


def _argument(kind: TokenKind, keyword: str, key: str, param: Param | None) -> NameRole:
    return NameRole(kind, lambda _: argument_text(keyword, key, param) if param else "")


def _value(expr: t.Expr, keyword: str, key: str, param: Param) -> Roles:
    match expr:
        case t.Name(span=span) if isinstance(param.kind, Choice | Flag):
            yield span, _argument(TokenKind.ENUM_MEMBER, keyword, key, param)
        case t.ListExpr(items=items):
            for item in items:
                yield from _value(item, keyword, key, param)


# ---- Blocks


def _block(block: str, entries: Iterable[t.Entry]) -> Roles:
    for entry in entries:
        rule = ENTRIES[block].get(entry.key.id)
        yield entry.key.span, _entry(block, entry.key.id)
        for item in entry.items if rule else ():
            assert rule is not None
            yield from _item(item, rule, block, entry.key.id)


def _sweep(axes: Iterable[t.SweepEntry]) -> Roles:
    """Paths into blocks, such as `train.seed`; the name of a constant is one of its references."""
    for axis in axes:
        block, *entry = axis.path
        if entry and block.id in ENTRIES:
            yield block.span, NameRole(TokenKind.NAMESPACE)
            yield entry[0].span, _entry(block.id, entry[0].id)


def _entry(block: str, key: str) -> NameRole:
    known = key in ENTRIES[block]
    return NameRole(TokenKind.PROPERTY, lambda _: f"`{key}`: {entry_text(block, key)}" if known else "")


def _item(item: t.Item, rule: BlockEntry, block: str, key: str) -> Roles:
    if isinstance(item.source, t.Name):
        yield item.source.span, NameRole(TokenKind.NAMESPACE)
    match rule.what:
        case Calls(forms=forms):
            yield from _call(item.value, forms)
        case OptionNames(forms=forms) if isinstance(item.value, t.Call):
            yield from _call(item.value, forms)
        case OptionNames() if isinstance(item.value, t.Name):
            yield item.value.span, VALUE
        case Plain(param=param):
            yield from _value(item.value, block, key, param)
        case OptionNames() | BoxRestriction() | NoValue():
            pass
        case _:
            assert_never(rule.what)
