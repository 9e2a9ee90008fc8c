"""Shared by the commands: the spec argument, common options, output, and exit codes."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pdedsl.diagnostics import Diagnostic, PdeError, Source, escaping, report
from pdedsl.io import RunError, RunInterrupted
from pdedsl.sources import shipped_specs

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from pdedsl.compiler import Compilation

# 1 and 2 as in POSIX utilities, 70 is EX_SOFTWARE of sysexits.h, 130 is 128 + SIGINT; 3: tolerance not met
EXIT_ERROR, EXIT_USAGE, EXIT_TOLERANCE, EXIT_INTERNAL, EXIT_INTERRUPTED = 1, 2, 3, 70, 130


class _SpecPath(click.ParamType):  # type: ignore[type-arg]  # generic for mypy only
    """A path, the name of a shipped spec, or - for standard input."""

    name = "spec"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem

        names = [CompletionItem(n) for n in shipped_specs() if n.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


SPEC = _SpecPath()


def example(text: str) -> str:
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in text.strip().splitlines())


SET = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Override an entry of the spec, such as train.epochs=2; repeatable.",
)
DATA = click.option("--data", type=click.Path(path_type=Path), help="Folder of the data sets.  [env: PDEDSL_DATA]")
DEVICE = click.option("--device", help="cpu, cuda, cuda:1, …; default: a GPU if available.")
TRUST = click.option(
    "--trust", is_flag=True, help='Allow importing the Python code named by torch("package.module:Name") in the spec.'
)


def allow_imports(trust: bool) -> bool:
    """Adds the working directory to the import path if user code is trusted; returns `trust`."""
    if trust and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return trust


def limit_threads() -> None:
    """Small matrices are fastest on one thread; OMP_NUM_THREADS takes precedence."""
    if "OMP_NUM_THREADS" not in os.environ:
        import torch

        torch.set_num_threads(1)


def echo_imported_networks(compilation: Compilation) -> None:
    """Reports the imported networks and their numbers of residual blocks."""
    from pdedsl.config.networks import Torch

    for learned in compilation.spec.learned:
        match learned.net.config if learned.net else None:
            case Torch(network=network, residual_blocks=int(blocks)) if blocks:
                echo(f"{learned.name}: imported {network}, {blocks} residual block{'s' * (blocks > 1)}", err=True)
            case Torch(network=network):
                echo(f"{learned.name}: imported {network}", err=True)
            case _:
                continue


@contextmanager
def deferred_warnings() -> Iterator[None]:
    """Collects library warnings and prints each once at the end, so that they do not interrupt the progress display."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        yield
    for text in dict.fromkeys(str(w.message).split("\n")[0] for w in caught):
        echo(f"library warning: {text}", err=True)


def read_spec(file: str, settings: tuple[str, ...] = ()) -> Source:
    from pdedsl.sources import MAX_BYTES, apply_settings, decode_source, source_of

    if file == "-":
        return apply_settings(decode_source(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>"), settings)
    return source_of(Path(file), settings)


# ---- Output


def echo(text: str, err: bool = False) -> None:
    """Prints a message with control characters escaped."""
    click.echo(escaping.lines(text), err=err)


def echo_exact(text: str) -> None:
    """Prints text unchanged to a file or pipe, with control characters escaped on a terminal."""
    click.echo(escaping.lines(text) if sys.stdout.isatty() else text, nl=False)


def report_error(error: PdeError) -> None:
    echo_diagnostics(error.source or Source(""), error.diagnostics)


@contextmanager
def exit_on_errors(resume: Sequence[str | Path] = ()) -> Iterator[None]:
    """Reports errors of a spec and exits with 1; errors of a run are usage errors. `resume` is the command that resumes
    an interrupted run."""
    try:
        yield
    except PdeError as error:
        report_error(error)
        raise click.exceptions.Exit(EXIT_ERROR) from None
    except RunError as error:
        raise click.UsageError(str(error)) from None
    except RunInterrupted:
        echo(f"interrupted, progress saved; resume with: {escaping.command(*resume)}", err=True)
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None


def echo_diagnostics(source: Source, diagnostics: tuple[Diagnostic, ...]) -> None:
    if diagnostics:
        click.echo(_colourise_on_terminal(report(source, diagnostics)) + "\n", err=True)


def _colourise_on_terminal(text: str) -> str:
    """Coloured on a terminal unless NO_COLOR is set."""
    if not sys.stderr.isatty() or os.environ.get("NO_COLOR"):
        return text
    return colourise(text)


def colourise(text: str) -> str:
    """A diagnostic report with ANSI colours."""
    return "\n".join(map(_colourise_line, text.split("\n")))


def _colourise_line(line: str) -> str:
    head, _, rest = line.partition(":")
    if head.startswith(("error[", "warning[")):
        return (
            click.style(head, fg="red" if head.startswith("error") else "yellow", bold=True)
            + ":"
            + click.style(rest, bold=True)
        )
    if line.startswith("  help:"):
        return click.style("  help:", fg="cyan") + line[7:]
    margin, bar, marks = line.partition(" | ")
    if bar and not margin.strip():
        return margin + bar + click.style(marks, fg="red", bold=True)
    return click.style(line, fg="blue") if line.startswith("  --> ") else line
