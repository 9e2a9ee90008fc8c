"""Objective: what training minimises, as determined by the realization of the diffusion."""

from __future__ import annotations

from dataclasses import dataclass

from pdedsl.words.diffusions import Gradient, InSpace, Instants, InTime, Laplacian, Scores, Weights

MOST_EXACT = 64
"""Dimensions up to which the Laplacian is taken exactly: it costs as many rows as there are."""


@dataclass(frozen=True)
class CrossEntropy:
    """-log u_y(x, T). `apart`: for each member of an ensemble by itself instead of for their mean."""

    apart: bool = False


@dataclass(frozen=True)
class Margin:
    """τ·CE((s - 2√2 ε e_y)/τ, y) with τ = `temperature` (Prach, Brau, Buttazzo, Lampert, CVPR 2024, section 4).

    1-Lipschitz scores s certify the radius (s_y - max s_B)/√2, so the margin 2√2 ε asks for a radius of 2ε.
    """

    eps: float
    temperature: float


@dataclass(frozen=True)
class Residual:
    """L₁ + weight·L₂ (Wang, Tao, Bao, Shi, section 4), for a network g(x, t) with a channel for the time.

    L₁ = mean of -log g_y(x, t_k) over `times`; L₂ = mean of ‖∂g/∂t - νΔg‖² at x + ε, with ε uniform in
    [-jitter, jitter]. ν is `diffusivity`; after training, g is evaluated at time `end`. `instants` ONE: L₂ at a single
    time, drawn for each sample at each step: the same mean, at a cost divided by the number of times.
    """

    diffusivity: float
    end: float
    weight: float
    h: float
    tau: float
    probes: int
    times: tuple[float, ...]
    jitter: float
    estimator: Laplacian
    derivative: InTime
    of: Scores
    instants: Instants = Instants.ALL


@dataclass(frozen=True)
class Retraining:
    """Steps of implicit Euler for f_t = νΔf by retraining (Campbell, Finlay, Oberman 2020).

    After training by cross-entropy, step k of n minimises ½‖v - f_k‖² + weight·½hs²‖∇v‖², where s² = `variance` is the
    variance of the desired Gaussian average, h = 1/n. weight = ½ gives that variance; weight w gives 2ws². `delta` is
    used by differences only.
    """

    variance: float
    steps: int
    weight: float
    probes: int
    delta: float
    start: Weights
    estimator: Gradient
    derivative: InSpace = InSpace.FORWARD


Objective = CrossEntropy | Margin | Residual | Retraining
