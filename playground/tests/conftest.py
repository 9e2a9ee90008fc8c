"""Fixtures of the tests in a browser: a server of the built pages, and headless Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from visits import Host, chromium, hosted


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    host = hosted()
    yield host
    host.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser
