"""Guesses at what a reader meant: near misses only."""

from __future__ import annotations

import pytest

from pdedsl.diagnostics import closest_match

WORDS = "sin sign tan tanh pi K kappa simplex scalar resnet convnet mlp lr linearity".split()


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("tahn", "tanh"),  # exchanged letters, before a missing one
        ("kapa", "kappa"),
        ("mpl", "mlp"),
        ("lrr", "lr"),
        ("k", "K"),
        ("Simplex", "simplex"),
        ("linaerty", "linearity"),  # two slips in nine letters
        ("resnets", "resnet"),
        ("sinn", "sin"),  # a letter twice, before another letter
    ],
)
def test_near_misses(word: str, meant: str) -> None:
    assert closest_match(word, WORDS) == meant


@pytest.mark.parametrize("word", ["complex", "i", "inf", "unet", "net", "x", "", "linear", "k" * 10_000])
def test_what_is_far_is_no_guess(word: str) -> None:
    assert closest_match(word, WORDS) is None


def test_there_may_be_no_words() -> None:
    assert closest_match("word", []) is None
