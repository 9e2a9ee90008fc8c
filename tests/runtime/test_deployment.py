"""Networks in the hands of torch's tools: the table of docs/guide/deployment.md, by `benchmarks/deployment.py`."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from sampling import share
from torch import nn

import pdedsl
from pdedsl.runtime.ode.adaptive import NotExportable
from pdedsl.runtime.rng import sample_by_runtime
from pdedsl.runtime.weight_constraints import convolution_norm_bound, exportable_norm_bound, spectral_norm
from pdedsl.sources import shipped_specs
from tests.texts import learned

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guide" / "deployment.md").read_text("utf-8")
FIELD = "learn v(x, y, t) : vector = mlp(width=4, depth=1)"
NOISY = learned("∂u/∂t = v·∇u + 0.1Δu", FIELD, realized="realize diffusion by noise(samples=2)")
ADAPTIVE = learned("∂u/∂t = v·∇u", FIELD, realized="realize time by dopri5")


def tries() -> Any:
    place = importlib.util.spec_from_file_location("deployment", ROOT / "benchmarks" / "deployment.py")
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


DEPLOYMENT = tries()


def made(text: str) -> tuple[nn.Module, torch.Tensor]:
    torch.manual_seed(0)
    return pdedsl.compile(text).module().eval(), torch.rand(3, 2)


def table() -> dict[str, dict[str, str]]:
    """The table of the page: the columns of each spec."""
    page = PAGE.partition(DEPLOYMENT.MARK)[2].split("\n\n")[0]
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in page.splitlines()[3:]]
    return {name: dict(zip(DEPLOYMENT.TRIES, cells, strict=True)) for name, *cells in rows}


TABLE = table()
CHEAP = ("vmap", "empty")
RECORDED = ("convection_diffusion", "fractalnet", "monotone", "rotation")  # one of each kind


def test_the_table_names_the_versions_it_is_about() -> None:
    pinned = dict(
        line.split("==") for line in (ROOT / ".ci" / "constraints.txt").read_text("utf-8").split() if "==" in line
    )
    declared = re.search(r'"torch>=([0-9.]+)"', (ROOT / "pyproject.toml").read_text("utf-8"))
    page = " ".join(PAGE.partition(DEPLOYMENT.MARK)[0].split())
    assert declared is not None
    said = f"torch {pinned['torch'].rpartition('.')[0]}; with the oldest supported version, {declared[1]}, fewer"
    assert said in page


def test_the_table_has_every_spec_that_has_a_network_on_data() -> None:
    plans = {name: (ROOT / "tests" / "golden" / f"{name}.plan.txt").read_text("utf-8") for name in shipped_specs()}
    assert TABLE.keys() == {name for name, plan in plans.items() if not plan.startswith("SolvePlan")}
    refused = {name for name, cells in TABLE.items() if set(cells.values()) != {"yes"}}
    assert refused == {"neural_ode"}
    assert set(TABLE["neural_ode"].values()) == {"yes", "refused"}


def test_the_other_specs_are_passed_over() -> None:
    """`benchmarks/deployment.py` reads every spec, also where there is nothing to record."""
    for name in shipped_specs().keys() - TABLE.keys():
        text = shipped_specs()[name].read_text("utf-8")
        if DEPLOYMENT.smaller(text) != text:
            assert DEPLOYMENT.network_of(name) is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TABLE)
def test_the_table_is_correct_for_vmap_and_empty_batches(name: str) -> None:
    assert DEPLOYMENT.row(name, CHEAP) == [TABLE[name][key] for key in CHEAP]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RECORDED)
def test_the_table_is_correct_for_export(name: str) -> None:
    assert DEPLOYMENT.row(name, ("export",)) == [TABLE[name]["export"]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.long
@pytest.mark.parametrize("name", share(list(TABLE), 10))
def test_the_rest_of_the_table(name: str) -> None:
    rest = [key for key in DEPLOYMENT.TRIES if key not in CHEAP]
    assert DEPLOYMENT.row(name, tuple(rest)) == [TABLE[name][key] for key in rest]


@pytest.mark.parametrize("shape", [(7, 7), (3, 12), (12, 3), (4, 3, 3, 3), (3, 4, 5, 5), (2, 2, 1, 1)], ids=str)
def test_norms_by_standard_operators_are_bounds(shape: tuple[int, ...]) -> None:
    """No less than the norm that bounds an operator elsewhere, and no more than a little above it."""
    torch.manual_seed(0)
    weight = torch.randn(shape, dtype=torch.float64)
    norm = spectral_norm(weight) if len(shape) == 2 else convolution_norm_bound(weight)
    assert 1 - 1e-12 <= exportable_norm_bound(weight) / norm <= 1 + 1e-5


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_onnx_samples_independent_noise() -> None:
    DEPLOYMENT.TRIES["ONNX"](*made(NOISY))


def test_adaptive_solvers_say_why_they_cannot_be_recorded() -> None:
    network, x = made(ADAPTIVE)
    with pytest.raises(NotExportable, match="use a method with fixed steps"):
        torch.func.vmap(lambda row: network(row[None])[0])(x)
    with pytest.raises(NotExportable):
        torch.export.export(network, (x,))
    DEPLOYMENT.TRIES["empty"](network, x)


@pytest.mark.parametrize("law", ["normal", "laplace"])
def test_standard_samples_have_the_moments_of_their_distribution(law: str) -> None:
    """Mean 0, variance 1, E x⁴ of 3 and 6: within 6 standard errors of 10⁵ draws, one false alarm in 10⁸."""
    torch.manual_seed(0)
    x = sample_by_runtime(law, [100_000], torch.float64, torch.device("cpu"))
    fourth = 3.0 if law == "normal" else 6.0
    for power, expected in ((1, 0.0), (2, 1.0), (4, fourth)):
        values = x**power
        assert abs(values.mean() - expected) < 6 * values.std() / 100_000**0.5
