"""Context managers for evaluation: eval mode, frozen parameters, and a fixed random state, all restored afterwards."""

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


MAX_DEPTH = 4
"""Levels of references that are followed from a callable."""


def modules_of(model: object) -> list[nn.Module]:
    """The modules that a callable refers to: itself, its attributes, closure and globals, also through functions and
    collections."""
    modules: dict[nn.Module, None] = {}
    seen: set[int] = set()
    level = [model]
    for _ in range(MAX_DEPTH):
        level = [value for value in level if id(value) not in seen]
        seen.update(map(id, level))
        modules.update((value, None) for value in level if isinstance(value, nn.Module))
        level = [inner for value in level for inner in _references(value)]
    inner = {part for module in modules for part in module.modules() if part is not module}
    return [module for module in modules if module not in inner]


def _references(value: object) -> Iterable[object]:
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
def frozen_state(modules: Sequence[nn.Module], seed: int, training: bool = False) -> Iterator[None]:
    """Eval mode, frozen parameters and global generators seeded with `seed`; everything is restored afterwards.

    With `training` the modules are in training mode, except batch norms, so that adversarial batches do not enter
    their running statistics.
    """
    parts = list(dict.fromkeys(part for module in modules for part in module.modules()))
    with ExitStack() as stack:
        stack.enter_context(module_modes(parts, training))
        stack.enter_context(frozen(p for part in parts for p in part.parameters(recurse=False)))
        stack.enter_context(_restored_buffers(parts))
        stack.enter_context(_restored_generators(parts))
        stack.enter_context(_seeded_globals(seed))
        yield


@contextmanager
def module_modes(modules: Iterable[nn.Module], training: bool) -> Iterator[None]:
    """Eval mode, or training mode except for batch norms; the previous modes are restored afterwards."""
    before = [(module, module.training) for module in modules]
    try:
        for module, _ in before:
            module.training = training and not isinstance(module, _BatchNorm)
        yield
    finally:
        for module, mode in before:
            module.training = mode


@contextmanager
def frozen(parameters: Iterable[nn.Parameter]) -> Iterator[None]:
    """Disables parameter gradients; input gradients alone take 0.7 to 0.8 of the time."""
    learned = [p for p in parameters if p.requires_grad]
    try:
        for parameter in learned:
            parameter.requires_grad_(False)
        yield
    finally:
        for parameter in learned:
            parameter.requires_grad_(True)


@contextmanager
def _restored_buffers(parts: list[nn.Module]) -> Iterator[None]:
    """Restores buffers: the same tensors with the same values, even if a forward pass replaced them."""
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
    """The states of the global generators and of the generators of the modules."""
    generators = _generators_of([part for module in modules for part in module.modules()])
    states = [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else ())]
    states += [generator.get_state() for generator in generators]
    return [*(state.tolist() for state in states), random.getstate(), repr(numpy.random.get_state(legacy=False))]


def _generators_of(parts: Iterable[nn.Module]) -> list[torch.Generator]:
    return [value for part in parts for value in vars(part).values() if isinstance(value, torch.Generator)]


@contextmanager
def _restored_generators(parts: list[nn.Module]) -> Iterator[None]:
    generators = _generators_of(parts)
    before = [generator.get_state() for generator in generators]
    try:
        yield
    finally:
        for generator, state in zip(generators, before, strict=True):
            generator.set_state(state)


@contextmanager
def _seeded_globals(seed: int) -> Iterator[None]:
    """Seeds the global generators of torch, numpy and Python, and restores them afterwards."""
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
