"""Other programs on the problems of `physics_suite`: DeepXDE, py-pde, exponax, and scikit-fem by hand.

    python benchmarks/physics_suite.py [NAME …] --peers deepxde py-pde scikit-fem exponax [--write]

py-pde, exponax and scikit-fem solve on successively finer grids with shorter steps, until the true error reaches the
goal of the problem, which their users do not know, or until the CPU time is used up. The time is that of the last grid
alone, without imports and just-in-time compilation. DeepXDE trains the same network on all problems, half of the time
by Adam and half by L-BFGS; its residuals, points and conditions are those of the compiled problem. A program that is
not installed has no results: pip install deepxde py-pde exponax.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
from deepxde_peer import peer, train
from physics_closed_forms import Array, stack
from physics_numerics import LEVELS

Function = Callable[[Array], Array]
Level = tuple[Function, float]
"""A solution as a function of points (n, k), and the CPU seconds of its computation."""

MODULES = {"deepxde": "deepxde", "py-pde": "pde", "scikit-fem": "skfem", "exponax": "exponax"}


def levels(program: str, path: Path, seconds: float) -> Iterator[Level] | None:
    """The solutions of a program on successively finer levels; None if it has none for the problem."""
    name = path.stem
    if find_spec(MODULES[program]) is None:
        return None
    if program == "deepxde":
        return by_deepxde(path, seconds)
    if program == "py-pde":
        return by_pypde(EVOLUTIONS[name]) if name in EVOLUTIONS else None
    if program == "exponax":
        return by_exponax(name) if name in STEPPERS else None
    return FORMS[name]() if name in FORMS else None


def _timed(compute: Callable[[], Function]) -> Level:
    start = time.process_time()
    return compute(), time.process_time() - start


# ---- DeepXDE


INTERIOR, BOUNDARY, SEED = 2540, 240, 0  # points inside, and for each condition
HIDDEN = [40, 40, 40, 40]
MAX_COORDINATES = 6  # each second derivative is a further pass through the network


def by_deepxde(path: Path, seconds: float) -> Iterator[Level] | None:
    """None for problems with integrals, learned functions, meshes from files, or many coordinates."""
    import pdedsl
    from pdedsl.ir.plan import SolvePlan
    from pdedsl.solvers.collocation_points import PointSampler

    dde, plan = peer(), pdedsl.compile(path).plan
    assert isinstance(plan, SolvePlan)
    problem = plan.problem
    residuals = [*problem.equations, *(r for c in problem.conditions for r in c.residuals)]
    unsuited = problem.parameters or problem.periodic or problem.is_nonlocal or any(r.has_dirac for r in residuals)
    if unsuited or len(problem.domain.coordinates) > MAX_COORDINATES:
        return None
    return iter([_timed(lambda: _trained(dde, problem, PointSampler(problem.domain), seconds))])


def _trained(dde: Any, problem: Any, sampler: Any, seconds: float) -> Function:
    import torch

    from pdedsl.solvers.collocation_points import sample_conditions

    inside = sampler.inside(INTERIOR, SEED).numpy()
    samples = sample_conditions(sampler, problem.conditions, BOUNDARY, SEED)
    conditions = [
        dde.icbc.PointSetOperatorBC(points.numpy(), np.zeros((len(points), 1)), _operator(dde, r, problem))
        for c, points in zip(problem.conditions, samples, strict=True)
        for r in c.residuals
        if len(points)
    ]
    equations = [_operator(dde, r, problem) for r in problem.equations]
    cloud = dde.geometry.PointCloud(points=inside)
    data = dde.data.PDE(cloud, lambda x, y: [e(x, y, None) for e in equations], conditions, num_domain=len(inside))
    intervals = problem.domain.intervals

    def features(x: Any) -> Any:  # periodic in the periodic coordinates
        columns = []
        for k, i in enumerate(intervals):
            angle = 2 * pi * x[:, k : k + 1] / float(i.end - i.start)
            columns += [torch.cos(angle), torch.sin(angle)] if i.periodic else [x[:, k : k + 1]]
        return torch.cat(columns, 1)

    width = sum(2 if i.periodic else 1 for i in intervals)
    return train(dde, data, [width, *HIDDEN, len(problem.components)], SEED, seconds, features)


def _operator(dde: Any, residual: Any, problem: Any) -> Callable[[Any, Any, Any], Any]:
    """A residual as a function of inputs (n, k) and outputs (n, c) of the network."""
    from pdedsl.codegen.pointwise import compile_pointwise

    symbols = (*problem.domain.coordinates, *(s for s, _ in residual.jet_variables))
    value = compile_pointwise([residual.expr], symbols)

    def derivative(x: Any, y: Any, d: Any) -> Any:
        result = y[:, d.component : d.component + 1]
        for k, order in enumerate(d.orders):
            for _ in range(order):
                result = dde.grad.jacobian(result, x, i=0, j=k)
        return result[:, 0]

    def operator(x: Any, y: Any, _: Any) -> Any:
        jets = [derivative(x, y, d) for _, d in residual.jet_variables]
        return value(*x.unbind(-1), *jets)[0].expand(len(x))[:, None]

    return operator


# ---- py-pde: second differences on uniform grids, adaptive Runge-Kutta steps


@dataclass(frozen=True)
class Evolution:
    """Right-hand sides and initial values by component, in the notation of py-pde. `boundary` are the conditions for
    the derivatives in each equation; periodic axes have none. `shown` are the components of the reference."""

    rhs: dict[str, str]
    initial: dict[str, str]
    box: Sequence[tuple[float, float]]
    end: float
    boundary: dict[str, Any] = field(default_factory=dict)
    periodic: bool = False
    points: int = 32  # per axis, of the first grid
    shown: int = 1


ZERO, FLAT = {"value": 0}, {"derivative": 0}
GAUSSIAN = "exp(-80*((x{0}0.05)**2+(y{0}0.02)**2))"
FISHER = "(1 + exp(({0}-5/sqrt(6)*t)/sqrt(6)))**(-2)"
EVOLUTIONS = {
    "diffusion": Evolution(
        {"u": "laplace(u) - exp(-t)*(1-pi**2)*sin(pi*x)"}, {"u": "sin(pi*x)"}, [(-1, 1)], 1, {"u": ZERO}
    ),
    "diffusion_reaction": Evolution(
        {"u": "laplace(u) + exp(-t)*(3/2*sin(2*x)+8/3*sin(3*x)+15/4*sin(4*x)+63/8*sin(8*x))"},
        {"u": "sin(x)+sin(2*x)/2+sin(3*x)/3+sin(4*x)/4+sin(8*x)/8"},
        *([(-pi, pi)], 1, {"u": ZERO}),
    ),
    "heat_varying": Evolution(
        {
            "u": "(1+sin(2*pi*x)*sin(2*pi*y)/2)*laplace(u) + pi*cos(2*pi*x)*sin(2*pi*y)*d_dx(u)"
            " + pi*sin(2*pi*x)*cos(2*pi*y)*d_dy(u) + 200*sin(pi*x)*sin(5*pi*y)*sin(pi*t)"
        },
        *({"u": "0"}, [(0, 1), (0, 1)], 5, {"u": ZERO}),
    ),
    "heat_multiscale": Evolution(
        {"u": "d2_dx2(u)/(500*pi)**2 + d2_dy2(u)/pi**2"},
        *({"u": "sin(20*pi*x)*sin(pi*y)"}, [(0, 1), (0, 1)], 5, {"u": ZERO}),
    ),
    "heat_long_time": Evolution(
        {"u": "0.001*laplace(u) + 5*sin(u**2)*(1+2*sin(pi*t/4))*sin(4*pi*x)*sin(2*pi*y)"},
        *({"u": "sin(4*pi*x)*sin(3*pi*y)"}, [(0, 1), (0, 1)], 100, {"u": ZERO}),
    ),
    "rotating_gaussian": Evolution(
        {"u": "y*d_dx(u) - x*d_dy(u) + 0.005*laplace(u)"},
        *({"u": "exp(-10*((x-1)**2+y**2))"}, [(-3, 3), (-3, 3)], 2 * pi, {"u": ZERO}),
    ),
    "fisher_front": Evolution(
        {"u": "laplace(u) + u*(1-u)"},
        *({"u": FISHER.format("x").replace("*t", "*0")}, [(-5, 5)], 1),
        {"u": {"x-": {"value_expression": FISHER.format("-5")}, "x+": {"value_expression": FISHER.format("5")}}},
    ),
    "allen_cahn": Evolution(
        {"u": "0.001*laplace(u) + 5*(u-u**3)"}, {"u": "x**2*cos(pi*x)"}, [(-1, 1)], 1, {"u": {"value": -1}}
    ),
    "allen_cahn_periodic": Evolution(
        {"u": "1e-4*laplace(u) + 5*(u-u**3)"}, {"u": "x**2*cos(pi*x)"}, [(-1, 1)], 1, periodic=True, points=128
    ),
    "cahn_hilliard": Evolution(
        {"u": "laplace(u**3 - u - 1e-3*laplace(u))"}, {"u": "cos(pi*x)-cos(2*pi*x)/2"}, [(-1, 1)], 1, periodic=True
    ),
    "gray_scott": Evolution(
        {"u": "1e-5*laplace(u) + 0.04*(1-u) - u*v**2", "v": "5e-6*laplace(v) - 0.1*v + u*v**2"},
        {"u": "1 - " + GAUSSIAN.format("+"), "v": GAUSSIAN.format("-")},
        *([(-1, 1), (-1, 1)], 50),
        periodic=True,
        shown=2,
    ),
    "wave": Evolution(
        {"u": "v", "v": "4*laplace(u)"},
        *({"u": "sin(pi*x)+sin(4*pi*x)/2", "v": "0"}, [(0, 1)], 1, {"v": ZERO}),
    ),
    "wave_heterogeneous": Evolution(
        {"u": "v", "v": "(1+cos(pi*x)*cos(pi*y)/2)*laplace(u)"},
        {"u": "exp(-((x+0.5)**2+y**2)/0.18)", "v": "0"},
        *([(-1, 1), (-1, 1)], 5, {"v": FLAT}),
    ),
    "telegraph": Evolution(
        {"u": "v", "v": "laplace(u) - 2*v - u"},
        *({"u": "sin(pi*x)+sin(3*pi*x)", "v": "0"}, [(0, 1)], 5, {"v": ZERO}),
    ),
    "klein_gordon": Evolution(
        {"u": "v", "v": "laplace(u) - u**2 - x*cos(t) + x**2*cos(t)**2"},
        *({"u": "x", "v": "0"}, [(-1, 1)], 10),
        {"v": {"x-": {"value_expression": "-cos(t)"}, "x+": {"value_expression": "cos(t)"}}},
    ),
    "sine_gordon": Evolution(
        {"u": "v", "v": "laplace(u) - sin(u)"},
        *({"u": "0", "v": "3.2/cosh(0.8*x)"}, [(-20, 20)], 20, {"v": ZERO}),
    ),
    "schroedinger": Evolution(
        {"u": "-laplace(v)/2 + x**2*v/2", "v": "laplace(u)/2 - x**2*u/2"},
        {"u": "pi**(-1/4)*exp(-(x-1)**2/2)", "v": "0"},
        *([(-8, 8)], 2 * pi, {"u": ZERO, "v": ZERO}),
        shown=2,
    ),
    "nonlinear_schroedinger": Evolution(
        {"u": "-laplace(v)/2 - (u**2+v**2)*v", "v": "laplace(u)/2 + (u**2+v**2)*u"},
        *({"u": "2/cosh(x)", "v": "0"}, [(-5, 5)], 1.5),
        periodic=True,
        shown=2,
    ),
    "advection": Evolution({"u": "-d_dx(u)"}, {"u": "exp(-100*sin(pi*(x-1/2))**2)"}, [(0, 1)], 10, periodic=True),
    "burgers": Evolution(
        {"u": "-u*d_dx(u) + 0.01/pi*laplace(u)"}, {"u": "-sin(pi*x)"}, [(-1, 1)], 1, {"u": ZERO}, points=128
    ),
    "burgers_2d": Evolution(
        {"u": "-u*d_dx(u) - v*d_dy(u) + 0.001*laplace(u)", "v": "-u*d_dx(v) - v*d_dy(v) + 0.001*laplace(v)"},
        {
            "u": "0.3 + 0.2*sin(pi*x/2) + 0.1*sin(pi*(x+y)/2)",
            "v": "0.1 + 0.15*cos(pi*y/2) + 0.1*sin(pi*(x+y)/2)",
        },
        *([(0, 4), (0, 4)], 1),
        periodic=True,
        shown=2,
    ),
    "kdv": Evolution(
        {"u": "-u*d_dx(u) - 0.022**2*d_dx(laplace(u))"}, {"u": "cos(pi*x)"}, [(-1, 1)], 1, periodic=True, points=128
    ),
    "kuramoto_sivashinsky": Evolution(
        {"u": "-u*d_dx(u) - laplace(u + laplace(u))"},
        *({"u": "cos(x/16)*(1+sin(x/16))"}, [(0, 32 * pi)], 50),
        periodic=True,
        points=128,
    ),
}
FRAMES = 10 * LEVELS  # stored times: the levels of the references, and between them for cubic interpolation
STEP_TOLERANCE = 1e-3  # of py-pde's time steps on the first grid; its square-root error decreases with h²


def by_pypde(problem: Evolution) -> Iterator[Level]:
    warnings.simplefilter("ignore")
    n, tolerance = problem.points, STEP_TOLERANCE
    _evolve(problem, 8, tolerance, problem.end / 1000)  # imports and just-in-time compilation
    while True:
        yield _timed(lambda n=n, tolerance=tolerance: _evolve(problem, n, tolerance, problem.end))  # type: ignore[misc]
        n, tolerance = 2 * n, tolerance / 4


def _evolve(problem: Evolution, n: int, tolerance: float, end: float) -> Function:
    import pde
    from scipy.interpolate import RegularGridInterpolator

    grid = pde.CartesianGrid(problem.box, n, periodic=problem.periodic)
    fields = [pde.ScalarField.from_expression(grid, e, label=name) for name, e in problem.initial.items()]
    operators = {f"{name}:*": bc for name, bc in problem.boundary.items()}
    equation = pde.PDE(problem.rhs, bc="periodic" if problem.periodic else None, bc_ops=operators or None)
    storage = pde.MemoryStorage()
    state = fields[0] if len(fields) == 1 else pde.FieldCollection(fields)
    equation.solve(
        *(state, end),
        dt=1e-4 * end,
        adaptive=True,
        tolerance=tolerance,
        solver="runge-kutta",
        backend="numpy",
        tracker=[storage.tracker(end / FRAMES)],
    )
    values = np.array(storage.data).reshape(len(storage), len(fields), *grid.shape)[:, : problem.shown]
    axes = [np.array(storage.times), *grid.axes_coords]
    if problem.periodic:  # three points of the periodic continuation
        for k, (start, stop) in enumerate(problem.box):
            values = np.concatenate([values.take(range(-3, 0), k + 2), values, values.take(range(3), k + 2)], k + 2)
            line = axes[k + 1]
            axes[k + 1] = np.concatenate([line[-3:] - (stop - start), line, line[:3] + (stop - start)])
    if end < problem.end:
        return lambda p: np.zeros((len(p), problem.shown))
    functions = [
        RegularGridInterpolator(axes, values[:, c], method="cubic", bounds_error=False, fill_value=None)
        for c in range(problem.shown)
    ]
    return lambda p: stack(*(f(np.concatenate([p[:, -1:], p[:, :-1]], 1)) for f in functions))


# ---- exponax: exponential time differencing on periodic intervals


@dataclass(frozen=True)
class Stepper:
    """A stepper of exponax of fourth order, its extent, and the numbers of points and of steps of the first level."""

    name: str
    options: dict[str, Any]
    left: float
    extent: float
    end: float
    initial: Function
    points: int
    steps: int


STEPPERS = {
    "kuramoto_sivashinsky": Stepper(
        *("KuramotoSivashinskyConservative", {}, 0.0, 32 * pi, 50.0),
        *(lambda x: np.cos(x / 16) * (1 + np.sin(x / 16)), 96, 250),
    ),
    "cahn_hilliard": Stepper(
        "reaction.CahnHilliard",
        {"diffusivity": 1.0, "gamma": 1e-3, "first_order_coefficient": -1.0, "third_order_coefficient": 1.0},
        *(-1.0, 2.0, 1.0, lambda x: np.cos(pi * x) - np.cos(2 * pi * x) / 2, 64, 250),
    ),
}


def by_exponax(name: str) -> Iterator[Level]:
    """Steps are halved until this changes the error little, then the number of points is doubled."""
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    import jax

    jax.config.update("jax_enable_x64", True)
    stepper = STEPPERS[name]
    n, steps = stepper.points, stepper.steps
    while True:
        run = _compiled(stepper, n, steps)
        run()  # just-in-time compilation
        yield _timed(run)
        n, steps = n * 3 // 2, steps * 2


def _compiled(problem: Stepper, n: int, steps: int) -> Callable[[], Function]:
    import exponax
    import jax
    import jax.numpy as jnp

    module: Any = exponax.stepper
    for part in problem.name.split("."):
        module = getattr(module, part)
    step = module(1, problem.extent, n, problem.end / steps, order=4, **problem.options)
    x = problem.left + np.arange(n) * (problem.extent / n)
    start = jnp.asarray(problem.initial(x))[None]
    per_level = steps // LEVELS

    @jax.jit  # type: ignore[untyped-decorator]
    def states() -> Any:
        def advance(u: Any, _: Any) -> tuple[Any, Any]:
            u = jax.lax.fori_loop(0, per_level, lambda _, w: step(w), u)
            return u, u[0]

        return jax.lax.scan(advance, start, None, length=LEVELS)[1]

    def run() -> Function:
        coefficients = np.fft.rfft(np.asarray(states()), axis=1) / n
        return lambda p: _fourier_values(problem, coefficients, p)

    return run


def _fourier_values(problem: Stepper, coefficients: Array, p: Array) -> Array:
    level = np.rint(p[:, -1] / problem.end * LEVELS).astype(int) - 1
    waves = np.arange(coefficients.shape[1])
    phases = np.exp(2j * pi * (p[:, :1] - problem.left) / problem.extent * waves)
    weights = np.where(waves == 0, 1, 2)
    return (coefficients[level] * phases * weights).sum(1).real  # type: ignore[no-any-return]


# ---- scikit-fem by hand: uniform refinement, elements of second degree


def _refinements(solve: Callable[[int], Function], first: int = 3) -> Callable[[], Iterator[Level]]:
    """Levels of a function of the number of uniform refinements."""

    def levels() -> Iterator[Level]:
        count = first
        while True:
            yield _timed(lambda count=count: solve(count))  # type: ignore[misc]
            count += 1

    return levels


def _square(low: float, high: float, count: int) -> Any:
    from skfem import MeshTri

    line = np.linspace(low, high, 2**count + 1)
    return MeshTri.init_tensor(line, line)


def _laplace(basis: Any) -> Any:
    from skfem import BilinearForm
    from skfem.helpers import dot, grad

    return BilinearForm(lambda u, v, w: dot(grad(u), grad(v))).assemble(basis)


def _mass(basis: Any) -> Any:
    from skfem import BilinearForm

    return BilinearForm(lambda u, v, w: u * v).assemble(basis)


def _load(basis: Any, source: Callable[[Array, Array], Array]) -> Array:
    from skfem import LinearForm

    return LinearForm(lambda v, w: source(*w.x) * v).assemble(basis)  # type: ignore[no-any-return]


def _solve_dirichlet(matrix: Any, load: Array, basis: Any, values: Callable[..., Array]) -> Array:
    from skfem import condense, solve

    u, dofs = np.zeros(len(load)), basis.get_dofs().flatten()
    u[dofs] = values(*basis.doflocs[:, dofs])
    return solve(*condense(matrix, load, x=u, D=dofs))  # type: ignore[no-any-return]


def _solved(matrix: Any, load: Array, basis: Any, values: Callable[..., Array]) -> Function:
    return _interpolant(basis, _solve_dirichlet(matrix, load, basis, values))


def _interpolant(basis: Any, u: Array) -> Function:
    return lambda p: np.concatenate([basis.probes(part.T) @ u for part in np.array_split(p, 8)])


def _helmholtz(k: float, source: Callable[..., Array], values: Callable[..., Array], count: int) -> Function:
    from skfem import Basis, ElementTriP2

    basis = Basis(_square(0, 1, count), ElementTriP2())
    return _solved(_laplace(basis) - k**2 * _mass(basis), _load(basis, source), basis, values)


def _plane_waves(k: float) -> Callable[..., Array]:
    return lambda x, y: np.cos(k * x) + np.sin(k * (0.6 * x + 0.8 * y)) + np.sin(k * y)


def _lshape(count: int) -> Function:
    """Uniform refinement, then some more towards the corner."""
    from skfem import Basis, ElementTriP2, MeshTri

    mesh = MeshTri.init_lshaped().refined(count)
    for k in range(2 * count):
        middle = mesh.p[:, mesh.t].mean(1)
        mesh = mesh.refined(np.flatnonzero(np.hypot(*middle) < 0.5 ** (k / 2 + 1)))
    basis = Basis(mesh, ElementTriP2())
    return _solved(_laplace(basis), _load(basis, lambda x, y: 1 + 0 * x), basis, lambda x, y: 0 * x)


def _anisotropic(count: int) -> Function:
    from skfem import Basis, BilinearForm, ElementTriP2
    from skfem.helpers import grad

    basis = Basis(_square(0, 1, count), ElementTriP2())
    form = BilinearForm(
        lambda u, v, w: grad(u)[0] * (grad(v)[0] + 0.999 * grad(v)[1]) + grad(u)[1] * (0.999 * grad(v)[0] + grad(v)[1])
    )

    def source(x: Array, y: Array) -> Array:
        mixed = 1.998 * pi**2 * np.cos(pi * x) * np.cos(pi * y)
        return 2 * pi**2 * np.sin(pi * x) * np.sin(pi * y) - mixed

    return _solved(form.assemble(basis), _load(basis, source), basis, lambda x, y: 0 * x)


def _neumann(count: int) -> Function:
    """The value at one corner is zero; the suite compares up to a constant."""
    from skfem import Basis, ElementTriP2, condense, solve

    basis = Basis(_square(0, 1, count), ElementTriP2())
    load = _load(basis, lambda x, y: 5 * pi**2 * np.cos(pi * x) * np.cos(2 * pi * y))
    u = solve(*condense(_laplace(basis), load, D=np.array([0])))
    values = _interpolant(basis, u)
    return lambda p: values(p)[:, None]


def _bratu(count: int) -> Function:
    from skfem import Basis, ElementTriP2, LinearForm, condense, solve

    basis = Basis(_square(0, 1, count), ElementTriP2())
    stiffness, u = _laplace(basis), np.zeros(basis.N)
    for _ in range(8):  # Newton's method
        growth = 5 * np.exp(basis.interpolate(u))
        load = LinearForm(lambda v, w: w["g"] * v).assemble(basis, g=growth) - stiffness @ u
        u = u + solve(*condense(stiffness - _weighted_mass(basis, growth), load, D=basis.get_dofs()))
    return _interpolant(basis, u)


def _weighted_mass(basis: Any, weight: Array) -> Any:
    from skfem import BilinearForm

    return BilinearForm(lambda u, v, w: w["g"] * u * v).assemble(basis, g=weight)


def _plate(count: int) -> Function:
    """Morley's nonconforming elements."""
    from skfem import Basis, BilinearForm, ElementTriMorley, condense, solve
    from skfem.helpers import dd, ddot

    basis = Basis(_square(0, 1, count), ElementTriMorley())
    matrix = BilinearForm(lambda u, v, w: ddot(dd(u), dd(v))).assemble(basis)
    load = _load(basis, lambda x, y: 1 + 0 * x)
    return _interpolant(basis, solve(*condense(matrix, load, D=basis.get_dofs())))


def _stokes(count: int) -> Function:
    """Taylor-Hood elements."""
    import scipy.sparse as sparse
    from skfem import Basis, BilinearForm, ElementTriP1, ElementTriP2, ElementVector, LinearForm, condense, solve
    from skfem.helpers import ddot, div, grad

    mesh = _square(0, 1, count)
    velocity = Basis(mesh, ElementVector(ElementTriP2()), intorder=4)
    pressure = velocity.with_element(ElementTriP1())
    stiffness = BilinearForm(lambda u, v, w: ddot(grad(u), grad(v))).assemble(velocity)
    divergence = BilinearForm(lambda u, q, w: -div(u) * q).assemble(velocity, pressure)

    def force(x: Array, y: Array) -> tuple[Array, Array]:
        a, b = 2 * pi**2, np.sin(pi * x) * np.cos(pi * y)
        first = a * (1 - 2 * np.cos(2 * pi * x)) * np.sin(2 * pi * y) - pi * b
        second = -a * (1 - 2 * np.cos(2 * pi * y)) * np.sin(2 * pi * x) - pi * np.cos(pi * x) * np.sin(pi * y)
        return first, second

    load = LinearForm(lambda v, w: force(*w.x)[0] * v[0] + force(*w.x)[1] * v[1]).assemble(velocity)
    matrix = sparse.bmat([[stiffness, divergence.T], [divergence, None]], format="csr")
    walls = np.append(velocity.get_dofs().flatten(), velocity.N)  # and the pressure at one vertex
    u = solve(*condense(matrix, np.append(load, np.zeros(pressure.N)), D=walls))

    def values(p: Array) -> Array:
        v = velocity.probes(p.T) @ u[: velocity.N]
        return stack(*v.reshape(2, -1), pressure.probes(p.T) @ u[velocity.N :])

    return values


FORMS: dict[str, Callable[[], Iterator[Level]]] = {
    "helmholtz": _refinements(
        lambda count: _helmholtz(
            *(4 * pi, lambda x, y: (4 * pi) ** 2 * np.sin(4 * pi * x) * np.sin(4 * pi * y)),
            *(lambda x, y: 0 * x, count),
        )
    ),
    "helmholtz_30": _refinements(lambda count: _helmholtz(30, lambda x, y: 0 * x, _plane_waves(30), count)),
    "helmholtz_100": _refinements(lambda count: _helmholtz(100, lambda x, y: 0 * x, _plane_waves(100), count), 6),
    "anisotropic": _refinements(_anisotropic),
    "poisson_neumann_2d": _refinements(_neumann),
    "poisson_lshape": _refinements(_lshape, 1),
    "bratu_2d": _refinements(_bratu),
    "plate_clamped": _refinements(_plate),
    "stokes": _refinements(_stokes),
}
