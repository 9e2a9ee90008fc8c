"""Torchvision models with noise after their residual maps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from pdedsl.runtime.backbones import Backbone, ChannelsLast
from pdedsl.runtime.standardize import Standardize

ALWAYS = ("BasicBlock", "Bottleneck", "ResBottleneckBlock", "CNBlock")
"""Blocks x + F(x), or S·x + F(x) where the shape changes (He et al. 2016; Radosavovic et al. 2020; Liu et al. 2022)."""
SOMETIMES = {
    **dict.fromkeys(("InvertedResidual", "MBConv", "FusedMBConv"), "use_res_connect"),
    "_InvertedResidual": "apply_residual",
}
"""Blocks that are residual where their shape stays (Sandler et al. 2018; Tan, Le 2019), and the flag that says so."""


def is_residual(block: nn.Module) -> bool:
    name = type(block).__name__
    return name in ALWAYS or bool(getattr(block, SOMETIMES.get(name, ""), False))


@dataclass(frozen=True)
class TorchvisionBackbone:
    """A model that is not a sequence of parts."""

    model: nn.Module

    def network(
        self, after: Callable[[int], nn.Module] | None = None, before_readout: nn.Module | None = None
    ) -> nn.Sequential:
        """The model with `after(l)` after its residual map l, and `before_readout` before its last linear map."""
        if after is not None:
            for index, (owner, name, block) in enumerate(_children(self.model, is_residual)):
                owner.register_module(name, nn.Sequential(block, after(index)))
        if before_readout is not None:
            owner, name, linear = _children(self.model, lambda module: isinstance(module, nn.Linear))[-1]
            owner.register_module(name, nn.Sequential(before_readout, linear))
        return nn.Sequential(Standardize(3), self.model)


def _children(model: nn.Module, wanted: Callable[[nn.Module], bool]) -> list[tuple[nn.Module, str, nn.Module]]:
    """Modules of one kind, with their owners and their names there, in the order of the model."""
    found = []
    for owner in model.modules():
        found += [(owner, name, child) for name, child in owner.named_children() if wanted(child)]
    order = {id(module): k for k, module in enumerate(model.modules())}
    return sorted(found, key=lambda entry: order[id(entry[2])])


def torchvision_model(name: str, classes: int = 1000) -> Backbone | TorchvisionBackbone:
    """A torchvision model by name, with random weights. The ResNet family is split at its residual maps; in any other
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
