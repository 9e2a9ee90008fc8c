"""A field of a solution, that is an unknown or one of its components: values, gradient, integrals, plots, files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from sympy import S
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.boundary import Face, Place
from pdedsl.runtime.diff.autodiff import partial_derivatives
from pdedsl.solvers.coordinates import Coordinates
from pdedsl.solvers.quadrature import (
    MAX_POINTS,
    QuadratureRule,
    boundary_places,
    boundary_rules,
    domain_rules,
    integrate,
)

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from xarray import Dataset

    from pdedsl.solvers.coordinates import Values

BATCH_SIZE = 1 << 14  # points at a time
MONTE_CARLO_NODES = 64  # of a quadrature rule, if each costs thousands of paths
BOUNDARY = "boundary"  # all of it


@dataclass(frozen=True)
class Evaluation:
    """A solution as a function of points in the order of the domain, with NaN outside of the closed domain."""

    title: str
    coordinates: Coordinates
    names: tuple[str, ...]  # of the components
    function: Callable[[Tensor], Tensor]
    module: nn.Module
    curves: tuple[tuple[str, Place], ...] = ()  # of the boundary, as written in the spec
    imaginary: tuple[int, ...] = ()  # components that are imaginary parts of those before them
    complex_names: tuple[str, ...] = ()  # of the complex numbers of components; empty for real ones
    is_monte_carlo: bool = False

    def values(self, points: Tensor) -> Tensor:
        """(n, k) to (n, c)."""
        x = self._to_device(points)
        inside = self.coordinates.contains(x)
        x = self.coordinates.wrap(x)
        if bool(inside.all()):
            return self.function(x)
        values = x.new_full((len(x), len(self.names)), torch.nan)
        return values.index_put((inside,), self.function(x[inside]).to(values)) if bool(inside.any()) else values

    def require_space(self) -> None:
        if not self.coordinates.dimension:
            raise ValueError("the solution is a function of time alone: it has no gradient, integral or flux")

    def gradients(self, points: Tensor, components: Sequence[int]) -> Tensor:
        """∂u_c/∂x_k for the given components and the coordinates of space, (n, components, d), also outside."""
        self.require_space()
        if self.is_monte_carlo:
            raise ValueError(
                "a Monte Carlo solution has no gradient: the mean of pathwise derivatives of absorbed paths is not the "
                "derivative of the mean; solve by another method, such as 'realize equation by grid'"
            )
        d = self.coordinates.dimension
        paths = [(c, k) for c in components for k in range(d)]
        parts = torch.split(self._to_device(points), BATCH_SIZE)
        columns = [partial_derivatives(self.function, part, *paths).detach() for part in parts]
        return torch.cat(columns).reshape(-1, len(components), d) / self._metric_values(points, False)[:, None, :]

    def volume(self, points: Tensor) -> Tensor:
        """The volume element at points of space, (n, 1)."""
        return self._metric_values(points, True)

    def surface(self, points: Tensor, axis: int) -> Tensor:
        """The area element of a face normal to an axis, (n, 1)."""
        return self._metric_values(points, True) / self._metric_values(points, False)[:, axis : axis + 1].to(points)

    def _metric_values(self, points: Tensor, volume: bool) -> Tensor:
        """The volume element (n, 1), or the scale factors (n, d)."""
        domain = self.coordinates.domain
        exprs = [S.One] * (1 if volume else self.coordinates.dimension)
        if domain.metric is not None:
            exprs = [domain.metric.volume] if volume else list(domain.metric.scales)
        space = self._to_device(points)[:, : self.coordinates.dimension]
        return torch.stack(compile_pointwise(exprs, domain.space)(*space.unbind(-1)), -1)

    @property
    def max_points(self) -> int:
        """Of a quadrature rule."""
        return MONTE_CARLO_NODES if self.is_monte_carlo else MAX_POINTS

    def _to_device(self, points: Tensor) -> Tensor:
        stored = next(iter((*self.module.buffers(), *self.module.parameters())), None)
        return points if stored is None else points.to(stored.device)

    def boundary_of(self, name: str) -> tuple[Place, ...]:
        """The faces and level sets with a name: that of a face, a curve as written in a condition, or all of them."""
        domain = self.coordinates.domain
        places = boundary_places(domain)
        if name == BOUNDARY:
            return places
        named: dict[str, Place] = {place.name: place for place in places}
        named |= {text: place for text, place in self.curves if place in places}
        match = {_without_spaces(text): place for text, place in named.items()}.get(_without_spaces(name))
        if match is None:
            known = ", ".join(repr(text) for text in (BOUNDARY, *named))
            raise ValueError(f"there is no boundary '{name}': the boundaries are {known}")
        return (match,)


def _without_spaces(text: str) -> str:
    return "".join(text.split())


# ---- Fields


@dataclass(frozen=True)
class Selection:
    """Components of a solution; a scalar has no axis of components. `is_field`: they are a scalar or a vector."""

    evaluation: Evaluation
    name: str
    components: tuple[int, ...]
    is_scalar: bool
    is_field: bool = True

    @property
    def scalar_names(self) -> tuple[str, ...]:
        """The names of the scalars in `joined` values."""
        shown = self.evaluation.complex_names
        is_joined = any(c in self.evaluation.imaginary and c - 1 in self.components for c in self.components)
        names = dict.fromkeys(
            (shown[c] or self.evaluation.names[c]) if is_joined else self.evaluation.names[c] for c in self.components
        )
        return tuple(names)

    def joined(self, values: Tensor) -> Tensor:
        """Values (n, components, …) with one complex number for the real and imaginary part of an unknown."""
        columns: list[Tensor] = []
        is_complex = any(c in self.evaluation.imaginary and c - 1 in self.components for c in self.components)
        for k, c in enumerate(self.components):
            if is_complex and c in self.evaluation.imaginary:
                columns[-1] = torch.complex(columns[-1].real, values[:, k])
            else:
                columns.append(values[:, k] + 0j if is_complex else values[:, k])
        return torch.stack(columns, 1)

    def shaped(self, values: Tensor, shape: Sequence[int], *axes: int) -> Tensor:
        """Values (n, components, …) for n points in the given shape."""
        joined = self.joined(values)
        return joined.reshape((*shape, *(() if self.is_scalar else (joined.shape[1],)), *axes))


class SolutionFunctions:
    """Evaluation, differentiation, integration, plots and export of a solution or one of its fields."""

    @property
    def _selection(self) -> Selection:
        raise NotImplementedError

    def contains(self, points: Values | None = None, /, **coordinates: Values) -> Tensor:
        """Whether points lie in the closed domain.

        The solution is not extrapolated: its values outside of the domain are NaN, by every method. Periodic axes have
        no ends; points on them are moved by periods.

        Args:
            points: points (n, k), columns in the order of the unknown's arguments; or
            coordinates: values by the names of the coordinates, broadcast against each other.

        Returns:
            A tensor of booleans, (n,) or of the shape of the coordinates.

        Raises:
            ValueError: if shapes or names of coordinates are wrong.

        Example:
            >>> import pdedsl
            >>> solution = pdedsl.solve("heat")
            >>> solution.contains(x=[0.5, 1.5], t=0.2).tolist()
            [True, False]
        """
        x, shape = self._points(points, coordinates)
        return self._selection.evaluation.coordinates.contains(x).reshape(shape)

    def gradient(self, points: Values | None = None, /, **coordinates: Values) -> Tensor:
        """∇u, the derivatives by the coordinates of space.

        Derivatives are those of the solution as a function, by automatic differentiation: piecewise for elements and
        finite volumes.

        Args:
            points: points (n, k), columns in the order of the unknown's arguments; or
            coordinates: values by the names of the coordinates, broadcast against each other.

        Returns:
            Tensor (…, d) for a scalar, (…, c, d) for c components, where … is n or the shape of the coordinates; NaN
            outside of the domain.

        Raises:
            ValueError: if shapes or names of coordinates are wrong, or for a Monte Carlo solution, which has none.

        Example:
            >>> import math
            >>> import pdedsl
            >>> solution = pdedsl.solve("heat")  # u = sin(πx) at t = 0
            >>> abs(solution.gradient(x=0.0, t=0.0).item() - math.pi) < 1e-4
            True
        """
        own = self._selection
        x, shape = self._points(points, coordinates)
        inside = own.evaluation.coordinates.contains(x)
        gradients = own.evaluation.gradients(own.evaluation.coordinates.wrap(x), own.components)
        gradients = torch.where(inside.to(gradients.device)[:, None, None], gradients, torch.nan)
        return own.shaped(gradients, shape, own.evaluation.coordinates.dimension)

    def integral(self, t: Values | None = None) -> Tensor:
        """∫u dx over the domain, at given times.

        By Gauss-Legendre quadrature on boxes, on the elements of a curved mesh for shapes, and by Sobol points in high
        dimensions.

        Args:
            t: a time or an array of times; None for a stationary problem.

        Returns:
            Tensor of the shape of t for a scalar, with an axis of components (…, c) otherwise.

        Raises:
            ValueError: if a time is missing or outside of its interval, the domain is unbounded, or there is no space.

        Example:
            >>> import math
            >>> import pdedsl
            >>> solution = pdedsl.solve("heat")  # u = sin(πx) at t = 0
            >>> abs(solution.integral(t=0.0).item() - 2 / math.pi) < 1e-6
            True
        """
        evaluation, components = self._selection.evaluation, list(self._selection.components)
        evaluation.require_space()

        def at(rule: QuadratureRule, t: Tensor | None) -> Tensor:
            points = evaluation.coordinates.at_time(rule.points, t)
            values = _in_batches(evaluation.function, evaluation._to_device(points)).cpu()[:, components]
            return values * evaluation.volume(rule.points).cpu()

        domain, module = evaluation.coordinates.domain, evaluation.module
        return self._integrate(t, lambda: domain_rules(domain, module, evaluation.max_points), at)

    def flux(self, boundary: str = BOUNDARY, t: Values | None = None) -> Tensor:
        """∫ ∂u/∂n dS of a scalar u, or ∫ v·n dS of a vector v, through a part of the boundary with outer normal n.

        The physical flux of -k∇u is -k times the first one.

        Args:
            boundary: "left", "right", "bottom", "top", "back", "front", a curve as written in a condition, such as
                "x² + y² = 1", or "boundary" for all of it.
            t: a time or an array of times; None for a stationary problem.

        Returns:
            Tensor of the shape of t.

        Raises:
            ValueError: if the boundary or a time is missing, if there is more than one unknown (use
                `solution["v"].flux()`), or for the
                gradient of a Monte Carlo solution.

        Example:
            >>> import math
            >>> import pdedsl
            >>> solution = pdedsl.solve("heat")  # u = sin(πx) at t = 0
            >>> abs(solution.flux("right", t=0.0).item() + math.pi) < 1e-4
            True
        """
        own, evaluation = self._selection, self._selection.evaluation
        evaluation.require_space()
        if not own.is_field or (not own.is_scalar and len(own.components) != evaluation.coordinates.dimension):
            raise ValueError(
                "the flux is that of a scalar, or of a vector with as many components as there are coordinates of "
                f'space: name one, as in solution["{evaluation.names[0]}"].flux()'
            )
        places = evaluation.boundary_of(boundary)

        def at(rule: QuadratureRule, t: Tensor | None, place: Place) -> Tensor:
            points = evaluation.coordinates.at_time(rule.points, t)
            if own.is_scalar:
                vectors = evaluation.gradients(points, own.components)[:, 0].cpu()
            else:
                vectors = _in_batches(evaluation.function, evaluation._to_device(points)).cpu()[:, list(own.components)]
            assert rule.normals is not None
            through = (vectors * rule.normals).sum(-1, keepdim=True)
            if isinstance(place, Face):
                through = through * evaluation.surface(rule.points, place.coordinate).cpu()
            return through

        domain, module = evaluation.coordinates.domain, evaluation.module
        parts = [
            self._integrate(
                t,
                partial(boundary_rules, domain, module, p, evaluation.max_points),
                partial(at, place=p),
                scalar=True,
            )
            for p in places
        ]
        return torch.stack(parts).sum(0)

    def plot(self, *, cmap: str | None = None, n: int | None = None, ax: Axes | None = None, **at: Values) -> Figure:
        """Plot the solution: curves in one dimension, images in two, slices otherwise.

        Values of one sign have a sequential colour map; otherwise it is diverging, with zero in its middle. Shapes have
        equal scales on both axes. By default more than two coordinates are reduced to slices through the center, at
        three times.

        Args:
            cmap: colour map of matplotlib; None for one that fits the signs.
            n: points per axis.
            ax: axes of matplotlib for a single panel; None for a new figure.
            at: coordinates that are fixed, as in `t=0.5` or `t=[0, 0.5, 1]`; there is a panel for each value.

        Returns:
            The figure of matplotlib; `figure.savefig("u.png")` writes it.

        Raises:
            ValueError: if a coordinate is unknown or outside of the domain, no coordinate varies, or `ax` is given for
                several panels.

        Example:
            >>> import pdedsl
            >>> solution = pdedsl.solve("heat")
            >>> figure = solution.plot(t=[0.0, 0.5, 1.0])
            >>> [ax.get_title() for ax in figure.axes]
            ['t = 0', 't = 0.5', 't = 1']
        """
        from pdedsl.solvers.plots import plot_fields

        return plot_fields(self._selection, cmap, n, ax, at)

    def to_numpy(self, n: int | None = None, **coordinates: Values) -> dict[str, np.ndarray]:
        """Values on a grid, as arrays.

        Args:
            n: points per axis, for coordinates that are not given.
            coordinates: points of an axis (m,), or a number, which has no axis.

        Returns:
            Arrays by name: the coordinates, and each scalar on their product, with axes in the order of the unknown's
            arguments; NaN outside of the domain.

        Raises:
            ValueError: if a coordinate is unknown or has more than one dimension.

        Example:
            >>> import pdedsl
            >>> arrays = pdedsl.solve("heat").to_numpy(n=11, t=[0.0, 1.0])
            >>> {name: array.shape for name, array in arrays.items()}
            {'x': (11,), 't': (2,), 'u': (11, 2)}
        """
        from pdedsl.solvers.export import to_numpy

        return to_numpy(self._selection, n, coordinates)

    def to_xarray(self, n: int | None = None, **coordinates: Values) -> Dataset:
        """Values on a grid, as a data set of xarray.

        Args:
            n: points per axis, for coordinates that are not given.
            coordinates: points of an axis (m,), or a number, which has no axis.

        Returns:
            `xarray.Dataset` with a variable for each scalar.

        Raises:
            ImportError: if xarray is not installed.
            ValueError: if a coordinate is unknown or has more than one dimension.

        Example:
            >>> import pdedsl
            >>> dataset = pdedsl.solve("heat").to_xarray(n=11)
            >>> dict(dataset.u.sizes)
            {'x': 11, 't': 11}
        """
        from pdedsl.solvers.export import to_xarray

        return to_xarray(self._selection, n, coordinates)

    def to_vtk(self, path: str | Path, t: Values | None = None, n: int | None = None) -> Path:
        """Write the solution for ParaView: its elements, or a grid, with the values at nodes.

        Args:
            path: file; its ending is that of a format of meshio, `.vtu`, `.vtk` or `.xdmf`.
            t: a time; for `.xdmf` also an array of times; None for a stationary problem.
            n: points per axis of a box, for solutions other than by elements.

        Returns:
            The path.

        Raises:
            ValueError: if a time is missing or outside of its interval, there are several for a format with one, or
                space has more than three dimensions.

        Example:
            >>> import meshio
            >>> import pdedsl
            >>> solution = pdedsl.solve("poisson")
            >>> meshio.read(solution.to_vtk("poisson.vtu", n=11)).point_data["u"].shape
            (121,)
        """
        from pdedsl.solvers.export import to_vtk

        file = Path(path)
        to_vtk(self._selection, file, self._selection.evaluation.coordinates.times(t), n)
        return file

    def _integrate(
        self,
        t: Values | None,
        rules: Callable[[], Iterator[QuadratureRule]],
        f: Callable[[QuadratureRule, Tensor | None], Tensor],
        scalar: bool = False,
    ) -> Tensor:
        times = self._selection.evaluation.coordinates.times(t)
        shape: Sequence[int] = () if times is None else times.shape
        moments = [None] if times is None else list(times.reshape(-1))
        integrals = [integrate(lambda rule, moment=moment: f(rule, moment), rules()) for moment in moments]  # type: ignore[misc]
        stacked = (
            torch.stack(integrals) if integrals else torch.zeros(0, 1 if scalar else len(self._selection.components))
        )
        return stacked.reshape(shape) if scalar else self._selection.shaped(stacked, shape)

    def _points(self, points: Values | None, coordinates: Mapping[str, Values]) -> tuple[Tensor, tuple[int, ...]]:
        """Points (n, k) in the order of the domain, and the shape of the result."""
        system = self._selection.evaluation.coordinates
        if points is not None:
            if coordinates:
                raise ValueError("give either points (n, k) or coordinates by name, not both")
            x = system.from_columns(points)
            return x, (len(x),)
        x = system.from_names(coordinates)
        return x.reshape(-1, x.shape[-1]), tuple(x.shape[:-1])


def _in_batches(f: Callable[[Tensor], Tensor], points: Tensor) -> Tensor:
    with torch.no_grad():
        return torch.cat([f(part) for part in torch.split(points, BATCH_SIZE)])


class SolutionField(SolutionFunctions):
    """An unknown of a solution, or a component of a vector: `field(x=…, t=…)` are its values.

    Obtained by `solution["u"]` or `solution.u`; `solution["v_1"]` is the first component of a vector v.

    Args:
        selection: the components.

    Example:
        >>> import pdedsl
        >>> solution = pdedsl.solve("heat")
        >>> solution["u"](x=[0.25, 0.5, 0.75], t=0.1).shape
        torch.Size([3])
    """

    def __init__(self, selection: Selection) -> None:
        self._chosen = selection

    @property
    def _selection(self) -> Selection:
        return self._chosen

    @property
    def name(self) -> str:
        return self._chosen.name

    def __repr__(self) -> str:
        names = ", ".join(self._chosen.evaluation.coordinates.names)
        return f"<{self._chosen.name}({names}) of {self._chosen.evaluation.title}>"

    def __call__(self, points: Values | None = None, /, **coordinates: Values) -> Tensor:
        """Values: (…) for a scalar, (…, c) for a vector, where … is n or the shape of the coordinates."""
        own = self._selection
        x, shape = self._points(points, coordinates)
        return own.shaped(own.evaluation.values(x)[:, list(own.components)], shape)
