"""The commands push and submit."""

from __future__ import annotations

from pathlib import Path

import click

from pdedsl.cli.common import SET, SPEC, TRUST, allow_imports, echo, example, exit_on_errors, read_spec
from pdedsl.diagnostics import escaping


@click.command(epilog=example("pdedsl push run shared\npdedsl push run hf:user/name"))
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("to", metavar="FOLDER|hf:USER/NAME")
@TRUST
def push(run: Path, to: str, trust: bool) -> None:
    """Share a finished run with a model card, in a folder or on the Hugging Face Hub."""
    from pdedsl.evaluation.hub import push as push_run

    with exit_on_errors():
        place = push_run(run, to, trust=allow_imports(trust))
    echo(f"wrote {place}")


@click.command(
    epilog=example(
        "pdedsl submit my.pde -o run --slurm --gpus 1\n"
        "pdedsl submit my.pde -o study --slurm --tasks 8 --time 4:00:00 --partition gpu"
    )
)
@click.argument("file", type=SPEC)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder of the run or the study.")
@SET
@click.option("--slurm", is_flag=True, required=True, help="Write a batch script for Slurm.")
@click.option("--time", default="12:00:00", show_default=True, help="Time limit of the job.")
@click.option("--cpus", type=click.IntRange(1), default=4, show_default=True, help="CPU cores of a task.")
@click.option("--gpus", type=click.IntRange(0), default=0, show_default=True, help="GPUs of a task.")
@click.option("--partition", help="Partition of the cluster.")
@click.option("--tasks", type=click.IntRange(1), default=1, show_default=True, help="Tasks that share a sweep.")
@TRUST
def submit(
    file: str,
    output: Path,
    settings: tuple[str, ...],
    slurm: bool,
    time: str,
    cpus: int,
    gpus: int,
    partition: str | None,
    tasks: int,
    trust: bool,
) -> None:
    """Write a batch script that trains and evaluates a spec, or runs its sweep, on a cluster.

    An interrupted job continues when it is submitted again. The tasks of a sweep take runs that no other task has
    locked; submit it once more, with one task, for the tables of all runs.
    """
    from pdedsl.compiler import check
    from pdedsl.studies.slurm import SlurmOptions, slurm_script

    if not slurm:
        raise click.UsageError("choose a scheduler: --slurm")
    with exit_on_errors():
        checked = check(read_spec(file, settings))
        checked.require_plan()
        spec = checked.analysis.spec
    more = [part for setting in settings for part in ("--set", setting)] + ["--trust"] * trust
    pdedsl = ["python", "-m", "pdedsl"]
    if spec.sweep is not None:
        commands = [[*pdedsl, "sweep", file, "-o", str(output), *more]]
    else:
        train = [*pdedsl, "train", file, "-o", str(output), "--resume", *more]
        commands = [train, [*pdedsl, "evaluate", str(output), *["--trust"] * trust]]
    if tasks > 1 and len(commands) > 1:
        raise click.UsageError("--tasks needs a spec with a `sweep` block: a single run is one task")
    script = output.with_name(f"{output.name}.sbatch")
    script.parent.mkdir(parents=True, exist_ok=True)
    options = SlurmOptions(time, cpus, gpus, partition, tasks)
    script.write_text(slurm_script(spec.name, output, commands, options), "utf-8")
    echo(f"wrote {script}; submit it with: {escaping.command('sbatch', script)}")
