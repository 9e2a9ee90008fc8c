"""Many processes as one: torch.distributed under torchrun. A process has a share of every batch.

Losses are means over the whole batch, batch norms see the statistics of the whole batch, and random numbers belong to
rows of the whole batch; so the number of processes changes nothing but the order of sums.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.parallel import DistributedDataParallel


@dataclass(frozen=True)
class World:
    """This process among all."""

    device: torch.device
    rank: int = 0
    size: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and speaks."""
        return self.rank == 0

    def share(self, count: int) -> slice:
        """The rows of a batch that are this process's."""
        return slice(self.rank * count // self.size, (self.rank + 1) * count // self.size)

    def total(self, value: Tensor) -> Tensor:
        """The sum over all processes."""
        if self.size == 1:
            return value
        whole = value.clone()
        dist.all_reduce(whole)
        return whole

    def agreed(self, value: bool) -> bool:
        """Whether it is so for any process: all hear the same answer."""
        return bool(self.total(torch.tensor(float(value), device=self.device)) > 0) if self.size > 1 else value

    def wait(self) -> None:
        if self.size > 1:
            dist.barrier()

    def wrapped(self, module: nn.Module) -> nn.Module:
        """A module whose gradients are means over all processes."""
        if self.size == 1:
            return module
        ids = [self.device.index] if self.device.type == "cuda" else None
        return DistributedDataParallel(module, device_ids=ids)


@contextmanager
def joined(device: str | None) -> Iterator[World]:
    """The processes that torchrun started, or this one alone."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield World(_device(device, 0))
        return
    here = _device(device, int(os.environ.get("LOCAL_RANK", "0")))
    if here.type == "cuda":
        torch.cuda.set_device(here)
    ours = not dist.is_initialized()
    if ours:
        dist.init_process_group("nccl" if here.type == "cuda" else "gloo")
    try:
        yield World(here, dist.get_rank(), size)
    finally:
        if ours:
            dist.destroy_process_group()


def _device(name: str | None, local: int) -> torch.device:
    if name is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(name)
    return torch.device("cuda", local) if device.type == "cuda" and device.index is None else device


class _Sum(torch.autograd.Function):
    """The sum over all processes, a linear map: its derivative is itself, forwards and backwards."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        whole = x.clone(memory_format=torch.contiguous_format)
        dist.all_reduce(whole)
        return whole

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Nothing to remember."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return sum_over_processes(gradients[0])

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return sum_over_processes(tangents[0])


def sum_over_processes(x: Tensor) -> Tensor:
    """The sum over all processes, with derivatives."""
    return cast(Tensor, _Sum.apply(x))


class SharedBatchNorm(_BatchNorm):
    """Batch norm with the statistics of the whole batch. torch's own SyncBatchNorm does not run on CPUs.

    The variance is the mean of (x - mean)², as for one process: a difference of squares would lose digits.
    """

    def _check_input_dim(self, input: Tensor) -> None:
        """Any number of dimensions."""

    def forward(self, input: Tensor) -> Tensor:
        if not self.training and self.running_mean is not None:
            return super().forward(input)
        axes = [0, *range(2, input.dim())]
        count = sum_over_processes(input.new_tensor(input.numel() // input.shape[1]))
        mean = sum_over_processes(input.sum(axes)) / count
        centred = input - _across(mean, input)
        variance = sum_over_processes(centred.square().sum(axes)) / count
        self._remember(mean.detach(), variance.detach() * count / (count - 1))
        value: Tensor = centred * _across((variance + self.eps).rsqrt(), input)
        if self.weight is None:
            return value
        return value * _across(self.weight, input) + _across(self.bias, input)

    def _remember(self, mean: Tensor, variance: Tensor) -> None:
        if self.running_mean is None or self.running_var is None or self.num_batches_tracked is None:
            return
        self.num_batches_tracked.add_(1)
        weight = self.momentum if self.momentum is not None else 1 / float(self.num_batches_tracked)
        self.running_mean.lerp_(mean, weight)
        self.running_var.lerp_(variance, weight)


def _across(values: Tensor, x: Tensor) -> Tensor:
    return values.reshape(1, -1, *[1] * (x.dim() - 2))


def share_batch_norms(module: nn.Module) -> None:
    """Let every batch norm see the whole batch, in place; names of parameters stay."""
    for name, child in module.named_children():
        if isinstance(child, _BatchNorm) and not isinstance(child, SharedBatchNorm):
            shared = SharedBatchNorm(
                child.num_features, child.eps, child.momentum, child.affine, child.track_running_stats
            )
            shared.weight, shared.bias = child.weight, child.bias
            for key, buffer in child.named_buffers(recurse=False):
                setattr(shared, key, buffer)
            setattr(module, name, shared.train(child.training))
        else:
            share_batch_norms(child)
