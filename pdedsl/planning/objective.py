"""Training objective of a model on a data space: cross-entropy, residual penalty or heat smoothing."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, S

from pdedsl import errors
from pdedsl.config import methods
from pdedsl.config.base import Located
from pdedsl.config.networks import LipschitzFrame
from pdedsl.config.training import Adversary, CrossEntropy, Loss, Margin, Mart, Mixed, PgdAdversary, Trades
from pdedsl.diagnostics import Span
from pdedsl.ir.plan import (
    MAX_EXACT_LAPLACIAN_DIMENSION,
    GaussianRegression,
    HeatSmoothing,
    MemberCrossEntropy,
    Objective,
    ResidualPenalty,
)
from pdedsl.ir.representation import PathExpectation
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import MatrixStructure


def loss_of(spec: Spec) -> Loss:
    """The loss of the spec; a margin loss requires logits with a bounded Lipschitz constant, an adversarial loss an
    adversary."""
    if spec.train is None or spec.train.loss is None:
        return CrossEntropy()
    loss = spec.train.loss
    match loss.config:
        case CrossEntropy():
            pass
        case Trades():
            _require_adversary(spec, PgdAdversary)  # at x itself the gradient of the divergence is zero
        case Mart() | Mixed():
            _require_adversary(spec)
        case Margin():
            if spec.network is None or not isinstance(spec.network.frame.config, LipschitzFrame):
                raise errors.networks.margin_without_bound(loss.span)
        case _:
            assert_never(loss.config)
    return loss.config


def _require_adversary(spec: Spec, kind: type[Adversary] | None = None) -> None:
    assert spec.train is not None
    adversary, loss = spec.train.adversary, spec.train.loss
    if adversary is None or (kind is not None and not isinstance(adversary.config, kind)):
        raise errors.networks.loss_without_adversary(loss.config.name, loss.span)


def objective_of(
    paths: PathExpectation, spec: Spec, method: Located[methods.Diffusion] | None, dimension: int
) -> Objective:
    """The training objective: the loss of the spec; diffusion that is not realized by noise enters through it."""
    loss, objective = loss_of(spec), _objective_by_method(paths, method, dimension)
    if objective == CrossEntropy():
        return loss
    if loss != CrossEntropy():
        assert spec.train is not None
        raise errors.networks.loss_of_another_method(spec.train.loss.config.name, spec.train.loss.span)
    return objective


def _objective_by_method(
    paths: PathExpectation, method: Located[methods.Diffusion] | None, dimension: int
) -> Objective:
    if method is None:
        return CrossEntropy()
    match method.config:
        case methods.Noise(training=methods.EnsembleTraining.APART, weights=weights):
            return _per_member_cross_entropy(weights, method.span)
        case methods.ResidualPenalty() as residual:
            return _residual_penalty(residual, float(_integrated_diffusivity(paths, method)), dimension, method.span)
        case methods.HeatSmoothing() as retraining:
            return _heat_smoothing(retraining, float(_integrated_diffusivity(paths, method)))
        case methods.Noise() | methods.RandomizedSmoothing():
            return CrossEntropy()
        case methods.Dropout() | methods.StochasticDepth() | methods.ShakeShake():
            return CrossEntropy()
        case _:
            assert_never(method.config)


def _per_member_cross_entropy(weights: methods.EnsembleWeighting, span: Span) -> Objective:
    if weights is methods.EnsembleWeighting.LEARNED:
        raise errors.methods.learned_ensemble_weights(span)
    return MemberCrossEntropy()


def _integrated_diffusivity(paths: PathExpectation, method: Located[methods.Diffusion]) -> Expr:
    """∫ ν dt for isotropic diffusion with constant ν; an error unless it follows the transport, on other intervals."""
    diffusive = [s for s in paths.segments if s.has_diffusion]
    invalid = [
        s
        for s in diffusive
        if s.has_drift or not s.diffusivity[0][0].is_number or s.structure is not MatrixStructure.ISOTROPIC
    ]
    if invalid or not diffusive:
        at = invalid[0].diffusion_span if invalid else None
        raise errors.methods.needs_pure_diffusion(method.config.name, at or method.span, method.span)
    if any(not s.has_diffusion for s in paths.segments[: len(diffusive)]):
        raise errors.methods.diffusion_before_transport(
            method.config.name, diffusive[-1].diffusion_span or method.span, method.span
        )
    return sum((s.diffusivity[0][0] * s.length for s in diffusive), S.Zero)


def _heat_smoothing(config: methods.HeatSmoothing, amount: float) -> HeatSmoothing | GaussianRegression:
    if not config.is_variational:
        return GaussianRegression(2 * amount, config.start)
    return HeatSmoothing(
        2 * amount,
        config.steps,
        float(config.weight),
        config.probes,
        float(config.delta),
        config.start,
        config.estimator,
        config.derivative,
    )


def _residual_penalty(config: methods.ResidualPenalty, amount: float, dimension: int, span: Span) -> ResidualPenalty:
    """The residual penalty for g(x, t), with the diffusion rescaled to the time interval [0, 1]."""
    if config.estimator is methods.LaplacianEstimator.EXACT and dimension > MAX_EXACT_LAPLACIAN_DIMENSION:
        raise errors.methods.exact_laplacian_dimension(dimension, MAX_EXACT_LAPLACIAN_DIMENSION, span)
    return ResidualPenalty(
        amount,
        1.0,
        float(config.weight),
        float(config.h),
        float(config.tau),
        config.probes,
        tuple(map(float, config.times)),
        float(config.jitter),
        config.estimator,
        config.derivative,
        config.of,
        config.instants,
    )
