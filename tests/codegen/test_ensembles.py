"""Ensembles from spec text: members of different depths, learned weights, members independently trained.

Wang, Yuan, Shi, Osher 2020, sections 3.1, 4.2 and 5.
"""

from __future__ import annotations

import math

import pytest
import torch
from texts import built, changed, compiled, inputs, parameters, picture, shipped, written
from torch import Tensor, nn

import pdedsl
from pdedsl.config.training import CrossEntropy
from pdedsl.explainer.describe import network_lines
from pdedsl.ir.plan import DataPlan, MemberCrossEntropy
from pdedsl.runtime.rng import frozen_noise, streams
from pdedsl.runtime.sde.feynman_kac import Expectation
from pdedsl.runtime.sde.noise import GaussianNoise

RESNET = {20: 272_282, 32: 466_714, 44: 661_146}
MAPS = {20: 9, 32: 15, 44: 21}
NU = 0.005  # ½σ² with σ = 0.1


def ensemble(depths: str = "[20, 32, 44]", options: str = "members=1") -> str:
    """The shipped ensemble with other depths, and noise of the size that the equation says."""
    return changed(
        shipped("enresnet"), ("depth=20", f"depth={depths}"), ("noise(members=5, scale=relative)", f"noise({options})")
    )


SMALL = picture("∂u/∂t = v·∇u + σ²Δu", net="resnet(depth=[20, 32])", realized="realize diffusion by noise(members=2)")


def plan_of(text: str) -> DataPlan:
    plan = compiled(text).plan
    assert isinstance(plan, DataPlan)
    return plan


# ---- different depths


@pytest.mark.parametrize("members", [1, 2])
@pytest.mark.parametrize("weights", ["equal", "learned"])
def test_parameters_are_those_of_the_networks_and_one_weight_a_member(members: int, weights: str) -> None:
    model = compiled(ensemble(options=f"members={members}, weights={weights}")).module()
    assert parameters(model) == members * sum(RESNET.values()) + (3 * members if weights == "learned" else 0)
    assert len(model.members) == 3 * members


@pytest.mark.parametrize("end", ["1", "4"])
def test_every_depth_has_its_own_step_and_noise(end: str) -> None:
    """Δt = T/L and √(2νΔt) behind each of the L maps, so that the variances of all layers add up to 2νT."""
    text = changed(ensemble(), ("[0, 1]", f"[0, {end}]"), ("u(x, 1)", f"u(x, {end})"))
    model = compiled(text).module()
    for member, maps in zip(model.members, MAPS.values(), strict=True):
        found = [m.std for m in member.modules() if isinstance(m, GaussianNoise)]
        assert found == pytest.approx([math.sqrt(2 * NU * float(end) / maps)] * maps, rel=1e-12)
        assert sum(s**2 for s in found) == pytest.approx(2 * NU * float(end), rel=1e-12)
    assert len({int(s.state[0]) for s in streams(model)}) == sum(MAPS.values())


def test_one_depth_in_a_list_is_that_depth() -> None:
    assert compiled(ensemble("[20]")).python() == compiled(ensemble("20")).python()


def test_depths_without_diffusion_are_averaged_too() -> None:
    model = compiled(picture("∂u/∂t = v·∇u", net="resnet(depth=[20, 32])")).module()
    assert isinstance(model, Expectation)
    assert len(model.members) == 2
    assert streams(model) == []


def test_noise_on_the_input_is_before_each_depth() -> None:
    text = changed(shipped("randomized_smoothing"), ("depth=20", "depth=[20, 32]"))
    model = compiled(text).module()
    assert [type(member[0]).__name__ for member in model.members] == ["GaussianNoise"] * 2


def test_explanation_and_python_name_every_depth() -> None:
    text = ensemble(options="members=2, weights=learned")
    lines = network_lines(plan_of(text))
    for depth, maps in MAPS.items():
        assert sum(f"resnet(depth={depth}, width=16), each a step δt = 1/{maps};" in line for line in lines) == 1
        assert f"def member_{depth}() -> nn.Module:" in compiled(text).python()
    assert "6 ensemble members" in lines[-1]
    assert 'weights="learned"' in compiled(text).python()


def test_a_list_of_depths_has_no_meaning_for_the_data() -> None:
    text = changed(shipped("heat_smoothing"), ("depth=20", "depth=[20, 32]"))
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(text)
    (diagnostic,) = found.value.diagnostics
    assert diagnostic.code == "E604"
    assert found.value.source is not None
    assert found.value.source.text[diagnostic.span.start : diagnostic.span.end] == "resnet(depth=[20, 32])"


def test_written_file_and_memory_are_one_model() -> None:
    torch.manual_seed(2)
    ours = compiled(SMALL).module(5)
    torch.manual_seed(2)
    theirs: nn.Module = written(SMALL).model(5)
    a, b = ours.state_dict(), theirs.state_dict()
    assert list(a) == list(b)
    assert all(torch.equal(a[key], b[key]) for key in a)
    x = inputs(SMALL, 3).float()
    with torch.no_grad():
        assert torch.equal(ours.eval()(x), theirs.eval()(x))


def test_learned_weights_reach_the_loss() -> None:
    """u = Σ w_m p_m with w = softmax(a): ∂(-log u_y)/∂a_m = w_m(1 - p_my/u_y)."""
    text = changed(SMALL, ("members=2", "members=2, weights=learned"))
    model, x = built(text), inputs(text, 1)
    with frozen_noise(model):
        each = model.each(x).exp()[:, 0, 1]
        (-model(x)[0, 1]).backward()
    expected = 0.25 * (1 - each / each.mean())
    assert model.weight_logits.grad is not None
    torch.testing.assert_close(model.weight_logits.grad, expected, rtol=1e-9, atol=1e-12)


# ---- members independently trained


def loss(scores: Tensor, labels: Tensor) -> Tensor:
    return nn.functional.cross_entropy(scores, labels)


def test_apart_is_in_the_objective() -> None:
    assert plan_of(ensemble(options="members=2")).objective == CrossEntropy()
    text = ensemble(options="members=2, training=apart")
    assert plan_of(text).objective == MemberCrossEntropy()
    assert "trained independently" in compiled(text).python()


def test_weights_are_not_learned_apart() -> None:
    text = ensemble(options="members=2, training=apart, weights=learned")
    with pytest.raises(pdedsl.PdeError) as found:
        pdedsl.compile(text)
    (diagnostic,) = found.value.diagnostics
    assert (diagnostic.code, bool(diagnostic.hint)) == ("E604", True)


def test_gradients_of_independent_training_are_those_of_single_members() -> None:
    """Σ_m CE(member_m) over `each`, against single members with the same noise: bitwise equal."""
    together, alone = (built(SMALL).train() for _ in range(2))
    x, labels = inputs(SMALL, 4), torch.tensor([0, 1, 2, 1])
    sum(loss(scores, labels) for scores in together.each(x)).backward()
    for member in alone.members:
        loss(member(x).log_softmax(-1), labels).backward()
    assert len(list(together.parameters())) == len(list(alone.parameters()))
    for (name, p), q in zip(together.named_parameters(), alone.parameters(), strict=True):
        assert p.grad is not None, name
        assert torch.equal(p.grad, q.grad), name
    assert [s.state.tolist() for s in streams(together)] == [s.state.tolist() for s in streams(alone)]


def test_members_trained_independently_are_independent() -> None:
    """The loss of one member leaves the weights of the others without gradient."""
    model, x = built(SMALL), inputs(SMALL, 2)
    loss(model.each(x)[1], torch.tensor([0, 1])).backward()
    touched = [any(p.grad is not None and p.grad.abs().max() > 0 for p in m.parameters()) for m in model.members]
    assert touched == [False, True, False, False]


def test_integration_afterwards_is_the_mean_of_probabilities() -> None:
    model, x = built(SMALL), inputs(SMALL, 5)
    model.eval_samples = 3
    with torch.no_grad(), frozen_noise(model):
        each = model.each(x)
        assert each.shape == (4, 5, 3)
        torch.testing.assert_close(each.exp().sum(-1), torch.ones(4, 5, dtype=torch.float64))
        torch.testing.assert_close(model(x).exp(), each.exp().mean(0), rtol=1e-12, atol=1e-14)
