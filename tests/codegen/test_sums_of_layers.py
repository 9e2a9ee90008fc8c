"""Right-hand sides of several terms: symmetric layers, learned fields and a linear reaction."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch
from texts import compiled, fresh
from torch import Tensor, nn

from pdedsl.codegen.program import run_function
from pdedsl.compiler import Compilation
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.ode.reversible import has_symmetric_vjp
from pdedsl.runtime.pde_blocks import PdeBlock
from pdedsl.testing import axioms
from pdedsl.testing.model import under_test
from pdedsl.training.losses.weight_penalty import smooth_in_time

K = "learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)"
L = "learn L : operator, ‖L‖ ≤ 1 = conv(3)"
FREE = "learn K(t) : operator = conv(3)\nlet N = tv_norm(eps=1e-3)"
F = "learn f(Y, t) : channels = convnet(layers=1, activation=tanh)"
PAIR = "unknown Z(x, t) : channels\nlearn f(Z, t) : channels = convnet(layers=1)\nlearn K(t) : operator = conv(3)"
FRAME = "network {\n  input image(1, 8, 8)\n  open 4\n  stages [4]\n  classes 2\n}"


def text(equation: str, declared: str, method: str = "euler(steps=4)", end: str = "2") -> str:
    head = f"pde Sums\nspace x in pixels\ntime t in [0, {end}]\nunknown Y(x, t) : channels\nconst λ = 1/2"
    rest = "∂Y/∂t(x, 0) = 0\n" if "∂²Y" in equation else ""
    return f"{head}\n{declared}\n{equation}\n{rest}realize time by {method}\n{FRAME}\n"


def block(of: str, width: int = 4, seed: int = 0) -> PdeBlock:
    torch.manual_seed(seed)
    made: PdeBlock = run_function(compiled(of).program, "block", width=width).double()
    return made


def states(width: int = 4, seed: int = 1) -> Tensor:
    return torch.randn(2, width, 5, 6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


# ---- values


def test_euler_of_two_layers_and_a_reaction() -> None:
    made, y = block(text("∂Y/∂t = -Kᵀ tanh(K Y) - 3 Lᵀ relu(L Y) - λ Y", f"{K}\n{L}")), states()
    k, l = made.right_hand_sides()  # noqa: E741
    expected = y
    for j in range(4):
        first, second = k.layer(j).operator, l.layer(j).operator
        push = -first.adjoint(first(expected).tanh()) - 3 * second.adjoint(second(expected).relu()) - expected / 2
        expected = expected + push / 2
    assert len(k.layers) == 4  # K(t) has weights for each step, L one set
    assert l.layer(0) is l.layer(3)
    assert torch.allclose(made(y), expected, rtol=1e-12)


@pytest.mark.parametrize("method", ["euler(steps=4)", "heun(steps=4)", "rk4(steps=4)", "dopri5(rtol=1e-9, atol=1e-9)"])
def test_a_multiple_of_a_learned_field_and_a_reaction(method: str) -> None:
    """The sum in one layer, by the same method: c f - λ Y with the weights of f."""
    made, y = block(text("∂Y/∂t = -2 f(Y, t) - λ Y", F, method)), states()
    parts = made.right_hand_sides()

    def field(step: int, t: float | Tensor, z: Tensor) -> Tensor:
        return parts[0].layer(step)(t, z) - z / 2

    network = parts[0].layer(0)
    assert torch.equal(network(0.3, y), -2 * network.of(0.3, y))
    assert torch.allclose(made(y), made.integrator.integrate(field, y, made.steps), rtol=1e-10)


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("heun", 2), ("rk4", 4)])
def test_decay_has_the_order_of_its_method(method: str, order: int) -> None:
    y = states()
    made = [block(text("∂Y/∂t = -λ Y", "", f"{method}(steps={n})")) for n in (8, 16, 32)]
    errors = [float((b(y) - math.exp(-1) * y).abs().max()) for b in made]
    for coarse, fine in pairwise(errors):
        assert math.log2(coarse / fine) == pytest.approx(order, abs=0.1)


def test_decay_by_an_adaptive_method() -> None:
    y = states()
    for reaction, factor in (("- λ Y", math.exp(-1)), ("+ λ Y", math.e)):
        made = block(text(f"∂Y/∂t = -Kᵀ tanh(K Y) {reaction}", K.replace("(t)", ""), "dopri5(rtol=1e-9, atol=1e-9)"))
        nn.init.zeros_(made.right_hand_sides()[0].layer(0).operator.weight)
        assert torch.allclose(made(y), factor * y, rtol=1e-7)


@torch.no_grad()
def test_a_swinging_reaction_has_order_two() -> None:
    """Y″ = -λY from rest: cos(√λ t)."""
    y, errors = states(), []
    for n in (8, 16, 32):
        made = block(text("∂²Y/∂t² = -Kᵀ tanh(K Y) - λ Y", K, f"leapfrog(steps={n})"))
        for module in made.modules():
            if isinstance(module, ConvOperator):
                nn.init.zeros_(module.weight)
        errors.append(float((made(y) - math.cos(math.sqrt(2)) * y).abs().max()))
    assert [math.log2(a / b) for a, b in pairwise(errors)] == pytest.approx([2, 2], abs=0.1)


def test_the_emitted_module_is_the_same() -> None:
    of = text("∂Y/∂t = -Kᵀ tanh(K Y) - 3 Lᵀ relu(L Y) + 2 f(Y, t) - λ Y", f"{K}\n{L}\n{F}")
    ours, written = block(of), fresh(of).block(width=4).double()
    written.load_state_dict(ours.state_dict())
    assert torch.equal(written(states()), ours(states()))


# ---- reversible execution

REVERSIBLE = {
    "second order": text("∂²Y/∂t² = -Kᵀ relu(N(K Y)) - λ Y", FREE, "leapfrog(steps=5)"),
    "second order, bounded": text("∂²Y/∂t² = -Kᵀ tanh(K Y) - Lᵀ tanh(L Y) - λ Y", f"{K}\n{L}", "leapfrog(steps=5)"),
    "second order, learned": text("∂²Y/∂t² = -2 f(Y, t) - λ Y", F, "leapfrog(steps=5)"),
    "pair": text("∂Y/∂t = f(Z, t) + λ Z\n∂Z/∂t = -Kᵀ tanh(K Y) - λ Y", PAIR, "verlet(steps=5)"),
}


def _gradients(made: PdeBlock, y: Tensor, store: bool) -> list[Tensor]:
    made.chain.store = store
    made.zero_grad()
    y = y.clone().requires_grad_()
    (made(y).sin() * torch.linspace(0, 1, y.numel(), dtype=y.dtype).view_as(y)).sum().backward()
    assert y.grad is not None
    return [y.grad, *(p.grad for p in made.parameters() if p.grad is not None)]


@pytest.mark.parametrize("name", REVERSIBLE)
def test_reversible_gradients_equal_autograd(name: str) -> None:
    made, y = block(REVERSIBLE[name]), states()
    ours, plain = (_gradients(made, y, store) for store in (False, True))
    assert len(ours) == len(plain) == 1 + len(list(made.parameters()))
    for a, b in zip(ours, plain, strict=True):
        assert (a - b).abs().max() <= 1e-10 * max(1.0, float(b.abs().max()))
    if name == "second order":  # the written-out product of the layer serves the sum as well
        assert has_symmetric_vjp(made.right_hand_sides()[0].layer(0))


@torch.no_grad()
@pytest.mark.parametrize("name", REVERSIBLE)
def test_sums_run_backwards_at_depth_100(name: str) -> None:
    made, y = block(REVERSIBLE[name].replace("steps=5", "steps=100").replace("[0, 2]", "[0, 6]")), states()
    assert (made(y) - y).abs().max() > 0.1
    assert (made.inverse(*made.last_states(y)) - y).abs().max() < 1e-10


def test_gradcheck() -> None:
    made = block(text("∂Y/∂t = -Kᵀ tanh(K Y) + 3 f(Y, t) - λ Y", f"{K}\n{F}", "heun(steps=2)"), width=2)
    y = torch.randn(1, 2, 2, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda z, *_: made(z), (y, *list(made.parameters())[:1]))


def test_every_part_is_smoothed_in_time() -> None:
    both = block(text("∂Y/∂t = -Kᵀ tanh(K Y) + f(Y, t)", f"{K}\n{F}"))
    k, f = both.right_hand_sides()
    sizes = [sum(p.numel() for p in field.layers[0].parameters()) for field in (k, f)]
    for parameter in both.parameters():
        nn.init.zeros_(parameter)
    # Weights that do not change: √τ for each number, over the three changes of length ½.
    assert smooth_in_time(both, tau=1e-2).item() == pytest.approx(3 * 0.5 * 0.1 * sum(sizes))


# ---- proofs against the search on the compiled block

VERDICTS = {
    "one and a reaction": ("∂Y/∂t = -Kᵀ tanh(K Y) - λ Y", K, "euler(steps=2)", "proved", "proved"),
    "two": ("∂Y/∂t = -Kᵀ relu(K Y) - Lᵀ tanh(L Y)", f"{K}\n{L}", "euler(steps=2)", "proved", "proved"),
    "two and a reaction": (
        "∂Y/∂t = -Kᵀ relu(K Y) - Lᵀ tanh(L Y) - λ Y",
        f"{K}\n{L}",
        "euler(steps=3)",
        "proved",
        "proved",
    ),
    "too long a step": (
        "∂Y/∂t = -Kᵀ relu(K Y) - Lᵀ tanh(L Y) - λ Y",
        f"{K}\n{L}",
        "euler(steps=2)",
        "unknown",
        "unknown",
    ),
    "reaction alone": ("∂Y/∂t = -λ Y", "", "euler(steps=1)", "proved", "proved"),
    "overshooting": ("∂Y/∂t = -3Y", "", "euler(steps=2)", "refuted", "refuted"),
    "growth": ("∂Y/∂t = -Kᵀ tanh(K Y) + λ Y", K, "euler(steps=2)", "refuted", "refuted"),
    "growth by Heun": ("∂Y/∂t = -Kᵀ tanh(K Y) + λ Y", K, "heun(steps=2)", "refuted", "refuted"),
    "tv_norm": ("∂Y/∂t = -Kᵀ relu(N(K Y)) - λ Y", FREE, "euler(steps=2)", "refuted", "refuted"),
    "learned": ("∂Y/∂t = f(Y, t) - λ Y", F, "euler(steps=2)", "unknown", "unknown"),
    "no monotone sum": ("∂Y/∂t = -Kᵀ sin(K Y) - Lᵀ tanh(L Y)", f"{K}\n{L}", "euler(steps=2)", "refuted", "refuted"),
    "sine held by a reaction": ("∂Y/∂t = -Kᵀ sin(K Y) - 4Y", K, "euler(steps=8)", "proved", "proved"),
}


def _compilation(name: str) -> Compilation:
    equation, declared, method, *_ = VERDICTS[name]
    return compiled(text(equation, declared, method))


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts(name: str) -> None:
    found = _compilation(name).analysis.axioms
    assert (found["stability"].truth, found["energy_decay"].truth) == VERDICTS[name][3:]


@pytest.mark.parametrize("name", [name for name in VERDICTS if "unknown" not in VERDICTS[name]])
def test_the_search_agrees(name: str) -> None:
    model = under_test(_compilation(name))
    for axiom in ("stability", "energy_decay"):
        result = axioms.search_for(axiom, model, 15, 0)
        assert result.outcome == {"proved": "passed", "refuted": "violated"}[result.verdict], result


@torch.no_grad()
@pytest.mark.parametrize(("steps", "grows"), [(3, False), (2, True)])
def test_the_bound_of_the_step_is_sharp(steps: int, grows: bool) -> None:
    """K = L = 1 and σ = identity: a step is 1 - δt (1 + 1 + λ), of modulus above 1 once δt (1 + 1 + λ) > 2."""
    equation, method = "∂Y/∂t = -Kᵀ K Y - Lᵀ L Y - λ Y", f"euler(steps={steps})"
    made, y = block(text(equation, "learn K : operator = conv(3)\nlearn L : operator = conv(3)", method)), states()
    for module in made.modules():
        if isinstance(module, ConvOperator):
            module.weight.zero_()
            module.weight[range(4), range(4), 1, 1] = 1.0
    assert torch.allclose(made(y), (1 - 2 / steps * 2.5) ** steps * y)
    assert (made(y).norm() > y.norm()) == grows
    proved = compiled(text(equation, f"{K}\n{L}", method))
    assert (proved.analysis.axioms["stability"].truth == "proved") is not grows
    assert any(d.code == "W401" and "Σ‖K‖² + λ" in d.message for d in proved.spec.warnings) is grows
