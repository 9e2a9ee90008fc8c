"""An attack of the language, run by the function of `pdedsl.attacks` with the same name and arguments."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from typing import assert_never

from torch import Tensor

from pdedsl import attacks
from pdedsl.attacks import Box, Predictor, Result
from pdedsl.config.evaluation import Apgd, Attack, Autoattack, Boundary, Cw, Ddn, Difgsm, Fab, Fgsm, Ifgsm, Pgd, Square


def attacked(word: Attack, predictor: Predictor, x: Tensor, y: Tensor, box: Box, seed: int) -> Result:
    """Run one attack of a sweep; the predictor holds the number of draws for expectations."""
    return function_of(word)(predictor, x, y, bounds=box, seed=seed, **_arguments(word))


def eot_of(attack: Attack) -> int:
    """The number of draws that each gradient and query of an attack averages."""
    return attack.eot


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
    given = {key: _plain(value) for key, value in attack.arguments.items()}
    given.pop("eot", None)
    return given


def _plain(value: object) -> object:
    """A number as a Python number; a list of ε, of which a sweep leaves one, as that ε; a norm as its name."""
    match value:
        case (only,):
            return _plain(only)
        case Fraction():
            return float(value)
        case Enum():
            return value.value
        case _:
            return value
