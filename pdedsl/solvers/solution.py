"""A solution: a function of points, with its error estimate and its folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from pdedsl.compiler import Compilation
from pdedsl.config.methods import MonteCarlo
from pdedsl.explainer.describe import domain_text
from pdedsl.ir.boundary import LevelSet
from pdedsl.ir.parameters import learned_functions
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.spec import Spec
from pdedsl.lowering.truncated_domain import problem_on_space
from pdedsl.solvers.ansatz import AnsatzModule
from pdedsl.solvers.coordinates import coordinates_of_solution, name_key
from pdedsl.solvers.error_estimate import ErrorBar, ErrorEstimate, Verdict
from pdedsl.solvers.field import Evaluation, Selection, SolutionField, SolutionFunctions
from pdedsl.solvers.method_result import EvolutionPaths, ParameterEstimate, SolverResult
from pdedsl.solvers.strategy import Attempt

if TYPE_CHECKING:
    from pdedsl.solvers.coordinates import Values


@dataclass(frozen=True, repr=False)
class Solution(SolutionFunctions):
    """`solution(x=…, t=…)` are the values at coordinates given by name, `solution(points)` those at points (n, k).

    Coordinates are numbers, lists, arrays or tensors, which are broadcast against each other; Greek letters and their
    names are the same. Values have the shape of the coordinates, with an axis of components (…, c) if there are
    several; at points (n, k), with columns in the order of the unknown's arguments, they have the shape (n, c). Outside
    of the closed domain all methods have the value NaN. `solution["u"]`, or `solution.u`, is one unknown. The values of
    complex unknowns are complex numbers.

    Attributes:
        compilation: the compiled spec.
        result: the result of the solver.
        error_estimate: residuals, comparison with references, and the verdict.
        seconds: solve time.
        folder: folder of the run, if it was saved.
        attempts: the methods and sizes that were tried, with their error estimates and CPU times.

    Raises:
        ValueError: by a call, if points do not have the shape (n, k), or a coordinate is missing or unknown.
        KeyError: by `solution["w"]`, if there is no such unknown.

    Example:
        >>> import pdedsl
        >>> solution = pdedsl.solve("heat")
        >>> solution(x=[0.25, 0.5, 0.75], t=0.1).shape
        torch.Size([3])
        >>> solution([[0.5, 0.0], [0.5, 1.0]]).shape
        torch.Size([2, 1])
        >>> solution.error.value < 1e-6
        True
    """

    compilation: Compilation
    result: SolverResult
    error_estimate: ErrorEstimate
    seconds: float
    folder: Path | None = None
    attempts: tuple[Attempt, ...] = ()

    @classmethod
    def open(cls, folder: str | Path) -> Solution:
        """Open the solution saved in a folder.

        Args:
            folder: folder of a run of `pdedsl solve`.

        Returns:
            The solution; it is a function of points, as before.

        Raises:
            RunError: if the folder has no complete solution.

        Example:
            >>> import pdedsl
            >>> solution = pdedsl.solve("heat", "run")
            >>> pdedsl.Solution.open("run").error.value < 1e-6
            True
        """
        from pdedsl.solvers.serialize import open_solution

        return open_solution(Path(folder))

    def __repr__(self) -> str:
        statement, spec = self.problem, self.compilation.spec
        arguments = ", ".join(map(str, spec.unknowns[0].arguments))
        unknowns = ", ".join(f"{u.name}({arguments})" for u in spec.unknowns)
        return (
            f"Solution of {spec.name}: {unknowns} for {domain_text(statement.domain)}\n"
            f"  method: {self.result.method}, {self.seconds:.2g} s\n"
            f"  relative L2 error: {self.error}; {self.verdict.value}"
        )

    def _repr_html_(self) -> str:
        """The report with the plots of the run, or with a plot of the solution if it was not saved, for a notebook."""
        from pdedsl.document import embedded_png, fragment
        from pdedsl.runs.figure_style import png_of
        from pdedsl.solvers.report import PLOTS, report_elements

        there = [] if self.folder is None else [name for name in PLOTS if (self.folder / name).is_file()]
        text = fragment(report_elements(self, [name for name in there if name.endswith(".png")]), self.folder or Path())
        return text if there else f"{text}\n{embedded_png(png_of(self.plot()), str(self.compilation.spec.name))}"

    @property
    def module(self) -> nn.Module:
        """Maps points to values; coordinates are in the order of the statement, space before time."""
        return self.result.module

    @cached_property
    def problem(self) -> StrongForm:
        """The strong form of the problem."""
        if isinstance(self.compilation.plan, SolvePlan):
            return self.compilation.plan.problem
        return problem_on_space(self.compilation.analysis)

    @property
    def plan(self) -> SolvePlan:
        """The plan of a problem on a physical domain."""
        assert isinstance(self.compilation.plan, SolvePlan)
        return self.compilation.plan

    @property
    def error(self) -> ErrorBar:
        """Estimated relative L2 error, and its basis."""
        return self.error_estimate.error

    @property
    def verdict(self) -> Verdict:
        """Whether the residuals and the error estimate are below their tolerances."""
        return self.error_estimate.verdict

    @property
    def parameters(self) -> Mapping[str, ParameterEstimate]:
        """Estimates of the learned parameters."""
        return self.result.parameters

    def learned(self, name: str, points: Tensor | Sequence[Sequence[float]]) -> Tensor:
        """Values of a function that was identified together with the unknowns, by a PINN.

        Args:
            name: name of the function, as in `learn D(x) : scalar > 0`.
            points: points (n, number of its arguments).

        Returns:
            Tensor (n,).

        Raises:
            ValueError: if the solution has no such function.

        Example:
            >>> import pdedsl
            >>> pdedsl.solve("heat").learned("D", [[0.5]])
            Traceback (most recent call last):
                ...
            ValueError: there is no learned function 'D'
        """
        functions = learned_functions(self.problem)
        k = next((k for k, f in enumerate(functions) if f.name == name), None)
        if k is None or not isinstance(self.module, AnsatzModule):
            raise ValueError(f"there is no learned function '{name}'")
        values: Tensor = self.module.functions[k](torch.as_tensor(points, dtype=torch.float64))[:, 0]
        return values.exp() if functions[k].signed else values

    def __call__(self, points: Values | None = None, /, **coordinates: Values) -> Tensor:
        """Values of all unknowns; see the class for arguments and shapes."""
        x, shape = self._points(points, coordinates)
        values = self._evaluation.values(x)
        return self._selection.joined(values) if points is not None else self._selection.shaped(values, shape)

    # ---- Fields

    @property
    def fields(self) -> Mapping[str, SolutionField]:
        """The unknowns and their components by name."""
        components = self.problem.components
        chosen: dict[str, Selection] = {}
        for unknown in self.compilation.spec.unknowns:
            own = tuple(k for k, c in enumerate(components) if c.head == unknown.head)
            is_scalar = components[own[0]].index is None or [components[k].is_imaginary for k in own] == [False, True]
            chosen[unknown.name] = Selection(self._evaluation, unknown.name, own, is_scalar)
        for c in components:
            parts = tuple(k for k, other in enumerate(components) if c.complex_number == other.complex_number != "")
            if parts:
                chosen.setdefault(c.complex_number, Selection(self._evaluation, c.complex_number, parts, True))
        for k, c in enumerate(components):
            chosen.setdefault(c.name, Selection(self._evaluation, c.name, (k,), True))
        return {name: SolutionField(selection) for name, selection in chosen.items()}

    def __getitem__(self, name: str) -> SolutionField:
        named = {name_key(key): field for key, field in self.fields.items()}
        if name_key(name) not in named:
            raise KeyError(f"there is no unknown '{name}': the unknowns are {', '.join(self.fields)}")
        return named[name_key(name)]

    def __getattr__(self, name: str) -> SolutionField:
        if not name.startswith("_") and name not in self.__dataclass_fields__:
            try:
                return self[name]
            except KeyError as missing:
                raise AttributeError(missing.args[0]) from None
        raise AttributeError(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    @cached_property
    def _evaluation(self) -> Evaluation:
        problem, spec = self.problem, self.compilation.spec
        return Evaluation(
            spec.name,
            coordinates_of_solution(problem, spec),
            tuple(c.name for c in problem.components),
            self.result,
            self.module,
            tuple(_written_curves(spec)),
            tuple(k for k, c in enumerate(problem.components) if c.is_imaginary),
            tuple(c.complex_number for c in problem.components),
            isinstance(self.result.method, MonteCarlo | EvolutionPaths),
        )

    @cached_property
    def _selection(self) -> Selection:
        fields, every = tuple(self.fields.values()), tuple(range(len(self._evaluation.names)))
        first, is_field = fields[0]._selection, len(self.compilation.spec.unknowns) == 1
        return Selection(self._evaluation, first.name, every, first.is_scalar and is_field, is_field)


def _written_curves(spec: Spec) -> Iterator[tuple[str, LevelSet]]:
    """Curves of the boundary as written in inequalities, with an equals sign, and in conditions."""
    for g in spec.space.inequalities:
        yield re.sub(r"[<>]=?|[≤≥]", "=", spec.source.quote(g.span)), LevelSet(g.expr)
    for f in (f for condition in spec.conditions for f in condition.level_sets):
        yield from ((spec.source.quote(f.span), LevelSet(sign * f.expr)) for sign in (1, -1))
