"""pdedsl: a declarative language for PDEs that compiles to neural networks.

>>> import pdedsl
>>> spec = pdedsl.parse('''
... pde Heat
... space x in [0, 1] periodic
... time t in [0, 1]
... unknown u(x, t) : scalar
... ∂u/∂t = Δu
... u(x, 0) = sin(2π x)
... ''')
>>> spec.equations[0].order
1
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdedsl import obsolete_imports

__version__ = "0.2.0"
__all__ = [
    "Compilation",
    "EigenSolution",
    "PdeError",
    "Report",
    "Run",
    "RunError",
    "Solution",
    "Spec",
    "Study",
    "attacks",
    "certificates",
    "compile",
    "evaluate",
    "evaluate_run",
    "explain",
    "format",
    "load",
    "parse",
    "push",
    "reproduce",
    "solve",
    "sweep",
    "train",
]

if TYPE_CHECKING:
    from pdedsl import attacks, certificates
    from pdedsl.api import compile, explain, format, load, parse
    from pdedsl.compiler import Compilation
    from pdedsl.diagnostics import PdeError
    from pdedsl.evaluation.evaluate import evaluate
    from pdedsl.evaluation.hub import push
    from pdedsl.evaluation.report import Report
    from pdedsl.evaluation.run import evaluate_run
    from pdedsl.io import RunError
    from pdedsl.ir.spec import Spec
    from pdedsl.runs.load_run import Run
    from pdedsl.solvers.eigen_solution import EigenSolution
    from pdedsl.solvers.run import solve
    from pdedsl.solvers.solution import Solution
    from pdedsl.studies.reproduce import reproduce
    from pdedsl.studies.results import Study
    from pdedsl.studies.run import sweep
    from pdedsl.training.run import train

_HOMES = {
    "attacks": "pdedsl.attacks",
    "certificates": "pdedsl.certificates",
    "Compilation": "pdedsl.compiler",
    "compile": "pdedsl.api",
    "EigenSolution": "pdedsl.solvers.eigen_solution",
    "PdeError": "pdedsl.diagnostics",
    "evaluate": "pdedsl.evaluation.evaluate",
    "Report": "pdedsl.evaluation.report",
    "evaluate_run": "pdedsl.evaluation.run",
    "Spec": "pdedsl.ir.spec",
    "explain": "pdedsl.api",
    "format": "pdedsl.api",
    "load": "pdedsl.api",
    "load_ipython_extension": "pdedsl.notebook",
    "parse": "pdedsl.api",
    "push": "pdedsl.evaluation.hub",
    "reproduce": "pdedsl.studies.reproduce",
    "Run": "pdedsl.runs.load_run",
    "RunError": "pdedsl.io",
    "Solution": "pdedsl.solvers.solution",
    "solve": "pdedsl.solvers.run",
    "Study": "pdedsl.studies.results",
    "sweep": "pdedsl.studies.run",
    "train": "pdedsl.training.run",
}


obsolete_imports.install()


def __getattr__(name: str) -> object:
    """Imports each name when it is first used, so that `pdedsl --help` starts quickly."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'pdedsl' has no attribute '{name}'")
    from importlib import import_module

    module = import_module(home)
    return getattr(module, name, module)  # a subpackage is its own attribute


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
