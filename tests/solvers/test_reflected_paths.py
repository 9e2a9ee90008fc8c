"""Reflection of paths at level sets: against closed forms, and the bias of the step."""

from __future__ import annotations

import pytest
import torch

from pdedsl.config.methods import MonteCarlo
from pdedsl.problem.diffusion_process import process_of
from pdedsl.solvers.monte_carlo import CompiledProcess, EvolutionEstimator, MonteCarloSolution

from .problems import solve_by_monte_carlo, stated

EVOLVING = (
    "pde P\nspace (x, y) in [-1, 1]^2 where x² + y² < 1\ntime t in [0, 0.3]\nunknown u(x, y, t) : scalar\n∂u/∂t = Δu\n"
)
AT = torch.tensor([[0.3, 0.2, 0.3], [0.7, 0.1, 0.3], [-0.5, -0.6, 0.3], [0.0, 0.9, 0.3]], dtype=torch.float64)
REFLECTED = [
    pytest.param("u(x, y, 0) = x² + y²\nn·∇u = 2 on boundary\n", lambda x, y, t: x**2 + y**2 + 4 * t, id="Neumann"),
    pytest.param("u(x, y, 0) = x\nn·∇u + u = 2x on boundary\n", lambda x, y, t: x, id="Robin"),
]


@pytest.mark.parametrize(("conditions", "solution"), REFLECTED)
def test_reflected_paths_in_a_disc(conditions: str, solution: object) -> None:
    """Twice the interval, about four standard deviations."""
    module = solve_by_monte_carlo(stated(EVOLVING + conditions), MonteCarlo(samples=4000, steps=32), seed=1).module
    assert isinstance(module, MonteCarloSolution)
    values, half_width = module.interval(AT)
    assert callable(solution)
    error = (values.flatten() - solution(*AT.unbind(1))).abs()
    assert (error <= 2 * half_width.flatten()).all()
    assert float(error.max()) < 0.05


def test_bias_of_reflection_decreases_with_the_step() -> None:
    """By paths with the same noise: the change under step doubling falls at least as √h."""
    process = process_of(stated(EVOLVING + "u(x, y, 0) = x\nn·∇u + u = 2x on boundary\n"))
    assert process.data is not None
    changes = []
    for steps in (8, 128):
        _, change = EvolutionEstimator(CompiledProcess(process), process.data, steps)(AT[1:2], 20_000, 3)
        changes.append(abs(float(change.mean())))
    assert changes[1] < changes[0] / 3
