"""Lipschitz constants of emitted networks, part by part, against the analysis, which knows nothing of modules."""

from __future__ import annotations

import math

import pytest
import torch
from texts import changed, compiled, shipped
from torch import Tensor

from pdedsl.certificates import lipschitz
from pdedsl.explainer.lipschitz_certificate import certificate_lines
from pdedsl.ir.verdicts import Axiom, Proved
from pdedsl.runtime.image_network import ImageNetwork

FRAMED = ("  classes 10\n", "  classes 10\n  frame   lipschitz\n")
LAX = ("require stability, energy_decay\n", "")
MONOTONE = changed(shipped("monotone"), FRAMED, LAX, ("image(1, 28, 28)", "image(1, 8, 8)"))
LINEAR = changed(MONOTONE, ("tanh(K Y)", "K Y"))


def built(text: str) -> ImageNetwork:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = compiled(text).module()
    assert isinstance(model, ImageNetwork)
    return model


def test_the_monotone_network_part_by_part() -> None:
    found = built(MONOTONE).lipschitz_parts()
    assert [p.part for p in found] == ["opening", "equation 1", "connector 1", "equation 2", "connector 2", "head"]
    assert {p.constant for p in found} == {1.0}
    assert found[1].why == "3 steps with δt β ≤ 1, β the Lipschitz constant of the field"
    assert found[2].why == "patches as channels, ‖C‖ ≤ 1, maxmin"


# a spec, and why the equation has no constant; nothing if it has one
EQUATIONS = {
    "monotone": (MONOTONE, ""),
    "as long as a step may be": (changed(MONOTONE, ("[0, 3]", "[0, 6]")), ""),
    "by the bound of K": (changed(MONOTONE, ("‖K‖ ≤ 1", "‖K‖ ≤ sqrt(2)")), ""),
    "a sum with a reaction": (changed(MONOTONE, ("tanh(K Y)", "tanh(K Y) - ½ Y")), ""),
    "relu by heun": (changed(MONOTONE, ("tanh", "relu"), ("euler(", "heun(")), ""),
    "one term of a series": (changed(MONOTONE, ("euler(steps=3", "backward_euler(steps=3, terms=1")), ""),
    "linear by rk4": (changed(LINEAR, ("euler(", "rk4("), ("[0, 3]", "[0, 8]")), ""),
    "linear, too long by rk4": (changed(LINEAR, ("euler(", "rk4("), ("[0, 3]", "[0, 9]")), "step size is too large"),
    "tv_norm": (changed(shipped("parabolic"), FRAMED), "relu after tv_norm need not be monotone"),
    "batch_norm": (
        changed(MONOTONE, ("∂Y/∂t", "let N = batch_norm()\n∂Y/∂t"), ("tanh(K Y)", "tanh(N(K Y))")),
        "tanh after batch_norm need not be monotone",
    ),
    "second order": (changed(shipped("second_order"), FRAMED), "second order in time"),
    "a pair": (changed(shipped("hamiltonian"), FRAMED), "a coupled pair has no Lipschitz bound"),
    "no bound": (changed(MONOTONE, ("operator, ‖K‖ ≤ 1", "operator")), "no bound on ‖K‖ is declared"),
    "a long step": (changed(MONOTONE, ("‖K‖ ≤ 1", "‖K‖ ≤ 3/2")), "δt β = 2.25"),
    "uphill": (changed(MONOTONE, ("-Kᵀ", "Kᵀ")), "gradient ascent"),
    "a reaction that grows": (changed(MONOTONE, ("tanh(K Y)", "tanh(K Y) + ½ Y")), "a positive reaction is expansive"),
    "not monotone": (changed(MONOTONE, ("tanh", "sin")), "sin is not monotone"),
    "midpoint": (changed(MONOTONE, ("euler(", "midpoint(")), "step size is too large"),
    "a solver": (changed(MONOTONE, ("euler(steps=3)", "dopri5"), ("K(t) ", "K ")), "not proved non-expansive"),
    "a learned field": (shipped("neural_ode"), "not proved non-expansive"),
}


@pytest.mark.parametrize("case", list(EQUATIONS))
def test_an_equation_has_a_constant_where_stability_is_proved(case: str) -> None:
    text, why = EQUATIONS[case]
    with torch.device("meta"):
        parts = {p.part: p for p in built(text).lipschitz_parts()}
    verdict = compiled(text).analysis.axioms[Axiom.STABILITY]
    assert parts["equation 1"].constant == (math.inf if why else 1.0)
    assert isinstance(verdict, Proved) == (not why)
    assert why in parts["equation 1"].why


def test_a_paper_has_no_bounds() -> None:
    parts = built(shipped("monotone")).lipschitz_parts()
    broken = {p.part: p.why for p in parts if math.isinf(p.constant)}
    assert list(broken) == ["opening", "connector 1", "connector 2", "head"]
    assert broken["head"] == "the weights of Linear are not bounded"


# ---- in words


def explained(text: str) -> list[str]:
    found = compiled(text)
    return certificate_lines(found.plan, found.analysis)


NOT_SHOWN = "no Lipschitz certificate: the equation is not shown to be non-expansive"


def test_explain_names_the_obstacle_of_the_certificate() -> None:
    assert explained(shipped("monotone")) == []
    asked = changed(shipped("monotone"), ("  classes 10\n}", "  classes 10\n}\nevaluate {\n  certify lipschitz\n}"))
    assert [line.partition(": ")[2][:9] for line in explained(asked)] == ["the frame"]
    (line,) = explained(MONOTONE)
    assert line.startswith("Lipschitz certificate: the logits are 1-Lipschitz in ℓ2 for all weights")
    for case, (text, why) in EQUATIONS.items():
        if "frame   lipschitz" in text:
            (line,) = explained(text)
            assert line.startswith(
                ("no Lipschitz certificate: the equation is not non-expansive", NOT_SHOWN)
                if why
                else "Lipschitz certificate: the logits are 1-Lipschitz"
            ), case


# ---- radii


def test_an_emitted_network_certifies_by_itself() -> None:
    """By pairs of rows of its head, which is at least as good as √2 L; a tie abstains."""
    model = built(MONOTONE)
    x = torch.rand(30, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    pairs, whole = lipschitz(model, x), lipschitz(model, x, constant=1.0)
    assert torch.equal(pairs.classes, model(x).argmax(1))
    assert bool((pairs.radii >= whole.radii * (1 - 1e-5)).all())
    assert bool((pairs.radii > whole.radii).any())
    with torch.no_grad():
        model.classifier.get_parameter("operator.weight").zero_()
    nothing = lipschitz(model, x)
    assert nothing.classes.tolist() == [-1] * 30
    assert not nothing.radii.any()


def test_a_network_without_an_equation_is_a_linear_classifier_with_exact_radii() -> None:
    """Where K is zero and nothing is padded, scores are affine in x: the nearest point of another class is known."""
    model = built(changed(MONOTONE, ("stem    16", "stem    1"), ("stages  [16, 32]", "stages  [1]"))).double()
    with torch.no_grad():
        for p in model.stages.parameters():
            p.zero_()
    x = torch.rand(20, 1, 8, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    found = lipschitz(model, x)
    basis = torch.eye(64, dtype=torch.float64).reshape(64, 1, 8, 8)
    with torch.no_grad():
        w, scores = (model(basis) - model(torch.zeros_like(basis))).T, model(x)
    expected = [nearest(w, s, int(a)) for s, a in zip(scores, found.classes, strict=True)]
    torch.testing.assert_close(found.radii, torch.stack(expected))


def nearest(w: Tensor, scores: Tensor, winner: int) -> Tensor:
    """min_B (s_A - s_B)/‖w_A - w_B‖."""
    others = [b for b in range(len(w)) if b != winner]
    return torch.stack([(scores[winner] - scores[b]) / (w[winner] - w[b]).norm() for b in others]).min()


def test_a_model_without_a_constant_says_which_part_has_none() -> None:
    text, why = EQUATIONS["tv_norm"]
    with pytest.raises(ValueError, match=f"no Lipschitz constant, because of its equation 1: {why}"):
        lipschitz(built(text), torch.zeros(1, 3, 32, 32))
