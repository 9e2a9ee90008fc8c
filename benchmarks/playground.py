"""Start-up, check and transfer times of the playground in a headless Chromium, after `make playground`.

    python benchmarks/playground.py [SPEC …]

A check is timed from the edit to the display of its diagnostics. Each spec, or each that is named, is changed
by a letter in its title, which leaves the equation unchanged, and by a digit, which changes it.
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


def main() -> None:
    host = hosted()
    with chromium() as browser:
        start, before = time.perf_counter(), _spent()
        page = opened(browser.new_context(), host.address).page
        page.wait_for_selector("#status[data-checks]", timeout=120_000)
        waited, spent = time.perf_counter() - start, _spent()
        print(f"first check after {waited:.1f} s, for which browser and server worked {spent - before:.1f} s")
        print(f"{sum(host.sent) / 1e6:.1f} MB transferred")
        print(f"{'spec':24} {'title':>8} {'digit':>8}")
        waits = [_waits(page, name) for name in sys.argv[1:] or shipped_specs()]
        print(f"{'median':24} {' '.join(f'{statistics.median(w):5.0f} ms' for w in zip(*waits, strict=True))}")


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


if __name__ == "__main__":
    main()
