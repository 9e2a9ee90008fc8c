"""Files of a compiled package: model, harness, tests, spec and README; optionally without dependence on pdedsl."""

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

# ---- Packages


TRAIN_HARNESS = '''"""Train and evaluate the network in `model.py` with the settings in `spec.pde`.

    python harness.py train [run]
    python harness.py evaluate [run]

From Python: `train("run")` and `evaluate("run")`. To use your own data, save arrays x_train, y_train,
x_test and y_test with numpy.savez and pass set=['train.data=npz("mine.npz")'].
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pdedsl

if __package__:
    from .model import model
else:  # run as a file
    from model import model

SPEC = Path(__file__).with_name("spec.pde")


def train(run: str | Path = "run", **options: Any) -> pdedsl.Run:
    """Train in a new run folder; options as for `pdedsl.train`."""
    return pdedsl.train(SPEC, run, network=model, **options)


def evaluate(run: str | Path = "run", **options: Any) -> pdedsl.Report:
    """Attack, certify and audit; options as for `pdedsl.evaluate_run`."""
    return pdedsl.evaluate_run(run, network=model, **options)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["train", *run] if len(run) <= 1:
            train(*run)
        case ["evaluate", *run] if len(run) <= 1:
            print(evaluate(*run))
        case _:
            sys.exit(__doc__)
'''
OPERATOR_HARNESS = '''"""Evaluate the solution operator of {name}, which has no trained weights."""

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
SOLVE_HARNESS = '''"""Solve {name} with the method in `spec.pde`: `python harness.py run`.

From Python: `solution = solve()`, then `solution(points)` at points of shape (n, {dimension}).
"""

from __future__ import annotations

import sys
from pathlib import Path

import pdedsl

SPEC = Path(__file__).with_name("spec.pde")


def solve(run: str | Path | None = None) -> pdedsl.Solution:
    """The solution with its error estimate; a report and plots are written to the folder `run`."""
    return pdedsl.solve(SPEC, run)


if __name__ == "__main__":
    print(solve(sys.argv[1] if len(sys.argv) > 1 else None).error)
'''
TEST_FILE = '''"""Tests of `model.py` against the equation and the axioms of {name}; run with pytest."""

from __future__ import annotations

from pathlib import Path

from pdedsl.testing import axioms, equation
from pdedsl.testing.model import package

FOLDER = Path(__file__).parent


def test_axioms() -> None:
    """Search for counterexamples to the axioms of the spec."""
    axioms.assert_hold(package(FOLDER), examples=50)


def test_equation() -> None:
    """Compare drift, noise and time steps with the equation of the spec."""
    equation.assert_holds(package(FOLDER))
'''
README = """# {name}

{title}

| file | contents |
| --- | --- |
| `model.py` | `model(seed)`, a `torch.nn.Module`; the folder is a Python package: `from … import model` |
| `harness.py` | {harness} |
| `test_axioms.py` | tests of `model.py` against the axioms and the equation: `pytest test_axioms.py` |
| `spec.pde` | the spec, hash `{hash}` |

{explanation}"""


def package_files(explanation: Explanation, plan: Model, python: str) -> dict[str, str]:
    """The text of each file by its path; `python` is the code of the model."""
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
    """The text of the harness, and its usage."""
    match plan:
        case SolvePlan(problem=problem):
            size = len(problem.domain.coordinates)
            return SOLVE_HARNESS.format(name=spec.name, dimension=size), "solves the problem: `python harness.py run`"
        case DataPlan(classes=None):
            return OPERATOR_HARNESS.format(
                name=spec.name, dimension=spec.space.dimension
            ), "evaluates the solution: `evaluate(points)`"
        case DataPlan() | ImagePlan():
            imported = any(w.net is not None and isinstance(w.net.config, Torch) for w in spec.learned)
            harness = TRAIN_HARNESS.replace("network=model", "network=model, trust=True") if imported else TRAIN_HARNESS
            return harness, "trains and evaluates the network: `python harness.py train`, `python harness.py evaluate`"
        case _:
            assert_never(plan)


def write_package(folder: Path, files: dict[str, str], force: bool) -> None:
    """Writes all files or none; existing files are overwritten only with `force`."""
    existing = [name for name in files if (folder / name).exists()]
    if existing and not force:
        raise FileExistsError(f"{folder} already contains {', '.join(existing)}")
    blocked = [name for name in files if (folder / name).is_dir()]
    if blocked or folder.is_file():
        raise FileExistsError(
            f"{folder / blocked[0] if blocked else folder} is not writable: a folder or file of this name exists"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, text in files.items():
            (temporary / name).parent.mkdir(parents=True, exist_ok=True)
            (temporary / name).write_text(text, "utf-8")
        if not folder.exists():
            os.chmod(temporary, 0o755)
            temporary.rename(folder)
            return
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(temporary / name, folder / name)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


# ---- Standalone packages: the model with a copy of the pdedsl modules that it imports


ROOT = Path(__file__).parents[1]
PARTS = "parts"  # folder of the copied modules
_IMPORT = re.compile(r"^(\s*)from pdedsl(?:\.([\w.]+))? import", re.MULTILINE)
README_STANDALONE = """# {name}

{title}

Usage: `from {package} import model`, with the parent folder on the Python path; `model(seed)` is the network.
Dependencies: {needs}. pdedsl is not required: `{parts}/` contains the modules of pdedsl that the model imports.
`spec.pde` is the spec, hash `{hash}`.
"""


def standalone_files(spec: Spec, python: str, package: str) -> dict[str, str]:
    """The files of a package that does not import pdedsl."""
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
    """Every module of pdedsl that some code imports, directly or indirectly, by path."""
    modules: dict[str, str] = {}
    queue = [python]
    while queue:
        for file in map(_module_path, _pdedsl_imports(queue.pop())):
            if file.is_file() and (path := str(file.relative_to(ROOT))) not in modules:
                modules[path] = file.read_text("utf-8")
                queue.append(modules[path])
    return modules


def _pdedsl_imports(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("pdedsl."):
            yield from (str(node.module), *(f"{node.module}.{name.name}" for name in node.names))


def _module_path(module: str) -> Path:
    """The path of a module or of the `__init__.py` of a package below pdedsl; it does not exist for other names."""
    path = ROOT.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path != ROOT and path.is_dir() else path.with_suffix(".py")


def _with_relative_imports(text: str, depth: int, folder: str = "") -> str:
    """Code with the imports of pdedsl made relative, for a file `depth` levels below `folder`."""

    def relative(match: re.Match[str]) -> str:
        return f"{match[1]}from {'.' * (depth + 1)}{'.'.join(filter(None, (folder, match[2])))} import"

    return _IMPORT.sub(relative, text)


def _third_party_imports(text: str) -> set[str]:
    """The third-party packages that some code imports."""
    packages: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                packages |= {name.name.split(".")[0] for name in names}
            case ast.ImportFrom(module=str(module), level=0):
                packages.add(module.split(".")[0])
    return packages - sys.stdlib_module_names - {"pdedsl"}
