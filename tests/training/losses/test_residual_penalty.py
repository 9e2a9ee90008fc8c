"""The residual of exact solutions, the mean of the estimators in closed form, and one batch for all points."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from pdedsl.config.methods import ResidualTimes
from pdedsl.data.sampling import KeyedRng
from pdedsl.ir.plan import ResidualPenalty
from pdedsl.runtime.backbones import convnet, mlp, resnet
from pdedsl.runtime.time_conditioning import TimeChannel
from pdedsl.training.losses import ResidualLoss
from training.losses.exact import (
    NU,
    SIGMAS,
    HalfSpace,
    Quadratic,
    Wave,
    deviation,
    points,
    read,
    residual,
    seeded,
    slope_along,
)


def l2(config: ResidualPenalty, model: nn.Module, x: Tensor, step: int = 0) -> float:
    y = torch.zeros(x.shape[0], dtype=torch.long)
    return ResidualLoss(config)(model, x, y, KeyedRng(0, step))["residual"].item()


def small_mlp(activation: str = "tanh") -> nn.Module:
    return seeded(lambda: read(TimeChannel(mlp(8, 2, (3,), 2, activation=activation, time=True).network())))


def small_convnet(activation: str = "tanh") -> nn.Module:
    return seeded(lambda: read(TimeChannel(convnet(4, 2, (1, 4, 4), 2, activation=activation, time=True).network())))


@pytest.mark.parametrize(
    ("solution", "of"), [(Wave((1.0, 2.0), 0.7), "logits"), (HalfSpace((1.5, -0.5)), "probabilities")]
)
def test_an_exact_solution_has_no_residual(solution: nn.Module, of: str) -> None:
    x, _ = points(40, 2)
    exact = l2(residual(estimator="exact", of=of), read(solution), x)
    assert exact < 1e-28
    assert l2(residual(estimator="exact", of=of, diffusivity=NU + 0.1), read(solution), x) > 1e-4


def test_the_mean_of_second_differences_is_a_gaussian_average() -> None:
    h, k, at = 1.0, 1.0, 0.8
    config = residual(estimator="unbiased", h=h, jitter=0.0, times=(0.5,), derivative="forward")
    x = torch.full((500, 1), at, dtype=torch.float64)
    value = math.exp(-NU * k**2 * 0.5) * math.sin(k * at)
    expected = NU * value * (-(k**2) + 2.0 / h**2 * (1.0 - math.exp(-(h**2) * k**2 / 2.0)))
    found = [l2(config, read(Wave((k,))), x, step) for step in range(200)]
    assert deviation(found, expected**2) < SIGMAS
    assert deviation(found, 0.0) > SIGMAS


@pytest.mark.parametrize("probes", [1, 3])
def test_the_bias_of_squared_probes_is_the_hessian(probes: int) -> None:
    matrix = torch.tensor([[1.0, 0.5], [0.5, -0.4]], dtype=torch.float64)
    model, x = read(Quadratic(matrix)), torch.zeros(200, 2, dtype=torch.float64)
    trace, norm = float(matrix.trace()), float(matrix.square().sum())
    square, bias = (NU * trace) ** 2, NU**2 * 2.0 * norm / probes

    def found(estimator: str) -> list[float]:
        config = residual(estimator=estimator, probes=probes, times=(0.0,))
        return [l2(config, model, x, step) for step in range(200)]

    assert deviation(found("biased"), square + bias) < SIGMAS
    assert deviation(found("biased"), square) > SIGMAS
    assert deviation(found("unbiased"), square) < SIGMAS
    assert abs(l2(residual(estimator="exact"), model, x) - square) < 1e-15


def test_central_differences_in_time_converge_with_order_two() -> None:
    model, (x, _) = small_mlp(), points(10, 3)
    forward = l2(residual(), model, x)
    errors = [abs(l2(residual(derivative="central", tau=tau), model, x) - forward) for tau in (0.1, 0.05)]
    assert 3.7 < errors[0] / errors[1] < 4.3
    assert abs(l2(residual(derivative="central", tau=1e-5), model, x) - forward) < 1e-9 * forward


@pytest.mark.parametrize("estimator", ["biased", "unbiased", "exact"])
@pytest.mark.parametrize("make", [small_mlp, small_convnet])
@pytest.mark.parametrize("of", ["probabilities", "logits"])
def test_gradients_by_the_weights(make: object, estimator: str, of: str) -> None:
    model = make()  # type: ignore[operator]
    x, y = points(6, *((3,) if make is small_mlp else (1, 4, 4)))
    loss = ResidualLoss(residual(estimator=estimator, of=of))
    backward, difference = slope_along(lambda: sum(loss(model, x, y, KeyedRng(0, 0)).values()), model)
    assert backward == pytest.approx(difference, rel=1e-6)


def test_resnet20_has_the_derivatives_of_its_own_differences() -> None:
    model = seeded(lambda: read(TimeChannel(resnet(20, (1, 8, 8), 2, time=True).network()))).eval()
    x, _ = points(4, 1, 8, 8)
    forward, central = (l2(residual(derivative=d, tau=1e-8), model, x) for d in ("forward", "central"))
    assert forward == pytest.approx(central, rel=1e-6)


def test_one_batch_gives_one_set_of_statistics() -> None:
    """In training the residual is that of the network in evaluation with the statistics of the batch as its own."""
    model, (x, _) = small_convnet(), points(6, 1, 4, 4)
    norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = 1.0
    trained = l2(residual(), model, x)
    assert [int(norm.num_batches_tracked) for norm in norms] == [1] * len(norms)
    size = 2 * 4 * 6 * 2 * 2  # times, points, samples, plane
    for norm in norms:
        norm.running_var.mul_((size - 1) / size)  # type: ignore[union-attr, operator]
    assert l2(residual(), model.eval(), x) == pytest.approx(trained, rel=1e-10)


def test_loss_of_a_batch_is_the_mean_over_its_halves() -> None:
    model, (x, y) = small_mlp(), points(48, 3)
    for estimator in ("biased", "unbiased", "exact"):
        loss = ResidualLoss(residual(estimator=estimator))
        whole = loss(model, x, y, KeyedRng(3, 5))
        parts = [loss(model, x[rows], y[rows], KeyedRng(3, 5, rows.start)) for rows in (slice(0, 12), slice(12, 48))]
        for name, value in whole.items():
            mean = 0.25 * parts[0][name] + 0.75 * parts[1][name]
            assert mean.item() == pytest.approx(value.item(), rel=1e-12)


def test_one_time_of_each_sample_has_the_mean_of_all_times() -> None:
    model, (x, _) = small_mlp(), points(20, 3)
    config = residual(estimator="exact", jitter=0.0, times=(0.0, 0.5, 1.0))
    found = [l2(replace(config, instants=ResidualTimes.ONE), model, x, step) for step in range(200)]
    assert deviation(found, l2(config, model, x)) < SIGMAS
    assert deviation(found, l2(residual(estimator="exact", jitter=0.0, times=(1.0,)), model, x)) > SIGMAS


def test_the_cross_entropy_is_the_mean_over_the_times() -> None:
    model, (x, y) = small_mlp(), points(5, 3)
    found = ResidualLoss(residual())(model, x, y, KeyedRng(0, 0))["cross_entropy"]
    scores = torch.cat([model.network(x, t) for t in (0.0, 1.0)])  # type: ignore[operator]
    assert found.item() == pytest.approx(nn.functional.cross_entropy(scores, y.repeat(2)).item(), rel=1e-12)


def test_mixed_precision_does_not_enter_differences() -> None:
    model, (x, y) = small_mlp().float(), points(5, 3)
    plain = ResidualLoss(residual())(model, x.float(), y, KeyedRng(0, 0))
    with torch.autocast("cpu", torch.bfloat16):
        assert ResidualLoss(residual())(model, x.float(), y, KeyedRng(0, 0)) == plain


def test_meta_tensors() -> None:
    model = small_convnet().to("meta")
    x, y = torch.empty(6, 1, 4, 4, dtype=torch.float64, device="meta"), torch.empty(6, dtype=torch.long, device="meta")
    terms = ResidualLoss(residual())(model, x, y, KeyedRng(0, 0))
    assert set(terms) == {"cross_entropy", "residual", "accuracy"}
    assert all(term.shape == () for term in terms.values())


def test_the_global_generator_is_unchanged() -> None:
    before = torch.get_rng_state()
    l2(residual(), small_mlp(), points(5, 3)[0])
    assert torch.equal(torch.get_rng_state(), before)


def test_networks_without_exact_laplacian_or_time_are_refused() -> None:
    with pytest.raises(ValueError, match="dimensions, got 784"):
        l2(residual(estimator="exact"), read(nn.Identity()), torch.zeros(1, 1, 28, 28))
    with pytest.raises(ValueError, match="this one has 0"):
        l2(residual(), nn.Linear(2, 2), torch.zeros(1, 2))
