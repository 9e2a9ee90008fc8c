"""Solution of an eigenproblem: eigenvalues with error estimates, and modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor, log10
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from pdedsl.solvers.field import Evaluation, Selection, SolutionField
from pdedsl.solvers.method_result import EigenvalueEstimate
from pdedsl.solvers.solution import Solution
from pdedsl.symbolic.printing import SUBSCRIPTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pdedsl.solvers.coordinates import Values


@dataclass(frozen=True, repr=False)
class EigenSolution(Solution):
    """The first eigenpairs of an eigenproblem, in the order of the eigenvalues.

    `solution.eigenvalues` is a tensor, `solution.errors` are the estimates of the absolute errors, and
    `solution.mode(k)` is mode k, counted from one: a field, to be evaluated, integrated, plotted and exported.
    `solution(x=…)` and the other methods of a solution have a scalar for each mode and component.

    Modes have norm 1 in L2, with all components together. Modes of equal eigenvalues of a self-adjoint problem are
    orthogonal; any rotation of them is as good. The sign, for complex modes the phase, is such that the first of the
    values above half of the maximum, in the order of the coordinates, is positive.

    Attributes:
        compilation: the compiled spec.
        result: the result of the solver.
        error_estimate: relative error of the eigenvalues, and the verdict.
        seconds: solve time.
        folder: folder of the run, if it was saved.
        attempts: the methods and sizes that were tried, with their error estimates and CPU times.

    Example:
        >>> import math
        >>> import pdedsl
        >>> solution = pdedsl.solve("membrane_modes")
        >>> abs(solution.eigenvalues[0].item() - 2 * math.pi**2) < 1e-8
        True
        >>> abs(solution.mode(1)(x=0.5, y=0.5).item() - 2) < 1e-8
        True
    """

    @property
    def estimates(self) -> tuple[EigenvalueEstimate, ...]:
        """Eigenvalues with error estimates and, for self-adjoint problems, residual bounds."""
        return self.result.eigenvalues

    @property
    def eigenvalues(self) -> Tensor:
        """The eigenvalues (k,); complex numbers if the unknowns are complex."""
        values = torch.tensor([e.value for e in self.estimates], dtype=torch.complex128)
        return values if self._is_complex else values.real

    @property
    def errors(self) -> Tensor:
        """Estimates of the absolute errors of the eigenvalues (k,)."""
        return torch.tensor([e.error for e in self.estimates], dtype=torch.float64)

    @property
    def _is_complex(self) -> bool:
        eigenvalue = self.problem.eigenvalue
        return eigenvalue is not None and eigenvalue.is_complex

    def __len__(self) -> int:
        return len(self.estimates)

    def __repr__(self) -> str:
        spec, plan = self.compilation.spec, self.plan
        assert spec.eigenvalue is not None
        name = spec.eigenvalue.name
        return "\n".join(
            [
                f"Eigenpairs of {spec.name}: {len(self)} of {', '.join(u.name for u in spec.unknowns)}, {name}",
                *(f"  {line}" for line in self.lines),
                f"  method: {self.result.method}, {self.seconds:.2g} s",
                f"  relative error: {self.error}; {self.verdict.value} (tolerance {plan.tolerance:.1g})",
            ]
        )

    @property
    def value_texts(self) -> tuple[str, ...]:
        """The eigenvalues as text."""
        return tuple(_value_text(e, self._is_complex) for e in self.estimates)

    @property
    def lines(self) -> tuple[str, ...]:
        """`λ₁ = 9.63972384402 ± 1.0e-10`, one line for each eigenvalue."""
        spec = self.compilation.spec
        assert spec.eigenvalue is not None
        return tuple(
            f"{spec.eigenvalue.name}{str(k).translate(SUBSCRIPTS)} = {text} ± {e.error:.1e}"
            + ("" if e.bound is None else f" (residual bound {e.bound:.1e})")
            for k, (text, e) in enumerate(zip(self.value_texts, self.estimates, strict=True), 1)
        )

    def mode(self, k: int, name: str | None = None) -> SolutionField:
        """Mode k, counted from one.

        Args:
            k: the number of the mode.
            name: an unknown or a component; None for all components of the only unknown.

        Returns:
            A field with the values of the mode.

        Raises:
            IndexError: if there is no such mode.
            KeyError: if there is no such unknown.

        Example:
            >>> import math
            >>> import pdedsl
            >>> solution = pdedsl.solve("membrane_modes")
            >>> abs(solution.mode(1).integral().item() - 8 / math.pi**2) < 1e-8
            True
        """
        if not 1 <= k <= len(self):
            raise IndexError(f"there is no mode {k}: the modes are 1 to {len(self)}")
        own = super().fields
        if name is None and len(self.compilation.spec.unknowns) > 1:
            names = ", ".join(repr(u.name) for u in self.compilation.spec.unknowns)
            raise KeyError(f"name an unknown, as in mode({k}, {self.compilation.spec.unknowns[0].name!r}): {names}")
        chosen = self.compilation.spec.unknowns[0].name if name is None else name
        if chosen not in own:
            raise KeyError(f"there is no unknown '{chosen}': the unknowns are {', '.join(own)}")
        selection, size = own[chosen]._selection, len(self.problem.components)
        components = tuple(size * (k - 1) + c for c in selection.components)
        title = f"{chosen}{str(k).translate(SUBSCRIPTS)}"
        return SolutionField(replace(selection, name=title, components=components))

    @property
    def fields(self) -> Mapping[str, SolutionField]:
        """The modes of each unknown by name: u₁, u₂, …"""
        names = [u.name for u in self.compilation.spec.unknowns]
        modes = [self.mode(k, name) for k in range(1, len(self) + 1) for name in names]
        return {mode.name: mode for mode in modes}

    @cached_property
    def _evaluation(self) -> Evaluation:
        own, size = super()._evaluation, len(self.problem.components)
        count = len(self)

        def repeated(values: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(v and f"{v}{str(k).translate(SUBSCRIPTS)}" for k in range(1, count + 1) for v in values)

        imaginary = tuple(size * k + c for k in range(count) for c in own.imaginary)
        return replace(own, names=repeated(own.names), imaginary=imaginary, complex_names=repeated(own.complex_names))

    @cached_property
    def _selection(self) -> Selection:
        """All modes, none of which is the field of the solution."""
        every = tuple(range(len(self._evaluation.names)))
        return Selection(self._evaluation, self.compilation.spec.unknowns[0].name, every, False, False)

    def plot(self, *, cmap: str | None = None, n: int | None = None, ax: Axes | None = None, **at: Values) -> Figure:
        """Plot the modes: curves in one dimension, one below the other; images in two.

        Args:
            cmap: colour map of matplotlib; None for one that fits the signs.
            n: points per axis.
            ax: axes of matplotlib for a single panel; None for a new figure.
            at: coordinates that are fixed, as in `y=0.5`.

        Returns:
            The figure of matplotlib.

        Raises:
            ValueError: if a coordinate is unknown or outside of the domain, or `ax` is given for several panels.

        Example:
            >>> import pdedsl
            >>> solution = pdedsl.solve("membrane_modes")
            >>> len(solution.plot(n=9).axes) >= 6
            True
        """
        from pdedsl.solvers.plots import plot_modes

        assert self.problem.eigenvalue is not None
        name, modes = self.problem.eigenvalue.name, []
        for k, estimate in enumerate(self.estimates, 1):
            value = f"{estimate.value:.5g}" if self._is_complex else f"{estimate.value.real:.6g}"
            title = f"{name}{str(k).translate(SUBSCRIPTS)} = {value}"
            modes += [(self.mode(k, u.name)._selection, title) for u in self.compilation.spec.unknowns]
        return plot_modes(modes, cmap, n, ax, at)


MAX_DIGITS = 15  # of a number in double precision


def _value_text(estimate: EigenvalueEstimate, is_complex: bool) -> str:
    """The value with the digits that its error leaves, and one more."""
    value = estimate.value
    decimals = MAX_DIGITS
    if estimate.error > 0:
        decimals = max(0, 1 - floor(log10(estimate.error)))
    if value:
        decimals = min(decimals, max(0, MAX_DIGITS - 1 - floor(log10(abs(value)))))
    if not is_complex:
        return f"{value.real:.{decimals}f}"
    return f"{value.real:.{decimals}f} {'+' if value.imag >= 0 else '-'} {abs(value.imag):.{decimals}f}i"
