"""Shapes, text and colours of a drawing as SVG. All text is escaped. Classes are also named in words, never shown by
colour alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pdedsl.diagnostics import Span, escaping, width
from pdedsl.ir.terms import (
    Convection,
    Coupling,
    Diffusion,
    HigherOrder,
    LearnedField,
    Nonlinear,
    Nonlocal,
    Reaction,
    SourceTerm,
    SymmetricLayer,
    TimeDerivative,
)

# ---- Colours of a drawing, in light and dark mode. Classes are also named in words, never shown by colour alone


COLOURS = {  # in light and dark mode
    TimeDerivative.kind: ("#6b7280", "#9ca3af"),
    Convection.kind: ("#2563eb", "#60a5fa"),
    Diffusion.kind: ("#dc2626", "#f87171"),
    Reaction.kind: ("#15803d", "#4ade80"),
    SourceTerm.kind: ("#a16207", "#facc15"),
    Coupling.kind: ("#7c3aed", "#a78bfa"),
    SymmetricLayer.kind: ("#0f766e", "#2dd4bf"),
    LearnedField.kind: ("#4338ca", "#818cf8"),
    Nonlocal.kind: ("#92400e", "#fb923c"),
    Nonlinear.kind: ("#be185d", "#f472b6"),
    HigherOrder.kind: ("#0e7490", "#22d3ee"),
    "condition": ("#475569", "#cbd5e1"),
}
LIGHT = {"paper": "#ffffff", "ink": "#1f2328", "soft": "#59636e", "edge": "#c4ccd4", "fill": "#f6f8fa"}
DARK = {"paper": "#151b23", "ink": "#e6edf3", "soft": "#9da7b3", "edge": "#4b5561", "fill": "#1f2731"}
RULES = """
.pde-drawing{font-family:system-ui,"Segoe UI","Liberation Sans",sans-serif;font-size:12px}
.pde-drawing .paper{fill:var(--paper);stroke:var(--edge)}
.pde-drawing .name{font-size:17px;font-weight:600;fill:var(--ink)}
.pde-drawing .head{font-size:13px;font-weight:600;fill:var(--ink)}
.pde-drawing .prose{fill:var(--ink)}
.pde-drawing .soft{fill:var(--soft)}
.pde-drawing .code{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:13px;fill:var(--ink)}
.pde-drawing .card{fill:var(--fill);stroke:var(--edge)}
.pde-drawing .frame{fill:none;stroke:var(--edge);stroke-dasharray:4 3}
.pde-drawing .arrow{fill:none;stroke:var(--soft);stroke-width:1.4}
.pde-drawing .link{fill:none;stroke-width:1.6;opacity:.75}
.pde-drawing .tint{opacity:.2}
.pde-drawing .axiom text{text-anchor:middle}
"""


def style() -> str:
    """The style sheet. Its rules apply only to drawings, so that one may be embedded in any page."""
    return f"<style>{RULES}{_variables(0, LIGHT)}@media (prefers-color-scheme:dark){{{_variables(1, DARK)}}}</style>"


def _variables(mode: int, named: dict[str, str]) -> str:
    variables = "".join(f"--{name}:{colour};" for name, colour in named.items())
    variables += "".join(f"--{word}:{pair[mode]};" for word, pair in COLOURS.items())
    return f".pde-drawing{{{variables}}}\n" + ("" if mode else _classes())


def _classes() -> str:
    return "".join(
        f".pde-drawing rect.{word}{{fill:var(--{word})}}.pde-drawing path.{word}{{stroke:var(--{word})}}\n"
        for word in COLOURS
    )


# ---- Shapes and text of a drawing as SVG. All text is escaped


PROSE_WIDTH = 6.6  # upper estimate of the mean width of a character, in pixels
CODE_WIDTH = 7.8  # width of a character of quoted text, set to exactly this width
LINE_HEIGHT = 17  # line height in pixels


@dataclass
class Sheet:
    """SVG elements in two layers: shapes below, texts and parts above."""

    shapes: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    in_group: bool = False

    def box(self, x: float, y: float, w: float, h: float, kind: str, radius: int = 6) -> None:
        layer = self.texts if self.in_group else self.shapes
        layer.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{radius}"/>')

    def link(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """A curve with horizontal ends."""
        bend = (x2 - x1) / 2
        path = f"M{x1:g} {y1:g}C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {x2:g} {y2:g}"
        self.shapes.append(f'<path class="link {kind}" d="{path}"/>')

    def arrow(self, x: float, y1: float, y2: float) -> None:
        """An arrow pointing down."""
        self.shapes.append(f'<path class="arrow" d="M{x:g} {y1:g}V{y2:g}M{x - 4:g} {y2 - 5:g}L{x:g} {y2:g}l4 -5"/>')

    def prose(self, x: float, y: float, text: str, kind: str = "prose") -> None:
        self.texts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}">{escaping.html(text)}</text>')

    def code(self, x: float, y: float, text: str) -> None:
        """Quoted text at a fixed width per character, whatever the font. Leading spaces become an offset."""
        x, text = x + CODE_WIDTH * (len(text) - len(text.lstrip())), text.strip()
        if text:
            length = f'textLength="{CODE_WIDTH * width(text):g}" lengthAdjust="spacingAndGlyphs"'
            self.texts.append(f'<text class="code" x="{x:g}" y="{y:g}" {length}>{escaping.html(text)}</text>')

    def begin(self, kind: str, span: Span | None, tip: str) -> None:
        """Begins a group with a tooltip and its span in the text."""
        data = f' data-start="{span.start}" data-end="{span.end}"' if span else ""
        self.texts.append(f'<g class="{kind}"{data}><title>{escaping.html(tip)}</title>')
        self.in_group = True

    def end(self) -> None:
        self.texts.append("</g>")
        self.in_group = False


def wrap_text(text: str, columns: int) -> Iterator[str]:
    """Lines of at most `columns` columns, broken at spaces where possible, but not beside an equals sign."""
    line = ""
    for word in re.split(r"(?<!=) (?!=)", text):
        if line and width(line) + 1 + width(word) > columns:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
        while width(line) > columns:
            yield line[:columns]
            line = line[columns:]
    if line:
        yield line


def truncate(text: str, columns: int) -> str:
    """The text, shortened with an ellipsis if it is too long."""
    return text if len(text) <= columns else f"{text[: columns - 1]}…"
