"""Equations that are aimed at the hypotheses of the proofs, decided by mathematics before any code was run on them."""

from __future__ import annotations

from analyse.frames import Row
from analyse.table import (
    absent,
    behind,
    beyond,
    blocks,
    boundaries,
    classes,
    contested,
    contrary,
    domains,
    edges,
    further,
    hessians,
    inside,
    maps,
    masses,
    mingled,
    minima,
    moments,
    narrow,
    orders,
    places,
    sharp,
    simple,
    spaces,
    systems,
    times,
    undefined,
    uniqueness,
    wide,
)

ROOMS = (spaces, orders, hessians, boundaries, domains, uniqueness, times, systems, classes, masses, simple, maps)
OPPONENT = (
    narrow,
    wide,
    places,
    moments,
    blocks,
    sharp,
    edges,
    further,
    minima,
    behind,
    contrary,
    contested,
    absent,
    mingled,
    undefined,
    inside,
    beyond,
)  # by another hand
TABLE: tuple[Row, ...] = tuple(row for room in (*ROOMS, *OPPONENT) for row in room.TABLE)
