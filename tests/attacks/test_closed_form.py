"""Linear models: every attack reaches the optimum, which has a closed form."""

from __future__ import annotations

from functools import partial

import numpy
import numpy.typing
import pytest
import torch
from scipy.optimize import brentq, linprog, minimize
from torch import Tensor

from attacks.all_attacks import CASES, attack
from attacks.models import Linear, linear
from pdedsl.attacks import apgd, autoattack, boundary, cw, ddn, fab, fgsm, pgd
from pdedsl.attacks.fab import project_onto_hyperplane
from pdedsl.attacks.norms import L2, Linf, Norm

Array = numpy.typing.NDArray[numpy.float64]


@pytest.mark.parametrize(("name", "norm"), CASES)
def test_fooled_within_eps_if_and_only_if_the_boundary_is_nearer(name: str, norm: str) -> None:
    case = linear(2, 6)
    distance = case.distance(norm)
    eps = distance.median().item() * 1.001
    finer = {"lr": 5e-3} if name == "cw" else {}
    result = attack(name, norm)(case.model, case.x, case.y, eps=eps, seed=3, **finer)
    clear = (distance / eps - 1.0).abs() > 0.01
    assert torch.equal(result.fooled[clear], (distance < eps)[clear])
    assert clear.sum() > 40


def reach(w: Array, x: Array, norm: str, eps: float) -> float:
    """max ⟨w, δ⟩ over ‖δ‖ ≤ ε, 0 ≤ x + δ ≤ 1: for ℓ2 δ = clip(w/λ), with the λ at which it is on the sphere."""
    if norm == "inf":
        return float(w @ numpy.clip(eps * numpy.sign(w), -x, 1 - x))
    corner = numpy.clip(numpy.sign(w), -x, 1 - x)
    if numpy.linalg.norm(corner) <= eps:
        return float(w @ corner)
    scale = brentq(lambda s: numpy.linalg.norm(numpy.clip(w * s, -x, 1 - x)) - eps, 0.0, 1e6)
    return float(w @ numpy.clip(w * scale, -x, 1 - x))


@pytest.mark.parametrize(("name", "norm"), [case for case in CASES if case != ("fgsm", "2")])
def test_in_a_box_that_cuts_the_ball(name: str, norm: str) -> None:
    """Half of the samples are on faces of the box; it is fooled who can be, up to 2 % of ε, and nobody else.

    Scores are large, which must not matter. One step for ℓ2 is not an optimum: see below.
    """
    case = linear(2, 6, dtype=torch.float64)
    x = case.x.clone()
    x[::2, ::2] = x[::2, ::2].round()
    y, eps = case.model(x).argmax(1), 0.15 if norm == "inf" else 0.35
    apart, gap = (case.weight[1 - y] - case.weight[y]).numpy(), case.model(x).diff(dim=1).abs()[:, 0]
    most, less = (
        torch.tensor([reach(w, p, norm, e) for w, p in zip(apart, x.numpy(), strict=True)]) for e in (eps, 0.98 * eps)
    )
    fooled = attack(name, norm)(lambda x: 1e4 * case.model(x), x, y, eps=eps, bounds=(0.0, 1.0), seed=3).fooled
    assert not (fooled & (gap > most)).any()
    assert fooled[gap < less].all()
    assert 10 < fooled.sum() < 50


@pytest.mark.parametrize("name", ["ddn", "cw", "fab", "boundary"])
def test_adversarial_examples_are_valid_in_other_batches(name: str) -> None:
    """In their last digits scores depend on the batch, here on its size: points on the boundary move off it."""
    case = linear(2, 5, n=40)

    def model(x: Tensor) -> Tensor:
        return case.model(x) + case.weight.new_tensor([1e-5 * len(x), 0.0])

    y = model(case.x).argmax(1)
    found = attack(name, "2")(model, case.x, y, seed=3)
    assert found.fooled.all()
    assert torch.equal(model(found.x).argmax(1) != y, found.fooled)


@pytest.mark.parametrize("bounds", [None, (-5.0, 6.0)])
@pytest.mark.parametrize(
    ("name", "norm", "most"),
    [
        ("ddn", "2", 1.01),
        ("cw", "2", 1.002),
        ("cw", "inf", 1.01),
        ("fab", "2", 1.002),
        ("fab", "inf", 1.002),
        ("boundary", "2", 1.001),
    ],
)
def test_the_smallest_distance(name: str, norm: str, most: float, bounds: tuple[float, float] | None) -> None:
    """Whatever the unit of the scores."""
    case, (unit, lr) = linear(2, 5, n=40), (1e4, 5e-3) if bounds is None else (1e-2, 1e-3)

    def model(x: Tensor) -> Tensor:
        return unit * case.model(x)

    runs = {
        "ddn": lambda: ddn(model, case.x, case.y, steps=150, approach=8, bounds=bounds),
        "cw": lambda: cw(model, case.x, case.y, norm=norm, iterations=150, lr=lr, search=6, bounds=bounds),
        "fab": lambda: fab(model, case.x, case.y, norm=norm, steps=30, bounds=bounds),
        "boundary": lambda: boundary(model, case.x, case.y, queries=1500, bounds=bounds),
    }
    result, distance = runs[name](), case.distance(norm)
    assert result.fooled.all()
    far = distance > 0.05  # nearer ones are a matter of the first step
    ratio = (result.distances / distance)[far]
    assert ratio.min() > 1.0 - 1e-5
    assert ratio.median() < most
    assert ratio.max() < 1.0 + 5.0 * (most - 1.0)


@pytest.mark.parametrize(("share", "found"), [(0.8, False), (3.0, True)])
def test_the_result_of_cw_depends_on_a_fixed_c(share: float, found: bool) -> None:
    """c‖∇f‖₁ = `share`: the minimum of ‖x′ − x‖∞ + c max{0, −f(x′)} is x itself below 1, the nearest point above."""
    case = linear(2, 5, n=40)
    distance = case.distance("inf")
    far = distance > 0.05
    c = share / case.weight.diff(dim=0).abs().sum().item()
    result = cw(case.model, case.x, case.y, c=c, iterations=300, lr=5e-3)
    assert (result.fooled[far] == found).all()
    assert not found or (result.distances / distance)[far].median() < 1.01


@pytest.mark.parametrize("norm", ["inf", "2"])
def test_many_classes(norm: str) -> None:
    """Attacks that aim at one class after another find the nearest boundary; one loss may lead to another boundary."""
    case = linear(5, 6)
    distance = case.distance(norm)
    eps = distance.median().item() * 1.001
    clear = (distance / eps - 1.0).abs() > 0.01
    for run in (fab, partial(apgd, loss="dlr", targets=9), partial(autoattack, steps=10, queries=50)):
        result = run(case.model, case.x, case.y, norm=norm, eps=eps)
        assert torch.equal(result.fooled[clear], (distance < eps)[clear])
    one = attack("pgd", norm)(case.model, case.x, case.y, eps=eps).fooled
    assert not (one & (distance > eps))[clear].any()
    assert (~one & (distance < eps))[clear].any()


def test_a_target_is_reached_if_it_can_be() -> None:
    case = linear(4, 6)
    target = (case.y + 1) % 4
    for result in (
        pgd(case.model, case.x, case.y, eps=50.0, steps=100, target=target),
        apgd(case.model, case.x, case.y, eps=50.0, target=target),
        cw(case.model, case.x, case.y, norm=2, lr=0.5, iterations=40, search=4, target=target),
        ddn(case.model, case.x, case.y, steps=200, target=target),
        fab(case.model, case.x, case.y, target=target),
        boundary(case.model, case.x, case.y, target=target),
    ):
        reached = case.model(result.x).argmax(1) == target
        assert torch.equal(result.fooled, reached)
        assert reached.double().mean() > 0.8


def test_one_step_in_a_box_is_exact_for_the_largest_entry() -> None:
    """And for ℓ2 it is a step that is clipped, shorter than ε: that of most gain goes farther where it may."""
    case = linear(2, 6)
    result = fgsm(case.model, case.x, case.y, eps=0.3, bounds=(0.0, 1.0))
    apart = case.weight[1 - case.y] - case.weight[case.y]
    best = (case.x + 0.3 * apart.sign()).clamp(0.0, 1.0)
    attacked = case.model(case.x).argmax(1) == case.y
    torch.testing.assert_close(result.x[attacked], best[attacked], rtol=0, atol=1e-7)
    x, w = torch.tensor([[0.9, 0.5]], dtype=torch.float64), torch.tensor([1.0, 1.0], dtype=torch.float64)
    step = fgsm(
        lambda x: torch.stack([5.0 - x @ w, x @ w], 1), x, torch.tensor([0]), eps=0.3, norm=2, bounds=(0.0, 1.0)
    )
    torch.testing.assert_close(
        step.x, torch.tensor([[1.0, 0.5 + 0.3 * 0.5**0.5]], dtype=torch.float64), rtol=1e-6, atol=0
    )
    assert ((step.x - x) @ w).item() < 0.99 * reach(w.numpy(), x[0].numpy(), "2", 0.3)


def test_the_projection_to_ball_and_box_is_the_nearest_point() -> None:
    """max ⟨w, δ⟩ over ball ∩ box, against a general solver."""
    case = linear(2, 4, n=6, dtype=torch.float64)
    shifted = Linear(lambda x: case.model(x) - 1e3 * torch.eye(2, dtype=x.dtype)[1 - case.y], *case[1:])
    result = pgd(shifted.model, case.x, case.y, eps=0.6, norm="2", steps=400, step=0.02, bounds=(0.0, 1.0))
    apart = case.weight[1 - case.y] - case.weight[case.y]
    for x, w, found in zip(case.x.numpy(), apart.numpy(), result.x.numpy(), strict=True):
        ball = {"type": "ineq", "fun": lambda d: 0.36 - d @ d}
        best = minimize(lambda d, w=w: -w @ d, 0 * x, bounds=list(zip(-x, 1 - x, strict=True)), constraints=ball)
        assert w @ (found - x) == pytest.approx(-best.fun, rel=2e-3)


@pytest.mark.parametrize("norm", [L2(), Linf()])
def test_the_nearest_point_of_a_plane_in_a_box(norm: Norm) -> None:
    source = torch.Generator().manual_seed(0)
    x, w, inside = (torch.rand(8, 5, generator=source, dtype=torch.float64) for _ in range(3))
    w = w - 0.5
    level = (w * inside).sum(1)
    zero, one = torch.zeros((), dtype=x.dtype), torch.ones((), dtype=x.dtype)
    found = project_onto_hyperplane(norm, x, w, level, zero, one)
    torch.testing.assert_close((w * found).sum(1), level, rtol=0, atol=1e-12)
    for x0, w0, b, z in zip(x.numpy(), w.numpy(), level.numpy(), found.numpy(), strict=True):
        if isinstance(norm, L2):
            plane = {"type": "eq", "fun": lambda p, w0=w0, b=b: w0 @ p - b}
            best = (
                minimize(lambda p, x0=x0: ((p - x0) ** 2).sum(), x0, bounds=[(0, 1)] * 5, constraints=plane).fun ** 0.5
            )
        else:  # variables p and t, minimise t with |p − x0| ≤ t
            eye = torch.eye(5).numpy()
            rows = [[*r, -1.0] for r in eye] + [[*(-r), -1.0] for r in eye]
            right = [*x0, *(-x0)]
            best = linprog([0] * 5 + [1], rows, right, [[*w0, 0]], [b], bounds=[(0, 1)] * 5 + [(0, None)]).fun
        assert norm.length(torch.as_tensor(z - x0)[None]).item() == pytest.approx(best, rel=1e-5, abs=1e-7)
