"""What is kept by no tool: strings stop at the front door, files stay short, and emission refuses nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pdedsl"
FRONT_DOOR = {"frontend", "cli"}  # where text is read and written
MOST_COMPARISONS = 29  # with text that is text: an end of line, a suffix, the name of a device
MOST_LINES = 300
FILES = sorted(PACKAGE.rglob("*.py"))
REFUSALS = {"mistakes", "pdedsl.mistakes", "PdeError"}


def comparisons(tree: ast.AST) -> Iterator[int]:
    """The lines of all comparisons with a string that is written out, by operators or by patterns."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, ops=ops, comparators=others):
                key = isinstance(ops[0], ast.In | ast.NotIn)  # `"key" in table` looks up, and compares no noun
                if any(map(_is_text, others if key else (left, *others))):
                    yield node.lineno
            case ast.MatchValue(value=value) if _is_text(value):
                yield node.lineno


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str()):
            return True
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return any(map(_is_text, elts))
        case _:
            return False


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('a == "b"', 1),
        ('"b" != a', 1),
        ('a in ("b", "c") or a not in ["d"]', 2),
        ('match a:\n    case "b" | "c":\n        pass\n    case ("d", _):\n        pass', 3),
        ('f("a", b="c")\nx = {"d": 1}["d"]\ny = "e" in x\nmatch e:\n    case F(g=1):\n        pass', 0),
    ],
)
def test_comparisons_are_counted(code: str, expected: int) -> None:
    assert len(list(comparisons(ast.parse(code)))) == expected


def test_few_comparisons_with_strings_behind_the_front_door() -> None:
    behind = [f for f in FILES if f.relative_to(PACKAGE).parts[0] not in FRONT_DOOR]
    found = [
        f"{f.relative_to(PACKAGE)}:{line}" for f in behind for line in comparisons(ast.parse(f.read_text("utf-8")))
    ]
    assert len(found) <= MOST_COMPARISONS, found


def test_files_stay_short() -> None:
    sizes = {str(f.relative_to(PACKAGE)): len(f.read_text("utf-8").splitlines()) for f in FILES}
    assert {name: size for name, size in sizes.items() if size > MOST_LINES} == {}


@pytest.mark.parametrize("file", sorted((PACKAGE / "emit").glob("*.py")), ids=lambda f: f.stem)
def test_emission_refuses_nothing(file: Path) -> None:
    names = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        match node:
            case ast.ImportFrom(module=module, names=found):
                names |= {module, *(alias.name for alias in found)}
            case ast.Import(names=found):
                names |= {alias.name for alias in found}
    assert not {name for name in names if name in REFUSALS or (name or "").startswith("pdedsl.mistakes.")}
