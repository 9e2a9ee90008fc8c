"""`vector, divergence_free` from spec text: ∇·v = 0 to round-off for every weight."""

from __future__ import annotations

import copy
import math
import pickle

import pytest
import torch
from texts import compiled, fresh
from torch import Tensor, nn

import pdedsl
from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps

SPACES = {"(x, y) in R^2": "x, y", "(x, y, z) in R^3": "x, y, z", "x in R^4": "x", "x in R^2": "x"}


def text(space: str, arguments: str, kind: str = "vector, divergence_free") -> str:
    names = SPACES[space]
    at = names if names == "x" else f"[{names}]"
    return f"""pde Swirl
space {space}
time t in [0, 1]
unknown u({names}, t) : simplex(2)
learn v({arguments}) : {kind} = mlp(width=8, depth=2)
learn W : operator = linear
∂u/∂t = v·∇u
u({names}, 0) = softmax(W {at})
realize time by rk4(steps=3)
"""


def field_of(module: nn.Module) -> nn.Module:
    (march,) = [m for m in module.modules() if isinstance(m, CharacteristicSteps)]
    assert isinstance(march.field, nn.Module)
    return march.field


def divergence(field: nn.Module, point: Tensor) -> tuple[float, float]:
    jacobian = torch.autograd.functional.jacobian(lambda p: field(p, 0.3), point)
    return float(jacobian.trace().abs()), float(jacobian.norm())


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("timed", [False, True])
def test_no_divergence_whatever_the_weights(space: str, timed: bool) -> None:
    of = text(space, SPACES[space] + ", t" * timed)
    dimension = compiled(of).spec.space.dimension
    for module in (compiled(of).module(), fresh(of).model()):
        for seed in range(5):
            torch.manual_seed(seed)
            for parameter in module.double().parameters():
                nn.init.normal_(parameter)
            found, size = divergence(field_of(module), torch.randn(dimension, dtype=torch.float64))
            assert size > 0.05
            assert found <= 1e-14 * max(1.0, size)


def test_without_the_word_there_is_divergence() -> None:
    plain = text("(x, y) in R^2", "x, y", "vector")
    found, _ = divergence(field_of(compiled(plain).module().double()), torch.randn(2, dtype=torch.float64))
    assert found > 1e-3


@pytest.mark.parametrize("arguments", ["x", "y, t"])
def test_a_field_that_reads_one_coordinate(arguments: str) -> None:
    """ψ(x) gives the shear v = (0, -ψ′(x))."""
    field = field_of(compiled(text("(x, y) in R^2", arguments)).module().double())
    points = torch.randn(5, 2, dtype=torch.float64)
    assert (field(points, 0.1)[:, 0 if arguments == "x" else 1] == 0).all()
    assert field(points, 0.1).abs().max() > 1e-3
    assert divergence(field, points[0])[0] <= 1e-14


def test_areas_are_kept() -> None:
    """The flow of a divergence-free field has a Jacobian of determinant 1; RK4 keeps it to the fourth order."""
    of, defects = text("(x, y) in R^2", "x, y, t"), []
    for steps in (4, 8):
        torch.manual_seed(3)
        module = compiled(of.replace("steps=3", f"steps={steps}")).module().double()
        for parameter in field_of(module).parameters():
            nn.init.normal_(parameter)
        (march,) = [m for m in module.modules() if isinstance(m, CharacteristicSteps)]
        jacobian = torch.autograd.functional.jacobian(lambda p, m=march: m(p[None])[0], torch.ones(2).double() / 3)
        defects.append(abs(float(torch.linalg.det(jacobian)) - 1))
    assert math.log2(defects[0] / defects[1]) > 3.5


def test_an_ordinary_module() -> None:
    of = text("(x, y) in R^2", "x, y, t")
    module, points = compiled(of).module().double().eval(), torch.randn(4, 2, dtype=torch.float64)
    field = field_of(module)
    assert torch.allclose(field(points.reshape(2, 2, 2), 0.2).reshape(4, 2), field(points, 0.2), rtol=1e-12)
    with torch.no_grad():
        expected = module(points)
        assert not expected.requires_grad
        assert torch.equal(copy.deepcopy(module)(points), expected)
        assert torch.equal(pickle.loads(pickle.dumps(module))(points), expected)
    module(points).square().sum().backward()
    moved = [p for name, p in module.named_parameters() if not name.endswith("network.4.bias")]
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in moved)  # a constant in ψ moves nothing


def test_on_the_line_there_is_none() -> None:
    line = text("(x, y) in R^2", "x, y").replace("(x, y) in R^2", "x in R").replace("x, y", "x").replace("[x]", "x")
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(line)
    assert [d.code for d in found.value.diagnostics] == ["E604"]
