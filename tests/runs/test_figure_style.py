"""The style of figures: colour scales, resolution, and the display in notebooks."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from matplotlib.image import imread

from pdedsl.runs.figure_style import DPI, INK, MAGNITUDE, SIGNED, ColourScale, colour_scale, new_figure, save_figure


@pytest.mark.parametrize(
    ("low", "high", "scale"),
    [
        (0.0, 2.0, ColourScale(MAGNITUDE, 0.0, 2.0)),
        (-2.0, -1.0, ColourScale(MAGNITUDE, -2.0, -1.0)),
        (-1e-12, 2.0, ColourScale(MAGNITUDE, -1e-12, 2.0)),  # a rounding error has no colour
        (-1.0, 3.0, ColourScale(SIGNED, -3.0, 3.0)),  # zero in the middle
    ],
)
def test_colour_scale(low: float, high: float, scale: ColourScale) -> None:
    assert colour_scale(low, high) == scale


def test_a_constant_has_a_scale() -> None:
    scale = colour_scale(1.0, 1.0)
    assert scale.low < 1.0 < scale.high


def test_resolution_and_style(tmp_path: Path) -> None:
    figure = new_figure(2, 1)
    ax = figure.subplots()
    assert ax.yaxis.label.get_color() == INK
    assert not ax.spines["top"].get_visible()
    save_figure(figure, tmp_path / "a.png")
    assert imread(tmp_path / "a.png").shape[:2] == (DPI, 2 * DPI)
    assert imread(BytesIO(figure._repr_png_())).shape[:2] == (DPI, 2 * DPI)  # type: ignore[attr-defined]
