"""Refusals of sympy are answers; exceptions raised by code of the package are bugs and propagate."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sympy import I, Integer, Symbol, factorial, real_roots, sin

from pdedsl.analysis.axioms import markov
from pdedsl.compiler import to_analysis, to_spec
from pdedsl.diagnostics import Source
from pdedsl.ir.verdicts import Axiom, Proved, Undecided
from pdedsl.symbolic.symbols import TooLarge
from pdedsl.symbolic.sympy_errors import SYMPY_ERRORS, try_sympy

x = Symbol("x")
REFUSALS: dict[str, Callable[[], object]] = {
    "float of a symbol": lambda: float(x),
    "comparison of complex numbers": lambda: I < 1,
    "truth value of a relation": lambda: bool(x < 1),
    "roots of a transcendental equation": lambda: real_roots(sin(x)),
    "derivative with respect to a number": lambda: sin(x).diff(Integer(1)),
}


@pytest.mark.parametrize("work", REFUSALS.values(), ids=list(REFUSALS))
def test_refusal_of_sympy_is_none(work: Callable[[], object]) -> None:
    with pytest.raises(SYMPY_ERRORS):
        work()
    assert try_sympy(work) is None


def test_limits_are_none() -> None:
    def refuse() -> None:
        raise TooLarge("expanded")

    def recurse() -> None:
        recurse()

    assert try_sympy(refuse) is None
    assert try_sympy(recurse) is None


def test_value_passes_through() -> None:
    assert try_sympy(lambda: factorial(5)) == 120


# ---- bugs in a prover


HEAT = "pde Heat\nspace x in R\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = Δu\nu(x, 0) = exp(-x²)\n"


@pytest.mark.parametrize(
    ("broken", "error"), [(None, TypeError), (lambda _, __: [Integer(0)], AttributeError), (list, TypeError)]
)
def test_bug_in_a_prover_propagates(monkeypatch: pytest.MonkeyPatch, broken: object, error: type[Exception]) -> None:
    spec = to_spec(Source(HEAT))
    monkeypatch.setattr(markov, "delay_dependence", broken)
    with pytest.raises(error):
        to_analysis(spec)


def test_refusal_in_a_prover_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = to_spec(Source(HEAT))
    monkeypatch.setattr(markov, "delay_dependence", lambda _, __: float(x))
    verdicts = to_analysis(spec).axioms
    assert isinstance(verdicts[Axiom.MARKOV], Undecided)
    assert isinstance(verdicts[Axiom.COMPARISON], Proved)


LEARNED = """pde Learned
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
learn f(u) : scalar = mlp
∂u/∂t = Δu + f(u)
u(x, 0) = sin(2π x)
"""


def test_mass_with_a_learned_reaction_depends_on_the_weights() -> None:
    verdict = to_analysis(to_spec(Source(LEARNED))).axioms[Axiom.CONSERVATION]
    assert isinstance(verdict, Undecided)
    assert "depends on the weights" in verdict.reason
