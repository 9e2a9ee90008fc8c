"""Data sets."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pdedsl.config.base import Config, Count, Forms, Many, Nonnegative, Share, forms_of

# ---- data


@dataclass(frozen=True, kw_only=True)
class Moons(Config):
    """Two interleaving half circles in the plane, with Gaussian noise."""

    train: Many = 500
    test: Many = 1000
    noise: Nonnegative = Fraction(1, 10)
    validation: Share = 0


@dataclass(frozen=True, kw_only=True)
class Part:
    """So many samples of a set, all where none are named; `validation` is a share of those for training."""

    train: Count | None = None
    test: Count | None = None
    validation: Share = 0


@dataclass(frozen=True, kw_only=True)
class Digits(Part, Config):
    """Handwritten digits, 8 × 8, of scikit-learn."""


@dataclass(frozen=True, kw_only=True)
class Mnist(Part, Config):
    """LeCun, Cortes, Burges 1998."""


@dataclass(frozen=True, kw_only=True)
class FashionMnist(Part, Config):
    """Xiao, Rasul, Vollgraf 2017."""


@dataclass(frozen=True, kw_only=True)
class Cifar10(Part, Config):
    """Krizhevsky 2009."""


@dataclass(frozen=True, kw_only=True)
class Cifar100(Part, Config):
    """Krizhevsky 2009."""


@dataclass(frozen=True, kw_only=True)
class Svhn(Part, Config):
    """Netzer et al. 2011."""


@dataclass(frozen=True, kw_only=True)
class Stl10(Part, Config):
    """Coates, Ng, Lee 2011."""


@dataclass(frozen=True, kw_only=True)
class Npz(Config):
    """A file of the user's own, written by numpy's savez."""

    file: str
    train: Count | None = None
    test: Count | None = None
    validation: Share = 0


PublicSet = Mnist | FashionMnist | Cifar10 | Cifar100 | Svhn | Stl10
Data = Moons | Digits | Mnist | FashionMnist | Cifar10 | Cifar100 | Svhn | Stl10 | Npz
DATA: Forms[Data] = forms_of(Data)


# ---- measured
# Where measurements come from: `observe u from npz("points.npz")`.


@dataclass(frozen=True, kw_only=True)
class MeasuredNpz(Config, keyword="npz"):
    """A file of numpy's savez with an array of n numbers for each coordinate and for each observed component, by their
    names, or with `points` of shape (n, k) and `values` of shape (n, c)."""

    file: str


Measured = MeasuredNpz
MEASURED: Forms[Measured] = forms_of(Measured)
