"""A plan in words: the network and its training objective, or the boundary value problem and its solution method."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, I, S

from pdedsl.config.distributions import LogUniform, Uniform
from pdedsl.config.methods import (
    Adaptive,
    EnsembleWeighting,
    LaplacianEstimator,
    NoiseDistribution,
    ResidualTimes,
    SpatialDifferentiation,
    TimeDifferentiation,
)
from pdedsl.config.networks import Frame, LipschitzFrame, Paper
from pdedsl.config.training import CrossEntropy, Margin, Mart, Mixed, Trades
from pdedsl.diagnostics import Span
from pdedsl.ir.family import Family
from pdedsl.ir.noise import (
    ConstantNoise,
    CorrelatedNoise,
    DropoutGranularity,
    DropoutNoise,
    Noise,
    RelativeNoise,
    ShakeShakeNoise,
    StateDependentNoise,
)
from pdedsl.ir.plan import (
    BaseNetwork,
    DataPlan,
    GaussianRegression,
    HeatSmoothing,
    ImagePlan,
    MemberCrossEntropy,
    Model,
    NoiseStep,
    Objective,
    OperatorPlan,
    Part,
    ResidualBlocks,
    ResidualPenalty,
    SdeSteps,
    SolvePlan,
    TimeConditioned,
)
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.solver_plans import EigenCollocationPlan, EigenElementsPlan, TransformedPlan
from pdedsl.ir.spec import FamilyParameter
from pdedsl.ir.terms import MatrixStructure
from pdedsl.ir.theorem import Theorem
from pdedsl.numerics.butcher import HEUN
from pdedsl.symbolic.printing import notation

# ---- Theorems


def applied_theorem(theorem: Theorem, plan: Model) -> Theorem:
    """The theorem of the method of a plan; lowering states that of collocation for every boundary value problem."""
    if not isinstance(plan, SolvePlan):
        return theorem
    return plan.solver.applied_theorem or theorem


def theorem_line(theorem: Theorem) -> str:
    return f"by {theorem.name} ({theorem.source}): {theorem.statement}"


# ---- Boundary value problems

MAX_WRITTEN_OUT = 3  # dimensions of space whose intervals are written out


def solution_method_lines(plan: SolvePlan) -> list[str]:
    return [*problem_lines(plan.problem), *method_lines(plan)]


def problem_lines(problem: StrongForm) -> list[str]:
    names = ", ".join(unknown_names(problem))
    equations, conditions = len(problem.equations), sum(len(c.residuals) for c in problem.conditions)
    kind = "linear problem" if problem.is_affine else "nonlinear problem"
    if problem.eigenvalue is not None:
        kind, names = "eigenproblem", f"{names} and {problem.eigenvalue.name}"
    counts = f"{count_noun(equations, 'equation')} and {count_noun(conditions, 'condition')}"
    return [
        f"{kind} for {names}: {counts}",
        f"domain: {domain_text(problem.domain)}",
        *metric_lines(problem.domain),
        *(f"exact solution: {name} = {notation(e)}" for name, e in exact_solutions(problem)),
        *(f"unknown parameter: {w.name}, identified with the solution" for w in problem.parameters),
        *gauge_lines(problem),
    ]


def unknown_names(problem: StrongForm) -> list[str]:
    """The components of real unknowns, and the complex numbers: ψ for Re(ψ), Im(ψ)."""
    return list(dict.fromkeys(c.complex_number or c.name for c in problem.components))


def exact_solutions(problem: StrongForm) -> list[tuple[str, Expr]]:
    """The unknowns whose exact solution is known, real and imaginary part in one expression."""
    values: dict[str, Expr] = {}
    for c, e in zip(problem.components, problem.exact, strict=True):
        if e is not None:
            name = c.complex_number or c.name
            values[name] = values.get(name, S.Zero) + (I * e if c.is_imaginary else e)
    return list(values.items())


def metric_lines(domain: Domain) -> list[str]:
    """The metric of curvilinear coordinates and the axes on which solutions are regular."""
    metric = domain.metric
    if metric is None:
        return []
    places = list(map(domain.text_of, metric.axes))
    regular = f", solutions are regular {' and '.join(places)}" if places else ""
    scales = ", ".join(map(notation, metric.scales))
    return [
        f"{metric.system} coordinates: scale factors {scales}, volume element {notation(metric.volume)}{regular}",
    ]


def domain_text(domain: Domain) -> str:
    """The box with its periodic axes, and the inequalities that restrict it."""
    if len(domain.space) > MAX_WRITTEN_OUT:
        return f"box of dimension {len(domain.space)}{', and time' * domain.has_time}"
    intervals = [
        f"{x} in [{notation(i.start)}, {notation(i.end)}]{' periodic' * i.periodic}"
        for x, i in zip(domain.coordinates, domain.intervals, strict=True)
    ]
    if domain.mesh_boundary is not None:
        time = f", {intervals[-1]}" if domain.has_time else ""
        return f"({', '.join(map(str, domain.space))}) in the mesh {domain.mesh_boundary.file}{time}"
    where = f", where {', '.join(f'{notation(g)} > 0' for g in domain.inequalities)}" if domain.inequalities else ""
    return f"{', '.join(intervals)}{where}"


def gauge_lines(problem: StrongForm) -> list[str]:
    """The components that are determined only up to a constant or a function of time."""
    gauge = "a function of time" if problem.domain.has_time else "a constant"
    return [
        f"{problem.components[c].text} is determined up to {gauge}, which error norms ignore"
        for c in problem.defined_up_to_constant
    ]


def method_lines(plan: SolvePlan) -> list[str]:
    tried = {type(c.solver.method) for c in plan.candidates if not isinstance(c.solver, TransformedPlan)}
    others = [a for a in plan.alternatives if not a.obstacle and type(a.method) not in tried]
    applicable = ", ".join(a.method.name for a in others)
    return [
        *strategy_lines(plan),
        *transform_lines(plan),
        *(f"ansatz: {text}{', N a network' * text.endswith('N')}" for text in plan.ansatz),
        *([f"also applicable: {applicable}"] if applicable else []),
        *(obstacle_text(a.method.name, a.obstacle) for a in plan.alternatives if a.obstacle),
        *([f"reference solution: {plan.reference}"] if plan.reference else []),
    ]


def transform_lines(plan: SolvePlan) -> list[str]:
    """The transforms of the candidates, each once, in the order of their application."""
    lines: dict[str, None] = {}
    for candidate in plan.candidates:
        solver = candidate.solver
        while isinstance(solver, TransformedPlan):
            lines.setdefault(f"transform: {solver.transform.text}")
            solver = solver.inner
    return list(lines)


def strategy_lines(plan: SolvePlan) -> list[str]:
    """The candidates in the order in which they are tried, the tolerance and the CPU time."""
    first, *others = plan.candidates
    is_eigenproblem = plan.problem.eigenvalue is not None
    error = "relative error of the eigenvalues" if is_eigenproblem else "relative L2 error"
    return [
        *(family_lines(plan.family) if plan.family is not None else ()),
        *_eigenproblem_lines(plan),
        f"method: {first.text} ({first.reason})",
        *(f"alternative: {c.text} ({c.reason})" for c in others),
        f"tolerance: {error} {plan.tolerance:.2g}, within {plan.budget:g} s of CPU time",
    ]


DIRECTIONS = {1: "by increasing real part", -1: "by decreasing real part", 1j: "by increasing imaginary part"}
DIRECTIONS[-1j] = "by decreasing imaginary part"


def _eigenproblem_lines(plan: SolvePlan) -> list[str]:
    """Number and order of the eigenpairs, and self-adjointness."""
    solver, eigenvalue = plan.solver, plan.problem.eigenvalue
    if not isinstance(solver, EigenCollocationPlan | EigenElementsPlan) or eigenvalue is None:
        return []
    pencil = solver.eigenproblem
    ordered = DIRECTIONS.get(pencil.direction, "by absolute value" if not pencil.direction else "along their asymptote")
    return [
        f"eigenpairs: the first {solver.modes}, with {eigenvalue.name} {ordered}",
        f"self-adjoint: {pencil.self_adjointness.truth}. {pencil.self_adjointness.reason}",
    ]


def family_lines(family: Family) -> list[str]:
    """The parameters of a family, and how its members are combined."""
    names = {p.function or p.name: p for p in family.parameters}
    texts = [f"{name}: {_parameter_text(p, family)}" for name, p in names.items()]
    return [
        f"family of problems with {count_noun(len(names), 'parameter')}; the rest is for the middle of their intervals",
        *(f"parameter {text}" for text in texts),
        f"dependence on the parameters: {_family_method(family)}, checked by unseen members ({family.reason})",
    ]


def _family_method(family: Family) -> str:
    if family.reduction is not None:
        projection = "Galerkin" if family.reduction.evolving else "least-squares"
        return f"reduced basis of members, POD-greedy with {projection} projection (Haasdonk, Ohlberger 2008)"
    return "adaptive sparse interpolation of members at Leja points (Chkifa, Cohen, Schwab 2014)"


def _parameter_text(parameter: FamilyParameter, family: Family) -> str:
    if parameter.function:
        count = sum(p.function == parameter.function for p in family.parameters)
        return f"Gaussian process with {count_noun(count, 'coefficient')}"
    distribution = parameter.distribution
    if not parameter.is_random and isinstance(distribution, Uniform | LogUniform):
        scale = ", on a logarithmic scale" if isinstance(distribution, LogUniform) else ""
        return f"in [{float(distribution.low):g}, {float(distribution.high):g}]{scale}"
    return f"random, {distribution.brief}"


def obstacle_text(method: str, obstacle: str) -> str:
    return obstacle if obstacle.startswith(method) else f"{method} is not applicable: {obstacle}"


def count_noun(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


# ---- Networks


def network_lines(plan: Model) -> list[str]:
    """The network, one line for each block, or the solution method."""
    if isinstance(plan, SolvePlan):
        return solution_method_lines(plan)
    if isinstance(plan, ImagePlan):
        widths = ", ".join(map(str, plan.stages))
        steps = "adaptive steps" if isinstance(plan.method, Adaptive) else count_noun(plan.steps, "step")
        stages = f"stages of {widths} channels" if len(plan.stages) > 1 else f"{widths} channels"
        return [
            f"time integration in every stage: {plan.method.name}, {steps} on [{plan.start}, {plan.end}]",
            f"architecture: {stages}, {plan.classes} classes{_architecture_detail(plan.frame)}",
            *objective_lines(plan.objective),
        ]
    rows = [part_line(part) for part in plan.parts]
    if plan.readout:
        rows.append(f"readout: linear layer to {plan.classes} logits")
    if plan.classes is None:
        operator = [operator_line(plan.operator)] if isinstance(plan.operator, OperatorPlan) else []
        return ["the solution operator of the equation, without trained weights", *operator]
    training = objective_lines(plan.objective)
    return [*rows, *([" ".join(average_texts(plan))] if average_texts(plan) else []), *training]


def operator_line(plan: OperatorPlan) -> str:
    """The integrator of the paths and its steps."""
    is_random = any(s.structure is not MatrixStructure.NONE for s in plan.segments)
    paths = f"{plan.samples:,} paths per point" if is_random else "characteristics"
    if all(s.is_constant for s in plan.segments) and plan.law is NoiseDistribution.GAUSSIAN:
        return f"{paths}: one exact step, as the coefficients are constant"
    stochastic = "stochastic " if is_random and plan.scheme.method == HEUN else ""
    return f"{paths}: steps of {notation(plan.step)} by the method {stochastic}{plan.scheme.name}"


def average_texts(plan: DataPlan) -> tuple[str, ...]:
    """The average over ensemble members and noise samples, if there are several."""
    if plan.members == plan.samples == 1:
        return ()
    counts = f"{count_noun(plan.members, 'ensemble member')} and {count_noun(plan.samples, 'noise sample')}"
    weighted = ", with learned weights" if plan.weights is EnsembleWeighting.LEARNED else ""
    return f"average of the {plan.average.value}", f"over {counts}{weighted}"


def block_lines(span: Span, plan: Model) -> list[str]:
    """The blocks of the network that come from a span of the text, each with its number; or the solution method."""
    match plan:
        case DataPlan(parts=parts):
            blocks = [(k, part) for k, part in enumerate(parts, 1) if any(overlap(span, s) for s in _origins(part))]
            return [f"block {k} of {len(parts)}: {part_line(part)}" for k, part in blocks]
        case ImagePlan(system=motion, method=method, steps=steps):
            steps_text = "adaptive steps" if isinstance(method, Adaptive) else count_noun(steps, "step")
            is_layer = any(overlap(span, right.span) for right in motion.right_hand_sides)
            return [f"a layer of every step in every stage: {method.name}, {steps_text}"] if is_layer else []
        case SolvePlan(method=solver):
            return [f"method: {solver}"]
        case _:
            assert_never(plan)


def _origins(part: Part) -> list[Span]:
    match part:
        case SdeSteps(span=span, noise=noise) | ResidualBlocks(span=span, noise=noise):
            return [span, *([noise.span] if noise else [])]
        case NoiseStep(noise=noise):
            return [noise.span]
        case TimeConditioned(span=span) | BaseNetwork(span=span):
            return [span]
        case _:
            assert_never(part)


def overlap(a: Span, b: Span) -> bool:
    return a.start < b.end and b.start < a.end


def _architecture_detail(frame: Frame) -> str:
    match frame:
        case Paper():
            return ""
        case LipschitzFrame(dense=dense):
            layers = f", then {count_noun(dense, 'dense convex potential layer')}" if dense else ""
            return f"; stem, transitions and head are 1-Lipschitz{layers}"
        case _:
            assert_never(frame)


def part_line(part: Part) -> str:
    match part:
        case SdeSteps(steps=steps, step=step, scheme=scheme, noise=noise):
            if isinstance(scheme, Adaptive):
                return f"{scheme.name} with adaptive steps over a time of {step}"
            return f"{count_noun(steps, 'step')} of {scheme.name}, δt = {step}{_noise_suffix(noise)}"
        case ResidualBlocks(net=net, step=step, noise=noise):
            return f"residual blocks of {net}, each a step δt = {step}{_noise_suffix(noise)}"
        case NoiseStep(noise=noise):
            return noise_text(noise)
        case TimeConditioned(net=net, time=time):
            return (
                f"{net} with time as an additional input, evaluated at t = {time}; the diffusion is imposed in training"
            )
        case BaseNetwork(net=net):
            return str(net)


def _noise_suffix(noise: Noise | None) -> str:
    return f"; {noise_text(noise)}" if noise else ""


def noise_text(noise: Noise) -> str:
    """Kind and standard deviation of the noise."""
    match noise:
        case ConstantNoise(std=std, law=law) | StateDependentNoise(std=std, law=law):
            return f"{law.value.capitalize()} noise, standard deviation {notation(std)}"
        case RelativeNoise(scale=scale, law=law):
            return f"{law.value.capitalize()} noise, {notation(scale)} times the standard deviation of the state"
        case CorrelatedNoise():
            return "correlated noise"
        case DropoutNoise(keep_probability=keep, granularity=of):
            name = (
                "stochastic depth, survival probability"
                if of is DropoutGranularity.LAYER
                else "dropout, keep probability"
            )
            return f"{name} {notation(keep)}"
        case ShakeShakeNoise(std=std):
            return f"shake-shake, standard deviation of the branch weight α {notation(std)}"
        case _:
            assert_never(noise)


# ---- Training objectives


def objective_lines(objective: Objective) -> list[str]:
    """The training objective unless it is plain cross-entropy, and the arguments without effect on it."""
    match objective:
        case CrossEntropy(label_smoothing=amount):
            return [f"training loss: cross-entropy with label smoothing {float(amount):g}"] if amount else []
        case MemberCrossEntropy():
            return ["ensemble members are trained independently, each with its own cross-entropy"]
        case Trades(beta=beta):
            divergence = f"{float(beta):g}·KL(p(x) ‖ p(x′))"
            return [f"training loss: TRADES, cross-entropy + {divergence}, x′ an adversarial example"]
        case Mart(beta=beta):
            divergence = f"{float(beta):g}·KL(p(x) ‖ p(x′))(1 - p_y(x))"
            return [f"training loss: MART, boosted cross-entropy at x′ + {divergence}"]
        case Mixed(clean=clean):
            c = float(clean)
            return [f"training loss: {c:g}·cross-entropy + {1 - c:g}·cross-entropy at adversarial examples"]
        case Margin(eps=eps, temperature=temperature):
            margin = f"margin 2√2·{float(eps):g} subtracted from the logit of the true class"
            return [f"training loss: cross-entropy with {margin}, temperature {float(temperature):g}"]
        case ResidualPenalty():
            return [_residual_line(objective), *_unused_argument_lines(objective)]
        case HeatSmoothing():
            return [*_retraining_lines(objective), *_unused_argument_lines(objective)]
        case GaussianRegression(variance=variance):
            return [
                "training loss: cross-entropy, then cross-entropy of v(x) with respect to the trained network at "
                f"x + sξ, ξ ~ N(0, I), s² = {variance:g}: the minimizer is the Gaussian average"
            ]
        case _:
            assert_never(objective)


def _residual_line(r: ResidualPenalty) -> str:
    times = ", ".join(f"{t:g}" for t in r.times)
    where = "" if r.instants is ResidualTimes.ALL else ", at one random time per sample"
    laplacian = (
        "exact"
        if r.estimator is LaplacianEstimator.EXACT
        else f"estimated by {count_noun(r.probes, 'random finite difference')}, {r.estimator.value}"
    )
    return (
        f"training loss: cross-entropy at t = {times} + {r.weight:g}·‖∂g/∂t - {r.diffusivity:g} Δg‖², g the "
        f"{r.of.value}{where}, at points within {r.jitter:g} of the samples; Δ is {laplacian}"
    )


def _retraining_lines(r: HeatSmoothing) -> list[str]:
    reached = 2 * r.weight * r.variance
    same = (
        "as in the equation"
        if reached == r.variance
        else f"{reached / r.variance:g} times that of the equation, which needs weight 0.5"
    )
    return [
        f"training loss: cross-entropy, then in {count_noun(r.steps, 'step')} of heat smoothing half the squared "
        f"distance to the previous network + {r.weight:g}·½hs²‖∇v‖², h = 1/{r.steps}, s² = {r.variance:g}",
        f"weight {r.weight:g} gives Gaussian smoothing with variance {reached:g}, {same}",
    ]


def _unused_argument_lines(objective: ResidualPenalty | HeatSmoothing) -> list[str]:
    unused: list[str] = []
    if objective.derivative in (TimeDifferentiation.FORWARD, SpatialDifferentiation.FORWARD):
        unused.append("tau" if isinstance(objective, ResidualPenalty) else "delta")
    if objective.estimator is LaplacianEstimator.EXACT:
        unused += ["h", "probes"]
    verb = "is" if len(unused) == 1 else "are"
    return [f"{' and '.join(unused)} {verb} not used: derivatives are exact"] if unused else []
