"""Types of unknowns and learned fields; their properties (sign, psd, divergence-free) hold for all weights."""

from __future__ import annotations

from enum import StrEnum

from sympy import Expr

from pdedsl.record import Record


class Sign(StrEnum):
    """The sign of a scalar."""

    ANY = ""
    POSITIVE = ">"
    NONNEGATIVE = ">="


class Scalar(Record):
    """A number, possibly restricted in sign."""

    sign: Sign = Sign.ANY

    def __str__(self) -> str:
        return f"scalar {self.sign} 0" if self.sign else "scalar"


class Vector(Record):
    """A vector. A complex number or vector is the real vector (Re ψ₁, Im ψ₁, Re ψ₂, …)."""

    size: int | None = None  # None: the dimension of the space
    divergence_free: bool = False
    is_complex: bool = False

    def __str__(self) -> str:
        if self.is_complex:
            return "complex" if self.size == 2 else f"vector({(self.size or 0) // 2}), complex"
        return "vector" + (f"({self.size})" if self.size else "") + ", divergence_free" * self.divergence_free


class Matrix(Record):
    """A d × d matrix, d the dimension of space."""

    psd: bool = False
    symmetric: bool = False

    def __str__(self) -> str:
        return "matrix" + ", psd" * self.psd + ", symmetric" * (self.symmetric and not self.psd)


class Simplex(Record):
    """Class probabilities."""

    classes: int

    def __str__(self) -> str:
        return f"simplex({self.classes})"


class Channels(Record):
    """A feature map."""

    def __str__(self) -> str:
        return "channels"


class Operator(Record):
    """A linear operator, with norm at most `bound` if given."""

    bound: Expr | None = None

    def __str__(self) -> str:
        return "operator" + (f", norm <= {self.bound}" if self.bound is not None else "")


class Eigenvalue(Record):
    """The eigenvalue of an eigenproblem: an unknown number."""

    def __str__(self) -> str:
        return "eigenvalue"


Type = Scalar | Vector | Matrix | Simplex | Channels | Operator | Eigenvalue
