"""Drawing of an explanation: the equation by its terms, the theorem, and the network in blocks linked to the terms.

name, title
equations, terms marked by class                conditions
the theorem
terms ───────── links ───────── blocks in network order
axioms"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from pdedsl.diagnostics import Source, Span, escaping, width
from pdedsl.explainer.describe import applied_theorem, overlap
from pdedsl.explainer.drawing.blocks import BlockGroup, DiagramBlock, Node, data_nodes, image_nodes, solve_nodes
from pdedsl.explainer.drawing.svg import CODE_WIDTH, LINE_HEIGHT, PROSE_WIDTH, Sheet, style, truncate, wrap_text
from pdedsl.explainer.terms import term_detail, term_name
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.plan import DataPlan, ImagePlan, Model, SolvePlan
from pdedsl.ir.theorem import Theorem
from pdedsl.ir.verdicts import Axiom, Truth, Verdict
from pdedsl.record import Record

if TYPE_CHECKING:
    from pdedsl.explainer.explain import Explanation


# ---- Annotated spans of the text: terms of the equations by class, conditions; equations as runs of annotated text


MAX_MARKS = 40  # terms and conditions in a drawing, so that it stays readable


class Annotation(Record):
    """A term or a condition."""

    kind: str
    label: str
    text: str
    span: Span


class TextRun(Record):
    """A part of an equation that belongs to one term or to none."""

    text: str
    mark: Annotation | None

    @property
    def columns(self) -> int:
        return width(self.text)


def annotations_of(analysis: Analysis) -> tuple[Annotation, ...]:
    """The marks in the order of the text, the terms of each equation first."""
    spec, marks = analysis.spec, []
    for facts in analysis.equations:
        for term in facts.terms:
            label = ", ".join(filter(None, (term_name(term, facts, spec), term_detail(term, spec))))
            marks.append(Annotation(term.kind, label, term.origin.text, term.origin.span))
    for condition in spec.conditions:
        text = spec.source.quote(condition.span)
        marks.append(Annotation("condition", f"{condition.kind} condition", text, condition.span))
    for observation in spec.observations:
        marks.append(Annotation("condition", "observations", spec.source.quote(observation.span), observation.span))
    return tuple(marks[:MAX_MARKS])


def equation_lines(source: Source, span: Span, marks: tuple[Annotation, ...], columns: int) -> list[list[TextRun]]:
    """An equation as written, without comments, in lines of at most `columns` columns."""
    lines: list[list[TextRun]] = [[]]
    room = columns
    for run in _runs(source, span, marks):
        for part in _split(run, room, columns):
            if part.columns > room:
                lines.append([])
                room = columns
            lines[-1].append(part)
            room -= part.columns
    return lines


def _runs(source: Source, span: Span, marks: tuple[Annotation, ...]) -> Iterator[TextRun]:
    at = span.start
    for mark in sorted({m.span: m for m in reversed(marks)}.values(), key=lambda m: m.span):
        if mark.span.start < at or mark.span.end > span.end:
            continue
        yield from _plain(source, Span(at, mark.span.start))
        yield TextRun(source.quote(mark.span), mark)
        at = mark.span.end
    yield from _plain(source, Span(at, span.end))


def _plain(source: Source, span: Span) -> Iterator[TextRun]:
    """The text between terms, with any white space at either end reduced to one space."""
    raw, text = source.text[span.start : span.end], source.quote(span)
    if raw:
        before, after = " " * raw[0].isspace(), " " * (raw[-1].isspace() and bool(text))
        yield TextRun(f"{before}{text}{after}", None)


def _split(run: TextRun, room: int, columns: int) -> Iterator[TextRun]:
    """A run, split only if it is longer than a line."""
    if run.columns <= max(room, columns):
        yield run
        return
    for start in range(0, len(run.text), columns):
        yield TextRun(run.text[start : start + columns], run.mark)


# ---- Drawing of an explanation


WIDTH, MARGIN, GAP = 900, 24, 16
LEFT, RIGHT = 330, 420  # the widths of the columns
COLUMN = WIDTH - MARGIN - RIGHT  # left edge of the network
VERDICT_SIGNS = {Truth.PROVED: "✓", Truth.REFUTED: "✗", Truth.UNDECIDED: "?"}


def nodes_of(plan: Model, analysis: Analysis) -> tuple[Node, ...]:
    """The network in blocks."""
    match plan:
        case DataPlan():
            return data_nodes(plan, analysis)
        case ImagePlan():
            return image_nodes(plan, analysis)
        case SolvePlan():
            return solve_nodes(plan, analysis)
        case _:
            assert_never(plan)


def svg(explanation: Explanation) -> str:
    """The drawing as one SVG element, which needs no other file."""
    drawing = Drawing(explanation.analysis)
    drawing.heading()
    drawing.equations()
    if explanation.theorem and explanation.plan:
        drawing.theorem(applied_theorem(explanation.theorem, explanation.plan))
    nodes = nodes_of(explanation.plan, explanation.analysis) if explanation.plan else ()
    drawing.columns(nodes or tuple(DiagramBlock("not compiled", (d.message,), (d.span,)) for d in explanation.errors))
    drawing.axioms(explanation.analysis.axioms)
    return drawing.page(explanation.network, explanation.method_title)


class PositionedBlock(Record):
    """A block and the end point of its links."""

    block: DiagramBlock
    x: float
    y: float


@dataclass
class Drawing:
    """A sheet that is filled from top to bottom; `y` is the height of its next element."""

    analysis: Analysis
    sheet: Sheet = field(default_factory=Sheet)
    y: float = MARGIN + 8

    # ---- Full width

    def heading(self) -> None:
        spec = self.analysis.spec
        self.sheet.prose(MARGIN, self.y + 6, spec.name, "name")
        self.y += 10
        for line in wrap_text(spec.title, _columns(WIDTH - 2 * MARGIN, PROSE_WIDTH)):
            self.y += LINE_HEIGHT
            self.sheet.prose(MARGIN, self.y, line, "soft")
        self.y += GAP

    def equations(self) -> None:
        """The equations as written, each term in the colour of its class."""
        source = self.analysis.spec.source
        marks = annotations_of(self.analysis)
        for span in [e.equation.span for e in self.analysis.equations]:
            for line in equation_lines(source, span, marks, _columns(WIDTH - 2 * MARGIN, CODE_WIDTH)):
                self.y += LINE_HEIGHT + 5
                x: float = MARGIN
                for run in line:
                    if run.mark:
                        self.sheet.box(x, self.y - 14, run.columns * CODE_WIDTH, 19, f"tint {run.mark.kind}", 3)
                        self.sheet.box(x, self.y + 4, run.columns * CODE_WIDTH, 2, run.mark.kind, 1)
                    self.sheet.code(x, self.y, run.text)
                    x += run.columns * CODE_WIDTH
        self.y += GAP

    def theorem(self, theorem: Theorem) -> None:
        lines = list(wrap_text(theorem.statement, _columns(WIDTH - 2 * MARGIN - 24, PROSE_WIDTH)))
        height = 30 + LINE_HEIGHT * len(lines)
        self.sheet.box(MARGIN, self.y, WIDTH - 2 * MARGIN, height, "card")
        self.sheet.prose(MARGIN + 12, self.y + 20, f"by {theorem.name} ({theorem.source})", "head")
        for k, line in enumerate(lines, 1):
            self.sheet.prose(MARGIN + 12, self.y + 20 + LINE_HEIGHT * k, line)
        self.y += height + GAP

    def axioms(self, verdicts: dict[Axiom, Verdict]) -> None:
        """The axioms in a row, each with the sign of its verdict."""
        x: float = MARGIN
        for name, verdict in verdicts.items():
            text = f"{VERDICT_SIGNS[verdict.truth]} {name.replace('_', ' ')}: {verdict.truth}"
            width = len(text) * PROSE_WIDTH + 16
            if x + width > WIDTH - MARGIN:
                x, self.y = MARGIN, self.y + 30
            self.sheet.begin("axiom", None, verdict.reason)
            self.sheet.box(x, self.y, width, 23, "card", 11)
            self.sheet.prose(x + width / 2, self.y + 15.5, text)
            self.sheet.end()
            x += width + 8
        self.y += (23 if verdicts else 0) + GAP

    # ---- Two columns

    def columns(self, nodes: tuple[Node, ...]) -> None:
        """Terms on the left, the network on the right, and a link from every term to the blocks that come from it."""
        top, marks = self.y, annotations_of(self.analysis)
        ends = [self._mark(mark) for mark in marks]
        left, self.y = self.y, top
        starts = self._chain(nodes, COLUMN, RIGHT)
        for mark, end in zip(marks, ends, strict=True):
            for start in starts:
                if any(overlap(mark.span, span) for span in start.block.of):
                    self.sheet.link(MARGIN + LEFT, end, start.x, start.y, mark.kind)
        self.y = max(left, self.y) + GAP

    def _mark(self, mark: Annotation) -> float:
        """Draws a term, one line for its class and one for its text; returns the height at which links start."""
        y, text = self.y, truncate(mark.text, _columns(LEFT - 20, CODE_WIDTH))
        self.sheet.begin("term", mark.span, f"{mark.label}: {mark.text}")
        self.sheet.box(MARGIN, y, LEFT, 46, "card")
        self.sheet.box(MARGIN, y, 5, 46, mark.kind, 2)
        self.sheet.prose(MARGIN + 14, y + 17, truncate(mark.label, _columns(LEFT - 20, PROSE_WIDTH)), "soft")
        self.sheet.code(MARGIN + 14, y + 36, text)
        self.sheet.end()
        self.y += 46 + 10
        return y + 23

    def _chain(self, nodes: tuple[Node, ...], x: float, w: float, parallel: bool = False) -> list[PositionedBlock]:
        """Draws nodes below each other, with arrows between them unless they are parallel."""
        blocks = []
        for k, node in enumerate(nodes):
            if k:
                if not parallel:
                    self.sheet.arrow(x + w / 2, self.y, self.y + GAP - 2)
                self.y += GAP
            blocks += self._group(node, x, w) if isinstance(node, BlockGroup) else [self._block(node, x, w)]
        return blocks

    def _group(self, group: BlockGroup, x: float, w: float) -> list[PositionedBlock]:
        top = self.y
        for line in wrap_text(group.title, _columns(w - 20, PROSE_WIDTH)):
            self.y += LINE_HEIGHT
            self.sheet.prose(x + 10, self.y, line, "soft")
        self.y += 8
        blocks = self._chain(group.nodes, x + 10, w - 20, group.parallel)
        self.y += 10
        self.sheet.box(x, top, w, self.y - top, "frame")
        return blocks

    def _block(self, block: DiagramBlock, x: float, w: float) -> PositionedBlock:
        titles = list(wrap_text(block.title, _columns(w - 24, PROSE_WIDTH + 1)))
        lines = [line for text in block.lines for line in wrap_text(text, _columns(w - 24, PROSE_WIDTH))]
        top, height = self.y, 12 + LINE_HEIGHT * (len(titles) + len(lines))
        source = self.analysis.spec.source
        self.sheet.begin("block", block.of[0] if block.of else None, _tip(block, [source.quote(s) for s in block.of]))
        self.sheet.box(x, top, w, height, "card")
        kinds = dict.fromkeys(m.kind for m in annotations_of(self.analysis) for s in block.of if overlap(m.span, s))
        for k, kind in enumerate(kinds):
            self.sheet.box(x, top + k * height / len(kinds), 5, height / len(kinds), kind, 2)
        for k, line in enumerate((*titles, *lines), 1):
            self.sheet.prose(x + 14, top + 3 + LINE_HEIGHT * k, line, "head" if k <= len(titles) else "prose")
        self.sheet.end()
        self.y += height
        return PositionedBlock(block, x, top + height / 2)

    # ---- SVG document

    def page(self, network: list[str], method_title: str) -> str:
        spec, height = self.analysis.spec, self.y + MARGIN - GAP
        key = f"pde-{spec.hash}"
        description = "; ".join([*(e.text for e in self.analysis.equations), *network])
        size = f'viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}"'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" class="pde-drawing" {size} role="img" '
                f'aria-labelledby="{key}-title {key}-desc" style="max-width:100%;height:auto">',
                f'<title id="{key}-title">{escaping.html(spec.name)}: equation and {method_title.lower()}</title>',
                f'<desc id="{key}-desc">{escaping.html(description)}</desc>',
                style(),
                f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1:g}" rx="8"/>',
                *self.sheet.shapes,
                *self.sheet.texts,
                "</svg>\n",
            ]
        )


def _columns(w: float, character: float) -> int:
    return int(w / character)


def _tip(block: DiagramBlock, quotes: list[str]) -> str:
    return f"{block.title}, from {'; '.join(quotes)}" if quotes else block.title
