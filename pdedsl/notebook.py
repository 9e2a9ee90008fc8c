"""IPython extension: after `%load_ext pdedsl`, a spec can be written in a cell.

    %%pde heat
    pde Heat
    …

The compilation is assigned to the variable `heat` and its explanation is displayed, or the errors are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdedsl.cli.common import colourise
from pdedsl.compiler import to_compilation
from pdedsl.diagnostics import PdeError, Source, report
from pdedsl.sources import without_bom

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

DEFAULT_NAME = "spec"  # of the variable
TRUST_FLAG = "--trust"  # allows importing user-defined networks


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Registers the cell magic `%%pde`."""

    def pde(line: str, cell: str) -> None:
        trust, name = line.split().count(TRUST_FLAG) > 0, line.replace(TRUST_FLAG, "").strip() or DEFAULT_NAME
        if not name.isidentifier():
            raise ValueError(f"%%pde needs a valid variable name, not '{name}'")
        compile_cell(shell, name, cell, trust)

    shell.register_magic_function(pde, "cell", "pde")  # type: ignore[arg-type]  # IPython's own annotation is wrong


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
