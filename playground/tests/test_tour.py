"""The tour: every exercise is solved by its stored answer and not by its first text; navigation and links."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from visits import Host, Visit, opened, violations

expect.set_options(timeout=60_000)  # on a busy machine; how long it takes is measured in benchmarks/playground.py
LESSONS = sorted((Path(__file__).parents[1] / "tour").glob("*.toml"))


@pytest.fixture(scope="module")
def visit(browser: Browser, host: Host) -> Iterator[Visit]:
    context = browser.new_context()
    visit = opened(context, f"{host.address}#lesson=equation")
    expect(visit.page.locator("#lesson h2")).to_have_text("1 of 25: An equation")
    yield visit
    context.close()


def expect_solved(visit: Visit, solved: bool) -> None:
    expect(visit.page.locator("#lesson")).to_have_attribute("data-solved", str(solved).lower())


def test_there_are_25_lessons() -> None:
    assert len(LESSONS) == 25


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_answer_solves_the_exercise_and_the_first_text_does_not(visit: Visit, path: Path) -> None:
    lesson = tomllib.loads(path.read_text("utf-8"))
    visit.page.select_option("#lesson select", path.stem.partition("_")[2])
    expect(visit.page.locator("#lesson h2")).to_contain_text(lesson["title"])
    expect_solved(visit, False)
    visit.page.click("#answer")
    expect_solved(visit, True)
    kinds = {"error" in requirement for requirement in lesson["require"]}
    assert visit.page.locator("#lesson .checks li").count() == len(lesson["require"]) + (True not in kinds)
    visit.page.click("#reset")
    expect_solved(visit, False)
    assert visit.faults == []


def test_an_equivalent_answer_is_accepted(visit: Visit) -> None:
    """Properties are compared, not texts."""
    visit.page.select_option("#lesson select", "wave")
    expect_solved(visit, False)
    visit.write(
        "pde W\nspace s in [0, 1]\ntime t in [0, 1]\nunknown w(s, t) : scalar\nconst c = 1\n"
        "w_tt - c^2 w_ss = 0\nw(s, 0) = sin(pi s)\ndw/dt(s, 0) = 0\nw = 0 on left, right\n"
    )
    expect_solved(visit, True)


def test_navigation_and_link(visit: Visit, host: Host) -> None:
    visit.page.select_option("#lesson select", "equation")
    expect(visit.page.locator("#previous")).to_be_disabled()
    visit.page.click("#next")
    expect(visit.page.locator("#lesson h2")).to_have_text("2 of 25: Order in time")
    expect_solved(visit, False)
    visit.page.click("#answer")
    expect_solved(visit, True)
    visit.page.wait_for_function("() => location.hash.startsWith('#lesson=wave&spec=')")
    other = opened(visit.page.context, visit.page.url)
    expect(other.page.locator("#lesson")).to_have_attribute("data-solved", "true")
    other.page.click("#close-tour")
    expect(other.page.locator("#lesson")).to_be_hidden()
    other.page.wait_for_function("() => location.hash.startsWith('#spec=')")
    other.page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_accessibility(browser: Browser, host: Host, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, bypass_csp=True)
    visit = opened(context, f"{host.address}#lesson=insulation")
    expect(visit.page.locator("#lesson")).to_have_attribute("data-solved", "false")
    assert violations(visit.page) == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
