"""Adversarial attacks on classifiers: `attack(model, x, y, *, norm, eps, …, bounds, seed) -> Result`.

A model is any callable from inputs (n, …) to logits (n, classes); log-probabilities are logits as well.

For linear logits the set of samples with adversarial examples within ε is known. For two classes every attack finds
them all, up to the resolution of its steps, except `fgsm` in ℓ2 where it is clipped. For more classes, the attacks with
targets do: `fab`, `apgd` with `targets`, `autoattack`; a single untargeted loss may lead to a more distant boundary.
"""

from pdedsl.attacks.apgd import apgd
from pdedsl.attacks.autoattack import autoattack
from pdedsl.attacks.base import Result
from pdedsl.attacks.boundary_attack import boundary
from pdedsl.attacks.carlini_wagner import cw
from pdedsl.attacks.constraints import Box
from pdedsl.attacks.ddn import ddn
from pdedsl.attacks.fab import fab
from pdedsl.attacks.gradient_masking.audit import Audit, audit
from pdedsl.attacks.norms import L2, Linf
from pdedsl.attacks.pgd import difgsm, fgsm, ifgsm, pgd
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.square import square
from pdedsl.attacks.stochastic.protocol import StochasticEvaluation, evaluate_stochastic

__all__ = [
    "L2",
    "Audit",
    "Box",
    "Linf",
    "Predictor",
    "Result",
    "StochasticEvaluation",
    "apgd",
    "audit",
    "autoattack",
    "boundary",
    "cw",
    "ddn",
    "difgsm",
    "evaluate_stochastic",
    "fab",
    "fgsm",
    "ifgsm",
    "pgd",
    "square",
]
