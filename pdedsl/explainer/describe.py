"""A plan for a physical problem in words: the statement, the method with its reason, and the alternatives."""

from __future__ import annotations

from typing import assert_never

from pdedsl.config.methods import Adaptive, InSpace, Instants, InTime, Laplacian, Weighting
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

# ---- solving


SHOWN = 3  # dimensions of space whose sides are written out


def solving_lines(plan: SolvePlan) -> list[str]:
    return [*statement_lines(plan.statement), *method_lines(plan)]


def statement_lines(statement: StrongForm) -> list[str]:
    names = ", ".join(c.name for c in statement.components)
    equations, conditions = len(statement.equations), sum(len(c.residuals) for c in statement.conditions)
    linear = "linear" if statement.is_affine else "not linear"
    found = [
        f"{_count(equations, 'equation')} and {_count(conditions, 'condition')} for {names}, {linear} in the unknowns"
    ]
    found += [f"on {domain_text(statement.domain)}"]
    found += [
        f"{c.name} is known: {notation(e)}"
        for c, e in zip(statement.components, statement.exact, strict=True)
        if e is not None
    ]
    found += [f"{w.name} is found with the solution" for w in statement.parameters]
    return [*found, *floating_lines(statement)]


def domain_text(domain: Domain) -> str:
    """The box, its periodic sides, and the shape that is cut out of it."""
    if len(domain.space) > SHOWN:
        return f"a box of {len(domain.space)} coordinates{' and time' * domain.timed}"
    sides = [
        f"{x} in [{notation(i.start)}, {notation(i.end)}]{' periodic' * i.periodic}"
        for x, i in zip(domain.coordinates, domain.intervals, strict=True)
    ]
    shape = f", where {', '.join(f'{notation(g)} > 0' for g in domain.inside)}" if domain.inside else ""
    return f"{', '.join(sides)}{shape}"


def floating_lines(statement: StrongForm) -> list[str]:
    """The components that are determined only up to a constant or a function of time."""
    free = "a function of time" if statement.domain.timed else "a constant"
    return [
        f"{statement.components[c].name} is determined up to {free}, which comparisons ignore"
        for c in statement.floating
    ]


def method_lines(plan: SolvePlan) -> list[str]:
    chosen = [f"solved by {plan.method}: {plan.reason}"]
    others = [
        f"not by {a.method.name}: {a.obstacle}" if a.obstacle else f"{a.method.name} applies as well"
        for a in plan.alternatives
    ]
    chosen += [f"with N a network: {text}" for text in plan.ansatz]
    reference = [f"compared with {plan.reference}"] if plan.reference else []
    return [*chosen, *others, *reference]


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


# ---- describe
# A plan in words: what the equation becomes, and what its training minimises.


# ---- the network


def theorem_line(theorem: Theorem) -> str:
    """The theorem that was applied, with its source."""
    return f"by {theorem.name} ({theorem.source}): {theorem.says}"


def network_lines(plan: Model) -> list[str]:
    """What the equation becomes, block by block."""
    if isinstance(plan, SolvePlan):
        return solving_lines(plan)
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
