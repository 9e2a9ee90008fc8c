"""Search for counterexamples to reversibility without an explicit inverse."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

import pdedsl
from pdedsl.testing import axioms
from pdedsl.testing.feature_checks import breaks_reversibility, corner_of, maps_of, set_weights
from pdedsl.testing.operators import block_of
from pdedsl.testing.strategies import FeatureMapPair

HEAD = "pde Made\nspace x in pixels\ntime t in [0, 2]\nunknown Y(x, t) : channels\n"
FRAME = "network {\n  input image(1, 8, 8)\n  stem 4\n  stages [4]\n  classes 2\n}\n"


def network(bound: str, steps: int) -> pdedsl.Compilation:
    equation = f"learn K(t) : operator{bound} = conv(3)\n∂Y/∂t = -Kᵀ tanh(K Y)\nrealize time by euler(steps={steps})\n"
    return pdedsl.compile(HEAD + equation + FRAME)


def outcome(compilation: pdedsl.Compilation) -> str:
    (result,) = [r for r in axioms.check(compilation, 25, 0) if r.axiom == "reversibility"]
    return result.outcome


@pytest.mark.parametrize(("bound", "steps", "expected"), [(", ‖K‖ ≤ 1", 3, "passed"), ("", 3, "violated")])
def test_short_steps_are_invertible(bound: str, steps: int, expected: str) -> None:
    """y - h Kᵀ tanh(K y) is one to one where h‖K‖² < 1."""
    assert outcome(network(bound, steps)) == expected


def test_counterexample_is_not_injective() -> None:
    """Between the two maps of a counterexample the determinant passes zero: there nearby maps have one image."""
    compilation = network("", 1)
    for seed in range(40):
        pair = FeatureMapPair(seed=seed, size=2.0, scale=1.0, spread=1.0, identity=False)
        block = set_weights(block_of(compilation, seed, 4), pair)
        if breaks_reversibility(block, pair, 4):
            break
    else:
        raise AssertionError("no counterexample in 40 draws")
    a, b = (corner_of(y) for y in maps_of(pair, 4))

    def smallest(share: float) -> Tensor:
        point = a + share * (b - a)
        jacobian = torch.autograd.functional.jacobian(block, point).reshape(point.numel(), -1)
        return torch.linalg.svdvals(jacobian)[-1]

    assert min(smallest(k / 200) for k in range(201)) < 0.2 * min(smallest(0.0), smallest(1.0))
