"""A model with the parts of the runtime that it uses, so that its package does not depend on pdedsl."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from pdedsl import quoting
from pdedsl.ir.spec import Spec

ROOT = Path(__file__).parents[1]
PARTS = "parts"  # the folder beside the model
_IMPORT = re.compile(r"^(\s*)from pdedsl(?:\.([\w.]+))? import", re.MULTILINE)
README = """# {name}

{title}

`from {package} import model`, with the folder above on the path, then `model(seed)` is the network. It needs {needs},
but not pdedsl: `{parts}/` holds the code of pdedsl that it uses. `spec.pde` is its spec, hash `{hash}`.
"""


def standalone_files(spec: Spec, python: str, package: str) -> dict[str, str]:
    """The files of a package that can be copied anywhere."""
    files = {f"{PARTS}/{file}": _local(text, file.count("/")) for file, text in sorted(_used(python).items())}
    folders = {str(Path(file).parent) for file in files}
    model = _local(python, 0, PARTS)
    needs = sorted(set().union(*(_outside(text) for text in (python, *files.values()))))
    readme = README.format(
        name=spec.name,
        title=quoting.markdown(spec.title),
        hash=spec.hash,
        parts=PARTS,
        needs=" and ".join(needs),
        package=package,
    )
    return {
        "__init__.py": "from .model import model as model\n",
        "model.py": model,
        **{f"{folder}/__init__.py": "" for folder in sorted({*folders, PARTS})},
        **files,
        "spec.pde": spec.source.text,
        "README.md": readme,
    }


def _used(python: str) -> dict[str, str]:
    """Every module of pdedsl that a text imports, directly or indirectly, by path."""
    found: dict[str, str] = {}
    waiting = [python]
    while waiting:
        for file in map(_file, _ours(waiting.pop())):
            if file.is_file() and (path := str(file.relative_to(ROOT))) not in found:
                found[path] = file.read_text("utf-8")
                waiting.append(found[path])
    return found


def _ours(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("pdedsl."):
            yield from (str(node.module), *(f"{node.module}.{name.name}" for name in node.names))


def _file(module: str) -> Path:
    """The file of a module; for a package or a name in a module it does not exist."""
    return ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py")


def _local(text: str, depth: int, folder: str = "") -> str:
    """The text with imports of pdedsl made relative, for a file `depth` levels below `folder`."""

    def relative(found: re.Match[str]) -> str:
        return f"{found[1]}from {'.' * (depth + 1)}{'.'.join(filter(None, (folder, found[2])))} import"

    return _IMPORT.sub(relative, text)


def _outside(text: str) -> set[str]:
    """The packages that a text imports, other than pdedsl and the standard library."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                found |= {name.name.split(".")[0] for name in names}
            case ast.ImportFrom(module=str(module), level=0):
                found.add(module.split(".")[0])
    return found - sys.stdlib_module_names - {"pdedsl"}
