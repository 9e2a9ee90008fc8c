"""Compiled networks run backwards, stage by stage: from the end of each stage to its start."""

from __future__ import annotations

import pytest
import torch
from texts import built, changed, inputs, light
from torch import Tensor, nn

from pdedsl.runtime.image_network import ImageNetwork

DEEP = ("[0, 3]", "[0, 10]"), ("steps=3", "steps=100")
TEXTS = {name: changed(light(name), *DEEP) for name in ("hamiltonian", "second_order", "revnet")}
TEXTS["paper's start"] = changed(TEXTS["second_order"], ("steps=100", "steps=100, start=paper"))
TEXTS["one stage"] = changed(TEXTS["hamiltonian"], ("[8, 12]", "[8]"))


def network(text: str) -> ImageNetwork:
    """Deep, with weights that are neither one nor zero, and statistics that are not those of a new network."""
    model = built(text)
    assert isinstance(model, ImageNetwork)
    for parameter in model.stages.parameters():
        nn.init.normal_(parameter, mean=0.1, std=0.2)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_var.uniform_(0.5, 2)
    return model


def _error(found: Tensor, wanted: Tensor) -> float:
    return float((found - wanted).abs().max() / wanted.abs().max())


@torch.no_grad()
@pytest.mark.parametrize("name", TEXTS)
def test_every_start_is_recovered_at_depth_100(name: str) -> None:
    model, x = network(TEXTS[name]), inputs(TEXTS[name], 2)
    passages = model.states(x)
    starts = model.inverse([passage.end for passage in passages])
    assert len(starts) == len(model.stages) == (1 if name == "one stage" else 2)
    for start, passage, stage in zip(starts, passages, model.stages, strict=True):
        assert stage.steps.count == 100
        assert _error(passage.end[0], passage.start) > 0.1
        assert _error(start, passage.start) < 1e-10
        assert torch.equal(stage.inverse(*passage.end), start)


@torch.no_grad()
@pytest.mark.parametrize("name", ["parabolic", *TEXTS])
def test_states_are_those_of_the_forward_pass(name: str) -> None:
    text = TEXTS.get(name) or light(name)
    model, x = network(text), inputs(text, 2)
    passages = model.states(x)
    assert torch.equal(passages[0].start, model.opening(x))
    assert torch.equal(model.classifier(model.connectors[-1](passages[-1].end[0]).flatten(1)), model(x))


@pytest.mark.parametrize("name", ["parabolic", "polynet", "neural_ode"])
def test_steps_without_an_inverse_say_so(name: str) -> None:
    model, x = network(light(name)), inputs(light(name), 1)
    with pytest.raises(ValueError, match=r"cannot be undone exactly.*verlet.*leapfrog"):
        model.inverse([passage.end for passage in model.states(x)])


@pytest.mark.parametrize("name", ["hamiltonian", "one stage"])
def test_transitions_between_stages_are_not_inverted(name: str) -> None:
    model, x = network(TEXTS[name]), inputs(TEXTS[name], len(TEXTS))
    passages = model.states(x)
    for wrong in (model(x), passages[-1].end[0], [p.end for p in passages][1:]):
        with pytest.raises(ValueError, match=r"rectify and average.*model.stages\[k\].inverse"):
            model.inverse(wrong)


def test_second_order_needs_both_last_states() -> None:
    model, x = network(TEXTS["second_order"]), inputs(TEXTS["second_order"], 1)
    (end, *_) = (passage.end for passage in model.states(x))
    with pytest.raises(ValueError, match="two states"):
        model.stages[0].inverse(end[0])
