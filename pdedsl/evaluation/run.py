"""`pdedsl evaluate`: evaluation of a run folder; writes the report and plots to RUN/evaluation."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from torch import Tensor, nn

from pdedsl import __version__
from pdedsl.attacks import Box
from pdedsl.certificates.rademacher import ASSUMES, rademacher_bound
from pdedsl.compiler import Compilation, to_compilation
from pdedsl.config.blocks import EvaluateBlock
from pdedsl.config.methods import Scores
from pdedsl.data.splits import Data, stratified_subset
from pdedsl.diagnostics.escaping import command
from pdedsl.evaluation.engine import BATCH_SIZE, EvaluationEngine
from pdedsl.evaluation.evaluate import build_report, needs_adaptive_attacks, require_arguments
from pdedsl.evaluation.measure import EvaluatedModel, Smoothing
from pdedsl.evaluation.metrics import EvaluationMetrics, weight_magnitudes
from pdedsl.evaluation.partial_results import open_partial_results
from pdedsl.evaluation.plots import PlotInputs, write_plots
from pdedsl.evaluation.protocol import AgreementMeasurement, measurements
from pdedsl.evaluation.report import FORMAT, RademacherComplexity, Report, write_pages
from pdedsl.frozen_model import Model
from pdedsl.io import RunError, remove_temporary_files, require_no_links, write_text_atomically
from pdedsl.ir.plan import DataPlan, NoiseStep, ResidualBlocks, SdeSteps
from pdedsl.ir.representation import PathExpectation
from pdedsl.runs.checkpoint import digest
from pdedsl.runs.distributed import World, process_group
from pdedsl.runs.events import Listener
from pdedsl.runs.experiment import config_of, data_of, data_seed, objective_of
from pdedsl.runs.folder import SPEC, catch_interrupts, lock_file
from pdedsl.runs.load_run import Run
from pdedsl.runs.user_code import use_code
from pdedsl.runtime.ode.solver_control import with_exact_gradients, with_fixed_steps
from pdedsl.runtime.sde.feynman_kac import Expectation
from pdedsl.runtime.sde.noise import GaussianNoise
from pdedsl.sources import apply_settings, source_of

FOLDER = "evaluation"
OUTCOMES = "outcomes.json"
DRAWING = "network.svg"
FIXED_STEPS = 20
"""Steps of the fixed-step solver that replaces an adaptive one in the surrogate of the audit."""


@dataclass(frozen=True)
class EvaluationOptions:
    """Options of an evaluation that are not part of the spec."""

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
    """Evaluate a run as specified by its `evaluate` block; report and plots are written to RUN/evaluation.

    Args:
        run: folder of the run.
        set: changes of the spec, as ["evaluate.attack=fgsm(eps=0.1)"].
        subset: size of a stratified subset of the test samples; None for all.
        seed: first seed of the attacks.
        seeds: number of seeds of the attacks.
        data: folder of data sets.
        device: "cpu", "cuda" or another torch device; None for the default.
        resume: continue an interrupted evaluation.
        sources: folders of the runs of the source networks of transfer attacks, by name.
        network: factory seed → network, like `model` of a compiled package; None for the network of the spec.
        trust: allow importing the Python modules that specs name.
        listeners: functions that receive progress events.

    Returns:
        `Report` with clean, robust and certified accuracy.

    Raises:
        PdeError: if the spec has errors, or its network is not a classifier.
        RunError: if the folder is not that of a run, or an argument is missing.

    Example:
        >>> import pdedsl
        >>> run = pdedsl.train("convection_diffusion", "run", set={"train.epochs": 1}, listeners=())
        >>> settings = ["evaluate.certify=randomized_smoothing(n=100)", "evaluate.attack=fgsm(eps=0.1)"]
        >>> report = pdedsl.evaluate_run("run", set=settings, subset=20)
        >>> report.samples, report.robust[0].attack[:4]
        (20, 'fgsm')
    """
    places = {name: Path(place) for name, place in (sources or {}).items()}
    root = None if data is None else Path(data)
    folder = Path(run)
    options = EvaluationOptions(tuple(set), subset, seed, seeds, root, device, resume, places, network, trust)
    if not (folder / SPEC).is_file():
        raise RunError(
            f"{folder} is not a run folder; create one with {command('pdedsl', 'train', 'SPEC', '-o', folder)}"
        )
    if trust:
        use_code(folder)
    compilation = to_compilation(apply_settings(source_of(folder / SPEC), options.settings), trust, root)
    objective_of(compilation)  # raises an error if there is no classifier
    with process_group(options.device) as world:
        return _evaluate(folder, compilation, options, world, listeners)


def _evaluate(
    folder: Path, compilation: Compilation, options: EvaluationOptions, world: World, listeners: Sequence[Listener]
) -> Report:
    run, block = Run.of(folder, compilation, options.network), compilation.spec.evaluate or EvaluateBlock(natural=True)
    model = run.module.to(world.device)
    data = data_of(compilation, config_of(compilation.spec), options.data)
    x, y = _samples(data, options, next(model.parameters()).dtype, data_seed(compilation.spec))
    sources = _sources(folder, block, options, world)
    base = run.load_base()
    subject = _subject(compilation, model, data, sources, None if base is None else base.to(world.device))
    stochastic = needs_adaptive_attacks(model, x[:8].to(world.device))
    requested = tuple(measurements(block, range(options.seed, options.seed + options.seeds), stochastic))
    if subject.base is not None and subject.smoothing is not None:
        requested = (*requested, AgreementMeasurement())
    try:
        require_arguments(requested, block, subject, x)
    except ValueError as error:
        raise RunError(str(error)) from None
    identity = _identity([model, *sources.values()], compilation, x, y, options)
    out = folder / FOLDER
    with (
        _lock_folder(folder, world),
        catch_interrupts() as interrupted,
        open_partial_results(out, identity, options.resume, world.rank, world.size) as parts,
    ):
        world.barrier()  # until all processes have read the existing results
        active = listeners if world.is_main else ()
        engine = EvaluationEngine(subject, x, y, options.seed, parts, world, active, interrupted)
        metrics = EvaluationMetrics(requested, engine.run(requested))
        report = _add_metadata(build_report(engine, metrics, compilation.spec.name), compilation, run, options)
        report = replace(
            report, complexity=rademacher_complexity(compilation, model, data.train.inputs, len(data.train))
        )
        if block.weight_histogram is not None:
            report = replace(report, weights=weight_magnitudes([model], block.weight_histogram))
        if world.is_main:
            write_outcomes(out, report, metrics, x, y, options.subset)
            pictures = write_plots(PlotInputs(report, engine, block, data.class_names, folder), out)
            write_text_atomically(out / DRAWING, compilation.explanation.svg())
            report = replace(report, plots=((DRAWING, "Network of the equation"), *pictures))
            write_pages(report, out)
    world.barrier()
    return report


def write_outcomes(
    folder: Path, report: Report, metrics: EvaluationMetrics, x: Tensor, y: Tensor, subset: int | None
) -> None:
    """The metrics of each sample, with a digest of the samples, for paired tests between runs, and the cost."""
    cost = {} if report.cost is None else {name: value for name, value in vars(report.cost).items() if value}
    plain = {
        "samples": digest({"x": x, "y": y}),
        "subset": subset,
        "outcomes": metrics.outcomes(),
        "cost": {"parameters": report.parameters, **cost},
    }
    write_text_atomically(folder / OUTCOMES, json.dumps(plain, ensure_ascii=False) + "\n")


@contextmanager
def _lock_folder(folder: Path, world: World) -> Iterator[None]:
    """Create the folder of the report and lock it."""
    out = folder / FOLDER
    if not world.is_main:
        world.barrier()  # until the folder exists
        yield
        return
    if out.is_symlink():
        raise RunError(f"{out} is a symbolic link; the report must be written into the run folder itself")
    require_no_links(out)
    out.mkdir(exist_ok=True)
    with lock_file(out / ".lock", f"another process is evaluating {folder}"):
        remove_temporary_files(out)
        world.barrier()
        yield


def _samples(data: Data, options: EvaluationOptions, dtype: torch.dtype, seed: int) -> tuple[Tensor, Tensor]:
    test = data.test
    if options.subset is not None:
        if not 0 < options.subset <= len(test):
            raise RunError(
                f"subset must be between 1 and {len(test)}, the number of test samples; got {options.subset}"
            )
        test = stratified_subset(test, options.subset, seed, "subset evaluate")
    return test.batch(slice(None), dtype=dtype)


def _subject(
    compilation: Compilation,
    model: nn.Module,
    data: Data,
    sources: Mapping[str, nn.Module],
    base: nn.Module | None,
) -> EvaluatedModel:
    box = Box() if data.bounds is None else Box(*data.bounds)
    fixed, exact = with_fixed_steps(model, FIXED_STEPS), with_exact_gradients(model)
    variants = {"fixed-step solver": fixed, "exact gradients": exact}
    surrogates: dict[str, Model] = {name: variant for name, variant in variants.items() if variant is not None}
    return EvaluatedModel(model, box, input_smoothing(compilation, model), sources, surrogates, base)


def _sources(folder: Path, block: EvaluateBlock, options: EvaluationOptions, world: World) -> dict[str, nn.Module]:
    """The source networks of transfer attacks: from `sources`, or the run of that name next to this one, or a path."""
    networks = {}
    for name in dict.fromkeys(transfer.source for transfer in block.transfer):
        places = [options.sources[name]] if name in options.sources else [folder.resolve().parent / name, Path(name)]
        place = next((place for place in places if (place / SPEC).is_file()), None)
        if place is None:
            train = command("pdedsl", "train", name, "-o", places[0])
            raise RunError(
                f"transfer from {name}: {places[0]} is not a run folder. Train one with {train}, "
                f"or pass its path with {command('--source', f'{name}=RUN')}"
            )
        networks[name] = Run.open(place, options.trust, options.data).module.to(world.device)
    return networks


def _identity(
    models: Sequence[nn.Module], compilation: Compilation, x: Tensor, y: Tensor, options: EvaluationOptions
) -> str:
    """Hash of everything that the partial results depend on: they are reused only for the same evaluation."""
    total = hashlib.blake2b(digest_size=16)
    for text in (
        __version__,
        str(FORMAT),
        str(BATCH_SIZE),
        str(options.seed),
        replace(compilation.spec, evaluate=None).canonical,
        *(digest({key: value.cpu() for key, value in model.state_dict().items()}) for model in models),
        digest({"x": x, "y": y}),
    ):
        total.update(text.encode() + b"\0")
    return total.hexdigest()


def _add_metadata(report: Report, compilation: Compilation, run: Run, options: EvaluationOptions) -> Report:
    spec, used = compilation.spec, config_of(compilation.spec).data
    return replace(
        report,
        title=spec.title,
        hash=spec.hash,
        equation=spec.source.text,
        data=str(used.config) if used else "",
        axioms=tuple(
            (axiom.value, f"{verdict.truth}: {verdict.reason}")
            for axiom, verdict in compilation.analysis.axioms.items()
        ),
        notes=(run.message,) if run.message else (),
        commands=_commands(run.folder, options),
    )


def _commands(folder: Path, options: EvaluationOptions) -> tuple[str, ...]:
    """The commands that reproduce the run and this report."""
    again = ["pdedsl", "evaluate", str(folder), "--seed", str(options.seed), "--seeds", str(options.seeds)]
    if options.subset is not None:
        again += ["--subset", str(options.subset)]
    for setting in options.settings:
        again += ["--set", setting]
    for name, place in options.sources.items():
        again += ["--source", f"{name}={place}"]
    return command("pdedsl", "train", folder / SPEC, "-o", "again"), command(*again)


# ---- Gaussian input noise of a diffusion term, the smoothing distribution of its certificate


def input_smoothing(compilation: Compilation, model: nn.Module) -> Smoothing | None:
    """s² = ∫ 2ν dt for diffusion νΔu with piecewise constant ν(t); None if there is no such noise.

    A network of the form E softmax(base(x + sξ)) is smoothed through its base; any other network is its own base, and
    the certificate is one of its smoothed version (as in Wang, Tao, Bao, Shi, Theorem 3.1).
    """
    paths = compilation.representation
    variance = paths.input_variance if isinstance(paths, PathExpectation) else None
    if variance is None:
        return None
    base = _base(compilation.plan, model) if isinstance(compilation.plan, DataPlan) else None
    return Smoothing(math.sqrt(float(variance)), model if base is None else base, exact=base is not None)


def _base(plan: DataPlan, model: nn.Module) -> nn.Module | None:
    """The base network, if the model has one ensemble member, Gaussian input noise and no other noise."""
    first, *others = plan.parts
    noisy = any(
        isinstance(part, NoiseStep) or (isinstance(part, ResidualBlocks | SdeSteps) and part.noise is not None)
        for part in others
    )
    if plan.members != 1 or plan.average is not Scores.PROBABILITIES or not isinstance(first, NoiseStep) or noisy:
        return None
    if not isinstance(model, Expectation):
        return None
    noise, *layers = model.members[0].children()
    return nn.Sequential(*layers) if isinstance(noise, GaussianNoise) else None


# ---- Rademacher complexity bound of a linear classifier composed with a transport (Wang, Tao, Bao, Shi, Theorem 3.4)


def rademacher_complexity(
    compilation: Compilation, model: nn.Module, x: Tensor, samples: int
) -> RademacherComplexity | None:
    """For two classes and a linear readout sigmoid((w₁ − w₀)·z) with W = ‖w₁ − w₀‖₁; None for other networks."""
    plan = compilation.plan
    if not isinstance(plan, DataPlan) or not plan.readout or plan.classes != 2:
        return None
    weight, radius = max(map(_l1_norm, _readouts(model, plan.dimension))), float(x.abs().max())
    bound = rademacher_bound(weight, radius, plan.dimension, samples)
    return RademacherComplexity(bound, weight, radius, plan.dimension, samples, ASSUMES)


def _readouts(model: nn.Module, dimension: int) -> list[Tensor]:
    """The readout matrix (2, d) of each ensemble member, from the values of its last layer at the unit vectors."""
    members = list(model.members) if isinstance(model, Expectation) else [model]
    unit = torch.eye(dimension).to(next(model.parameters()))
    with torch.no_grad():
        return [list(member.children())[-1](unit).T for member in members]


def _l1_norm(readout: Tensor) -> float:
    return float((readout[1] - readout[0]).abs().sum())
