"""`--set`: what the text of a spec becomes, what it then means, and what is said about a wrong setting."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdedsl.compiler import examine, format_source, to_spec, to_syntax
from pdedsl.diagnostics import PdeError, Source, report
from pdedsl.frontend.editing.override import overridden
from pdedsl.ir.spec import Spec
from pdedsl.numerics.integrators import RK4
from pdedsl.sources import read
from pdedsl.words.data import Digits, Moons
from pdedsl.words.diffusions import Law, Noise
from pdedsl.words.integrators import Fixed
from pdedsl.words.optimizers import Sgd
from pdedsl.words.word import Chosen

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.pde"))

TEXT = """\
# The head.
pde Moons "two # moons"

space   x in R^2
time    t in [0, T]
const   T = 2      # the end
const   σ² = 0.2   # the noise
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp(width=8, depth=1)
learn   W       : operator = linear

∂u/∂t = v·∇u    for t in [0, T - 1]
∂u/∂t = σ²Δu    for t in [T - 1, T]
u(x, 0) = softmax(W x)

realize time by rk4(steps=4)          # steps
realize diffusion by noise(samples=2)

train {
  data      moons(500, 1000, noise=0.3)   # data
  epochs    3
  # between
  optimizer adam(lr=1e-2, # the rate
                 weight_decay=0), lbfgs(steps=5, lr=1)
  augment   gaussian(0.1)
}

evaluate {
  natural
  attack fgsm(eps=0.1)   # weak
  attack pgd(eps=0.1, steps=3), pgd(eps=[0.1, 0.2], steps=4)
}
"""


def changed(*settings: str, text: str = TEXT) -> str:
    return overridden(Source(text, "moons.pde"), settings).text


def meaning(*settings: str, text: str = TEXT) -> Spec:
    return to_spec(overridden(Source(text, "moons.pde"), settings))


def line(text: str, start: str) -> str:
    """The only line that starts so."""
    (found,) = [row.strip() for row in text.splitlines() if row.strip().startswith(start)]
    return found


def value(spec: Spec, path: str) -> object:
    kind, key = path.split(".")
    return getattr(getattr(spec, kind), key)


def refused(*settings: str, text: str = TEXT) -> tuple[Source, str]:
    with pytest.raises(PdeError) as caught:
        to_spec(overridden(Source(text, "moons.pde"), settings))
    assert caught.value.source is not None
    return caught.value.source, report(caught.value.source, caught.value.diagnostics)


def test_the_spec_itself_is_right() -> None:
    assert changed() == TEXT
    examine(Source(TEXT)).require()


# ---- each kind of path: the old line, the setting, the new line


@pytest.mark.parametrize(
    ("setting", "new"),
    [
        ("T=3", "const   T = 3      # the end"),
        (" T = 5/2 ", "const   T = 5/2      # the end"),
        ("σ²=0.4", "const   σ² = 0.4   # the noise"),
        ("sigma^2=0.4", "const   σ² = 0.4   # the noise"),
        ("sigma²=0.4", "const   σ² = 0.4   # the noise"),
        ("σ=0.4", "const   σ = 0.4   # the noise"),
        ("sigma^3=0.4", "const   sigma^3 = 0.4   # the noise"),
        ("train.epochs=5", "epochs    5"),
        ("train . epochs = 5", "epochs    5"),
        ("train.data=digits", "data      digits   # data"),
        ("train.data.train=50", "data      moons(50, 1000, noise=0.3)   # data"),
        ("train.data.test=50", "data      moons(500, 50, noise=0.3)   # data"),
        ("train.data.noise=0.1", "data      moons(500, 1000, noise=0.1)   # data"),
        ("train.data.validation=0.1", "data      moons(500, 1000, noise=0.3, validation=0.1)   # data"),
        ("train.data.noise=", "data      moons(500, 1000)   # data"),
        ("train.optimizer=sgd(lr=0.1, momentum=0.9)", "optimizer sgd(lr=0.1, momentum=0.9)"),
        ("train.optimizer.adam.lr=0.5", "optimizer adam(lr=0.5, # the rate"),
        ("train.optimizer.history=9", "weight_decay=0), lbfgs(steps=5, lr=1, history=9)"),
        ("train.optimizer.lbfgs.lr=0.5", "weight_decay=0), lbfgs(steps=5, lr=0.5)"),
        ("train.optimizer.weight_decay=8/255", "weight_decay=8/255), lbfgs(steps=5, lr=1)"),
        ("train.optimizer.lbfgs.steps=", "weight_decay=0), lbfgs(lr=1)"),
        ("train.augment.std=0.2", "augment   gaussian(0.2)"),
        ("evaluate.attack.fgsm.eps=[0, 0.2]", "attack fgsm(eps=[0, 0.2])   # weak"),
        ("evaluate.attack.fgsm.eot=3", "attack fgsm(eps=0.1, eot=3)   # weak"),
        ("realize.time=euler(steps=7)", "realize time by euler(steps=7)          # steps"),
        ("realize.time.steps=7", "realize time by rk4(steps=7)          # steps"),
        ("realize.diffusion.kind=laplace", "realize diffusion by noise(samples=2, kind=laplace)"),
        ("realize.diffusion.noise.samples=8", "realize diffusion by noise(samples=8)"),
    ],
)
def test_one_line_is_changed_and_no_other(setting: str, new: str) -> None:
    before, after = TEXT.splitlines(), changed(setting).splitlines()
    (at,) = [k for k, row in enumerate(after) if row.strip() == new]
    assert after[:at] == before[:at]
    assert after[at + 1 :] == before[len(before) - len(after) + at + 1 :]
    to_syntax(Source("\n".join(after)))


def test_meaning_follows() -> None:
    spec = meaning("T=3", "σ²=1/2", "train.epochs=7", "train.data.train=50", "realize.time.steps=9")
    assert {c.name: str(c.value) for c in spec.constants}["T"] == "3"
    assert value(spec, "train.epochs") == 7
    assert value(spec, "train.data") == Chosen(Moons(train=50, test=1000, noise=Fraction(3, 10)))
    assert spec.realize.time == Chosen(Fixed(method=RK4, steps=9))


def test_later_settings_see_earlier_ones() -> None:
    assert "epochs    5" in changed("train.epochs=4", "train.epochs=5")
    assert "optimizer sgd(lr=0.3)" in changed("train.optimizer=sgd", "train.optimizer.lr=0.3")
    assert line(changed("evaluate.attack=", "evaluate.attack=fgsm(eps=1)"), "attack") == "attack fgsm(eps=1)"


def test_brackets_around_a_value_go_with_it() -> None:
    text = TEXT.replace("T = 2 ", "T = ( (2 · 1) ) ").replace("epochs    3", "epochs ((3·1))")
    text = text.replace("eps=0.1)   #", "eps=(0.1·1))   #").replace("rk4(steps=4)", "(rk4(steps=4))")
    to_spec(Source(text))
    after = changed("T=4", "train.epochs=5", "evaluate.attack.fgsm.eps=1", "realize.time.steps=6", text=text)
    assert line(after, "const   T") == "const   T = 4      # the end"
    assert line(after, "epochs") == "epochs 5"
    assert line(after, "attack fgsm") == "attack fgsm(eps=1)   # weak"
    assert line(after, "realize time") == "realize time by (rk4(steps=6))          # steps"


def test_an_argument_is_removed_with_its_comma_and_the_comments_stay() -> None:
    old = "adam(lr=1e-2, # the rate\n                 weight_decay=0), lbfgs(steps=5, lr=1)"
    assert old in TEXT
    for setting, new in (
        ("train.optimizer.weight_decay=", "adam(lr=1e-2 # the rate\n), lbfgs(steps=5, lr=1)"),
        ("train.optimizer.adam.lr=", "adam(# the rate\n                 weight_decay=0), lbfgs(steps=5, lr=1)"),
    ):
        assert changed(setting) == TEXT.replace(old, new)
        meaning(setting)


# ---- what is missing is added


def test_an_entry_is_added_at_the_end_of_its_block() -> None:
    before, after = TEXT.splitlines(), changed("train.batch=16").splitlines()
    at = before.index("  augment   gaussian(0.1)") + 1
    assert after == [*before[:at], "  batch 16", *before[at:]]
    assert value(meaning("train.batch=16"), "train.batch") == 16


@pytest.mark.parametrize(
    "block",
    [
        "train {}",
        "train { }",
        "train { data moons }",
        "train {\n}",
        "train { # c\n}",
        "train {\n\tdata moons # c\n\n}",
        "train {\n  # c\n  }",
    ],
)
def test_blocks_of_every_layout_take_an_entry(block: str) -> None:
    text = TEXT[: TEXT.index("train {")] + block + "\n"
    spec = meaning("train.batch=16", "train.seed=3", text=text)
    assert (value(spec, "train.batch"), value(spec, "train.seed")) == (16, 3)
    assert changed("train.batch=16", text=text).count("# c") == text.count("# c")


@pytest.mark.parametrize("end", ["\n", "", "\n\n", "  # the end", "\r\n"])
def test_a_block_is_added_at_the_end(end: str) -> None:
    text = TEXT[: TEXT.index("\ntrain {")] + end
    after = changed("train.epochs=5", "train.batch=4", "evaluate.natural", text=text)
    assert after.startswith(text)
    spec = to_spec(Source(after))
    assert [b.kind for b in spec.blocks] == ["train", "evaluate"]
    assert (value(spec, "train.epochs"), value(spec, "train.batch")) == (5, 4)


def test_an_entry_without_a_value() -> None:
    assert changed("evaluate.natural") == TEXT
    without = changed("evaluate.natural=")
    assert "natural" not in without
    assert value(meaning("evaluate.natural", text=without), "evaluate.natural") is True


def test_a_realization_is_added() -> None:
    text = TEXT.replace("realize diffusion by noise(samples=2)\n", "")
    spec = meaning("realize.diffusion=noise(samples=3)", "realize.diffusion.kind=laplace", text=text)
    assert spec.realize.diffusion == Chosen(Noise(samples=3, kind=Law.LAPLACE))


def test_a_call_without_brackets_gets_them() -> None:
    assert line(changed("train.data=moons", "train.data.noise=0.1"), "data") == "data      moons(noise=0.1)   # data"
    assert line(changed("train.data=moons()", "train.data.noise=0.1"), "data") == "data      moons(noise=0.1)   # data"


# ---- what is not wanted is removed


def test_an_entry_is_removed_with_its_line() -> None:
    assert changed("train.epochs=") == TEXT.replace("  epochs    3\n", "")
    assert changed("realize.diffusion=") == TEXT.replace("realize diffusion by noise(samples=2)\n", "")
    assert changed("train.data=") == TEXT.replace("  data      moons(500, 1000, noise=0.3)   # data\n", "     # data\n")
    assert "attack" not in changed("evaluate.attack=")
    assert "# weak" in changed("evaluate.attack=")


@pytest.mark.parametrize("setting", ["train.adversary=", "train.augment.std=", "realize.reaction=", "evaluate.audit="])
def test_removing_what_is_not_there_changes_nothing(setting: str) -> None:
    text = changed("train.augment=gaussian") if "augment" in setting else TEXT
    assert changed(setting, text=text) == text


def test_an_argument_before_others_without_a_name_is_not_removed() -> None:
    _, told = refused("train.data.train=")
    assert "error[E733]: 'train' is followed by arguments without a name" in told
    assert line(changed("train.data.test=", text=TEXT), "data").startswith("data      moons(500, noise=0.3)")


# ---- the rest of the text stays


@pytest.mark.parametrize("eol", ["\r\n", "\r"])
def test_line_ends_stay(eol: str) -> None:
    text = TEXT.replace("\n", eol)
    settings = (
        "train.batch=16",
        "T=3",
        "train.epochs=",
        "train.optimizer.weight_decay=",
        "realize.reaction=euler(steps=1)",
    )
    assert changed(*settings, text=text) == changed(*settings).replace("\n", eol)


def test_comments_stay() -> None:
    after = changed("T=3", "σ²=1", "train.epochs=5", "train.data.noise=0", "train.batch=3", "realize.time.steps=1")
    assert [c.text for c in to_syntax(Source(after)).comments] == [c.text for c in to_syntax(Source(TEXT)).comments]


def test_commas_and_brackets_in_comments_and_texts_are_none() -> None:
    text = TEXT.replace(
        "moons(500, 1000, noise=0.3)", 'npz( # a, b)\r\n "a,#(.npz", # c)\n  train=5 # (d,\n  , test=6)'
    )
    assert 'npz( # a, b)\r\n "a,#(.npz", # c)\n  train=7 # (d,\n  , test=6)' in changed("train.data.train=7", text=text)
    assert 'npz( # a, b)\r\n "a,#(.npz", # c)\n  train=5 # (d,\n  )' in changed("train.data.test=", text=text)
    assert 'npz( # a, b)\r\n "a,#(.npz" # c)\n # (d,\n  , test=6)' in changed("train.data.train=", text=text)
    assert '"b#.npz", # c)' in changed('train.data.file="b#.npz"', text=text)
    assert "test=6, validation=0.5)" in changed("train.data.validation=0.5", text=text)
    to_spec(Source(changed("train.data.test=", "train.data.train=", text=text)))


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_shipped_specs_take_settings_and_pass_the_check(path: Path) -> None:
    settings = [
        "train.epochs=",
        "train.steps=7",
        "train.seed=3",
        "evaluate.plot=",
        "train.optimizer=sgd",
    ]
    settings += [
        "train.optimizer.lr=0.5",
        "train.data=digits",
        "train.data.train=100",
        "evaluate.attack=",
    ]
    if any(word in read(path).text for word in ("simplex", "channels")):  # a classifier
        settings += ["evaluate.natural", "evaluate.attack=fgsm(eps=1)"]
    source = overridden(read(path), settings)
    examined = examine(source)
    examined.require()
    spec = examined.analysis.spec
    assert value(spec, "train.optimizer") == (Chosen(Sgd(lr=Fraction(1, 2))),)
    assert value(spec, "train.data") == Chosen(Digits(train=100))
    assert (value(spec, "train.steps"), value(spec, "train.seed"), value(spec, "train.epochs")) == (7, 3, None)
    kept = {c.text for c in to_syntax(source).comments}
    assert kept >= {c.text for c in to_syntax(read(path)).comments}


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_constants_of_shipped_specs_can_be_set_to_what_they_are(path: Path) -> None:
    source = read(path)
    for ascii in (False, True):
        text = Source(format_source(source, ascii), path.name)
        for row in (r for r in text.text.splitlines() if r.startswith("const ")):
            setting = row.removeprefix("const").strip()
            assert overridden(text, [setting]).text == text.text


# ---- wrong settings: the place is in the setting


@pytest.mark.parametrize(
    ("setting", "code", "message", "under", "hint"),
    [
        ("train.epoch=3", "E731", "'train' has no entry 'epoch'", "epoch", "did you mean 'epochs'?"),
        ("train.xyz=3", "E731", "'train' has no entry 'xyz'", "xyz", "known here: data, epochs, steps"),
        ("trian.epochs=3", "E731", "a spec has no block 'trian'", "trian", "did you mean 'train'?"),
        ("tau=3", "E731", "this spec has no constant 'tau'", "tau", "known here: T, sigma"),
        ("τ=3", "E731", "this spec has no constant 'τ'", "τ", "known here: T, σ"),
        ("sigm=3", "E731", "this spec has no constant 'sigm'", "sigm", "did you mean 'sigma'?"),
        ("2=3", "E731", "this spec has no constant '2'", "2", "known here"),
        ("c d=3", "E731", "this spec has no constant 'c d'", "c d", "known here"),
        ("v=3", "E731", "this spec has no constant 'v'", "v", "known here"),
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
        ("train.optimizer.adam.lr.x=3", "E731", "this path is too long", "x", "as in"),
        ("train.epochs.x=3", "E733", "there is no call in train.epochs", "train.epochs.x", "it takes no arguments"),
        (
            "train.schedule.factor=3",
            "E733",
            "there is no call in train.schedule",
            "train.schedule.factor",
            "train.schedule=step(…)",
        ),
        (
            "train.optimizer.lr=3",
            "E732",
            "2 calls in train.optimizer have 'lr'",
            "train.optimizer.lr",
            "train.optimizer.adam.lr, train.optimizer.lbfgs.lr",
        ),
        (
            "evaluate.attack.steps=3",
            "E732",
            "2 calls in evaluate.attack have 'steps'",
            "evaluate.attack.steps",
            "remove them first, with evaluate.attack=",
        ),
        (
            "evaluate.attack.pgd.eps=3",
            "E732",
            "2 calls in evaluate.attack have 'eps'",
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
        ("train=3", "E730", "'train' alone cannot be set", "train", "train.data=…"),
        ("realize=3", "E730", "'realize' alone cannot be set", "realize", "realize.time=…"),
        ("train.epochs", "E730", "this needs a value", "train.epochs", "train.epochs=…"),
        ("realize.time", "E730", "this needs a value", "realize.time", ""),
        ("train.data.noise", "E730", "this needs a value", "train.data.noise", "train.data.noise=…"),
        ("T", "E730", "a constant needs a value", "T", ""),
        ("σ²=", "E730", "a constant needs a value", "σ²", ""),
        ("train..lr=3", "E730", "a part of this path is empty", "", ""),
        ("=3", "E730", "a part of this path is empty", "", ""),
        ("", "E730", "a part of this path is empty", "", ""),
        ("train.optimizer=sgd(lr=0.1", "E730", "'(' is never closed", "(", ""),
        ('train.data=npz("a)', "E730", "this text is never closed", '"a)', ""),
        ("T=[1", "E730", "'[' is never closed", "[", ""),
        ("train.augment.std=0.1)", "E730", "')' closes nothing in this value", ")", ""),
        ("train.augment.std=[0.1)", "E730", "')' closes nothing in this value", ")", ""),
        ("train.epochs=3 }", "E730", "'}' closes nothing in this value", "}", ""),
        ("train.epochs=3 # c", "E730", "a value is a single line", "#", ""),
        ("train.epochs=3\n seed 4", "E730", "a value is a single line", "\n", ""),
    ],
)
def test_a_wrong_path_is_shown_where_it_is_wrong(setting: str, code: str, message: str, under: str, hint: str) -> None:
    with pytest.raises(PdeError) as caught:
        changed("T=3", setting)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert message in found.message
    assert hint in found.hint
    source = caught.value.source
    assert source == Source(setting, "--set")
    assert source.text[found.span.start : found.span.end] == under


def test_a_report_of_a_wrong_path() -> None:
    _, told = refused("train.optimzer.lr=3")
    assert told == (
        "error[E731]: 'train' has no entry 'optimzer'\n"
        "  --> --set:1:7\n"
        "1 | train.optimzer.lr=3\n"
        "  |       ^^^^^^^^\n"
        "  help: did you mean 'optimizer'?"
    )


# ---- wrong values: the place is in the changed text


@pytest.mark.parametrize(
    ("setting", "code", "marked"),
    [
        ("train.epochs=many", "E201", "many"),
        ("train.epochs=0", "E507", "0"),
        ("train.epochs=3 = 4", "E102", "="),
        ("train.epochs=§", "E101", "§"),
        ("train.optimizer=sdg(lr=0.1)", "E502", "sdg"),
        ("train.optimizer.adam.lr=-1", "E507", "-1"),
        ("realize.time=rk5(steps=3)", "E502", "rk5"),
    ],
)
def test_a_wrong_value_is_shown_in_the_changed_text(setting: str, code: str, marked: str) -> None:
    with pytest.raises(PdeError) as caught:
        to_spec(overridden(Source(TEXT, "moons.pde"), [setting]))
    source = caught.value.source
    assert source is not None
    assert source.name == "moons.pde"
    assert (code, marked) in {(d.code, source.text[d.span.start : d.span.end]) for d in caught.value.diagnostics}
    assert source.text == changed(setting)


def test_a_length_that_is_removed_and_set() -> None:
    assert value(meaning("train.epochs=", "train.steps=3"), "train.steps") == 3


def test_a_spec_that_cannot_be_read_is_reported_as_itself() -> None:
    source, told = refused("train.epochs=3", text=TEXT.replace("σ²Δu ", "σ²Δu = "))
    assert source.name == "moons.pde"
    assert "E111" in told


def test_a_broken_value_is_reported_before_the_next_setting() -> None:
    source, told = refused("train.epochs=3 = 4", "T=3")
    assert "epochs    3 = 4" in source.text
    assert "1 | train.epochs=3 = 4" in told


# ---- any setting gives a text or a diagnostic

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
        to_syntax(overridden(Source(TEXT, "moons.pde"), chosen))
    except PdeError as error:
        told = error
    if told is not None:
        assert told.source is not None
        assert all(0 <= d.span.start <= d.span.end <= len(told.source.text) for d in told.diagnostics)


# ---- fields, places, and what takes the place of what


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
def test_fields_and_places(setting: str, new: str) -> None:
    text = changed(setting)
    assert new in [row.strip() for row in text.splitlines()]
    assert len(text.splitlines()) == len(TEXT.splitlines())


def test_steps_take_the_place_of_epochs_and_back() -> None:
    assert value(meaning("train.steps=50"), "train.steps") == 50
    assert value(meaning("train.steps=50", "train.epochs=2"), "train.epochs") == 2
    assert value(meaning("train.steps=50", "train.epochs=2"), "train.steps") is None


def test_an_argument_of_the_default_optimizer() -> None:
    plain = TEXT.replace(TEXT[TEXT.index("  optimizer") : TEXT.index("  augment")], "")
    (optimizer,) = meaning("train.optimizer.lr=0.5", text=plain).train.optimizer  # type: ignore[union-attr]
    assert optimizer.word == Sgd(lr=Fraction(1, 2), momentum=Fraction(9, 10))


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
def test_a_wrong_value_is_shown_where_it_was_written(settings: tuple[str, ...], place: str) -> None:
    assert place in refused(*settings)[1]


@pytest.mark.parametrize("setting", ["learn=mlp", "learn.q=mlp", "unknown.u.width", "space=", "learn.v"])
def test_wrong_paths_of_fields_and_places(setting: str) -> None:
    source, _ = refused(setting)
    assert source == Source(setting, "--set")
