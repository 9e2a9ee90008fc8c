"""Conversion of editor data to types of the Language Server Protocol."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property

from lsprotocol import types as lsp

from pdedsl.diagnostics import Diagnostic, Span, escaping
from pdedsl.diagnostics.fixes import Edit
from pdedsl.editor import (
    Action,
    CodeLens,
    Coloured,
    CompletionItem,
    Document,
    Encoding,
    Hover,
    InlayHint,
    Positions,
    Signature,
    Symbol,
    TokenKind,
)
from pdedsl.record import Record

DOCUMENTATION = "PDEDSL_DOCS"  # environment variable: address of the documentation, for links from codes to their pages
LEGEND = lsp.SemanticTokensLegend([str(kind) for kind in TokenKind], ["declaration", "readonly"])
ITEM_KINDS = {kind.name.lower(): kind for kind in lsp.CompletionItemKind}
SYMBOL_KINDS = {kind.name.lower(): kind for kind in lsp.SymbolKind}


def page_of(code: str) -> lsp.CodeDescription | None:
    """The section of a code in the documentation, if its address is set."""
    address = os.environ.get(DOCUMENTATION, "").rstrip("/")
    return lsp.CodeDescription(f"{address}/generated/diagnostics.html#{code.lower()}") if address else None


class Converter(Record):
    """Converts positions and results of one document, in the position encoding of the client."""

    document: Document
    uri: str
    encoding: Encoding

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.document.text, self.encoding)

    # ---- Positions
    def offset(self, position: lsp.Position) -> int:
        return self.positions.offset(position.line, position.character)

    def position(self, offset: int) -> lsp.Position:
        return lsp.Position(*self.positions.position(offset))

    def span(self, range_: lsp.Range) -> Span:
        return Span(self.offset(range_.start), self.offset(range_.end))

    def range(self, span: Span) -> lsp.Range:
        return lsp.Range(self.position(span.start), self.position(span.end))

    def location(self, span: Span) -> lsp.Location:
        return lsp.Location(self.uri, self.range(span))

    # ---- Edits
    def edits(self, edits: Iterable[Edit]) -> list[lsp.TextEdit]:
        return [lsp.TextEdit(self.range(e.span), e.new) for e in edits]

    def workspace_edit(self, edits: Iterable[Edit]) -> lsp.WorkspaceEdit:
        return lsp.WorkspaceEdit(changes={self.uri: self.edits(edits)})

    def replace_document(self, text: str) -> list[lsp.TextEdit]:
        """The edit that replaces the whole document by a text."""
        return self.edits([Edit(Span(0, len(self.document.text)), text)])

    # ---- Results
    def diagnostic(self, diagnostic: Diagnostic) -> lsp.Diagnostic:
        """A diagnostic; the hint is appended to the message as `help`, as on the command line."""
        help_ = f"\nhelp: {diagnostic.hint}" if diagnostic.hint else ""
        return lsp.Diagnostic(
            self.range(diagnostic.span),
            escaping.lines(diagnostic.message + help_),
            severity=lsp.DiagnosticSeverity.Error if diagnostic.is_error else lsp.DiagnosticSeverity.Warning,
            code=diagnostic.code,
            code_description=page_of(diagnostic.code),
            source="pdedsl",
            related_information=[
                lsp.DiagnosticRelatedInformation(self.location(span), escaping.lines(label))
                for span, label in diagnostic.notes
            ],
        )

    def hover(self, hover: Hover) -> lsp.Hover:
        tex = f"\n\n{escaping.fence_code(hover.latex, 'latex')}" if hover.latex else ""
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, hover.text + tex)
        return lsp.Hover(content, self.range(hover.span))

    def item(self, item: CompletionItem) -> lsp.CompletionItem:
        return lsp.CompletionItem(
            item.label,
            kind=ITEM_KINDS[item.kind.lower()],
            detail=item.detail or None,
            documentation=lsp.MarkupContent(lsp.MarkupKind.Markdown, item.about) if item.about else None,
            text_edit=lsp.TextEdit(self.range(item.span), item.insert),
            filter_text=item.label,
        )

    def signature(self, signature: Signature) -> lsp.SignatureHelp:
        def markdown(text: str) -> lsp.MarkupContent:
            return lsp.MarkupContent(lsp.MarkupKind.Markdown, text)

        parameters = [lsp.ParameterInformation(p.label, markdown(p.text)) for p in signature.parameters]
        shown = lsp.SignatureInformation(signature.label, markdown(signature.text), parameters)
        return lsp.SignatureHelp([shown], active_signature=0, active_parameter=signature.active)

    def symbol(self, symbol: Symbol) -> lsp.DocumentSymbol:
        return lsp.DocumentSymbol(
            symbol.name or " ",
            SYMBOL_KINDS[symbol.kind.lower()],
            self.range(symbol.span),
            self.range(symbol.selection),
            detail=symbol.detail,
            children=[self.symbol(child) for child in symbol.children],
        )

    def fold(self, span: Span) -> lsp.FoldingRange:
        return lsp.FoldingRange(self.position(span.start).line, self.position(span.end).line)

    def hint(self, hint: InlayHint) -> lsp.InlayHint:
        return lsp.InlayHint(self.position(hint.offset), hint.text, padding_left=True)

    def lens(self, lens: CodeLens) -> lsp.CodeLens:
        """A lens with the command `pdedsl.solve` of the client, or with none."""
        command = f"pdedsl.{lens.command}" if lens.command else ""
        return lsp.CodeLens(self.range(lens.span), lsp.Command(lens.title, command, arguments=[self.uri]))

    def action(self, action: Action, diagnostics: Sequence[lsp.Diagnostic]) -> lsp.CodeAction:
        fixed = self.diagnostic(action.cures) if action.cures else None
        return lsp.CodeAction(
            action.title,
            kind=lsp.CodeActionKind.QuickFix if fixed else lsp.CodeActionKind.RefactorRewrite,
            diagnostics=[d for d in diagnostics if fixed and (d.code, d.range) == (fixed.code, fixed.range)],
            edit=self.workspace_edit(action.edits),
        )

    def tokens(self, tokens: Iterable[Coloured]) -> lsp.SemanticTokens:
        """Five numbers for each token: line and column relative to the previous token, length, kind, modifiers."""
        data: list[int] = []
        kinds = list(TokenKind)
        line = column = 0
        for token in tokens:
            at, start = self.positions.position(token.span.start)
            width = self.positions.width(token.span)
            modifiers = token.declares + 2 * token.fixed
            data += [at - line, start - column if at == line else start, width, kinds.index(token.kind), modifiers]
            line, column = at, start
        return lsp.SemanticTokens(data)
