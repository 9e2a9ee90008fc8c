"""Every numeric option at its maximum, in a spec that accepts it: subprocess of test_limits.py."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator
from dataclasses import MISSING
from typing import Any

from pdedsl.compiler import check
from pdedsl.config.base import Choice, Flag, Form, IntegerBounds, Param, RealBounds, Text
from pdedsl.config.blocks import ENTRIES, Calls, Plain
from pdedsl.config.methods import PARTS
from pdedsl.config.networks import NETWORKS
from pdedsl.diagnostics import PdeError, Source

START = "learn W : operator = linear\n∂u/∂t = v·∇u{more}\nu(x, 0) = softmax(W x)\n"
POINTS = (
    "pde P\nspace x in R^2\ntime t in [0, 1]\nunknown u(x, t) : simplex(2)\nlearn v(x, t) : vector = {net}\n" + START
)
IMAGES = POINTS.replace("R^2", "image(3, 32, 32)")
PIXELS = """pde P
space x in pixels
time t in [0, 1]
unknown Y(x, t) : channels
learn K : operator = {net}
∂Y/∂t = -Kᵀ relu(K Y)
network {{
{network}
}}
"""
PHYSICAL = """pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = sin(π x)
u = 0 on boundary
"""
MEMORY = 2 << 30
NETWORK = {"input": "image(1, 8, 8)", "stem": "4", "stages": "[4]", "classes": "2"}


def largest(param: Param) -> str | None:
    """The largest value that is allowed; None if it is not a number."""
    match param.kind:
        case IntegerBounds(among=among, maximum=maximum):
            return str(max(among) if among else maximum)
        case RealBounds(maximum=maximum):
            return f"{maximum:g}" if maximum is not None else "1e300"
        case Choice() | Text() | Flag():
            return None


def usual(param: Param) -> str:
    match param.kind:
        case IntegerBounds(minimum=minimum, among=among):
            return str(among[0] if among else max(minimum, 1))
        case RealBounds():
            return "0.1"
        case Choice(options=words):
            return words[0]
        case Text():
            return '"a"'
        case Flag():
            return "true"


def calls(form: Form[Any]) -> Iterator[str]:
    """A call for each number, and last one with all of them."""
    needed = {k: usual(p) for k, p in form.params.items() if p.default is MISSING}
    numbers = {k: value for k, p in form.params.items() if (value := largest(p)) is not None}
    for given in (*({k: v} for k, v in numbers.items()), numbers):
        inner = ", ".join(f"{k}={v}" for k, v in (needed | given).items())
        yield f"{form.name}({inner})"


def entry(block: str, line: str) -> str:
    if block == "network":
        rows = NETWORK | {line.split()[0]: line.split(maxsplit=1)[1]}
        return PIXELS.format(net="conv(3)", network="\n".join(f"{k} {v}" for k, v in rows.items()))
    return f"{POINTS.format(net='mlp', more=' + 0.1Δu')}{block} {{\n{line}\n}}\n"


def specs() -> Iterator[str]:
    frame = "\n".join(f"{k} {v}" for k, v in NETWORK.items())
    for call in (call for form in NETWORKS.values() for call in calls(form)):
        yield from (POINTS.format(net=call, more=""), IMAGES.format(net=call, more=""))
        yield PIXELS.format(net=call, network=frame)
    for part, forms in PARTS.items():
        for call in (call for form in forms.values() for call in calls(form)):
            hosts = {"equation": PHYSICAL, "time": PIXELS.format(net="conv(3)", network=frame)}
            yield hosts.get(part, POINTS.format(net="mlp", more=" + 0.1Δu")) + f"realize {part} by {call}\n"
    for block, entries in ENTRIES.items():
        for key, found in entries.items():
            match found.what:
                case Calls(forms=forms):
                    source = " from resnet" * (key == "transfer")
                    yield from (entry(block, f"{key} {list(calls(form))[-1]}{source}") for form in forms.values())
                case Plain(param=param):
                    value = largest(param)
                    yield entry(block, f"{key} {f'[{value}]' if param.many else value}")


def answers(text: str) -> set[str]:
    try:
        return {d.code for d in check(Source(text)).errors}
    except PdeError as error:
        return {d.code for d in error.diagnostics}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    codes: dict[str, int] = {}
    for text in specs():
        for code in answers(text) or {"right"}:
            codes[code] = codes.get(code, 0) + 1
    json.dump(codes, sys.stdout)


if __name__ == "__main__":
    main()
