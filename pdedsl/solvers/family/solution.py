"""Solution of a family of problems: a function of points and parameters, by interpolation of members or projection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from pdedsl.ir.family import MAX_DEVIATIONS, Family, is_normal, reference_at, value_at
from pdedsl.ir.spec import FamilyParameter
from pdedsl.solvers.coordinates import name_key
from pdedsl.solvers.family.approximation import FamilyApproximation
from pdedsl.solvers.field import SolutionField
from pdedsl.solvers.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pdedsl.solvers.coordinates import Values

QUANTILE_SAMPLES = 10_000  # of the random parameters
Z_95 = 1.96  # standard errors, for 95 %
END_RTOL = 1e-12  # rounding of the ends of an interval


# ---- Solution


class Quantile(NamedTuple):
    """A quantile with the ends of its 95 % confidence interval, widened by the error of the approximation."""

    value: Tensor
    low: Tensor
    high: Tensor


@dataclass(frozen=True, repr=False)
class FamilySolution(Solution):
    """The solution of a family of problems: `solution(x=…, t=…, ν=…)`, with the parameters by name.

    Parameters are broadcast against the coordinates, or against the points of `solution(points, ν=…)`. A random
    function f is given by its coefficients, `f=[…]`. `member(ν=…)` is the solution for fixed parameters; gradients,
    integrals, plots and files are those of a member, as in `solution.plot(ν=0.02)`. Random parameters have statistics:
    `mean`, `std` and `quantile`.

    Example:
        >>> import pdedsl
        >>> solution = pdedsl.solve('''pde Decay
        ... time t in [0, 1]
        ... unknown u(t) : scalar
        ... parameter a in [0.5, 2]
        ... ∂u/∂t = -a u
        ... u(0) = 1''')
        >>> abs(solution(t=1.0, a=1.0).item() - 0.36788) < 1e-4
        True
    """

    approximation: FamilyApproximation | None = None
    max_errors: tuple[float, ...] = ()  # of each component: the largest absolute error over unseen members

    @property
    def family(self) -> Family:
        family = self.plan.family
        assert family is not None
        return family

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """The parameters and random functions."""
        return tuple(dict.fromkeys(p.function or p.name for p in self.family.parameters))

    @cached_property
    def center(self) -> dict[str, Values]:
        """The parameters in the middle of their intervals."""
        center: dict[str, list[float]] = {}
        for p in self.family.parameters:
            center.setdefault(p.function or p.name, []).append(value_at(p.distribution, 0.0))
        functions = {p.function for p in self.family.parameters}
        return {name: values if name in functions else values[0] for name, values in center.items()}

    def __call__(self, points: Values | None = None, /, **coordinates: Values) -> Tensor:
        chosen, rest = self._split(coordinates)
        if points is not None:
            if rest:
                raise ValueError("give either points (n, k) or coordinates by name, not both")
            x, shape = self._points(points, {})
        else:
            x, shape = self._points(None, rest)
        reference = self._reference(chosen)
        grid = torch.broadcast_shapes(shape, reference.shape[:-1])  # type: ignore[no-untyped-call]
        y = reference.expand(*grid, reference.shape[-1]).reshape(-1, reference.shape[-1])
        flat = x.reshape(*shape, -1).expand(*grid, x.shape[-1]).reshape(-1, x.shape[-1])
        values = self._inside(flat, lambda x, rows: self._approximation.values(x, y[rows]))
        if points is not None and grid == shape:
            return self._selection.joined(values)
        return self._selection.shaped(values, grid)

    def __getitem__(self, name: str) -> SolutionField:
        field = super().__getitem__(name)
        parameters = ", ".join(f"{p}=…" for p in self.parameter_names)
        raise KeyError(f'an unknown of a family is that of a member: solution.member({parameters})["{field.name}"]')

    def member(self, **parameters: Values) -> Solution:
        """The solution for fixed parameters.

        Args:
            parameters: a number for each parameter, the coefficients for a random function.

        Returns:
            `Solution`, approximated as the family is; its error is the largest one of the family.

        Raises:
            ValueError: if a parameter is missing, unknown or outside of its interval.

        Example:
            >>> import pdedsl
            >>> solution = pdedsl.solve('''pde Decay
            ... time t in [0, 1]
            ... unknown u(t) : scalar
            ... parameter a in [0.5, 2]
            ... ∂u/∂t = -a u
            ... u(0) = 1''')
            >>> solution.member(a=1.5)(t=[0.0, 1.0]).shape
            torch.Size([2])
        """
        chosen, rest = self._split(parameters)
        if rest:
            raise ValueError(f"there is no parameter '{next(iter(rest))}': {self._parameter_hint}")
        module = self._approximation.member(self._reference(chosen).reshape(-1))
        result = replace(self.result, module=module)
        return Solution(self.compilation, result, self.error_estimate, self.seconds, self.folder, self.attempts)

    # ---- Statistics

    def mean(self, points: Values | None = None, /, **coordinates: Values) -> Tensor:
        """E u over the random parameters, by Gauss quadrature of an interpolant, or samples of a reduced basis.

        Args:
            points: points (n, k); or
            coordinates: values by the names of the coordinates; and one number for each parameter that is not random.

        Returns:
            Tensor (n, c), or of the shape of the coordinates.

        Raises:
            ValueError: if no parameter is random, or shapes or names are wrong.
        """
        return self._moment(0, points, coordinates)

    def std(self, points: Values | None = None, /, **coordinates: Values) -> Tensor:
        """The standard deviation of u over the random parameters, computed as the mean is.

        Args:
            points: points (n, k); or
            coordinates: values by the names of the coordinates; and one number for each parameter that is not random.

        Returns:
            Tensor (n, c), or of the shape of the coordinates.

        Raises:
            ValueError: if no parameter is random, or shapes or names are wrong.
        """
        return self._moment(1, points, coordinates).sqrt()

    def quantile(self, q: float, points: Values | None = None, /, *, seed: int = 0, **coordinates: Values) -> Quantile:
        """The q-quantile of u over the random parameters, by 10,000 samples of the approximation.

        Args:
            q: probability in (0, 1).
            points: points (n, k); or
            seed: seed of the samples.
            coordinates: values by the names of the coordinates; and one number for each parameter that is not random.

        Returns:
            `Quantile`: the order statistic, and those that bound it with a probability of 95 %, plus and minus the
            largest error of the approximation at unseen members.

        Raises:
            ValueError: if q is not in (0, 1), no parameter is random, or shapes or names are wrong.
        """
        if not 0 < q < 1:
            raise ValueError(f"q must be in (0, 1), got {q}")
        y, x, shape, is_points = self._statistics(points, coordinates)
        samples = sample_members(self.family, QUANTILE_SAMPLES, seed)
        for j, p in enumerate(self.family.parameters):
            if not p.is_random:
                samples[:, j] = y[j]
        own = self._approximation
        ordered = self._inside(x, lambda at, _: own.samples(at, samples).movedim(0, 1), QUANTILE_SAMPLES).sort(1)[0]
        half = Z_95 * (QUANTILE_SAMPLES * q * (1 - q)) ** 0.5
        ranks = (QUANTILE_SAMPLES * q + shift for shift in (0, -half, half))
        value, low, high = (ordered[:, min(max(ceil(rank) - 1, 0), QUANTILE_SAMPLES - 1)] for rank in ranks)
        error = x.new_tensor(self.max_errors)
        return Quantile(*(self._shaped(v, shape, is_points) for v in (value, low - error, high + error)))

    def _moment(self, order: int, points: Values | None, coordinates: Mapping[str, Values]) -> Tensor:
        """The mean for 0, the variance for 1."""
        y, x, shape, is_points = self._statistics(points, coordinates)
        is_random = [p.is_random for p in self.family.parameters]
        values = self._inside(x, lambda at, _: self._approximation.moments(at, y, is_random)[order])
        return self._shaped(values, shape, is_points)

    def _statistics(
        self, points: Values | None, coordinates: Mapping[str, Values]
    ) -> tuple[Tensor, Tensor, tuple[int, ...], bool]:
        """Reference variables (0 for random ones), points, and the shape of the result."""
        if not self.family.is_random:
            raise ValueError("no parameter is random: declare one as in 'random k ~ uniform(0.5, 1.5)'")
        random = {name_key(p.name): 0.0 for p in self.family.parameters if p.is_random}
        chosen, rest = self._split(coordinates)
        if any(name in random for name in chosen):
            raise ValueError("random parameters have no value in a statistic")
        y = self._reference({**chosen, **dict.fromkeys(random)})
        if y.ndim > 1:
            raise ValueError("a statistic is for one value of each other parameter")
        x, shape = self._points(points, rest)
        return y, x, shape, points is not None

    def _shaped(self, values: Tensor, shape: tuple[int, ...], is_points: bool) -> Tensor:
        return self._selection.joined(values) if is_points else self._selection.shaped(values, shape)

    # ---- Functions of a member

    def gradient(self, points: Values | None = None, /, **coordinates: Values) -> Tensor:
        """∇u of the member with the given parameters, see `Solution.gradient`."""
        member, rest = self._member(coordinates)
        return member.gradient(points, **rest)

    def integral(self, t: Values | None = None, **parameters: Values) -> Tensor:
        """∫u dx of the member with the given parameters, see `Solution.integral`."""
        return self.member(**parameters).integral(t)

    def flux(self, boundary: str = "boundary", t: Values | None = None, **parameters: Values) -> Tensor:
        """The flux of the member with the given parameters, see `Solution.flux`."""
        return self.member(**parameters).flux(boundary, t)

    def plot(self, *, cmap: str | None = None, n: int | None = None, ax: Axes | None = None, **at: Values) -> Figure:
        """The plot of the member with the given parameters, see `Solution.plot`."""
        member, rest = self._member(at)
        return member.plot(cmap=cmap, n=n, ax=ax, **rest)

    def to_numpy(self, n: int | None = None, **coordinates: Values) -> dict[str, Any]:
        """The arrays of the member with the given parameters, see `Solution.to_numpy`."""
        member, rest = self._member(coordinates)
        return member.to_numpy(n, **rest)

    def to_xarray(self, n: int | None = None, **coordinates: Values) -> Any:
        """The data set of the member with the given parameters, see `Solution.to_xarray`."""
        member, rest = self._member(coordinates)
        return member.to_xarray(n, **rest)

    def to_vtk(self, path: str | Path, t: Values | None = None, n: int | None = None, **parameters: Values) -> Path:
        """The file of the member with the given parameters, see `Solution.to_vtk`."""
        return self.member(**parameters).to_vtk(path, t, n)

    def _member(self, values: Mapping[str, Values]) -> tuple[Solution, dict[str, Values]]:
        chosen, rest = self._split(values)
        return self.member(**chosen), rest

    # ---- Parameters by name

    @property
    def _approximation(self) -> FamilyApproximation:
        assert self.approximation is not None
        return self.approximation

    @property
    def _parameter_hint(self) -> str:
        return f"the parameters are {', '.join(self.parameter_names)}"

    def _split(self, values: Mapping[str, Values]) -> tuple[dict[str, Values], dict[str, Values]]:
        """The values of parameters by the keys of their names, and those of coordinates."""
        keys = {name_key(name) for name in self.parameter_names}
        chosen = {name_key(name): value for name, value in values.items() if name_key(name) in keys}
        return chosen, {name: value for name, value in values.items() if name_key(name) not in keys}

    def _reference(self, chosen: Mapping[str, Values | None]) -> Tensor:
        """Reference variables (…, p) from values by name; None stands for the center."""
        missing = [name for name in self.parameter_names if name_key(name) not in chosen]
        if missing:
            raise ValueError(
                f"the solution is a function of {', '.join(self.parameter_names)}: {missing[0]} is missing"
            )
        tensors: dict[str, Tensor] = {}
        for name in self.parameter_names:
            value = chosen[name_key(name)]
            tensors[name] = torch.as_tensor(torch.nan if value is None else value, dtype=torch.float64)
        columns = []
        for p in self.family.parameters:
            values = tensors[p.function or p.name]
            if p.function:
                own = [q for q in self.family.parameters if q.function == p.function]
                if values.ndim == 0 or values.shape[-1] != len(own):
                    raise ValueError(f"{p.function} must have the shape (…, {len(own)}), got {tuple(values.shape)}")
                values = values[..., own.index(p)]
            columns.append(_reference_variable(p, values))
        return torch.stack(torch.broadcast_tensors(*columns), -1)  # type: ignore[no-untyped-call]

    # ---- Values

    def _inside(self, points: Tensor, evaluate: Callable[[Tensor, Tensor], Tensor], *shape: int) -> Tensor:
        """The values (n, …, c) of a function of points in the domain and of their positions; NaN outside."""
        coordinates = self._evaluation.coordinates
        inside = coordinates.contains(points)
        values = points.new_full((len(points), *shape, len(self.problem.components)), torch.nan)
        if bool(inside.any()):
            with torch.no_grad():
                values[inside] = evaluate(coordinates.wrap(points)[inside], inside).to(values)
        return values


def _reference_variable(parameter: FamilyParameter, values: Tensor) -> Tensor:
    """The reference variable of values; raises ValueError outside of the interval. NaN becomes 0."""
    end = MAX_DEVIATIONS if is_normal(parameter.distribution) else 1.0
    flat = [0.0 if v != v else _checked_reference(parameter, v) for v in values.reshape(-1).tolist()]
    y = torch.tensor(flat, dtype=torch.float64).reshape(values.shape)
    if bool((y.abs() > end * (1 + END_RTOL)).any()):
        low, high = (value_at(parameter.distribution, y) for y in (-end, end))
        raise ValueError(f"{parameter.name} must be in [{low:g}, {high:g}]")
    return y.clamp(-end, end)


def _checked_reference(parameter: FamilyParameter, value: float) -> float:
    try:
        return reference_at(parameter.distribution, value)
    except ValueError:  # the logarithm of a number that is not positive
        raise ValueError(f"{parameter.name} must be positive") from None


def sample_members(family: Family, count: int, seed: int) -> Tensor:
    """Reference variables (count, p) of random members."""
    generator = torch.Generator().manual_seed(seed)
    uniform = torch.rand(count, len(family.parameters), generator=generator, dtype=torch.float64) * 2 - 1
    normal = torch.randn(count, len(family.parameters), generator=generator, dtype=torch.float64)
    is_gaussian = torch.tensor([is_normal(p.distribution) for p in family.parameters])
    return torch.where(is_gaussian, normal, uniform)
