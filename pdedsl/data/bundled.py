"""Bundled data sets: two moons and the digits of scikit-learn."""

from __future__ import annotations

from zlib import crc32

import torch

from pdedsl.data.splits import RawDataSet, Split, stratified_split
from pdedsl.runtime.rng import hash_words

DIGITS_TEST = 360  # of 1797, a fifth
_SPLIT_SEED = 0  # the test split does not depend on the seed of a run


def moons(train: int, test: int, noise: float, seed: int) -> RawDataSet:
    """Two interleaving half circles in the plane with Gaussian noise (`sklearn.datasets.make_moons`)."""
    parts = (_moons(train, noise, seed, "moons train"), _moons(test, noise, seed, "moons test"))
    return RawDataSet(*parts, classes=2, bounds=None, class_names=("upper", "lower"))


def _moons(n: int, noise: float, seed: int, purpose: str) -> Split:
    from sklearn.datasets import make_moons

    state = hash_words(seed, crc32(purpose.encode())) & 0xFFFFFFFF
    x, y = make_moons(n, noise=noise, random_state=state)
    return Split(torch.from_numpy(x), torch.from_numpy(y).long())


def digits() -> RawDataSet:
    """Handwritten digits, 1797 images (1, 8, 8) of values v/16 (E. Alpaydın and C. Kaynak 1998, UCI repository)."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    images = torch.from_numpy(bunch.images).float().div_(16).unsqueeze(1)
    test, train = stratified_split(
        Split(images, torch.from_numpy(bunch.target).long()), DIGITS_TEST, _SPLIT_SEED, "digits test"
    )
    return RawDataSet(train, test, classes=10, bounds=(0.0, 1.0), class_names=tuple("0123456789"))
