"""A network as it is drawn: blocks in network order, each with the places in the text that it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pdedsl.diagnostics import Span


@dataclass(frozen=True)
class Block:
    """A box of the drawing: what it is, its sizes, and what it comes from."""

    title: str
    lines: tuple[str, ...] = ()
    of: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Group:
    """Blocks that belong together, such as those of one step; or, side by side, the members of an ensemble."""

    title: str
    nodes: tuple[Node, ...]
    apart: bool = False  # whether they are side by side rather than in sequence


Node: TypeAlias = Block | Group


def blocks_in(nodes: tuple[Node, ...]) -> tuple[Block, ...]:
    """Every block, in network order."""
    return tuple(b for node in nodes for b in ((node,) if isinstance(node, Block) else blocks_in(node.nodes)))


def counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def sizes(*numbers: int) -> str:
    return " × ".join(map(str, numbers))
