"""A plan on a data space → the functions that build its classifier: a member, and the mean over members."""

from __future__ import annotations

from pdedsl.emit.names import RUNTIME, maker_of, name_of, number, quoted
from pdedsl.emit.parts import part_comment, part_node
from pdedsl.emit.program import Binding, Call, Function, Items, Node, Ref, Repeat
from pdedsl.ir.objective import CrossEntropy
from pdedsl.ir.plan import DataPlan, Family, Maps, Shake, Walk
from pdedsl.ir.spec import Learned, Spec
from pdedsl.words.diffusions import Scores, Weighting
from pdedsl.words.networks import Resnet

PATH = "One network, in the order in which a path passes the equation."


def member_functions(plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> list[Function]:
    """One network of each family."""
    named = zip(_member_names(plan), plan.families, strict=True)
    return [_member(name, family, plan, fields, spec) for name, family in named]


def _member_names(plan: DataPlan) -> list[str]:
    """`member`, or one for each depth: `member20`, `member32`."""
    if len(plan.families) == 1:
        return ["member"]
    nets = [p.net for f in plan.families for p in f.parts if isinstance(p, Maps)]
    return [f"member{net.depth[0]}" for net in nets if isinstance(net, Resnet)]


def _member(name: str, family: Family, plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> Function:
    """The parts in order, then the readout."""
    bindings = [Binding(name_of(w), Call(maker_of(w))) for w in fields]
    parts: list[Node] = []
    if plan.image and plan.readout:
        parts.append(Call("torch.nn.Flatten"))
    for k, part in enumerate(family.parts, 1):
        bindings.append(Binding(f"part{k}", part_node(part, plan, fields, spec), part_comment(part, spec)))
        parts.append(Ref(f"part{k}"))
    if plan.readout:
        bindings.append(Binding("readout", _readout(plan), quoted(plan.readout_span, spec)))
        parts.append(Ref("readout"))
    result = Call("torch.nn.Sequential", tuple(parts))
    if len(parts) == 1 and isinstance(parts[0], Ref):
        only = bindings.pop()
        return Function(name, (), PATH, tuple(bindings), only.value, only.comment)
    return Function(name, (), PATH, tuple(bindings), result)


def _readout(plan: DataPlan) -> Node:
    """The readout W, constrained to its norm bound or its box."""
    assert plan.classes is not None
    sizes = plan.dimension, plan.classes
    if plan.bound is not None:
        constraint = Call(f"{RUNTIME}.constraints.NormBound", (number(plan.bound),))
    elif plan.box is not None:
        constraint = Call(f"{RUNTIME}.constraints.Box", tuple(map(float, plan.box)))
    else:
        return Call("torch.nn.Linear", sizes, (("bias", False),))
    return Call(f"{RUNTIME}.operators.Linear", sizes, (("constraint", constraint),))


def model_function(plan: DataPlan) -> Function:
    noisy = any(
        isinstance(p, Shake) or (isinstance(p, Walk | Maps) and p.noise) or (isinstance(p, Maps) and p.before_readout)
        for p in plan.parts
    )
    if not noisy and plan.members == 1:
        return Function(
            "model", (("seed", 0),), "Scores whose softmax is u; nothing in it is random.", (), Call("member")
        )
    named: list[tuple[str, Node]] = [("seed", Ref("seed")), ("samples", plan.samples)]
    if plan.average is not Scores.PROBABILITIES:
        named.append(("average", plan.average.value))
    if plan.weights is not Weighting.EQUAL:
        named.append(("weights", plan.weights.value))
    result = Call(f"{RUNTIME}.expectation.Expectation", (_members(plan),), tuple(named))
    return Function("model", (("seed", 0),), _model_doc(plan), (), result)


def _members(plan: DataPlan) -> Node:
    if len(plan.families) == 1:
        return Repeat(plan.members, Call("member"))
    named = zip(_member_names(plan), plan.families, strict=True)
    return Items(tuple(Call(name) for name, family in named for _ in range(family.members)), square=True)


def _model_doc(plan: DataPlan) -> str:
    weighted = ", with learned weights" if plan.weights is Weighting.LEARNED else ""
    apart = isinstance(plan.objective, CrossEntropy) and plan.objective.apart
    trained = " Members are trained apart, on `each`." if apart else ""
    return f"Scores whose softmax is u, the mean over draws and members{weighted}.{trained}"
