"""Attacks on any callable from inputs to logits: `attack(model, x, y, *, norm, eps, …, bounds, seed) -> Result`.

Where logits are linear it is known what can be fooled within ε. Between two classes every attack fools it, up to the
resolution of its steps; only `fgsm` for ℓ2 may not where it is clipped. Among more classes, those that aim at one class
after another do: `fab`, `apgd` with `targets`, `autoattack`. One loss for all may lead to a farther boundary.
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
