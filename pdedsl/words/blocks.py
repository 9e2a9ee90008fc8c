"""The blocks `network`, `train` and `evaluate`: a field is an entry, its type what follows the word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Annotated, ClassVar

from pdedsl.diagnostics import NOWHERE, Span
from pdedsl.words.attacks import Attack, Certificate
from pdedsl.words.data import Data
from pdedsl.words.frames import Frame, Paper
from pdedsl.words.optimizers import Constant, Optimizer, Schedule, Sgd
from pdedsl.words.params import Count, Many, Natural, Positive, Width
from pdedsl.words.solvers import Grid
from pdedsl.words.training import Adversary, Augmentation, Box, CrossEntropy, Loss, Precision, Regularizer
from pdedsl.words.word import Chosen, Word


@dataclass(frozen=True)
class Values:
    """How many values a line takes, and whether the entry may stand on several lines."""

    most: int = 1
    repeats: bool = False


SEVERAL = Values(most=8)
DEFAULT_OPTIMIZER = Chosen(Sgd(momentum=Fraction(9, 10)))
STEADY = Chosen(Constant())
PAPER = Chosen(Paper())
ENTROPY = Chosen(CrossEntropy())


@dataclass(frozen=True, kw_only=True)
class Image(Word):
    """An image space, or the input of a network."""

    channels: Width
    height: Width
    width: Width

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.channels, self.height, self.width


@dataclass(frozen=True, kw_only=True)
class Block:
    """`places` tells where the entries stand that the spec gives, a place for each value."""

    kind: ClassVar[str]
    places: Mapping[str, tuple[Span, ...]] = field(default_factory=dict, compare=False)
    span: Span = field(default=NOWHERE, compare=False)

    def place(self, key: str) -> Span:
        """Where an entry stands, or the block if it has none."""
        return next(iter(self.places.get(key, ())), self.span)

    def says(self, key: str) -> bool:
        """Whether the spec gives an entry, be it its default."""
        return key in self.places


@dataclass(frozen=True, kw_only=True)
class NetworkBlock(Block):
    """The frame around an equation on pixels."""

    kind = "network"
    input: Chosen[Image]
    open: Width
    stages: tuple[Width, ...]
    close: Width | None = None
    classes: Many
    frame: Chosen[Frame] = PAPER


@dataclass(frozen=True, kw_only=True)
class TrainBlock(Block):
    """An experiment. Its length is in epochs, or in steps, and then there are no epochs."""

    kind = "train"
    data: Chosen[Data] | None = None
    epochs: Count | None = 10
    steps: Count | None = None
    batch: Count = 128
    optimizer: Annotated[tuple[Chosen[Optimizer], ...], SEVERAL] = (DEFAULT_OPTIMIZER,)
    schedule: Chosen[Schedule] = STEADY
    augment: Annotated[tuple[Chosen[Augmentation], ...], SEVERAL] = ()
    adversary: Chosen[Adversary] | None = None
    loss: Chosen[Loss] = ENTROPY
    regularize: Annotated[tuple[Chosen[Regularizer], ...], SEVERAL] = ()
    constrain: Annotated[tuple[Box, ...], SEVERAL] = ()
    precision: Precision = Precision.FLOAT32
    seed: Natural = 0


class Audit(Enum):
    GRADIENT_MASKING = "gradient_masking"


class Plot(Enum):
    DECISION_BOUNDARY = "decision_boundary"
    CONFUSION = "confusion"
    SOLUTION = "solution"
    CURVES = "curves"
    RADII = "radii"
    ATTACKS = "attacks"
    SAMPLES = "samples"
    WEIGHTS = "weights"


@dataclass(frozen=True, kw_only=True)
class Histogram(Word):
    """Of the sizes of weights, and the share of them below a size."""

    below: Positive = Fraction(1, 1000)


@dataclass(frozen=True)
class Transfer:
    """Adversaries of one network tried on another: `transfer pgd(eps=0.1) from resnet`."""

    attack: Chosen[Attack]
    source: str


@dataclass(frozen=True, kw_only=True)
class EvaluateBlock(Block):
    """How a trained network is judged."""

    kind = "evaluate"
    natural: bool = False
    attack: Annotated[tuple[Chosen[Attack], ...], Values(most=8, repeats=True)] = ()
    transfer: Annotated[tuple[Transfer, ...], Values(repeats=True)] = ()
    certify: Annotated[tuple[Chosen[Certificate], ...], Values(repeats=True)] = ()
    audit: Audit | None = None
    reference: Chosen[Grid] | None = None
    weights: Chosen[Histogram] | None = None
    plot: Annotated[tuple[Plot, ...], Values(most=8, repeats=True)] = ()
