"""Checks and formats files, each in a separate process with limits on time and memory; one line of JSON per file.

The parent imports the compiler once; a child inherits it, so that starting Python is not counted a hundred times.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time

from limits_cases import somewhere

from pdedsl.api import format_source
from pdedsl.compiler import check
from pdedsl.diagnostics import PdeError, Source, report
from pdedsl.sources import decode_source

SECONDS = 15  # of processor time: a switch against hangs, not a measurement
BYTES = 4 << 30
LONG = 100_000  # bytes of a text that is only checked: formatting reads it the same way


def _check(source: Source) -> str:
    examined = check(source)
    examined.require_plan()
    return examined.analysis.spec.hash


def outcome(data: bytes) -> dict[str, object]:
    """The result of the compiler: valid or not, the codes, and whether every span is inside the text."""
    answers: list[str] = []
    inside = True
    verbs = (_check,) if len(data) > LONG else (_check, format_source)
    for verb in verbs:
        try:
            verb(decode_source(data, "case"))
            answers.append("right")
        except PdeError as error:
            source = error.source or Source("")
            report(source, error.diagnostics)
            spans = [d.span for d in error.diagnostics]
            inside &= bool(spans) and all(0 <= s.start <= s.end <= len(source.text) for s in spans)
            answers.append("wrong")
            answers += sorted({d.code for d in error.diagnostics})
    return {"answers": answers, "inside": inside}


def measured(path: str) -> dict[str, object]:
    with open(path, "rb") as file:
        data = file.read()
    start = time.process_time()
    found = outcome(data)
    seconds = time.process_time() - start
    return {**found, "seconds": seconds, "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def child(path: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        answer = measured(path)
    except BaseException as error:
        answer = {"raised": f"{type(error).__name__}: {str(error)[:200]}"}
    os.write(1, (json.dumps(answer) + "\n").encode())
    os._exit(0)


def main() -> None:
    outcome(somewhere("R").encode())  # which imports every stage: a child would do it again
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            child(line.strip())
        _, status = os.waitpid(pid, 0)
        if status:
            os.write(1, (json.dumps({"killed": os.waitstatus_to_exitcode(status)}) + "\n").encode())


if __name__ == "__main__":
    main()
