"""The published layout, with its exact numbers of parameters, and the convnet field."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from pdedsl.runtime.convnet import ConvNet, TimeConv
from pdedsl.runtime.image_fields import LayerPerStep
from pdedsl.runtime.image_network import ImageArchitecture, image_network
from pdedsl.runtime.ode.explicit import BackwardEuler, Euler, Heun, TimeGrid
from pdedsl.runtime.pde_blocks import FirstOrderBlock, VerletBlock
from runtime.paper_blocks import hamiltonian_block, parabolic_block, second_order_block

THREE = TimeGrid(0.0, 3.0, 3)
STL10 = ImageArchitecture((3, 96, 96), (16, 32, 64, 128), classes=10)
CIFAR10 = ImageArchitecture((3, 32, 32), (32, 64, 112), classes=10)
CIFAR100 = ImageArchitecture((3, 32, 32), (32, 64, 128), classes=100, close=256)

EQUATIONS: dict[str, Callable[[int], nn.Module]] = {
    "parabolic": lambda width: parabolic_block(width, Euler(), THREE),
    "second order": lambda width: second_order_block(width, THREE),
    "hamiltonian": lambda width: hamiltonian_block(width, THREE),
}


def _count(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


@pytest.mark.parametrize(
    ("frame", "equation", "count"),
    [
        (STL10, "parabolic", 618_554),
        (STL10, "second order", 618_554),
        (STL10, "hamiltonian", 324_794),
        (CIFAR10, "parabolic", 502_570),
        (CIFAR10, "second order", 502_570),
        (CIFAR10, "hamiltonian", 264_106),
        (CIFAR100, "parabolic", 652_484),
        (CIFAR100, "second order", 652_484),
        (CIFAR100, "hamiltonian", 362_180),
    ],
)
def test_table_1(frame: ImageArchitecture, equation: str, count: int) -> None:
    with torch.device("meta"):
        network = image_network(frame, EQUATIONS[equation])
        assert network(torch.empty(2, *frame.image)).shape == (2, frame.classes)
    assert _count(network) == count


def test_parts_of_cifar10() -> None:
    with torch.device("meta"):
        network = image_network(CIFAR10, EQUATIONS["parabolic"])
    assert _count(network.opening) == 928
    assert [_count(stage) for stage in network.stages] == [27_840, 110_976, 339_360]
    assert [_count(connector) for connector in network.connectors] == [2_176, 7_392, 12_768]
    assert _count(network.classifier) == 1_130


@pytest.mark.parametrize("equation", list(EQUATIONS))
def test_networks_run_and_train(equation: str) -> None:
    network = image_network(ImageArchitecture((1, 9, 8), (4, 6), classes=3, close=5), EQUATIONS[equation]).double()
    logits = network(torch.randn(2, 1, 9, 8, dtype=torch.float64))
    logits.square().sum().backward()
    assert logits.shape == (2, 3)
    assert all(p.grad is not None for p in network.parameters())
    assert [m.eps for m in network.modules() if isinstance(m, nn.BatchNorm2d)] == [1e-4] * 3


def test_a_network_in_evaluation_treats_samples_independently() -> None:
    network = image_network(ImageArchitecture((1, 8, 8), (4, 6), classes=3), EQUATIONS["parabolic"]).double().eval()
    x = torch.randn(5, 1, 8, 8, dtype=torch.float64)
    assert torch.allclose(network(x)[:1], network(x[:1]), rtol=1e-12)


@pytest.mark.parametrize("integrator", [BackwardEuler(2), Heun()])
def test_polynet_and_its_relatives(integrator: BackwardEuler | Heun) -> None:
    def block(width: int) -> nn.Module:
        return FirstOrderBlock(LayerPerStep.create(lambda: ConvNet(width, 2), 3), integrator, THREE)

    network = image_network(ImageArchitecture((1, 28, 28), (16, 32), classes=10), block)
    assert network(torch.randn(2, 1, 28, 28)).shape == (2, 10)


def test_revnet() -> None:
    def block(width: int) -> nn.Module:
        f, g = (LayerPerStep.create(lambda: ConvNet(width // 2, 2), 3) for _ in range(2))
        return VerletBlock(f, g, THREE)

    network = image_network(ImageArchitecture((1, 8, 8), (8, 16), classes=10), block)
    assert network(torch.randn(2, 1, 8, 8)).shape == (2, 10)


def test_impossible_frames() -> None:
    with pytest.raises(ValueError, match="halved 3 times"):
        ImageArchitecture((1, 7, 28), (4, 4, 4, 4), classes=2)
    with pytest.raises(ValueError, match="at least one stage"):
        ImageArchitecture((1, 8, 8), (), classes=2)


def test_convnet_has_the_size_of_torchdiffeqs_example() -> None:
    assert _count(ConvNet(64, 2)) == 75_392


def test_time_is_a_channel_of_the_convolution() -> None:
    layer = TimeConv(3, 5).double()
    y = torch.randn(2, 3, 6, 7, dtype=torch.float64)
    for t in (0.7, torch.tensor(0.7), torch.tensor([0.7, -0.2])):
        channel = torch.as_tensor(t, dtype=y.dtype).reshape(-1, 1, 1, 1).expand(2, 1, 6, 7)
        expected = nn.functional.conv2d(torch.cat([channel, y], 1), layer.weight, layer.bias, padding=1)
        assert torch.allclose(layer(t, y), expected, rtol=1e-6)


def test_convnet_options() -> None:
    assert ConvNet(6, 1, norm=False)(0.0, torch.randn(1, 6, 4, 4)).shape == (1, 6, 4, 4)
    assert ConvNet(112, 1).norms[0].num_groups == 16
    with pytest.raises(ValueError, match="at least one layer"):
        ConvNet(4, 0)
