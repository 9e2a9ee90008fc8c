"""Colours of a drawing, in light and dark mode. Classes are also named in words, never shown by colour alone."""

from __future__ import annotations

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
