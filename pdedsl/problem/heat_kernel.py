"""Heat equations with constant coefficients on the line, the plane, intervals with images, and in any dimension with
radial data or sums of products of functions of single coordinates.

Evans 2010, section 2.3.1; method of images: Carslaw, Jaeger 1959, chapter 10.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sympy import Abs, Add, Expr, Heaviside, Max, Min, Mul, Piecewise, S, Symbol, exp, sign
from sympy.core.relational import Relational

from pdedsl.ir.boundary import Dirichlet, Face, InitialCondition, Robin
from pdedsl.ir.heat_kernel import Continuation, HeatKernel, HeatKernelAxis, ProductTerm
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.symbolic.evaluate import is_numerically_equal

MAX_TENSOR_DIMENSION = 2  # of a tensor-product quadrature rule without symmetry
MAX_KINK_ORDER = 8  # derivatives of the continued data that are compared at the ends


class NoHeatKernel(Exception):
    """The reason why a problem has no solution by convolution."""


def heat_kernel_of(problem: StrongForm) -> HeatKernel:
    """The convolution that solves a problem; raises NoHeatKernel with the reason if there is none."""
    domain, dimension = problem.domain, len(problem.domain.space)
    if len(problem.components) > 1 or len(problem.equations) > 1 or not domain.has_time or not dimension:
        raise NoHeatKernel("it is for a single evolution equation")
    (equation,) = problem.equations
    special = (problem.parameters, problem.measurements, problem.periodic, domain.inequalities, domain.metric)
    if any(special) or equation.interval is not None or equation.affine is None or not equation.is_regular:
        raise NoHeatKernel("it is for linear equations on boxes at all times")
    factor = next((c for d, c in equation.affine.terms if d.orders[-1] == d.order == 1), S.Zero)
    if any(d.orders[-1] and d.order > 1 for d, _ in equation.affine.terms) or not factor.is_number or factor == 0:
        raise NoHeatKernel("it is for equations of first order in time")
    operator = equation.affine.second_order(dimension)
    if operator is None or not operator.is_diagonal:
        raise NoHeatKernel("it is for diagonal diffusion")
    clock = (1 if problem.is_backward else -1) / factor
    diffusivity = tuple(clock * a for a in operator.diagonal)
    drift, rate = tuple(clock * b for b in operator.drift), clock * operator.rate
    if not all(e.is_number for e in (*diffusivity, *drift, rate)):
        raise NoHeatKernel("the coefficients are not constant")
    if not all(a.is_positive for a in diffusivity):
        raise NoHeatKernel("the diffusivity is not positive")
    value = next((c.kind.value for c in problem.scalar_conditions if isinstance(c.kind, InitialCondition)), None)
    axes = tuple(_axis(problem, k) for k in range(dimension))
    if any(a.continuation is Continuation.REFLECTED and b != 0 for a, b in zip(axes, drift, strict=True)):
        raise NoHeatKernel("drift across a boundary has no images")
    if value is None:
        raise NoHeatKernel("there is no initial condition")
    amplitude, exponent = split_exponential(value)
    source = (clock * operator.source) if operator.source != 0 else S.Zero
    end = domain.intervals[-1].end if problem.is_backward else domain.intervals[-1].start
    kernel = HeatKernel(domain, diffusivity, drift, rate, source, amplitude, exponent, axes, end, problem.is_backward)
    return _with_variables(kernel)


def split_exponential(value: Expr) -> tuple[Expr, Expr]:
    """amplitude · e^exponent."""
    factors = Mul.make_args(value)
    exponents = [f.args[0] for f in factors if isinstance(f, exp)]
    return Mul(*(f for f in factors if not isinstance(f, exp))), sum(exponents, S.Zero)


# ---- Axes


def _axis(problem: StrongForm, k: int) -> HeatKernelAxis:
    interval = problem.domain.intervals[k]
    if not interval.start.is_finite:
        return HeatKernelAxis(Continuation.NONE, interval.start, interval.end)
    if interval.periodic:
        return HeatKernelAxis(Continuation.PERIODIC, interval.start, interval.end)
    signs = _sign(problem, Face(k, upper=False)), _sign(problem, Face(k, upper=True))
    return HeatKernelAxis(Continuation.REFLECTED, interval.start, interval.end, signs)


def _sign(problem: StrongForm, face: Face) -> int:
    """-1 for u = 0, 1 for ∂u/∂n = 0."""
    for c in problem.scalar_conditions:
        if c.place == face and not c.part:
            match c.kind:
                case Dirichlet(value=value) if value == 0:
                    return -1
                case Robin() if c.kind.is_homogeneous_neumann:
                    return 1
    raise NoHeatKernel("images need homogeneous Dirichlet or Neumann conditions")


# ---- Variables of integration


def _with_variables(kernel: HeatKernel) -> HeatKernel:
    """With the breaks of data in one dimension, or the radius of radial data in several."""
    if len(kernel.axes) == 1:
        return replace(kernel, breaks=tuple(dict.fromkeys(_breaks(kernel))))
    on_space = all(a.continuation is Continuation.NONE for a in kernel.axes)
    if on_space and len(set(kernel.diffusivity)) == 1 and kernel.source == 0:
        radial = _radial_profile(kernel)
        if radial is not None:
            return radial
    if len(kernel.axes) <= MAX_TENSOR_DIMENSION:
        return kernel
    if kernel.source != 0:
        raise NoHeatKernel(f"there is a source, in more than {MAX_TENSOR_DIMENSION} dimensions")
    terms = Add.make_args(kernel.amplitude * exp(kernel.exponent))
    return replace(kernel, terms=tuple(_product_term(kernel, term) for term in terms))


# ---- Sums of products


def _product_term(kernel: HeatKernel, term: Expr) -> ProductTerm:
    """A product of functions of single coordinates. A constant is a factor where its odd continuation is not."""
    space, parts = kernel.domain.space, dict[int, Expr]()
    coefficient = S.One
    for factor in (f for g in Mul.make_args(term) for f in _exponential_factors(g)):
        axes = [k for k, x in enumerate(space) if x in factor.free_symbols]
        if len(axes) > 1:
            raise NoHeatKernel(
                f"the data are neither radial nor sums of products, in more than {MAX_TENSOR_DIMENSION} dimensions"
            )
        if axes:
            parts[axes[0]] = parts.get(axes[0], S.One) * factor
        else:
            coefficient *= factor
    odd = {k: S.One for k, axis in enumerate(kernel.axes) if -1 in axis.signs}
    factors = tuple((k, _on_axis(kernel, k, value)) for k, value in sorted({**odd, **parts}.items()))
    return ProductTerm(coefficient, factors)


def _exponential_factors(factor: Expr) -> tuple[Expr, ...]:
    """e^{a + b} = e^a e^b."""
    return tuple(exp(a) for a in Add.make_args(factor.args[0].expand())) if isinstance(factor, exp) else (factor,)


def _on_axis(kernel: HeatKernel, k: int, value: Expr) -> HeatKernel:
    """The kernel of one axis, without the rate."""
    domain, (amplitude, exponent) = kernel.domain, split_exponential(value)
    line = Domain(
        (domain.coordinates[k], domain.coordinates[-1]), (domain.intervals[k], domain.intervals[-1]), has_time=True
    )
    single = replace(
        kernel,
        domain=line,
        diffusivity=(kernel.diffusivity[k],),
        drift=(kernel.drift[k],),
        rate=S.Zero,
        amplitude=amplitude,
        exponent=exponent,
        axes=(kernel.axes[k],),
    )
    return _with_variables(single)


def _radial_profile(kernel: HeatKernel) -> HeatKernel | None:
    """Amplitude and exponent in r = ‖x‖, found on the first axis and compared at random points."""
    x, *others = kernel.domain.space
    r = Symbol("r", positive=True)
    on_axis = {x: r, **dict.fromkeys(others, S.Zero)}
    amplitude, exponent = (e.xreplace(on_axis) for e in (kernel.amplitude, kernel.exponent))
    norm = sum(y**2 for y in kernel.domain.space) ** S.Half
    for e, profile in ((kernel.amplitude, amplitude), (kernel.exponent, exponent)):
        if not is_numerically_equal(e, profile, {r: norm}):
            return None
        if not all(is_numerically_equal(e, profile, {r: norm}, {y: -y}) for y in (x, others[0])):
            return None
    return replace(kernel, amplitude=amplitude, exponent=exponent, radius=r)


def _breaks(kernel: HeatKernel) -> Iterator[Expr]:
    """Kinks of the data in one dimension, and ends of the interval where their continuation is not smooth."""
    (x,), (axis,) = kernel.domain.space, kernel.axes
    for e, signs in ((kernel.amplitude, axis.signs), (kernel.exponent, (1, 1))):
        yield from _kinks(e, x)
        if axis.continuation is not Continuation.NONE and not _is_continued_smoothly(e, x, replace(axis, signs=signs)):
            yield from (axis.start, axis.end)


def _kinks(e: Expr, x: Symbol) -> Iterator[Expr]:
    """Roots of the arguments of functions with kinks, if these are linear in x."""
    for f in e.atoms(Abs, Heaviside, Max, Min, Piecewise, sign):
        match f:
            case Max() | Min():
                arguments = [f.args[0] - a for a in f.args[1:]]
            case Piecewise():
                arguments = [r.lhs - r.rhs for _, c in f.args for r in c.atoms(Relational)]
            case _:
                arguments = [f.args[0]]
        for a in arguments:
            slope = a.diff(x)
            if slope.is_number and slope != 0:
                yield -a.xreplace({x: S.Zero}) / slope


def _is_continued_smoothly(e: Expr, x: Symbol, axis: HeatKernelAxis) -> bool:
    """Whether the derivatives up to a fixed order agree on both sides of the ends."""
    derivative = e
    for order in range(MAX_KINK_ORDER):
        low, high = (derivative.xreplace({x: end}) for end in (axis.start, axis.end))
        if axis.continuation is Continuation.PERIODIC:
            jumps = [high - low]
        else:
            # an even continuation has jumps in odd derivatives, an odd one in even derivatives
            jumps = [v for v, s in ((low, axis.signs[0]), (high, axis.signs[1])) if (s > 0) == (order % 2 == 1)]
        if not all(is_numerically_equal(j, S.Zero) or abs(j.evalf()) < S(10) ** -12 for j in jumps):
            return False
        derivative = derivative.diff(x)
    return True
