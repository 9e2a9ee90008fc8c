"""A package compiled by pdedsl 0.1 ends with the remedy when it is imported."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest

import pdedsl  # noqa: F401
from pdedsl.obsolete_imports import MODULES


@pytest.mark.parametrize("module", sorted(MODULES))
def test_the_error_names_the_remedy(module: str) -> None:
    with pytest.raises(ImportError, match=r"compiled by pdedsl 0\.1; run `pdedsl compile` again"):
        import_module(module)


def test_other_missing_modules_are_missing() -> None:
    assert find_spec("pdedsl.runtime.no_such_module") is None
    with pytest.raises(ModuleNotFoundError):
        import_module("pdedsl.no_such_module")
