"""What stands around an equation on pixels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from pdedsl.words.params import Whole, Width
from pdedsl.words.word import Forms, Word, forms_of


class Between(Enum):
    """Activations of the frame, 1-Lipschitz each. `maxmin` sorts pairs of channels, and so it is no function on
    numbers."""

    MAXMIN = "maxmin"
    RELU = "relu"


@dataclass(frozen=True, kw_only=True)
class Paper(Word):
    """Convolutions with batch norm and relu, and means over pixels (Ruthotto, Haber 2018, section 5)."""


@dataclass(frozen=True, kw_only=True)
class Lipschitz(Word):
    """Every piece 1-Lipschitz for every weight: patches of pixels become channels, zeros pad the channels, linear maps
    have a norm of at most 1; `dense` convex potential layers stand at the end (Meunier et al., ICML 2022)."""

    patch: Width = 1
    dense: Annotated[int, Whole(0, most=1000)] = 0
    activation: Between = Between.MAXMIN


Frame = Paper | Lipschitz
FRAMES: Forms[Frame] = forms_of(Frame)
