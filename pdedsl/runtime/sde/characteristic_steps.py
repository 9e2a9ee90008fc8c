"""Steps along a field on R^d with noise between them: any integrator along the characteristics; with noise,
Euler-Maruyama or the stochastic Heun method. The field is one module for all steps, and may depend on time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol, cast

import torch
from torch import Tensor, nn

from pdedsl.numerics.butcher import EXPLICIT, HEUN
from pdedsl.runtime.image_fields import Time
from pdedsl.runtime.ode.adaptive import AdaptiveSolver
from pdedsl.runtime.ode.explicit import Integrator, TimeGrid, VelocityField, characteristic_step
from pdedsl.runtime.sde.feynman_kac import EvolutionOperator
from pdedsl.runtime.sde.noise import CorrelatedNoise, ScaledNoise


def uniform_times(first: float, step: float, count: int) -> tuple[float, ...]:
    """first + k·step for k below count."""
    return tuple(first + k * step for k in range(count))


class CharacteristicSteps(nn.Module):
    """x ← x + Δt·v(x, t_k) + noise, for each t_k. Points keep their shape; `clock` is -1 for initial data.

    `after(t)` makes the noise of a step; if it depends on the state, then on x before the step, as in Euler-Maruyama,
    x + Δt·v(x) + s(x)·ξ. With noise, the Heun scheme is x + ½Δt·(v(x) + v(x*)) + s·ξ, where x* is the step of
    Euler-Maruyama with the same ξ, and s is evaluated at x and the middle of the step: weak order 2 for noise that does
    not depend on x, otherwise 1 (Kloeden, Platen, section 15.1). `inside(t)` makes what acts on the velocity of a step,
    such as dropout. A scheme may be an integrator of feature maps, for which each point is a sample: if it is adaptive,
    every point has its own steps and clock, and `evaluations` reports their cost.
    """

    def __init__(
        self,
        field: VelocityField,
        times: Sequence[float],
        dt: float,
        scheme: str | Integrator = "euler",
        clock: float = 1.0,
        after: Callable[[float], nn.Module] | None = None,
        inside: Callable[[float], nn.Module] | None = None,
    ) -> None:
        super().__init__()
        self.field, self.times, self.dt, self.scheme, self.clock = field, tuple(times), dt, scheme, clock
        self.integrator = scheme if isinstance(scheme, Integrator) else None
        self.evaluations: int | None = None
        self.evaluations_per_sample: tuple[int, ...] | None = None
        middle = 0.5 * clock * dt if scheme == HEUN.name else 0.0
        self.noise = nn.ModuleList(after(t + middle) for t in self.times) if after else None
        self.inside = nn.ModuleList(inside(t) for t in self.times) if inside else None
        if self.integrator and (after or inside):
            raise ValueError(f"{scheme} has no steps of Euler, behind or in which noise stands")

    def forward(self, x: Tensor) -> Tensor:
        if self.integrator is not None:
            return self._integrated(self.integrator, x.reshape(-1, x.shape[-1])).reshape(x.shape)
        method = EXPLICIT[cast(str, self.scheme)]
        for k, t in enumerate(self.times):
            if self.noise is not None and method is HEUN:
                x = self._heun(self.noise[k], x, t)
                continue
            moved = characteristic_step(method, self._velocity(k), x, self.dt, t, self.clock)
            x = moved if self.noise is None else _shaken(self.noise[k], moved, x)
        return x

    def _heun(self, noise: nn.Module, x: Tensor, t: float) -> Tensor:
        shock = cast(AdditiveNoise, noise).increment(x)
        slope = self.field(x, t)
        end = self.field(x + self.dt * slope + shock, t + self.clock * self.dt)
        return x + 0.5 * self.dt * (slope + end) + shock

    def _integrated(self, method: Integrator, x: Tensor) -> Tensor:
        """X(Δt·n) of X'(s) = v(X, t₀ ± s), X(0) = x."""
        steps = TimeGrid(0.0, len(self.times) * self.dt, len(self.times))
        slope = _RightHandSide(self.field, self.times[0], self.clock)
        if not isinstance(method, AdaptiveSolver):
            return method.integrate(slope, x, steps)
        solution = method.solve(slope, x, steps)
        self.evaluations, self.evaluations_per_sample = solution.evaluations, solution.per_sample
        return solution.state

    def _velocity(self, k: int) -> VelocityField:
        if self.inside is None:
            return self.field
        drop = self.inside[k]
        return lambda x, t: cast(Tensor, drop(self.field(x, t)))

    def extra_repr(self) -> str:
        return f"steps={len(self.times)}, dt={self.dt:g}, scheme={self.integrator or self.scheme!r}"


class AdditiveNoise(Protocol):
    """Noise that is added: x + increment(x)."""

    def increment(self, x: Tensor) -> Tensor: ...


class _RightHandSide(nn.Module):
    """v(x, t₀ ± s) as the field(step, s, x) of an integrator; a module, so that an adjoint finds the parameters."""

    def __init__(self, field: VelocityField, start: float, clock: float) -> None:
        super().__init__()
        self.field, self.start, self.clock = field, start, clock

    def forward(self, step: int, s: Time, x: Tensor) -> Tensor:
        t = self.start + self.clock * s
        return self.field(x, t.expand(x.shape[0]) if isinstance(t, Tensor) else t)


def _shaken(noise: nn.Module, moved: Tensor, before: Tensor) -> Tensor:
    depends = isinstance(noise, ScaledNoise | CorrelatedNoise)
    return cast(Tensor, noise(moved, before) if depends else noise(moved))


class FixedTime(nn.Module):
    """x ↦ g(x, t) at a fixed time t."""

    def __init__(self, network: nn.Module, t: float) -> None:
        super().__init__()
        self.network, self.t = network, t

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.network(x, self.t))


class SpaceTimeField(nn.Module):
    """v(x, t) = w((x, t)): the time is an additional coordinate, one number for all points or one for each."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, t: Time) -> Tensor:
        time = t.to(x).reshape(*x.shape[:-1], 1) if isinstance(t, Tensor) else torch.full_like(x[..., :1], t)
        return cast(Tensor, self.network(torch.cat([x, time], -1)))


class CompositeField(nn.Module):
    """A formula of learned fields, `formula(*arguments, *fields)`, that registers the fields as part of the model."""

    def __init__(self, formula: Callable[..., Tensor], **fields: nn.Module) -> None:
        super().__init__()
        self.formula, self.fields = formula, nn.ModuleDict(fields)

    def forward(self, *arguments: Tensor | float) -> Tensor:
        return self.formula(*arguments, *self.fields.values())


class MaskedField(nn.Module):
    """A field that depends on some coordinates only: the others are masked."""

    def __init__(self, network: nn.Module, mask: Sequence[float]) -> None:
        super().__init__()
        self.network, self.mask = network, tuple(mask)

    def forward(self, x: Tensor, t: Time | None = None) -> Tensor:
        return cast(Tensor, self.network(x * x.new_tensor(self.mask), t))


class TimeFunction(nn.Module):
    """A learned function of time alone, whatever the shape of the state."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, t: Time) -> Tensor:
        return cast(Tensor, self.network(torch.zeros_like(x[..., :1]), t))


class ScalarField(nn.Module):
    """A learned number a(x, t) at points (..., d). sign ">" makes it positive for all weights, by softplus."""

    def __init__(self, network: nn.Module, sign: str = "") -> None:
        super().__init__()
        self.network, self.sign = network, sign

    def forward(self, x: Tensor, t: Time | None = None) -> Tensor:
        value = cast(Tensor, self.network(x, t)).squeeze(-1)
        return nn.functional.softplus(value) if self.sign else value


class MatrixField(nn.Module):
    """A learned matrix at points (..., d), of its type for all weights: M, psd M Mᵀ, or symmetric ½(M + Mᵀ)."""

    def __init__(self, network: nn.Module, dimension: int, psd: bool = True, symmetric: bool = False) -> None:
        super().__init__()
        self.network, self.dimension, self.psd, self.symmetric = network, dimension, psd, symmetric

    def forward(self, x: Tensor, t: Time | None = None) -> Tensor:
        values = cast(Tensor, self.network(x, t))
        entries = values.reshape(*x.shape[:-1], self.dimension, self.dimension)
        return _matrix(entries, self.psd, self.symmetric)


def _matrix(entries: Tensor, psd: bool, symmetric: bool) -> Tensor:
    if psd:
        return entries @ entries.mT
    return (entries + entries.mT) / 2 if symmetric else entries


class LearnedConstant(nn.Module):
    """A learned parameter in place of a field: a number, a vector or a matrix, of its type; a number may have an
    initial value."""

    def __init__(
        self,
        shape: Sequence[int] = (),
        sign: str = "",
        psd: bool = False,
        symmetric: bool = False,
        start: float | None = None,
    ) -> None:
        super().__init__()
        value = torch.eye(shape[0]) if len(shape) == 2 else torch.zeros(tuple(shape))
        if start is not None:
            value = torch.tensor(start + math.log(-math.expm1(-start)) if sign else start)  # softplus of it is `start`
        self.value, self.sign, self.psd, self.symmetric = nn.Parameter(value), sign, psd, symmetric

    def forward(self, x: Tensor, t: Time | None = None) -> Tensor:
        value = nn.functional.softplus(self.value) if self.sign else _matrix(self.value, self.psd, self.symmetric)
        return value.to(x).expand(*x.shape[:-1], *value.shape)


class FeynmanKacSolution(nn.Module):
    """x ↦ u(x, t) for fixed data f: the evolution operator as a network, with fresh noise for each row and call."""

    def __init__(self, evolution: EvolutionOperator, data: Callable[[Tensor], Tensor], t: float) -> None:
        super().__init__()
        self.evolution, self.data, self.t = evolution, data, t
        evolution.stream.frozen = False

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.evolution(self.data, x, self.t))
