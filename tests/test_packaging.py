"""The wheel built from the source distribution carries the grammar and the specs, and works from any directory."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    return next(out.glob("*.whl"))


def test_contents(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "pdedsl/grammar/pde.lark" in names
    assert {f"pdedsl/specs/{p.name}" for p in (ROOT / "specs").glob("*.pde")} <= names
    assert "pdedsl/py.typed" in names
    own = {name for name in names if ".dist-info/" not in name}
    assert {name.partition("/")[0] for name in own} == {"pdedsl"}
    assert {Path(name).suffix for name in own} <= {".py", ".typed", ".pde", ".npz", ".lark", ".md", ".mjs"}
    assert "pdedsl/codegen/pdedsl.mjs" in names


def test_the_source_distribution_contains_the_versioned_files(wheel: Path) -> None:
    """And nothing else: no caches, no runs, no hidden folders."""
    with tarfile.open(next(wheel.parent.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name.partition("/")[0] for name in names} <= {
        *("pdedsl", "grammar", "specs", "tests", "examples", "benchmarks", "docs", "playground", "editors"),
        *(".ci", "Makefile", "CONTRIBUTING.md", "CITATION.cff"),
        *("README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "pyproject.toml", "PKG-INFO", ".gitignore"),
    }
    assert not [name for name in names if "__pycache__" in name or "node_modules" in name or name.endswith(".part")]


def test_every_dependency_has_a_lower_bound() -> None:
    """Which `make oldest` installs."""
    command = [sys.executable, str(ROOT / ".ci" / "oldest.py")]
    bounds = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert {"torch==2.7", "lark==1.3"} <= set(bounds)


IN_NOTEBOOKS = {"ipython"}  # there when `pdedsl.notebook` is loaded
NAMED_IN_ERRORS = {"huggingface_hub"}  # its absence is an error that names it


def test_every_import_is_of_a_declared_dependency() -> None:
    """Or of a dependency of one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [project["optional-dependencies"][name] for name in ("xarray", "sweep", "lsp", "mcp")]
    allowed = set(_with_dependencies(sum(extras, project["dependencies"])))
    modules = {module for path in (ROOT / "pdedsl").rglob("*.py") for module in _imported(path)}
    foreign = modules - sys.stdlib_module_names - {"pdedsl"}
    providers = packages_distributions()
    undeclared = {
        m for m in foreign - NAMED_IN_ERRORS if not {d.lower() for d in providers[m]} & (allowed | IN_NOTEBOOKS)
    }
    assert len(foreign) > 15
    assert not undeclared


def _imported(path: Path) -> Iterator[str]:
    """The top-level packages of absolute imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (name.name.partition(".")[0] for name in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]


def _with_dependencies(requirements: Sequence[str]) -> Iterator[str]:
    """The names of these distributions, and of those that they need without extras."""
    waiting, found = list(requirements), set[str]()
    while waiting:
        name = re.split(r"[^\w.-]", waiting.pop())[0].lower()
        if name not in found:
            found.add(name)
            yield name
            with suppress(PackageNotFoundError):  # needed on other platforms
                waiting += [text for text in requires(name) or () if "extra ==" not in text]


def test_the_wheel_works_elsewhere(wheel: Path, tmp_path: Path) -> None:
    """Installed beside the libraries of this environment, in a directory without a checkout."""
    venv.create(tmp_path / "env", with_pip=False, system_site_packages=False)
    python = tmp_path / "env" / "bin" / "python"
    site = next((tmp_path / "env" / "lib").glob("python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(site)
    libraries = next(p for p in map(Path, sys.path) if p.name == "site-packages")
    # Only the libraries: a .pth file would bring the editable checkout back.
    (site / "libraries.pth").write_text("")
    environment = {"PYTHONPATH": f"{site}:{libraries}", "HOME": str(tmp_path)}
    code = "import pdedsl, pathlib; print(pathlib.Path(pdedsl.__file__).parents[1])"
    where = subprocess.run(
        [python, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert where.stdout.strip() == str(site)
    command = [python, "-m", "pdedsl", "check", "resnet", "burgers"]
    result = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "ResNet: no errors" in result.stdout
