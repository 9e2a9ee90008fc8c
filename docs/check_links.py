"""Whether every link inside the built pages leads somewhere: `python docs/check_links.py docs/build`."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the places in it that others may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)


def broken(folder: Path) -> list[str]:
    """Each broken link with the page that has it."""
    pages = {path.resolve(): Page(path.read_text("utf-8")) for path in folder.rglob("*.html")}
    wrong = [(path, link) for path, page in pages.items() for link in page.links if not _leads(path, link, pages)]
    return [f"{path.relative_to(folder.resolve())}: {link}" for path, link in wrong]


def _leads(path: Path, link: str, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    known = pages.get(target)
    is_state = "=" in parts.fragment  # of the playground, as in #lesson=equation
    return target.is_file() and (
        not parts.fragment or is_state or known is None or unquote(parts.fragment) in known.places
    )


if __name__ == "__main__":
    found = broken(Path(sys.argv[1]))
    sys.exit("\n".join(["broken links:", *found]) if found else 0)
