"""u and L u of a network, L = Σ aᵢ ∂ᵢ² + Σ bᵢ ∂ᵢ, with the fewest streams: one for u, one for L u, and directions.

The directions of the first layer are the columns of its matrix, the same at every point. If all aᵢ are the same
function, only Σᵢ zᵢ zᵢᵀ matters, and at most as many directions as units are needed: V Vᵀ = Rᵀ R for Vᵀ = Q R.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from pdedsl.runtime.activations import activation
from pdedsl.runtime.jet_terms import of_any
from pdedsl.runtime.jets import SLOPES, JetNetwork, Wanted


def collapses(network: JetNetwork, wanted: Wanted) -> bool:
    """Whether only u and one operator without mixed derivatives are wanted, in coordinates that are not periodic."""
    if network.mirror is not None or any(network.joined) or len(wanted.operators) != 1 or any(map(sum, wanted.orders)):
        return False
    return all(max(parts) == sum(parts) for parts in wanted.operators[0])


def collapsed(network: JetNetwork, points: Tensor, wanted: Wanted, coefficients: Tensor) -> Tensor:
    """Streams (2, n, c): u and L u, for coefficients (n, parts)."""
    (parts,) = wanted.operators
    axes = [next(k for k, n in enumerate(o) if n) for o in parts]
    second = [k for k, o in enumerate(parts) if sum(o) == 2]
    first = [k for k in range(len(parts)) if k not in second]
    columns = (network.weights[0] / network.lengths).T
    value = functional.linear((points - network.middle) / network.lengths, network.weights[0], network.biases[0])
    operator = coefficients[:, first] @ columns[[axes[k] for k in first]]
    factors, directions = _directions(coefficients[:, second], columns[[axes[k] for k in second]])
    slopes_of, last = SLOPES.get(network.name, of_any(activation(network.name))), len(network.weights) - 1
    for k in range(1, last + 1):
        weight = network.weights[k]
        sigma, slope, bend = slopes_of(value, 2)
        operator = functional.linear(slope * operator + bend * _squares(factors, directions), weight)
        value = functional.linear(sigma, weight, network.biases[k])
        if k < last:
            directions = functional.linear(slope * directions, weight)
    return torch.stack([value, operator])


def _directions(factors: Tensor, columns: Tensor) -> tuple[Tensor, Tensor]:
    """aᵢ, a single one if they are equal, and zᵢ: (directions, 1, width)."""
    if not torch.equal(factors, factors[:, :1].expand_as(factors)):
        return factors, columns[:, None]
    if len(columns) > columns.shape[1]:
        columns = torch.linalg.qr(columns, mode="reduced").R
    return factors[:, :1], columns[:, None]


def _squares(factors: Tensor, directions: Tensor) -> Tensor:
    """Σ aᵢ zᵢ², (n, width)."""
    if factors.shape[1] == 1:
        return factors * directions.square().sum(0)
    return torch.einsum("np,pnw->nw", factors, directions.square().expand(-1, len(factors), -1))
