"""Policy iteration (Howard's algorithm) for nested minima and maxima of affine functions: semismooth Newton.

A policy chooses an operator at each node, the one at which the extremum is attained; the linear system of the chosen
rows gives the next iterate. For min(L u - f, u - ψ) = 0 it is the primal-dual active set method (Hintermüller, Ito,
Kunisch 2003; Bokanowski, Maroso, Zidani 2009).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import splu

from pdedsl.io import RunError
from pdedsl.ir.complementarity import Extremum

Array = NDArray[np.float64]
Policy = NDArray[np.int64]

ORDERING = "MMD_AT_PLUS_A"  # minimum degree of a pattern that is nearly symmetric: half the fill-in of COLAMD
MAX_POLICIES = 400  # the free boundary may move by one node in each iteration
PIVOT_THRESHOLD = 1e-3  # of a diagonal entry, relative to its column: row interchanges destroy the order
POLICY_RTOL = 1e-12  # of the change of the solution: policies that differ by rounding alternate


class PolicyIterationFailed(RunError):
    """Policy iteration does not converge; the message is the reason."""


def best_policy(extremum: Extremum, values: Sequence[Array]) -> tuple[Array, Policy]:
    """The value of the extremum at each node, and the number of the operator that attains it."""

    def choose(is_minimum: bool, options: list[tuple[Array, Policy]]) -> tuple[Array, Policy]:
        own = np.stack([value for value, _ in options])
        best = (own.argmin(0) if is_minimum else own.argmax(0))[None]
        numbers = np.stack([number for _, number in options])
        return np.take_along_axis(own, best, 0)[0], np.take_along_axis(numbers, best, 0)[0]

    return extremum.reduce(lambda k: (values[k], np.full(len(values[k]), k)), choose)


def iterate_policies(
    extremum: Extremum, matrices: Sequence[csr_matrix], sources: Sequence[Array], start: Array
) -> tuple[Array, Policy, int]:
    """The solution of extremum(Aₖ u + fₖ) = 0 in each row, its policy, and the number of iterations.

    Rows are divided by their diagonal entries, which does not change the solution: all operators then have the units of
    u. With bounds from both sides the iteration converges only so.
    """
    diagonals = [a.diagonal() for a in matrices]
    scales = [np.where(d > 0, 1 / np.where(d > 0, d, 1.0), 1.0) for d in diagonals]
    matrices = [diags(s) @ a for s, a in zip(scales, matrices, strict=True)]
    sources = [s * f for s, f in zip(scales, sources, strict=True)]
    u, policy = start, None
    for count in range(1, MAX_POLICIES + 1):
        _, chosen = best_policy(extremum, [a @ u + f for a, f in zip(matrices, sources, strict=True)])
        if policy is not None and (chosen == policy).all():
            return u, policy, count - 1
        policy, before = chosen, u
        matrix = sum(diags((policy == k).astype(float)) @ a for k, a in enumerate(matrices))
        u = -factorize(matrix)(np.choose(policy, list(sources)))
        if np.abs(u - before).max() <= POLICY_RTOL * np.abs(u).max():
            return u, policy, count
    raise PolicyIterationFailed(f"policy iteration does not converge within {MAX_POLICIES} iterations")


def factorize(matrix: csr_matrix) -> Callable[[Array], Array]:
    try:
        factors = splu(
            matrix.tocsc(),
            permc_spec=ORDERING,
            diag_pivot_thresh=PIVOT_THRESHOLD,
            options={"SymmetricMode": True},
        )
    except RuntimeError:
        raise PolicyIterationFailed("the discrete system is singular: the solution is not unique") from None
    solve: Callable[[Array], Array] = factors.solve
    return solve
