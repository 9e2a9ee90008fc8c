"""The specs that come with the package; each can be named instead of a path."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_HEADER = re.compile(r'^\s*pde\s+(\w+)(?:\s+"([^"\n]*)")?', re.MULTILINE)


@cache
def folder() -> Path:
    """Inside an installed package, or beside it in a checkout."""
    inside = Path(__file__).parent / "specs"
    return inside if inside.is_dir() else Path(__file__).parents[1] / "specs"


def shipped_specs() -> dict[str, Path]:
    """Paths by name, in alphabetical order."""
    return {p.stem: p for p in sorted(folder().rglob("*.pde"))}


def title(path: Path) -> str:
    found = _HEADER.search(path.read_text("utf-8"))
    return (found[2] or found[1]) if found else ""


def locate(name: str) -> Path | None:
    """A shipped spec by its name, unless a file of that name is there."""
    if Path(name).is_file():
        return None
    return shipped_specs().get(name.removesuffix(".pde"))
