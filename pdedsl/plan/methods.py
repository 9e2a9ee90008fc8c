"""What a spec says about methods, with defaults for what it leaves out."""

from __future__ import annotations

from sympy import Expr

from pdedsl.diagnostics import fail
from pdedsl.ir.spec import Setting, Spec
from pdedsl.ir.vocabulary import ADAPTIVE
from pdedsl.numerics.integrators import EXPLICIT

DEFAULT_STEPS = 10  # along a field on R^d, when the spec names none
SCHEMES = (*EXPLICIT, "backward_euler", *ADAPTIVE)
RANDOM_MAPS = {"dropout": "dropout", "stochastic_depth": "depth", "shake_shake": "shake"}  # and their shapes
TORCHVISION = {"resnet18": 8, "resnet34": 16, "resnet50": 16, "resnet101": 33, "resnet152": 50}
BLOCKS = {"resnet18": 8, "preact_resnet18": 8}  # residual maps of networks of fixed depth


def realized(spec: Spec, part: str) -> Setting | None:
    return next((r.method for r in spec.realizations if r.part == part), None)


def count_of(value: object, default: int) -> int:
    return int(value) if isinstance(value, Expr) else default


def word_of(method: Setting | None, key: str, default: str) -> str:
    return str(method.get(key) or default) if method else default


def scheme_of(spec: Spec) -> Setting:
    """How characteristics are followed."""
    method = realized(spec, "time") or realized(spec, "convection") or Setting("euler")
    if method.name not in SCHEMES:
        raise fail("E605", f"{method.name} does not follow characteristics", method.span, f"use {', '.join(SCHEMES)}")
    return method


def steps_of(method: Setting) -> int:
    """How many steps along a field on R^d; adaptive methods choose their own between the ends."""
    return 1 if method.name in ADAPTIVE else count_of(method.get("steps"), DEFAULT_STEPS)


def residual_maps(net: Setting) -> int:
    """How many residual maps a network has: the number of steps it stands for."""
    depth = count_of(net.get("depth"), 0)
    match net.name:
        case "resnet":
            return (depth - 2) // 2
        case "wide_resnet":
            return (depth - 4) // 2
        case "torchvision":
            return TORCHVISION.get(str(net.get("model")), 1)
        case "convnet":
            return count_of(net.get("layers"), 1)
        case _:
            return BLOCKS.get(net.name, 1)


def depths(net: Setting) -> tuple[Setting, ...]:
    """A network with a list of depths as one network for each: an ensemble of different depths."""
    listed = net.get("depth")
    if not isinstance(listed, tuple):
        return (net,)
    return tuple(
        Setting(net.name, tuple((k, d if k == "depth" else v) for k, v in net.arguments), net.given, net.span)
        for d in listed
    )
