"""Code generation refuses nothing: what cannot be generated is an error of planning."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pdedsl"
REFUSALS = {"errors", "pdedsl.errors", "PdeError"}
USER_CODE = "user_networks.py"  # imports the user's modules, and reports their errors


@pytest.mark.parametrize(
    "file", sorted(f for f in (PACKAGE / "codegen").glob("*.py") if f.name != USER_CODE), ids=lambda f: f.stem
)
def test_code_generation_refuses_nothing(file: Path) -> None:
    names = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        match node:
            case ast.ImportFrom(module=module, names=aliases):
                names |= {module, *(alias.name for alias in aliases)}
            case ast.Import(names=aliases):
                names |= {alias.name for alias in aliases}
    assert not {name for name in names if name in REFUSALS or (name or "").startswith("pdedsl.errors.")}
