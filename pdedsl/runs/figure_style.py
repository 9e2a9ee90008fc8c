"""The style of all figures: fonts, sizes, resolution, and colours that colour-blind readers can distinguish.

Categories have the colours of Okabe and Ito (2008). Fields of one sign have the sequential map viridis, fields of both
signs the diverging map RdBu with zero in the middle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pdedsl.io import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#333333"  # text and lines
GREY = "#8C8C8C"  # guides
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C", "#000000")  # of lines
SIGNED, MAGNITUDE = "RdBu_r", "viridis"
DPI = 150  # dots per inch: sharp on screens, without large files
ONE_SIGN_RTOL = 0.01  # values of the other sign that are not visible: rounding errors, overshoots
STYLE = MappingProxyType(
    {
        "axes.axisbelow": True,
        "axes.edgecolor": GREY,
        "axes.labelcolor": INK,
        "axes.labelsize": 10,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": 10,
        "axes.titlecolor": INK,
        "figure.titlesize": 12,
        "figure.titleweight": "bold",
        "font.size": 9,
        "grid.color": "#E5E5E5",
        "legend.frameon": False,
        "lines.linewidth": 1.6,
        "savefig.dpi": DPI,
        "text.color": INK,
        "xtick.color": INK,
        "xtick.labelsize": 8,
        "ytick.color": INK,
        "ytick.labelsize": 8,
    }
)


@cache
def _styled_figure() -> type[Figure]:
    """A figure whose axes and colour bars have the style, and that notebooks display."""
    from cycler import cycler
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    style: Any = dict(STYLE) | {"axes.prop_cycle": cycler(color=PALETTE)}

    class StyledFigure(Figure):
        def add_subplot(self, *args: Any, **options: Any) -> Any:
            with rc_context(style):
                return super().add_subplot(*args, **options)

        def colorbar(self, *args: Any, **options: Any) -> Any:
            with rc_context(style):
                bar = super().colorbar(*args, **options)
            bar.outline.set_visible(False)
            return bar

        def suptitle(self, *args: Any, **options: Any) -> Any:
            with rc_context(style):
                return super().suptitle(*args, **options)

        def _repr_png_(self) -> bytes:
            return png_of(self)

    return StyledFigure


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of this size in inches, drawn without a display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = _styled_figure()(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def png_of(figure: Figure) -> bytes:
    """A figure as PNG."""
    png = BytesIO()
    figure.savefig(png, format="png", dpi=DPI)
    return png.getvalue()


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, atomically."""
    write_atomically(path, lambda part: figure.savefig(part, format="png", dpi=DPI))


@dataclass(frozen=True)
class ColourScale:
    """Colour map and its limits."""

    cmap: str
    low: float
    high: float


def colour_scale(low: float, high: float, cmap: str | None = None) -> ColourScale:
    """Sequential for values of one sign, otherwise diverging with zero in the middle."""
    is_diverging = min(-low, high) > ONE_SIGN_RTOL * max(-low, high)
    if is_diverging:
        low, high = -max(-low, high), max(-low, high)
    if not high > low:
        low, high = low - 1e-12, high + 1e-12  # a constant
    return ColourScale(cmap or (SIGNED if is_diverging else MAGNITUDE), low, high)
