"""User networks: imported only if trusted, with noise after their residual blocks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

import pdedsl
from pdedsl.api import format
from pdedsl.compiler import Compilation, check, to_compilation
from pdedsl.diagnostics import PdeError, Source
from pdedsl.numerics.torchvision_models import MODELS
from pdedsl.runtime.sde.noise import GaussianNoise, ScaledNoise
from pdedsl.runtime.user_modules import NoiseAfter, UserField, find_residual_blocks, user_backbone
from pdedsl.testing import equation
from pdedsl.testing.moment_tests import CheckOutcome
from tests.codegen import own_nets as nets
from tests.texts import learned, picture

NET = 'torch("tests.codegen.own_nets:{}"{})'


def own(name: str = "Net", more: str = "", equation: str = "∂u/∂t = v·∇u + ½σ²Δu", **options: str) -> str:
    return picture(equation, net=NET.format(name, more), **options)


def compiled(text: str, trust: bool = True) -> Compilation:
    return pdedsl.compile(text, trust)


def refused(text: str, trust: bool = True) -> str:
    with pytest.raises(PdeError) as caught:
        pdedsl.compile(text, trust)
    (found,) = caught.value.diagnostics
    return f"{found.code}: {found.message}"


# ---- leave


def test_nothing_is_imported_without_leave() -> None:
    """Neither by reading, analysing, planning, explaining and formatting, nor by compiling without it."""
    text = own().replace("tests.codegen.own_nets", "tests.codegen.forbidden")
    code = (
        f"import sys, pdedsl\nfrom pdedsl.compiler import check\nfrom pdedsl.diagnostics import Source, PdeError\n"
        f"text = {text!r}\nfound = check(Source(text))\nassert found.errors == (), found.errors\n"
        "pdedsl.format(text); str(pdedsl.explain(text)); pdedsl.load(text).hash\n"
        "try:\n    pdedsl.compile(text)\nexcept PdeError as error:\n    print(error.diagnostics[0].code)\n"
        "assert 'torch' not in sys.modules and 'tests.codegen' not in sys.modules\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert (ran.stdout, ran.stderr) == ("E614\n", "")


def test_the_plan_counts_its_maps_after_import() -> None:
    planned = check(Source(own())).planned
    assert planned is not None
    assert str(planned.model.architectures[0].parts[0].step) == "1/maps"  # type: ignore[union-attr]
    assert str(compiled(own()).plan.architectures[0].parts[0].step) == "1/3"  # type: ignore[union-attr]


def test_the_hash_does_not_know_of_the_import() -> None:
    assert compiled(own()).spec.hash == pdedsl.load(own()).hash
    assert pdedsl.load(own(more=", width=4")).hash != pdedsl.load(own(more=', width="4"')).hash
    assert pdedsl.load(own(more=", width=4, blocks=2")).hash == pdedsl.load(own(more=", blocks=2, width=4")).hash


# ---- residual blocks


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["resnet18", "mobilenet_v2", "mobilenet_v3_small", "efficientnet_b0", "convnext_tiny"])
def test_maps_are_found_in_torchvision(name: str) -> None:
    """By reading their forward passes, as many as the table that was written by hand says."""
    from torchvision.models import get_model

    with torch.device("meta"):
        found = find_residual_blocks(get_model(name, weights=None))
    assert (len(found.maps), found.open, found.unread) == (MODELS[name].maps, (), ())


def test_residual_blocks_are_detected_and_unchanged() -> None:
    assert find_residual_blocks(nets.Net(blocks=2)).maps == ("blocks.0", "blocks.1")
    assert find_residual_blocks(nn.Sequential(nets.Pair(), nn.Linear(3, 3))).maps == ("0",)
    assert find_residual_blocks(nets.Plain()).maps == ()
    assert find_residual_blocks(nets.Open()).open == ("",)


def test_layers_of_transformers_that_are_torchs_own() -> None:
    """Residual blocks if the norm comes first; otherwise their sums are inside. Noise follows each of them."""
    network = user_backbone(nets.Tokens(), (1, 8, 8), 3).network(lambda layer: GaussianNoise(float(layer + 1), seed=0))
    followed = {path: m.noise.std for path, m in network.named_modules() if isinstance(m, NoiseAfter)}
    assert followed == {"1.encoder.layers.0": 1.0, "1.encoder.layers.1": 2.0}
    assert not torch.equal(*network(torch.ones(2, 1, 8, 8)))
    assert find_residual_blocks(nets.Tokens(norm_first=False)).open == ("encoder.layers.0", "encoder.layers.1")


def test_noise_follows_each_residual_block_in_the_order_of_calls() -> None:
    network = user_backbone(nets.Net(), (1, 8, 8), 3).network(lambda layer: GaussianNoise(float(layer), seed=0))
    followed = {path: m.noise.std for path, m in network.named_modules() if isinstance(m, NoiseAfter)}
    assert followed == {"1.blocks.0": 2.0, "1.blocks.1": 1.0, "1.blocks.2": 0.0}
    assert network(torch.rand(2, 1, 8, 8)).shape == (2, 3)


@pytest.mark.parametrize("maps", ["Block", "blocks"])
def test_maps_may_be_named(maps: str) -> None:
    assert len(user_backbone(nets.Net(), (1, 8, 8), 3, residual_blocks=[maps]).residual_blocks) == 3
    assert 'residual_blocks=("' + maps in compiled(own(more=f', maps="{maps}"')).python()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (own("Open"), "E614: x + F(x) is computed inside the network itself, so noise cannot be added after it"),
        (own("Plain"), "E614: no residual blocks x + F(x) were found in Plain"),
        (own("Unused"), "E614: the residual block 'spare' is called never in a forward pass; it must be called once"),
        (own(more=', maps="Other"'), "E614: Net has no module of the class or at the path 'Other'"),
        (own(more=", widht=4"), "unexpected keyword argument 'widht'"),
        (
            own(more=", classes=7"),
            "E614: Net maps two inputs of shape (1, 8, 8) to shape (2, 7): expected logits of 3 classes",
        ),
        (own("Other"), "E614: the module 'tests.codegen.own_nets' has no class or function 'Other'"),
        (own("broken"), "E614: 'tests.codegen.own_nets:broken' fails: RuntimeError: no weights today"),
        (own("misused"), "E614: 'tests.codegen.own_nets:misused' fails: ValueError: width must be even"),
        (own("number"), "E614: a network must be an nn.Module, found int"),
        (
            own().replace("tests.codegen.own_nets", "tests.codegen.none"),
            "E614: Python module 'tests.codegen.none' not found",
        ),
        (
            own().replace("tests.codegen.own_nets:Net", "model:Net"),
            "E604: the module name 'model' conflicts with a file of the compiled package",
        ),
        (
            own().replace("tests.codegen.own_nets:Net", "os.system('x')"),
            "E507: a user-defined network must be named as module:class",
        ),
        (own(more=", lambda=1"), "E507: 'lambda' is not a valid Python argument name"),
        (own(more=", width=1, width=2"), "E506: repeated argument 'width'"),
    ],
)
def test_incompatible_networks_are_rejected(text: str, said: str) -> None:
    assert said in refused(text)


def test_maps_of_ones_own_cannot_be_dropped() -> None:
    text = own(equation="∂u/∂t = v·∇u + 0.1 Σᵢ vᵢ² ∂²u/∂xᵢ²")
    assert refused(text) == "E604: stochastic depth and shake-shake are not available for user-defined networks"


def test_without_noise_no_maps_are_needed() -> None:
    model = compiled(own("Plain", equation="∂u/∂t = v·∇u")).module()
    assert model(torch.rand(2, 1, 8, 8)).shape == (2, 3)


def test_noise_in_front_of_the_readout() -> None:
    """Diffusion that is first in time: the linear map whose value is that of the network."""
    text = own(equation="∂u/∂t = ½σ²Δu for t in [0, 1]\n∂u/∂t = v·∇u for t in [1, 2]", end="2")
    model = compiled(text).module()
    assert [type(m.noise) for m in model.modules() if hasattr(m, "readout")] == [GaussianNoise]


# ---- the network


def test_the_equation_is_asked_of_it() -> None:
    findings = equation.check(compiled(own()))
    assert [f.outcome for f in findings] == [CheckOutcome.PASSED] * 3


def test_a_wrong_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GaussianNoise, "forward", lambda self, x: x)
    findings = equation.check(compiled(own()), of={"noise of model()"})
    assert findings[0].outcome is CheckOutcome.VIOLATED


def test_the_emitted_module_is_the_one_in_memory(tmp_path: Path) -> None:
    made = compiled(own(more=", width=6"))
    text = made.python()
    assert "from tests.codegen.own_nets import Net as MyNet" in text
    assert "MyNet(width=6)" in text
    scope: dict[str, object] = {}
    exec(compile(text, "model.py", "exec"), scope)
    written, built = scope["model"](), made.module()  # type: ignore[operator]
    assert {k: v.shape for k, v in written.state_dict().items()} == {k: v.shape for k, v in built.state_dict().items()}
    assert "network=model, trust=True" in made.files()["harness.py"]


def test_a_field_on_points() -> None:
    """Steps along it, as along an mlp; t comes as a column."""
    text = learned(
        "∂u/∂t = v·∇u + 0.01Δu", 'learn v(x, y, t) : vector = torch("tests.codegen.own_nets:Field", width=5)'
    )
    made = compiled(text)
    assert made.module()(torch.rand(4, 2)).shape == (4, 2)
    field = UserField(nets.Field(), 2, 2, timed=True)
    x = torch.rand(5, 3, 2)
    expected = torch.stack([field.network(p, torch.full((3, 1), 0.25)) for p in x])
    torch.testing.assert_close(field(x, 0.25), expected)
    torch.testing.assert_close(field(x, torch.full((5, 3), 0.25)), expected)


def test_a_field_that_takes_no_time_is_rejected() -> None:
    text = """pde Points
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = torch("tests.codegen.own_nets:Block")
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
"""
    assert "'v' must map points and times to vectors" in refused(text)


def test_sizes_of_noise_that_are_learned_or_change_in_time() -> None:
    """σ² = s, learned from 0.5 on, times a function of the time: map l of three stands at t = 1 - l/3."""
    text = picture("∂u/∂t = v·∇u + ½ s (1 + t)Δu", net=NET.format("Net", ""))
    made = compiled(text.replace("const σ = 0.3", "learn s : scalar > 0 = 0.5"))
    noises = [m for m in made.module().modules() if isinstance(m, ScaledNoise)]
    x = torch.zeros(2, 4, 8, 8)
    sizes = sorted(float(n.scale(x.flatten(1))[0].detach()) for n in noises)
    assert sizes == pytest.approx([(0.5 * (1 + t) / 3) ** 0.5 for t in (1 / 3, 2 / 3, 1)])
    assert [f.outcome for f in equation.check(made)] == [CheckOutcome.PASSED] * 3


def test_the_same_with_a_named_network() -> None:
    text = picture("∂u/∂t = v·∇u + s(t)Δu", net="convnet(layers=2)")
    made = compiled(text.replace("const σ = 0.3", "learn s(t) : scalar > 0 = mlp(width=3, depth=1)"), trust=False)
    assert all(f.outcome is CheckOutcome.PASSED for f in equation.check(made))
    assert made.module()(torch.rand(0, 1, 8, 8)).shape == (0, 3)


def test_written_and_read_again() -> None:
    text = own(more=', maps=["Block"], sizes=[1, 2], flag=true, name="a b"')
    assert pdedsl.load(format(text)).hash == pdedsl.load(text).hash
    assert to_compilation(Source(own()), trust=True).spec.learned[0].net.config.residual_blocks == 3  # type: ignore[union-attr]


# ---- channels


SPLIT = "∂u/∂t = v·∇u for t in [0, 1]\n∂u/∂t = σ²Δu for t in [1, 2]"


@pytest.mark.parametrize("method", ["heat_smoothing", "residual_penalty(weight=1)"])
def test_time_is_the_last_channel_of_smoothed_networks(method: str) -> None:
    """A network of one channel, on images of one channel."""
    message = refused(own(equation=SPLIT, end="2", realized=f"realize diffusion by {method}"))
    assert "it must map images of shape (2, 8, 8), with the time as the last channel, to 3 logits" in message


def test_wrong_number_of_channels_without_noise() -> None:
    text = own(equation="∂u/∂t = v·∇u").replace("image(1, 8, 8)", "image(3, 8, 8)")
    assert "it must map images of shape (3, 8, 8) to 3 logits" in refused(text)
