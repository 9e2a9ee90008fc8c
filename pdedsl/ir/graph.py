"""Expression graph of the canonical form, for programs and models that take equations as input.

Facts come first, in the order of the canonical text, then the expressions in them. Equal expressions are one node, so
that facts share coordinates, fields and products. `text_of` restores the canonical text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from pdedsl.record import Record

VERSION = 1  # of the JSON format
HOLE = "{}"
_MATHEMATICS = re.compile("equation|inside|boundary|initial|terminal|exact")  # facts with expressions
_DECLARED = re.compile("unknown|learn|parameter")
_BEFORE = re.compile(r"= |; |\bon |\bwhere ")  # text before an expression
_ATOM = re.compile(r"[^\s()\[\];:]+")
_NUMBER = re.compile(r"-?\d+(?:/\d+|\.\d+)?(?:[eE][+-]?\d+)?")
_NAME = re.compile(r"\b[uwp]\d+\b")


class NodeKind(StrEnum):
    """The kind of a node."""

    FACT = "fact"
    CALL = "call"
    LIST = "list"
    FIELD = "field"
    NUMBER = "number"
    SYMBOL = "symbol"


class Role(StrEnum):
    """The target of an edge: an argument, or the declaration of a field."""

    ARGUMENT = "argument"
    DECLARATION = "declaration"


class GraphNode(Record):
    """`name` is that of a fact, function, field or symbol, or a number; `text` is that of a fact, with a hole for each
    expression; `indices` is the number of leading arguments of a field that are indices in brackets."""

    kind: NodeKind
    name: str
    text: str = ""
    indices: int = 0


class Edge(Record):
    """From a node to its argument number `slot`, or to the declaration of its field."""

    start: int
    end: int
    slot: int
    role: Role = Role.ARGUMENT


class Graph(Record):
    nodes: tuple[GraphNode, ...]
    edges: tuple[Edge, ...]

    def as_dict(self) -> dict[str, object]:
        """The graph as a dict that can be written as JSON."""
        return {
            "format": "pdedsl graph",
            "version": VERSION,
            "nodes": [{"id": k, **_plain(node)} for k, node in enumerate(self.nodes)],
            "edges": [{"from": e.start, "to": e.end, "role": e.role, "slot": e.slot} for e in self.edges],
        }


def _plain(node: GraphNode) -> dict[str, object]:
    match node.kind:
        case NodeKind.FACT:
            return {"kind": node.kind, "name": node.name, "text": node.text}
        case NodeKind.FIELD:
            return {"kind": node.kind, "name": node.name, "indices": node.indices}
        case NodeKind.LIST:
            return {"kind": node.kind}
        case NodeKind.CALL | NodeKind.NUMBER | NodeKind.SYMBOL:
            return {"kind": node.kind, "name": node.name}
        case _:
            assert_never(node.kind)


# ---- From the canonical text


def graph_of(canonical: str) -> Graph:
    lines = [line.partition(" ") for line in canonical.removesuffix("\n").split("\n")]
    builder = _Builder(len(lines))
    facts = [builder.fact(k, name, rest) for k, (name, _, rest) in enumerate(lines)]
    homes = {
        name[0]: k
        for k, fact in enumerate(facts)
        if _DECLARED.fullmatch(fact.name) and (name := _NAME.match(fact.text))
    }
    nodes = (*facts, *builder.nodes)
    uses = ((k, name) for k, node in enumerate(nodes) for name in _fields(node))
    declared = [Edge(k, homes[name], 0, Role.DECLARATION) for k, name in uses if name in homes]
    return Graph(nodes, (*builder.edges, *declared))


def _fields(node: GraphNode) -> Iterator[str]:
    """The names of the fields that a node mentions."""
    if node.kind is NodeKind.FIELD:
        yield node.name
    elif node.kind is NodeKind.FACT and _MATHEMATICS.fullmatch(node.name):
        yield from dict.fromkeys(_NAME.findall(node.text))


@dataclass
class _Builder:
    """Builds the nodes of expressions, each once; their numbers follow those of the facts."""

    facts: int
    nodes: list[GraphNode] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    index: dict[tuple[GraphNode, tuple[int, ...]], int] = field(default_factory=dict)
    text: str = ""
    position: int = 0

    def fact(self, k: int, name: str, rest: str) -> GraphNode:
        if not _MATHEMATICS.fullmatch(name):
            return GraphNode(NodeKind.FACT, name, rest)
        self.text, self.position = rest, 0
        pieces = list(self._pieces())
        self.edges += (Edge(k, end, slot) for slot, end in enumerate(p for p in pieces if isinstance(p, int)))
        return GraphNode(NodeKind.FACT, name, "".join(HOLE if isinstance(p, int) else p for p in pieces))

    def _pieces(self) -> Iterator[str | int]:
        """The pieces of text of a fact and its expressions, alternating; an `inside` fact is a single expression."""
        begins = self.text.startswith("(")
        while begins or (prefix := _BEFORE.search(self.text, self.position)):
            if not begins:
                assert prefix is not None
                yield self.text[self.position : prefix.end()]
                self.position = prefix.end()
            begins = False
            yield self._expression()
        yield self.text[self.position :]

    def _expression(self) -> int:
        if self._takes("("):
            name = self._atom()
            return self._node(GraphNode(NodeKind.CALL, name), self._until(")"))
        if self._takes("["):
            return self._node(GraphNode(NodeKind.LIST, ""), self._until("]"))
        return self._name_node(self._atom())

    def _takes(self, char: str) -> bool:
        matches = self.text.startswith(char, self.position)
        self.position += matches
        return matches

    def _name_node(self, name: str) -> int:
        if not self._takes("["):
            return self._node(GraphNode(NodeKind.NUMBER if _NUMBER.fullmatch(name) else NodeKind.SYMBOL, name), ())
        indices = self._until("]")
        self._takes("(")
        return self._node(GraphNode(NodeKind.FIELD, name, indices=len(indices)), (*indices, *self._until(")")))

    def _until(self, end: str) -> tuple[int, ...]:
        nodes = []
        while not self._takes(end):
            if not self._takes(" "):
                nodes.append(self._expression())
        return tuple(nodes)

    def _atom(self) -> str:
        atom = _ATOM.match(self.text, self.position)
        assert atom is not None, self.text
        self.position = atom.end()
        return atom[0]

    def _node(self, node: GraphNode, arguments: tuple[int, ...]) -> int:
        key = node, arguments
        if key not in self.index:
            self.index[key] = self.facts + len(self.nodes)
            self.nodes.append(node)
            self.edges += (Edge(self.index[key], end, slot) for slot, end in enumerate(arguments))
        return self.index[key]


# ---- To the canonical text


def text_of(graph: Graph) -> str:
    """The canonical text, from nodes and edges alone."""
    arguments: dict[int, list[tuple[int, int]]] = {}
    for edge in graph.edges:
        if edge.role is Role.ARGUMENT:
            arguments.setdefault(edge.start, []).append((edge.slot, edge.end))

    def shown(k: int) -> str:
        node, inner = graph.nodes[k], [shown(end) for _, end in sorted(arguments.get(k, ()))]
        match node.kind:
            case NodeKind.FACT:
                parts = node.text.split(HOLE) if inner else [node.text]
                return f"{node.name} {parts[0]}" + "".join(a + b for a, b in zip(inner, parts[1:], strict=True))
            case NodeKind.CALL:
                return f"({' '.join([node.name, *inner])})"
            case NodeKind.LIST:
                return f"[{' '.join(inner)}]"
            case NodeKind.FIELD:
                return f"{node.name}[{' '.join(inner[: node.indices])}]({' '.join(inner[node.indices :])})"
            case NodeKind.NUMBER | NodeKind.SYMBOL:
                return node.name
            case _:
                assert_never(node.kind)

    facts = [k for k, node in enumerate(graph.nodes) if node.kind is NodeKind.FACT]
    return "\n".join(map(shown, facts)) + "\n"
