"""A compiled model is an ordinary module, and a sample's output is its own.

Frozen noise is one draw for all inputs, so a sample alone and in a batch sees the same numbers. Outputs are compared
to 1e-10 in float64, not to the bit: products and convolutions of another batch size may add in another order.
"""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch
from texts import MODELS, built, inputs, learned, light
from torch import Tensor, nn

from pdedsl.runtime.rng import RandomStream, frozen_noise, seed_noise
from pdedsl.runtime.sde.feynman_kac import Expectation

V = "learn v(x, y, t) : vector = mlp(width=6, depth=1)"
TRANSPORT = learned("∂u/∂t = v·∇u", V, realized="realize time by {}")
DIFFUSIVITY = "learn v(x, y, t) : vector = mlp(width=6, depth=1)\nlearn a(x, y, t) : scalar > 0 = mlp(width=6, depth=1)"
EXTRA = {
    "learned diffusion": learned("∂u/∂t = v·∇u + a Δu", DIFFUSIVITY, realized="realize diffusion by noise(samples=2)"),
    "known field": learned("∂u/∂t = v·∇u + 0.1 Δu", "let v(x, y, t) = [sin(y + t), x]"),
    "adaptive": TRANSPORT.replace("{}", "dopri5"),
    "implicit": TRANSPORT.replace("{}", "backward_euler(steps=3, terms=2)"),
    "bounded": TRANSPORT.replace("{}", "heun(steps=2)").replace("W : operator", "W : operator, ‖W‖ ≤ 0.1"),
}
# Two members of an ensemble: these tests do not depend on their number.
TEXTS = {**{name: light(name).replace("members=5", "members=2") for name in MODELS}, **EXTRA}
NOISY = ["anisotropic", "dropout", "enresnet", "randomized_smoothing", "rotation", "shake_shake", "stochastic_depth"]
# One of each family: transport, noise in its kinds, noise on the input, a time channel, and each equation of images.
FAMILIES = [
    "resnet",
    "anisotropic",
    "dropout",
    "enresnet",
    "shake_shake",
    "stochastic_depth",
    "randomized_smoothing",
    "convection_diffusion",
    "rotation",
    "monotone",
    "hamiltonian",
    "second_order",
    "polynet",
    "known field",
    "implicit",
    "bounded",
]


def model(name: str) -> nn.Module:
    """With running statistics that are not those of a new network."""
    made = built(TEXTS[name])
    for module in made.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.5, 2)
    return made


@pytest.mark.parametrize("name", TEXTS)
def test_a_sample_knows_nothing_of_its_batch(name: str) -> None:
    network, x = model(name), inputs(TEXTS[name], 4)
    order = torch.tensor([2, 0, 3, 1])
    loud = torch.cat([x[:1], 30 * inputs(TEXTS[name], 3, seed=8)])
    with torch.no_grad(), frozen_noise(network):
        together = network(x)
        alone = torch.cat([network(row) for row in x.split(1)])
        torch.testing.assert_close(alone, together, rtol=1e-10, atol=1e-10)
        torch.testing.assert_close(network(x[order]), together[order], rtol=1e-10, atol=1e-10)
        torch.testing.assert_close(network(loud)[:1], together[:1], rtol=1e-10, atol=1e-10)
    assert (together[0] - together[1]).abs().max() > 1e-6  # they do differ


@pytest.mark.parametrize("name", NOISY)
def test_evaluation_has_noise_of_its_own(name: str) -> None:
    """Anew for each row and call; a twin has the same sequence of calls, a frozen one repeats itself, a seed starts
    again, and neither the user's generator nor training has a part in it."""
    network, x = model(name), inputs(TEXTS[name], 1).repeat(3, *[1] * (inputs(TEXTS[name], 1).dim() - 1))
    twin = copy.deepcopy(network)
    with torch.no_grad():
        torch.manual_seed(4)
        before, first, second = torch.get_rng_state(), network(x), network(x)
        assert torch.equal(torch.get_rng_state(), before)
        assert len(first.unique(dim=0)) == 3
        assert not torch.equal(first, second)
        torch.manual_seed(5)
        assert torch.equal(twin(x), first)
        if not any(isinstance(module, nn.BatchNorm2d) for module in twin.modules()):  # which training moves
            twin.train()(x)
            twin.eval()
        assert torch.equal(twin(x), second)
        with frozen_noise(network):
            assert torch.equal(network(x), network(x))
            torch.testing.assert_close(network(x)[0], network(x)[2], rtol=1e-12, atol=1e-12)
        for one in (network, twin):
            seed_noise(one, 6)
        assert torch.equal(network(x), twin(x))


@pytest.mark.parametrize("name", [n for n in NOISY if n != "rotation"])
def test_training_noise_is_the_models_own(name: str) -> None:
    """Every step is new noise, and the user's generator is not read."""
    network, x = model(name).train(), inputs(TEXTS[name], 3)
    torch.manual_seed(4)
    before = torch.get_rng_state()
    first, second = network(x), network(x)
    assert torch.equal(torch.get_rng_state(), before)
    assert not torch.equal(first, second)


@pytest.mark.parametrize("name", ["anisotropic", "enresnet", "randomized_smoothing"])
def test_samples_can_be_set_at_evaluation(name: str) -> None:
    """The mean over more draws is that of draws of which the first are the same."""
    network, x = model(name), inputs(TEXTS[name], 2)
    (expectation,) = [m for m in network.modules() if isinstance(m, Expectation)]
    with torch.no_grad(), frozen_noise(network):
        found = {}
        for samples in (1, 2, 8):
            expectation.eval_samples = samples
            found[samples] = network(x).softmax(-1)
        assert not torch.allclose(found[1], found[2])
        second = 2 * found[2] - found[1]  # members with equal weights: linear in the draws
        assert (second > -1e-12).all()
        torch.testing.assert_close(second.sum(-1), torch.ones(2, dtype=torch.float64))
        assert len({tuple(p.flatten().tolist()) for p in found.values()}) == 3


def learn(network: nn.Module, x: Tensor) -> None:
    output = network.train()(x)
    (output - output.detach().roll(1, -1)).square().sum().backward()


@pytest.mark.parametrize("name", TEXTS)
def test_forward_and_backward_in_double_precision(name: str) -> None:
    network, x = model(name), inputs(TEXTS[name], 3).requires_grad_()
    learn(network, x)
    assert x.grad is not None
    assert x.grad.isfinite().all()
    for key, parameter in network.named_parameters():
        assert parameter.grad is not None, key
        assert parameter.grad.dtype == torch.float64
        assert parameter.grad.isfinite().all(), key


@pytest.mark.parametrize("name", TEXTS)
def test_forward_and_backward_on_the_meta_device(name: str) -> None:
    network, x = model(name), inputs(TEXTS[name], 3)
    expected = network(x).shape
    learn(network.to("meta"), x.to("meta").requires_grad_())
    network.eval()
    assert network(x.to("meta")).shape == expected
    assert all(p.grad is not None and p.grad.shape == p.shape for p in network.parameters())


@pytest.mark.parametrize("name", TEXTS)
def test_copies(name: str) -> None:
    """deepcopy, pickle and a state_dict in a file give the same outputs, and a copy has separate weights."""
    network, x = model(name), inputs(TEXTS[name], 2)
    other = built(TEXTS[name], seed=9)
    for parameter in other.parameters():
        nn.init.normal_(parameter)
    file = io.BytesIO()
    torch.save(network.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file))
    twins = copy.deepcopy(network), pickle.loads(pickle.dumps(network)), other
    moved, kept = copy.deepcopy(network), copy.deepcopy(network)
    with torch.no_grad():
        for parameter in moved.parameters():
            parameter.add_(1.0)
        expected = network(x)
        assert all(torch.equal(twin(x), expected) for twin in (*twins, kept))


@pytest.mark.long
@pytest.mark.parametrize("name", FAMILIES)
def test_export(name: str) -> None:
    network, x = model(name), inputs(TEXTS[name], 3)
    exported = torch.export.export(copy.deepcopy(network), (x,), strict=False).module()
    for _ in range(2):
        torch.testing.assert_close(exported(x), network(x), rtol=1e-10, atol=1e-10)


def test_noise_is_saved_with_the_weights() -> None:
    network = model("enresnet")
    streams = [m for m in network.modules() if isinstance(m, RandomStream)]
    assert len(streams) == 18
    assert len({tuple(s.state.tolist()) for s in streams}) == 18
    assert sum(key.endswith("stream.state") for key in network.state_dict()) == 18
