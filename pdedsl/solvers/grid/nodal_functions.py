"""Expressions of a system as tensor functions of jets, coordinates, time and learned parameters at the nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from sympy import Expr, Symbol
from torch import Tensor

from pdedsl.codegen.pointwise import PointwiseFunction, compile_pointwise
from pdedsl.ir.first_order_system import FirstOrderSystem, LearnedParameter

ParameterValue = Tensor | Callable[[Tensor], Tensor]
"""A learned scalar, vector or matrix; a batch (b,) of values of a scalar; or a learned function of its arguments."""


@dataclass(frozen=True)
class CompiledExpressions:
    """Compiled expressions: functions of jets, then of coordinates, time and parameters."""

    jets: tuple[Symbol, ...]
    others: tuple[Symbol, ...]
    compiled: PointwiseFunction | None

    def __call__(self, jets: Sequence[Tensor], known: Mapping[Symbol, Tensor]) -> tuple[Tensor, ...]:
        if self.compiled is None:
            return ()
        return self.compiled(*jets, *(known[s] for s in self.others))


def compile_expressions(system: FirstOrderSystem, exprs: Sequence[Expr]) -> CompiledExpressions:
    """Each result, even a constant, has the shape of the nodes: that of the jets, or of all coordinates together."""
    jets = tuple(s for s, _ in system.jets_in(*exprs))
    others = (*system.coordinates, *(p.symbol for p in system.parameters))
    if jets:
        used = frozenset().union(*(e.free_symbols for e in exprs))
        others = tuple(s for s in others if s in used)
    integrals = tuple(s for s, _ in system.nonlocal_terms if any(s in e.free_symbols for e in exprs))
    others = (*others, *integrals)
    return CompiledExpressions(jets, others, compile_pointwise(list(exprs), [*jets, *others]) if exprs else None)


def nodal_values(
    system: FirstOrderSystem,
    parameter_values: Mapping[str, ParameterValue],
    coordinates: Sequence[Tensor],
    time: Tensor | None,
) -> dict[Symbol, Tensor]:
    """Coordinates (broadcastable), time, and learned parameters, at the nodes."""
    places = list(coordinates) if time is None else [*coordinates, time]
    shape = torch.broadcast_tensors(*places)[0].shape  # type: ignore[no-untyped-call]
    values = dict(zip(system.coordinates, places, strict=True))
    return values | {
        p.symbol: _parameter_value(system, p, parameter_values[p.name], places, shape) for p in system.parameters
    }


def _parameter_value(
    system: FirstOrderSystem,
    parameter: LearnedParameter,
    supplied: ParameterValue,
    places: Sequence[Tensor],
    shape: torch.Size,
) -> Tensor:
    if isinstance(supplied, Tensor):
        with torch.enable_grad():  # the value is cached, and may be needed with gradients later
            component = supplied[parameter.indices] if parameter.indices else supplied
            return component.reshape(-1, *[1] * len(shape)) if component.ndim else component
    learned = next(p for p in system.statement.parameters if p.name == parameter.name)
    slots = [system.coordinates.index(a) for a in learned.arguments]
    columns = [places[k].expand(shape).reshape(-1).clone().requires_grad_() for k in slots]
    with torch.enable_grad():
        value = supplied(torch.stack(columns, dim=-1)).reshape(len(columns[0]), -1)
        value = value[:, parameter.indices[0] if parameter.indices else 0]
        for slot in parameter.slots:
            (value,) = torch.autograd.grad(value.sum(), columns[slots.index(slot)], create_graph=True)
    return value.reshape(shape)
