"""Language server end to end over LSP: its diagnostics are those of the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from pdedsl.api import format_source
from pdedsl.diagnostics import Source
from pdedsl.diagnostics.diagnostic import MAX_DIAGNOSTICS
from pdedsl.editor import Positions
from pdedsl.lsp.convert import DOCUMENTATION, page_of
from pdedsl.sources import shipped_specs

BAD = Path(__file__).parents[1] / "bad"
WRONG = sorted(BAD.glob("*.pde"))
# Right specs, of which a command asks for more than the network: what only `compile` reports is no part of `check`.
RIGHT = {"e606_operator_on_images", "e606_operator_on_pixels", "e614_not_trusted"}
SAID = re.compile(r"^(error|warning)\[(\w+)\]: (.*(?:\n(?!  -->).*)*)\n  --> [^\n]*:(\d+):(\d+)$", re.MULTILINE)
HELP = re.compile(r"^  help: (.*)$", re.MULTILINE)
SEVERITY = {lsp.DiagnosticSeverity.Error: "error", lsp.DiagnosticSeverity.Warning: "warning"}


async def shown(client: LanguageClient, text: str, uri: str = "file:///spec.pde") -> list[lsp.Diagnostic]:
    """The diagnostics of a text that an editor opens."""
    item = lsp.TextDocumentItem(uri, "pde", 1, text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return list(client.diagnostics[uri])


def here(uri: str = "file:///spec.pde") -> lsp.TextDocumentIdentifier:
    return lsp.TextDocumentIdentifier(uri)


def at(text: str, mark: str) -> lsp.Position:
    return lsp.Position(*Positions(text).position(text.index(mark)))


def spec(name: str) -> str:
    return shipped_specs()[name].read_text("utf-8")


@pytest.mark.asyncio
@pytest.mark.parametrize("name", shipped_specs())
async def test_shipped_specs_have_no_diagnostics(client: LanguageClient, name: str) -> None:
    assert await shown(client, spec(name)) == []
    symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(here()))
    assert symbols
    tokens = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(here()))
    assert tokens
    assert len(tokens.data) > 100
    assert len(tokens.data) % 5 == 0


@pytest.mark.asyncio
async def test_the_text_is_that_of_the_terminal(client: LanguageClient) -> None:
    """The golden report of the terminal, diagnostic by diagnostic, of every wrong spec: all are open at once."""
    texts = {path.as_uri(): path.read_text("utf-8") for path in WRONG}
    for uri, text in texts.items():
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "pde", 1, text)))
    while not texts.keys() <= client.diagnostics.keys():
        await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    for path in WRONG:
        golden = "" if path.stem in RIGHT else path.with_suffix(".expected").read_text("utf-8")
        found = [told(texts[path.as_uri()], d) for d in client.diagnostics[path.as_uri()]]
        assert found[:MAX_DIAGNOSTICS] == reported(golden), path.stem


Told = tuple[str, object, str, str, tuple[int, int]]  # severity, code, message, way out, line and column


def told(text: str, d: lsp.Diagnostic) -> Told:
    message, _, way = d.message.partition("\nhelp: ")
    offset = Positions(text).offset(d.range.start.line, d.range.start.character)
    return SEVERITY[d.severity or 0], d.code, message, way, Source(text).position(offset)  # type: ignore[index]


def reported(golden: str) -> list[Told]:
    """The reports of the terminal, which shows only the first of very many."""
    found = []
    for one in golden.rstrip("\n").split("\n\n") if golden else []:
        said, way = SAID.match(one), HELP.search(one)
        if said:
            found.append((said[1], said[2], said[3], way[1] if way else "", (int(said[4]), int(said[5]))))
        else:
            assert re.fullmatch(r"… and \d+ more", one)
    return found


@pytest.mark.asyncio
async def test_a_change_is_looked_at_and_cured(client: LanguageClient) -> None:
    """As one types: a slip, its cure by a code action, and nothing left."""
    assert await shown(client, spec("heat")) == []
    wrong = spec("heat").replace("κΔu", "kapa Δu")
    change = lsp.TextDocumentContentChangeWholeDocument(wrong)
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(lsp.VersionedTextDocumentIdentifier(version=2, uri=here().uri), [change])
    )
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    first = client.diagnostics[here().uri][0]
    assert first.code == "E201"
    context = lsp.CodeActionContext([first])
    answers = await client.text_document_code_action_async(
        lsp.CodeActionParams(text_document=here(), range=first.range, context=context)
    )
    assert answers
    cure = answers[0]
    assert isinstance(cure, lsp.CodeAction)
    assert cure.title == "replace with 'κ'"
    assert cure.edit
    assert cure.edit.changes
    [edit] = cure.edit.changes[here().uri]
    positions = Positions(wrong)
    start, end = (positions.offset(p.line, p.character) for p in (edit.range.start, edit.range.end))
    assert await shown(client, wrong[:start] + edit.new_text + wrong[end:]) == []


@pytest.mark.asyncio
async def test_hover_definition_references_and_rename(client: LanguageClient) -> None:
    text = spec("enresnet")
    await shown(client, text)
    found = await client.text_document_hover_async(lsp.HoverParams(here(), at(text, "Δu = 0")))
    assert found
    assert isinstance(found.contents, lsp.MarkupContent)
    assert "ν = 0.005" in found.contents.value
    assert "```latex" in found.contents.value
    place = await client.text_document_definition_async(lsp.DefinitionParams(here(), at(text, "v·∇u")))
    assert isinstance(place, lsp.Location)
    assert place.range.start == at(text, "v(x, t)")
    context = lsp.ReferenceContext(include_declaration=False)
    uses = await client.text_document_references_async(
        lsp.ReferenceParams(context=context, text_document=here(), position=at(text, "W  "))
    )
    assert [u.range.start for u in uses or ()] == [at(text, "W x)")]
    edit = await client.text_document_rename_async(
        lsp.RenameParams(new_name="V", text_document=here(), position=at(text, "W  "))
    )
    assert edit
    assert edit.changes
    assert len(edit.changes[here().uri]) == 2


@pytest.mark.asyncio
async def test_columns_count_utf_16_units(client: LanguageClient) -> None:
    """𝑢 is one character and two units: what stands behind it is found where the editor says it is."""
    text = "pde P\nspace x in R\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂𝑢/∂t = nonsense Δ𝑢\nu(x, 0) = x\n"
    [found] = await shown(client, text)
    assert found.range == lsp.Range(lsp.Position(4, 9), lsp.Position(4, 17))


@pytest.mark.asyncio
async def test_diagnostics_of_the_last_of_several_changes(client: LanguageClient) -> None:
    text, uri, seen = spec("heat"), "file:///changes.pde", []
    await shown(client, text, uri)
    for version in range(2, 7):
        whole = lsp.TextDocumentContentChangeWholeDocument(text + "let" * (version < 6) + "# a" * (version == 6))
        client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(lsp.VersionedTextDocumentIdentifier(version, uri), [whole])
        )
    while not seen or seen[-1].version != 6:
        seen.append(await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS))
    assert [s.version for s in seen] == sorted({s.version for s in seen})
    assert not client.diagnostics[uri]


@pytest.mark.asyncio
async def test_a_text_that_is_closed_during_analysis_is_removed(client: LanguageClient) -> None:
    uri, other = "file:///closed.pde", "file:///open.pde"
    await shown(client, spec("heat"), other)
    await shown(client, spec("heat"), uri)
    whole = lsp.TextDocumentContentChangeWholeDocument("nothing")
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(lsp.VersionedTextDocumentIdentifier(2, uri), [whole])
    )
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(here(uri)))
    assert await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(here(other)))
    await shown(client, spec("wave"), "file:///next.pde")
    assert not client.diagnostics[uri]


@pytest.mark.asyncio
@pytest.mark.parametrize("ends", ["\r\n", "\r"])
async def test_places_do_not_depend_on_the_ends_of_lines(client: LanguageClient, ends: str) -> None:
    text = spec("heat").replace("Δu", "\tΔw")
    plain = await shown(client, text, "file:///plain.pde")
    other = await shown(client, text.replace("\n", ends), "file:///ends.pde")
    assert plain
    assert [(d.range, d.message) for d in plain] == [(d.range, d.message) for d in other]


@pytest.mark.asyncio
async def test_a_very_long_line(client: LanguageClient) -> None:
    text = spec("heat").replace("Δu", "Δu" + " + 0*𝑢" * 600)
    (found,) = await shown(client, text, "file:///long.pde")
    line = next(line for line in text.split("\n") if "𝑢" in line)
    assert found.range.end.character == len(line.encode("utf-16-le")) // 2
    tokens = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(here("file:///long.pde")))
    assert tokens
    assert len(tokens.data) > 5 * 1200


@pytest.mark.asyncio
async def test_completion_hints_folds_and_formatting(client: LanguageClient) -> None:
    text = spec("convection_diffusion").replace("  ", " ")
    await shown(client, text)
    items = await client.text_document_completion_async(lsp.CompletionParams(here(), at(text, "moons")))
    assert isinstance(items, list)
    assert "moons" in {item.label for item in items}
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
    notes = await client.text_document_inlay_hint_async(lsp.InlayHintParams(text_document=here(), range=whole))
    assert "first layer at t = 1" in {note.label for note in notes or ()}
    assert await client.text_document_folding_range_async(lsp.FoldingRangeParams(here()))
    options = lsp.FormattingOptions(tab_size=2, insert_spaces=True)
    edits = await client.text_document_formatting_async(
        lsp.DocumentFormattingParams(text_document=here(), options=options)
    )
    assert edits
    assert [e.new_text for e in edits] == [format_source(Source(text))]


@pytest.mark.asyncio
async def test_code_lenses_have_the_commands_of_the_client(client: LanguageClient) -> None:
    """The client runs `solve` only; an equation has its class; a text with an error has no lens."""
    await shown(client, spec("heat"))
    lenses = await client.text_document_code_lens_async(lsp.CodeLensParams(here())) or ()
    found = [(e.range.start.line, e.command.title, e.command.command) for e in lenses if e.command]
    text = spec("heat").split("\n")
    header, equation = (next(k for k, row in enumerate(text) if row.startswith(w)) for w in ("pde", "∂u/∂t"))
    assert found == [
        (header, "Solve", "pdedsl.solve"),
        (header, "5 proved, 2 refuted, 2 unknown", ""),
        (equation, "Linear diffusion equation (parabolic)", ""),
    ]
    await shown(client, spec("heat").replace("κΔu", "-κΔu"))
    assert not await client.text_document_code_lens_async(lsp.CodeLensParams(here()))


@pytest.mark.asyncio
async def test_signature_help(client: LanguageClient) -> None:
    text = spec("convection_diffusion")
    await shown(client, text)
    found = await client.text_document_signature_help_async(lsp.SignatureHelpParams(here(), at(text, "depth=4")))
    assert found is not None
    assert found.signatures[0].label == "mlp(width=64, depth=4, activation=tanh)"
    assert found.signatures[0].parameters is not None
    assert len(found.signatures[0].parameters) == 3


def test_codes_link_to_their_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DOCUMENTATION, raising=False)
    assert page_of("E418") is None
    monkeypatch.setenv(DOCUMENTATION, "file:///docs/build/")
    assert page_of("E418") == lsp.CodeDescription("file:///docs/build/generated/diagnostics.html#e418")


@pytest.mark.asyncio
async def test_unicode_as_one_types(client: LanguageClient) -> None:
    text = "pde P\n\\nabla "
    await shown(client, text)
    options = lsp.FormattingOptions(tab_size=2, insert_spaces=True)
    params = lsp.DocumentOnTypeFormattingParams(
        text_document=here(), position=lsp.Position(1, 7), ch=" ", options=options
    )
    edits = await client.text_document_on_type_formatting_async(params)
    assert edits
    assert [(e.new_text, e.range.start.character, e.range.end.character) for e in edits] == [("∇", 0, 7)]


@pytest.mark.asyncio
async def test_the_other_spelling_as_a_command(client: LanguageClient) -> None:
    """The server asks the editor to change the text: to what `pdedsl format --ascii` writes."""
    text, asked = spec("heat"), list[lsp.ApplyWorkspaceEditParams]()

    @client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def _(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        asked.append(params)
        return lsp.ApplyWorkspaceEditResult(applied=True)

    await shown(client, text)
    await client.workspace_execute_command_async(lsp.ExecuteCommandParams("pdedsl.ascii", [here().uri]))
    [edit] = (asked[0].edit.changes or {})[here().uri]
    assert edit.new_text == format_source(Source(text), ascii=True)
    assert "kappa lap(u)" in edit.new_text


@pytest.mark.asyncio
async def test_a_text_that_was_never_opened_has_nothing_in_it(client: LanguageClient, tmp_path: Path) -> None:
    """Neither open nor on the disk, or not a text: an empty answer, not an error of the server."""
    binary, place = tmp_path / "binary.pde", lsp.Position(3, 7)
    binary.write_bytes(b"\xff\xfe\x00")
    for uri in ((tmp_path / "nowhere.pde").as_uri(), binary.as_uri(), "untitled:Untitled-1"):
        assert await client.text_document_hover_async(lsp.HoverParams(here(uri), place)) is None
        assert await client.text_document_definition_async(lsp.DefinitionParams(here(uri), place)) is None
        assert not await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(here(uri)))
        tokens = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(here(uri)))
        assert tokens
        assert not tokens.data
