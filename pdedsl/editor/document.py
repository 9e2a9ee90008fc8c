"""Document: a text with the results of all stages of the compiler, for valid and invalid specs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from pdedsl.compiler import CheckResult, check_analysis, to_spec
from pdedsl.diagnostics import NOWHERE, Diagnostic, PdeError, Reporter, Source, Span
from pdedsl.editor.analysis_cache import analysis_of
from pdedsl.editor.names import NameIndex, names_in
from pdedsl.editor.visitor import NameRole, Symbol, visit
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.plan import Model
from pdedsl.ir.spec import Spec
from pdedsl.language.ast import Syntax
from pdedsl.language.lexer import TokenizedSource
from pdedsl.language.parser import parse_with_tokens
from pdedsl.language.token_stream import DeclaredNames
from pdedsl.record import Record
from pdedsl.sources import without_bom


class Document(Record):
    """Results of the compiler for a text. `lines` are its tokens and `syntax` the statements that can be parsed;
    `spec`, `analysis` and `plan` are None after errors; `diagnostics` are those of `pdedsl check`."""

    source: Source
    lines: TokenizedSource
    syntax: Syntax
    spec: Spec | None
    examination: CheckResult | None
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
    def names(self) -> NameIndex:
        """All names in the text with their declarations."""
        roles = {span: role for _, roles in self._visited for span, role in roles}
        return names_in(self.source, self.lines, self.syntax, roles)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The outline."""
        return tuple(symbol for symbol, _ in self._visited)

    @cached_property
    def _visited(self) -> list[tuple[Symbol, tuple[tuple[Span, NameRole], ...]]]:
        visited = (visit(statement, self.source) for statement in self.syntax.statements)
        return [(symbol, tuple(roles)) for symbol, roles in visited]


def analysed(text: str, name: str = "<text>") -> Document:
    """Runs all stages of the compiler on a text; never raises."""
    source, reading = Source(without_bom(text), name), ParseRecorder()
    try:
        spec = to_spec(source, reading.parsed)
    except PdeError as error:
        return Document(source, reading.lines, reading.syntax, None, None, error.diagnostics)
    try:
        examination = check_analysis(analysis_of(spec, reading.syntax))
    except PdeError as error:
        return Document(source, reading.lines, reading.syntax, spec, None, error.diagnostics)
    return Document(source, reading.lines, reading.syntax, spec, examination, examination.diagnostics)


@dataclass
class ParseRecorder:
    """Records tokens and statements during parsing, so that they are available after an error."""

    lines: TokenizedSource = field(default_factory=lambda: TokenizedSource([], (), DeclaredNames()))
    syntax: Syntax = field(default_factory=lambda: Syntax((), span=NOWHERE))

    def parsed(self, source: Source, reporter: Reporter) -> Syntax:
        self.lines, self.syntax = parse_with_tokens(source, reporter)
        return self.syntax
