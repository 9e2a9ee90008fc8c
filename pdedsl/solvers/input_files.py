"""Files that a spec names: measurements, known functions and the mesh; and their copies in a run folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path, PurePath

from pdedsl import sources
from pdedsl.data.sample_shape import find_data_file
from pdedsl.diagnostics import Source
from pdedsl.io import RunError, write_atomically
from pdedsl.ir.problem import Measurements, StrongForm
from pdedsl.numerics.grid_data import find_file


def find_measurements(observed: Measurements, source: Source) -> Path:
    """Beside the spec, then beside the shipped specs, then from the working directory."""
    beside = Path(source.name).parent
    folder = beside if (beside / observed.file).is_file() else sources.shipped_folder()
    return find_data_file(observed.file, folder, observed.span)


def input_files(statement: StrongForm) -> tuple[PurePath, ...]:
    """The files that a run folder holds copies of: those in the folder of the spec, and a mesh below it."""
    measured, known = (o.file for o in statement.measurements), (s.file for s in statement.data_sources)
    names = dict.fromkeys((*measured, *known))
    files = [PurePath(name) for name in names if PurePath(name).name == name]
    boundary = statement.domain.mesh_boundary
    mesh = [PurePath(boundary.file)] if boundary is not None else []
    return (*files, *(m for m in mesh if not m.is_absolute() and ".." not in m.parts))


def copy_input_files(statement: StrongForm, source: Source, folder: Path) -> None:
    """Copies the files to the folder of a run, so that it is self-contained; those given by other paths stay."""
    found = {PurePath(o.file): find_measurements(o, source) for o in statement.measurements}
    found |= {PurePath(s.file): find_file(s.file, s.digest) for s in statement.data_sources}
    for file in input_files(statement):
        original, copy = found.get(file, Path(source.name).parent / file), folder / file
        if copy.exists() and original.samefile(copy):
            continue
        data = original.read_bytes()
        if copy.exists() and copy.read_bytes() != data:
            raise RunError(f"{original} differs from the copy of this run: {copy}")
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(copy, partial(_write, data))


def _write(data: bytes, path: Path) -> None:
    path.write_bytes(data)
