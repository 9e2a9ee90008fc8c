"""Complete plans of the solvers for boundary value problems: grid schemes, finite elements, PINN, random features,
Monte Carlo.

Each plan holds all decisions about the mathematics: solvers discretize, train or sample, and decide nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import Any, ClassVar, Self

from sympy import Expr, Symbol

from pdedsl.config.methods import Elements, Grid, HeatKernelQuadrature, MonteCarlo, Pinn, PlannedSolver, RandomFeatures
from pdedsl.config.networks import Mlp
from pdedsl.config.training import Optimizer
from pdedsl.errors.base import count_noun
from pdedsl.ir.ansatz import HardConstraints
from pdedsl.ir.boundary import Face, Place, ScalarCondition
from pdedsl.ir.complementarity import Complementarity
from pdedsl.ir.diffusion_process import DiffusionProcess
from pdedsl.ir.eigenproblem import Eigenproblem
from pdedsl.ir.first_order_system import FaceCondition, FirstOrderSystem
from pdedsl.ir.heat_kernel import HeatKernel
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import PointValue, SecondOrderOperator
from pdedsl.ir.spec import Constant
from pdedsl.ir.theorem import Theorem
from pdedsl.ir.transforms import Transform
from pdedsl.ir.weak_form import WeakForm
from pdedsl.numerics.butcher import ETDRK4, RADAU5, ImplicitRungeKutta, SemilinearMethod
from pdedsl.record import Record

# ---- Coefficients of the schemes on grids


class PeriodicAxis(Record):
    """A periodic axis; `reflected` if by even/odd extension."""

    start: Expr
    period: Expr
    reflected: bool = False


class LinearSplitting(Record):
    """∂w/∂t = Σ coefficient · jet + remainder, with constant or learned scalar coefficients."""

    parts: tuple[tuple[int, Symbol, Expr], ...]  # the row, the jet, its coefficient
    remainders: tuple[Expr, ...]


class ConservationForm(Record):
    """For each axis the fluxes F of the variables and the flux Jacobian ∂Fₖ/∂wⱼ; and the sources S."""

    fluxes: tuple[tuple[Expr, ...], ...]
    jacobians: tuple[tuple[tuple[Expr, ...], ...], ...]
    sources: tuple[Expr, ...]


class RobinFace(Record):
    """Robin condition alpha · u + beta · ∂u/∂xᵢ + gamma = 0 on a face normal to axis i."""

    condition: FaceCondition
    alpha: Expr
    beta: Expr
    gamma: Expr


class SeparableOperator(Record):
    """L u = Σᵢ Lᵢ u with ordinary differential operators Lᵢ = Σⱼ c(xᵢ) ∂ᵢʲ, one for each axis, and Robin conditions
    with constant coefficients on the faces of the axes that are not periodic."""

    terms: tuple[tuple[tuple[int, Expr], ...], ...]  # for each axis: order of the derivative, coefficient
    faces: tuple[RobinFace, ...]


class InterfaceProblem(Record):
    """Conductivities a and drifts b, one for each axis, the source s, and the boundary conditions."""

    conductivities: tuple[Expr, ...]
    drifts: tuple[Expr, ...]
    source: Expr
    faces: tuple[RobinFace, ...]


class IrregularDirichletProblem(Record):
    """Σ Aᵢᵢ ∂ᵢ²u + b·∇u + c u + f = 0, with Dirichlet values on each face and each curve g = 0."""

    operator: SecondOrderOperator
    dirichlet: Mapping[Place, Expr]


# ---- Schemes on grids


class FourierScheme(Record):
    """Fourier pseudospectral method: periodic axes (by extension, too), constant leading coefficients.

    `flux_terms` are (c, e, α) with N = Σ c ∂^α e for the nonlinear part N of a scalar equation with fluxes: u ∂u/∂x =
    ½ ∂u²/∂x needs no transform of ∂u/∂x. They are empty for other equations.
    """

    system: FirstOrderSystem
    axes: tuple[PeriodicAxis, ...]
    linear: LinearSplitting
    flux_terms: tuple[tuple[float, Expr, tuple[int, ...]], ...]
    oversampling: int  # grid points per half of the modes
    tolerance: float = 2e-8  # of steps whose error estimates are extrapolated away
    integrator: SemilinearMethod = field(default=ETDRK4, repr=False)


class ChebyshevScheme(Record):
    """Chebyshev collocation on a box with boundary conditions; `separable` is the operator of a stationary linear
    equation, if it is a sum over the axes. `breaks` are those of the pieces of each axis in space, without its ends."""

    system: FirstOrderSystem
    breaks: tuple[tuple[float, ...], ...]
    tolerance: float = 1e-9  # of the steps
    separable: SeparableOperator | None = None
    integrator: ImplicitRungeKutta = field(default=RADAU5, repr=False)


class InterfaceFVScheme(Record):
    """Finite volumes for discontinuous diffusivity with continuous flux."""

    system: FirstOrderSystem
    coefficients: InterfaceProblem
    tolerance: float = 1e-9  # of the steps
    integrator: ImplicitRungeKutta = field(default=RADAU5, repr=False)


class FiniteVolumeScheme(Record):
    """Finite volumes with a slope limiter, SSPRK3 in time: a conservation law, whose solutions may have shocks."""

    system: FirstOrderSystem
    form: ConservationForm
    dirichlet: tuple[tuple[Face, int, Expr], ...]  # face, variable and value; elsewhere homogeneous Neumann conditions


class ShortleyWellerScheme(Record):
    """Shortley-Weller finite differences on an irregular domain."""

    coefficients: IrregularDirichletProblem


class OdeScheme(Record):
    """Adaptive integrator for a system of ordinary differential equations in time."""

    system: FirstOrderSystem
    tolerance: float = 1e-8  # of the solution, relative


class ObstacleScheme(Record):
    """Monotone finite differences and policy iteration for a complementarity problem on a box."""

    complementarity: Complementarity
    face_conditions: tuple[ScalarCondition, ...]  # Dirichlet and Robin conditions
    initial: Expr  # 0 for a stationary problem
    depends_on_time: bool  # whether coefficients, bounds or boundary values do


class DelayedValue(Record):
    """A derivative in space of a component at an earlier time, a known function of this name on each piece."""

    name: str
    delay: float
    component: int
    value: PointValue
    history: Expr  # a function of the earlier time


class DelayScheme(Record):
    """The method of steps: a scheme for the problem with known delayed values, on the pieces of time between the sums
    of delays; `initial` are the initial values of the first piece."""

    scheme: FourierScheme | ChebyshevScheme
    delayed: tuple[DelayedValue, ...]
    initial: tuple[Expr, ...]
    breaks: tuple[float, ...]  # in the interior of the time interval

    @property
    def system(self) -> FirstOrderSystem:
        return self.scheme.system

    @property
    def tolerance(self) -> float:
        return self.scheme.tolerance


GridScheme = (
    FourierScheme
    | DelayScheme
    | ChebyshevScheme
    | InterfaceFVScheme
    | FiniteVolumeScheme
    | ShortleyWellerScheme
    | ObstacleScheme
    | OdeScheme
)


# ---- Theorems of the solvers


FEYNMAN_KAC = Theorem(
    "the Feynman-Kac formula",
    "Øksendal, sections 8.2 and 9.1; Kloeden, Platen",
    "u(x, t) is the expected value of the data at the end point of the diffusion process started at (x, t), weighted "
    "by e^{∫c}, plus the weighted integral of the source along its path",
)
RANDOM_FEATURES = Theorem(
    "collocation with random Fourier features",
    "Rahimi, Recht 2007; Huang, Zhu, Siew 2006",
    "u is a linear combination of sines with random frequencies; its coefficients minimize the residuals of the "
    "equations and conditions at collocation points",
)
DISCRETIZATION = Theorem(
    "discretization on a grid",
    "LeVeque 2007; Trefethen 2000",
    "u is represented by its values at grid points, and the equations and conditions become a system for these values",
)
GALERKIN = Theorem(
    "Galerkin's method with finite elements",
    "Brenner, Scott 2008; Ern, Guermond 2004",
    "u is a continuous piecewise polynomial on a mesh that satisfies the weak form for all test functions of this kind",
)
MULTILEVEL_PICARD = Theorem(
    "the nonlinear Feynman-Kac formula, by multilevel Picard iteration",
    "E, Hutzenthaler, Jentzen, Kruse 2019; Hutzenthaler et al. 2020",
    "u is the fixed point of u(x, t) = E[e^{cτ} g(X_τ) + ∫ e^{cs} F(u(X_s)) ds]; differences of successive iterates "
    "are estimated with the fewer samples, the more expensive they are",
)
HEAT_KERNEL = Theorem(
    "convolution with the heat kernel",
    "Evans 2010, section 2.3.1; images: Carslaw, Jaeger 1959, chapter 10",
    "u(x, t) is the mean of the data over a Gaussian distribution with variance 2νt, and Duhamel's integral of the "
    "source; data on an interval are continued to the line",
)


COLLOCATED_PENCIL = Theorem(
    "spectral collocation of an eigenproblem",
    "Trefethen 2000, ch. 9 and 14; Boyd 2001, ch. 7; Driscoll, Hale 2016",
    "u is a polynomial that satisfies the conditions; A u = λ B u at collocation points is a matrix pencil. "
    "Eigenvalues that change with the number of points are spurious",
)
GALERKIN_PENCIL = Theorem(
    "Galerkin's method for an eigenproblem",
    "Babuška, Osborn 1991; Boffi 2010",
    "u is a piecewise polynomial with a(u, v) = λ b(u, v) for all test functions; eigenvalues of self-adjoint problems "
    "converge with twice the order of the eigenfunctions",
)


# ---- Plans


class SolverDiagram(Record):
    """Texts of the drawing of a method: title and lines of the ansatz or mesh, the title of the equations, and title
    and lines of the algebraic solver."""

    discretization: tuple[str, ...]
    equations: str
    solver: tuple[str, ...]


class SolverPlan(Record):
    """The plan of a method for a problem.

    `implementation` is the module of `pdedsl.solvers` with the `METHOD` that executes it; `size_argument` is the
    argument that levels of refinement change, or empty.
    """

    theorem: ClassVar[Theorem | None] = None  # None: that of the strong form
    implementation: ClassVar[str]
    size_argument: ClassVar[str] = ""
    problem: StrongForm = field(repr=False)
    method: PlannedSolver

    @property
    def applied_theorem(self) -> Theorem | None:
        """The theorem of the method for this problem."""
        return self.theorem

    @property
    def name(self) -> str:
        """The method without its sizes."""
        return self.method.name

    @property
    def text(self) -> str:
        """The method with its sizes."""
        return str(self.method)

    def resize(self, size: int) -> Self:
        """The plan of another level of refinement."""
        change: Any = {self.size_argument: size}
        return replace(self, method=replace(self.method, **change))

    @property
    def converges_quickly(self) -> bool:
        """Whether refinement to four digits is inexpensive for this problem."""
        return True

    @property
    def diagram(self) -> SolverDiagram:
        return SolverDiagram((str(self.method),), "equations", ("solver",))


class GridPlan(SolverPlan):
    """A scheme with `method.n` points per dimension; the solution is that of `problem` plus the lifts, if periodic
    conditions have jumps."""

    theorem = DISCRETIZATION
    implementation = "grid.driver"
    size_argument = "n"
    method: Grid
    scheme: GridScheme
    lifts: tuple[Expr, ...] = ()

    @property
    def diagram(self) -> SolverDiagram:
        points = f"{self.method.n} points per dimension"
        return SolverDiagram(("grid", points), "equations on the grid", ("grid solver",))


class JavascriptPlan(Record):
    """A grid plan for JavaScript; the symbols of `parameters` occur in its expressions."""

    grid: GridPlan
    parameters: tuple[Constant, ...]


class RandomFeaturesPlan(SolverPlan):
    """Random Fourier features with the symmetries of the problem; `parametrized` has symbols for learned parameters."""

    theorem = RANDOM_FEATURES
    implementation = "random_features"
    size_argument = "n"
    method: RandomFeatures
    parametrized: StrongForm = field(repr=False)
    n_features: int  # of the first fit
    max_features: int  # of the second fit
    parities: tuple[int, ...]  # of the solution about the center of each coordinate: 1 (even), -1 (odd), 0 (none)
    permutation_invariant: bool
    lifts: tuple[Expr, ...] = ()  # added to the solution, if periodic conditions have jumps

    @property
    def is_low_dimensional(self) -> bool:
        return len(self.problem.domain.coordinates) <= MAX_LOW_DIMENSION

    @property
    def symmetry_text(self) -> str:
        if self.permutation_invariant:
            return "permutation-invariant features, as the problem is"
        names = zip(self.problem.domain.coordinates, self.parities, strict=True)
        kinds = [f"{'even' if p > 0 else 'odd'} in {x}" for x, p in names if p]
        return f"features {', '.join(kinds)} about the center of the domain, as the problem is" if kinds else ""

    @property
    def converges_quickly(self) -> bool:
        return self.problem.is_affine

    @property
    def diagram(self) -> SolverDiagram:
        n = self.method.n
        features = "random Fourier features" if n is None else count_noun(n, "random Fourier feature")
        return SolverDiagram(("ansatz", features), "minimized residuals", ("least squares",))


MAX_LOW_DIMENSION = 3  # coordinates up to which plain features cover a domain densely


class PinnPlan(SolverPlan):
    """A physics-informed neural network; `parametrized` has symbols for learned parameters."""

    implementation = "pinn.task"
    size_argument = "width"  # of the network
    method: Pinn
    parametrized: StrongForm = field(repr=False)
    network: Mlp = field(repr=False)
    hard_constraints: HardConstraints = field(repr=False)
    optimizers: tuple[Optimizer, ...] = ()  # empty: Gauss-Newton
    steps: int | None = None

    def resize(self, size: int) -> Self:
        return replace(self, network=replace(self.network, width=size))

    @property
    def converges_quickly(self) -> bool:
        return False

    @property
    def ansatz(self) -> tuple[str, ...]:
        """The ansatz in words."""
        return self.hard_constraints.lines(self.problem)

    @property
    def diagram(self) -> SolverDiagram:
        zero = "; those of conditions built into the ansatz are zero" * bool(self.ansatz)
        network = (str(self.network), *self.ansatz)
        return SolverDiagram(network, f"minimized residuals{zero}", ("training", str(self.method)))


class ElementsPlan(SolverPlan):
    """Finite elements of degree `method.order` for a weak form."""

    theorem = GALERKIN
    implementation = "elements.driver"
    method: Elements
    weak_form: WeakForm

    @property
    def diagram(self) -> SolverDiagram:
        return SolverDiagram(("mesh", self.elements), "weak form on the mesh", ("sparse solver",))

    @property
    def elements(self) -> str:
        """The elements in words."""
        if self.weak_form.has_edge_elements:
            return f"Nédélec elements of order {self.weak_form.degrees(self.method.order)[0]}"
        return f"continuous elements of order {self.method.order}"


class EigenCollocationPlan(SolverPlan):
    """Chebyshev and Fourier collocation with `method.n` points per dimension: the first `modes` eigenpairs of a dense
    matrix pencil."""

    theorem = COLLOCATED_PENCIL
    implementation = "eigen.collocation"
    size_argument = "n"
    method: Grid
    eigenproblem: Eigenproblem = field(repr=False)
    modes: int

    @property
    def diagram(self) -> SolverDiagram:
        points = f"{self.method.n} points per dimension"
        return SolverDiagram(("grid", points), "matrix pencil", ("QZ algorithm",))


class EigenElementsPlan(ElementsPlan):
    """Finite elements of degree `method.order` for a weak form that contains the eigenvalue as a symbol."""

    theorem = GALERKIN_PENCIL
    implementation = "eigen.elements"
    eigenproblem: Eigenproblem = field(repr=False)
    modes: int

    @property
    def diagram(self) -> SolverDiagram:
        return SolverDiagram(("mesh", self.elements), "sparse matrix pencil", ("Lanczos or Arnoldi method",))


class HeatKernelPlan(SolverPlan):
    """Quadrature of a convolution with the heat kernel, with `method.n` nodes per variable."""

    theorem = HEAT_KERNEL
    implementation = "heat_kernel"
    size_argument = "n"
    method: HeatKernelQuadrature
    kernel: HeatKernel = field(repr=False)

    @property
    def diagram(self) -> SolverDiagram:
        return SolverDiagram(("heat kernel",), "convolution with the data", ("Gauss-Legendre quadrature",))


class TransformedPlan(SolverPlan):
    """The method `inner` for a transformed problem, whose solution is mapped back."""

    implementation = "transformed"
    transform: Transform
    inner: SolverPlan

    @property
    def applied_theorem(self) -> Theorem:
        return self.transform.theorem

    @property
    def name(self) -> str:
        return f"{self.inner.name} after {self.transform.theorem.name}"

    @property
    def text(self) -> str:
        return f"{self.inner.text} after {self.transform.theorem.name}"

    @property
    def size_argument(self) -> str:  # type: ignore[override]  # that of the inner method
        return self.inner.size_argument

    def resize(self, size: int) -> Self:
        inner = self.inner.resize(size)
        return replace(self, method=inner.method, inner=inner)

    @property
    def converges_quickly(self) -> bool:
        return self.inner.converges_quickly

    @property
    def diagram(self) -> SolverDiagram:
        own = self.inner.diagram
        return SolverDiagram((self.transform.theorem.name, *own.discretization), own.equations, own.solver)


class PathMethod(StrEnum):
    """Simulation of the paths of a diffusion process."""

    WALK_ON_SPHERES = "walk on spheres"
    EXACT_STEP = "one exact step (Gaussian transition density)"
    EVOLUTION = "Euler-Maruyama to the initial or terminal time"
    EXIT_TIME = "Euler-Maruyama until absorption"
    MULTILEVEL_PICARD = "multilevel Picard iteration"


class MonteCarloPlan(SolverPlan):
    """Paths of a diffusion process, simulated by `paths`."""

    theorem = FEYNMAN_KAC
    implementation = "monte_carlo"
    size_argument = "samples"
    method: MonteCarlo
    process: DiffusionProcess
    paths: PathMethod

    @property
    def applied_theorem(self) -> Theorem:
        return MULTILEVEL_PICARD if self.paths is PathMethod.MULTILEVEL_PICARD else FEYNMAN_KAC

    @property
    def converges_quickly(self) -> bool:
        return False

    @property
    def diagram(self) -> SolverDiagram:
        paths = f"{count_noun(self.method.samples, 'sample path')} of the diffusion process"
        title = f"{paths}, {count_noun(self.method.steps, 'step')} each"
        mean = ("sample mean", "with a 95 % confidence interval")
        return SolverDiagram((title,), "data at the end of the paths, boundary conditions", mean)
