"""Golden texts: `pytest --update-golden` writes them; a missing one fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


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
