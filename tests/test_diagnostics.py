"""The closest word in edit distance, for `did you mean` hints."""

from __future__ import annotations

import pytest

from pdedsl.diagnostics import closest_match

WORDS = "sin sign tan tanh pi K kappa simplex scalar resnet convnet mlp lr linearity".split()


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("tahn", "tanh"),  # a transposition wins over a deletion
        ("kapa", "kappa"),
        ("mpl", "mlp"),
        ("lrr", "lr"),
        ("k", "K"),
        ("Simplex", "simplex"),
        ("linaerty", "linearity"),  # distance 2 in nine letters
        ("resnets", "resnet"),
        ("sinn", "sin"),  # a repeated letter wins over a substitution
    ],
)
def test_close_words(word: str, meant: str) -> None:
    assert closest_match(word, WORDS) == meant


@pytest.mark.parametrize("word", ["complex", "i", "inf", "unet", "net", "x", "", "linear", "k" * 10_000])
def test_distant_words_have_no_match(word: str) -> None:
    assert closest_match(word, WORDS) is None


def test_empty_list_of_words() -> None:
    assert closest_match("word", []) is None
