"""Distributions of the parameters of a family, and of random coefficients."""

from __future__ import annotations

from typing import Annotated

from pdedsl.config.base import Config, Forms, Positive, Real, RealBounds, SmallCount, forms_of

Number = Annotated[Real, RealBounds()]


class Uniform(Config):
    """The uniform distribution on [low, high]."""

    low: Number
    high: Number


class LogUniform(Config):
    """The distribution on [low, high], low > 0, whose logarithm is uniform."""

    low: Positive
    high: Positive


class Normal(Config):
    """The normal distribution."""

    mean: Number = 0
    deviation: Positive = 1


class Lognormal(Config):
    """The distribution of exp(X) for a normal variable X with this mean and standard deviation."""

    mean: Number = 0
    deviation: Positive = 1


Distribution = Uniform | LogUniform | Normal | Lognormal
DISTRIBUTIONS: Forms[Distribution] = forms_of(Distribution)


class GaussianProcess(Config):
    """A Gaussian process with mean 0, variance 1 and squared exponential covariance exp(-|x - y|²/(2 length²)),
    truncated after `modes` terms of its expansion by eigenfunctions of the Laplacian (Solin, Särkkä 2020)."""

    length: Positive
    modes: SmallCount


RandomFunction = GaussianProcess
RANDOM_FUNCTIONS: Forms[RandomFunction] = forms_of(RandomFunction)
