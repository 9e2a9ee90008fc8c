"""Torchvision classifiers by name: the number of their residual blocks, and the image sizes they accept.

A table, since planning does not import torch; a test compares it with torchvision itself. Models with other inputs or
several outputs, for detection or segmentation or with auxiliary classifiers, are not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pdedsl.record import Record


class TorchvisionModel(Record):
    """`maps`: the number of residual blocks, after which noise can be added; images are (3, h, w) with h and w at least
    `min_size`, or if `only`, exactly `min_size`."""

    maps: int = 0
    min_size: int = 8
    only: bool = False


_RESIDUAL_BLOCKS = {
    "resnet18": 8,
    "resnet34": 16,
    "resnet50": 16,
    "resnet101": 33,
    "resnet152": 50,
    "resnext50_32x4d": 16,
    "resnext101_32x8d": 33,
    "resnext101_64x4d": 33,
    "wide_resnet50_2": 16,
    "wide_resnet101_2": 33,
    "mobilenet_v2": 10,
    "mobilenet_v3_small": 6,
    "mobilenet_v3_large": 10,
    **dict.fromkeys(("mnasnet0_5", "mnasnet0_75", "mnasnet1_0", "mnasnet1_3"), 10),
    **{f"efficientnet_b{k}": maps for k, maps in enumerate((9, 16, 16, 19, 25, 32, 38, 48))},
    "efficientnet_v2_s": 35,
    "efficientnet_v2_m": 51,
    "efficientnet_v2_l": 73,
    "regnet_x_400mf": 22,
    "regnet_x_800mf": 16,
    "regnet_x_1_6gf": 18,
    "regnet_x_3_2gf": 25,
    "regnet_x_8gf": 23,
    "regnet_x_16gf": 22,
    "regnet_x_32gf": 23,
    "regnet_y_400mf": 16,
    "regnet_y_800mf": 14,
    "regnet_y_1_6gf": 27,
    "regnet_y_3_2gf": 21,
    "regnet_y_8gf": 17,
    "regnet_y_16gf": 18,
    "regnet_y_32gf": 20,
    "regnet_y_128gf": 27,
}
_WITHOUT_RESIDUALS = {
    **dict.fromkeys((f"vgg{k}{norm}" for k in (11, 13, 16, 19) for norm in ("", "_bn")), 32),
    **dict.fromkeys((f"densenet{k}" for k in (121, 161, 169, 201)), 32),
    **dict.fromkeys((f"shufflenet_v2_x{k}" for k in ("0_5", "1_0", "1_5", "2_0")), 8),
    **dict.fromkeys((f"swin{v}_{k}" for v in ("", "_v2") for k in "tsb"), 8),
    "alexnet": 64,
    "squeezenet1_0": 28,
    "squeezenet1_1": 28,
}
_FIXED_SIZE = ("maxvit_t", "vit_b_16", "vit_b_32", "vit_l_16", "vit_l_32", "vit_h_14")
_CONVNEXT = {"tiny": 18, "small": 36, "base": 36, "large": 36}

MODELS: Mapping[str, TorchvisionModel] = MappingProxyType(
    {
        **{name: TorchvisionModel(maps) for name, maps in _RESIDUAL_BLOCKS.items()},
        **{f"convnext_{size}": TorchvisionModel(maps, 32) for size, maps in _CONVNEXT.items()},
        **{name: TorchvisionModel(min_size=size) for name, size in _WITHOUT_RESIDUALS.items()},
        **{name: TorchvisionModel(0, 224, True) for name in _FIXED_SIZE},
    }
)
