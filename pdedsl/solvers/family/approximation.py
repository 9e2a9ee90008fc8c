"""Approximations of the solution of a family as a function of points and reference variables, with statistics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from pdedsl.solvers.family.member_modules import MemberModules
from pdedsl.solvers.family.sparse_interpolation import SparseInterpolant

QUADRATURE_POINTS = 128  # of a moment in one variable: exact for polynomials of degree 255


class FamilyApproximation(ABC):
    """u(x; y) with reference variables y."""

    @abstractmethod
    def values(self, points: Tensor, y: Tensor) -> Tensor:
        """At points (n, k) for variables (n, p): (n, c)."""

    @abstractmethod
    def samples(self, points: Tensor, y: Tensor) -> Tensor:
        """At points (n, k) for each of the variables (s, p): (s, n, c)."""

    @abstractmethod
    def member(self, y: Tensor) -> nn.Module:
        """The member at variables (p,)."""

    @abstractmethod
    def moments(self, points: Tensor, y: Tensor, is_random: Sequence[bool]) -> tuple[Tensor, Tensor]:
        """Mean and variance over the random variables, at the values y (p,) of the others: (n, c) each."""


@dataclass(frozen=True)
class InterpolatedMembers(FamilyApproximation):
    """Members at Leja points, in the order of their interpolant."""

    interpolant: SparseInterpolant
    modules: MemberModules

    def values(self, points: Tensor, y: Tensor) -> Tensor:
        return torch.einsum("nj,jnc->nc", self.interpolant.weights(y), self.modules.values(points))

    def samples(self, points: Tensor, y: Tensor) -> Tensor:
        return torch.einsum("sj,jnc->snc", self.interpolant.weights(y), self.modules.values(points))

    def member(self, y: Tensor) -> nn.Module:
        return self.modules.combine(self.interpolant.weights(y[None])[0])

    def moments(self, points: Tensor, y: Tensor, is_random: Sequence[bool]) -> tuple[Tensor, Tensor]:
        """By Gauss quadrature of the interpolant."""
        own, values = self.interpolant, self.modules.values(points)
        pairs = zip(own.normal, is_random, strict=True)
        rules = [gauss_quadrature(normal) if random else None for normal, random in pairs]
        first = own.node_weights(own.mean_basis(y, rules))
        second = own.node_weights(own.node_weights(own.product_basis(y, rules)).T)
        mean = torch.einsum("j,jnc->nc", first, values)
        variance = torch.einsum("jnc,jk,knc->nc", values, second - torch.outer(first, first), values)
        return mean, variance.clamp_min(0)


def gauss_quadrature(normal: bool) -> tuple[Tensor, Tensor]:
    """Nodes and weights of the Gauss rule of a uniform or normal variable."""
    from numpy.polynomial.hermite_e import hermegauss
    from numpy.polynomial.legendre import leggauss

    nodes, weights = map(torch.from_numpy, hermegauss(QUADRATURE_POINTS) if normal else leggauss(QUADRATURE_POINTS))
    return nodes, weights / weights.sum()
