"""Every public function and class of the attacks and certificates has a docstring with an example that runs."""

from __future__ import annotations

import doctest
import inspect

import pytest

from pdedsl import attacks, certificates

EXPORTS = [(module, name) for module in (attacks, certificates) for name in module.__all__]
RESULTS = {"Gaussian", "Sequential", "Lipschitz"}  # shown by the examples of their functions


@pytest.mark.parametrize(("module", "name"), EXPORTS, ids=[name for _, name in EXPORTS])
def test_example(module: object, name: str) -> None:
    exported = getattr(module, name)
    example = doctest.DocTestParser().get_doctest(exported.__doc__ or "", {}, name, None, None)
    assert example.docstring
    assert example.examples or name in RESULTS
    output: list[str] = []
    doctest.DocTestRunner().run(example, out=output.append)
    assert not output, "".join(output)


@pytest.mark.parametrize(("module", "name"), EXPORTS, ids=[name for _, name in EXPORTS])
def test_every_argument_is_described(module: object, name: str) -> None:
    exported = getattr(module, name)
    if inspect.isfunction(exported):
        text = exported.__doc__ or ""
        assert [p for p in inspect.signature(exported).parameters if f"\n        {p}: " not in text] == []
        assert all(f"\n    {section}:" in text for section in ("Args", "Returns", "Raises", "Example"))
