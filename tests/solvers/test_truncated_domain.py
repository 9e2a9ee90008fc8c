"""Reference grid on a truncated domain for an equation on R²."""

from __future__ import annotations

import torch

from pdedsl.api import parse
from pdedsl.compiler import to_analysis
from pdedsl.config.methods import Grid
from pdedsl.lowering.truncated_domain import truncate_domain
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.solvers.crosscheck import solve_truncated
from pdedsl.sources import shipped_specs


def test_rotation_with_diffusion_has_its_closed_form() -> None:
    """exp(-‖R(t) x - e₁‖² / s) / s with s = 1 + 4 σ² t."""
    text = shipped_specs()["rotation"].read_text(encoding="utf-8").replace("t in [0, 1]", "t in [0, 1/4]")
    found = solve_truncated(plan_grid(truncate_domain(to_analysis(parse(text)), 6), Grid(n=48)))
    points = torch.rand(200, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x, y, t = 3 * points[:, 0] - 1.5, 3 * points[:, 1] - 1.5, points[:, 2] / 4
    width = 1 + 4 * 0.04 * t
    across, along = torch.cos(t) * x - torch.sin(t) * y - 1, torch.sin(t) * x + torch.cos(t) * y
    exact = torch.exp(-(across**2 + along**2) / width) / width
    gap = found(torch.stack([x, y, t], dim=1))[:, 0] - exact
    assert float(gap.abs().max()) < 1e-6
    assert found.metrics["boundary max"] < 1e-6
