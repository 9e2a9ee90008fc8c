"""Families of problems: closed forms, statistics, saved families, values outside of the intervals."""

from __future__ import annotations

from dataclasses import replace
from math import cos, exp, pi, sin, sqrt
from pathlib import Path

import pytest
import torch

import pdedsl
from pdedsl.io import RunInterrupted
from pdedsl.runs.events import Event, Finishing
from pdedsl.solvers.family.solution import FamilySolution

DECAY = """pde Decay
time t in [0, 1]
unknown u(t) : scalar
parameter a in [0.5, 2]
∂u/∂t = -a u
u(0) = 1
"""
POISSON = """pde Poisson
space x in [0, 1]
unknown u(x) : scalar
random k ~ lognormal(0, 0.3)
-k Δu = 1
u = 0 on boundary
"""
PROCESS = """pde Process
space x in [0, 1]
unknown u(x) : scalar
parameter f(x) from gaussian_process(length=0.5, modes=2)
-Δu = f(x)
u = 0 on boundary
"""


def solved(text: str, folder: Path | None = None) -> FamilySolution:
    solution = pdedsl.solve(text, folder)
    assert isinstance(solution, FamilySolution)
    return solution


def heat(x: float, t: float, κ: float, q: float) -> float:
    return q * sin(pi * x) * (1 - exp(-(pi**2) * κ * t)) / (pi**2 * κ)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> FamilySolution:
    return solved("heat_family", tmp_path_factory.mktemp("family") / "run")


def test_values_by_name(shipped: FamilySolution) -> None:
    for κ, q in ((0.01, 1.0), (0.05, 0.7), (0.5, 1.4)):
        assert shipped(x=0.3, t=0.6, κ=κ, q=q).item() == pytest.approx(heat(0.3, 0.6, κ, q), rel=1e-4)
    values = shipped(x=torch.linspace(0, 1, 5)[:, None], t=0.5, kappa=[0.02, 0.2], q=1)
    assert values.shape == (5, 2)
    assert values[2, 1].item() == pytest.approx(heat(0.5, 0.5, 0.2, 1), rel=1e-4)
    assert shipped([[0.5, 0.5], [0.5, 1.0]], κ=[0.1, 0.2], q=1)[1].item() == pytest.approx(
        heat(0.5, 1.0, 0.2, 1), rel=1e-4
    )


def test_error_is_that_of_unseen_members(shipped: FamilySolution) -> None:
    """The error covers members of another seed within a factor of 3."""
    generator = torch.Generator().manual_seed(5)
    worst = 0.0
    for _ in range(20):
        κ = 0.01 * 50 ** float(torch.rand((), generator=generator))
        own = shipped(x=[0.2, 0.5, 0.9], t=0.4, κ=κ, q=1.0)
        exact = torch.tensor([heat(x, 0.4, κ, 1.0) for x in (0.2, 0.5, 0.9)])
        worst = max(worst, float((own - exact).norm() / exact.norm()))
    assert worst <= 3 * shipped.error.value <= 3e-4
    assert shipped.verdict.value == "holds"


def test_statistics_over_the_random_coefficient(shipped: FamilySolution) -> None:
    at = {"x": 0.5, "t": 1.0, "κ": 0.1}
    unit = heat(0.5, 1.0, 0.1, 1.0)
    assert shipped.mean(**at).item() == pytest.approx(unit, rel=1e-4)
    assert shipped.std(**at).item() == pytest.approx(0.2 * unit, rel=1e-4)
    value, low, high = shipped.quantile(0.9, **at)
    assert low <= value <= high
    assert low <= unit * (1 + 0.2 * 1.2815515655) <= high  # a 95 % interval at a fixed seed


def test_quantiles_include_the_error_of_the_approximation(shipped: FamilySolution) -> None:
    """The interval of the samples alone is narrower by the largest error at unseen members, which bounds the errors at
    others within a factor of 3."""
    at = {"x": 0.5, "t": 1.0, "κ": 0.1}
    exact = replace(shipped, max_errors=(0.0,)).quantile(0.9, **at)
    own = shipped.quantile(0.9, **at)
    (error,) = shipped.max_errors
    assert (exact.low - own.low).item() == pytest.approx(error)
    assert (own.high - exact.high).item() == pytest.approx(error)
    generator = torch.Generator().manual_seed(6)
    for x, t, s in torch.rand(20, 3, generator=generator, dtype=torch.float64).tolist():
        κ = 0.01 * 50**s
        assert abs(shipped(x=x, t=t, κ=κ, q=1.0).item() - heat(x, t, κ, 1.0)) <= 3 * error
    assert error < 1e-4


def test_member_is_a_solution(shipped: FamilySolution) -> None:
    member = shipped.member(κ=0.1, q=1.0)
    assert member(x=0.3, t=0.6).item() == pytest.approx(heat(0.3, 0.6, 0.1, 1.0), rel=1e-4)
    assert shipped.integral(t=1.0, κ=0.1, q=1.0).item() == pytest.approx(heat(0.5, 1.0, 0.1, 1.0) * 2 / pi, rel=1e-4)
    assert shipped.gradient(x=0.0, t=1.0, κ=0.1, q=1.0).item() == pytest.approx(pi * heat(0.5, 1.0, 0.1, 1.0), rel=1e-4)
    assert [ax.get_title() for ax in shipped.plot(κ=0.1, q=1.0, t=[0.5, 1.0]).axes] == ["t = 0.5", "t = 1"]


def test_saved_family_is_opened(shipped: FamilySolution) -> None:
    assert shipped.folder is not None
    opened = pdedsl.Solution.open(shipped.folder)
    assert isinstance(opened, FamilySolution)
    assert opened(x=0.3, t=0.6, κ=0.07, q=1.1).item() == shipped(x=0.3, t=0.6, κ=0.07, q=1.1).item()
    assert opened.error == shipped.error
    assert opened.max_errors == shipped.max_errors
    assert "members" in (shipped.folder / "report.md").read_text("utf-8")


def test_values_outside_of_the_intervals_are_errors(shipped: FamilySolution) -> None:
    with pytest.raises(ValueError, match=r"must be in \[0.01, 0.5\]"):
        shipped(x=0.5, t=0.5, κ=0.6, q=1)
    with pytest.raises(ValueError, match="must be positive"):
        shipped(x=0.5, t=0.5, κ=-1, q=1)
    with pytest.raises(ValueError, match="q is missing"):
        shipped(x=0.5, t=0.5, κ=0.1)
    with pytest.raises(ValueError, match="no parameter 'z'"):
        shipped.member(κ=0.1, q=1, z=2)
    with pytest.raises(ValueError, match="random parameters have no value"):
        shipped.mean(x=0.5, t=0.5, κ=0.1, q=1)
    assert shipped(x=1.5, t=0.5, κ=0.1, q=1).isnan()


def test_ordinary_differential_equation() -> None:
    solution = solved(DECAY)
    assert solution(t=[0.0, 0.5, 1.0], a=1.5).tolist() == pytest.approx([1, exp(-0.75), exp(-1.5)], rel=1e-4)
    with pytest.raises(ValueError, match="no parameter is random"):
        solution.mean(t=0.5)


def test_wide_intervals_have_a_logarithmic_scale() -> None:
    """u = 1/a has a pole near the interval: on a linear scale polynomials of degree 40 have an error of 1e-3."""
    text = "pde Wide\nspace x in [0, 1]\nunknown u(x) : scalar\nparameter a in [1, 400]\n-aΔu = 1\nu = 0 on boundary\n"
    solution = solved(text + "solve {\n  tolerance 1e-3\n}\n")
    for a in (1.0, 7.0, 390.0):
        assert solution(x=0.5, a=a).item() == pytest.approx(1 / (8 * a), rel=1e-3)
    assert solution.result.metrics["members"] <= 20
    assert "on a logarithmic scale" in str(pdedsl.explain(text))


def test_curvilinear_coordinates() -> None:
    """-k Δu = 6 in a ball: u = (1 - r²)/k."""
    solution = solved(
        "pde Ball\nspace r in spherical [0, 1]\nunknown u(r) : scalar\nparameter k in [0.5, 2]\n-kΔu = 6\n"
        "u = 0 on boundary\nsolve {\n  tolerance 1e-3\n}\n"
    )
    assert solution(r=[0.0, 0.6], k=1.5).tolist() == pytest.approx([1 / 1.5, 0.64 / 1.5], rel=1e-3)


def test_polygon() -> None:
    """Members on meshes that are refined separately; -k Δu = 1 scales with 1/k."""
    solution = solved(
        "pde Triangle\nspace (x, y) in polygon([[0, 0], [1, 0], [0, 1]])\nunknown u(x, y) : scalar\n"
        "parameter k in [1, 1.2]\n-kΔu = 1\nu = 0 on boundary\nsolve {\n  tolerance 1e-2\n}\n"
    )
    values = solution(x=0.3, y=0.3, k=[1.0, 1.1, 1.2])
    assert (values * torch.tensor([1.0, 1.1, 1.2]) / values[0] - 1).abs().max() < 1e-2


def test_unknowns_of_a_system_are_those_of_a_member() -> None:
    """Without the parameters, `solution.u` would be the unknown of one arbitrary member."""
    solution = solved(
        "pde Rotation\ntime t in [0, 1]\nunknown u(t) : scalar\nunknown v(t) : scalar\nparameter a in [1, 2]\n"
        "∂u/∂t = a v\n∂v/∂t = -a u\nu(0) = 0\nv(0) = 1\n"
    )
    assert solution(t=1.0, a=1.5).tolist() == pytest.approx([sin(1.5), cos(1.5)], rel=1e-4)
    assert solution.member(a=1.5).u(t=1.0).item() == pytest.approx(sin(1.5), rel=1e-4)
    with pytest.raises(AttributeError, match=r"member\(a=…\)"):
        assert solution.u
    with pytest.raises(KeyError, match="no unknown 'w'"):
        solution["w"]


def test_lognormal_conductivity_has_closed_form_moments() -> None:
    solution = solved(POISSON)
    mean = exp(0.045) / 8
    assert solution.mean(x=0.5).item() == pytest.approx(mean, rel=1e-4)
    assert solution.std(x=0.5).item() == pytest.approx(mean * sqrt(exp(0.09) - 1), rel=1e-4)


def test_random_function_is_given_by_its_coefficients() -> None:
    """The solution is linear in the coefficients; the first eigenfunction is that of the larger box."""
    solution = solved(PROCESS)
    half, length = 0.5 + 2 * 0.5, 0.5
    frequency = pi / (2 * half)
    amplitude = sqrt(sqrt(2 * pi) * length * exp(-(length**2) * frequency**2 / 2) / half)

    def exact(x: float) -> float:  # -u″ = amplitude · sin(frequency (x - ½ + half)), u(0) = u(1) = 0
        def particular(s: float) -> float:
            return amplitude * sin(frequency * (s - 0.5 + half)) / frequency**2

        return particular(x) - particular(0) * (1 - x) - particular(1) * x

    assert solution(x=0.3, f=[1.0, 0.0]).item() == pytest.approx(exact(0.3), rel=1e-4)
    assert solution(x=0.3, f=[2.0, 0.5]).item() == pytest.approx(2 * solution(x=0.3, f=[1.0, 0.25]).item(), rel=1e-4)
    with pytest.raises(ValueError, match="shape"):
        solution(x=0.3, f=[1.0])


def test_interrupted_family_resumes_with_its_members(tmp_path: Path) -> None:
    class Interrupted(Exception):
        pass

    members: list[Event] = []

    def stop_at_the_fourth(event: Event) -> None:
        members.append(event)
        if isinstance(event, Finishing) and event.what == "member 4":
            raise Interrupted

    with pytest.raises((Interrupted, RunInterrupted)):
        pdedsl.solve(DECAY, tmp_path / "run", listeners=(stop_at_the_fourth,))
    before = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "run" / "members").iterdir()}
    assert len(before) == 3
    resumed = pdedsl.solve(DECAY, tmp_path / "run", resume=True)
    after = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "run" / "members").iterdir()}
    assert before.items() <= after.items()
    fresh = pdedsl.solve(DECAY)
    assert resumed(t=0.7, a=1.1).item() == fresh(t=0.7, a=1.1).item()


def test_exhausted_cpu_time_is_reported() -> None:
    solution = pdedsl.solve("heat_family", set={"solve.budget": "2", "solve.tolerance": "1e-9"})
    assert solution.verdict.value != "holds"
    assert any("CPU time" in failure for failure in solution.error_estimate.failures)
