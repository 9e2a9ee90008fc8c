"""Cache of analyses by the text of the statements: after an edit of a title, a comment, a blank line or the experiment,
only spans change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from pdedsl.compiler import to_analysis, with_warnings
from pdedsl.config.blocks import EvaluateBlock, SolveBlock, TrainBlock
from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.spec import Spec
from pdedsl.language import ast as t

MAX_CACHED_ANALYSES = 64  # cached analyses
EXPERIMENT_BLOCKS = {TrainBlock.kind, EvaluateBlock.kind, SolveBlock.kind}  # blocks that the analysis does not use
Key = tuple[str, ...]
_cache: dict[Key, tuple[tuple[int, ...], Analysis]] = {}


def analysis_of(spec: Spec, syntax: t.Syntax) -> Analysis:
    """The analysis of a spec; a cached one with the same statements is reused with shifted spans."""
    spans = [s.span for s in syntax.statements if _affects_analysis(s)]
    key = tuple(spec.source.text[span.start : span.end] for span in spans)
    starts = tuple(span.start for span in spans)
    before, cached = _cache[key] = _cache.pop(key) if key in _cache else (starts, to_analysis(spec))
    if len(_cache) > MAX_CACHED_ANALYSES:
        _cache.pop(next(iter(_cache)))  # least recently used
    if before == starts and cached.spec.source == spec.source:
        return cached
    shift: Analysis = _map_spans(replace(cached, spec=spec), _span_shift(before, starts))
    return with_warnings(replace(shift, spec=spec))


def _affects_analysis(statement: t.Statement) -> bool:
    """Whether the analysis depends on a statement."""
    if isinstance(statement, t.BlockStmt):
        return statement.kind.id not in EXPERIMENT_BLOCKS
    return not isinstance(statement, t.Header | t.SweepStmt)


def _span_shift(before: tuple[int, ...], after: tuple[int, ...]) -> Callable[[Span], Span]:
    """The map from spans in old statements to spans in the new ones, by where statements start."""

    def shift(span: Span) -> Span:
        i = bisect_right(before, span.start) - 1
        by = after[i] - before[i] if i >= 0 else 0
        return Span(span.start + by, span.end + by)

    return shift


def _map_spans(noun: Any, shift: Callable[[Span], Span]) -> Any:
    """A copy with every span in it moved; a spec is left unchanged."""
    match noun:
        case Span():
            return shift(noun)
        case Spec():
            return noun
        case tuple():
            return tuple(_map_spans(one, shift) for one in noun)
        case dict():
            return {key: _map_spans(value, shift) for key, value in noun.items()}
        case _ if is_dataclass(noun) and not isinstance(noun, type):
            values = {f.name: getattr(noun, f.name) for f in fields(noun) if f.init}
            new = {name: _map_spans(value, shift) for name, value in values.items()}
            return replace(noun, **new) if any(new[k] is not values[k] for k in new) else noun
        case _:
            return noun
