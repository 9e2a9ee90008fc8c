"""Analysis: what an equation is, and what can be proved about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from sympy import Expr, Symbol

from pdedsl.diagnostics import Diagnostic
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.terms import Generator, Term
from pdedsl.ir.verdicts import Axiom, Verdict


class EquationClass(StrEnum):
    """What an equation is, by the highest derivatives in it."""

    TRANSPORT = "transport"
    CONVECTION_DIFFUSION = "convection-diffusion"
    DIFFUSION = "diffusion"
    REACTION_DIFFUSION = "reaction-diffusion"
    NONLINEAR_DIFFUSION = "nonlinear-diffusion"
    HAMILTON_JACOBI = "hamilton-jacobi"
    WAVE = "wave"
    HAMILTONIAN = "hamiltonian"
    GRADIENT_FLOW = "gradient-flow"
    ODE = "ode"
    ELLIPTIC = "elliptic"
    PARABOLIC = "parabolic"
    HYPERBOLIC = "hyperbolic"
    MIXED = "mixed"
    HIGHER_ORDER = "higher-order"


@dataclass(frozen=True)
class RandomMap:
    """A random residual map of which the diffusion is the second moment: A = c diag(vᵢ²) for dropped units, c vvᵀ for
    dropped maps, c (f-g)(f-g)ᵀ with v = ½(f+g) for two branches f and g that are shared at random."""

    kind: Literal["dropout", "depth", "shake"]
    strength: Expr
    branches: tuple[Symbol, ...] = ()


@dataclass(frozen=True)
class EquationFacts:
    """What one equation is: its class, its terms, the generator of the process behind it.

    Constants are numbers in `generator`, which is computed with, and letters in `process`, which is read.
    """

    equation: Equation
    text: str
    kind: EquationClass
    linear: bool
    terms: tuple[Term, ...]
    generator: Generator | None
    process: Generator | None
    shapes: tuple[str, ...] = ()  # known shapes: dropout, symmetric layer, separable pair, split in time
    random: RandomMap | None = None


@dataclass(frozen=True)
class Analysis:
    """All that can be said of a spec before a weight exists, and what is wrong with it."""

    spec: Spec
    equations: tuple[EquationFacts, ...]
    axioms: dict[Axiom, Verdict]
    diagnostics: tuple[Diagnostic, ...]
