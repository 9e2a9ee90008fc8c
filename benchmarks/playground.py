"""How long the playground takes in a headless Chromium, and what a first visit transfers, once `make playground` ran.

A check is counted from the rest of the text to the marks at its mistakes; each spec is changed by a remark of its own.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "playground" / "tests"))

from visits import chromium, hosted, opened

from pdedsl.sources import shipped_specs

CHANGES = 3


def main() -> None:
    host = hosted()
    with chromium() as browser:
        start = time.perf_counter()
        page = opened(browser.new_context(), host.address).page
        page.wait_for_selector("#status[data-checks]", timeout=120_000)
        print(f"first check after {time.perf_counter() - start:.1f} s, {sum(host.sent) / 1e6:.1f} MB transferred")
        for name in shipped_specs():
            page.select_option("#gallery", name)
            waits = [_changed(page) for _ in range(CHANGES + 1)][1:]
            print(f"{name:24} {statistics.median(waits):5.0f} ms")


def _changed(page) -> int:  # type: ignore[no-untyped-def]
    """Milliseconds of the check that follows a change."""
    time.sleep(1.5)  # until the check before has ended
    count = int(page.get_attribute("#status", "data-checks"))
    page.locator(".cm-content").press("Control+End")
    page.keyboard.insert_text("# changed\n")
    page.wait_for_selector(f'#status[data-checks="{count + 1}"]', timeout=60_000)
    return int(page.get_attribute("#status", "data-milliseconds"))


if __name__ == "__main__":
    main()
