"""Gradient-masking audit: suspicious for masked models, pass for an adversarially trained one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from attacks.models import digits, linear, trained
from pdedsl.attacks import Audit, Linf, Predictor, audit
from pdedsl.attacks.gradient_masking.attack_runs import AuditRuns
from pdedsl.attacks.gradient_masking.checks import eot_convergence, gradient_check, logit_rescaling

N = 40


def standard(x: Tensor) -> Tensor:
    return trained()(x)


def quantised(x: Tensor) -> Tensor:
    return standard((8.0 * x).round() / 8.0)


def exploding(x: Tensor) -> Tensor:
    return 1e4 * standard(x)


def overflowing(x: Tensor) -> Tensor:
    return (20.0 * standard(x)).exp()


def resized(x: Tensor) -> Tensor:
    side = int(torch.randint(5, 9, ()))
    top, left = (int(torch.randint(0, 9 - side, ())) for _ in range(2))
    small = functional.interpolate(x, size=(side, side))
    return standard(functional.pad(small, (left, 8 - side - left, top, 8 - side - top)))


def stepped(x: Tensor) -> Tensor:
    return standard((x > 0.5).float())


def detached(x: Tensor) -> Tensor:
    return standard(x.detach())


def half_stopped(x: Tensor) -> Tensor:
    there = torch.arange(64).reshape(8, 8) % 2 == 0
    return standard(x.where(there, x.detach()))


def replaced(x: Tensor) -> Tensor:
    """The gradient at the flipped image."""
    return standard(x.detach() + x.flip(2) - x.flip(2).detach())


def shattered(x: Tensor) -> Tensor:
    return standard(x + 0.02 * (500.0 * x).sin())


def small_logits(x: Tensor) -> Tensor:
    return 0.01 * trained(0.1)(x)


def noisy(x: Tensor) -> Tensor:
    return trained(0.1)(x + 0.03 * torch.randn_like(x))


@cache
def examined(model: Callable[[Tensor], Tensor]) -> Audit:
    data = digits()
    return audit(model, data.test_x[:N], data.test_y[:N], eps=0.1, bounds=(0.0, 1.0), steps=10, queries=60)


@pytest.mark.long
@pytest.mark.parametrize("model", [quantised, exploding, overflowing, resized, stepped, detached])
def test_masked_models_are_flagged(model: Callable[[Tensor], Tensor]) -> None:
    found = examined(model)
    assert found.masked
    assert found.reasons
    assert found.verdict.startswith("suspicious: possible gradient masking")


@pytest.mark.long
def test_a_robust_model_passes() -> None:
    found = examined(trained(0.1))
    assert not found.masked, found.verdict
    assert found.verdict == f"pass: no sign of gradient masking in {len(found.findings)} checks"


@pytest.mark.long
def test_noisy_and_standard_models_pass() -> None:
    for model in (standard, noisy):
        found = examined(model)
        assert not found.masked, found.verdict


@pytest.mark.parametrize("bounds", [None, (-5.0, 5.0)])
@pytest.mark.parametrize("eps", [1e-4, 0.3])
def test_the_last_eps_covers_the_box(eps: float, bounds: tuple[float, float] | None) -> None:
    """A model with useful gradients passes for every ε: the last radius of the curve covers the whole box."""
    x = torch.randn(40, 2, generator=torch.Generator().manual_seed(0))

    def half_plane(x: Tensor) -> Tensor:
        return torch.stack([x[:, 0], -x[:, 0]], 1)

    found = audit(half_plane, x, half_plane(x).argmax(1), eps=eps, bounds=bounds, steps=10, queries=5)
    assert not found.masked, found.verdict


def test_eot_samples_of_the_predictor_are_used() -> None:
    """A single noisy gradient is w + 9ξ; the mean of many is close to w, and more EOT samples find nothing more."""
    x = torch.randn(40, 6, generator=torch.Generator().manual_seed(0))

    def noisy_gradient(x: Tensor) -> Tensor:
        s = x.sum(1) + 9.0 * (torch.randn_like(x) * (x - x.detach())).sum(1)
        return torch.stack([s, -s], 1)

    def random(eot: int) -> bool:
        predictor = Predictor(noisy_gradient, eot=eot, draws=2)
        with predictor.frozen(x, 0):
            return eot_convergence(
                AuditRuns(predictor, x, noisy_gradient(x).argmax(1), Linf(), 0.2, 3, 5, None, 0)
            ).suspicious

    assert random(1)
    assert not random(150)


def audit_runs(model: Callable[[Tensor], Tensor], eps: float = 0.1) -> AuditRuns:
    return AuditRuns(
        Predictor(model, draws=1), digits().test_x[:N], digits().test_y[:N], Linf(), eps, 10, 60, (0.0, 1.0), 0
    )


@pytest.mark.parametrize("model", [half_stopped, replaced, shattered, quantised, detached])
def test_gradient_check_of_incorrect_gradients(model: Callable[[Tensor], Tensor]) -> None:
    assert gradient_check(audit_runs(model)).suspicious


@pytest.mark.parametrize("eps", [1e-6, 0.1, 0.5])
def test_gradient_check_of_derivatives(eps: float) -> None:
    """Kinks, large logits and small steps leave at most 1 % unexplained variance."""
    for model in (standard, trained(0.1), exploding):
        found = gradient_check(audit_runs(model, eps))
        assert "unexplained variance 0 %" in found.text or "unexplained variance 1 %" in found.text


def test_logit_rescaling() -> None:
    """The softmax of small logits is nearly uniform: its gradient points to no class in particular."""
    assert logit_rescaling(audit_runs(small_logits, 0.2)).suspicious
    assert not logit_rescaling(audit_runs(trained(0.1), 0.2)).suspicious


def test_suspicious_checks() -> None:
    def flagged(model: Callable[[Tensor], Tensor]) -> set[str]:
        return {finding.name for finding in examined(model).findings if finding.suspicious}

    assert {"zero or NaN gradients", "black-box vs. white-box attack", "unbounded attack"} <= flagged(quantised)
    assert flagged(exploding) == {"softmax saturation"}
    assert "EOT convergence" in flagged(resized)


def test_a_surrogate_that_transfers_better() -> None:
    """Quantised inputs: the attack on the network without quantisation transfers."""
    data = digits()
    found = audit(
        quantised,
        data.test_x[:N],
        data.test_y[:N],
        eps=0.1,
        bounds=(0.0, 1.0),
        steps=10,
        queries=5,
        surrogates=[standard],
    )
    assert [finding.suspicious for finding in found.findings if finding.name == "transfer attack"] == [True]


@pytest.mark.parametrize("norm", ["inf", "2"])
def test_default_eps_is_the_median_distance(norm: str) -> None:
    """For a linear model, the median distance to the decision boundary in closed form."""
    case = linear(4, 6, dtype=torch.float64)
    found = audit(case.model, case.x, case.y, norm=norm, steps=10, queries=5)
    assert found.eps == pytest.approx(case.distance(norm).median().item(), rel=0.02)
    assert not found.masked, found.verdict


def test_loss_landscape() -> None:
    """Logits ±w·x: log((1 − p)/p) is 2‖w‖t − 2|w·x| along the gradient, and less steep in other directions."""
    weight = torch.tensor([3.0, -4.0], dtype=torch.float64)
    x = torch.randn(20, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)

    def half_plane(x: Tensor) -> Tensor:
        return torch.stack([x @ weight, -(x @ weight)], 1)

    y = half_plane(x).argmax(1)
    seen = audit(half_plane, x, y, eps=0.1, norm="2", steps=3, queries=2).landscape
    depth = (x @ weight).abs()[::2]
    expected = 2.0 * 5.0 * torch.tensor(seen.sizes, dtype=torch.float64) - 2.0 * depth[:, None]
    assert torch.allclose(torch.tensor(seen.along, dtype=torch.float64), expected)
    assert seen.sizes[0] == -0.1
    assert seen.sizes[-1] == 0.2
    slopes = torch.tensor(seen.across, dtype=torch.float64).diff(dim=1) / 0.025
    assert torch.allclose(slopes, slopes[:, :1].expand_as(slopes))
    assert slopes.abs().max() < 10.0


def test_default_eps_for_masked_and_robust_models() -> None:
    """If no adversarial example is found, ε is half of the radius that covers the box."""
    x, y = digits().test_x[:30], digits().test_y[:30]
    robust, masked = (
        audit(model, x, y, norm="2", bounds=(0.0, 1.0), steps=10, queries=20) for model in (trained(0.1), quantised)
    )
    assert not robust.masked, robust.verdict
    assert masked.eps == 4.0  # of √64
    assert "zero or NaN gradients" in {finding.name for finding in masked.findings if finding.suspicious}
