"""The table of torchvision's classifiers against torchvision, and noise after their residual blocks."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from pdedsl.numerics.torchvision_models import MODELS
from pdedsl.runtime.backbones import Backbone
from pdedsl.runtime.rng import streams
from pdedsl.runtime.sde.noise import GaussianNoise
from pdedsl.runtime.user_modules import is_residual_block, torchvision_model

pytestmark = pytest.mark.filterwarnings("ignore")  # torchvision's own
WITH_AUXILIARIES = {"googlenet", "inception_v3"}
SMALL = ["resnet18", "mobilenet_v2", "mobilenet_v3_small", "mnasnet0_5", "efficientnet_b0", "convnext_tiny", "vgg11"]


def test_names_are_those_of_torchvision() -> None:
    from torchvision import models

    assert set(models.list_models(module=models)) - WITH_AUXILIARIES == set(MODELS)


@pytest.mark.parametrize("name", SMALL)
def test_maps_and_sizes(name: str) -> None:
    """As many noise blocks as the table says, in networks that run with the smallest images it allows."""
    record = MODELS[name]
    with torch.device("meta"):
        network = torchvision_model(name, 7).network(lambda layer: GaussianNoise(0.1, seed=layer))
        assert len(streams(network)) == record.maps
        assert network(torch.empty(4, 3, record.min_size, record.min_size)).shape == (4, 7)
        plain = torchvision_model(name, 7).network()
        assert sum(p.numel() for p in plain.parameters()) == sum(p.numel() for p in network.parameters())


def test_maps_of_regnet() -> None:
    """Which cannot be made without memory: its maps are the sum of its depths."""
    from torchvision.models import regnet_x_400mf

    assert sum(map(is_residual_block, regnet_x_400mf().modules())) == MODELS["regnet_x_400mf"].maps


def test_noise_follows_the_residual_blocks() -> None:
    """In training noise follows each block: its output and the input of the next one differ by s·ξ."""
    torch.manual_seed(0)
    made = torchvision_model("mobilenet_v2", 5)
    assert not isinstance(made, Backbone)
    network = made.network(lambda layer: GaussianNoise(0.5, seed=layer), GaussianNoise(2.0, seed=99)).eval()
    seen: list[float] = []
    for block in network.modules():
        if isinstance(block, GaussianNoise):
            block.register_forward_hook(lambda m, args, out: seen.append(float((out - args[0]).std())))
    network(torch.rand(4, 3, 32, 32))
    assert len(seen) == 11
    # ≥ 4·24 numbers a map: 5 standard errors of a deviation are 0.36 of it, one false alarm in 1.7·10⁶ each
    assert all(abs(s - 0.5) < 0.36 * 0.5 for s in seen[:-1])
    assert abs(seen[-1] - 2.0) < 0.36 * 2.0
    linear = [m for m in network.modules() if isinstance(m, nn.Linear)]
    assert len(linear) == 1


def test_the_resnets_are_split_into_blocks() -> None:
    with torch.device("meta"):
        made = torchvision_model("resnet18", 10)
        assert isinstance(made, Backbone)
        assert len(made.blocks) == 8
        assert sum(p.numel() for p in made.network().parameters()) == 11_181_642
