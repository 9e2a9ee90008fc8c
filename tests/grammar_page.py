"""The reference of the language in pieces: fenced examples, tables, and specs around fragments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pdedsl.compiler import to_analysis, to_spec
from pdedsl.diagnostics import PdeError, Source

ROOT = Path(__file__).parents[1]


PAGE = (ROOT / "grammar" / "README.md").read_text("utf-8")


LINES = PAGE.split("\n")


CODE = re.compile(r"`([^`]+)`")


DEFAULT = "# default"


OWN_EQUATION = re.compile(r"^(∂|d)[²2]?[uY]/", re.MULTILINE)


# ---- the page in pieces


@dataclass(frozen=True)
class Fence:
    tag: str
    frame: str
    body: str
    above: str  # the paragraph before it
    line: int


def fences_of(lines: list[str]) -> Iterator[Fence]:
    """The fenced examples of any page."""
    start: int | None = None
    for i, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start = i
            continue
        tag, _, frame = lines[start][3:].partition(" ")
        body = "".join(f"{t}\n" for t in lines[start + 1 : i])
        yield Fence(tag, frame, body, paragraph_above(start, lines), start + 1)
        start = None
    assert start is None, "a fence is never closed"


def paragraph_above(index: int, lines: list[str]) -> str:
    end = index
    while end > 0 and not lines[end - 1]:
        end -= 1
    start = end
    while start > 0 and lines[start - 1]:
        start -= 1
    return " ".join(lines[start:end])


def saved_as(fence: Fence) -> str | None:
    """The file as which a page asks to save a spec."""
    found = re.search(r"as `(\w+\.pde)`", fence.above)
    return found[1] if found and fence.tag in ("pde", "pde-wrong") else None


FENCES = list(fences_of(LINES))


FRAMES = {f.frame: f.body for f in FENCES if f.tag == "pde-preamble"}


def tagged(*tags: str) -> list[object]:
    return [pytest.param(f, id=f"line{f.line}") for f in FENCES if f.tag in tags]


def tables(mark: str) -> list[list[list[str]]]:
    """The rows of every table under a mark, without their head."""
    found = []
    for i, line in enumerate(LINES):
        if line == f"<!-- {mark} -->":
            end = next(j for j in range(i + 1, len(LINES)) if not LINES[j].startswith("|"))
            found.append([cells(row) for row in LINES[i + 3 : end]])
    assert found, f"no table '{mark}'"
    return found


def cells(row: str) -> list[str]:
    return [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", row.strip()[1:-1])]


def codes(text: str) -> list[str]:
    return CODE.findall(text)


def paragraph(start: str) -> str:
    """The paragraph or item that starts with a text."""
    first = next(i for i, line in enumerate(LINES) if line.startswith(start))
    last = next(j for j in range(first + 1, len(LINES)) if not LINES[j] or LINES[j].startswith("- "))
    return " ".join(LINES[first:last])


# ---- specs from fragments


def framed(part: str, frame: str) -> str:
    """A fragment in its frame; its own equation replaces the default lines."""
    if not frame:
        return part
    own = OWN_EQUATION.search(part) is not None
    kept = [line for line in FRAMES[frame].splitlines() if not (own and line.endswith(DEFAULT))]
    return "\n".join([*kept, part])


def error_codes(text: str) -> set[str]:
    """The codes of the errors before planning."""
    try:
        analysis = to_analysis(to_spec(Source(text)))
    except PdeError as error:
        return {d.code for d in error.diagnostics}
    return {d.code for d in analysis.diagnostics if d.severity == "error"}


def files() -> dict[str, str]:
    """The files that the page asks to save."""
    return {name: f.body for f in FENCES if (name := saved_as(f))}
