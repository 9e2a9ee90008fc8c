"""Document: a text with everything the compiler makes of it, correct or not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pdedsl.compilation import Examination
from pdedsl.compiler import concluded, to_spec
from pdedsl.deep import deeply
from pdedsl.diagnostics import Diagnostic, PdeError, Reporter, Source, Span
from pdedsl.editor.names import Names, names_in
from pdedsl.editor.reuse import analysis_of
from pdedsl.frontend.syntax.differentials import Declared
from pdedsl.frontend.syntax.parse import parse_lines
from pdedsl.frontend.syntax.tables import scanner
from pdedsl.frontend.syntax.tokens import Lines, read_lines
from pdedsl.frontend.syntax.tree import Syntax
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.plan import Model
from pdedsl.ir.spec import Spec
from pdedsl.sources import plain


@dataclass(frozen=True)
class Document:
    """What is known about a text. `lines` are its tokens and `syntax` the statements that can be parsed, for any text;
    `spec`, `analysis` and `plan` are there as far as its mistakes allow; `diagnostics` are those of `pdedsl check`."""

    source: Source
    lines: Lines
    syntax: Syntax
    spec: Spec | None
    examination: Examination | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def text(self) -> str:
        return self.source.text

    @property
    def analysis(self) -> Analysis | None:
        return self.examination.analysis if self.examination else None

    @property
    def plan(self) -> Model | None:
        return self.examination.planned.model if self.examination and self.examination.planned else None

    @cached_property
    def names(self) -> Names:
        """Every name in the text, and what it refers to."""
        return names_in(self.source, self.lines, self.syntax)


def analysed(text: str, name: str = "<text>") -> Document:
    """A text through every stage that it reaches; never raises."""
    source = Source(plain(text), name)
    lines, syntax = read(source)
    try:
        spec = to_spec(source)
    except PdeError as error:
        return Document(source, lines, syntax, None, None, error.diagnostics)
    try:
        examination = concluded(analysis_of(spec, syntax))
    except PdeError as error:
        return Document(source, lines, syntax, spec, None, error.diagnostics)
    return Document(source, lines, syntax, spec, examination, examination.diagnostics)


def read(source: Source) -> tuple[Lines, Syntax]:
    """The tokens and statements of a text; what cannot be parsed is left out."""
    nothing = Lines([], (), Declared()), Syntax((), span=Span(0, len(source.text)))

    def work() -> tuple[Lines, Syntax]:
        try:
            lines = read_lines(source, scanner(), Reporter())
        except PdeError:
            return nothing
        return lines, parse_lines(lines, source, Reporter())

    return deeply(work)
