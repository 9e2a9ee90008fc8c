"""One predicate an axiom: whether a case breaks it on an operator. What is exact under common random numbers is tested
to rounding; what is statistical, to the confidence stated in `SIGMAS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn

from pdedsl.runtime.blocks import Halves, SecondOrder
from pdedsl.runtime.operators import Conv
from pdedsl.testing.cases import Case, Flat, Pair
from pdedsl.testing.operators import Features, Operator, weights_from

ROUNDING = 1e-9
SIGMAS = 6.0  # a false alarm in 5e8 comparisons of a normal variable


def points_of(case: Case, operator: Operator | Features) -> Tensor:
    """The point of a case, or an input drawn from its weights for networks on images."""
    if isinstance(operator, Features):
        with weights_from(case.weights + 1000):
            return torch.rand(1, *operator.shape, dtype=torch.float64)
    x = torch.zeros(1, operator.dimension, dtype=torch.float64)
    x[0, : len(case.point)] = torch.tensor(case.point, dtype=torch.float64)[: operator.dimension]
    return x


def _time(case: Case, operator: Operator | Features) -> float:
    return operator.start + case.share * (operator.end - operator.start)


def _apart(a: Tensor, b: Tensor, scale: float = 1.0) -> bool:
    """What is no number is apart from everything."""
    return not bool(((a - b).abs() <= ROUNDING * (scale + a.abs() + b.abs())).all())


# ---- exact under common random numbers


def breaks_linearity(operator: Operator | Features, case: Case) -> bool:
    x, t = points_of(case, operator), _time(case, operator)
    both = operator(lambda y: case.alpha * case.f(y) + case.beta * case.g(y), x, t)
    return _apart(both, case.alpha * operator(case.f, x, t) + case.beta * operator(case.g, x, t), 10.0)


def breaks_constants(operator: Operator | Features, case: Case) -> bool:
    x, t = points_of(case, operator), _time(case, operator)
    constant = case.f.base
    return _apart(operator(lambda y: torch.full_like(y[..., 0], constant), x, t), torch.tensor(constant).double())


def breaks_comparison(operator: Operator | Features, case: Case) -> bool:
    """f ≤ f + bump."""
    x, t = points_of(case, operator), _time(case, operator)
    lower, upper = operator(case.f, x, t), operator(lambda y: case.f(y) + case.bump(y), x, t)
    return not bool((lower <= upper + ROUNDING * (1.0 + lower.abs())).all())


# ---- statistical


def breaks_markov(operator: Operator, case: Case) -> bool:
    """T over the whole time against T over its second part of T over its first part."""
    x, end = points_of(case, operator), _time(case, operator)
    middle = 0.5 * (operator.start + end)
    whole = operator(case.f, x, end)

    def inner(y: Tensor) -> Tensor:
        flat = y.reshape(-1, y.shape[-1])
        return operator(case.f, flat, middle).reshape(y.shape[:-1])

    parts = operator.between(inner, x, middle, end)
    scale = sum(abs(a) for a, _, _ in case.f.waves)
    noise = torch.hypot(operator.error(case.f, x, end), operator.error(case.f, x, middle))
    steps = 0.02 * scale * (end - operator.start)  # the two grids of steps need not be the same
    return not bool(((whole - parts).abs() <= SIGMAS * noise + steps + ROUNDING).all())


def breaks_locality(operator: Operator, case: Case) -> bool:
    """f and f + flat agree to all orders at x, so T f - T(f + flat) must be o(h)."""
    x = points_of(case, operator)
    flat = Flat(case.bump.height, tuple(x[0].tolist()))
    length = operator.end - operator.start
    ratios = []
    for h in (1e-2 * length, 1e-3 * length):
        a = operator(case.f, x, operator.start + h)
        b = operator(lambda y: case.f(y) + flat(y), x, operator.start + h)
        ratios.append(float((a - b).abs().max()) / h)
    return not (ratios[1] <= 1e-3 * case.bump.height or ratios[1] <= 0.5 * ratios[0])


def breaks_spatial_regularity(operator: Operator, case: Case) -> bool:
    """‖T(f(· + h)) - T f(· + h)‖ / h must stay bounded as h → 0."""
    x, t = points_of(case, operator), _time(case, operator)
    ratios = []
    for h in (1e-1, 1e-3):
        moved = operator(lambda y, h=h: case.f(y + h), x, t)  # type: ignore[misc]
        ratios.append(float((moved - operator(case.f, x + h, t)).abs().max()) / h)
    return not ratios[1] <= 20.0 * (ratios[0] + 1.0)


def breaks_temporal_regularity(operator: Operator, case: Case) -> bool:
    """‖T f - f‖ / s must stay bounded as s → 0, up to the error of sampling."""
    x = points_of(case, operator)
    length = operator.end - operator.start
    ratios = []
    for s in (1e-1 * length, 1e-3 * length):
        moved = (operator(case.f, x, operator.start + s) - case.f(x)).abs()
        free = (moved - SIGMAS * operator.error(case.f, x, operator.start + s)).clamp_min(0)
        ratios.append(float(free.max()) / s)
    return not ratios[1] <= 20.0 * (ratios[0] + 1.0)


EXACT: dict[str, Callable[[Operator | Features, Case], bool]] = {
    "linearity": breaks_linearity,
    "constants": breaks_constants,
    "comparison": breaks_comparison,
}
STATISTICAL: dict[str, Callable[[Operator, Case], bool]] = {
    "markov": breaks_markov,
    "locality": breaks_locality,
    "spatial_regularity": breaks_spatial_regularity,
    "temporal_regularity": breaks_temporal_regularity,
}


# ---- feature maps


def maps_of(pair: Pair, width: int) -> tuple[Tensor, Tensor]:
    with weights_from(pair.seed + 1000):
        y = pair.shift + pair.scale * torch.randn(1, width, 6, 6, dtype=torch.float64)
        change = pair.spread * torch.randn_like(y)
    if pair.local:
        pixel = torch.zeros_like(y)
        pixel[:, :2, 2, 2] = 1.0
        y, change = y * pixel, change * pixel
    return y, y + change


def prepared(block: nn.Module, pair: Pair) -> nn.Module:
    """The weights of a case: scaled, or the identity on every channel."""
    with torch.no_grad():
        for module in block.modules():
            if isinstance(module, Conv):
                if pair.identity:
                    module.weight.zero_()
                    middle = module.weight.shape[-1] // 2
                    for c in range(module.weight.shape[0]):
                        module.weight[c, c, middle, middle] = 1.0
                else:
                    module.weight.mul_(pair.size)
    return block


def breaks_stability(block: nn.Module, pair: Pair, width: int) -> bool:
    a, b = maps_of(pair, width)
    return not bool((block(a) - block(b)).norm() <= (a - b).norm() * (1 + ROUNDING))


def breaks_energy_decay(block: nn.Module, pair: Pair, width: int) -> bool:
    y, _ = maps_of(pair, width)
    return not bool(block(y).norm() <= y.norm() * (1 + ROUNDING))


def breaks_energy_conservation(block: nn.Module, pair: Pair, width: int) -> bool:
    y, _ = maps_of(pair, width)
    return not bool((block(y).norm() - y.norm()).abs() <= 1e-3 * y.norm())


def breaks_reversibility(block: nn.Module, pair: Pair, width: int) -> bool:
    """Forwards and backwards is the identity, to rounding.

    Where no formula runs backwards: a map that turns space over in one place and not in another takes a value twice,
    since the degree of an injective map is the same everywhere.
    """
    y, other = maps_of(replace(pair, local=False), width)  # where a map is zero, norms blow rounding up
    if not isinstance(block, Halves | SecondOrder):
        return _orientation(block, y) * _orientation(block, other) < 0
    states = block.last_states(y)
    if not all(bool(s.isfinite().all()) for s in states):
        return False
    size = max(float(s.norm()) for s in states) + float(y.norm())
    return bool((block.inverse(*states) - y).norm() > 1e-8 * size)


def _orientation(block: nn.Module, y: Tensor) -> float:
    """The sign of det ∂block/∂y on a corner of the map; 0 where it is too near to singular to tell.

    One copy of the map for each of its numbers, so that one backward pass gives all rows.
    """
    corner = y[..., :3, :3]
    copies = corner.expand(corner.numel(), *corner.shape[1:]).clone().requires_grad_()
    with torch.enable_grad():
        values = block.eval()(copies).flatten(1).diagonal().sum()
    jacobian = torch.autograd.grad(values, copies)[0].flatten(1)
    if not bool(jacobian.isfinite().all()):
        return 0.0
    sizes = torch.linalg.svdvals(jacobian)
    return float(torch.linalg.slogdet(jacobian)[0]) if sizes[-1] > ROUNDING * sizes[0] else 0.0


FEATURE: dict[str, Callable[[nn.Module, Pair, int], bool]] = {
    "stability": breaks_stability,
    "energy_decay": breaks_energy_decay,
    "energy_conservation": breaks_energy_conservation,
    "reversibility": breaks_reversibility,
}
