"""Results of the compiler: the examination of a spec, and its compilation through all stages up to modules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pdedsl.diagnostics import Diagnostic, PdeError
from pdedsl.ir.spec import Spec

if TYPE_CHECKING:
    from torch import nn

    from pdedsl.emit.program import Program
    from pdedsl.explanation.explain import Explanation
    from pdedsl.ir.analysis import Analysis
    from pdedsl.ir.plan import Model, OperatorPlan
    from pdedsl.ir.representation import Representation


@dataclass(frozen=True)
class Planned:
    """The representation that a theorem gives, and the network planned from it."""

    representation: Representation
    model: Model


@dataclass(frozen=True)
class Examination:
    """Everything known about a spec without building anything: what `check` and `explain` report.

    `planned` is None if the spec has mistakes.
    """

    analysis: Analysis
    planned: Planned | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.is_error)

    def sound(self) -> Planned:
        """The plan; raises the mistakes of the spec if there are any."""
        if self.errors or self.planned is None:
            raise PdeError(self.errors, self.analysis.spec.source)
        return self.planned


@dataclass(frozen=True)
class Compilation:
    """A spec after every stage of the compiler. Modules are built on demand; only building them imports torch."""

    analysis: Analysis
    representation: Representation
    plan: Model
    operator_plan: OperatorPlan | PdeError  # or the reason why there is no operator on R^d
    program: Program

    @property
    def spec(self) -> Spec:
        return self.analysis.spec

    @property
    def explanation(self) -> Explanation:
        """What the equation is, what it became, and what was proved about it."""
        from pdedsl.explanation.explain import Explanation

        return Explanation(self.analysis, self.representation.theorem, self.plan)

    def __repr__(self) -> str:
        return f"Compilation({self.spec.name} by {self.representation.theorem.name}, hash {self.spec.hash})"

    def _repr_markdown_(self) -> str:
        return self.explanation._repr_markdown_()

    def _repr_html_(self) -> str:
        return self.explanation._repr_html_()

    def module(self, seed: int = 0) -> nn.Module:
        """The network: it returns scores whose softmax is u if u holds class probabilities, otherwise u itself."""
        from pdedsl.emit.build import build_model

        return build_model(self.program, seed)

    def operator(self, module: nn.Module | None = None, samples: int | None = None, seed: int = 0) -> nn.Module:
        """The evolution operator: `operator(f, x, t)` is the solution at time t with data f at points x (n, d).

        Learned fields are taken from `module`, or newly initialised. Raises `PdeError` with the reason if there is no
        operator on R^d.
        """
        from pdedsl.emit.build import build_operator

        if isinstance(self.operator_plan, PdeError):
            raise PdeError(self.operator_plan.diagnostics, self.spec.source)
        return build_operator(self.program, self.spec, module, samples, seed)

    def python(self) -> str:
        """The model as the text of a Python module."""
        return self._python

    @cached_property
    def _python(self) -> str:
        from pdedsl.emit.python import source

        return source(self.program)

    def files(self) -> dict[str, str]:
        """The files of a package that holds the model, its harness, its tests and its explanation."""
        from pdedsl.explanation.package import package_files

        return package_files(self.explanation, self.plan, self.python())

    def standalone_files(self, package: str) -> dict[str, str]:
        """The files of a package of this name with the model and the parts of the runtime it uses: it depends only on
        torch and on what its network needs besides."""
        from pdedsl.explanation.standalone import standalone_files

        return standalone_files(self.spec, self.python(), package)
