"""Formats of solutions on grids: tensor-product expansions, piecewise polynomials in time, scattered values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.basis.interpolation import (
    Axis,
    CellAxis,
    ChebyshevAxis,
    MovingLeastSquares,
    PiecewiseChebyshev,
    PiecewiseChebyshevAxis,
    TensorProductExpansion,
)
from pdedsl.runtime.basis.obstacle_solution import ContactExpansion
from pdedsl.runtime.basis.pieces_in_time import PiecesInTime
from pdedsl.solvers.solver_method import Form, ModuleFormat, StoredModule


def _describe_expansion(module: TensorProductExpansion) -> Form:
    return {"axes": list(map(_describe_axis, module.axes)), "timed": module.timed, "stencil": module.stencil}


def _describe_axis(axis: Axis) -> Form:
    match axis:
        case FourierAxis():
            return {"kind": "ring", "start": axis.start, "period": axis.period, "half": axis.half}
        case ChebyshevAxis():
            return {"kind": "segment", "start": axis.start, "end": axis.end, "n": axis.n}
        case PiecewiseChebyshevAxis():
            return {"kind": "pieces", "breaks": list(axis.breaks), "n": axis.n}
        case CellAxis():
            return {"kind": "cells", "start": axis.start, "end": axis.end, "n": axis.n, "periodic": axis.periodic}


def _rebuild_axis(form: Form) -> Axis:
    match form:
        case {"kind": "ring", "start": start, "period": period, "half": half}:
            return FourierAxis(start, period, half)
        case {"kind": "segment", "start": start, "end": end, "n": n}:
            return ChebyshevAxis(start, end, n)
        case {"kind": "pieces", "breaks": breaks, "n": n}:
            return PiecewiseChebyshevAxis(tuple(breaks), n)
        case {"kind": "cells", "start": start, "end": end, "n": n, "periodic": periodic}:
            return CellAxis(start, end, n, periodic)
        case _:
            raise ValueError(f"unknown kind of axis: {form.get('kind')}")


def _rebuild_expansion(stored: StoredModule[Any]) -> TensorProductExpansion:
    return _expansion_of(TensorProductExpansion, stored)


def _rebuild_contact(stored: StoredModule[Any]) -> TensorProductExpansion:
    return _expansion_of(ContactExpansion, stored)


def _expansion_of(kind: type[TensorProductExpansion], stored: StoredModule[Any]) -> TensorProductExpansion:
    """Created with zeros, then loaded: coefficients have the shape of values."""
    form, tensors = stored.form, stored.tensors
    axes = tuple(map(_rebuild_axis, form["axes"]))
    zeros, times = torch.zeros_like(tensors["coefficients"]), tensors["times"] if form["timed"] else None
    module = kind(axes, zeros, times, form["stencil"])
    module.load_state_dict(tensors)
    return module


def _describe_pieces(module: PiecesInTime) -> Form:
    return {"pieces": [_describe_expansion(p) for p in module.pieces if isinstance(p, TensorProductExpansion)]}


def _rebuild_pieces(stored: StoredModule[Any]) -> PiecesInTime:
    pieces = []
    for k, form in enumerate(stored.form["pieces"]):
        prefix = f"pieces.{k}."
        tensors = {n.removeprefix(prefix): v for n, v in stored.tensors.items() if n.startswith(prefix)}
        pieces.append(_rebuild_expansion(replace(stored, form=form, tensors=tensors)))
    return PiecesInTime(stored.tensors["breaks"], pieces)


def _rebuild_piecewise(stored: StoredModule[Any]) -> PiecewiseChebyshev:
    tensors = stored.tensors
    module = PiecewiseChebyshev(tensors["breaks"], torch.zeros_like(tensors["coefficients"]))
    module.load_state_dict(tensors)
    return module


def _rebuild_scattered(stored: StoredModule[Any]) -> MovingLeastSquares:
    return MovingLeastSquares(stored.tensors["places"], stored.tensors["values"], float(stored.form["h"]))


GRID_FORMATS: tuple[ModuleFormat[Any], ...] = (
    ModuleFormat("expansion with contact set", ContactExpansion, _rebuild_contact, _describe_expansion),
    ModuleFormat("expansion", TensorProductExpansion, _rebuild_expansion, _describe_expansion),
    ModuleFormat("pieces in time", PiecesInTime, _rebuild_pieces, _describe_pieces),
    ModuleFormat("piecewise polynomial", PiecewiseChebyshev, _rebuild_piecewise),
    ModuleFormat("scattered", MovingLeastSquares, _rebuild_scattered, lambda module: {"h": module.h}),
)
