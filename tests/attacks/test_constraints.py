"""Feasible sets: the stored numbers satisfy ball and box constraints exactly, and `fooled` refers to them."""

from __future__ import annotations

from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from attacks.all_attacks import CASES, ONCE, short
from attacks.models import linear
from pdedsl.attacks import fgsm, pgd, square
from pdedsl.attacks.constraints import Box, feasible_set
from pdedsl.attacks.norms import L2, Linf
from pdedsl.attacks.square import L2ImageProposals


def exactly_within(attacked: Tensor, x: Tensor, norm: str, eps: float) -> bool:
    """‖x′ − x‖ ≤ ε in rational arithmetic."""
    rows = zip(attacked.flatten(1).tolist(), x.flatten(1).tolist(), strict=True)
    gaps = [[Fraction(a) - Fraction(b) for a, b in zip(*row, strict=True)] for row in rows]
    if norm == "inf":
        return all(abs(gap) <= Fraction(eps) for row in gaps for gap in row)
    return all(sum(gap * gap for gap in row) <= Fraction(eps) ** 2 for row in gaps)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("name", "norm"), CASES)
def test_every_attack(name: str, norm: str, dtype: torch.dtype) -> None:
    case = linear(3, 12, n=25, dtype=dtype)
    x = case.x.clone()
    x[:, :3] = torch.tensor([0.0, 1.0, 0.1], dtype=dtype)
    x = x.reshape(25, 1, 3, 4)
    y = case.model(x).argmax(1)
    eps = 8 / 255 if norm == "inf" else 0.3
    result = short(name, norm)(case.model, x, y, eps=eps, bounds=(0.0, 1.0))
    assert result.x.dtype == dtype
    assert result.x.shape == x.shape
    assert exactly_within(result.x, x, norm, eps)
    assert result.x.min() >= 0.0
    assert result.x.max() <= 1.0
    assert torch.equal(result.fooled, case.model(result.x).argmax(1) != y)
    assert (result.x - x).abs().max().item() <= eps  # also as rounded


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    eps=st.floats(1e-6, 10.0),
    scale=st.sampled_from([1e-3, 1.0, 1e3]),
    seed=st.integers(0, 1000),
    kind=st.sampled_from([torch.float32, torch.float64]),
    norm=st.sampled_from(["inf", "2"]),
    boxed=st.booleans(),
)
def test_projection(eps: float, scale: float, seed: int, kind: torch.dtype, norm: str, boxed: bool) -> None:
    source = torch.Generator().manual_seed(seed)
    x = (scale * torch.rand(4, 7, generator=source, dtype=torch.float64)).to(kind)
    far = x + 3.0 * eps * torch.randn(4, 7, generator=source, dtype=torch.float64).to(kind)
    box = Box(0.0, scale * 1.1) if boxed else Box()
    space = feasible_set(Linf() if norm == "inf" else L2(), x, eps, box)
    z = space.project(far)
    assert exactly_within(z, x, norm, eps)
    assert not boxed or bool(((z >= 0.0) & (z.double() <= scale * 1.1)).all())
    torch.testing.assert_close(space.project(z), z, rtol=1e-5, atol=1e-5 * eps)


def test_bounds_for_each_channel() -> None:
    x = torch.full((6, 2, 3, 3), 0.5)
    lower, upper = torch.tensor([0.4, -1.0]).reshape(2, 1, 1), torch.tensor([0.6, 2.0]).reshape(2, 1, 1)
    model = nn.Sequential(nn.Flatten(), nn.Linear(18, 3))
    y = torch.zeros(6, dtype=torch.long)
    for norm in ("inf", "2"):
        z = pgd(model, x, y, eps=1.2, norm=norm, bounds=(lower, upper)).x
        assert bool(((z >= lower) & (z <= upper)).all())


def test_inputs_outside_their_bounds_are_refused() -> None:
    case = linear(2, 3)
    with pytest.raises(ValueError, match="x exceeds `bounds` by 1"):
        fgsm(case.model, case.x * 0 + 2.0, case.y, eps=0.1, bounds=(0.0, 1.0))


def test_the_layout_of_images_is_kept() -> None:
    layouts = set()

    class Watch(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            layouts.add(x.is_contiguous(memory_format=torch.channels_last))
            return x.flatten(1)[:, :4] @ torch.eye(4)

    x = torch.rand(20, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    y = Watch()(x).argmax(1)
    for run in (pgd, square):
        assert run(Watch(), x, y, eps=0.05).x.is_contiguous(memory_format=torch.channels_last)
    assert layouts == {True}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision(dtype: torch.dtype) -> None:
    case = linear(2, 6, dtype=torch.float32)
    x = case.x.to(dtype)

    def model(x: Tensor) -> Tensor:
        return case.model(x.float())

    y = model(x).argmax(1)
    for norm in ("inf", "2"):
        result = pgd(model, x, y, eps=0.1, norm=norm, bounds=(0.0, 1.0))
        assert result.x.dtype == dtype
        assert exactly_within(result.x, x, norm, 0.1)
        assert 0 < result.fooled.sum() < len(x)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
@pytest.mark.parametrize(("name", "norm"), ONCE)
def test_scores_of_another_dtype(name: str, norm: str, dtype: torch.dtype) -> None:
    """Than that of the inputs, which is that of the result."""
    case = linear(3, 6, n=12)

    def model(x: Tensor) -> Tensor:
        return case.model(x).to(dtype)

    result = short(name, norm)(model, case.x, case.y, eps=0.1)
    assert result.x.dtype == torch.float32
    assert exactly_within(result.x, case.x, norm, 0.1)
    assert torch.equal(result.fooled, model(result.x).argmax(1) != case.y)


@pytest.mark.parametrize("shape", [(4, 1, 28, 28), (2, 3, 32, 32), (3, 1, 5, 9)])
def test_bumps_start_on_the_sphere_turned_or_not(shape: tuple[int, ...]) -> None:
    x = torch.full(shape, 0.5, dtype=torch.float64)
    for seed in range(6):
        start = L2ImageProposals(0.25, torch.Generator().manual_seed(seed)).start(x)
        torch.testing.assert_close((start - x).flatten(1).norm(dim=1), x.new_full(shape[:1], 0.25))
