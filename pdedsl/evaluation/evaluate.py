"""`pdedsl.evaluate`: clean, robust and certified accuracy of a classifier on labelled samples → Report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isinf

from torch import Tensor

from pdedsl.api import parse
from pdedsl.attacks import Box, Predictor
from pdedsl.attacks.constraints import Bound, read_box
from pdedsl.config.blocks import EvaluateBlock
from pdedsl.config.evaluation import ImageCorruption, LipschitzCertificate, SmoothingCertificate, StochasticProtocol
from pdedsl.evaluation.cost import MAX_SAMPLES, measure_cost
from pdedsl.evaluation.engine import EvaluationEngine
from pdedsl.evaluation.measure import EvaluatedModel, Smoothing, has_lipschitz_constant
from pdedsl.evaluation.metrics import EvaluationMetrics, weight_magnitudes
from pdedsl.evaluation.partial_results import PartialResults
from pdedsl.evaluation.protocol import CertificateMeasurement, Measurement, StochasticMeasurement, measurements
from pdedsl.evaluation.report import Report
from pdedsl.frozen_model import Model, modules_of
from pdedsl.runs.distributed import World
from pdedsl.runs.events import Listener
from pdedsl.runtime.ode.solver_control import adaptive_blocks
from pdedsl.validation import validate_batch


def evaluate(
    model: Model,
    x: Tensor,
    y: Tensor,
    what: str | EvaluateBlock = "natural",
    *,
    bounds: Box | tuple[Bound, Bound] | None = None,
    sigma: float | None = None,
    sources: Mapping[str, Model] | None = None,
    surrogates: Sequence[Model] = (),
    seed: int = 0,
    seeds: int = 1,
    name: str = "model",
    listeners: Sequence[Listener] = (),
) -> Report:
    """Evaluate a classifier on labelled samples: clean, robust and certified accuracy.

    The state of the model and of the random number generators is restored afterwards.

    Args:
        model: callable from inputs (m, …) to logits or log-probabilities (m, classes).
        x: inputs, shape (n, …).
        y: labels, shape (n,), integers.
        what: lines of an `evaluate` block.
        bounds: lower and upper bound of valid inputs; None for no bounds.
        sigma: standard deviation of the noise of `certify randomized_smoothing`.
        sources: source networks of transfer attacks, by name.
        surrogates: networks whose adversarial examples the audit and the adaptive attacks transfer to the model.
        seed: first seed of the attacks.
        seeds: number of seeds (seed, seed + 1, …); a sample is robust if it is classified correctly for all of them.
        name: name of the model in the report.
        listeners: functions that receive progress events.

    Returns:
        `Report` with accuracies, confidence intervals, and the verdict of the audit.

    Raises:
        ValueError: if a requested measurement is impossible, or there are no samples.
        PdeError: if `what` is not valid.

    Example:
        >>> import pdedsl
        >>> import torch
        >>> model = lambda x: torch.cat([x, -x], 1)  # class 0 for x > 0, class 1 for x < 0
        >>> x, y = torch.tensor([[0.25], [1.0], [-1.0]]), torch.tensor([0, 0, 1])
        >>> report = pdedsl.evaluate(model, x, y, "natural\\nattack pgd(eps=0.5)")
        >>> report.clean.accuracy.value, round(report.robust[0].accuracy.value, 3)
        (1.0, 0.667)
    """
    x, y = validate_batch(x, y)
    if not len(x) or seeds < 1:
        raise ValueError("evaluate needs at least one sample and at least one seed")
    block = what if isinstance(what, EvaluateBlock) else parse_evaluate_block(what)
    smoothing = None if sigma is None else Smoothing(sigma, model, exact=False)
    subject = EvaluatedModel(model, read_box(bounds), smoothing, dict(sources or {}), _named(surrogates))
    requested = tuple(measurements(block, range(seed, seed + seeds), needs_adaptive_attacks(model, x)))
    require_arguments(requested, block, subject, x)
    engine = EvaluationEngine(subject, x, y, seed, PartialResults(), World(x.device), listeners)
    report = build_report(engine, EvaluationMetrics(requested, engine.run(requested)), name)
    histogram = block.weight_histogram
    return report if histogram is None else replace(report, weights=weight_magnitudes(modules_of(model), histogram))


def build_report(engine: EvaluationEngine, metrics: EvaluationMetrics, name: str) -> Report:
    """The report of an evaluation, without the data of its spec."""
    return Report(
        name=name,
        title="",
        hash="",
        equation="",
        data="",
        samples=len(engine.y),
        seed=engine.seed,
        parameters=sum(p.numel() for module in modules_of(engine.subject.model) for p in module.parameters()),
        clean=metrics.clean(),
        worst_case=metrics.worst_case(),
        robust=metrics.robust(),
        corrupted=metrics.corrupted(),
        transfers=metrics.transfers(name),
        certified=metrics.certified(engine.subject, tuple(part[:2] for part in lipschitz_parts(engine.subject.model))),
        audits=metrics.masking_verdicts(),
        stochastic=metrics.stochastic(),
        agreement=metrics.agreement(engine.subject),
        cost=measure_cost(engine.subject.model, engine.x[:MAX_SAMPLES].to(engine.world.device)),
        seconds=metrics.seconds(),
    )


def _named(surrogates: Sequence[Model]) -> dict[str, Model]:
    return {f"surrogate {k}": surrogate for k, surrogate in enumerate(surrogates, 1)}


def needs_adaptive_attacks(model: Model, x: Tensor) -> bool:
    """Whether a network is stochastic, or contains an adaptive solver."""
    if any(adaptive_blocks(module) for module in modules_of(model)):
        return True
    predictor = Predictor(model)
    with predictor.frozen(x, 0):
        return predictor.stochastic


def _why_not_lipschitz(model: Model) -> str:
    """The first part of the network without a Lipschitz constant, with the reason."""
    unbounded = [
        f"its {part} has no constant: {why}" for part, constant, why in lipschitz_parts(model) if isinf(constant)
    ]
    return unbounded[0] if unbounded else "the model has no method `lipschitz_constant()`"


def lipschitz_parts(model: Model) -> tuple[tuple[str, float, str], ...]:
    """The parts of a network with their Lipschitz constants: name, constant, reason; empty if it has none."""
    parts = getattr(model, "lipschitz_parts", None)
    return tuple(parts()) if callable(parts) else ()


def require_arguments(
    requested: Sequence[Measurement], block: EvaluateBlock, subject: EvaluatedModel, x: Tensor
) -> None:
    """Raise ValueError if an argument of a requested measurement is missing."""
    gaussian = any(
        isinstance(w, CertificateMeasurement) and isinstance(w.certificate, SmoothingCertificate) for w in requested
    )
    if gaussian and subject.smoothing is None:
        raise ValueError("`certify randomized_smoothing` needs `sigma`, the standard deviation of the noise")
    lipschitz = any(
        isinstance(w, CertificateMeasurement) and isinstance(w.certificate, LipschitzCertificate) for w in requested
    )
    if lipschitz and subject.smoothing is None and not has_lipschitz_constant(subject.model):
        raise ValueError(f"certify lipschitz: {_why_not_lipschitz(subject.model)}")
    if block.audit is not None and not block.attack:
        raise ValueError("the gradient-masking audit needs an attack: add one, as `attack pgd(eps=0.1)`")
    adaptive = block.protocol is not None and isinstance(block.protocol.config, StochasticProtocol)
    if adaptive and not any(isinstance(w, StochasticMeasurement) for w in requested):
        raise ValueError("`protocol stochastic` needs an attack with ε: add one, as `attack pgd(eps=0.1)`")
    corruption = next((c.config for c in block.corrupt if isinstance(c.config, ImageCorruption)), None)
    if corruption is not None and (x.dim() != 4 or float(x.amin()) < 0.0 or float(x.amax()) > 1.0):
        raise ValueError(f"corrupt {corruption.name} needs images (n, channels, height, width) with values in [0, 1]")
    missing = [t.source for t in block.transfer if t.source not in subject.sources]
    if missing:
        raise ValueError(f"transfer from '{missing[0]}': pass sources={{'{missing[0]}': its network}}")


# ---- Parser for the lines of an `evaluate` block outside of a spec


_SPEC = """pde Model
space x in R
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = ∂u/∂x
u(x, 0) = x
evaluate {{
{text}
}}
"""


def parse_evaluate_block(text: str) -> EvaluateBlock:
    """`natural`, `attack pgd(eps=8/255)`, … one per line, as in an `evaluate` block."""
    block = parse(_SPEC.format(text=text), "<evaluate>").evaluate
    assert block is not None
    return block
