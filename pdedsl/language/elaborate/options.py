"""Elaboration of options: calls such as `pgd(eps=8/255)` → config of networks, methods, data sets and optimizers, with
checked arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from keyword import iskeyword
from math import prod
from typing import TypeVar

from sympy import Expr

from pdedsl import errors
from pdedsl.config.base import (
    TIME_UNITS,
    Choice,
    Config,
    Duration,
    Flag,
    Forms,
    IntegerBounds,
    Located,
    Param,
    Real,
    RealBounds,
    Text,
    Value,
    describe_kind,
)
from pdedsl.config.blocks import Image
from pdedsl.config.networks import Torch
from pdedsl.config.synonyms import synonym
from pdedsl.diagnostics import NOWHERE, PdeError, Span, closest_match
from pdedsl.language import ast as t
from pdedsl.language.printing.unparse import unparse

Evaluate = Callable[[t.Expr], Expr]  # the exact value of a constant expression
T = TypeVar("T", bound=Config)
MAX_LIST_LENGTH = 1000  # values of one argument
_IMPORT_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)  # package.module:Name
MAX_IMAGE_VALUES = 100_000_000  # channels × height × width


def elaborate_option(expr: t.Expr, forms: Forms[T], what: str, evaluate: Evaluate, line: Span = NOWHERE) -> Located[T]:
    """The config of `pgd(eps=8/255)` or of a bare `flip`, among the allowed ones; `what` is their kind in messages."""
    args: tuple[t.Expr, ...] = ()
    named: tuple[tuple[t.Name, t.Expr], ...] = ()
    match expr:
        case t.Name():
            head = expr
        case t.Call(head=t.Name() as head, args=args, named=named):
            pass
        case _:
            if isinstance(expr, t.String) and expr.value in forms:
                raise errors.options.quoted_builtin(what, expr.value, expr.span)
            file = isinstance(expr, t.String) and "npz" in forms
            raise errors.options.expected_builtin(what, list(forms), file, expr.span)
    if head.id not in forms:
        guess = suggest(head.id, forms)
        call = translated_call(guess, args, named, forms[guess].params) if guess and named else None
        raise errors.options.unknown_builtin(head.text, what, list(forms), guess, head.span, call, expr.span)
    form = forms[head.id]
    own = [(key, value) for key, value in named if key.id not in form.params] if form.of.has_free_arguments else []
    bound = _bind_arguments(head, args, tuple(pair for pair in named if pair not in own), form.params, expr.span)
    _check_first_argument(head, args, bound, form.params, forms, expr.span)
    values = {key: elaborate_argument(value, form.params[key], key, evaluate) for key, value in bound.items()}
    for key, param in form.params.items():
        if key not in values and param.required:
            keys = list(form.params) if args else []
            raise errors.options.missing_argument(head.id, key, keys, param.wanted, expr.span)
    config = form.create({**values, "options": _user_options(own, evaluate)} if own else values)
    if isinstance(config, Image) and prod(config.shape) > MAX_IMAGE_VALUES:
        raise errors.options.value_too_large("channels × height × width", MAX_IMAGE_VALUES, expr.span)
    if isinstance(config, Torch):
        _check_import_path(config, bound["network"].span)
    return Located(config, frozenset({*values, *(key.id for key, _ in own)}), expr.span, line)


def _check_import_path(net: Torch, span: Span) -> None:
    """Checks `package.module:Name`; the module must not have the name of a file in a compiled package."""
    if not _IMPORT_PATH.fullmatch(net.network):
        raise errors.networks.invalid_network_path(span)
    if net.path[0].partition(".")[0] in ("model", "harness", "test_axioms"):
        raise errors.networks.module_name_conflict(net.path[0], span)


def _user_options(named: Iterable[tuple[t.Name, t.Expr]], evaluate: Evaluate) -> tuple[tuple[str, Value], ...]:
    """Arguments of a user-defined network, sorted by name."""
    options: dict[str, Value] = {}
    for key, value in named:
        if key.id in options:
            raise errors.options.duplicate_argument(key.text, key.span, key.span.to(value.span))
        if iskeyword(key.id) or not key.id.isidentifier():
            raise errors.networks.not_a_python_name(key.text, key.span)
        options[key.id] = _user_option(value, evaluate)
    return tuple(sorted(options.items()))


def _user_option(expr: t.Expr, evaluate: Evaluate) -> Value:
    match expr:
        case t.String(value=text):
            return text
        case t.Name(id=("true" | "false") as word):
            return word == "true"
        case t.ListExpr(items=items):
            return tuple(_user_option(item, evaluate) for item in items)
        case _:
            number = evaluate(expr)
            return int(number) if number.is_Integer else exact_or_float(number)


def suggest(word: str, words: Iterable[str]) -> str | None:
    """The probably intended name: a synonym in another program, or the closest spelling."""
    names = list(words)
    return synonym(word, names) or closest_match(word, names)


def unknown_option_error(word: t.Name, words: Iterable[str], what: str) -> PdeError:
    names = list(words)
    return errors.options.unknown_builtin(word.text, what, names, suggest(word.id, names), word.span)


def translated_call(
    name: str, args: tuple[t.Expr, ...], named: tuple[tuple[t.Name, t.Expr], ...], params: Mapping[str, Param]
) -> str:
    """The call with known arguments: synonyms of other programs are replaced, others omitted."""
    values = {key.id if key.id in params else suggest(key.id, params): unparse(value) for key, value in reversed(named)}
    inner = [*map(unparse, args), *(f"{key}={value}" for key, value in reversed(values.items()) if key)]
    return f"{name}({', '.join(inner)})" if inner else name


def _bind_arguments(
    head: t.Name,
    args: tuple[t.Expr, ...],
    named: tuple[tuple[t.Name, t.Expr], ...],
    params: Mapping[str, Param],
    span: Span,
) -> dict[str, t.Expr]:
    """Arguments by name; positional arguments are bound in the order of the signature."""
    keys = list(params)
    if len(args) > len(keys):
        raise errors.options.too_many_arguments(head.id, len(keys), len(args), args[len(keys)].span)
    bound = dict(zip(keys, args, strict=False))
    for key, value in named:
        if key.id not in params:
            guess = suggest(key.id, keys)
            several = sum(k.id not in params for k, _ in named) > 1
            call = translated_call(head.text, args, named, params) if several or guess is None else None
            raise errors.options.unknown_argument(head.id, key.text, keys, guess, key.span, call, span)
        if key.id in bound:
            raise errors.options.duplicate_argument(key.text, key.span, key.span.to(value.span))
        bound[key.id] = value
    return bound


def _check_first_argument(
    head: t.Name,
    args: tuple[t.Expr, ...],
    bound: Mapping[str, t.Expr],
    params: Mapping[str, Param],
    words: Iterable[str],
    span: Span,
) -> None:
    """`pgd(8/255)`, where the norm comes first; `resnet(18)` for `resnet18`."""
    for (key, param), value in zip(params.items(), args[:1], strict=False):
        needed = next((k for k, other in params.items() if other.required and k not in bound), None)
        match param.kind, value:
            case Choice(), (t.Name() | t.String()):
                pass
            case Choice() as choice, _ if needed and not (isinstance(value, t.Number) and choice.option(value.text)):
                raise errors.options.positional_argument(key, param.wanted, needed, len(args) == 1, value.span)
            case IntegerBounds(among=among), t.Number(text=n) if among and f"{head.id}{n}" in words:
                raise errors.options.invalid_value(key, f"one of {', '.join(map(str, among))}", span, f"{head.id}{n}")


def elaborate_argument(expr: t.Expr, param: Param, key: str, evaluate: Evaluate) -> Value:
    """An argument, checked for type and range; a tuple where several values are allowed."""
    if not param.many:
        return _elaborate_value(expr, param, key, evaluate)
    if not isinstance(expr, t.ListExpr):
        return (_elaborate_value(expr, param, key, evaluate),)
    if not expr.items:
        raise errors.options.empty_list(key, param.wanted, expr.span)
    if len(expr.items) > MAX_LIST_LENGTH:
        raise errors.options.list_too_long(key, MAX_LIST_LENGTH, expr.span)
    return tuple(_elaborate_value(e, param, key, evaluate) for e in expr.items)


def _elaborate_value(expr: t.Expr, param: Param, key: str, evaluate: Evaluate) -> Value:
    error = errors.options.invalid_value(key, param.wanted, expr.span)
    match param.kind, expr:
        case Text(), t.String(value=text):
            return text
        case Choice() as choice, (t.Name(id=word) | t.Number(text=word)):
            return _choice_value(choice, word, key, expr.span)
        case Flag(), t.Name(id=("true" | "false") as word):
            return word == "true"
        case ((Choice() | IntegerBounds() | RealBounds()), t.String(value=text)):
            raise errors.options.quoted_value(key, param.wanted, text, expr.span)
        case ((Text() | Choice() | Flag()), _):
            raise error
        case Duration(), _ if not isinstance(expr, t.String | t.ListExpr):
            return _seconds(expr, evaluate, error)
        case _, t.ListExpr():
            raise errors.options.unexpected_list(key, param.wanted, expr.span)
        case _, t.String():
            raise error
        case IntegerBounds() as whole, _:
            return _integer_value(whole, evaluate(expr), key, expr.span, error)
        case RealBounds() as number, _:
            return _real_value(number, evaluate(expr), error)
        case _:
            raise AssertionError(param.kind)


def _choice_value(choice: Choice, word: str, key: str, span: Span) -> Value:
    value = choice.option(word)
    if value is None:
        raise errors.options.invalid_value(key, describe_kind(choice), span, suggest(word, choice.options))
    return value


def _integer_value(kind: IntegerBounds, value: Expr, key: str, span: Span, error: PdeError) -> int:
    if not value.is_Integer or value < kind.minimum:
        raise error
    if kind.among and value not in kind.among:
        raise errors.options.invalid_value(key, f"one of {', '.join(map(str, kind.among))}", span)
    if value > kind.maximum:
        raise errors.options.value_too_large(key, kind.maximum, span)
    return int(value)


def _real_value(kind: RealBounds, value: Expr, error: PdeError) -> Real:
    if not kind.admits(float(value)):
        raise error
    return exact_or_float(value)


def _seconds(expr: t.Expr, evaluate: Evaluate, error: PdeError) -> Real:
    """A positive number of seconds, or a number and a unit: `5 min`."""
    unit = 1
    match expr:
        case t.Product(factors=((_, number), (_, t.Name(id=name)))) if name in TIME_UNITS:
            expr, unit = number, TIME_UNITS[name]
        case t.Product(factors=((_, t.Number()), (_, t.Name()))) | t.Name():
            raise error
    return _real_value(RealBounds(above=0), evaluate(expr) * unit, error)


def exact_or_float(value: Expr) -> Real:
    """An exact fraction if the value is rational, otherwise a float."""
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else float(value)
