"""Experiments of papers: their specs, the page of a small one, and verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli
from pdedsl.language.elaborate.sweep import without_sweep
from pdedsl.sources import apply_settings, read_source
from pdedsl.studies import reproduce
from pdedsl.studies.papers import EXPERIMENTS, ArmMetric, Claim, Experiment, TableRow
from pdedsl.studies.reproduce import ClaimVerdict, paper_spec, run_experiment, verdict_of
from pdedsl.studies.results import Arm
from pdedsl.studies.statistics import PairedDifference
from pdedsl.studies.sweep_points import grid

SPEC = """pde Moons
const   T = 1
space   x in R²
time    t in [0, T]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp(width=4, depth=1)
learn   W       : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
train {
  data      moons(train=60, test=40, noise=0.2)
  steps     20
  optimizer adam(lr=0.1)
}
evaluate {
  attack fgsm(eps=0.2)
  audit  gradient_masking(samples=4)
}
sweep {
  T in [1, 2]
  train.seed in 0..1
}
"""


def measured(value: str, metric: str) -> ArmMetric:
    return ArmMetric("moons", f"T = {value}", metric)


SMALL = Experiment(
    name="moons",
    title="Half-moons",
    specs=("moons",),
    source="Table 1",
    rows=(TableRow("Natural, T = 1", "97.0", measured("1", "clean")),),
    claims=(
        Claim("Certain: an accuracy.", measured("1", "clean"), measured("2", "clean"), -20.0),
        Claim("Impossible: an accuracy.", measured("1", "FGSM"), measured("1", "clean"), 20.0),
    ),
    differences=("Two dimensions.",),
    paper=(),
)


def test_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = tmp_path / "moons.pde"
    spec.write_text(SPEC, "utf-8")
    monkeypatch.setattr(reproduce, "paper_spec", lambda name: spec)
    found = run_experiment(SMALL, tmp_path / "out", ["train.steps=5"], report=lambda line: None)
    assert [found.verdict(claim) for claim in SMALL.claims] == [ClaimVerdict.CONFIRMED, ClaimVerdict.REFUTED]
    page = (tmp_path / "out" / "page.md").read_text("utf-8")
    assert "| Natural, T = 1 | 97.0 | " in page
    assert "4 runs with 30 parameters, 2 seeds, 40 test images" in page
    assert "T = 2: possible gradient masking in" in page
    assert "steps     5" in page


@pytest.mark.parametrize(
    ("low", "high", "margin", "verdict"),
    [
        (0.1, 0.3, 0.0, "confirmed"),
        (-0.3, -0.1, 0.0, "refuted"),
        (-0.1, 0.1, 0.0, "undecided"),
        (0.1, 0.3, 0.2, "undecided"),
    ],
)
def test_verdict(low: float, high: float, margin: float, verdict: str) -> None:
    assert verdict_of(PairedDifference((low + high) / 2, low, high, 0.5, 3, 100), margin).value == verdict


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_claims_refer_to_arms_of_the_specs(name: str) -> None:
    experiment = EXPERIMENTS[name]
    arms = set()
    for spec in experiment.specs:
        sweep = pdedsl.load(paper_spec(spec)).sweep
        assert sweep is not None
        arms |= {(spec, Arm(point.settings, ()).label) for point in grid(sweep.axes)}
    ours = [row.ours for row in experiment.rows]
    for measure in [*ours, *(m for claim in experiment.claims for m in (claim.greater, claim.smaller))]:
        assert (measure.spec, measure.settings or "the spec") in arms


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_set_up_of_the_paper_compiles(name: str) -> None:
    for spec in EXPERIMENTS[name].specs:
        source = read_source(paper_spec(spec))
        sweep = pdedsl.load(paper_spec(spec)).sweep
        assert sweep is not None
        assert pdedsl.compile(apply_settings(without_sweep(source, sweep), EXPERIMENTS[name].paper).text).python()


def test_unknown_experiment(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["reproduce", "resnet", "-o", str(tmp_path)])
    assert done.exit_code == 2
    assert "available: convection_diffusion" in done.output
