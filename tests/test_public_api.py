"""The public interface: every name is documented, with arguments, result, exceptions and an example that runs."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, MethodType, ModuleType

import pytest
from torch import nn

import pdedsl
from pdedsl import attacks, certificates, runtime, testing
from pdedsl.numerics.butcher import EXPLICIT, IMEX, IMPLICIT
from pdedsl.testing import axioms, equation, model

ROOT = Path(__file__).parents[1]
GOLDEN = sorted((ROOT / "tests" / "golden").glob("*.python.txt"))
MODULES = (pdedsl, attacks, certificates, runtime, testing, axioms, equation, model)
LONG_EXAMPLES = {
    "Report",
    "Run",
    "Solution",
    "evaluate_run",
    "push",
    "solve",
    "Study",
    "sweep",
    "train",
}  # networks are trained there
SECTIONS = ("Args", "Attributes", "Shape", "Returns", "Raises", "Example")


def imports_of_generated_code() -> Iterator[tuple[str, str]]:
    """(module, name) for every import from pdedsl in the generated code of a shipped spec."""
    for path in GOLDEN:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pdedsl"):
                yield from ((str(node.module), alias.name) for alias in node.names)


def public_names() -> dict[str, object]:
    named = {f"{module.__name__}.{name}": getattr(module, name) for module in MODULES for name in module.__all__}
    generated = {
        f"{module}.{name}": getattr(import_module(module), name) for module, name in imports_of_generated_code()
    }
    seen = {id(value) for value in named.values()}
    return named | {
        path: value for path, value in generated.items() if id(value) not in seen and hasattr(value, "__name__")
    }


def public_methods(cls: type) -> Iterator[tuple[str, object]]:
    """The methods of a class, and those that it inherits from classes of the package."""
    for name, value in inspect.getmembers(cls, inspect.isroutine):
        if not name.startswith("_") and str(value.__module__).startswith("pdedsl"):
            yield f"{cls.__module__}.{cls.__name__}.{name}", value


PUBLIC = public_names()
RESULTS = (pdedsl.Compilation, pdedsl.EigenSolution, pdedsl.Report, pdedsl.Run, pdedsl.Solution)
METHODS = {path: method for cls in RESULTS for path, method in public_methods(cls)}
CODE = {path: value for path, value in (PUBLIC | METHODS).items() if not isinstance(value, ModuleType)}


def sections(value: object) -> dict[str, str]:
    """The sections of a docstring by title."""
    parts = re.split(rf"^({'|'.join(SECTIONS)}):\n", inspect.getdoc(value) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def missing(value: object, is_method: bool = False) -> list[str]:
    """The arguments and sections that the docstring of a function or class lacks."""
    text, required = sections(value), {"Example"}
    described = re.findall(r"^    (\w+): ", text.get("Args", "") + text.get("Attributes", ""), re.MULTILINE)
    if isinstance(value, FunctionType | MethodType):
        signature, bodies = inspect.signature(value), [value]
        required |= set() if signature.return_annotation in (None, "None") else {"Returns"}
    else:
        assert inspect.isclass(value)
        plain_error = issubclass(value, BaseException) and "__init__" not in vars(value)
        signature = inspect.Signature() if plain_error else inspect.signature(value)
        bodies = [f for name in ("__init__", "__post_init__") if inspect.isfunction(f := vars(value).get(name))]
        has_forward = issubclass(value, nn.Module) and value.forward is not nn.Module.forward
        required |= {"Shape"} if has_forward else set()
    required |= {"Raises"} if any(map(_raises, bodies)) else set()
    unknown = [f"{name}, which is no argument" for name in described if name not in signature.parameters]
    arguments = list(signature.parameters)[is_method and inspect.isfunction(value) :]
    return [*(p for p in arguments if p not in described), *unknown, *sorted(required - set(text))]


def _raises(function: FunctionType) -> bool:
    """Whether a function has a `raise` statement; constructors of dataclasses have no source."""
    written = Path(function.__code__.co_filename).is_file()
    return written and re.search(r"^\s+raise\b", inspect.getsource(function), re.MULTILINE) is not None


@pytest.mark.parametrize("path", CODE)
def test_documentation_is_complete(path: str) -> None:
    assert missing(CODE[path], path in METHODS) == []


@pytest.mark.parametrize("path", [path for path, value in PUBLIC.items() if isinstance(value, ModuleType)])
def test_modules_have_docstrings(path: str) -> None:
    assert inspect.getdoc(PUBLIC[path])


@pytest.mark.parametrize(
    "path", [pytest.param(p, marks=[pytest.mark.slow] if LONG_EXAMPLES & {*p.split(".")} else []) for p in CODE]
)
def test_example(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(CODE[path]) or "", {}, path, None, None)
    assert example.examples
    output: list[str] = []
    doctest.DocTestRunner().run(example, out=output.append)
    assert not output, "".join(output)


def test_every_import_of_generated_code_is_public() -> None:
    """Except names of their own module, which would hide it, and labels of Runge-Kutta methods."""
    labels = {method.label for method in (*EXPLICIT.values(), *IMPLICIT.values(), *IMEX.values())}
    names = {name for module, name in imports_of_generated_code() if not module.endswith(f".{name}")}
    assert names - labels <= set(runtime.__all__)
    assert len(names) > 30


def test_missing_sections_are_noticed() -> None:
    def undocumented(x: int, y: int = 0) -> int:
        """A function.

        Args:
            x: a number.
            z: another.
        """
        if x < y:
            raise ValueError
        return x

    class Block(nn.Module):
        """A block.

        Example:
            >>> Block()
        """

        def __init__(self) -> None:
            super().__init__()

        def forward(self, x: int) -> int:
            return x

    assert set(missing(undocumented)) == {"y", "z, which is no argument", "Returns", "Raises", "Example"}
    assert missing(Block) == ["Shape"]
