"""Recorded evaluations of standard architectures, block by block.

A residual block x + F(x) is an Euler step whose branch F includes the step size; the drift is F, and the noise is given
by the equation: standard deviation √(2νh) between two blocks, or random residuals.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from pdedsl.testing.distributions import (
    concatenate_calls,
    endpoints_of_model,
    members_of,
    readout_of,
    record_calls,
    repeat_points,
)


@dataclass(frozen=True)
class NetworkParts:
    """The parts of a standard architecture: stem, residual blocks, head, flattening and readout."""

    stem: nn.Module
    blocks: tuple[nn.Module, ...]
    head: nn.Module
    flat: nn.Module
    readout: nn.Module


@dataclass(frozen=True)
class RecordedCall:
    """The input and output of a module."""

    input: Tensor
    output: Tensor


@dataclass(frozen=True)
class RecordedBlock:
    """A recorded residual block with its residual branch, and the branches of a random residual."""

    block: nn.Module
    call: RecordedCall
    field: RecordedCall | None
    branches: tuple[RecordedCall, ...]


@dataclass(frozen=True)
class RecordedRun:
    """One recorded evaluation of a member; `x` is its input."""

    x: Tensor
    stem: RecordedCall
    blocks: tuple[RecordedBlock, ...]
    head: RecordedCall
    flat: RecordedCall
    readout: RecordedCall


def network_parts(member: nn.Module) -> NetworkParts:
    parts = _parts(member)
    places = [k for k, p in enumerate(parts) if _is_residual_block(p)]
    if not places:
        raise ValueError("the network has no residual blocks")
    flat = [m for m in member.modules() if isinstance(m, nn.Flatten)]
    head = next(p for p in parts[places[-1] + 1 :] if _has_weights(p))
    stem = next(p for p in parts if _has_weights(p))
    return NetworkParts(stem, tuple(parts[k] for k in places), head, flat[-1], readout_of(member))


def _parts(module: nn.Module) -> list[nn.Module]:
    """The parts of a sequence that contains residual blocks; any other module is one part."""
    if isinstance(module, nn.Sequential) and any(_is_residual_block(m) for m in module.modules()):
        return [part for child in module for part in _parts(child)]
    return [module]


def _is_residual_block(module: nn.Module) -> bool:
    """Whether this is a residual block: ours have a `field`, those of torchvision a `downsample`."""
    return isinstance(getattr(module, "field", None), nn.Module) or hasattr(module, "downsample")


def _has_weights(module: nn.Module) -> bool:
    """Whether a module has weights, except noise, whose scale may be learned."""
    return not hasattr(module, "stream") and any(p.dim() > 0 for p in module.parameters())


def record_runs(model: nn.Module, x: Tensor, paths: int) -> list[RecordedRun]:
    """One recorded evaluation of every member on one input, with `paths` paths."""
    members = members_of(model)
    if len(set(map(id, members))) < len(members):
        raise ValueError("several members share one network")
    chains = [network_parts(member) for member in members]
    watched = [list(dict.fromkeys(_recorded_modules(chain))) for chain in chains]
    with record_calls([m for modules in watched for m in modules]) as calls:
        endpoints_of_model(model, x, paths)
    recorded = iter(concatenate_calls(calls, "block"))
    tables = [{m: RecordedCall(*next(recorded)) for m in modules} for modules in watched]
    return [_run(chain, table, repeat_points(x, paths)) for chain, table in zip(chains, tables, strict=True)]


def _recorded_modules(chain: NetworkParts) -> list[nn.Module]:
    inside = [m for part in chain.blocks for m in (*fields_of(part), *branches_of(part))]
    return [chain.stem, *chain.blocks, *inside, chain.head, chain.flat, chain.readout]


def fields_of(part: nn.Module) -> list[nn.Module]:
    field = getattr(part, "field", None)
    return [field] if isinstance(field, nn.Module) else []


def branches_of(part: nn.Module) -> list[nn.Module]:
    """The two branches of shake-shake, or the branch that is dropped: the first of a sequence of two."""
    for field in fields_of(part):
        branches = [m for m in (getattr(field, name, None) for name in ("f", "g")) if isinstance(m, nn.Module)]
        if len(branches) == 2:
            return branches
        if isinstance(field, nn.Sequential) and isinstance(field[0], nn.Sequential):
            return [field[0]]
    return []


def _run(chain: NetworkParts, seen: dict[nn.Module, RecordedCall], x: Tensor) -> RecordedRun:
    maps = tuple(
        RecordedBlock(
            part,
            seen[part],
            next((seen[f] for f in fields_of(part)), None),
            tuple(seen[m] for m in branches_of(part)),
        )
        for part in chain.blocks
    )
    return RecordedRun(x, seen[chain.stem], maps, seen[chain.head], seen[chain.flat], seen[chain.readout])


def noise_free_value(seen: RecordedBlock) -> Tensor | None:
    """x + F(x); with a shortcut S, relu(S x + F(x)), or S a + F(a) for a pre-activation a = relu(bn(x))."""
    if seen.field is None:
        return None
    x, velocity, own = seen.call.input, seen.field.output, seen.block
    activate, shortcut = (getattr(own, name, None) for name in ("activate", "shortcut"))
    with torch.no_grad():
        if isinstance(activate, nn.Module) and isinstance(shortcut, nn.Module):
            value: Tensor = shortcut(activate(x)) + velocity
        elif isinstance(shortcut, nn.Module):
            value = torch.relu(shortcut(x) + velocity)
        else:
            value = x + velocity
    return value
