"""Selection and normalization of eigenpairs: order, spurious eigenvalues, phases, and residual bounds.

An eigenvalue of a discretization that changes with its size is spurious (Boyd 2001, ch. 7). For a self-adjoint problem
with a weight b, |λ - λ̃| ≤ η = ‖b^(-½) (A - λ̃B) ũ‖ / ‖b^½ ũ‖, and ≤ η²/gap with the distance to the next eigenvalue
(Kato 1949).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdedsl.io import RunError

Complexes = NDArray[np.complex128]
Array = NDArray[np.float64]

SPURIOUS_RTOL = 0.02  # change between two sizes; two correct digits
ZERO_RTOL = 1e-6  # relative to the largest of the eigenvalues: smaller ones are measured relative to that
CLUSTER_RTOL = 1e-6  # relative distance of eigenvalues that are treated as one
IMAGINARY_RTOL = 1e-6  # rounding errors of double eigenvalues are about 1e-8
FIRST_EXTREMUM = 0.5  # of the maximum of |u|


class EigensolveFailed(RunError):
    """The eigensolver failed; the message is the reason."""


def order(eigenvalues: Complexes, direction: complex) -> NDArray[np.int64]:
    """Indices by Re(λ / direction), or by |λ| without a direction."""
    key = (eigenvalues / direction).real if direction else np.abs(eigenvalues)
    other = (eigenvalues / direction).imag if direction else eigenvalues.imag
    return np.lexsort((other, key))


def scales(eigenvalues: Complexes) -> Array:
    """|λ|, or the largest |λ| for eigenvalues that are zero up to rounding."""
    sizes = np.abs(eigenvalues)
    largest = sizes.max(initial=0.0)
    return np.where(sizes > ZERO_RTOL * largest, sizes, largest) if largest > 0 else np.ones(len(sizes))


@dataclass(frozen=True)
class ResolvedEigenvalues:
    """Indices of the first resolved eigenvalues, and their differences to those of the smaller discretization;
    `unresolved` is the largest relative difference of others between them."""

    indices: NDArray[np.int64]
    differences: Array
    unresolved: float


def select_resolved(fine: Complexes, coarse: Complexes, direction: complex, modes: int) -> ResolvedEigenvalues:
    """The first eigenvalues that are nearly the same in both discretizations."""
    finite = np.flatnonzero(np.isfinite(fine))
    coarse = coarse[np.isfinite(coarse)]
    if not len(finite) or not len(coarse):
        raise EigensolveFailed("the pencil has no finite eigenvalues")
    indices = finite[order(fine[finite], direction)]
    differences = np.abs(fine[indices, None] - coarse[None, :]).min(1)
    resolved = differences <= SPURIOUS_RTOL * np.maximum(np.abs(fine[indices]), np.finfo(float).tiny)
    near_zero = np.abs(fine[indices]) <= ZERO_RTOL * np.median(np.abs(fine[indices]))
    resolved |= near_zero & (differences <= ZERO_RTOL * np.median(np.abs(fine[indices])))
    chosen = np.flatnonzero(resolved)[:modes]
    largest = np.abs(fine[indices[chosen]]).max(initial=0.0)
    before = np.setdiff1d(np.arange(chosen[-1] if len(chosen) else 0), chosen)
    before = before[np.abs(fine[indices[before]]) <= 10 * largest]
    skipped = float((differences[before] / np.abs(fine[indices[before]])).max()) if len(before) else 0.0
    return ResolvedEigenvalues(indices[chosen], differences[chosen], skipped)


def require_real(eigenvalues: Complexes, vectors: Complexes) -> tuple[Array, Array]:
    """Real eigenvalues and real eigenvectors in columns, of a real pencil; raises EigensolveFailed if there are none.

    Rounding splits a double eigenvalue into a conjugate pair: the real and the imaginary part of its vector span the
    same space.
    """
    imaginary = np.abs(eigenvalues.imag)
    if (imaginary > IMAGINARY_RTOL * scales(eigenvalues)).any():
        first = eigenvalues[imaginary.argmax()]
        raise EigensolveFailed(
            f"the eigenvalue {first:.6g} is complex: declare the unknowns as complex, as in unknown u(x) : complex"
        )
    real = np.where(eigenvalues.imag < 0, vectors.imag, vectors.real)
    return eigenvalues.real.copy(), real


def orthonormalize(eigenvalues: Complexes, vectors: Complexes, gram: Callable[[Complexes], Complexes]) -> Complexes:
    """Columns of norm 1, orthogonal within clusters of equal eigenvalues; `gram` multiplies by the matrix of ⟨·, ·⟩."""
    result = vectors.copy()
    scale = scales(eigenvalues)
    for k in range(result.shape[1]):
        for _ in range(2):  # twice is enough (Parlett 1998, section 6.9)
            for j in range(k):
                if abs(eigenvalues[k] - eigenvalues[j]) <= CLUSTER_RTOL * scale[k]:
                    result[:, k] -= result[:, j] * (result[:, j].conj() @ gram(result[:, k]))
        norm = np.sqrt((result[:, k].conj() @ gram(result[:, k])).real)
        if not norm > 0:
            raise EigensolveFailed("an eigenvalue has fewer eigenfunctions than its multiplicity")
        result[:, k] /= norm
    return result


def phase(values: Complexes) -> complex:
    """The factor of modulus 1 that makes the first of the large values, in the order of the points, positive."""
    sizes = np.abs(values)
    first = int(np.argmax(sizes >= FIRST_EXTREMUM * sizes.max()))
    return complex(sizes[first] / values[first]) if sizes[first] > 0 else 1.0


def kato_bounds(eigenvalues: Array, residuals: Array, others: Array) -> Array:
    """min(η, η²/gap) for each eigenvalue; `others` are further ones."""
    every = np.concatenate([eigenvalues, others])
    scale = scales(every.astype(complex))[: len(eigenvalues)]
    distances = np.abs(eigenvalues[:, None] - every[None, :])
    gaps = np.where(distances > CLUSTER_RTOL * scale[:, None], distances, np.inf).min(1) - residuals
    with np.errstate(divide="ignore", invalid="ignore"):
        quadratic = np.where(np.isfinite(gaps) & (gaps > 0), residuals**2 / gaps, np.inf)
    return np.minimum(residuals, quadratic)
