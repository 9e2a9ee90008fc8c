"""The command reproduce."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pdedsl.cli.common import (
    DATA,
    DEVICE,
    EXIT_ERROR,
    SET,
    deferred_warnings,
    echo,
    example,
    exit_on_errors,
    limit_threads,
)


@click.command(
    epilog=example(
        "pdedsl reproduce heat_smoothing -o heat\npdedsl reproduce convection_diffusion -o out --data data --workers 2"
    )
)
@click.argument("name", metavar="PAPER")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder of the reproduction.")
@click.option(
    "--scale",
    type=click.Choice(["laptop", "paper"]),
    default="laptop",
    show_default=True,
    help="Small networks on two cores, or the set-up of the paper on a GPU.",
)
@SET
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Number of processes.")
@click.option("--dry-run", is_flag=True, help="Measure a few steps and print the predicted time of training.")
@DATA
@DEVICE
def reproduce(
    name: str,
    output: Path,
    scale: str,
    settings: tuple[str, ...],
    workers: int,
    dry_run: bool,
    data: Path | None,
    device: str | None,
) -> None:
    """Run the experiment of a paper: its table beside ours, and a verdict on each claim.

    PAPER is convection_diffusion, enresnet, parabolic, neural_ode or heat_smoothing. The same command continues an
    interrupted reproduction.
    """
    with exit_on_errors(sys.argv), deferred_warnings():
        from pdedsl.studies.reproduce import PAGE, forecast_reproduction
        from pdedsl.studies.reproduce import reproduce as run_reproduction

        limit_threads()
        if dry_run:
            echo(forecast_reproduction(name, scale=scale, set=settings, data=data, device=device))
            return
        reproduction = run_reproduction(
            name,
            output,
            scale=scale,
            set=settings,
            workers=workers,
            data=data,
            device=device,
            report=lambda line: echo(line, err=True),
        )
    echo(reproduction.markdown().rstrip())
    echo(f"\n{output}/: {PAGE}")
    if any(study.failures for study in reproduction.studies.values()):
        raise click.exceptions.Exit(EXIT_ERROR)
