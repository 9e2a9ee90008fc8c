"""Image-plane models from text: bounds that hold for every weight, signs, and running backwards."""

from __future__ import annotations

import pytest
import torch
from texts import MODELS, built, changed, compiled, light, shipped
from torch import Tensor, nn

from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.pde_blocks import FirstOrderBlock, LeapfrogBlock, VerletBlock
from pdedsl.runtime.symmetric_layer import SymmetricLayer, TotalVariationNorm

SIZES = (28, 14)  # of the images at the two stages of monotone.pde


def operators(model: nn.Module) -> list[ConvOperator]:
    return [m for m in model.modules() if isinstance(m, ConvOperator)]


def disturbed(model: nn.Module, size: float) -> nn.Module:
    """Random weights, large ones, of rank one, and all equal: the last has the largest norm for its entries."""
    with torch.no_grad():
        for k, operator in enumerate(operators(model)):
            operator.weight.normal_(0, size)
            if k % 3 == 1:
                operator.weight.fill_(size)
            if k % 3 == 2:
                outer = torch.randn_like(operator.weight[:, :1, :1, :1]) * torch.randn_like(operator.weight[:1])
                operator.weight.copy_(size * outer)
    return model


def norm(operator: ConvOperator, channels: int, size: int) -> float:
    """‖K‖ on images of size × size, from below, by power iteration on KᵀK."""
    x = torch.randn(1, channels, size, size, dtype=torch.float64)
    weight, value = operator.constrained_weight(), 0.0
    for _ in range(40):
        x = operator.adjoint_product(weight, operator.product(weight, x))
        value = float(x.norm())
        x = x / value
    return value**0.5


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_operator_norm_is_bounded_for_every_weight(size: float) -> None:
    model = disturbed(built(shipped("monotone")), size)
    with torch.no_grad():
        for stage, at in zip(model.stages, SIZES, strict=True):
            norms = [norm(k, k.weight.shape[0], at) for k in operators(stage)]
            assert len(norms) == 3
            assert all(value <= 1 + 1e-9 for value in norms), norms
            if size >= 1:
                assert max(norms) > 0.6  # the bound is not met by making everything small


def test_another_bound() -> None:
    model = disturbed(built(changed(shipped("monotone"), ("‖K‖ ≤ 1", "‖K‖ ≤ 1/4"))), 10.0)
    with torch.no_grad():
        norms = [norm(k, 16, 28) for k in operators(model.stages[0])]
    assert 0.15 < max(norms) <= 0.25 + 1e-9


def test_ascii_bound_is_the_same_bound() -> None:
    text = changed(shipped("monotone"), ("‖K‖ ≤ 1", "norm(K) <= 1"))
    assert compiled(text).python() == compiled(shipped("monotone")).python()


@pytest.mark.parametrize("size", [0.1, 10.0])
def test_blocks_do_not_expand(size: float) -> None:
    model = disturbed(built(shipped("monotone")), size)
    with torch.no_grad():
        for stage, channels, at in zip(model.stages, (16, 32), SIZES, strict=True):
            for spread in (1e-3, 1.0, 10.0):
                a = torch.randn(4, channels, at, at, dtype=torch.float64)
                b = a + spread * torch.randn_like(a)
                assert ((stage(a) - stage(b)).flatten(1).norm(dim=1) <= (a - b).flatten(1).norm(dim=1) + 1e-9).all()


def test_without_the_bound_blocks_expand() -> None:
    """The test above can fail: the same network with free weights."""
    model = disturbed(
        built(changed(shipped("monotone"), (", ‖K‖ ≤ 1", ""), ("require stability, energy_decay", ""))), 10
    )
    a = torch.randn(4, 16, 28, 28, dtype=torch.float64)
    b = a + torch.randn_like(a)
    with torch.no_grad():
        assert (model.stages[0](a) - model.stages[0](b)).norm() > (a - b).norm()


# ---- signs and factors of a layer


def signs(text: str) -> list[float]:
    return [m.sign for m in compiled(text).module().modules() if isinstance(m, SymmetricLayer)]


def test_signs_are_those_of_the_spec() -> None:
    assert set(signs(light("parabolic"))) == {-1.0}
    assert signs(light("hamiltonian"))[:6] == [1.0] * 3 + [-1.0] * 3
    assert set(signs(changed(light("parabolic"), ("-Kᵀ relu", "-½ Kᵀ relu")))) == {-0.5}
    assert set(signs(changed(light("parabolic"), ("∂Y/∂t = -Kᵀ relu(N(K Y))", "2 ∂Y/∂t + Kᵀ relu(N(K Y)) = 0")))) == {
        -0.5
    }


def test_layers_have_the_parameters_of_the_spec() -> None:
    model = compiled(light("parabolic")).module()
    assert {m.eps for m in model.modules() if isinstance(m, TotalVariationNorm)} == {1e-3}
    assert {m.activation.record.name for m in model.modules() if isinstance(m, SymmetricLayer)} == {"relu"}
    other = compiled(changed(light("parabolic"), ("eps=1e-3", "eps=1e-4"), ("relu(", "tanh("))).module()
    assert {m.eps for m in other.modules() if isinstance(m, TotalVariationNorm)} == {1e-4}
    assert {m.activation.record.name for m in other.modules() if isinstance(m, SymmetricLayer)} == {"tanh"}
    larger = compiled(changed(light("parabolic"), ("conv(3)", "conv(5)"))).module()
    assert {k.weight.shape[-1] for k in operators(larger)} == {5}


def test_time_and_steps_are_those_of_the_spec() -> None:
    text = changed(light("parabolic"), ("[0, 3]", "[1, 2]"), ("euler(steps=3)", "heun(steps=4)"))
    blocks = [m for m in compiled(text).module().modules() if isinstance(m, FirstOrderBlock)]
    assert {(b.steps.start, b.steps.stop, b.steps.count) for b in blocks} == {(1.0, 2.0, 4)}
    assert {b.integrator.method.name for b in blocks} == {"heun"}
    assert len(operators(blocks[0])) == 4


@pytest.mark.parametrize("name", ["hamiltonian", "revnet", "second_order"])
def test_reversible_blocks_run_backwards(name: str) -> None:
    model = built(light(name))
    y = torch.randn(2, 8, 6, 6, dtype=torch.float64)
    block = model.stages[0]
    with torch.no_grad():
        states = block.last_states(y) if isinstance(block, LeapfrogBlock) else (block(y),)
        torch.testing.assert_close(block.inverse(*states), y, rtol=0, atol=1e-10)
        assert (states[0] - y).abs().max() > 1e-3


def test_hamiltonian_step_by_explicit_formulas() -> None:
    """Y ← Y + hK₁ᵀσ(N(K₁Z)), then Z ← Z − hK₂ᵀσ(N(K₂Y)) with the new Y, for h = 1."""
    model = built(light("hamiltonian"))
    block = model.stages[0]
    assert isinstance(block, VerletBlock)
    f, g = block.right_hand_sides()
    y, z = torch.randn(2, 2, 4, 6, 6, dtype=torch.float64)
    expected: tuple[Tensor, Tensor] = (y, z)
    with torch.no_grad():
        for step in range(3):
            new = expected[0] + f(step, float(step), expected[1])
            expected = (new, expected[1] + g(step, float(step), new))
        torch.testing.assert_close(block(torch.cat([y, z], 1)), torch.cat(expected, 1))


@pytest.mark.parametrize("name", [n for n in MODELS if "pixels" in shipped(n)])
def test_scores_have_the_classes_of_the_frame(name: str) -> None:
    text = changed(light(name), ("classes 10", "classes 7"))
    model = built(text)
    channels = compiled(text).plan.image[0]
    assert model(torch.randn(2, channels, 8, 8, dtype=torch.float64)).shape == (2, 7)
