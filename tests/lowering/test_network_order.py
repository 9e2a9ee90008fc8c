"""Signs, factors and order of the layers: equivalent specs give the same network."""

from __future__ import annotations

import math

import pytest
import torch
from texts import built, changed, compiled, fresh, inputs, learned, picture, refused, shipped
from torch import Tensor, nn

from pdedsl.runtime.rng import RandomStream, frozen_noise
from pdedsl.runtime.sde.noise import GaussianNoise, LaplaceNoise, RelativeNoise

SWING = "let v(x, y, t) = [sin(y + 3t) - x/2, cos(2x - t)]"
SWUNG = "let v(x, y, t) = [sin(y + 3(2 - t)) - x/2, cos(2x - (2 - t))]"
FIELD = "learn v(x, y) : vector = mlp(width=8, depth=2)"
DRAWS = "realize diffusion by noise(samples=3)"
# The same problem with initial and with terminal data, on [0, 2].
PAIRS = {
    "transport": (
        learned("∂u/∂t = v·∇u", SWING, "2"),
        learned("∂u/∂t + v·∇u = 0", SWUNG, "2", at="2"),
    ),
    "diffusion": (
        learned("∂u/∂t = v·∇u + 0.1 Δu", SWING, "2", realized=DRAWS),
        learned("∂u/∂t + v·∇u + 0.1 Δu = 0", SWUNG, "2", at="2", realized=DRAWS),
    ),
    "diffusion in time": (
        learned("∂u/∂t = v·∇u + (1 + t²) Δu", SWING, "2", realized=DRAWS),
        learned("∂u/∂t + v·∇u + (1 + (2 - t)²) Δu = 0", SWUNG, "2", at="2", realized=DRAWS),
    ),
    "matrix": (
        learned("∂u/∂t = v·∇u + A:∇∇u", f"{SWING}\nconst A = [[2, 1], [1, 3]]", "2", realized=DRAWS),
        learned("∂u/∂t + v·∇u + A:∇∇u = 0", f"{SWUNG}\nconst A = [[2, 1], [1, 3]]", "2", at="2", realized=DRAWS),
    ),
    "split": (
        learned("∂u/∂t = v·∇u for t in [0, 1.5]\n∂u/∂t = 0.1 Δu for t in [1.5, 2]", SWING, "2", realized=DRAWS),
        learned(
            "∂u/∂t + 0.1 Δu = 0 for t in [0, 0.5]\n∂u/∂t + v·∇u = 0 for t in [0.5, 2]",
            SWUNG,
            "2",
            at="2",
            realized=DRAWS,
        ),
    ),
    "learned": (
        learned("∂u/∂t = v·∇u + 0.1 Δu", FIELD, realized=DRAWS),
        learned("∂u/∂t + v·∇u + 0.1 Δu = 0", FIELD, at="1", realized=DRAWS),
    ),
    "images": (
        picture("∂u/∂t = v·∇u + σ²Δu", realized=DRAWS),
        picture("∂u/∂t + v·∇u + σ²Δu = 0", at="1", realized=DRAWS),
    ),
}
# ν, the length of time and how it is written.
SPELLINGS = {
    "∂u/∂t = v·∇u + σ²Δu": (0.09, 1),
    "∂u/∂t = v·∇u + ½σ²Δu": (0.045, 1),
    "∂u/∂t = v·∇u + 1/2 σ² Δu": (0.045, 1),
    "∂u/∂t - v·∇u - (σ²/2) Δu = 0": (0.045, 1),
    "2 ∂u/∂t = 2 v·∇u + σ²Δu": (0.045, 1),
    "-∂u/∂t + v·∇u = -σ²Δu": (0.09, 1),
    "∂u/∂t = v·∇u + ∇·(σ²∇u)": (0.09, 1),
    "∂u/∂t = v·∇u + Σᵢ σ² ∂²u/∂xᵢ²": (0.09, 1),
    "∂u/∂t = σ²Δu + v·∇u + σ Δu": (0.39, 1),
    "du/dt = dot(v, grad(u)) + 1/2 sigma^2 lap(u)": (0.045, 1),
    "∂u/∂t = v·∇u + ½ σ² Δu ": (0.045, 4),
}


def features(model: nn.Module, x: Tensor) -> Tensor:
    """The input of the readout W, the last linear map."""
    seen: list[Tensor] = []
    readout = [m for m in model.modules() if isinstance(m, nn.Linear)][-1]
    handle = readout.register_forward_pre_hook(lambda _, args: seen.append(args[0]))
    with torch.no_grad():
        model(x)
    handle.remove()
    return seen[0]


def noises(model: nn.Module) -> list[float]:
    return [float(m.std) for m in model.modules() if isinstance(m, GaussianNoise)]


@pytest.mark.parametrize("name", PAIRS)
def test_initial_and_terminal_forms_give_the_same_network(name: str) -> None:
    initial, terminal = map(built, PAIRS[name])
    shapes = [{k: v.shape for k, v in m.state_dict().items()} for m in (initial, terminal)]
    assert shapes[0] == shapes[1]
    for parameter in initial.parameters():
        torch.nn.init.normal_(parameter)
    terminal.load_state_dict(initial.state_dict())
    x = inputs(PAIRS[name][0], 6)
    torch.testing.assert_close(terminal(x), initial(x), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", ["transport", "diffusion", "diffusion in time", "matrix", "split"])
def test_initial_and_terminal_forms_give_the_same_operator(name: str) -> None:
    initial, terminal = (compiled(text).operator(samples=50).double() for text in PAIRS[name])
    x = inputs(PAIRS[name][0], 6)
    for later in (0.7, 2.0):  # u(x, later) of the one is u(x, 2 - later) of the other
        ours, theirs = initial(_wave, x, later), terminal(_wave, x, 2.0 - later)
        torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-7)
    assert (terminal(_wave, x, 1.5) - initial(_wave, x, 1.5)).abs().max() > 1e-3  # and not at the same time


def _wave(y: Tensor) -> Tensor:
    return torch.cos(1.3 * y[..., 0] - 0.7 * y[..., 1])


@pytest.mark.parametrize("equation", SPELLINGS)
def test_layer_noise(equation: str) -> None:
    """√(2νΔt) behind each of the nine maps of a ResNet20."""
    nu, end = SPELLINGS[equation]
    found = noises(compiled(picture(equation, end=str(end))).module())
    assert found == pytest.approx([math.sqrt(2 * nu * end / 9)] * 9, rel=1e-12)


@pytest.mark.parametrize(
    ("net", "maps"),
    [
        ("resnet(depth=20)", 9),
        ("resnet(depth=8, width=4)", 3),
        ("wide_resnet(depth=10, width=1)", 3),
        ("resnet18", 8),
        ("preact_resnet18", 8),
        ("convnet(layers=2)", 2),
        ('torchvision("resnet18")', 8),
    ],
)
def test_layer_noise_by_number_of_blocks(net: str, maps: int) -> None:
    """The variances of all layers add up to 2νT, T = 1."""
    text = picture("∂u/∂t = v·∇u + σ²Δu", net=net).replace("image(1, 8, 8)", "image(3, 32, 32)")
    found = noises(compiled(text).module())
    assert len(found) == maps
    assert sum(s**2 for s in found) == pytest.approx(2 * 0.09, rel=1e-12)


def test_laplace_and_relative_noise() -> None:
    laplace = compiled(picture("∂u/∂t = v·∇u + σ²Δu", realized="realize diffusion by noise(kind=laplace)")).module()
    found = [m.std for m in laplace.modules() if isinstance(m, LaplaceNoise)]
    assert found == pytest.approx([math.sqrt(2 * 0.09 / 9)] * 9, rel=1e-12)
    relative = compiled(shipped("enresnet")).module()
    assert [m.scale for m in relative.modules() if isinstance(m, RelativeNoise)] == [0.1] * 45


@pytest.mark.parametrize("factor", [-1.0, 2.0])
def test_factor_of_a_learned_drift(factor: float) -> None:
    """u_t = c v·∇u with v is u_t = v·∇u with c·v: the last layer of v scaled by c."""
    plain = built(learned("∂u/∂t = v·∇u", FIELD))
    scaled = built(learned(f"∂u/∂t = {factor:g} v·∇u".replace("-1 ", "-"), FIELD))
    assert len(list(plain.parameters())) == len(list(scaled.parameters()))
    for p, q in zip(scaled.parameters(), plain.parameters(), strict=True):
        q.data.copy_(p)
    last = [m for m in plain.modules() if isinstance(m, nn.Linear)][-2]
    last.weight.data.mul_(factor)
    last.bias.data.mul_(factor)
    x = inputs(learned("∂u/∂t = v·∇u", FIELD), 5)
    torch.testing.assert_close(scaled(x), plain(x), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("at", ["v(x, y, 1 - t)", "v(y, x, t)", "v(2x, y, t)"])
def test_arguments_of_a_learned_field(at: str) -> None:
    """The first step of initial data on [0, 1] stands at t = 1; one step, so x + v(·). Or the compiler says no."""
    declared, step = "learn v(x, y, t) : vector = mlp(width=8, depth=2)", "realize time by euler(steps=1)"
    text = learned(f"∂u/∂t = {at}·∇u", declared, realized=step)
    if refused(text):
        return
    module = fresh(text)
    made: list[nn.Module] = []
    make = module.make_v
    module.make_v = lambda: made.append(make().double()) or made[0]
    model = module.model().double().eval()
    x = torch.tensor([[0.4, -1.1]], dtype=torch.float64)
    a, b = x.unbind(-1)
    where = {"v(x, y, 1 - t)": (a, b, 0.0), "v(y, x, t)": (b, a, 1.0), "v(2x, y, t)": (2 * a, b, 1.0)}[at]
    expected = x + made[0](torch.stack(where[:2], -1), where[2])
    torch.testing.assert_close(features(model, x), expected)


# ---- the order of split models


def test_diffusion_last_in_time_is_noise_on_the_input() -> None:
    model = compiled(shipped("randomized_smoothing")).module()
    (member,) = model.members
    assert isinstance(member[0], GaussianNoise)
    assert noises(model) == [pytest.approx(math.sqrt(2 * 0.5 * 0.25**2 * 1), rel=1e-12)]
    assert len([m for m in model.modules() if isinstance(m, RandomStream)]) == 1
    assert (model.samples, model.eval_samples) == (1, 100)


def swapped(text: str) -> str:
    """The split model with its pieces of time exchanged."""
    pieces = (
        ("v·∇u     for t in [0, T]", "½σ²Δu for t in [0, 1]"),
        ("½σ²Δu    for t in [T, T + 1]", "v·∇u for t in [1, 2]"),
    )
    return changed(text, *pieces, ("const   T = 1\n", ""), ("[0, T + 1]", "[0, 2]"), ("samples=100", "samples=1"))


def test_diffusion_first_in_time_is_noise_before_the_readout() -> None:
    """The features that W reads are those of the noiseless network plus one N(0, σ²) vector, and W is behind it."""
    text = swapped(shipped("randomized_smoothing"))
    model = built(text)
    assert noises(model) == [pytest.approx(0.25, rel=1e-12)]
    x = inputs(text, 2)
    with frozen_noise(model):
        noisy = features(model, x)
    for module in model.modules():
        if isinstance(module, GaussianNoise):
            module.std = 0.0
    added = noisy - features(model, x)
    assert added.shape == (2, 64)
    torch.testing.assert_close(added[0], added[1], rtol=0, atol=1e-12)  # one draw, shared by the inputs
    assert 0.25 / 2 < float(added[0].std()) < 0.25 * 2  # 64 numbers: beyond 11 standard errors of the deviation


def test_split_points() -> None:
    """On R^2 the noise stands in front of the walk, or between the walk and the readout."""
    last = built(learned("∂u/∂t = v·∇u for t in [0, 1]\n∂u/∂t = Δu for t in [1, 3]", FIELD, "3"))
    first = built(learned("∂u/∂t = Δu for t in [0, 2]\n∂u/∂t = v·∇u for t in [2, 3]", FIELD, "3"))
    names = [[type(part).__name__ for part in m.members[0]] for m in (last, first)]
    assert names == [
        ["GaussianNoise", "CharacteristicSteps", "Linear"],
        ["CharacteristicSteps", "GaussianNoise", "Linear"],
    ]
    assert noises(last) == noises(first) == [2.0]


def test_two_intervals_with_drift() -> None:
    """A resnet on each of two pieces would need one network cut in two: a way to do it, or a compile-time error."""
    text = picture("∂u/∂t = v·∇u for t in [0, 1]\n∂u/∂t = v·∇u + σ²Δu for t in [1, 2]", end="2")
    if not refused(text):
        assert built(text)(inputs(text, 2)).shape == (2, 3)
