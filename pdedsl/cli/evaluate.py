"""The commands evaluate and report."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from pdedsl.cli.common import DATA, DEVICE, SET, TRUST, allow_imports, echo, example, exit_on_errors


class RunFolder(click.Path):
    """A run folder, or a repository of the Hugging Face Hub, `hf:user/name`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if str(value).startswith("hf:") else super().convert(value, param, ctx)


@click.command(
    epilog=example(
        "pdedsl evaluate run --subset 50\n"
        "pdedsl evaluate run --subset 200 --set 'evaluate.attack=autoattack(eps=8/255)'\n"
        "pdedsl evaluate run --resume\n"
        "pdedsl evaluate enresnet_run --source resnet=resnet_run\n"
        "pdedsl evaluate hf:user/name"
    )
)
@click.argument("run", type=RunFolder(path_type=Path, exists=True, file_okay=False))
@click.option("--subset", type=click.IntRange(1), metavar="N", help="Evaluate on N test samples, stratified by class.")
@SET
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of attacks and subsets."
)
@click.option("--seeds", type=click.IntRange(1), default=1, show_default=True, help="Number of seeds to attack with.")
@click.option("--source", "sources", multiple=True, metavar="NAME=RUN", help="Source run of a transfer attack.")
@DATA
@DEVICE
@click.option("--resume", is_flag=True, help="Resume an interrupted evaluation.")
@TRUST
def evaluate(
    run: Path | str,
    subset: int | None,
    settings: tuple[str, ...],
    seed: int,
    seeds: int,
    sources: tuple[str, ...],
    data: Path | None,
    device: str | None,
    resume: bool,
    trust: bool,
) -> None:
    """Attack, certify and audit a trained network.

    The `evaluate` block of its spec states the attacks and certificates. Writes a report into the run folder.
    """
    from pdedsl.evaluation.hub import find_run
    from pdedsl.evaluation.run import evaluate_run
    from pdedsl.runs.progress import ProgressDisplay

    with exit_on_errors((*sys.argv, *([] if resume else ["--resume"]))), ProgressDisplay(sys.stderr) as display:
        run = find_run(str(run))
        report = evaluate_run(
            run,
            set=settings,
            subset=subset,
            seed=seed,
            seeds=seeds,
            data=data,
            device=device,
            resume=resume,
            trust=allow_imports(trust),
            sources=_parse_sources(sources),
            listeners=(display,),
        )
    if os.environ.get("RANK", "0") == "0":
        echo(repr(report))
        echo(f"{run}/evaluation/: report.html, report.md, report.json, {', '.join(file for file, _ in report.plots)}")


def _parse_sources(sources: tuple[str, ...]) -> dict[str, Path]:
    pairs = [source.partition("=") for source in sources]
    for name, equals, run in pairs:
        if not (name and equals and run):
            raise click.UsageError(f"--source must be NAME=RUN, not '{name}{equals}{run}'")
    return {name: Path(run) for name, _, run in pairs}


@click.command(
    name="report",
    epilog=example("pdedsl report run other_run -o page.html\npdedsl report runs/* -o page.html --latex tables.tex"),
)
@click.argument("runs", type=click.Path(path_type=Path, exists=True, file_okay=False), nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Output HTML file.")
@click.option("--latex", type=click.Path(path_type=Path), help="Also write the tables as LaTeX.")
def report(runs: tuple[Path, ...], output: Path, latex: Path | None) -> None:
    """Compare evaluated runs in one HTML page. It needs no other files."""
    from pdedsl.evaluation.compare import write_comparison

    with exit_on_errors():
        write_comparison(runs, output, latex)
    echo(f"wrote {output}" + (f" and {latex}" if latex else ""))
