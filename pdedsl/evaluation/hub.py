"""Sharing of runs: a folder with weights, spec, evaluation report and a model card; local, or on the Hugging Face Hub.

The folder is itself a run folder, so that `pdedsl evaluate` reads it. `hf:user/name` is a model repository; the package
`huggingface_hub` is imported where it is used, and takes the credentials of the user's own login.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pdedsl.compiler import Compilation, to_compilation
from pdedsl.config.evaluation import NormOrder
from pdedsl.document import CodeBlock, Element, Heading, Items, Paragraph, Table, markdown
from pdedsl.evaluation.run import FOLDER, OUTCOMES
from pdedsl.io import RunError, malformed_as_run_error, write_text_atomically
from pdedsl.runs.folder import BASE_WEIGHTS, CODE, METRICS, SPEC, WEIGHTS
from pdedsl.sources import source_of

CARD = "README.md"
USAGE = """import pdedsl

run = pdedsl.Run.open("FOLDER")
probabilities = run.module(x).softmax(-1)"""
HUB = "hf:"
REPORT = f"{FOLDER}/report.json"
SHARED = (SPEC, WEIGHTS, BASE_WEIGHTS, METRICS, REPORT, f"{FOLDER}/{OUTCOMES}", f"{FOLDER}/report.md")


def push(run: str | Path, to: str, *, trust: bool = False) -> str:
    """Copy a finished run with a model card to a folder, or to a model repository of the Hugging Face Hub.

    Args:
        run: run folder.
        to: a new or empty folder, or "hf:user/name".
        trust: allow importing the Python modules that the spec names.

    Returns:
        The path of the folder, or the address of the repository.

    Raises:
        RunError: if the run is not finished, the folder is not empty, or `huggingface_hub` is not installed.

    Example:
        >>> import pathlib
        >>> import pdedsl
        >>> run = pdedsl.train("convection_diffusion", "run", set={"train.epochs": 1}, listeners=())
        >>> pdedsl.push("run", "shared")
        'shared'
        >>> "## Equation" in pathlib.Path("shared/README.md").read_text("utf-8")
        True
    """
    folder = Path(run)
    if not (folder / WEIGHTS).is_file() or not (folder / SPEC).is_file():
        raise RunError(f"{folder} has no final weights: train the run to its end first")
    card = model_card(folder, to_compilation(source_of(folder / SPEC), trust))
    if to.startswith(HUB):
        return _push_to_hub(folder, to.removeprefix(HUB), card)
    target = Path(to)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise RunError(f"{target} is not an empty folder; choose another one")
    _copy(folder, target, card)
    return str(target)


def _copy(folder: Path, target: Path, card: str) -> None:
    for name in SHARED:
        if (folder / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / name, target / name)
    if (folder / CODE).is_dir():
        shutil.copytree(folder / CODE, target / CODE)
    write_text_atomically(target / CARD, card)


def _push_to_hub(folder: Path, repository: str, card: str) -> str:
    from tempfile import TemporaryDirectory

    hub = _import_hub()
    with TemporaryDirectory() as name:
        _copy(folder, Path(name), card)
        hub.create_repo(repository, exist_ok=True)
        hub.upload_folder(repo_id=repository, folder_path=name)
    return f"https://huggingface.co/{repository}"


def find_run(run: str, folder: Path | None = None) -> Path:
    """The folder of a run; a repository `hf:user/name` is downloaded to `folder`, by default ./name."""
    if not run.startswith(HUB):
        return Path(run)
    repository = run.removeprefix(HUB)
    target = folder or Path(repository.rpartition("/")[2])
    if not (target / SPEC).is_file():
        _import_hub().snapshot_download(repo_id=repository, local_dir=str(target))
    return target


def _import_hub() -> Any:
    try:
        import huggingface_hub
    except ImportError:
        raise RunError("hf: needs the package: pip install huggingface_hub") from None
    return huggingface_hub


# ---- Model card


def model_card(folder: Path, compilation: Compilation) -> str:
    """The model card of a run, from its spec and, if there is one, its evaluation report: threat model, protocol,
    certificate, cost."""
    spec = compilation.spec
    report = _read_report(folder / REPORT)
    data = spec.train.data if spec.train else None
    page: list[Element] = [
        Heading(spec.title or spec.name, 1),
        Paragraph("A network generated from a partial differential equation by pdedsl."),
        Heading("Equation"),
        CodeBlock(spec.source.text, "pde"),
        Table(("", ""), (("Data set", str(data.config) if data else ""), ("Spec hash", spec.hash))),
        *_properties(compilation),
        *(_evaluation(report) if report else [Heading("Evaluation"), Paragraph("This run has not been evaluated.")]),
        Heading("Use"),
        CodeBlock(USAGE, "python"),
        CodeBlock("pdedsl evaluate FOLDER", "sh"),
    ]
    return _front_matter(spec.name) + markdown(page)


def _front_matter(name: str) -> str:
    """Metadata of the hub."""
    tags = ("pdedsl", "partial-differential-equations", "robustness")
    return "\n".join(("---", "library_name: pdedsl", "tags:", *(f"- {tag}" for tag in tags), "---", "", ""))


def _read_report(path: Path) -> Mapping[str, Any] | None:
    if not path.is_file():
        return None
    with malformed_as_run_error(f"{path} cannot be read: evaluate the run again"):
        return dict(json.loads(path.read_text("utf-8")))


def _properties(compilation: Compilation) -> list[Element]:
    rows = tuple((axiom.value, verdict.truth) for axiom, verdict in compilation.analysis.axioms.items())
    return [Heading("Properties of the equation"), Table(("Property", "Verdict"), rows)]


def _evaluation(report: Mapping[str, Any]) -> Iterator[Element]:
    with malformed_as_run_error("the evaluation report is of another version: evaluate the run again"):
        yield Heading("Evaluation")
        rows = [("Clean accuracy", _percent(report["clean"]["accuracy"]))]
        for worst in report["worst_case"]:
            threat = f"{NormOrder(worst['norm']).sign}, ε = {worst['eps']:g}"
            rows.append((f"Robust accuracy, {threat}, worst case over all attacks", _percent(worst["accuracy"])))
        rows += [
            (
                f"Certified accuracy, ℓ2 radius {radius:g}" if c["sound"] else f"Estimate, ℓ2 radius {radius:g}",
                _percent(a),
            )
            for c in report["certified"]
            for radius, a in c["accuracies"][:: max(1, len(c["accuracies"]) // 4)]
        ]
        rows.append(("Parameters", f"{report['parameters']:,}"))
        cost = report.get("cost") or {}
        if cost.get("evaluations") is not None:
            rows.append(("Evaluations of the right-hand side per sample", f"{cost['evaluations']:.4g}"))
        yield Table((f"n = {report['samples']:,} test samples", "95 % Clopper-Pearson interval"), tuple(rows))
        yield Heading("Protocol", 3)
        attacks = [f"{r['label'] or r['attack']}: {_percent(r['accuracy'])}" for r in report["robust"]]
        audits = [f"gradient-masking audit: {v['verdict']}" for v in report["audits"]]
        adaptive = [f"adaptive attacks: {s['verdict']}" for s in report["stochastic"]]
        scopes = [f"{c['certificate']}: {c['scope']}" for c in report["certified"]]
        lines = [*attacks, *audits, *adaptive, *scopes]
        yield Items(tuple(lines)) if lines else Paragraph("No attacks and no certificates were requested.")
        yield from (CodeBlock(command, "sh") for command in report["commands"])


def _percent(accuracy: Mapping[str, float]) -> str:
    value, low, high = (100 * accuracy[key] for key in ("value", "low", "high"))
    return f"{value:.1f} % [{low:.1f}, {high:.1f}]"
