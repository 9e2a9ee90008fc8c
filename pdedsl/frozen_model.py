"""What attacks and certificates leave unchanged: the model's modes, flags, buffers and generators, random state."""

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


DEPTH = 4
"""How far a callable is followed through what it holds."""


def modules_of(model: object) -> list[nn.Module]:
    """The modules that a callable runs: itself, or those it holds or its code refers to, directly or through functions
    and collections."""
    found: dict[nn.Module, None] = {}
    seen: set[int] = set()
    level = [model]
    for _ in range(DEPTH):
        level = [value for value in level if id(value) not in seen]
        seen.update(map(id, level))
        found.update((value, None) for value in level if isinstance(value, nn.Module))
        level = [held for value in level for held in _held(value)]
    inner = {part for module in found for part in module.modules() if part is not module}
    return [module for module in found if module not in inner]


def _held(value: object) -> Iterable[object]:
    match value:
        case nn.Module() | type() | Tensor():
            return ()
        case functools.partial():
            return value.func, *value.args, *value.keywords.values()
        case list() | tuple():
            return value
        case dict():
            return value.values()
        case _ if inspect.ismethod(value):
            return value.__self__, value.__func__
        case _ if inspect.isfunction(value):
            names = inspect.getclosurevars(value)
            return *names.nonlocals.values(), *names.globals.values(), *(value.__defaults__ or ())
        case _:
            return vars(value).values() if callable(value) and hasattr(value, "__dict__") else ()


@contextmanager
def untouched(modules: Sequence[nn.Module], seed: int, training: bool = False) -> Iterator[None]:
    """Within: evaluation mode, frozen parameters, and random numbers that are a function of `seed`.

    With `training` the modules are in training mode except their batch norms, whose running statistics must not see
    attacked batches. Afterwards everything is restored.
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
    """Within, no parameter requires a gradient: the gradient in the inputs alone takes 0.7 to 0.8 of the time."""
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


def random_state(modules: Sequence[nn.Module]) -> list[object]:
    """The state of the global generators and of those of the modules: it changes when a number is drawn."""
    owned = _owned([part for module in modules for part in module.modules()])
    states = [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else ())]
    states += [generator.get_state() for generator in owned]
    return [*(state.tolist() for state in states), random.getstate(), repr(numpy.random.get_state(legacy=False))]


def _owned(parts: Iterable[nn.Module]) -> list[torch.Generator]:
    return [value for part in parts for value in vars(part).values() if isinstance(value, torch.Generator)]


@contextmanager
def _generators(parts: list[nn.Module]) -> Iterator[None]:
    owned = _owned(parts)
    before = [generator.get_state() for generator in owned]
    try:
        yield
    finally:
        for generator, state in zip(owned, before, strict=True):
            generator.set_state(state)


@contextmanager
def _process(seed: int) -> Iterator[None]:
    """Within, the global generators of torch, numpy and Python start from the seed; afterwards they are restored."""
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
