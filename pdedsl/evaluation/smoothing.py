"""The Gaussian noise on the input that an equation implies, for its certificate."""

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


def smoothing_of(compilation: Compilation, model: nn.Module) -> Smoothing | None:
    """s² = ∫ 2ν dt for diffusion νΔu with a constant ν on each piece of time, in standard deviations of the input.

    If the network is built as E softmax(base(x + sξ)), its base is averaged; any other network is its own base, and
    what is certified is its average (Wang, Tao, Bao, Shi, Theorem 3.1 is about the average too).
    """
    paths = compilation.representation
    variance = paths.input_variance if isinstance(paths, PathExpectation) else None
    if variance is None:
        return None
    base = _base(compilation.plan, model) if isinstance(compilation.plan, DataPlan) else None
    return Smoothing(math.sqrt(float(variance)), model if base is None else base, exact=base is not None)


def _base(plan: DataPlan, model: nn.Module) -> nn.Module | None:
    """The averaged network, if the model is one member with Gaussian noise on its input and no other randomness."""
    first, *rest = plan.parts
    noisy = any(
        isinstance(part, NoiseStep) or (isinstance(part, ResidualBlocks | SdeSteps) and part.noise is not None)
        for part in rest
    )
    if plan.members != 1 or plan.average is not Scores.PROBABILITIES or not isinstance(first, NoiseStep) or noisy:
        return None
    if not isinstance(model, Expectation):
        return None
    noise, *layers = model.members[0].children()
    return nn.Sequential(*layers) if isinstance(noise, GaussianNoise) else None
