"""Normalisations between an operator and an activation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pdedsl.words.params import Positive
from pdedsl.words.word import Forms, Word, forms_of


@dataclass(frozen=True, kw_only=True)
class TvNorm(Word):
    """z/√(Σ|z|² + ε), over the channels of a pixel (Ruthotto, Haber 2018, section 4)."""

    eps: Positive = Fraction(1, 1000)


@dataclass(frozen=True, kw_only=True)
class BatchNorm(Word):
    """Over a batch and its pixels, each channel by itself (Ioffe, Szegedy 2015)."""

    eps: Positive = Fraction(1, 10000)


Normalisation = TvNorm | BatchNorm
NORMALISATIONS: Forms[Normalisation] = forms_of(Normalisation)
