"""Evaluation of a run: report, resumption, reproducibility, pages."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from texts import shipped

import pdedsl
from pdedsl.cli import cli
from pdedsl.document import markdown, page
from pdedsl.evaluation.report import (
    FORMAT,
    CalibrationBin,
    CertifiedAccuracy,
    CleanMetrics,
    CorruptedAccuracy,
    GaussianAgreement,
    InferenceCost,
    MaskingVerdict,
    RademacherComplexity,
    Report,
    RobustAccuracy,
    StochasticAccuracy,
    TransferAccuracy,
    WeightMagnitudes,
    WorstCaseAccuracy,
    document,
)
from pdedsl.evaluation.run import evaluate_run, input_smoothing
from pdedsl.io import RunInterrupted
from pdedsl.runs.events import MeasurementProgress

pytestmark = pytest.mark.usefixtures("small_audit")

SETTINGS = ("evaluate.attack=pgd(eps=0.2, steps=3)", "evaluate.certify=gaussian(n0=20, n=50)")


@pytest.mark.usefixtures("drawn")
def test_report_of_a_run(run: Path) -> None:
    report = evaluate_run(run, set=SETTINGS)
    spec = pdedsl.load(run / "spec.pde")
    assert (report.name, report.title, report.samples) == (spec.name, spec.title, 60)
    assert report.clean.accuracy.value == pytest.approx(pdedsl.Run.open(run).metrics["test_accuracy"])
    assert [r.attack for r in report.robust] == ["pgd(eps=0.2, steps=3)"]
    assert dict(report.axioms)["linearity"].startswith("proved")
    files = {path.name for path in (run / "evaluation").iterdir()}
    assert files >= {"report.json", "report.md", "report.html", *(name for name, _ in report.plots)}
    assert {name for name, _ in report.plots} == {
        "network.svg",
        "attacks.png",
        "landscape.png",
        "radii.png",
        "confusion.png",
        "reliability.png",
        "boundary.png",
    }
    assert json.loads((run / "evaluation/report.json").read_text("utf-8")) == json.loads(json.dumps(report.plain()))
    (drawing, _), *pictures = report.plots
    drawn, expected = (run / "evaluation" / drawing).read_text("utf-8"), pdedsl.explain(run).svg()
    assert re.sub(r"pde-\w{16}", "", drawn) == re.sub(r"pde-\w{16}", "", expected)  # ids of elements
    assert all((run / "evaluation" / name).read_bytes().startswith(b"\x89PNG") for name, _ in pictures)
    assert not list((run / "evaluation").glob("*.part"))


def test_the_command_reproduces_the_report(run: Path) -> None:
    first = evaluate_run(run, set=SETTINGS, subset=40, seed=3)
    again = first.commands[-1].split()
    assert again[:2] == ["pdedsl", "evaluate"]
    import shlex

    found = CliRunner().invoke(cli, shlex.split(first.commands[-1])[1:])
    assert found.exit_code == 0, found.output
    plain = json.loads((run / "evaluation/report.json").read_text("utf-8"))
    assert without_seconds(plain) == without_seconds(json.loads(json.dumps(first.plain())))
    assert str(first.clean.accuracy) in found.output


def test_resume_is_exact(run: Path) -> None:
    """An evaluation interrupted after the first measurement continues with the second one."""
    whole = evaluate_run(run, set=SETTINGS)

    def stop(event: MeasurementProgress) -> None:
        raise RunInterrupted

    with pytest.raises(RunInterrupted):
        evaluate_run(run, set=SETTINGS, listeners=(stop,))
    part = run / "evaluation" / "parts-0.jsonl"
    assert len(part.read_text("utf-8").splitlines()) == 2
    assert evaluate_run(run, set=SETTINGS, resume=True) == whole
    assert len(part.read_text("utf-8").splitlines()) == 5


def test_remains_of_a_killed_evaluation_are_removed(run: Path) -> None:
    natural = ("evaluate.attack=fgsm(eps=0.1)", "evaluate.certify=gaussian(n0=5, n=10)")
    whole, out = evaluate_run(run, set=natural, subset=10), run / "evaluation"
    for name in (".report.json.4711.part", ".lock"):
        (out / name).write_text("")
    (out / "parts-0.jsonl").write_text('{"iden')  # killed while it began
    assert evaluate_run(run, set=natural, subset=10, resume=True) == whole
    assert not [path.name for path in out.iterdir() if path.name.startswith(".")]
    assert json.loads((out / "parts-0.jsonl").read_text("utf-8").splitlines()[0])["identity"]


def test_symbolic_links_are_rejected(run: Path, tmp_path: Path) -> None:
    (run / "evaluation").mkdir()
    (tmp_path / "mine").write_text("mine")
    (run / "evaluation" / ".lock").symlink_to(tmp_path / "mine")
    with pytest.raises(pdedsl.RunError, match="is a symbolic link"):
        evaluate_run(run)
    assert (tmp_path / "mine").read_text() == "mine"


def test_resume_with_another_subset_is_rejected(run: Path) -> None:
    evaluate_run(run, set=SETTINGS)
    with pytest.raises(pdedsl.RunError, match="contains another evaluation"):
        evaluate_run(run, set=SETTINGS, subset=30, resume=True)


def test_resume_with_another_source_network_is_rejected(run: Path, trained: Path, tmp_path: Path) -> None:
    """Transfer attacks depend on the weights of the source."""
    other = tmp_path / "other"
    pdedsl.train(run / "spec.pde", other, set=["train.epochs=1", "train.seed=9"])
    settings = ("evaluate.attack=", "evaluate.certify=", "evaluate.transfer=fgsm(eps=0.2) from other")
    evaluate_run(run, set=settings, sources={"other": other})
    with pytest.raises(pdedsl.RunError, match="contains another evaluation"):
        evaluate_run(run, set=settings, sources={"other": trained}, resume=True)


def test_transfer_between_runs(run: Path, tmp_path: Path) -> None:
    settings = ("evaluate.transfer=fgsm(eps=0.2) from other",)
    with pytest.raises(pdedsl.RunError, match="--source other=RUN"):
        evaluate_run(run, set=settings)
    report = evaluate_run(run, set=settings, sources={"other": run})
    assert [(t.source, t.target) for t in report.transfers] == [("other", report.name), (report.name, "other")]


def test_usage_errors(run: Path, tmp_path: Path) -> None:
    def said(*arguments: str) -> str:
        found = CliRunner().invoke(cli, ["evaluate", *arguments])
        assert found.exit_code == 2
        return found.output

    (tmp_path / "empty").mkdir()
    assert "is not a run folder" in said(str(tmp_path / "empty"))
    assert "between 1 and 60" in said(str(run), "--subset", "61")
    assert "NAME=RUN" in said(str(run), "--source", "resnet")
    assert "do not fit this spec" in said(str(run), "--set", "realize.diffusion=")
    wrong = CliRunner().invoke(cli, ["evaluate", str(run), "--set", "evaluate.attack=pgd"])
    assert wrong.exit_code == 1
    assert "eps" in wrong.output
    assert not (run / "evaluation" / "report.json").exists()


def test_compare(run: Path, tmp_path: Path) -> None:
    evaluate_run(run, set=(*SETTINGS, "evaluate.transfer=fgsm(eps=0.2) from other"), sources={"other": run})
    out, tex = tmp_path / "page.html", tmp_path / "tables.tex"
    found = CliRunner().invoke(cli, ["report", str(run), str(run), "-o", str(out), "--latex", str(tex)])
    assert found.exit_code == 0, found.output
    text = out.read_text("utf-8")
    assert text.count("data:image/png;base64,") == 12
    assert "http" not in text
    lines = tex.read_text("utf-8").splitlines()
    assert sum(line.startswith(r"\begin{tabular}{lrr}") for line in lines) == 4  # accuracy, transfer, certificate, cost
    assert any(line.startswith(r"pgd(eps=0.2, steps=3), $\ell$$\infty$ & ") for line in lines)
    assert any(line.startswith(r"fgsm(eps=0.2), other $\to$ ") for line in lines)
    assert any(line.startswith("clean & ") and r"\%" in line for line in lines)


def test_compare_needs_reports(run: Path, tmp_path: Path) -> None:
    found = CliRunner().invoke(cli, ["report", str(run), "-o", str(tmp_path / "page.html")])
    assert found.exit_code == 2
    assert f"pdedsl evaluate {run}" in found.output
    assert not (tmp_path / "page.html").exists()


# ---- Gaussian smoothing of an equation


@pytest.mark.parametrize(
    ("spec", "std", "exact"),
    [
        ("randomized_smoothing", 0.25, True),  # ½σ²Δ for one unit of time, σ = 0.25
        ("convection_diffusion", 0.4**0.5, False),  # σ²Δ for one unit of time, σ² = 0.2
        ("heat_smoothing", 0.1, False),
        ("enresnet", 0.1, False),
    ],
)
def test_smoothing_of_shipped_specs(spec: str, std: float, exact: bool) -> None:
    compilation = pdedsl.compile(spec)
    found = input_smoothing(compilation, compilation.module())
    assert found is not None
    assert (found.std, found.exact) == (pytest.approx(std), exact)


def test_no_smoothing() -> None:
    compilation = pdedsl.compile("resnet")
    assert input_smoothing(compilation, compilation.module()) is None


def test_base_network() -> None:
    """The network is mean softmax(base(x + sξ)), within five standard errors."""
    compilation = pdedsl.compile(shipped("randomized_smoothing").replace("28, 28", "8, 8"))
    model = compilation.module().double().eval()
    smoothing = input_smoothing(compilation, model)
    assert smoothing is not None
    x = torch.rand(1, 1, 8, 8, dtype=torch.float64)
    draws = torch.Generator().manual_seed(1)
    noise = torch.randn(200, 1, 8, 8, dtype=torch.float64, generator=draws)
    with torch.no_grad():
        mean = smoothing.base(x + smoothing.std * noise).softmax(1)
        model.samples = 200
        own = model(x).exp()[0]
    error = mean.std(0) / 200**0.5
    assert ((mean.mean(0) - own).abs() < 5 * 2**0.5 * error).all()


# ---- pages


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)


def test_pages_escape_text(run: Path) -> None:
    report = evaluate_run(run, set=SETTINGS)
    bad = '"><script>x</script>|\n# a'
    hostile: Report = replace(report, title=bad, data=bad, notes=(bad,), equation=bad, plots=())
    plain = replace(report, title="t", data="t", notes=("t",), equation="t", plots=())
    tags = []
    for one in (hostile, plain):
        parser = Tags()
        parser.feed(page(one.name, document(one), run))
        tags.append(parser.seen)
    assert tags[0] == tags[1]
    assert "script" not in tags[0]
    rows = [line for line in markdown(document(hostile)).splitlines() if line.startswith("| Data set")]
    assert [line.replace("\\|", "").count("|") for line in rows] == [3]


# ---- the schema of report.json


def without_seconds(plain: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plain.items() if key not in ("seconds", "cost")}


HEAT = """pde Heat
space x in R^2
time t in [0, 1]
unknown f(x, t) : simplex(2)
learn base(x) : simplex(2) = mlp(width=16, depth=2)
∂f/∂t = ½ Δf
f(x, 0) = base(x)
realize diffusion by heat_smoothing
train {
  data moons(train=200, test=100, noise=0.2)
  epochs 60
  batch 50
  optimizer adam(lr=1e-2)
}
evaluate {
  natural
}
"""


def test_agreement_with_the_gaussian_average(tmp_path: Path) -> None:
    """Heat smoothing halves the distance to the average."""
    run = pdedsl.train(HEAT, tmp_path / "run", listeners=())
    agreement = evaluate_run(run.folder).agreement
    assert agreement is not None
    assert (agreement.sigma, agreement.noise_samples, agreement.network.n) == (1.0, 100, 100)
    assert agreement.network.value > agreement.base.value
    assert agreement.distance < agreement.base_distance / 2
    text = (run.folder / "evaluation" / "report.md").read_text("utf-8")
    assert "## Gaussian average" in text
    assert f"{100 * agreement.network.value:.1f} %" in text.split("## Gaussian average")[1]


NAMES = {
    CalibrationBin: "low high confidence accuracy",
    CleanMetrics: "accuracy loss calibration bins confusion",
    MaskingVerdict: "norm eps samples masked verdict checks landscape",
    RobustAccuracy: "attack norm eps accuracy seeds distance noise_samples passes audit label weakness",
    WorstCaseAccuracy: "norm eps accuracy attacks strongest audited",
    TransferAccuracy: "attack source target accuracy source_accuracy",
    CertifiedAccuracy: "certificate scope sound sigma alpha accuracies abstained medians noise_samples parts "
    "violations",
    StochasticAccuracy: "norm eps accuracy seeds interval eot_curve converged attacks undecided known_noise masked "
    "verdict checks",
    WeightMagnitudes: "count below small edges counts",
    GaussianAgreement: "sigma noise_samples network base distance base_distance",
    RademacherComplexity: "bound weight radius dimension samples assumes",
    CorruptedAccuracy: "corruption accuracy",
    InferenceCost: "evaluations samples_per_second",
    Report: "name title hash equation data samples seed parameters clean worst_case robust corrupted transfers "
    "certified audits stochastic weights complexity agreement axioms notes commands plots cost seconds",
}


def test_schema(run: Path) -> None:
    """A change of a field name requires a new FORMAT. Every record documents its fields."""
    assert FORMAT == 6
    assert {record: " ".join(field.name for field in fields(record)) for record in NAMES} == NAMES
    assert all(record.__doc__ and "(" not in record.__doc__.split()[0] for record in NAMES)
    plain = evaluate_run(run, set=SETTINGS).plain()
    assert list(plain) == ["format", *NAMES[Report].split()]
    assert set(plain["clean"]["accuracy"]) == {"value", "low", "high", "hits", "of"}  # type: ignore[index]
