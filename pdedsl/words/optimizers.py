"""Optimizers and schedules of their learning rate."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pdedsl.words.params import Count, Few, Natural, Nonnegative, Positive, Rate, Share
from pdedsl.words.word import Forms, Word, forms_of


@dataclass(frozen=True, kw_only=True)
class Sgd(Word):
    """Stochastic gradient descent."""

    lr: Rate = Fraction(1, 10)
    momentum: Share = 0
    weight_decay: Nonnegative = 0
    nesterov: bool = False


@dataclass(frozen=True, kw_only=True)
class Adam(Word):
    """Kingma, Ba 2015."""

    lr: Rate = Fraction(1, 1000)
    weight_decay: Nonnegative = 0


@dataclass(frozen=True, kw_only=True)
class Adamw(Word):
    """Loshchilov, Hutter 2019."""

    lr: Rate = Fraction(1, 1000)
    weight_decay: Nonnegative = Fraction(1, 100)


@dataclass(frozen=True, kw_only=True)
class Lbfgs(Word):
    """L-BFGS, which sees all data at once, for its own number of steps (Liu, Nocedal 1989)."""

    steps: Count = 1000
    lr: Rate = 1
    history: Few = 50


Optimizer = Sgd | Adam | Adamw | Lbfgs
OPTIMIZERS: Forms[Optimizer] = forms_of(Optimizer)


@dataclass(frozen=True, kw_only=True)
class Step(Word):
    """Times `factor` at certain times, or every so often."""

    at: tuple[Natural, ...] = ()
    every: Count | None = None
    factor: Positive = Fraction(1, 10)


@dataclass(frozen=True, kw_only=True)
class Cosine(Word):
    """Half a period of a cosine after a warm-up (Loshchilov, Hutter 2017)."""

    warmup: Natural = 0


@dataclass(frozen=True, kw_only=True)
class Constant(Word):
    """The same rate throughout."""


Schedule = Step | Cosine | Constant
SCHEDULES: Forms[Schedule] = forms_of(Schedule)
