"""Twelve defences on digits with known properties, for the evaluation of stochastic and solver-based networks.

The robust accuracy of six is overestimated by gradient attacks with any number of noise samples, each for another
reason; the gradients of the other six are useful.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy
import torch
from torch import Tensor, nn
from torch.nn import functional
from torchdiffeq import odeint

from attacks.models import digits, trained

Network = Callable[[Tensor], Tensor]


class OdeNetwork(nn.Module):
    """∂h/∂t = tanh(K h) for 0 ≤ t ≤ 1, h(0) = L x, logits W h(1)."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.field = nn.Conv2d(1, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, padding=1)
        self.last = nn.Linear(128, 10)

    def velocity(self, t: Tensor, h: Tensor) -> Tensor:
        return self.field(h).tanh()

    def euler(self, x: Tensor, steps: int = 8) -> Tensor:
        """Euler's method with fixed steps."""
        h = self.first(x)
        for _ in range(steps):
            h = h + self.velocity(h, h) / steps
        return self.last(h.flatten(1))

    def forward(self, x: Tensor) -> Tensor:
        """Adaptive Runge-Kutta steps."""
        return self.last(self._end(self.first(x)).flatten(1))

    def stopped(self, x: Tensor) -> Tensor:
        """The same without the gradient of the trajectory."""
        with torch.no_grad():
            end = self._end(self.first(x))
        return self.last(end.flatten(1))

    def _end(self, h: Tensor) -> Tensor:
        return odeint(self.velocity, h, h.new_tensor([0.0, 1.0]), rtol=1e-3, atol=1e-4, method="dopri5")[-1]


@functools.cache
@torch.enable_grad()
def trained_ode() -> OdeNetwork:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        model = OdeNetwork()
    data, source = digits(), torch.Generator().manual_seed(1)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(12):
        for batch in torch.randperm(len(data.x), generator=source).split(100):
            optimizer.zero_grad()
            functional.cross_entropy(model.euler(data.x[batch]), data.y[batch]).backward()
            optimizer.step()
    return model.eval()


def noise(x: Tensor) -> Tensor:
    return torch.randn_like(x)


# ---- Masked gradients


def quantized(x: Tensor) -> Tensor:
    """Zero gradients: the input is rounded."""
    return trained()((4.0 * (x + 0.02 * noise(x))).round() / 4.0)


def exploding(x: Tensor) -> Tensor:
    """Noise that moves the input by 0.001 has a gradient of standard deviation 1000."""
    return trained()(x + 1e-3 * noise(x) * (1e6 * x).sin())


def saturated(x: Tensor) -> Tensor:
    """Vanishing gradients: the network returns probabilities, which round to 0 and 1."""
    return (50.0 * trained()(x + 0.02 * noise(x))).softmax(1)


def stopped(x: Tensor) -> Tensor:
    """No gradient of the trajectory of an adaptive solver."""
    return trained_ode().stopped(x)


def shattered(x: Tensor) -> Tensor:
    """A perturbation of high frequency: 0.02 in the input, a factor of 1 ± 10 in its derivative."""
    return trained()(x + 0.02 * (500.0 * x).sin() + 0.02 * noise(x))


def outside(x: Tensor) -> Tensor:
    """Noise that is added outside of automatic differentiation."""
    values = x.detach().numpy()
    shifted = values + 0.02 * numpy.random.standard_normal(values.shape).astype(values.dtype)
    return trained()(torch.from_numpy(shifted))


# ---- Useful gradients


def standard(x: Tensor) -> Tensor:
    return trained()(x)


def robust(x: Tensor) -> Tensor:
    return trained(0.1)(x)


def noisy(x: Tensor) -> Tensor:
    return trained(0.1)(x + 0.05 * noise(x))


def smoothed(x: Tensor) -> Tensor:
    return trained(0.1)(x + 0.25 * noise(x))


def dropped(x: Tensor) -> Tensor:
    return trained(0.1)(functional.dropout(x, 0.1, training=True))


def adaptive(x: Tensor) -> Tensor:
    return trained_ode()(x)


def fixed_steps(x: Tensor) -> Tensor:
    """The surrogate of both solver-based networks."""
    return trained_ode().euler(x, 20)


class Defence(NamedTuple):
    """A network, whether gradient attacks overestimate its robustness, and its surrogates."""

    network: Network
    masked: bool
    surrogates: tuple[Network, ...] = ()


DEFENCES = {
    "quantized": Defence(quantized, True),
    "exploding": Defence(exploding, True),
    "saturated": Defence(saturated, True),
    "stopped": Defence(stopped, True, (fixed_steps,)),
    "shattered": Defence(shattered, True),
    "outside": Defence(outside, True),
    "standard": Defence(standard, False),
    "robust": Defence(robust, False),
    "noisy": Defence(noisy, False),
    "smoothed": Defence(smoothed, False),
    "dropped": Defence(dropped, False),
    "adaptive": Defence(adaptive, False, (fixed_steps,)),
}
