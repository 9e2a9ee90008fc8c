"""`realize PART by METHOD`: what a spec says of each part of its equation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, get_args, get_type_hints

from pdedsl.words.diffusions import Diffusion
from pdedsl.words.integrators import Integrator
from pdedsl.words.solvers import Solver
from pdedsl.words.word import Chosen, Forms, forms_of


@dataclass(frozen=True, kw_only=True)
class Realizations:
    """The methods that were chosen, each at most once."""

    time: Chosen[Integrator] | None = None
    convection: Chosen[Integrator] | None = None
    reaction: Chosen[Integrator] | None = None
    diffusion: Chosen[Diffusion] | None = None
    equation: Chosen[Solver] | None = None

    def written(self) -> list[tuple[str, Chosen[Any]]]:
        """Parts and methods in the order of the text."""
        found = [(f.name, method) for f in fields(self) if (method := getattr(self, f.name)) is not None]
        return sorted(found, key=lambda pair: pair[1].line)


def _parts() -> Mapping[str, Forms[Any]]:
    """The words of each part, from the types of the fields."""
    hints = get_type_hints(Realizations)
    return MappingProxyType({f.name: forms_of(_words(hints[f.name])) for f in fields(Realizations)})


def _words(hint: Any) -> Any:
    chosen = next(arg for arg in get_args(hint) if get_args(arg))
    return get_args(chosen)[0]


PARTS = _parts()
