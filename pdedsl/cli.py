"""The command line: arguments in, text and exit codes out. The only module that prints.

Exit codes: 0 all is right, 1 the spec is wrong, 2 the command was used wrongly, 70 a fault of ours.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from pdedsl import __version__
from pdedsl.shipped import locate, shipped_specs, title

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from pdedsl.diagnostics import Diagnostic, PdeError, Source
    from pdedsl.runtime.kernels import Stencil
    from pdedsl.testing import axioms
    from pdedsl.training.saved import Run

WRONG, USAGE, FAULT, INTERRUPTED = 1, 2, 70, 130
STAGES = ("syntax", "spec", "canonical", "latex", "analysis", "representation", "plan", "python")


class _Spec(click.ParamType):  # type: ignore[type-arg]  # generic for mypy only
    """A path, the name of a shipped spec, or - for standard input."""

    name = "spec"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem

        names = [CompletionItem(n) for n in shipped_specs() if n.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


SPEC = _Spec()


def _example(text: str) -> str:
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in text.strip().splitlines())


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_example("pdedsl specs\npdedsl check resnet\npdedsl format my.pde"),
)
@click.version_option(__version__, prog_name="pdedsl")
def cli() -> None:
    """A declarative language for PDEs that compiles to neural networks."""


@cli.command(epilog=_example("pdedsl check my.pde other.pde\npdedsl check --json resnet\ncat my.pde | pdedsl check -"))
@click.argument("files", nargs=-1, required=True, type=SPEC)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a file, one a line.")
def check(files: tuple[str, ...], as_json: bool) -> None:
    """Say whether specs are right, and if not, where and how to mend them."""
    wrong = False
    for file in files:
        wrong |= not (_check_json(file) if as_json else _check_text(file))
    if wrong:
        raise click.exceptions.Exit(WRONG)


@cli.command(
    "format", epilog=_example("pdedsl format my.pde\npdedsl format --check *.pde\npdedsl format --ascii - < my.pde")
)
@click.argument("files", nargs=-1, required=True, type=SPEC)
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit with 1 if a file would change.")
@click.option("--ascii", "as_ascii", is_flag=True, help="Write ASCII spellings instead of Unicode.")
def format_(files: tuple[str, ...], only_check: bool, as_ascii: bool) -> None:
    """Rewrite specs in canonical layout, in place; - and shipped specs go to standard output."""
    from pdedsl.compiler import format_source
    from pdedsl.diagnostics import PdeError

    failed = False
    for file in files:
        try:
            source = _read(file)
            text = format_source(source, as_ascii)
        except PdeError as error:
            _report(error)
            failed = True
            continue
        if only_check:
            if text != source.text:
                click.echo(f"{source.name} would be reformatted", err=True)
                failed = True
        elif file == "-" or locate(file):
            click.echo(text, nl=False)
        elif text != source.text:
            write_whole(Path(file), text)
            click.echo(f"{file} reformatted", err=True)
    if failed:
        raise click.exceptions.Exit(WRONG)


@cli.command(
    epilog=_example(
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
@click.option("--all", "every", is_flag=True, help="Every kernel with every term, not the largest alone.")
def explain(file: str, form: str | None, weights: Path | None, every: bool) -> None:
    """Say what an equation is, what it becomes, and what can be proved about it."""
    import json

    from pdedsl import explain as forms
    from pdedsl.compiler import to_analysis, to_plan
    from pdedsl.diagnostics import PdeError

    try:
        analysis = to_analysis(_read(file))
    except PdeError as error:
        _report(error)
        raise click.exceptions.Exit(WRONG) from None
    try:
        network = forms.network_lines(to_plan(analysis)[1])
    except PdeError as error:
        network = [f"none: {d.message}" for d in error.diagnostics]
    if every and weights is None:
        raise click.UsageError("--all says more of --weights: give both")
    if weights and form == "latex":
        raise click.UsageError("kernels have no LaTeX form: use --markdown or --json")
    stencils = _stencils(analysis.spec.source, weights, every) if weights else ()
    kernels = [line for stencil in stencils for line in stencil.lines()]
    match form:
        case "json":
            shown = {"kernels": [stencil.as_json() for stencil in stencils]} if weights else {}
            click.echo(json.dumps(forms.explain_json(analysis, network) | shown, ensure_ascii=False, indent=2))
        case "latex":
            click.echo(forms.explain_latex(analysis), nl=False)
        case "markdown":
            click.echo(forms.explain_markdown(analysis, network, kernels), nl=False)
        case _:
            click.echo(forms.explain_text(analysis, network, kernels), nl=False)
    wrong = tuple(d for d in analysis.diagnostics if d.severity == "error")
    _show(analysis.spec.source, wrong)
    if wrong:
        raise click.exceptions.Exit(WRONG)


@cli.command(
    epilog=_example("pdedsl compile my.pde\npdedsl compile -o out enresnet\npdedsl compile --emit plan resnet")
)
@click.argument("file", type=SPEC)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The folder to write; by default the spec's name."
)
@click.option("--emit", type=click.Choice(STAGES), help="Print a stage instead of writing a package.")
@click.option("--force", is_flag=True, help="Replace files that are there already.")
def compile(file: str, output: Path | None, emit: str | None, force: bool) -> None:
    """Compile a spec to a Python package: model, harness, tests and explanation."""
    from pdedsl.compiler import compile_source, emit_stage
    from pdedsl.diagnostics import PdeError
    from pdedsl.package import write_package

    try:
        source = _read(file)
        if emit:
            click.echo(emit_stage(source, emit), nl=False)
            return
        compilation = compile_source(source)
    except PdeError as error:
        _report(error)
        raise click.exceptions.Exit(WRONG) from None
    folder = output or Path(Path(source.name).stem if file != "-" else compilation.spec.name)
    try:
        write_package(folder, compilation.files(), force)
    except FileExistsError as error:
        raise click.UsageError(f"{error}; --force replaces them") from None
    _show(source, compilation.spec.warnings)
    click.echo(f"{compilation.spec.name} is in {folder}/: {', '.join(compilation.files())}")


@cli.command(epilog=_example("pdedsl test rotation\npdedsl test --examples 200 --seed 7 my.pde"))
@click.argument("file", type=SPEC)
@click.option("--examples", type=click.IntRange(1), default=100, show_default=True, help="Cases to try for each axiom.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed tries the same cases.")
def test(file: str, examples: int, seed: int) -> None:
    """Search for counterexamples to the axioms on the compiled operator."""
    from pdedsl.compiler import compile_source
    from pdedsl.diagnostics import PdeError

    try:
        compilation = compile_source(_read(file))
    except PdeError as error:
        _report(error)
        raise click.exceptions.Exit(WRONG) from None
    from pdedsl.testing import axioms

    wrong = False
    for result in axioms.check(compilation, examples, seed):
        wrong |= not result.ok
        click.echo(_test_line(result))
    if wrong:
        click.echo(f"replay: pdedsl test {file} --examples {examples} --seed {seed}", err=True)
        raise click.exceptions.Exit(WRONG)


def _stencils(source: Source, weights: Path, every: bool) -> tuple[Stencil, ...]:
    """The kernels of a network with the weights of a file."""
    from pdedsl.compiler import compile_source
    from pdedsl.diagnostics import PdeError

    try:
        module = compile_source(source).module()
    except PdeError as error:
        _report(error)
        raise click.exceptions.Exit(WRONG) from None
    from pdedsl.runtime.kernels import stencils_of
    from pdedsl.runtime.weights import WeightsError, load_weights

    try:
        load_weights(module, weights)
    except WeightsError as error:
        raise click.UsageError(str(error)) from None
    return stencils_of(module, every)


def _test_line(result: axioms.Result) -> str:
    """An axiom, what the analysis says, what the search found, and the case that shows it."""
    mark = "--  " if result.outcome == "untested" else "ok  " if result.ok else "FAIL"
    decided = {"held": "no counterexample found", "broken": "counterexample found", "untested": result.note}
    required = " (required)" if result.required else ""
    line = f"{mark} {result.axiom}{required}: {result.verdict}; {decided[result.outcome]}"
    if result.example and (not result.ok or result.verdict != "proved"):
        line += "".join(f"\n       {row}" for row in result.example.splitlines())
    return line


@cli.command(
    epilog=_example(
        "pdedsl train convection_diffusion -o run\n"
        "pdedsl train enresnet -o run --set train.epochs=2 --set train.data.train=1000\n"
        "pdedsl train run/spec.pde -o run --resume\n"
        "torchrun --nproc-per-node=2 -m pdedsl train my.pde -o run"
    )
)
@click.argument("file", type=SPEC)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The folder of the run.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Change an entry of the spec; repeatable.")
@click.option("--data", type=click.Path(path_type=Path), help="The folder of the data sets.  [env: PDEDSL_DATA]")
@click.option("--device", help="cpu, cuda, cuda:1, …; by default a GPU if there is one.")
@click.option("--resume", is_flag=True, help="Go on with the run in the folder, if there is one.")
@click.option("--from", "start", type=click.Path(path_type=Path), help="Start with the weights of another run.")
@click.option("--compile", "compiled", is_flag=True, help="Compile the network with torch.compile.")
@click.option("--save-every", type=click.FloatRange(0), default=30, show_default=True, help="Seconds; checkpoints.")
def train(
    file: str,
    output: Path,
    settings: tuple[str, ...],
    data: Path | None,
    device: str | None,
    resume: bool,
    start: Path | None,
    compiled: bool,
    save_every: float,
) -> None:
    """Train the network of a spec: weights, figures, curves and a report go to a folder."""
    from pdedsl.compiler import compile_source
    from pdedsl.diagnostics import PdeError

    try:
        spec = compile_source(_read(file, settings)).spec
        from pdedsl.training.folder import RunError
        from pdedsl.training.run import train as run_training
        from pdedsl.training.view import view_for

        with view_for(sys.stdout) as view:
            run = run_training(
                spec,
                output,
                data=data,
                device=device,
                resume=resume,
                compile=compiled,
                start=start,
                save_seconds=save_every,
                listeners=(view,),
            )
    except PdeError as error:
        _report(error)
        raise click.exceptions.Exit(WRONG) from None
    except RunError as error:
        raise click.UsageError(str(error)) from None
    _train_end(run, output)


def _train_end(run: Run, folder: Path) -> None:
    """What is there now, or how to go on."""
    import shlex

    again = shlex.join(["pdedsl", "train", str(folder / "spec.pde"), "-o", str(folder), "--resume"])
    if os.environ.get("RANK", "0") != "0":
        pass
    elif run.outcome == "finished":
        click.echo(f"{folder}/: weights.safetensors, report.md, curves.png, metrics.jsonl, tensorboard/")
    elif run.outcome == "interrupted":
        click.echo(f"interrupted; nothing is lost. To go on: {again}", err=True)
    else:
        click.echo(f"pdedsl: {run.message}", err=True)
    if run.outcome != "finished":
        raise click.exceptions.Exit(INTERRUPTED if run.outcome == "interrupted" else WRONG)


@cli.command(epilog=_example("pdedsl specs\npdedsl specs resnet > my.pde"))
@click.argument("name", required=False, type=SPEC)
def specs(name: str | None) -> None:
    """List the shipped specs with their titles, or print one."""
    found = shipped_specs()
    if name is None:
        width = max(map(len, found), default=0)
        for stem, path in found.items():
            click.echo(f"{stem:{width}}  {title(path)}")
        return
    shipped = locate(name)
    if shipped is None:
        raise click.BadParameter(f"no shipped spec '{name}'; 'pdedsl specs' lists them", param_hint="NAME")
    click.echo(shipped.read_text("utf-8"), nl=False)


@cli.command(epilog=_example('eval "$(pdedsl completion bash)"'))
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print the script that makes a shell complete commands, options and specs."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(cli, {}, "pdedsl", "_PDEDSL_COMPLETE").source())


# ---- checking


def _check_text(file: str) -> bool:
    from pdedsl.compiler import checked, to_analysis
    from pdedsl.diagnostics import PdeError

    try:
        source = _read(file)
        spec = checked(to_analysis(source)).spec
    except PdeError as error:
        _report(error)
        return False
    _show(source, spec.warnings)
    count = len(spec.warnings)
    noted = f" ({count} warning{'s' * (count > 1)})" if count else ""
    click.echo(f"{source.name}: {spec.name} is right{noted}")
    return True


def _check_json(file: str) -> bool:
    import json

    from pdedsl.compiler import to_analysis
    from pdedsl.diagnostics import PdeError, Source, in_order
    from pdedsl.explain import facts_json

    row: dict[str, object] = {"file": file, "ok": False, "name": None, "hash": None, "diagnostics": []}
    source = Source("", file)
    try:
        source = _read(file)
        analysis = to_analysis(source)
        spec = analysis.spec
        diagnostics = in_order((*spec.warnings, *analysis.diagnostics))
        row |= {"name": spec.name, "hash": spec.hash}
        facts = facts_json(analysis)
    except PdeError as error:
        source, diagnostics, facts = error.source or source, error.diagnostics, {}
    row["ok"] = not any(d.severity == "error" for d in diagnostics)
    row["diagnostics"] = [d.as_json(source) for d in diagnostics]
    click.echo(json.dumps(row | facts, ensure_ascii=False))
    return bool(row["ok"])


def _read(file: str, settings: tuple[str, ...] = ()) -> Source:
    from pdedsl.compiler import MAX_BYTES, changed, decode, source_of

    if file == "-":
        return changed(decode(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>"), settings)
    return source_of(Path(file), settings)


# ---- printing


def _report(error: PdeError) -> None:
    from pdedsl.diagnostics import Source

    _show(error.source or Source(""), error.diagnostics)


def _show(source: Source, diagnostics: tuple[Diagnostic, ...]) -> None:
    from pdedsl.diagnostics import report

    if diagnostics:
        click.echo(_painted(report(source, diagnostics)) + "\n", err=True)


def _painted(text: str) -> str:
    """In colour on a terminal, plain otherwise."""
    if not sys.stderr.isatty() or os.environ.get("NO_COLOR"):
        return text
    return "\n".join(map(_painted_line, text.split("\n")))


def _painted_line(line: str) -> str:
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


def write_whole(path: Path, text: str) -> None:
    """Write a file completely or not at all."""
    import tempfile

    target = path.resolve()
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="\n", dir=target.parent, delete=False) as file:
        file.write(text)
    try:
        os.chmod(file.name, target.stat().st_mode if target.exists() else 0o644)
        os.replace(file.name, target)
    except OSError:
        os.unlink(file.name)
        raise


# ---- leaving


def main() -> NoReturn:
    """Run a command; every way out has its exit code."""
    code: object = 0
    try:
        code = cli.main(prog_name="pdedsl", standalone_mode=False)
    except SystemExit:
        # Commands leave by Exit; only click itself does so when the reader of our output has gone. That is no fault.
        code = 0
    except click.exceptions.Abort:
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(USAGE)
    except OSError as error:
        click.echo(f"pdedsl: {error.filename or 'output'}: {error.strerror}", err=True)
        # What is left in the buffer of standard output would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(USAGE)
    except Exception:
        _fault()
    sys.exit(code if isinstance(code, int) else 0)


def _fault() -> NoReturn:
    """Our own mistake: keep what is needed to find it, and ask for it."""
    import platform
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="pdedsl-report-", suffix=".txt", delete=False
    ) as file:
        file.write(f"pdedsl {__version__}, Python {platform.python_version()}, {platform.system()}\n")
        file.write(f"arguments: {sys.argv[1:]}\n\n{traceback.format_exc()}")
        for name in sys.argv[1:]:
            path = locate(name) or Path(name)
            if path.suffix == ".pde" and path.is_file():
                file.write(f"\n==== {name}\n{path.read_text('utf-8', 'replace')}")
    click.echo(
        "pdedsl: this is a fault of pdedsl, not of your spec.\n"
        f"Please report it, and attach {file.name} (it holds the spec and where we failed).",
        err=True,
    )
    sys.exit(FAULT)
