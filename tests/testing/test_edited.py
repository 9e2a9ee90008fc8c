"""The tests of a compiled package are about the `model.py` beside them, whatever has become of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdedsl.testing import axioms, equation
from pdedsl.testing.model import package
from testing.small import small

EDITS = [
    ("isotropic", "dt=0.25", "dt=0.3", "steps of model"),
    ("isotropic", "times=(1.0, 0.75, 0.5, 0.25)", "times=(0.25, 0.5, 0.75, 1.0)", "steps of model"),
    ("isotropic", "GaussianNoise(0.15811388300841897", "GaussianNoise(0.2", "steps of model"),
    ("isotropic", "member() for _ in range(2)", "member(), member(), member()", "average of model"),
    ("isotropic", "samples=8)", 'samples=8, average="logits")', "average of model"),
    ("isotropic", "Piece(0.0, 1.0, v, 0.05)", "Piece(0.0, 1.0, v, 0.5)", "generator of operator"),
    ("split", "nn.Sequential(part1, part2, readout)", "nn.Sequential(part2, part1, readout)", "law of model"),
    ("relative", "RelativeNoise(0.2", "RelativeNoise(0.1", "noise of model"),
    ("layers", "Steps(0.0, 1.0, 3)", "Steps(0.0, 1.1, 3)", "steps of block"),
    ("layers", '"relu"', '"tanh"', "steps of block"),
]


def written(folder: Path, name: str) -> Path:
    for file, text in small(name).files().items():
        (folder / file).write_text(text, "utf-8")
    return folder / "model.py"


@pytest.mark.parametrize("name", ["isotropic", "layers"])
def test_a_package_as_it_was_written_passes(tmp_path: Path, name: str) -> None:
    written(tmp_path, name)
    equation.assert_holds(package(tmp_path))


@pytest.mark.parametrize(("name", "old", "new", "of"), EDITS, ids=[f"{e[0]}-{e[2]}" for e in EDITS])
def test_an_edit_is_found(tmp_path: Path, name: str, old: str, new: str, of: str) -> None:
    path = written(tmp_path, name)
    text = path.read_text("utf-8")
    assert old in text, text
    path.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(AssertionError, match=rf"{of}.*not that of the equation"):
        equation.assert_holds(package(tmp_path))


def test_a_model_that_raises_does_not_pass(tmp_path: Path) -> None:
    path = written(tmp_path, "layers")
    path.write_text("raise RuntimeError('edited')\n", "utf-8")
    with pytest.raises(RuntimeError, match="edited"):
        package(tmp_path)


def test_axioms_are_those_of_the_file(tmp_path: Path) -> None:
    """A layer with the other sign grows: what the spec requires is broken by the file."""
    path = written(tmp_path, "decaying")
    axioms.assert_hold(package(tmp_path), examples=30)
    text = path.read_text("utf-8")
    assert '"tanh", None, -1.0' in text
    path.write_text(text.replace('"tanh", None, -1.0', '"tanh", None, 1.0'), "utf-8")
    with pytest.raises(AssertionError, match="stability was proved, but the search says broken"):
        axioms.assert_hold(package(tmp_path), examples=30)


def test_two_packages_do_not_meet(tmp_path: Path) -> None:
    """Both have a module `model`; each is tested by its own."""
    for name in ("layers", "net"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, name)
    first, second = package(tmp_path / "layers"), package(tmp_path / "net")
    for model in (first, second, first):
        equation.assert_holds(model)
