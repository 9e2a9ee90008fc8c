"""Sources of specs: files, shipped specs and strings, with entries overridden by `--set`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pdedsl import errors
from pdedsl.diagnostics import Source, closest_match
from pdedsl.io import shipped_folder as shipped_folder

MAX_BYTES = 1 << 20  # of a spec: far above any text written by hand
_HEADER = re.compile(r'^\s*pde\s+(\w+)(?:\s+"([^"\n]*)")?', re.MULTILINE)


# ---- Shipped specs: each can be named instead of a path


def shipped_specs() -> dict[str, Path]:
    """Paths by name, in alphabetical order."""
    return {p.stem: p for p in sorted(shipped_folder().glob("*.pde"))}


def spec_title(path: Path) -> str:
    header = _HEADER.search(path.read_text("utf-8"))
    return (header[2] or header[1]) if header else ""


def find_shipped(name: str) -> Path | None:
    """The path of a shipped spec of that name, unless a file of that name exists."""
    if Path(name).is_file():
        return None
    return shipped_specs().get(name.removesuffix(".pde"))


# ---- Sources


def source_of(spec: str | Path, settings: Sequence[str] = ()) -> Source:
    """A spec given as a path, as the name of a shipped spec, as the folder of a run or package, or as text.

    Settings override its entries, such as "train.epochs=2".
    """
    return apply_settings(_source_of(spec), settings)


def _source_of(spec: str | Path) -> Source:
    if isinstance(spec, str) and "\n" in spec:
        return Source(without_bom(spec))
    shipped = find_shipped(str(spec))
    inside = Path(spec) / "spec.pde"  # of a run, or of a compiled package
    source = read_source(shipped or (inside if inside.is_file() else spec))
    return Source(source.text, shipped.name) if shipped else source


def apply_settings(source: Source, settings: Sequence[str]) -> Source:
    """The source with entries overridden by settings."""
    if not settings:
        return source
    from pdedsl.deep_recursion import run_with_big_stack
    from pdedsl.language.settings import apply_settings

    return run_with_big_stack(lambda: apply_settings(source, settings))


def read_source(path: str | Path) -> Source:
    """Reads a spec; an unreadable file is reported as a diagnostic."""
    name = str(path)
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise errors.source.file_not_found(name, closest_match(Path(name).stem, shipped_specs())) from None
    except IsADirectoryError:
        raise errors.source.is_directory(name) from None
    except PermissionError:
        raise errors.source.permission_denied(name) from None
    except OSError as error:
        raise errors.source.unreadable(name, error.strerror or str(error)) from None
    return decode_source(data, name)


def decode_source(data: bytes, name: str) -> Source:
    if len(data) > MAX_BYTES:
        raise errors.source.file_too_large(name, MAX_BYTES)
    if b"\0" in data:
        raise errors.source.is_binary(name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise errors.source.not_utf8(before, data[error.start], name) from None
    return Source(without_bom(text), name)


def without_bom(text: str) -> str:
    return text.removeprefix("\ufeff")
