"""The command new."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from pdedsl.cli.common import echo, example
from pdedsl.io import write_text_atomically
from pdedsl.templates import NETWORKS, OWN_FILE, SUBJECTS, Purpose, spec_from_template

DATA_HELP = "; ".join(f"{purpose.value}: {', '.join(subjects)}" for purpose, subjects in SUBJECTS.items()) + (
    "; or your own file, as in data.npz"
)
QUESTIONS = {Purpose.POINTS: "Which data set?", Purpose.IMAGES: "Which data set?", Purpose.EQUATION: "Which equation?"}


@click.command(
    epilog=example(
        "pdedsl new Mine\n"
        "pdedsl new Plate --for equation --data shape\n"
        "pdedsl new Digits --for images --data digits --noise"
    )
)
@click.argument("name")
@click.option(
    "--for",
    "purpose",
    type=click.Choice([p.value for p in Purpose]),
    help="Classifier of points or images, or an equation to solve.",
)
@click.option("--data", help=f"{DATA_HELP}; default: ask.")
@click.option(
    "--noise/--no-noise",
    default=None,
    help="Add a diffusion term to the classifier: Gaussian noise, for robustness.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Output file; default: NAME.pde.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def new(name: str, purpose: str | None, data: str | None, noise: bool | None, output: Path | None, force: bool) -> None:
    """Write a spec NAME.pde from a template. Asks for missing options."""
    if not name.isidentifier():
        raise click.BadParameter(f"'{name}' is not a valid name: use letters, digits and _", param_hint="NAME")
    file = output or Path(f"{name}.pde")
    if file.exists() and not force:
        raise click.UsageError(f"{file} already exists; use --force to overwrite")
    kind = Purpose(purpose or _ask("What is the spec for?", [p.value for p in Purpose]))
    subjects = SUBJECTS[kind]
    subject = data or _ask(QUESTIONS[kind], subjects)
    own_file = subject if subject.endswith(".npz") and OWN_FILE in subjects else ""
    subject = OWN_FILE if own_file else subject
    if subject not in subjects:
        raise click.BadParameter(f"'{subject}' is not one of {', '.join(subjects)}", param_hint="--data")
    if noise is None:
        noise = kind is not Purpose.EQUATION and click.confirm("Add Gaussian noise for robustness?", default=True)
    text = spec_from_template(name, kind, subject, noise)
    write_text_atomically(file, text.replace("data.npz", own_file) if own_file else text)
    verb = "solve" if kind is Purpose.EQUATION else "train"
    trust = " --trust" * (subject in NETWORKS)
    echo(f"wrote {file}; next: pdedsl explain {file}, pdedsl {verb} {file} -o run{trust}")


def _ask(question: str, answers: Sequence[str]) -> str:
    """Prompts for one of the answers; without a terminal, a usage error that names the options."""
    try:
        return str(click.prompt(question, type=click.Choice(answers), default=answers[0]))
    except click.Abort:
        if sys.stdin.isatty():
            raise
        raise click.UsageError("no input on standard input: use --for, --data and --noise or --no-noise") from None
