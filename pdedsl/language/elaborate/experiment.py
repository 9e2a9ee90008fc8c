"""Elaboration of `realize`, `require` and the blocks `network`, `train`, `evaluate`, `solve` → config."""

from __future__ import annotations

from typing import Any, assert_never

from pdedsl import errors
from pdedsl.config.base import IntegerBounds, Located, RealBounds
from pdedsl.config.blocks import (
    BLOCKS,
    ENTRIES,
    Block,
    BlockEntry,
    BoxRestriction,
    Calls,
    NoValue,
    OptionNames,
    Plain,
    Transfer,
)
from pdedsl.config.methods import PARTS
from pdedsl.config.training import WeightBox
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.spec import Requirement
from pdedsl.ir.types import Operator
from pdedsl.ir.verdicts import Axiom
from pdedsl.language import ast as t
from pdedsl.language.elaborate.declarations import interval_of
from pdedsl.language.elaborate.environment import AlreadyReported, Environment
from pdedsl.language.elaborate.options import (
    elaborate_argument,
    elaborate_option,
    exact_or_float,
    suggest,
    unknown_option_error,
)


def elaborate_realization(statement: t.RealizeStmt, env: Environment) -> Located[Any]:
    """The method for a part of the equation, among those available for it."""
    part = statement.part
    if part.id not in PARTS:
        raise unknown_option_error(part, PARTS, "part of the equation")
    methods = PARTS[part.id]
    head = statement.method.head if isinstance(statement.method, t.Call) else statement.method
    if isinstance(head, t.Name) and head.id not in methods:
        elsewhere = [p for p, m in PARTS.items() if head.id in m]
        if elsewhere:
            raise errors.options.method_of_other_part(
                head.text, part.id, elsewhere, list(methods), head.span, part.span
            )
    return elaborate_option(statement.method, methods, errors.options.method_kind(part.id), env.number, statement.span)


def elaborate_requirements(statement: t.RequireStmt) -> list[Requirement]:
    for name in statement.axioms:
        if name.id not in set(Axiom):
            raise unknown_option_error(name, Axiom, "axiom")
    return [Requirement(Axiom(n.id), n.span) for n in statement.axioms]


# ---- Blocks


def elaborate_block(statement: t.BlockStmt, env: Environment) -> Block | None:
    """The block, or None if an entry is missing or invalid, which is reported here or where its names are declared."""
    kind, before = statement.kind.id, len(env.reporter.errors)
    entries: dict[str, list[tuple[object, Span]]] = {}
    seen: dict[str, t.Name] = {}
    valid = 0
    for entry in statement.entries:
        with env.reporter.guard():
            _check_entry(entry, kind, seen, env)
            values = _values(entry, ENTRIES[kind][entry.key.id], env)
            entries.setdefault(entry.key.id, []).extend(values)
            valid += 1
    for key in (key for key, entry in ENTRIES[kind].items() if entry.required and key not in seen):
        env.reporter.add(errors.options.missing_entry(kind, key, statement.kind.span))
    if "epochs" in seen and "steps" in seen:
        line = next(entry.span for entry in statement.entries if entry.key is seen["steps"])
        env.reporter.add(errors.options.epochs_and_steps(seen["steps"].span, line))
    complete = valid == len(statement.entries) and len(env.reporter.errors) == before
    return _build_block(kind, entries, statement.span) if complete else None


def _build_block(kind: str, entries: dict[str, list[tuple[object, Span]]], span: Span) -> Block:
    values: dict[str, Any] = {"epochs": None} if "steps" in entries else {}
    for key, pairs in entries.items():
        items = tuple(value for value, _ in pairs)
        values[key] = items if ENTRIES[kind][key].several else items[0]
    places = {key: tuple(place for _, place in pairs) for key, pairs in entries.items()}
    return BLOCKS[kind](**values, places=places, span=span)


def _check_entry(entry: t.Entry, kind: str, seen: dict[str, t.Name], env: Environment) -> None:
    """Checks that this kind of block has such an entry, that it is not repeated, and its number of values."""
    key, rules = entry.key, ENTRIES[kind]
    if key.id not in rules:
        guess = suggest(key.id, rules)
        env.reporter.add(errors.options.unknown_entry(kind, key.text, list(rules), guess, key.span))
        if guess is not None and guess not in seen:
            _values(entry, rules[guess], env)  # reports the errors of its values, too
        raise AlreadyReported
    rule = rules[key.id]
    first = seen.setdefault(key.id, key)
    if first is not key and not rule.values.repeats:
        raise errors.options.duplicate_entry(key.text, key.span, first.span, entry.span)
    products = [item.value for item in entry.items if isinstance(item.value, t.Product)]
    joined = next((f for p in products for f in t.children(p) if isinstance(f, t.Name) and f.id in rules), None)
    if joined is not None:
        raise errors.options.joined_entries(joined.text, joined.span)
    if not rule.min_values <= len(entry.items) <= rule.max_values:
        raise errors.options.value_count(key.text, rule.max_values, len(entry.items), entry.span)


def _values(entry: t.Entry, rule: BlockEntry, env: Environment) -> list[tuple[object, Span]]:
    if isinstance(rule.what, NoValue):
        return [(True, entry.span)]
    return [(_value(entry.key, item, rule, env), item.span) for item in entry.items]


def _value(key: t.Name, item: t.Item, rule: BlockEntry, env: Environment) -> object:
    sourced, boxed = isinstance(rule.what, Calls) and rule.what.sourced, isinstance(rule.what, BoxRestriction)
    suffix = Span(item.value.span.end, item.span.end)
    if sourced and not item.source:
        raise errors.options.needs_from(key.text, item.span)
    if item.source and not sourced:
        raise errors.options.takes_no_from(key.text, item.span, suffix)
    if boxed and not item.within:
        raise errors.options.needs_interval(key.text, item.span)
    if item.within and not boxed:
        raise errors.options.takes_no_interval(key.text, item.span, suffix)
    match rule.what:
        case Calls(forms=forms):
            option = elaborate_option(item.value, forms, errors.options.entry_kind(key.id), env.number, item.span)
            return Transfer(option, _source(item)) if sourced else option
        case OptionNames():
            return _elaborate_option_name(key, item, rule.what, env)
        case Plain(param=param):
            if (
                isinstance(item.value, t.Name)
                and env.is_undeclared(item.value.id)
                and isinstance(param.kind, IntegerBounds | RealBounds)
            ):
                raise errors.options.invalid_value(key.id, param.wanted, item.span)
            return elaborate_argument(item.value, param, key.id, env.number)
        case BoxRestriction():
            return _box(item, env)
        case NoValue():
            return True
        case _:
            assert_never(rule.what)


def _source(item: t.Item) -> str:
    assert item.source is not None
    return item.source.value if isinstance(item.source, t.String) else item.source.text


def _elaborate_option_name(key: t.Name, item: t.Item, names: OptionNames, env: Environment) -> object:
    head = item.value.head if isinstance(item.value, t.Call) else item.value
    if isinstance(head, t.Name) and head.id in names.forms:
        return elaborate_option(item.value, names.forms, errors.options.entry_kind(key.id), env.number, item.span)
    if isinstance(item.value, t.Name) and item.value.id in names.options:
        return names.of(item.value.id)
    raise _unknown_value(key, item, names)


def _unknown_value(key: t.Name, item: t.Item, names: OptionNames) -> PdeError:
    if isinstance(item.value, t.Name):
        return unknown_option_error(item.value, names.options, errors.options.entry_kind(key.id))
    return errors.options.expected_entry_value(key.id, names.options, item.span)


def _box(item: t.Item, env: Environment) -> WeightBox:
    assert item.within is not None
    name = item.value
    if not isinstance(name, t.Name):
        raise errors.options.only_operators(item.value.span)
    env.value(name)
    if not isinstance(env.types.get(name.id), Operator):
        raise errors.options.not_an_operator(name.text, name.span)
    bounds = interval_of(item.within, env)
    return WeightBox(env.learned[name.id].name, exact_or_float(bounds.start), exact_or_float(bounds.end))
