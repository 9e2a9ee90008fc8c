"""Lines of other programs that have no counterpart in a spec, and what to do instead."""

from __future__ import annotations

REMARKS: tuple[tuple[str, str, str], ...] = (
    (
        r"\b(?:inner|dot)\(\s*(?:grad|nabla)\b.*(?:grad|nabla)|\bint[123]d\(",
        "an equation is written at a point, without integrals and test functions",
        "write the equation itself, as in -Δu = f, and its conditions: u = 0 on boundary",
    ),
    (
        r"^\s*bcs?\s*=|^\s*\w+\s*=.*(?:Dirichlet|Neumann|Robin|Periodic)BC\b",
        "a condition is an equation on a line of its own",
        "as in: u = 0 on boundary, u(0, t) = 0, or u(x, 0) = … for the start",
    ),
    (
        r"\b(?:add_equation|N?DSolve(?:Value)?|dsolve|pdepe|PDE|PDESystem|TransientTerm|DiffusionTerm)\s*[\[(]|^\s*solve\(",
        "an equation is a line of its own, not part of a call",
        "as in: ∂u/∂t = k Δu; it is solved by the command: pdedsl solve",
    ),
    (
        r"=\s*(?:\w+\.)?(?:\w*FunctionSpace|TrialFunctions?|TestFunctions?|FiniteElement|CellVariable|Grid[123]D)\(",
        "function spaces, grids and test functions are no part of a spec",
        "leave this line out: the method chooses them, as in: realize equation by grid(n=128)",
    ),
    (
        r"^\s*\w+\s*=\s*Differential\(\w+\)(?:\s*\^\s*\d)?\s*;?\s*$",
        "derivatives are not declared",
        "leave this line out: a derivative is written ∂u/∂t, ∂²u/∂x² or diff(u, x)",
    ),
    (
        r"^\s*@(?:parameters|variables|named|constants)\b(?!\s+\w+\s*=)|=\s*(?:\w+\.)?symbols?\(",
        "this is not how a name is declared",
        "as in: space x in [0, 1], time t in [0, 1], unknown u(x, t) : scalar, const k = 0.1",
    ),
    (
        r"^\s*\w+(?:\([\w, ]*\))?\s*(?:->|→)",
        "a limit is not a condition",
        "on a bounded domain write: u = 0 on boundary; on R^d nothing is asked at infinity",
    ),
    (r"□", "this operator is not part of the language", "write ∂²u/∂t² - c² Δu"),
    (r"^\s*end;?\s*$", "a spec has no 'end'", "leave it out"),
    (
        r"^\s*∂(?!Ω|Omega)[0-9²]?\w+\s*$",
        "a derivative is written on one line",
        "as in ∂u/∂t or ∂²u/∂x²: copied formulas lose their fraction bars",
    ),
)
"""What has no counterpart on the same line: a pattern, what is wrong, and a way out."""
