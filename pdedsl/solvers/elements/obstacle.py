"""Obstacle problems min(L u - f, u - ψ) = 0 with elements of first degree: the residual of the weak form at each node
and the bounds at the nodes, by policy iteration (Hintermüller, Ito, Kunisch 2003).
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, diags

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.solvers.elements.assembly import evaluate
from pdedsl.solvers.elements.direct_solver import ElementsSolveFailed
from pdedsl.solvers.elements.discrete_problem import DiscreteProblem
from pdedsl.solvers.elements.spaces import Array
from pdedsl.solvers.policy_iteration import PolicyIterationFailed, iterate_policies


def solve_obstacle(problem: DiscreteProblem, start: Array | None) -> tuple[Array, Array, int]:
    """The solution, 1 at the nodes of the contact set, and the number of iterations; raises ElementsSolveFailed if they
    do not converge."""
    constraint = problem.form.constraint
    assert constraint is not None
    fixed = np.zeros(problem.spaces.size, dtype=bool)
    fixed[problem.essential_dofs] = True
    prescribed = problem.essential_values()[0]
    zero = np.zeros(problem.spaces.size)
    stiffness, load = problem.assembler.jacobian(zero), problem.assembler.residual(zero)
    inside, boundary = diags((~fixed).astype(float)), diags(fixed.astype(float))
    matrices: list[csr_matrix] = []
    sources: list[Array] = []
    points = list(problem.spaces.dof_locations(np.arange(problem.spaces.size), 0))
    for k, own in enumerate(constraint.complementarity.operators):
        if k == constraint.differential:
            matrix, source = stiffness, load
        else:
            function = compile_pointwise((own.operator.rate, own.operator.source), problem.form.domain.space)
            rate, source = evaluate(function, points)
            matrix = diags(rate)
        matrices.append((inside @ matrix + boundary).tocsr())
        sources.append(np.where(fixed, -prescribed, source))
    first = problem.impose(zero if start is None else start)
    try:
        u, policy, count = iterate_policies(constraint.complementarity.extremum, matrices, sources, first)
    except PolicyIterationFailed as reason:
        raise ElementsSolveFailed(str(reason)) from reason
    return u, ((policy != constraint.differential) & ~fixed).astype(float), count
