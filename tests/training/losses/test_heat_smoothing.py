"""Steps of the heat equation against their closed form, and the estimators of ‖∇v‖² against the Jacobian."""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from pdedsl.config.methods import GradientNormEstimator, InitialWeights, SpatialDifferentiation
from pdedsl.data.sampling import KeyedRng
from pdedsl.ir.plan import GaussianRegression, HeatSmoothing
from pdedsl.runtime.backbones import convnet, mlp
from pdedsl.training.losses import GaussianRegressionLoss, HeatLoss
from training.losses.exact import SIGMAS, deviation, points, seeded, slope_along

CONFIG = HeatSmoothing(
    variance=0.6,
    steps=3,
    weight=0.5,
    probes=4,
    delta=1e-6,
    start=InitialWeights.WARM,
    estimator=GradientNormEstimator.UNBIASED,
)
FREQUENCIES = (1.0, 2.0, 5.0)


class Series(nn.Module):
    """Scores whose softmax is (½ + Σ a_k sin kx, ½ - Σ a_k sin kx)."""

    def __init__(self, a: Tensor, k: Tensor) -> None:
        super().__init__()
        self.a, self.k = nn.Parameter(a), nn.Buffer(k)

    def forward(self, x: Tensor) -> Tensor:
        value = torch.sin(x * self.k) @ self.a.reshape(-1, 1)
        return torch.log(torch.cat([0.5 + value, 0.5 - value], 1))


def series(scale: float = 1.0) -> tuple[Series, Tensor]:
    """A sum of waves, and one period as a uniform grid, on which they are orthogonal."""
    k = scale * torch.tensor(FREQUENCIES, dtype=torch.float64)
    grid = torch.arange(64, dtype=torch.float64).reshape(-1, 1) * (2.0 * math.pi / 64 / scale)
    return Series(torch.tensor([0.2, -0.1, 0.05], dtype=torch.float64), k), grid


def minimised(config: HeatSmoothing, previous: Series, x: Tensor) -> Series:
    """The loss is quadratic in the amplitudes: one step of Newton from anywhere."""
    model = Series(0.5 * previous.a.detach().clone(), previous.k)
    loss = HeatLoss(config, previous)

    def of(a: Tensor) -> Tensor:
        def call(x: Tensor) -> Tensor:
            return torch.func.functional_call(model, {"a": a}, (x,))

        return sum_of(loss, call, x)

    slope = torch.autograd.functional.jacobian(of, model.a.detach())
    bend = torch.autograd.functional.hessian(of, model.a.detach())
    return Series(model.a.detach() - torch.linalg.solve(bend, slope), previous.k)


def sum_of(loss: HeatLoss, model: object, x: Tensor, step: int = 0) -> Tensor:
    terms = loss(model, x, torch.zeros(x.shape[0], dtype=torch.long, device=x.device), KeyedRng(0, step))  # type: ignore[arg-type]
    return terms["distance"] + terms["gradient"]


@pytest.mark.parametrize("weight", [0.5, 1.0, 5.0])
def test_a_step_is_implicit_euler(weight: float) -> None:
    f, x = series()
    found = minimised(replace(CONFIG, weight=weight), f, x).a
    c = weight * CONFIG.variance / CONFIG.steps / 2.0
    expected = f.a / (1.0 + 2.0 * c * f.k.square())
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0.0)


def test_weight_one_half_smooths_to_the_variance() -> None:
    """exp(-½s²k²) = 1 - ½s²k² + … is what the steps multiply a long wave with, so s² is the variance of the kernel."""
    f, x = series(scale=1e-3)
    v = f
    for _ in range(CONFIG.steps):
        v = minimised(CONFIG, v, x)
    expected = f.a * (1.0 + 0.5 * CONFIG.variance / CONFIG.steps * f.k.square()) ** -CONFIG.steps
    torch.testing.assert_close(v.a, expected, rtol=1e-13, atol=0.0)
    variance = -2.0 * torch.log(v.a / f.a) / f.k.square()
    torch.testing.assert_close(variance, torch.full_like(variance, CONFIG.variance), rtol=1e-5, atol=0.0)


def softmax_layer(inputs: int = 12, classes: int = 3) -> nn.Module:
    return seeded(lambda: nn.Linear(inputs, classes))


def squared_jacobian(model: nn.Module, x: Tensor) -> Tensor:
    """‖∇v‖² of each row."""
    return torch.stack(
        [torch.func.jacrev(lambda at: model(at.unsqueeze(0)).softmax(-1)[0])(row).square().sum() for row in x]
    ).detach()


@pytest.mark.parametrize("form", ["forward", "differences"])
@pytest.mark.parametrize(("estimator", "factor"), [("unbiased", 1.0), ("paper", 4.0 / 3.0)])
def test_the_mean_of_the_probes_is_the_jacobian(form: str, estimator: str, factor: float) -> None:
    model, (x, _) = softmax_layer(), points(50, 12)
    config = replace(CONFIG, estimator=GradientNormEstimator(estimator))
    loss = HeatLoss(replace(config, derivative=SpatialDifferentiation(form)), model)
    scale = config.weight * 0.5 * config.variance / config.steps
    expected = scale * factor * squared_jacobian(model, x).mean().item()
    found = [loss(model, x, x[:, 0].long(), KeyedRng(0, step))["gradient"].item() for step in range(200)]
    assert deviation(found, expected) < SIGMAS
    assert deviation(found, 1.1 * expected) > SIGMAS


def test_differences_tend_to_the_norm_of_the_gradient() -> None:
    model, (x, y) = softmax_layer(), points(5, 12)
    w = KeyedRng(0, 0).like(model(x).detach(), "weights", copies=4).reshape(4, 5, 3) / math.sqrt(3.0)
    slopes = torch.func.vmap(torch.func.jacrev(lambda at: model(at).softmax(-1)))(x)
    exact = 3.0 / 4.0 * torch.einsum("jni,nid->jnd", w, slopes).square().sum((0, 2)).mean().item()
    scale = CONFIG.weight * 0.5 * CONFIG.variance / CONFIG.steps

    def error(delta: float) -> float:
        loss = HeatLoss(replace(CONFIG, delta=delta, derivative=SpatialDifferentiation.DIFFERENCES), model)
        return abs(loss(model, x, y, KeyedRng(0, 0))["gradient"].item() - scale * exact)

    assert error(1e-6) < 1e-6 * scale * exact
    assert 1.8 < error(1e-2) / error(5e-3) < 2.2


def test_few_dimensions_need_no_chance() -> None:
    model, (x, y) = softmax_layer(4), points(5, 4)
    scale = CONFIG.weight * 0.5 * CONFIG.variance / CONFIG.steps
    expected = scale * squared_jacobian(model, x).mean().item()
    for step in range(3):
        found = HeatLoss(CONFIG, model)(model, x, y, KeyedRng(0, step))["gradient"].item()
        assert found == pytest.approx(expected, rel=1e-13)


def test_gradients_by_the_weights() -> None:
    model = seeded(lambda: convnet(4, 2, (1, 4, 4), 2, activation="tanh").network())
    loss, (x, _) = HeatLoss(CONFIG, copy.deepcopy(model).eval()), points(6, 1, 4, 4)
    backward, difference = slope_along(lambda: sum_of(loss, model, x), model)
    assert backward == pytest.approx(difference, rel=1e-6)


def test_gradients_of_differences() -> None:
    """Their directions are constants of a step, and the derivative does not change to first order at its maximum."""
    model = seeded(lambda: mlp(8, 2, (12,), 2, activation="tanh").network())
    config = replace(CONFIG, delta=1e-5, derivative=SpatialDifferentiation.DIFFERENCES)
    loss, (x, _) = HeatLoss(config, seeded(lambda: nn.Linear(12, 2))), points(6, 12)
    backward, difference = slope_along(lambda: sum_of(loss, model, x), model, 1e-4)
    assert backward == pytest.approx(difference, rel=1e-5)


@pytest.mark.parametrize("form", ["forward", "differences"])
def test_statistics_and_the_previous_model(form: str) -> None:
    model = seeded(lambda: convnet(4, 2, (1, 4, 4), 2).network())
    previous = copy.deepcopy(model).eval()
    frozen = copy.deepcopy(previous.state_dict())
    x, _ = points(6, 1, 4, 4)
    sum_of(HeatLoss(replace(CONFIG, derivative=SpatialDifferentiation(form)), previous), model, x).backward()
    norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
    assert [int(norm.num_batches_tracked) for norm in norms] == [1] * len(norms)
    assert all(norm.track_running_stats for norm in norms)
    assert all(weight.grad is not None for weight in model.parameters())
    assert all(weight.grad is None for weight in previous.parameters())
    assert all(torch.equal(value, frozen[name]) for name, value in previous.state_dict().items())


@pytest.mark.parametrize("form", ["forward", "differences"])
def test_loss_of_a_batch_is_the_mean_over_its_halves(form: str) -> None:
    model = seeded(lambda: mlp(8, 2, (12,), 3, activation="tanh").network())
    previous = seeded(lambda: nn.Linear(12, 3))
    x, y = points(48, 12)
    loss = HeatLoss(replace(CONFIG, derivative=SpatialDifferentiation(form)), previous)
    whole = loss(model, x, y, KeyedRng(3, 5))
    parts = [loss(model, x[rows], y[rows], KeyedRng(3, 5, rows.start)) for rows in (slice(0, 12), slice(12, 48))]
    for name, value in whole.items():
        mean = 0.25 * parts[0][name] + 0.75 * parts[1][name]
        # Differences over 1e-6 of values that are rounded differently in another batch.
        assert mean.item() == pytest.approx(value.item(), rel=1e-12 if form == "forward" else 1e-8)


def test_meta_tensors() -> None:
    model = seeded(lambda: convnet(4, 2, (1, 4, 4), 2).network()).to("meta")
    x = torch.empty(6, 1, 4, 4, dtype=torch.float64, device="meta")
    assert sum_of(HeatLoss(CONFIG, copy.deepcopy(model).eval()), model, x).shape == ()


# ---- Regression on the Gaussian average

BATCHES = 60


def test_regression_is_stationary_at_the_gaussian_average() -> None:
    """E sin k(x + sξ) = e^(-s²k²/2) sin kx. The mean gradient is zero there within 4.5 standard errors, with a
    false-alarm rate of 2e-5, and is not zero at the base network."""
    base, grid = series()
    variance = 0.6
    damped = base.a.detach() * torch.exp(-0.5 * variance * base.k**2)
    loss = GaussianRegressionLoss(GaussianRegression(variance, InitialWeights.WARM), base)
    x = grid.repeat(20, 1)

    def scores(a: Tensor) -> Tensor:
        model = Series(a.clone(), base.k)
        gradients = []
        for step in range(BATCHES):
            terms = loss(model, x, torch.zeros(len(x), dtype=torch.long), KeyedRng(0, step))
            gradients.append(torch.autograd.grad(terms["regression"], model.a)[0])
        sample = torch.stack(gradients)
        return sample.mean(0) / (sample.std(0) / math.sqrt(BATCHES))

    assert scores(damped).abs().max() < 4.5
    assert scores(base.a.detach()).abs().max() > 20
