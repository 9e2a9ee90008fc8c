"""Gaussian input noise of a diffusion term, the smoothing distribution of its certificate."""

from __future__ import annotations

import math

from torch import nn

from pdedsl.compiler import Compilation
from pdedsl.config.methods import Scores
from pdedsl.evaluation.model_under_test import Smoothing
from pdedsl.ir.plan import DataPlan, NoiseStep, ResidualBlocks, SdeSteps
from pdedsl.ir.representation import PathExpectation
from pdedsl.runtime.sde.feynman_kac import Expectation
from pdedsl.runtime.sde.noise import GaussianNoise


def input_smoothing(compilation: Compilation, model: nn.Module) -> Smoothing | None:
    """s² = ∫ 2ν dt for diffusion νΔu with piecewise constant ν(t); None if there is no such noise.

    A network of the form E softmax(base(x + sξ)) is smoothed through its base; any other network is its own base, and
    the certificate is one of its smoothed version (as in Wang, Tao, Bao, Shi, Theorem 3.1).
    """
    paths = compilation.representation
    variance = paths.input_variance if isinstance(paths, PathExpectation) else None
    if variance is None:
        return None
    base = _base(compilation.plan, model) if isinstance(compilation.plan, DataPlan) else None
    return Smoothing(math.sqrt(float(variance)), model if base is None else base, exact=base is not None)


def _base(plan: DataPlan, model: nn.Module) -> nn.Module | None:
    """The base network, if the model has one ensemble member, Gaussian input noise and no other noise."""
    first, *others = plan.parts
    noisy = any(
        isinstance(part, NoiseStep) or (isinstance(part, ResidualBlocks | SdeSteps) and part.noise is not None)
        for part in others
    )
    if plan.members != 1 or plan.average is not Scores.PROBABILITIES or not isinstance(first, NoiseStep) or noisy:
        return None
    if not isinstance(model, Expectation):
        return None
    noise, *layers = model.members[0].children()
    return nn.Sequential(*layers) if isinstance(noise, GaussianNoise) else None
