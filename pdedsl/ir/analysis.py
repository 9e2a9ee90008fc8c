"""Analysis: what an equation is, and what can be proved about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sympy import Expr, Symbol

from pdedsl.diagnostics import Diagnostic, Span
from pdedsl.ir.spec import Equation, Spec

TermKind = Literal[
    "time_derivative", "convection", "diffusion", "reaction", "source", "nonlinear", "nonlocal", "higher_order"
]
EquationClass = Literal[
    "transport",
    "convection-diffusion",
    "diffusion",
    "reaction-diffusion",
    "nonlinear-diffusion",
    "hamilton-jacobi",
    "wave",
    "hamiltonian",
    "gradient-flow",
    "ode",
    "elliptic",
    "higher-order",
]
Truth = Literal["proved", "refuted", "unknown"]
Direction = Literal["initial", "terminal"]


@dataclass(frozen=True)
class Term:
    """A summand as it was written, with what it is. `detail` says more: isotropic, full matrix, learned, …"""

    kind: TermKind
    text: str
    span: Span
    linear: bool
    detail: str = ""


@dataclass(frozen=True)
class Flow:
    """The generator b·∇ + A:∇∇ of the process behind a linear equation, in the direction of its data; constants are
    letters here.

    Initial data: u(x, T) = E f(X_T), dX = b(X, T - τ) dτ + √2 A^½ dB: the first layer uses the coefficients at time T.
    Terminal data: u(x, 0) = E f(X_T), dX = b(X, t) dt + √2 A^½ dB: the first layer uses those at time 0.
    """

    drift: tuple[Expr, ...]
    diffusivity: tuple[tuple[Expr, ...], ...]
    shape: Literal["none", "isotropic", "diagonal", "full"]
    direction: Direction


@dataclass(frozen=True)
class RandomMap:
    """A random residual map of which the diffusion is the second moment: A = c diag(vᵢ²) for dropped units, c vvᵀ for
    dropped maps, c (f-g)(f-g)ᵀ with v = ½(f+g) for two branches f and g that are shared at random."""

    kind: Literal["dropout", "depth", "shake"]
    strength: Expr
    branches: tuple[Symbol, ...] = ()


@dataclass(frozen=True)
class EquationFacts:
    """What one equation is: its class, its terms, the process behind it."""

    equation: Equation
    text: str
    kind: EquationClass
    linear: bool
    terms: tuple[Term, ...]
    flow: Flow | None
    shapes: tuple[str, ...] = ()  # known shapes: dropout, symmetric layer, separable pair, split in time
    random: RandomMap | None = None


@dataclass(frozen=True)
class Verdict:
    """What is known of an axiom, why in one sentence, and an example against it where it is refuted."""

    truth: Truth
    reason: str
    witness: str = ""
    guilty: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """All that can be said of a spec before a weight exists, and what is wrong with it."""

    spec: Spec
    equations: tuple[EquationFacts, ...]
    axioms: dict[str, Verdict]
    diagnostics: tuple[Diagnostic, ...]
