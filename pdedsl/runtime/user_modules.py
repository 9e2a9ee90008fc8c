"""User networks: detection of their residual blocks, noise after them, and user fields on points.

A residual block computes x + F(x), S x + F(x) or σ(x + F(x)), or several in sequence. Each forward pass is traced with
its children as opaque steps. A module is a residual block if its result is such a sum, possibly followed by pointwise
functions. After such a sum in the middle of a forward pass noise cannot be inserted: `open` lists these modules. Of
torch's own layers those of a transformer are residual blocks; they cannot be traced, and are known.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

import torch
from torch import Tensor, fx, nn

from pdedsl.runtime.backbones import Backbone, ChannelsLast, Shape
from pdedsl.runtime.standardization import Standardize

# ---- Residual blocks


ADDITIONS = (operator.add, operator.iadd, torch.add, torch.Tensor.add, torch.Tensor.add_)
POINTWISE = (
    torch.relu,
    nn.functional.relu,
    nn.functional.gelu,
    nn.functional.silu,
    torch.Tensor.relu,
    torch.Tensor.relu_,
    torch.Tensor.contiguous,
)
POINTWISE_MODULES = (nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.GELU, nn.SiLU, nn.Hardswish, nn.ELU, nn.Identity, nn.Dropout)
TRANSFORMERS = (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)
"""x + F(N x) after x + F(N x), if the norm N comes first; else N(x + F(x)), whose sums are in the middle."""


@dataclass(frozen=True)
class ResidualBlockSearch:
    """Residual blocks by their paths; modules with such a sum in their middle; modules that could not be traced."""

    maps: tuple[str, ...]
    open: tuple[str, ...]
    unread: tuple[str, ...]


class FxNodeKind(StrEnum):
    """Kind of a node in a traced forward pass."""

    INPUT = "placeholder"
    ATTRIBUTE = "get_attr"
    FUNCTION = "call_function"
    METHOD = "call_method"
    MODULE = "call_module"
    RESULT = "output"


def _kind(node: fx.Node) -> FxNodeKind:
    return FxNodeKind(node.op)


def _function(node: fx.Node) -> object:
    """The function that is called, a method as a function of tensors; None for a module."""
    match _kind(node):
        case FxNodeKind.FUNCTION:
            return node.target
        case FxNodeKind.METHOD:
            return getattr(torch.Tensor, str(node.target), None)
        case _:
            return None


class _Flat(fx.Tracer):
    """Treats every child as a single step."""

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return True


def find_residual_blocks(model: nn.Module) -> ResidualBlockSearch:
    """The outermost residual blocks of a module, in the order of registration."""
    maps: list[str] = []
    open_: list[str] = []
    unread: list[str] = []
    for path, module in _candidate_modules("", model, maps):
        if isinstance(module, TRANSFORMERS):
            (maps if module.norm_first else open_).append(path)
            continue
        graph = _graph(module)
        if graph is None:
            unread.append(path)
            continue
        sums = _sums(graph)
        last = _result(graph, module)
        if last is not None and last in sums:
            maps.append(path)
        elif sums:
            open_.append(path)
    return ResidualBlockSearch(tuple(maps), tuple(open_), tuple(unread))


def _candidate_modules(path: str, module: nn.Module, maps: list[str]) -> Iterator[tuple[str, nn.Module]]:
    """Modules from the outside in; the inside of a residual block is not examined."""
    if not _is_torch_module(module):
        yield path, module
        if path in maps:
            return
    for name, child in module.named_children():
        yield from _candidate_modules(f"{path}.{name}" if path else name, child, maps)


def _is_torch_module(module: nn.Module) -> bool:
    """Torch's own modules, including containers, and modules without children: no residual blocks but TRANSFORMERS."""
    torchs = type(module).__module__.startswith("torch.nn.") and not isinstance(module, TRANSFORMERS)
    return torchs or not list(module.children())


def _graph(module: nn.Module) -> fx.Graph | None:
    try:
        return _Flat().trace(module)
    except Exception:  # user code may do anything with a traced value that is not a tensor
        return None


def _sums(graph: fx.Graph) -> set[fx.Node]:
    """The nodes that are x + F(x): a state, plus something that modules or functions computed from it."""
    states: set[fx.Node] = {n for n in graph.nodes if _kind(n) is FxNodeKind.INPUT}
    sums: set[fx.Node] = set()
    for node in graph.nodes:
        if _function(node) not in ADDITIONS:
            continue
        terms = [a for a in node.args if isinstance(a, fx.Node)]
        if len(terms) == 2 and any(_is_residual(a, b, states) for a, b in (terms, terms[::-1])):
            sums.add(node)
            states.add(node)
    return sums


def _is_residual(shortcut: fx.Node, field: fx.Node, states: set[fx.Node]) -> bool:
    """Whether `shortcut` is a state or one step from it, and `field` depends on the same state through a module."""
    from_ = [shortcut] if shortcut in states else [n for n in shortcut.all_input_nodes if n in states]
    if shortcut not in states and _kind(shortcut) is not FxNodeKind.MODULE:
        return False
    return any(_reaches(field, state, False, set()) for state in from_)


def _reaches(node: fx.Node, state: fx.Node, modules: bool, seen: set[fx.Node]) -> bool:
    """Whether a node depends on a state, with a module in between."""
    if node is state:
        return modules
    if node in seen:
        return False
    seen.add(node)
    through = modules or _kind(node) is FxNodeKind.MODULE
    return any(_reaches(n, state, through, seen) for n in node.all_input_nodes)


def _result(graph: fx.Graph, module: nn.Module) -> fx.Node | None:
    """The returned node, before pointwise functions."""
    node = next(n for n in graph.nodes if _kind(n) is FxNodeKind.RESULT).args[0]
    while isinstance(node, fx.Node) and _is_pointwise(node, module):
        node = node.args[0]
    return node if isinstance(node, fx.Node) else None


def _is_pointwise(node: fx.Node, module: nn.Module) -> bool:
    if _kind(node) is FxNodeKind.MODULE:
        return isinstance(module.get_submodule(str(node.target)), POINTWISE_MODULES)
    return _function(node) in POINTWISE


# ---- User networks and fields


class IncompatibleNetwork(ValueError):
    """The network does not have the signature or structure that the equation requires."""


class NoResidualBlocks(IncompatibleNetwork):
    """Noise is requested, but the residual blocks cannot be determined."""


class NoiseAfter(nn.Module):
    """noise(F(x)): a residual block of any signature, followed by noise."""

    def __init__(self, map: nn.Module, noise: nn.Module) -> None:
        super().__init__()
        self.map, self.noise = map, noise

    def forward(self, *args: object, **named: object) -> Tensor:
        return cast(Tensor, self.noise(self.map(*args, **named)))

    def __getattr__(self, name: str) -> Any:
        """Attributes; `nn.TransformerEncoder` also reads those of its layers, which are in the map."""
        parts = self.__dict__.get("_modules", {})
        layer = parts.get("map")
        return (
            getattr(layer, name) if isinstance(layer, TRANSFORMERS) and name not in parts else super().__getattr__(name)
        )


class NoiseBefore(nn.Module):
    """W(noise(x)): the readout, preceded by noise."""

    def __init__(self, noise: nn.Module, readout: nn.Linear) -> None:
        super().__init__()
        self.noise, self.readout = noise, readout

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.readout(self.noise(x)))


@dataclass(frozen=True)
class UserBackbone:
    """A module from inputs of one shape to class logits. `named` are classes or paths of its residual blocks."""

    model: nn.Module
    shape: Shape
    named: tuple[str, ...]

    @property
    def residual_blocks(self) -> tuple[str, ...]:
        """The paths of the residual blocks, in the order of their calls; each is called once."""
        paths = self._modules_by_name() if self.named else self._residual_block_paths()
        order = [path for path, _ in _record_outputs(self.model, paths, self.shape)[1]]
        for path in paths:
            if order.count(path) != 1:
                times = "never" if path not in order else f"{order.count(path)} times"
                raise NoResidualBlocks(
                    f"the residual block '{path}' is called {times} in a forward pass; it must be called once"
                )
        return tuple(order)

    def _residual_block_paths(self) -> tuple[str, ...]:
        search = find_residual_blocks(self.model)
        if search.open:
            where = f"'{search.open[0]}'" if search.open[0] else "the network itself"
            raise NoResidualBlocks(f"x + F(x) is computed inside {where}, so noise cannot be added after it")
        if not search.maps:
            unread = f"; '{search.unread[0] or 'forward'}' could not be traced" if search.unread else ""
            raise NoResidualBlocks(f"no residual blocks x + F(x) were found in {type(self.model).__name__}{unread}")
        return search.maps

    def _modules_by_name(self) -> tuple[str, ...]:
        """The modules of a class, or at a path; a list of modules stands for its elements."""
        modules = dict(self.model.named_modules())
        paths: list[str] = []
        for name in self.named:
            own = [path for path, module in modules.items() if type(module).__name__ == name]
            if not own and isinstance(modules.get(name), nn.ModuleList | nn.Sequential):
                own = [f"{name}.{child}" for child, _ in modules[name].named_children()]
            paths += own or [name] * (name in modules)
            if not own and name not in modules:
                raise NoResidualBlocks(
                    f"{type(self.model).__name__} has no module of the class or at the path '{name}'"
                )
        return tuple(dict.fromkeys(paths))

    def network(
        self, after: Callable[[int], nn.Module] | None = None, before_readout: nn.Module | None = None
    ) -> nn.Sequential:
        """The model with `after(l)` after its residual block l, and `before_readout` before its last linear map."""
        readout = _readout(self.model, self.shape) if before_readout is not None else ""
        if after is not None:
            for index, path in enumerate(self.residual_blocks):
                self.model.set_submodule(path, NoiseAfter(self.model.get_submodule(path), after(index)))
        if before_readout is not None:
            linear = cast(nn.Linear, self.model.get_submodule(readout))
            self.model.set_submodule(readout, NoiseBefore(before_readout, linear))
        return nn.Sequential(Standardize(self.shape[0]), self.model)


def user_backbone(
    model: nn.Module,
    shape: Shape,
    classes: int,
    *,
    residual_blocks: Sequence[str] = (),
    count: int | None = None,
    time: bool = False,
) -> UserBackbone:
    """A module as a network on inputs of `shape`, with an additional channel for time. `count` is the number of
    residual blocks at compile time."""
    _require_module(model)
    taken = (shape[0] + time, *shape[1:])
    logits = _evaluate(model, torch.zeros(2, *taken))
    if logits.shape != (2, classes):
        raise IncompatibleNetwork(
            f"{type(model).__name__} maps two inputs of shape {taken} to shape {tuple(logits.shape)}: "
            f"expected logits of {classes} classes, shape {(2, classes)}"
        )
    made = UserBackbone(model, taken, tuple(residual_blocks))
    if count is not None and len(made.residual_blocks) != count:
        raise IncompatibleNetwork(
            f"{type(model).__name__} was compiled with {count} residual blocks and has {len(made.residual_blocks)}"
        )
    return made


class UserField(nn.Module):
    """A module as a field on points (..., d): called as `network(x)`, or `network(x, t)` with t of shape (n, 1)."""

    def __init__(self, network: nn.Module, dimension: int, outputs: int, timed: bool) -> None:
        super().__init__()
        _require_module(network)
        self.network, self.outputs, self.timed = network, outputs, timed
        points = torch.zeros(2, dimension)
        values = _evaluate(network, points, *[torch.zeros(2, 1)] * timed)
        if values.shape != (2, outputs):
            raise IncompatibleNetwork(
                f"{type(network).__name__} maps two points of shape {(2, dimension)} to shape {tuple(values.shape)}: "
                f"expected {(2, outputs)}"
            )

    def forward(self, x: Tensor, t: Tensor | float | None = None) -> Tensor:
        points = x.reshape(-1, x.shape[-1])
        times = []
        if self.timed:
            time = torch.as_tensor(t, dtype=x.dtype, device=x.device)
            times = [time.expand(x.shape[:-1]).reshape(-1, 1)]
        return cast(Tensor, self.network(points, *times)).reshape(*x.shape[:-1], self.outputs)


# ---- Trial evaluation


def _require_module(model: object) -> None:
    if not isinstance(model, nn.Module):
        raise IncompatibleNetwork(f"a network must be an nn.Module, found {type(model).__name__}")


def _evaluate(model: nn.Module, *inputs: Tensor) -> Tensor:
    """The value at these inputs, in evaluation mode and without gradients; the modes of the modules are restored."""
    with _eval_mode(model), torch.no_grad():
        value = model(*inputs)
    if not isinstance(value, Tensor):
        raise IncompatibleNetwork(f"{type(model).__name__} returns {type(value).__name__}: expected a tensor")
    return value


@contextmanager
def _eval_mode(model: nn.Module) -> Iterator[None]:
    modes = [(module, module.training) for module in model.modules()]
    try:
        model.eval()
        yield
    finally:
        for module, mode in modes:
            module.training = mode


def _record_outputs(model: nn.Module, paths: Sequence[str], shape: Shape) -> tuple[Tensor, list[tuple[str, Tensor]]]:
    """The value of the model, and the outputs of these modules in the order of their calls."""
    outputs: list[tuple[str, Tensor]] = []
    hooks = [
        model.get_submodule(path).register_forward_hook(lambda *call, path=path: outputs.append((path, call[-1])))
        for path in paths
    ]
    try:
        return _evaluate(model, torch.zeros(2, *shape)), outputs
    finally:
        for hook in hooks:
            hook.remove()


def _readout(model: nn.Module, shape: Shape) -> str:
    """The path of the linear map whose output is that of the model."""
    paths = [path for path, module in model.named_modules() if isinstance(module, nn.Linear)]
    logits, outputs = _record_outputs(model, paths, shape)
    last = [path for path, value in outputs if value is logits]
    if not last:
        raise IncompatibleNetwork(
            f"{type(model).__name__} does not end in a linear layer, before which noise could be added"
        )
    return last[-1]


# ---- Torchvision models


RESIDUAL_BLOCK_CLASSES = ("BasicBlock", "Bottleneck", "ResBottleneckBlock", "CNBlock")
"""Blocks x + F(x), or S·x + F(x) where the shape changes (He et al. 2016; Radosavovic et al. 2020; Liu et al. 2022)."""
RESIDUAL_FLAGS = {
    **dict.fromkeys(("InvertedResidual", "MBConv", "FusedMBConv"), "use_res_connect"),
    "_InvertedResidual": "apply_residual",
}
"""Blocks that are residual where their shape stays (Sandler et al. 2018; Tan, Le 2019), and the attribute for it."""


def is_residual_block(block: nn.Module) -> bool:
    name = type(block).__name__
    return name in RESIDUAL_BLOCK_CLASSES or bool(getattr(block, RESIDUAL_FLAGS.get(name, ""), False))


@dataclass(frozen=True)
class TorchvisionBackbone:
    """A model that is not a sequence of parts."""

    model: nn.Module

    def network(
        self, after: Callable[[int], nn.Module] | None = None, before_readout: nn.Module | None = None
    ) -> nn.Sequential:
        """The model with `after(l)` after its residual block l, and `before_readout` before its last linear map."""
        if after is not None:
            for index, (owner, name, block) in enumerate(_children(self.model, is_residual_block)):
                owner.register_module(name, nn.Sequential(block, after(index)))
        if before_readout is not None:
            owner, name, linear = _children(self.model, lambda module: isinstance(module, nn.Linear))[-1]
            owner.register_module(name, nn.Sequential(before_readout, linear))
        return nn.Sequential(Standardize(3), self.model)


def _children(model: nn.Module, wanted: Callable[[nn.Module], bool]) -> list[tuple[nn.Module, str, nn.Module]]:
    """Modules of one kind, with their owners and their names there, in the order of the model."""
    fields = []
    for owner in model.modules():
        fields += [(owner, name, child) for name, child in owner.named_children() if wanted(child)]
    order = {id(module): k for k, module in enumerate(model.modules())}
    return sorted(fields, key=lambda entry: order[id(entry[2])])


def torchvision_model(name: str, classes: int = 1000) -> Backbone | TorchvisionBackbone:
    """A torchvision model by name, with random weights. The ResNet family is split at its residual blocks; in any other
    model noise is inserted after them in place."""
    with torch.device("cpu"):  # old versions cannot be imported while another device is the default
        from torchvision.models import get_model  # here, because it imports slowly

    model = get_model(name, weights=None, num_classes=classes)
    stages = [stage for k in (1, 2, 3, 4) if isinstance(stage := getattr(model, f"layer{k}", None), nn.Sequential)]
    if len(stages) < 4 or not hasattr(model, "maxpool"):
        return TorchvisionBackbone(model)
    stem = nn.Sequential(Standardize(3), ChannelsLast(), model.conv1, model.bn1, model.relu, model.maxpool)
    blocks = tuple(block for stage in stages for block in stage)
    return Backbone(stem, blocks, nn.Sequential(model.avgpool, nn.Flatten(), model.fc))
