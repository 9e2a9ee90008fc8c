"""Compilation → the files of a package, as a person would have written them."""

from __future__ import annotations

import ast
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import assert_never

from pdedsl.config.networks import Torch
from pdedsl.diagnostics import escaping
from pdedsl.explainer.explain import Explanation
from pdedsl.ir.plan import DataPlan, ImagePlan, Model, SolvePlan
from pdedsl.ir.spec import Spec

# ---- package


TRAIN_HARNESS = '''"""Train and evaluate the network of `model.py` as `spec.pde` says.

    python harness.py train [run]
    python harness.py evaluate [run]

From Python, `train("run")` and `evaluate("run")`. Data of your own: save arrays x_train, y_train,
x_test and y_test with numpy.savez, and pass set=['train.data=npz("mine.npz")'].
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pdedsl
from pdedsl.evaluation.summary import summary
from pdedsl.training.progress import view_for

if __package__:
    from .model import model
else:  # run as a file
    from model import model

SPEC = Path(__file__).with_name("spec.pde")


def train(run: str | Path = "run", **options: Any) -> pdedsl.Run:
    """Train in a new folder; the options are those of `pdedsl.train`."""
    return pdedsl.train(SPEC, run, network=model, **options)


def evaluate(run: str | Path = "run", **options: Any) -> pdedsl.Report:
    """Attack, certify and audit; the options are those of `pdedsl.evaluate_run`."""
    return pdedsl.evaluate_run(run, network=model, **options)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["train", *run] if len(run) <= 1:
            with view_for(sys.stdout) as view:
                train(*run, listeners=(view,))
        case ["evaluate", *run] if len(run) <= 1:
            print(summary(evaluate(*run)))
        case _:
            sys.exit(__doc__)
'''
OPERATOR_HARNESS = '''"""Evaluate {name}: there is nothing to train."""

from __future__ import annotations

import torch
from torch import Tensor

if __package__:
    from .model import model
else:  # run as a file
    from model import model


@torch.no_grad()
def evaluate(points: Tensor, seed: int = 0) -> Tensor:
    """u at points of shape (n, {dimension})."""
    return model(seed).to(points).eval()(points)
'''
SOLVE_HARNESS = '''"""Solve {name} as `spec.pde` says: `python harness.py run`.

From Python, `solution = solve()`; `solution(points)` are the values at points of shape (n, {dimension}).
"""

from __future__ import annotations

import sys
from pathlib import Path

import pdedsl

SPEC = Path(__file__).with_name("spec.pde")


def solve(run: str | Path | None = None) -> pdedsl.Solution:
    """The solution, with its error bar; a folder `run` gets a report and pictures."""
    return pdedsl.solve(SPEC, run)


if __name__ == "__main__":
    print(solve(sys.argv[1] if len(sys.argv) > 1 else None).error)
'''
TEST_FILE = '''"""Whether `model.py` beside this file is the network of {name}: run with pytest."""

from __future__ import annotations

from pathlib import Path

from pdedsl.testing import axioms, equation
from pdedsl.testing.model import package

HERE = Path(__file__).parent


def test_axioms() -> None:
    """The axioms of the spec, searched for counterexamples."""
    axioms.assert_hold(package(HERE), examples=50)


def test_equation() -> None:
    """Drift, noise and steps, compared with the equation of the spec."""
    equation.assert_holds(package(HERE))
'''
README = """# {name}

{title}

| file | holds |
| --- | --- |
| `model.py` | the network: `model(seed)`; the folder is a package: `from … import model` |
| `harness.py` | {harness} |
| `test_axioms.py` | whether `model.py`, edited or not, keeps the axioms and the equation: `pytest test_axioms.py` |
| `spec.pde` | the spec it was compiled from, hash `{hash}` |

{explanation}"""


def package_files(explanation: Explanation, plan: Model, python: str) -> dict[str, str]:
    """The text of each file; `python` is that of the model."""
    spec = explanation.analysis.spec
    harness, usage = _harness(plan, spec)
    readme = README.format(
        name=spec.name,
        title=escaping.markdown(spec.title),
        hash=spec.hash,
        harness=usage,
        explanation=explanation.markdown(),
    )
    return {
        "__init__.py": "from .model import model as model\n",
        "model.py": python,
        "harness.py": harness,
        "test_axioms.py": TEST_FILE.format(name=spec.name),
        "spec.pde": spec.source.text,
        "README.md": readme,
    }


def _harness(plan: Model, spec: Spec) -> tuple[str, str]:
    """The harness file, and how it is used."""
    match plan:
        case SolvePlan(problem=statement):
            size = len(statement.domain.coordinates)
            return SOLVE_HARNESS.format(name=spec.name, dimension=size), "`python harness.py run` solves it"
        case DataPlan(classes=None):
            return OPERATOR_HARNESS.format(name=spec.name, dimension=spec.space.dimension), "`evaluate(points)`"
        case DataPlan() | ImagePlan():
            own = any(w.net is not None and isinstance(w.net.word, Torch) for w in spec.learned)
            harness = TRAIN_HARNESS.replace("network=model", "network=model, trust=True") if own else TRAIN_HARNESS
            return harness, "`python harness.py train` and `python harness.py evaluate`"
        case _:
            assert_never(plan)


def write_package(folder: Path, files: dict[str, str], force: bool) -> None:
    """Writes all files or none; existing files are replaced only with `force`."""
    there = [name for name in files if (folder / name).exists()]
    if there and not force:
        raise FileExistsError(f"{folder} already holds {', '.join(there)}")
    blocked = [name for name in files if (folder / name).is_dir()]
    if blocked or folder.is_file():
        raise FileExistsError(f"{folder / blocked[0] if blocked else folder} is in the way")
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, text in files.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).write_text(text, "utf-8")
        if not folder.exists():
            os.chmod(made, 0o755)
            made.rename(folder)
            return
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(made / name, folder / name)
    finally:
        shutil.rmtree(made, ignore_errors=True)


# ---- standalone
# A model with the parts of the runtime that it uses, so that its package does not depend on pdedsl.


ROOT = Path(__file__).parents[1]
PARTS = "parts"  # the folder beside the model
_IMPORT = re.compile(r"^(\s*)from pdedsl(?:\.([\w.]+))? import", re.MULTILINE)
README_STANDALONE = """# {name}

{title}

`from {package} import model`, with the folder above on the path, then `model(seed)` is the network. It needs {needs},
but not pdedsl: `{parts}/` holds the code of pdedsl that it uses. `spec.pde` is its spec, hash `{hash}`.
"""


def standalone_files(spec: Spec, python: str, package: str) -> dict[str, str]:
    """The files of a package that can be copied anywhere."""
    files = {
        f"{PARTS}/{file}": _with_relative_imports(text, file.count("/"))
        for file, text in sorted(_imported_modules(python).items())
    }
    folders = {str(Path(file).parent) for file in files}
    model = _with_relative_imports(python, 0, PARTS)
    needs = sorted(set().union(*(_third_party_imports(text) for text in (python, *files.values()))))
    readme = README_STANDALONE.format(
        name=spec.name,
        title=escaping.markdown(spec.title),
        hash=spec.hash,
        parts=PARTS,
        needs=" and ".join(needs),
        package=package,
    )
    return {
        "__init__.py": "from .model import model as model\n",
        "model.py": model,
        **{f"{folder}/__init__.py": "" for folder in sorted({*folders, PARTS})},
        **files,
        "spec.pde": spec.source.text,
        "README.md": readme,
    }


def _imported_modules(python: str) -> dict[str, str]:
    """Every module of pdedsl that a text imports, directly or indirectly, by path."""
    found: dict[str, str] = {}
    waiting = [python]
    while waiting:
        for file in map(_module_path, _pdedsl_imports(waiting.pop())):
            if file.is_file() and (path := str(file.relative_to(ROOT))) not in found:
                found[path] = file.read_text("utf-8")
                waiting.append(found[path])
    return found


def _pdedsl_imports(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("pdedsl."):
            yield from (str(node.module), *(f"{node.module}.{name.name}" for name in node.names))


def _module_path(module: str) -> Path:
    """The file of a module; for a package or a name in a module it does not exist."""
    return ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py")


def _with_relative_imports(text: str, depth: int, folder: str = "") -> str:
    """The text with imports of pdedsl made relative, for a file `depth` levels below `folder`."""

    def relative(found: re.Match[str]) -> str:
        return f"{found[1]}from {'.' * (depth + 1)}{'.'.join(filter(None, (folder, found[2])))} import"

    return _IMPORT.sub(relative, text)


def _third_party_imports(text: str) -> set[str]:
    """The packages that a text imports, other than pdedsl and the standard library."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                found |= {name.name.split(".")[0] for name in names}
            case ast.ImportFrom(module=str(module), level=0):
                found.add(module.split(".")[0])
    return found - sys.stdlib_module_names - {"pdedsl"}
