"""The pages of docs/: every snippet is run, page by page and in order, and what follows from the code is complete."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner
from grammar_page import Fence, error_codes, fences_of, saved_as
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import pdedsl
from pdedsl import config, errors
from pdedsl.cli import cli
from pdedsl.ir.verdicts import Axiom
from pdedsl.numerics.butcher import EXPLICIT
from pdedsl.sources import shipped_specs

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
NOT_PAGES = {"generated", "build", "jupyter_execute", "results"}  # results are included in pages
PAGES = sorted(p for p in DOCS.rglob("*.md") if not NOT_PAGES & set(p.relative_to(DOCS).parts))
sys.path.append(str(DOCS))


def run(command: str) -> str:
    """The output of a command with exit code 0."""
    name, *arguments = command.split()
    assert name == "pdedsl"
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


TRAINED = {"paper"}  # networks are trained and attacked there
ELSEWHERE = {"commands"}  # its commands belong together: tests/test_commands_page.py


def marks(page: Path) -> list[pytest.MarkDecorator]:
    if "{code-cell}" in page.read_text("utf-8"):
        return [pytest.mark.notebook]
    return [pytest.mark.long] if page.stem in TRAINED else []


@pytest.mark.slow
@pytest.mark.parametrize("page", [pytest.param(p, id=p.stem, marks=marks(p)) for p in PAGES if p.stem not in ELSEWHERE])
def test_snippets(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # as in a notebook, where modules of the folder can be imported
    names: dict[str, object] = {}
    printed = ""
    for fence in fences_of(page.read_text("utf-8").split("\n")):
        if (file := saved_as(fence)) is not None:
            (tmp_path / file).write_text(fence.body, "utf-8")
        printed = shown(fence, names, printed)


def shown(fence: Fence, names: dict[str, object], printed: str) -> str:
    """A snippet is run; a text is the output of the command above it."""
    match fence.tag:
        case "{code-cell}":
            return run_cell(fence.body)
        case "pde":
            assert pdedsl.parse(fence.body).warnings == ()
        case "pde-wrong":
            assert error_codes(fence.body), "nothing is wrong with it"
            assert all(f"`{code}`" in fence.above for code in error_codes(fence.body))
        case "python":
            exec(compile(fence.body, "<page>", "exec"), names)
        case "sh":
            return "".join(map(run, fence.body.strip().splitlines()))
        case "text":
            assert printed == fence.body
        case "console" | "json":  # installation is tested with the README, the configuration of clients with the server
            pass
        case other:
            assert other.startswith("{"), f"nobody runs a snippet in '{other}'"
    return ""


def run_cell(body: str) -> str:
    """Runs a cell of a notebook. It succeeds, or shows an error of a spec if it has the tag `error`."""
    shell = InteractiveShell.instance()
    options = [line for line in body.splitlines() if line.startswith(":tags:")]
    source = body.partition("\n\n")[2] if options else body
    shell.user_ns.pop("_exit_code", None)
    with capture_output() as shown:
        result = shell.run_cell(source)
    result.raise_error()
    assert not shell.user_ns.get("_exit_code"), shown.stdout
    assert ("error[" in shown.stdout or "warning[" in shown.stdout) == any("error" in line for line in options), body
    return str(shown.stdout)


def test_every_page_is_in_a_table_of_contents() -> None:
    index = (DOCS / "index.md").read_text("utf-8")
    for page in PAGES:
        assert page.stem == "index" or str(page.relative_to(DOCS).with_suffix("")) in index


def test_every_axiom_has_a_row() -> None:
    page = (DOCS / "theory" / "axioms.md").read_text("utf-8")
    assert all(f"| `{axiom}` |" in page for axiom in Axiom)


def test_every_code_has_an_example_and_every_word_a_section() -> None:
    import generate

    page = generate.diagnostics()
    for code in errors.codes():
        section = page[page.index(f"\n({code.name.lower()})=\n## {code.name}: ") + 9 :].partition("\n## ")[0]
        assert f"[{code.name}]" in section
    shown_forms = {name for forms in generate.FAMILIES.values() for name in forms}
    assert shown_forms >= every_form()


def test_every_parameter_has_a_meaning_and_every_meaning_a_parameter() -> None:
    import generate

    from pdedsl.config.blocks import ENTRIES, Image, WeightHistogram
    from pdedsl.config.evaluation import GradientMasking
    from pdedsl.config.parameter_docs import MEANINGS, meaning_of

    forms = {form for table in generate.FAMILIES.values() for form in table.values()}
    used = {(form.name, key) for form in forms for key in form.params}
    used |= {(c.keyword, key) for c in (WeightHistogram, GradientMasking, Image) for key in c.signature()}
    used |= {(block, key) for block, entries in ENTRIES.items() for key in entries}
    assert all(meaning_of(*pair) for pair in used)
    assert {f"{keyword}.{key}" for keyword, key in used} | {key for _, key in used} >= MEANINGS.keys()
    page = generate.built_ins()
    assert all(
        page.count(f"| `{key}` | {meaning_of(keyword, key).replace('‖', '&#8214;')} |")
        for keyword, key in used
        if keyword not in ("weight_histogram", "gradient_masking", "image")
    )


def test_every_method_has_a_page_with_formula_source_and_code() -> None:
    import generate

    for family, (_, forms) in generate.METHOD_FAMILIES.items():
        described = generate.methods()[family]
        assert set(forms) <= set(described)
        assert all(method["formula"].strip() and method["sources"] and method["code"] for method in described.values())


def test_every_public_name_is_in_the_api_reference() -> None:
    import generate

    pages = generate.api_pages()
    for module in map(import_module, generate.MODULES):
        page = pages[f"api/{module.__name__}.md"]
        assert all(f"{module.__name__}.{name}" in page for name in module.__all__)
    listed = (DOCS / "python.md").read_text("utf-8")
    top = [name for name in pages if name.count("/") == 1]
    assert all(f"\ngenerated/{name.removesuffix('.md')}\n" in listed for name in top)


def test_pages_for_language_models() -> None:
    import generate

    index, full = generate.llms(), generate.llms_full()
    assert index.startswith("# pdedsl\n\n> ")
    for page in PAGES:
        assert f"({page.relative_to(DOCS).with_suffix('.html')}): " in index
    assert full.count("### pinn") == 1
    assert all(path.read_text("utf-8") in full for path in shipped_specs().values())
    assert "file_format: mystnb" not in full


def test_the_gallery_has_every_spec_in_one_class() -> None:
    import generate

    page = generate.gallery()
    assert all(page.count(f"\n### {name}\n") == 1 for name in shipped_specs())
    sections = dict(part.partition("\n")[::2] for part in page.split("\n## ")[1:])
    assert "### heat\n" in sections["Parabolic equations"]
    assert "### wave\n" in sections["Hyperbolic equations"]
    assert "### poisson\n" in sections["Elliptic equations"]
    assert "### cavity\n" in sections["Systems"]
    assert "### inverse_heat\n" in sections["Inverse problems"]
    assert "### resnet\n" in sections["Networks"]


def test_butcher_tableau() -> None:
    import generate

    rk4 = generate.tableau(EXPLICIT["rk4"])
    assert "\\tfrac{1}{2} & 0 & \\tfrac{1}{2}" in rk4
    assert rk4.splitlines()[2] == " & \\tfrac{1}{6} & \\tfrac{1}{3} & \\tfrac{1}{3} & \\tfrac{1}{6}"


def every_form() -> set[str]:
    """The names of all forms, of every table of `pdedsl.config`."""
    import importlib
    import pkgutil

    found: set[str] = set()
    for info in pkgutil.iter_modules(config.__path__):
        module = importlib.import_module(f"pdedsl.config.{info.name}")
        tables = (v for k, v in vars(module).items() if k.isupper() and hasattr(v, "keys"))
        found |= {key for table in tables for key, form in table.items() if type(form).__name__ == "Form"}
    return found
