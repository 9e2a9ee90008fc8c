"""Invalid settings: location and suggested fix."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language.settings import TEXT, changed, meaning, refused, value
from pdedsl.compiler import check, to_spec, to_syntax
from pdedsl.config.training import Sgd
from pdedsl.diagnostics import PdeError, Source, Span
from pdedsl.language.settings import apply_settings
from pdedsl.sources import read_source, shipped_specs

# ---- Invalid paths: the span is in the setting


@pytest.mark.parametrize(
    ("setting", "code", "message", "under", "hint"),
    [
        ("train.epoch=3", "E731", "'train' has no entry 'epoch'", "epoch", "did you mean 'epochs'?"),
        ("train.xyz=3", "E731", "'train' has no entry 'xyz'", "xyz", "available: data, epochs, steps"),
        ("trian.epochs=3", "E731", "a spec has no block 'trian'", "trian", "did you mean 'train'?"),
        ("tau=3", "E731", "this spec has no constant 'tau'", "tau", "available: T, sigma"),
        ("τ=3", "E731", "this spec has no constant 'τ'", "τ", "available: T, σ"),
        ("sigm=3", "E731", "this spec has no constant 'sigm'", "sigm", "did you mean 'sigma'?"),
        ("2=3", "E731", "this spec has no constant '2'", "2", "available"),
        ("c d=3", "E731", "this spec has no constant 'c d'", "c d", "available"),
        ("v=3", "E731", "this spec has no constant 'v'", "v", "did you mean 'learn.v'?"),
        ("v.width=8", "E731", "a spec has no block 'v'", "v", "did you mean 'learn.v.width'?"),
        (
            "optimizer.lr=1",
            "E731",
            "a spec has no block 'optimizer'",
            "optimizer",
            "did you mean 'train.optimizer.lr'?",
        ),
        ("time.steps=2", "E731", "a spec has no block 'time'", "time", "did you mean 'realize.time.steps'?"),
        (
            "realize.difusion=noise",
            "E731",
            "an equation has no part 'difusion'",
            "difusion",
            "did you mean 'diffusion'?",
        ),
        ("realize.time.step=3", "E731", "rk4 has no argument 'step'", "step", "did you mean 'steps'?"),
        ("train.optimizer.adm.lr=3", "E731", "train.optimizer has no call 'adm'", "adm", "did you mean 'adam'?"),
        ("train.optimizer.lrr=3", "E731", "adam and lbfgs have no argument 'lrr'", "lrr", "did you mean 'lr'?"),
        ("train.optimizer.adam.lr.x=3", "E731", "too many components", "x", "as in"),
        ("train.epochs.x=3", "E733", "train.epochs has no call", "train.epochs.x", "it takes no arguments"),
        (
            "train.schedule.factor=3",
            "E733",
            "train.schedule has no call",
            "train.schedule.factor",
            "train.schedule=step(…)",
        ),
        (
            "train.optimizer.lr=3",
            "E732",
            "'lr' is ambiguous: 2 calls in train.optimizer",
            "train.optimizer.lr",
            "train.optimizer.adam.lr, train.optimizer.lbfgs.lr",
        ),
        (
            "evaluate.attack.steps=3",
            "E732",
            "'steps' is ambiguous: 2 calls in evaluate.attack",
            "evaluate.attack.steps",
            "remove them first, with evaluate.attack=",
        ),
        (
            "evaluate.attack.pgd.eps=3",
            "E732",
            "'eps' is ambiguous: 2 calls in evaluate.attack",
            "evaluate.attack.pgd.eps",
            "remove them first",
        ),
        (
            "evaluate.attack=fgsm(eps=1)",
            "E732",
            "'evaluate' has 2 entries 'attack'",
            "evaluate.attack",
            "evaluate.attack=",
        ),
        ("train=3", "E730", "'train' is a block", "train", "train.data=…"),
        ("realize=3", "E730", "'realize' is a block", "realize", "realize.time=…"),
        ("train.epochs", "E730", "missing value", "train.epochs", "train.epochs=…"),
        ("realize.time", "E730", "missing value", "realize.time", ""),
        ("train.data.noise", "E730", "missing value", "train.data.noise", "train.data.noise=…"),
        ("T", "E730", "missing value of a constant", "T", ""),
        ("σ²=", "E730", "missing value of a constant", "σ²", ""),
        ("train..lr=3", "E730", "empty component in the path", "", ""),
        ("=3", "E730", "empty component in the path", "", ""),
        ("", "E730", "empty component in the path", "", ""),
        ("train.optimizer=sgd(lr=0.1", "E730", "unclosed '('", "(", ""),
        ('train.data=npz("a)', "E730", "unterminated string literal", '"a)', ""),
        ("T=[1", "E730", "unclosed '['", "[", ""),
        ("train.augment.std=0.1)", "E730", "unmatched ')' in this value", ")", ""),
        ("train.augment.std=[0.1)", "E730", "unmatched ')' in this value", ")", ""),
        ("train.epochs=3 }", "E730", "unmatched '}' in this value", "}", ""),
        ("train.epochs=3 # c", "E730", "must be a single line", "#", ""),
        ("train.epochs=3\n seed 4", "E730", "must be a single line", "\n", ""),
    ],
)
def test_invalid_path(setting: str, code: str, message: str, under: str, hint: str) -> None:
    with pytest.raises(PdeError) as caught:
        changed("T=3", setting)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert message in found.message
    assert hint in found.hint
    source = caught.value.source
    assert source == Source(setting, "--set")
    assert source.text[found.span.start : found.span.end] == under


def test_report_of_an_invalid_path() -> None:
    _, told = refused("train.optimzer.lr=3")
    assert told == (
        "error[E731]: 'train' has no entry 'optimzer'\n"
        "  --> --set:1:7\n"
        "1 | train.optimzer.lr=3\n"
        "  |       ^^^^^^^^\n"
        "  help: did you mean 'optimizer'?"
    )


# ---- Invalid values: the span is in the changed text


@pytest.mark.parametrize(
    ("setting", "code", "marked"),
    [
        ("train.epochs=many", "E507", "many"),
        ("train.epochs=0", "E507", "0"),
        ("train.epochs=3 = 4", "E102", "="),
        ("train.epochs=§", "E101", "§"),
        ("train.optimizer=sdg(lr=0.1)", "E502", "sdg"),
        ("train.optimizer.adam.lr=-1", "E507", "-1"),
        ("realize.time=rk5(steps=3)", "E502", "rk5"),
    ],
)
def test_invalid_value_is_reported_in_the_changed_text(setting: str, code: str, marked: str) -> None:
    with pytest.raises(PdeError) as caught:
        to_spec(apply_settings(Source(TEXT, "moons.pde"), [setting]))
    source = caught.value.source
    assert source is not None
    assert source.name == "moons.pde"
    assert (code, marked) in {(d.code, source.text[d.span.start : d.span.end]) for d in caught.value.diagnostics}
    assert source.text == changed(setting)


def test_length_is_removed_and_set() -> None:
    assert value(meaning("train.epochs=", "train.steps=3"), "train.steps") == 3


def test_errors_of_the_spec_are_reported_in_the_spec() -> None:
    source, told = refused("train.epochs=3", text=TEXT.replace("σ²Δu ", "σ²Δu = "))
    assert source.name == "moons.pde"
    assert "E111" in told


def test_invalid_value_is_reported_before_the_next_setting() -> None:
    source, told = refused("train.epochs=3 = 4", "T=3")
    assert "epochs    3 = 4" in source.text
    assert "1 | train.epochs=3 = 4" in told


# ---- Random settings give a text or a diagnostic

PATHS = st.sampled_from(
    (
        "T σ² sigma^2 train train.data train.data.noise train.optimizer train.optimizer.adam.lr train.augment.std "
        "train.epochs evaluate.natural evaluate.attack evaluate.attack.fgsm.eps realize.time realize.time.steps "
        "realize.diffusion.samples network.open network.input.height"
    ).split()
)


VALUES = st.one_of(
    st.sampled_from(["", "3", "8/255", "[1, 2]", "moons", "sgd(lr=0.1)", "image(1, 2, 3)", "rk4(steps=2)", '"a#b"']),
    st.text('a0.=,+*#()[]{}"½σ²∂‖|\n ', max_size=8),
)


@given(st.lists(st.one_of(st.builds("{}={}".format, PATHS, VALUES), st.text("Tσ².=a #(", max_size=8)), max_size=4))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_no_setting_crashes(chosen: list[str]) -> None:
    told = None
    try:
        to_syntax(apply_settings(Source(TEXT, "moons.pde"), chosen))
    except PdeError as error:
        told = error
    if told is not None:
        assert told.source is not None
        assert all(0 <= d.span.start <= d.span.end <= len(told.source.text) for d in told.diagnostics)


# ---- Fields, domains and alternative entries


@pytest.mark.parametrize(
    ("setting", "new"),
    [
        ("learn.v=mlp(width=4)", "learn   v(x, t) : vector   = mlp(width=4)"),
        ("learn.v.depth=3", "learn   v(x, t) : vector   = mlp(width=8, depth=3)"),
        ("space=R^3", "space   x in R^3"),
        ("time=[0, 4]", "time    t in [0, 4]"),
        ("train.steps=50", "steps 50"),
    ],
)
def test_fields_and_domains(setting: str, new: str) -> None:
    text = changed(setting)
    assert new in [row.strip() for row in text.splitlines()]
    assert len(text.splitlines()) == len(TEXT.splitlines())


def test_steps_replace_epochs_and_vice_versa() -> None:
    assert value(meaning("train.steps=50"), "train.steps") == 50
    assert value(meaning("train.steps=50", "train.epochs=2"), "train.epochs") == 2
    assert value(meaning("train.steps=50", "train.epochs=2"), "train.steps") is None


def test_argument_of_the_default_optimizer() -> None:
    plain = TEXT.replace(TEXT[TEXT.index("  optimizer") : TEXT.index("  augment")], "")
    (optimizer,) = meaning("train.optimizer.lr=0.5", text=plain).train.optimizer  # type: ignore[union-attr]
    assert optimizer.config == Sgd(lr=Fraction(1, 2), momentum=Fraction(9, 10))


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        (("train.epochs=abc",), "--> --set:1:14\n1 | train.epochs=abc"),
        (("learn.v.width=-3",), "--> --set:1:15\n1 | learn.v.width=-3"),
        (("σ²=-1", "T=3"), "--> --set:1:4\n1 | σ²=-1"),
        (("T=3", "space=image(3)", "train.batch=64"), "--> --set:1:7\n1 | space=image(3)"),
        (("train.epochs=abc", "train.epochs=3", "train.batch=x"), "--> --set:1:13\n1 | train.batch=x"),
    ],
)
def test_invalid_value_is_reported_in_the_setting(settings: tuple[str, ...], place: str) -> None:
    assert place in refused(*settings)[1]


@pytest.mark.parametrize("setting", ["realize.time=rk4", "realize.reaction=euler(steps=1)", "evaluate.natural"])
@pytest.mark.parametrize("name", ["heat", "wave", "poisson"])
def test_error_in_an_added_line_is_reported_in_the_setting(name: str, setting: str) -> None:
    source = apply_settings(read_source(shipped_specs()[name]), (setting,))
    places = {source.original(d.span) for d in check(source).errors}
    assert places == {(Source(setting, "--set"), Span(0, len(setting)))}


@pytest.mark.parametrize("setting", ["learn=mlp", "learn.q=mlp", "unknown.u.width", "space=", "learn.v"])
def test_invalid_paths_of_fields_and_domains(setting: str) -> None:
    source, _ = refused(setting)
    assert source == Source(setting, "--set")
