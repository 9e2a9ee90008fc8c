"""Butcher tableaux of time integrators and their stability limits, for analysis, planning, code generation and runtime.

A new method is one more record in `METHODS`: its keyword, its stability function, its steps in networks and on grids,
its row in the documentation and the test of its order follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from math import sqrt
from types import MappingProxyType

from pdedsl.record import Record

Row = tuple[float, ...]
Polynomial = tuple[float, ...]
"""Coefficients in rising powers."""

STABILITY_GRID = 64  # points per unit in the search for a stability limit
MAX_STABILITY_LIMIT = 8.0  # larger than the stability limits of all methods here
STABILITY_RTOL = 1e-12  # above the rounding errors of |R(z)| on its boundary


class RungeKutta(Record):
    """k_i = f(t + c_i h, y + h Σ_j a_ij k_j), y + h Σ_i b_i k_i, with a strictly lower triangular matrix of `rows`.

    `rows` omits the first, empty row; `label` is the name in Python.
    """

    name: str
    label: str
    order: int
    rows: tuple[Row, ...]
    weights: Row
    source: str = ""

    @property
    def nodes(self) -> Row:
        """c_i = Σ_j a_ij."""
        return (0.0, *map(sum, self.rows))

    @property
    def stages(self) -> int:
        return len(self.weights)

    @property
    def matrix(self) -> tuple[Row, ...]:
        """All rows, with zeros on and above the diagonal."""
        return tuple((*row, *(0.0,) * (self.stages - len(row))) for row in ((), *self.rows))

    @cached_property
    def stability(self) -> Polynomial:
        """R in the step y ↦ R(hλ) y for y' = λy: R(z) = 1 + Σ_k z^{k+1} bᵀAᵏ1 (Hairer, Wanner, IV.2)."""
        vector, coefficients = [1.0] * self.stages, [1.0]
        for _ in range(self.stages):
            coefficients.append(sum(b * v for b, v in zip(self.weights, vector, strict=True)))
            vector = [0.0, *(sum(a * v for a, v in zip(row, vector, strict=False)) for row in self.rows)]
        return tuple(coefficients)


class ImplicitRungeKutta(Record):
    """Stages Z_i = y + h Σ_j a_ij f(t + c_j h, Z_j) and y + h Σ_i b_i f(t + c_i h, Z_i), with a full matrix A."""

    name: str
    label: str
    order: int
    matrix: tuple[Row, ...]
    weights: Row
    source: str = ""

    @property
    def nodes(self) -> Row:
        """c_i = Σ_j a_ij."""
        return tuple(map(sum, self.matrix))

    @property
    def stages(self) -> int:
        return len(self.weights)

    @property
    def is_stiffly_accurate(self) -> bool:
        """Whether the step ends at the last stage, so that it satisfies algebraic equations."""
        return self.matrix[-1] == self.weights

    @cached_property
    def stability(self) -> tuple[Polynomial, Polynomial]:
        """R(z) = det(I - zA + z1bᵀ) / det(I - zA), numerator and denominator (Hairer, Wanner, IV.3)."""
        shifted = tuple(tuple(a - b for a, b in zip(row, self.weights, strict=True)) for row in self.matrix)
        return _determinant(shifted), _determinant(self.matrix)


def _determinant(a: tuple[Row, ...]) -> Polynomial:
    """det(I - zA), by the method of Faddeev and Le Verrier."""
    places, coefficients = range(len(a)), [1.0]
    m = [[float(i == j) for j in places] for i in places]
    for k in places:
        m = [[sum(a[i][r] * m[r][j] for r in places) for j in places] for i in places]
        coefficients.append(-sum(m[i][i] for i in places) / (k + 1))
        m = [[m[i][j] + coefficients[-1] * (i == j) for j in places] for i in places]
    return tuple(coefficients)


class ImexRungeKutta(Record):
    """Implicit-explicit method for y' = Ly + N(t, y), with stages Z_i = y + h Σ_j (a_ij L Z_j + ã_ij N(Z_j)).

    The step ends at y + h Σ_i (b_i L Z_i + b̃_i N(Z_i)). A (`matrix`, `weights`) is lower triangular with a first row of
    zeros, Ã (`rows`, `explicit_weights`) strictly lower triangular; `rows` omits the first, empty row. Both have the
    same nodes.
    """

    name: str
    label: str
    order: int
    matrix: tuple[Row, ...]
    weights: Row
    rows: tuple[Row, ...]
    explicit_weights: Row
    source: str = ""

    @property
    def nodes(self) -> Row:
        """c_i = Σ_j ã_ij."""
        return (0.0, *map(sum, self.rows))

    @property
    def stages(self) -> int:
        return len(self.weights)

    def stability(self, z: complex) -> tuple[complex, ...]:
        """R(z, ·) in the step y ↦ R(hμ, hν) y for y' = μy + νy, μ implicit: coefficients in powers of hν at hμ = z."""
        stages: list[list[complex]] = []
        for a, e in zip(self.matrix, ((), *self.rows), strict=True):
            total = self._combination(z, stages, a, e)
            stages.append([c / (1 - z * a[len(stages)]) for c in total])
        return tuple(self._combination(z, stages, self.weights, self.explicit_weights))

    def _combination(self, z: complex, stages: list[list[complex]], a: Row, e: Row) -> list[complex]:
        """1 + Σ_j (z a_j + w e_j) Z_j, as a polynomial in w."""
        total: list[complex] = [1.0, *(0.0,) * self.stages]
        for aj, ej, stage in zip(a, (*e, *(0.0,) * self.stages), stages, strict=False):
            for k, c in enumerate(stage[: self.stages]):  # the degree of a stage is below their number
                total[k] += z * aj * c
                total[k + 1] += ej * c
        return total


class ExponentialRungeKutta(Record):
    """Stages W_i = e^{c_i hL} w + h Σ_j a_ij N(W_j) and e^{hL} w + h Σ_i b_i N(W_i), for w' = Lw + N(w, t).

    The coefficients are linear combinations of φ-functions: a_ij = Σ_k rows_ijk φ_{k+1}(c_i hL), b_i the same at hL.
    `rows` omits the first, empty row.
    """

    name: str
    label: str
    order: int
    nodes: Row
    rows: tuple[tuple[Row, ...], ...]
    weights: tuple[Row, ...]
    source: str = ""


class EmbeddedRungeKutta(Record):
    """An adaptive Runge-Kutta pair. k₁ = f(t, y), k_{i+1} = f(t + nodes_i h, y + h Σ_j rows_ij k_j).

    The last row is the step itself (the last stage of one step is the first of the next), and h Σ_j error_j k_j
    estimates its error. Pairs without rows are computed by torchdiffeq.
    """

    name: str
    order: int
    nodes: Row = ()
    rows: tuple[Row, ...] = ()
    error: Row = ()
    source: str = ""


class TruncatedBackwardEuler(Record):
    """Backward Euler with the inverse as a truncated series, (I - hf)⁻¹ ≈ I + hf + … + (hf)ⁿ."""

    name: str = "backward_euler"
    max_terms: int = 200  # terms considered for stability; the limit of longer series is within 0.006 of 1

    def stability(self, terms: int) -> Polynomial:
        """1 + z + … + zⁿ; a longer series is cut to about `most` terms, of the same parity."""
        return (1.0,) * (min(terms, self.max_terms + terms % 2) + 1)


class VerletMethod(Record):
    """Y += h f(Z), Z += h g(Y) on a pair, which is reversible; stable for h²ω² up to `swing`."""

    name: str = "verlet"
    swing: float = 4.0


class LeapfrogMethod(Record):
    """Y₊ = 2Y - Y₋ + h² F(Y) for second order in time, which is reversible; stable for h²ω² up to `swing`."""

    name: str = "leapfrog"
    swing: float = 4.0


TimeMethod = (
    RungeKutta
    | ImplicitRungeKutta
    | ImexRungeKutta
    | EmbeddedRungeKutta
    | TruncatedBackwardEuler
    | VerletMethod
    | LeapfrogMethod
)

EULER = RungeKutta("euler", "Euler", 1, (), (1.0,))
HEUN = RungeKutta("heun", "Heun", 2, ((1.0,),), (1 / 2, 1 / 2))
MIDPOINT = RungeKutta("midpoint", "Midpoint", 2, ((1 / 2,),), (0.0, 1.0), "Runge 1895")
SSPRK3 = RungeKutta("ssprk3", "SSPRK3", 3, ((1.0,), (1 / 4, 1 / 4)), (1 / 6, 1 / 6, 2 / 3), "Shu, Osher 1988")
RK4 = RungeKutta("rk4", "RK4", 4, ((1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6), "Kutta 1901")
_SQRT6 = sqrt(6)
RADAU5 = ImplicitRungeKutta(
    "radau5",
    "Radau5",
    5,
    (
        ((88 - 7 * _SQRT6) / 360, (296 - 169 * _SQRT6) / 1800, (-2 + 3 * _SQRT6) / 225),
        ((296 + 169 * _SQRT6) / 1800, (88 + 7 * _SQRT6) / 360, (-2 - 3 * _SQRT6) / 225),
        ((16 - _SQRT6) / 36, (16 + _SQRT6) / 36, 1 / 9),
    ),
    ((16 - _SQRT6) / 36, (16 + _SQRT6) / 36, 1 / 9),
    "Radau IIA; Hairer, Wanner 1996, IV.8",
)
IMPLICIT_MIDPOINT = ImplicitRungeKutta("implicit_midpoint", "ImplicitMidpoint", 2, ((1 / 2,),), (1.0,), "Gauss")
_GAMMA = 1 - sqrt(1 / 2)
SDIRK2 = ImplicitRungeKutta(
    "sdirk2", "SDIRK2", 2, ((_GAMMA, 0.0), (1 - _GAMMA, _GAMMA)), (1 - _GAMMA, _GAMMA), "L-stable; Alexander 1977"
)
IMEX_EULER = ImexRungeKutta(
    "imex_euler",
    "ImexEuler",
    1,
    ((0.0, 0.0), (0.0, 1.0)),
    (0.0, 1.0),
    ((1.0,),),
    (1.0, 0.0),
    "Ascher, Ruuth, Spiteri 1997",
)
_DELTA = 1 - 1 / (2 * _GAMMA)
ARS222 = ImexRungeKutta(
    "ars222",
    "ARS222",
    2,
    ((0.0, 0.0, 0.0), (0.0, _GAMMA, 0.0), (0.0, 1 - _GAMMA, _GAMMA)),
    (0.0, 1 - _GAMMA, _GAMMA),
    ((_GAMMA,), (_DELTA, 1 - _DELTA)),
    (_DELTA, 1 - _DELTA, 0.0),
    "Ascher, Ruuth, Spiteri 1997, section 2.6",
)
ETDRK4 = ExponentialRungeKutta(
    "etdrk4",
    "ETDRK4",
    4,
    nodes=(0.0, 1 / 2, 1 / 2, 1.0),
    rows=(((1 / 2,),), ((1 / 2, -1.0), (0.0, 1.0)), ((1.0, -2.0), (), (0.0, 2.0))),
    weights=((1.0, -3.0, 4.0), (0.0, 2.0, -4.0), (0.0, 2.0, -4.0), (0.0, -1.0, 4.0)),
    source="ETDRK4-B; Krogstad 2005",
)
DOPRI5 = EmbeddedRungeKutta(
    "dopri5",
    5,
    nodes=(1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
    rows=(
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    error=(71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),
    source="Dormand, Prince 1980",
)
BOSH3 = EmbeddedRungeKutta(
    "bosh3",
    3,
    nodes=(1 / 2, 3 / 4, 1.0),
    rows=((1 / 2,), (0.0, 3 / 4), (2 / 9, 1 / 3, 4 / 9)),
    error=(2 / 9 - 7 / 24, 1 / 3 - 1 / 4, 4 / 9 - 1 / 3, -1 / 8),
    source="Bogacki, Shampine 1989",
)
HEUN21 = EmbeddedRungeKutta(  # one stage more than needed, so that the last stage is the first of the next step
    "adaptive_heun",
    2,
    nodes=(1.0, 1.0),
    rows=((1.0,), (1 / 2, 1 / 2)),
    error=(-1 / 2, 1 / 2, 0.0),
    source="Heun with Euler inside",
)
DOPRI8 = EmbeddedRungeKutta("dopri8", 8, source="torchdiffeq")
FEHLBERG2 = EmbeddedRungeKutta("fehlberg2", 2, source="torchdiffeq")
BACKWARD_EULER = TruncatedBackwardEuler()
VERLET = VerletMethod()
LEAPFROG = LeapfrogMethod()

METHODS: Mapping[str, TimeMethod] = MappingProxyType(
    {
        m.name: m
        for m in (
            *(EULER, HEUN, MIDPOINT, SSPRK3, RK4),
            *(BACKWARD_EULER, VERLET, LEAPFROG),
            *(RADAU5, IMPLICIT_MIDPOINT, SDIRK2),
            *(IMEX_EULER, ARS222),
            *(DOPRI5, DOPRI8, BOSH3, FEHLBERG2, HEUN21),
        )
    }
)
EXPLICIT: Mapping[str, RungeKutta] = MappingProxyType({k: m for k, m in METHODS.items() if isinstance(m, RungeKutta)})
IMPLICIT: Mapping[str, ImplicitRungeKutta] = MappingProxyType(
    {k: m for k, m in METHODS.items() if isinstance(m, ImplicitRungeKutta)}
)
IMEX: Mapping[str, ImexRungeKutta] = MappingProxyType(
    {k: m for k, m in METHODS.items() if isinstance(m, ImexRungeKutta)}
)
SemilinearMethod = ImexRungeKutta | ExponentialRungeKutta
"""Methods for w' = Lw + N(w, t), with a linear part L that is known."""
GridMethod = ImplicitRungeKutta | SemilinearMethod
GRID_METHODS: Mapping[str, GridMethod] = MappingProxyType({**IMPLICIT, **IMEX, ETDRK4.name: ETDRK4})
ADAPTIVE: Mapping[str, EmbeddedRungeKutta] = MappingProxyType(
    {k: m for k, m in METHODS.items() if isinstance(m, EmbeddedRungeKutta)}
)


# ---- Stability limits: |R(hλ)| ≤ 1 (Hairer, Wanner, chapter IV.2)


def amplification_factor(r: Polynomial, z: complex) -> float:
    """|R(z)|, by Horner's rule."""
    value: complex = 0
    for c in reversed(r):
        value = value * z + c
    return abs(value)


@lru_cache
def real_stability_limit(r: Polynomial) -> float:
    """Real stability limit: the largest s with |R(-s')| ≤ 1 for all s' ≤ s: 2 for Euler and Heun, 2.785… for RK4."""
    return _stability_limit(lambda s: amplification_factor(r, -s))


@lru_cache
def imaginary_stability_limit(r: Polynomial) -> float:
    """The largest s with |R(is')| ≤ 1 for s' ≤ s: 0 for Euler and Heun, 2√2 for RK4, √3 for SSPRK3."""
    return _stability_limit(lambda s: amplification_factor(r, 1j * s))


def _stability_limit(size: Callable[[float], float]) -> float:
    """The point where a function first exceeds 1: the first such point of a grid, refined by bisection."""
    above = next(
        (
            k / STABILITY_GRID
            for k in range(1, int(MAX_STABILITY_LIMIT * STABILITY_GRID))
            if size(k / STABILITY_GRID) > 1 + STABILITY_RTOL
        ),
        MAX_STABILITY_LIMIT,
    )
    below = above - 1 / STABILITY_GRID
    if below == 0:
        return 0.0
    while above - below > STABILITY_RTOL:
        middle = (above + below) / 2
        below, above = (below, middle) if size(middle) > 1 + STABILITY_RTOL else (middle, above)
    return below
