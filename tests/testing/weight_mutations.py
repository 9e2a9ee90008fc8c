"""Mutations of the Feynman-Kac weights e^{∫c} and of the source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pdedsl.runtime.sde.feynman_kac import FeynmanKacPath
from pdedsl.testing.feynman_kac_weights import WEIGHTS
from testing.mutations import Mutation

GATHERED, RATES, EXACT = (
    ("sde.feynman_kac.FeynmanKacPath.accumulate",),
    ("sde.feynman_kac.GeneratorCoefficients.rates",),
    ("sde.feynman_kac.GeneratorCoefficients.exact_weights",),
)
EVERYWHERE = ("weighed", "constant", "growing", "weighed pieces")


def weighed(change: Callable[[Any, Any], tuple[Any, Any]]) -> Callable[[Any], Any]:
    """∫c and the sum of sources, changed on their way into a path."""
    return lambda real: lambda self, growth, gained: real(self, *change(growth, gained))


def unweighed(real: Any) -> Any:
    return lambda self, growth, gained: FeynmanKacPath(self.x, self.log_weight + growth, self.source_integral + gained)


def mirrored(real: Any) -> Any:
    return lambda self, x, t: real(self, x, self.start + self.stop - t)


def times(factor: float) -> Callable[[Any], Any]:
    return lambda real: lambda self, x, t: tuple(factor * rate for rate in real(self, x, t))


def straight(real: Any) -> Any:
    """f·h for f·(e^{ch} - 1)/c."""
    return lambda self, length: (self.rate * length, self.source * length)


WEIGHING: tuple[Mutation, ...] = (
    Mutation("weight dropped", GATHERED, weighed(lambda c, f: (0.0, f)), EVERYWHERE, WEIGHTS),
    Mutation("weight of the other sign", GATHERED, weighed(lambda c, f: (-c, f)), EVERYWHERE, WEIGHTS),
    Mutation("weight 20 % off", GATHERED, weighed(lambda c, f: (1.2 * c, f)), EVERYWHERE, WEIGHTS),
    Mutation("source dropped", GATHERED, weighed(lambda c, f: (c, 0.0)), EVERYWHERE, WEIGHTS),
    Mutation("source of the other sign", GATHERED, weighed(lambda c, f: (c, -f)), EVERYWHERE, WEIGHTS),
    Mutation("source 20 % off", GATHERED, weighed(lambda c, f: (c, 1.2 * f)), EVERYWHERE, WEIGHTS),
    Mutation("source without its weight", GATHERED, unweighed, ("weighed", "weighed backwards"), WEIGHTS),
    Mutation("constant source without its weight", EXACT, straight, ("constant",), WEIGHTS),
    Mutation("rates at the wrong time", RATES, mirrored, ("weighed", "growing", "weighed backwards"), WEIGHTS),
    Mutation("rates without Δt", RATES, times(4.0), ("weighed", "growing"), WEIGHTS),
    Mutation(
        "constant rates without Δt", EXACT, lambda real: lambda self, length: real(self, 1.0), ("constant",), WEIGHTS
    ),
)
