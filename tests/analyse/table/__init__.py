"""Equations that are aimed at the hypotheses of the proofs, decided by mathematics before any code was run on them."""

from __future__ import annotations

from analyse.frames import Row
from analyse.table import (
    absent,
    aliases,
    behind,
    beyond,
    blocks,
    boundaries,
    bounding,
    cancelling,
    chained,
    classes,
    clocks,
    contested,
    contrary,
    curved,
    divided,
    domains,
    dropped,
    edges,
    further,
    growing,
    hessians,
    inside,
    layered,
    maps,
    masses,
    mingled,
    minima,
    moments,
    moved,
    narrow,
    orders,
    pieced,
    places,
    returned,
    sharp,
    signed,
    simple,
    solid,
    spaces,
    stacked,
    systems,
    times,
    undefined,
    uniqueness,
    unseen,
    weighted,
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
SECOND = (signed, returned, curved, stacked, cancelling, aliases, growing, bounding)  # and by a third
THIRD = (dropped, chained, moved, clocks, solid, pieced, weighted, layered, unseen, divided)  # and by a fourth
AGAIN: tuple[Row, ...] = tuple(row for room in SECOND for row in room.TABLE)
LAST: tuple[Row, ...] = tuple(row for room in THIRD for row in room.TABLE)
TABLE: tuple[Row, ...] = (*(row for room in (*ROOMS, *OPPONENT) for row in room.TABLE), *AGAIN, *LAST)
