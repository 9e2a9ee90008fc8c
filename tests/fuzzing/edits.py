"""Random edits of the shipped specs, as hasty hands make them, and every question of an editor after each.

    PYTHONPATH=tests python -m fuzzing.edits --edits 10000 --seed 0

prints how many texts were right and the processor time that diagnostics took, or the first text that raised an
exception. What is said of every tenth text is compared with what `pdedsl check` says in a process of its own.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

from pdedsl.cli.check import configure_server
from pdedsl.compiler import check
from pdedsl.diagnostics import PdeError, Source, Span, report
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
    symbols,
    unicode_at,
)
from pdedsl.lsp.convert import Converter
from pdedsl.sources import shipped_specs

BATCH = 50  # texts that one process of the command line is asked about
STEPS = 25  # edits of one text before another is taken
SCRAPS = [
    *"()[]{}‖|=:,+-*/^·∂∇ΔΣ½²ᵢ₁\n\n \t#\"\\$;'𝑢\u0307\r",
    "u_xx",
    "\\nabla",
    "u(x, 0)",
    "train {",
    "const ",
    "σ",
    "1e999",
]


def edited(text: str, rng: random.Random) -> str:
    """The text after one edit: something inserted, removed, moved or typed over."""
    a, b = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    b = min(b, a + rng.choice((1, 3, 30)))
    lines = text.splitlines(keepends=True) or [""]
    match rng.randrange(5):
        case 0:
            return text[:a] + rng.choice(SCRAPS) + text[a:]
        case 1:
            return text[:a] + text[b:]
        case 2:
            return text[:a] + rng.choice(SCRAPS) + text[b:]
        case 3:
            return text[:a] + rng.choice(lines) + text[a:]
        case _:
            return text[:a] + "".join(rng.sample(text[a:b], b - a)) + text[b:]


def texts(edits: int, seed: int) -> Iterator[str]:
    """Texts, each an edit of the previous one, or of a shipped spec."""
    rng, specs, text = random.Random(seed), [p.read_text("utf-8") for p in shipped_specs().values()], ""
    for i in range(edits):
        text = edited(text if i % STEPS else rng.choice(specs), rng)
        yield text


def asked(document: Document, rng: random.Random) -> None:
    """Every question of an editor, at a random place; the answers in the nouns of the protocol."""
    at = rng.randrange(len(document.text) + 1)
    here = Converter(document, "file:///spec.pde", rng.choice(list(Encoding)))
    [here.diagnostic(d) for d in document.diagnostics]
    found = hover(document, at)
    assert found is None or here.hover(found)
    [here.item(item) for item in complete(document, at)]
    [here.location(span) for span in references(document, at)]
    assert (definition(document, at) is None) == (not references(document, at))
    renamable(document, at)
    [here.symbol(symbol) for symbol in symbols(document)]
    [here.fold(span) for span in folds(document)]
    [here.hint(hint) for hint in hints(document)]
    assert min(here.tokens(colours(document)).data, default=0) >= 0
    formatted(document)
    unicode_at(document.text, at)
    [here.action(action, []) for action in actions(document, Span(at, at))]


def said(text: str) -> str:
    """What `pdedsl check` reports."""
    source = Source(text.removeprefix("\ufeff"))
    try:
        return report(source, check(source).diagnostics)
    except PdeError as error:
        return report(source, error.diagnostics)


def compared(documents: dict[str, Document]) -> None:
    """The diagnostics of texts are those of the command line for files with these texts."""
    with tempfile.TemporaryDirectory() as folder:
        for name, document in documents.items():
            Path(folder, name).write_bytes(document.text.encode())
        command = [sys.executable, "-m", "pdedsl", "check", "--json", *documents]
        rows = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8").stdout.splitlines()
    for (name, document), row in zip(documents.items(), rows, strict=True):
        own = json.loads(json.dumps([d.as_json(document.source) for d in document.diagnostics]))
        assert own == json.loads(row)["diagnostics"], f"{name}: {document.text}"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    configure_server()  # as `pdedsl lsp` does
    rng, times, right, some = random.Random(options.seed), [], 0, dict[str, Document]()
    for i, text in enumerate(texts(options.edits, options.seed)):
        try:
            start = time.process_time()
            document = analysed(text, f"{i}.pde")
            times.append(time.process_time() - start)
            asked(document, rng)
            if i % 10 == 0:
                some[f"{i}.pde"] = document
            if len(some) == BATCH or i == options.edits - 1:
                compared(some)
                some = {}
                print(f"{i + 1} edits", flush=True)
        except Exception:
            print(f"edit {i}:\n{text}\n{traceback.format_exc()}")
            sys.exit(1)
        right += not any(d.is_error for d in document.diagnostics)
    spread = statistics.quantiles(times, n=100)
    print(f"{options.edits} edits without an exception, {right} of them right texts; diagnostics took a median of")
    print(
        f"{1000 * spread[49]:.0f} ms, 95 % of them at most {1000 * spread[94]:.0f} ms, all {1000 * max(times):.0f} ms"
    )


if __name__ == "__main__":
    main()
