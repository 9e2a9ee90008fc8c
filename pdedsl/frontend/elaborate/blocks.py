"""`realize`, `require` and the blocks `network`, `train`, `evaluate` → checked settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pdedsl.diagnostics import PdeError, fail, nearest
from pdedsl.frontend.elaborate.environment import Environment
from pdedsl.frontend.elaborate.equations import interval_of
from pdedsl.frontend.elaborate.settings import argument, setting, unknown_word
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir import vocabulary as words
from pdedsl.ir.spec import Block, Line, Part, Realization, Requirement
from pdedsl.ir.types import Operator


def realization(statement: t.RealizeStmt, env: Environment) -> Realization:
    part = statement.part
    if part.id not in words.REALIZATIONS:
        raise unknown_word(part, words.REALIZATIONS, "a part of an equation")
    methods = words.REALIZATIONS[part.id]
    head = statement.method.head if isinstance(statement.method, t.Call) else statement.method
    if isinstance(head, t.Name) and head.id not in methods:
        elsewhere = [p for p, m in words.REALIZATIONS.items() if head.id in m]
        if elsewhere:
            hint = f"{head.id} realizes {' or '.join(elsewhere)}; for {part.id}: {', '.join(methods)}"
            raise fail("E502", f"'{head.text}' does not realize {part.id}", head.span, hint)
    method = setting(statement.method, methods, f"a way to realize {part.id}", env.number)
    return Realization(cast(Part, part.id), method, statement.span)


def requirements(statement: t.RequireStmt) -> list[Requirement]:
    for name in statement.axioms:
        if name.id not in words.AXIOMS:
            raise unknown_word(name, words.AXIOMS, "an axiom")
    return [Requirement(n.id, n.span) for n in statement.axioms]


def block(statement: t.BlockStmt, env: Environment) -> Block:
    kind = statement.kind.id
    rules = words.BLOCKS[kind]
    lines: list[Line] = []
    seen: dict[str, t.Name] = {}
    for entry in statement.entries:
        with env.reporter.guard():
            lines += _lines(entry, rules, kind, seen, env)
    for key in words.REQUIRED_ENTRIES[kind]:
        if key not in seen:
            env.reporter.error("E508", f"'{kind}' has no {key}", statement.kind.span, f"add {key} …")
    if "epochs" in seen and "steps" in seen:
        env.reporter.error("E509", "both epochs and steps are given", seen["steps"].span, "keep one of the two")
    return Block(kind, tuple(lines), statement.span)


def _lines(
    entry: t.Entry, rules: Mapping[str, words.EntryRule], kind: str, seen: dict[str, t.Name], env: Environment
) -> list[Line]:
    key = entry.key
    if key.id not in rules:
        guess = nearest(key.id, rules)
        hint = f"did you mean '{guess}'?" if guess else f"entries of {kind}: {', '.join(rules)}"
        raise fail("E510", f"'{kind}' has no entry '{key.text}'", key.span, hint)
    rule = rules[key.id]
    first = seen.setdefault(key.id, key)
    if first is not key and not rule.repeats:
        raise fail(
            "E511", f"'{key.text}' is given twice", key.span, "keep one of the two", ((first.span, "first here"),)
        )
    if not rule.least <= len(entry.items) <= rule.most:
        raise fail("E512", f"'{key.text}' {_how_many(rule)}", entry.span)
    if not entry.items:
        return [Line(key.id, None, span=entry.span)]
    return [_line(key, item, rule, env) for item in entry.items]


def _how_many(rule: words.EntryRule) -> str:
    if rule.most == 0:
        return "takes no value"
    return "takes one value" if rule.most == 1 else f"takes 1 to {rule.most} values"


def _line(key: t.Name, item: t.Item, rule: words.EntryRule, env: Environment) -> Line:
    if bool(item.source) != rule.source:
        hint = "as in: transfer pgd(eps=0.1) from resnet" if rule.source else "remove 'from …'"
        raise fail("E513", f"'{key.text}' {'needs' if rule.source else 'takes no'} 'from SPEC'", item.span, hint)
    if bool(item.within) != rule.within:
        hint = "as in: constrain K in [-1, 1]" if rule.within else "remove 'in …'"
        raise fail("E513", f"'{key.text}' {'needs' if rule.within else 'takes no'} 'in [a, b]'", item.span, hint)
    if rule.within:
        return _constraint(key, item, env)
    if rule.calls is not None:
        made = setting(item.value, rule.calls, f"a value of {key.id}", env.number)
        source = item.source.value if isinstance(item.source, t.Text) else item.source.text if item.source else ""
        return Line(key.id, made, source, span=item.span)
    if rule.words:
        if not isinstance(item.value, t.Name) or item.value.id not in rule.words:
            raise _unknown_value(key, item, rule)
        return Line(key.id, item.value.id, span=item.span)
    assert rule.value is not None
    return Line(key.id, argument(item.value, rule.value, key.id, env.number), span=item.span)


def _unknown_value(key: t.Name, item: t.Item, rule: words.EntryRule) -> PdeError:
    if isinstance(item.value, t.Name):
        return unknown_word(item.value, rule.words, f"a value of {key.id}")
    return fail("E502", f"this is not a value of {key.id}", item.span, f"known here: {', '.join(rule.words)}")


def _constraint(key: t.Name, item: t.Item, env: Environment) -> Line:
    assert item.within is not None
    name = item.value
    if not isinstance(name, t.Name):
        raise fail(
            "E514", "only a learned operator can be constrained", item.value.span, "as in: constrain K in [-1, 1]"
        )
    env.value(name)
    if not isinstance(env.types.get(name.id), Operator):
        raise fail("E514", f"'{name.text}' is not a learned operator", name.span)
    bounds = interval_of(item.within, env)
    return Line(key.id, env.learned[name.id].name, bounds=(bounds.start, bounds.end), span=item.span)
