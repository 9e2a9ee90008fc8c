"""Mutations of lowering and planning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sympy import S

from pdedsl.ir.representation import SdeSegment
from pdedsl.ir.terms import Reaction, SymmetricLayer
from pdedsl.testing.block_reference import BLOCK
from pdedsl.testing.equation import LAW, OPERATOR
from pdedsl.testing.feynman_kac_weights import WEIGHTS
from pdedsl.testing.generator import GENERATOR
from pdedsl.testing.noise_moments import NOISE
from pdedsl.testing.step_moments import STEPS
from testing.mutations import Mutation

SEGMENT = ("feynman_kac._segment",)


def changed_segment(change: Callable[[SdeSegment], SdeSegment]) -> Callable[[Any], Any]:
    return lambda real: lambda *args: change(real(*args))


reversed_drift = changed_segment(lambda s: replace(s, drift=tuple(-b for b in s.drift)))
without_drift = changed_segment(lambda s: replace(s, drift=tuple(S.Zero for _ in s.drift)))
doubled = changed_segment(lambda s: replace(s, diffusivity=tuple(tuple(2 * e for e in row) for row in s.diffusivity)))
without_rate = changed_segment(lambda s: replace(s, rate=S.Zero))
turned_round = changed_segment(lambda s: replace(s, start=s.end, end=s.start))


def diagonal(s: SdeSegment) -> SdeSegment:
    rows = [[e if i == j else S.Zero for j, e in enumerate(row)] for i, row in enumerate(s.diffusivity)]
    return replace(s, diffusivity=tuple(map(tuple, rows)))


def other_order(real: Any) -> Any:
    def path_expectation(*args: Any) -> Any:
        found = real(*args)
        return replace(found, segments=found.segments[::-1])

    return path_expectation


def changed_terms(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def lowered(real: Any) -> Any:
        def vector_field(*args: Any) -> Any:
            field = real(*args)
            return replace(field, terms=tuple(new for term in field.terms for new in change(term)))

        return vector_field

    return lowered


def without_reaction(term: Any) -> list[Any]:
    return [] if isinstance(term, Reaction) else [term]


def other_sign(term: Any) -> list[Any]:
    return [replace(term, factor=-term.factor)] if isinstance(term, SymmetricLayer) else [term]


def without_layer(term: Any) -> list[Any]:
    return [] if isinstance(term, SymmetricLayer) else [term]


def exchanged(real: Any) -> Any:
    return lambda analysis: real(analysis)[::-1]


LOWERING: tuple[Mutation, ...] = tuple(
    replace(mutation, package="lowering")
    for mutation in (
        Mutation("drift lowered with the other sign", SEGMENT, reversed_drift, ("known", "terminal known"), GENERATOR),
        Mutation("velocity lowered with the other sign", SEGMENT, reversed_drift, ("isotropic",), STEPS),
        Mutation("a factor 2 in A", SEGMENT, doubled, ("known", "conducting"), GENERATOR),
        Mutation("a factor 2 in A of the network", SEGMENT, doubled, ("isotropic", "full"), STEPS),
        Mutation("a factor 2 in A of a picture", SEGMENT, doubled, ("smooth",), NOISE),
        Mutation("entries beside the diagonal dropped", SEGMENT, changed_segment(diagonal), ("full",), STEPS),
        Mutation("zero-order part of ∇·(v u) dropped", SEGMENT, without_rate, ("divergence", "learned"), WEIGHTS),
        Mutation("∇a of ∇·(a∇u) dropped", SEGMENT, without_drift, ("conducting",), GENERATOR),
        Mutation(
            "pieces lowered in the order of time", ("feynman_kac.path_expectation",), other_order, ("split",), LAW
        ),
        Mutation("time lowered backwards", SEGMENT, turned_round, ("isotropic",), STEPS),
        Mutation(
            "reaction lost on pixels",
            ("feature_maps.vector_field",),
            changed_terms(without_reaction),
            ("layers",),
            BLOCK,
        ),
        Mutation("sign lost on pixels", ("feature_maps.vector_field",), changed_terms(other_sign), ("layers",), BLOCK),
        Mutation(
            "a layer lost on pixels",
            ("feature_maps.vector_field",),
            changed_terms(without_layer),
            ("two terms",),
            BLOCK,
        ),
        Mutation("halves exchanged", ("feature_maps.partitioned_vector_fields",), exchanged, ("pair",), BLOCK),
    )
)


def twice_the_step(real: Any) -> Any:
    return lambda segment, dt, method: real(segment, 2 * dt, method)


def later(real: Any) -> Any:
    def walk(*args: Any) -> Any:
        found = real(*args)
        last = found.start + found.time_sign * (found.steps - 1) * found.step
        return replace(found, start=last, time_sign=-found.time_sign)

    return walk


PLANNING: tuple[Mutation, ...] = tuple(
    replace(mutation, package="planning")
    for mutation in (
        Mutation(
            "noise of twice the step",
            ("data_space.noise_of",),
            twice_the_step,
            ("isotropic",),
            STEPS,
        ),
        Mutation("times planned in the other order", ("data_space._sde_steps",), later, ("isotropic",), STEPS),
        Mutation(
            "drift planned with the other sign",
            ("operator._operator_segment",),
            lambda real: lambda s: replace(real(s), drift=tuple(-b for b in s.drift)),
            ("known",),
            GENERATOR,
        ),
        Mutation(
            "pieces planned in the other order",
            ("operator._operator_segment",),
            lambda real: lambda s: replace(real(s), start=1 - real(s).end, end=1 - real(s).start),
            ("pieces",),
            OPERATOR,
        ),
    )
)
