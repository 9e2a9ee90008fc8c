"""Language server: each request calls one function of `pdedsl.editor`. Documents are synchronised in full."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from pdedsl import __version__
from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import Edit
from pdedsl.editor import (
    Document,
    Encoding,
    actions,
    analysed,
    code_lenses,
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
    signature,
    symbols,
    unicode_at,
)
from pdedsl.lsp.convert import LEGEND, Converter
from pdedsl.sources import without_bom

DEBOUNCE_SECONDS = 0.01  # pause after the last change before a document is analysed
ASCII, UNICODE = "pdedsl.ascii", "pdedsl.unicode"


class Server(LanguageServer):
    """Caches the analysed document of each open text, and the last one without an error."""

    def __init__(self) -> None:
        super().__init__("pdedsl", __version__, lsp.TextDocumentSyncKind.Full)
        self._documents: dict[str, Document] = {}
        self._valid: dict[str, Document] = {}
        self.client_commands: frozenset[str] = frozenset()  # that code lenses may name, by the initialization options

    def open(self, uri: str) -> Converter:
        """The current document; a text that is neither open nor readable is treated as empty."""
        try:
            text = without_bom(self.workspace.get_text_document(uri).source)
        except (OSError, UnicodeError):
            text = ""
        document = self._documents.get(uri)
        if document is None or document.text != text:
            document = self._documents[uri] = analysed(text, to_fs_path(uri) or uri)
            if document.analysis is not None:
                self._valid[uri] = document
        encoding = self.server_capabilities.position_encoding or Encoding.UTF16
        return Converter(document, uri, Encoding(str(getattr(encoding, "value", encoding))))

    def publish(self, uri: str) -> None:
        """Publishes the diagnostics of a document with its version."""
        version, converter = self.workspace.get_text_document(uri).version, self.open(uri)
        diagnostics = [converter.diagnostic(d) for d in converter.document.diagnostics]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, diagnostics, version))

    def last_valid(self, uri: str) -> Document | None:
        """The last version of a document that could be analysed."""
        return self._valid.get(uri)

    def close(self, uri: str) -> None:
        self._documents.pop(uri, None)
        self._valid.pop(uri, None)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def create_server() -> Server:
    """A server with all features registered."""
    server = Server()
    for method, (respond, options) in FEATURES.items():
        server.feature(method, options)(_bind(server, respond))
    for name, ascii in ((ASCII, True), (UNICODE, False)):
        server.command(name)(_conversion_command(server, ascii))
    return server


def _bind(server: Server, respond: Callable[[Server, Any], Any]) -> Callable[[Any], Any]:
    if asyncio.iscoroutinefunction(respond):

        async def handler(params: Any) -> Any:
            return await respond(server, params)

        return handler
    return lambda params: respond(server, params)


# ---- Initialization


def _initialize(server: Server, params: lsp.InitializeParams) -> None:
    """Clients that run commands of pdedsl list them, as `{"commands": ["solve", "draw"]}`."""
    options = params.initialization_options
    listed = options.get("commands", ()) if isinstance(options, dict) else getattr(options, "commands", ())
    server.client_commands = frozenset(map(str, listed))


# ---- Document synchronisation


def _did_open(server: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    server.publish(params.text_document.uri)


async def _did_change(server: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    """Analyses only the last of several changes in quick succession."""
    uri = params.text_document.uri
    await asyncio.sleep(DEBOUNCE_SECONDS)
    current = server.workspace.text_documents.get(uri)
    if current is not None and current.version == params.text_document.version:
        server.publish(uri)


def _did_close(server: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    server.close(params.text_document.uri)


# ---- Language features


def _hover(server: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    converter = server.open(params.text_document.uri)
    result = hover(converter.document, converter.offset(params.position))
    return converter.hover(result) if result else None


def _complete(server: Server, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    converter = server.open(params.text_document.uri)
    return [converter.item(item) for item in complete(converter.document, converter.offset(params.position))]


def _signature(server: Server, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
    converter = server.open(params.text_document.uri)
    found = signature(converter.document, converter.offset(params.position))
    return converter.signature(found) if found else None


def _definition(server: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
    converter = server.open(params.text_document.uri)
    target = definition(converter.document, converter.offset(params.position))
    return converter.location(target) if target else None


def _references(server: Server, params: lsp.ReferenceParams) -> list[lsp.Location]:
    converter = server.open(params.text_document.uri)
    at = converter.offset(params.position)
    declared = None if params.context.include_declaration else definition(converter.document, at)
    return [converter.location(span) for span in references(converter.document, at) if span != declared]


def _prepare_rename(server: Server, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    converter = server.open(params.text_document.uri)
    name = renamable(converter.document, converter.offset(params.position))
    return converter.range(name) if name else None


def _rename(server: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    converter = server.open(params.text_document.uri)
    try:
        edits = rename(converter.document, converter.offset(params.position), params.new_name)
    except PdeError as error:
        raise JsonRpcInvalidParams(error.diagnostics[0].message) from None
    return converter.workspace_edit(edits) if edits else None


def _symbols(server: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    converter = server.open(params.text_document.uri)
    return [converter.symbol(symbol) for symbol in symbols(converter.document)]


def _folds(server: Server, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
    converter = server.open(params.text_document.uri)
    return [converter.fold(span) for span in folds(converter.document)]


def _semantic_tokens(server: Server, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
    converter = server.open(params.text_document.uri)
    return converter.tokens(colours(converter.document))


def _hints(server: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    converter = server.open(params.text_document.uri)
    visible, before = converter.span(params.range), server.last_valid(params.text_document.uri)
    return [converter.hint(h) for h in hints(converter.document, before) if visible.start <= h.offset <= visible.end]


def _code_lenses(server: Server, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    """Information, and the commands that the client can run."""
    converter = server.open(params.text_document.uri)
    lenses = code_lenses(converter.document)
    return [converter.lens(e) for e in lenses if not e.command or e.command in server.client_commands]


def _format(server: Server, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
    converter = server.open(params.text_document.uri)
    text = formatted(converter.document)
    return None if text is None else converter.replace_document(text) if text != converter.document.text else []


def _on_type_format(server: Server, params: lsp.DocumentOnTypeFormattingParams) -> list[lsp.TextEdit] | None:
    r"""Replaces `\nabla` and the space typed after it by ∇."""
    converter = server.open(params.text_document.uri)
    at = converter.offset(params.position)
    replacement = unicode_at(converter.document.text, at - len(params.ch))
    return converter.edits([Edit(Span(replacement.span.start, at), replacement.new)]) if replacement else None


def _actions(server: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    converter = server.open(params.text_document.uri)
    edits = actions(converter.document, converter.span(params.range))
    return [converter.action(action, params.context.diagnostics) for action in edits]


def _conversion_command(server: Server, ascii: bool) -> Callable[[str], Any]:
    async def convert(uri: str) -> None:
        converter = server.open(uri)
        text = formatted(converter.document, ascii)
        if text is not None and text != converter.document.text:
            edit = lsp.WorkspaceEdit(changes={uri: converter.replace_document(text)})
            await server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit))

    return convert


FEATURES: dict[str, tuple[Callable[[Server, Any], Any], Any]] = {
    lsp.INITIALIZE: (_initialize, None),
    lsp.TEXT_DOCUMENT_DID_OPEN: (_did_open, None),
    lsp.TEXT_DOCUMENT_DID_CHANGE: (_did_change, None),
    lsp.TEXT_DOCUMENT_DID_CLOSE: (_did_close, None),
    lsp.TEXT_DOCUMENT_HOVER: (_hover, None),
    lsp.TEXT_DOCUMENT_COMPLETION: (_complete, lsp.CompletionOptions(trigger_characters=[*"\\(,:= "])),
    lsp.TEXT_DOCUMENT_SIGNATURE_HELP: (_signature, lsp.SignatureHelpOptions(trigger_characters=[*"(,="])),
    lsp.TEXT_DOCUMENT_DEFINITION: (_definition, None),
    lsp.TEXT_DOCUMENT_REFERENCES: (_references, None),
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: (_prepare_rename, None),
    lsp.TEXT_DOCUMENT_RENAME: (_rename, lsp.RenameOptions(prepare_provider=True)),
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_symbols, None),
    lsp.TEXT_DOCUMENT_FOLDING_RANGE: (_folds, None),
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (_semantic_tokens, LEGEND),
    lsp.TEXT_DOCUMENT_INLAY_HINT: (_hints, None),
    lsp.TEXT_DOCUMENT_CODE_LENS: (_code_lenses, lsp.CodeLensOptions()),
    lsp.TEXT_DOCUMENT_FORMATTING: (_format, None),
    lsp.TEXT_DOCUMENT_ON_TYPE_FORMATTING: (_on_type_format, lsp.DocumentOnTypeFormattingOptions(" ")),
    lsp.TEXT_DOCUMENT_CODE_ACTION: (
        _actions,
        lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.RefactorRewrite]),
    ),
}
