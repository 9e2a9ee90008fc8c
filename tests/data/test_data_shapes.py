"""`space x in R^d` takes its dimension from the data that a spec names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pdedsl
from pdedsl.config.base import Located
from pdedsl.config.data import DATA, Digits, Moons
from pdedsl.data.load import load
from pdedsl.data.sample_shape import with_data_dimension
from pdedsl.diagnostics import PdeError

TEXT = """pde Points
space x in R^d
time t in [0, 1]
unknown u(x, t) : simplex({classes})
learn v(x, t) : vector = mlp(width=4, depth=1)
learn W : operator = linear
∂u/∂t = v·∇u + 0.01Δu
u(x, 0) = softmax(W x)
train {{ data {data} }}
"""


def test_the_dimension_is_that_of_the_data() -> None:
    """And the hash is that of the text."""
    text = TEXT.format(classes=2, data="moons")
    compilation = pdedsl.compile(text)
    assert compilation.spec.space.dimension == 2
    assert compilation.spec.hash == pdedsl.load(text).hash


@pytest.mark.parametrize("word", [Moons(), Digits()], ids=str)
def test_shapes_are_those_that_are_loaded(word: Moons | Digits) -> None:
    spec = with_data_dimension(pdedsl.load(TEXT.format(classes=2, data=word.name)), None)
    loaded = load(Located(word), None)
    assert spec.space.dimension == np.prod(loaded.shape)


def test_every_set_has_a_shape(tmp_path: Path) -> None:
    for name in DATA.keys() - {"npz"}:
        assert isinstance(
            with_data_dimension(pdedsl.load(TEXT.format(classes=2, data=name)), None).space.dimension, int
        )


@pytest.mark.parametrize("names", [("x", "y"), ("x_train", "y_train", "x_test", "y_test")])
def test_a_file_of_ones_own(names: tuple[str, ...], tmp_path: Path) -> None:
    arrays = {n: np.zeros((6, 5)) if n[0] == "x" else np.arange(6) % 3 for n in names}
    np.savez(tmp_path / "mine.npz", **arrays)
    text = TEXT.format(classes=3, data='npz("mine.npz")')
    assert pdedsl.compile(text, data=tmp_path).spec.space.dimension == 5
    with pytest.raises(PdeError, match="not found"):
        pdedsl.compile(text)


@pytest.mark.parametrize("array", [np.zeros(6), np.array([object()] * 3)], ids=["flat", "objects"])
def test_a_file_without_samples(array: np.ndarray, tmp_path: Path) -> None:
    np.savez(tmp_path / "mine.npz", x=array)
    with pytest.raises(PdeError, match="cannot infer the dimension of the space"):
        pdedsl.compile(TEXT.format(classes=3, data='npz("mine.npz")'), data=tmp_path)
    (tmp_path / "mine.npz").write_bytes(b"PK\3\4 no archive")
    with pytest.raises(PdeError, match="cannot infer the dimension of the space"):
        pdedsl.compile(TEXT.format(classes=3, data='npz("mine.npz")'), data=tmp_path)


def test_unknown_array_names_are_reported(tmp_path: Path) -> None:
    np.savez(tmp_path / "mine.npz", features=np.zeros((4, 2)), target=np.zeros(4, dtype=int))
    with pytest.raises(PdeError, match=r'np.savez\("mine.npz", x=features, y=target\)'):
        pdedsl.compile(TEXT.format(classes=3, data='npz("mine.npz")'), data=tmp_path)
