"""The steps that will be taken in time, and whether they are too long for what the layers may be."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, Integer

from pdedsl.analyse.descent import descent_of
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.systems import integrator_of, is_separable_pair
from pdedsl.numerics.integrators import decaying, swinging
from pdedsl.words.integrators import Adaptive, Integrator, polynomial_of

EXACT = 1e-9  # a step at its bound is not beyond it


@dataclass(frozen=True)
class Stepping:
    """`steps` steps of length `step` by a method; both are None where the method chooses them."""

    method: Integrator
    step: Expr | None
    steps: int | None

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def decaying(self) -> float | None:
        """The bound on δt λ for Y' = -λY; None for methods that are not made for it."""
        r = polynomial_of(self.method)
        return None if r is None else decaying(r)

    @property
    def swinging(self) -> float:
        """The bound on δt² ω² for Y″ = -ω²Y."""
        r = polynomial_of(self.method)
        return 4.0 if r is None else swinging(r) ** 2


def stepping_of(spec: Spec) -> Stepping:
    """What the spec says, with the defaults of the planner."""
    method = integrator_of(spec).word
    if spec.time is None or isinstance(method, Adaptive) or method.steps is None:
        return Stepping(method, None, None)
    return Stepping(method, (spec.time.end - spec.time.start) / Integer(method.steps), method.steps)


def stability_warning(equation: Equation, spec: Spec) -> tuple[str, str] | None:
    """An explicit step beyond its bound, and a way out."""
    stepping = stepping_of(spec)
    if stepping.step is None:
        return None
    if is_separable_pair(spec):
        return _too_fast(stepping, *_frequency(spec), "verlet") if equation is spec.equations[0] else None
    descent = descent_of(equation, spec)
    if descent is None or descent.stiffness is None:
        return None
    if equation.order == 2:
        return _too_fast(stepping, descent.stiffness, descent.shown, "leapfrog")
    bound, size = stepping.decaying, stepping.step * descent.stiffness
    if bound is None or float(size) <= bound + EXACT:
        return None
    text = f"δt {descent.shown} = {size} exceeds {bound:.4g}, the stability bound of {stepping.name}"
    return text, "take more steps, or a smaller bound on ‖K‖"


def _too_fast(stepping: Stepping, squared: Expr | None, shown: str, better: str) -> tuple[str, str] | None:
    """ω², as it is shown, against the bound on δt² ω²."""
    if squared is None or stepping.step is None or squared == 0:
        return None
    bound, size = stepping.swinging, stepping.step**2 * squared
    if float(size) <= bound + EXACT:
        return None
    if bound == 0:
        text = f"these states swing, and {stepping.name} makes them grow, however short its steps"
        return text, f"realize time by {better} or rk4"
    text = f"δt² {shown} = {size} exceeds {bound:.4g}, the stability bound of {stepping.name}"
    return text, "take more steps, or a smaller bound on ‖K‖"


def _frequency(spec: Spec) -> tuple[Expr | None, str]:
    """ω² ≤ βγ of Y' = ±A(Z), Z' = ∓B(Y), with the Lipschitz constants β of A and γ of B."""
    ways = [
        [descent_of(_times(sign, e), spec) for sign, e in zip(signs, spec.equations, strict=True)]
        for signs in ((1, -1), (-1, 1))
    ]
    for one, other in ways:
        if one and other and one.stiffness is not None and other.stiffness is not None:
            shown = (d.shown.replace("K", f"K{i}").replace("λ", f"λ{i}") for d, i in ((one, "₁"), (other, "₂")))
            return one.stiffness * other.stiffness, " ".join(shown)
    return None, ""


def _times(sign: int, equation: Equation) -> Equation:
    return replace(equation, right=tuple(sign * e for e in equation.right))
