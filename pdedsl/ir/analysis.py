"""Analysis: what an equation is, and what can be proved about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pdedsl.diagnostics import Diagnostic, escaping
from pdedsl.ir.noise import RandomResidual
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.terms import Generator, Term
from pdedsl.ir.verdicts import Axiom, Verdict


class EquationClass(StrEnum):
    """The class of an equation, by its highest derivatives or its form."""

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
    CONSTRAINT = "constraint"


@dataclass(frozen=True)
class EquationFacts:
    """What the analysis finds out about one equation: its class, its terms, the generator of the process behind it.

    Constants are numbers in `generator`, for computations, and names in `process`, for display.
    """

    equation: Equation = field(repr=False)
    text: str
    kind: EquationClass
    linear: bool
    terms: tuple[Term, ...]
    generator: Generator | None
    process: Generator | None
    structures: tuple[str, ...] = ()  # known shapes: dropout, symmetric layer, separable pair, split in time
    random_residual: RandomResidual | None = None


@dataclass(frozen=True)
class Analysis:
    """All that is known about a spec before it has any weights, and what is wrong with it."""

    spec: Spec
    equations: tuple[EquationFacts, ...]
    axioms: dict[Axiom, Verdict]
    diagnostics: tuple[Diagnostic, ...]

    def __repr__(self) -> str:
        return f"Analysis({self.spec.name}: {', '.join(f'{name} {v.truth}' for name, v in self.axioms.items())})"

    def _repr_markdown_(self) -> str:
        rows = [f"| {name} | {v.truth} | {escaping.cell(v.reason)} |" for name, v in self.axioms.items()]
        return "\n".join(["| axiom | verdict | reason |", "| --- | --- | --- |", *rows])
