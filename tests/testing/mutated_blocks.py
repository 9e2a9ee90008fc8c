"""Mutants of residual blocks and their noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from pdedsl.config.methods import Scores
from pdedsl.runtime.backbones import Backbone


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
        self.average = Scores.LOGITS

    return init


def minus(real: Any) -> Any:
    return lambda self, x: 2.0 * x - real(self, x)


def without_shortcut(real: Any) -> Any:
    return lambda self, x: real(self, x) - self.shortcut(self.activate(x))


def uniform(real: Any) -> Any:
    """Uniform numbers of variance 1 for all others."""

    def fill(out: Tensor, law: str, source: Any) -> None:
        real(out, "uniform", source)
        out.sub_(0.5).mul_(12**0.5)

    return fill


def normal(real: Any) -> Any:
    """Where numbers of Laplace are wanted, normal ones."""
    return lambda out, law, source: real(out, "normal" if law == "laplace" else law, source)


def unnormalized(real: Any) -> Any:
    """The density exp(-|ξ|)/2, of variance 2."""
    return lambda out, law, source: (real(out, law, source), out.mul_(2**0.5) if law == "laplace" else out)[1]
