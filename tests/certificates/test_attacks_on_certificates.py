"""No attack finds an adversarial example within a certified radius, for both certificates."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from attacks.all_attacks import BOTH, EUCLIDEAN, attack
from attacks.models import digits, trained
from torch import Tensor, nn

import pdedsl
from pdedsl.attacks import Predictor
from pdedsl.certificates import gaussian, lipschitz
from pdedsl.certificates.randomized_smoothing import noise_sampler
from pdedsl.frozen_model import Model

NAMES = [*BOTH, *EUCLIDEAN]
SIGMA, N = 0.2, 120
FEW = {"square": {"queries": 60}, "boundary": {"queries": 80}, "cw": {"iterations": 10, "search": 3}}


def inside(name: str, model: Model | Predictor, x: Tensor, classes: Tensor, radii: Tensor) -> tuple[Tensor, Tensor]:
    """The adversarial examples of an attack within the certified radii, and its successes; similar radii at once."""
    points, fooled = x.clone(), torch.zeros_like(classes, dtype=torch.bool)
    for rows in radii.argsort().tensor_split(2):
        eps = 0.9999 * radii[rows].min().item()
        result = partial(attack(name, "2"), **FEW.get(name, {}))(model, x[rows], classes[rows], eps=eps, bounds=(0, 1))
        points[rows], fooled[rows] = result.x, result.fooled
    return points, fooled


@pytest.fixture(scope="module")
def bounded(tmp_path_factory: pytest.TempPathFactory) -> nn.Module:
    """The shipped spec with a constant, for digits."""
    network = ["network.input=image(1, 8, 8)", "network.close=64", "network.frame=lipschitz(patch=2, dense=3)"]
    train = ["train.data=digits", "train.epochs=3", "train.batch=64", "train.loss=margin(eps=0.2)"]
    return pdedsl.train("convex_potential", tmp_path_factory.mktemp("runs") / "run", set=[*network, *train]).module


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_lipschitz(bounded: nn.Module, name: str) -> None:
    x, y = digits().test_x[:N], digits().test_y[:N]
    found = lipschitz(bounded, x)
    assert bool((found.classes >= 0).all())
    assert (found.classes == y).double().mean() > 0.8
    assert not inside(name, bounded, x, found.classes, found.radii)[1].any()


@pytest.mark.long
def test_attacks_are_not_idle(bounded: nn.Module) -> None:
    """Beyond the radii they do fool."""
    x = digits().test_x[:N]
    found = lipschitz(bounded, x)
    assert inside("apgd-ce", bounded, x, found.classes, 6.0 * found.radii)[1].double().mean() > 0.3


@pytest.fixture(scope="module")
def averaged() -> tuple[Tensor, Tensor, Tensor]:
    """Samples, classes and radii of the majority vote of a network under noise."""
    x = digits().test_x[:24]
    found = gaussian(trained(0.1), x, sigma=SIGMA, n=400)
    told = found.classes >= 0
    assert told.sum() > 15
    return x[told], found.classes[told], found.radii[told]


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_gaussian(averaged: tuple[Tensor, Tensor, Tensor], name: str) -> None:
    """The certified class keeps the majority where attacks on the average lead: of 400 votes it has 160 there.

    A radius is wrong with probability 1e-3 at most, and 160 of 400 votes are missed at a half with 4e-5.
    """
    x, classes, radii = averaged

    def noisy(x: Tensor) -> Tensor:
        return trained(0.1)(x + SIGMA * torch.randn_like(x))

    points, _ = inside(name, Predictor(noisy, eot=2, draws=4), x, classes, radii)
    assert bool(((points - x).flatten(1).norm(dim=1) < radii).all())
    with noise_sampler(trained(0.1), points, SIGMA, 128, seed=1) as votes:
        assert votes.count(torch.arange(len(x)), classes, 400).min() >= 160
