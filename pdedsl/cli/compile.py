"""Commands about what a spec becomes: explain, compile, test."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pdedsl.cli.common import (
    EXIT_ERROR,
    SET,
    SPEC,
    TRUST,
    allow_imports,
    echo,
    echo_diagnostics,
    echo_exact,
    echo_imported_networks,
    example,
    read_spec,
    report_error,
)
from pdedsl.diagnostics.escaping import as_json, command

if TYPE_CHECKING:
    from pdedsl.compiler import Compilation
    from pdedsl.diagnostics import Source
    from pdedsl.runtime.stencils import Stencil
    from pdedsl.testing import axioms
    from pdedsl.testing.moments import Finding

STAGES = (
    "syntax",
    "spec",
    "canonical",
    "graph",
    "latex",
    "analysis",
    "representation",
    "plan",
    "python",
)  # of pdedsl.compiler


@click.command(
    epilog=example(
        "pdedsl explain enresnet\npdedsl explain --markdown my.pde > my.md\npdedsl explain my.pde --weights run"
    )
)
@click.argument("file", type=SPEC)
@click.option("--latex", "form", flag_value="latex", help="LaTeX, for a paper.")
@click.option("--markdown", "form", flag_value="markdown", help="Markdown, for a page.")
@click.option("--json", "form", flag_value="json", help="JSON, for a program.")
@click.option(
    "--weights",
    type=click.Path(path_type=Path),
    help="A .safetensors file, or a folder with weights.safetensors: its kernels as differential operators.",
)
@click.option("--all", "every", is_flag=True, help="Every kernel with every term, not only the largest.")
@SET
@TRUST
def explain(
    file: str, form: str | None, weights: Path | None, every: bool, settings: tuple[str, ...], trust: bool
) -> None:
    """Say what an equation is, what it becomes, and what can be proved about it."""
    from pdedsl.api import explain_source
    from pdedsl.diagnostics import PdeError

    if every and weights is None:
        raise click.UsageError("--all needs --weights")
    if weights and form == "latex":
        raise click.UsageError("kernels have no LaTeX form: use --markdown or --json")
    try:
        explanation = explain_source(read_spec(file, settings))
    except PdeError as error:
        report_error(error)
        raise click.exceptions.Exit(EXIT_ERROR) from None
    source = explanation.analysis.spec.source
    stencils = _stencils(source, weights, every, trust) if weights else ()
    lines = tuple(line for stencil in stencils for line in stencil.lines())
    if weights:
        explanation = replace(explanation, kernels=lines or ("this network has no 3×3 kernels",))
    match form:
        case "json":
            shown = {"kernels": [stencil.as_json() for stencil in stencils]} if weights else {}
            click.echo(as_json(explanation.as_dict() | shown, indent=2))
        case "latex":
            click.echo(explanation.latex(), nl=False)
        case "markdown":
            click.echo(explanation.markdown(), nl=False)
        case _:
            click.echo(str(explanation), nl=False)
    echo_diagnostics(source, explanation.errors)
    if explanation.errors:
        raise click.exceptions.Exit(EXIT_ERROR)


def _stencils(source: Source, weights: Path, every: bool, trust: bool) -> tuple[Stencil, ...]:
    """The stencils of a network's kernels, with weights from a file."""
    from pdedsl.compiler import to_compilation
    from pdedsl.diagnostics import PdeError

    try:
        module = to_compilation(source, allow_imports(trust)).module()
    except PdeError as error:
        report_error(error)
        raise click.exceptions.Exit(EXIT_ERROR) from None
    from pdedsl.runtime.stencils import stencils_of
    from pdedsl.runtime.weights import WeightsError, load_weights

    try:
        load_weights(module, weights)
    except WeightsError as error:
        own = f"; the spec of this run is {weights / 'spec.pde'}" if (weights / "spec.pde").is_file() else ""
        raise click.UsageError(f"{error}{own}") from None
    return stencils_of(module, every)


@click.command(
    epilog=example("pdedsl compile my.pde\npdedsl compile -o out enresnet\npdedsl compile --emit plan resnet")
)
@click.argument("file", type=SPEC)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The folder to write; by default the spec's name."
)
@click.option("--emit", type=click.Choice(STAGES), help="Print a stage instead of writing a package.")
@click.option(
    "--standalone", is_flag=True, help="Write a package that does not need pdedsl: the model and the code it uses."
)
@click.option("--force", is_flag=True, help="Replace existing files.")
@SET
@TRUST
def compile(
    file: str,
    output: Path | None,
    emit: str | None,
    standalone: bool,
    force: bool,
    settings: tuple[str, ...],
    trust: bool,
) -> None:
    """Compile a spec to a Python package: model, harness, tests and explanation."""
    from pdedsl.compiler import Stage, Stages, to_compilation
    from pdedsl.diagnostics import PdeError
    from pdedsl.explainer.package import write_package

    try:
        source = read_spec(file, settings)
        if emit:
            echo_exact(Stages(source, allow_imports(trust)).text(Stage(emit)))
            return
        compilation = to_compilation(source, allow_imports(trust))
    except PdeError as error:
        report_error(error)
        raise click.exceptions.Exit(EXIT_ERROR) from None
    folder = output or Path(Path(file).stem if file != "-" else compilation.spec.name)
    if standalone and not folder.resolve().name.isidentifier():
        raise click.UsageError(
            f"Python cannot import a folder called '{folder.resolve().name}': choose another with -o"
        )
    files = compilation.standalone_files(folder.resolve().name) if standalone else compilation.files()
    try:
        write_package(folder, files, force)
    except FileExistsError as error:
        raise click.UsageError(f"{error}; --force replaces them") from None
    echo_diagnostics(source, compilation.spec.warnings)
    echo_imported_networks(compilation)
    shown = dict.fromkeys(name.partition("/")[0] for name in files)
    echo(f"{compilation.spec.name} is in {folder}/: {', '.join(shown)}")


@click.command(epilog=example("pdedsl test rotation\npdedsl test --examples 200 --seed 7 my.pde"))
@click.argument("file", type=SPEC)
@click.option("--examples", type=click.IntRange(1), default=50, show_default=True, help="Cases to try for each axiom.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed tries the same cases.")
@SET
@TRUST
def test(file: str, examples: int, seed: int, settings: tuple[str, ...], trust: bool) -> None:
    """Search for counterexamples to the axioms, and compare the network with its equation.

    What is random is compared by moments, with a false-alarm rate that is printed.
    """
    from pdedsl.compiler import to_compilation
    from pdedsl.diagnostics import PdeError

    try:
        compilation = to_compilation(read_spec(file, settings), allow_imports(trust))
    except PdeError as error:
        report_error(error)
        raise click.exceptions.Exit(EXIT_ERROR) from None
    if not _run_tests(compilation, examples, seed):
        changed = [part for setting in settings for part in ("--set", setting)]
        replay = command("pdedsl", "test", file, *changed, "--examples", str(examples), "--seed", str(seed))
        echo(f"replay: {replay}", err=True)
        raise click.exceptions.Exit(EXIT_ERROR)


def _run_tests(compilation: Compilation, examples: int, seed: int) -> bool:
    """Asks one question after the other: the question goes to stderr, and the answer to stdout."""
    from pdedsl.testing import axioms, equation
    from pdedsl.testing.model import under_test

    tested = under_test(compilation)
    names, checks = list(compilation.analysis.axioms), equation.checks(tested, seed)
    total, holds = len(names) + len(checks), True
    for k, name in enumerate(names, 1):
        _echo_current_test(name, k, total)
        result = axioms.search_for(name, tested, examples, seed)
        holds &= result.ok
        _echo_result(_axiom_line(result))
    for k, check in enumerate(checks, len(names) + 1):
        _echo_current_test(check.of[0], k, total)
        for finding in check.findings():
            holds &= finding.ok
            _echo_result(_finding_line(finding))
    return holds


def _echo_current_test(what: str, k: int, total: int) -> None:
    """Shows what is being tested: on a terminal, a line that is overwritten."""
    line = f"testing {what}, {k} of {total}"
    click.echo(f"\r\x1b[K{line}" if sys.stderr.isatty() else line, nl=not sys.stderr.isatty(), err=True)


def _echo_result(line: str) -> None:
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
    echo(line)


def _axiom_line(result: axioms.Result) -> str:
    """An axiom, what the analysis says, what the search found, and the case that shows it."""
    from pdedsl.ir.verdicts import Truth
    from pdedsl.testing.moments import Outcome

    mark = "--  " if result.outcome is Outcome.UNTESTED else "ok  " if result.ok else "FAIL"
    untested = f"not tested: {result.note}"
    decided = {
        Outcome.HELD: "no counterexample found",
        Outcome.BROKEN: "counterexample found",
        Outcome.UNTESTED: untested,
    }
    required = " (required)" if result.required else ""
    line = f"{mark} {result.axiom}{required}: {result.verdict}; {decided[result.outcome]}"
    if result.example and (not result.ok or result.verdict is not Truth.PROVED):
        line += "".join(f"\n       {row}" for row in result.example.splitlines())
    return line


def _finding_line(finding: Finding) -> str:
    """A question to the network, and the numbers that answer it."""
    from pdedsl.testing.moments import Outcome

    match finding.outcome:
        case Outcome.HELD:
            return f"ok   {finding.of}: agrees with the equation; {finding.note}"
        case Outcome.BROKEN:
            return f"FAIL {finding.of}: differs from the equation\n       {finding.note}"
        case Outcome.UNTESTED:
            return f"--   {finding.of}: not tested: {finding.note}"
