"""Several processes working as one: torch.distributed under torchrun. Each process has a share of every batch.

Losses are means over the whole batch, batch norms use the statistics of the whole batch, and random numbers belong to
rows of the whole batch; so the number of processes changes only the order of summation.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar, cast

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from pdedsl.io import RunError

T = TypeVar("T")


@dataclass(frozen=True)
class World:
    """This process among all processes of the run."""

    device: torch.device
    rank: int = 0
    size: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the process that writes files and messages."""
        return self.rank == 0

    def share(self, count: int) -> slice:
        """The rows of a batch that belong to this process."""
        return slice(self.rank * count // self.size, (self.rank + 1) * count // self.size)

    def total(self, value: Tensor) -> Tensor:
        """The sum over all processes."""
        if self.size == 1:
            return value
        whole = value.clone()
        dist.all_reduce(whole)
        return whole

    def gathered(self, value: T) -> list[T]:
        """The values of all processes, in order of rank; any picklable object."""
        if self.size == 1:
            return [value]
        values: list[T | None] = [None] * self.size
        dist.all_gather_object(values, value)
        return cast(list[T], values)

    def wait(self) -> None:
        if self.size > 1:
            dist.barrier()

    def wrapped(self, module: nn.Module) -> nn.Module:
        """A module whose gradients are means over all processes."""
        if self.size == 1:
            return module
        ids = [self.device.index] if _on_gpu(self.device) else None
        return DistributedDataParallel(module, device_ids=ids)


@contextmanager
def joined(device: str | None) -> Iterator[World]:
    """The processes that torchrun started, or this one alone."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield World(device_of(device))
        return
    here = device_of(device, int(os.environ.get("LOCAL_RANK", "0")))
    if _on_gpu(here):
        torch.cuda.set_device(here)
    ours = not dist.is_initialized()
    if ours:
        dist.init_process_group("nccl" if _on_gpu(here) else "gloo")
    try:
        yield World(here, dist.get_rank(), size)
    finally:
        if ours:
            dist.destroy_process_group()


def device_of(name: str | None, local: int = 0) -> torch.device:
    """The device of that name; without a name, a GPU if there is one."""
    if name is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    device = _found(name)
    if device is None:
        raise RunError(f"there is no device '{name}' here; cpu is always there")
    return torch.device("cuda", local) if _on_gpu(device) and device.index is None else device


def _found(name: str) -> torch.device | None:
    """The device of that name, if it exists and stores data: the meta device does not."""
    try:
        held = torch.empty(0, device=name)
    except (RuntimeError, AssertionError):
        return None
    return None if held.is_meta else held.device


def _on_gpu(device: torch.device) -> bool:
    return device.type == "cuda"
