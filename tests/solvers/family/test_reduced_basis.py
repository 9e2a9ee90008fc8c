"""Reduced bases of families: closed forms, statistics, saved families, and families without one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import cosh, sin
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import pdedsl
from pdedsl.ir.family import value_at
from pdedsl.ir.plan import SolvePlan
from pdedsl.solvers.family.reduced_basis import ReducedBasisSolver, ReducedModel
from pdedsl.solvers.family.solution import FamilySolution, sample_members
from pdedsl.solvers.family.solver import SparseInterpolationSolver
from pdedsl.solvers.solver_method import SolveOptions

pi = torch.pi
Exact = Callable[..., Tensor]  # of points (n, k) and the parameters: (n,)

HEAD = "pde Family\nspace x in [0, 1]{}\n{}unknown u(x{}) : scalar\n"
REACTION = (
    HEAD.format("", "", "") + "parameter a in [0.5, 2]\nparameter b in [1, 4]\nrandom c ~ uniform(1, 3)\n"
    "-aΔu + b u = c\nu = 1 on boundary\n"
)
SOURCE = (
    HEAD.format("", "time t in [0, 1]\n", ", t") + "parameter a in [0.1, 1]\nparameter b in [-1, 1]\n"
    "parameter c in [0, 2]\n∂u/∂t = a (1 + t) Δu + b u\nu(x, 0) = c sin(π x) + x\nu(0, t) = 0\nu(1, t) = 1\n"
)
TRANSPORT = (
    HEAD.format(" periodic", "time t in [0, 1]\n", ", t") + "parameter a in [0.1, 0.4]\n"
    "parameter b in [0.01, 0.05]\nparameter c in [-1, 1]\n"
    "∂u/∂t + a ∂u/∂x + bΔu + c u = 0\nu(x, 1) = sin(2π x)\n"
)


def reaction(x: Tensor, a: float, b: float, c: float) -> Tensor:
    s = (b / a) ** 0.5
    return c / b + (1 - c / b) * torch.cosh(s * (x[:, 0] - 0.5)) / cosh(s / 2)


def transport(x: Tensor, a: float, b: float, c: float) -> Tensor:
    """Backward in time from t = 1."""
    s = 1 - x[:, 1]
    return torch.exp((c - 4 * pi**2 * b) * s) * torch.sin(2 * pi * (x[:, 0] + a * s))


def modulated(x: Tensor, a: float, b: float, c: float) -> Tensor:
    growth = (sin(9.0) - torch.sin(9 * x[:, 1])) / 9
    return transport(x, a, b, c) * torch.exp(c * growth)


class Member(nn.Module):
    """An exact solution in place of that of a solver."""

    def __init__(self, exact: Exact, values: list[float]) -> None:
        super().__init__()
        self.exact, self.values = exact, values

    def forward(self, points: Tensor) -> Tensor:
        return self.exact(points, *self.values)[:, None]


def greedy(text: str, exact: Exact, count: int, tolerance: float = 1e-6) -> tuple[ReducedBasisSolver, ReducedModel]:
    """A basis of the greedy algorithm with exact members."""
    solver = ReducedBasisSolver(pdedsl.compile(pdedsl.parse(text)), SolveOptions(tolerance=tolerance))
    for _ in range(count):
        variables = solver.worst_member()
        solver.variables.append(variables)
        solver.extend(Member(exact, parameters(solver, torch.tensor(variables))))
    return solver, solver.approximation()


def parameters(solver: ReducedBasisSolver, y: Tensor) -> list[float]:
    return [value_at(p.distribution, v) for p, v in zip(solver.family.parameters, y.tolist(), strict=True)]


def worst_error(solver: ReducedBasisSolver, model: ReducedModel, exact: Exact, points: Tensor) -> float:
    """Over 50 members that are not training members."""
    samples = sample_members(solver.family, 50, 99)
    expected = torch.stack([exact(points, *parameters(solver, y)) for y in samples])
    values = model.samples(points, samples)[..., 0]
    return float(((values - expected).norm(dim=1) / expected.norm(dim=1)).max())


POINTS = torch.rand(200, 2, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


@pytest.mark.parametrize(
    ("text", "exact", "count", "points"),
    [
        (REACTION, reaction, 8, POINTS[:, :1]),
        (TRANSPORT, transport, 1, POINTS),
        (TRANSPORT.replace("+ c u", "+ c (1 + cos(9 t)) u"), modulated, 1, POINTS),
    ],
    ids=["stationary", "backward in time", "coefficients in time"],
)
def test_errors_of_unseen_members(text: str, exact: Exact, count: int, points: Tensor) -> None:
    solver, model = greedy(text, exact, count, 1e-4)
    assert worst_error(solver, model, exact, points) < 1e-5
    y = torch.tensor([0.3, -0.7, 0.9], dtype=torch.float64)
    expected = exact(points, *parameters(solver, y))
    assert (model.member(y)(points)[:, 0] - expected).abs().max() < 1e-5
    assert (model.values(points, y.expand(len(points), -1))[:, 0] - expected).abs().max() < 1e-5


def test_residual_decreases_with_the_basis_and_selects_the_worst_member() -> None:
    solver, model = greedy(REACTION, reaction, 3)
    before = model.residual(solver.training)
    variables = solver.worst_member()
    assert torch.equal(solver.training[before.argmax()], torch.tensor(variables, dtype=torch.float64))
    solver.extend(Member(reaction, parameters(solver, torch.tensor(variables))))
    after = solver.approximation().residual(solver.training)
    assert (after <= before * (1 + 1e-9)).all()  # least squares in a larger space; rounding
    assert after[before.argmax()] < 1e-2 * before.max()


def test_basis_functions_are_orthonormal_and_satisfy_homogeneous_conditions() -> None:
    _, model = greedy(REACTION, reaction, 4)
    values = model.grid.at_nodes(model.basis)
    gram = torch.einsum("icq,jcq,q->ij", values, values, model.grid.weights)
    assert (gram - torch.eye(len(gram), dtype=torch.float64)).abs().max() < 1e-10
    ends = torch.tensor([[0.0], [1.0]], dtype=torch.float64)
    assert model.grid.at(model.basis, ends).abs().max() < 1e-8
    assert (model.grid.at(model.lift, ends) - 1).abs().max() < 1e-12


def test_time_steps_have_order_five() -> None:
    """Coefficients that depend on time: the error of the Radau IIA steps decreases by 2⁵ when they are halved."""
    _, model = greedy(TRANSPORT.replace("+ c u", "+ c (1 + cos(9 t)) u"), modulated, 1, 1e-3)
    y = torch.tensor([[0.5, 0.5, 1.0]], dtype=torch.float64)
    ends = [replace(model, steps=n).coefficients(y)[:, -1] for n in (1, 2, 8)]
    ratio = float((ends[0] - ends[2]).norm() / (ends[1] - ends[2]).norm())
    assert 20 < ratio < 45


def test_family_with_and_without_a_reduced_basis(tmp_path: Path) -> None:
    """Both approximations of the family agree with the closed form; the saved one is opened; statistics."""
    text = REACTION + "solve {\n  tolerance 1e-4\n}\n"
    solution = pdedsl.solve(text, tmp_path / "run")
    assert isinstance(solution, FamilySolution)
    assert isinstance(solution.approximation, ReducedModel)
    assert solution.verdict.value == "holds"
    expected = reaction(torch.tensor([[0.3]]), 0.7, 3.0, 1.5).item()
    assert solution(x=0.3, a=0.7, b=3.0, c=1.5).item() == pytest.approx(expected, rel=1e-4)
    opened = pdedsl.Solution.open(tmp_path / "run")
    assert opened(x=0.3, a=0.7, b=3.0, c=1.5).item() == pytest.approx(expected, rel=1e-4)
    mean = reaction(torch.tensor([[0.3]]), 0.7, 3.0, 2.0).item()  # the solution is affine in c
    slope = reaction(torch.tensor([[0.3]]), 0.7, 3.0, 3.0).item() - mean
    assert solution.mean(x=0.3, a=0.7, b=3.0).item() == pytest.approx(mean, rel=1e-4)
    assert solution.std(x=0.3, a=0.7, b=3.0).item() == pytest.approx(slope / 3**0.5, rel=1e-3)
    value, low, high = solution.quantile(0.9, x=0.3, a=0.7, b=3.0)
    assert low <= mean + 0.8 * slope <= high
    assert low <= value <= high


CONSTANT_REACTION = REACTION.replace("random c ~ uniform(1, 3)\n", "const c = 2\n")
REASONS = {
    "linear equations": REACTION.replace("b u = c", "b u³ = c"),
    "boundary conditions without parameters": REACTION.replace("u = 1 on", "u = c on"),
    "boxes in Cartesian coordinates": REACTION.replace("space x", "space r")
    .replace("u(x)", "u(r)")
    .replace("in [0, 1]\n", "in spherical [0, 1]\n", 1),
    "first order in time": SOURCE.replace("∂u/∂t", "∂²u/∂t²") + "∂u/∂t(x, 0) = 0\n",
    "10 members predicted": CONSTANT_REACTION,
}


@pytest.mark.parametrize("reason", REASONS)
def test_families_by_sparse_interpolation_say_why(reason: str) -> None:
    plan = pdedsl.compile(pdedsl.parse(REASONS[reason])).plan
    assert isinstance(plan, SolvePlan)
    assert plan.family is not None
    assert plan.family.reduction is None
    assert reason in plan.family.reason


def test_explanation_names_the_method() -> None:
    for text, method in (
        (SOURCE, "Galerkin projection"),
        (REACTION, "least-squares projection"),
        (CONSTANT_REACTION, "Leja points"),
    ):
        assert method in str(pdedsl.explain(text))


def test_sparse_interpolation_is_that_of_few_parameters() -> None:
    from pdedsl.solvers.family.solver import family_solver

    solver = family_solver(pdedsl.compile(pdedsl.parse(CONSTANT_REACTION)), SolveOptions(), None)
    assert isinstance(solver, SparseInterpolationSolver)
