"""Parts of a plan on a data space → modules: steps along a field, residual maps of a named network, noise."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, sqrt

from pdedsl.emit.expressions import field_at
from pdedsl.emit.fields import formula, own_module, vector
from pdedsl.emit.integrators import integrator_node
from pdedsl.emit.names import RUNTIME, name_of, number, quoted
from pdedsl.emit.noise import noise_node
from pdedsl.emit.program import Call, Items, Lambda, Method, Node, Op, Ref
from pdedsl.ir.noise import Correlated, Dropped, Dropping, Inside, Noise, Plain, Relative, Scaled, Shared
from pdedsl.ir.plan import Base, DataPlan, Maps, Part, Shake, Timed, Walk
from pdedsl.ir.spec import Learned, Spec
from pdedsl.words.integrators import Adaptive, Fixed, is_euler
from pdedsl.words.networks import (
    Conv,
    Convnet,
    Linear,
    Mlp,
    Network,
    PreactResnet18,
    Resnet,
    Resnet18,
    Torch,
    Torchvision,
    WideResnet,
)

WRITTEN_OUT = 256  # most steps whose times are listed one by one in the module


def part_comment(part: Part, spec: Spec) -> str:
    match part:
        case Walk(scheme=Adaptive() as scheme, step=step, first=first, span=span):
            return f"{quoted(span, spec)}: {scheme.name} over a time of {step}, the first step at t = {first}"
        case Walk(step=step, steps=steps, first=first, span=span):
            return f"{quoted(span, spec)}: {steps} steps of {step}, the first at t = {first}"
        case Maps(step=step, span=span, noise=noise):
            shaken = f"; {quoted(noise.span, spec)}: {_how(noise)}" if noise else ""
            return f"{quoted(span, spec)}: residual maps, each a step of {step}{shaken}"
        case Shake(noise=noise):
            return f"{quoted(noise.span, spec)}: noise on the whole state"
        case Timed(span=span) | Base(span=span):
            return quoted(span, spec)


def _how(noise: Noise) -> str:
    match noise:
        case Shared():
            return "two branches shared at random in each"
        case Dropped(of=of):
            return "each dropped as a whole" if of is Dropping.LAYER else "units dropped in each"
        case Plain() | Scaled() | Relative() | Correlated():
            return "noise behind each"
        case _:
            assert_never(noise)


def part_node(part: Part, plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> Node:
    match part:
        case Walk():
            return _walk(part, fields, spec)
        case Maps():
            return _maps(part, plan, fields, spec)
        case Shake(noise=noise):
            return noise_node(noise, fields, spec)
        case Base(net=net):
            return Method(_backbone(net, plan, time=False), "network")
        case Timed(net=net, time=time):
            network = Method(_backbone(net, plan, time=True), "network")
            timed = Call(f"{RUNTIME}.timed.TimeChannel", (network,))
            return Call(f"{RUNTIME}.marching.AtTime", (timed, number(time)))


def _maps(maps: Maps, plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> Node:
    """The network with noise after its residual maps, or with random maps. Map l is at the time first ± l·Δt, at which
    a time-dependent size of the noise is evaluated."""
    backbone, noise = _backbone(maps.net, plan, time=False), maps.noise
    named: list[tuple[str, Node]] = []
    if isinstance(noise, Inside):
        backbone = _random(backbone, noise, _backbone(maps.branch, plan, time=False) if maps.branch else None)
    elif noise is not None:
        t = Op("+", (number(maps.first), Op("*", (number(maps.clock * maps.step), Ref("layer")))))
        named.append(("after", Lambda(("layer",), noise_node(noise, fields, spec, t))))
    if maps.before_readout is not None:
        named.append(("before_readout", noise_node(maps.before_readout, fields, spec)))
    return Method(backbone, "network", (), tuple(named))


def _random(backbone: Node, noise: Inside, branch: Node) -> Node:
    """A backbone whose maps are dropped at random, or mixed with those of another."""
    match noise:
        case Shared(std=std):
            return Call(f"{RUNTIME}.dropped.shaken", (backbone, branch), (("width", _width(std)),))
        case Dropped(keep=keep, of=of):
            return Call(f"{RUNTIME}.dropped.dropped", (backbone, number(keep)), _of(of))
        case _:
            assert_never(noise)


def _width(std: Expr) -> float:
    """w of α ~ U(½ - w, ½ + w), which has the variance w²/3."""
    return number(sqrt(3) * std)


def _of(dropping: Dropping) -> tuple[tuple[str, Node], ...]:
    return () if dropping is Dropping.UNITS else (("of", dropping.value),)


def _backbone(net: Network, plan: DataPlan, time: bool) -> Node:
    shape: Node = Items(plan.image if plan.image else (plan.dimension,))
    assert plan.classes is not None
    tail: tuple[tuple[str, Node], ...] = (("shape", shape), ("classes", plan.classes))
    tail += (("time", True),) if time else ()
    home = f"{RUNTIME}.backbones"
    match net:
        case Mlp(width=width, depth=depth, activation=activation):
            named = (("width", width), ("depth", depth), *tail, ("activation", activation.name))
            return Call(f"{home}.mlp", (), named)
        case Convnet(layers=layers, activation=activation):
            named = (("width", 32), ("depth", layers), *tail, ("activation", activation.name))
            return Call(f"{home}.convnet", (), named)
        case Resnet(depth=(depth, *_)):
            return Call(f"{home}.resnet", (), (("depth", depth), *tail))
        case WideResnet(depth=depth, width=width):
            return Call(f"{home}.wide_resnet", (), (("depth", depth), ("width", width), *tail))
        case Resnet18() | PreactResnet18():
            return Call(f"{home}.{net.name}", (), tail)
        case Torchvision(model=model):
            return Call(f"{RUNTIME}.torchvision_backbones.torchvision_model", (model,), (("classes", plan.classes),))
        case Torch(maps=maps, counted=counted):
            given: tuple[tuple[str, Node], ...] = (("maps", Items(maps)),) if maps else ()
            given += (("count", counted),) if counted and not time else ()
            return Call(f"{RUNTIME}.own_networks.own_backbone", (own_module(net),), (*tail, *given))
        case Resnet() | Conv() | Linear():
            raise AssertionError(f"{net.name} has no residual maps")
        case _:
            assert_never(net)


def _walk(walk: Walk, fields: tuple[Learned, ...], spec: Spec) -> Node:
    velocity = _pair(walk, fields) if isinstance(walk.noise, Shared) else vector(walk.field, fields, spec)
    named: list[tuple[str, Node]] = [("times", _times(walk)), ("dt", number(walk.step))]
    if not is_euler(walk.scheme):
        scheme = walk.scheme.name if isinstance(walk.scheme, Fixed) else integrator_node(walk.scheme)
        named.append(("scheme", scheme))
    named.append(("clock", float(walk.clock)))
    if isinstance(walk.noise, Inside):
        named.append(("inside", Lambda(("t",), _inside(walk.noise))))
    elif walk.noise is not None:
        named.append(("after", Lambda(("t",), noise_node(walk.noise, fields, spec))))
    return Call(f"{RUNTIME}.marching.March", (velocity,), tuple(named))


def _times(walk: Walk) -> Node:
    """The time at which each step starts; many steps are computed in a call rather than listed."""
    if walk.steps > WRITTEN_OUT:
        return Call(f"{RUNTIME}.marching.instants", (number(walk.first), number(walk.clock * walk.step), walk.steps))
    return Items(tuple(number(walk.first + walk.clock * k * walk.step) for k in range(walk.steps)))


def _pair(walk: Walk, fields: tuple[Learned, ...]) -> Node:
    """Both branches at a point, (f(x, t), g(x, t))."""
    names = {w.head: name_of(w) for w in fields}
    both = Items(tuple(field_at(names[head]) for head in walk.branches))
    return formula(("x", "t"), both, walk.field, names)


def _inside(noise: Inside) -> Node:
    """The random operation on the velocity of a step."""
    match noise:
        case Shared(std=std):
            return Call(f"{RUNTIME}.random_maps.Mix", (_width(std),), (("seed", 0),))
        case Dropped(keep=keep, of=of):
            return Call(f"{RUNTIME}.random_maps.Dropout", (number(keep),), (("seed", 0), *_of(of)))
        case _:
            assert_never(noise)
