"""Types of unknowns and learned fields; their properties (sign, psd, divergence-free) hold for all weights."""

from __future__ import annotations

from enum import StrEnum

from sympy import Expr

from pdedsl.frozen_dataclass import dataclass


class Sign(StrEnum):
    """The sign of a scalar."""

    ANY = ""
    POSITIVE = ">"
    NONNEGATIVE = ">="


@dataclass(frozen=True)
class Scalar:
    """A number, possibly restricted in sign."""

    sign: Sign = Sign.ANY

    def __str__(self) -> str:
        return f"scalar {self.sign} 0" if self.sign else "scalar"


@dataclass(frozen=True)
class Vector:
    """A vector."""

    size: int | None = None  # None: the dimension of the space
    divergence_free: bool = False

    def __str__(self) -> str:
        return "vector" + (f"({self.size})" if self.size else "") + ", divergence_free" * self.divergence_free


@dataclass(frozen=True)
class Matrix:
    """A d × d matrix, d the dimension of space."""

    psd: bool = False
    symmetric: bool = False

    def __str__(self) -> str:
        return "matrix" + ", psd" * self.psd + ", symmetric" * (self.symmetric and not self.psd)


@dataclass(frozen=True)
class Simplex:
    """Class probabilities."""

    classes: int

    def __str__(self) -> str:
        return f"simplex({self.classes})"


@dataclass(frozen=True)
class Channels:
    """A feature map."""

    def __str__(self) -> str:
        return "channels"


@dataclass(frozen=True)
class Operator:
    """A linear operator, with norm at most `bound` if given."""

    bound: Expr | None = None

    def __str__(self) -> str:
        return "operator" + (f", norm <= {self.bound}" if self.bound is not None else "")


Type = Scalar | Vector | Matrix | Simplex | Channels | Operator
