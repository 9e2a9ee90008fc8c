"""Observed orders, the Neumann series, energy over ten thousand steps, and ẍ = −relu(x)."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from pdedsl.runtime.image_fields import LayerPerStep, SharedLayer, Time
from pdedsl.runtime.linear_operators import DenseOperator
from pdedsl.runtime.ode.explicit import RK4, BackwardEuler, Euler, Heun, Integrator, TimeGrid
from pdedsl.runtime.ode.symplectic import Leapfrog, Verlet
from pdedsl.runtime.symmetric_layer import SymmetricLayer

ONE = torch.ones(1, dtype=torch.float64)


def _order(errors: list[float]) -> float:
    return math.log2(errors[-2] / errors[-1])


@pytest.mark.parametrize(
    ("integrator", "order"), [(Euler(), 1), (Heun(), 2), (RK4(), 4), (BackwardEuler(1), 1), (BackwardEuler(3), 1)]
)
def test_order_of_one_step_methods(integrator: Integrator, order: int) -> None:
    """y′ = y cos t, y = exp(sin t)."""
    exact = math.exp(math.sin(2.0))
    errors = []
    for count in (40, 80):
        y = integrator.integrate(lambda j, t, y: y * math.cos(t), ONE, TimeGrid(0.0, 2.0, count))
        errors.append(abs(y.item() - exact))
    assert _order(errors) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize(("start", "order"), [("consistent", 2), ("paper", 1)])
def test_order_of_leapfrog(start: str, order: int) -> None:
    """y″ = −y − y³·cos t against a fine solution."""

    def field(j: int, t: Time, y: Tensor) -> Tensor:
        return -y - y**3 * math.cos(t)

    def end(count: int, method: Leapfrog) -> float:
        return method.integrate((field,), Leapfrog.zero_velocity(ONE), TimeGrid(0.0, 3.0, count))[0].item()

    exact = end(20_000, Leapfrog())
    method = Leapfrog(start)
    assert _order([abs(end(n, method) - exact) for n in (100, 200)]) == pytest.approx(order, abs=0.1)


def test_order_of_verlet() -> None:
    """Y′ = Z, Z′ = −Y: symplectic Euler, order 1."""
    errors = []
    for count in (100, 200):
        fields = (lambda j, t, z: z, lambda j, t, y: -y)
        y, _ = Verlet().integrate(fields, (ONE, 0 * ONE), TimeGrid(0.0, 2.0, count))
        errors.append(abs(y.item() - math.cos(2.0)))
    assert _order(errors) == pytest.approx(1, abs=0.1)


def test_leapfrog_is_the_three_term_recursion() -> None:
    def force(y: Tensor) -> Tensor:
        return -torch.tanh(y)

    for method, weight in ((Leapfrog(), 0.5), (Leapfrog("paper"), 1.0)):
        h, before = 0.25, ONE
        now = ONE + weight * h**2 * force(ONE)
        for _ in range(7):
            before, now = now, 2 * now - before + h**2 * force(now)
        y, difference = method.integrate(
            (lambda j, t, y: force(y),), Leapfrog.zero_velocity(ONE), TimeGrid(0.0, 2.0, 8)
        )
        assert y.item() == pytest.approx(now.item(), rel=1e-13)
        assert (y - difference).item() == pytest.approx(before.item(), rel=1e-13)


def test_verlet_equation_10() -> None:
    """The second half sees the new first half, with the weights of the same step."""
    calls: list[tuple[str, int, float, float]] = []

    def note(name: str) -> object:
        def field(j: int, t: Time, y: Tensor) -> Tensor:
            calls.append((name, j, float(t), y.item()))
            return y + 1

        return field

    fields = (note("f"), note("g"))
    y, z = Verlet().integrate(fields, (ONE, 2 * ONE), TimeGrid(0.0, 1.0, 2))
    assert calls[:2] == [("f", 0, 0.0, 2.0), ("g", 0, 0.0, 2.5)]
    assert calls[2][:3] == ("f", 1, 0.5)
    assert (y.item(), z.item()) == (2.5 + 0.5 * 4.75, 3.75 + 0.5 * (2.5 + 0.5 * 4.75 + 1))


def test_polynet_is_two_terms() -> None:
    def square(j: int, t: Time, y: Tensor) -> Tensor:
        return y**2

    y = BackwardEuler(2).integrate(square, 3 * ONE, TimeGrid(0.0, 1.0, 1))
    assert y.item() == 3 + 9 + 81


def test_many_terms_are_the_implicit_step() -> None:
    y = BackwardEuler(60).integrate(lambda j, t, y: -5.0 * y, ONE, TimeGrid(0.0, 0.1, 1))
    assert y.item() == pytest.approx(1 / 1.5, rel=1e-12)


def test_each_step_has_its_weights_and_time() -> None:
    seen: list[tuple[int, float]] = []

    def field(j: int, t: Time, y: Tensor) -> Tensor:
        seen.append((j, float(t)))
        return 0 * y

    Heun().integrate(field, ONE, TimeGrid(1.0, 2.0, 2))
    assert seen == [(0, 1.0), (0, 1.5), (1, 1.5), (1, 2.0)]
    assert TimeGrid(0.0, 0.7, 7).time(7) == 0.7


def test_integrators_are_data() -> None:
    assert BackwardEuler(2) == BackwardEuler(2) != BackwardEuler(3)
    assert len({Euler(), Euler(), Heun(), Leapfrog(), Leapfrog("paper")}) == 4
    with pytest.raises(ValueError, match="at least one step"):
        TimeGrid(0.0, 1.0, 0)
    with pytest.raises(ValueError, match="at least one term"):
        BackwardEuler(0)


def _hamiltonian() -> tuple[SharedLayer, SharedLayer]:
    f, g = (SharedLayer(SymmetricLayer(DenseOperator(3), "tanh", sign=sign)).double() for sign in (-1.0, 1.0))
    return f, g


def _energy(fields: tuple[SharedLayer, SharedLayer], y: Tensor, z: Tensor) -> float:
    """H = Σ log cosh(K₁ Z) + Σ log cosh(K₂ Y)."""
    f, g = (field.only for field in fields)
    return float(torch.log(torch.cosh(f.operator(z))).sum() + torch.log(torch.cosh(g.operator(y))).sum())


@torch.no_grad()
def test_verlet_keeps_the_energy_for_ten_thousand_steps_and_euler_does_not() -> None:
    fields = _hamiltonian()
    f, g = fields
    y, z = torch.randn(2, 3, dtype=torch.float64)
    start, state = _energy(fields, y, z), (y, z)
    errors = []
    for _ in range(20):
        state = Verlet().integrate(fields, state, TimeGrid(0.0, 50.0, 500))
        errors.append(abs(_energy(fields, *state) - start))
    assert max(errors) < 0.1 * start
    assert max(errors[10:]) < 2 * max(errors[:10])

    def both(j: int, t: Time, p: Tensor) -> Tensor:
        return torch.cat([f(j, t, p[3:]), g(j, t, p[:3])])

    p = torch.cat([y, z])
    grown = []
    for _ in range(2):
        p = Euler().integrate(both, p, TimeGrid(0.0, 500.0, 5000))
        grown.append(_energy(fields, p[:3], p[3:]) - start)
    assert grown[1] > grown[0] > 2 * max(errors)


@torch.no_grad()
def test_conserved_energy_of_leapfrog() -> None:
    """½|Y′|² + Σ log cosh(K Y), not Ruthotto, Haber, eq. 12."""
    layer = SymmetricLayer(DenseOperator(3), "tanh").double()
    h, energies, printed = 0.01, [], []
    state = Leapfrog.zero_velocity(torch.randn(3, dtype=torch.float64))
    for j in range(2000):
        before = state
        state = Leapfrog("paper").integrate((SharedLayer(layer),), before, TimeGrid(0.0, h, 1))
        velocity = (state[1] + before[1]) / (2 * h)  # centred at the earlier point
        inner = layer.operator(before[0])
        if j:
            kinetic = 0.5 * float(velocity.square().sum())
            energies.append(kinetic + float(torch.log(torch.cosh(inner)).sum()))
            printed.append(kinetic + 0.5 * float((inner * torch.tanh(inner)).sum()))
    assert max(energies) - min(energies) < 1e-3
    assert max(printed) - min(printed) > 20 * (max(energies) - min(energies))


@torch.no_grad()
@pytest.mark.parametrize(("end", "growth"), [(10.0, 8.4), (100.0, 98.4)])
def test_theorem_2_fails_for_relu(end: float, growth: float) -> None:
    """Of Ruthotto, Haber 2018: for ẍ = −relu(x) from rest a difference grows like T − π/2."""
    x = torch.tensor([1.0, 1.1], dtype=torch.float64)
    method, steps = Leapfrog(), TimeGrid(0.0, end, int(100 * end))
    y, _ = method.integrate((lambda j, t, y: -torch.relu(y),), Leapfrog.zero_velocity(x), steps)
    assert abs(y[1] - y[0]).item() / 0.1 == pytest.approx(growth, abs=0.1)


def test_linear_stability_limits() -> None:
    """Leapfrog: h²‖K‖² ≤ 4; Euler on the symmetric layer: h‖K‖² ≤ 2."""
    for h, grows in ((1.99, False), (2.01, True)):
        y, _ = Leapfrog().integrate((lambda j, t, y: -y,), Leapfrog.zero_velocity(ONE), TimeGrid(0.0, 400 * h, 400))
        assert (abs(y.item()) > 100) is grows
        y = Euler().integrate(lambda j, t, y: -y, ONE, TimeGrid(0.0, 800 * h, 800))
        assert (abs(y.item()) > 100) is grows


def test_copies_at_the_start() -> None:
    field = LayerPerStep.create(lambda: SymmetricLayer(DenseOperator(2)), 3, identical_initialization=True)
    first, *others = (layer.operator.weight for layer in field.layers)
    assert all(torch.equal(first, other) and first is not other for other in others)
    drawn = LayerPerStep.create(lambda: SymmetricLayer(DenseOperator(2)), 2)
    assert not torch.equal(drawn.layers[0].operator.weight, drawn.layers[1].operator.weight)
