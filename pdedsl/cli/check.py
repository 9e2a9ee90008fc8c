"""The commands check, format, specs, completion, lsp and mcp."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import click

from pdedsl.cli.common import (
    EXIT_ERROR,
    SET,
    SPEC,
    echo,
    echo_diagnostics,
    echo_exact,
    example,
    read_spec,
    report_error,
)
from pdedsl.diagnostics.escaping import as_json
from pdedsl.io import write_text_atomically
from pdedsl.sources import find_shipped, shipped_specs, spec_title

SYMPY_CACHE_SIZE = "20000"  # of the language server; sympy's default is 1000. Most of a text is unchanged between edits
FULL_COLLECTION_THRESHOLD = 500  # of the garbage collector, 10 by default: a full collection takes 0.1 s


@click.command(epilog=example("pdedsl check my.pde other.pde\npdedsl check --json resnet\ncat my.pde | pdedsl check -"))
@click.argument("files", nargs=-1, required=True, type=SPEC)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per file and line.")
@SET
def check(files: tuple[str, ...], as_json: bool, settings: tuple[str, ...]) -> None:
    """Check specs. Every error is reported with its location and a suggested fix."""
    failed = False
    for file in files:
        failed |= not (_check_json(file, settings) if as_json else _check_text(file, settings))
    if failed:
        raise click.exceptions.Exit(EXIT_ERROR)


def _check_text(file: str, settings: tuple[str, ...]) -> bool:
    from pdedsl.compiler import check
    from pdedsl.diagnostics import PdeError

    try:
        source = read_spec(file, settings)
        examined = check(source)
    except PdeError as error:
        report_error(error)
        return False
    echo_diagnostics(source, examined.diagnostics)
    if examined.errors:
        return False
    count, spec = len(examined.diagnostics), examined.analysis.spec
    warnings = f", {count} warning{'s' * (count > 1)}" if count else ""
    echo(f"{source.name}: {spec.name}: no errors{warnings}")
    return True


def _check_json(file: str, settings: tuple[str, ...]) -> bool:
    from pdedsl.compiler import check
    from pdedsl.diagnostics import PdeError, Source
    from pdedsl.explainer.explain import facts_json

    row: dict[str, object] = {"file": file, "ok": False, "name": None, "hash": None, "diagnostics": []}
    source = Source("", file)
    try:
        source = read_spec(file, settings)
        examined = check(source)
        spec, diagnostics = examined.analysis.spec, examined.diagnostics
        row |= {"name": spec.name, "hash": spec.hash}
        facts = facts_json(examined.analysis)
    except PdeError as error:
        source, diagnostics, facts = error.source or source, error.diagnostics, {}
    row["ok"] = not any(d.is_error for d in diagnostics)
    row["diagnostics"] = [d.as_json(source) for d in diagnostics]
    click.echo(as_json(row | facts))
    return bool(row["ok"])


@click.command(
    "format", epilog=example("pdedsl format my.pde\npdedsl format --check *.pde\npdedsl format --ascii - < my.pde")
)
@click.argument("files", nargs=-1, required=True, type=SPEC)
@click.option("--check", "only_check", is_flag=True, help="Do not write; exit with 1 if a file would be reformatted.")
@click.option("--ascii", "as_ascii", is_flag=True, help="Use ASCII notation instead of Unicode.")
def format_(files: tuple[str, ...], only_check: bool, as_ascii: bool) -> None:
    """Format specs. Files are changed in place, standard input (-) and shipped specs are printed."""
    from pdedsl.api import format_source
    from pdedsl.diagnostics import PdeError

    failed = False
    for file in files:
        try:
            source = read_spec(file)
            text = format_source(source, as_ascii)
        except PdeError as error:
            report_error(error)
            failed = True
            continue
        if only_check:
            if text != source.text:
                echo(f"{source.name} would be reformatted", err=True)
                failed = True
        elif file == "-" or find_shipped(file):
            echo_exact(text)
        elif text != source.text:
            write_text_atomically(Path(file), text)
            echo(f"{file} reformatted", err=True)
    if failed:
        raise click.exceptions.Exit(EXIT_ERROR)


@click.command(epilog=example("pdedsl specs\npdedsl specs resnet > my.pde"))
@click.argument("name", required=False, type=SPEC)
def specs(name: str | None) -> None:
    """List the shipped specs, or print one."""
    specs = shipped_specs()
    if name is None:
        width = max(map(len, specs), default=0)
        for stem, path in specs.items():
            click.echo(f"{stem:{width}}  {spec_title(path)}")
        return
    shipped = find_shipped(name)
    if shipped is None:
        raise click.BadParameter(f"no shipped spec '{name}'; 'pdedsl specs' lists them", param_hint="NAME")
    click.echo(shipped.read_text("utf-8"), nl=False)


@click.command(epilog=example('eval "$(pdedsl completion bash)"'))
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print the script for shell completion. It completes commands, options and specs."""
    from click.shell_completion import get_completion_class

    completion_class = get_completion_class(shell)
    assert completion_class is not None
    root = click.get_current_context().find_root().command
    click.echo(completion_class(root, {}, "pdedsl", "_PDEDSL_COMPLETE").source())


def configure_server() -> None:
    """Tunes caches and garbage collection of a long-running process; must be called before sympy is imported."""
    os.environ.setdefault("SYMPY_CACHE_SIZE", SYMPY_CACHE_SIZE)
    gc.set_threshold(*gc.get_threshold()[:2], FULL_COLLECTION_THRESHOLD)
    from pdedsl.symbolic.cache import cache_signs

    cache_signs()


@click.command(epilog=example("pip install 'pdedsl[lsp]'\npdedsl lsp"))
def lsp() -> None:
    """Run the language server (LSP). It uses standard input and output."""
    configure_server()
    try:
        from pdedsl.lsp.server import create_server
    except ModuleNotFoundError as error:
        raise click.UsageError(f"{error.name} is not installed: pip install 'pdedsl[lsp]'") from None
    create_server().start_io()


@click.command(epilog=example("pip install 'pdedsl[mcp]'\npdedsl mcp"))
def mcp() -> None:
    """Run the server of the Model Context Protocol (MCP) for language models: check, fix, explain, solve, crosscheck.

    It uses standard input and output.
    """
    configure_server()
    try:
        from pdedsl.mcp.server import create_server
    except ModuleNotFoundError as error:
        raise click.UsageError(f"{error.name} is not installed: pip install 'pdedsl[mcp]'") from None
    create_server().run()
