"""Weak form as a UFL script (Alnæs, Logg, Ølgaard, Rognes, Wells 2014) for DOLFINx and Firedrake.

The forms are functions of UFL alone: FFCx compiles them, and both libraries take them with their own functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from keyword import iskeyword

from sympy import Expr, Mul, S, Symbol
from sympy.printing.str import StrPrinter

from pdedsl.ir.weak_form import WeakEquation, WeakForm
from pdedsl.record import Record
from pdedsl.symbolic.functions import ActivationFunction, formula_of

CELLS = {1: "interval", 2: "triangle", 3: "tetrahedron"}
NAMES = frozenset("ufl basix domain element w w_t v x t n dx ds F J M forms".split())  # of the script
FUNCTIONS = {
    **{name: f"ufl.{name}" for name in "exp sin cos tan asin acos atan sinh cosh tanh erf sign".split()},
    "log": "ufl.ln",
    "Abs": "abs",
}
TIME_STEPS = 100  # of the script, from the initial to the final time


class MeshFile(Record):
    """A mesh in Gmsh's format: the markers of every boundary region of a weak form, and a node for each trial function
    that is defined up to a constant."""

    name: str
    order: int  # of the coordinate element
    markers: tuple[tuple[int, ...], ...]  # of the regions, in the order of `WeakForm.boundary_regions`
    pinned: tuple[tuple[float, ...], ...]


def ufl_script(form: WeakForm, degrees: Sequence[int], mesh: MeshFile, name: str, description: str) -> str:
    """The text of the script."""
    return UflScript(form, tuple(degrees), mesh, name, description).text()


class UflScript(Record):
    form: WeakForm
    degrees: tuple[int, ...]
    mesh: MeshFile
    name: str
    description: str

    def text(self) -> str:
        parts = [HEAD, self._constants(), self._residual(), self._essential(), self._initial(), FORMS, DOLFINX]
        straight = self.mesh.order == 1
        body = "\n\n".join(p.strip("\n") + "\n" for p in (*parts, *((FIREDRAKE,) if straight else ()))) + "\n\n"
        body += (MAIN if straight else MAIN_DOLFINX).lstrip("\n")
        run = "`python SCRIPT` solves with DOLFINx 0.10 or later"
        run += ", `python SCRIPT firedrake` with Firedrake." if straight else "."
        return (
            body.replace("HOW_TO_RUN", run)
            .replace("IMPORT_SYS", "import sys\n\n" * straight)
            .replace("SCRIPT", f"{self.name}.py")
            .replace("QUADRATURE_DEGREE", str(2 * max(self.degrees) + 1))
            .replace("DESCRIPTION", self.description.replace("\\", "").replace('"', "'"))
        )

    # ---- Names

    @property
    def trial_names(self) -> tuple[str, ...]:
        """The names of trial functions as Python variables."""
        return tuple(
            t.name if t.name.isidentifier() and not iskeyword(t.name) and t.name not in NAMES else f"w[{k}]"
            for k, t in enumerate(self.form.trials)
        )

    def print(self, expr: Expr) -> str:
        """An expression of coordinates, time, normal and jets."""
        domain = self.form.domain
        values = {x: Symbol(f"x[{i}]") for i, x in enumerate(domain.space)}
        values |= {n: Symbol(f"n[{i}]") for i, n in enumerate(self.form.normal)}
        if domain.has_time:
            values[domain.coordinates[-1]] = Symbol("t")
        for name, (value, *gradient) in zip(self.trial_names, self.form.jet_symbols, strict=True):
            values[value] = Symbol(name)
            values |= {s: Symbol(f"{name}.dx({i})") for i, s in enumerate(gradient)}
        return str(_UflPrinter().doprint(expr.xreplace(values)))

    # ---- Parts of the script

    def _constants(self) -> str:
        form, interval = self.form, self.form.domain.intervals[-1]
        first, last = (float(interval.start), float(interval.end)) if form.domain.has_time else (0.0, 0.0)
        if form.is_backward:
            first, last = last, first
        pinned = list(zip(form.defined_up_to_constant, self.mesh.pinned, strict=True))
        rows = [
            f"MESH = {self.mesh.name!r}  # in Gmsh's format, with the markers of the boundary",
            f"CELL, DIMENSION = {CELLS[len(form.domain.space)]!r}, {len(form.domain.space)}",
            f"NAMES = {[t.name for t in form.trials]!r}",
            f"DEGREES = {list(self.degrees)!r}  # of the Lagrange elements of the trial functions",
            f"MESH_DEGREE = {self.mesh.order}",
            f"DIFFERENTIAL = {list(form.differential)!r}  # trial functions with a time derivative",
            f"UP_TO_CONSTANT = {pinned!r}  # trial functions defined up to a constant, and a node for each",
            f"TIMES = ({first!r}, {last!r})",
            f"STEPS = {TIME_STEPS}  # of the implicit midpoint rule",
        ]
        return "\n".join(rows)

    def _residual(self) -> str:
        rows = [f"    {name} = w[{k}]" for k, name in enumerate(self.trial_names) if name != f"w[{k}]"]
        terms = [f"{term} * dx" for e in self.form.equations for term in self._volume(e)]
        markers = dict(zip(self.form.boundary_regions, self.mesh.markers, strict=True))
        terms += [
            f"({self.print(b.integrand)}) * v[{b.trial}] * ds({markers[b.place, b.part]!r})"
            for b in self.form.boundary_integrals
            if markers[b.place, b.part]
        ]
        total = "\n".join(f"        {'+ ' * bool(k)}{term}" for k, term in enumerate(terms))
        return "\n".join([RESIDUAL.strip("\n"), *rows, "    return (", total, "    )"])

    def _volume(self, e: WeakEquation) -> Iterator[str]:
        """Integrands with the test function of one equation."""
        for k, mass in enumerate(e.masses):
            if mass != 0:
                yield f"({self.print(mass)}) * w_t[{k}] * v[{e.trial}]"
        for i, flux in enumerate(e.fluxes):
            if flux != 0:
                yield f"({self.print(flux)}) * v[{e.trial}].dx({i})"
        if e.source != 0:
            yield f"({self.print(e.source)}) * v[{e.trial}]"

    def _essential(self) -> str:
        markers = dict(zip(self.form.boundary_regions, self.mesh.markers, strict=True))
        rows = [
            f"        ({c.trial}, {markers[c.place, c.part]!r}, {self.print(c.value)}),"
            for c in self.form.essential
            if markers[c.place, c.part]
        ]
        return "\n".join([ESSENTIAL.strip("\n"), "    return [", *rows, "    ]"])

    def _initial(self) -> str:
        values = [
            f"        ({k}, {self.print(value)})," for k, value in enumerate(self.form.initial) if value is not None
        ]
        return "\n".join([INITIAL.strip("\n"), "    return [", *values, "    ]"])


class _UflPrinter(StrPrinter):  # type: ignore[misc]
    """Python code with operators and functions of UFL."""

    def _print_Symbol(self, e: Symbol) -> str:
        return str(e.name)

    def _print_Rational(self, e: Expr) -> str:
        return f"({e.p} / {e.q})"

    def _print_Float(self, e: Expr) -> str:
        return repr(float(e))

    def _print_NumberSymbol(self, e: Expr) -> str:
        return repr(float(e))

    def _print_Exp1(self, e: Expr) -> str:
        return repr(float(e))

    def _print_Pi(self, _: Expr) -> str:
        return "ufl.pi"

    def _print_Mul(self, e: Mul) -> str:
        return " * ".join(f"({self._print(a)})" if not a.is_Atom else self._print(a) for a in e.args)

    def _print_Pow(self, e: Expr, rational: bool = False) -> str:
        base, power = e.args
        if power == S.Half:
            return f"ufl.sqrt({self._print(base)})"
        return f"({self._print(base)}) ** ({self._print(power)})"

    def _print_Heaviside(self, e: Expr) -> str:
        return f"(0.5 + 0.5 * ufl.sign({self._print(e.args[0])}))"

    def _print_Max(self, e: Expr) -> str:
        return self._pairwise("ufl.max_value", e)

    def _print_Min(self, e: Expr) -> str:
        return self._pairwise("ufl.min_value", e)

    def _pairwise(self, function: str, e: Expr) -> str:
        text = self._print(e.args[0])
        for a in e.args[1:]:
            text = f"{function}({text}, {self._print(a)})"
        return str(text)

    def _print_Function(self, e: Expr) -> str:
        if isinstance(e, ActivationFunction):
            return f"({self._print(formula_of(e.record, e.args[0]))})"
        return f"{FUNCTIONS[type(e).__name__]}({self._print(e.args[0])})"

    _print_Abs = _print_sign = _print_Function


HEAD = '''
"""DESCRIPTION

Weak form in UFL, written by pdedsl. `ffcx SCRIPT` compiles the forms.
HOW_TO_RUN
"""

IMPORT_SYSimport ufl

try:
    import basix.ufl
except ImportError:  # Firedrake defines its own elements
    basix = None
'''

RESIDUAL = '''
def residual(w, w_t, v, x, t, n, dx, ds):
    """F(t, w, ∂w/∂t; v), which vanishes for all test functions v; x are coordinates, n is the outer normal."""
'''

ESSENTIAL = '''
def essential_conditions(x, t):
    """Number of the trial function, markers of the boundary, and the value there."""
'''

INITIAL = '''
def initial_values(x, t):
    """Number and initial value of the trial functions with a time derivative."""
'''

FORMS = '''
def split(function):
    """The components of a function of the mixed space."""
    return ufl.split(function) if len(DEGREES) > 1 else (function,)


def mixed_element():
    elements = [basix.ufl.element("Lagrange", CELL, degree) for degree in DEGREES]
    return basix.ufl.mixed_element(elements) if len(elements) > 1 else elements[0]


def midpoint(w, old, step):
    """Values at the middle of a step, and time derivatives; algebraic trial functions are those of the middle."""
    pairs = list(zip(split(w), split(old)))
    values = [(a + b) / 2 if k in DIFFERENTIAL else a for k, (a, b) in enumerate(pairs)]
    return values, [(a - b) / step for a, b in pairs]


def measures(domain, markers=None):
    metadata = {"quadrature_degree": QUADRATURE_DEGREE}
    return (
        ufl.Measure("dx", domain=domain, metadata=metadata),
        ufl.Measure("ds", domain=domain, subdomain_data=markers, metadata=metadata),
    )


if basix is not None:  # for FFCx: residual, Jacobian, and mass matrix of evolution equations
    domain = ufl.Mesh(basix.ufl.element("Lagrange", CELL, MESH_DEGREE, shape=(DIMENSION,)))
    element = mixed_element()
    space = ufl.FunctionSpace(domain, element)
    w, w_t, t = ufl.Coefficient(space), ufl.Coefficient(space), ufl.Constant(domain)
    v = ufl.TestFunction(space)
    x, n = ufl.SpatialCoordinate(domain), ufl.FacetNormal(domain)
    F = residual(split(w), split(w_t), split(v), x, t, n, *measures(domain))
    J = ufl.derivative(F, w)
    M = ufl.derivative(F, w_t)
    forms = [F, J, M] if DIFFERENTIAL else [F, J]
'''

DOLFINX = '''
def solve_with_dolfinx():
    import numpy as np
    from dolfinx import fem, io
    from dolfinx.fem import petsc
    from mpi4py import MPI

    data = io.gmsh.read_from_msh(MESH, MPI.COMM_WORLD, gdim=DIMENSION)
    mesh, tags = data.mesh, data.facet_tags
    mesh.topology.create_connectivity(DIMENSION - 1, DIMENSION)
    space = fem.functionspace(mesh, mixed_element())
    several = len(DEGREES) > 1
    parts = [space.sub(k).collapse() for k in range(len(DEGREES))] if several else [(space, slice(None))]
    w, old = fem.Function(space), fem.Function(space)
    one, step = fem.Constant(mesh, 1.0), (TIMES[1] - TIMES[0]) / STEPS
    x, n = ufl.SpatialCoordinate(mesh), ufl.FacetNormal(mesh)
    start, middle, end = (fem.Constant(mesh, s) for s in (TIMES[0], TIMES[0] + step / 2, TIMES[0] + step))

    def interpolate(function, value):
        points = function.function_space.element.interpolation_points
        function.interpolate(fem.Expression(one * value, points))

    def condition(k, function, locate):
        """u = function for the trial function k at the degrees of freedom that are located."""
        if several:
            return fem.dirichletbc(function, locate((space.sub(k), parts[k][0])), space.sub(k))
        return fem.dirichletbc(function, locate(space))

    imposed, values = [], []
    for k, markers, value in essential_conditions(x, end):
        facets = np.concatenate([tags.find(m) for m in markers])
        values.append((fem.Function(parts[k][0]), value))
        interpolate(*values[-1])
        imposed.append(
            condition(k, values[-1][0], lambda v, f=facets: fem.locate_dofs_topological(v, DIMENSION - 1, f))
        )
    for k, node in UP_TO_CONSTANT:
        close = lambda p, q=node: np.all([np.isclose(p[i], c) for i, c in enumerate(q)], axis=0)
        zero = fem.Function(parts[k][0])
        imposed.append(condition(k, zero, lambda v, c=close: fem.locate_dofs_geometrical(v, c)))
    for k, value in initial_values(x, start):
        function = fem.Function(parts[k][0])
        interpolate(function, value)
        old.x.array[parts[k][1]] = function.x.array
    w.x.array[:] = old.x.array
    state, rate = midpoint(w, old, step) if DIFFERENTIAL else (split(w), split(old))
    form = residual(state, rate, split(ufl.TestFunction(space)), x, middle, n, *measures(mesh, tags))
    options = {"ksp_type": "preonly", "pc_type": "lu", "pc_factor_mat_solver_type": "mumps"}
    problem = petsc.NonlinearProblem(form, w, bcs=imposed, petsc_options_prefix="pdedsl_", petsc_options=options)
    for _ in range(STEPS if DIFFERENTIAL else 1):
        for function, value in values:
            interpolate(function, value)
        problem.solve()
        old.x.array[:] = w.x.array
        middle.value += step
        end.value += step
    for k, name in enumerate(NAMES):
        part = w.sub(k).collapse() if several else w
        with io.VTKFile(mesh.comm, f"{name}.pvd", "w") as file:
            file.write_function(part, TIMES[1])
'''

FIREDRAKE = """
def solve_with_firedrake():
    import firedrake

    mesh = firedrake.Mesh(MESH)
    spaces = [firedrake.FunctionSpace(mesh, "CG", degree) for degree in DEGREES]
    several = len(spaces) > 1
    space = firedrake.MixedFunctionSpace(spaces) if several else spaces[0]
    w, old = firedrake.Function(space), firedrake.Function(space)
    step = (TIMES[1] - TIMES[0]) / STEPS
    x, n = ufl.SpatialCoordinate(mesh), ufl.FacetNormal(mesh)
    start, middle, end = (firedrake.Constant(s) for s in (TIMES[0], TIMES[0] + step / 2, TIMES[0] + step))
    for k, value in initial_values(x, start):
        old.subfunctions[k].interpolate(ufl.as_ufl(value))
    w.assign(old)
    imposed = [
        firedrake.DirichletBC(space.sub(k) if several else space, ufl.as_ufl(value), markers)
        for k, markers, value in essential_conditions(x, end)
    ]
    constants = [k for k, _ in UP_TO_CONSTANT]
    kernel = None
    if constants:
        basis = firedrake.VectorSpaceBasis(constant=True)
        parts = [basis if k in constants else space.sub(k) for k in range(len(spaces))]
        kernel = firedrake.MixedVectorSpaceBasis(space, parts) if several else basis
    state, rate = midpoint(w, old, step) if DIFFERENTIAL else (split(w), split(old))
    form = residual(state, rate, split(ufl.TestFunction(space)), x, middle, n, *measures(mesh))
    problem = firedrake.NonlinearVariationalProblem(form, w, bcs=imposed)
    options = {"ksp_type": "preonly", "pc_type": "lu", "pc_factor_mat_solver_type": "mumps"}
    solver = firedrake.NonlinearVariationalSolver(problem, nullspace=kernel, solver_parameters=options)
    for _ in range(STEPS if DIFFERENTIAL else 1):
        solver.solve()
        old.assign(w)
        middle.assign(float(middle) + step)
        end.assign(float(end) + step)
    for part, name in zip(w.subfunctions, NAMES):
        part.rename(name)
        firedrake.VTKFile(f"{name}.pvd").write(part)
"""

MAIN = """
if __name__ == "__main__":
    if sys.argv[1:] == ["firedrake"]:
        solve_with_firedrake()
    else:
        solve_with_dolfinx()
"""

MAIN_DOLFINX = """
if __name__ == "__main__":
    solve_with_dolfinx()
"""
