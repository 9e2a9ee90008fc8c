"""Import hook for packages compiled by pdedsl 0.1, whose imports no longer exist: an error with the remedy."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MODULES = frozenset(
    f"pdedsl.{name}"
    for name in (
        "training.view",
        *(
            f"runtime.{name}"
            for name in (
                "adaptive blocks bounded bounded_frame bounded_pieces built_in constants constraints convection "
                "derivatives dropped evolution expectation explicit fields frame integrators jets kernels marching "
                "noise operators own_networks parabolic partials paths pieces points random_maps relative "
                "residual_maps reversible solenoidal spheres standardize streams timed torchdiffeq_solver "
                "torchvision_backbones"
            ).split()
        ),
    )
)
"""The modules that compiled packages imported."""


class ObsoleteImports(MetaPathFinder):
    """Raises ImportError with the remedy for a module of `MODULES`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in MODULES:
            raise ImportError("compiled by pdedsl 0.1; run `pdedsl compile` again", name=fullname)
        return None


def install() -> None:
    """Add the hook after all other finders, so that it costs nothing for modules that exist."""
    if not any(isinstance(finder, ObsoleteImports) for finder in sys.meta_path):
        sys.meta_path.append(ObsoleteImports())
