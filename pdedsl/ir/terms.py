"""Terms of an equation, each with its coefficients: what provers, lowering, explanations and emission match on.

A summand of the text may be several terms: ∇·(x u) is the transport x·∇u and the reaction d u. The terms of an equation
add up to its normal form ∂ⁿu/∂tⁿ = right, whatever way it was written.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol

from pdedsl.diagnostics import Span
from pdedsl.numerics.activations import Activation


@dataclass(frozen=True)
class Origin:
    """The summand in which a term stands, as it was written."""

    text: str
    span: Span


@dataclass(frozen=True)
class Components:
    """A vector or a symmetric matrix in a space that is written out: an entry for each coordinate, or pair of them."""

    rows: tuple[tuple[Expr, ...], ...]  # one row for a vector


@dataclass(frozen=True)
class Indexed:
    """The same in a space that is not: wᵢ with i = INDEX, or diag(aᵢ) + Σ c w wᵀ, each w by its component of number i.

    `rest` says whether a matrix has entries of another form too.
    """

    diagonal: Expr
    outer: tuple[tuple[Expr, Expr], ...] = ()  # c and wᵢ
    rest: bool = False


Coefficient = Components | Indexed


@dataclass(frozen=True)
class TimeDerivative:
    """∂ⁿu/∂tⁿ, possibly with derivatives in space too (`mixed`)."""

    order: int
    origin: Origin
    mixed: bool = False


@dataclass(frozen=True)
class Transport:
    """b·∇u."""

    drift: Coefficient
    origin: Origin


@dataclass(frozen=True)
class Diffusion:
    """A:∇∇u."""

    matrix: Coefficient
    origin: Origin


@dataclass(frozen=True)
class Reaction:
    """c u; on feature maps c Y of the state `of`, which in a pair is either half."""

    rate: Expr
    of: Symbol
    origin: Origin


@dataclass(frozen=True)
class Source:
    """f, without an unknown; a value for each component."""

    values: tuple[Expr, ...]
    origin: Origin


@dataclass(frozen=True)
class Coupling:
    """Linear in another unknown, or in its derivatives up to `order`."""

    of: Symbol
    order: int
    origin: Origin


@dataclass(frozen=True)
class Normalisation:
    """N of Kᵀσ(N(K Y)): tv_norm or batch_norm."""

    name: str
    eps: Expr


@dataclass(frozen=True)
class SymmetricLayer:
    """factor · Kᵀ σ(N(K Y)) of the state `of`."""

    factor: Expr
    operator: Symbol
    activation: Activation
    norm: Normalisation | None
    of: Symbol
    origin: Origin


@dataclass(frozen=True)
class LearnedField:
    """factor · f(Y, t) of the state `of`."""

    factor: Expr
    field: Symbol
    of: Symbol
    origin: Origin


@dataclass(frozen=True)
class Nonlocal:
    """Values at other points or other times."""

    linear: bool
    in_time: bool
    origin: Origin


@dataclass(frozen=True)
class Nonlinear:
    """A function of u and its derivatives up to `order`, that is not linear; or on feature maps, of any other form."""

    order: int
    origin: Origin


@dataclass(frozen=True)
class HigherOrder:
    """Linear, with derivatives in space above the second."""

    order: int
    origin: Origin


Term = (
    TimeDerivative
    | Transport
    | Diffusion
    | Reaction
    | Source
    | Coupling
    | SymmetricLayer
    | LearnedField
    | Nonlocal
    | Nonlinear
    | HigherOrder
)
