"""Planning refuses, emission does not: what plans is built, and no file of `emit` knows a mistake of the user."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from texts import picture

import pdedsl
from pdedsl.numerics.torchvision_models import MODELS
from pdedsl.runtime.streams import streams

DATA_SPACES = (
    "calls classifier components expressions fields formulas integrators names noise operator parts program python"
)


@pytest.mark.parametrize("name", DATA_SPACES.split())
def test_emission_refuses_nothing(name: str) -> None:
    text = (Path(pdedsl.__file__).parent / "emit" / f"{name}.py").read_text("utf-8")
    assert "mistakes" not in text
    assert "fail(" not in text
    assert "PdeError" not in text


def test_torchvision_with_noise_has_noise() -> None:
    text = picture("∂u/∂t = v·∇u + σ²Δu").replace("resnet(depth=20)", 'torchvision("mobilenet_v2")')
    text = text.replace("image(1, 8, 8)", "image(3, 32, 32)")
    made = pdedsl.compile(text)
    with torch.device("meta"):
        assert len(streams(made.module())) == MODELS["mobilenet_v2"].maps
    assert "each a step of 1/10" in made.python()


DIFFUSIVITIES = {
    "learn q(x, y) : scalar = mlp": {
        "q Δu": False,
        "q² Δu": True,
        "softplus(q) Δu": True,
        "relu(q) Δu": True,
        "-q Δu": False,
    },
    "learn q(x, y) : scalar > 0 = mlp": {"q Δu": True, "q ∂²u/∂x²": True},
    "learn a : vector": {"a₁ ∂²u/∂x² + a₂ ∂²u/∂y²": False, "a₁² ∂²u/∂x² + a₂² ∂²u/∂y²": True},
    "learn S : matrix, symmetric": {"S:∇∇u": False},
    "learn S : matrix": {"S:∇∇u": False},
    "learn S : matrix, psd": {"S:∇∇u": True, "2 S:∇∇u + Δu": True},
}


@pytest.mark.parametrize("declared", DIFFUSIVITIES)
def test_learned_diffusivities_keep_their_sign(declared: str) -> None:
    for term, right in DIFFUSIVITIES[declared].items():
        text = (
            f"pde D\nspace (x, y) in R^2\ntime t in [0, 1]\nunknown u(x, y, t) : scalar\n{declared}\n"
            f"∂u/∂t = {term}\nu(x, y, 0) = exp(-x² - y²)\n"
        )
        if right:
            assert pdedsl.compile(text).module()
            continue
        with pytest.raises(pdedsl.PdeError, match=r"semidefinite|backwards"):
            pdedsl.compile(text)
