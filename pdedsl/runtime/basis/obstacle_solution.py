"""Solutions of inequalities together with the contact set, where the solution equals an obstacle."""

from __future__ import annotations

from torch import Tensor

from pdedsl.runtime.basis.interpolation import TensorProductExpansion
from pdedsl.runtime.basis.piecewise_polynomials import PiecewisePolynomials


class ContactExpansion(TensorProductExpansion):
    """The last component of the expansion is the indicator function of the contact set."""

    def forward(self, points: Tensor) -> Tensor:
        return super().forward(points)[:, :-1]

    def contact(self, points: Tensor) -> Tensor:
        """1 in the contact set, 0 elsewhere, linear in cells between both, (n,)."""
        return super().forward(points)[:, -1]


class ContactPolynomials(PiecewisePolynomials):
    """The last function is the indicator function of the contact set."""

    def forward(self, points: Tensor) -> Tensor:
        return super().forward(points)[:, :-1]

    def contact(self, points: Tensor) -> Tensor:
        """1 in the contact set, 0 elsewhere, linear in elements between both, (n,)."""
        return super().forward(points)[:, -1]
