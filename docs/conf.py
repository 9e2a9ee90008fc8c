"""Sphinx with MyST. Pages that follow from the code are written by generate.py before each build."""

from __future__ import annotations

import sys
from pathlib import Path

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
extensions = ["myst_parser"]
exclude_patterns = ["build", "generated/parts", "generated/extra"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = "pdedsl"
html_extra_path = ["generated/extra"]
html_static_path: list[str] = []
html_copy_source = False
nitpicky = True


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


def setup(app: Sphinx) -> None:
    for alias in PdeLexer.aliases:
        app.add_lexer(alias, PdeLexer)
    generate()
