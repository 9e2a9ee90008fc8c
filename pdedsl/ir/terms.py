"""Terms of an equation (convection, diffusion, reaction, source, …), each with its coefficients.

A summand of the text may be several terms: ∇·(x u) is the convection x·∇u and the reaction d u. The terms of an
equation add up to its normal form ∂ⁿu/∂tⁿ = rhs, however it was written. `exprs` is the contribution of a term, one
expression for each component, if its coefficients do not determine it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, assert_never

from sympy import Expr, S, Symbol

from pdedsl.config.methods import Direction
from pdedsl.config.networks import Normalization
from pdedsl.diagnostics import Span
from pdedsl.numerics.activations import Activation
from pdedsl.record import Record
from pdedsl.symbolic.symbols import INDEX


class MatrixStructure(StrEnum):
    """The structure of a matrix: zero, a multiple of the identity, diagonal or full."""

    NONE = "none"
    ISOTROPIC = "isotropic"
    DIAGONAL = "diagonal"
    FULL = "full"


class Origin(Record):
    """The summand in which a term occurs, as written."""

    text: str
    span: Span


class Components(Record):
    """A vector or symmetric matrix in explicit coordinates: one entry per coordinate or pair of coordinates."""

    rows: tuple[tuple[Expr, ...], ...]  # one row for a vector


class Indexed(Record):
    """A vector or symmetric matrix in a symbolic dimension: bᵢ, i = INDEX, or diag(aᵢ) + Σ c w wᵀ + Σ c H, H learned.

    `has_other_entries`: whether a matrix also has entries of another form.
    """

    diagonal: Expr  # bᵢ of a vector, aᵢ of a matrix
    outer: tuple[tuple[Expr, Expr], ...] = ()  # c and wᵢ
    learned: tuple[tuple[Expr, Symbol], ...] = ()  # c and H
    has_other_entries: bool = False


Coefficient = Components | Indexed


class Generator(Record):
    """The generator of a linear equation of first order in time: ∂u/∂t = b·∇u + A:∇∇u + c u + f.

    Initial data: u(x, T) = E f(X_T), dX = b(X, T - τ) dτ + √2 A^½ dB: the first layer uses the coefficients at time T.
    Terminal data: u(x, 0) = E f(X_T), dX = b(X, t) dt + √2 A^½ dB: the first layer uses those at time 0.
    """

    drift: Coefficient
    matrix: Coefficient
    rate: Expr
    source: Expr
    direction: Direction

    @property
    def structure(self) -> MatrixStructure:
        return matrix_structure(self.matrix)


def matrix_structure(matrix: Coefficient) -> MatrixStructure:
    match matrix:
        case Components(rows=rows):
            return _structure_of_rows(rows)
        case Indexed(diagonal=a, outer=outer, learned=learned, has_other_entries=rest):
            if outer or learned or rest:
                return MatrixStructure.FULL
            if a == 0:
                return MatrixStructure.NONE
            return MatrixStructure.DIAGONAL if INDEX in a.free_symbols else MatrixStructure.ISOTROPIC
        case _:
            assert_never(matrix)


def _structure_of_rows(rows: tuple[tuple[Expr, ...], ...]) -> MatrixStructure:
    if any(e != 0 for i, row in enumerate(rows) for j, e in enumerate(row) if i != j):
        return MatrixStructure.FULL
    diagonal = {rows[i][i] for i in range(len(rows))}
    if len(diagonal) > 1:
        return MatrixStructure.DIAGONAL
    return MatrixStructure.NONE if diagonal == {S.Zero} else MatrixStructure.ISOTROPIC


class TimeDerivative(Record):
    """∂ⁿu/∂tⁿ, with derivatives in space if `mixed`. `exprs` is its contribution to F in ∂ⁿu/∂tⁿ = F, empty for the
    leading derivative."""

    kind: ClassVar[str] = "time_derivative"
    order: int
    origin: Origin
    exprs: tuple[Expr, ...] = ()
    mixed: bool = False


class Convection(Record):
    """b·∇u."""

    kind: ClassVar[str] = "convection"
    drift: Coefficient
    origin: Origin


class Diffusion(Record):
    """A:∇∇u."""

    kind: ClassVar[str] = "diffusion"
    matrix: Coefficient
    origin: Origin


class Reaction(Record):
    """c u; on feature maps c Y for the state `of`, in a separable system either half."""

    kind: ClassVar[str] = "reaction"
    rate: Expr
    of: Symbol
    origin: Origin


class SourceTerm(Record):
    """f, independent of the unknowns; one value for each component."""

    kind: ClassVar[str] = "source"
    values: tuple[Expr, ...]
    origin: Origin


class Coupling(Record):
    """Linear in another unknown, or in another component of a vector, with derivatives up to `order`."""

    kind: ClassVar[str] = "coupling"
    of: Symbol
    order: int
    exprs: tuple[Expr, ...]
    origin: Origin


class SymmetricLayer(Record):
    """factor · Kᵀ σ(N(K Y)) for the state `of`; if `adjoint`, factor · K σ(N(Kᵀ Y))."""

    kind: ClassVar[str] = "symmetric_layer"
    factor: Expr
    operator: Symbol
    activation: Activation
    norm: Normalization | None
    of: Symbol
    origin: Origin
    adjoint: bool = False


class LearnedField(Record):
    """factor · f(Y, t) for the state `of`."""

    kind: ClassVar[str] = "learned_field"
    factor: Expr
    field: Symbol
    of: Symbol
    origin: Origin


class Nonlocal(Record):
    """Values at other points or other times."""

    kind: ClassVar[str] = "nonlocal"
    linear: bool
    in_time: bool
    exprs: tuple[Expr, ...]
    origin: Origin


class Nonlinear(Record):
    """A nonlinear function of u and its derivatives up to `order`; on feature maps, a term of any other form."""

    kind: ClassVar[str] = "nonlinear"
    order: int
    exprs: tuple[Expr, ...]
    origin: Origin


class HigherOrder(Record):
    """Linear, with derivatives in space of order above two."""

    kind: ClassVar[str] = "higher_order"
    order: int
    exprs: tuple[Expr, ...]
    origin: Origin


Term = (
    TimeDerivative
    | Convection
    | Diffusion
    | Reaction
    | SourceTerm
    | Coupling
    | SymmetricLayer
    | LearnedField
    | Nonlocal
    | Nonlinear
    | HigherOrder
)
MapTerm = SymmetricLayer | LearnedField | Reaction | Nonlinear
"""Terms on the right-hand side of an equation on feature maps."""
