"""Processes of tests: commands, pairs of distributed processes as torchrun starts them, and the harness of kills."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
ONE_THREAD.pop("PYTEST_CURRENT_TEST", None)
TIMEOUT = 900  # seconds, for a loaded machine


def start(arguments: list[str], environment: dict[str, str] = ONE_THREAD) -> subprocess.Popen[str]:
    """Start Python with these arguments."""
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, *arguments], env=environment, stdout=pipe, stderr=pipe, text=True)


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for the end; exit code, standard output, standard error."""
    out, err = process.communicate(timeout=TIMEOUT)
    return process.returncode, out, err


def distributed(count: int) -> list[dict[str, str]]:
    """Variables of `count` distributed processes, by rank; none for a single process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    place = {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    ranks = map(str, range(count))
    return [{**place, "RANK": rank, "LOCAL_RANK": rank} for rank in ranks] if count > 1 else [{}]


def start_two(arguments: list[str]) -> list[subprocess.Popen[str]]:
    return [start(arguments, ONE_THREAD | variables) for variables in distributed(2)]
