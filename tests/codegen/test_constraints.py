"""Properties of types hold for all weights, and constraints of training hold after every step, or are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from texts import built, compiled, fresh, known, learned, picture
from torch import Tensor, nn

import pdedsl
from pdedsl.runtime.linear_operators import DenseOperator
from pdedsl.runtime.weight_constraints import BoxConstraint, SpectralNormBound
from pdedsl.testing.operators import operator_of

F64 = torch.float64
V = "learn v(x, y, t) : vector = mlp(width=8, depth=2)"
PLAIN = learned("∂u/∂t = v·∇u", V)
BOUND = PLAIN.replace("W : operator =", "W : operator, ‖W‖ ≤ 0.01 =")
IMAGE = picture("∂u/∂t = v·∇u", net="mlp(width=8, depth=1)")
MANY = """pde Many
space x in R^20
time t in [0, 1]
unknown u(x, t) : simplex(2)
{declared}
learn W : operator = linear
{equation}
u(x, 0) = softmax(W x)
"""


def trained(*boxes: str) -> str:
    return (
        PLAIN
        + f"train {{\n  data moons(train=64, test=32)\n  steps 20\n  batch 32\n  constrain {', '.join(boxes)}\n}}\n"
    )


def loud(network: nn.Module) -> nn.Module:
    """With weights that no constraint likes."""
    torch.manual_seed(7)
    for parameter in network.parameters():
        nn.init.normal_(parameter, std=10.0)
    return network


def readout(network: nn.Module) -> DenseOperator:
    (found,) = [m for m in network.modules() if isinstance(m, DenseOperator)]
    return found


# ---- ‖W‖ ≤ c


@pytest.mark.parametrize("text", [BOUND, BOUND.replace("‖W‖ ≤", "norm(W) <=")], ids=["unicode", "ascii"])
def test_the_norm_of_a_readout_for_every_weight(text: str) -> None:
    """The map from features to outputs is a matrix, evaluated on the unit vectors."""
    for network in (loud(built(text)), loud(fresh(text).model().double())):
        network.requires_grad_(False)
        head = readout(network)
        assert head.constraint == SpectralNormBound(0.01)
        matrix = head(torch.eye(2, dtype=F64)).mT
        assert torch.linalg.svdvals(matrix)[0] <= 0.01
        assert float(torch.linalg.svdvals(matrix)[0]) == pytest.approx(0.01)
        x = torch.randn(5, 2, dtype=F64)
        torch.testing.assert_close(network(x), network[0](x) @ matrix.mT)  # type: ignore[index]


def test_the_norm_of_a_readout_on_images_and_in_members() -> None:
    noisy = BOUND.replace("v·∇u", "v·∇u + 0.1 Δu") + "realize diffusion by noise(members=3, samples=2)\n"
    network = loud(built(noisy))
    heads = [m for m in network.modules() if isinstance(m, DenseOperator)]
    assert len(heads) == 3
    image = loud(built(IMAGE.replace("W : operator =", "W : operator, ‖W‖ ≤ 0.01 =")))
    for head in (*heads, readout(image)):
        assert torch.linalg.svdvals(head.constrained_weight())[0] <= 0.01


def test_a_bounded_readout_is_the_readout_of_the_tests() -> None:
    """They replace the last linear map of a network, which this is."""
    made = operator_of(compiled(IMAGE.replace("W : operator =", "W : operator, ‖W‖ ≤ 0.01 =")), weights=0)
    x = torch.randn(3, 1, 8, 8, dtype=F64)
    assert made.dimension == 64
    torch.testing.assert_close(made(lambda f: f[:, 0] * 0 + 7, x, 1.0), torch.full((3,), 7.0, dtype=F64))


def test_without_a_constraint_nothing_changes() -> None:
    assert "nn.Linear(2, 2, bias=False)" in compiled(PLAIN).python()


# ---- boxes


def test_a_box_is_kept_in_training(tmp_path: Path) -> None:
    run = pdedsl.train(trained("W in [-0.01, 0.01]"), tmp_path / "a")
    head = readout(run.module)
    assert head.weight.abs().max() <= 0.01
    assert head.weight.abs().max() == torch.tensor(0.01)  # it is the box that stops it
    free = pdedsl.train(trained("W in [-9, 9]"), tmp_path / "b")
    assert readout(free.module).weight.abs().max() > 0.1


def test_several_boxes_are_their_intersection() -> None:
    text = trained("W in [-1, 1]", "W in [0, 2]", "W in [-3, 0.5]")
    assert readout(built(text)).constraint == BoxConstraint(0, 0.5)
    assert "BoxConstraint(0.0, 0.5)" in compiled(text).python()
    assert (readout(built(text)).weight >= 0).all()  # from the start


def mistake(text: str) -> tuple[str, str, str, str]:
    """Code, marked text, message and hint of the only error."""
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(text)
    (one,) = found.value.diagnostics
    assert found.value.source is not None
    return one.code, found.value.source.text[one.span.start : one.span.end], one.message, one.hint


OTHER = trained("K in [-1, 1]").replace("learn W :", "learn K : operator = linear\nlearn W :")
RESNET = picture("∂u/∂t = v·∇u") + "train {\n  data digits\n  epochs 1\n  constrain W in [-1, 1]\n}\n"
TIMED = """pde Split
space x in R^2
time t in [0, 2]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp(width=8, depth=2)
learn W : operator, ‖W‖ ≤ 1 = linear
∂u/∂t = v·∇u for t in [0, 1]
∂u/∂t = 0.1 Δu for t in [1, 2]
u(x, 0) = softmax(W x)
realize diffusion by residual(weight=0.1)
"""
# Code, the words that are marked, a part of the message, and the text.
REFUSED = {
    "boxes apart": ("E610", "W in [2, 3]", "are disjoint", trained("W in [-1, 1]", "W in [2, 3]")),
    "a box and a bound": (
        "E610",
        "learn W",
        "both",
        trained("W in [-1, 1]").replace("W : operator", "W : operator, ‖W‖ ≤ 1"),
    ),
    "a box constraint on an unused operator": ("E610", "K in [-1, 1]", "not part of the network", OTHER),
    "a box inside a resnet": ("E610", "W in [-1, 1]", "has its own readout", RESNET),
    "a bound inside a resnet": (
        "E610",
        "learn W : operator, ‖W‖ ≤ 1",
        "has its own readout",
        picture("∂u/∂t = v·∇u").replace("W : operator", "W : operator, ‖W‖ ≤ 1"),
    ),
    "a bound inside a trained network": ("E610", "learn W", "has its own readout", TIMED),
    "a convolution": ("E604", "learn W : operator = conv(3)", "logits", IMAGE.replace("= linear", "= conv(3)")),
    "a readout in time": ("E604", "learn W(t)", "applied once", PLAIN.replace("learn W :", "learn W(t) :")),
    "a factor": ("E604", "softmax(2 W [x, y])", "logits", PLAIN.replace("softmax(W", "softmax(2 W")),
    "an adjoint": ("E604", "softmax(Wᵀ [x, y])", "logits", PLAIN.replace("softmax(W", "softmax(Wᵀ")),
    "features": ("E604", "softmax(W [sin(x), y])", "logits", PLAIN.replace("[x, y]", "[sin(x), y]")),
    "another order": ("E604", "softmax(W [y, x])", "logits", PLAIN.replace("[x, y]", "[y, x]")),
    "one coordinate": ("E604", "softmax(W x)", "logits", PLAIN.replace("[x, y]", "x")),
    "known logits": ("E604", "softmax([x, y])", "logits", PLAIN.replace("W [x, y]", "[x, y]")),
    "a mixture": (
        "E604",
        "softmax(W [x, y]) / 2",
        "no network",
        PLAIN.replace("softmax(W [x, y])", "softmax(W [x, y]) / 2 + softmax(U [x, y]) / 2")
        + "learn U : operator = linear\n",
    ),
    "a base elsewhere": (
        "E604",
        "b(-x, y)",
        "must be evaluated at the end",
        PLAIN.replace("softmax(W [x, y])", "b(-x, y)") + "learn b(x, y) : simplex(2) = mlp\n",
    ),
    "a base of images": (
        "E604",
        "learn b",
        "images",
        PLAIN.replace("softmax(W [x, y])", "b(x, y)") + "learn b(x, y) : simplex(2) = resnet(depth=20)\n",
    ),
    "a base behind a resnet": (
        "E604",
        "b(x)",
        "already outputs logits",
        picture("∂u/∂t = v·∇u").replace("softmax(W x)", "b(x)") + "learn b(x) : simplex(3) = mlp\n",
    ),
    "a divergence of three components": (
        "E604",
        "divergence_free",
        "components",
        learned("∂u/∂t = b₁ ∂u/∂x", "learn b(x, y) : vector(3), divergence_free = mlp"),
    ),
    "a second branch": (
        "E604",
        "learn g",
        "divergence-free",
        picture("∂u/∂t = ½ (v + g)·∇u + 0.1 Σᵢ Σⱼ (vᵢ - gᵢ)(vⱼ - gⱼ) ∂²u/∂xᵢ∂xⱼ")
        + "learn g(x, t) : vector, divergence_free = resnet(depth=20)\n",
    ),
    "a known equation on images": (
        "E606",
        "space",
        "R^d",
        known("∂u/∂t = -x·∇u", data="u(x, 0) = 1")
        .replace("(x, y) in R^2", "x in image(1, 2, 2)")
        .replace("u(x, y,", "u(x,"),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_infeasible_constraints_are_rejected(name: str) -> None:
    code, marked, words, text = REFUSED[name]
    found, place, message, hint = mistake(text)
    assert found == code
    assert marked in place
    assert words in message
    assert hint


# ---- fields


def test_a_symmetric_matrix_of_many_dimensions() -> None:
    """⟨A x, y⟩ = ⟨x, A y⟩, for a field and for a parameter; without the promise it is not so."""
    equation = "∂u/∂t = (A x)·∇u"
    for declared, symmetric in (
        ("learn A(x) : matrix, symmetric = mlp(width=8, depth=1)", True),
        ("learn A : matrix, symmetric", True),
        ("learn A(x) : matrix = mlp(width=8, depth=1)", False),
    ):
        network = loud(built(MANY.format(declared=declared, equation=equation)))
        (matrix,) = [m for m in network.modules() if type(m).__name__ in ("MatrixField", "LearnedConstant")]
        values: Tensor = matrix(torch.randn(3, 20, dtype=F64), 0.0)
        assert torch.equal(values, values.mT) == symmetric


@pytest.mark.parametrize("declared", ["b(x, y) : vector(3) = mlp(width=4, depth=1)", "b : vector(3)"])
def test_a_vector_has_the_size_of_its_type(declared: str) -> None:
    """Whichever of its components are the drift."""
    for equation in ("∂u/∂t = b₃ ∂u/∂x + b₁ ∂u/∂y", "∂u/∂t = b₁ ∂u/∂x + b₂ ∂u/∂y"):
        network = built(learned(equation, f"learn {declared}"))
        assert network(torch.randn(4, 2, dtype=F64)).shape == (4, 2)
