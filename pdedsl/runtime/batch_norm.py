"""Batch norm over a batch that is shared by several processes."""

from __future__ import annotations

from typing import Any, cast

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.overrides import handle_torch_function, has_torch_function_unary


class _Sum(torch.autograd.Function):
    """The sum over all processes, a linear map: its derivative is itself, forwards and backwards."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        whole = x.clone(memory_format=torch.contiguous_format)
        dist.all_reduce(whole)
        return whole

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Nothing needs to be saved."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return sum_over_processes(gradients[0])

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return sum_over_processes(tangents[0])


def sum_over_processes(x: Tensor) -> Tensor:
    """The sum over all processes, with derivatives."""
    return cast(Tensor, _Sum.apply(x))


class DistributedBatchNorm(_BatchNorm):
    """Batch norm with the statistics of the whole batch. torch's own SyncBatchNorm does not run on CPUs."""

    def _check_input_dim(self, input: Tensor) -> None:
        """Any number of dimensions."""

    def forward(self, input: Tensor) -> Tensor:
        if not self.training and self.running_mean is not None:
            return super().forward(input)
        return distributed_batch_norm(input, self)


def distributed_batch_norm(x: Tensor, norm: DistributedBatchNorm) -> Tensor:
    """γ(x - μ)/√(σ² + ε) + β, as a single function for code that has its own rules to differentiate it."""
    if has_torch_function_unary(x):
        return handle_torch_function(distributed_batch_norm, (x,), x, norm)
    return normalize(x, norm)[0]


def normalize(x: Tensor, norm: DistributedBatchNorm) -> tuple[Tensor, Tensor]:
    """The normalized batch, and γ/√(σ² + ε) for each channel. The variance is the mean of (x - μ)², as in a single
    process: a difference of squares would lose digits."""
    axes = [0, *range(2, x.dim())]
    count = sum_over_processes(x.new_tensor(x.numel() // x.shape[1]))
    mean = sum_over_processes(x.sum(axes)) / count
    centred = x - per_channel(mean, x)
    variance = sum_over_processes(centred.square().sum(axes)) / count
    if norm.track_running_stats:
        _update_running_statistics(norm, mean.detach(), variance.detach() * count / (count - 1))
    scale = (variance + norm.eps).rsqrt()
    if norm.weight is None:
        return centred * per_channel(scale, x), scale
    scale = scale * norm.weight
    return centred * per_channel(scale, x) + per_channel(norm.bias, x), scale


def _update_running_statistics(norm: DistributedBatchNorm, mean: Tensor, variance: Tensor) -> None:
    if norm.running_mean is None or norm.running_var is None or norm.num_batches_tracked is None:
        return
    norm.num_batches_tracked.add_(1)
    weight = norm.momentum if norm.momentum is not None else 1 / float(norm.num_batches_tracked)
    norm.running_mean.lerp_(mean, weight)
    norm.running_var.lerp_(variance, weight)


def per_channel(values: Tensor, x: Tensor) -> Tensor:
    """One number per channel, in a shape that broadcasts with x."""
    return values.reshape(1, -1, *[1] * (x.dim() - 2))


def use_distributed_batch_norms(module: nn.Module) -> None:
    """Let every batch norm see the whole batch, in place; parameter names do not change."""
    for name, child in module.named_children():
        if isinstance(child, _BatchNorm) and not isinstance(child, DistributedBatchNorm):
            shared = DistributedBatchNorm(
                child.num_features, child.eps, child.momentum, child.affine, child.track_running_stats
            )
            shared.weight, shared.bias = child.weight, child.bias
            for key, buffer in child.named_buffers(recurse=False):
                setattr(shared, key, buffer)
            setattr(module, name, shared.train(child.training))
        else:
            use_distributed_batch_norms(child)
