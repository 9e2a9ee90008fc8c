"""A run on disk: its network, to be evaluated or to start another run from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from pdedsl.compiler import Compilation, examine, to_compilation
from pdedsl.io import RunError
from pdedsl.ir.plan import ImagePlan
from pdedsl.runs.document import Picture, Table, fragment
from pdedsl.runtime.stencils import carried
from pdedsl.runtime.weights import require_compatible
from pdedsl.sources import source_of
from pdedsl.training.checkpoint import Damaged, Tensors, load_tensors, newest
from pdedsl.training.events import Outcome

SPEC, WEIGHTS, CURVES = "spec.pde", "weights.safetensors", "curves.png"


@dataclass(frozen=True)
class Run:
    """A run on disk, and its network ready to evaluate. `figures` are the final ones: test_accuracy and so on."""

    folder: Path
    module: nn.Module = field(repr=False)
    outcome: Outcome
    message: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: str | Path, trust: bool = False, data: str | Path | None = None) -> Run:
        """The run in a folder: its final weights, or those of its newest checkpoint, in the network of its spec.

        `trust` lets the spec import networks of your own; `data` is the folder of data sets, as for `train`."""
        folder = Path(folder)
        if not (folder / SPEC).is_file():
            raise RunError(f"{folder} holds no run: no {SPEC}")
        source, root = source_of(folder / SPEC), None if data is None else Path(data)
        return cls.of(folder, to_compilation(source, trust, root))

    def __repr__(self) -> str:
        """The folder, the outcome and the last figures, in a line."""
        figures = ", ".join(f"{name} {value:.4g}" for name, value in self.figures.items())
        return f"Run({self.folder}, {self.outcome}{': ' if figures else ''}{figures})"

    def _repr_html_(self) -> str:
        """The figures and the curves, for a notebook."""
        figures = tuple((name.replace("_", " "), f"{value:.6g}") for name, value in self.figures.items())
        curves = [Picture(CURVES, f"{self.folder.name}, {self.outcome}")] if (self.folder / CURVES).is_file() else []
        return fragment([Table(("figure", "at the end"), figures), *curves], self.folder)

    @classmethod
    def of(cls, folder: Path, compilation: Compilation, network: Callable[[int], nn.Module] | None = None) -> Run:
        """The weights of a run in the network of a spec, its own or one that they fit, or in `network(0)`."""
        kept = _kept(folder)
        module = (network or compilation.module)(0)
        module.to(next((t.dtype for t in kept.tensors.values() if t.is_floating_point()), torch.float32))
        try:
            require_compatible(kept.tensors, module)
        except ValueError as error:
            raise RunError(f"the weights of {folder} do not fit this spec: {error}") from None
        module.load_state_dict(kept.tensors)
        return cls(folder, module.eval(), kept.outcome, kept.message, kept.figures)


class _Kept(NamedTuple):
    tensors: Tensors
    figures: Mapping[str, float]
    outcome: Outcome
    message: str = ""


def _kept(folder: Path) -> _Kept:
    if (folder / WEIGHTS).exists():
        try:
            tensors, plain = load_tensors(folder / WEIGHTS)
        except Damaged as damage:
            raise RunError(str(damage)) from None
        if not isinstance(figures := plain.get("figures"), dict):
            raise RunError(f"{folder / WEIGHTS} holds no weights of a run of training")
        return _Kept(tensors, figures, Outcome.FINISHED)
    found, complaints = newest(folder / "checkpoints")
    if found is None:
        raise RunError("; ".join((f"{folder} holds no run: no {WEIGHTS} and no good checkpoint", *complaints)))
    tensors = {name.removeprefix("model."): t for name, t in found.tensors.items() if name.startswith("model.")}
    return _Kept(tensors, {}, Outcome.UNFINISHED, "; ".join((f"the state after step {found.step}", *complaints)))


def weights_for(module: nn.Module, compilation: Compilation, folder: Path) -> Tensors:
    """The weights of another run, to start from. If the images have another resolution, 3×3 kernels are transferred to
    it as differential operators (Ruthotto, Haber 2018, section 2.2), along each axis with its own factor."""
    tensors = _kept(folder).tensors
    planned = examine(source_of(folder / SPEC)).planned
    new, old = compilation.plan, planned and planned.model
    factors = (1.0, 1.0)
    if isinstance(new, ImagePlan) and isinstance(old, ImagePlan):
        factors = new.image[1] / old.image[1], new.image[2] / old.image[2]
    try:
        require_compatible(tensors, module)
        return tensors if factors == (1.0, 1.0) else carried(tensors, module, factors)
    except ValueError as error:
        raise RunError(f"the weights of {folder} do not fit this spec: {error}") from None
