"""Elaboration of `sweep` blocks: axes with values or bounds; each value is tried as a setting of the spec."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from pdedsl import errors
from pdedsl.config.sweep import Sweep, SweepAxis
from pdedsl.diagnostics import PdeError, Reporter, Source, Span
from pdedsl.language import ast as t
from pdedsl.language.elaborate.environment import Environment
from pdedsl.language.elaborate.options import exact_or_float
from pdedsl.language.names import canonical_name
from pdedsl.language.printing.unparse import unparse
from pdedsl.language.settings import apply_settings, delete_span

MAX_VALUES = 1000  # of an axis: each is a training run
LOG = "log"


def elaborate_sweep(statement: t.SweepStmt, env: Environment) -> Sweep:
    """The axes of a block; whether their values are settings of the spec is checked by `check_sweep`."""
    axes: dict[str, SweepAxis] = {}
    for entry in statement.entries:
        with env.reporter.guard():
            key = canonical_name(entry.key)
            if key in axes:
                raise errors.options.duplicate_entry(entry.key, entry.span, axes[key].span, entry.span)
            axes[key] = _axis(entry, env)
    return Sweep(tuple(axes.values()), span=statement.span)


def _axis(entry: t.SweepEntry, env: Environment) -> SweepAxis:
    axis = SweepAxis(entry.key, span=entry.span)
    if entry.scale is not None and entry.scale.id != LOG:
        raise errors.options.unknown_builtin(entry.scale.text, "scale of a range", [LOG], LOG, entry.scale.span)
    if entry.high is None:
        match entry.values:
            case t.ListExpr(items=items) if items:
                values = tuple(dict.fromkeys(unparse(item) for item in items))
                return replace(axis, values=_require_few_values(values, entry.span))
        raise errors.options.sweep_without_values(entry.key, entry.values.span)
    low, high = (exact_or_float(env.number(bound)) for bound in (entry.values, entry.high))
    if low >= high:
        raise errors.options.sweep_without_values(entry.key, entry.values.span.to(entry.high.span))
    if entry.scale is not None and low <= 0:
        raise errors.options.logarithm_of_range(entry.values.span)
    if entry.scale is None and all(isinstance(bound, t.Number) and bound.text.isdigit() for bound in _bounds(entry)):
        if high - low >= MAX_VALUES:
            raise errors.options.list_too_long(entry.key, MAX_VALUES, entry.span)
        return replace(axis, values=tuple(map(str, range(int(low), int(high) + 1))))
    return replace(axis, bounds=(low, high), log=entry.scale is not None)


def _bounds(entry: t.SweepEntry) -> Iterator[t.Expr]:
    assert entry.high is not None
    yield from (entry.values, entry.high)


def _require_few_values(values: tuple[str, ...], span: Span) -> tuple[str, ...]:
    if len(values) > MAX_VALUES:
        raise errors.options.list_too_long("a sweep", MAX_VALUES, span)
    return values


def check_sweep(sweep: Sweep, source: Source, elaborate: Callable[[Source], object], reporter: Reporter) -> None:
    """Reports the values of axes that are not valid settings of the spec. `elaborate` raises the errors of a source."""
    alone = without_sweep(source, sweep)
    for axis in sweep.axes:
        for value in sampled_values(axis):
            try:
                elaborate(apply_settings(alone, [f"{axis.path}={value}"]))
            except PdeError as error:
                first = error.diagnostics[0]
                reporter.add(errors.options.sweep_value(axis.path, value, first.message, first.hint, axis.span))
                break


def sampled_values(axis: SweepAxis) -> tuple[str, ...]:
    """The values of a list; of a range, its ends."""
    if axis.bounds is not None:
        return tuple(f"{float(bound):.17g}" for bound in axis.bounds)
    whole = all(value.isdigit() for value in axis.values)
    return (axis.values[0], axis.values[-1]) if whole else axis.values


def without_sweep(source: Source, sweep: Sweep) -> Source:
    """The spec of a single run."""
    return Source(delete_span(source.text, sweep.span).rstrip() + "\n", source.name)
