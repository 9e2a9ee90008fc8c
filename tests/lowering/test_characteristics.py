"""Method of characteristics by every integrator: closed forms, orders of convergence, tolerances, gradients, errors.

The features behind the path are compared, before the readout. Float64.
"""

from __future__ import annotations

import copy
import math

import pytest
import torch
from texts import built, compiled, fresh, known, learned, picture
from torch import Tensor, nn

import pdedsl
from pdedsl.diagnostics import Diagnostic, Source
from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps

F64 = torch.float64
T = 2.0
ROTATION = "let v(x, y) = [-y, x]"
TURN = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=F64)
POINTS = torch.randn(5, 2, generator=torch.Generator().manual_seed(1), dtype=F64)
FORMS = {"0": "∂u/∂t = v·∇u", "2": "∂u/∂t + v·∇u = 0"}  # with initial and with terminal data
ADAPTIVE = ["dopri5", "dopri8", "bosh3", "fehlberg2", "adaptive_heun"]
V = "learn v(x, y, t) : vector = mlp(width=6, depth=2)"
MANY = """pde Many
space x in R^20
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp(width=8, depth=1)
learn a(x, t) : scalar > 0 = mlp(width=8, depth=1)
learn A(t) : matrix, symmetric = mlp(width=8, depth=1)
learn W : operator = linear
∂u/∂t = a sin(t) v·∇u + t² cos(‖x‖²) (A x)·∇u + t x·∇u
u(x, 0) = softmax(W x)
realize time by {method}
"""
FIELDS = """learn v(x, y, t) : vector, divergence_free = mlp(width=8, depth=2)
learn a(x, t) : scalar > 0 = mlp(width=4, depth=1)
learn A(y, t) : matrix, psd = mlp(width=4, depth=1)"""


def text(method: str, at: str = "0", declared: str = ROTATION) -> str:
    return learned(FORMS[at], declared, end="2", at=at, realized=f"realize time by {method}")


def march(spec: str) -> CharacteristicSteps:
    (found,) = [m for m in built(spec).modules() if isinstance(m, CharacteristicSteps)]
    return found


def rotated(angle: float) -> Tensor:
    return POINTS @ torch.linalg.matrix_exp(angle * TURN).mT


# ---- backward Euler: the inverse of I - hA as a series


def series(h: float, terms: int) -> Tensor:
    """I + hA + … + (hA)ⁿ."""
    powers = [torch.linalg.matrix_power(h * TURN, k) for k in range(terms + 1)]
    return torch.stack(powers).sum(0)


@pytest.mark.parametrize("at", FORMS)
@pytest.mark.parametrize("terms", [1, 2, 3, 6])
def test_backward_euler_is_its_series(terms: int, at: str) -> None:
    found = march(text(f"backward_euler(steps=5, terms={terms})", at))(POINTS)
    expected = POINTS @ torch.linalg.matrix_power(series(T / 5, terms), 5).mT
    torch.testing.assert_close(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("terms", [1, 2, 3])
def test_the_series_is_an_implicit_step_of_its_order(terms: int) -> None:
    """A step differs from (I - hA)⁻¹ by hⁿ⁺¹, n terms; from the flow by h², whatever n."""
    eye = torch.eye(2, dtype=F64)
    implicit, flow = [], []
    for steps in (64, 128):
        h = T / steps
        step = march(text(f"backward_euler(steps={steps}, terms={terms})"))
        step.times = step.times[:1]
        found = step(POINTS)
        implicit.append(float((found - POINTS @ torch.linalg.inv(eye - h * TURN).mT).norm()))
        flow.append(float((found - rotated(h)).norm()))
    assert math.log2(implicit[0] / implicit[1]) == pytest.approx(terms + 1, abs=0.05)
    assert math.log2(flow[0] / flow[1]) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("terms", [1, 2, 4])
def test_backward_euler_converges_with_order_one(terms: int) -> None:
    errors = [
        float((march(text(f"backward_euler(steps={steps}, terms={terms})"))(POINTS) - rotated(T)).norm())
        for steps in (200, 400)
    ]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("at", FORMS)
def test_backward_euler_reads_the_end_of_a_step(at: str) -> None:
    """v = e^t x: the first step of initial data, from t = 2, reads v at 2 - h; that of terminal data reads h."""
    found = march(text("backward_euler(steps=2, terms=2)", at, "let v(x, y, t) = [exp(t) x, exp(t) y]"))(POINTS)
    factor = 1.0
    for t in (1.0, 0.0) if at == "0" else (1.0, 2.0):
        factor *= 1 + math.exp(t) + math.exp(t) ** 2
    torch.testing.assert_close(found, factor * POINTS, rtol=1e-13, atol=0)


# ---- adaptive methods


@pytest.mark.parametrize("at", FORMS)
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-9])
def test_dopri5_within_its_tolerance_of_the_flow(tolerance: float, at: str) -> None:
    """The error per step is kept below the tolerance; over this time there are fewer than fifty steps."""
    for options in ("", ", adjoint=true", ", norm=batch"):
        method = f"dopri5(rtol={tolerance}, atol={tolerance}{options})"
        error = (march(text(method, at))(POINTS) - rotated(T)).abs().max()
        assert error < 50 * tolerance


@pytest.mark.parametrize("method", ADAPTIVE)
def test_every_adaptive_method_converges(method: str) -> None:
    """v = cos(t) (-y, x): the angle is sin 2, in whichever direction the clock runs."""
    declared = "let v(x, y, t) = [-y cos(t), x cos(t)]"
    errors = [
        float(
            (march(text(f"{method}(rtol={tol}, atol={tol})", declared=declared))(POINTS) - rotated(math.sin(T))).norm()
        )
        for tol in (1e-2, 1e-4, 1e-6)
    ]
    assert errors[2] < errors[0] / 10
    assert errors[2] < 5e-3


def test_each_point_has_its_own_clock() -> None:
    """Points far out need more steps, and all come to the solution of the many small steps of rk4."""
    x = POINTS * torch.tensor([[0.01], [0.1], [1.0], [2.0], [3.0]], dtype=F64)
    declared = "let v(x, y, t) = [-y (x² + y²) sin(t), x (x² + y²) sin(t)]"
    solver = march(text("dopri5(rtol=1e-9, atol=1e-9)", declared=declared))
    angle = x.square().sum(-1) * (1 - math.cos(T))
    turns = torch.stack([torch.linalg.matrix_exp(float(a) * TURN) for a in angle])
    torch.testing.assert_close(solver(x), (turns @ x.unsqueeze(-1)).squeeze(-1), rtol=1e-6, atol=1e-6)
    costs = solver.evaluations_per_sample
    assert costs is not None
    assert costs[0] < costs[2] < costs[4]


def fields() -> dict[str, tuple[str, Tensor]]:
    equation = "∂u/∂t = a v·∇u + sin(t) (A [x, y])·∇u + t ∂u/∂x"
    plane = learned(equation, FIELDS, realized="realize time by {method}")
    x = 0.2 * torch.randn(20, 20, generator=torch.Generator().manual_seed(2), dtype=F64)
    return {"written out": (plane, POINTS[:2]), "many dimensions": (MANY, x)}  # as many points as dimensions


@pytest.mark.long
@pytest.mark.parametrize("name", fields())
@pytest.mark.parametrize("method", ["dopri5(rtol=1e-8, atol=1e-8)", "dopri5(rtol=1e-8, atol=1e-8, adjoint=true)"])
def test_learned_fields_in_time(name: str, method: str) -> None:
    """Fields of every type that read the time, by an adaptive method and by small steps, and their gradients."""
    spec, x = fields()[name]
    if "adjoint" in method:
        x = x[:2]  # one after the other
    adaptive, small = built(spec.replace("{method}", method)), built(spec.replace("{method}", "rk4(steps=50)"))
    small.load_state_dict(dict(zip(small.state_dict(), adaptive.state_dict().values(), strict=True)))
    torch.testing.assert_close(adaptive(x), small(x), rtol=0, atol=1e-6)
    gradients = [  # the potential of a field has a constant without effect
        torch.autograd.grad(net(x).square().sum(), list(net.parameters()), materialize_grads=True)
        for net in (adaptive, small)
    ]
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=5e-6)


@pytest.mark.parametrize("method", ["dopri5(rtol=1e-10, atol=1e-10)", "backward_euler(steps=3, terms=2)"])
def test_gradient_check(method: str) -> None:
    """With respect to the points and to every weight of a learned drift."""
    network = built(text(method, declared=V))
    names = [name for name, _ in network.named_parameters()]

    def scores(x: Tensor, *values: Tensor) -> Tensor:
        return torch.func.functional_call(network, dict(zip(names, values, strict=True)), (x,))

    x = POINTS[:2].clone().requires_grad_()
    values = [p.detach().clone().requires_grad_() for p in network.parameters()]
    assert torch.autograd.gradcheck(scores, (x, *values), eps=1e-5, atol=1e-6, rtol=1e-4)


def test_images_are_points_too() -> None:
    spec = picture("∂u/∂t = v·∇u", net="mlp(width=8, depth=1)", realized="realize time by {}")
    adaptive = built(spec.replace("{}", "dopri5(rtol=1e-9, atol=1e-9)"))
    small = built(spec.replace("{}", "rk4(steps=100)"))
    small.load_state_dict(dict(zip(small.state_dict(), adaptive.state_dict().values(), strict=True)))
    x = torch.randn(3, 1, 8, 8, dtype=F64)
    torch.testing.assert_close(adaptive(x), small(x), rtol=0, atol=1e-7)


@pytest.mark.parametrize("method", ["dopri5", "dopri8", "dopri5(adjoint=true)", "backward_euler(steps=4, terms=3)"])
def test_the_written_model_is_the_model(method: str) -> None:
    spec = text(method, declared=V)
    torch.manual_seed(3)
    ours = compiled(spec).module().double()
    theirs: nn.Module = fresh(spec).model().double()
    theirs.load_state_dict(ours.state_dict())
    assert list(theirs.state_dict()) == list(ours.state_dict())
    assert torch.equal(ours(POINTS), theirs(POINTS))
    assert torch.equal(copy.deepcopy(theirs)(POINTS), ours(POINTS))


# ---- with diffusion


def test_diffusion_in_a_piece_of_its_own() -> None:
    """Noise stands behind the flow, not in it: without the noise it is the rotation."""
    spec = learned(
        "∂u/∂t = v·∇u for t in [0, 1]\n∂u/∂t = 0.1 Δu for t in [1, 2]",
        ROTATION,
        end="2",
        realized="realize diffusion by noise(samples=4)\nrealize time by dopri5(rtol=1e-9, atol=1e-9)",
    )
    torch.testing.assert_close(march(spec)(POINTS), rotated(1.0), rtol=0, atol=1e-7)
    assert built(spec)(POINTS).isfinite().all()


def mistakes(spec: str) -> tuple[Source, tuple[Diagnostic, ...]]:
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(spec)
    assert found.value.source is not None
    return found.value.source, found.value.diagnostics


@pytest.mark.parametrize("method", [*ADAPTIVE, "backward_euler(steps=2)"])
def test_noise_needs_a_stochastic_scheme(method: str) -> None:
    for term in ("0.1 Δu", "0.1 (v₁² ∂²u/∂x² + v₂² ∂²u/∂y²)"):
        spec = learned(f"∂u/∂t = v·∇u + {term}", V, realized=f"realize time by {method}")
        source, (found,) = mistakes(spec)
        assert (found.code, source.text[found.span.start : found.span.end]) == ("E605", term)
        assert "euler" in found.hint
        assert "separate time interval" in found.hint


@pytest.mark.parametrize("method", [*ADAPTIVE, "backward_euler(steps=9)"])
def test_residual_maps_are_steps_of_euler(method: str) -> None:
    source, (found,) = mistakes(picture("∂u/∂t = v·∇u", realized=f"realize time by {method}"))
    assert (found.code, source.text[found.span.start : found.span.end]) == ("E605", method)
    assert "euler(steps=9)" in found.hint


@pytest.mark.parametrize("method", [*ADAPTIVE, "backward_euler(steps=9)"])
def test_operator_needs_an_explicit_scheme(method: str) -> None:
    """A classifier has none, and says so when asked; a known equation, whose model it is, is not compiled."""
    with pytest.raises(pdedsl.PdeError) as asked:
        compiled(text(method)).operator()
    assert [d.code for d in asked.value.diagnostics] == ["E606"]
    source, (found,) = mistakes(known("∂u/∂t = v·∇u", ROTATION, realized=f"realize time by {method}"))
    assert (found.code, source.text[found.span.start : found.span.end]) == ("E606", method)
    assert "rk4" in found.hint


@pytest.mark.parametrize("method", ["verlet", "leapfrog"])
def test_splitting_methods_are_errors(method: str) -> None:
    _, (found,) = mistakes(text(method))
    assert found.code == "E605"
    assert "dopri5" in found.hint
    assert "backward_euler" in found.hint
