"""Parameter counts of what spec text compiles to, exactly those of the published layouts."""

from __future__ import annotations

import re

import pytest
from texts import changed, compiled, parameters, shipped

RESNET = changed(shipped("resnet"), ("image(1, 28, 28)", "image(3, 32, 32)"))
CIFAR10 = ("image(3, 32, 32)", "[32, 64, 112]", "32", "", 10)
STL10 = ("image(3, 96, 96)", "[16, 32, 64, 128]", "16", "", 10)
CIFAR100 = ("image(3, 32, 32)", "[32, 64, 128]", "32", "close 256", 100)
FRAMES = {"cifar10": CIFAR10, "stl10": STL10, "cifar100": CIFAR100}
SYMMETRIC = {"cifar10": 502_570, "stl10": 618_554, "cifar100": 652_484}
HALVES = {"cifar10": 264_106, "stl10": 324_794, "cifar100": 362_180}
ODEFUNC = {c: 2 * (9 * c * (c + 1) + c) + 3 * 2 * c for c in (16, 32)}  # two convolutions, three norms
FRAME_16_32 = 9 * 16 + 32 + 16 * 32 + 64 + 32**2 + 64 + 10 * 33
SHIPPED = {
    "anisotropic": 64 * 4 + 2 * 64 * 65 + 2 * 65 + 4,
    "convex_potential": 3 * 9 * 16**2 + 7 * 256 * 785 + 10 * 785,
    "convection_diffusion": 64 * 4 + 4 * 64 * 65 + 2 * 65,
    "dropout": 271_994,
    "enresnet": 1_361_410,
    "fractalnet": FRAME_16_32 + 3 * (ODEFUNC[16] + ODEFUNC[32]),
    "hamiltonian": 264_106,
    "heat_smoothing": 271_994,
    "monotone": 9 * 16 + 32 + 3 * 9 * 16**2 + 16 * 32 + 64 + 3 * 9 * 32**2 + 32**2 + 64 + 10 * 33,
    "parabolic": 502_570,
    "randomized_smoothing": 271_994,
    "resnet": 271_994,
    "rotation": 0,
    "second_order": 502_570,
    "shake_shake": 540_410,
    "small_steps": FRAME_16_32 + 12 * (ODEFUNC[16] + ODEFUNC[32]),
    "stochastic_depth": 271_994,
}


def count(text: str) -> int:
    return parameters(compiled(text).module())


def framed(name: str, frame: str) -> str:
    """A shipped spec on feature maps in the architecture of another data set."""
    image, stages, opened, close, classes = FRAMES[frame]
    lines = f"network {{\n  input {image}\n  open {opened}\n  stages {stages}\n  {close}\n  classes {classes}\n}}"
    text, found = re.subn(r"network \{.*?\n\}", lines, shipped(name), flags=re.DOTALL)
    assert found == 1
    return text


@pytest.mark.parametrize(
    ("depth", "number"), [(20, 272_282), (32, 466_714), (44, 661_146), (56, 855_578), (110, 1_730_522)]
)
def test_residual_networks(depth: int, number: int) -> None:
    assert count(changed(RESNET, ("depth=20", f"depth={depth}"))) == number


def test_a_hundred_classes() -> None:
    assert count(changed(RESNET, ("simplex(10)", "simplex(100)"))) == 278_132


@pytest.mark.parametrize(("members", "number"), [(1, 272_282), (2, 544_564), (5, 1_361_410)])
def test_members_have_their_own_weights_and_noise_has_none(members: int, number: int) -> None:
    assert count(changed(shipped("enresnet"), ("members=5", f"members={members}"))) == number


def test_resnet18_with_its_time_channel() -> None:
    """Diffusion as a loss in training needs the network g(x, t); without it there is no such channel."""
    pairs = (("image(1, 28, 28)", "image(3, 32, 32)"), ("resnet(depth=20)", "resnet18"))
    text = changed(shipped("randomized_smoothing"), *pairs)
    assert count(text) == 11_173_962
    assert count(changed(text, ("randomized_smoothing(samples=100)", "residual_penalty(weight=0.05)"))) == 11_174_538


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", ["parabolic", "second_order"])
def test_symmetric_layers(name: str, frame: str) -> None:
    assert count(framed(name, frame)) == SYMMETRIC[frame]


@pytest.mark.parametrize("frame", FRAMES)
def test_hamiltonian_halves(frame: str) -> None:
    assert count(framed("hamiltonian", frame)) == HALVES[frame]


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped(name: str) -> None:
    assert count(shipped(name)) == SHIPPED[name]


def test_an_operator_without_time_is_shared_by_the_steps() -> None:
    """9f² + 2f for each step, or once."""
    text = framed("parabolic", "cifar10")
    shared = changed(text, ("K(t)    :", "K :"), ("smooth_in_time(2e-4), ", ""))
    saved = 2 * sum(9 * f**2 + 2 * f for f in (32, 64, 112))
    assert count(text) - count(shared) == saved
