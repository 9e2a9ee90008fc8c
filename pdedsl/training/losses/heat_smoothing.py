"""Heat smoothing: the Gaussian average of a trained network by retraining.

Regression, with the base network f and noise of variance s²:

    minimise over v:  mean of -Σ_c f_c(x + sξ) log v_c(x),   ξ standard normal, one sample per input and step

Cross-entropy is a proper scoring rule, so that the minimiser at x is the conditional mean of its target: E f(x + sξ).

The variational form, an implicit Euler step of the heat equation (Campbell, Finlay, Oberman 2020, eq. 4):

    minimise over v:  mean of ½‖v - f_k‖² + weight·½hs²‖∇v‖²,   h = 1/steps

whose minimiser is v - f_k = weight·hs²·Δv where the data are locally uniform: implicit Euler for f_t = ½s²Δf if the
weight is ½. Each step smooths by a kernel of variance 2·weight·hs² (the paper's weight 1 gives twice the variance).

v and f_k are probabilities, because these are the unknown of the equation and what a Gaussian average is taken of; the
published code smooths logits. ‖∇v‖² is the squared Frobenius norm of the Jacobian J, by κ = `probes` random directions:

    forward      (1/κ) Σ ‖J u_j‖², u_j standard normal on the inputs: κ derivatives forwards, of one batch. Exact, with
                 unit vectors for u, where the inputs have at most κ dimensions.
    differences  (N/κ) Σ ((w_j·v(x + δl_j) - w_j·v(x))/δ)², w_j normal of variance 1/N on the N classes, l_j along
                 ∇(w_j·v), as in the paper. δ → 0 gives (N/κ) Σ ‖Jᵀw_j‖².

Both have the mean ‖J‖² and, in the limit, the same variance 2‖JJᵀ‖²/κ; `forward` needs no input gradients and is the
cheaper one. The factor is κ/N times smaller with the estimator `paper`, as printed there. Batch norms see the clean
batch alone (forward), or the clean and the moved points as one batch (differences), and update their running statistics
once: in the published code each point of a difference has separate statistics. Automatic mixed precision is switched
off, because δ divides rounding errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import assert_never

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from pdedsl.config.methods import GradientNormEstimator, SpatialDifferentiation
from pdedsl.data.sampling import KeyedRng
from pdedsl.frozen_model import frozen
from pdedsl.ir.plan import GaussianRegression, HeatSmoothing
from pdedsl.runtime.diff.forward_laplacian.batch_layout import DerivativeLayout
from pdedsl.runtime.diff.forward_laplacian.jets import BatchJet, jet_values, make_jet
from pdedsl.training.losses.classification import ACCURACY, accuracy, full_precision


@dataclass(frozen=True)
class GaussianRegressionLoss:
    """Cross-entropy between f(x + sξ) and v(x), f = `base`, a frozen model in evaluation mode. Labels are not used."""

    config: GaussianRegression
    base: nn.Module

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, rng: KeyedRng) -> dict[str, Tensor]:
        with torch.no_grad():
            noisy = x + self.config.variance**0.5 * rng.like(x, "gaussian average")
            target = self.base(noisy).softmax(-1)
        scores = model(x)
        distance = -(target * scores.log_softmax(-1)).sum(-1).mean()
        return {"regression": distance, ACCURACY: accuracy(scores, y)}


@dataclass(frozen=True)
class HeatLoss:
    """½‖v - f_k‖² + weight·½hs²‖∇v‖², f_k = `previous`, a frozen model in evaluation mode. Labels are not used."""

    config: HeatSmoothing
    previous: nn.Module

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, rng: KeyedRng) -> dict[str, Tensor]:
        with full_precision(x):
            with torch.no_grad():
                before = self.previous(x).softmax(-1)
            after, norms = self._with_gradient(model, x, rng)
            distance = 0.5 * (after - before).square().sum(-1).mean()
        scale = self.config.weight * 0.5 * self.config.variance / self.config.steps
        if self.config.estimator is GradientNormEstimator.PAPER:
            scale *= self.config.probes / after.shape[-1]
        return {"distance": distance, "gradient": scale * norms.mean(), ACCURACY: accuracy(after, y)}

    def _with_gradient(self, model: nn.Module, x: Tensor, rng: KeyedRng) -> tuple[Tensor, Tensor]:
        """v(x), and an estimate of ‖∇v‖² for each row."""
        match self.config.derivative:
            case SpatialDifferentiation.FORWARD:
                return _forward(model, x, self.config.probes, rng)
            case SpatialDifferentiation.DIFFERENCES:
                return _differences(model, x, self.config.probes, self.config.delta, rng)
            case _:
                assert_never(self.config.derivative)


def _forward(model: nn.Module, x: Tensor, probes: int, rng: KeyedRng) -> tuple[Tensor, Tensor]:
    """(v, mean of ‖J u‖² over the probes), or the sum over a basis."""
    dimensions = x[0].numel()
    exact = dimensions <= probes
    if exact:
        basis = torch.eye(dimensions, dtype=x.dtype, device=x.device).reshape(dimensions, 1, *x.shape[1:])
        lines = basis.expand(dimensions, *x.shape).flatten(0, 1)
    else:
        lines = rng.like(x, "probes", copies=probes)
    count = dimensions if exact else probes
    scores = model(make_jet(x, lines, DerivativeLayout(0, x.shape[0], count, operator=False)))
    v: BatchJet = scores.softmax(-1)
    squares = v.tangent.square().sum(-1).reshape(count, -1)
    return jet_values(v), squares.sum(0) if exact else squares.mean(0)


def _differences(model: nn.Module, x: Tensor, probes: int, delta: float, rng: KeyedRng) -> tuple[Tensor, Tensor]:
    """(v, N/κ times the sum of squared difference quotients)."""
    weights, lines = _gradient_directions(model, x, probes, rng)
    moved = (x + delta * lines).flatten(0, 1)
    v = model(torch.cat([x, moved])).softmax(-1).reshape(probes + 1, x.shape[0], -1)
    derivatives = ((v[1:] - v[:1]) * weights).sum(-1) / delta
    return v[0], v.shape[-1] / probes * derivatives.square().sum(0)


def _gradient_directions(model: nn.Module, x: Tensor, probes: int, rng: KeyedRng) -> tuple[Tensor, Tensor]:
    """w_j, (κ, n, N), and the unit vectors along ∇(w_j·v), (κ, n, …), from one forward pass."""
    at = x.detach().requires_grad_()
    with torch.enable_grad(), frozen(model.parameters()), _frozen_statistics(model):
        v = model(at).softmax(-1)
    weights = rng.like(v.detach(), "weights", copies=probes).reshape(probes, *v.shape) / v.shape[-1] ** 0.5
    gradients = torch.stack([torch.autograd.grad(v, at, w, retain_graph=True)[0] for w in weights])
    lengths = torch.linalg.vector_norm(gradients.flatten(2), dim=2).clamp(min=torch.finfo(x.dtype).tiny)
    return weights, gradients / lengths.reshape(probes, -1, *[1] * (x.dim() - 1))


@contextmanager
def _frozen_statistics(model: nn.Module) -> Iterator[None]:
    """Within, batch norms in training use the statistics of the batch and do not record them."""
    norms = [m for m in model.modules() if isinstance(m, _BatchNorm) and m.training and m.track_running_stats]
    try:
        for norm in norms:
            norm.track_running_stats = False
        yield
    finally:
        for norm in norms:
            norm.track_running_stats = True
