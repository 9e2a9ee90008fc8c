"""Data sets, and files of measurements."""

from __future__ import annotations

from fractions import Fraction

from pdedsl.config.base import Config, Count, Forms, Natural, Nonnegative, SampleCount, UnitInterval, forms_of

# ---- data


class Moons(Config):
    """Two interleaving half circles in the plane, with Gaussian noise; `seed`, 0 by default, selects the samples."""

    train: SampleCount = 500
    test: SampleCount = 1000
    noise: Nonnegative = Fraction(1, 10)
    validation: UnitInterval = 0
    seed: Natural | None = None


class DataSubset(Config):
    """Numbers of training and test samples, by default all; `validation` is a fraction of the training samples; `seed`,
    0 by default, selects the samples."""

    train: Count | None = None
    test: Count | None = None
    validation: UnitInterval = 0
    seed: Natural | None = None


class Digits(DataSubset):
    """Handwritten digits, 8 × 8, from scikit-learn."""


class Mnist(DataSubset):
    """MNIST (LeCun, Cortes, Burges 1998)."""


class FashionMnist(DataSubset):
    """Fashion-MNIST (Xiao, Rasul, Vollgraf 2017)."""


class Cifar10(DataSubset):
    """CIFAR-10 (Krizhevsky 2009)."""


class Cifar100(DataSubset):
    """CIFAR-100 (Krizhevsky 2009)."""


class Svhn(DataSubset):
    """Street View House Numbers (Netzer et al. 2011)."""


class Stl10(DataSubset):
    """STL-10 (Coates, Ng, Lee 2011)."""


class Npz(Config):
    """Your own data in a file written by numpy's savez."""

    file: str
    train: Count | None = None
    test: Count | None = None
    validation: UnitInterval = 0
    seed: Natural | None = None


PublicSet = Mnist | FashionMnist | Cifar10 | Cifar100 | Svhn | Stl10
Data = Moons | Digits | Mnist | FashionMnist | Cifar10 | Cifar100 | Svhn | Stl10 | Npz
DATA: Forms[Data] = forms_of(Data)

CLASSES: dict[type[Data], int] = {
    Moons: 2,
    Cifar100: 100,
    **dict.fromkeys((Digits, Mnist, FashionMnist, Cifar10, Svhn, Stl10), 10),
}
"""The number of classes of each data set but the user's own."""


IMAGE_SHAPES: dict[type[Data], tuple[int, int, int]] = {
    Digits: (1, 8, 8),
    **dict.fromkeys((Mnist, FashionMnist), (1, 28, 28)),
    **dict.fromkeys((Cifar10, Cifar100, Svhn), (3, 32, 32)),
    Stl10: (3, 96, 96),
}
"""Channels, height and width of the images of each data set but the user's own."""


# ---- Measurements: `observe u from npz("points.npz")`


class MeasuredNpz(Config, keyword="npz"):
    """A file written by numpy's savez with an array of length n for each coordinate and observed component, by name, or
    with `points` of shape (n, k) and `values` of shape (n, c)."""

    file: str


MeasurementFile = MeasuredNpz
MEASUREMENT_FILES: Forms[MeasurementFile] = forms_of(MeasurementFile)
