r"""Editor services: diagnostics, hover, completion, navigation and formatting of a spec. Plain Python, without torch.

    document = analysed(text)              all stages of the compiler that succeed; never raises
    document.diagnostics                   the diagnostics of `pdedsl check`, with their fixes
    hover(document, offset)                description of the name, term, axiom or keyword at an offset
    complete(document, offset)             completions, with defaults and allowed values
    signature(document, offset)            parameters of the call at an offset, with the active one
    definition, references                 of the name at an offset
    rename(document, offset, new)          edits; raises `PdeError` if the meaning of the spec would change
    symbols, folds, colours, hints         outline, folding ranges, semantic tokens, inlay hints
    code_lenses(document)                  commands of the spec, class of each equation
    formatted(document, ascii=False)       the output of `pdedsl format`
    actions(document, span)                code actions: quick fixes, conversion to ASCII or Unicode
    unicode_at(text, offset)               ∇ for the `\nabla` that was just typed

Offsets count characters of `document.text`, and ranges are `Span`s of offsets; `Positions(document.text)` converts them
to and from the lines and UTF-16 columns of editors and browsers.
"""

from __future__ import annotations

from pdedsl.editor.actions import Action as Action
from pdedsl.editor.actions import actions as actions
from pdedsl.editor.code_lenses import CodeLens as CodeLens
from pdedsl.editor.code_lenses import code_lenses as code_lenses
from pdedsl.editor.completion import CompletionItem as CompletionItem
from pdedsl.editor.completion import complete as complete
from pdedsl.editor.conversion import formatted as formatted
from pdedsl.editor.conversion import inputs as inputs
from pdedsl.editor.conversion import unicode_at as unicode_at
from pdedsl.editor.document import Document as Document
from pdedsl.editor.document import analysed as analysed
from pdedsl.editor.highlight import Coloured as Coloured
from pdedsl.editor.highlight import colours as colours
from pdedsl.editor.hover import Hover as Hover
from pdedsl.editor.hover import hover as hover
from pdedsl.editor.inlay_hints import InlayHint as InlayHint
from pdedsl.editor.inlay_hints import hints as hints
from pdedsl.editor.navigation import definition as definition
from pdedsl.editor.navigation import references as references
from pdedsl.editor.navigation import renamable as renamable
from pdedsl.editor.navigation import rename as rename
from pdedsl.editor.outline import folds as folds
from pdedsl.editor.outline import symbols as symbols
from pdedsl.editor.positions import Encoding as Encoding
from pdedsl.editor.positions import Positions as Positions
from pdedsl.editor.signature import Signature as Signature
from pdedsl.editor.signature import signature as signature
from pdedsl.editor.visitor import Symbol as Symbol
from pdedsl.editor.visitor import TokenKind as TokenKind
