"""`pdedsl evaluate`: the folder of a run → a report in it, with tables and pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from torch import Tensor, nn

from pdedsl import __version__
from pdedsl.attacks import Box
from pdedsl.compiler import Compilation, to_compilation
from pdedsl.config.blocks import EvaluateBlock
from pdedsl.data.sets import Data, first
from pdedsl.diagnostics.escaping import command
from pdedsl.distributed import World, joined
from pdedsl.evaluation.engine import BATCH, Engine, Listener
from pdedsl.evaluation.evaluate import reported, require
from pdedsl.evaluation.model_under_test import Subject
from pdedsl.evaluation.pages import write_pages
from pdedsl.evaluation.partial_results import kept
from pdedsl.evaluation.plots import Scene, draw
from pdedsl.evaluation.protocol import measurements
from pdedsl.evaluation.rademacher import complexity_of
from pdedsl.evaluation.report import FORMAT, Report
from pdedsl.evaluation.smoothing import smoothing_of
from pdedsl.evaluation.weight_histogram import weights_of
from pdedsl.io import RunError, refuse_links, replace_text, sweep
from pdedsl.runtime.ode.solver_control import with_fixed_steps
from pdedsl.sources import changed, source_of
from pdedsl.training.checkpoint import digest
from pdedsl.training.config import config_of
from pdedsl.training.run import data_of, objective_of
from pdedsl.training.run_folder import interruption, locked
from pdedsl.training.run_loader import SPEC, Run

FOLDER = "evaluation"
DRAWING = "network.svg"
FIXED_STEPS = 20
"""Of the solver that an audit puts in the place of an adaptive one."""


@dataclass(frozen=True)
class Options:
    """How a run is evaluated, apart from what its spec says."""

    settings: tuple[str, ...] = ()
    subset: int | None = None
    seed: int = 0
    seeds: int = 1
    data: Path | None = None
    device: str | None = None
    resume: bool = False
    sources: Mapping[str, Path] = field(default_factory=dict)
    network: Callable[[int], nn.Module] | None = None
    trust: bool = False


def evaluate_run(
    run: str | Path,
    *,
    set: Sequence[str] = (),
    subset: int | None = None,
    seed: int = 0,
    seeds: int = 1,
    data: str | Path | None = None,
    device: str | None = None,
    resume: bool = False,
    sources: Mapping[str, str | Path] | None = None,
    network: Callable[[int], nn.Module] | None = None,
    trust: bool = False,
    listeners: Sequence[Listener] = (),
) -> Report:
    """Evaluate a run as its `evaluate` block says; the report and its pictures go to RUN/evaluation.

    `set` changes entries of the spec, as ["evaluate.attack=fgsm(eps=0.1)"]; `subset` is the number of test samples to
    use, a stratified selection; attacks run from `seeds` seeds. `sources` are the runs that transfer attacks name.
    `resume` continues an interrupted evaluation; `network` makes the network, like `model` of a compiled package;
    `trust` lets specs import networks of your own.
    """
    places = {name: Path(place) for name, place in (sources or {}).items()}
    root = None if data is None else Path(data)
    folder, options = Path(run), Options(tuple(set), subset, seed, seeds, root, device, resume, places, network, trust)
    if not (folder / SPEC).is_file():
        raise RunError(f"{folder} holds no run: make one with {command('pdedsl', 'train', 'SPEC', '-o', folder)}")
    compilation = to_compilation(changed(source_of(folder / SPEC), options.settings), trust, root)
    objective_of(compilation)  # raises an error with the reason if there is nothing to classify
    with joined(options.device) as world:
        return _evaluated(folder, compilation, options, world, listeners)


def _evaluated(
    folder: Path, compilation: Compilation, options: Options, world: World, listeners: Sequence[Listener]
) -> Report:
    run, block = Run.of(folder, compilation, options.network), compilation.spec.evaluate or EvaluateBlock(natural=True)
    model = run.module.to(world.device)
    data = data_of(compilation, config_of(compilation.spec), options.data)
    x, y = _samples(data, options, next(model.parameters()).dtype)
    sources = _sources(folder, block, options, world)
    subject = _subject(compilation, model, data, sources)
    wanted = tuple(measurements(block, range(options.seed, options.seed + options.seeds)))
    try:
        require(wanted, block, subject)
    except ValueError as error:
        raise RunError(str(error)) from None
    identity = _identity([model, *sources.values()], compilation, x, y, options)
    out = folder / FOLDER
    with (
        _claimed(folder, world),
        interruption() as interrupted,
        kept(out, identity, options.resume, world.rank, world.size) as parts,
    ):
        world.wait()  # until all processes have read the existing parts
        told = listeners if world.first else ()
        engine = Engine(subject, x, y, options.seed, parts, world, told, interrupted)
        report = _described(reported(engine, wanted, compilation.spec.name), compilation, run, options)
        report = replace(report, complexity=complexity_of(compilation, model, data.train.inputs, len(data.train)))
        if block.weight_histogram is not None:
            report = replace(report, weights=weights_of([model], block.weight_histogram))
        if world.first:
            pictures = draw(Scene(report, engine, block, data.class_names, folder), out)
            replace_text(out / DRAWING, compilation.explanation.svg())
            report = replace(report, pictures=((DRAWING, "What the equation becomes"), *pictures))
            write_pages(report, out)
    world.wait()
    return report


@contextmanager
def _claimed(folder: Path, world: World) -> Iterator[None]:
    """Reserve the folder of the report for this evaluation."""
    out = folder / FOLDER
    if not world.first:
        world.wait()  # until the folder exists
        yield
        return
    if out.is_symlink():
        raise RunError(f"{out} is a link; a report is written into the folder of its run")
    refuse_links(out)
    out.mkdir(exist_ok=True)
    with locked(out / ".lock", f"another process is evaluating {folder}"):
        sweep(out)
        world.wait()
        yield


def _samples(data: Data, options: Options, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    test = data.test
    if options.subset is not None:
        if not 0 < options.subset <= len(test):
            raise RunError(f"a subset has 1 to {len(test)} samples, not {options.subset}")
        test = first(test, options.subset, options.seed, "subset evaluate")
    return test.batch(slice(None), dtype=dtype)


def _subject(compilation: Compilation, model: nn.Module, data: Data, sources: Mapping[str, nn.Module]) -> Subject:
    box = Box() if data.bounds is None else Box(*data.bounds)
    fixed = with_fixed_steps(model, FIXED_STEPS)
    return Subject(model, box, smoothing_of(compilation, model), sources, () if fixed is None else (fixed,))


def _sources(folder: Path, block: EvaluateBlock, options: Options, world: World) -> dict[str, nn.Module]:
    """The networks of other runs: as given, or a run of that name beside this one, or a path."""
    found = {}
    for name in dict.fromkeys(transfer.source for transfer in block.transfer):
        places = [options.sources[name]] if name in options.sources else [folder.resolve().parent / name, Path(name)]
        place = next((place for place in places if (place / SPEC).is_file()), None)
        if place is None:
            train = command("pdedsl", "train", name, "-o", places[0])
            raise RunError(
                f"transfer from {name}: there is no run in {places[0]}. Train one with {train}, "
                f"or say where it is with {command('--source', f'{name}=RUN')}"
            )
        found[name] = Run.open(place, options.trust, options.data).module.to(world.device)
    return found


def _identity(models: Sequence[nn.Module], compilation: Compilation, x: Tensor, y: Tensor, options: Options) -> str:
    """Identifies what the parts of an evaluation belong to: they may be reused only for exactly the same evaluation."""
    total = hashlib.blake2b(digest_size=16)
    for text in (
        __version__,
        str(FORMAT),
        str(BATCH),
        str(options.seed),
        replace(compilation.spec, evaluate=None).canonical,
        *(digest({key: value.cpu() for key, value in model.state_dict().items()}) for model in models),
        digest({"x": x, "y": y}),
    ):
        total.update(text.encode() + b"\0")
    return total.hexdigest()


def _described(report: Report, compilation: Compilation, run: Run, options: Options) -> Report:
    spec, config = compilation.spec, config_of(compilation.spec)
    return replace(
        report,
        title=spec.title,
        hash=spec.hash,
        equation=spec.source.text,
        data=str(config.data.word),
        axioms=tuple(
            (axiom.value, f"{verdict.truth}: {verdict.reason}")
            for axiom, verdict in compilation.analysis.axioms.items()
        ),
        notes=(run.message,) if run.message else (),
        commands=_commands(run.folder, options),
    )


def _commands(folder: Path, options: Options) -> tuple[str, ...]:
    """The commands that reproduce this report, from the run and from its spec."""
    again = ["pdedsl", "evaluate", str(folder), "--seed", str(options.seed), "--seeds", str(options.seeds)]
    if options.subset is not None:
        again += ["--subset", str(options.subset)]
    for setting in options.settings:
        again += ["--set", setting]
    for name, place in options.sources.items():
        again += ["--source", f"{name}={place}"]
    return command("pdedsl", "train", folder / SPEC, "-o", "again"), command(*again)
