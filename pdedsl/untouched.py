"""What attacks and certificates leave as it was: modes, flags, buffers and generators of the model, random state."""

from __future__ import annotations

import functools
import inspect
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import numpy
import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

Model = Callable[[Tensor], Tensor]


def modules_of(model: object) -> list[nn.Module]:
    """The modules that a callable runs: itself, its owner if it is a method, or what its code refers to."""
    if isinstance(model, nn.Module):
        return [model]
    if isinstance(model, functools.partial):
        return [module for part in (model.func, *model.args) for module in modules_of(part)]
    if inspect.ismethod(model):
        return modules_of(model.__self__)
    if inspect.isfunction(model):
        names = inspect.getclosurevars(model)
        return [value for scope in (names.nonlocals, names.globals) for value in scope.values() if _is_module(value)]
    return [value for value in getattr(model, "__dict__", {}).values() if _is_module(value)]


def _is_module(value: object) -> bool:
    return isinstance(value, nn.Module)


@contextmanager
def untouched(modules: Sequence[nn.Module], seed: int, training: bool = False) -> Iterator[None]:
    """Within: evaluation mode, frozen parameters, and random numbers that are a function of `seed`.

    With `training` the modules are in training mode but for their batch norms, whose running statistics must not see
    attacked batches. Afterwards all is as it was.
    """
    parts = list(dict.fromkeys(part for module in modules for part in module.modules()))
    with ExitStack() as stack:
        stack.enter_context(_modes(parts, training))
        stack.enter_context(frozen(p for part in parts for p in part.parameters(recurse=False)))
        stack.enter_context(_buffers(parts))
        stack.enter_context(_generators(parts))
        stack.enter_context(_process(seed))
        yield


@contextmanager
def _modes(parts: list[nn.Module], training: bool) -> Iterator[None]:
    before = [part.training for part in parts]
    try:
        for part in parts:
            part.training = training and not isinstance(part, _BatchNorm)
        yield
    finally:
        for part, mode in zip(parts, before, strict=True):
            part.training = mode


@contextmanager
def frozen(parameters: Iterable[nn.Parameter]) -> Iterator[None]:
    """No parameter asks for a gradient: one by the inputs alone costs 0.7 to 0.8 of the time."""
    learned = [p for p in parameters if p.requires_grad]
    try:
        for parameter in learned:
            parameter.requires_grad_(False)
        yield
    finally:
        for parameter in learned:
            parameter.requires_grad_(True)


@contextmanager
def _buffers(parts: list[nn.Module]) -> Iterator[None]:
    """Buffers come back as the same tensors with the same values, even where a forward pass replaced them."""
    before = [
        (part, name, b, b.detach().clone()) for part in parts for name, b in part._buffers.items() if b is not None
    ]
    try:
        yield
    finally:
        with torch.no_grad():
            for part, name, buffer, value in before:
                part._buffers[name] = buffer
                if not torch.equal(buffer, value):
                    buffer.copy_(value)


@contextmanager
def _generators(parts: list[nn.Module]) -> Iterator[None]:
    owned = [value for part in parts for value in vars(part).values() if isinstance(value, torch.Generator)]
    before = [generator.get_state() for generator in owned]
    try:
        yield
    finally:
        for generator, state in zip(owned, before, strict=True):
            generator.set_state(state)


@contextmanager
def _process(seed: int) -> Iterator[None]:
    """The global generators of torch, numpy and Python, lent to the model and given back."""
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    python, numbers = random.getstate(), numpy.random.get_state()
    try:
        with torch.random.fork_rng(devices=devices):
            torch.default_generator.manual_seed(seed)
            if devices:
                torch.cuda.manual_seed_all(seed)
            random.seed(seed)
            numpy.random.seed(seed % 2**32)
            yield
    finally:
        random.setstate(python)
        numpy.random.set_state(numbers)
