"""Equations that are aimed at the hypotheses of the proofs, decided by mathematics before any code was run on them."""

from __future__ import annotations

from analyse.frames import Row
from analyse.table import (
    boundaries,
    classes,
    domains,
    hessians,
    maps,
    masses,
    orders,
    simple,
    spaces,
    systems,
    times,
    uniqueness,
)

ROOMS = (spaces, orders, hessians, boundaries, domains, uniqueness, times, systems, classes, masses, simple, maps)
TABLE: tuple[Row, ...] = tuple(row for room in ROOMS for row in room.TABLE)
