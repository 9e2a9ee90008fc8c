"""Certified ℓ2 robustness of classifiers: randomized smoothing and Lipschitz bounds.

A model is any callable from inputs (n, …) to logits (n, classes). `certificate(model, x, …)` returns the certified
classes (n,) and ℓ2 radii (n,), with class −1 and radius 0 for samples on which it abstains.
"""

from pdedsl.certificates.lipschitz import Lipschitz, lipschitz
from pdedsl.certificates.randomized_smoothing import Gaussian, Sequential, gaussian, gaussian_at

__all__ = ["Gaussian", "Lipschitz", "Sequential", "gaussian", "gaussian_at", "lipschitz"]
