"""The lower bounds of pyproject.toml as constraints for pip: every dependency of the product in its oldest version."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def oldest() -> list[str]:
    """`torch==2.7` for `torch>=2.7`; a dependency without a lower bound is an error."""
    declared = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    found = [re.fullmatch(r"([\w.-]+)>=([\w.]+)(?:,.*)?", one) for one in declared]
    if not all(found):
        raise SystemExit(f"no lower bound: {[one for one, m in zip(declared, found, strict=True) if m is None]}")
    return [f"{m[1]}=={m[2]}" for m in found if m]


if __name__ == "__main__":
    print("\n".join(oldest()))
