"""Runs commands in this process."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from pdedsl.cli import cli

SPECS = Path(__file__).parents[2] / "specs"


RIGHT = "pde Heat\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = 2Δu\nu(x, 0) = 0\n"


UNTIDY = RIGHT.replace("space x", "space  x").replace("2Δu", "2*Δ(u)")


def run(*args: str, text: str = "", code: int = 0) -> Result:
    """`pdedsl ARGS`, which must leave with an exit code."""
    done = CliRunner().invoke(cli, args, input=text, prog_name="pdedsl")
    assert done.exit_code == code, (args, done.output, done.exception)
    assert done.exception is None or isinstance(done.exception, SystemExit), args
    return done


def written(folder: Path, text: str, name: str = "my.pde") -> str:
    path = folder / name
    path.write_text(text, "utf-8")
    return str(path)


def rows(*args: str, text: str = "", code: int = 0) -> list[dict[str, object]]:
    return [json.loads(line) for line in run("check", "--json", *args, text=text, code=code).stdout.splitlines()]
