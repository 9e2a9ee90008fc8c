"""Attacks of an `evaluate` block, run by the functions of `pdedsl.attacks` with the same names and arguments."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from typing import assert_never

from torch import Tensor

from pdedsl import attacks
from pdedsl.attacks import Box, Predictor, Result
from pdedsl.config.evaluation import Apgd, Attack, Autoattack, Boundary, Cw, Ddn, Difgsm, Fab, Fgsm, Ifgsm, Pgd, Square


def run_attack(attack: Attack, predictor: Predictor, x: Tensor, y: Tensor, box: Box, seed: int) -> Result:
    """Run one attack of a sweep; the number of EOT samples is that of the predictor."""
    return function_of(attack)(predictor, x, y, bounds=box, seed=seed, **_arguments(attack))


def function_of(attack: Attack) -> Callable[..., Result]:
    match attack:
        case Fgsm():
            return attacks.fgsm
        case Pgd():
            return attacks.pgd
        case Ifgsm():
            return attacks.ifgsm
        case Difgsm():
            return attacks.difgsm
        case Cw():
            return attacks.cw
        case Ddn():
            return attacks.ddn
        case Boundary():
            return attacks.boundary
        case Square():
            return attacks.square
        case Apgd():
            return attacks.apgd
        case Fab():
            return attacks.fab
        case Autoattack():
            return attacks.autoattack
        case _:
            assert_never(attack)


def _arguments(attack: Attack) -> dict[str, object]:
    return {key: _plain(value) for key, value in attack.arguments.items() if key != "eot"}


def _plain(value: object) -> object:
    """A fraction as a float; a list of one ε, as a sweep leaves it, as that ε; a norm as its name."""
    match value:
        case (only,):
            return _plain(only)
        case Fraction():
            return float(value)
        case Enum():
            return value.value
        case _:
            return value
