"""Drawings of every shipped spec: well-formed, consistent with the network, and with escaped text."""

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
from pdedsl.explainer.describe import applied_theorem
from pdedsl.explainer.drawing.blocks import BlockGroup, Node, blocks_in
from pdedsl.explainer.drawing.draw import annotations_of, equation_lines, nodes_of
from pdedsl.explainer.drawing.svg import COLOURS, wrap_text
from pdedsl.explainer.explain import Explanation
from pdedsl.ir.terms import Term, TimeDerivative

SVG = "{http://www.w3.org/2000/svg}"


@cache
def explanation(name: str) -> Explanation:
    return pdedsl.explain(name)


def parse_svg(explained: Explanation) -> ElementTree.Element:
    return ElementTree.fromstring(explained.svg())


def texts_of(root: ElementTree.Element, kind: str) -> list[str]:
    return ["".join(group.itertext()) for group in root.iter(f"{SVG}g") if group.get("class") == kind]


def nodes(name: str) -> tuple[Node, ...]:
    explained = explanation(name)
    assert explained.plan is not None
    return nodes_of(explained.plan, explained.analysis)


def block_text(name: str) -> str:
    return "\n".join(text for block in blocks_in(nodes(name)) for text in (block.title, *block.lines))


@pytest.mark.parametrize("name", NAMES)
def test_every_term_and_block_is_drawn_with_its_span(name: str) -> None:
    explained = explanation(name)
    root, spec = parse_svg(explained), explained.analysis.spec
    terms = [t for facts in explained.analysis.equations for t in facts.terms]
    assert len(texts_of(root, "term")) == len(annotations_of(explained.analysis)) >= len(terms)
    spans = [(int(g.get("data-start", -1)), int(g.get("data-end", -1))) for g in root.iter(f"{SVG}g")]
    assert {tuple(t.origin.span) for t in terms} <= set(spans)
    assert len(texts_of(root, "block")) == len(blocks_in(nodes(name)))
    linked = {kind for path in root.iter(f"{SVG}path") for kind in (path.get("class") or "").split()}
    explicit = {t.kind for t in terms if not isinstance(t, TimeDerivative)}
    assert explicit <= linked, "a term has no block"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert spec.name in (title.text or "")
    assert explained.theorem is not None
    assert explained.plan is not None
    assert applied_theorem(explained.theorem, explained.plan).name in (desc.text or "")


@pytest.mark.parametrize("name", NAMES)
def test_equations_are_drawn_as_written(name: str) -> None:
    analysis = explanation(name).analysis
    source, marks = analysis.spec.source, annotations_of(analysis)
    for facts in analysis.equations:
        for columns in (24, 100):
            lines = equation_lines(source, facts.equation.span, marks, columns)
            text = "".join(run.text for line in lines for run in line)
            assert text == source.quote(facts.equation.span)
            assert all(sum(run.columns for run in line) <= columns for line in lines)


def test_every_class_of_terms_has_a_colour() -> None:
    assert {term.kind for term in Term.__args__} <= COLOURS.keys()


def test_blocks_are_in_network_order() -> None:
    assert [b.title for b in blocks_in(nodes("randomized_smoothing"))][:4] == [
        "input", "noise", "residual block", "readout",
    ]  # fmt: skip
    group = next(n for n in nodes("enresnet") if isinstance(n, BlockGroup))
    assert group.title == "5 ensemble members with separate weights"
    assert [b.title for b in blocks_in(group.nodes)] == ["residual block", "noise", "readout"]


def test_members_of_several_depths_are_parallel() -> None:
    plan = pdedsl.explain(changed(shipped("enresnet"), ("depth=20", "depth=[20, 32]"), ("members=5", "members=2")))
    assert plan.plan is not None
    (group,) = (n for n in nodes_of(plan.plan, plan.analysis) if isinstance(n, BlockGroup))
    assert group.parallel
    assert [str(block.lines[0]) for block in blocks_in(group.nodes) if block.title == "residual block"] == [
        "δt = 1/9",
        "δt = 1/15",
    ]


def test_sizes_are_those_of_the_network() -> None:
    network = compiled(shipped("parabolic")).module()
    widths = [connector[0].weight.shape[0] for connector in network.connectors]
    drawn = [int(n) for n in re.findall(r"1×1 convolution to (\d+) channels", block_text("parabolic"))]
    assert drawn == widths
    assert f"3×3 convolution to {network.opening[1].weight.shape[0]} channels" in block_text("parabolic")


def test_number_of_residual_blocks() -> None:
    (title,) = [n.title for n in nodes("resnet") if isinstance(n, BlockGroup)]
    kinds = [type(m).__name__ for m in compiled(shipped("resnet")).module().modules()]
    count = sum(k in ("ResidualBlock", "PreactivatedTransition") for k in kinds)
    assert title == f"{count} blocks of resnet(depth=20, width=16)"


def test_terms_of_the_diffusion_process() -> None:
    titles = [b.title for b in blocks_in(nodes("black_scholes"))]
    assert titles[1:4] == ["drift", "noise", "weight"]


def test_error_without_a_network() -> None:
    broken = pdedsl.explain(known("∂u/∂t = u Δu"))
    assert broken.errors
    assert any("not compiled" in text for text in texts_of(parse_svg(broken), "block"))


def test_titles_are_escaped() -> None:
    malicious = changed(
        shipped("heat"), ('"Heat equation on an interval"', '"</title><script>alert(1)</script>&amp; ]]> \u202e"')
    )
    root = parse_svg(pdedsl.explain(malicious))
    assert not [e for e in root.iter() if "script" in e.tag]
    assert "\u202e" not in "".join(root.itertext())


def test_long_equations_fit_the_drawing() -> None:
    sum_of = " + ".join(f"exp(-{k} x²) ∂u/∂x" for k in range(1, 16))
    text = changed(shipped("heat"), ("∂u/∂t = κΔu", f"∂u/∂t = κΔu + {sum_of}"), ("exact u = exp(-κ π² t) sin(π x)", ""))
    root = parse_svg(pdedsl.explain(text))
    for box in root.iter(f"{SVG}rect"):
        assert float(box.get("x", 0)) + float(box.get("width", 0)) <= 900
    height = float(root.get("height", 0))
    assert all(float(text.get("y", 0)) < height for text in root.iter(f"{SVG}text"))


@pytest.mark.parametrize(("text", "columns"), [("a bb ccc dddd", 5), ("x" * 40, 7), ("", 5), ("word", 4)])
def test_wrapped_lines_fit(text: str, columns: int) -> None:
    lines = list(wrap_text(text, columns))
    assert all(len(line) <= columns for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_no_line_break_at_an_equals_sign() -> None:
    assert list(wrap_text("3 steps of verlet, δt = 1", 24)) == ["3 steps of verlet,", "δt = 1"]


def test_draw_command(tmp_path: Path) -> None:
    target = tmp_path / "net.svg"
    result = CliRunner().invoke(cli, ["draw", "enresnet", "-o", str(target)])
    assert result.exit_code == 0, result.output
    assert target.read_text("utf-8") == explanation("enresnet").svg()
    assert CliRunner().invoke(cli, ["draw", "enresnet"]).stdout == target.read_text("utf-8")


def test_draw_command_rejects_an_invalid_spec(tmp_path: Path) -> None:
    wrong, target = tmp_path / "wrong.pde", tmp_path / "net.svg"
    wrong.write_text(changed(shipped("heat"), ("κΔu", "kΔu")), "utf-8")
    result = CliRunner().invoke(cli, ["draw", str(wrong), "-o", str(target)])
    assert result.exit_code == 1
    assert "E201" in result.stderr
    assert not target.exists()


def test_notebook_display() -> None:
    page = explanation("heat")._repr_html_()
    assert explanation("heat").svg() in page
    assert explanation("heat").brief().splitlines()[0] in page
    assert "\nProperties\n" in page
