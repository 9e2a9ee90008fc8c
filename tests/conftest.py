"""One thread and one seed for every test; golden texts: `pytest --update-golden` writes them, a missing one fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# Networks here are small: two threads are slower than one, in the processes that tests start too.
os.environ["OMP_NUM_THREADS"] = "1"
# A thousand specs have more expressions than one.
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")
# Some virtual machines advertise AMX and stop at its instructions, which torch uses for bfloat16.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")


@pytest.fixture(autouse=True)
def _repeatable() -> None:
    """The same random numbers in every test; what does not use torch does not wait for it."""
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)
        torch.manual_seed(0)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden texts instead of comparing them")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compares a text with the file that keeps it."""
    update = request.config.getoption("--update-golden")

    def compare(path: Path, text: str) -> None:
        if update:
            path.write_text(text, "utf-8")
        assert path.exists(), f"{path.name} is missing: run pytest --update-golden, and read what it writes"
        assert text == path.read_text("utf-8")

    return compare
