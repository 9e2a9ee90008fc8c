"""The command that writes a first spec."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from pdedsl.cli.common import echo, example
from pdedsl.io import write_text_atomically
from pdedsl.templates import SUBJECTS, Purpose, spec_from_template

QUESTIONS = {Purpose.POINTS: "Which data?", Purpose.IMAGES: "Which data?", Purpose.EQUATION: "Which equation?"}


@click.command(epilog=example("pdedsl new Mine\npdedsl new Digits --for images --data digits --noise"))
@click.argument("name")
@click.option("--for", "purpose", type=click.Choice([p.value for p in Purpose]), help="What the spec is for.")
@click.option("--data", help="The data set, or the equation; without it you are asked, and see the choices.")
@click.option(
    "--noise/--no-noise",
    default=None,
    help="Whether the classifier gets a diffusion term, which makes it noisy and more robust.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file to write; by default NAME.pde.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def new(name: str, purpose: str | None, data: str | None, noise: bool | None, output: Path | None, force: bool) -> None:
    """Write a first spec, NAME.pde, that runs at once; you are asked what the options do not say."""
    if not name.isidentifier():
        raise click.BadParameter(f"'{name}' is not a name: use letters, digits and _", param_hint="NAME")
    file = output or Path(f"{name}.pde")
    if file.exists() and not force:
        raise click.UsageError(f"{file} already exists; --force replaces it")
    chosen = Purpose(purpose or _ask("What is it for?", [p.value for p in Purpose]))
    subjects = SUBJECTS[chosen]
    subject = data or _ask(QUESTIONS[chosen], subjects)
    if subject not in subjects:
        raise click.BadParameter(f"'{subject}' is not one of {', '.join(subjects)}", param_hint="--data")
    if noise is None:
        noise = chosen is not Purpose.EQUATION and click.confirm("Should noise make it more robust?", default=True)
    write_text_atomically(file, spec_from_template(name, chosen, subject, noise))
    verb = "solve" if chosen is Purpose.EQUATION else "train"
    echo(f"wrote {file}; next: pdedsl explain {file}, pdedsl {verb} {file} -o run")


def _ask(question: str, answers: Sequence[str]) -> str:
    """The answer to a question; with nobody there to answer, the options that answer in advance are named."""
    try:
        return str(click.prompt(question, type=click.Choice(answers), default=answers[0]))
    except click.Abort:
        if sys.stdin.isatty():
            raise
        raise click.UsageError("no answer on standard input: use --for, --data and --noise or --no-noise") from None
