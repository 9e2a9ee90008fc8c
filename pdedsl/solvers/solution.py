"""A solution: a function of points, with its error estimate and its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from pdedsl.compiler import Compilation
from pdedsl.ir.parameters import learned_functions
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.spec import Spec
from pdedsl.solvers.ansatz import AnsatzModule
from pdedsl.solvers.error_estimate import ErrorBar, ErrorEstimate, Verdict
from pdedsl.solvers.method_result import Estimate, SolverResult
from pdedsl.solvers.strategy import Attempt


@dataclass(frozen=True)
class Solution:
    """`solution(points)` are the values (n, c) at points (n, k), columns in the order of the unknown's arguments. The
    values are complex numbers if an unknown is complex.

    Attributes:
        compilation: the compiled spec.
        result: the result of the solver.
        error_estimate: residuals, comparison with references, and the verdict.
        seconds: solve time.
        folder: folder of the run, if it was saved.
        attempts: the methods and sizes that were tried, with their error estimates and CPU times.

    Raises:
        ValueError: by a call, if points do not have the shape (n, k).

    Example:
        >>> import pdedsl
        >>> solution = pdedsl.solve("heat")
        >>> solution([[0.5, 0.0], [0.5, 1.0]]).shape
        torch.Size([2, 1])
        >>> solution.error.value < 1e-6
        True
    """

    compilation: Compilation = field(repr=False)
    result: SolverResult = field(repr=False)
    error_estimate: ErrorEstimate
    seconds: float
    folder: Path | None = None
    attempts: tuple[Attempt, ...] = field(default=(), repr=False)

    @classmethod
    def open(cls, folder: str | Path) -> Solution:
        """The solution saved in a folder."""
        from pdedsl.solvers.serialize import open_solution

        return open_solution(Path(folder))

    def _repr_html_(self) -> str:
        """The report with the plots of the run, for a notebook."""
        from pdedsl.document import fragment
        from pdedsl.solvers.report import PLOTS, report_elements

        there = [] if self.folder is None else [name for name in PLOTS if (self.folder / name).is_file()]
        return fragment(report_elements(self, [name for name in there if name.endswith(".png")]), self.folder or Path())

    @property
    def module(self) -> nn.Module:
        """Maps points to values; coordinates are in the order of the statement, space before time."""
        return self.result.module

    @property
    def plan(self) -> SolvePlan:
        assert isinstance(self.compilation.plan, SolvePlan)
        return self.compilation.plan

    @property
    def error(self) -> ErrorBar:
        """Estimated relative L2 error, and its basis."""
        return self.error_estimate.error

    @property
    def verdict(self) -> Verdict:
        return self.error_estimate.verdict

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        """Estimates of the learned parameters."""
        return self.result.parameters

    def learned(self, name: str, points: Tensor | Sequence[Sequence[float]]) -> Tensor:
        """A function that was learned along with the unknowns, at points (n, number of its arguments): (n,)."""
        functions = learned_functions(self.plan.problem)
        k = next((k for k, f in enumerate(functions) if f.name == name), None)
        if k is None or not isinstance(self.module, AnsatzModule):
            raise ValueError(f"there is no learned function '{name}'")
        values: Tensor = self.module.functions[k](torch.as_tensor(points, dtype=torch.float64))[:, 0]
        return values.exp() if functions[k].signed else values

    def __call__(self, points: Tensor | Sequence[Sequence[float]]) -> Tensor:
        tensor = torch.as_tensor(points, dtype=torch.float64)
        order = coordinate_order(self.plan.problem, self.compilation.spec)
        if tensor.ndim != 2 or tensor.shape[1] != len(order):
            raise ValueError(f"points must have the shape (n, {len(order)}), got {tuple(tensor.shape)}")
        return join_complex_parts(self.result(tensor[:, order]), self.plan.problem)


def join_complex_parts(values: Tensor, statement: StrongForm) -> Tensor:
    """The values with one complex column Re + i Im for each pair of columns of a complex unknown; unchanged if all
    unknowns are real."""
    if not any(c.complex_number for c in statement.components):
        return values
    columns = []
    for k, component in enumerate(statement.components):
        if not component.is_imaginary:
            imaginary = values[:, k + 1] if component.complex_number else torch.zeros_like(values[:, k])
            columns.append(torch.complex(values[:, k], imaginary))
    return torch.stack(columns, 1)


def coordinate_order(statement: StrongForm, spec: Spec) -> list[int]:
    """For each coordinate of the statement, its position among the arguments of the unknown."""
    coordinates, arguments = statement.domain.coordinates, spec.unknowns[0].arguments
    if set(arguments) != set(coordinates):
        return list(range(len(coordinates)))
    return [arguments.index(x) for x in coordinates]
