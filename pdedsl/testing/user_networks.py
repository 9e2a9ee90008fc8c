"""Noise of user-defined networks, after their residual blocks and before their readouts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from pdedsl.runtime.user_modules import NoiseAfter, NoiseBefore
from pdedsl.testing.distributions import endpoints_of_model, members_of, record_calls
from pdedsl.testing.noise_sites import ExpectedNoise, NoiseSite, RequiredNoise


def count_noisy_blocks(model: nn.Module) -> list[int]:
    """The number of residual blocks of each member that are followed by noise."""
    return [sum(isinstance(m, NoiseAfter) for m in member.modules()) for member in members_of(model)]


def user_noise_sites(model: nn.Module, x: Tensor, paths: int, required: RequiredNoise) -> list[list[NoiseSite]]:
    """The noise sites of every member, in the order of evaluation."""
    blocks = []
    for member in members_of(model):
        noises = [m.noise for m in member.modules() if isinstance(m, NoiseAfter | NoiseBefore)]
        last = {id(m.noise) for m in member.modules() if isinstance(m, NoiseBefore)}
        with _order(noises) as order, record_calls(noises) as calls:
            endpoints_of_model(model, x, paths)
        seen = dict(zip(map(id, noises), calls, strict=True))
        blocks.append([_noise_site(k, n in last, seen[n], required) for k, n in enumerate(dict.fromkeys(order))])
    return blocks


@contextmanager
def _order(modules: list[nn.Module]) -> Iterator[list[int]]:
    """Context manager: records the order in which modules are called."""
    order: list[int] = []
    hooks = [m.register_forward_hook(lambda m, *_: order.append(id(m))) for m in modules]
    try:
        yield order
    finally:
        for hook in hooks:
            hook.remove()


def _noise_site(k: int, last: bool, calls: list[tuple[Tensor, Tensor]], required: RequiredNoise) -> NoiseSite:
    before, after = (torch.cat([call[i] for call in calls]) for i in (0, 1))
    expected: ExpectedNoise | None = required.at_readout if last else required.after_block(k)
    return NoiseSite("the features" if last else f"block {k + 1}", before, after, expected)
