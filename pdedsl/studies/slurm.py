"""Batch scripts for the Slurm workload manager: a run, or a study whose runs are shared by the tasks of a job array."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

GRACE_SECONDS = 120  # before the time limit; a signal lets a run finish its step and save a checkpoint


@dataclass(frozen=True)
class SlurmOptions:
    """Resources of a job; `tasks` is the size of the job array."""

    time: str = "12:00:00"
    cpus: int = 4
    gpus: int = 0
    partition: str | None = None
    tasks: int = 1


def slurm_script(name: str, folder: Path, commands: list[list[str]], options: SlurmOptions) -> str:
    """The batch script that runs the commands one after another in the present directory."""
    log = "%x-%A_%a.out" if options.tasks > 1 else "%x-%j.out"
    directives = {
        "job-name": name,
        "output": str(folder.with_name(log)),
        "time": options.time,
        "cpus-per-task": str(options.cpus),
        **({"gres": f"gpu:{options.gpus}"} if options.gpus else {}),
        **({"partition": options.partition} if options.partition else {}),
        **({"array": f"0-{options.tasks - 1}"} if options.tasks > 1 else {}),
        "signal": f"TERM@{GRACE_SECONDS}",
    }
    lines = [
        "#!/bin/bash",
        *(f"#SBATCH --{key}={value}" for key, value in directives.items()),
        "#SBATCH --requeue",
        "set -e",
        f"cd {shlex.quote(os.getcwd())}",
        "export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK",
        *(f"srun {shlex.join(command)}" for command in commands),
    ]
    return "\n".join(lines) + "\n"
