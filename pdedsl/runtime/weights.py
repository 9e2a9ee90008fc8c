"""Weights in a file: read, compared with a network, and loaded into it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor, nn

WEIGHTS = "weights.safetensors"


class WeightsError(ValueError):
    """A file without weights, or with the weights of another network."""


def read_weights(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file, or of the weights file in a folder."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    file = path / WEIGHTS if path.is_dir() else path
    if not file.is_file():
        raise WeightsError(f"there is no file {file}")
    try:
        return load_file(file)
    except SafetensorError as error:
        raise WeightsError(f"{file} is not a file of weights: {error}") from None


def require_compatible(weights: Mapping[str, Tensor], module: nn.Module) -> None:
    """Check that names and shapes are those of the network; the error names the first that is not."""
    wanted = module.state_dict()
    for name, tensor in wanted.items():
        if name not in weights:
            raise WeightsError(f"weights of another network: '{name}' is missing")
        if weights[name].shape != tensor.shape:
            stored, shape = tuple(weights[name].shape), tuple(tensor.shape)
            raise WeightsError(f"weights of another network: '{name}' has the shape {stored}, not {shape}")
    for name in weights:
        if name not in wanted:
            raise WeightsError(f"weights of another network: '{name}' is not part of this one")


def load_weights(module: nn.Module, path: Path) -> None:
    """Load the weights of a file into a network; an error with the reason if they do not fit."""
    weights = read_weights(path)
    try:
        require_compatible(weights, module)
    except WeightsError as error:
        raise WeightsError(f"{path}: {error}") from None
    module.load_state_dict(weights)
