"""Editor services import neither torch nor LSP libraries."""

from __future__ import annotations

import subprocess
import sys

ASKED = """
import sys
from pdedsl.diagnostics import Span
from pdedsl.editor import actions, analysed, colours, complete, folds, formatted, hints, hover, symbols
from pdedsl.sources import shipped_specs

document = analysed(shipped_specs()["enresnet"].read_text("utf-8"))
assert document.plan is not None
assert hover(document, document.text.index("Δu")) and complete(document, len(document.text))
assert symbols(document) and folds(document) and colours(document) and hints(document) and formatted(document)
assert actions(document, Span(0, 9))
print(sorted({"torch", "numpy", "click", "pygls", "lsprotocol"} & set(sys.modules)))
import pdedsl.lsp.server
print(sorted({"torch", "numpy", "matplotlib", "rich"} & set(sys.modules)))
"""


def test_no_heavy_imports() -> None:
    done = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["[]", "[]"], done.stderr
