"""Domains as other programs declare them: `0 <= x <= 1`, `UnitSquareMesh(8, 8)`, `tensor(3, 32, 32)`."""

from __future__ import annotations

import re
from dataclasses import replace

from pdedsl.frontend.syntax.calls import Known

_NUMBER = r"-?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|pi|π|inf)"
_HEAD, _REST = r"(?P<head>\s*(?:space|time)\s+)", r"(?P<rest>(?:\s+periodic)?)\s*"
_FIRST, _LAST, _BETWEEN = rf"(?P<first>{_NUMBER})", rf"(?P<last>{_NUMBER})", r"\s*(?:,|:|;|–|to|\.\.+|…)\s*"
INTERVALS = (
    rf"{_HEAD}{_FIRST}\s*(?:<=?|≤)\s*(?P<name>\w+)\s*(?:<=?|≤)\s*{_LAST}{_REST}",
    rf"{_HEAD}(?P<name>\w+)\s*(?:\bin\b|∈|\bfrom\b|=|:)?\s*(?!image)[A-Za-z]*[(\[\]{{]?\s*{_FIRST}{_BETWEEN}{_LAST}\s*[)\]\[}}]?{_REST}",
    rf"{_HEAD}[({{]\s*(?P<name>\w+)\s*,\s*{_FIRST}\s*,\s*{_LAST}\s*[)}}]{_REST}",
)
"""Ways to declare an interval."""


def interval(line: str, names: Known) -> str:
    """`space 0 <= x <= 1`, `space x from 0 to 1`, `time t in 0:1`, `space x in Interval(0, 1)`, `space x in ]0, 1[`."""
    bare = re.match(r"\s*([^\W\d]\w*)\s*∈\s*[A-Za-z]*[(\[]", line)  # `x ∈ Interval(0, 1)`
    if bare and bare[1] not in names.names:
        line = f"{'time' if bare[1] == 't' else 'space'} {line.strip()}"
    found = next((m for pattern in INTERVALS if (m := re.fullmatch(pattern, line))), None)
    closed = line.count("[") == line.count("]") and line.count("(") == line.count(")")
    if found is None or not closed or re.search(r"\[\s*[^\[\],]+,[^\[\],]+\]", line):
        return line
    first, last = found["first"].rstrip("."), found["last"].rstrip(".")
    return f"{found['head']}{found['name']} in [{first}, {last}]{found['rest']}"


def images(line: str, names: Known) -> str:
    """`space x in tensor(3, 32, 32)`."""
    return re.sub(r"^(\s*space\s+\w+\s+(?:in|∈)\s+)(?!image)[A-Za-z_.]*\((\d+, *\d+, *\d+)\)", r"\1image(\2)", line)


def sampled(line: str, names: Known) -> str:
    """`x = linspace(0, 1, 100)`, `geom = geometry.Interval(0, 1)`."""
    shape = re.fullmatch(r"\s*\w+\s*=\s*((?:[\w.]*\.)?(?:Unit|Rectangle|Disk|Box)\w*(?:\(.*\))?);?\s*", line)
    if shape and not names.coordinates:
        new = shapes(f"space (x, y) in {shape[1]}", replace(names, coordinates=("x", "y")))
        return line if new.endswith(shape[1]) else new
    made = r"(?:[\w.]*\.)?(linspace|arange|range|Interval|TimeDomain)"
    found = re.fullmatch(rf"\s*(\w+)\s*=\s*\(?{made}\(({_NUMBER}),\s*({_NUMBER})\b.*\)\s*;?\s*", line)
    if found is None:
        return line
    timed = found[1] == "t" or "Time" in found[2] or "time" in found[1]
    name = ("t" if timed else "x") if found[2][0].isupper() else found[1]
    return f"{'time' if timed else 'space'} {name} in [{found[3]}, {found[4]}]"


def shapes(line: str, names: Known) -> str:
    """`space (x, y) in UnitSquare(32, 32)`, `Rectangle((0, 0), (2, 1))`, `Disk((0, 0), 1)`."""
    before = re.match(r"\s*space\s++[^∈]*?(?:\sin|∈)\s+", line)
    declared = before and re.fullmatch(r"\s*space\s++\(?[\w, ]+\)?\s*(?:in|∈)?\s*", before[0])
    found = declared and re.fullmatch(r"(?:[\w.]*\.)?(\w+?)(?:Mesh)?\b\s*(\(.*\))?\s*", line[declared.end() :])
    if not before or not found:
        return line
    numbers = re.findall(_NUMBER, found[2] or "")
    unit = {"UnitInterval": "", "UnitSquare": "^2", "UnitCube": "^3"}.get(found[1])
    if unit is not None:
        return f"{before[0]}[0, 1]{unit}"
    if found[1] in ("Rectangle", "Rect", "Box") and len(numbers) == 4:
        (a, b), (c, d) = numbers[:2], numbers[2:]
        return f"{before[0]}[{a}, {c}] × [{b}, {d}]"
    if found[1] in ("Disk", "Disc", "Circle", "Ball", "UnitDisk") and len(names.coordinates) == 2:
        r = numbers[-1] if numbers and found[1] != "UnitDisk" else "1"
        x, y = names.coordinates
        centred = {*numbers[:-1]} <= {"0", "0.0"}
        return f"{before[0]}[-{r}, {r}]^2 where {x}² + {y}² < {'1' if r == '1' else f'{r}²'}" if centred else line
    return line
