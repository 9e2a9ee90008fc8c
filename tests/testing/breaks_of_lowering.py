"""Mistakes in lowering and planning: the equation is changed before there is a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sympy import S

from pdedsl.ir.representation import SdeSegment
from pdedsl.ir.terms import Reaction, SymmetricLayer
from pdedsl.testing.blocks import BLOCK
from pdedsl.testing.equation import LAW, OPERATOR
from pdedsl.testing.feynman_kac_weights import WEIGHTS
from pdedsl.testing.generator import GENERATOR
from pdedsl.testing.noises import NOISE
from pdedsl.testing.steps import STEPS
from testing.breaks import Break

STRETCH = ("stretches._stretch",)


def stretched(change: Callable[[SdeSegment], SdeSegment]) -> Callable[[Any], Any]:
    return lambda real: lambda *args: change(real(*args))


reversed_drift = stretched(lambda s: replace(s, drift=tuple(-b for b in s.drift)))
without_drift = stretched(lambda s: replace(s, drift=tuple(S.Zero for _ in s.drift)))
doubled = stretched(lambda s: replace(s, diffusivity=tuple(tuple(2 * e for e in row) for row in s.diffusivity)))
without_rate = stretched(lambda s: replace(s, rate=S.Zero))
turned_round = stretched(lambda s: replace(s, start=s.end, end=s.start))


def diagonal(s: SdeSegment) -> SdeSegment:
    rows = [[e if i == j else S.Zero for j, e in enumerate(row)] for i, row in enumerate(s.diffusivity)]
    return replace(s, diffusivity=tuple(map(tuple, rows)))


def other_order(real: Any) -> Any:
    def paths_of(*args: Any) -> Any:
        found = real(*args)
        return replace(found, segments=found.segments[::-1])

    return paths_of


def pushes(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def lowered(real: Any) -> Any:
        def push_of(*args: Any) -> Any:
            push = real(*args)
            return replace(push, terms=tuple(new for term in push.terms for new in change(term)))

        return push_of

    return lowered


def without_reaction(term: Any) -> list[Any]:
    return [] if isinstance(term, Reaction) else [term]


def other_sign(term: Any) -> list[Any]:
    return [replace(term, factor=-term.factor)] if isinstance(term, SymmetricLayer) else [term]


def without_layer(term: Any) -> list[Any]:
    return [] if isinstance(term, SymmetricLayer) else [term]


def exchanged(real: Any) -> Any:
    return lambda analysis: real(analysis)[::-1]


LOWERING: tuple[Break, ...] = tuple(
    replace(mistake, room="lower")
    for mistake in (
        Break("drift lowered with the other sign", STRETCH, reversed_drift, ("known", "terminal known"), GENERATOR),
        Break("velocity lowered with the other sign", STRETCH, reversed_drift, ("isotropic",), STEPS),
        Break("a factor 2 in A", STRETCH, doubled, ("known", "conducting"), GENERATOR),
        Break("a factor 2 in A of the network", STRETCH, doubled, ("isotropic", "full"), STEPS),
        Break("a factor 2 in A of a picture", STRETCH, doubled, ("smooth",), NOISE),
        Break("entries beside the diagonal dropped", STRETCH, stretched(diagonal), ("full",), STEPS),
        Break("zero-order part of ∇·(v u) dropped", STRETCH, without_rate, ("divergence", "learned"), WEIGHTS),
        Break("∇a of ∇·(a∇u) dropped", STRETCH, without_drift, ("conducting",), GENERATOR),
        Break("pieces lowered in the order of time", ("feynman_kac.paths_of",), other_order, ("split",), LAW),
        Break("time lowered backwards", STRETCH, turned_round, ("isotropic",), STEPS),
        Break("reaction lost on pixels", ("one_step.push_of",), pushes(without_reaction), ("layers",), BLOCK),
        Break("sign lost on pixels", ("one_step.push_of",), pushes(other_sign), ("layers",), BLOCK),
        Break("a layer lost on pixels", ("one_step.push_of",), pushes(without_layer), ("two terms",), BLOCK),
        Break("halves exchanged", ("hamiltonian.pushes_in_order",), exchanged, ("pair",), BLOCK),
    )
)


def twice_the_step(real: Any) -> Any:
    return lambda stretch, dt, method: real(stretch, 2 * dt, method)


def later(real: Any) -> Any:
    def walk(*args: Any) -> Any:
        found = real(*args)
        last = found.start + found.time_sign * (found.steps - 1) * found.step
        return replace(found, start=last, time_sign=-found.time_sign)

    return walk


PLANNING: tuple[Break, ...] = tuple(
    replace(mistake, room="plan")
    for mistake in (
        Break(
            "noise of twice the step",
            ("parts.noise_of",),
            twice_the_step,
            ("isotropic",),
            STEPS,
        ),
        Break("times planned in the other order", ("parts._walk",), later, ("isotropic",), STEPS),
        Break(
            "drift planned with the other sign",
            ("operator._piece",),
            lambda real: lambda s: replace(real(s), drift=tuple(-b for b in s.drift)),
            ("known",),
            GENERATOR,
        ),
        Break(
            "pieces planned in the other order",
            ("operator._piece",),
            lambda real: lambda s: replace(real(s), start=1 - real(s).end, end=1 - real(s).start),
            ("pieces",),
            OPERATOR,
        ),
    )
)
