"""Certificates of robustness in ℓ2 for any callable from inputs to scores: `certificate(model, x, …)` gives `classes`
and `radii`, with class −1 and radius 0 where it abstains.
"""

from pdedsl.certificates.lipschitz import Lipschitz, lipschitz
from pdedsl.certificates.randomized_smoothing import Gaussian, Sequential, gaussian, gaussian_at

__all__ = ["Gaussian", "Lipschitz", "Sequential", "gaussian", "gaussian_at", "lipschitz"]
