"""Inputs, labels and logits of any valid form are accepted; invalid ones raise ValueError."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import pdedsl
from pdedsl import attacks, certificates

SOURCE = torch.Generator().manual_seed(0)
X, WEIGHT = torch.rand(12, 4, generator=SOURCE), torch.randn(2, 4, generator=SOURCE)


def model(x: Tensor) -> Tensor:
    return (x - 0.5) @ WEIGHT.to(x).T


Y = model(X).argmax(1)


def hits(x: Tensor = X, y: Tensor = Y, network: Callable[[Tensor], Tensor] = model) -> tuple[int, int]:
    report = pdedsl.evaluate(network, x, y, "attack fgsm(eps=0.05)")
    return report.clean.accuracy.k, report.robust[0].accuracy.k


def exact(eps: float = 0.05) -> int:
    """Robust in the ℓ∞ ball of radius ε where the logit margin exceeds ε‖w₀ − w₁‖₁."""
    scores = model(X)
    return int(((scores[:, 0] - scores[:, 1]).abs() > eps * (WEIGHT[0] - WEIGHT[1]).abs().sum()).sum())


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8, torch.bool, torch.int64])
def test_labels_of_any_integer_dtype(dtype: torch.dtype) -> None:
    assert hits(y=Y.to(dtype)) == (12, exact())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_inputs_of_any_floating_dtype(dtype: torch.dtype) -> None:
    x = X.to(dtype)
    assert pdedsl.evaluate(model, x, model(x).argmax(1), "attack pgd(eps=9, steps=2)").robust[0].accuracy.k == 0


def test_inputs_with_graph_strides_and_inference_mode() -> None:
    """Requires grad, non-contiguous, created in inference mode, attacked under no_grad."""
    assert hits(X.clone().requires_grad_()) == hits(X.T.contiguous().T) == (12, exact())
    with torch.inference_mode():
        assert hits(X.clone(), Y.clone()) == (12, exact())
    with torch.no_grad():
        assert hits() == (12, exact())


def test_frozen_network_in_training_mode() -> None:
    """Batch norm uses and preserves its running statistics, and dropout is off."""
    network = (
        nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 2, bias=False), nn.Dropout(0.9)).train().requires_grad_(False)
    )
    with torch.no_grad():
        network[0].running_mean.fill_(0.5)
        network[0].running_var.fill_(1.0 - network[0].eps)
        network[1].weight.copy_(WEIGHT)
    assert hits(network=network) == (12, exact())
    assert network[0].training
    assert torch.equal(network[0].running_mean, torch.full((4,), 0.5))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hits(y=Y + 5), "out of range"),
        (lambda: hits(y=Y - 1), "labels must be at least 0"),
        (lambda: hits(y=Y[:5]), r"y shape \(n,\)"),
        (lambda: hits(y=Y.float()), "y integer"),
        (lambda: hits(X[:0], Y[:0]), "at least one sample"),
        (lambda: hits(X * torch.nan), "NaN or infinite"),
        (lambda: hits(network=lambda x: model(x)[:, :1]), r"torch.stack\(\[-s / 2, s / 2\], 1\)"),
        (lambda: hits(network=lambda x: model(x)[:, 0]), "at least two classes"),
        (lambda: hits(network=lambda x: (model(x), 1)), "found tuple"),  # type: ignore[arg-type,return-value]
        (lambda: hits(network=lambda x: model(x).long()), "found torch.int64"),
        (lambda: pdedsl.evaluate(model, X, Y, seeds=0), "at least one seed"),
        (lambda: attacks.pgd(model, X, Y, eps=-0.1), "eps must be a nonnegative number"),
        (lambda: attacks.ddn(model, X, Y, eps=float("nan")), "eps must be a nonnegative number"),
        (lambda: attacks.audit(model, X[:0], Y[:0], eps=0.1), "at least one sample"),
        (lambda: certificates.gaussian(model, X, sigma=0.1, alpha=2.0), r"alpha in \(0, 1\)"),
        (lambda: certificates.gaussian_at(model, X, sigma=0.1, radii=0.1, alpha=0.0), r"alpha in \(0, 1\)"),
        (lambda: certificates.gaussian(lambda x: x[:, 0], X, sigma=0.1), "at least two classes"),
    ],
)
def test_invalid_inputs_raise(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_single_logit_as_suggested() -> None:
    def single(x: Tensor) -> Tensor:
        scores = model(x)
        s = scores[:, 1] - scores[:, 0]
        return torch.stack([-s / 2, s / 2], 1)

    assert hits(network=single) == (12, exact())


def test_audit_of_a_single_class() -> None:
    """A single class without a box constraint is no evidence of gradient masking."""
    x = X[Y[0] == Y]
    found = attacks.audit(model, x, Y[Y[0] == Y], eps=0.01, steps=5, queries=5)
    assert not found.masked, found.verdict
