"""Data-parallel training and evaluation with torch.distributed under torchrun.

Losses and batch-norm statistics are those of the global batch, and random numbers are keyed by the index in the global
batch; the number of processes changes only the order of summation.
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
    """Rank, world size and device of this process."""

    device: torch.device
    rank: int = 0
    size: int = 1

    @property
    def is_main(self) -> bool:
        """Whether this is rank 0, which writes files and messages."""
        return self.rank == 0

    def local_slice(self, count: int) -> slice:
        """The slice of a global batch of `count` samples for this process."""
        return slice(self.rank * count // self.size, (self.rank + 1) * count // self.size)

    def all_reduce(self, value: Tensor) -> Tensor:
        """All-reduce: the sum over all processes."""
        if self.size == 1:
            return value
        total = value.clone()
        dist.all_reduce(total)
        return total

    def all_gather(self, value: T) -> list[T]:
        """All-gather of a picklable object, in order of rank."""
        if self.size == 1:
            return [value]
        values: list[T | None] = [None] * self.size
        dist.all_gather_object(values, value)
        return cast(list[T], values)

    def barrier(self) -> None:
        if self.size > 1:
            dist.barrier()

    def data_parallel(self, module: nn.Module) -> nn.Module:
        """The module with gradients averaged over all processes (DistributedDataParallel)."""
        if self.size == 1:
            return module
        ids = [self.device.index] if _on_gpu(self.device) else None
        return DistributedDataParallel(module, device_ids=ids)


@contextmanager
def process_group(device: str | None) -> Iterator[World]:
    """Joins the process group of torchrun, or a single process without one."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield World(resolve_device(device))
        return
    local = resolve_device(device, int(os.environ.get("LOCAL_RANK", "0")))
    if _on_gpu(local):
        torch.cuda.set_device(local)
    owns_group = not dist.is_initialized()
    if owns_group:
        dist.init_process_group("nccl" if _on_gpu(local) else "gloo")
    try:
        yield World(local, dist.get_rank(), size)
    finally:
        if owns_group:
            dist.destroy_process_group()


def resolve_device(name: str | None, local: int = 0) -> torch.device:
    """The device of this name; by default CUDA if available, else the CPU."""
    if name is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    device = _usable_device(name)
    if device is None:
        raise RunError(f"unknown or unavailable device '{name}'; available: {', '.join(_available())}")
    return torch.device("cuda", local) if _on_gpu(device) and device.index is None else device


def _available() -> list[str]:
    return ["cpu", *(name for name in ("cuda", "mps", "xpu") if _usable_device(name) is not None)]


def _usable_device(name: str) -> torch.device | None:
    """The device of this name; None if it does not exist or stores no data, like the meta device."""
    try:
        probe = torch.empty(0, device=name)
    except (RuntimeError, AssertionError):
        return None
    return None if probe.is_meta else probe.device


def _on_gpu(device: torch.device) -> bool:
    return device.type == "cuda"
