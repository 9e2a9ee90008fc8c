"""Mutants of drift, noise and averages over paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from pdedsl.runtime.rng import hash_words, streams
from pdedsl.runtime.sde.feynman_kac import StepSegment


def louder(factor: float) -> Callable[[Any], Any]:
    """The increment of a block of noise, times a factor."""
    return lambda real: lambda self, x, *at: x + factor * (real(self, x, *at) - x)


def noise_with(change: Callable[[Tensor], Tensor]) -> Callable[[Any], Any]:
    """The increment of a block of noise, changed."""
    return lambda real: lambda self, x, *at: x + change(real(self, x, *at) - x)


first_row = noise_with(lambda noise: noise[:1].expand_as(noise))
first_component = noise_with(lambda noise: noise[..., :1].expand_as(noise))
of_one_sign = noise_with(Tensor.abs)


def exchanged(real: Any) -> Any:
    """A step along the components of the field in the wrong order."""

    def step(method: Any, field: Any, x: Tensor, dt: float, t: Any = None, direction: float = 1.0) -> Tensor:
        return real(method, lambda *args: field(*args).flip(-1), x, dt, t, direction)

    return step


def velocity_in_the_middle(real: Any) -> Any:
    return lambda self, x, t: real(self, x, (self.start + self.stop) / 2)


def times_field(factor: float) -> Callable[[Any], Any]:
    """A step along a multiple of the field."""
    return lambda real: (
        lambda method, field, x, dt, t=None, direction=1.0: real(
            method, lambda *args: factor * field(*args), x, dt, t, direction
        )
    )


def at_time(change: Callable[[float], float]) -> Callable[[Any], Any]:
    return lambda real: (
        lambda method, field, x, dt, t=None, direction=1.0: real(method, field, x, dt, change(t), direction)
    )


def scaled(factor: float) -> Callable[[Any], Any]:
    """The value of a method, times a factor."""
    return lambda real: lambda self, *args: factor * real(self, *args)


def velocity_at(real: Any) -> Any:
    return lambda self, x, t: real(self, x, self.start + self.stop - t)


def legs(change: Callable[[list[StepSegment]], list[StepSegment]]) -> Callable[[Any], Any]:
    return lambda real: lambda self, t: change(real(self, t))


def longer(found: list[StepSegment]) -> list[StepSegment]:
    return [leg._replace(dt=1.2 * leg.dt) for leg in found]


def fewer(found: list[StepSegment]) -> list[StepSegment]:
    return [leg._replace(steps=leg.steps - 1) for leg in found]


def not_corrected(real: Any) -> Any:
    """Euler-Maruyama in the place of Heun."""
    return lambda velocity, increment, x, dt, t, end: x + dt * velocity(x, t) + increment


def middle_forgotten(real: Any) -> Any:
    """Noise of the time at which a step begins, not of its middle."""

    def init(self: Any, field: Any, times: Any, dt: float, *args: Any, noise: Any = None, **options: Any) -> None:
        direction = options.get("direction", 1.0)
        real(self, field, times, dt, *args, noise=lambda t: noise(t - 0.5 * direction * dt), **options)

    return init


def larger_values(real: Any) -> Any:
    return lambda self, f, x, t: 1.2 * real(self, f, x, t)


def uncorrelated(real: Any) -> Any:
    def forward(self: Any, x: Tensor, at: Tensor | None = None) -> Tensor:
        factor = self.factor
        self._buffers["factor"] = factor.square().sum(-1).sqrt().diag()
        try:
            return real(self, x, at)
        finally:
            self._buffers["factor"] = factor

    return forward


def transposed(real: Any) -> Any:
    def forward(self: Any, x: Tensor, at: Tensor | None = None) -> Tensor:
        factor = self.factor
        self._buffers["factor"] = factor.mT.contiguous()
        try:
            return real(self, x, at)
        finally:
            self._buffers["factor"] = factor

    return forward


def one_member(real: Any) -> Any:
    def init(self: Any, members: Any, **options: Any) -> None:
        first, *others = members
        real(self, [first] * (1 + len(others)), **options)

    return init


def one_noise(real: Any) -> Any:
    """Every member is seeded alike."""

    def seed_noise(model: nn.Module, seed: int, row: int | None = None) -> None:
        for member in model.members:  # type: ignore[union-attr]
            for index, stream in enumerate(streams(member)):
                stream.reseed(hash_words(seed, index))

    return seed_noise


def one_stream(real: Any) -> Any:
    """Every block of noise is seeded alike, so that all steps draw the same."""

    def seed_noise(model: nn.Module, seed: int, row: int | None = None) -> None:
        for stream in streams(model):
            stream.reseed(seed)

    return seed_noise


def one_draw(real: Any) -> Any:
    def draw(self: Any, *args: Any) -> Tensor:
        found: Tensor = real(self, *args)
        return found[:1].expand_as(found).clone()

    return draw


def silent_in_evaluation(real: Any) -> Any:
    return lambda self, x, *at: real(self, x, *at) if self.training else x


def noise_first(real: Any) -> Any:
    """The noise of a step before its drift."""

    def forward(self: Any, x: Tensor) -> Tensor:
        noises, self.noise = self.noise, None
        times = self.times
        try:
            for k, t in enumerate(times):
                self.times = (t,)
                x = real(self, noises[k](x))
            return x
        finally:
            self.noise, self.times = noises, times

    return forward


def without_last(real: Any) -> Any:
    def init(self: Any, *args: Any, **options: Any) -> None:
        real(self, *args, **options)
        if self.noise is not None:
            self.noise[-1] = nn.Identity()

    return init


def first_step_left_out(real: Any) -> Any:
    def init(self: Any, field: Any, times: Any, dt: float, *args: Any, **options: Any) -> None:
        real(self, field, times[1:], dt, *args, **options)

    return init


def longer_steps(real: Any) -> Any:
    def init(self: Any, field: Any, times: Any, dt: float, *args: Any, **options: Any) -> None:
        real(self, field, times, 1.2 * dt, *args, **options)

    return init
