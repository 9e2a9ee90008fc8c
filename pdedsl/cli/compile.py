"""The commands explain, compile and test."""

from __future__ import annotations

import re
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
    exit_on_errors,
    read_spec,
)
from pdedsl.diagnostics.escaping import as_json, command

if TYPE_CHECKING:
    from pdedsl.compiler import Compilation
    from pdedsl.diagnostics import Source
    from pdedsl.runtime.stencils import Stencil
    from pdedsl.testing import axioms
    from pdedsl.testing.moment_tests import Finding

STAGES = (
    "syntax",
    "spec",
    "canonical",
    "graph",
    "latex",
    "analysis",
    "representation",
    "plan",
    "weak",
    "python",
)  # of pdedsl.compiler
TARGETS = ("ufl", "javascript")


@click.command(
    epilog=example(
        "pdedsl explain enresnet\npdedsl explain enresnet --proofs\n"
        "pdedsl explain --markdown my.pde > my.md\npdedsl explain my.pde --weights run"
    )
)
@click.argument("file", type=SPEC)
@click.option(
    "--proofs", is_flag=True, help="Print everything: terms, hypotheses, counterexamples, weak form, defaults."
)
@click.option("--latex", "form", flag_value="latex", help="Print LaTeX.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option(
    "--weights",
    type=click.Path(path_type=Path),
    help="Trained weights, a .safetensors file or a run folder: also show the kernels as differential operators.",
)
@click.option("--all", "all_kernels", is_flag=True, help="Show all kernels with all terms, not only the largest.")
@SET
@TRUST
def explain(
    file: str,
    proofs: bool,
    form: str | None,
    weights: Path | None,
    all_kernels: bool,
    settings: tuple[str, ...],
    trust: bool,
) -> None:
    """Explain an equation. Shows its class, its network or solution method, and proved and refuted properties."""
    from pdedsl.api import explain_source

    if all_kernels and weights is None:
        raise click.UsageError("--all needs --weights")
    if weights and form == "latex":
        raise click.UsageError("kernels have no LaTeX form: use --markdown or --json")
    with exit_on_errors():
        explanation = explain_source(read_spec(file, settings))
    source = explanation.analysis.spec.source
    stencils = _stencils(source, weights, all_kernels, trust) if weights else ()
    lines = tuple(line for stencil in stencils for line in stencil.lines())
    if weights:
        explanation = replace(explanation, kernels=lines or ("none: the network has no 3×3 kernels",))
    match form:
        case "json":
            kernels = {"kernels": [stencil.as_json() for stencil in stencils]} if weights else {}
            click.echo(as_json(explanation.as_dict() | kernels, indent=2))
        case "latex":
            click.echo(explanation.latex(), nl=False)
        case "markdown":
            click.echo(explanation.markdown(), nl=False)
        case _:
            click.echo(str(explanation) if proofs or weights else explanation.brief(), nl=False)
    echo_diagnostics(source, explanation.errors)
    if explanation.errors:
        raise click.exceptions.Exit(EXIT_ERROR)


def _stencils(source: Source, weights: Path, all_kernels: bool, trust: bool) -> tuple[Stencil, ...]:
    """The stencils of a network's kernels, with weights from a file."""
    from pdedsl.compiler import to_compilation

    with exit_on_errors():
        module = to_compilation(source, allow_imports(trust)).module()
    from pdedsl.runtime.stencils import stencils_of
    from pdedsl.runtime.weights import WeightsError, load_weights

    try:
        load_weights(module, weights)
    except WeightsError as error:
        run_spec = f"; the spec of this run is {weights / 'spec.pde'}" if (weights / "spec.pde").is_file() else ""
        raise click.UsageError(f"{error}{run_spec}") from None
    return stencils_of(module, all_kernels)


@click.command(
    epilog=example(
        "pdedsl compile my.pde\npdedsl compile -o out enresnet\npdedsl compile --emit plan resnet\n"
        "pdedsl compile --to ufl poisson_disc\npdedsl compile --to javascript heat"
    )
)
@click.argument("file", type=SPEC)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Output folder; default: the name of the spec.")
@click.option(
    "--emit", type=click.Choice(STAGES), help="Print an intermediate representation instead of writing a package."
)
@click.option(
    "--to",
    "target",
    type=click.Choice(TARGETS),
    help="Write other files instead: ufl is the weak form as a script for DOLFINx and Firedrake, with its mesh; "
    "javascript is a module that solves the problem on a grid in a web page, with its library.",
)
@click.option(
    "--standalone",
    is_flag=True,
    help="Write a package that does not depend on pdedsl: the model and a copy of the runtime code it uses.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@SET
@TRUST
def compile(
    file: str,
    output: Path | None,
    emit: str | None,
    target: str | None,
    standalone: bool,
    force: bool,
    settings: tuple[str, ...],
    trust: bool,
) -> None:
    """Compile a spec to a Python package. It contains model, harness, tests and explanation."""
    from pdedsl.compiler import Stage, Stages, to_compilation
    from pdedsl.explainer.package import write_package
    from pdedsl.ir.plan import SolvePlan

    if target and (emit or standalone):
        raise click.UsageError("--to excludes --emit and --standalone")
    with exit_on_errors():
        source = read_spec(file, settings)
        if emit:
            echo_exact(Stages(source, allow_imports(trust)).text(Stage(emit)))
            return
        compilation = to_compilation(source, allow_imports(trust))
    folder = output or Path(Path(file).stem if file != "-" else compilation.spec.name)
    if standalone and not folder.resolve().name.isidentifier():
        raise click.UsageError(
            f"'{folder.resolve().name}' is not a valid Python package name: choose another folder with -o"
        )
    if target:
        _write_target(compilation, target, folder, force)
        return
    files = compilation.standalone_files(folder.resolve().name) if standalone else compilation.files()
    try:
        write_package(folder, files, force)
    except FileExistsError as error:
        raise click.UsageError(f"{error}; use --force to overwrite") from None
    if isinstance(compilation.plan, SolvePlan) and compilation.plan.problem.domain.mesh_boundary is not None:
        from pdedsl.solvers.input_files import copy_input_files

        with exit_on_errors():
            copy_input_files(compilation.plan.problem, compilation.spec.source, folder)
    echo_diagnostics(source, compilation.spec.warnings)
    echo_imported_networks(compilation)
    top_level = dict.fromkeys(name.partition("/")[0] for name in files)
    echo(f"wrote {compilation.spec.name} to {folder}/: {', '.join(top_level)}")


def _write_target(compilation: Compilation, target: str, folder: Path, force: bool) -> None:
    """Writes the files for another program."""
    from pdedsl.explainer.package import write_package

    name = re.sub(r"\W+", "_", folder.resolve().name)
    files = _ufl_files(compilation, name) if target == "ufl" else _javascript_files(compilation, name)
    try:
        write_package(folder, files, force)
    except FileExistsError as error:
        raise click.UsageError(f"{error}; use --force to overwrite") from None
    echo(f"wrote {compilation.spec.name} to {folder}/: {', '.join(files)}")


def _ufl_files(compilation: Compilation, name: str) -> dict[str, str]:
    """The UFL script and the mesh of a boundary value problem."""
    from pdedsl.solvers.elements.ufl_export import ufl_files

    with exit_on_errors():
        return ufl_files(compilation.elements_plan, name, compilation.spec.title or compilation.spec.name)


def _javascript_files(compilation: Compilation, name: str) -> dict[str, str]:
    """The module of a boundary value problem and the library that solves it."""
    from pdedsl.codegen.javascript import javascript_files

    with exit_on_errors():
        return javascript_files(compilation.javascript_plan, compilation.spec, name)


@click.command(epilog=example("pdedsl test rotation\npdedsl test --examples 200 --seed 7 my.pde"))
@click.argument("file", type=SPEC)
@click.option(
    "--examples", type=click.IntRange(1), default=50, show_default=True, help="Number of random test cases per axiom."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")
@SET
@TRUST
def test(file: str, examples: int, seed: int, settings: tuple[str, ...], trust: bool) -> None:
    """Test a network against its equation and axioms.

    Searches for counterexamples to the axioms. Random quantities are compared by moment tests; their
    false-positive rate is printed.
    """
    from pdedsl.compiler import to_compilation

    with exit_on_errors():
        compilation = to_compilation(read_spec(file, settings), allow_imports(trust))
    if not _run_tests(compilation, examples, seed):
        overrides = [part for setting in settings for part in ("--set", setting)]
        replay = command("pdedsl", "test", file, *overrides, "--examples", str(examples), "--seed", str(seed))
        echo(f"reproduce with: {replay}", err=True)
        raise click.exceptions.Exit(EXIT_ERROR)


def _run_tests(compilation: Compilation, examples: int, seed: int) -> bool:
    """Runs all tests; progress goes to stderr, results to stdout. Returns whether all passed."""
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
        _echo_current_test(check.names[0], k, total)
        for finding in check.findings():
            holds &= finding.ok
            _echo_result(_finding_line(finding))
    return holds


def _echo_current_test(test: str, k: int, total: int) -> None:
    """Prints the current test; on a terminal the line is overwritten by the next."""
    line = f"testing {test}, {k} of {total}"
    click.echo(f"\r\x1b[K{line}" if sys.stderr.isatty() else line, nl=not sys.stderr.isatty(), err=True)


def _echo_result(line: str) -> None:
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
    echo(line)


def _axiom_line(result: axioms.AxiomResult) -> str:
    """An axiom with the verdict of the analysis, the result of the search, and the counterexample."""
    from pdedsl.ir.verdicts import Truth
    from pdedsl.testing.moment_tests import CheckOutcome

    mark = "--  " if result.outcome is CheckOutcome.UNTESTED else "ok  " if result.ok else "FAIL"
    untested = f"not tested: {result.note}"
    results = {
        CheckOutcome.PASSED: "no counterexample found",
        CheckOutcome.VIOLATED: "counterexample found",
        CheckOutcome.UNTESTED: untested,
    }
    required = " (required)" if result.required else ""
    line = f"{mark} {result.axiom}{required}: {result.verdict}; {results[result.outcome]}"
    if result.example and (not result.ok or result.verdict is not Truth.PROVED):
        line += "".join(f"\n       {row}" for row in result.example.splitlines())
    return line


def _finding_line(finding: Finding) -> str:
    """A comparison of the network with its equation."""
    from pdedsl.testing.moment_tests import CheckOutcome

    match finding.outcome:
        case CheckOutcome.PASSED:
            return f"ok   {finding.name}: agrees with the equation; {finding.note}"
        case CheckOutcome.VIOLATED:
            return f"FAIL {finding.name}: differs from the equation\n       {finding.note}"
        case CheckOutcome.UNTESTED:
            return f"--   {finding.name}: not tested: {finding.note}"
