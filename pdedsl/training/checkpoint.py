"""Checkpoints: everything that a run needs in order to continue, as tensors and plain data. Nothing is unpickled.

A checkpoint is one safetensors file. Everything that is not a tensor is JSON in its header, together with a digest of
the tensors and of that JSON, so that a damaged file is detected and the previous one is used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pdedsl.io import replace_with

KEPT = 2
FORMAT = 2  # 2: the digest also covers plain data
Tensors = dict[str, Tensor]


class Damaged(ValueError):
    """A file whose content differs from what was written."""


@dataclass(frozen=True)
class Checkpoint:
    """The state before step `step`: tensors by name, and plain data."""

    step: int
    tensors: Tensors
    plain: dict[str, Any]
    spec: str  # the text that is trained


# ---- one file


def save_tensors(path: Path, tensors: Tensors, plain: dict[str, Any]) -> None:
    """Write tensors and plain data to one file, completely or not at all."""
    from safetensors.torch import save

    whole = {name: t.detach().to("cpu").contiguous().clone() for name, t in tensors.items()}
    known = {**plain, "format": FORMAT}
    data = save(whole, {"pdedsl": _text({**known, "digest": digest(whole, _text(known))})})
    replace_with(path, lambda part: _write(part, data))


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
        raise Damaged(f"{path} cannot be read: {error}") from None
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise Damaged(f"{path} was not written by this version of pdedsl")
    written = _text(plain) == text  # also detects altered digits that parse to the same number
    if not written or plain.pop("digest", "") != digest(tensors, _text(plain)):
        raise Damaged(f"{path} is damaged: it does not hold what was written")
    return tensors, plain


def digest(tensors: Tensors, plain: str = "") -> str:
    """A hash of the names, shapes, types and values of the tensors, and of the plain data."""
    total = hashlib.blake2b(plain.encode(), digest_size=16)
    for name in sorted(tensors):
        tensor = tensors[name]
        total.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        total.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b"")
    return total.hexdigest()


# ---- a folder of them


def save(folder: Path, checkpoint: Checkpoint) -> Path:
    """Write a checkpoint, then remove all but the newest two."""
    path = folder / f"step-{checkpoint.step:09d}.safetensors"
    plain = {"step": checkpoint.step, "plain": checkpoint.plain, "spec": checkpoint.spec}
    save_tensors(path, checkpoint.tensors, plain)
    for old in (*_paths(folder)[:-KEPT], *folder.glob(".step-*.part")):
        old.unlink(missing_ok=True)
    return path


def newest(folder: Path) -> tuple[Checkpoint | None, tuple[str, ...]]:
    """The newest intact checkpoint, and what was wrong with the newer ones."""
    complaints: list[str] = []
    for path in reversed(_paths(folder)):
        try:
            tensors, plain = load_tensors(path)
        except Damaged as damage:
            complaints.append(str(damage))
            continue
        match plain:
            case {"step": int(step), "plain": dict(more), "spec": str(spec)}:
                return Checkpoint(step, tensors, more, spec), tuple(complaints)
        complaints.append(f"{path} is not a checkpoint")
    return None, tuple(complaints)


def _paths(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*.safetensors"))


# ---- nested state as tensors and plain data


def flattened(name: str, value: Any, tensors: Tensors) -> Any:
    """A nest of dictionaries, lists, numbers and tensors, with each tensor replaced by a note of its name."""
    match value:
        case Tensor():
            tensors[name] = value
            return {"tensor": name}
        case dict():
            pairs = [[key, flattened(f"{name}.{key}", inner, tensors)] for key, inner in value.items()]
            return {"dict": pairs}
        case list() | tuple():
            return {"list": [flattened(f"{name}.{k}", inner, tensors) for k, inner in enumerate(value)]}
        case _:
            return {"plain": value}


def nested(note: Any, tensors: Tensors) -> Any:
    """The nest that was flattened; tuples come back as lists."""
    if isinstance(note, dict) and len(note) == 1:
        ((kind, held),) = note.items()
        if nest := NESTS.get(kind):
            return nest(held, tensors)
    raise Damaged(f"unknown note {note!r}")


NESTS: dict[str, Callable[[Any, Tensors], Any]] = {
    "tensor": lambda name, tensors: tensors[name],
    "dict": lambda pairs, tensors: {key: nested(inner, tensors) for key, inner in pairs},
    "list": lambda items, tensors: [nested(inner, tensors) for inner in items],
    "plain": lambda value, _: value,
}
