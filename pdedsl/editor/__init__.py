r"""The engine behind editors: what is known about a spec while it is being written. Plain Python, without torch.

    document = analysed(text)              every stage that the text reaches; never raises
    document.diagnostics                   exactly what `pdedsl check` reports, with fixes as data
    hover(document, offset)                about the name, term, axiom or word at a place
    complete(document, offset)             what may be written there, with defaults and limits
    definition, references                 of the name at a place
    rename(document, offset, new)          edits; a `PdeError` if the text would change its meaning
    symbols, folds, colours, hints         an outline, what can be folded, tokens by kind, notes between the lines
    formatted(document, ascii=False)       what `pdedsl format` writes
    actions(document, span)                fixes of the mistakes there, and the other spellings
    unicode_at(text, offset)               ∇ for the `\nabla` that was just typed

Places are character offsets into `document.text`, and ranges are `Span`s of them; `Positions(document.text)` turns them
into the lines and UTF-16 columns of editors and browsers, and back.
"""

from __future__ import annotations

from pdedsl.editor.actions import Action as Action
from pdedsl.editor.actions import actions as actions
from pdedsl.editor.completion import Item as Item
from pdedsl.editor.completion import complete as complete
from pdedsl.editor.conversion import formatted as formatted
from pdedsl.editor.conversion import inputs as inputs
from pdedsl.editor.conversion import unicode_at as unicode_at
from pdedsl.editor.document import Document as Document
from pdedsl.editor.document import analysed as analysed
from pdedsl.editor.highlight import Coloured as Coloured
from pdedsl.editor.highlight import TokenKind as TokenKind
from pdedsl.editor.highlight import colours as colours
from pdedsl.editor.hover import Hover as Hover
from pdedsl.editor.hover import hover as hover
from pdedsl.editor.inlay_hints import Hint as Hint
from pdedsl.editor.inlay_hints import hints as hints
from pdedsl.editor.navigation import definition as definition
from pdedsl.editor.navigation import references as references
from pdedsl.editor.navigation import renamable as renamable
from pdedsl.editor.navigation import rename as rename
from pdedsl.editor.outline import Symbol as Symbol
from pdedsl.editor.outline import folds as folds
from pdedsl.editor.outline import symbols as symbols
from pdedsl.editor.positions import Encoding as Encoding
from pdedsl.editor.positions import Positions as Positions
