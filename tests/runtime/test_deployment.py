"""Networks in the hands of torch's tools: the tries of `benchmarks/deployment.py` on a few of every kind."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
import torch
from torch import nn

import pdedsl
from pdedsl.runtime.adaptive import NotRecorded
from pdedsl.runtime.standard_draws import standard_draw
from pdedsl.sources import shipped_specs
from tests.texts import learned, picture

ROOT = Path(__file__).parents[2]
FIELD = "learn v(x, y, t) : vector = mlp(width=4, depth=1)"
NOISY = learned("∂u/∂t = v·∇u + 0.1Δu", FIELD, realized="realize diffusion by noise(samples=2)")
IMAGES = picture("∂u/∂t = v·∇u + ½σ²Δu", net="convnet(layers=2)")
ADAPTIVE = learned("∂u/∂t = v·∇u", FIELD, realized="realize time by dopri5")


def tries() -> object:
    place = importlib.util.spec_from_file_location("deployment", ROOT / "benchmarks" / "deployment.py")
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


DEPLOYMENT = tries()


def made(text: str) -> tuple[nn.Module, torch.Tensor]:
    torch.manual_seed(0)
    shape = (1, 8, 8) if "image" in text else (2,)
    return pdedsl.compile(text).module().eval(), torch.rand(3, *shape)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["export", "vmap", "empty"])
@pytest.mark.parametrize("text", [NOISY, IMAGES], ids=["points", "images"])
def test_recorded_mapped_and_empty(text: str, name: str) -> None:
    DEPLOYMENT.TRIES[name](*made(text))  # type: ignore[attr-defined]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_onnx_draws_noise_of_its_own() -> None:
    DEPLOYMENT.TRIES["ONNX"](*made(NOISY))  # type: ignore[attr-defined]


def test_adaptive_solvers_say_why_they_cannot_be_recorded() -> None:
    network, x = made(ADAPTIVE)
    with pytest.raises(NotRecorded, match="use a method with fixed steps"):
        torch.func.vmap(lambda row: network(row[None])[0])(x)
    with pytest.raises(NotRecorded):
        torch.export.export(network, (x,))
    DEPLOYMENT.TRIES["empty"](network, x)  # type: ignore[attr-defined]


@pytest.mark.parametrize("law", ["normal", "laplace"])
def test_standard_draws_have_the_moments_of_their_law(law: str) -> None:
    """Mean 0, variance 1, E x⁴ of 3 and 6: within 6 standard errors of 10⁵ draws, one false alarm in 10⁸."""
    torch.manual_seed(0)
    x = standard_draw(law, [100_000], torch.float64, torch.device("cpu"))
    fourth = 3.0 if law == "normal" else 6.0
    for power, expected in ((1, 0.0), (2, 1.0), (4, fourth)):
        values = x**power
        assert abs(values.mean() - expected) < 6 * values.std() / 100_000**0.5


@pytest.mark.filterwarnings("ignore")
def test_the_table_of_the_readme_is_what_is_found() -> None:
    """Its rows are shipped specs; one of them is tried again, but for what takes long."""
    page = (ROOT / "README.md").read_text("utf-8").partition(DEPLOYMENT.MARK)[2].split("\n\n")[0]  # type: ignore[attr-defined]
    rows = {c[1].strip(" `"): [x.strip() for x in c[2:-1]] for c in (r.split("|") for r in page.splitlines()[3:])}
    assert rows.keys() <= shipped_specs().keys()
    assert {cell for row in rows.values() for cell in row} <= {"yes", "no", "refused"}
    columns = dict(zip(DEPLOYMENT.TRIES, rows["convection_diffusion"], strict=True))  # type: ignore[attr-defined]
    quick = ("vmap", "empty")
    assert DEPLOYMENT.row("convection_diffusion", quick) == [columns[key] for key in quick]  # type: ignore[attr-defined]
