"""A language server on top of `pdedsl.editor`: `pdedsl lsp`. Needs the extra `lsp`, never torch."""
