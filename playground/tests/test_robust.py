"""The page on robust classification: its network, probabilities and certificates are those of Python."""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, expect
from torch import Tensor, nn
from visits import Host, opened, violations

import pdedsl
from pdedsl.certificates.binomial import clopper_pearson_lower
from pdedsl.certificates.radius import cohen_radius
from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps

expect.set_options(timeout=60_000)  # on a busy machine
ROBUST = Path(__file__).parents[1] / "robust"
POINTS = [[0.5, 0.5], [-0.5, 0.7], [1.4, -0.2], [0.9, 0.1], [2.0, 0.6], [0.1, 0.55]]
SIGMAS = [0.05, 0.25, 0.8]
QUADRATURE_TOL = 1e-3  # the decision boundary is a polygon


def stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROBUST / "network.json").read_text("utf-8"))
    return found


def test_the_spec_is_that_of_the_network() -> None:
    assert stored()["spec"] == (ROBUST / "moons.pde").read_text("utf-8")


def train() -> ModuleType:
    place = importlib.util.spec_from_file_location("train", ROBUST / "train.py")
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def restored() -> nn.Module:
    """The compiled module of the spec with the stored weights, without its noise."""
    network = stored()["network"]
    module = pdedsl.compile(str(ROBUST / "moons.pde")).module().double()
    layers = [m for m in module.modules() if isinstance(m, nn.Linear)]
    with torch.no_grad():
        for layer, values in zip(layers, [*network["layers"], {"weight": network["readout"]}], strict=True):
            layer.weight.copy_(torch.tensor(values["weight"], dtype=torch.float64))
            if layer.bias is not None:
                layer.bias.copy_(torch.tensor(values["bias"], dtype=torch.float64))
    assert train().exported(module) == network
    (steps,) = (m for m in module.modules() if isinstance(m, CharacteristicSteps))
    return nn.Sequential(steps, layers[-1])


@cache
def margin() -> nn.Module:
    return restored()


def margins(x: Tensor) -> Tensor:
    with torch.no_grad():
        logits: Tensor = margin()(x)
    return logits[:, 1] - logits[:, 0]


SCRIPT = """
import { readFileSync } from "node:fs";
import * as s from "MODULE";
const { network, points, sigmas, counts } = JSON.parse(readFileSync(0, "utf-8"));
const margin = s.classifier(network);
const along = (a, b, n) => Array.from({ length: n }, (_, k) => a + ((b - a) * k) / (n - 1));
const grid = (a, b, n) => [...along(a - 3.2, a, 33).slice(0, -1), ...along(a, b, n), ...along(b, b + 3.2, 33).slice(1)];
const base = s.decisionBoundary(margin, grid(-1.6, 2.6, 169), grid(-1.4, 1.9, 133));
console.log(JSON.stringify({
  margins: points.map(([x, y]) => margin(x, y)),
  smoothed: sigmas.map((sigma) => points.map(([x, y]) => s.smoothed(base, sigma, [x], [y])[0])),
  lower: counts.map(([count, n]) => s.clopperPearsonLower(count, n, 0.001)),
  radii: counts.map(([count, n]) => s.radius(s.clopperPearsonLower(count, n, 0.001), 0.25)),
  certified: points.map((point, seed) => s.certify(margin, 0.25, point, { seed })),
}));
"""
COUNTS = [[0, 100], [1, 100], [60, 100], [100, 100], [5200, 10000], [9990, 10000], [10000, 10000]]


@cache
def in_node() -> dict[str, Any]:
    request = {"network": stored()["network"], "points": POINTS, "sigmas": SIGMAS, "counts": COUNTS}
    script = SCRIPT.replace("MODULE", (ROBUST.parent / "src" / "smoothing.js").as_uri())
    command = ["node", "--input-type=module", "-e", script]
    run = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer


def test_margins_are_those_of_the_compiled_network() -> None:
    expected = margins(torch.tensor(POINTS, dtype=torch.float64))
    assert torch.allclose(torch.tensor(in_node()["margins"], dtype=torch.float64), expected, rtol=1e-12, atol=1e-12)


def test_most_test_points_are_classified_correctly() -> None:
    """The network was trained: 190 of 200 points."""
    points = torch.tensor(stored()["points"], dtype=torch.float64)
    correct = (margins(points[:, :2]) > 0) == (points[:, 2] > 0)
    assert len(points) == 200
    assert int(correct.sum()) >= 190


@pytest.mark.parametrize("index", range(len(SIGMAS)), ids=[f"sigma={s}" for s in SIGMAS])
def test_smoothed_probabilities(index: int) -> None:
    """Another quadrature: decisions at the centres of cells in polar coordinates about each point."""
    sigma, rings, angles = SIGMAS[index], 500, 300
    mass = (torch.arange(rings, dtype=torch.float64) + 0.5) / rings  # of the disc within the radius
    r = sigma * (-2 * torch.log1p(-mass)).sqrt()
    phi = (torch.arange(angles, dtype=torch.float64) + 0.5) * (2 * math.pi / angles)
    offsets = torch.stack([torch.outer(r, phi.cos()), torch.outer(r, phi.sin())], -1).reshape(-1, 2)
    for point, value in zip(POINTS, in_node()["smoothed"][index], strict=True):
        decisions = margins(torch.tensor(point, dtype=torch.float64) + offsets) > 0
        assert abs(value - float(decisions.double().mean())) <= QUADRATURE_TOL


def test_bounds_and_radii_are_those_of_certificates() -> None:
    lower = torch.stack([clopper_pearson_lower(torch.tensor(k), n, 0.001) for k, n in COUNTS])
    assert torch.allclose(torch.tensor(in_node()["lower"], dtype=torch.float64), lower, rtol=1e-9, atol=1e-12)
    radii = torch.tensor(in_node()["radii"], dtype=torch.float64)
    assert torch.allclose(radii, cohen_radius(lower, 0.25), rtol=1e-9, atol=1e-12)


def test_samples_agree_with_the_quadrature() -> None:
    """Counts within 4.5 standard deviations of their mean: false positives once in 24,000 runs of six points."""
    for found, p in zip(in_node()["certified"], in_node()["smoothed"][1], strict=True):
        probability = p if found["predicted"] else 1 - p
        deviation = math.sqrt(probability * (1 - probability) * found["n"])
        assert abs(found["count"] - probability * found["n"]) <= 4.5 * deviation + QUADRATURE_TOL * found["n"]
        assert found["lower"] <= probability + QUADRATURE_TOL
        assert found["abstains"] == (found["lower"] <= 0.5)


# ---- The page


def test_slider_point_and_link(browser: Browser, host: Host) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    visit = opened(context, f"{host.address}robust.html#sigma=0.25&x=-0.5&y=0.7")
    body = visit.page.locator("body[data-certified]")
    expect(body).to_have_attribute("data-certified", str(in_node_certificate([-0.5, 0.7], 0.25)))
    before = visit.page.evaluate("document.querySelector('#map').toDataURL()")
    visit.page.locator("#sigma").fill("0.5")
    expect(visit.page.locator("#sigma-value")).to_have_text("0.5")
    expect(body).to_have_attribute("data-certified", str(in_node_certificate([-0.5, 0.7], 0.5)))
    assert visit.page.evaluate("document.querySelector('#map').toDataURL()") != before
    assert "probability at least 99.9 %" in visit.page.inner_text("#certificate")
    assert "network without noise has no certificate" in visit.page.inner_text("#certificate")
    visit.page.click("#map", position={"x": 280, "y": 100})
    visit.page.wait_for_function("() => !location.hash.includes('x=-0.5&')")
    assert "sigma=0.5" in visit.page.url
    assert visit.faults == []
    assert visit.asked == {host.name}
    context.close()


def in_node_certificate(point: list[float], sigma: float) -> float:
    script = f'import {{ certify, classifier }} from "{(ROBUST.parent / "src" / "smoothing.js").as_uri()}";'
    script += f"\nconst network = {json.dumps(stored()['network'])};"
    script += f"\nconsole.log(certify(classifier(network), {sigma}, {point}).radius);"
    run = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    return float(run.stdout)


@pytest.mark.parametrize("width", [1280, 390])
def test_accessibility(browser: Browser, host: Host, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, bypass_csp=True)
    visit = opened(context, f"{host.address}robust.html")
    expect(visit.page.locator("body[data-certified]")).to_be_visible()
    assert violations(visit.page) == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
