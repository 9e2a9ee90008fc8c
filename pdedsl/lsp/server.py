"""The server: each request calls one function of the engine. Texts are sent whole, so they match the editor's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from pdedsl import __version__
from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import Edit
from pdedsl.editor import (
    Document,
    Encoding,
    actions,
    analysed,
    colours,
    complete,
    definition,
    folds,
    formatted,
    hints,
    hover,
    references,
    renamable,
    rename,
    symbols,
    unicode_at,
)
from pdedsl.lsp.convert import LEGEND, Converter
from pdedsl.sources import without_bom

DEBOUNCE_SECONDS = 0.01  # seconds without another change before a text is analysed
ASCII, UNICODE = "pdedsl.ascii", "pdedsl.unicode"


class Server(LanguageServer):
    """Keeps what is known about each open text until it changes."""

    def __init__(self) -> None:
        super().__init__("pdedsl", __version__, lsp.TextDocumentSyncKind.Full)
        self._known: dict[str, Document] = {}

    def open(self, uri: str) -> Converter:
        """What is known about the current text; one that is neither open nor readable is empty."""
        try:
            text = without_bom(self.workspace.get_text_document(uri).source)
        except (OSError, UnicodeError):
            text = ""
        known = self._known.get(uri)
        if known is None or known.text != text:
            known = self._known[uri] = analysed(text, uri)
        encoding = self.server_capabilities.position_encoding or Encoding.UTF16
        return Converter(known, uri, Encoding(str(getattr(encoding, "value", encoding))))

    def publish(self, uri: str) -> None:
        """Sends the diagnostics of a text, with its version."""
        version, here = self.workspace.get_text_document(uri).version, self.open(uri)
        found = [here.diagnostic(d) for d in here.document.diagnostics]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    def close(self, uri: str) -> None:
        self._known.pop(uri, None)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def create_server() -> Server:
    """A server that answers every request that the engine can."""
    made = Server()
    for method, (answer, options) in FEATURES.items():
        made.feature(method, options)(_bind(made, answer))
    for name, ascii in ((ASCII, True), (UNICODE, False)):
        made.command(name)(_conversion_command(made, ascii))
    return made


def _bind(made: Server, answer: Callable[[Server, Any], Any]) -> Callable[[Any], Any]:
    if asyncio.iscoroutinefunction(answer):

        async def later(params: Any) -> Any:
            return await answer(made, params)

        return later
    return lambda params: answer(made, params)


# ---- texts


def _did_open(server: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    server.publish(params.text_document.uri)


async def _did_change(server: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    """Of several changes in a row, the last is looked at."""
    uri = params.text_document.uri
    await asyncio.sleep(DEBOUNCE_SECONDS)
    here = server.workspace.text_documents.get(uri)
    if here is not None and here.version == params.text_document.version:
        server.publish(uri)


def _did_close(server: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    server.close(params.text_document.uri)


# ---- questions


def _hover(server: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    here = server.open(params.text_document.uri)
    found = hover(here.document, here.offset(params.position))
    return here.hover(found) if found else None


def _complete(server: Server, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    here = server.open(params.text_document.uri)
    return [here.item(item) for item in complete(here.document, here.offset(params.position))]


def _definition(server: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
    here = server.open(params.text_document.uri)
    found = definition(here.document, here.offset(params.position))
    return here.location(found) if found else None


def _references(server: Server, params: lsp.ReferenceParams) -> list[lsp.Location]:
    here = server.open(params.text_document.uri)
    at = here.offset(params.position)
    declared = None if params.context.include_declaration else definition(here.document, at)
    return [here.location(span) for span in references(here.document, at) if span != declared]


def _prepare_rename(server: Server, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    here = server.open(params.text_document.uri)
    found = renamable(here.document, here.offset(params.position))
    return here.range(found) if found else None


def _rename(server: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    here = server.open(params.text_document.uri)
    try:
        edits = rename(here.document, here.offset(params.position), params.new_name)
    except PdeError as error:
        raise JsonRpcInvalidParams(error.diagnostics[0].message) from None
    return here.workspace_edit(edits) if edits else None


def _symbols(server: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    here = server.open(params.text_document.uri)
    return [here.symbol(symbol) for symbol in symbols(here.document)]


def _folds(server: Server, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
    here = server.open(params.text_document.uri)
    return [here.fold(span) for span in folds(here.document)]


def _semantic_tokens(server: Server, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
    here = server.open(params.text_document.uri)
    return here.tokens(colours(here.document))


def _hints(server: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    here = server.open(params.text_document.uri)
    shown = here.span(params.range)
    return [here.hint(h) for h in hints(here.document) if shown.start <= h.offset <= shown.end]


def _format(server: Server, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
    here = server.open(params.text_document.uri)
    text = formatted(here.document)
    return None if text is None else here.whole(text) if text != here.document.text else []


def _on_type_format(server: Server, params: lsp.DocumentOnTypeFormattingParams) -> list[lsp.TextEdit] | None:
    r"""Replaces `\nabla` and the space typed after it by ∇."""
    here = server.open(params.text_document.uri)
    at = here.offset(params.position)
    found = unicode_at(here.document.text, at - len(params.ch))
    return here.edits([Edit(Span(found.span.start, at), found.new)]) if found else None


def _actions(server: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    here = server.open(params.text_document.uri)
    found = actions(here.document, here.span(params.range))
    return [here.action(action, params.context.diagnostics) for action in found]


def _conversion_command(made: Server, ascii: bool) -> Callable[[str], Any]:
    async def spell(uri: str) -> None:
        here = made.open(uri)
        text = formatted(here.document, ascii)
        if text is not None and text != here.document.text:
            edit = lsp.WorkspaceEdit(changes={uri: here.whole(text)})
            await made.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit))

    return spell


FEATURES: dict[str, tuple[Callable[[Server, Any], Any], Any]] = {
    lsp.TEXT_DOCUMENT_DID_OPEN: (_did_open, None),
    lsp.TEXT_DOCUMENT_DID_CHANGE: (_did_change, None),
    lsp.TEXT_DOCUMENT_DID_CLOSE: (_did_close, None),
    lsp.TEXT_DOCUMENT_HOVER: (_hover, None),
    lsp.TEXT_DOCUMENT_COMPLETION: (_complete, lsp.CompletionOptions(trigger_characters=[*"\\(,:= "])),
    lsp.TEXT_DOCUMENT_DEFINITION: (_definition, None),
    lsp.TEXT_DOCUMENT_REFERENCES: (_references, None),
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: (_prepare_rename, None),
    lsp.TEXT_DOCUMENT_RENAME: (_rename, lsp.RenameOptions(prepare_provider=True)),
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_symbols, None),
    lsp.TEXT_DOCUMENT_FOLDING_RANGE: (_folds, None),
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (_semantic_tokens, LEGEND),
    lsp.TEXT_DOCUMENT_INLAY_HINT: (_hints, None),
    lsp.TEXT_DOCUMENT_FORMATTING: (_format, None),
    lsp.TEXT_DOCUMENT_ON_TYPE_FORMATTING: (_on_type_format, lsp.DocumentOnTypeFormattingOptions(" ")),
    lsp.TEXT_DOCUMENT_CODE_ACTION: (
        _actions,
        lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.RefactorRewrite]),
    ),
}
