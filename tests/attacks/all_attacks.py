"""All attacks with a small budget, for properties common to all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pdedsl import attacks
from pdedsl.attacks import Result

Attack = Callable[..., Result]

BOTH: dict[str, Attack] = {
    "fgsm": attacks.fgsm,
    "ifgsm": partial(attacks.ifgsm, steps=20),
    "pgd": partial(attacks.pgd, steps=25, restarts=2),
    "difgsm": partial(attacks.difgsm, steps=20),
    "apgd-ce": partial(attacks.apgd, steps=20),
    "apgd-dlr": partial(attacks.apgd, steps=20, loss="dlr"),
    "apgd-t": partial(attacks.apgd, steps=20, loss="dlr", targets=3),
    "fab": partial(attacks.fab, steps=10, targets=2),
    "square": partial(attacks.square, queries=500),
    "cw": partial(attacks.cw, iterations=60, lr=0.05, search=6),
    "autoattack": partial(attacks.autoattack, steps=10, queries=50),
    "autoattack-plus": partial(attacks.autoattack, steps=5, queries=50, version="plus"),
    "autoattack-rand": partial(attacks.autoattack, steps=10, version="rand"),
}
"""Attacks for either norm that take an ε."""

EUCLIDEAN: dict[str, Attack] = {
    "ddn": partial(attacks.ddn, steps=40),
    "boundary": partial(attacks.boundary, queries=400),
}

# Enough where what must hold holds query by query.
FEW = {"square": {"queries": 60}, "boundary": {"queries": 60}, "cw": {"iterations": 15, "search": 3}}

CASES = [(name, norm) for name in BOTH for norm in ("inf", "2")] + [(name, "2") for name in EUCLIDEAN]

ONCE = [(name, ("inf", "2")[k % 2]) for k, name in enumerate(BOTH)] + [(name, "2") for name in EUCLIDEAN]
"""Every attack in one of its norms, for what has nothing to do with norms."""


def attack(name: str, norm: str) -> Attack:
    return EUCLIDEAN[name] if name in EUCLIDEAN else partial(BOTH[name], norm=norm)


def short(name: str, norm: str) -> Attack:
    return partial(attack(name, norm), **FEW.get(name, {}))
