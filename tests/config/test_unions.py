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
    base: str = "Record"

    def widened(self, name: str, text: str) -> str:
        made = f'class Added{name}({self.base}):\n    """One more."""\n\n    {self.fields}\n\n\n'
        return re.sub(rf"^{name} = ", lambda _: f"{made}{name} = Added{name} | ", text, count=1, flags=re.MULTILINE)


@dataclass(frozen=True)
class Enumeration:
    """The same of an enumeration."""

    file: str
    places: set[str]

    def widened(self, name: str, text: str) -> str:
        head = rf"(class {name}\(\w+\):\n(?:    \"\"\".*?\"\"\"\n\n)?)"
        return re.sub(head, lambda found: f'{found[1]}    ADDED = "added"\n', text, count=1, flags=re.DOTALL)


def option(file: str, places: set[str], fields: str = "") -> Union:
    return Union(f"config/{file}.py", places, fields, "Config")


MAPS = "analysis/feature_maps"
WIDENED: dict[str, Union | Enumeration] = {
    # options of the language
    "Integrator": option("methods", {"codegen/image_plane.py"}),
    "Network": option("networks", {"codegen/data_space.py", "config/networks.py"}),
    "Diffusion": option(
        "methods",
        {"planning/integrators.py", "planning/noise.py", "planning/objective.py", "planning/unused_options.py"},
    ),
    "Optimizer": option("training", {"runs/optimizers.py"}, "lr: Rate = 1"),
    "Schedule": option("training", {"runs/optimizers.py"}),
    "Augmentation": option("training", {"data/augment.py"}),
    "Adversary": option(
        "training",
        {"training/losses/adversarial.py"},
        "norm: Norm = Norm.INF\n    eps: Positive\n    eot: Count = 1",
    ),
    "Regularizer": option("training", {"training/losses/weight_penalty.py"}, "weight: Nonnegative"),
    "Loss": option("training", {"planning/objective.py"}),
    "Frame": option(
        "networks",
        {
            "planning/image_plane.py",
            "codegen/image_plane.py",
            "explainer/describe.py",
            "explainer/lipschitz_certificate.py",
        },
    ),
    "Data": option(
        "data",
        {"data/load.py"},
        "train: Count | None = None\n    test: Count | None = None\n    validation: UnitInterval = 0",
    ),
    # intermediate representations
    "Term": Union(
        "ir/terms.py", {"explainer/terms.py", "lowering/lower.py"}, 'kind: ClassVar[str] = "added"\n    origin: Origin'
    ),
    "MapTerm": Union(
        "ir/terms.py",
        {
            f"{MAPS}/system.py",
            f"{MAPS}/contractivity.py",
            "planning/image_plane.py",
            "testing/feature_map_reference.py",
        },
        "origin: Origin",
    ),
    "EquationClass": Enumeration("ir/analysis.py", {"explainer/classification.py"}),
    "TimeMethod": Union(
        "numerics/butcher.py",
        {f"{MAPS}/steps.py", f"{MAPS}/contractivity.py", f"{MAPS}/simulate.py"},
        "name: str",
    ),
    "RandomResidual": Union(
        "ir/noise.py",
        {"analysis/random_residual.py", "lowering/feynman_kac.py", "planning/noise.py", "testing/paths.py"},
        "strength: Expr",
    ),
    "Noise": Union(
        "ir/noise.py",
        {
            "planning/data_space.py",
            "codegen/data_space.py",
            "codegen/learned_fields.py",
            "explainer/describe.py",
            "testing/path_segments.py",
        },
        "span: Span",
    ),
    "NoiseDistribution": Enumeration("config/methods.py", {"codegen/data_space.py", "testing/paths.py"}),
    "Verdict": Union("ir/verdicts.py", {"explainer/explain.py"}, "truth: ClassVar[Truth]\n    reason: str"),
    "Representation": Union("ir/representation.py", {"planning/plan.py"}),
    "Objective": Union("ir/plan.py", {"explainer/describe.py", "training/objectives.py"}),
    "Layer": Union("ir/plan.py", {"codegen/image_plane.py"}),
    "Constraint": Union("ir/plan.py", {"codegen/image_plane.py"}),
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
