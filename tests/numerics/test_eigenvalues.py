"""Eigenvalues of symmetric matrices, compared with numpy."""

from __future__ import annotations

import numpy as np
import pytest

from pdedsl.numerics.eigenvalues import tridiagonal_form


@pytest.mark.parametrize("size", [1, 2, 3, 8, 64])
@pytest.mark.parametrize("rank", [1, 3, 100])
def test_counts_and_smallest_eigenvalue(size: int, rank: int) -> None:
    rng = np.random.default_rng(size)
    factor = rng.standard_normal((size, rank))
    matrix = factor @ np.diag(rng.standard_normal(rank)) @ factor.T  # indefinite, and singular if rank < size
    form, values = tridiagonal_form(matrix.tolist()), np.linalg.eigvalsh(matrix)
    scale = np.abs(values).max()
    assert abs(form.smallest - values[0]) < 1e-13 * size * scale  # rounding errors of both methods
    middles = [*(values - 1e-11 * scale), *(values + 1e-11 * scale)]  # beside each eigenvalue, above rounding errors
    assert [form.count_below(s) for s in middles] == [int((values < s).sum()) for s in middles]


def test_matrices_with_zero_columns() -> None:
    form = tridiagonal_form([[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, -1.0]])
    assert (form.count_below(-1.5), form.count_below(-0.5), form.count_below(0.5), form.count_below(3.0)) == (
        0,
        1,
        2,
        3,
    )
    assert form.smallest == -1.0
