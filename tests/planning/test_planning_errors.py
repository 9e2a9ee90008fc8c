"""Every plan can be built: specs without a network are errors in planning."""

from __future__ import annotations

import pytest
import torch
from texts import picture

import pdedsl
from pdedsl.numerics.torchvision_models import MODELS
from pdedsl.runtime.learned_fields import LearnedConstant
from pdedsl.runtime.rng import streams


def test_torchvision_with_noise() -> None:
    text = picture("∂u/∂t = v·∇u + σ²Δu").replace("resnet(depth=20)", 'torchvision("mobilenet_v2")')
    text = text.replace("image(1, 8, 8)", "image(3, 32, 32)")
    made = pdedsl.compile(text)
    with torch.device("meta"):
        assert len(streams(made.module())) == MODELS["mobilenet_v2"].maps
    assert "each a step of length 1/10" in made.python()


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
    "learn S : matrix, psd": {
        "S:∇∇u": True,
        "2 S:∇∇u + Δu": True,
        "S[1, 1] Δu": True,
        "S[1, 1] ∂²u/∂x² + 2 S[2, 2] ∂²u/∂y²": True,
        "S[1, 2] Δu": False,
        "S[1, 1] ∂²u/∂x² - S[2, 2] ∂²u/∂y²": False,
    },
}


@pytest.mark.parametrize("declared", DIFFUSIVITIES)
def test_sign_of_learned_diffusivities(declared: str) -> None:
    for term, right in DIFFUSIVITIES[declared].items():
        text = (
            f"pde D\nspace (x, y) in R^2\ntime t in [0, 1]\nunknown u(x, y, t) : scalar\n{declared}\n"
            f"∂u/∂t = {term}\nu(x, y, 0) = exp(-x² - y²)\n"
        )
        if right:
            assert pdedsl.compile(text).module()
            continue
        with pytest.raises(pdedsl.PdeError, match=r"may be negative|semidefinite|backward"):
            pdedsl.compile(text)


@pytest.mark.parametrize(
    "method",
    [
        "residual(tau=0.3)",
        "residual(estimator=exact, h=0.3)",
        "residual(estimator=exact, probes=3)",
        "residual(times=[0.5], instants=one)",
        "retraining(delta=0.3)",
    ],
)
def test_unused_arguments_are_errors(method: str) -> None:
    split = "∂u/∂t = v·∇u for t in [0, 0.5]\n∂u/∂t = σ²Δu for t in [0.5, 1]"
    text = picture(split, realized=f"realize diffusion by {method}")
    with pytest.raises(pdedsl.PdeError, match="E611"):
        pdedsl.compile(text)


@pytest.mark.parametrize(("type_", "term"), [("scalar > 0", "q Δu"), ("scalar ≥ 0", "q Δu"), ("scalar", "0.1Δu + q u")])
def test_initial_value_of_learned_parameters(type_: str, term: str) -> None:
    text = (
        f"pde D\nspace x in R^2\ntime t in [0, 1]\nunknown u(x, t) : scalar\nlearn q : {type_} = 0.1\n"
        f"∂u/∂t = {term}\nu(x, 0) = exp(-‖x‖²)\n"
    )
    made = pdedsl.compile(text)
    (number,) = (m for m in made.operator(samples=2).modules() if isinstance(m, LearnedConstant))
    assert number(torch.zeros(1, 2)).item() == pytest.approx(0.1)
    assert "start=0.1" in made.python()


@pytest.mark.parametrize(
    ("declared", "drift", "reached"),
    [
        ("learn q : scalar = 0.5", "q ∂u/∂x₁", 0.5),
        ("learn q : scalar = 0.5", "q ∂u/∂x₂ - ∂u/∂x₁", 4.0),
        ("learn A : matrix", "A[1, 2] ∂u/∂x₁ + A[2, 1] ∂u/∂x₂", 0.0),
        ("learn A : matrix", "A[1, 1] ∂u/∂x₁ + A[2, 2] ∂u/∂x₂", 11.0),
    ],
)
def test_drift_with_learned_parameters(declared: str, drift: str, reached: float) -> None:
    """x₁ + 10x₂ at the end of a straight path from 0; a matrix starts as the identity."""
    head = "pde D\nspace x in R^2\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
    made = pdedsl.compile(f"{head}{declared}\n∂u/∂t = {drift}\nu(x, 0) = exp(-‖x‖²)\n").operator(samples=1)
    found = made(lambda x: x[..., 0] + 10 * x[..., 1], torch.zeros(1, 2), 1.0)
    assert found.item() == pytest.approx(reached, abs=1e-5)
