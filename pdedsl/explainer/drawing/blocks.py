"""Block diagram of a network: blocks in network order, each with the spans of the text that it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pdedsl.diagnostics import Span


@dataclass(frozen=True)
class Block:
    """A box of the drawing: its title, its lines of text, and the spans that it comes from."""

    title: str
    lines: tuple[str, ...] = ()
    of: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Group:
    """Blocks in sequence, such as those of one step; or in parallel, such as the members of an ensemble."""

    title: str
    nodes: tuple[Node, ...]
    parallel: bool = False


Node: TypeAlias = Block | Group


def blocks_in(nodes: tuple[Node, ...]) -> tuple[Block, ...]:
    """Every block, in network order."""
    return tuple(b for node in nodes for b in ((node,) if isinstance(node, Block) else blocks_in(node.nodes)))


def counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def sizes(*numbers: int) -> str:
    return " × ".join(map(str, numbers))
