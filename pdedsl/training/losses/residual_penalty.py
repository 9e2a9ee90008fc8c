"""Residual penalty ‖∂g/∂t - νΔg‖² for the diffusion of a network g(x, t) (Wang, Tao, Bao, Shi, section 4).

    L₁ = mean over i, k of -log g_y(x_i, t_k),      L₂ = mean over i, k of ‖∂g/∂t - νΔg‖² at (x_i + ε_i, t_k)

with the norm summed over classes. Δg is the mean of K second differences (g(c + hv) + g(c - hv) - 2g(c)) / h², v
standard normal, whose mean over v is 2(G_h∗g - g)/h² = Δg + O(h²). The square of that mean, `biased`, is what the paper
prints; its mean is too large by ν²·2‖∇∇g‖²/K. `unbiased` is the product of two residuals with K probes each. `exact`
has no probes.

Choices that the paper leaves open: ε and v are resampled for every step and sample and shared by all times.
All points of a step pass the network in one batch, so a batch norm has one set of statistics for all of them and
updates its running statistics once. ∂g/∂t is taken forwards, holding these statistics fixed: central differences with
τ = 1e-4 lose four digits in single precision, and leave [0, 1] at its ends. x + ε is not clipped. Automatic mixed
precision is switched off: second differences divide rounding errors by h².
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.config.methods import LaplacianEstimator, ResidualTimes, Scores, TimeDifferentiation
from pdedsl.data.sampling import KeyedRng
from pdedsl.ir.plan import MAX_EXACT_LAPLACIAN_DIMENSION, ResidualPenalty
from pdedsl.runtime.diff.forward_laplacian.batch_layout import DerivativeLayout
from pdedsl.runtime.diff.forward_laplacian.jets import BatchJet, jet_values, make_jet
from pdedsl.runtime.learned_fields import FixedTime
from pdedsl.training.losses.classification import ACCURACY, accuracy, full_precision


@dataclass(frozen=True)
class ResidualLoss:
    """L₁ + weight·L₂."""

    config: ResidualPenalty

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, rng: KeyedRng) -> dict[str, Tensor]:
        with full_precision(x):
            points = _Points.of(self.config, x, rng)
            scores = points.evaluate(timed_network(model), self.config)
            labels, labelled = y.repeat(len(self.config.times)), jet_values(scores)[: points.labelled]
            one, other = _residuals(scores, points, self.config)
            residual = self.config.weight * (one * other).sum(-1).mean()
        return {
            "cross_entropy": functional.cross_entropy(labelled, labels),
            "residual": residual,
            ACCURACY: accuracy(labelled, labels),
        }


def timed_network(model: nn.Module) -> nn.Module:
    """g(x, t) of a model that evaluates it at one fixed time."""
    networks = [module for module in model.modules() if isinstance(module, FixedTime)]
    if len(networks) != 1:
        raise ValueError(f"a residual needs a model with one network g(x, t), and this one has {len(networks)}")
    return networks[0].network


@dataclass(frozen=True)
class _Points:
    """All points of a step: the labelled ones at every time, then groups of `size` rows: the centres c = x + ε, their
    neighbours c + hv, c - hv for each probe in turn, and c at t + τ, t - τ for central differences."""

    x: Tensor
    t: Tensor
    labelled: int
    size: int

    @classmethod
    def of(cls, config: ResidualPenalty, x: Tensor, rng: KeyedRng) -> _Points:
        times = x.new_tensor(config.times).unsqueeze(1).expand(-1, x.shape[0])
        at = times if config.instants is ResidualTimes.ALL else _one_of(times, rng)
        centre = x + config.jitter * (2.0 * rng.like(x, "jitter", "uniform") - 1.0)
        groups, shifts = [centre], [0.0]
        for probe in _probes(config, x, rng):
            groups += [centre + config.h * probe, centre - config.h * probe]
            shifts += [0.0, 0.0]
        if config.derivative is TimeDifferentiation.CENTRAL:
            groups, shifts = [*groups, centre, centre], [*shifts, config.tau, -config.tau]
        copies = [1] * (x.dim() - 1)
        rows = [x.repeat(len(times), *copies), *(group.repeat(len(at), *copies) for group in groups)]
        clock = [times.flatten(), *(at.flatten() + shift for shift in shifts)]
        return cls(torch.cat(rows), torch.cat(clock), times.numel(), at.numel())

    def evaluate(self, network: nn.Module, config: ResidualPenalty) -> Tensor:
        """Scores of all points; a Jet if derivatives at the centres are needed."""
        scores: Tensor
        if config.derivative is TimeDifferentiation.CENTRAL and config.estimator is not LaplacianEstimator.EXACT:
            scores = network(self.x, self.t)
        else:
            scores = network(*self._jets(config))
        return scores

    def _jets(self, config: ResidualPenalty) -> tuple[BatchJet, BatchJet]:
        """∂_t of the centres, or (∂_t or 0) - νΔ for an exact Laplacian."""
        lines = _dimensions(self.x) if config.estimator is LaplacianEstimator.EXACT else 0
        frame = DerivativeLayout(self.labelled, self.labelled + self.size, lines, diffusivity=config.diffusivity)
        basis = torch.eye(lines, dtype=self.x.dtype, device=self.x.device).reshape(lines, 1, *self.x.shape[1:])
        along = basis.expand(lines, self.size, *self.x.shape[1:]).flatten(0, 1)
        ahead = (
            self.t.new_ones(self.size)
            if config.derivative is TimeDifferentiation.FORWARD
            else self.t.new_zeros(self.size)
        )
        space = torch.cat([along, self.x.new_zeros(self.size, *self.x.shape[1:])])
        time = torch.cat([self.t.new_zeros(lines * self.size), ahead])
        return make_jet(self.x, space, frame), make_jet(self.t, time, frame)


def _one_of(times: Tensor, rng: KeyedRng) -> Tensor:
    """One of the times for each row, chosen at random, as a matrix with one row."""
    count = times.shape[0]
    index = (rng.numbers(times[0], "time").squeeze(1) * count).long().clamp(max=count - 1)
    return times.gather(0, index.unsqueeze(0))


def _probes(config: ResidualPenalty, x: Tensor, rng: KeyedRng) -> tuple[Tensor, ...]:
    if config.estimator is LaplacianEstimator.EXACT:
        return ()
    copies = config.probes * (2 if config.estimator is LaplacianEstimator.UNBIASED else 1)
    return rng.like(x, "probes", copies=copies).chunk(copies)


def _dimensions(x: Tensor) -> int:
    dimensions = x[0].numel()
    if dimensions > MAX_EXACT_LAPLACIAN_DIMENSION:
        raise ValueError(
            f"an exact Laplacian is limited to {MAX_EXACT_LAPLACIAN_DIMENSION} dimensions, got {dimensions}: "
            "choose the estimator 'biased' or 'unbiased'"
        )
    return dimensions


def _residuals(scores: Tensor, points: _Points, config: ResidualPenalty) -> tuple[Tensor, Tensor]:
    """∂g/∂t - νΔg at the centres, twice: with different probes for `unbiased`, otherwise the same."""
    g = scores.softmax(-1) if config.of is Scores.PROBABILITIES else scores
    groups = jet_values(g)[points.labelled :].reshape(-1, points.size, g.shape[-1])
    change = torch.zeros_like(groups[0])
    if isinstance(g, BatchJet):
        change = g.frame.split(g.tangent)[1]
    if config.derivative is TimeDifferentiation.CENTRAL:
        change = change + (groups[-2] - groups[-1]) / (2.0 * config.tau)
    if config.estimator is LaplacianEstimator.EXACT:
        return change, change
    pairs = groups[1:-2] if config.derivative is TimeDifferentiation.CENTRAL else groups[1:]
    bends = (pairs[0::2] + pairs[1::2] - 2.0 * groups[0]) / config.h**2
    halves = bends.split(config.probes)
    return change - config.diffusivity * halves[0].mean(0), change - config.diffusivity * halves[-1].mean(0)
