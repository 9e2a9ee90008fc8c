"""Graph of the canonical form: equivalent to the canonical text."""

from __future__ import annotations

import json
from functools import cache

import pytest
from click.testing import CliRunner
from grammar_page import ROOT

import pdedsl
from ir.canonical_cases import DIFFERENT, PLANE, SAME_EQUATIONS
from pdedsl.cli import cli
from pdedsl.ir.graph import VERSION, Edge, Graph, NodeKind, Role, graph_of, text_of
from pdedsl.sources import shipped_specs

NAMES = list(shipped_specs())


@cache
def canonical(text: str) -> str:
    return pdedsl.parse(text).canonical if "\n" in text else pdedsl.load(text).canonical


@pytest.mark.parametrize("name", NAMES)
def test_text_of_inverts_graph_of(name: str) -> None:
    assert text_of(graph_of(canonical(name))) == canonical(name)


def test_different_problems_have_different_graphs() -> None:
    graphs = {graph_of(canonical(name)) for name in NAMES}
    assert len(graphs) == len({canonical(name) for name in NAMES}) == len(NAMES)


@pytest.mark.parametrize("row", SAME_EQUATIONS)
def test_equivalent_problems_have_equal_graphs(row: tuple[str, ...]) -> None:
    assert len({graph_of(canonical(PLANE + equation + "\n")) for equation in row}) == 1


def test_graphs_differ_where_the_hash_does() -> None:
    texts = {canonical(text) for base, old, new in DIFFERENT for text in (base, base.replace(old, new))}
    assert len({graph_of(text) for text in texts}) == len(texts)
    assert all(text_of(graph_of(text)) == text for text in texts)


@pytest.mark.parametrize("name", NAMES)
def test_edges_point_from_facts_to_expressions_and_from_fields_to_declarations(name: str) -> None:
    graph = graph_of(canonical(name))
    for edge in graph.edges:
        start, end = graph.nodes[edge.start], graph.nodes[edge.end]
        if edge.role is Role.DECLARATION:
            assert end.name in ("unknown", "learn", "parameter")
            assert start.kind is NodeKind.FACT or end.text.startswith(f"{start.name}(")
        else:
            assert end.kind is not NodeKind.FACT
    fields = {k for k, node in enumerate(graph.nodes) if node.kind is NodeKind.FIELD}
    assert fields <= {edge.start for edge in graph.edges if edge.role is Role.DECLARATION}


def test_common_subexpressions_are_shared() -> None:
    graph = graph_of(canonical("heat"))
    assert sum(node.kind is NodeKind.SYMBOL and node.name == "x1" for node in graph.nodes) == 1
    assert len(set(graph.edges)) == len(graph.edges)


def test_changed_graph_has_another_text() -> None:
    graph = graph_of(canonical("burgers"))
    swapped = tuple(Edge(e.start, e.end, 1 - e.slot if e.slot < 2 else e.slot, e.role) for e in graph.edges)
    assert text_of(Graph(graph.nodes, swapped)) != canonical("burgers")


def test_command_line_output() -> None:
    printed = json.loads(CliRunner().invoke(cli, ["compile", "--emit", "graph", "heat"]).stdout)
    assert printed["version"] == VERSION
    assert printed["hash"] == pdedsl.load("heat").hash
    page = (ROOT / "grammar" / "README.md").read_text("utf-8")
    section = page[page.index("### The canonical form as a graph") :]
    for key in {key for row in (printed, *printed["nodes"], *printed["edges"]) for key in row}:
        assert f"`{key}`" in section, key
    for kind in NodeKind:
        assert f"`{kind}`" in section, kind
