"""One table of activations: every word of the language works wherever a network takes one, and its facts agree."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.runtime.activations import ActivationLayer, activation
from pdedsl.runtime.backbones import convnet, mlp, vector_field
from pdedsl.runtime.convnet import ConvNet
from pdedsl.runtime.linear_operators import DenseOperator
from pdedsl.runtime.symmetric_layer import SymmetricLayer


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_a_module_applies_the_function(name: str) -> None:
    x = torch.linspace(-3.0, 3.0, 101)
    torch.testing.assert_close(ActivationLayer(name)(x), activation(name)(x), rtol=0.0, atol=0.0)
    assert str(ActivationLayer(name)) == f"ActivationLayer({name})"


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_every_activation_works_in_every_network(name: str) -> None:
    image, point = torch.randn(2, 3, 8, 8), torch.randn(5, 2)
    for network, x, shape in (
        (convnet(4, 2, (3, 8, 8), 10, activation=name).network(), image, (2, 10)),
        (mlp(4, 2, (2,), 3, activation=name).network(), point, (5, 3)),
    ):
        y = network(x)
        assert y.shape == shape
        y.sum().backward()
        assert all(p.grad is not None and p.grad.isfinite().all() for p in network.parameters())
    assert vector_field(2, 4, 2, activation=name)(point).shape == (5, 2)
    assert vector_field(2, 4, 2, activation=name, time=True)(point, 0.5).shape == (5, 2)
    assert ConvNet(4, 2, activation_name=name)(0.5, torch.randn(2, 4, 8, 8)).shape == (2, 4, 8, 8)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_every_activation_works_in_the_symmetric_layer(name: str) -> None:
    layer, y = SymmetricLayer(DenseOperator(4), name), torch.randn(3, 4)
    weight = layer.operator.weight
    torch.testing.assert_close(layer(0.0, y), -activation(name)(y @ weight.T) @ weight)


def test_a_wrong_word_is_named_with_the_right_ones() -> None:
    with pytest.raises(ValueError, match="unknown activation 'selu'; known are identity, relu"):
        ActivationLayer("selu")


def test_a_module_has_no_state() -> None:
    network = nn.Sequential(nn.Linear(2, 2), ActivationLayer("sin"))
    assert set(network.state_dict()) == {"0.weight", "0.bias"}
