"""The command train."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pdedsl.cli.common import (
    DATA,
    DEVICE,
    EXIT_ERROR,
    EXIT_INTERRUPTED,
    SET,
    SPEC,
    TRUST,
    allow_imports,
    deferred_warnings,
    echo,
    echo_imported_networks,
    example,
    exit_on_errors,
    limit_threads,
    read_spec,
)
from pdedsl.diagnostics import escaping

if TYPE_CHECKING:
    from pdedsl.runs.load_run import Run


@click.command(
    epilog=example(
        "pdedsl train convection_diffusion -o run --set train.epochs=5\n"
        "pdedsl train my.pde -o run --set train.data.train=1000\n"
        "pdedsl train run/spec.pde -o run --resume\n"
        "torchrun --nproc-per-node=2 -m pdedsl train my.pde -o run"
    )
)
@click.argument("file", type=SPEC)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Run folder.")
@SET
@DATA
@DEVICE
@click.option("--resume", is_flag=True, help="Resume the run in the folder.")
@click.option("--from", "start", type=click.Path(path_type=Path), help="Initialize with the weights of another run.")
@click.option("--dry-run", is_flag=True, help="Measure a few steps and print the predicted time of training.")
@click.option("--compile", "compiled", is_flag=True, help="Compile the network with torch.compile.")
@TRUST
@click.option("--with-code", is_flag=True, help="Copy the modules of your own networks into the run folder.")
@click.option("--log", type=click.Choice(["mlflow", "wandb"]), help="Log settings and metrics to a tracker, too.")
@click.option(
    "--save-every", type=click.FloatRange(0), default=30, show_default=True, help="Seconds between checkpoints."
)
def train(
    file: str,
    output: Path,
    settings: tuple[str, ...],
    data: Path | None,
    device: str | None,
    resume: bool,
    start: Path | None,
    dry_run: bool,
    compiled: bool,
    trust: bool,
    with_code: bool,
    log: str | None,
    save_every: float,
) -> None:
    """Train the network of a spec. Writes weights, metrics, learning curves and a report."""
    from pdedsl.compiler import to_compilation
    from pdedsl.ir.plan import SolvePlan

    with exit_on_errors():
        compilation = to_compilation(read_spec(file, settings), allow_imports(trust), data)
        echo_imported_networks(compilation)
        from pdedsl.runs.progress import ProgressDisplay
        from pdedsl.training.forecast import forecast_training
        from pdedsl.training.run import train as run_training

        if not isinstance(compilation.plan, SolvePlan) and compilation.plan.image is None:
            limit_threads()
        if dry_run:
            echo(str(forecast_training(compilation, data=data, device=device)))
            return
        with deferred_warnings(), ProgressDisplay(sys.stdout) as display:
            run = run_training(
                compilation,
                output,
                data=data,
                device=device,
                resume=resume,
                compile=compiled,
                start=start,
                save_seconds=save_every,
                log=log,
                with_code=with_code,
                listeners=(display,),
            )
    _echo_outcome(run, output, trust)


def _echo_outcome(run: Run, folder: Path, trust: bool) -> None:
    """Prints the files written, or the command to resume."""
    from pdedsl.runs.events import RunOutcome

    trust_flag = ["--trust"] * trust
    resume_command = escaping.command("pdedsl", "train", folder / "spec.pde", "-o", folder, "--resume", *trust_flag)
    if os.environ.get("RANK", "0") != "0":
        pass
    elif run.outcome is RunOutcome.FINISHED:
        echo(f"{folder}/: weights.safetensors, report.md, curves.png, metrics.jsonl, tensorboard/")
        echo(f"next, attack, certify and audit: {escaping.command('pdedsl', 'evaluate', folder, *trust_flag)}")
    elif run.outcome is RunOutcome.INTERRUPTED:
        echo(f"interrupted, progress saved; resume with: {resume_command}", err=True)
    else:
        echo(f"pdedsl: {run.message}", err=True)
    if run.outcome is not RunOutcome.FINISHED:
        raise click.exceptions.Exit(EXIT_INTERRUPTED if run.outcome is RunOutcome.INTERRUPTED else EXIT_ERROR)
