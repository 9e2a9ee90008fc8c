"""ODE systems for feature maps: first order, second order, and separable (partitioned) systems."""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

from pdedsl.record import Record

T = TypeVar("T")


class FirstOrderOde(Record, Generic[T]):
    """∂Y/∂t = F(Y)."""

    rhs: T

    @property
    def right_hand_sides(self) -> tuple[T, ...]:
        return (self.rhs,)


class SecondOrderOde(Record, Generic[T]):
    """∂²Y/∂t² = F(Y) with zero initial velocity."""

    rhs: T

    @property
    def right_hand_sides(self) -> tuple[T, ...]:
        return (self.rhs,)


class SeparableOde(Record, Generic[T]):
    """∂Y/∂t = f(Z), ∂Z/∂t = g(Y): a separable system; Y is updated first."""

    first: T
    second: T

    @property
    def right_hand_sides(self) -> tuple[T, ...]:
        return self.first, self.second


OdeSystem: TypeAlias = FirstOrderOde[T] | SecondOrderOde[T] | SeparableOde[T]
