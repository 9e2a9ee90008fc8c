"""Analysis: the class, terms and generator of each equation, and verdicts on the axioms."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from pdedsl.diagnostics import Diagnostic, escaping
from pdedsl.ir.noise import RandomResidual
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.terms import Generator, Term
from pdedsl.ir.verdicts import Axiom, Verdict
from pdedsl.record import Record


class EquationClass(StrEnum):
    """The class of an equation, by its highest derivatives or its form."""

    TRANSPORT = "transport"
    CONVECTION_DIFFUSION = "convection-diffusion"
    DIFFUSION = "diffusion"
    REACTION_DIFFUSION = "reaction-diffusion"
    CONVECTION_DIFFUSION_REACTION = "convection-diffusion-reaction"
    NONLINEAR_DIFFUSION = "nonlinear-diffusion"
    HAMILTON_JACOBI = "hamilton-jacobi"
    WAVE = "wave"
    HAMILTONIAN = "hamiltonian"
    PARTITIONED = "partitioned"
    GRADIENT_FLOW = "gradient-flow"
    ODE = "ode"
    ELLIPTIC = "elliptic"
    PARABOLIC = "parabolic"
    HYPERBOLIC = "hyperbolic"
    MIXED = "mixed"
    HIGHER_ORDER = "higher-order"
    CONSTRAINT = "constraint"
    INTEGRAL = "integral"
    FRACTIONAL = "fractional"


class EquationFacts(Record):
    """The class and terms of an equation, and the generator of its diffusion process.

    Constants are numbers in `generator`, for computations, and names in `process`, for display.
    """

    equation: Equation = field(repr=False)
    text: str
    kind: EquationClass
    linear: bool
    terms: tuple[Term, ...]
    generator: Generator | None
    process: Generator | None
    structures: tuple[str, ...] = ()  # recognised: dropout, symmetric layer, separable system, time splitting
    random_residual: RandomResidual | None = None


class Analysis(Record):
    """The analysis of a spec, independent of weights, with its errors and warnings."""

    spec: Spec
    equations: tuple[EquationFacts, ...]
    axioms: dict[Axiom, Verdict]
    diagnostics: tuple[Diagnostic, ...]

    def __repr__(self) -> str:
        return f"Analysis({self.spec.name}: {', '.join(f'{name} {v.truth}' for name, v in self.axioms.items())})"

    def _repr_markdown_(self) -> str:
        rows = [f"| {name} | {v.truth} | {escaping.cell(v.reason)} |" for name, v in self.axioms.items()]
        return "\n".join(["| axiom | verdict | reason |", "| --- | --- | --- |", *rows])
