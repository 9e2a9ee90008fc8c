"""Specs as text, and their compiled networks: in memory, and as generated Python files."""

from __future__ import annotations

import importlib.util
import re
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

import torch
from torch import Tensor, nn

import pdedsl
from pdedsl.compiler import Compilation
from pdedsl.ir.plan import ImagePlan

SPECS = Path(__file__).parents[1] / "specs"
NAMES = sorted(p.stem for p in SPECS.glob("*.pde"))
SOLVED_ON_SPACE = {"allen_cahn_100d", "hjb_100d"}  # nonlinear equations on R^d, which are no networks
MODELS = [
    name
    for name in NAMES
    if re.search(r"^space(?!.* in \[)", (SPECS / f"{name}.pde").read_text("utf-8"), re.M)
    and name not in SOLVED_ON_SPACE
]

PLANE = """pde Plane
space (x, y) in R^2
time t in [0, {end}]
unknown u(x, y, t) : {kind}
{declared}
{equation}
{condition}
{realized}
"""
IMAGE = """pde Picture
space x in image(1, 8, 8)
time t in [0, {end}]
unknown u(x, t) : simplex(3)
learn v(x, t) : vector = {net}
learn W : operator = linear
const σ = 0.3
{equation}
{condition}
{realized}
"""


def shipped(name: str) -> str:
    return (SPECS / f"{name}.pde").read_text("utf-8")


def changed(text: str, *pairs: tuple[str, str]) -> str:
    """The text with each part replaced; every part must occur."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def known(equation: str, declared: str = "", end: str = "1", data: str = "u(x, y, 0) = 0", realized: str = "") -> str:
    """A problem on R^2 in which nothing is learned: the caller of its operator brings the data."""
    return PLANE.format(kind="scalar", end=end, declared=declared, equation=equation, condition=data, realized=realized)


def learned(equation: str, declared: str, end: str = "1", at: str = "0", realized: str = "") -> str:
    """A classifier of points on R^2."""
    return PLANE.format(
        kind="simplex(2)",
        end=end,
        declared=f"learn W : operator = linear\n{declared}",
        equation=equation,
        condition=f"u(x, y, {at}) = softmax(W [x, y])",
        realized=realized,
    )


def picture(equation: str, end: str = "1", at: str = "0", realized: str = "", net: str = "resnet(depth=20)") -> str:
    """A classifier of small images."""
    return IMAGE.format(end=end, net=net, equation=equation, condition=f"u(x, {at}) = softmax(W x)", realized=realized)


@cache
def compiled(text: str) -> Compilation:
    return pdedsl.compile(text)


def refused(text: str) -> bool:
    """Whether the compiler refuses the spec because no network implements it."""
    try:
        compiled(text)
    except pdedsl.PdeError as error:
        return all(d.code.startswith("E6") for d in error.diagnostics)
    return False


@cache
def written(text: str) -> ModuleType:
    """The emitted model.py, written to a file and imported. Callers must not change it."""
    return fresh(text)


def fresh(text: str) -> ModuleType:
    """A copy of the emitted model.py of one's own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.py"
        path.write_text(compiled(text).python(), "utf-8")
        spec = importlib.util.spec_from_file_location("emitted", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def built(text: str, seed: int = 0) -> nn.Module:
    """The network, in float64, for evaluation, with weights that do not depend on the test before."""
    torch.manual_seed(1)
    return compiled(text).module(seed).double().eval()


def shape(text: str) -> tuple[int, ...]:
    """The shape of one input."""
    plan = compiled(text).plan
    if isinstance(plan, ImagePlan):
        return plan.image
    return plan.image or (plan.dimension,)


def inputs(text: str, n: int, seed: int = 3) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n, *shape(text), generator=generator, dtype=torch.float64)


def light(name: str) -> str:
    """A shipped spec with small images, few channels, draws and a short time: the same equation, cheaper to run."""
    text = re.sub(r"image\((\d), \d+, \d+\)", r"image(\1, 8, 8)", shipped(name))
    text = re.sub(
        r"stem +\d+\n  stages +\[[^]]*\]", lambda m: "stem 8\n  stages [8" + ", 12" * ("," in m[0]) + "]", text
    )
    text = text.replace("patch=4, dense=7", "patch=2, dense=2").replace("head    256", "head    6")
    return re.sub(r"samples=\d+", "samples=3", text).replace("[0, 100]", "[0, 2]")


def parameters(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())
