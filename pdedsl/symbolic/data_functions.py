"""Known functions from data: the interpolant of an array in a file, as a sympy function.

Its values are those of the file, whose digest is part of the name of the function. Derivatives have order two at
most for cubic splines on tensor grids, order one for piecewise linear functions on scattered points.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import Function

from pdedsl.numerics.grid_data import GridSource, GridSpline, load_spline
from pdedsl.numerics.scattered_data import ScatteredInterpolant, ScatteredSource, load_scattered
from pdedsl.symbolic.symbols import TooLarge

DataSource = GridSource | ScatteredSource


def load_interpolant(source: DataSource) -> GridSpline | ScatteredInterpolant:
    """The interpolant of a checked file."""
    return load_spline(source) if isinstance(source, GridSource) else load_scattered(source)


class DataFunction(Function):  # type: ignore[misc]
    """An interpolant, or a derivative of it, of the orders along its axes."""

    source: DataSource
    orders: tuple[int, ...]

    @classmethod
    def eval(cls, *args: Any) -> None:
        return None

    def fdiff(self, argindex: int = 1) -> Any:
        orders = tuple(n + (k == argindex - 1) for k, n in enumerate(self.orders))
        most, total = self.source.max_derivatives, max(orders) if isinstance(self.source, GridSource) else sum(orders)
        if total > most:
            raise TooLarge(f"a derivative of order above {most} of values from a file")
        return data_function(self.source, orders)(*self.args)

    def _eval_is_real(self) -> bool:
        return True

    def _eval_is_positive(self) -> bool | None:
        return True if self.bounds[0] > 0 else None

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.bounds[0] >= 0 else None

    @property
    def bounds(self) -> tuple[float, float]:
        return load_interpolant(self.source).bounds if not any(self.orders) else (float("-inf"), float("inf"))

    def _sympystr(self, printer: Any) -> str:
        return f'data("{self.source.file}")({", ".join(map(printer._print, self.args))})'


@lru_cache(maxsize=256)
def data_function(source: DataSource, orders: tuple[int, ...]) -> type[DataFunction]:
    """The function; its name is the same for files of the same content."""
    kind = "".join("p" if p else "n" for p in source.periods) if isinstance(source, GridSource) else "scattered"
    name = f"data_{source.digest}_{source.name}_{kind}_{''.join(map(str, orders))}"
    return type(name, (DataFunction,), {"source": source, "orders": orders, "nargs": len(orders)})
