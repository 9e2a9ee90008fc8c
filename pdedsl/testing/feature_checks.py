"""Predicates for the axioms of feature maps: whether a pair of maps violates an axiom for a block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn

from pdedsl.ir.verdicts import Axiom
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.pde_blocks import LeapfrogBlock, VerletBlock
from pdedsl.testing.axiom_predicates import ROUNDING
from pdedsl.testing.model import seeded
from pdedsl.testing.strategies import FeatureMapPair

JACOBIAN_SIZE = 2  # height and width of the feature maps whose Jacobian determinant is computed


def maps_of(pair: FeatureMapPair, width: int) -> tuple[Tensor, Tensor]:
    with seeded(pair.seed + 1000):
        y = pair.shift + pair.scale * torch.randn(1, width, 6, 6, dtype=torch.float64)
        change = pair.spread * torch.randn_like(y)
    if pair.local:
        pixel = torch.zeros_like(y)
        pixel[:, :2, 2, 2] = 1.0
        y, change = y * pixel, change * pixel
    return y, y + change


def set_weights(block: nn.Module, pair: FeatureMapPair) -> nn.Module:
    """The block with the weights of a case: scaled, or the identity on every channel."""
    with torch.no_grad():
        for module in block.modules():
            if isinstance(module, ConvOperator):
                if pair.identity:
                    module.weight.zero_()
                    middle = module.weight.shape[-1] // 2
                    for c in range(module.weight.shape[0]):
                        module.weight[c, c, middle, middle] = 1.0
                else:
                    module.weight.mul_(pair.size)
    return block


def breaks_stability(block: nn.Module, pair: FeatureMapPair, width: int) -> bool:
    a, b = maps_of(pair, width)
    return not bool((block(a) - block(b)).norm() <= (a - b).norm() * (1 + ROUNDING))


def breaks_energy_decay(block: nn.Module, pair: FeatureMapPair, width: int) -> bool:
    y, _ = maps_of(pair, width)
    return not bool(block(y).norm() <= y.norm() * (1 + ROUNDING))


def breaks_energy_conservation(block: nn.Module, pair: FeatureMapPair, width: int) -> bool:
    y, _ = maps_of(pair, width)
    return not bool((block(y).norm() - y.norm()).abs() <= 1e-3 * y.norm())


def breaks_reversibility(block: nn.Module, pair: FeatureMapPair, width: int) -> bool:
    """Whether the composition of forward and inverse map differs from the identity by more than rounding.

    Without a formula for the inverse: a map that reverses orientation at one point and not at another takes some value
    twice, since the degree of an injective map is the same everywhere.
    """
    y, other = maps_of(replace(pair, local=False), width)  # where a map is zero, norms amplify rounding
    if not isinstance(block, VerletBlock | LeapfrogBlock):
        return _orientation(block, y) * _orientation(block, other) < 0
    states = block.last_states(y)
    if not all(bool(s.isfinite().all()) for s in states):
        return False
    size = max(float(s.norm()) for s in states) + float(y.norm())
    return bool((block.inverse(*states) - y).norm() > 1e-8 * size)


def corner_of(y: Tensor) -> Tensor:
    return y[..., :JACOBIAN_SIZE, :JACOBIAN_SIZE]


def _orientation(block: nn.Module, y: Tensor) -> float:
    """The sign of det ∂block/∂y on a corner of the map; 0 if the Jacobian is too close to singular for a decision.

    The batch holds one copy of the map for each of its entries, so that one backward pass gives all rows. A block that
    takes a value twice on small maps is not injective; the cost grows with the square of their size.
    """
    corner = corner_of(y)
    copies = corner.expand(corner.numel(), *corner.shape[1:]).clone().requires_grad_()
    with torch.enable_grad():
        values = block.eval()(copies).flatten(1).diagonal().sum()
    jacobian = torch.autograd.grad(values, copies)[0].flatten(1)
    if not bool(jacobian.isfinite().all()):
        return 0.0
    sizes = torch.linalg.svdvals(jacobian)
    return float(torch.linalg.slogdet(jacobian)[0]) if sizes[-1] > ROUNDING * sizes[0] else 0.0


FEATURE_MAP_CHECKS: dict[Axiom, Callable[[nn.Module, FeatureMapPair, int], bool]] = {
    Axiom.STABILITY: breaks_stability,
    Axiom.ENERGY_DECAY: breaks_energy_decay,
    Axiom.ENERGY_CONSERVATION: breaks_energy_conservation,
    Axiom.REVERSIBILITY: breaks_reversibility,
}
