"""The user's own networks: noise after their residual maps, and fields on points.

A `Misfit` says what is wrong: a shape, a residual map that is never called, noise that has no place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from pdedsl.runtime.backbones import Shape
from pdedsl.runtime.residual_maps import TRANSFORMERS, found_in
from pdedsl.runtime.standardize import Standardize


class Misfit(ValueError):
    """A network that is not what the equation asks for."""


class NoMaps(Misfit):
    """Noise is requested, but the residual maps are not known."""


class Followed(nn.Module):
    """noise(F(x)): a residual map of any signature, followed by noise."""

    def __init__(self, map: nn.Module, noise: nn.Module) -> None:
        super().__init__()
        self.map, self.noise = map, noise

    def forward(self, *args: object, **named: object) -> Tensor:
        return cast(Tensor, self.noise(self.map(*args, **named)))

    def __getattr__(self, name: str) -> Any:
        """Attributes; `nn.TransformerEncoder` also reads those of its layers, which the map knows."""
        parts = self.__dict__.get("_modules", {})
        layer = parts.get("map")
        return (
            getattr(layer, name) if isinstance(layer, TRANSFORMERS) and name not in parts else super().__getattr__(name)
        )


class Led(nn.Module):
    """W(noise(x)): the readout, preceded by noise."""

    def __init__(self, noise: nn.Module, readout: nn.Linear) -> None:
        super().__init__()
        self.noise, self.readout = noise, readout

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.readout(self.noise(x)))


@dataclass(frozen=True)
class OwnBackbone:
    """A module from inputs of one shape to class scores. `named` are classes or paths of its residual maps."""

    model: nn.Module
    shape: Shape
    named: tuple[str, ...]

    @property
    def maps(self) -> tuple[str, ...]:
        """The paths of the residual maps, in the order of their calls; each is called once."""
        paths = self._named() if self.named else self._found()
        order = _calls(self.model, paths, self.shape)
        for path in paths:
            if order.count(path) != 1:
                times = "never" if path not in order else f"{order.count(path)} times"
                raise NoMaps(f"the residual map '{path}' is called {times} in a forward pass, which must be once")
        return tuple(order)

    def _found(self) -> tuple[str, ...]:
        found = found_in(self.model)
        if found.open:
            where = f"'{found.open[0]}'" if found.open[0] else "the network itself"
            raise NoMaps(f"x + F(x) is computed inside {where}, where no noise can be added after it")
        if not found.maps:
            unread = f"; '{found.unread[0] or 'forward'}' could not be read" if found.unread else ""
            raise NoMaps(f"no residual maps x + F(x) were found in {type(self.model).__name__}{unread}")
        return found.maps

    def _named(self) -> tuple[str, ...]:
        """The modules of a class, or at a path; a list of modules stands for its members."""
        modules = dict(self.model.named_modules())
        paths: list[str] = []
        for name in self.named:
            own = [path for path, module in modules.items() if type(module).__name__ == name]
            if not own and isinstance(modules.get(name), nn.ModuleList | nn.Sequential):
                own = [f"{name}.{child}" for child, _ in modules[name].named_children()]
            paths += own or [name] * (name in modules)
            if not own and name not in modules:
                raise NoMaps(f"{type(self.model).__name__} has no module of the class or at the path '{name}'")
        return tuple(dict.fromkeys(paths))

    def network(
        self, after: Callable[[int], nn.Module] | None = None, before_readout: nn.Module | None = None
    ) -> nn.Sequential:
        """The model with `after(l)` after its residual map l, and `before_readout` before its last linear map."""
        readout = _readout(self.model, self.shape) if before_readout is not None else ""
        if after is not None:
            for index, path in enumerate(self.maps):
                self.model.set_submodule(path, Followed(self.model.get_submodule(path), after(index)))
        if before_readout is not None:
            linear = cast(nn.Linear, self.model.get_submodule(readout))
            self.model.set_submodule(readout, Led(before_readout, linear))
        return nn.Sequential(Standardize(self.shape[0]), self.model)


def own_backbone(
    model: nn.Module,
    shape: Shape,
    classes: int,
    *,
    maps: Sequence[str] = (),
    count: int | None = None,
    time: bool = False,
) -> OwnBackbone:
    """A module as a network on inputs of `shape`, with an additional channel for time. `count` is the number of
    residual maps by which its steps were counted."""
    _require_module(model)
    taken = (shape[0] + time, *shape[1:])
    scores = _tried(model, torch.zeros(2, *taken))
    if scores.shape != (2, classes):
        raise Misfit(
            f"{type(model).__name__} maps two inputs of shape {taken} to shape {tuple(scores.shape)}: "
            f"expected scores of {classes} classes, shape {(2, classes)}"
        )
    made = OwnBackbone(model, taken, tuple(maps))
    if count is not None and len(made.maps) != count:
        raise Misfit(f"{type(model).__name__} was compiled with {count} residual maps and has {len(made.maps)}")
    return made


class OwnField(nn.Module):
    """A module as a field on points (..., d): called as `network(x)`, or `network(x, t)` with t of shape (n, 1)."""

    def __init__(self, network: nn.Module, dimension: int, outputs: int, timed: bool) -> None:
        super().__init__()
        _require_module(network)
        self.network, self.outputs, self.timed = network, outputs, timed
        points = torch.zeros(2, dimension)
        values = _tried(network, points, *[torch.zeros(2, 1)] * timed)
        if values.shape != (2, outputs):
            raise Misfit(
                f"{type(network).__name__} makes {tuple(values.shape)} of two points {(2, dimension)}: "
                f"wanted is {(2, outputs)}"
            )

    def forward(self, x: Tensor, t: Tensor | float | None = None) -> Tensor:
        points = x.reshape(-1, x.shape[-1])
        times = []
        if self.timed:
            clock = torch.as_tensor(t, dtype=x.dtype, device=x.device)
            times = [clock.expand(x.shape[:-1]).reshape(-1, 1)]
        return cast(Tensor, self.network(points, *times)).reshape(*x.shape[:-1], self.outputs)


# ---- trying it


def _require_module(model: object) -> None:
    if not isinstance(model, nn.Module):
        raise Misfit(f"a network must be an nn.Module, found {type(model).__name__}")


def _tried(model: nn.Module, *inputs: Tensor) -> Tensor:
    """The value at the given inputs, in evaluation mode and without gradients; the modes of the module are restored."""
    with _evaluating(model), torch.no_grad():
        value = model(*inputs)
    if not isinstance(value, Tensor):
        raise Misfit(f"{type(model).__name__} returns {type(value).__name__}: wanted is a tensor")
    return value


@contextmanager
def _evaluating(model: nn.Module) -> Iterator[None]:
    modes = [(module, module.training) for module in model.modules()]
    try:
        model.eval()
        yield
    finally:
        for module, mode in modes:
            module.training = mode


def _calls(model: nn.Module, paths: Sequence[str], shape: Shape) -> list[str]:
    """Which of the modules are called in a forward pass, in order."""
    called: list[str] = []
    hooks = [
        model.get_submodule(path).register_forward_hook(lambda *_, path=path: called.append(path)) for path in paths
    ]
    try:
        _tried(model, torch.zeros(2, *shape))
    finally:
        for hook in hooks:
            hook.remove()
    return called


def _readout(model: nn.Module, shape: Shape) -> str:
    """The path of the linear map whose output is that of the model."""
    paths = [path for path, module in model.named_modules() if isinstance(module, nn.Linear)]
    values: dict[str, Tensor] = {}
    hooks = []
    for path in paths:
        keep = lambda module, args, out, path=path: values.__setitem__(path, out)  # noqa: E731
        hooks.append(model.get_submodule(path).register_forward_hook(keep))
    try:
        scores = _tried(model, torch.zeros(2, *shape))
    finally:
        for hook in hooks:
            hook.remove()
    last = [path for path, value in values.items() if value is scores]
    if not last:
        raise Misfit(f"{type(model).__name__} does not end in a linear map, in front of which noise could stand")
    return last[-1]
