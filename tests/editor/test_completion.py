"""Completions by syntactic context."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdedsl.config.base import forms_of
from pdedsl.config.blocks import ENTRIES
from pdedsl.config.data import DATA
from pdedsl.config.evaluation import Attack
from pdedsl.config.methods import PARTS
from pdedsl.config.networks import NETWORKS, OPERATORS
from pdedsl.editor import CompletionItem, analysed, complete, inputs, unicode_at
from pdedsl.ir.verdicts import Axiom
from pdedsl.language.elaborate.types import TYPES
from tests.solvers.meshes import l_shape

HEAD = """pde P
space x in R^2
time t in [0, 1]
unknown u(x, t) : scalar
learn v(x, t) : vector = mlp
const σ = 0.1
"""


def proposed(text: str) -> dict[str, CompletionItem]:
    """At the mark `|`."""
    offset = text.index("|")
    text = text.replace("|", "", 1)
    found = complete(analysed(text), offset)
    assert all(item.span.start <= offset == item.span.end for item in found)
    return {item.label: item for item in found}


def test_groups_of_a_mesh(tmp_path: Path) -> None:
    """While the condition is being written, the spec has errors."""
    l_shape(tmp_path / "l.msh")
    text = 'pde P\nspace (x, y) in mesh("l.msh")\nunknown u(x, y) : scalar\nΔu = 1\nu = 0 on '
    labels = {item.label for item in complete(analysed(text, str(tmp_path / "p.pde")), len(text))}
    assert {"boundary", "inlet", "outlet", "walls"} <= labels
    assert "left" not in labels


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("learn w(x) : |", set(TYPES)),
        ("learn w(x) : matrix, |", {"psd", "symmetric"}),
        ("learn w(x) : vector = |", set(NETWORKS) - set(OPERATORS)),
        ("learn K : operator = |", set(OPERATORS)),
        ("learn w(x) : vector = mlp(width=3, |", {"depth", "activation"}),
        ("learn w(x) : vector = mlp(3, |", {"depth", "activation", "4"}),
        ("realize |", set(PARTS)),
        ("realize diffusion by |", set(PARTS["diffusion"])),
        ("realize diffusion by no|", set(PARTS["diffusion"])),
        ("realize diffusion by noise(kind=|", {"gaussian", "laplace"}),
        ("realize time by dopri5(adjoint=|", {"true", "false"}),
        ("require linearity, |", set(Axiom)),
        ("train {\n  |", set(ENTRIES["train"])),
        ("train {\n  data moons\n  ep|\n}\n", set(ENTRIES["train"])),
        ("train {\n  data |\n}", set(DATA)),
        ("evaluate {\n  attack pgd(eps=0.1), |", set(forms_of(Attack))),
        ("evaluate {\n  plot |", {str(w) for w in ENTRIES["evaluate"]["plot"].what.options}),  # type: ignore[union-attr]
        ("train {\n  constrain |", {"v"}),
        ("u = 0 on |", {"boundary", "left", "right"}),
        ("time s in |", {"[0, 1]"}),
        ("unknown w(|", {"x", "t"}),
        ("learn w(x, |) : vector", {"x", "t", "u"}),
        ("exact |", {"u", "v"}),
        ("const a = 2 # |", set()),
        ("# a comment |", set()),
        ('pde Q "a title |', set()),
        ("pde |", set()),
    ],
)
def test_completions_by_context(line: str, expected: set[str]) -> None:
    assert set(proposed(HEAD + line)) == expected


def test_start_of_a_statement() -> None:
    found = set(proposed(HEAD + "|"))
    assert {"realize", "require", "train", "u"} <= found
    assert not {"pde", "space", "time"} & found  # they stand once


def test_expressions() -> None:
    assert {"u", "v", "σ", "x", "t", "sin", "grad"} <= set(proposed(HEAD + "∂u/∂t = v·∇|"))
    assert "on" in proposed(HEAD + "u = 0 |")
    assert "on" not in proposed(HEAD + "u = |")


def test_declared_name_is_not_completed_on_its_line() -> None:
    assert "a" not in proposed(HEAD + "const a = |")
    assert "s" not in proposed(HEAD + "let s(t) = t + |")
    assert "a" in proposed(HEAD + "const a = 1\nconst b = |")


def test_parameters_in_a_function_definition() -> None:
    assert {"a", "b", "t", "σ"} <= set(proposed(HEAD + "let g(a, b, t) = exp(a + |"))
    assert "a" not in proposed(HEAD + "let g(a) = a\nconst b = |")


def test_offset_beyond_the_end() -> None:
    document = analysed(HEAD)
    assert complete(document, len(HEAD) + 9) == complete(document, len(HEAD))


def test_details_of_completions() -> None:
    width = proposed(HEAD + "learn w(x) : vector = mlp(|")["width"]
    assert width.insert == "width="
    assert width.detail == "units of a hidden layer; an integer, at least 1, at most 65,536; default 64"
    assert proposed(HEAD + "train {\n  |")["batch"].detail.endswith("default 128")
    pgd = proposed(HEAD + "evaluate {\n  attack |")["pgd"]
    assert pgd.insert == "pgd(eps="
    assert "`eps`" in pgd.about


def test_axioms_with_verdicts() -> None:
    text = HEAD + "∂u/∂t = v·∇u + σ²Δu\nu(x, 0) = exp(-‖x‖²)\nrequire linearity, |comparison\n"
    assert proposed(text)["linearity"].detail == "proved"


def test_unicode_input() -> None:
    found = proposed(HEAD + "∂u/∂t = \\nab|")
    assert found["\\nabla"].insert == "∇"
    assert inputs()["\\sigma"] == "σ"
    assert inputs()["\\frac12"] == "½"
    edit = unicode_at("a\\nabla", 7)
    assert edit is not None
    assert (edit.span, edit.new) == ((1, 7), "∇")
    assert unicode_at("nabla", 5) is None
