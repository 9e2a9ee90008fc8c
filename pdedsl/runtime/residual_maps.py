"""Where a user's own module has residual maps: x + F(x), S x + F(x), σ(x + F(x)), or several in sequence.

The forward pass of each module is traced with its children as opaque steps. A module is a residual map if its result is
such a sum, possibly followed by pointwise steps. Such a sum anywhere else, in the middle of a forward pass, is a
residual map after which noise cannot be inserted: `Found.open` names the modules that have one. Of torch's own layers
those of a transformer have residual maps; their forward passes cannot be traced, and are known.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import torch
from torch import fx, nn

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
class Found:
    """Residual maps by their paths; modules with such a sum in their middle; modules that could not be traced."""

    maps: tuple[str, ...]
    open: tuple[str, ...]
    unread: tuple[str, ...]


class Kind(StrEnum):
    """What a node of a traced pass is."""

    INPUT = "placeholder"
    ATTRIBUTE = "get_attr"
    FUNCTION = "call_function"
    METHOD = "call_method"
    MODULE = "call_module"
    RESULT = "output"


def _kind(node: fx.Node) -> Kind:
    return Kind(node.op)


def _function(node: fx.Node) -> object:
    """The function that is called, a method as a function of tensors; None for a module."""
    match _kind(node):
        case Kind.FUNCTION:
            return node.target
        case Kind.METHOD:
            return getattr(torch.Tensor, str(node.target), None)
        case _:
            return None


class _Flat(fx.Tracer):
    """Treats every child as a single step."""

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return True


def found_in(model: nn.Module) -> Found:
    """The outermost residual maps of a module, in the order of registration."""
    maps: list[str] = []
    open_: list[str] = []
    unread: list[str] = []
    for path, module in _walk("", model, maps):
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
    return Found(tuple(maps), tuple(open_), tuple(unread))


def _walk(path: str, module: nn.Module, maps: list[str]) -> Iterator[tuple[str, nn.Module]]:
    """Modules from the outside in; the inside of a residual map is not examined."""
    if not _is_plain(module):
        yield path, module
        if path in maps:
            return
    for name, child in module.named_children():
        yield from _walk(f"{path}.{name}" if path else name, child, maps)


def _is_plain(module: nn.Module) -> bool:
    """Torch's own modules, including containers, and modules without children: no residual maps but TRANSFORMERS."""
    torchs = type(module).__module__.startswith("torch.nn.") and not isinstance(module, TRANSFORMERS)
    return torchs or not list(module.children())


def _graph(module: nn.Module) -> fx.Graph | None:
    try:
        return _Flat().trace(module)
    except Exception:  # user code may do anything with a traced value that is not a tensor
        return None


def _sums(graph: fx.Graph) -> set[fx.Node]:
    """The nodes that are x + F(x): a state, plus something that modules or functions computed from it."""
    states: set[fx.Node] = {n for n in graph.nodes if _kind(n) is Kind.INPUT}
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
    if shortcut not in states and _kind(shortcut) is not Kind.MODULE:
        return False
    return any(_reaches(field, state, False, set()) for state in from_)


def _reaches(node: fx.Node, state: fx.Node, modules: bool, seen: set[fx.Node]) -> bool:
    """Whether a node depends on a state, with a module in between."""
    if node is state:
        return modules
    if node in seen:
        return False
    seen.add(node)
    through = modules or _kind(node) is Kind.MODULE
    return any(_reaches(n, state, through, seen) for n in node.all_input_nodes)


def _result(graph: fx.Graph, module: nn.Module) -> fx.Node | None:
    """The returned node, before pointwise functions."""
    node = next(n for n in graph.nodes if _kind(n) is Kind.RESULT).args[0]
    while isinstance(node, fx.Node) and _is_pointwise(node, module):
        node = node.args[0]
    return node if isinstance(node, fx.Node) else None


def _is_pointwise(node: fx.Node, module: nn.Module) -> bool:
    if _kind(node) is Kind.MODULE:
        return isinstance(module.get_submodule(str(node.target)), POINTWISE_MODULES)
    return _function(node) in POINTWISE
