"""Fast diagonalization: Σᵢ Lᵢ u = f on a tensor-product grid by the eigenvectors of the Lᵢ (Lynch, Rice, Thomas 1964).

The boundary values of each axis are eliminated by its two conditions. With Lᵢ = Vᵢ Λᵢ Vᵢ⁻¹ on the interior nodes,
û = f̂ / Σᵢ λᵢ in the basis of the eigenvectors; n³ operations for n nodes per axis. Iterative refinement removes the
rounding errors of eigenvectors that are not orthogonal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.first_order_system import FirstOrderSystem
from pdedsl.ir.solver_plans import RobinFace, SeparableOperator

SINGULAR_RATIO = 1e-13  # smallest to largest |Σ λ| below which the operator counts as singular
MAX_REFINEMENTS = 4  # iterative refinement gains several digits per step
REFINEMENT_RTOL = 1e-13  # of a correction relative to the solution
CONVERGENCE_RTOL = 1e-6  # of the last correction relative to the solution: above, the eigenvectors are dependent


@dataclass(frozen=True)
class AxisOperator:
    """Lᵢ on the nodes of an axis with its boundary conditions B u = g."""

    operator: Tensor  # (n, n)
    conditions: Tensor  # (c, n)
    boundary: tuple[int, ...]  # nodes whose values the conditions determine
    interior: slice
    has_dirichlet_conditions: bool

    @cached_property
    def data_matrix(self) -> Tensor:
        """B_b⁻¹: boundary values from the data."""
        inverse: Tensor = torch.linalg.inv(self.conditions[:, list(self.boundary)])
        return inverse

    @cached_property
    def extension(self) -> Tensor:
        """-B_b⁻¹ B_i: boundary values from the interior values."""
        return -self.data_matrix @ self.conditions[:, self.interior]

    @cached_property
    def coupling(self) -> Tensor:
        """The rows of interior nodes, the columns of boundary nodes."""
        return self.operator[self.interior][:, list(self.boundary)]

    @cached_property
    def reduced(self) -> Tensor:
        """Lᵢ on the interior nodes, with the boundary values eliminated for g = 0."""
        return self.operator[self.interior, self.interior] + self.coupling @ self.extension

    @cached_property
    def eigensystem(self) -> tuple[Tensor, Tensor, Tensor]:
        """λ, V, V⁻¹."""
        values, vectors = torch.linalg.eig(self.reduced)
        return values, vectors, torch.linalg.inv(vectors)


def make_axis_operator(
    system: FirstOrderSystem, separable: SeparableOperator, axis: int, nodes: Tensor, derivative: Tensor
) -> AxisOperator:
    """From the nodes of an axis and the matrix of d/dx."""
    x, operator = system.statement.domain.space[axis], torch.zeros_like(derivative)
    for order, coefficient in separable.terms[axis]:
        (factor,) = compile_pointwise([coefficient], [x])(nodes)
        operator = operator + factor[:, None] * torch.linalg.matrix_power(derivative, order)
    faces = axis_faces(separable, axis)
    identity = torch.eye(len(nodes), dtype=nodes.dtype, device=nodes.device)
    ends = [len(nodes) - 1 if f.condition.place.upper else 0 for f in faces]
    rows = [float(f.alpha) * identity[k] + float(f.beta) * derivative[k] for f, k in zip(faces, ends, strict=True)]
    conditions = torch.stack(rows) if rows else derivative.new_zeros(0, len(nodes))
    interior, dirichlet = slice(1, -1) if faces else slice(None), all(f.beta == 0 for f in faces)
    return AxisOperator(operator, conditions, tuple(ends), interior, dirichlet)


def axis_faces(separable: SeparableOperator, axis: int) -> tuple[RobinFace, ...]:
    return tuple(f for f in separable.faces if f.condition.place.coordinate == axis)


@dataclass(frozen=True)
class SeparableSystem:
    """The operators of all axes."""

    axes: tuple[AxisOperator, ...]

    @property
    def interior(self) -> tuple[slice, ...]:
        return tuple(a.interior for a in self.axes)

    @cached_property
    def eigenvalues(self) -> Tensor:
        """Σᵢ λᵢ, at the interior nodes."""
        total = torch.zeros((), dtype=torch.complex128)
        for k, axis in enumerate(self.axes):
            shape = [1] * len(self.axes)
            shape[k] = -1
            total = total + axis.eigensystem[0].reshape(shape)
        return total

    @property
    def is_singular(self) -> bool:
        sizes = self.eigenvalues.abs()
        return bool(sizes.min() <= SINGULAR_RATIO * sizes.max())

    def invert(self, right: Tensor) -> Tensor:
        """Interior values with Σᵢ Lᵢ u = right for homogeneous conditions, without refinement."""
        transformed = right.to(self.eigenvalues.dtype)
        for k, axis in enumerate(self.axes):
            transformed = apply_along(axis.eigensystem[2], transformed, k)
        transformed = transformed / self.eigenvalues
        for k, axis in enumerate(self.axes):
            transformed = apply_along(axis.eigensystem[1], transformed, k)
        return transformed.real

    def apply(self, values: Tensor) -> Tensor:
        """Σᵢ Lᵢ u from interior values, for homogeneous conditions."""
        return torch.stack([apply_along(a.reduced, values, k) for k, a in enumerate(self.axes)]).sum(0)

    def solve(self, right: Tensor) -> Tensor | None:
        """Interior values with Σᵢ Lᵢ u = right for homogeneous conditions; None if the refinement does not converge."""
        solution = self.invert(right)
        correction = solution
        for _ in range(MAX_REFINEMENTS):
            correction = self.invert(right - self.apply(solution))
            solution = solution + correction
            if float(correction.norm()) <= REFINEMENT_RTOL * float(solution.norm()):
                break
        converged = float(correction.norm()) <= CONVERGENCE_RTOL * max(float(solution.norm()), 1e-300)
        return solution if converged else None

    def extend(self, interior: Tensor, data: Sequence[Tensor]) -> Tensor:
        """All nodal values; data[k] are those of the conditions of axis k, at both ends along dimension k and at all
        nodes of the others. Dirichlet conditions, which come last, determine the values on edges."""
        values, open_axes = interior, set(range(len(self.axes)))
        for k in sorted(open_axes, key=lambda k: self.axes[k].has_dirichlet_conditions):
            open_axes.remove(k)
            if self.axes[k].boundary:
                slices = tuple(i if j in open_axes else slice(None) for j, i in enumerate(self.interior))
                values = self._extend_along(k, values, data[k][slices])
        return values

    def _extend_along(self, k: int, values: Tensor, data: Tensor) -> Tensor:
        axis, shape = self.axes[k], list(values.shape)
        ends = apply_along(axis.extension, values, k) + apply_along(axis.data_matrix, data, k)
        shape[k] += len(axis.boundary)
        extended = values.new_zeros(shape)
        extended.narrow(k, 1, values.shape[k]).copy_(values)
        for j, node in enumerate(axis.boundary):
            extended.select(k, node).copy_(ends.select(k, j))
        return extended


def apply_along(matrix: Tensor, values: Tensor, axis: int) -> Tensor:
    """A matrix applied along one dimension."""
    return torch.movedim(torch.tensordot(matrix, values, dims=([1], [axis])), 0, axis)
