"""IPython extension: after `%load_ext pdedsl`, a spec can be written in a cell, and commands on a line.

    %%pde heat.pde
    pde Heat
    …

    %pdedsl solve heat.pde -o run

The compilation is assigned to the variable `heat` and displayed, or the errors are. With the suffix `.pde` the cell is
also saved in this file.
"""

from __future__ import annotations

import shlex
import sys
from contextlib import redirect_stderr
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pdedsl.cli import cli
from pdedsl.cli.common import EXIT_USAGE, colourise
from pdedsl.compiler import to_compilation
from pdedsl.diagnostics import PdeError, Source, report
from pdedsl.sources import without_bom

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

DEFAULT_NAME = "spec"  # of the variable
EXIT_CODE = "_exit_code"  # the variable that has the exit code of a command, as for IPython's own `!command`
TRUST_FLAG = "--trust"  # allows importing user-defined networks


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Registers the cell magic `%%pde` and the line magic `%pdedsl`."""

    def pde(line: str, cell: str) -> None:
        words = line.split()
        trust, names = TRUST_FLAG in words, [word for word in words if word != TRUST_FLAG]
        name = " ".join(names) or DEFAULT_NAME
        if not name.removesuffix(".pde").isidentifier():
            raise ValueError(f"%%pde needs a valid variable name or the name of a .pde file, not '{name}'")
        if name.endswith(".pde"):
            Path(name).write_text(cell, "utf-8")
        compile_cell(shell, name.removesuffix(".pde"), cell, trust)

    def pdedsl(line: str) -> None:
        shell.push({EXIT_CODE: run_command(shlex.split(line))})  # type: ignore[no-untyped-call]

    shell.register_magic_function(pde, "cell", "pde")  # type: ignore[arg-type]  # IPython's own annotation is wrong
    shell.register_magic_function(pdedsl, "line", "pdedsl")  # type: ignore[arg-type]


def run_command(arguments: list[str]) -> int:
    """Runs a command in this process, with its messages among its output; returns the exit code."""
    with redirect_stderr(sys.stdout):
        try:
            code = cli.main(arguments, prog_name="pdedsl", standalone_mode=False)
        except click.ClickException as error:
            error.show()
            return EXIT_USAGE
    return code if isinstance(code, int) else 0


def compile_cell(shell: InteractiveShell, name: str, text: str, trust: bool = False) -> None:
    """Assigns the compilation to a variable and displays it, or prints the errors."""
    from IPython.display import display

    source = Source(without_bom(text), f"<{name}>")
    try:
        compilation = to_compilation(source, trust)
    except PdeError as error:
        print(colourise(report(error.source or source, error.diagnostics)))
        return
    shell.push({name: compilation})  # type: ignore[no-untyped-call]
    display(compilation)  # type: ignore[no-untyped-call]
    if compilation.spec.warnings:
        print(colourise(report(source, compilation.spec.warnings)))
