"""Checkpoints: the complete state of a run as tensors and JSON, without pickle.

A checkpoint is one safetensors file. Its header contains the plain data as JSON and a digest of tensors and JSON, so
that a corrupt file is detected and the previous checkpoint is used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from pdedsl.io import write_atomically

MAX_CHECKPOINTS = 2  # the newest, and the one before it in case of a damaged file
FORMAT = 3  # 2: metrics were called figures
Tensors = dict[str, Tensor]


class State(NamedTuple):
    """State of a run: tensors by name, and plain data."""

    tensors: Tensors
    plain: dict[str, Any]


class CorruptCheckpoint(ValueError):
    """A file that is corrupt or of another format."""


@dataclass(frozen=True)
class Checkpoint:
    """The state before step `step`: tensors by name, and plain data."""

    step: int
    tensors: Tensors
    plain: dict[str, Any]
    spec: str  # text of the spec


# ---- Files


def save_tensors(path: Path, tensors: Tensors, plain: dict[str, Any]) -> None:
    """Write tensors and plain data to one file, atomically."""
    from safetensors.torch import save

    copies = {name: t.detach().to("cpu").contiguous().clone() for name, t in tensors.items()}
    header = {**plain, "format": FORMAT}
    data = save(copies, {"pdedsl": _text({**header, "digest": digest(copies, _text(header))})})
    write_atomically(path, lambda part: _write(part, data))


def _text(plain: dict[str, Any]) -> str:
    return json.dumps(plain, sort_keys=True)


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def load_tensors(path: Path) -> tuple[Tensors, dict[str, Any]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt") as file:
            text = (file.metadata() or {}).get("pdedsl", "null")
            plain = json.loads(text)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, RecursionError) as error:
        raise CorruptCheckpoint(f"{path} cannot be read: {error}") from None
    if not isinstance(plain, dict) or plain.get("format") not in (2, FORMAT):
        raise CorruptCheckpoint(f"{path} was not written by this version of pdedsl")
    unchanged = _text(plain) == text  # also detects altered digits that parse to the same number
    if not unchanged or plain.pop("digest", "") != digest(tensors, _text(plain)):
        raise CorruptCheckpoint(f"{path} is corrupt: checksum mismatch")
    contents: tuple[dict[str, Any], ...] = (tensors, plain) if plain["format"] == 2 else ()
    for content in contents:
        if "figures" in content:
            content["metrics"] = content.pop("figures")
    return tensors, plain


def digest(tensors: Tensors, plain: str = "") -> str:
    """A hash of the names, shapes, types and values of the tensors, and of the plain data."""
    total = hashlib.blake2b(plain.encode(), digest_size=16)
    for name in sorted(tensors):
        tensor = tensors[name]
        total.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        total.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b"")
    return total.hexdigest()


# ---- Folder of checkpoints


def save(folder: Path, checkpoint: Checkpoint) -> Path:
    """Write a checkpoint, then remove all but the newest two."""
    path = folder / f"step-{checkpoint.step:09d}.safetensors"
    plain = {"step": checkpoint.step, "plain": checkpoint.plain, "spec": checkpoint.spec}
    save_tensors(path, checkpoint.tensors, plain)
    for old in (*_paths(folder)[:-MAX_CHECKPOINTS], *folder.glob(".step-*.part")):
        old.unlink(missing_ok=True)
    return path


def load_newest(folder: Path) -> tuple[Checkpoint | None, tuple[str, ...]]:
    """The newest valid checkpoint, and the errors of the newer ones."""
    errors: list[str] = []
    for path in reversed(_paths(folder)):
        try:
            tensors, plain = load_tensors(path)
        except CorruptCheckpoint as damage:
            errors.append(str(damage))
            continue
        match plain:
            case {"step": int(step), "plain": dict(more), "spec": str(spec)}:
                return Checkpoint(step, tensors, more, spec), tuple(errors)
        errors.append(f"{path} is not a checkpoint")
    return None, tuple(errors)


def _paths(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*.safetensors"))


# ---- Nested state as tensors and plain data


def flatten(name: str, value: Any, tensors: Tensors) -> Any:
    """A nested structure of dictionaries, lists, numbers and tensors, with each tensor replaced by its name."""
    match value:
        case Tensor():
            tensors[name] = value
            return {"tensor": name}
        case dict():
            pairs = [[key, flatten(f"{name}.{key}", inner, tensors)] for key, inner in value.items()]
            return {"dict": pairs}
        case list() | tuple():
            return {"list": [flatten(f"{name}.{k}", inner, tensors) for k, inner in enumerate(value)]}
        case _:
            return {"plain": value}


def unflatten(note: Any, tensors: Tensors) -> Any:
    """Inverse of `flatten`; tuples become lists."""
    if isinstance(note, dict) and len(note) == 1:
        ((kind, content),) = note.items()
        if decode := DECODERS.get(kind):
            return decode(content, tensors)
    raise CorruptCheckpoint(f"invalid state {note!r}")


DECODERS: dict[str, Callable[[Any, Tensors], Any]] = {
    "tensor": lambda name, tensors: tensors[name],
    "dict": lambda pairs, tensors: {key: unflatten(inner, tensors) for key, inner in pairs},
    "list": lambda items, tensors: [unflatten(inner, tensors) for inner in items],
    "plain": lambda value, _: value,
}
