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

__version__ = "0.1.0"
__all__ = [
    "Compilation",
    "PdeError",
    "Report",
    "Run",
    "RunError",
    "Solution",
    "Spec",
    "attacks",
    "certificates",
    "compile",
    "evaluate",
    "evaluate_run",
    "explain",
    "format",
    "load",
    "parse",
    "solve",
    "train",
]

if TYPE_CHECKING:
    from pdedsl import attacks, certificates
    from pdedsl.compilation import Compilation
    from pdedsl.diagnostics import PdeError
    from pdedsl.evaluation.evaluate import evaluate
    from pdedsl.evaluation.report import Report
    from pdedsl.evaluation.run import evaluate_run
    from pdedsl.files import RunError
    from pdedsl.interface import compile, explain, format, load, parse
    from pdedsl.ir.spec import Spec
    from pdedsl.solving.run import solve
    from pdedsl.solving.solution import Solution
    from pdedsl.training.run import train
    from pdedsl.training.saved import Run

_HOMES = {
    "attacks": "pdedsl.attacks",
    "certificates": "pdedsl.certificates",
    "Compilation": "pdedsl.compilation",
    "compile": "pdedsl.interface",
    "PdeError": "pdedsl.diagnostics",
    "evaluate": "pdedsl.evaluation.evaluate",
    "Report": "pdedsl.evaluation.report",
    "evaluate_run": "pdedsl.evaluation.run",
    "Spec": "pdedsl.ir.spec",
    "explain": "pdedsl.interface",
    "format": "pdedsl.interface",
    "load": "pdedsl.interface",
    "load_ipython_extension": "pdedsl.notebook",
    "parse": "pdedsl.interface",
    "Run": "pdedsl.training.saved",
    "RunError": "pdedsl.files",
    "Solution": "pdedsl.solving.solution",
    "solve": "pdedsl.solving.run",
    "train": "pdedsl.training.run",
}


def __getattr__(name: str) -> object:
    """Imports each name when it is first used, so that `pdedsl --help` starts quickly."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'pdedsl' has no attribute '{name}'")
    from importlib import import_module

    module = import_module(home)
    return getattr(module, name, module)  # a room is at home in itself


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
