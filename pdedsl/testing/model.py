"""The model under test: a compilation, or the `model.py` of a package, with its spec."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, cast

import torch
from torch import nn

import pdedsl
from pdedsl.codegen.names import factory_name, python_name
from pdedsl.codegen.program import FunctionDefinition, Program, Ref, run_function
from pdedsl.compiler import Compilation
from pdedsl.ir.plan import OperatorPlan

__all__ = ["package"]

Fields = Mapping[str, nn.Module]
"""Learned fields by their names in Python."""
WEIGHT_GAIN = 3.0  # at initialization the drift is too small to reveal errors
BIAS_STD = 0.3  # nonzero, so that a bias that is ignored is noticed


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Context manager: seeds torch's generator, and restores its state."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


class ModelFunctions(Protocol):
    """The functions of a model: `model`, `member`, `operator`, `block`, and a factory for each learned field."""

    def get(self, name: str) -> Callable[..., nn.Module] | None: ...

    def required_arguments(self, name: str) -> tuple[str, ...]:
        """The arguments of a function without default."""
        ...

    def with_makers(self, factories: Mapping[str, nn.Module]) -> ModelFunctions:
        """The same functions, with factories that return these modules."""
        ...


@dataclass(frozen=True)
class ProgramFunctions:
    """The functions of a compiled program, run in memory."""

    program: Program

    def get(self, name: str) -> Callable[..., nn.Module] | None:
        return partial(run_function, self.program, name) if self.program.has(name) else None

    def required_arguments(self, name: str) -> tuple[str, ...]:
        return tuple(param for param, default in self.program.function(name).params if default is None)

    def with_makers(self, factories: Mapping[str, nn.Module]) -> ProgramFunctions:
        functions = tuple(
            _constant_function(f, factories[f.name]) if f.name in factories else f for f in self.program.functions
        )
        return ProgramFunctions(replace(self.program, functions=functions))


def _constant_function(function: FunctionDefinition, module: nn.Module) -> FunctionDefinition:
    return FunctionDefinition(function.name, (("made", cast(Any, module)),), function.doc, (), Ref("made"))


@dataclass(frozen=True)
class FileFunctions:
    """The functions of a Python file, which may have been edited; the file is executed again."""

    path: Path
    module: ModuleType

    @classmethod
    def read(cls, path: Path) -> FileFunctions:
        module = ModuleType(f"_model_{abs(hash(path.resolve()))}")
        module.__file__ = str(path)
        sys.modules[module.__name__] = module  # dataclasses look up the types of their fields there
        exec(compile(path.read_text("utf-8"), str(path), "exec"), module.__dict__)
        return cls(path, module)

    def get(self, name: str) -> Callable[..., nn.Module] | None:
        return getattr(self.module, name, None)

    def required_arguments(self, name: str) -> tuple[str, ...]:
        parameters = inspect.signature(getattr(self.module, name)).parameters.values()
        return tuple(p.name for p in parameters if p.default is inspect.Parameter.empty)

    def with_makers(self, factories: Mapping[str, nn.Module]) -> FileFunctions:
        copy = FileFunctions.read(self.path)
        for name, made in factories.items():
            setattr(copy.module, name, lambda made=made: made)
        return copy


@dataclass(frozen=True)
class ModelUnderTest:
    """The functions under test, and the compilation of the spec, which gives the expected values."""

    expected: Compilation
    functions: ModelFunctions

    @property
    def operator_plan(self) -> OperatorPlan | None:
        plan = self.expected.operator_plan
        return plan if isinstance(plan, OperatorPlan) else None

    def fields(self, weights: int) -> dict[str, nn.Module]:
        """Learned fields with weights from a seed, large enough to reveal errors."""
        fields = {}
        with seeded(weights):
            for learned in self.expected.spec.learned:
                make = self.functions.get(factory_name(learned))
                if make is not None:
                    fields[python_name(learned)] = perturb_weights(make().double().eval())
        return fields

    def model(self, weights: int, fields: Fields | None = None, seed: int = 0) -> nn.Module:
        """The network in float64 and evaluation mode, with weights from a seed or prescribed fields."""
        with seeded(weights):
            return self._call(fields, "model", seed=seed)

    def operator(self, weights: int, fields: Fields | None = None, samples: int = 1024, seed: int = 0) -> nn.Module:
        """The evolution operator, with prescribed or newly initialised fields."""
        with seeded(weights):
            needed = self.functions.required_arguments("operator")
            made = {name: fields[name] if fields else self._made(name) for name in needed}
            return self._call(None, "operator", **made, samples=samples, seed=seed)

    def block(self, weights: int, width: int) -> nn.Module:
        """The block of an equation on feature maps, with `width` channels."""
        with seeded(weights):
            return self._call(None, "block", width=width)

    def _made(self, name: str) -> nn.Module:
        factory = next(factory_name(w) for w in self.expected.spec.learned if python_name(w) == name)
        return self._call(None, factory)

    def _call(self, fields: Fields | None, name: str, **arguments: Any) -> nn.Module:
        learned = self.expected.spec.learned
        factories = {factory_name(w): fields[python_name(w)] for w in learned if fields and python_name(w) in fields}
        function = (self.functions.with_makers(factories) if factories else self.functions).get(name)
        if function is None:
            raise ValueError(f"the model has no function '{name}'")
        return function(**arguments).double().eval()


def perturb_weights(module: nn.Module) -> nn.Module:
    """Rescales the weights, and adds noise to biases and scales."""
    with torch.no_grad():
        for p in module.parameters():
            p.mul_(WEIGHT_GAIN).add_(BIAS_STD * torch.randn_like(p) if p.dim() < 2 else torch.zeros_like(p))
    return module


def under_test(model: Compilation | ModelUnderTest) -> ModelUnderTest:
    return model if isinstance(model, ModelUnderTest) else ModelUnderTest(model, ProgramFunctions(model.program))


def package(folder: str | Path) -> ModelUnderTest:
    """The model of a compiled package, for `axioms` and `equation`.

    Args:
        folder: folder with `model.py` and `spec.pde`.

    Returns:
        The functions of `model.py`, which may have been edited, with the compilation of the spec.

    Raises:
        PdeError: if the spec has errors.
        OSError: if a file is missing.

    Example:
        >>> import pathlib
        >>> import pdedsl
        >>> from pdedsl.testing import axioms, model
        >>> for name, text in pdedsl.compile("rotation").files().items():
        ...     _ = pathlib.Path(name).write_text(text, "utf-8")
        >>> axioms.assert_hold(model.package("."), examples=3)
    """
    home = Path(folder)
    return ModelUnderTest(pdedsl.compile(home / "spec.pde", trust=True), FileFunctions.read(home / "model.py"))
