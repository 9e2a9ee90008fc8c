"""Adaptive attacks in a report: default for stochastic networks, worst case, seeds, pages."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

import pdedsl
from pdedsl.evaluation.evaluate import needs_adaptive_attacks
from pdedsl.evaluation.run import evaluate_run
from pdedsl.runtime.ode.solver_control import with_exact_gradients


def threshold(x: Tensor) -> Tensor:
    """Class 0 for x > 0, class 1 for x < 0."""
    return torch.cat([x, -x], 1)


def noisy(x: Tensor) -> Tensor:
    return threshold(x + 0.05 * torch.randn_like(x))


def samples(n: int) -> tuple[Tensor, Tensor]:
    """Points at the distances 1/n, 2/n, …, 1 from the boundary."""
    return torch.linspace(1 / n, 1, n).unsqueeze(1), torch.zeros(n, dtype=torch.long)


LINES = "attack fgsm(eps=0.52)\naudit none"


def test_stochastic_networks_have_adaptive_attacks_by_default() -> None:
    x, y = samples(10)
    report = pdedsl.evaluate(noisy, x, y, LINES)
    (found,) = report.stochastic
    assert (found.norm, found.eps, found.accuracy.n) == ("inf", 0.52, 10)
    assert found.known_noise is not None
    assert found.interval is None
    assert not found.masked
    (worst,) = report.worst_case
    assert worst.audited == found.accuracy
    assert "adaptive attacks" in dict(worst.attacks)
    assert "adaptive attacks, ℓ∞, ε = 0.52" in str(report)
    assert "Noise samples per gradient" in report._repr_html_()
    assert not pdedsl.evaluate(noisy, x, y, LINES + "\nprotocol standard").stochastic
    assert not pdedsl.evaluate(noisy, x, y, "natural").stochastic


@pytest.mark.usefixtures("small_audit")
def test_a_masked_network_lowers_the_worst_case() -> None:
    """The gradient of sign(x) is zero; BPDA has that of the identity."""
    x, y = samples(10)
    lines = LINES + "\nprotocol stochastic(samples=5)"
    report = pdedsl.evaluate(lambda x: threshold(x.sign()), x, y, lines, seeds=2)
    (found,) = report.stochastic
    assert found.masked
    assert len(found.seeds) == 2
    assert found.interval is not None
    assert found.interval[0] <= found.accuracy.value <= found.interval[1]
    assert found.accuracy.n == 5
    (worst,) = report.worst_case
    assert worst.strongest == "adaptive attacks"
    assert report.robust[0].accuracy.k == 10
    assert worst.accuracy.k == 10 - (5 - found.accuracy.k)
    assert "(gradient masking?)" in str(report)


def test_the_protocol_needs_an_eps() -> None:
    x, y = samples(4)
    with pytest.raises((ValueError, pdedsl.PdeError), match="needs an attack with ε"):
        pdedsl.evaluate(threshold, x, y, "protocol stochastic")


def test_adaptive_solvers_need_adaptive_attacks() -> None:
    compilation = pdedsl.compile("neural_ode")
    size = compilation.plan.image
    assert size is not None
    assert needs_adaptive_attacks(compilation.module(0), torch.rand(3, *size))
    assert not needs_adaptive_attacks(threshold, torch.rand(3, 1))


@pytest.mark.slow
@pytest.mark.usefixtures("small_audit")
def test_a_run_with_a_stochastic_network(run: Path) -> None:
    settings = (
        "evaluate.attack=pgd(eps=0.2, steps=3)",
        "evaluate.certify=",
        "evaluate.protocol=stochastic(samples=20)",
    )
    report = evaluate_run(run, set=settings)
    (found,) = report.stochastic
    assert found.accuracy.n == 20
    assert "Adaptive attacks" in (run / "evaluation/report.html").read_text("utf-8")


def test_exact_gradients_without_the_adjoint() -> None:
    assert with_exact_gradients(torch.nn.Linear(2, 2)) is None
