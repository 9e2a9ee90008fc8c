"""Every shipped classifier, scaled down: trained for a few steps and evaluated by its `evaluate` block."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch
from click.testing import CliRunner
from texts import SPECS, shipped

import pdedsl
from pdedsl.cli import cli
from pdedsl.config.blocks import Plot
from pdedsl.evaluation import run
from pdedsl.evaluation.protocol import audits, norm_of, sweep
from pdedsl.evaluation.report import Report
from pdedsl.runtime.ode.solver_control import adaptive_blocks

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("small_audit")]

SPECS_OF_DATA = [
    p.stem for p in sorted(SPECS.glob("*.pde")) if re.search(r"^evaluate \{\n  natural", p.read_text("utf-8"), re.M)
]
SMALLER = (
    (r"image\(\d, \d+, \d+\)", "image(1, 8, 8)"),
    (r"^(  stem +)\d+", r"\g<1>4"),
    (r"^(  close +)\d+", r"\g<1>8"),
    (r"stages  \[\d+(, \d+, \d+)?\]", lambda found: "stages  [4, 4, 4]" if found[1] else "stages  [4]"),
    (r"patch=4, dense=7", "patch=2, dense=1"),
    (r"in \[0, 100\]", "in [0, 1]"),
    (r"rtol=1e-3, atol=1e-3", "rtol=0.1, atol=0.1"),
    (r"members=5", "members=2"),
    (r"samples=100", "samples=2"),
    (r"probes=10", "probes=1"),
    (r"retraining\(steps=5", "retraining(steps=1"),
    (r"moons\(train=500, test=1000", "moons(train=8, test=2"),
    (r"^(  data +)(mnist|fashion_mnist|cifar10)(\(validation=0.2\))?$", r"\1digits(train=8, test=2)"),
    (r"^(  epochs +)\d+", r"\g<1>1"),
    (r"^  schedule .*\n", ""),
    (r"(adversary .*steps=)10", r"\g<1>1"),
    (r"^(  attack .*steps=)\d+", r"\g<1>2"),
    (r"^(  transfer .*steps=)\d+", r"\g<1>2"),
    (r"queries=1000", "queries=5"),
    (r"iterations=50", "iterations=2"),
    (r"n0=100, n=10000", "n0=5, n=20"),
)
"""Smaller sizes; every entry of the `evaluate` blocks remains."""


def small(name: str) -> str:
    text = shipped(name)
    for old, new in SMALLER:
        text = re.sub(old, new, text, flags=re.M)  # type: ignore[arg-type]
    return text


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("name", SPECS_OF_DATA)
def test_every_entry_of_the_block(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every entry of the block: an accuracy for each ε, transfer in both directions, every certificate."""
    asked = pdedsl.load(SPECS / f"{name}.pde").evaluate
    assert asked is not None
    trained = pdedsl.train(small(name), tmp_path / name)
    reports: list[Report] = []
    monkeypatch.setattr(run, "write_pages", lambda report, out: reports.append(report))
    sources = [part for t in asked.transfer for part in ("--source", f"{t.source}={tmp_path / name}")]
    found = CliRunner().invoke(cli, ["evaluate", str(tmp_path / name), *sources])
    assert found.exit_code == 0, found.output
    (report,) = reports
    words = [attack for chosen in asked.attack for attack in sweep(chosen.config)]
    assert [(r.attack.partition("(")[0], r.norm) for r in report.robust] == [(w.name, norm_of(w).value) for w in words]
    verdicts = {audit.norm: audit.verdict for audit in report.audits}
    assert list(verdicts) == [what.norm.value for what in audits(asked)]
    assert all(r.audit == verdicts[r.norm] for r in report.robust)
    assert [c.certificate.partition("(")[0] for c in report.certified] == [c.config.name for c in asked.certify]
    assert len(report.transfers) == 2 * len(asked.transfer)
    assert (report.weights is None) == (asked.weight_histogram is None)
    drawn = {file.removesuffix(".png") for file, _ in report.plots}
    assert drawn >= {plot.value.replace("decision_", "") for plot in asked.plot if isinstance(plot, Plot)} | {
        "confusion",
        "reliability",
    }
    solvers = bool(adaptive_blocks(trained.module))
    assert all(("transfer attack" in [check for check, _, _ in audit.checks]) == solvers for audit in report.audits)


def claims() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "claims.py"
    found = importlib.util.spec_from_file_location("claims", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


FEW = ("train.data=digits(train=8, test=2)", "train.epochs=1")


def test_benchmark_of_neural_odes(tmp_path: Path) -> None:
    """The script of benchmarks/claims.md: adaptive solver, its audit with a fixed-step surrogate, Euler's method."""
    script = claims()
    little = ("network.stem=4", "network.stages=[4]", "realize.time=dopri5(rtol=0.1, atol=0.1)", "evaluate.attack=")
    reports = script.neural_ode(
        tmp_path, 2, [*FEW, *little, "evaluate.attack=fgsm(eps=[0.2, 0.4]), boundary(queries=5)"]
    )
    assert [[check for check, _, _ in r.audits[0].checks].count("transfer attack") for r in reports] == [1, 0]
    assert "| fgsm(eps=0.4) |" in script.table(reports, ["adaptive", "fixed"])
    assert [line for line in script.remarks(reports[0], "adaptive") if "audit in ℓ2" in line]


def test_benchmark_of_noisy_ensembles(tmp_path: Path) -> None:
    """A stochastic network: averaged predictions, EOT gradients, transfer in both directions."""
    script = claims()
    attack = "evaluate.attack=ifgsm(eps=8/255, steps=1, eot=2)"
    noisy, plain = script.enresnet(tmp_path, 2, [*FEW, "train.adversary=", "evaluate.attack=", attack])
    assert [r.noise_samples for r in noisy.robust] == [3]
    assert {r.noise_samples for r in plain.robust} == {1}
    assert [(t.source, t.target) for t in noisy.transfers] == [("resnet", "EnResNet"), ("EnResNet", "resnet")]
    assert noisy.weights is not None
    assert noisy.weights.below == 1e-3
    assert any("EOT" in text for _, _, text in noisy.audits[0].checks)
