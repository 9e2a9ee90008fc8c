"""The Rademacher bound of a linear readout; other networks have none."""

from __future__ import annotations

import pytest
import torch
from training.specs import MOONS, NOISY

import pdedsl
from pdedsl.certificates.rademacher import rademacher_bound
from pdedsl.evaluation.run import rademacher_complexity


@pytest.mark.parametrize("spec", [MOONS, NOISY])
def test_readout(spec: str) -> None:
    compilation, x = pdedsl.compile(spec), torch.tensor([[0.5, -3.0], [1.0, 0.0]])
    model = compilation.module()
    heads = [p for p in model.parameters() if p.shape == (2, 2)]
    found = rademacher_complexity(compilation, model, x, 500)
    assert found is not None
    assert found.radius == 3.0
    assert found.weight == pytest.approx(max((h[1] - h[0]).abs().sum().item() for h in heads))
    assert found.bound == rademacher_bound(found.weight, 3.0, 2, 500)


@pytest.mark.parametrize("spec", ["resnet", "convection_diffusion", "parabolic"])
def test_no_theorem(spec: str) -> None:
    compilation = pdedsl.compile(spec)
    assert rademacher_complexity(compilation, compilation.module(), torch.ones(2, 2), 10) is None
