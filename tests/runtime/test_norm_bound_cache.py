"""A weight under a norm bound is worked out once per value: the same numbers and gradients as the plain formula."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch
from torch import Tensor, nn

from pdedsl.runtime import weight_constraints
from pdedsl.runtime.linear_operators import ConvOperator, DenseOperator
from pdedsl.runtime.symmetric_layer import SymmetricLayer
from pdedsl.runtime.weight_constraints import BoundedWeight, SpectralNormBound, norm_scale


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[Tensor]:
    """The weights for which the bound was worked out."""
    seen: list[Tensor] = []
    plain = weight_constraints._compute_scale

    def counted(weight: Tensor, bound: float) -> object:
        seen.append(weight)
        return plain(weight, bound)

    monkeypatch.setattr(weight_constraints, "_compute_scale", counted)
    return seen


def weight(size: float = 1.0, shape: tuple[int, ...] = (3, 2, 3, 3)) -> nn.Parameter:
    return nn.Parameter(size * torch.randn(shape, dtype=torch.float64))


@pytest.mark.parametrize("size", [1.0, 1e-3])  # above and below the bound
@pytest.mark.parametrize("shape", [(3, 2, 3, 3), (4, 3)])
def test_value_and_gradient_are_those_of_the_formula(size: float, shape: tuple[int, ...]) -> None:
    w = weight(size, shape)
    product = BoundedWeight()(w, 0.7)
    plain = w * norm_scale(w, 0.7)
    assert torch.equal(product, plain)
    cotangent = torch.randn_like(w)
    (ours,) = torch.autograd.grad(product, w, cotangent)
    (theirs,) = torch.autograd.grad(plain, w, cotangent)
    assert torch.allclose(ours, theirs, rtol=1e-12, atol=1e-14)


def test_derivatives_of_both_orders() -> None:
    w, known = weight(shape=(2, 2, 3, 3)), BoundedWeight()

    def product(values: Tensor) -> Tensor:
        # The check moves the numbers of the parameter itself, which the cache must notice.
        return known(w, 0.7)

    assert torch.autograd.gradcheck(product, w)
    assert torch.autograd.gradgradcheck(product, w)


def test_one_computation_for_many_uses(worked_out: list[Tensor]) -> None:
    layer = SymmetricLayer(ConvOperator(3, constraint=SpectralNormBound(1.0)), "tanh").double()
    x = torch.randn(2, 3, 5, 5, dtype=torch.float64)
    for _ in range(3):  # a graph that was freed does no harm
        (layer(0.0, x) + layer(0.5, layer(0.5, x))).sum().backward()
    with torch.no_grad():
        layer(0.0, x)
    with torch.inference_mode():
        layer(0.0, x)
    layer(0.0, x).sum().backward()
    assert len(worked_out) == 1


def test_every_change_is_noticed(worked_out: list[Tensor]) -> None:
    operator = ConvOperator(3, constraint=SpectralNormBound(0.5)).double()
    optimizer = torch.optim.Adam(operator.parameters(), lr=0.1)

    def by_optimizer() -> None:
        operator(torch.randn(1, 3, 4, 4, dtype=torch.float64)).square().sum().backward()
        optimizer.step()

    changes = (
        by_optimizer,
        lambda: operator.weight.data.mul_(2.0),  # which no version counter sees
        lambda: setattr(operator.weight, "data", torch.randn_like(operator.weight)),
        lambda: operator.load_state_dict({"weight": torch.randn(3, 3, 3, 3)}),
        lambda: operator.float(),
        lambda: setattr(operator, "constraint", SpectralNormBound(0.25)),
    )
    for change in changes:
        operator.constrained_weight()
        before = len(worked_out)
        change()
        bound = operator.constraint.bound
        expected = operator.weight * norm_scale(operator.weight, bound)
        assert torch.equal(operator.constrained_weight(), expected)
        assert len(worked_out) > before


def test_copies_have_caches_of_their_own() -> None:
    operator = ConvOperator(2, constraint=SpectralNormBound(0.5))
    operator.constrained_weight()
    for twin in (copy.deepcopy(operator), pickle.loads(pickle.dumps(operator))):
        assert twin._bounded._known is None
        with torch.no_grad():
            twin.weight.mul_(3)
        assert torch.equal(twin.constrained_weight(), twin.weight * norm_scale(twin.weight, 0.5))
    assert list(operator.state_dict()) == ["weight"]


def test_a_weight_changed_before_backward_is_noticed() -> None:
    operator = ConvOperator(2, constraint=SpectralNormBound(0.5))
    y = operator(torch.randn(1, 2, 4, 4)).sum()
    with torch.no_grad():
        operator.weight.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_export_and_function_transforms() -> None:
    layer = SymmetricLayer(ConvOperator(2, constraint=SpectralNormBound(1.0)), "tanh").double()

    class Step(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, x: Tensor) -> Tensor:
            return x + self.layer(0.0, x)

    step, x = Step(), torch.randn(2, 2, 4, 4, dtype=torch.float64)
    exported = torch.export.export(step, (x,)).module()
    assert torch.allclose(exported(x), step(x), rtol=1e-12)
    singly = torch.func.vmap(lambda row: step(row[None])[0])(x)
    assert torch.allclose(singly, step(x), rtol=1e-12)
    jacobian = torch.func.jacrev(lambda row: step(row[None])[0])(x[0])
    assert torch.allclose(jacobian, torch.autograd.functional.jacobian(lambda row: step(row[None])[0], x[0]))
    weights = dict(step.named_parameters())
    found = torch.func.grad(lambda p: torch.func.functional_call(step, p, (x,)).square().sum())(weights)
    step(x).square().sum().backward()
    assert torch.allclose(found["layer.operator.weight"], layer.operator.weight.grad, rtol=1e-10)


def test_matrices() -> None:
    operator = DenseOperator(4, 3, constraint=SpectralNormBound(0.5)).double()
    assert torch.linalg.matrix_norm(operator.constrained_weight(), 2) <= 0.5 * (1 + 1e-12)
