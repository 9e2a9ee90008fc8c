"""Visits to the playground as it was built: a server of its files that counts, and pages in a headless Chromium."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

DIST = Path(__file__).parents[1] / "dist"
CHROMIUM = "/usr/bin/chromium"
AXE = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
FLAGS = "--no-sandbox --disable-gpu --disable-quic --disable-background-networking --disable-sync".split()


@dataclass
class Host:
    """A file server that counts the bytes it sends."""

    server: ThreadingHTTPServer
    sent: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"127.0.0.1:{self.server.server_address[1]}"

    @property
    def address(self) -> str:
        return f"http://{self.name}/"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Counting(SimpleHTTPRequestHandler):
    host: Host

    def log_message(self, *_: object) -> None:
        pass

    def copyfile(self, source: Any, outputfile: Any) -> None:
        data = source.read()
        self.host.sent.append(len(data))
        outputfile.write(data)


def hosted() -> Host:
    assert DIST.is_dir(), "build it first: make playground"
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Counting, directory=str(DIST)))
    Counting.host = Host(server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return Counting.host


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """An opened page, its errors, and the hosts it requested."""

    page: Page
    faults: list[str] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)

    def write(self, text: str) -> None:
        """In place of what stands in the editor."""
        self.page.locator(".cm-content").press("Control+a")
        self.page.keyboard.insert_text(text)


def opened(context: BrowserContext, address: str) -> Visit:
    page = context.new_page()
    visit = Visit(page)
    page.on("pageerror", lambda error: visit.faults.append(str(error)))
    page.on("console", lambda said: visit.faults.append(said.text) if "Security Policy" in said.text else None)
    page.on("request", lambda request: visit.asked.add(request.url.split("/")[2]))
    page.goto(address)
    return visit


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """Violations of WCAG 2.1, levels A and AA, found by axe-core; the context needs `bypass_csp`."""
    page.add_script_tag(path=AXE)
    found = page.evaluate("async rules => (await axe.run(document, { runOnly: rules })).violations", RULES)
    return [(v["id"], [node["html"][:200] for node in v["nodes"]]) for v in found]
