"""Worst-case robust accuracy over all attacks and the audit, and attacks that are weaker than others."""

from __future__ import annotations

import torch
from scipy.stats import binomtest
from torch import Tensor

import pdedsl
from pdedsl.evaluation.metrics import sign_test


def threshold(x: Tensor) -> Tensor:
    """Class 0 for x > 0, class 1 for x < 0."""
    return torch.cat([x, -x], 1)


def samples(n: int) -> tuple[Tensor, Tensor]:
    """Points at the distances 1/n, 2/n, …, 1 from the boundary."""
    return torch.linspace(1 / n, 1, n).unsqueeze(1), torch.zeros(n, dtype=torch.long)


def test_a_sample_counts_as_robust_only_under_every_attack_within_eps() -> None:
    x, y = samples(10)
    lines = "attack pgd(eps=[0.35, 0.55])\nattack fgsm(eps=0.25)\naudit none"
    report = pdedsl.evaluate(threshold, x, y, lines)
    assert [(w.eps, w.accuracy.k) for w in report.worst_case] == [(0.35, 7), (0.55, 5), (0.25, 8)]
    wide = report.worst_case[1]
    assert dict(wide.attacks) == {"pgd(eps=0.35)": 3, "pgd(eps=0.55)": 5, "fgsm(eps=0.25)": 2}
    assert wide.strongest == "pgd(eps=0.55)"
    assert wide.audited is None
    assert "robust, ℓ∞, ε = 0.55" in str(report)


def test_minimum_norm_attacks_count_within_eps() -> None:
    x, y = samples(10)
    lines = "attack fgsm(eps=0.45, norm=2)\nattack ddn(steps=40)\naudit none"
    (worst,) = pdedsl.evaluate(threshold, x, y, lines).worst_case
    assert worst.accuracy.k == 6
    assert all(count <= 4 for _, count in worst.attacks)  # DDN misclassifies all samples, most of them beyond ε


def test_the_audit_lowers_the_worst_case() -> None:
    """The gradient of sign(x) is zero; Square needs none."""

    def masked(x: Tensor) -> Tensor:
        return threshold(x.sign())

    x, y = samples(20)
    report = pdedsl.evaluate(masked, x, y, "attack fgsm(eps=0.52)\naudit gradient_masking(samples=10)")
    (worst,) = report.worst_case
    assert report.robust[0].accuracy.k == 20
    assert report.audits[0].samples == 10
    assert worst.strongest == "audit"
    assert worst.audited is not None
    assert worst.audited.n == 10
    assert worst.audited.k == 5  # every second sample is audited; those within 0.52 can be misclassified
    assert worst.accuracy.k == 15


def test_without_an_audit_the_report_says_so() -> None:
    x, y = samples(4)
    report = pdedsl.evaluate(threshold, x, y, "attack fgsm(eps=0.1)\naudit none")
    assert report.audits == ()
    assert report.robust[0].audit == "not audited"
    assert "not audited" in report._repr_html_()


def test_a_weak_attack_is_named() -> None:
    """A single step of PGD that is too short for the ball."""

    def curved(x: Tensor) -> Tensor:
        return torch.stack([(1 - (x[:, 0] - 1).square() / 0.04) / 10, torch.zeros(len(x))], 1)

    x, y = torch.full((20, 1), 1.001), torch.zeros(20, dtype=torch.long)
    lines = "attack fgsm(eps=0.25)\nattack pgd(eps=0.25, steps=1, step=0.0001)\naudit none"
    fgsm, tiny = pdedsl.evaluate(curved, x, y, lines).robust
    assert fgsm.accuracy.k == 0
    assert (fgsm.label, fgsm.weakness) == ("FGSM", "")
    assert tiny.label == "PGD-1"
    assert tiny.weakness.startswith("FGSM finds")


def test_labels_of_papers() -> None:
    x, y = samples(4)
    lines = (
        "attack pgd(eps=0.1, restarts=2)\nattack square(eps=0.1, queries=10)\nattack apgd(eps=0.1, steps=5, loss=dlr)"
    )
    report = pdedsl.evaluate(threshold, x, y, lines + "\naudit none")
    assert [r.label for r in report.robust] == ["PGD-20, 2 restarts", "Square-10", "APGD-DLR-5"]


def test_run_time_of_every_measurement() -> None:
    x, y = samples(4)
    report = pdedsl.evaluate(threshold, x, y, "attack fgsm(eps=0.1)\naudit none")
    assert [name for name, _ in report.seconds] == ["natural", "attack fgsm(eps=0.1) seed 0"]
    assert all(seconds > 0 for _, seconds in report.seconds)


def test_sign_test_is_the_binomial_test() -> None:
    for more, fewer in ((0, 3), (1, 0), (7, 2), (30, 11)):
        expected = binomtest(more, more + fewer, alternative="greater").pvalue
        assert abs(sign_test(more, fewer) - expected) < 1e-12
