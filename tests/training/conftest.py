"""Pictures are drawn by the tests that look at them: they take most of the time of a short run."""

from __future__ import annotations

import pytest

from pdedsl.training import report


@pytest.fixture(autouse=True)
def _no_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr(report, "plot_curves", lambda *_: None)
        monkeypatch.setattr(report, "plot_boundaries", lambda *_: None)


@pytest.fixture
def drawn() -> None:
    """Asked for where a run must leave its pictures."""
