"""Pages generated from the code: built-ins, diagnostics, properties, gallery, Python interface.

generated/          pages, rewritten before each build
generated/parts/    parts of pages
generated/extra/    files copied beside the pages: llms.txt
"""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pdedsl
from pdedsl import errors
from pdedsl.config.blocks import ENTRIES
from pdedsl.config.data import DATA, MEASURED
from pdedsl.config.evaluation import ATTACKS, CERTIFICATES
from pdedsl.config.methods import DIFFUSIONS, INTEGRATORS, SOLVERS
from pdedsl.config.networks import FRAMES, NETWORKS, NORMALISATIONS
from pdedsl.config.training import ADVERSARIES, AUGMENTATIONS, LOSSES, OPTIMIZERS, REGULARIZERS, SCHEDULES
from pdedsl.diagnostics import escaping
from pdedsl.editor.documentation import call_text, entry_text
from pdedsl.explainer.classification import class_text
from pdedsl.explainer.explain import Explanation
from pdedsl.sources import shipped_specs

HERE = Path(__file__).parent
ROOT, OUT = HERE.parent, HERE / "generated"
BAD = ROOT / "tests" / "bad"
FAMILIES = {
    "Networks of learned fields and operators": NETWORKS,
    "Normalisations": NORMALISATIONS,
    "Time integrators": INTEGRATORS,
    "Realizations of diffusion": DIFFUSIONS,
    "Solvers on physical domains": SOLVERS,
    "Architectures for equations on feature maps": FRAMES,
    "Data sets": DATA,
    "Measurements": MEASURED,
    "Optimizers": OPTIMIZERS,
    "Learning-rate schedules": SCHEDULES,
    "Data augmentations": AUGMENTATIONS,
    "Losses": LOSSES,
    "Regularizers": REGULARIZERS,
    "Attacks for adversarial training": ADVERSARIES,
    "Attacks": ATTACKS,
    "Certificates": CERTIFICATES,
}
PROVERS = (
    "axioms.linearity",
    "axioms.preserves_constants",
    "axioms.comparison",
    "axioms.maximum_principle",
    "axioms.markov",
    "axioms.regularity",
    "axioms.conservation",
    "feature_maps.axioms",
    "feature_maps.contractivity",
)


def generate() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    for folder in ("drawings", "extra", "parts"):
        (OUT / folder).mkdir(parents=True)
    for name, text in pages().items():
        (OUT / name).write_text(text, "utf-8")
    for name in shipped_specs():
        (OUT / "drawings" / f"{name}.svg").write_text(_explained(name).svg(), "utf-8")
    (OUT / "extra" / "llms.txt").write_text(llms(), "utf-8")


def pages() -> dict[str, str]:
    return {
        "built_ins.md": built_ins(),
        "diagnostics.md": diagnostics(),
        "parts/theorems.md": theorems(),
        "gallery.md": gallery(),
        "parts/python.md": python(),
        "parts/benchmarks.md": benchmarks(),
    }


# ---- Built-ins


def built_ins() -> str:
    parts = ["# Built-ins\n\nAll networks, methods, data sets and options, with parameters, ranges and defaults."]
    for title, forms in FAMILIES.items():
        parts.append(f"## {title}")
        parts += [f"### {form.name}\n\n{call_text(form)}" for form in forms.values()]
    parts.append("## Entries of blocks")
    for block, entries in ENTRIES.items():
        parts.append(f"### {block}\n\n" + "\n".join(f"- {entry_text(block, key)}" for key in entries))
    return "\n\n".join(parts) + "\n"


# ---- diagnostics


def diagnostics() -> str:
    head = (
        "# Diagnostics\n\nEvery code with an invalid spec and the output of `pdedsl check`; after `help:` the "
        "suggested fix. Codes are stable."
    )
    return "\n\n".join([head, *map(_diagnostic, errors.codes())]) + "\n"


def _diagnostic(code: errors.Code) -> str:
    about = f"## {code.name}\n\n{code.description[0].upper()}{code.description[1:]}."
    found = examples(code.name)
    if not found:
        return about
    expected = found[0]
    spec = next((s for suffix in (".pde", ".txt") if (s := expected.with_suffix(suffix)).is_file()), None)
    text = spec.read_bytes().decode("utf-8", "replace") if spec else ""
    shown = [escaping.fenced(text, "pde")] if text and len(text) < 1200 else []
    return "\n\n".join([about, *shown, escaping.fenced(_short(expected.read_text("utf-8")), "text")])


def examples(code: str) -> list[Path]:
    """Expected diagnostics of invalid specs, files and runs; short ones with a single code first."""
    found = [p for p in sorted(BAD.rglob("*.expected")) if p.name.startswith(code.lower())]
    return sorted(found, key=lambda p: (p.read_text("utf-8").count("[E"), p.stat().st_size))


def _short(text: str) -> str:
    return "\n".join(line if len(line) < 160 else f"{line[:160]}…" for line in text.splitlines()[:24])


# ---- axioms


def theorems() -> str:
    """The docstrings of the provers."""
    parts = []
    for name in PROVERS:
        doc = inspect.cleandoc(importlib.import_module(f"pdedsl.analysis.{name}").__doc__ or "")
        parts += [escaping.fenced(block, "text") if "   " in block else block for block in doc.split("\n\n")]
    return "\n\n".join(parts) + "\n"


# ---- the gallery


def gallery() -> str:
    head = "# Gallery\n\nThe shipped specs. Commands accept their names: `pdedsl explain heat`."
    return "\n\n".join([head, *map(_shipped, shipped_specs())]) + "\n"


@cache
def _explained(name: str) -> Explanation:
    return pdedsl.explain(name)


def _shipped(name: str) -> str:
    explanation = _explained(name)
    spec = explanation.analysis.spec
    kinds = dict.fromkeys(class_text(facts, explanation.analysis) for facts in explanation.analysis.equations)
    summary = f"{escaping.markdown(spec.title)}. {'; '.join(kinds)}."
    drawing = f"![Derivation of {name}](drawings/{name}.svg)"
    return "\n\n".join([f"## {name}", summary, escaping.fenced(spec.source.text, "pde"), drawing])


# ---- Python


def python() -> str:
    parts = []
    for name in pdedsl.__all__:
        value = getattr(pdedsl, name)
        doc = inspect.cleandoc(value.__doc__ or "")
        called = _signature(value) if inspect.isfunction(value) else ""
        parts.append(f"## pdedsl.{name}\n\n{escaping.fenced(f'{name}{called}', 'python')}\n\n{doc}")
        parts += list(_functions(value)) if inspect.isclass(value) or inspect.ismodule(value) else []
    return "\n\n".join(parts) + "\n"


def _signature(function: object) -> str:
    return str(inspect.signature(function)).replace("'", "")  # type: ignore[arg-type]


def _functions(value: type | ModuleType) -> Iterator[str]:
    """The methods of a class, or the functions of a module."""
    for name, member in inspect.getmembers(value, inspect.isfunction):
        if not name.startswith("_") and member.__doc__ and member.__module__.startswith("pdedsl"):
            called = escaping.fenced(f"{name}{_signature(member)}", "python")
            yield f"{called}\n\n{inspect.cleandoc(member.__doc__)}"


# ---- benchmarks


def benchmarks() -> str:
    """The recorded results of each script; for the others, their docstrings."""
    paths = sorted((ROOT / "benchmarks").glob("*.py"))
    recorded = [path for path in paths if path.with_suffix(".md").is_file()]
    parts = [re.sub(r"^#", "##", p.with_suffix(".md").read_text("utf-8"), flags=re.MULTILINE) for p in recorded]
    for path in (p for p in paths if p not in recorded):
        doc = inspect.cleandoc(re.match(r'"""(.*?)"""', path.read_text("utf-8"), re.DOTALL)[1])  # type: ignore[index]
        parts.append(f"## `benchmarks/{path.name}`\n\n{doc}")
    return "\n\n".join(parts) + "\n"


# ---- llms.txt


def llms() -> str:
    """An index of the pages for language models: https://llmstxt.org."""
    rows = ["# pdedsl", "", f"> {inspect.getdoc(pdedsl).splitlines()[0]}", ""]  # type: ignore[union-attr]
    for path in sorted([*HERE.glob("*.md"), *HERE.glob("*/*.md")]):
        place = path.relative_to(HERE)
        text = path.read_text("utf-8")
        if whole := re.match(r"```{include} (\S+)", text):
            text = (path.parent / whole[1]).read_text("utf-8")
        title, _, rest = text.partition("\n")
        first = next((p for p in rest.split("\n\n") if re.match(r"[\w`]", p.strip())), "")
        rows.append(f"- [{title.lstrip('# ')}]({place.with_suffix('.html')}): {' '.join(first.split())}")
    return "\n".join(rows) + "\n"
