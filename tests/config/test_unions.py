"""A case that is added and not handled is a type error wherever cases of its union are told apart.

One copy of the package, in which every union is wider by one case, and one run of mypy over it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Union:
    """Where a union is, where its cases are told apart, and the fields that all of them have."""

    file: str
    places: set[str]
    fields: str = ""
    base: str = ""

    def widened(self, name: str, text: str) -> str:
        options = "frozen=True, kw_only=True" if self.base else "frozen=True"
        made = f'@dataclass({options})\nclass Added{name}{self.base}:\n    """One more."""\n\n    {self.fields}\n\n\n'
        return re.sub(rf"^{name} = ", lambda _: f"{made}{name} = Added{name} | ", text, count=1, flags=re.MULTILINE)


@dataclass(frozen=True)
class Enumeration:
    """The same of an enumeration."""

    file: str
    places: set[str]

    def widened(self, name: str, text: str) -> str:
        head = rf"(class {name}\(\w+\):\n(?:    \"\"\".*?\"\"\"\n\n)?)"
        return re.sub(head, lambda found: f'{found[1]}    ADDED = "added"\n', text, count=1, flags=re.DOTALL)


def word(file: str, places: set[str], fields: str = "") -> Union:
    return Union(f"words/{file}.py", places, fields, "(Word)")


MAPS = "analyse/maps"
WIDENED: dict[str, Union | Enumeration] = {
    # words of the language
    "Integrator": word("integrators", {"emit/integrators.py", "plan/image.py", "words/integrators.py"}),
    "Network": word("networks", {"emit/parts.py", "words/networks.py"}),
    "Diffusion": word("diffusions", {"plan/methods.py", "plan/noise.py", "plan/objective.py", "plan/used.py"}),
    "Optimizer": word("optimizers", {"training/schedule.py"}, "lr: Rate = 1"),
    "Schedule": word("optimizers", {"training/schedule.py"}),
    "Augmentation": word("training", {"data/augment.py"}),
    "Adversary": word(
        "training",
        {"training/losses/adversary.py"},
        "norm: Norm = Norm.INF\n    eps: Positive\n    eot: Count = 1",
    ),
    "Regularizer": word("training", {"training/losses/regularize.py"}, "weight: Nonnegative"),
    "Loss": word("training", {"plan/objective.py"}),
    "Frame": word(
        "frames", {"plan/image.py", "emit/image.py", "explanation/describe.py", "explanation/certificate.py"}
    ),
    "Data": word(
        "data",
        {"data/load.py"},
        "train: Count | None = None\n    test: Count | None = None\n    validation: Share = 0",
    ),
    # nouns behind them
    "Term": Union(
        "ir/terms.py", {"explanation/terms.py", "lower/lower.py"}, 'word: ClassVar[str] = "added"\n    origin: Origin'
    ),
    "MapTerm": Union(
        "ir/terms.py",
        {f"{MAPS}/system.py", f"{MAPS}/dissipation.py", "plan/layers.py", "testing/pixels.py"},
        "origin: Origin",
    ),
    "EquationClass": Enumeration("ir/analysis.py", {"explanation/explain.py"}),
    "Method": Union(
        "numerics/integrators.py",
        {f"{MAPS}/stepping.py", f"{MAPS}/contraction.py", f"{MAPS}/running.py"},
        "name: str",
    ),
    "RandomMap": Union(
        "ir/noise.py",
        {"analyse/shapes.py", "lower/stretches.py", "plan/noise.py", "testing/paths.py"},
        "strength: Expr",
    ),
    "Noise": Union(
        "ir/noise.py",
        {"plan/parts.py", "emit/parts.py", "emit/fields.py", "explanation/describe.py", "testing/legs.py"},
        "span: Span",
    ),
    "Law": Enumeration("words/diffusions.py", {"emit/noise.py", "testing/paths.py"}),
    "Verdict": Union("ir/verdicts.py", {"explanation/explain.py"}, "truth: ClassVar[Truth]\n    reason: str"),
    "Representation": Union("ir/representation.py", {"plan/plan.py", "plan/operator.py"}),
    "Objective": Union("ir/objective.py", {"explanation/describe.py", "training/objectives.py"}),
    "Layer": Union("ir/layers.py", {"emit/image.py"}),
    "Constraint": Union("ir/layers.py", {"emit/image.py"}),
}
# Unions are ours: what libraries say of their types is not read.
UNREAD = """
[[tool.mypy.overrides]]
module = ["torch.*", "torchvision.*", "sympy.*", "numpy.*", "matplotlib.*", "click.*", "rich.*", "lark.*"]
follow_imports = "skip"
follow_imports_for_stubs = true
"""
UNHANDLED = re.compile(r"^pdedsl/(\S+):\d+: error: .*\"assert_never\"(.*)", re.MULTILINE)
ADDED = re.compile(r"\bAdded(\w+)|\b(\w+)\.ADDED")


@pytest.mark.long
def test_mypy_names_every_place_that_does_not_know_an_added_case(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "pdedsl", tmp_path / "pdedsl", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text("utf-8") + UNREAD, "utf-8")
    for name, union in WIDENED.items():
        path = tmp_path / "pdedsl" / union.file
        before = path.read_text("utf-8")
        after = union.widened(name, before)
        assert after != before, name
        path.write_text(after, "utf-8")
    ran = subprocess.run([sys.executable, "-m", "mypy"], cwd=tmp_path, capture_output=True, text=True)
    found = {(name, file) for file, types in UNHANDLED.findall(ran.stdout) for name in sum(ADDED.findall(types), ())}
    missed = {(name, file) for name, union in WIDENED.items() for file in union.places} - found
    assert not missed, ran.stdout
