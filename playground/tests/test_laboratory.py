"""The laboratory in a headless browser: solutions, sliders, refusals, links, LaTeX; accessibility of its pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, expect
from test_library import GALLERY, RTOL, compiled, in_python, points_of
from visits import Host, Visit, opened, violations

expect.set_options(timeout=60_000)  # on a busy machine; how long it takes is measured in benchmarks/playground.py
LATEX = r"""pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
const \nu = 0.1 in [0.01, 1]
\frac{\partial u}{\partial t} = \nu \frac{\partial^2 u}{\partial x^2}
u(x, 0) = \sin(\pi x)
u = 0 on boundary
"""


@pytest.fixture(scope="module")
def visit(browser: Browser, host: Host) -> Iterator[Visit]:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    visit = opened(context, host.address)
    expect(visit.page.locator("#status")).to_have_text("Heat: no errors")
    yield visit
    context.close()


def wait_for(visit: Visit, stage: str) -> None:
    expect(visit.page.locator(".solution")).to_have_attribute("data-stage", stage)


def start(visit: Visit) -> None:
    """The heat equation that the page opens on."""
    visit.page.select_option("#gallery", "wave_solved")
    visit.page.select_option("#gallery", "heat_solved")
    expect(visit.page.locator("#status")).to_have_text("Heat: no errors")
    wait_for(visit, "estimated")


SOLVED = """async ({ text, points }) => {
  const answered = (worker, message, found) => new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (found(data) ? resolve(data) : reject(new Error(JSON.stringify(data))));
    worker.postMessage(message);
  });
  const python = (window.python ??= new Worker("worker.js", { type: "module" }));
  const { answer } = await answered(python, { id: 1, verb: "laboratory_json", args: [text] }, (d) => d.answer);
  const laboratory = new Worker("laboratory.js", { type: "module" });
  const message = { id: 1, module: JSON.parse(answer).module, options: {}, stage: "accurate", values: points };
  const { values } = await answered(laboratory, message, (d) => d.kind === "values");
  laboratory.terminate();
  return values;
}"""


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_values_are_those_of_the_command_line(visit: Visit, path: Path) -> None:
    """Compiled by Python in the browser and solved there; `pdedsl solve` has a grid of the same size."""
    text = path.read_text("utf-8")
    compilation = compiled(text)
    points = points_of(compilation.javascript_plan.grid.problem.domain)
    expected = in_python(compilation, points)
    values = torch.tensor(visit.page.evaluate(SOLVED, {"text": text, "points": points.tolist()}), dtype=torch.float64)
    assert values.shape == expected.shape
    assert float((values - expected).abs().max()) <= RTOL * float(expected.abs().max())


def test_there_are_twenty_specs_of_each_kind() -> None:
    """Periodic and with all kinds of conditions, stationary and in time, in one and two dimensions, systems."""
    plans = [compiled(path.read_text("utf-8")) for path in GALLERY]
    problems = [c.javascript_plan.grid.problem for c in plans]
    assert len(problems) == 20
    assert {len(p.domain.space) for p in problems} == {1, 2}
    assert {p.domain.has_time for p in problems} == {True, False}
    assert {len(p.components) for p in problems} == {1, 2}
    assert {p.is_affine for p in problems} == {True, False}
    assert all(c.javascript_plan.parameters for c in plans)


def test_the_page_opens_on_a_solution_that_moves(visit: Visit) -> None:
    start(visit)
    if visit.page.inner_text("#play") == "Play":
        visit.page.click("#play")
    before = visit.page.inner_text("#clock")
    expect(visit.page.locator("#clock")).not_to_have_text(before)
    visit.page.click("#play")
    assert re.search(r"Estimated relative L2 error \d", visit.page.inner_text("#estimate"))
    about = visit.page.inner_text("#about")
    assert "parabolic" in about
    assert "maximum_principle" in about
    assert visit.faults == []


def test_a_slider_solves_and_writes_the_constant(visit: Visit) -> None:
    start(visit)
    before = int(visit.page.get_attribute(".solution", "data-pictures") or 0)
    visit.page.locator("#slider-0").fill("0.03")
    expect(visit.page.locator(".cm-content")).to_contain_text("const ν = 0.03 in [0.001, 0.05]")
    wait_for(visit, "estimated")
    assert int(visit.page.get_attribute(".solution", "data-pictures") or 0) > before
    assert visit.page.locator(".slider output").inner_text() == "0.03"
    assert visit.faults == []


def test_a_changed_sign_of_the_diffusion_is_refused(visit: Visit) -> None:
    start(visit)
    visit.page.click("text=±")
    expect(visit.page.locator(".cm-content")).to_contain_text("const ν = -0.005 in [-0.05, -0.001]")
    wait_for(visit, "refused")
    assert "E418: backward diffusion" in visit.page.inner_text("#refusal")
    visit.page.click("text=±")
    wait_for(visit, "estimated")
    expect(visit.page.locator("#refusal")).to_be_hidden()


def test_the_link_holds_the_state(visit: Visit) -> None:
    start(visit)
    before = visit.page.evaluate("location.hash")
    visit.page.locator("#slider-0").fill("0.02")
    expect(visit.page.locator(".cm-content")).to_contain_text("const ν = 0.02")
    visit.page.wait_for_function("before => location.hash !== before", arg=before)
    other = opened(visit.page.context, visit.page.url)
    expect(other.page.locator(".slider output")).to_have_text("0.02")
    other.page.close()


def test_pasted_latex_becomes_the_language(visit: Visit) -> None:
    start(visit)
    visit.page.evaluate("text => navigator.clipboard.writeText(text)", LATEX)
    visit.page.locator(".cm-content").press("Control+a")
    visit.page.keyboard.press("Control+v")
    expect(visit.page.locator(".cm-content")).to_contain_text("∂u/∂t = ν ∂²u/∂x²")
    expect(visit.page.locator("#status")).to_have_text("Heat: no errors")
    wait_for(visit, "estimated")


def test_every_view_is_drawn(visit: Visit) -> None:
    """A picture has many colours, and the views differ."""
    for name in ("burgers_solved", "poisson_solved"):
        visit.page.select_option("#gallery", name)
        wait_for(visit, "estimated")
        drawn = []
        for view in ("line", "map", "surface"):
            visit.page.select_option("#view", view)
            visit.page.wait_for_timeout(100)
            drawn.append(visit.page.evaluate("document.querySelector('canvas.picture').toDataURL()"))
        assert len(set(drawn)) == 3
        assert min(map(len, drawn)) > 5000


def test_specs_without_a_solution_say_why(visit: Visit) -> None:
    visit.page.select_option("#gallery", "poisson_disc")
    wait_for(visit, "refused")
    assert "curved domains" in visit.page.inner_text("#refusal")


@pytest.mark.parametrize("width", [1280, 390])
def test_accessibility(browser: Browser, host: Host, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, bypass_csp=True)
    visit = opened(context, host.address)
    expect(visit.page.locator(".solution")).to_have_attribute("data-stage", "estimated")
    assert violations(visit.page) == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_no_other_host_is_asked(visit: Visit, host: Host) -> None:
    assert visit.asked == {host.name}
