"""Types of the unknowns and of the learned fields. What a type promises holds for every weight."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sympy import Expr


class Sign(StrEnum):
    """Which numbers, by comparison with zero."""

    ANY = ""
    POSITIVE = ">"
    NONNEGATIVE = ">="


@dataclass(frozen=True)
class Scalar:
    """A number, perhaps of one sign."""

    sign: Sign = Sign.ANY

    def __str__(self) -> str:
        return f"scalar {self.sign} 0" if self.sign else "scalar"


@dataclass(frozen=True)
class Vector:
    """Several numbers."""

    size: int | None = None  # the space's dimension when None
    divergence_free: bool = False

    def __str__(self) -> str:
        return "vector" + (f"({self.size})" if self.size else "") + ", divergence_free" * self.divergence_free


@dataclass(frozen=True)
class Matrix:
    """A square matrix of the dimension of the space."""

    psd: bool = False
    symmetric: bool = False

    def __str__(self) -> str:
        return "matrix" + ", psd" * self.psd + ", symmetric" * (self.symmetric and not self.psd)


@dataclass(frozen=True)
class Simplex:
    """Probabilities of classes."""

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
    """A linear operator, its norm at most `bound` if there is one."""

    bound: Expr | None = None

    def __str__(self) -> str:
        return "operator" + (f", norm <= {self.bound}" if self.bound is not None else "")


Type = Scalar | Vector | Matrix | Simplex | Channels | Operator
