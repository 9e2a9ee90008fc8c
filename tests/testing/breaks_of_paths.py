"""Mistakes in drift, noise and averages on data spaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from pdedsl.runtime.backbones import Backbone
from pdedsl.runtime.evolution import Leg
from pdedsl.runtime.streams import mix, streams
from testing.breaks import Break

STEPS, LAW = "steps of model()", "law of model()"
NOISE, MAPS, AVERAGE = "noise of model()", "residual maps of model()", "average of model()"
GENERATOR, OPERATOR = "generator of operator()", "law of operator()"
ADDED = ("noise.GaussianNoise.forward",)


def louder(factor: float) -> Callable[[Any], Any]:
    """What a block of noise adds, times a factor."""
    return lambda real: lambda self, x, *at: x + factor * (real(self, x, *at) - x)


def times_field(factor: float) -> Callable[[Any], Any]:
    """A step along a multiple of the field."""
    return lambda real: (
        lambda method, field, x, dt, t=None, clock=1.0: real(
            method, lambda *args: factor * field(*args), x, dt, t, clock
        )
    )


def at_time(change: Callable[[float], float]) -> Callable[[Any], Any]:
    return lambda real: lambda method, field, x, dt, t=None, clock=1.0: real(method, field, x, dt, change(t), clock)


def scaled(factor: float) -> Callable[[Any], Any]:
    """The value of a method, times a factor."""
    return lambda real: lambda self, *args: factor * real(self, *args)


def velocity_at(real: Any) -> Any:
    return lambda self, x, t: real(self, x, self.start + self.stop - t)


def legs(change: Callable[[list[Leg]], list[Leg]]) -> Callable[[Any], Any]:
    return lambda real: lambda self, t: change(real(self, t))


def longer(found: list[Leg]) -> list[Leg]:
    return [leg._replace(dt=1.2 * leg.dt) for leg in found]


def fewer(found: list[Leg]) -> list[Leg]:
    return [leg._replace(steps=leg.steps - 1) for leg in found]


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

    def seed_noise(model: nn.Module, seed: int, row: int = 0) -> None:
        for member in model.members:  # type: ignore[union-attr]
            for index, stream in enumerate(streams(member)):
                stream.reseed(mix(seed, index))

    return seed_noise


def one_stream(real: Any) -> Any:
    """Every block of noise is seeded alike, so that all steps draw the same."""

    def seed_noise(model: nn.Module, seed: int, row: int = 0) -> None:
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


def network_with(change: Callable[[Backbone, Any], list[nn.Module]]) -> Callable[[Any], Any]:
    return lambda real: (
        lambda self, after=None, before_readout=None: (
            nn.Sequential(*change(self, after)) if after else real(self, after, before_readout)
        )
    )


def before_maps(backbone: Backbone, after: Any) -> list[nn.Module]:
    pairs = [part for k, block in enumerate(backbone.blocks) for part in (after(k), block)]
    return [backbone.stem, *pairs, backbone.head]


def not_behind_last(backbone: Backbone, after: Any) -> list[nn.Module]:
    pairs = [part for k, block in enumerate(backbone.blocks) for part in (block, after(k))]
    return [backbone.stem, *pairs[:-1], backbone.head]


def unscaled(real: Any) -> Any:
    return lambda self, x: self.keep * real(self, x)


def kept(share: float) -> Callable[[Any], Any]:
    def change(real: Any) -> Any:
        def forward(self: Any, x: Tensor) -> Tensor:
            keep = self.keep
            self.keep = share * keep
            try:
                return real(self, x)
            finally:
                self.keep = keep

        return forward

    return change


def by_units(real: Any) -> Any:
    def forward(self: Any, x: Tensor) -> Tensor:
        of, self.of = self.of, "units"
        try:
            return real(self, x)
        finally:
            self.of = of

    return forward


def half_as_wide(real: Any) -> Any:
    return lambda self, branches: 0.5 * real(self, branches) + 0.25 * (branches[0] + branches[1])


def mean_of_logits(real: Any) -> Any:
    def init(self: Any, members: Any, **options: Any) -> None:
        real(self, members, **options)
        self.average = "logits"

    return init


def minus(real: Any) -> Any:
    return lambda self, x: 2.0 * x - real(self, x)


def without_shortcut(real: Any) -> Any:
    return lambda self, x: real(self, x) - self.shortcut(self.activate(x))


def normal(real: Any) -> Any:
    """Where numbers of Laplace are wanted, normal ones."""
    return lambda out, law, source: real(out, "normal" if law == "laplace" else law, source)


def unnormalised(real: Any) -> Any:
    """The density exp(-|ξ|)/2, of variance 2."""
    return lambda out, law, source: (real(out, law, source), out.mul_(2**0.5) if law == "laplace" else out)[1]


PATHS: tuple[Break, ...] = (
    Break("noise 20 % too large", ADDED, louder(1.2), ("isotropic", "terminal", "split"), LAW),
    Break("noise 20 % too small", ADDED, louder(0.8), ("isotropic", "split"), LAW),
    Break("noise between maps 20 % too large", ADDED, louder(1.2), ("smooth", "sampling", "features"), NOISE),
    Break("noise without √Δt", ADDED, louder(2.0), ("isotropic",), STEPS),
    Break(
        "noise without √Δt in the operator",
        ("evolution.Piece.shake",),
        lambda real: lambda self, x, dt: real(self, x, 1.0),
        ("known",),
        GENERATOR,
    ),
    Break("drift reversed", ("marching.step",), times_field(-1.0), ("isotropic", "carried"), LAW),
    Break("drift 20 % off", ("marching.step",), times_field(1.2), ("isotropic", "terminal", "carried"), LAW),
    Break(
        "drift reversed in the operator", ("evolution.Piece.velocity",), scaled(-1.0), ("known", "pieces"), GENERATOR
    ),
    Break("drift 20 % off in the operator", ("evolution.Piece.velocity",), scaled(1.2), ("known", "pieces"), GENERATOR),
    Break("read at the wrong time", ("marching.step",), at_time(lambda t: 1.0 - t), ("isotropic", "terminal"), LAW),
    Break("read at the wrong time in the operator", ("evolution.Piece.velocity",), velocity_at, ("known",), GENERATOR),
    Break(
        "pieces in the wrong order",
        ("evolution.Evolution.legs",),
        legs(lambda found: found[::-1]),
        ("pieces",),
        OPERATOR,
    ),
    Break("steps of the operator 20 % too long", ("evolution.Evolution.legs",), legs(longer), ("known",), GENERATOR),
    Break("a step of the operator missing", ("evolution.Evolution.legs",), legs(fewer), ("known",), OPERATOR),
    Break("correlation dropped", ("noise.CorrelatedNoise.forward",), uncorrelated, ("full",), STEPS),
    Break("transposed factor of the matrix", ("noise.CorrelatedNoise.forward",), transposed, ("full",), STEPS),
    Break(
        "noise at another state",
        ("noise.ScaledNoise.forward",),
        lambda real: lambda self, x, at=None: real(self, x),
        ("scaled",),
        STEPS,
    ),
    Break("a repeated member", ("expectation.Expectation.__init__",), one_member, ("isotropic", "smooth"), AVERAGE),
    Break("noise shared by members", ("expectation.seed_noise",), one_noise, ("isotropic",), LAW),
    Break("noise shared by members of pictures", ("expectation.seed_noise",), one_noise, ("smooth", "relative"), NOISE),
    Break("noise shared by steps", ("expectation.seed_noise",), one_stream, ("isotropic",), STEPS),
    Break("one sample repeated", ("streams.Stream._draw",), one_draw, ("isotropic",), LAW),
    Break("one sample repeated on pictures", ("streams.Stream._draw",), one_draw, ("smooth", "sampling"), NOISE),
    Break("logits averaged", ("expectation.Expectation.__init__",), mean_of_logits, ("isotropic", "smooth"), AVERAGE),
    Break("no noise in evaluation", ADDED, silent_in_evaluation, ("isotropic",), LAW),
    Break("relative noise 20 % off", ("noise.RelativeNoise.forward",), louder(1.2), ("relative",), NOISE),
    Break("Laplace noise of variance 2", ("streams.fill",), unnormalised, ("laplace",), LAW),
    Break("noise before the step", ("marching.March.forward",), noise_first, ("isotropic",), STEPS),
    Break("noise missing behind the last step", ("marching.March.__init__",), without_last, ("isotropic",), STEPS),
    Break(
        "a step of the network missing",
        ("marching.March.__init__",),
        first_step_left_out,
        ("isotropic", "carried"),
        LAW,
    ),
    Break(
        "steps of the network 20 % too long", ("marching.March.__init__",), longer_steps, ("isotropic", "carried"), LAW
    ),
    Break(
        "noise before the maps",
        ("backbones.Backbone.network",),
        network_with(before_maps),
        ("smooth", "relative"),
        NOISE,
    ),
    Break(
        "noise missing behind the last map",
        ("backbones.Backbone.network",),
        network_with(not_behind_last),
        ("smooth",),
        NOISE,
    ),
    Break("dropout without 1/p", ("random_maps.Dropout.forward",), unscaled, ("dropout", "depth"), NOISE),
    Break("dropout on points without 1/p", ("random_maps.Dropout.forward",), unscaled, ("units",), LAW),
    Break("dropout with another p", ("random_maps.Dropout.forward",), kept(0.8), ("dropout", "depth"), NOISE),
    Break("units dropped for maps", ("random_maps.Dropout.forward",), by_units, ("depth",), NOISE),
    Break("shares half as wide", ("random_maps.Mix.forward",), half_as_wide, ("shake",), NOISE),
    Break("residual maps subtracted", ("convection.Residual.forward",), minus, ("transport", "smooth"), MAPS),
    Break(
        "residual maps 20 % too long",
        ("convection.Residual.forward",),
        lambda real: lambda self, x: x + 1.2 * (real(self, x) - x),
        ("transport",),
        MAPS,
    ),
    Break(
        "no shortcut where the shape changes",
        ("backbones.PreactivatedTransition.forward",),
        without_shortcut,
        ("transport",),
        MAPS,
    ),
)
