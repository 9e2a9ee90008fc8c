"""Stencil calculus: a 3×3 kernel θ as a differential operator β, and back (Ruthotto, Haber 2018, section 2.2).

K is a cross-correlation, x runs along the last axis and y along the one before, both growing with the index. With
    m = [1 2 1]/4 (identity),  d = [−1 0 1]/2h (∂),  s = [−1 2 −1]/h² (−∂²)
along each axis, θ = Σ β_i · (y factor) ⊗ (x factor) in the paper's order
    β₁ 1, β₂ ∂x, β₃ ∂y, β₄ −∂x², β₅ −∂y², β₆ ∂x∂y, β₇ −∂x²∂y, β₈ −∂x∂y², β₉ ∂x²∂y².
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import final

import torch
from torch import Tensor, nn

from pdedsl.runtime.linear_operators import ConvOperator, LinearOperator
from pdedsl.runtime.weights import require_compatible

# ---- Kernel coefficients


# (order in x, order in y) of β₁ … β₉.
ORDERS = ((0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (1, 1), (2, 1), (1, 2), (2, 2))
_DERIVATIVE_NAMES = ("", "∂x", "∂x²"), ("", "∂y", "∂y²")


def coefficients(theta: Tensor, h: float) -> Tensor:
    """β(θ): (…, 3, 3) to (…, 9).

    Along an axis β₁ = θ₁+θ₂+θ₃, β₂ = h(θ₃−θ₁), β₃ = ¼h²(θ₂−θ₁−θ₃), the solution of the paper's linear system.
    """
    table = _along_axis(_along_axis(theta, -1, _coefficient_matrix(h)), -2, _coefficient_matrix(h))
    return torch.stack([table[..., y, x] for x, y in ORDERS], dim=-1)


def kernel(beta: Tensor, h: float) -> Tensor:
    """θ(β): (…, 9) to (…, 3, 3), the inverse of `coefficients`."""
    rows = [torch.stack([beta[..., ORDERS.index((x, y))] for x in range(3)], dim=-1) for y in range(3)]
    table = torch.stack(rows, dim=-2)
    return _along_axis(_along_axis(table, -1, _kernel_matrix(h)), -2, _kernel_matrix(h))


def is_kernel(parameter: Tensor) -> bool:
    """Whether it is the weight of a convolution with 3×3 kernels."""
    return parameter.dim() == 4 and parameter.shape[-2:] == (3, 3)


def transfer_weights(
    weights: Mapping[str, Tensor], module: nn.Module, factor: float | tuple[float, float]
) -> dict[str, Tensor]:
    """The weights of a trained network, for the same spec on images of `factor` times the resolution; a pair is the
    factor along y, then along x.

    Every 3×3 kernel becomes that of the same differential operator β on the other mesh, including the opening's; all
    other weights do not depend on the mesh and stay. Stages have the same factor, since all halve alike. Weights that
    do not fit the network raise an error, and so do larger stencils, which have no β here. A bound or a box of an
    operator holds on every mesh: on a finer one, where derivatives weigh more, it may cut the operator down.
    """
    factors = factor if isinstance(factor, tuple) else (factor, factor)
    if not all(f > 0 for f in factors):
        raise ValueError(f"a factor of resolution is positive, not {min(factors)}")
    require_compatible(weights, module)
    for name, part in module.named_modules():
        if isinstance(part, ConvOperator) and part.weight.shape[-1] > 3:
            raise ValueError(f"'{name}' has kernels of {part.weight.shape[-1]} pixels: only 3×3 have another mesh")
    kernels = {name for name, p in module.named_parameters(remove_duplicate=False) if is_kernel(p)}
    return {name: _rescale_kernel(w, *factors) if name in kernels else w for name, w in weights.items()}


def _rescale_kernel(weight: Tensor, along_y: float, along_x: float) -> Tensor:
    """β has a factor for each axis, and each axis has its own mesh width."""
    unit, theta = _coefficient_matrix(1.0), weight.detach().double()
    table = _along_axis(_along_axis(theta, -1, unit), -2, unit)
    return _along_axis(_along_axis(table, -1, _kernel_matrix(1 / along_x)), -2, _kernel_matrix(1 / along_y)).to(
        weight.dtype
    )


def as_operator(theta: Tensor, h: float, digits: int = 3, tolerance: float = 1e-6, least: float = 0.0) -> str:
    """One 3×3 kernel as text, for example `Δ`, `2 − ∂x + 0.5Δ`.

    Two exact descriptions are tried, and the one with fewer terms is printed: the coefficients β above, where the
    identity is the mean m, and the Taylor coefficients Σ θ (ih)ᵃ(jh)ᵇ/(a! b!), where it is the point itself. They agree
    to O(h²); the five-point Laplacian is Δ in the second, the paper's in the first. A term is omitted below `tolerance`
    of the largest effect on the grid, |c|/h^order; below `least` of it, `…` stands for all such terms. A kernel with
    NaN or ∞ is not an operator, and the text states it.
    """
    if not theta.isfinite().all():
        return "not finite"
    signs = theta.new_tensor([(-1.0) ** ((x == 2) + (y == 2)) for x, y in ORDERS])
    candidates = (_taylor(theta, h), coefficients(theta, h) * signs)
    terms = [_terms(candidate.tolist(), h, tolerance) for candidate in candidates]
    return _join_terms(min(terms, key=len), digits, least)


def _coefficient_matrix(h: float) -> tuple[tuple[float, float, float], ...]:
    return ((1.0, 1.0, 1.0), (-h, 0.0, h), (-(h**2) / 4, h**2 / 4, -(h**2) / 4))


def _kernel_matrix(h: float) -> tuple[tuple[float, float, float], ...]:
    return ((0.25, -0.5 / h, -1 / h**2), (0.5, 0.0, 2 / h**2), (0.25, 0.5 / h, -1 / h**2))


def _along_axis(values: Tensor, axis: int, matrix: tuple[tuple[float, float, float], ...]) -> Tensor:
    """A 3×3 matrix applied along one axis, term by term: products with zero add no rounding errors."""
    a, b, c = values.unbind(axis)
    return torch.stack([p * a + q * b + r * c for p, q, r in matrix], dim=axis)


def _taylor(theta: Tensor, h: float) -> Tensor:
    """c_ab = Σ_ij θ_ij (ih)ᵃ (jh)ᵇ / (a! b!): the action on smooth functions."""
    moments = ((1.0, 1.0, 1.0), (-h, 0.0, h), (h**2 / 2, 0.0, h**2 / 2))
    table = _along_axis(_along_axis(theta, -1, moments), -2, moments)
    return torch.stack([table[..., y, x] for x, y in ORDERS], dim=-1)


def _terms(values: list[float], h: float, tolerance: float) -> list[tuple[float, str, float]]:
    """The terms that matter, with their effects; equal ∂x² and ∂y² are combined to Δ."""
    effects = [abs(c) / h ** (x + y) for c, (x, y) in zip(values, ORDERS, strict=True)]
    least = tolerance * max(effects)
    significant = {o: c for c, o, e in zip(values, ORDERS, effects, strict=True) if e > least}
    xx, yy = significant.get((2, 0)), significant.get((0, 2))
    laplacian = xx is not None and yy is not None and abs(xx - yy) / h**2 <= least
    names = {o: _DERIVATIVE_NAMES[0][o[0]] + _DERIVATIVE_NAMES[1][o[1]] for o in ORDERS} | (
        {(2, 0): "Δ"} if laplacian else {}
    )
    sizes = dict(zip(ORDERS, effects, strict=True))
    return [(c, names[o], sizes[o]) for o, c in significant.items() if not (laplacian and o == (0, 2))]


def _join_terms(terms: list[tuple[float, str, float]], digits: int, least: float) -> str:
    if not terms:
        return "0"
    largest = max(effect for _, _, effect in terms)
    first, *others = (_term(c, name, digits) for c, name, effect in terms if effect >= least * largest)
    rest = " + …" if len(others) + 1 < len(terms) else ""
    signed = "".join(f" {'−' if minus else '+'} {text}" for minus, text in others)
    return ("−" if first[0] else "") + first[1] + signed + rest


def _term(c: float, name: str, digits: int) -> tuple[bool, str]:
    """Whether it is negative, and its absolute value as text; a factor of one is not written before a derivative."""
    number = f"{abs(c):.{digits}g}"
    return c < 0, name if name and float(number) == 1.0 else number + name


# ---- The 3×3 kernels of a network as differential operators, in units of one pixel


PIXEL_SIZE = 1.0  # grid spacing h: kernels are expressed in units of one pixel
MAX_KERNELS_SHOWN = 3  # kernels shown per convolution
MIN_TERM_FRACTION = 0.2  # terms below this fraction of a kernel's largest are omitted from the short form


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
    stencils = []
    for name, parameter in module.named_parameters():
        if is_kernel(parameter):
            owner = owners[name.rpartition(".")[0]]
            used = owner.constrained_weight() if isinstance(owner, LinearOperator) else parameter
            stencils.append(_stencil(name.removesuffix(".weight"), used.double(), every))
    return tuple(stencils)


def _stencil(name: str, weight: Tensor, every: bool) -> Stencil:
    targets, sources = weight.shape[:2]
    norms = weight.flatten(2).norm(dim=2).flatten()
    order = norms.argsort(descending=True, stable=True).tolist()[: None if every else MAX_KERNELS_SHOWN]
    kernels = []
    for place in order:
        target, source = divmod(place, sources)
        text = _kernel_text(weight[target, source], every)
        kernels.append(Kernel(source + 1, target + 1, float(norms[place]), text))
    return Stencil(name, sources, targets, _kernel_text(weight.mean((0, 1)), every), tuple(kernels))


def _kernel_text(theta: Tensor, every: bool) -> str:
    return as_operator(theta, PIXEL_SIZE, least=0.0 if every else MIN_TERM_FRACTION)
