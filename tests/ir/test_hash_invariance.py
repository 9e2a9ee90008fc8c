"""Invariance of hash and network under renaming and reordering."""

from __future__ import annotations

import re

import pytest
from texts import shipped

import pdedsl

FRAME = "network {\n  input image(1, 8, 8)\n  stem 4\n  stages [4]\n  classes 3\n}\n"
PAIR = """pde Pair
space x in pixels
time t in [0, 3]
unknown Y(x, t) : channels
unknown Z(x, t) : channels
learn K(t) : operator = conv(3)
learn f(Y, t) : channels = convnet(layers=2)
∂Y/∂t = Kᵀ tanh(K Z)
∂Z/∂t = f(Y, t)
"""
SUM = """pde Sum
space x in pixels
time t in [0, 3]
unknown Y(x, t) : channels
learn A(t) : operator = conv(3)
learn B(t) : operator = conv(5)
learn f(Y) : channels = convnet(layers=1)
∂Y/∂t = -Aᵀ tanh(A Y) - Bᵀ relu(B Y) + f(Y) - Y
"""


def renamed(text: str, names: dict[str, str]) -> str:
    word = re.compile(rf"\b({'|'.join(names)})(?=\b|ᵀ)")
    return word.sub(lambda m: names[m[1]], text)


def without_comments(python: str) -> str:
    """The code: comments and docstrings quote the spec."""
    return "\n".join(line for line in python.splitlines() if '"""' not in line and not line.strip().startswith("#"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (shipped("hamiltonian"), {"Y": "Z", "Z": "Y"}),
        (shipped("hamiltonian"), {"Y": "Q", "Z": "P", "K1": "K9"}),
        (shipped("revnet"), {"X": "Y", "Y": "X"}),
        (shipped("revnet"), {"X": "Y", "Y": "X", "f": "g", "g": "f"}),
        (PAIR + FRAME, {"Y": "Z", "Z": "Y"}),
        (PAIR + FRAME, {"K": "z", "f": "a"}),
        (SUM + FRAME, {"A": "B", "B": "A"}),
        (SUM + FRAME, {"A": "z", "f": "Q"}),
    ],
)
def test_renaming_preserves_hash_and_network(text: str, names: dict[str, str]) -> None:
    other = renamed(text, names)
    assert other != text
    one, two = pdedsl.compile(text), pdedsl.compile(other)
    assert one.spec.hash == two.spec.hash
    assert without_comments(one.python()) == without_comments(two.python())


def test_order_of_statements() -> None:
    first, second = "∂Y/∂t = Kᵀ tanh(K Z)\n", "∂Z/∂t = f(Y, t)\n"
    one, two = (
        pdedsl.compile(PAIR.replace(first + second, order) + FRAME) for order in (first + second, second + first)
    )
    assert one.spec.hash == two.spec.hash
    assert without_comments(one.python()) == without_comments(two.python())


@pytest.mark.parametrize(("old", "new"), [("conv(3)", "conv(5)"), ("tanh", "relu"), ("Kᵀ", "-Kᵀ")])
def test_different_networks_have_different_hashes(old: str, new: str) -> None:
    one, two = pdedsl.compile(PAIR + FRAME), pdedsl.compile(PAIR.replace(old, new) + FRAME)
    assert one.spec.hash != two.spec.hash
    assert without_comments(one.python()) != without_comments(two.python())
