"""Attacks on any callable from inputs to scores: `attack(model, x, y, *, norm, eps, …, bounds, seed) -> Result`.

Where scores are linear it is known what can be fooled within ε. Between two classes every attack fools it, up to the
resolution of its steps; only `fgsm` for ℓ2 may not where it is clipped. Among more classes, those that aim at one class
after another do: `fab`, `apgd` with `targets`, `autoattack`. One loss for all may lead to a farther boundary.
"""

from pdedsl.attacks.audit import Audit, audit
from pdedsl.attacks.auto_pgd import apgd
from pdedsl.attacks.box import Box
from pdedsl.attacks.carlini_wagner import cw
from pdedsl.attacks.cascade import autoattack
from pdedsl.attacks.decoupled import ddn
from pdedsl.attacks.fast_boundary import fab
from pdedsl.attacks.gradient_sign import difgsm, fgsm, ifgsm, pgd
from pdedsl.attacks.norms import L2, Linf
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.squares import square
from pdedsl.attacks.task import Result
from pdedsl.attacks.walk import boundary

__all__ = [
    "L2",
    "Audit",
    "Box",
    "Linf",
    "Predictor",
    "Result",
    "apgd",
    "audit",
    "autoattack",
    "boundary",
    "cw",
    "ddn",
    "difgsm",
    "fab",
    "fgsm",
    "ifgsm",
    "pgd",
    "square",
]
