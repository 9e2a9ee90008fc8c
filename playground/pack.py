"""Run inside Pyodide by build.mjs: wheels and pdedsl → one archive of modules, compiled for the Python that reads it.

Packages of pdedsl that need torch are left out; of other packages, unreachable modules and docstrings.
"""

import json
import os
import py_compile
import re
import sys
import tomllib
import zipfile
from pathlib import Path

WHEELS = Path("/all")  # unpacked by build.mjs
REPOSITORY = Path("/repository")
# Read by pattern rather than parsed, which would take as long as compiling.
IMPORT = re.compile(
    r"^[ \t]*(?:from\s+(?P<base>[\w.]+)\s+)?import\s+(?P<names>\([^)]*\)|(?:[^\n\\]|\\\n)*)", re.MULTILINE
)
DOTS = re.compile(r"(\.*)(.*)")
OURS = set(
    "analysis codegen config data diagnostics editor errors explainer ir language lowering numerics planning problem "
    "runs symbolic".split()
)


def sources():
    """Files with their places in the archive."""
    package = sorted((REPOSITORY / "pdedsl").rglob("*.py"))
    own = [path for path in package if (place := path.relative_to(REPOSITORY).parts)[1] in OURS or len(place) == 2]
    for path in own:
        yield path, path.relative_to(REPOSITORY)
    for path in sorted(reached(own)):
        yield path, path.relative_to(WHEELS)
    for path in sorted(WHEELS.glob("lark/**/*.lark")):
        yield path, path.relative_to(WHEELS)
    for path in sorted([*REPOSITORY.glob("grammar/*.lark"), *REPOSITORY.glob("specs/*.pde")]):
        yield path, Path("pdedsl") / path.relative_to(REPOSITORY)


def reached(own):
    """The files of all modules reachable by import statements, nested ones included."""
    found, waiting = set(), [name for path in own for name in imported(path, path.relative_to(REPOSITORY))]
    while waiting:
        parts = waiting.pop().split(".")
        for end in range(1, len(parts) + 1):
            path = file_of(parts[:end])
            if path is not None and path not in found:
                found.add(path)
                waiting += imported(path, path.relative_to(WHEELS))
    return found


def file_of(parts):
    place = WHEELS.joinpath(*parts)
    return next((f for f in (place / "__init__.py", place.with_name(f"{place.name}.py")) if f.is_file()), None)


def imported(path, place):
    """The module names of all import statements; matches in prose are harmless."""
    for line in IMPORT.finditer(path.read_text("utf-8")):
        names = re.findall(r"[\w.]+", line["names"])
        if line["base"] is None:
            yield from names
            continue
        dots, module = DOTS.fullmatch(line["base"]).groups()
        above = place.parts[: len(place.parts) - len(dots)] if dots else ()
        base = ".".join([*above, *([module] if module else [])])
        yield from (f"{base}.{name}" for name in names or "*")


def compiled(path, place):
    target = "/tmp/module.pyc"
    optimize = 0 if place.parts[0] == "pdedsl" else 2  # docstrings are the reference of the built-ins
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(path), target, str(place), doraise=True, optimize=optimize, invalidation_mode=unchecked)
    return Path(target).read_bytes()


def pack(target):
    """The same bytes for the same files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, place in sources():
            is_module = path.suffix == ".py"
            data = compiled(path, place) if is_module else path.read_bytes()
            name = str(place.with_suffix(".pyc") if is_module else place)
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)
        name, data = tables()
        archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)
    return os.path.getsize(target)


def tables():
    """The cached parser tables: computing them would take a tenth of the time to the first check."""
    sys.path[:0] = [str(WHEELS), str(REPOSITORY)]
    from pdedsl.language.parser import cache_path, load_grammar, parser

    parser()
    path = cache_path(load_grammar())
    return str(path.relative_to(REPOSITORY)), path.read_bytes()


def gallery():
    """The specs of the laboratory with their modules, the lessons of the tour, the shipped specs, and the statement
    keywords."""
    from pdedsl.editor.playground_json import laboratory_json
    from pdedsl.language.precedence import INFIX_KEYWORDS as INNER
    from pdedsl.language.syntax_errors import KEYWORDS
    from pdedsl.sources import shipped_specs, spec_title

    def solved(path):
        text = path.read_text("utf-8")
        answer = json.loads(laboratory_json(text))
        return {
            "name": path.stem.partition("_")[2] + "_solved",
            "title": answer["problem"]["title"],
            "text": text,
            "module": answer["module"],
            "problem": answer["problem"],
        }

    laboratory = [solved(path) for path in sorted(REPOSITORY.glob("playground/gallery/*.pde"))]
    lessons = [
        {"name": path.stem.partition("_")[2], **tomllib.loads(path.read_text("utf-8"))}
        for path in sorted(REPOSITORY.glob("playground/tour/*.toml"))
    ]
    specs = [
        {"name": n, "title": f"{n}: {spec_title(p)}", "text": p.read_text("utf-8")} for n, p in shipped_specs().items()
    ]
    contents = {"laboratory": laboratory, "lessons": lessons, "specs": specs, "keywords": sorted({*KEYWORDS, *INNER})}
    return json.dumps(contents, ensure_ascii=False)
