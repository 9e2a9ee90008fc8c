"""Stretches of the path → parts of a network: how many steps, and which noise behind each."""

from __future__ import annotations

from dataclasses import replace

from sympy import S, Symbol

from pdedsl.diagnostics import PdeError, Span, fail
from pdedsl.ir.plan import Base, Maps, Part, Shake, Timed, Walk
from pdedsl.ir.representation import Paths, Stretch
from pdedsl.ir.spec import Learned, Spec
from pdedsl.ir.types import Vector
from pdedsl.numerics.integrators import EULER
from pdedsl.plan.methods import depths, residual_maps, scheme_of, steps_of
from pdedsl.plan.noise import noise_of
from pdedsl.symbolic.symbols import Field
from pdedsl.words.diffusions import Diffusion, Residual, Retraining, Sampling
from pdedsl.words.integrators import Fixed, is_euler
from pdedsl.words.networks import Mlp, Network, Torchvision
from pdedsl.words.word import Chosen

Method = Chosen[Diffusion] | None

Parts = tuple[Part, ...]


def families_of(paths: Paths, spec: Spec, method: Method) -> tuple[Parts, ...]:
    """The parts of a member; where a network has a list of depths, of a member of each depth."""
    trained = method is not None and isinstance(method.word, Residual | Retraining)
    if trained and any(s.moves for s in paths.stretches):
        return ((_timed(paths, spec),),)
    used = [s for s in paths.stretches if not trained or s.moves]
    count = max((1, *(len(_alternatives(s, spec)) for s in used)))
    base = _base(paths, spec)
    return tuple(_parts(used, paths, spec, method, k) + ((base,) if base else ()) for k in range(count))


def _parts(stretches: list[Stretch], paths: Paths, spec: Spec, method: Method, family: int) -> Parts:
    parts: list[Part] = []
    for stretch in stretches:
        parts += _stretch_parts(stretch, paths, spec, method, family)
    return tuple(_with_readouts(parts))


def _alternatives(stretch: Stretch, spec: Spec) -> tuple[Network, ...]:
    """The networks of a velocity, one for each of its depths."""
    learned = _velocity(stretch, spec)
    return depths(learned.net.word) if learned and learned.net else ()


def _with_readouts(parts: list[Part]) -> list[Part]:
    """Named networks have their readout inside: noise behind the maps goes in front of it, and maps come last."""
    for k, part in enumerate(parts):
        if isinstance(part, Maps) and k + 1 < len(parts):
            last = parts[k + 1]
            if k + 2 < len(parts) or not isinstance(last, Shake):
                raise fail("E604", "one named network cannot stand on two pieces of time", part.span, "use mlp")
            return [*parts[:k], replace(part, before_readout=last.noise)]
    return parts


def _timed(paths: Paths, spec: Spec) -> Timed:
    """A network with a time input: its residual is penalised in training, and it is read when diffusion has ended."""
    moving = next(s for s in paths.stretches if s.moves)
    learned = _velocity(moving, spec)
    if learned is None or learned.net is None:
        raise fail("E604", "only a learned velocity can be trained with a residual", moving.convection or Span(0, 1))
    _promises_nothing(learned, "a network that is trained with a residual")
    return Timed(_single(learned.net), S.One, learned.span)


def _base(paths: Paths, spec: Spec) -> Base | None:
    """The data as a learned network, `f(x, 0) = base(x)`."""
    if not isinstance(paths.data, Field):
        return None
    learned = next((w for w in spec.learned if w.head == paths.data.head), None)
    return Base(_single(learned.net), learned.span) if learned and learned.net else None


def _single(net: Chosen[Network]) -> Network:
    if len(depths(net.word)) > 1:
        raise fail("E604", "a list of depths is for the maps of a velocity, averaged", net.span, "give one depth")
    return net.word


def _stretch_parts(stretch: Stretch, paths: Paths, spec: Spec, method: Method, family: int) -> list[Part]:
    constant = all(e.is_number for row in stretch.diffusivity for e in row)
    if not stretch.moves and constant:
        return (
            [Shake(noise_of(stretch, stretch.length, method.word if method else None))]
            if stretch.shape != "none"
            else []
        )
    if method is not None and isinstance(method.word, Sampling) and stretch.shape != "none":
        raise _no_sampling(method)
    named = [w for w in learned_fields(stretch, spec) if w.net is not None and not isinstance(w.net.word, Mlp)]
    if not named:
        return [_walk(stretch, paths, spec, method)]
    learned = _velocity(stretch, spec)
    if learned is None:
        raise _no_factors(named[0], stretch)
    return [_maps(stretch, learned, method, spec, family)]


def _no_factors(named: Learned, stretch: Stretch) -> PdeError:
    assert named.net is not None
    return fail(
        "E604",
        f"the {named.net.word.name} of '{named.name}' is a velocity by itself, without factors and sums",
        stretch.convection or named.span,
        f"write {named.name}·∇u: a factor or a sign is learned with it",
    )


def _no_sampling(method: Chosen[Diffusion]) -> PdeError:
    return fail(
        "E604",
        "noise on the input only is diffusion behind the transport, not along with it",
        method.span,
        "give the diffusion a piece of time of its own, or use noise",
    )


def _walk(stretch: Stretch, paths: Paths, spec: Spec, method: Method) -> Walk:
    """Steps of a scheme along a field on R^d."""
    scheme = scheme_of(spec)
    steps = steps_of(scheme.word)
    dt = stretch.length / steps
    clock = -1 if paths.direction == "initial" else 1
    times = tuple(stretch.first + clock * k * dt for k in range(steps))
    if stretch.shape != "none" and not is_euler(scheme.word):
        hint = "use euler, or give the diffusion a piece of time of its own"
        raise fail("E605", f"{scheme.word.name} with noise is not defined", stretch.diffusion or Span(0, 1), hint)
    noise = noise_of(stretch, dt, method.word if method else None) if stretch.shape != "none" else None
    span = stretch.convection or stretch.diffusion or Span(0, 1)
    branches = stretch.random.branches if stretch.random and noise and noise.kind == "shake" else ()
    return Walk(stretch.drift, times, dt, scheme.word, clock, noise, span, branches)


def _maps(stretch: Stretch, learned: Learned, method: Method, spec: Spec, family: int) -> Maps:
    """The residual maps of a named network, which are its steps of Euler."""
    assert learned.net is not None
    if spec.space.image is None:
        raise fail("E604", f"{learned.net.word.name} acts on images", learned.span, "use mlp on R^d")
    _promises_nothing(learned, learned.net.word.name)
    net = depths(learned.net.word)[family]
    maps = residual_maps(net)
    _check_steps(net, maps, spec)
    dt = stretch.length / maps
    noise = noise_of(stretch, dt, method.word if method else None) if stretch.shape != "none" else None
    if noise is not None and noise.kind in ("scaled", "correlated"):
        raise fail(
            "E604",
            f"the maps of {net.name} change the shape of the state: noise behind them has a constant size",
            noise.span,
            "write νΔu with a constant ν, or use mlp",
        )
    if noise is not None and noise.kind in ("dropout", "shake") and isinstance(net, Torchvision):
        raise fail("E604", "the maps of a torchvision network cannot be dropped or shared", noise.span, "use resnet")
    branch = _branch(stretch, spec, family) if noise is not None and noise.kind == "shake" else None
    return Maps(net, dt, noise, stretch.convection or learned.span, branch=branch)


def _promises_nothing(learned: Learned, who: str) -> None:
    """Only steps along a field on R^d keep what its type says."""
    if isinstance(learned.type, Vector) and learned.type.divergence_free:
        hint = "use mlp on R^d, or leave divergence_free out"
        raise fail("E604", f"{who} cannot be divergence-free", learned.span, hint)


def _check_steps(net: Network, maps: int, spec: Spec) -> None:
    time = spec.realize.time or spec.realize.convection
    if time is not None and time.word not in (Fixed(method=EULER), Fixed(method=EULER, steps=maps)):
        raise fail(
            "E605",
            f"the {maps} residual maps of {net.name} are its steps of Euler",
            time.span,
            f"use euler(steps={maps}), or leave it out",
        )


def _branch(stretch: Stretch, spec: Spec, family: int) -> Network:
    """The second of two networks, which must have the layers of the first."""
    first, second = learned_fields(stretch, spec)
    assert first.net is not None
    _promises_nothing(second, first.net.word.name)
    if second.net != first.net or second.net is None:
        raise fail("E604", f"'{first.name}' and '{second.name}' share steps: they must be alike", second.span)
    return depths(second.net.word)[family]


def learned_fields(stretch: Stretch, spec: Spec) -> list[Learned]:
    """The learned fields in a formula for the drift."""
    heads = {f.head for b in stretch.drift for f in b.atoms(Field)}
    return [w for w in spec.learned if w.head in heads]


def _velocity(stretch: Stretch, spec: Spec) -> Learned | None:
    """The learned field that is the drift, component by component; the first of two that share it."""
    if stretch.shape == "shake":
        return learned_fields(stretch, spec)[0]
    heads: set[Symbol] = {b.head for b in stretch.drift if isinstance(b, Field)}
    if len(heads) != 1 or not all(isinstance(b, Field) for b in stretch.drift):
        return None
    return next((w for w in spec.learned if w.head in heads), None)
