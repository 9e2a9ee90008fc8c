"""Sphinx with MyST. Pages that follow from the code are written by generate.py before each build."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from IPython.lib.lexers import IPython3Lexer
from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text
from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from generate import generate  # noqa: E402

from pdedsl import __version__  # noqa: E402
from pdedsl.language.precedence import INFIX_KEYWORDS as INNER  # noqa: E402
from pdedsl.language.syntax_errors import KEYWORDS  # noqa: E402

project, author, copyright = "pdedsl", "The pdedsl authors", "the pdedsl authors"
release = version = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
exclude_patterns = ["build", "jupyter_execute", "generated/parts", "generated/extra", "papers/results"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "dollarmath"]
nb_execution_mode = "cache"  # a page runs again if its cells change
nb_execution_cache_path = str(HERE / "build" / ".cells")
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # of a cell, on a machine that is busy
nb_output_stderr = "remove"  # progress
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_inherit_docstrings = False  # those of torch are not about the blocks here
default_role = "code"  # docstrings write code in single backticks
napoleon_google_docstring, napoleon_numpy_docstring, napoleon_use_ivar = True, False, True
napoleon_custom_sections = ["Shape"]
html_theme = "furo"
html_title = "pdedsl"
html_extra_path = ["generated/extra"]
html_static_path = ["static"]
html_css_files = ["contrast.css"]
html_copy_source = False
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures are those of torch, sympy and aliases


class PdeLexer(RegexLexer):
    """Specs, as far as colours need it."""

    name = "pde"
    aliases = ("pde", "pde-part", "pde-wrong", "pde-preamble")
    tokens = {  # noqa: RUF012
        "root": [
            (r"#.*", Comment),
            (r'"[^"\n]*"', String),
            (r"\d+(\.\d+)?(e[+-]?\d+)?", Number),
            (rf"\b({'|'.join(sorted({*KEYWORDS, *INNER}))})\b", Keyword),
            (r"\w+", Name),
            (r"\s+", Text),
            (r".", Operator),
        ]
    }


class CellLexer(IPython3Lexer):
    """Cells of notebooks: specs after `%%pde`."""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:  # type: ignore[override]
        first, newline, spec = text.partition("\n")
        if not first.startswith("%%pde"):
            yield from super().get_tokens_unprocessed(text)
            return
        yield 0, Comment, first + newline
        for start, token, value in PdeLexer().get_tokens_unprocessed(spec):
            yield start + len(first) + 1, token, value


def to_restructured_text(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Docstrings as reStructuredText: signs like * and | are escaped, indented formulas become blocks of code."""
    text, in_formula, in_section = [], False, False
    for line in lines:
        in_section |= re.match(r"[A-Z][a-z]+:$", line) is not None
        code = re.match(r"\s*(>>>|\.\.\.|\$)", line) or (text and in_section and _is_output(text))
        indented = line.startswith("    ") and not in_section
        if indented and not in_formula:
            text += [".. code-block:: text", ""]
        in_formula = indented or (in_formula and not line)
        text.append(line if code or indented else re.sub(r"(`[^`]*`)|([*|]|(?<=\w)_(?!\w))", _escaped, line))
    lines[:] = text


def _is_output(text: list[str]) -> bool:
    """Whether the next line is output of an example."""
    last = text[-1].strip()
    return last.startswith((">>>", "...")) or (bool(last) and any(line.strip().startswith(">>>") for line in text[-4:]))


def _escaped(found: re.Match[str]) -> str:
    return found[1] or f"\\{found[2]}"


ACCESSIBLE = {  # boxes that scroll where the window is narrow are reached by the keyboard; headings have a level
    '<div class="highlight"><pre>': '<div class="highlight"><pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<div class="math notranslate': '<div tabindex="0" class="math notranslate',
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
}


def make_accessible(app: Sphinx, exception: Exception | None) -> None:
    """Attributes that the theme omits (WCAG 2.1.1, 4.1.2)."""
    for path in Path(app.outdir).rglob("*.html") if exception is None else ():
        text = new = path.read_text("utf-8")
        for old, accessible in ACCESSIBLE.items():
            new = new.replace(old, accessible)
        if new != text:
            path.write_text(new, "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", to_restructured_text, priority=400)  # before napoleon
    for alias in PdeLexer.aliases:
        app.add_lexer(alias, PdeLexer)
    app.add_lexer("ipython3", CellLexer)
    app.connect("build-finished", make_accessible)
    generate()
