"""Derivatives as rows against those of autograd."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.runtime.activations import ActivationLayer
from pdedsl.runtime.diff.forward_laplacian.batch_layout import DerivativeLayout
from pdedsl.runtime.diff.forward_laplacian.jets import BatchJet, jet_values, make_jet
from training.losses.exact import NU, points, seeded

DIMENSION = 3


def derivatives(model: Callable[[Tensor], Tensor], x: Tensor) -> tuple[Tensor, Tensor]:
    """(∂_i, Δ) of every row: (d, n, classes), (n, classes)."""

    def row(at: Tensor) -> Tensor:
        return model(at.unsqueeze(0)).squeeze(0)

    first = torch.func.vmap(torch.func.jacrev(row))(x)
    second = torch.func.vmap(torch.func.jacrev(torch.func.jacrev(row)))(x)
    return first.movedim(-1, 0), second.diagonal(dim1=-2, dim2=-1).sum(-1)


def jet_of(x: Tensor, start: int, stop: int, operator: bool) -> BatchJet:
    rows = stop - start
    lines = torch.eye(DIMENSION, dtype=x.dtype).reshape(DIMENSION, 1, DIMENSION).expand(-1, rows, -1).flatten(0, 1)
    tangent = torch.cat([lines, torch.zeros(rows if operator else 0, DIMENSION, dtype=x.dtype)])
    return make_jet(x, tangent, DerivativeLayout(start, stop, DIMENSION, operator, NU))


def check(model: Callable[[Tensor], Tensor]) -> None:
    x = points(7, DIMENSION)[0] - 0.5
    first, laplacian = derivatives(model, x[2:6])
    for operator in (False, True):
        found = model(jet_of(x, 2, 6, operator))
        assert isinstance(found, BatchJet)
        torch.testing.assert_close(jet_values(found), model(x), rtol=1e-12, atol=1e-14)
        lines, last = found.frame.split(found.tangent)
        torch.testing.assert_close(lines.reshape(first.shape), first, rtol=1e-10, atol=1e-12)
        if operator:
            torch.testing.assert_close(last, -NU * laplacian, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
def test_every_activation(name: str) -> None:
    check(
        seeded(
            lambda: nn.Sequential(
                nn.Linear(DIMENSION, 5), ActivationLayer(name), nn.Linear(5, 4), ActivationLayer(name)
            )
        )
    )


@pytest.mark.parametrize(
    "formula",
    [
        lambda x: x * x.sin(),
        lambda x: 2.0 / (3.0 + x),
        lambda x: 1.0 - x.square(),
        lambda x: (x - 0.1).div(0.3).softmax(-1),
        lambda x: torch.cat([x, x[:, :1] * x], 1).log_softmax(1),
        lambda x: x.reshape(x.shape[0], DIMENSION, 1).expand(-1, -1, 2).flatten(1).tanh(),
        lambda x: torch.cat([x, torch.ones(x.shape[0], 1, dtype=x.dtype)], 1).sin(),
        lambda x: torch.add(x, x.square(), alpha=0.5),
        lambda x: functional.elu(x.sin(), inplace=True),
        lambda x: (x + 1.0).mul_(2.0).square_(),
    ],
)
def test_formulas(formula: Callable[[Tensor], Tensor]) -> None:
    check(formula)


def test_assignments() -> None:
    def formula(x: Tensor) -> Tensor:
        y = x.sin()
        y += x
        y *= x
        return y

    check(formula)


def test_functions_that_torch_differentiates_once() -> None:
    def formula(x: Tensor) -> Tensor:
        return functional.layer_norm(x, (DIMENSION,))

    x = points(4, DIMENSION)[0]
    found = formula(jet_of(x, 0, 4, False))
    assert isinstance(found, BatchJet)
    first, _ = derivatives(formula, x)
    torch.testing.assert_close(found.tangent.reshape(first.shape), first, rtol=1e-10, atol=1e-12)
    with pytest.raises(ValueError, match="the forward Laplacian does not support layer_norm"):
        formula(jet_of(x, 0, 4, True))


def test_layers_that_mix_rows_are_refused() -> None:
    x = jet_of(points(4, DIMENSION)[0], 0, 4, False)
    with pytest.raises(ValueError, match="row by row, and sum does not"):
        x.sum()
