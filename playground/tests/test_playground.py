"""The playground as it was built, in a headless browser: `make pages` builds it and runs this."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from visits import Host, Visit, opened

from pdedsl.editor import playground_json
from pdedsl.sources import shipped_specs

expect.set_options(timeout=60_000)  # on a busy machine; how long it takes is measured in benchmarks/playground.py
ROOT = Path(__file__).parents[2]
MAX_TRANSFERRED_BYTES = 20_000_000  # transferred at the first visit
HEAT = shipped_specs()["heat"].read_text("utf-8")
KEYS = ("ok", "report", "diagnostics", "axioms")
WRONG = HEAT.replace("κΔu", "kapa Δu")


@pytest.fixture(scope="module")
def visit(browser: Browser, host: Host) -> Iterator[Visit]:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    visit = opened(context, host.address)
    expect(visit.page.locator("#status")).to_have_text("Heat: no errors")
    visit.page.select_option("#gallery", "enresnet")
    expect(visit.page.locator("#status")).to_have_text("EnResNet: no errors")
    visit.page.click("#tab-problems")
    yield visit
    context.close()


def normal(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def test_the_first_visit_is_not_too_large(visit: Visit, host: Host) -> None:
    assert 8_000_000 < sum(host.sent) <= MAX_TRANSFERRED_BYTES
    assert visit.faults == []


def test_the_gallery_holds_the_shipped_specs(visit: Visit) -> None:
    groups = visit.page.locator("#gallery optgroup")
    values = "groups => groups.map(group => [...group.children].map(option => option.value))"
    solved, names = groups.evaluate_all(values)
    assert len(solved) == 20
    assert names == list(shipped_specs())
    visit.page.select_option("#gallery", "rotation")
    expect(visit.page.locator("#status")).to_have_text("Rotation: no errors")


def test_an_error_is_shown_with_its_caret_and_its_fix_works(visit: Visit) -> None:
    visit.write(WRONG)
    expect(visit.page.locator("#status")).to_have_text("1 error")
    assert visit.page.locator("#panel pre").text_content() == json.loads(playground_json.check_json(WRONG))["report"]
    assert "help:" in visit.page.inner_text("#panel")
    assert visit.page.locator(".cm-lintRange-error").inner_text() == "kapa"
    assert visit.faults == []  # its underline is an image in the style
    visit.page.click("text=E201: replace with 'κ'")
    expect(visit.page.locator("#status")).to_have_text("Heat: no errors")
    expect(visit.page.locator(".cm-lintRange-error")).to_have_count(0)
    expect(visit.page.locator(".cm-content")).to_contain_text("∂u/∂t = κ Δu")


@pytest.mark.parametrize(("before", "typed", "after"), [("require ", "lin", "require linearity"), ("", "\\nab", "∇")])
def test_completions_are_valid(visit: Visit, before: str, typed: str, after: str) -> None:
    visit.write(f"pde P\n{before}")
    visit.page.keyboard.type(typed)
    expect(visit.page.locator(".cm-tooltip-autocomplete [aria-selected]")).to_be_visible()
    visit.page.wait_for_timeout(100)  # a list takes no key in the moment in which it opens
    visit.page.keyboard.press("Enter")
    expect(visit.page.locator(".cm-line").nth(1)).to_have_text(after)


def test_every_panel_shows_the_result_of_the_engine(visit: Visit) -> None:
    text = shipped_specs()["black_scholes"].read_text("utf-8")
    visit.page.select_option("#gallery", "black_scholes")
    expect(visit.page.locator("#status")).to_have_text("BlackScholes: no errors")
    visit.page.click("#tab-axioms")
    expect(visit.page.locator("dt").first).to_be_visible()
    terms = visit.page.locator("dt").all_inner_texts()
    found = json.loads(playground_json.check_json(text))["axioms"]
    assert terms == [f"{a['name'].replace('_', ' ')}: {a['truth']}" for a in found]
    reasons = visit.page.locator("dd").all_inner_texts()
    assert reasons == [said for a in found for said in (a["reason"], a["evidence"]) if said]
    visit.page.click("#tab-explained")
    expect(visit.page.locator("#panel h2").first).to_have_text("Equation")
    rows = [row.strip() for _, rows in json.loads(playground_json.explanation_json(text)) for row in rows]
    assert visit.page.locator("#panel li").all_inner_texts() == [normal(row) for row in rows]
    visit.page.click("#tab-python")
    expect(visit.page.locator("#panel pre")).to_contain_text("import torch")
    assert visit.page.locator("#panel pre").text_content() == playground_json.python_code(text)


def test_a_click_in_the_drawing_selects_the_source(visit: Visit) -> None:
    visit.page.select_option("#gallery", "heat")
    expect(visit.page.locator("#status")).to_have_text("Heat: no errors")
    visit.page.click("#tab-network")
    term = visit.page.locator("#panel svg g.term", has_text="κΔu").first
    expect(term).to_be_visible()
    term.click()
    assert visit.page.evaluate("window.getSelection().toString()") == "κΔu"


def test_formatting_and_spellings(visit: Visit) -> None:
    visit.write(HEAT)
    visit.page.click("#ascii")
    expect(visit.page.locator(".cm-content")).to_contain_text("kappa lap(u)")
    visit.page.click("#unicode")
    expect(visit.page.locator(".cm-content")).to_contain_text("∂u/∂t = κΔu")


def test_a_link_holds_the_spec(visit: Visit) -> None:
    marked = f"{HEAT}# 𝑢 and a remark of one's own\n"
    visit.write(marked)
    visit.page.click("#share")
    expect(visit.page.locator("#share")).to_have_text("Link copied")
    other = opened(visit.page.context, visit.page.url)
    expect(other.page.locator(".cm-content")).to_contain_text("𝑢 and a remark of one's own")
    other.page.close()


def test_a_link_that_cannot_be_read_is_no_fault(visit: Visit, host: Host) -> None:
    other = opened(visit.page.context, f"{host.address}#spec=***")
    expect(other.page.locator(".cm-content")).to_contain_text("Heat equation on a ring")
    assert other.faults == []
    other.page.close()


def test_text_of_a_spec_is_never_markup(visit: Visit) -> None:
    visit.write(HEAT.replace("Heat equation on an interval", "<img src=x onerror=document.title='caught'>"))
    visit.page.click("#tab-network")
    expect(visit.page.locator("#panel svg")).to_contain_text("<img src=x")
    assert visit.page.locator("#panel img").count() == 0
    assert visit.page.title() == "pdedsl playground"


ASKED = """async texts => {
  const worker = new Worker("worker.js", { type: "module" });
  const answers = new Map();
  const done = new Promise(resolve => worker.onmessage = ({ data }) => {
    answers.set(data.id, data.answer ?? data.fault);
    if (answers.size === texts.length) resolve();
  });
  texts.forEach((text, id) => worker.postMessage({ id, verb: "check_json", args: [text] }));
  await done;
  worker.terminate();
  return texts.map((_, id) => answers.get(id));
}"""


def test_the_same_diagnostics_as_in_a_terminal(visit: Visit) -> None:
    """Of every wrong spec."""
    texts = [file.read_text("utf-8") for file in sorted((ROOT / "tests" / "bad").glob("*.pde"))]
    answers = visit.page.evaluate(ASKED, texts)
    assert len(answers) > 300
    for text, answer in zip(texts, answers, strict=True):
        found, expected = json.loads(answer), json.loads(playground_json.check_json(text))
        assert [found[key] for key in KEYS] == [expected[key] for key in KEYS], text[:300]


def test_no_other_host_is_asked(visit: Visit, host: Host) -> None:
    assert visit.asked == {host.name}


def test_offline_after_the_first_visit(visit: Visit, host: Host) -> None:
    """The last test here: the server goes away."""
    host.close()
    visit.page.goto(host.address)
    visit.page.reload()
    expect(visit.page.locator("#status")).to_have_text("Heat: no errors")
    expect(visit.page.locator(".solution")).to_have_attribute("data-stage", "estimated")
    visit.write(WRONG)
    expect(visit.page.locator("#status")).to_have_text("1 error")
    assert visit.faults == []


def test_benchmark_runs() -> None:
    """`benchmarks/playground.py` at a small size."""
    command = [sys.executable, ROOT / "benchmarks" / "playground.py", "heat"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "MB transferred" in run.stdout
    assert "first picture after" in run.stdout
    assert re.search(r"^burgers +\d+ ms +\d+ ms$", run.stdout, re.M)
    assert "median" in run.stdout
