"""The 3×3 kernels of a network as differential operators, in units of one pixel: what its weights mean."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import final

import torch
from torch import Tensor, nn

from pdedsl.runtime.operators import Operator
from pdedsl.runtime.stencils import as_operator, is_kernel

PIXEL = 1.0
LARGEST = 3  # kernels shown of an operator
LEAST = 0.2  # terms below this share of a kernel's largest are omitted from the short form


@final
@dataclass(frozen=True)
class Kernel:
    """Its input and output channel, its norm, and its text."""

    source: int
    target: int
    norm: float
    text: str


@final
@dataclass(frozen=True)
class Stencil:
    """A convolution: its name, its channels, the mean of its kernels, and some of them or all, by norm."""

    name: str
    sources: int
    targets: int
    mean: str
    kernels: tuple[Kernel, ...]

    def as_json(self) -> dict[str, object]:
        return asdict(self)

    def lines(self) -> list[str]:
        width = len(f"{self.sources}→{self.targets}")
        rows = [f"  {f'{k.source}→{k.target}':{width}}  norm {k.norm:<8.3g} {k.text}" for k in self.kernels]
        return [f"{self.name}: {self.sources} to {self.targets} channels", f"  mean of the kernels: {self.mean}", *rows]


@torch.no_grad()
def stencils_of(module: nn.Module, every: bool = False) -> tuple[Stencil, ...]:
    """Every convolution with 3×3 kernels in a network; for each its largest kernels, or all of them with all terms."""
    owners = dict(module.named_modules())
    found = []
    for name, parameter in module.named_parameters():
        if is_kernel(parameter):
            owner = owners[name.rpartition(".")[0]]
            used = owner.constrained_weight() if isinstance(owner, Operator) else parameter
            found.append(_stencil(name.removesuffix(".weight"), used.double(), every))
    return tuple(found)


def _stencil(name: str, weight: Tensor, every: bool) -> Stencil:
    targets, sources = weight.shape[:2]
    norms = weight.flatten(2).norm(dim=2).flatten()
    order = norms.argsort(descending=True, stable=True).tolist()[: None if every else LARGEST]
    kernels = []
    for place in order:
        target, source = divmod(place, sources)
        text = _text(weight[target, source], every)
        kernels.append(Kernel(source + 1, target + 1, float(norms[place]), text))
    return Stencil(name, sources, targets, _text(weight.mean((0, 1)), every), tuple(kernels))


def _text(theta: Tensor, every: bool) -> str:
    return as_operator(theta, PIXEL, least=0.0 if every else LEAST)
