"""The processor time of `pdedsl test` on every shipped spec, imports and compilation included.

    python benchmarks/testing.py [SPEC …]

Goals: at most 20 s each, on one thread, and every test passes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys

from pdedsl.sources import shipped_specs

GOAL = 20.0
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def seconds(name: str) -> tuple[float, int]:
    """The processor time of one run, and its exit code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([sys.executable, "-m", "pdedsl", "test", name], capture_output=True, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run.returncode


if __name__ == "__main__":
    missed = []
    for name in sys.argv[1:] or sorted(shipped_specs()):
        found, code = seconds(name)
        missed += [name] if found > GOAL or code else []
        print(f"{name:24} {found:6.1f} s  exit code {code}", flush=True)
    print(f"goal of {GOAL:g} s missed, or a test failed: {', '.join(missed) or 'none'}")
    sys.exit(bool(missed))
