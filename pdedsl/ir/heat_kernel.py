"""Solution of the heat equation with constant coefficients by convolution with its fundamental solution.

∂v/∂τ = Σ aₖ ∂ₖ²v + b·∇v + c v + f with v = g at τ = 0 has the solution

    v(x, τ) = e^{cτ} E g(x + bτ + Z_τ) + ∫₀^τ e^{cs} E f(x + bs + Z_s, τ - s) ds,   Z_s ~ N(0, 2 s diag(a)),

where the second term is Duhamel's principle. On an interval with periodic, Dirichlet or Neumann conditions, data are
continued periodically, odd or even (method of images). For data that depend on ‖x - x₀‖ alone, the expectation over
R^d is an integral over two variables: the component of Z along x - x₀, and the norm of the others, which is
chi-distributed. For a sum of products of functions of single coordinates, it is the sum of the products of their
expectations, since the components of Z are independent. Evans 2010, section 2.3.1.
"""

from __future__ import annotations

from enum import StrEnum

from sympy import Expr, Symbol

from pdedsl.ir.problem import Domain
from pdedsl.record import Record


class Continuation(StrEnum):
    """Continuation of the data of an axis to the line."""

    NONE = "the line"
    PERIODIC = "periodic"
    REFLECTED = "even or odd at the ends"


class HeatKernelAxis(Record):
    """An axis [start, end] with its continuation: `signs` are -1 at ends with odd continuation, 1 with even."""

    continuation: Continuation
    start: Expr
    end: Expr
    signs: tuple[int, int] = (1, 1)


class ProductTerm(Record):
    """coefficient · ∏ vₖ(xₖ, τ), with a one-dimensional kernel for each of some axes k."""

    coefficient: Expr
    factors: tuple[tuple[int, HeatKernel], ...]


class HeatKernel(Record):
    """∂v/∂τ = Σ aₖ ∂ₖ²v + b·∇v + c v + f, τ = |t - `time`|, with the data amplitude · e^exponent.

    With `radius`, amplitude and exponent are functions of this symbol, the norm of the coordinates. `breaks` are points
    at which data in one dimension, or their continuation, are not smooth. With `terms`, v is e^{cτ} times their sum.
    """

    domain: Domain
    diffusivity: tuple[Expr, ...]
    drift: tuple[Expr, ...]
    rate: Expr
    source: Expr
    amplitude: Expr
    exponent: Expr
    axes: tuple[HeatKernelAxis, ...]
    time: Expr
    is_backward: bool
    radius: Symbol | None = None
    breaks: tuple[Expr, ...] = ()
    terms: tuple[ProductTerm, ...] = ()

    @property
    def variables(self) -> int:
        """The number of variables of integration, of each factor for products."""
        if self.terms:
            return 1
        return 2 if self.radius is not None else len(self.axes)

    @property
    def has_logarithm(self) -> bool:
        """Whether log v is that of the mean of positive data: there is no source."""
        return bool(self.source == 0) and not self.terms
