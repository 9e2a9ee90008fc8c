"""Python modules of a user's own networks, carried by a run folder with the user's consent.

`code/` has the file of a module, or the folder of a package. It is imported only with `--trust`, like any other module
that a spec names, and only if the module is not found elsewhere.
"""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from pdedsl.config.networks import Torch
from pdedsl.io import RunError
from pdedsl.ir.spec import Spec
from pdedsl.runs.folder import CODE


def modules_of_networks(spec: Spec) -> tuple[str, ...]:
    """The top-level modules that the learned fields of a spec name."""
    networks = [learned.net.config for learned in spec.learned if learned.net is not None]
    return tuple(dict.fromkeys(net.path[0].partition(".")[0] for net in networks if isinstance(net, Torch)))


def copy_code(spec: Spec, folder: Path) -> tuple[str, ...]:
    """Copy the modules of the user's networks into the run folder; returns their names."""
    names = modules_of_networks(spec)
    for name in names:
        found = find_spec(name)
        if found is None or found.origin is None:
            raise RunError(f"the module {name} has no file that could be copied")
        origin = Path(found.origin)
        (folder / CODE).mkdir(parents=True, exist_ok=True)
        if found.submodule_search_locations:
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(origin.parent, folder / CODE / name, ignore=ignore, dirs_exist_ok=True)
        else:
            shutil.copyfile(origin, folder / CODE / origin.name)
    return names


def use_code(folder: Path) -> None:
    """Find modules in the run folder, after all others."""
    path = str((folder / CODE).resolve())
    if (folder / CODE).is_dir() and path not in sys.path:
        sys.path.append(path)
