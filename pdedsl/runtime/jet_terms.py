"""∂^α of σ(z(x)), written out: the multivariate formula of Faà di Bruno (Constantine, Savits 1996)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import torch
from torch import Tensor

Orders = tuple[int, ...]
Term = tuple[int, int, tuple[Orders, ...]]
"""c σ⁽ᵏ⁾ Π ∂^β z, as (c, k, all β)."""


@cache
def terms_of(orders: Orders) -> tuple[Term, ...]:
    """∂^α σ(z) as a sum of terms, by differentiating σ(z) repeatedly."""
    found: Counter[tuple[int, tuple[Orders, ...]]] = Counter({(0, ()): 1})
    for axis, order in enumerate(orders):
        for _ in range(order):
            found = _differentiated(found, axis, len(orders))
    return tuple((count, k, factors) for (k, factors), count in sorted(found.items()))


def _differentiated(
    terms: Counter[tuple[int, tuple[Orders, ...]]], axis: int, dimension: int
) -> Counter[tuple[int, tuple[Orders, ...]]]:
    unit = tuple(int(k == axis) for k in range(dimension))
    found: Counter[tuple[int, tuple[Orders, ...]]] = Counter()
    for (k, factors), count in terms.items():
        found[k + 1, tuple(sorted((*factors, unit)))] += count
        for i, beta in enumerate(factors):
            raised = tuple(a + b for a, b in zip(beta, unit, strict=True))
            found[k, tuple(sorted((*factors[:i], raised, *factors[i + 1 :])))] += count
    return found


def below(orders: Orders) -> Iterator[Orders]:
    """All β with 0 < β ≤ α."""
    return (b for b in product(*(range(n + 1) for n in orders)) if any(b))


Slopes = Callable[[Tensor, int], list[Tensor]]
"""σ, σ′, …, σ⁽ᵐ⁾ at z."""


def of_tanh(z: Tensor, most: int) -> list[Tensor]:
    """Polynomials in t = tanh z, since t′ = 1 - t²."""
    t = z.tanh()
    if most > 3:
        return [t, *_polynomials(t, most, (1, 0, -1))]
    slope = torch.addcmul(t.new_ones(()), t, t, value=-1)
    found = [t, slope]
    if most > 1:
        found.append(torch.addcmul(t.new_zeros(()), t, slope, value=-2))
    if most > 2:
        found.append(torch.addcmul(4 * slope, slope, slope, value=-6))
    return found[: most + 1]


def of_sigmoid(z: Tensor, most: int) -> list[Tensor]:
    """Polynomials in s, since s′ = s - s²."""
    s = z.sigmoid()
    return [s, *_polynomials(s, most, (0, 1, -1))]


def _polynomials(value: Tensor, most: int, slope: tuple[int, ...]) -> Iterator[Tensor]:
    coefficients: tuple[int, ...] = (0, 1)
    for _ in range(most):
        derived = tuple(k * c for k, c in enumerate(coefficients))[1:]
        coefficients = _times(derived, slope)
        result = torch.full_like(value, coefficients[-1])
        for c in reversed(coefficients[:-1]):
            result = result * value + c if c else result * value
        yield result


def _times(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    found = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] += x * y
    return tuple(found)


def of_sine(z: Tensor, most: int) -> list[Tensor]:
    sine, cosine = z.sin(), z.cos()
    return [(sine, cosine, -sine, -cosine)[k % 4] for k in range(most + 1)]


def of_any(function: Callable[[Tensor], Tensor]) -> Slopes:
    """By repeated reverse differentiation, point by point."""

    def slopes(z: Tensor, most: int) -> list[Tensor]:
        at = z if z.requires_grad else z.detach().requires_grad_()
        with torch.enable_grad():
            found = [function(at)]
            for _ in range(most):
                found.append(_slope(found[-1], at))
        return found

    return slopes


def _slope(value: Tensor, at: Tensor) -> Tensor:
    if not value.requires_grad:
        return torch.zeros_like(at)
    (found,) = torch.autograd.grad(value.sum(), at, create_graph=True, allow_unused=True)
    return torch.zeros_like(at) if found is None else found
