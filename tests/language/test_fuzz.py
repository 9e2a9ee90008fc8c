"""Fuzzing: every text gives a Spec or diagnostics with spans inside the text, never a crash."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fuzzing.mutants import mutants
from fuzzing.sentences import FRAMES, drawn_by_lark, drawn_sentences, fitting
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import pdedsl
from pdedsl.diagnostics import PdeError, Source, report

SPECS = {path.stem: path.read_text("utf-8") for path in sorted((Path(__file__).parents[2] / "specs").glob("*.pde"))}
FRAME = FRAMES[0]
SECONDS = 10
pytestmark = pytest.mark.slow
FAST = settings(derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))


class Endless(BaseException):
    """Raised by the clock, past any handler of exceptions."""


@contextmanager
def limited(text: str) -> Iterator[None]:
    """A kill switch: far more of the processor's time than any answer takes."""

    def ring(*_: object) -> None:
        raise Endless

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    except Endless:
        pytest.fail(f"no answer for {text!r}")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def check(text: str) -> None:
    """The property: a Spec that can be hashed, a text, or diagnostics inside the text."""
    for verb in (lambda: pdedsl.parse(text).hash, lambda: pdedsl.format(text), lambda: pdedsl.format(text, ascii=True)):
        try:
            with limited(text):
                verb()
        except PdeError as error:
            inside(error)


def inside(error: PdeError) -> None:
    source = error.source
    assert isinstance(source, Source)
    assert error.diagnostics
    assert report(source, error.diagnostics)
    for d in error.diagnostics:
        assert all(0 <= s.start <= s.end <= len(source.text) for s in (d.span, *(s for s, _ in d.notes))), d
        assert d.message


# ---- Sentences of the grammar


@settings(FAST, max_examples=10)
@given(drawn_by_lark("spec"))
def test_specs_drawn_by_lark(text: str) -> None:
    check(text)


@settings(FAST, max_examples=8)
@given(drawn_by_lark("sum"))
def test_expressions_drawn_by_lark(text: str) -> None:
    check(f"{FRAME}∂u/∂t = {text}\n")


@settings(FAST, max_examples=20)
@given(drawn_sentences("spec"))
def test_specs_of_the_grammar(text: str) -> None:
    check(text)


@settings(FAST, max_examples=25)
@given(drawn_sentences("statement"))
def test_statements_of_the_grammar(text: str) -> None:
    check(FRAME + text + "\n")


@settings(FAST, max_examples=12)
@given(drawn_sentences("equation"))
def test_equations_of_the_grammar(text: str) -> None:
    check(FRAME + text + "\n")


@settings(FAST, max_examples=25)
@given(drawn_sentences("sum"))
def test_expressions_of_the_grammar(text: str) -> None:
    check(f"{FRAME}∂u/∂t = {text}\n")


@settings(FAST, max_examples=15)
@given(drawn_sentences("block"))
def test_blocks_of_the_grammar(text: str) -> None:
    check(FRAME + "∂u/∂t = Δu\n" + text + "\n")


@settings(FAST, max_examples=40)
@given(fitting, st.sampled_from(["∂u/∂t", "∂²u/∂t²", "∂u/∂t + Δu", "0", "u(x, y, 0)"]))
def test_equations_with_matching_ranks(right: str, left: str) -> None:
    check(f"{FRAME}{left} = {right}\n")


# ---- Mutations of shipped specs


@settings(FAST, max_examples=50)
@given(st.randoms(use_true_random=False).map(mutants))
def test_mutants(text: str) -> None:
    check(text)


@settings(FAST, max_examples=50)
@given(st.sampled_from(sorted(SPECS)), st.integers(0, 2000), st.binary(min_size=1, max_size=8))
def test_random_bytes_in_a_spec(name: str, at: int, noise: bytes) -> None:
    data = SPECS[name].encode()
    check_bytes(data[:at] + noise + data[at:])


@settings(FAST, max_examples=25)
@given(st.binary(max_size=200))
def test_random_bytes(data: bytes) -> None:
    check_bytes(data)


def check_bytes(data: bytes) -> None:
    from pdedsl.compiler import to_spec
    from pdedsl.sources import decode_source

    try:
        to_spec(decode_source(data, "bytes"))
    except PdeError as error:
        inside(error)


@settings(FAST, max_examples=40)
@given(st.text(max_size=300))
@example("\ud800")
@example("")
@example("\ufeff")
def test_random_text(text: str) -> None:
    check(text)


@settings(FAST, max_examples=40)
@given(st.text(st.sampled_from('uvxyt∂∇ΔΣᵢ²³½/·:()[]{}‖|+-*=^,# \n0123456789.e"dKᵀ'), max_size=80))
def test_random_operators(text: str) -> None:
    check(f"{FRAME}∂u/∂t = {text}\n")


@pytest.mark.parametrize("name", SPECS)
def test_every_prefix(name: str) -> None:
    """A spec that is still being typed."""
    text = SPECS[name]
    for end in range(0, len(text), 149):
        check(text[:end])
