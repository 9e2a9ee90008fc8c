"""The command sweep."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pdedsl.cli.common import (
    DATA,
    DEVICE,
    EXIT_ERROR,
    SET,
    SPEC,
    TRUST,
    allow_imports,
    deferred_warnings,
    echo,
    example,
    exit_on_errors,
    limit_threads,
    read_spec,
)


@click.command(
    epilog=example(
        "pdedsl sweep my.pde -o study\n"
        "pdedsl sweep convection_diffusion -o study --seeds 5\n"
        "pdedsl sweep my.pde -o study --search tpe --trials 40 --maximize clean"
    )
)
@click.argument("file", type=SPEC)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder of the study.")
@SET
@click.option("--seeds", type=click.IntRange(1), metavar="N", help="Train with the seeds 0, …, N - 1.")
@click.option(
    "--search",
    type=click.Choice(["grid", "random", "tpe"]),
    default="grid",
    show_default=True,
    help="All points, or random or TPE search by Optuna.",
)
@click.option("--trials", type=click.IntRange(1), metavar="N", help="Number of trials of a search.")
@click.option("--maximize", metavar="METRIC", help="Metric that a search maximizes; default: worst case, else clean.")
@click.option("--minimize", metavar="METRIC", help="Metric that a search minimizes.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Number of processes.")
@click.option("--subset", type=click.IntRange(1), metavar="N", help="Evaluate on N test samples, stratified by class.")
@DATA
@DEVICE
@TRUST
def sweep(
    file: str,
    output: Path,
    settings: tuple[str, ...],
    seeds: int | None,
    search: str,
    trials: int | None,
    maximize: str | None,
    minimize: str | None,
    workers: int,
    subset: int | None,
    data: Path | None,
    device: str | None,
    trust: bool,
) -> None:
    """Train and evaluate a spec for every point of its sweep; the same command continues an interrupted sweep."""
    with exit_on_errors(sys.argv), deferred_warnings():
        from pdedsl.compiler import to_spec

        spec = to_spec(read_spec(file, settings))
        from pdedsl.studies.run import sweep as run_sweep

        limit_threads()
        study = run_sweep(
            spec,
            output,
            seeds=seeds,
            search=search,
            trials=trials,
            maximize=maximize,
            minimize=minimize,
            workers=workers,
            subset=subset,
            data=data,
            device=device,
            trust=allow_imports(trust),
            report=lambda line: echo(line, err=True),
        )
    echo(study.markdown().rstrip())
    echo(f"\n{output}/: table.md, table.tex, runs.csv, runs/")
    if study.failures:
        raise click.exceptions.Exit(EXIT_ERROR)
