"""Go to definition, find references, and rename."""

from __future__ import annotations

from lark.exceptions import UnexpectedCharacters
from lark.lexer import LexerState
from lark.utils import TextSlice

from pdedsl import errors
from pdedsl.config.networks import NORMALIZATIONS
from pdedsl.diagnostics import Span
from pdedsl.diagnostics.fixes import Edit, apply_edits
from pdedsl.editor.document import Document, analysed
from pdedsl.editor.names import NameKind, Occurrence
from pdedsl.language.elaborate.expressions import RESERVED
from pdedsl.language.names import SUPERSCRIPT_LETTERS, canonical_name
from pdedsl.language.parser import scanner


def definition(document: Document, offset: int) -> Span | None:
    """The declaration of the name at an offset."""
    occurrence = document.names.at(offset)
    return occurrence.of.span if occurrence and occurrence.of else None


def references(document: Document, offset: int) -> tuple[Span, ...]:
    """All occurrences of the name at an offset, including its declaration."""
    occurrence = document.names.at(offset)
    return tuple(o.span for o in document.names.of(occurrence.of)) if occurrence and occurrence.of else ()


def renamable(document: Document, offset: int) -> Span | None:
    """The name at an offset, if it can be renamed; an index of Σᵢ, which occurs in subscripts, cannot."""
    occurrence = document.names.at(offset)
    if occurrence is None or occurrence.of is None or occurrence.id in document.names.unplaced:
        return None
    return occurrence.span if occurrence.of in {o.of for o in document.names.occurrences if o.declares} else None


def rename(document: Document, offset: int, new: str) -> tuple[Edit, ...]:
    """The edits that rename a name everywhere; raises `PdeError` if the meaning of the spec would change."""
    occurrence = document.names.at(offset)
    if renamable(document, offset) is None or occurrence is None or occurrence.of is None:
        return ()
    _require_free(document, occurrence, new)
    edits = tuple(Edit(o.span, _replacement(document, o, new)) for o in document.names.of(occurrence.of))
    after = analysed(apply_edits(document.text, edits), document.source.name)
    before = document.spec.hash if document.spec else None
    same = after.spec.hash == before if after.spec else before is None
    if not same or [d.code for d in after.diagnostics] != [d.code for d in document.diagnostics]:
        raise errors.names.name_conflict(new, occurrence.span)
    return edits


def _replacement(document: Document, occurrence: Occurrence, new: str) -> str:
    """The new name; as the limit of an integral, `∫₀ˣ`, a raised letter or `^name`."""
    raised = document.text[occurrence.span.start : occurrence.span.end] in SUPERSCRIPT_LETTERS.values()
    return SUPERSCRIPT_LETTERS.get(canonical_name(new), f"^{new}") if raised else new


def _require_free(document: Document, occurrence: Occurrence, new: str) -> None:
    """Checks that the new name is valid and not in use."""
    if not _is_name(new):
        raise errors.syntax.unexpected_token(new, "a name", occurrence.span, "")
    if canonical_name(new) in RESERVED or canonical_name(new) in NORMALIZATIONS:
        raise errors.names.reserved_name(new, occurrence.span)
    others = [d for d in document.names.declarations if d.id == canonical_name(new) and d != occurrence.of]
    if others and others[0].kind is not NameKind.INDEX:
        raise errors.names.declared_twice(new, occurrence.span, others[0].span)


def _is_name(text: str) -> bool:
    """Whether the scanner of the grammar reads the whole text as one name."""
    try:
        token = scanner().next_token(LexerState(TextSlice.cast_from(text)))
    except (UnexpectedCharacters, EOFError):
        return False
    return token.type == "NAME" and str(token) == text
