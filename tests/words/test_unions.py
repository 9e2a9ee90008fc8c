"""A word that is added to its union and not handled is a type error wherever words of the union are told apart."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# the union, where it is, and where its words are told apart
UNIONS = {
    "Integrator": ("words/integrators.py", {"emit/integrators.py", "plan/image.py", "words/integrators.py"}),
    "Network": ("words/networks.py", {"emit/parts.py", "words/networks.py"}),
    "Diffusion": ("words/diffusions.py", {"plan/methods.py", "plan/objective.py"}),
    "Optimizer": ("words/optimizers.py", {"training/schedule.py", "explain/package.py"}),
    "Schedule": ("words/optimizers.py", {"training/schedule.py"}),
    "Augmentation": ("words/training.py", {"data/augment.py"}),
    "Adversary": ("words/training.py", {"training/losses/adversary.py"}),
    "Regularizer": ("words/training.py", {"training/losses/regularize.py"}),
    "Loss": ("words/training.py", {"plan/objective.py"}),
    "Frame": ("words/frames.py", {"plan/image.py", "emit/image.py", "explain/describe.py", "explain/certificate.py"}),
    "Data": ("words/data.py", {"data/load.py"}),
}
WORD = '''@dataclass(frozen=True, kw_only=True)
class Added{union}(Word):
    """One more."""

    {fields}


{union} = Added{union} | '''
FIELDS = {  # that all words of a union have
    "Optimizer": "lr: Rate = 1",
    "Adversary": "norm: Norm = Norm.INF\n    eps: Positive\n    eot: Count = 1",
    "Regularizer": "weight: Nonnegative",
    "Data": "train: Count | None = None\n    test: Count | None = None\n    validation: Share = 0",
}
UNHANDLED = re.compile(r"^pdedsl/(\S+):\d+: error: .*\"assert_never\".*\"Added(\w+)\"", re.MULTILINE)


@pytest.mark.slow
def test_mypy_names_every_place_that_does_not_know_an_added_word(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "pdedsl", tmp_path / "pdedsl", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for union, (file, _) in UNIONS.items():
        path = tmp_path / "pdedsl" / file
        before = path.read_text("utf-8")
        added = WORD.format(union=union, fields=FIELDS.get(union, ""))
        after = re.sub(rf"^{union} = ", lambda _: added, before, count=1, flags=re.MULTILINE)  # noqa: B023
        assert after != before, union
        path.write_text(after, "utf-8")
    ran = subprocess.run([sys.executable, "-m", "mypy"], cwd=tmp_path, capture_output=True, text=True)
    found: dict[str, set[str]] = {union: set() for union in UNIONS}
    for file, union in UNHANDLED.findall(ran.stdout):
        found[union].add(file)
    missed = {union: places - found[union] for union, (_, places) in UNIONS.items() if places - found[union]}
    assert not missed, ran.stdout
