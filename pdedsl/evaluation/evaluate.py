"""`pdedsl.evaluate`: any network that gives scores, on samples with labels → Report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isinf

from torch import Tensor

from pdedsl.attacks import Box
from pdedsl.attacks.constraints import End, read_box
from pdedsl.config.blocks import EvaluateBlock
from pdedsl.config.evaluation import Lipschitz, SmoothingCertificate
from pdedsl.distributed import World
from pdedsl.evaluation.engine import Engine, Listener
from pdedsl.evaluation.measure import knows_constant
from pdedsl.evaluation.metrics import Figures
from pdedsl.evaluation.model_under_test import Smoothing, Subject
from pdedsl.evaluation.partial_results import Parts
from pdedsl.evaluation.protocol import Certified, Measurement, measurements
from pdedsl.evaluation.report import Report
from pdedsl.evaluation.unparse import block_of
from pdedsl.evaluation.weight_histogram import weights_of
from pdedsl.frozen_model import Model, modules_of
from pdedsl.validation import read_samples


def evaluate(
    model: Model,
    x: Tensor,
    y: Tensor,
    what: str | EvaluateBlock = "natural",
    *,
    bounds: Box | tuple[End, End] | None = None,
    sigma: float | None = None,
    sources: Mapping[str, Model] | None = None,
    surrogates: Sequence[Model] = (),
    seed: int = 0,
    seeds: int = 1,
    name: str = "model",
    listeners: Sequence[Listener] = (),
) -> Report:
    """Evaluate a network on the samples x of the classes y, as the lines of an `evaluate` block say:

        pdedsl.evaluate(model, x, y, "attack pgd(eps=8/255)", bounds=(0, 1))

    `model` is any callable from inputs to scores (logits or log-probabilities); it and the state of the caller's random
    number generator are left unchanged. `bounds` are those of valid inputs. `sigma` is the standard deviation of the
    noise of a Gaussian certificate, `sources` are the networks that transfer attacks name, `surrogates` those that the
    audit compares with. Attacks run from `seeds` seeds, and a sample counts as robust if it withstands them all.
    """
    x, y = read_samples(x, y)
    if not len(x) or seeds < 1:
        raise ValueError("an evaluation takes one sample or more, and one seed or more")
    block = what if isinstance(what, EvaluateBlock) else block_of(what)
    smoothing = None if sigma is None else Smoothing(sigma, model, exact=False)
    subject = Subject(model, read_box(bounds), smoothing, dict(sources or {}), tuple(surrogates))
    wanted = tuple(measurements(block, range(seed, seed + seeds)))
    require(wanted, block, subject)
    engine = Engine(subject, x, y, seed, Parts(), World(x.device), listeners)
    report = reported(engine, wanted, name)
    histogram = block.weight_histogram
    return report if histogram is None else replace(report, weights=weights_of(modules_of(model), histogram))


def reported(engine: Engine, wanted: Sequence[Measurement], name: str) -> Report:
    """Measure, and assemble the figures."""
    figures = Figures(wanted, engine.run(wanted))
    return Report(
        name=name,
        title="",
        hash="",
        equation="",
        data="",
        samples=len(engine.y),
        seed=engine.seed,
        parameters=sum(p.numel() for module in modules_of(engine.subject.model) for p in module.parameters()),
        clean=figures.clean(),
        robust=figures.robust(),
        transfers=figures.transfers(name),
        certified=figures.certified(engine.subject, tuple(part[:2] for part in parts_of(engine.subject.model))),
        doubts=figures.doubts(),
    )


def _breaks(model: Model) -> str:
    """Why a network has no Lipschitz constant: the part that lacks one."""
    broken = [f"its {part} has no constant: {why}" for part, constant, why in parts_of(model) if isinf(constant)]
    return broken[0] if broken else "the model has no method `lipschitz_constant()`"


def parts_of(model: Model) -> tuple[tuple[str, float, str], ...]:
    """The parts of a network that knows their Lipschitz constants: name, constant, and the reason for it."""
    parts = getattr(model, "lipschitz_parts", None)
    return tuple(parts()) if callable(parts) else ()


def require(wanted: Sequence[Measurement], block: EvaluateBlock, subject: Subject) -> None:
    """Check that everything requested can be measured; otherwise an error says what is missing."""
    noisy = any(isinstance(w, Certified) and isinstance(w.certificate, SmoothingCertificate) for w in wanted)
    if noisy and subject.smoothing is None:
        raise ValueError("a Gaussian certificate needs `sigma`, the standard deviation of its noise")
    constant = any(isinstance(w, Certified) and isinstance(w.certificate, Lipschitz) for w in wanted)
    if constant and subject.smoothing is None and not knows_constant(subject.model):
        raise ValueError(f"certify lipschitz: {_breaks(subject.model)}")
    if block.audit is not None and not block.attack:
        raise ValueError("an audit examines accuracies under attack: add one, as `attack pgd(eps=0.1)`")
    missing = [t.source for t in block.transfer if t.source not in subject.sources]
    if missing:
        raise ValueError(f"transfer from '{missing[0]}': pass sources={{'{missing[0]}': its network}}")
