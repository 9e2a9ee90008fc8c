"""The Language Server Protocol over the engine of `pdedsl.editor`: `pdedsl lsp`. Needs the extra `lsp`, never torch."""
