"""Replaces the aliases of keywords in a statement by the canonical keywords; spans are unchanged."""

from __future__ import annotations

from dataclasses import replace

from pdedsl.config import keyword_aliases
from pdedsl.language import ast as t


def with_canonical_keywords(statement: t.Statement) -> t.Statement:
    match statement:
        case t.RealizeStmt(part=part, method=method):
            return replace(
                statement, method=_canonical_call(method, keyword_aliases.METHODS.get(part.id, keyword_aliases.NONE))
            )
        case t.RequireStmt(axioms=axioms):
            return replace(statement, axioms=tuple(_canonical_name(axiom, keyword_aliases.AXIOMS) for axiom in axioms))
        case t.BlockStmt(kind=kind, entries=entries):
            return replace(statement, entries=tuple(_canonical_entry(entry, kind.id) for entry in entries))
        case _:
            return statement


def _canonical_entry(entry: t.Entry, block: str) -> t.Entry:
    key = _canonical_name(entry.key, keyword_aliases.ENTRIES.get(block, keyword_aliases.NONE))
    values = keyword_aliases.VALUES.get((block, key.id), keyword_aliases.NONE)
    items = tuple(replace(item, value=_canonical_call(item.value, values)) for item in entry.items)
    return replace(entry, key=key, items=items)


def _canonical_call(expr: t.Expr, table: keyword_aliases.Aliases) -> t.Expr:
    match expr:
        case t.Name():
            return _canonical_name(expr, table)
        case t.Call(head=t.Name() as head):
            return replace(expr, head=_canonical_name(head, table))
        case _:
            return expr


def _canonical_name(name: t.Name, table: keyword_aliases.Aliases) -> t.Name:
    keyword = table.get(name.id)
    return name if keyword is None else replace(name, id=keyword, text=keyword)
