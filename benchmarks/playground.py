"""Start-up, check and transfer times of the playground in a headless Chromium, after `make playground`.

    python benchmarks/playground.py [SPEC …]

The first picture is timed from opening the page. A check is timed from the edit to the display of its diagnostics. Each
spec, or each that is named, is changed by a letter in its title, which leaves the equation unchanged, and by a digit,
which changes it. A slider is timed from its event to the picture of the preview, at several values in its range.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from contextlib import suppress
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "playground" / "tests"))

from playwright.sync_api import Page
from visits import chromium, hosted, opened

from pdedsl.sources import shipped_specs

COUNT = "Number(document.getElementById('status').dataset.checks)"
PICTURES = "Number(document.querySelector('.solution').dataset.pictures ?? 0)"
GALLERY = Path(__file__).parents[1] / "playground" / "gallery"
SLIDERS = {  # grids of 256 points in one dimension and 64² in two, stationary and evolving
    "burgers": ("06_burgers", "n=256", "n=256"),
    "heat, one dimension": ("01_heat", "sin(6π x)/2\n", "sin(6π x)/2\nrealize equation by grid(n=256)\n"),
    "poisson": ("16_poisson", "n=48", "n=64"),
    "helmholtz": ("17_helmholtz", "n=40", "n=64"),
    "plate": ("18_plate", "n=20", "n=64"),
    "gray_scott": ("19_gray_scott", "n=40", "n=64"),
    "vortices": ("20_vortices", "n=48", "n=64"),
}
SHOWN = ", ".join(f".solution[data-stage={stage}]" for stage in ("preview", "accurate", "estimated"))
MOVES = 10  # of each slider
MOVE = """([id, fraction]) => {
  const slider = document.getElementById(id), low = Number(slider.min), high = Number(slider.max);
  slider.value = low + fraction * (high - low);
  slider.dispatchEvent(new Event("input"));
}"""


def main() -> None:
    host = hosted()
    with chromium() as browser:
        start, before = time.perf_counter(), _spent()
        page = opened(browser.new_context(), host.address).page
        page.wait_for_selector(".solution[data-pictures]", timeout=120_000)
        pictured = time.perf_counter() - start
        page.wait_for_selector("#status[data-checks]", timeout=120_000)
        waited, spent = time.perf_counter() - start, _spent()
        print(f"first picture after {pictured:.1f} s")
        print(f"first check after {waited:.1f} s, for which browser and server worked {spent - before:.1f} s")
        print(f"{sum(host.sent) / 1e6:.1f} MB transferred")
        print(f"{'spec':24} {'title':>8} {'digit':>8}")
        waits = [_waits(page, name) for name in sys.argv[1:] or shipped_specs()]
        print(f"{'median':24} {' '.join(f'{statistics.median(w):5.0f} ms' for w in zip(*waits, strict=True))}")
        print(f"{'slider to picture':24} {'median':>8} {'slowest':>8}")
        for name, (file, old, new) in list(SLIDERS.items())[: 1 if sys.argv[1:] else None]:
            times = _latencies(page, (GALLERY / f"{file}.pde").read_text("utf-8").replace(old, new))
            print(f"{name:24} {statistics.median(times):5.0f} ms {max(times):5.0f} ms")


def _spent() -> float:
    """Processor seconds of this process and of all that it started: what passes where nothing else runs, or more."""
    found: dict[int, tuple[int, int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            row = path.read_text("utf-8").rpartition(")")[2].split()
            found[int(path.parent.name)] = int(row[1]), int(row[11]) + int(row[12])
    ours = {os.getpid()}
    while more := {pid for pid, (parent, _) in found.items() if parent in ours} - ours:
        ours |= more
    return sum(found[pid][1] for pid in ours) / os.sysconf("SC_CLK_TCK")


def _waits(page: Page, name: str) -> tuple[int, int]:
    text = shipped_specs()[name].read_text("utf-8")
    _checked(page, text)
    found = _checked(page, text.replace('"', '"A', 1)), _checked(page, text.replace("1", "2", 1))
    print(f"{name:24} {found[0]:5.0f} ms {found[1]:5.0f} ms")
    return found


def _checked(page: Page, text: str) -> int:
    """Milliseconds of the check of a text."""
    count = page.evaluate(COUNT)
    page.locator(".cm-content").press("Control+a")
    page.keyboard.insert_text(text)
    while page.evaluate(COUNT) == count:
        time.sleep(0.02)
    return int(page.get_attribute("#status", "data-milliseconds") or 0)


def _latencies(page: Page, text: str) -> list[int]:
    """Milliseconds from a change of the first slider to the picture, for values in its range."""
    page.evaluate("() => delete document.querySelector('.solution').dataset.stage")
    _checked(page, text)
    page.wait_for_selector(SHOWN, timeout=120_000)
    found = []
    for k in range(MOVES):
        count = page.evaluate(PICTURES)
        page.evaluate(MOVE, ["slider-0", (k + 0.5) / MOVES])
        while page.evaluate(PICTURES) == count:
            time.sleep(0.02)
        found.append(int(page.get_attribute(".solution", "data-latency") or 0))
        page.wait_for_selector(SHOWN, timeout=120_000)
    return found


if __name__ == "__main__":
    main()
