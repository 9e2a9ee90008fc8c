"""Latency of diagnostics in an editor: edits of the shipped specs in a warm process.

    python benchmarks/editor.py [SPEC …]

Prints the median and the maximum per spec, and the ratio to `pdedsl check` in a new process. A latency is CPU time plus
the debounce interval of the server.
"""

from __future__ import annotations

import re
import resource
import statistics
import subprocess
import sys
import time

from pdedsl.cli.check import configure_server

configure_server()  # as `pdedsl lsp` does

from pdedsl.editor import analysed  # noqa: E402
from pdedsl.lsp.server import DEBOUNCE_SECONDS  # noqa: E402
from pdedsl.sources import shipped_specs  # noqa: E402

GOAL = 0.150  # seconds


def changes(text: str) -> list[str]:
    """The text as it is while someone types: another title, a comment, a blank, a statement begun, and each number of
    the spec in turn changed in its last digit."""
    typed = [text.replace('"', '"A', 1), text.replace(" = ", "  = ", 1), text + "# a\n", text + "let"]
    bare = re.sub(r'"[^"]*"|#.*', lambda found: " " * len(found[0]), text)  # without titles and comments
    ends = [found.end() for found in re.finditer(r"(?<![\w.])\d+(\.\d+)?", bare)]
    return [*typed, *(f"{text[: end - 1]}{4 if text[end - 1] == '3' else 3}{text[end:]}" for end in ends)]


def seconds(text: str) -> float:
    start = time.process_time()
    analysed(text)
    return time.process_time() - start + DEBOUNCE_SECONDS


def cold(name: str) -> float:
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "pdedsl", "check", name], check=True, capture_output=True)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def main() -> None:
    paths = shipped_specs()
    texts = {name: paths[name].read_text("utf-8") for name in sys.argv[1:] or paths}
    for text in texts.values():
        analysed(text)
    measured = {}
    for name, text in texts.items():
        analysed(text)  # it is open
        measured[name] = [seconds(t) for t in changes(text)]
    alone = cold("heat")
    print(f"{'spec':22} {'median':>9} {'worst':>9}")
    for name, found in sorted(measured.items(), key=lambda row: -statistics.median(row[1])):
        print(f"{name:22} {1000 * statistics.median(found):6.0f} ms {1000 * max(found):6.0f} ms")
    every = [t for found in measured.values() for t in found]
    within = sum(t <= GOAL for t in every)
    median = statistics.median(every)
    print(f"\n{within} of {len(every)} changes within {1000 * GOAL:.0f} ms; median {1000 * median:.0f} ms,")
    print(f"which is {alone / median:.0f} times faster than `pdedsl check heat` in a new process")


if __name__ == "__main__":
    main()
