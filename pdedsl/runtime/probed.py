"""u and independent estimates of L u, L = Σ aᵢ ∂ᵢ² + Σ bᵢ ∂ᵢ, by few directions instead of one per coordinate.

With random signs v, Σ aᵢ ∂ᵢ²u is the mean of D²u[z, z], z = Σ vᵢ √aᵢ eᵢ (Hutchinson 1990); aᵢ < 0 separately.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from pdedsl.runtime.activations import activation
from pdedsl.runtime.jet_terms import of_any
from pdedsl.runtime.jets import SLOPES, JetNetwork, Wanted


def estimable(wanted: Wanted) -> bool:
    """Whether only u and one operator without mixed derivatives are wanted."""
    return (
        len(wanted.operators) == 1
        and not any(map(sum, wanted.orders))
        and all(max(parts) == sum(parts) for parts in wanted.operators[0])
    )


def random_signs(wanted: Wanted, points: int, probes: int, source: torch.Generator) -> Tensor:
    """For two estimates, (2, probes, points, parts)."""
    shape = (2, probes, points, len(wanted.operators[0]))
    return 2.0 * torch.randint(2, shape, generator=source, device=source.device) - 1


def estimated(network: JetNetwork, points: Tensor, wanted: Wanted, coefficients: Tensor, signs: Tensor) -> Tensor:
    """Streams (1 + e, n, c): u, and e estimates of L u, one for each of the e sets of signs (e, probes, n, parts)."""
    (parts,) = wanted.operators
    axes = torch.tensor([next(k for k, n in enumerate(o) if n) for o in parts], device=points.device)
    order = torch.tensor([sum(o) for o in parts], device=points.device)
    points, signs = network.with_images(points), signs.to(points)
    if network.mirror is not None:
        coefficients, signs = torch.cat([coefficients, coefficients]), torch.cat([signs, signs], 2)

    def spread(values: Tensor) -> Tensor:
        """(…, parts) → (…, inputs): the coefficient of a derivative, at the inputs that depend on its coordinate."""
        whole = values.new_zeros(*values.shape[:-1], points.shape[1]).index_add(-1, axes, values)
        return whole[..., network.owners]

    slopes, bends = network.inputs(points, 1), network.inputs(points, 2)
    second = coefficients * (order == 2)
    entering = spread(coefficients * (order == 1)) * slopes + spread(second) * bends
    roots = [second.clamp_min(0).sqrt(), (-second).clamp_min(0).sqrt()]
    kept = [(sign, r) for sign, r in zip((1.0, -1.0), roots, strict=True) if bool(r.any())]
    factors = points.new_tensor([sign / signs.shape[1] for sign, _ in kept for _ in range(signs.shape[1])])
    directions = torch.cat([spread(signs * r) * slopes for _, r in kept], 1)
    value = functional.linear(network.inputs(points, 0), network.weights[0], network.biases[0])
    operator = functional.linear(entering.expand(len(signs), -1, -1), network.weights[0])
    directions = functional.linear(directions, network.weights[0])
    slopes_of, last = SLOPES.get(network.name, of_any(activation(network.name))), len(network.weights) - 1
    for k in range(1, last + 1):
        weight = network.weights[k]
        sigma, slope, bend = slopes_of(value, 2)
        squares = torch.einsum("p,epnw->enw", factors, directions.square())
        operator = functional.linear(slope * operator + bend * squares, weight)
        value = functional.linear(sigma, weight, network.biases[k])
        if k < last:
            directions = functional.linear(slope * directions, weight)
    return network.without_images(torch.cat([value[None], operator]))
