"""What is kept by no tool: strings stop at the front door, files stay short, and emission refuses nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pdedsl"
FRONT_DOOR = ("pdedsl.frontend", "pdedsl.editor", "pdedsl.cli")  # where text is read and written
MOST_COMPARISONS = 29  # with text that is text: an end of line, a suffix, the name of a device, of an array in a file
MOST_LINES = 300
FILES = sorted(PACKAGE.rglob("*.py"))
REFUSALS = {"mistakes", "pdedsl.mistakes", "PdeError"}


@cache
def trees() -> dict[str, ast.Module]:
    """The files of the package by their names as modules."""
    names = (".".join(f.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__") for f in FILES)
    return {name: ast.parse(file.read_text("utf-8")) for name, file in zip(names, FILES, strict=True)}


def comparisons(tree: ast.Module) -> Iterator[int]:
    """The lines of all comparisons with a string, by operators or by patterns: one that is written out, alone, in a
    collection or as a key, or that a constant stands for."""
    known = _texts(tree) | _imported(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others) if any(_is_text(e, known) for e in (left, *others)):
                yield node.lineno
            case ast.MatchValue(value=value) if _is_text(value, known):
                yield node.lineno
            case ast.MatchMapping(keys=keys) if any(_is_text(key, known) for key in keys):
                yield node.lineno


@cache
def _texts(tree: ast.Module) -> frozenset[str]:
    """The constants of a file that are strings, or hold some."""
    known: frozenset[str] = frozenset()
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_text(value, known):
                known |= {name}
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if _is_text(value, known):
                known |= {name}
    return known


def _imported(tree: ast.Module) -> frozenset[str]:
    """Those of other files that are imported from them."""
    lines = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    homes = [(line, trees().get(line.module or "")) for line in lines]
    return frozenset(a.asname or a.name for line, home in homes if home for a in line.names if a.name in _texts(home))


def _is_text(node: ast.expr | None, known: frozenset[str]) -> bool:
    match node:
        case ast.Constant(value=str()):
            return True
        case ast.Name(id=name):
            return name in known
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return any(_is_text(e, known) for e in elts)
        case ast.Dict(keys=keys):
            return any(_is_text(key, known) for key in keys)
        case ast.Call(func=ast.Name(id="frozenset" | "set" | "tuple" | "list" | "dict"), args=args):
            return any(_is_text(e, known) for e in args)
        case _:
            return False


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('a == "b"', 1),
        ('"b" != a', 1),
        ('a in ("b", "c") or a not in ["d"]', 2),
        ('match a:\n    case "b" | "c":\n        pass\n    case ("d", _):\n        pass', 3),
        ('"a" in b', 1),
        ('A = "a"\nB = frozenset({A})\nC: dict[str, int] = {"c": 1}\nx in B, x in C, x == A', 3),
        ("from pdedsl.quoting import STAND_IN\nx == STAND_IN", 1),
        ('match a:\n    case {"b": c}:\n        pass\n    case {"d": "e"}:\n        pass', 3),
        ('f("a", b="c")\nx = {"d": 1}["d"]\ny = e in x\nmatch e:\n    case F(g=1):\n        pass', 0),
    ],
)
def test_comparisons_are_counted(code: str, expected: int) -> None:
    assert len(list(comparisons(ast.parse(code)))) == expected


def test_few_comparisons_with_strings_behind_the_front_door() -> None:
    behind = {name: tree for name, tree in trees().items() if not name.startswith(FRONT_DOOR)}
    found = [f"{name}:{line}" for name, tree in behind.items() for line in comparisons(tree)]
    assert len(found) <= MOST_COMPARISONS, found


def test_files_stay_short() -> None:
    sizes = {str(f): len(f.read_text("utf-8").splitlines()) for f in (*FILES, *Path(__file__).parent.rglob("*.py"))}
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
