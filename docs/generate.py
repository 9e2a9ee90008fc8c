"""Pages generated from the code: built-ins, diagnostics, properties, gallery, Python interface.

generated/          pages, rewritten before each build
generated/api/      API reference: one page per module, and one per method of methods.toml
generated/parts/    parts of pages
generated/extra/    files copied beside the pages: llms.txt
"""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from sympy import Max, Min

import pdedsl
from pdedsl import errors
from pdedsl.config.base import Form
from pdedsl.config.blocks import ENTRIES, default_text
from pdedsl.config.data import DATA, MEASUREMENT_FILES
from pdedsl.config.distributions import DISTRIBUTIONS, RANDOM_FUNCTIONS
from pdedsl.config.evaluation import ATTACKS, CERTIFICATES, CORRUPTIONS, PROTOCOLS
from pdedsl.config.methods import DIFFUSIONS, INTEGRATORS, SOLVERS
from pdedsl.config.networks import FRAMES, NETWORKS, NORMALIZATIONS
from pdedsl.config.parameter_docs import meaning_of
from pdedsl.config.training import (
    ADVERSARIES,
    AUGMENTATIONS,
    LOSSES,
    OPTIMIZERS,
    REGULARIZERS,
    SCHEDULES,
    SELECTIONS,
    WEIGHT_AVERAGES,
    WEIGHT_PERTURBATIONS,
)
from pdedsl.diagnostics import escaping
from pdedsl.editor.documentation import call_text, default_of, entry_range, range_text
from pdedsl.explainer.classification import class_text
from pdedsl.explainer.explain import Explanation
from pdedsl.ir.spec import SpaceKind
from pdedsl.numerics import butcher
from pdedsl.sources import shipped_specs
from pdedsl.symbolic.symbols import Integral, Partial, atoms

HERE = Path(__file__).parent
ROOT, OUT = HERE.parent, HERE / "generated"
BAD = ROOT / "tests" / "bad"
FAMILIES = {
    "Networks of learned fields and operators": NETWORKS,
    "Normalizations": NORMALIZATIONS,
    "Time integrators": INTEGRATORS,
    "Realizations of diffusion": DIFFUSIONS,
    "Solvers on physical domains": SOLVERS,
    "Architectures for equations on feature maps": FRAMES,
    "Data sets": DATA,
    "Measurements": MEASUREMENT_FILES,
    "Distributions of parameters": DISTRIBUTIONS,
    "Random functions": RANDOM_FUNCTIONS,
    "Optimizers": OPTIMIZERS,
    "Learning-rate schedules": SCHEDULES,
    "Averages of the weights": WEIGHT_AVERAGES,
    "Perturbations of the weights": WEIGHT_PERTURBATIONS,
    "Selection of the weights": SELECTIONS,
    "Data augmentations": AUGMENTATIONS,
    "Losses": LOSSES,
    "Regularizers": REGULARIZERS,
    "Attacks for adversarial training": ADVERSARIES,
    "Attacks": ATTACKS,
    "Corruptions": CORRUPTIONS,
    "Certificates": CERTIFICATES,
    "Evaluation protocols": PROTOCOLS,
}
METHOD_FAMILIES: dict[str, tuple[str, Mapping[str, Form[Any]]]] = {
    "attacks": ("Attacks", ATTACKS),
    "certificates": ("Certificates", CERTIFICATES),
    "solvers": ("Solvers", SOLVERS),
    "integrators": ("Time integrators", INTEGRATORS),
    "networks": ("Networks", NETWORKS),
}
RUNGE_KUTTA_CODE: dict[type, str] = {
    butcher.RungeKutta: "pdedsl.runtime.ExplicitRungeKutta",
    butcher.ImplicitRungeKutta: "pdedsl.runtime.ImplicitIntegrator",
    butcher.ImexRungeKutta: "pdedsl.runtime.ImexIntegrator",
    butcher.EmbeddedRungeKutta: "pdedsl.runtime.AdaptiveRungeKutta",
}
MODULES = (
    "pdedsl",
    "pdedsl.attacks",
    "pdedsl.certificates",
    "pdedsl.runtime",
    "pdedsl.testing",
    "pdedsl.testing.axioms",
    "pdedsl.testing.equation",
    "pdedsl.testing.model",
)
FOREIGN = "Module, Enum, StrEnum, Exception, PdeError, Record, tuple, object"  # their members are not documented here
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
    for folder in ("drawings", "extra", "parts", *(f"api/{family}" for family in METHOD_FAMILIES)):
        (OUT / folder).mkdir(parents=True)
    for name, text in pages().items():
        (OUT / name).write_text(text, "utf-8")
    for name in shipped_specs():
        (OUT / "drawings" / f"{name}.svg").write_text(_explained(name).svg(), "utf-8")
    (OUT / "extra" / "llms.txt").write_text(llms(), "utf-8")
    (OUT / "extra" / "llms-full.txt").write_text(llms_full(), "utf-8")


def pages() -> dict[str, str]:
    return {
        "built_ins.md": built_ins(),
        "diagnostics.md": diagnostics(),
        "parts/theorems.md": theorems(),
        "gallery.md": gallery(),
        **api_pages(),
        "parts/benchmarks.md": benchmarks(),
    }


# ---- Built-ins


def built_ins() -> str:
    parts = [
        "# Keywords\n\nAll networks, methods, data sets and options, with name, meaning, default and range of every "
        "parameter. [The language reference](../reference.md) shows where each is written."
    ]
    for title, forms in FAMILIES.items():
        parts.append(f"## {title}")
        for form in forms.values():
            signature, doc = escaping.fence_code(form.signature_text(), "pde"), inspect.cleandoc(form.of.__doc__ or "")
            parts += [f"### {form.name}", signature, doc, parameter_table(form)]
    parts.append("## Entries of blocks")
    for block, entries in ENTRIES.items():
        rows = [(key, meaning_of(block, key), default_text(block, key), entry_range(block, key)) for key in entries]
        parts += [f"### {block}", _table("entry", rows)]
    return "\n\n".join(filter(None, parts)) + "\n"


def parameter_table(form: Form[Any]) -> str:
    """Name, meaning, default and range of every parameter; empty without parameters."""
    rows = [
        (key, meaning_of(form.name, key), "required" if p.required else default_of(p), range_text(p))
        for key, p in form.params.items()
    ]
    return _table("parameter", rows) if rows else ""


def _table(head: str, rows: list[tuple[str, str, str, str]]) -> str:
    lines = [f"| {head} | meaning | default | range |", "| --- | --- | --- | --- |"]
    for key, meaning, default, allowed in rows:
        shown = default if default in ("", "required") else f"`{default}`"
        lines.append(f"| `{key}` | {meaning} | {shown} | {allowed} |".replace("‖", "&#8214;"))
    return "\n".join(lines)


# ---- diagnostics


def diagnostics() -> str:
    head = (
        "# Diagnostics\n\nEvery code with an invalid spec and the output of `pdedsl check`; after `help:` the "
        "suggested fix. Codes are stable."
    )
    return "\n\n".join([head, *map(_diagnostic, errors.codes())]) + "\n"


def _diagnostic(code: errors.Code) -> str:
    title = escaping.markdown(code.description.split(": ")[0])
    about = f"({code.name.lower()})=\n## {code.name}: {title}\n\n{_sentence(code.description)}"
    found = examples(code.name)
    if not found:
        return about
    expected = found[0]
    spec = next((s for suffix in (".pde", ".txt") if (s := expected.with_suffix(suffix)).is_file()), None)
    text = spec.read_bytes().decode("utf-8", "replace") if spec else ""
    shown = [escaping.fence_code(text, "pde")] if text and len(text) < 1200 else []
    return "\n\n".join([about, *shown, escaping.fence_code(_short(expected.read_text("utf-8")), "text")])


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


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
        parts += [escaping.fence_code(block, "text") if "   " in block else block for block in doc.split("\n\n")]
    return "\n\n".join(parts) + "\n"


# ---- the gallery


def gallery() -> str:
    """The shipped specs by class, with pictures; networks apart."""
    parts = [
        "# Gallery\n\nThe shipped specs. Commands accept their names: `pdedsl explain heat`. The pictures of solutions "
        "are made by `examples/gallery.py`."
    ]
    grouped: dict[str, list[str]] = {title: [] for title in CLASSES}
    for name in shipped_specs():
        grouped[_class_of(name)].append(name)
    for title, names in grouped.items():
        parts += [f"## {title}", *map(_shipped, names)] if names else []
    return "\n\n".join(parts) + "\n"


CLASSES = (
    "Elliptic equations",
    "Parabolic equations",
    "Hyperbolic equations",
    "Other equations",
    "Systems",
    "Eigenproblems",
    "Integral and delay equations",
    "Obstacle problems",
    "Families of problems",
    "Inverse problems",
    "Networks",
)


def _class_of(name: str) -> str:
    """Obstacle problems contain a minimum or maximum of operators; networks have learned fields without measurements;
    systems more than one equation."""
    analysis = _explained(name).analysis
    spec, equations = analysis.spec, [e for facts in analysis.equations for e in facts.equation.rhs]
    if spec.observations:
        return "Inverse problems"
    if spec.family:
        return "Families of problems"
    if spec.eigenvalue is not None:
        return "Eigenproblems"
    if spec.histories or any(atoms(e, Integral) for e in equations):
        return "Integral and delay equations"
    if spec.space.kind is SpaceKind.PHYSICAL and any(e.has(Min, Max) and atoms(e, Partial) for e in equations):
        return "Obstacle problems"
    if analysis.spec.learned or analysis.spec.space.kind is not SpaceKind.PHYSICAL:
        return "Networks"
    if len(analysis.equations) > 1:
        return "Systems"
    text = class_text(analysis.equations[0], analysis)
    named = (title for title in CLASSES if title.split()[0].lower() in text)
    return next(named, "Other equations")


@cache
def _explained(name: str) -> Explanation:
    return pdedsl.explain(name)


def _shipped(name: str) -> str:
    explanation = _explained(name)
    spec = explanation.analysis.spec
    kinds = dict.fromkeys(class_text(facts, explanation.analysis) for facts in explanation.analysis.equations)
    summary = f"{escaping.markdown(spec.title)}. {'; '.join(kinds)}."
    drawing = f"![Derivation of {name}](drawings/{name}.svg)"
    picture = ROOT / "examples" / "gallery" / f"{name}.png"
    shown = [f"![Solution of {name}](../../examples/gallery/{name}.png)"] if picture.is_file() else []
    return "\n\n".join([f"### {name}", summary, *shown, escaping.fence_code(spec.source.text, "pde"), drawing])


# ---- Python


def api_pages() -> dict[str, str]:
    """One page per module, and per attack, certificate, solver, integrator and network, from docstrings by autodoc."""
    pages: dict[str, str] = {}
    documented: dict[int, str] = {}
    for family, (title, forms) in METHOD_FAMILIES.items():
        described = methods()[family]
        for name, method in described.items():
            page = f"api/{family}/{name}"
            pages[f"{page}.md"] = _method_page(name, method, forms.get(name), documented)
            documented |= {_object(path): page for path in method["code"]}
        listed = "\n".join(f"{family}/{name}" for name in described)
        pages[f"api/{family}.md"] = f"# {title}\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    for module in MODULES:
        pages[f"api/{module}.md"] = _module_page(importlib.import_module(module), documented)
    return pages


@cache
def methods() -> dict[str, dict[str, dict[str, Any]]]:
    """methods.toml; Runge-Kutta methods have the formula, the source and the code of their records."""
    families = tomllib.loads((HERE / "methods.toml").read_text("utf-8"))
    for name, record in butcher.METHODS.items():
        code = RUNGE_KUTTA_CODE.get(type(record))
        if code is not None and "formula" not in (page := families["integrators"].setdefault(name, {})):
            page |= {"formula": tableau(record), "code": [code], "sources": page.get("sources") or [record.source]}
    return families


def tableau(method: Any) -> str:
    """The Butcher tableau in LaTeX; the last line of an embedded pair has the weights of its error estimate."""
    match method:
        case butcher.EmbeddedRungeKutta():
            nodes, rows, last = (0.0, *method.nodes), ((), *method.rows), [method.rows[-1], method.error]
        case butcher.ImplicitRungeKutta():
            nodes, rows, last = method.nodes, method.matrix, [method.weights]
        case _:
            nodes, rows, last = method.nodes, ((), *method.rows), [method.weights]
    lines = [" & ".join(map(_entry, (c, *row))) for c, row in zip(nodes, rows, strict=True)]
    lower = [" & " + " & ".join(map(_entry, row)) for row in last]
    columns, end = "c" * max(map(len, last)), " \\\\ "
    return f"\\begin{{array}}{{c|{columns}}}\n{end.join(lines)} \\\\ \\hline\n{end.join(lower)}\n\\end{{array}}"


def _entry(x: float) -> str:
    """A coefficient as a fraction, or with four digits if it is irrational."""
    exact = Fraction(x).limit_denominator(10**6)
    if abs(exact - Fraction(x)) > 1e-15:
        return f"{x:.4f}"
    sign, top = "-" * (exact < 0), abs(exact.numerator)
    return f"{sign}{top}" if exact.denominator == 1 else f"{sign}\\tfrac{{{top}}}{{{exact.denominator}}}"


def _method_page(name: str, method: dict[str, Any], form: Form[Any] | None, documented: Mapping[int, str]) -> str:
    parts = [f"# {name}", f"```{{math}}\n{method['formula'].strip()}\n```"]
    parts.append("Source:\n\n" + "\n".join(f"- {source}" for source in method["sources"]))
    parts.append("## In Python")
    parts += [f"See {_link(p, documented)}." if _object(p) in documented else _autodoc(p) for p in method["code"]]
    if form is not None:
        configured = f"{form.of.__module__}.{form.of.__qualname__}"
        parts += ["## In a spec", call_text(form), _eval_rst(f".. autoclass:: {configured}\n   :no-index:")]
    return "\n\n".join(parts) + "\n"


def _link(path: str, documented: Mapping[int, str]) -> str:
    return f"[{path}](/generated/{documented[_object(path)]}.md)"


def _object(path: str) -> int:
    """The identity of a documented object."""
    return id(_resolve(path))


def _resolve(path: str) -> object:
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except AttributeError:
        return importlib.import_module(path)


def _autodoc(path: str) -> str:
    value = _resolve(path)
    if isinstance(value, ModuleType):
        return _eval_rst(f".. automodule:: {path}\n   :members:")
    if inspect.isclass(value):
        return _eval_rst(
            f".. autoclass:: {path}\n   :members:\n   :inherited-members: {FOREIGN}\n   :show-inheritance:"
        )
    return _eval_rst(f".. autofunction:: {path}")


def _eval_rst(text: str) -> str:
    return f"```{{eval-rst}}\n{text}\n```"


def _module_page(module: ModuleType, documented: Mapping[int, str]) -> str:
    """Objects with a page are linked, the others documented here."""
    links, texts = [], []
    for path in (f"{module.__name__}.{name}" for name in module.__all__):
        if isinstance(_resolve(path), ModuleType):
            links.append(f"[{path}]({path}.md)")
        elif _object(path) in documented:
            links.append(_link(path, documented))
        else:
            texts.append(_autodoc(path))
    more = ["On their own pages: " + ", ".join(links) + "."] if links else []
    return "\n\n".join([f"# {module.__name__}", _eval_rst(f".. automodule:: {module.__name__}"), *more, *texts]) + "\n"


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
    head = ["# pdedsl", "", f"> {inspect.getdoc(pdedsl).splitlines()[0]}", ""]  # type: ignore[union-attr]
    rows = ["The text of all pages: [llms-full.txt](llms-full.txt).", "", "## Pages", ""]
    for path, text in written_pages().items():
        title, _, rest = text.partition("\n")
        first = next((p for p in rest.split("\n\n") if re.match(r"[\w`]", p.strip())), "")
        rows.append(f"- [{title.lstrip('# ')}]({path.with_suffix('.html')}): {' '.join(first.split())}")
    return "\n".join([*head, *rows]) + "\n"


def llms_full() -> str:
    """The text of the pages and of the keywords, and the shipped specs."""
    specs = [
        f"# {name}.pde\n\n{escaping.fence_code(path.read_text('utf-8'), 'pde')}"
        for name, path in shipped_specs().items()
    ]
    return "\n\n".join([*written_pages().values(), built_ins(), *specs]) + "\n"


def written_pages() -> dict[Path, str]:
    """The pages in docs/ by their path, without front matter; an included file is the page."""
    found = {}
    for path in sorted([*HERE.glob("*.md"), *HERE.glob("*/*.md")]):
        if {"build", "generated", "jupyter_execute"} & set(path.relative_to(HERE).parts):
            continue
        text = re.sub(r"\A---\n.*?\n---\n+", "", path.read_text("utf-8"), flags=re.DOTALL)
        if whole := re.match(r"```{include} (\S+)", text):
            text = (path.parent / whole[1]).read_text("utf-8")
        found[path.relative_to(HERE)] = text.strip()
    return found
