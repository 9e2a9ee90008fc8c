"""The command draw."""

from __future__ import annotations

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
    exit_on_errors,
    read_spec,
)
from pdedsl.io import write_text_atomically


@click.command(epilog=example("pdedsl draw enresnet -o net.svg\npdedsl draw my.pde > my.svg"))
@click.argument("file", type=SPEC)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Output file; default: standard output.")
@SET
def draw(file: str, output: Path | None, settings: tuple[str, ...]) -> None:
    """Draw an equation as SVG. Shows its terms and its network or solution method."""
    from pdedsl.api import explain_source

    with exit_on_errors():
        explanation = explain_source(read_spec(file, settings))
    if explanation.errors:
        echo_diagnostics(explanation.analysis.spec.source, explanation.errors)
        raise click.exceptions.Exit(EXIT_ERROR)
    if output is None:
        echo_exact(explanation.svg())
        return
    write_text_atomically(output, explanation.svg())
    echo(f"wrote {output}", err=True)
