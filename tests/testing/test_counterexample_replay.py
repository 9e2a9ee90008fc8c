"""Counterexamples are minimal, readable and reproducible, from Python, the command line and pytest."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result

import pdedsl
from pdedsl.cli import cli
from pdedsl.sources import shipped_specs
from pdedsl.testing import axioms
from pdedsl.testing.axiom_predicates import violates_linearity
from pdedsl.testing.strategies import cases
from testing import mutant_operators as mutants


def _parabolic(extra: str = "") -> str:
    text = shipped_specs()["parabolic"].read_text("utf-8")
    return text.replace("realize time by euler(steps=3)", f"realize time by euler(steps=3)\n{extra}")


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Its one requirement is unknown to the analysis, and false: Euler steps do not run backwards."""
    path = tmp_path / "broken.pde"
    path.write_text(_parabolic("require reversibility"), "utf-8")
    return path


# ---- shrinking


def test_constants_counterexample_is_minimal() -> None:
    found = axioms.search(
        lambda case: violates_linearity(mutants.constant_added(), case), cases(2), examples=200, seed=3
    )
    assert found is not None
    assert (found.f.base, found.g.base, found.alpha, found.beta) == (0.0, 0.0, 0.0, 0.0)
    assert found.point == (0.0, 0.0)
    assert found.weights == 0
    assert sum(abs(a) for a, _, _ in (*found.f.terms, *found.g.terms)) == 0.0


def test_clipping_counterexample_is_minimal() -> None:
    found = axioms.search(lambda case: violates_linearity(mutants.clipped(), case), cases(2), examples=200, seed=1)
    assert found is not None
    sizes = [abs(f.base) + sum(abs(a) for a, _, _ in f.terms) for f in (found.f, found.g)]
    assert len(found.f.terms) <= 1
    assert len(found.g.terms) <= 1
    assert min(sizes) == 0.0 or min(abs(found.alpha), abs(found.beta)) == 0.0
    with torch.no_grad():
        assert violates_linearity(mutants.clipped(), found)


@pytest.mark.parametrize("seed", [0, 5])
def test_counterexample_text_is_reproducible(seed: int) -> None:
    text = axioms.falsify("linearity", mutants.clipped(), 200, seed)
    assert text is not None
    assert text == axioms.falsify("linearity", mutants.clipped(), 200, seed)
    rows = text.splitlines()
    assert len(rows) <= 5
    assert all(len(row) <= 120 for row in rows)
    assert re.match(r"f\(y\) = ", rows[0])
    assert "α = " in text
    assert "weights from seed" in text


def test_search_preserves_random_state() -> None:
    before = torch.random.get_rng_state()
    axioms.check(pdedsl.compile(shipped_specs()["monotone"]), 5)
    assert torch.equal(before, torch.random.get_rng_state())


# ---- the command line


def _run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["test", *args])


def test_violated_requirement_exit_code(broken: Path) -> None:
    result = _run(str(broken), "--examples", "20", "--seed", "4")
    assert result.exit_code == 1
    [line] = [row for row in result.stdout.splitlines() if row.startswith("FAIL")]
    assert line == "FAIL reversibility (required): unknown; counterexample found"
    following = result.stdout.splitlines()[result.stdout.splitlines().index(line) + 1]
    assert re.fullmatch(
        r"       (K = identity|weights from seed \d+ times [\d.]+); feature maps of standard deviation .*", following
    )
    assert result.stderr.endswith(f"reproduce with: pdedsl test {broken} --examples 20 --seed 4\n")


def test_replay_output(broken: Path) -> None:
    args = (str(broken), "--examples", "20", "--seed", "4")
    assert _run(*args).output == _run(*args).output


def test_passing_spec_exit_code(tmp_path: Path) -> None:
    """Unknown and broken is no failure where nobody requires it."""
    path = tmp_path / "free.pde"
    path.write_text(_parabolic(), "utf-8")
    result = _run(str(path), "--examples", "100")
    assert result.exit_code == 0, result.output
    assert "FAIL" not in result.stdout
    assert "ok   reversibility: unknown; counterexample found" in result.stdout


def test_shipped_spec_exit_code() -> None:
    """Progress is written to stderr, results to stdout."""
    result = _run("rotation", "--examples", "5", "--seed", "2")
    asked = result.stderr.splitlines()
    assert asked[0] == "testing linearity, 1 of 12"
    assert asked[-1] == "testing solution u of model(), 12 of 12"
    assert len(asked) == len(result.stdout.splitlines()) == 12
    assert result.exit_code == 0, result.output
    assert result.stdout.count("ok  ") == len(result.stdout.splitlines())
    assert "ok   linearity (required): proved; no counterexample found" in result.stdout


# ---- a user's own tests


OWN = """
import pdedsl
from pdedsl.testing import axioms


def test_my_equation():
    axioms.assert_hold(pdedsl.compile({held!r}), examples=5, seed=4)


def test_another():
    axioms.assert_hold(pdedsl.compile({broken!r}), examples=20, seed=4)
"""


def _own(folder: Path, **specs: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_own.py").write_text(OWN.format(**specs), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "test_own.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.long
def test_user_pytest_file(tmp_path: Path, broken: Path) -> None:
    """One passes, and the failure of the other shows the counterexample."""
    run = _own(tmp_path, held=str(shipped_specs()["monotone"]), broken=str(broken))
    assert run.returncode == 1, run.stdout + run.stderr
    assert "1 failed, 1 passed" in run.stdout
    assert "verdict on reversibility: unknown, but the search result is violated" in run.stdout
    assert "feature maps of standard deviation" in run.stdout


def test_assert_hold_message(broken: Path) -> None:
    axioms.assert_hold(pdedsl.compile(shipped_specs()["monotone"]), examples=10)
    with pytest.raises(
        AssertionError, match=r"verdict on reversibility: unknown, but the search result is violated:\n"
    ):
        axioms.assert_hold(pdedsl.compile(broken), examples=100)
