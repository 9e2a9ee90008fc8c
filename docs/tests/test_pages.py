"""The documentation as it was built: the search finds the terms of the field, and no page has a barrier (WCAG 2, level
AA, by axe-core) at desktop and phone width. `make pages` builds it and runs this."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright
from sphinx.search.en import SearchEnglish

BUILD = Path(__file__).parents[1] / "build"
AXE = Path(__file__).parents[2] / "playground" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = "/usr/bin/chromium"
WIDTHS = {"desktop": 1280, "phone": 390}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
TERMS = """
Dirichlet; Neumann; Robin; PINN; confusion matrix; reliability diagram; Poisson equation; Helmholtz; Burgers;
Navier-Stokes; Schrödinger; Black-Scholes; Fokker-Planck; Hamilton-Jacobi; heat equation; wave equation; advection;
reaction-diffusion; finite elements; finite volumes; finite differences; Fourier; Chebyshev; collocation; spectral;
Runge-Kutta; leapfrog; Verlet; Euler; Monte Carlo; Feynman-Kac; characteristics; stochastic differential equation;
random Fourier features; randomized smoothing; Lipschitz; certified radius; adversarial example; PGD; AutoAttack;
Carlini; gradient masking; expectation over transformation; dropout; stochastic depth; ResNet; neural ODE; residual
network; ensemble; cross-entropy; TRADES; maximum principle; comparison principle; viscosity solution; semigroup;
elliptic; parabolic; hyperbolic; ill-posed; inverse problem; weak form; boundary condition; periodic; eigenvalue;
shock; conservation law; error estimate; confidence interval; ONNX; FEniCSx; Jupyter; LaTeX
"""
PAGES = sorted(BUILD.rglob("*.html"))


def index() -> dict[str, set[int]]:
    """The documents of each stemmed word, in texts and titles, from the search index of Sphinx."""
    text = (BUILD / "searchindex.js").read_text("utf-8")
    found = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)", text.strip(), re.DOTALL)[1])  # type: ignore[index]
    documents: dict[str, set[int]] = {}
    for part in ("terms", "titleterms"):
        for word, where in found[part].items():
            documents.setdefault(word, set()).update([where] if isinstance(where, int) else where)
    return documents


def test_the_search_finds_terms_of_the_field() -> None:
    """Every word of a term occurs on one page."""
    documents, language = index(), SearchEnglish({})
    terms = [" ".join(term.split()) for term in TERMS.split(";")]
    assert len(terms) >= 60
    for term in terms:
        stems = [language.stem(word.lower()) for word in re.findall(r"\w+", term)]
        words = [stem for stem in stems if language.word_filter(stem)]
        assert words, term
        assert set.intersection(*(documents.get(word, set()) for word in words)), term


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


OUTPUTS = """() => [...document.querySelectorAll("div.cell")].map(cell => [
    cell.classList.contains("tag_error"),
    [...cell.querySelectorAll(".cell_output")].map(output => output.textContent).join()])"""


def test_cells_show_the_errors_that_their_tags_announce(browser: Browser) -> None:
    """An exception would end the build, but cells of specs show errors and warnings as text."""
    page, cells = browser.new_page(), 0
    page.route(re.compile("^https?://"), lambda route: route.abort())
    for path in PAGES:
        if "cell_output" not in path.read_text("utf-8"):
            continue
        page.goto(path.as_uri(), wait_until="domcontentloaded")
        for is_announced, output in page.evaluate(OUTPUTS):
            assert ("error[" in output or "warning[" in output) == is_announced, (path.stem, output)
            cells += 1
    assert cells > 30


@pytest.mark.parametrize("width", WIDTHS)
def test_no_accessibility_violations(browser: Browser, width: str) -> None:
    page = browser.new_page(viewport={"width": WIDTHS[width], "height": 900})
    page.route(re.compile("^https?://"), lambda route: route.abort())  # formulas are typeset by a script from elsewhere
    found: dict[str, list[str]] = {}
    # The playground is tested with its own pages; pages of the API have one layout, so that one is enough at a width.
    api = [path for path in PAGES if "api" in path.relative_to(BUILD).parts]
    own = [path for path in PAGES if "playground" not in path.relative_to(BUILD).parts]
    for path in own if width == "desktop" else [path for path in own if path not in api[1:]]:
        page.goto(path.as_uri(), wait_until="domcontentloaded")
        page.add_script_tag(path=str(AXE))
        result = page.evaluate("rules => axe.run(document, {runOnly: {type: 'tag', values: rules}})", RULES)
        for violation in result["violations"]:
            nodes = [f"{path.relative_to(BUILD)}: {node['html'][:120]}" for node in violation["nodes"]]
            found.setdefault(violation["id"], []).extend(nodes)
    assert {rule: (len(nodes), nodes[:5]) for rule, nodes in found.items()} == {}
