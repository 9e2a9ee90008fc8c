"""The set-ups of editors: each starts the server, and what else they run runs."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

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
        name, *arguments = shlex.split(task["command"].replace("$ZED_FILE", str(file)))
        assert name == SERVER[0]
        done = CliRunner().invoke(cli, arguments)
        assert done.exit_code == 0, done.output
