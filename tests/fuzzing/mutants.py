"""Shipped and wrong specs after a few deletions, doublings, swaps, insertions and loans from another; and bytes."""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate
from pathlib import Path
from random import Random

from pdedsl.sources import shipped_specs

PIECE = re.compile(r"\w+|\s+|[^\w\s]")
SIGNS = (
    *'()[]{}‖|∂∇Δ²ᵢ½/*·:=,"\\\t\u200b0xᵀ\r\n#^-',
    *("1e300", "1e-300", "-1", "0", "1e9", "0/0", "(-1)^0.5", "log(-1)", "π", "R^d", "t", "u", "x", "x₁", "∂u/∂t"),
    *(
        "u_t",
        "u_{xx}",
        "∂_xx u",
        "∇^2 u",
        "u**2",
        " == ",
        ":=",
        "√x",
        "2½",
        "d^2u/dx^2",
        "ln",
        "laplace(u)",
        "∂Ω",
        "u₁",
    ),
    *(r"\frac{\partial u}{\partial t} = \Delta u", "$u_t$", "// ", "{", "where x² + y² < 1", "on left where y > 0"),
    *(
        "exact u = 0",
        'observe u from npz("a.npz")',
        "realize equation by grid",
        "realize equation by features",
        "= 0.3",
    ),
    *("for t in [0, 1/2]", "on boundary", "periodic", "simplex(2)", "psd", "softmax(W x)", "= mlp"),
)


@cache
def originals() -> tuple[str, ...]:
    bad = sorted((Path(__file__).parents[1] / "bad").rglob("*.pde"))
    return tuple(p.read_text("utf-8", "replace") for p in (*shipped_specs().values(), *bad))


@cache
def _costs() -> tuple[float, ...]:
    """Short ones more often, for they are quicker."""
    return tuple(accumulate(1 / (40 + len(text)) for text in originals()))


def mutants(rng: Random) -> str:
    text = rng.choices(originals(), cum_weights=_costs())[0]
    for _ in range(rng.randint(1, 2)):
        text = _mutated(text, rng)
    return text


def _mutated(text: str, rng: Random) -> str:
    split = rng.choice((_words, _words, _lines, _lines, list))
    pieces = split(text) or [""]
    for _ in range(rng.randint(1, 3)):
        i, j = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        match rng.randrange(6):
            case 0 if len(pieces) > 1:
                del pieces[i]
            case 1:
                pieces.insert(i, pieces[j])
            case 2:
                pieces[i], pieces[j] = pieces[j], pieces[i]
            case 3:
                pieces[i] = pieces[j]
            case 4:
                pieces[i] = rng.choice(split(rng.choice(originals())) or [""])
            case _:
                pieces.insert(i, rng.choice(SIGNS))
    return "".join(pieces)


def _words(text: str) -> list[str]:
    return PIECE.findall(text)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def noise(rng: Random) -> bytes:
    """Bytes, or a spec with bytes in it."""
    junk = rng.randbytes(rng.randint(1, 12))
    if rng.random() < 0.3:
        return rng.randbytes(rng.randint(0, 200))
    data = rng.choice(originals()).encode()
    at = rng.randint(0, len(data))
    return data[:at] + junk + data[at + rng.choice((0, len(junk))) :]
