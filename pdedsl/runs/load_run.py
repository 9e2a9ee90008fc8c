"""Run folders: loading the network, and initial weights from another run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from pdedsl.compiler import Compilation, check, to_compilation
from pdedsl.data.splits import Data
from pdedsl.document import Picture, Table, fragment
from pdedsl.io import RunError
from pdedsl.ir.plan import ImagePlan
from pdedsl.runs.checkpoint import CorruptCheckpoint, Tensors, load_newest, load_tensors
from pdedsl.runs.events import RunOutcome
from pdedsl.runs.experiment import config_of, data_of
from pdedsl.runs.folder import BASE_WEIGHTS, CHECKPOINTS, SPEC, WEIGHTS
from pdedsl.runs.user_code import use_code
from pdedsl.runtime.stencils import transfer_weights
from pdedsl.runtime.weights import require_compatible
from pdedsl.sources import source_of

CURVES = "curves.png"


@dataclass(frozen=True)
class Run:
    """A run folder with its network in eval mode. `metrics` are the final ones, as test_accuracy.

    Attributes:
        folder: folder of the run.
        module: the network, in eval mode.
        outcome: finished, unfinished or diverged.
        message: remarks about damaged or missing files.
        metrics: final metrics by name.

    Example:
        >>> import pdedsl
        >>> run = pdedsl.train("convection_diffusion", "run", set={"train.epochs": 1}, listeners=())
        >>> pdedsl.Run.open("run").metrics == run.metrics
        True
    """

    folder: Path
    module: nn.Module = field(repr=False)
    outcome: RunOutcome
    message: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)

    @property
    def figures(self) -> Mapping[str, float]:
        """Alias of `metrics`."""
        return self.metrics

    @classmethod
    def open(cls, folder: str | Path, trust: bool = False, data: str | Path | None = None) -> Run:
        """Load the final weights of a run, or those of its newest checkpoint, into the network of its spec.

        Args:
            folder: run folder.
            trust: allow the spec to import Python modules.
            data: folder of the data sets, as for `train`.

        Returns:
            The run with its network in eval mode.

        Raises:
            RunError: if the folder is not a run folder, or its weights do not fit its spec.

        Example:
            >>> import pdedsl
            >>> run = pdedsl.train("convection_diffusion", "run", set={"train.steps": 1}, listeners=())
            >>> pdedsl.Run.open("run").metrics == run.metrics
            True
        """
        folder = Path(folder)
        if not (folder / SPEC).is_file():
            raise RunError(f"{folder} is not a run folder: {SPEC} is missing")
        source, root = source_of(folder / SPEC), None if data is None else Path(data)
        if trust:
            use_code(folder)
        return cls.of(folder, to_compilation(source, trust, root))

    def __repr__(self) -> str:
        """Folder, outcome and final metrics in one line."""
        metrics = ", ".join(f"{name} {value:.4g}" for name, value in self.metrics.items())
        return f"Run({self.folder}, {self.outcome}{': ' if metrics else ''}{metrics})"

    def _repr_html_(self) -> str:
        """Metrics and training curves, for notebooks."""
        metrics = tuple((name.replace("_", " "), f"{value:.6g}") for name, value in self.metrics.items())
        curves = [Picture(CURVES, f"{self.folder.name}, {self.outcome}")] if (self.folder / CURVES).is_file() else []
        return fragment([Table(("Metric", "Final value"), metrics), *curves], self.folder)

    def data(self, root: str | Path | None = None, trust: bool = False) -> Data:
        """The data set of the run: the training, validation and test samples as they were split.

        Args:
            root: folder of the data sets, as for `train`.
            trust: allow the spec to import Python modules.

        Returns:
            `Data` with the splits `train`, `validation` (or None) and `test`, each with `batch(indices)`.

        Raises:
            PdeError: if the data are not found.

        Example:
            >>> import pdedsl
            >>> run = pdedsl.train("convection_diffusion", "run", set={"train.steps": 1}, listeners=())
            >>> x, y = run.data().test.batch(slice(None))
            >>> run.module(x).shape[0] == len(y)
            True
        """
        folder = None if root is None else Path(root)
        if trust:
            use_code(self.folder)
        compilation = to_compilation(source_of(self.folder / SPEC), trust, folder)
        return data_of(compilation, config_of(compilation.spec), folder)

    def load_base(self) -> nn.Module | None:
        """The network before heat smoothing.

        Returns:
            The network in eval mode; None for runs without heat smoothing.

        Raises:
            RunError: if its file is corrupt.

        Example:
            >>> import pdedsl
            >>> pdedsl.train("convection_diffusion", "run", set={"train.steps": 1}, listeners=()).load_base() is None
            True
        """
        if not (self.folder / BASE_WEIGHTS).is_file():
            return None
        try:
            weights, _ = load_tensors(self.folder / BASE_WEIGHTS)
        except CorruptCheckpoint as damage:
            raise RunError(str(damage)) from None
        base = deepcopy(self.module)
        base.load_state_dict(weights)
        return base.eval()

    @classmethod
    def of(cls, folder: Path, compilation: Compilation, network: Callable[[int], nn.Module] | None = None) -> Run:
        """Load the weights of a run into another network.

        Args:
            folder: run folder.
            compilation: compiled spec, whose network has these weights.
            network: function of a seed that builds the network; None for that of the compilation.

        Returns:
            The run with its network in eval mode.

        Raises:
            RunError: if the weights do not fit.

        Example:
            >>> import pathlib
            >>> import pdedsl
            >>> run = pdedsl.train("convection_diffusion", "run", set={"train.steps": 1}, listeners=())
            >>> compilation = pdedsl.compile("convection_diffusion")
            >>> pdedsl.Run.of(pathlib.Path("run"), compilation).metrics == run.metrics
            True
        """
        saved = _load(folder)
        module = (network or compilation.module)(0)
        module.to(next((t.dtype for t in saved.tensors.values() if t.is_floating_point()), torch.float32))
        try:
            require_compatible(saved.tensors, module)
        except ValueError as error:
            raise RunError(f"the weights of {folder} do not fit this spec: {error}") from None
        module.load_state_dict(saved.tensors)
        return cls(folder, module.eval(), saved.outcome, saved.message, saved.metrics)


class _SavedRun(NamedTuple):
    tensors: Tensors
    metrics: Mapping[str, float]
    outcome: RunOutcome
    message: str = ""


def _load(folder: Path) -> _SavedRun:
    if (folder / WEIGHTS).exists():
        try:
            tensors, plain = load_tensors(folder / WEIGHTS)
        except CorruptCheckpoint as damage:
            raise RunError(str(damage)) from None
        if not isinstance(metrics := plain.get("metrics"), dict):
            raise RunError(f"{folder / WEIGHTS} does not contain the weights of a training run")
        return _SavedRun(tensors, metrics, RunOutcome.FINISHED)
    checkpoint, errors = load_newest(folder / CHECKPOINTS)
    if checkpoint is None:
        raise RunError("; ".join((f"{folder} is not a run folder: no {WEIGHTS} and no valid checkpoint", *errors)))
    tensors = {name.removeprefix("model."): t for name, t in checkpoint.tensors.items() if name.startswith("model.")}
    return _SavedRun(
        tensors, {}, RunOutcome.UNFINISHED, "; ".join((f"unfinished run: weights of step {checkpoint.step}", *errors))
    )


def initial_weights(module: nn.Module, compilation: Compilation, folder: Path) -> Tensors:
    """Initial weights from another run. For images of another resolution, 3×3 kernels are rescaled as differential
    operators (Ruthotto, Haber 2018, section 2.2), with one factor per axis."""
    tensors = _load(folder).tensors
    planned = check(source_of(folder / SPEC)).planned
    new, old = compilation.plan, planned and planned.model
    factors = (1.0, 1.0)
    if isinstance(new, ImagePlan) and isinstance(old, ImagePlan):
        factors = new.image[1] / old.image[1], new.image[2] / old.image[2]
    try:
        require_compatible(tensors, module)
        return tensors if factors == (1.0, 1.0) else transfer_weights(tensors, module, factors)
    except ValueError as error:
        raise RunError(f"the weights of {folder} do not fit this spec: {error}") from None
