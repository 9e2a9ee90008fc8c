"""Embedded Runge–Kutta pairs as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import final

Row = tuple[float, ...]


@final
@dataclass(frozen=True)
class Tableau:
    """k₁ = f(t, y), k_{i+1} = f(t + nodes_i h, y + h Σ_j rows_ij k_j). The last row is the step itself (the last
    stage of one step is the first of the next), and h Σ_j error_j k_j estimates its error. `order` is that of the
    step."""

    order: int
    nodes: Row
    rows: tuple[Row, ...]
    error: Row


DOPRI5 = Tableau(  # Dormand, Prince 1980
    order=5,
    nodes=(1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
    rows=(
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    error=(71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),
)

BOSH3 = Tableau(  # Bogacki, Shampine 1989
    order=3,
    nodes=(1 / 2, 3 / 4, 1.0),
    rows=((1 / 2,), (0.0, 3 / 4), (2 / 9, 1 / 3, 4 / 9)),
    error=(2 / 9 - 7 / 24, 1 / 3 - 1 / 4, 4 / 9 - 1 / 3, -1 / 8),
)

HEUN21 = Tableau(  # Heun with Euler inside; one stage more than needed, so that the last stage is the next first
    order=2,
    nodes=(1.0, 1.0),
    rows=((1.0,), (1 / 2, 1 / 2)),
    error=(-1 / 2, 1 / 2, 0.0),
)

TABLEAUS: Mapping[str, Tableau] = MappingProxyType({"dopri5": DOPRI5, "bosh3": BOSH3, "adaptive_heun": HEUN21})
