"""The frame of which every piece is bounded: exact norms, constants for every weight, counts and gradients."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
import torch
from torch import Tensor, nn

from pdedsl.runtime.activations import MaxMin
from pdedsl.runtime.image_fields import LayerPerStep
from pdedsl.runtime.image_network import ImageNetwork, LipschitzArchitecture, lipschitz_network
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.nonexpansive_layers import ConvexPotentialLayer, NonexpansiveLinear, PatchChannels, ZeroPadChannels
from pdedsl.runtime.ode.explicit import Euler, TimeGrid
from pdedsl.runtime.pde_blocks import FirstOrderBlock
from pdedsl.runtime.standardization import Centre, standardize
from pdedsl.runtime.symmetric_layer import SymmetricLayer
from pdedsl.runtime.weight_constraints import SpectralNormBound, convolution_norm_bound, spectral_norm

IMAGE = (1, 7, 6)
FRAME = LipschitzArchitecture(IMAGE, (5, 6), classes=3, close=4, patch=2, dense=2)


def block(width: int) -> nn.Module:
    layers = LayerPerStep.create(lambda: SymmetricLayer(ConvOperator(width, constraint=SpectralNormBound(1.0))), 2)
    return FirstOrderBlock(layers, Euler(), TimeGrid(0.0, 4.0, 2))


def network(frame: LipschitzArchitecture = FRAME, seed: int = 0) -> ImageNetwork:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return lipschitz_network(frame, block).double()


def points(count: int, *shape: int) -> Tensor:
    return torch.randn(count, *shape, dtype=torch.float64, generator=torch.Generator().manual_seed(count))


def sized(model: nn.Module, size: float) -> nn.Module:
    """Weights of that size; every second one of rank one, the third constant."""
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.normal_(0.0, size, generator=torch.Generator().manual_seed(k))
            if p.dim() > 1 and k % 3 == 1:
                p.copy_(size * p[:, :1] * p[:1])
            if k % 3 == 2:
                p.fill_(size)
    return model


def jacobian(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    found = torch.autograd.functional.jacobian(lambda z: f(z.reshape(1, *x.shape)).flatten(), x.flatten())
    assert isinstance(found, Tensor)
    return found


# ---- norms


@pytest.mark.parametrize("shape", [(4, 4), (3, 20), (20, 3), (1, 9), (16, 32)])
def test_norms_of_matrices_are_exact(shape: tuple[int, int]) -> None:
    """Against all singular values, by the two ways there are, and at sizes whose squares overflow."""
    for size in (1.0, 1e-200, 1e200):
        weight = size * points(*shape)
        largest = float(torch.linalg.svdvals(weight / size).max()) * size
        assert largest <= float(spectral_norm(weight)) <= largest * (1 + 1e-12)


def test_the_norm_of_a_long_matrix_has_the_gradient_of_its_singular_vectors() -> None:
    weight = points(3, 20).requires_grad_()
    u, _, v = torch.linalg.svd(weight.detach(), full_matrices=False)
    (slope,) = torch.autograd.grad(spectral_norm(weight), weight)
    torch.testing.assert_close(slope, torch.outer(u[:, 0], v[0]))
    (zero,) = torch.autograd.grad(spectral_norm(flat := torch.zeros(2, 9, requires_grad=True)), flat)
    assert zero.isfinite().all()


WEIGHTS = {
    "random": points(3, 2, 3, 3),
    "large": points(2, 3, 5, 5),
    "of one frequency": torch.cos(2.0 * torch.arange(5.0).double()).repeat(2, 2, 5, 1),
    "a mean": torch.ones(1, 1, 3, 3, dtype=torch.float64),
    "a difference": torch.tensor([[[[0.0, 0.0, 0.0], [-1.0, 2.0, -1.0], [0.0, 0.0, 0.0]]]], dtype=torch.float64),
    "one pixel": points(4, 3, 1, 1),
}


@pytest.mark.parametrize("name", list(WEIGHTS))
def test_bound_of_a_convolution_is_above_the_norm_of_its_matrix(name: str) -> None:
    """The operator written out on images with zeros around them, of several shapes, and all its singular values."""
    weight = WEIGHTS[name]
    bound = float(convolution_norm_bound(weight))
    norms = [unrolled_norm(weight, *shape) for shape in ((1, 1), (4, 7), (13, 11))]
    assert max(norms) <= bound
    assert bound <= 1.45 * norms[-1]


def unrolled_norm(weight: Tensor, height: int, width: int) -> float:
    channels = weight.shape[1]
    basis = torch.eye(channels * height * width, dtype=torch.float64).reshape(-1, channels, height, width)
    images = nn.functional.conv2d(basis, weight, padding=weight.shape[-1] // 2)
    return float(torch.linalg.svdvals(images.flatten(1)).max())


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4])
def test_a_dense_map_has_the_norm_of_its_matrix(size: float) -> None:
    piece = sized(NonexpansiveLinear(8, 5).double(), size)
    assert isinstance(piece, NonexpansiveLinear)
    free = float(torch.linalg.svdvals(piece.operator.weight.detach()).max())
    assert float(torch.linalg.svdvals(piece.matrix().detach()).max()) == pytest.approx(min(free, 1.0), rel=1e-12)
    x = points(2, 8, 3, 4)
    torch.testing.assert_close(piece(x).movedim(1, 3), x.movedim(1, 3) @ piece.matrix().T)


# ---- pieces


def test_patches_and_padding_keep_distances_and_lose_nothing() -> None:
    x = points(4, 2, 5, 7)
    found = ZeroPadChannels(40)(PatchChannels(3)(x))
    assert found.shape == (4, 40, 2, 3)
    torch.testing.assert_close(found.flatten(1).norm(dim=1), x.flatten(1).norm(dim=1))
    assert torch.equal(PatchChannels(3)(x)[:, :9, 0, 0], x[:, 0, :3, :3].flatten(1))


def test_maxmin_sorts_pairs_of_channels() -> None:
    x = torch.tensor([[3.0, 5.0, 2.0, -1.0]])
    assert MaxMin()(x).tolist() == [[5.0, 3.0, 2.0, -1.0]]
    maps = points(2, 4, 3, 3)
    assert torch.equal(MaxMin()(maps)[0, :, 1, 2], MaxMin()(maps[:, :, 1, 2])[0])
    with pytest.raises(ValueError, match="3 is odd"):
        MaxMin()(torch.zeros(1, 3))


def test_maxmin_is_a_gradient_and_not_of_a_convex_function() -> None:
    """The gradient of ½(a² + b²) - ½min(a - b, 0)²; -σ takes (0, δ) and (δ, 0) apart, and one Euler step shows it."""
    x = points(50, 2).requires_grad_()
    a, b = x.unbind(1)
    energy = 0.5 * (a**2 + b**2) - 0.5 * (a - b).clamp_max(0.0) ** 2
    torch.testing.assert_close(torch.autograd.grad(energy.sum(), x)[0], MaxMin()(x))
    y, z = torch.tensor([[0.0, 1.0]]), torch.tensor([[0.1, 0.9]])
    assert float(((MaxMin()(y) - MaxMin()(z)) * (y - z)).sum()) < 0
    stepped = (y - 0.5 * MaxMin()(y)) - (z - 0.5 * MaxMin()(z))
    assert float(stepped.norm()) > 1.4 * float((y - z).norm())


def test_the_convex_potential_layer_by_its_formula_and_as_an_euler_step() -> None:
    layer = ConvexPotentialLayer(6, 4).double()
    with torch.no_grad():
        layer.bias.copy_(points(4))
    w, x = layer.operator.constrained_weight().detach(), points(3, 6)
    expected = x - 2 * torch.relu(x @ w.T + layer.bias) @ w
    torch.testing.assert_close(layer(x), expected)
    energy = torch.relu((at := x.clone().requires_grad_()) @ w.T + layer.bias.detach()).square().sum() / 2
    torch.testing.assert_close(layer(x), x - 2 * torch.autograd.grad(energy, at)[0])


def test_only_the_mean_is_subtracted() -> None:
    model = network()
    standardize(model, [0.25], [0.5])
    (centre,) = [m for m in model.modules() if isinstance(m, Centre)]
    x = points(2, *IMAGE)
    torch.testing.assert_close(centre(x), x - 0.25)


# ---- the whole


def test_parameters_are_counted() -> None:
    """Blocks 2·9f², a connector 4f·g, dense layers close·(features + 1), the head classes·(features + 1)."""
    blocks = sum(2 * 9 * f * f for f in FRAME.stages)
    connectors = sum(4 * a * b for a, b in pairwise(FRAME.stages))
    features = 6 * 2 * 2  # 7 × 6 is 4 × 3 in patches of 2, and 2 × 2 in patches of these
    expected = blocks + connectors + 2 * 4 * (features + 1) + 3 * (features + 1)
    assert sum(p.numel() for p in network().parameters()) == expected
    with torch.device("meta"):
        model = lipschitz_network(LipschitzArchitecture((3, 32, 32), (32, 64), 10), block)
        assert model(torch.empty(2, 3, 32, 32)).shape == (2, 10)


@pytest.mark.parametrize("size", [1e-2, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("activation", ["maxmin", "relu"])
def test_logits_are_1_lipschitz_for_every_weight(size: float, activation: str) -> None:
    """Between random pairs, far and near; and in the worst direction at a point, all singular values of its derivative,
    after steps that look for a steeper one."""
    frame = LipschitzArchitecture(IMAGE, (5, 6), 3, close=4, patch=2, dense=2, activation=activation)  # type: ignore[arg-type]
    model = sized(network(frame), size)
    assert isinstance(model, ImageNetwork)
    assert model.lipschitz_constant() == 1.0
    x = points(200, *IMAGE) * 3
    for y in (points(200, *IMAGE).flip(0), x + 1e-3 * points(200, *IMAGE).flip(0)):
        with torch.no_grad():
            moved = (model(x) - model(y)).norm(dim=1)
        assert bool((moved <= (x - y).flatten(1).norm(dim=1) * (1 + 1e-9)).all())
    assert steepest(model, x[:3]) <= 1 + 1e-9


def steepest(model: nn.Module, x: Tensor) -> float:
    """The largest singular value of the derivative, followed uphill by the direction that is stretched most."""
    found = 0.0
    for start in x:
        at = start
        for _ in range(4):
            _, s, v = torch.linalg.svd(jacobian(model, at))
            found, at = max(found, float(s[0])), at + 0.3 * v[0].reshape(at.shape)
    return found


def test_the_bound_is_reached() -> None:
    """It is not met by making everything small: where the equation does nothing, a new network is an isometry up to a
    head with orthonormal rows."""
    model = network(LipschitzArchitecture((1, 6, 6), (4,), 3, patch=2))
    with torch.no_grad():
        for p in model.stages.parameters():
            p.zero_()
    assert steepest(model, points(1, 1, 6, 6)) == pytest.approx(1.0, abs=1e-9)


def test_gradients() -> None:
    model = network()
    x = points(1, *IMAGE).requires_grad_()
    assert torch.autograd.gradcheck(model, (x,), atol=1e-6)
    model(x).square().sum().backward()
    assert all(p.grad is not None for p in model.parameters())

    def value(w: Tensor) -> Tensor:
        found: Tensor = torch.func.functional_call(model, {"classifier.operator.weight": w}, (x.detach(),))
        return found

    assert torch.autograd.gradcheck(value, (points(3, 24).requires_grad_(),), atol=1e-6)


def test_invalid_architectures() -> None:
    with pytest.raises(ValueError, match="at least one stage"):
        LipschitzArchitecture(IMAGE, (), 3)
    with pytest.raises(ValueError, match="make 9 channels, more than 8"):
        LipschitzArchitecture(IMAGE, (8,), 3, patch=3)
