"""Implicit Runge-Kutta methods from their records in `numerics.butcher`: steps in networks and on grids.

In networks the stages are a fixed point, found by Anderson's method for each sample and differentiated by the implicit
function theorem. On grids, for M ∂w/∂t = R(w, t) with singular diagonal M, they are found by Newton's method (Hairer,
Wanner 1996, IV.8): the stages W satisfy Σⱼ (A⁻¹)ᵢⱼ M (Wⱼ - w) / h = R(Wᵢ, tᵢ), which also imposes every algebraic
equation, M = 0, at the stages, and at the end if the method is stiffly accurate. The Newton matrix decouples into
(λ/h) M - J, once for each real eigenvalue λ of A⁻¹ and once for each complex pair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from math import nan
from typing import Any, cast, final

import numpy as np
import torch
from torch import Tensor

from pdedsl.numerics.butcher import IMPLICIT, ImplicitRungeKutta
from pdedsl.runtime.image_fields import VectorField
from pdedsl.runtime.linalg import LUFactorization
from pdedsl.runtime.ode.adaptive import NotExportable
from pdedsl.runtime.ode.explicit import OneStepMethod

# ---- In networks


ANDERSON_WINDOW = 10  # earlier iterates that are combined
MAX_ANDERSON_ITERATIONS = 100  # evaluations of all stages in one step, at most
TOL_EXPONENT = 0.75  # the tolerance is this power of the machine precision: 6e-6 in single, 2e-12 in double precision
RIDGE_ROUNDINGS = 10.0  # of the normal equations, in units of the machine precision


@final
@dataclass(frozen=True)
class ImplicitIntegrator(OneStepMethod):
    """An implicit Runge-Kutta method. A sample whose stages do not converge becomes NaN; gradients have no graph:
    second derivatives raise an error.

    `Radau5()`, `ImplicitMidpoint()`, … of this module are the methods of `pdedsl.numerics.butcher`.

    Args:
        method: the Butcher tableau.

    Raises:
        NotExportable: by `integrate`, under torch.export or vmap.

    Example:
        >>> import torch
        >>> from pdedsl.numerics.butcher import RADAU5
        >>> from pdedsl.runtime import ImplicitIntegrator, TimeGrid
        >>> y = ImplicitIntegrator(RADAU5).integrate(lambda step, t, y: -y, torch.ones(1, 1), TimeGrid(0.0, 1.0, 4))
        >>> round(y.item(), 4)  # exp(-1)
        0.3679
    """

    method: ImplicitRungeKutta

    def step(self, field: VectorField, j: int, t: float, h: float, y: Tensor) -> Tensor:
        if torch.compiler.is_exporting() or torch._C._functorch.is_batchedtensor(y):
            raise NotExportable(
                "implicit methods iterate until convergence, which torch.export, ONNX and vmap cannot trace: "
                "use an explicit method, such as realize time by rk4(steps=8)"
            )
        matrix, weights = y.new_tensor(self.method.matrix), y.new_tensor(end_weights(self.method))

        def stage_map(stages: Tensor) -> Tensor:
            """y + h Σⱼ aᵢⱼ f(Zⱼ), for stages (batch, s, …)."""
            nodes = zip(self.method.nodes, stages.unbind(1), strict=True)
            derivatives = torch.stack([field(j, t + c * h, z) for c, z in nodes], -1)
            return y.unsqueeze(1) + h * (derivatives @ matrix.T).movedim(-1, 1)

        stages = solve_fixed_point(stage_map, y.unsqueeze(1).expand(-1, self.method.stages, *y.shape[1:]))
        end: Tensor = y + torch.tensordot(stages - y.unsqueeze(1), weights, dims=([1], [0]))
        return end


def __getattr__(label: str) -> Callable[[], ImplicitIntegrator]:
    """`Radau5()`, `ImplicitMidpoint()`, …: every implicit method by its label."""
    for method in IMPLICIT.values():
        if method.label == label:
            return partial(ImplicitIntegrator, method)
    raise AttributeError(f"no integrator {label!r}")


@cache
def end_weights(method: ImplicitRungeKutta) -> tuple[float, ...]:
    """d = A⁻ᵀb: the step ends at y + Σᵢ dᵢ (Zᵢ - y)."""
    if method.is_stiffly_accurate:
        return (*(0.0,) * (method.stages - 1), 1.0)
    return tuple(np.linalg.solve(np.array(method.matrix).T, method.weights).tolist())


def solve_fixed_point(function: Callable[[Tensor], Tensor], start: Tensor) -> Tensor:
    """z = g(z) for each row z (batch, …), NaN where the iteration fails; dz = (I - ∂g/∂z)⁻¹ dg."""
    with torch.no_grad():
        point = _anderson(function, start.detach())
    value = function(point)
    if not value.requires_grad:
        return value
    value = function(point.requires_grad_())

    def solve_adjoint(gradient: Tensor) -> Tensor:
        def adjoint_map(v: Tensor) -> Tensor:
            (product,) = torch.autograd.grad(value, point, v, retain_graph=True, materialize_grads=True)
            return gradient + product

        return _anderson(adjoint_map, gradient)

    return cast(Tensor, _ImplicitGradient.apply(value, solve_adjoint))


class _ImplicitGradient(torch.autograd.Function):
    """The identity, whose gradient solves the adjoint equation v = g + Jᵀv."""

    @staticmethod
    def forward(ctx: Any, value: Tensor, solve_adjoint: Callable[[Tensor], Tensor]) -> Tensor:
        ctx.solve_adjoint = solve_adjoint
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        if torch.is_grad_enabled():  # by create_graph
            raise RuntimeError("implicit steps are differentiable once: use an explicit method for second derivatives")
        return ctx.solve_adjoint(gradients[0]), None


def _anderson(function: Callable[[Tensor], Tensor], start: Tensor) -> Tensor:
    """Anderson's method for each row, which for affine g is GMRES (Walker, Ni 2011); converged rows do not change."""
    eps, z = torch.finfo(start.dtype).eps, start.clone()
    done = ~start.flatten(1).isfinite().all(1)
    values: list[Tensor] = []
    residuals: list[Tensor] = []
    for _ in range(MAX_ANDERSON_ITERATIONS):
        value = function(z).detach()
        values, residuals = [*values, value.flatten(1)][-ANDERSON_WINDOW:], [*residuals, (value - z).flatten(1)]
        residuals = residuals[-ANDERSON_WINDOW:]
        size = values[-1].norm(dim=1)
        done = done | (size.isfinite() & (residuals[-1].norm(dim=1) <= eps**TOL_EXPONENT * size))
        if bool(done.all()):
            return z
        z = torch.where(_rows(done, z), z, _mix(values, residuals, RIDGE_ROUNDINGS * eps).reshape(z.shape))
    return torch.where(_rows(done, z), z, z * nan)


def _mix(values: list[Tensor], residuals: list[Tensor], ridge: float) -> Tensor:
    """g - ΔG γ, where γ minimises ‖r - ΔR γ‖."""
    if len(values) == 1:
        return values[-1]
    changes = torch.stack([b - a for a, b in pairwise(residuals)], 1)
    steps = torch.stack([b - a for a, b in pairwise(values)], 1)
    gram = changes @ changes.mT
    scale = gram.diagonal(dim1=-2, dim2=-1).sum(-1).clamp_min(torch.finfo(gram.dtype).tiny)
    identity = torch.eye(gram.shape[-1], dtype=gram.dtype, device=gram.device)
    right = changes @ residuals[-1].unsqueeze(-1)
    gamma, _ = torch.linalg.solve_ex(gram / scale[:, None, None] + ridge * identity, right / scale[:, None, None])
    mixed: Tensor = values[-1] - (gamma.mT @ steps).squeeze(1)
    return mixed


def _rows(mask: Tensor, like: Tensor) -> Tensor:
    return mask.view(-1, *[1] * (like.dim() - 1))


# ---- On grids


MAX_NEWTON_ITERATIONS = 12  # with a Jacobian from an earlier step; then the step is halved
NEWTON_RTOL = 1e-12  # relative size of the last Newton correction
SLOW_NEWTON_ITERATIONS = 4  # iterations after which the Jacobian is recomputed for the next step


@dataclass
class NewtonSteps:
    """Steps of length T / 2^level. `right` and `jacobian` are R and ∂R/∂w; `mass` is the diagonal of M."""

    right: Callable[[Tensor, float], Tensor]
    jacobian: Callable[[Tensor, float], Tensor]
    mass: Tensor
    length: float
    affine: bool  # whether one Jacobian serves for all states and times
    method: ImplicitRungeKutta
    factorizations: dict[int, list[LUFactorization]] = field(default_factory=dict)

    def __call__(self, w: Tensor, time: float, level: int) -> Tensor:
        """One step; NaN if Newton's method fails, so that step control rejects it."""
        if not bool(w.isfinite().all()):
            return w  # the result of a step that failed
        fresh = level not in self.factorizations
        if fresh:
            self._factor(w.detach(), time, level)
        solution = self._newton(w, time, level)
        if solution is None and not self.affine and not fresh:
            self._factor(w.detach(), time, level)
            solution = self._newton(w, time, level)
        return w * nan if solution is None else solution

    def _factor(self, w: Tensor, time: float, level: int) -> None:
        jacobian = self.jacobian(w, time).detach()
        h = self.length / 2**level
        self.factorizations[level] = [
            LUFactorization.of(torch.diag(self.mass * (value / h)) - jacobian)
            for value in stage_decomposition(self.method).eigenvalues
        ]

    def _newton(self, w: Tensor, time: float, level: int) -> Tensor | None:
        with torch.no_grad():
            stages, iterations = self._iterate(w.detach(), time, level)
        if stages is None:
            return None
        if w.requires_grad or self._requires_grad(w, time):
            for _ in range(1 if self.affine else iterations + 1):  # gradients converge at the rate of the iteration
                stages = stages - self._correction(stages, w, time, level)
        if iterations > SLOW_NEWTON_ITERATIONS:
            del self.factorizations[level]
        if self.method.is_stiffly_accurate:
            return stages[-1]
        return w + w.new_tensor(end_weights(self.method)) @ (stages - w)

    def _requires_grad(self, w: Tensor, time: float) -> bool:
        return torch.is_grad_enabled() and self.right(w, time).requires_grad

    def _iterate(self, w: Tensor, time: float, level: int) -> tuple[Tensor | None, int]:
        stages, before = w.expand(self.method.stages, -1).clone(), float("inf")
        for k in range(1, MAX_NEWTON_ITERATIONS + 1):
            correction = self._correction(stages, w, time, level)
            stages = stages - correction
            size = float(correction.norm() / stages.norm().clamp_min(1e-300))
            if size <= NEWTON_RTOL or (self.affine and k == 2) or (size < 1e-10 and size > before / 2):
                return stages, k
            if not size < before * (2 if k < 3 else 0.5):
                break
            before = size
        return None, MAX_NEWTON_ITERATIONS

    def _correction(self, stages: Tensor, w: Tensor, time: float, level: int) -> Tensor:
        h, split = self.length / 2**level, stage_decomposition(self.method)
        right = torch.stack([self.right(s, time + c * h) for s, c in zip(stages, self.method.nodes, strict=True)])
        gap = w.new_tensor(split.inverse) @ ((stages - w) * self.mass) / h - right
        back, there = (torch.as_tensor(m, device=w.device) for m in (split.back, split.there))
        parts = there @ gap.to(back.dtype)
        total = torch.zeros_like(stages)
        solved: list[Tensor] = []
        for k, (value, factors) in enumerate(zip(split.eigenvalues, self.factorizations[level], strict=True)):
            coupling = sum((c * s for c, s in zip(split.coupling[k], solved, strict=False)), torch.zeros_like(w))
            part = (parts[k] if isinstance(value, complex) else parts[k].real) - coupling * self.mass / h
            solved.append(factors.solve(part))
            total = total + (2 if isinstance(value, complex) else 1) * (back[:, k : k + 1] * solved[-1]).real
        return total


@dataclass(frozen=True)
class StageDecomposition:
    """A⁻¹ = V T V⁻¹ with lower triangular T. `eigenvalues` are the diagonal of T, one of each complex pair; `back` and
    `there` are V and V⁻¹, `coupling` is T below the diagonal."""

    inverse: np.ndarray
    eigenvalues: tuple[float | complex, ...]
    back: np.ndarray
    there: np.ndarray
    coupling: np.ndarray


@cache
def stage_decomposition(method: ImplicitRungeKutta) -> StageDecomposition:
    """T is A⁻¹ itself for diagonally implicit methods, otherwise diagonal: the real eigenvalues first, then pairs."""
    inverse = np.linalg.inv(np.array(method.matrix))
    identity, zero = np.eye(method.stages), np.zeros_like(inverse)
    if not np.triu(inverse, 1).any():
        return StageDecomposition(inverse, tuple(inverse.diagonal().tolist()), identity, identity, np.tril(inverse, -1))
    _, vectors = np.linalg.eig(inverse)
    values = np.linalg.eigvals(inverse)
    real, above, below = (np.flatnonzero(np.sign(values.imag) == s) for s in (0, 1, -1))
    back = vectors[:, [*real, *above, *below]].astype(complex)
    for k in range(len(real)):
        back[:, k] = (back[:, k] / back[np.abs(back[:, k]).argmax(), k]).real
    eigenvalues = (*(float(v.real) for v in values[real]), *map(complex, values[above]))
    return StageDecomposition(inverse, eigenvalues, back, np.linalg.inv(back), zero)
