"""The kinds of motion of feature maps, with a right-hand side for each state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class FirstOrderOde(Generic[T]):
    """∂Y/∂t = F(Y)."""

    rhs: T

    @property
    def right_hand_sides(self) -> tuple[T, ...]:
        return (self.rhs,)


@dataclass(frozen=True)
class SecondOrderOde(Generic[T]):
    """∂²Y/∂t² = F(Y), starting at rest."""

    rhs: T

    @property
    def right_hand_sides(self) -> tuple[T, ...]:
        return (self.rhs,)


@dataclass(frozen=True)
class SeparableOde(Generic[T]):
    """∂Y/∂t = f(Z), ∂Z/∂t = g(Y): each half is pushed by the other, and Y moves first."""

    first: T
    second: T

    @property
    def right_hand_sides(self) -> tuple[T, ...]:
        return self.first, self.second


OdeSystem: TypeAlias = FirstOrderOde[T] | SecondOrderOde[T] | SeparableOde[T]
