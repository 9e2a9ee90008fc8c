"""The set-ups of editors: each starts the server and its other commands. Editors that are installed are started
with their set-up, and show a mistake."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import shutil
import sys
import time
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from grammar_page import fences_of

from pdedsl.cli import cli
from pdedsl.sources import shipped_specs

PAGE = Path(__file__).parents[1] / "editors" / "README.md"
SERVER = ["pdedsl", "lsp"]


def snippets() -> dict[str, str]:
    return {fence.tag: fence.body for fence in fences_of(PAGE.read_text("utf-8").split("\n"))}


def test_every_editor_starts_the_server() -> None:
    found, helix = snippets(), tomllib.loads(snippets()["toml"])
    (server,) = helix["language-server"].values()
    assert [server["command"], *server["args"]] == SERVER
    assert helix["language"][0]["file-types"] == ["pde"]
    assert '{ "pdedsl", "lsp" }' in found["lua"]
    assert '"pdedsl" "lsp"' in found["elisp"]
    assert "lsp" in cli.commands
    assert found.keys() == {"sh", "lua", "elisp", "toml", "json"}


def test_tasks_of_an_editor_without_a_server_run(tmp_path: Path) -> None:
    file = tmp_path / "a spec.pde"
    file.write_text(shipped_specs()["heat"].read_text("utf-8"), "utf-8")
    for task in json.loads(snippets()["json"]):
        assert task.keys() == {"label", "command"}  # of the keys in https://zed.dev/docs/tasks, those without a default
        name, *arguments = shlex.split(task["command"].replace("$ZED_FILE", str(file)))
        assert name == SERVER[0]
        done = CliRunner().invoke(cli, arguments)
        assert done.exit_code == 0, done.output


WRONG = "pde P\nspace x in R\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = -Δu\nu(x, 0) = x\n"
SHOWN = b"backwards"  # a word of E418
LONGEST = 60  # seconds
TELL_LUA = """
vim.wait(50000, function() return #vim.diagnostic.get(0) > 0 end)
for _, found in ipairs(vim.diagnostic.get(0)) do io.write(found.message) end
"""
TELL_LISP = """
(run-hooks 'post-command-hook)
(while (not (and (fboundp 'flymake-diagnostics) (flymake-diagnostics))) (accept-process-output nil 0.2))
(princ (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
"""


def neovim(home: Path, file: Path) -> list[str]:
    (home / "init.lua").write_text(snippets()["lua"], "utf-8")
    (home / "tell.lua").write_text(TELL_LUA, "utf-8")
    return ["--clean", "-u", str(home / "init.lua"), "--headless", str(file), "-c", f"luafile {home / 'tell.lua'}"]


def emacs(home: Path, file: Path) -> list[str]:
    (home / "init.el").write_text(f"{snippets()['elisp']}\n(find-file {json.dumps(str(file))})\n{TELL_LISP}", "utf-8")
    return ["-Q", "--batch", "-l", str(home / "init.el")]


def helix(home: Path, file: Path) -> list[str]:
    (home / ".config" / "helix").mkdir(parents=True)
    (home / ".config" / "helix" / "languages.toml").write_text(snippets()["toml"], "utf-8")
    return [f"{file}:5:9"]


STARTED = {"nvim": neovim, "emacs": emacs, "hx": helix}


@pytest.mark.long
@pytest.mark.parametrize("editor", [name for name in STARTED if shutil.which(name)])
def test_diagnostic_is_shown_in_the_editor(editor: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.pde"
    file.write_text(WRONG, "utf-8")
    arguments = STARTED[editor](tmp_path, file)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    assert SHOWN in on_a_terminal([editor, *arguments], {"HOME": str(tmp_path), "TERM": "xterm-256color", "PATH": path})


def on_a_terminal(command: list[str], environment: dict[str, str]) -> bytes:
    """The output of a program on a terminal, until it shows the error."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvpe(command[0], command, os.environ | environment)
    written, end = b"", time.monotonic() + LONGEST
    try:
        while SHOWN not in written and time.monotonic() < end:
            if select.select([terminal], [], [], 1)[0]:
                written += os.read(terminal, 1 << 16)
    except OSError:  # it has ended
        pass
    finally:
        os.kill(process, 9)
        os.waitpid(process, 0)
        os.close(terminal)
    return written
