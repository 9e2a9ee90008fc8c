"""Language server based on `pdedsl.editor`: `pdedsl lsp`. Requires the extra `lsp`; does not import torch."""
