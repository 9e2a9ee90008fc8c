"""The tests of a compiled package test its `model.py`, edited or not."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from pdedsl.testing import axioms, equation
from pdedsl.testing.block_reference import BLOCK
from pdedsl.testing.ensemble_average import AVERAGE
from pdedsl.testing.equation import LAW
from pdedsl.testing.generator import GENERATOR
from pdedsl.testing.model import package
from pdedsl.testing.noise_moments import NOISE
from pdedsl.testing.step_moments import STEPS
from testing.small_specs import small

EDITS = [
    ("isotropic", "dt=0.25", "dt=0.3", STEPS),
    ("isotropic", "times=(1.0, 0.75, 0.5, 0.25)", "times=(0.25, 0.5, 0.75, 1.0)", STEPS),
    ("isotropic", "GaussianNoise(0.15811388300841897", "GaussianNoise(0.2", STEPS),
    ("isotropic", "member() for _ in range(2)", "member(), member(), member()", AVERAGE),
    ("isotropic", "samples=8)", 'samples=8, average="logits")', AVERAGE),
    ("isotropic", "GeneratorCoefficients(0.0, 1.0, v, 0.05)", "GeneratorCoefficients(0.0, 1.0, v, 0.5)", GENERATOR),
    ("split", "nn.Sequential(block_1, block_2, readout)", "nn.Sequential(block_2, block_1, readout)", LAW),
    ("relative", "RelativeNoise(0.2", "RelativeNoise(0.1", NOISE),
    ("layers", "TimeGrid(0.0, 1.0, 3)", "TimeGrid(0.0, 1.1, 3)", BLOCK),
    ("layers", '"relu"', '"tanh"', BLOCK),
]


def written(folder: Path, name: str) -> Path:
    for file, text in small(name).files().items():
        (folder / file).write_text(text, "utf-8")
    return folder / "model.py"


@pytest.mark.parametrize(("name", "old", "new", "of"), EDITS, ids=[f"{e[0]}-{e[2]}" for e in EDITS])
def test_edit_is_detected(tmp_path: Path, name: str, old: str, new: str, of: str) -> None:
    edit(written(tmp_path, name), old, new)
    found = equation.check(package(tmp_path), of=(of,))
    assert of in {f.name for f in found if not f.ok}, found


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text, text
    path.write_text(text.replace(old, new), "utf-8")


def test_unused_ensemble_member(tmp_path: Path) -> None:
    """A model that averages over its first member only."""
    path = written(tmp_path, "isotropic")
    forward = "def forward(self, x):\n        return self._average_samples(self.members[0], x)\n"
    text = path.read_text("utf-8").replace("return Expectation(", "return FirstMember(")
    path.write_text(f"{text}\n\nclass FirstMember(Expectation):\n    {forward}", "utf-8")
    notes = [f.note for f in equation.check(package(tmp_path)) if not f.ok]
    assert any("never called: ensemble member 2" in note for note in notes), notes


# ---- the file of tests in the package


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("package")
    written(home, "split")
    return home


def run_tests(folder: Path) -> None:
    """What `pytest test_axioms.py` runs, in this process."""
    tests = runpy.run_path(str(folder / "test_axioms.py"))
    assert {name for name in tests if name.startswith("test_")} == {"test_axioms", "test_equation"}
    tests["test_equation"]()
    tests["test_axioms"]()


def test_unedited_package_passes(folder: Path) -> None:
    run_tests(folder)


MODEL_EDITS = [
    ("    return Expectation(", "    raise RuntimeError('edited')\n    return Expectation(", "edited"),
    (
        "GaussianNoise(0.31622776601683794",
        "GaussianNoise(0.4",
        "endpoint distribution of model.*differs from the equation",
    ),
    ("nn.Sequential(block_1, block_2, readout)", "nn.Sequential(block_1, readout)", "differs from the equation"),
]


@pytest.mark.parametrize(("old", "new", "message"), MODEL_EDITS, ids=["raises", "louder", "a block less"])
def test_edited_model_fails_its_tests(folder: Path, old: str, new: str, message: str) -> None:
    path = folder / "model.py"
    before = path.read_text("utf-8")
    try:
        edit(path, old, new)
        with pytest.raises((AssertionError, RuntimeError), match=message):
            run_tests(folder)
    finally:
        path.write_text(before, "utf-8")


def test_axioms_of_the_file(tmp_path: Path) -> None:
    """A layer with the other sign grows: the file violates a requirement of the spec."""
    path = written(tmp_path, "decaying")
    axioms.assert_hold(package(tmp_path), examples=15)
    edit(path, "-1.0", "1.0")
    with pytest.raises(AssertionError, match="verdict on stability: proved, but the search result is violated"):
        axioms.assert_hold(package(tmp_path), examples=15)


def test_two_packages_are_independent(tmp_path: Path) -> None:
    """Both have a module `model`; each is tested by its own."""
    for name in ("layers", "net"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, name)
    first, second = package(tmp_path / "layers"), package(tmp_path / "net")
    for model in (first, second, first):
        equation.assert_holds(model)
