"""Report documents (headings, paragraphs, tables, code, pictures) as Markdown or HTML."""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import TypeGuard, assert_never

from pdedsl.diagnostics import escaping
from pdedsl.record import Record


class Heading(Record):
    text: str
    level: int = 2


class Paragraph(Record):
    text: str


class Items(Record):
    texts: tuple[str, ...]


class CodeBlock(Record):
    text: str
    language: str


class Table(Record):
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Picture(Record):
    """A file beside the document, or with an address relative to it."""

    file: str
    caption: str


Element = Heading | Paragraph | Items | CodeBlock | Table | Picture


def markdown(elements: Sequence[Element]) -> str:
    """The document as Markdown; empty elements are omitted."""
    return "\n\n".join(text for element in elements if (text := _markdown(element))) + "\n"


def _markdown(element: Element) -> str:
    match element:
        case Heading(text=text, level=level):
            return f"{'#' * level} {escaping.markdown(text)}"
        case Paragraph(text=text):
            return escaping.markdown(text)
        case Items(texts=texts):
            return "\n".join(f"- {escaping.markdown(text)}" for text in texts)
        case CodeBlock(text=text, language=language):
            return escaping.fence_code(text, language)
        case Table(head=head, rows=rows):
            top, *lines = ["| " + " | ".join(map(escaping.cell, row)) + " |" for row in (head, *rows)]
            rule = "| " + " | ".join("---" for _ in head) + " |"
            return "\n".join([top, rule, *lines]) if lines else ""
        case Picture(file=file, caption=caption):
            return f"![{escaping.markdown(caption)}]({file})"
        case _:
            assert_never(element)


# ---- HTML

MIME_SUBTYPES = {".svg": "svg+xml"}  # other pictures are PNG
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid #ddd; }
th { text-align: left; } pre { background: #f6f6f6; padding: 1rem; overflow: auto; } img { max-width: 100%; }
td { vertical-align: top; min-width: 12rem; } .short { white-space: nowrap; min-width: 0; } h2 { margin-top: 2.2rem; }
figure { display: inline-block; vertical-align: top; width: 48%; min-width: 22rem; margin: 1rem 1% 1rem 0; }
figcaption { color: #555; font-size: .9rem; } nav ol { columns: 2; } nav { margin: 1.5rem 0; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } pre { background: #262626; }
th, td { border-color: #444; } img { background: #fff; } figcaption { color: #aaa; } }
"""


def page(title: str, elements: Sequence[Element], folder: Path) -> str:
    """The document as one HTML page with numbered sections and a table of contents: pictures are embedded, and nothing
    is fetched from elsewhere."""
    titles = [element.text for element in elements if _is_section(element)]
    has_contents = len(titles) >= MIN_SECTIONS
    parts, number = [], 0
    for element in elements:
        if has_contents and _is_section(element):
            parts += [_contents(titles)] if number == 0 else []
            number += 1
            tag = f"h{NUMBERED_HEADING_LEVEL}"
            parts.append(f'<{tag} id="s{number}">{number} {escaping.html(titles[number - 1])}</{tag}>')
        else:
            parts.append(_html(element, folder))
    body = "\n".join(parts)
    head = f'<meta charset="utf-8"><title>{escaping.html(title)}</title><style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


NUMBERED_HEADING_LEVEL = 2  # level of headings that are numbered
MIN_SECTIONS = 3  # of a page with a table of contents


def _is_section(element: Element) -> TypeGuard[Heading]:
    return isinstance(element, Heading) and element.level == NUMBERED_HEADING_LEVEL


def _contents(titles: Sequence[str]) -> str:
    rows = (f'<li><a href="#s{k}">{escaping.html(title)}</a></li>' for k, title in enumerate(titles, 1))
    return f'<nav aria-label="Contents"><ol>{"".join(rows)}</ol></nav>'


def fragment(elements: Sequence[Element], folder: Path) -> str:
    """The document as HTML inside another page, such as a notebook."""
    return "\n".join(_html(element, folder) for element in elements)


def _html(element: Element, folder: Path) -> str:
    escape = escaping.html
    match element:
        case Heading(text=text, level=level):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Paragraph(text=text):
            return f"<p>{escape(text)}</p>" if text else ""
        case Items(texts=texts):
            return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>" if texts else ""
        case CodeBlock(text=text):
            return f'<pre tabindex="0"><code>{escaping.html_lines(text.strip())}</code></pre>'
        case Table(head=head, rows=rows):
            lines = [_row(head, "th") if any(head) else "", *(_row(row, "td") for row in rows)]
            return "<table>" + "".join(lines) + "</table>" if rows else ""
        case Picture(file=file, caption=caption):
            return _embedded((folder / file).read_bytes(), MIME_SUBTYPES.get(Path(file).suffix, "png"), caption)
        case _:
            assert_never(element)


def embedded_png(data: bytes, caption: str) -> str:
    """A PNG picture with a caption, as HTML."""
    return _embedded(data, "png", caption)


def _embedded(data: bytes, kind: str, caption: str) -> str:
    text, content = escaping.html(caption), base64.b64encode(data).decode("ascii")
    shown = f'<img alt="{text}" src="data:image/{kind};base64,{content}">'
    return f"<figure>{shown}<figcaption>{text}</figcaption></figure>"


MAX_UNBROKEN = 30  # characters of a cell that is not wrapped


def _row(cells: tuple[str, ...], tag: str) -> str:
    return "<tr>" + "".join(_html_cell(cell, tag) for cell in cells) + "</tr>"


def _html_cell(text: str, tag: str) -> str:
    short = ' class="short"' if len(text) <= MAX_UNBROKEN else ""
    return f"<{tag}{short}>{escaping.html(text)}</{tag}>"


# ---- LaTeX

_SIGNS = {
    "ℓ": r"$\ell$",
    "∞": r"$\infty$",
    "ε": r"$\varepsilon$",
    "→": r"$\to$",
    "±": r"$\pm$",
    "²": "$^2$",
    "−": "$-$",
}


def latex(table: Table, comment: str) -> str:
    """A booktabs table after a comment."""
    lines = [" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in (table.head, *table.rows)]
    inner = "\n".join([r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"])
    columns = "l" + "r" * (len(table.head) - 1)
    return f"% {escaping.comment(comment)}\n\\begin{{tabular}}{{{columns}}}\n{inner}\n\\end{{tabular}}"


def _latex_cell(text: str) -> str:
    return "".join(map(_latex_sign, escaping.latex(text)))


def _latex_sign(char: str) -> str:
    name = unicodedata.name(char, "") if not char.isascii() else ""
    if char not in _SIGNS and name.startswith("GREEK SMALL LETTER "):
        return f"$\\{name.rpartition(' ')[2].lower()}$"
    return _SIGNS.get(char, char)
