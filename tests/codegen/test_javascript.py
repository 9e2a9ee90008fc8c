"""Modules for JavaScript: their parameters, refusals and safety; `playground/tests/test_library.py` runs them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from sympy import Heaviside, Max, Rational, Symbol, erf, exp, pi, sqrt, tanh

import pdedsl
from pdedsl.cli import cli
from pdedsl.codegen.javascript import LIBRARY, _Printer
from pdedsl.compiler import check, generate
from pdedsl.diagnostics import PdeError, Source
from pdedsl.planning.javascript import slider_constants
from pdedsl.symbolic.functions import ACTIVATIONS

HEAT = (
    "pde P\nspace x in [0, {end}]\ntime t in [0, 1]\nunknown u(x, t) : scalar\nconst ν = 0.1 in [0.01, 1]\n{more}"
    "∂u/∂t = νΔu\nu(x, 0) = x {data}\nu = 0 on boundary\n"
)


def module_of(text: str) -> str:
    return generate(check(Source(text, "p.pde"))).javascript()


def entry(module: str, name: str) -> object:
    """A field of the module that is JSON."""
    found = re.search(rf"^  {name}: (.*),$", module, re.M)
    assert found is not None
    return json.loads(found[1])


def test_constants_with_a_range_are_parameters() -> None:
    module = module_of(HEAT.format(end=1, more="const a = 2\n", data="+ a"))
    assert entry(module, "parameters") == [{"name": "ν", "value": 0.1, "low": 0.01, "high": 1.0}]
    assert "p[0]" in module
    assert "out[0][i] = x0[i] + 2;" in module


@pytest.mark.parametrize(
    ("end", "more", "names"),
    [
        ("1", "", ["ν"]),
        ("ν", "", []),
        ("1", "const a = 2ν\n", []),
        ("1", "const a = 2 in [1, 3]\n", ["ν", "a"]),
        ("1", "const a² = 2 in [1, 3]\n", ["ν"]),
    ],
)
def test_constants_that_determine_others_or_the_domain_are_no_parameters(end: str, more: str, names: list[str]) -> None:
    spec = check(Source(HEAT.format(end=end, more=more, data=""), "p.pde")).analysis.spec
    assert [c.name for c in slider_constants(spec)] == names


REFUSALS = {
    "poisson_disc": "curved domains",
    "cavity": "pressures",
    "delay": "values at other points",
    "membrane_modes": "eigenproblems",
    "inverse_heat": "nothing is learned",
    "measured_heat": "data files",
    "heat_100d": "3 space dimensions",
    "resnet": "only equations on a physical domain",
}


@pytest.mark.parametrize(("name", "reason"), REFUSALS.items())
def test_refusals_name_the_reason(name: str, reason: str) -> None:
    with pytest.raises(PdeError, match=reason):
        pdedsl.compile(name).javascript()


SOLVED = "advection allen_cahn black_scholes gray_scott heat helmholtz kdv poisson schroedinger stirring wave".split()


@pytest.mark.parametrize("name", SOLVED)
def test_shipped_specs_have_a_module(name: str) -> None:
    assert entry(pdedsl.compile(name).javascript(), "name") == pdedsl.load(name).name


GALLERY = sorted((Path(__file__).parents[2] / "playground" / "gallery").glob("*.pde"))


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_the_gallery_of_the_laboratory_has_modules_with_parameters(path: Path) -> None:
    assert entry(module_of(path.read_text("utf-8")), "parameters")


def test_no_text_of_a_spec_becomes_code() -> None:
    """Names and titles are JSON strings; formulas have names of their own."""
    title = "`${process.exit()}` */ }; import('x') // </script>"
    text = HEAT.format(end=1, more="", data="").replace("pde P", f'pde P "{title}"')
    text = (
        text.replace("ν", "eval")
        .replace("u", "alert")
        .replace("alertnknown", "unknown")
        .replace("boalertndary", "boundary")
    )
    module = module_of(text)
    assert entry(module, "title") == title
    strings = re.sub(r'"(?:[^"\\]|\\.)*"', '""', module)
    assert not re.search(r"eval|alert|process|</script", strings)
    assert "</script" not in module


def test_printed_numbers_and_functions() -> None:
    x = Symbol("x", real=True)
    printed = {
        Rational(1, 3): "0.3333333333333333",
        pi * x: "3.141592653589793*x",
        x**3: "((x) * (x) * (x))",
        1 / x: "(1 / (x))",
        sqrt(x): "Math.sqrt(x)",
        exp(-(x**2)): "Math.exp(-((x) * (x)))",
        erf(x): "erf(x)",
        tanh(x): "Math.tanh(x)",
        Max(x, 0): "Math.max(0, x)",
        Heaviside(x): "(0.5 + 0.5 * Math.sign(x))",
        ACTIVATIONS["relu"](x): "(Math.max(0, x))",
    }
    for expr, text in printed.items():
        assert _Printer().doprint(expr) == text


def test_the_command_writes_the_module_and_the_library(tmp_path: Path) -> None:
    folder = tmp_path / "my heat"
    result = CliRunner().invoke(cli, ["compile", "--to", "javascript", "-o", str(folder), "heat"])
    assert result.exit_code == 0, result.output
    assert sorted(p.name for p in folder.iterdir()) == ["my_heat.mjs", LIBRARY]
    assert (folder / "my_heat.mjs").read_text("utf-8") == pdedsl.compile("heat").javascript()
    refused = CliRunner().invoke(cli, ["compile", "--to", "javascript", "-o", str(tmp_path / "x"), "poisson_disc"])
    assert refused.exit_code == 1
    assert "curved domains" in refused.output
    assert not (tmp_path / "x").exists()
