"""A plan in words: the network and its training objective, or the boundary value problem and its solution method."""

from __future__ import annotations

from typing import assert_never

from pdedsl.config.methods import (
    Adaptive,
    Grid,
    InSpace,
    Instants,
    InTime,
    Laplacian,
    MonteCarlo,
    Pinn,
    RandomFeatures,
    Weighting,
)
from pdedsl.config.networks import Frame, Lipschitz, Paper
from pdedsl.diagnostics import Span
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
    CrossEntropy,
    DataPlan,
    HeatSmoothing,
    ImagePlan,
    Margin,
    Model,
    NoiseStep,
    Objective,
    Part,
    ResidualBlocks,
    ResidualPenalty,
    SdeSteps,
    SolvePlan,
    TimeConditioned,
)
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.theorem import Theorem
from pdedsl.symbolic.printing import notation

# ---- Theorems

FEYNMAN_KAC = Theorem(
    "the Feynman-Kac formula",
    "Øksendal, sections 8.2 and 9.2; Kloeden, Platen",
    "u(x, t) is the expected value of the data at the end point of the diffusion process that starts at (x, t), weighted "
    "by e^{∫c}, plus the weighted integral of the source along its path",
)
RANDOM_FEATURES = Theorem(
    "collocation with random Fourier features",
    "Rahimi, Recht 2007; Huang, Zhu, Siew 2006",
    "u is a linear combination of sines with random frequencies; its coefficients minimise the residuals of the "
    "equations and conditions at collocation points",
)
DISCRETISATION = Theorem(
    "discretisation on a grid",
    "LeVeque 2007; Trefethen 2000",
    "u is represented by its values at grid points, and the equations and conditions become a system for these values",
)


def applied_theorem(theorem: Theorem, plan: Model) -> Theorem:
    """The theorem behind the method of a plan; lowering states that of collocation for every boundary value problem."""
    if not isinstance(plan, SolvePlan):
        return theorem
    match plan.method:
        case MonteCarlo():
            return FEYNMAN_KAC
        case RandomFeatures():
            return RANDOM_FEATURES
        case Grid():
            return DISCRETISATION
        case Pinn():
            return theorem
        case _:
            assert_never(plan.method)


def theorem_line(theorem: Theorem) -> str:
    return f"by {theorem.name} ({theorem.source}): {theorem.says}"


# ---- Boundary value problems

MAX_WRITTEN_OUT = 3  # dimensions of space whose intervals are written out


def solution_method_lines(plan: SolvePlan) -> list[str]:
    return [*problem_lines(plan.statement), *method_lines(plan)]


def problem_lines(problem: StrongForm) -> list[str]:
    names = ", ".join(c.name for c in problem.components)
    equations, conditions = len(problem.equations), sum(len(c.residuals) for c in problem.conditions)
    linear = "linear" if problem.is_affine else "nonlinear"
    exact = [
        f"exact solution: {c.name} = {notation(e)}"
        for c, e in zip(problem.components, problem.exact, strict=True)
        if e is not None
    ]
    counts = f"{_count(equations, 'equation')} and {_count(conditions, 'condition')}"
    return [
        f"{linear} problem for {names}: {counts}",
        f"domain: {domain_text(problem.domain)}",
        *exact,
        *(f"unknown parameter: {w.name}, identified with the solution" for w in problem.parameters),
        *gauge_lines(problem),
    ]


def domain_text(domain: Domain) -> str:
    """The box with its periodic axes, and the inequalities that restrict it."""
    if len(domain.space) > MAX_WRITTEN_OUT:
        return f"box of dimension {len(domain.space)}{', and time' * domain.timed}"
    intervals = [
        f"{x} in [{notation(i.start)}, {notation(i.end)}]{' periodic' * i.periodic}"
        for x, i in zip(domain.coordinates, domain.intervals, strict=True)
    ]
    where = f", where {', '.join(f'{notation(g)} > 0' for g in domain.inside)}" if domain.inside else ""
    return f"{', '.join(intervals)}{where}"


def gauge_lines(problem: StrongForm) -> list[str]:
    """The components that are determined only up to a constant or a function of time."""
    gauge = "a function of time" if problem.domain.timed else "a constant"
    return [
        f"{problem.components[c].name} is determined up to {gauge}, which error norms ignore" for c in problem.floating
    ]


def method_lines(plan: SolvePlan) -> list[str]:
    applicable = ", ".join(a.method.name for a in plan.alternatives if not a.obstacle)
    return [
        f"method: {plan.method} ({plan.reason})",
        *(f"ansatz with a network N: {text}" for text in plan.ansatz),
        *([f"also applicable: {applicable}"] if applicable else []),
        *(f"not applicable: {a.method.name} ({a.obstacle})" for a in plan.alternatives if a.obstacle),
        *([f"reference solution: {plan.reference}"] if plan.reference else []),
    ]


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


# ---- Networks


def network_lines(plan: Model) -> list[str]:
    """The network, one line for each block, or the solution method."""
    if isinstance(plan, SolvePlan):
        return solution_method_lines(plan)
    if isinstance(plan, ImagePlan):
        widths = ", ".join(map(str, plan.stages))
        adaptive = isinstance(plan.method, Adaptive)
        steps = "which chooses its steps," if adaptive else f"{plan.steps} step{'s' * (plan.steps > 1)}"
        method = f"{plan.method.name}, {steps} on [{plan.start}, {plan.end}]"
        frame = f"in a frame of {plan.classes} classes{_frame_line(plan.frame)}"
        return [f"the equation by {method}, at widths {widths}, {frame}", *objective_lines(plan.objective)]
    rows = [part_line(part) for part in plan.parts]
    if plan.readout:
        rows.append(f"readout: a linear map to {plan.classes} scores")
    if plan.classes is None:
        return ["the evolution operator itself"]
    training = objective_lines(plan.objective)
    if plan.members == plan.samples == 1:
        return [*rows, *training]
    counts = f"{plan.members} member{'s' * (plan.members > 1)} and {plan.samples} draw{'s' * (plan.samples > 1)}"
    weighted = ", with learned weights" if plan.weights is Weighting.LEARNED else ""
    return [*rows, f"mean of {plan.average.value} over {counts}{weighted}", *training]


def places(span: Span, plan: Model) -> list[str]:
    """The blocks that come from a place in the text, each with its number in the order of the network."""
    match plan:
        case DataPlan(parts=parts):
            here = [(k, part) for k, part in enumerate(parts, 1) if any(_meet(span, s) for s in _origins(part))]
            return [f"block {k} of {len(parts)}: {part_line(part)}" for k, part in here]
        case ImagePlan(motion=motion, method=method, steps=steps):
            counted = "" if isinstance(method, Adaptive) else f", {steps} step{'s' * (steps > 1)}"
            found = any(_meet(span, right.span) for right in motion.parts)
            return [f"a layer of each step at every width, by {method.name}{counted}"] if found else []
        case SolvePlan(method=solver):
            return [f"solved by {solver}"]
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


def _meet(a: Span, b: Span) -> bool:
    return a.start < b.end and b.start < a.end


def _frame_line(frame: Frame) -> str:
    match frame:
        case Paper():
            return ""
        case Lipschitz(dense=dense):
            behind = f", with {dense} dense convex potential layer{'s' * (dense > 1)} behind it" if dense else ""
            return f" whose pieces are 1-Lipschitz{behind}"
        case _:
            assert_never(frame)


def part_line(part: Part) -> str:
    match part:
        case SdeSteps(steps=steps, step=step, scheme=scheme, noise=noise):
            if isinstance(scheme, Adaptive):
                return f"{scheme.name}, which chooses its steps, over a time of {step}"
            return f"{steps} step{'s' * (steps > 1)} of {scheme.name}, δt = {step}{_behind(noise)}"
        case ResidualBlocks(net=net, step=step, noise=noise):
            return f"the residual maps of {net}, each a step δt = {step}{_behind(noise)}"
        case NoiseStep(noise=noise):
            return f"on the whole state{_behind(noise)}"
        case TimeConditioned(net=net, time=time):
            return f"{net} with the time as an input, read at t = {time}; diffusion is in its training"
        case BaseNetwork(net=net):
            return str(net)


def _behind(noise: Noise | None) -> str:
    return f"; {noise_text(noise)}" if noise else ""


def noise_text(noise: Noise) -> str:
    """Which noise, and how much of it."""
    match noise:
        case ConstantNoise(std=std, law=law) | StateDependentNoise(std=std, law=law):
            return f"{law.value} noise, standard deviation {notation(std)}"
        case RelativeNoise(scale=scale, law=law):
            return f"{law.value} noise, {notation(scale)} times the standard deviation of the state"
        case CorrelatedNoise():
            return "correlated noise"
        case DropoutNoise(keep=keep, of=of):
            name = (
                "stochastic depth, survival probability"
                if of is DropoutGranularity.LAYER
                else "dropout, keep-probability"
            )
            return f"{name} {notation(keep)}"
        case ShakeShakeNoise(std=std):
            return f"shake-shake, standard deviation of the share α {notation(std)}"
        case _:
            assert_never(noise)


# ---- training


def objective_lines(objective: Objective) -> list[str]:
    """What training minimises if it is not plain cross-entropy, and which arguments have no effect on it."""
    match objective:
        case CrossEntropy(apart=apart):
            return ["members are trained apart, each by its own cross-entropy"] if apart else []
        case Margin(eps=eps, temperature=temperature):
            what = f"2√2·{eps:g}, at temperature {temperature:g}"
            return [f"training minimises the cross-entropy with the label's score lowered by {what}"]
        case ResidualPenalty():
            return [_residual_line(objective), *_unused(objective)]
        case HeatSmoothing():
            return [*_retraining_lines(objective), *_unused(objective)]
        case _:
            assert_never(objective)


def _residual_line(r: ResidualPenalty) -> str:
    times = ", ".join(f"{t:g}" for t in r.times)
    where = "" if r.instants is Instants.ALL else ", at one of these times for each sample"
    laplacian = (
        "exact"
        if r.estimator is Laplacian.EXACT
        else f"by {r.probes} random difference{'s' * (r.probes > 1)}, {r.estimator.value}"
    )
    return (
        f"training minimises the cross-entropy at t = {times} plus {r.weight:g}·‖∂g/∂t - {r.diffusivity:g} Δg‖² of "
        f"{r.of.value}{where}, near the samples (within {r.jitter:g}); Δ is {laplacian}"
    )


def _retraining_lines(r: HeatSmoothing) -> list[str]:
    reached = 2 * r.weight * r.variance
    same = (
        "as the equation says"
        if reached == r.variance
        else f"{reached / r.variance:g} times the equation's; 0.5 is exact"
    )
    return [
        f"training minimises the cross-entropy, then {r.steps} times the distance to the previous network plus "
        f"{r.weight:g}·½hs²‖∇v‖², h = 1/{r.steps}, s² = {r.variance:g}",
        f"weight {r.weight:g} smooths to the variance {reached:g}, {same}",
    ]


def _unused(objective: ResidualPenalty | HeatSmoothing) -> list[str]:
    idle: list[str] = []
    if objective.derivative in (InTime.FORWARD, InSpace.FORWARD):
        idle.append("tau" if isinstance(objective, ResidualPenalty) else "delta")
    if objective.estimator is Laplacian.EXACT:
        idle += ["h", "probes"]
    verb = "is" if len(idle) == 1 else "are"
    return [f"{' and '.join(idle)} {verb} not used: derivatives are taken exactly"] if idle else []
