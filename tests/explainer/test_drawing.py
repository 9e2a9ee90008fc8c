"""Drawings: of every shipped spec, well-formed, true to the network, and safe whatever the spec says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from texts import NAMES, changed, compiled, known, shipped

import pdedsl
from pdedsl.cli import cli
from pdedsl.explainer.drawing.annotations import annotations_of, equation_lines
from pdedsl.explainer.drawing.blocks import Group, Node, blocks_in
from pdedsl.explainer.drawing.draw import nodes_of
from pdedsl.explainer.drawing.style import COLOURS
from pdedsl.explainer.drawing.svg import wrap_text
from pdedsl.explainer.explain import Explanation
from pdedsl.ir.terms import Term, TimeDerivative

SVG = "{http://www.w3.org/2000/svg}"


@cache
def explanation(name: str) -> Explanation:
    return pdedsl.explain(name)


def drawn(explained: Explanation) -> ElementTree.Element:
    return ElementTree.fromstring(explained.svg())


def words(root: ElementTree.Element, kind: str) -> list[str]:
    return ["".join(group.itertext()) for group in root.iter(f"{SVG}g") if group.get("class") == kind]


def nodes(name: str) -> tuple[Node, ...]:
    explained = explanation(name)
    assert explained.plan is not None
    return nodes_of(explained.plan, explained.analysis)


def said(name: str) -> str:
    return "\n".join(text for block in blocks_in(nodes(name)) for text in (block.title, *block.lines))


@pytest.mark.parametrize("name", NAMES)
def test_every_term_and_every_block_is_drawn_where_it_comes_from(name: str) -> None:
    explained = explanation(name)
    root, spec = drawn(explained), explained.analysis.spec
    terms = [t for facts in explained.analysis.equations for t in facts.terms]
    assert len(words(root, "term")) == len(annotations_of(explained.analysis)) >= len(terms)
    spans = [(int(g.get("data-start", -1)), int(g.get("data-end", -1))) for g in root.iter(f"{SVG}g")]
    assert {tuple(t.origin.span) for t in terms} <= set(spans)
    assert len(words(root, "block")) == len(blocks_in(nodes(name)))
    linked = {kind for path in root.iter(f"{SVG}path") for kind in (path.get("class") or "").split()}
    explicit = {t.kind for t in terms if not isinstance(t, TimeDerivative)}
    assert explicit <= linked, "a term has no block"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert spec.name in (title.text or "")
    assert explained.theorem is not None
    assert explained.theorem.name in (desc.text or "")


@pytest.mark.parametrize("name", NAMES)
def test_equations_are_drawn_as_they_were_written(name: str) -> None:
    analysis = explanation(name).analysis
    source, marks = analysis.spec.source, annotations_of(analysis)
    for facts in analysis.equations:
        for columns in (24, 100):
            lines = equation_lines(source, facts.equation.span, marks, columns)
            text = "".join(run.text for line in lines for run in line)
            assert text == source.quote(facts.equation.span)
            assert all(sum(run.columns for run in line) <= columns for line in lines)


def test_every_class_of_terms_has_a_colour() -> None:
    assert {term.word for term in Term.__args__} <= COLOURS.keys()


def test_blocks_stand_in_network_order() -> None:
    assert [b.title for b in blocks_in(nodes("randomized_smoothing"))][:4] == [
        "input", "noise", "residual map", "readout",
    ]  # fmt: skip
    group = next(n for n in nodes("enresnet") if isinstance(n, Group))
    assert group.title == "5 members, each with weights of its own"
    assert [b.title for b in blocks_in(group.nodes)] == ["residual map", "noise", "readout"]


def test_several_depths_stand_side_by_side() -> None:
    plan = pdedsl.explain(changed(shipped("enresnet"), ("depth=20", "depth=[20, 32]"), ("members=5", "members=2")))
    assert plan.plan is not None
    (group,) = (n for n in nodes_of(plan.plan, plan.analysis) if isinstance(n, Group))
    assert group.apart
    assert [str(block.lines[0]) for block in blocks_in(group.nodes) if block.title == "residual map"] == [
        "δt = 1/9",
        "δt = 1/15",
    ]


def test_sizes_are_those_of_the_network() -> None:
    network = compiled(shipped("parabolic")).module()
    widths = [connector[0].weight.shape[0] for connector in network.connectors]
    told = [int(n) for n in re.findall(r"1×1 convolution to (\d+) channels", said("parabolic"))]
    assert told == widths
    assert f"3×3 convolution to {network.opening[1].weight.shape[0]} channels" in said("parabolic")


def test_maps_are_as_many_as_the_network_has() -> None:
    (title,) = [n.title for n in nodes("resnet") if isinstance(n, Group)]
    kinds = [type(m).__name__ for m in compiled(shipped("resnet")).module().modules()]
    assert title == f"{sum(k in ('Residual', 'PreactivatedTransition') for k in kinds)} maps of resnet(depth=20)"


def test_paths_show_what_each_term_does() -> None:
    shown = [b.title for b in blocks_in(nodes("black_scholes"))]
    assert shown[1:4] == ["drift", "noise", "weight"]


def test_without_a_network_the_reason_stands_there() -> None:
    broken = pdedsl.explain(known("∂u/∂t = u Δu"))
    assert broken.errors
    assert any("no network" in text for text in words(drawn(broken), "block"))


def test_what_a_spec_says_stays_text() -> None:
    spiteful = changed(
        shipped("heat"), ('"Heat equation on an interval"', '"</title><script>alert(1)</script>&amp; ]]> \u202e"')
    )
    root = drawn(pdedsl.explain(spiteful))
    assert not [e for e in root.iter() if "script" in e.tag]
    assert "\u202e" not in "".join(root.itertext())


def test_a_long_equation_stays_inside() -> None:
    sum_of = " + ".join(f"exp(-{k} x²) ∂u/∂x" for k in range(1, 16))
    text = changed(shipped("heat"), ("∂u/∂t = κΔu", f"∂u/∂t = κΔu + {sum_of}"), ("exact u = exp(-κ π² t) sin(π x)", ""))
    root = drawn(pdedsl.explain(text))
    for box in root.iter(f"{SVG}rect"):
        assert float(box.get("x", 0)) + float(box.get("width", 0)) <= 900
    height = float(root.get("height", 0))
    assert all(float(text.get("y", 0)) < height for text in root.iter(f"{SVG}text"))


@pytest.mark.parametrize(("text", "columns"), [("a bb ccc dddd", 5), ("x" * 40, 7), ("", 5), ("word", 4)])
def test_lines_are_no_longer_than_asked(text: str, columns: int) -> None:
    lines = list(wrap_text(text, columns))
    assert all(len(line) <= columns for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_an_equation_is_not_broken_at_its_sign() -> None:
    assert list(wrap_text("3 steps of verlet, δt = 1", 24)) == ["3 steps of verlet,", "δt = 1"]


def test_the_command_writes_and_prints(tmp_path: Path) -> None:
    target = tmp_path / "net.svg"
    result = CliRunner().invoke(cli, ["draw", "enresnet", "-o", str(target)])
    assert result.exit_code == 0, result.output
    assert target.read_text("utf-8") == explanation("enresnet").svg()
    assert CliRunner().invoke(cli, ["draw", "enresnet"]).stdout == target.read_text("utf-8")


def test_the_command_refuses_a_wrong_spec(tmp_path: Path) -> None:
    wrong, target = tmp_path / "wrong.pde", tmp_path / "net.svg"
    wrong.write_text(changed(shipped("heat"), ("κΔu", "kΔu")), "utf-8")
    result = CliRunner().invoke(cli, ["draw", str(wrong), "-o", str(target)])
    assert result.exit_code == 1
    assert "E201" in result.stderr
    assert not target.exists()


def test_a_notebook_shows_drawing_and_text() -> None:
    page = explanation("heat")._repr_html_()
    assert explanation("heat").svg() in page
    assert "<h3>Axioms</h3>" in page
