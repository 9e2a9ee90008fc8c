"""Definite integrals ∫…∫ f(x, s₁, …, sₖ) ds₁…dsₖ at points x, with limits that depend on x and on outer variables.

Gauss-Legendre rules (Golub, Welsch 1969) between the limits and the kinks of f; the trapezoidal rule, which is exact
for trigonometric polynomials, over a period (Trefethen, Weideman 2014).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import torch
from torch import Tensor

ORDER = 32  # nodes of a rule: exact for polynomials up to degree 63


@lru_cache(maxsize=64)
def gauss_rule(order: int) -> tuple[Tensor, Tensor]:
    """Nodes and weights on [0, 1], in double precision."""
    k = torch.arange(1, order, dtype=torch.float64)
    beta = k / (4 * k.square() - 1).sqrt()
    nodes, vectors = torch.linalg.eigh(torch.diag(beta, 1) + torch.diag(beta, -1))
    return (nodes + 1) / 2, vectors[0].square()


def quadrature_rule(edges: Tensor, order: int, periodic: bool = False) -> tuple[Tensor, Tensor]:
    """Nodes and weights (…, q) between the first two entries of `edges` (…, 2 + m), split at the others where these lie
    between them."""
    lower, upper = edges[..., :1], edges[..., 1:2]
    if periodic:
        fractions = torch.arange(order, dtype=edges.dtype, device=edges.device) / order
        nodes = lower + (upper - lower) * fractions
        return nodes, ((upper - lower) / order).expand_as(nodes)
    low, high = torch.minimum(lower, upper), torch.maximum(lower, upper)
    inner = torch.maximum(torch.minimum(edges[..., 2:], high), low)
    breaks = torch.cat([low, inner, high], -1).sort(-1).values
    fractions, weights = (a.to(edges) for a in gauss_rule(order))
    lengths = breaks.diff(dim=-1).unsqueeze(-1)
    nodes = breaks[..., :-1].unsqueeze(-1) + lengths * fractions
    signs = torch.sign(upper - lower).unsqueeze(-1)
    return nodes.flatten(-2), (signs * lengths * weights).flatten(-2)


def integral(
    integrand: Callable[[Tensor], Tensor],
    points: Tensor,
    *limits: Callable[[Tensor], Tensor],
    periodic: Sequence[int] = (),
    order: int = ORDER,
) -> Tensor:
    """∫…∫ f ds₁…dsₖ at points, (n,); the outermost variable first.

    Args:
        integrand: f, from points with the bound variables as further coordinates (m, d + k) to values (m,).
        points: points (n, d).
        limits: for each variable the lower and upper limit, and kinks of f, as columns, from points with the variables
            before as further coordinates.
        periodic: the variables, by number, whose range is a period.
        order: nodes of a rule for each variable, between kinks.

    Returns:
        Tensor (n,).

    Example:
        >>> import torch
        >>> from pdedsl.runtime import integral, stack_components
        >>> x = torch.tensor([[1.0], [2.0]], dtype=torch.float64)
        >>> limits = lambda p: stack_components(p, 0.0, p[..., 0])
        >>> integral(lambda p: p[..., 1] ** 2, x, limits)  # ∫₀ˣ s² ds
        tensor([0.3333, 2.6667], dtype=torch.float64)
    """
    extended, weights = points, points.new_ones(len(points))
    for k, ends in enumerate(limits):
        nodes, factors = quadrature_rule(ends(extended), order, k in periodic)
        count = nodes.shape[1]
        extended = torch.cat([extended.repeat_interleave(count, 0), nodes.reshape(-1, 1)], -1)
        weights = (weights[:, None] * factors).reshape(-1)
    return (weights * integrand(extended)).reshape(len(points), -1).sum(1)


def with_history(elapsed: Tensor, history: Tensor | float, value: Tensor) -> Tensor:
    """The history where the time since the initial time is negative, otherwise the value.

    Args:
        elapsed: times since the initial time (n,).
        history: values before it, (n,) or a number.
        value: values after it (n, 1).

    Returns:
        Tensor (n,).

    Example:
        >>> import torch
        >>> from pdedsl.runtime import with_history
        >>> with_history(torch.tensor([-0.5, 0.5]), 1.0, torch.tensor([[2.0], [3.0]]))
        tensor([1., 3.])
    """
    past = torch.as_tensor(history, dtype=value.dtype, device=value.device)
    return torch.where(elapsed < 0, past, value[..., 0])
