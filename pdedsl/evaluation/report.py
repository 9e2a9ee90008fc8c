"""Evaluation report: the metrics of a model as plain values, the source of all pages and tables.

`Report.plain()` is the content of `report.json`: the fields of these records by name, a proportion k/n as {"value",
"low", "high", "hits": k, "of": n} with its 95 % Clopper-Pearson interval [low, high], a number that is not finite as
null, and "format", which changes whenever a name or a meaning changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cached_property
from math import isfinite
from pathlib import Path
from statistics import fmean

from pdedsl.attacks.gradient_masking.loss_landscape import Landscape
from pdedsl.config.evaluation import NormOrder
from pdedsl.diagnostics import escaping
from pdedsl.document import CodeBlock, Element, Heading, Items, Paragraph, Picture, Table, markdown, page
from pdedsl.io import write_text_atomically

FORMAT = 6  # 2: other names of some fields, see `compare`; 3: no worst case and run times; 4: no protocol; 5: no cost


# ---- Binomial proportion k/n with its Clopper-Pearson confidence interval (Biometrika 26, 1934)


CONFIDENCE_LEVEL = 0.95  # two-sided, as usual in the literature


@dataclass(frozen=True)
class Proportion:
    """k of n independent, identically distributed samples; [low, high] is the 95 % Clopper-Pearson interval."""

    k: int
    n: int

    @classmethod
    def from_outcomes(cls, values: Iterable[bool]) -> Proportion:
        outcomes = list(values)
        return cls(sum(outcomes), len(outcomes))

    @property
    def value(self) -> float:
        return self.k / self.n if self.n else float("nan")

    @cached_property
    def low(self) -> float:
        """The α/2-quantile of Beta(k, n − k + 1); 0 for k = 0."""
        return 0.0 if self.k == 0 else _quantile(self.k, self.n - self.k + 1, (1.0 - CONFIDENCE_LEVEL) / 2.0)

    @cached_property
    def high(self) -> float:
        """The (1 − α/2)-quantile of Beta(k + 1, n − k); 1 for k = n."""
        return 1.0 if self.k == self.n else _quantile(self.k + 1, self.n - self.k, (1.0 + CONFIDENCE_LEVEL) / 2.0)

    def __str__(self) -> str:
        """`81.2 % [79.9, 82.5]`."""
        if not self.n:
            return "no samples"
        return f"{100 * self.value:.1f} % [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def _quantile(a: float, b: float, p: float) -> float:
    from scipy.special import betaincinv

    return float(betaincinv(a, b, p))


# ---- Records


@dataclass(frozen=True)
class CalibrationBin:
    """Bin of the reliability diagram: mean confidence and accuracy of predictions with confidence in (low, high]."""

    low: float
    high: float
    confidence: float
    accuracy: Proportion


@dataclass(frozen=True)
class CleanMetrics:
    """Clean metrics. `confusion[i][j]`: the number of samples with true label i and predicted label j. `loss` is the
    mean cross-entropy, `calibration` the expected calibration error Σ n_b/n |accuracy − confidence| over the bins
    (Guo et al. 2017)."""

    accuracy: Proportion
    loss: float
    calibration: float
    bins: tuple[CalibrationBin, ...]
    confusion: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class MaskingVerdict:
    """Result of the gradient-masking audit in one norm. `checks` are (name, suspicious, evidence); `masked` if any
    check is suspicious.

    `eps` is the radius of the audit: the first ε of the attacks in this norm or, for minimum-norm attacks, the median
    distance of adversarial examples. `landscape` is the loss along the gradient and a random direction."""

    norm: str
    eps: float
    samples: int
    masked: bool
    verdict: str
    checks: tuple[tuple[str, bool, str], ...]
    landscape: Landscape


@dataclass(frozen=True)
class RobustAccuracy:
    """Robust accuracy: the fraction of samples classified correctly under the attack with every seed.

    `seeds` are the accuracies for each seed separately. `distance` is the median norm of the perturbation over the
    samples that were correct and became misclassified, for minimum-norm attacks. `passes` is the number of forward and
    backward passes per sample. `noise_samples` is the number of noise samples that the final prediction of a stochastic
    network averages (1 if it is deterministic). `audit` is the verdict of the gradient-masking audit in this norm.
    `label` is the name of the attack in papers (PGD-20), `weakness` the attack with significantly more adversarial
    examples within the same ε, if any.
    """

    attack: str
    norm: str
    eps: float | None
    accuracy: Proportion
    seeds: tuple[float, ...]
    distance: float | None
    noise_samples: int
    passes: float
    audit: str
    label: str = ""
    weakness: str = ""


@dataclass(frozen=True)
class WorstCaseAccuracy:
    """Robust accuracy, worst case per sample over all attacks in one norm within ε, the audit included.

    `attacks` are their names with the number of samples that each misclassifies, `strongest` the one with the most.
    `audited` is the same accuracy on the samples of the audit, which all of its attacks have tried; None without an
    audit within ε."""

    norm: str
    eps: float
    accuracy: Proportion
    attacks: tuple[tuple[str, int], ...]
    strongest: str
    audited: Proportion | None = None


@dataclass(frozen=True)
class StochasticAccuracy:
    """Robust accuracy of a stochastic or solver-based network, worst case over gradient and adaptive attacks and seeds.

    `seeds` are the accuracies for each seed separately; `interval` is the 95 % t interval of their mean, None for one
    seed. `eot_curve` has the robust accuracy under PGD by the number of noise samples per gradient, for the first seed;
    `converged` if it is flat at the end. `attacks` are their names with the number of correct samples that each
    misclassifies, the largest over the seeds. `undecided` is the number of sequential tests without a decision.
    `known_noise` is the accuracy if the attacker knows the noise. `checks` are (name, suspicious, evidence); `masked`
    if any is suspicious."""

    norm: str
    eps: float
    accuracy: Proportion
    seeds: tuple[float, ...]
    interval: tuple[float, float] | None
    eot_curve: tuple[tuple[int, float], ...]
    converged: bool
    attacks: tuple[tuple[str, int], ...]
    undecided: int
    known_noise: float | None
    masked: bool
    verdict: str
    checks: tuple[tuple[str, bool, str], ...]


@dataclass(frozen=True)
class CorruptedAccuracy:
    """Accuracy on corrupted inputs; `corruption` is the kind with its strength."""

    corruption: str
    accuracy: Proportion


@dataclass(frozen=True)
class TransferAccuracy:
    """Transfer attack: adversarial examples of the network `source`, evaluated on the network `target`."""

    attack: str
    source: str
    target: str
    accuracy: Proportion
    source_accuracy: Proportion


@dataclass(frozen=True)
class CertifiedAccuracy:
    """Certified accuracy. `accuracies`: for each ℓ2 radius, the fraction of samples that are classified correctly and
    certified at this radius.

    `scope` names the certified classifier: the network or a smoothed one. `abstained` is the fraction of samples
    without a certified class. `medians` are median radii over the samples that are correct and certified, by name:
    "cohen", "lipschitz" and "paper" are bounds for Gaussian noise of standard deviation `sigma`, each valid with
    probability 1 − alpha per sample; "constant" follows from a Lipschitz constant, composed of the constants in
    `parts`. `violations` is the number of adversarial examples found within the certified radius, if the certificate is
    one of the network itself and there were attacks: 0 for a valid certificate.
    """

    certificate: str
    scope: str
    sound: bool
    sigma: float | None
    alpha: float | None
    accuracies: tuple[tuple[float, Proportion], ...]
    abstained: Proportion
    medians: tuple[tuple[str, float], ...]
    noise_samples: float | None
    parts: tuple[tuple[str, float], ...] = ()
    violations: int | None = None


@dataclass(frozen=True)
class WeightMagnitudes:
    """Weight magnitudes: the number of weights with |w| < `below`, and a histogram of log₁₀|w|."""

    count: int
    below: float
    small: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class GaussianAgreement:
    """Agreement of a network, and of its base network, with the Gaussian average of the base network.

    The average is over `noise_samples` samples of standard deviation `sigma`. `network` and `base` are the fractions of
    inputs with the class of the average, `distance` and `base_distance` the mean ℓ1 distances of the probabilities."""

    sigma: float
    noise_samples: int
    network: Proportion
    base: Proportion
    distance: float
    base_distance: float


@dataclass(frozen=True)
class RademacherComplexity:
    """Upper bound on the empirical Rademacher complexity of the linear classifiers with ‖w‖₁ ≤ `weight` on points with
    ‖x‖∞ ≤ `radius`, and its assumptions."""

    bound: float
    weight: float
    radius: float
    dimension: int
    samples: int
    assumes: str


@dataclass(frozen=True)
class InferenceCost:
    """Cost of a prediction. `evaluations` is the mean number of evaluations of the right-hand side per sample (NFE),
    None for networks without a time integrator that counts them. `samples_per_second` is the throughput of a forward
    pass of at most 128 samples on the machine of the evaluation."""

    evaluations: float | None
    samples_per_second: float


@dataclass(frozen=True)
class Report:
    """Evaluation of one network on one set of samples.

    Attributes:
        name: name of the model.
        title: title of the spec.
        hash: hash of the spec.
        equation: the equations as text.
        data: the data set.
        samples: number of samples.
        seed: first seed of the attacks.
        parameters: number of parameters of the network.
        clean: accuracy, loss, calibration and confusion matrix without an attack.
        worst_case: for each norm and ε, robust accuracy under all attacks and the audit.
        robust: robust accuracy for every attack and ε.
        corrupted: accuracy on inputs with random noise or corruptions.
        transfers: accuracy under transfer attacks.
        certified: certified accuracy at several ℓ2 radii.
        audits: verdicts of the gradient-masking audits.
        stochastic: adaptive attacks on stochastic and solver-based networks.
        weights: histogram of weight magnitudes.
        complexity: bound on the Rademacher complexity.
        agreement: agreement with the Gaussian average, after heat smoothing.
        axioms: properties and verdicts.
        notes: remarks.
        commands: commands that reproduce the report.
        plots: file names of the plots, with their captions.
        cost: evaluations of the right-hand side per sample, and throughput.
        seconds: run time of each measurement, by its name.

    Example:
        >>> import pdedsl
        >>> import torch
        >>> model = lambda x: torch.cat([x, -x], 1)
        >>> report = pdedsl.evaluate(model, torch.tensor([[1.0], [-1.0]]), torch.tensor([0, 0]))
        >>> report.clean.confusion  # true labels in rows, predictions in columns
        ((1, 1), (0, 0))
        >>> report.plain()["samples"]
        2
    """

    name: str
    title: str
    hash: str
    equation: str
    data: str
    samples: int
    seed: int
    parameters: int
    clean: CleanMetrics
    worst_case: tuple[WorstCaseAccuracy, ...] = ()
    robust: tuple[RobustAccuracy, ...] = ()
    corrupted: tuple[CorruptedAccuracy, ...] = ()
    transfers: tuple[TransferAccuracy, ...] = ()
    certified: tuple[CertifiedAccuracy, ...] = ()
    audits: tuple[MaskingVerdict, ...] = ()
    stochastic: tuple[StochasticAccuracy, ...] = ()
    weights: WeightMagnitudes | None = None
    complexity: RademacherComplexity | None = None
    agreement: GaussianAgreement | None = None
    axioms: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    plots: tuple[tuple[str, str], ...] = ()
    cost: InferenceCost | None = field(default=None, compare=False)
    seconds: tuple[tuple[str, float], ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        """All accuracies with confidence intervals, and the verdicts of the audits."""
        return summary(self)

    def _repr_html_(self) -> str:
        """HTML without the plots, for notebooks."""
        from pdedsl.document import Picture, fragment

        return fragment([e for e in document(self) if not isinstance(e, Picture)], Path())

    def plain(self) -> dict[str, object]:
        """The report as JSON values.

        Returns:
            The content of report.json: fields by their names; a proportion has its confidence interval.

        Example:
            >>> import pdedsl
            >>> import torch
            >>> report = pdedsl.evaluate(lambda x: torch.cat([x, -x], 1), torch.ones(4, 1), torch.zeros(4).long())
            >>> report.plain()["clean"]["accuracy"]["hits"]
            4
        """
        return {"format": FORMAT, **_record(self)}


def _record(record: object) -> dict[str, object]:
    assert is_dataclass(record)
    return {f.name: _plain(getattr(record, f.name)) for f in fields(record)}


def _plain(value: object) -> object:
    match value:
        case Proportion():
            return {"value": value.value, "low": value.low, "high": value.high, "hits": value.k, "of": value.n}
        case Enum():
            return value.value
        case float() if not isfinite(value):
            return None
        case str() | bool() | int() | float() | None:
            return value
        case Mapping():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case Sequence():
            return [_plain(inner) for inner in value]
        case _:
            return _record(value)


# ---- Evaluation report as files: report.json (machine-readable), report.md and report.html


NOT_AUDITED = "not audited"
INTERVAL = "95 % Clopper-Pearson confidence intervals"
RADII = {
    "cohen": "Cohen et al. 2019",
    "lipschitz": "Lipschitz bound of the smoothed classifier",
    "paper": "Wang, Tao, Bao and Shi, Theorem 3.1",
    "constant": "Lipschitz constant",
}
"""Sources of the certified radii, by their names in report.json."""


def write_pages(report: Report, folder: Path) -> None:
    """Write report.json, report.md and report.html into the folder of the plots."""
    elements = document(report)
    write_text_atomically(folder / "report.json", escaping.as_json(report.plain(), indent=1) + "\n")
    write_text_atomically(folder / "report.md", markdown(elements))
    write_text_atomically(folder / "report.html", page(report.name, elements, folder))


def document(report: Report) -> list[Element]:
    """The report in reading order: model, clean, robust and certified accuracy, each with its figures, commands."""
    captions = dict(report.plots)

    def figures(*files: str) -> list[Picture]:
        return [Picture(file, captions.pop(file)) for file in files if file in captions]

    return [
        Heading(report.name, 1),
        Paragraph(report.title),
        CodeBlock(report.equation, "pde") if report.equation else Paragraph(""),
        Table(("", ""), tuple(_facts(report))),
        Items(report.notes),
        *_section("Properties of the equation", Table(("Property", "Verdict"), report.axioms), *figures("network.svg")),
        Heading("Clean accuracy"),
        *_clean(report.clean),
        *figures("confusion.png", "reliability.png"),
        *_section("Robust accuracy", _worst_case_table(report.worst_case), *figures("attacks.png")),
        *_section("Attacks", robust_table(report.robust), Items(_range_notes(report.robust)), *figures("samples.png")),
        *_section("Gradient-masking audit", *_audits(report), *figures("landscape.png")),
        *_section("Adaptive attacks", *_adaptive_attacks(report.stochastic)),
        *_section("Corruptions", *_corruptions(report.corrupted)),
        *_section("Transfer attacks", _transfers(report)),
        *(element for certified in report.certified for element in _certified_elements(certified)),
        *figures("radii.png"),
        *_section("Gaussian average", *([] if report.agreement is None else [_agreement(report.agreement)])),
        *_section(
            "Weight magnitudes",
            *([] if report.weights is None else [_weights(report.weights)]),
            *figures("weights.png"),
        ),
        *_section("Decision boundary", *figures("boundary.png")),
        *_section("Training", *figures("curves.png")),
        *_section("Figures", *figures(*captions)),
        *_section("Rademacher complexity", *([] if report.complexity is None else _complexity(report.complexity))),
        *_section("Run time", Table(("Measurement", "Seconds"), tuple((n, f"{s:.3g}") for n, s in report.seconds))),
        *_section("Reproduce this report", *(CodeBlock(command, "sh") for command in report.commands)),
    ]


def _section(title: str, *elements: Element) -> list[Element]:
    """A heading with its content, or nothing if there is no content."""
    return [Heading(title), *elements] if any(map(_has_content, elements)) else []


def _has_content(element: Element) -> bool:
    match element:
        case Table(rows=content) | Items(texts=content) | Paragraph(text=content):
            return bool(content)
        case _:
            return True


def _facts(report: Report) -> list[tuple[str, str]]:
    facts = [
        ("Data set", report.data),
        ("Test samples", f"{report.samples:,}"),
        ("Parameters", f"{report.parameters:,}"),
        *_cost_facts(report.cost),
        ("Seed", str(report.seed)),
        ("Spec hash", report.hash),
    ]
    return [(name, value) for name, value in facts if value]


def _cost_facts(cost: InferenceCost | None) -> list[tuple[str, str]]:
    if cost is None:
        return []
    evaluations = "" if cost.evaluations is None else f"{cost.evaluations:.4g}"
    return [
        ("Evaluations of the right-hand side per sample", evaluations),
        ("Samples per second", f"{cost.samples_per_second:,.0f}"),
    ]


def _clean(clean: CleanMetrics) -> list[Element]:
    facts = (
        ("Accuracy", str(clean.accuracy)),
        ("Cross-entropy (mean, nats)", f"{clean.loss:.4f}"),
        ("Expected calibration error (10 bins)", f"{clean.calibration:.3f}"),
    )
    intervals = f"Accuracies with {INTERVAL} in brackets, n = {clean.accuracy.n:,} test samples."
    return [Table(("", ""), facts), Paragraph(intervals)]


def _worst_case_table(worst_case: Sequence[WorstCaseAccuracy]) -> Table:
    rows = tuple(
        (
            NormOrder(w.norm).sign,
            f"{w.eps:g}",
            str(w.accuracy),
            "" if w.audited is None else f"{w.audited}, n = {w.audited.n}",
            ", ".join(f"{name}: {count}" for name, count in w.attacks),
        )
        for w in worst_case
    )
    head = ("Norm", "ε", "Worst case over all attacks, per sample [95 % CI]", "On the samples of the audit")
    return Table((*head, "Misclassified samples by attack"), rows)


def robust_table(robust: Sequence[RobustAccuracy]) -> Table:
    """One row per attack, with the verdict of the gradient-masking audit in its norm."""
    rows = tuple(
        (
            r.label or r.attack,
            NormOrder(r.norm).sign,
            "" if r.eps is None else f"{r.eps:g}",
            f"{r.accuracy}{f' (weak: {r.weakness})' if r.weakness else ''}",
            "" if r.distance is None else f"{r.distance:.3g}",
            str(r.noise_samples),
            f"{r.passes:.0f}",
            r.audit,
        )
        for r in robust
    )
    head = ("Attack", "Norm", "ε", "Robust accuracy [95 % CI]", "Median distance", "Noise samples per prediction")
    return Table((*head, "Forward and backward passes per sample", "Gradient-masking audit"), rows)


def _range_notes(robust: Sequence[RobustAccuracy]) -> tuple[str, ...]:
    return tuple(
        f"{r.attack}: {100 * min(r.seeds):.1f} to {100 * max(r.seeds):.1f} % for the {len(r.seeds)} seeds separately; "
        "robust accuracy is the worst case over the seeds, per sample"
        for r in robust
        if len(r.seeds) > 1
    )


def _audits(report: Report) -> list[Element]:
    """For each norm, the verdict and a table of the checks."""
    if report.robust and not report.audits:
        return [Paragraph(f"{NOT_AUDITED}: `audit none`. Gradient masking would not be noticed.")]
    elements: list[Element] = []
    for v in report.audits:
        rows = tuple((name, "suspicious" if suspicious else "pass", text) for name, suspicious, text in v.checks)
        elements.append(Paragraph(f"{NormOrder(v.norm).sign}, ε = {v.eps:g}, n = {v.samples:,} samples: {v.verdict}"))
        elements.append(Table(("Check", "Result", "Evidence"), rows))
    return elements


def _adaptive_attacks(stochastic: Sequence[StochasticAccuracy]) -> list[Element]:
    """For each norm: accuracies, curve over noise samples, attacks and checks."""
    elements: list[Element] = []
    for s in stochastic:
        facts = [("Worst case over all attacks, per sample [95 % CI]", f"{s.accuracy}, n = {s.accuracy.n:,}")]
        if s.interval is not None:
            low, high = (100 * end for end in s.interval)
            facts.append((f"Mean over {len(s.seeds)} seeds [95 % t interval]", f"[{low:.1f}, {high:.1f}] %"))
        if s.known_noise is not None:
            facts.append(("If the attacker knows the noise", f"{100 * s.known_noise:.1f} %"))
        facts.append(("Sequential tests without a decision", str(s.undecided)))
        elements.append(Paragraph(f"{NormOrder(s.norm).sign}, ε = {s.eps:g}: {s.verdict}"))
        elements.append(Table(("", ""), tuple(facts)))
        curve = tuple((str(number), f"{100 * accuracy:.1f} %") for number, accuracy in s.eot_curve)
        end = "converged" if s.converged else "not converged"
        elements.append(Table(("Noise samples per gradient", f"Robust accuracy under PGD ({end})"), curve))
        elements.append(Table(("Attack", "Adversarial examples"), tuple((name, str(k)) for name, k in s.attacks)))
        rows = tuple((name, "suspicious" if suspicious else "pass", text) for name, suspicious, text in s.checks)
        elements.append(Table(("Check", "Result", "Evidence"), rows))
    return elements


def mean_over_corruptions(corrupted: Sequence[CorruptedAccuracy]) -> float:
    return fmean(c.accuracy.value for c in corrupted)


def _corruptions(corrupted: Sequence[CorruptedAccuracy]) -> list[Element]:
    """One row per corruption and strength, and their mean."""
    rows = tuple((c.corruption, str(c.accuracy)) for c in corrupted)
    elements: list[Element] = [Table(("Corruption", "Accuracy [95 % CI]"), rows)]
    if len(corrupted) > 1:
        elements.append(Paragraph(f"Mean over corruptions: {100 * mean_over_corruptions(corrupted):.1f} %."))
    return elements


def _transfers(report: Report) -> Table:
    rows = tuple((t.attack, t.source, str(t.source_accuracy), t.target, str(t.accuracy)) for t in report.transfers)
    return Table(("Attack", "Source", "Accuracy of source [95 % CI]", "Target", "Accuracy of target [95 % CI]"), rows)


def _certified_elements(certified: CertifiedAccuracy) -> list[Element]:
    facts = [("Scope", certified.scope), ("Abstained", str(certified.abstained))]
    if certified.sigma is not None:
        facts.append(("Standard deviation of the Gaussian noise", f"{certified.sigma:g}"))
    if certified.alpha is not None:
        facts.append(("Failure probability α (per sample)", f"{certified.alpha:g}"))
    if certified.noise_samples is not None:
        facts.append(("Monte Carlo samples per input (mean)", f"{certified.noise_samples:.0f}"))
    facts += [(f"Median certified ℓ2 radius ({RADII.get(name, name)})", f"{r:.4g}") for name, r in certified.medians]
    facts += [(f"Lipschitz constant of {name}", f"{value:.6g}") for name, value in certified.parts]
    if certified.violations is not None:
        facts.append(("Adversarial examples found within the certified radius (must be 0)", str(certified.violations)))
    title = "Certified accuracy" if certified.sound else "Estimated certified accuracy (not a guarantee)"
    rows = tuple((f"{radius:g}", str(accuracy)) for radius, accuracy in certified.accuracies)
    return [
        Heading(f"{title}: {certified.certificate}"),
        Table(("", ""), tuple(facts)),
        Table(("ℓ2 radius", f"{title} [95 % CI]"), rows),
    ]


def _weights(weights: WeightMagnitudes) -> Table:
    percent = 100 * weights.small / weights.count if weights.count else 0.0
    small = f"{weights.small:,} ({percent:.1f} %)"
    return Table(("", ""), (("Weights", f"{weights.count:,}"), (f"Weights with |w| < {weights.below:g}", small)))


def _agreement(agreement: GaussianAgreement) -> Table:
    columns = ("", "Class of the average (95 % Clopper-Pearson)", "Mean ℓ1 distance of the probabilities")
    rows = (
        ("Base network", str(agreement.base), f"{agreement.base_distance:.3f}"),
        ("After heat smoothing", str(agreement.network), f"{agreement.distance:.3f}"),
    )
    caption = f"Gaussian average of the base network: σ = {agreement.sigma:g}, {agreement.noise_samples} noise samples"
    return Table((caption, *columns[1:]), rows)


def _complexity(complexity: RademacherComplexity) -> list[Element]:
    rows = (
        ("Upper bound on the empirical Rademacher complexity", f"{complexity.bound:.3g}"),
        ("‖w‖₁", f"{complexity.weight:.3g}"),
        ("‖x‖∞", f"{complexity.radius:.3g}"),
        ("Training samples", f"{complexity.samples:,}"),
    )
    source = "Bound for linear classifiers: Wang, Tao, Bao and Shi, Theorem 3.4"
    return [Table(("", ""), rows), Paragraph(f"{source}. It assumes {complexity.assumes}.")]


# ---- Summary of an evaluation report for the terminal


MASKED = "(gradient masking?)"
"""Mark of a robust accuracy whose audit is suspicious."""


def _attack_name(robust: RobustAccuracy) -> str:
    """`PGD-20, ℓ∞, ε = 0.1`."""
    eps = "" if robust.eps is None else f", ε = {robust.eps:g}"
    return f"{robust.label or robust.attack}, {NormOrder(robust.norm).sign}{eps}"


def _weakness(robust: RobustAccuracy) -> str:
    return f" (weak: {robust.weakness})" if robust.weakness else ""


def summary(report: Report) -> str:
    """Clean, robust and certified accuracies with confidence intervals, and the verdicts of the audits."""
    rows = [("clean", str(report.clean.accuracy))]
    masked = {v.norm for v in report.audits if v.masked} | {s.norm for s in report.stochastic if s.masked}
    for w in report.worst_case:
        mark = f" {MASKED}" if w.norm in masked else ""
        rows.append(
            (f"robust, {NormOrder(w.norm).sign}, ε = {w.eps:g}", f"{w.accuracy}{mark} (strongest: {w.strongest})")
        )
    rows += [(f"  {_attack_name(r)}", f"{r.accuracy}{_weakness(r)}") for r in report.robust]
    for s in report.stochastic:
        end = "" if s.converged else ", not converged in noise samples"
        name = f"  adaptive attacks, {NormOrder(s.norm).sign}, ε = {s.eps:g}"
        rows.append((name, f"{s.accuracy}, n = {s.accuracy.n}{end}"))
    if report.corrupted:
        accuracy = mean_over_corruptions(report.corrupted)
        rows.append((f"mean over {len(report.corrupted)} corruptions", f"{100 * accuracy:.1f} %"))
    rows += [(f"{t.attack}, transfer {t.source} → {t.target}", str(t.accuracy)) for t in report.transfers]
    if report.agreement is not None:
        rows += [
            ("class of the Gaussian average", str(report.agreement.network)),
            ("  base network", str(report.agreement.base)),
        ]
    for certified in report.certified:
        name = "certified" if certified.sound else "certified (estimate)"
        shown = certified.accuracies[:: max(1, len(certified.accuracies) // 4)]
        rows += [(f"{name}, ℓ2 radius {radius:g}", str(accuracy)) for radius, accuracy in shown]
    width = max(len(name) for name, _ in rows)
    lines = [f"{report.name}: accuracy with 95 % Clopper-Pearson interval, n = {report.samples:,}"]
    lines += [f"  {name:<{width}}  {value}" for name, value in rows]
    lines += [f"  gradient-masking audit, {NormOrder(v.norm).sign}, ε = {v.eps:g}: {v.verdict}" for v in report.audits]
    lines += [f"  adaptive attacks, {NormOrder(s.norm).sign}, ε = {s.eps:g}: {s.verdict}" for s in report.stochastic]
    lines += [f"  gradient-masking audit: {NOT_AUDITED}"] if report.robust and not report.audits else []
    lines += [f"  {certified.certificate}: {certified.scope}" for certified in report.certified]
    return "\n".join(lines)
