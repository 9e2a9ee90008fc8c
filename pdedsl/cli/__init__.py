"""The command line: arguments in, text and exit codes out. The only package that prints.

Exit codes: 0 success, 1 the spec is wrong, 2 the command was used wrongly, 70 an internal error of pdedsl.
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from io import StringIO
from pathlib import Path
from typing import NoReturn

import click

from pdedsl import __version__
from pdedsl.big_stack import listen
from pdedsl.cli.common import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_USAGE, echo, example
from pdedsl.cli.compile import compile, explain, test
from pdedsl.cli.draw import draw
from pdedsl.cli.evaluate import evaluate, report
from pdedsl.cli.new import new
from pdedsl.cli.solve import crosscheck, solve
from pdedsl.cli.text import check, completion, format_, lsp, specs
from pdedsl.cli.train import train
from pdedsl.sources import find_shipped


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=example("pdedsl specs\npdedsl check resnet\npdedsl format my.pde"),
)
@click.version_option(__version__, prog_name="pdedsl")
def cli() -> None:
    """A declarative language for PDEs that compiles to neural networks."""


for command in (
    new,
    check,
    format_,
    explain,
    draw,
    compile,
    test,
    train,
    evaluate,
    solve,
    crosscheck,
    report,
    specs,
    completion,
    lsp,
):
    cli.add_command(command)


def main() -> NoReturn:
    """Run a command, and exit with its exit code."""
    code: object = 0
    listen(partial(_echo_still_running, time.monotonic()))
    try:
        code = cli.main(prog_name="pdedsl", standalone_mode=False)
    except SystemExit:
        # Commands exit by `Exit`; only click itself raises SystemExit, when the reader of our output is gone: no error.
        code = 0
    except click.exceptions.Abort:
        sys.exit(EXIT_INTERRUPTED)
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        echo(shown.getvalue().rstrip(), err=True)
        sys.exit(EXIT_USAGE)
    except OSError as error:
        echo(f"pdedsl: {error.filename or 'output'}: {error.strerror}", err=True)
        # Flushing the rest of the standard output would fail again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_USAGE)
    except Exception:
        _report_internal_error()
    _exit(code if isinstance(code, int) else 0)


def _echo_still_running(began: float) -> None:
    """A long spec may take its time, up to the limits on its size: a person who waits is told."""
    if sys.stderr.isatty():
        echo(f"still at work after {time.monotonic() - began:.0f} s: this spec is long", err=True)


def _exit(code: int) -> NoReturn:
    """Exits immediately under torchrun: threads of torch.distributed may abort an interpreter that is shutting down."""
    if "TORCHELASTIC_RUN_ID" in os.environ:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _report_internal_error() -> NoReturn:
    """An internal error: save what is needed to find it, and ask the user to report it."""
    import platform
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="pdedsl-report-", suffix=".txt", delete=False
    ) as file:
        file.write(f"pdedsl {__version__}, Python {platform.python_version()}, {platform.system()}\n")
        file.write(f"arguments: {sys.argv[1:]}\n\n{traceback.format_exc()}")
        for name in sys.argv[1:]:
            path = find_shipped(name) or Path(name)
            if path.suffix == ".pde" and path.is_file():
                file.write(f"\n==== {name}\n{path.read_text('utf-8', 'replace')}")
    echo(
        "pdedsl: this is a bug in pdedsl, not a mistake in your spec.\n"
        f"Please report it, and attach {file.name} (it contains the spec and a traceback).",
        err=True,
    )
    sys.exit(EXIT_INTERNAL)
