"""Untrusted specs: none of their text becomes code, markup or a command in generated files and output."""

from __future__ import annotations

import ast
import os
import re
import runpy
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli
from pdedsl.sources import shipped_specs

CODE = 'open("pwned", "w").write("x")'
COMMENTS = (
    f'""" + str({CODE}) #',
    f"'''\\\" + str({CODE})",
    f'\\""" ; {CODE} ; """',
    f"\x0b\x0c\x1c\x85\u2028{CODE}",
    "\x1b]0;pwned\x07\x9b2J\u202e\u2066<script>alert(1)</script> \\write18{id} `$x$`",
)
SINGLE = CODE.replace('"', "'")  # a title ends at the next quotation mark
TITLES = (
    "''' + str(" + SINGLE + ") + '''\\",
    f"\\N{{QUOTATION MARK}}\\x22\\x22\\x22 + {SINGLE}",
    "\x1b[2J\u202e # <script>alert(1)</script> | [a](javascript:alert(1)) {name} {0} $\\frac{$",
)
NAMES = ("resnet", "convection_diffusion", "enresnet", "hamiltonian", "heat_smoothing", "rotation", "parabolic")


def hostile(name: str, comment: str, title: str) -> tuple[str, str]:
    """A shipped spec, and the same with a comment wherever a bracket may break a line, and another title."""
    text = shipped_specs()[name].read_text("utf-8")
    code = "\n".join(line.partition("#")[0] for line in text.splitlines()).lstrip()
    head, _, rest = code.partition("\n")
    assert head.startswith("pde ")
    noted = re.sub(r"\(|, ", lambda m: f"{m[0]} # {comment}\n", rest)
    spec = f'{" ".join(head.split()[:2])} "{title}" # {comment}\n{noted}\n'
    return text, spec


def code_of(python: str) -> str:
    """The tree of a module without its docstrings."""
    tree = ast.parse(python)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.dump(tree)


def plain(text: str) -> bool:
    return all(c == "\n" or c.isprintable() or unicodedata.category(c) == "Zs" for c in text)


CASES = [(n, COMMENTS[k % len(COMMENTS)], TITLES[k % len(TITLES)]) for k, n in enumerate(NAMES)]


@pytest.mark.parametrize(("name", "comment", "title"), CASES, ids=NAMES)
def test_a_package_holds_no_code_of_its_spec(
    name: str, comment: str, title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean, spec = hostile(name, comment, title)
    plainly, files = pdedsl.compile(clean).files(), pdedsl.compile(spec).files()
    assert files["spec.pde"] == spec
    for file in ("model.py", "harness.py", "test_axioms.py"):
        assert code_of(files[file]) == code_of(plainly[file])
        assert plain(files[file])
    assert plain(files["README.md"])
    assert "<script" not in files["README.md"].replace("\\<", "")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "model.py").write_text(files["model.py"], "utf-8")
    runpy.run_path("package/model.py")["model"](0)
    assert os.listdir(tmp_path) == ["package"]


@pytest.mark.parametrize("comment", COMMENTS, ids=range(len(COMMENTS)))
def test_commands_show_it_as_text(comment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, spec = hostile("convection_diffusion", comment, "\x1b[2J\u202e\x9b")
    file = tmp_path / "a\x1b[2J\u202e.pde"
    file.write_text(spec, "utf-8")
    for arguments in (["check"], ["check", "--json"], ["explain"], ["explain", "--json"], ["explain", "--markdown"]):
        result = CliRunner().invoke(cli, [*arguments, str(file)])
        assert result.exit_code == 0, result.output
        assert plain(result.output)
    assert plain(CliRunner().invoke(cli, ["explain", "--latex", str(file)]).output)
    assert os.listdir(tmp_path) == [file.name]


@pytest.mark.parametrize("comment", COMMENTS, ids=range(len(COMMENTS)))
def test_errors_show_it_as_text(comment: str, tmp_path: Path) -> None:
    file = tmp_path / "a\x1b[2J\u202e.pde"
    file.write_text(
        f'pde P "{TITLES[2]}"\nspace x in [0, 1] # {comment}\ntime t in [0, q] # {comment}\n\x1b\u202e = "{TITLES[2]}\n'
    )
    result = CliRunner().invoke(cli, ["check", str(file)])
    assert result.exit_code == 1
    assert plain(result.output)
