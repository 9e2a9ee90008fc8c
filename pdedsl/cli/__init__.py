"""Command-line interface.

Exit codes: 0 success, 1 invalid spec or failed check, 2 usage error, 3 solved, but not to the requested
tolerance, 70 internal error, 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from functools import partial
from io import StringIO
from pathlib import Path
from typing import NoReturn

import click

from pdedsl import __version__
from pdedsl.cli.check import check, completion, format_, lsp, mcp, specs
from pdedsl.cli.common import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_USAGE, echo, example
from pdedsl.cli.compile import compile, explain, test
from pdedsl.cli.draw import draw
from pdedsl.cli.evaluate import evaluate, report
from pdedsl.cli.new import new
from pdedsl.cli.reproduce import reproduce
from pdedsl.cli.solve import crosscheck, solve
from pdedsl.cli.submit import push, submit
from pdedsl.cli.sweep import sweep
from pdedsl.cli.train import train
from pdedsl.deep_recursion import listen
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
    sweep,
    reproduce,
    push,
    submit,
    solve,
    crosscheck,
    report,
    specs,
    completion,
    lsp,
    mcp,
):
    cli.add_command(command)


def main() -> NoReturn:
    """Runs a command and exits with its exit code."""
    code: object = 0
    listen(partial(_echo_still_running, time.monotonic()))
    try:
        code = cli.main(prog_name="pdedsl", standalone_mode=False)
    except SystemExit:
        # Commands raise `Exit`; click raises SystemExit only after a broken pipe on standard output, which is no error.
        code = 0
    except click.exceptions.Abort:
        sys.exit(EXIT_INTERRUPTED)
    except click.ClickException as error:
        text = StringIO()
        error.show(text)
        echo(text.getvalue().rstrip(), err=True)
        sys.exit(EXIT_USAGE)
    except OSError as error:
        echo(f"pdedsl: {error.filename or 'output'}: {error.strerror}", err=True)
        # Flushing standard output at exit would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_USAGE)
    except Exception:
        _report_internal_error()
    _exit(code if isinstance(code, int) else 0)


def _echo_still_running(start: float) -> None:
    """Progress message for large specs, on a terminal only."""
    if sys.stderr.isatty():
        echo(f"still running after {time.monotonic() - start:.0f} s: the spec is large", err=True)


def _exit(code: int) -> NoReturn:
    """Exits without a last collection of garbage, a fifth of the time of `pdedsl check`; after an import of torch
    the saving is negligible, and extension modules report uncollected objects as leaks. Under torchrun it exits
    immediately: threads of torch.distributed may abort an interpreter that is shutting down."""
    if "torch" not in sys.modules:
        gc.freeze()
    if "TORCHELASTIC_RUN_ID" in os.environ:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _report_internal_error() -> NoReturn:
    """Writes a crash report to a temporary file and asks the user to attach it to a bug report."""
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
        "pdedsl: internal error: this is a bug in pdedsl, not an error in your spec.\n"
        f"Please report it and attach {file.name} (it contains the spec and a traceback).",
        err=True,
    )
    sys.exit(EXIT_INTERNAL)
