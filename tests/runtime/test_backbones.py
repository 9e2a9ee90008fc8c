"""Exact layouts: published parameter counts, places of the noise, input sizes."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from pdedsl.runtime.backbones import (
    Backbone,
    PreactivatedTransition,
    cnn,
    convnet,
    mlp,
    preact_resnet18,
    resnet,
    resnet18,
    vector_field,
    wide_resnet,
)
from pdedsl.runtime.ode.explicit import ResidualBlock
from pdedsl.runtime.sde.noise import GaussianNoise
from pdedsl.runtime.time_conditioning import TimeChannel


def parameters(backbone: Backbone) -> int:
    return sum(p.numel() for p in backbone.network().parameters())


@pytest.mark.parametrize(
    ("depth", "ten", "hundred"),
    [
        (20, 272_282, 278_132),
        (32, 466_714, 472_564),
        (44, 661_146, 666_996),
        (56, 855_578, 861_428),
        (110, 1_730_522, 1_736_372),
    ],
)
def test_resnet(depth: int, ten: int, hundred: int) -> None:
    with torch.device("meta"):
        assert parameters(resnet(depth)) == ten
        assert parameters(resnet(depth, classes=100)) == hundred
        assert len(resnet(depth).blocks) == (depth - 2) // 2


def test_other_counts() -> None:
    with torch.device("meta"):
        assert parameters(resnet(8, width=8)) == 216 + 1_184 + 3_632 + 14_432 + 394  # stem, three blocks, head
        assert parameters(cnn([16, 32, 32], (1, 28, 28))) == 416 + 4_640 + 9_248 + 5_130
        assert parameters(resnet18()) == 11_173_962
        assert parameters(resnet18(time=True)) == 11_174_538
        assert parameters(preact_resnet18()) == 11_172_170
        assert parameters(wide_resnet(28, 10)) == 36_479_194
        assert parameters(wide_resnet(34, 10)) == 46_160_474
        assert parameters(mlp(16, 3, (1, 28, 28), 10)) == (784 * 16 + 16) + 3 * (16 * 16 + 16) + (16 * 10 + 10)
        assert parameters(convnet(8, 2, (1, 28, 28), 10)) == 72 + 2 * (576 + 16) + 16 + 90


@pytest.mark.parametrize("depth", [19, 2, 8 + 1])
def test_depth_is_checked(depth: int) -> None:
    with pytest.raises(ValueError, match="6n"):
        resnet(depth)


def test_noise_follows_every_block_and_nothing_else() -> None:
    backbone = resnet(20)
    kinds = [type(part) for part in backbone.network(lambda layer: GaussianNoise(0.1, seed=layer))]
    assert kinds[0] is nn.Sequential
    assert kinds[2:-1:2] == [GaussianNoise] * 9
    assert kinds[1:-1:2].count(PreactivatedTransition) == 2
    assert kinds[1:-1:2].count(ResidualBlock) == 7


@pytest.mark.parametrize("shape", [(3, 32, 32), (1, 28, 28), (2, 9, 17)])
@pytest.mark.parametrize("make", [lambda s: resnet(8, s, 7), lambda s: convnet(4, 2, s, 7), lambda s: mlp(5, 2, s, 7)])
def test_any_input_size(make: object, shape: tuple[int, ...]) -> None:
    network = make(shape).network()  # type: ignore[operator]
    assert network(torch.zeros(2, *shape)).shape == (2, 7)


@pytest.mark.parametrize("make", [resnet18, preact_resnet18, lambda: wide_resnet(10, 2)])
def test_large_networks_run(make: object) -> None:
    with torch.device("meta"):
        network = make().network()  # type: ignore[operator]
        assert network(torch.zeros(2, 3, 32, 32)).shape == (2, 10)


def test_the_shortcut_acts_on_the_activated_state_without_a_norm() -> None:
    block = resnet(20).blocks[3]
    assert isinstance(block, PreactivatedTransition)
    x = torch.randn(2, 16, 8, 8, generator=torch.Generator().manual_seed(0))
    nn.init.zeros_(block.field[-1].weight)
    expected = torch.nn.functional.conv2d(torch.relu(block.activate[0](x)), block.shortcut.weight, stride=2)
    torch.testing.assert_close(block(x), expected)


def test_initialisation() -> None:
    torch.manual_seed(0)
    for module in resnet(20).network().modules():
        if isinstance(module, nn.Conv2d) and module.weight.numel() > 9000:
            expected = math.sqrt(2 / (module.kernel_size[0] ** 2 * module.out_channels))
            assert float(module.weight.detach().std()) == pytest.approx(expected, rel=0.05)


def test_activations_flow_in_channels_last() -> None:
    backbone = resnet(8)
    state = backbone.stem(torch.zeros(2, 3, 8, 8))
    for block in backbone.blocks:
        state = block(state)
        assert state.is_contiguous(memory_format=torch.channels_last)


def test_time_is_one_more_channel() -> None:
    network = TimeChannel(resnet(8, (1, 8, 8), 3, time=True).network()).eval()
    x = torch.ones(4, 1, 8, 8)
    assert network(x, 0.5).shape == (4, 3)
    torch.testing.assert_close(network(x, 0.5), network(x, torch.full((4,), 0.5)))
    assert not torch.equal(network(x, 0.0), network(x, 1.0))
    features = TimeChannel(mlp(8, 1, (3,), 2, time=True).network())
    assert features(torch.ones(4, 3), torch.rand(4, generator=torch.Generator())).shape == (4, 2)


def test_vector_field_maps_points_to_velocities() -> None:
    timed = vector_field(3, 8, 2, time=True)
    assert timed(torch.zeros(5, 4, 3), 0.5).shape == (5, 4, 3)
    assert not torch.equal(timed(torch.zeros(1, 3), 0.0), timed(torch.zeros(1, 3), 1.0))
    field = vector_field(3, 8, 2)
    assert field(torch.zeros(5, 4, 3)).shape == (5, 4, 3)
    assert sum(p.numel() for p in field.parameters()) == (3 * 8 + 8) + (8 * 8 + 8) + (8 * 3 + 3)


@pytest.mark.parametrize("channels", [1, 3])
def test_every_layer_of_a_convolutional_network_runs_with_channels_last(channels: int) -> None:
    network = resnet(20, (channels, 8, 8), 10).network()
    found: list[bool] = []
    for part in network.modules():
        if isinstance(part, nn.Conv2d):
            part.register_forward_hook(
                lambda _, __, out: found.append(out.is_contiguous(memory_format=torch.channels_last))
            )
    network(torch.rand(2, channels, 8, 8))
    assert len(found) == 21
    assert all(found)
