"""Signatures, texts and forms of words, as they follow from fields and records."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pdedsl.config.base import Config, Count, Form, Located, Positive
from pdedsl.config.blocks import ENTRIES, Calls
from pdedsl.config.methods import (
    INTEGRATORS,
    PARTS,
    Fixed,
    LaplacianEstimator,
    Noise,
    NoiseScale,
    ResidualPenalty,
    in_steps,
)
from pdedsl.config.networks import NETWORKS, NORMALIZATIONS
from pdedsl.numerics.butcher import ADAPTIVE, EULER, EXPLICIT, IMEX, IMPLICIT, RungeKutta

CALLS = [entry.what for rules in ENTRIES.values() for entry in rules.values() if isinstance(entry.what, Calls)]
FORMS = [form for group in (NETWORKS, NORMALIZATIONS, *PARTS.values()) for form in group.values()]
FORMS += [form for call in CALLS for form in call.forms.values()]


class TwoWords(Config):
    """A word for a test."""

    first: Count
    second: Positive = Fraction(1, 4)
    third: tuple[Count, ...] = ()
    fourth: Count | None = None


def test_the_signature_follows_from_the_fields() -> None:
    (form,) = TwoWords.forms()
    assert form.signature_text() == "two_words(first, second=0.25, [third], [fourth])"
    assert str(form.create({"first": 3, "third": (1, 2)})) == "two_words(first=3, second=1/4, third=[1, 2])"
    assert [param.required for param in form.params.values()] == [True, False, False, False]


def test_every_record_of_an_integrator_is_a_word_and_no_other() -> None:
    """A new method is one record: its word, its steps and its polynomial follow."""
    fixed = {name for name, form in INTEGRATORS.items() if form.preset and form.preset[0][1] in EXPLICIT.values()}
    assert fixed == set(EXPLICIT)
    assert {name for name, form in INTEGRATORS.items() if form.preset} == {*EXPLICIT, *IMPLICIT, *IMEX, *ADAPTIVE}
    new = Fixed(method=RungeKutta("ralston", "Ralston", 2, ((2 / 3,),), (1 / 4, 3 / 4)), steps=None)
    assert str(in_steps(new, 5)) == "ralston(steps=5)"
    assert new.method.stability == pytest.approx((1.0, 1.0, 0.5))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_words_with_equal_arguments_are_equal(form: Form[Config]) -> None:
    required = {key: 0.5 for key, param in form.params.items() if param.required and not param.many}
    required |= {key: (0.5,) for key, param in form.params.items() if param.required and param.many}
    one, two = form.create(required), form.create(required)
    assert (one, hash(one), one.name) == (two, hash(two), form.name)


def test_equality_ignores_positions_and_defaults() -> None:
    assert Located(Fixed(method=EULER), frozenset({"steps"})) == Located(Fixed(method=EULER))
    assert hash(Located(Noise(), frozenset({"kind"}))) == hash(Located(Noise()))


def test_arguments_without_effect_are_left_out() -> None:
    assert "across" not in Noise().effective
    assert {"across", "kind"} <= Noise(scale=NoiseScale.RELATIVE).effective.keys()
    assert {"tau", "h", "probes"}.isdisjoint(ResidualPenalty(estimator=LaplacianEstimator.EXACT).effective)
