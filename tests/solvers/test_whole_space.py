"""Equations on R^d with known coefficients, solved by their evolution operators."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli
from pdedsl.runtime import EvolutionOperator
from pdedsl.solvers.error_estimate import Verdict
from pdedsl.solvers.whole_space import EvolutionSolution

LINE = "pde P\nspace x in R\ntime t in [0, 2]\nunknown u(x, t) : scalar\n"
ADVECTION = LINE + "∂u/∂t = sin(x) ∂u/∂x\nu(x, 0) = exp(-x²)\n"
HEAT = (
    "pde P\nspace (x, y) in R²\ntime t in [0, 1]\nunknown u(x, y, t) : scalar\n∂u/∂t = ¼Δu\n"
    "u(x, y, 0) = exp(-x² - y²)\n"
)


def test_heat_kernel() -> None:
    """u = e^{-r²/(1 + t)}/(1 + t) lies within 3 half-widths at each point."""
    solution = pdedsl.solve(HEAT)
    assert solution.verdict is Verdict.HOLDS
    assert solution.error_estimate.internal is not None
    assert solution.error_estimate.internal.value < 1e-2
    x = torch.linspace(-1.5, 1.5, 7, dtype=torch.float64)
    points = torch.stack([x, 0.3 * x, torch.full_like(x, 0.5)], 1)
    module = solution.module
    assert isinstance(module, EvolutionSolution)
    values, half_width = module.interval(points)
    exact = torch.exp(-(x**2) * 1.09 / 1.5) / 1.5
    assert bool(((values[:, 0] - exact).abs() < 3 * half_width[:, 0]).all())
    assert bool((half_width > 0).all())
    torch.testing.assert_close(solution(x=x, y=0.3 * x, t=0.5), values[:, 0])
    assert solution(x=0.0, y=0.0, t=[0.5, 1.5]).isnan().tolist() == [False, True]
    with pytest.raises(ValueError, match="unbounded"):
        solution.integral(t=1.0)
    assert solution.to_numpy(x=[0.0, 1.0], y=0.0, t=0.5)["u"].shape == (2,)


def test_characteristics() -> None:
    """u_t = sin(x) u_x: tan(X/2) = e^t tan(x/2)."""
    solution = pdedsl.solve(ADVECTION)
    x = torch.linspace(-2, 2, 9, dtype=torch.float64)
    exact = torch.exp(-((2 * torch.atan(math.exp(2) * torch.tan(x / 2))) ** 2))
    error = (solution(x=x, t=2.0) - exact).norm() / exact.norm()
    assert float(error) < 1e-4
    assert float(solution.error) < 1e-4
    assert float(error) < 3 * float(solution.error) + 1e-12
    assert str(solution.result.method).startswith("evolution operator, characteristics, rk4 with ")


@pytest.mark.parametrize(("scheme", "order"), [("euler", 1), ("heun", 2)])
def test_error_of_the_steps(scheme: str, order: int) -> None:
    """E X of an Ornstein-Uhlenbeck process by antithetic paths: the estimate is the error of the finer level."""
    for steps in (8, 32):
        made = EvolutionOperator(lambda x, t: -x, 0.5, dt=1 / steps, scheme=scheme, samples=2, antithetic=True)
        found = made.refined_estimate(lambda x: x[..., 0], torch.ones(1, 1, dtype=torch.float64), 1.0)
        error = abs(float(found.mean) - math.exp(-1))
        assert float(found.bias) == pytest.approx(error, rel=0.2)
    assert made._order(1.0) == order


def test_both_levels_have_the_same_paths() -> None:
    """The difference of two levels is much smaller than the standard error, as their increments are the same."""
    made = EvolutionOperator(lambda x, t: -x, 0.5, dt=0.05, scheme="heun", samples=500)
    found = made.refined_estimate(lambda x: torch.sin(x[..., 0]), torch.ones(1, 1, dtype=torch.float64), 1.0)
    assert float(found.bias) < 0.05 * float(found.standard_error)


def test_folder(tmp_path: Path) -> None:
    solution = pdedsl.solve(ADVECTION, tmp_path / "run")
    assert {p.name for p in (tmp_path / "run").iterdir()} >= {"spec.pde", "report.md", "report.json", "solution.png"}
    again = pdedsl.Solution.open(tmp_path / "run")
    assert torch.equal(again(x=0.5, t=1.0), solution(x=0.5, t=1.0))
    assert again.error == solution.error
    assert again.verdict is solution.verdict
    (tmp_path / "run" / "report.json").unlink()
    with pytest.raises(pdedsl.RunError, match="--resume"):
        pdedsl.Solution.open(tmp_path / "run")


def test_unmet_tolerance(tmp_path: Path) -> None:
    """A standard error of 1e-6 needs more CPU time than the budget; the exit code is 3."""
    (tmp_path / "heat.pde").write_text(HEAT)
    arguments = ["solve", str(tmp_path / "heat.pde"), "-o", str(tmp_path / "run"), "--tol", "1e-6", "--budget", "0.5"]
    result = CliRunner().invoke(cli, arguments, prog_name="pdedsl")
    assert result.exit_code == 3
    assert "paths per point: one exact step" in result.output
    assert "falls with the square root of the number of paths" in result.output
    assert pdedsl.Solution.open(tmp_path / "run").verdict is Verdict.INACCURATE


def test_learned_fields_are_not_solved() -> None:
    text = LINE + "learn v(x) : vector = mlp\n∂u/∂t = v·∇u\nu(x, 0) = exp(-x²)\n"
    with pytest.raises(pdedsl.PdeError):
        pdedsl.solve(text)
