"""`--set`: the changed text and the elaborated spec."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from language.settings import TEXT, changed, meaning, refused, value
from pdedsl.api import format_source
from pdedsl.compiler import check, to_spec, to_syntax
from pdedsl.config.base import Located
from pdedsl.config.data import Digits, Moons
from pdedsl.config.methods import Fixed, Noise, NoiseDistribution
from pdedsl.config.training import Sgd
from pdedsl.diagnostics import PdeError, Source
from pdedsl.ir.spec import SpaceKind
from pdedsl.language.settings import apply_settings
from pdedsl.numerics.butcher import RK4
from pdedsl.sources import read_source

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.pde"))
UNTRAINED = {"delay", "membrane_modes", "volterra"}  # integrals, delays and eigenproblems: no network solves them
NONLINEAR_ON_DATA = {"allen_cahn_100d", "hjb_100d"}  # solved by Monte Carlo: they cannot be trained on data


def line(text: str, start: str) -> str:
    """The only line that starts so."""
    (found,) = [row.strip() for row in text.splitlines() if row.strip().startswith(start)]
    return found


def test_spec_is_valid() -> None:
    assert changed() == TEXT
    noise_once = TEXT.replace("  augment   gaussian(0.1)\n", "")  # the equation has diffusion already
    check(Source(noise_once)).require_plan()


# ---- Kinds of paths: old line, setting, new line


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
def test_exactly_one_line_changes(setting: str, new: str) -> None:
    before, after = TEXT.splitlines(), changed(setting).splitlines()
    (at,) = [k for k, row in enumerate(after) if row.strip() == new]
    assert after[:at] == before[:at]
    assert after[at + 1 :] == before[len(before) - len(after) + at + 1 :]
    to_syntax(Source("\n".join(after)))


def test_elaborated_spec_changes() -> None:
    spec = meaning("T=3", "σ²=1/2", "train.epochs=7", "train.data.train=50", "realize.time.steps=9")
    assert {c.name: str(c.value) for c in spec.constants}["T"] == "3"
    assert value(spec, "train.epochs") == 7
    assert value(spec, "train.data") == Located(Moons(train=50, test=1000, noise=Fraction(3, 10)))
    assert spec.realize.time == Located(Fixed(method=RK4, steps=9))


def test_settings_are_applied_in_order() -> None:
    assert "epochs    5" in changed("train.epochs=4", "train.epochs=5")
    assert "optimizer sgd(lr=0.3)" in changed("train.optimizer=sgd", "train.optimizer.lr=0.3")
    assert line(changed("evaluate.attack=", "evaluate.attack=fgsm(eps=1)"), "attack") == "attack fgsm(eps=1)"


def test_parentheses_around_a_value_are_replaced() -> None:
    text = TEXT.replace("T = 2 ", "T = ( (2 · 1) ) ").replace("epochs    3", "epochs ((3·1))")
    text = text.replace("eps=0.1)   #", "eps=(0.1·1))   #").replace("rk4(steps=4)", "(rk4(steps=4))")
    to_spec(Source(text))
    after = changed("T=4", "train.epochs=5", "evaluate.attack.fgsm.eps=1", "realize.time.steps=6", text=text)
    assert line(after, "const   T") == "const   T = 4      # the end"
    assert line(after, "epochs") == "epochs 5"
    assert line(after, "attack fgsm") == "attack fgsm(eps=1)   # weak"
    assert line(after, "realize time") == "realize time by (rk4(steps=6))          # steps"


def test_argument_is_removed_with_its_comma_and_comments_are_preserved() -> None:
    old = "adam(lr=1e-2, # the rate\n                 weight_decay=0), lbfgs(steps=5, lr=1)"
    assert old in TEXT
    for setting, new in (
        ("train.optimizer.weight_decay=", "adam(lr=1e-2 # the rate\n), lbfgs(steps=5, lr=1)"),
        ("train.optimizer.adam.lr=", "adam(# the rate\n                 weight_decay=0), lbfgs(steps=5, lr=1)"),
    ):
        assert changed(setting) == TEXT.replace(old, new)
        meaning(setting)


# ---- Additions


def test_entry_is_appended_to_its_block() -> None:
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
def test_entry_is_added_to_blocks_of_every_layout(block: str) -> None:
    text = TEXT[: TEXT.index("train {")] + block + "\n"
    spec = meaning("train.batch=16", "train.seed=3", text=text)
    assert (value(spec, "train.batch"), value(spec, "train.seed")) == (16, 3)
    assert changed("train.batch=16", text=text).count("# c") == text.count("# c")


@pytest.mark.parametrize("end", ["\n", "", "\n\n", "  # the end", "\r\n"])
def test_block_is_appended(end: str) -> None:
    text = TEXT[: TEXT.index("\ntrain {")] + end
    after = changed("train.epochs=5", "train.batch=4", "evaluate.natural", text=text)
    assert after.startswith(text)
    spec = to_spec(Source(after))
    assert [b.kind for b in spec.blocks] == ["train", "evaluate"]
    assert (value(spec, "train.epochs"), value(spec, "train.batch")) == (5, 4)


def test_entry_without_value() -> None:
    assert changed("evaluate.natural") == TEXT
    without = changed("evaluate.natural=")
    assert "natural" not in without
    assert value(meaning("evaluate.natural", text=without), "evaluate.natural") is True


def test_realization_is_appended() -> None:
    text = TEXT.replace("realize diffusion by noise(samples=2)\n", "")
    spec = meaning("realize.diffusion=noise(samples=3)", "realize.diffusion.kind=laplace", text=text)
    assert spec.realize.diffusion == Located(Noise(samples=3, kind=NoiseDistribution.LAPLACE))


def test_bare_name_becomes_a_call() -> None:
    assert line(changed("train.data=moons", "train.data.noise=0.1"), "data") == "data      moons(noise=0.1)   # data"
    assert line(changed("train.data=moons()", "train.data.noise=0.1"), "data") == "data      moons(noise=0.1)   # data"


# ---- Removals


def test_entry_is_removed_with_its_line() -> None:
    assert changed("train.epochs=") == TEXT.replace("  epochs    3\n", "")
    assert changed("realize.diffusion=") == TEXT.replace("realize diffusion by noise(samples=2)\n", "")
    assert changed("train.data=") == TEXT.replace("  data      moons(500, 1000, noise=0.3)   # data\n", "     # data\n")
    assert "attack" not in changed("evaluate.attack=")
    assert "# weak" in changed("evaluate.attack=")


@pytest.mark.parametrize("setting", ["train.adversary=", "train.augment.std=", "realize.reaction=", "evaluate.audit="])
def test_removing_an_absent_entry_has_no_effect(setting: str) -> None:
    text = changed("train.augment=gaussian") if "augment" in setting else TEXT
    assert changed(setting, text=text) == text


def test_argument_before_positional_ones_is_not_removed() -> None:
    _, told = refused("train.data.train=")
    assert "error[E733]: cannot remove 'train': positional arguments follow it" in told
    assert line(changed("train.data.test=", text=TEXT), "data").startswith("data      moons(500, noise=0.3)")


# ---- The rest of the text is unchanged


@pytest.mark.parametrize("eol", ["\r\n", "\r"])
def test_line_endings_are_preserved(eol: str) -> None:
    text = TEXT.replace("\n", eol)
    settings = (
        "train.batch=16",
        "T=3",
        "train.epochs=",
        "train.optimizer.weight_decay=",
        "realize.reaction=euler(steps=1)",
    )
    assert changed(*settings, text=text) == changed(*settings).replace("\n", eol)


def test_comments_are_preserved() -> None:
    after = changed("T=3", "σ²=1", "train.epochs=5", "train.data.noise=0", "train.batch=3", "realize.time.steps=1")
    assert [c.text for c in to_syntax(Source(after)).comments] == [c.text for c in to_syntax(Source(TEXT)).comments]


def test_commas_and_brackets_in_comments_and_strings_are_ignored() -> None:
    text = TEXT.replace(
        "moons(500, 1000, noise=0.3)", 'npz( # a, b)\r\n "a,#(.npz", # c)\n  train=5 # (d,\n  , test=6)'
    )
    assert 'npz( # a, b)\r\n "a,#(.npz", # c)\n  train=7 # (d,\n  , test=6)' in changed("train.data.train=7", text=text)
    assert 'npz( # a, b)\r\n "a,#(.npz", # c)\n  train=5 # (d,\n  )' in changed("train.data.test=", text=text)
    assert 'npz( # a, b)\r\n "a,#(.npz" # c)\n # (d,\n  , test=6)' in changed("train.data.train=", text=text)
    assert '"b#.npz", # c)' in changed('train.data.file="b#.npz"', text=text)
    assert "test=6, validation=0.5)" in changed("train.data.validation=0.5", text=text)
    to_spec(Source(changed("train.data.test=", "train.data.train=", text=text)))


@pytest.mark.parametrize("name", sorted(NONLINEAR_ON_DATA))
def test_nonlinear_equations_on_data_cannot_be_trained(name: str) -> None:
    source = next(read_source(path) for path in SPECS if path.stem == name)
    with pytest.raises(PdeError, match="E601"):
        check(apply_settings(source, ["train.data=digits"])).require_plan()


@pytest.mark.parametrize("path", [p for p in SPECS if p.stem not in NONLINEAR_ON_DATA], ids=lambda p: p.stem)
def test_shipped_specs_with_settings_pass_check(path: Path) -> None:
    settings = [
        "train.epochs=",
        "train.steps=7",
        "train.seed=3",
        "evaluate.plot=",
        "train.optimizer=sgd",
    ]
    settings += ["train.optimizer.lr=0.5", "evaluate.attack="]
    if path.stem in UNTRAINED:
        settings = [s for s in settings if not s.startswith("train.optimizer")] + ["solve.tolerance=1e-8"]
        with pytest.raises(PdeError, match="pinn is not applicable"):
            check(apply_settings(read_source(path), ["train.optimizer=sgd"])).require_plan()
    on_data = to_spec(read_source(path)).space.kind is not SpaceKind.PHYSICAL
    settings += ["train.data=digits", "train.data.train=100"] if on_data else []
    if any(word in read_source(path).text for word in ("simplex", "channels")):  # a classifier
        settings += ["evaluate.natural", "evaluate.attack=fgsm(eps=1)"]
    if "pinn(steps=" in read_source(path).text:  # the block sets the number of steps
        settings.append("realize.equation=pinn")
    source = apply_settings(read_source(path), settings)
    examined = check(source)
    examined.require_plan()
    spec = examined.analysis.spec
    if path.stem in UNTRAINED:
        assert value(spec, "solve.tolerance") == Fraction(1, 10**8)
    else:
        assert value(spec, "train.optimizer") == (Located(Sgd(lr=Fraction(1, 2))),)
    assert value(spec, "train.data") == (Located(Digits(train=100)) if on_data else None)
    assert (value(spec, "train.steps"), value(spec, "train.seed"), value(spec, "train.epochs")) == (7, 3, None)
    kept = {c.text for c in to_syntax(source).comments}
    assert kept >= {c.text for c in to_syntax(read_source(path)).comments}


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_constants_of_shipped_specs_can_be_set_to_their_values(path: Path) -> None:
    source = read_source(path)
    for ascii in (False, True):
        text = Source(format_source(source, ascii), path.name)
        for row in (r for r in text.text.splitlines() if r.startswith("const ")):
            setting = row.removeprefix("const").strip()
            assert apply_settings(text, [setting]).text == text.text
