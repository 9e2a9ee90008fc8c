"""Metrics of a linear classifier against closed forms."""

from __future__ import annotations

import inspect
import json
import math

import pytest
import torch
from torch import Tensor, nn

import pdedsl
from pdedsl.attacks import Box, Predictor
from pdedsl.config.evaluation import ATTACKS
from pdedsl.evaluation.evaluate import evaluate, parse_evaluate_block
from pdedsl.evaluation.measure import CertificateScope, run_attack
from pdedsl.evaluation.protocol import measurements, sweep

Case = tuple[nn.Linear, Tensor, Tensor]


def margins(case: Case) -> Tensor:
    """|w·x + b| where the prediction is correct, −1 where it is not."""
    model, x, y = case
    score = model(x)[:, 1].detach()
    return torch.where((score > 0).long() == y, score.abs(), -1.0)


def test_natural(linear: Case) -> None:
    model, x, y = linear
    report = pdedsl.evaluate(model, x, y)
    clean = report.clean
    assert "95.6 %" in repr(report)  # in a terminal
    assert "<table>" in report._repr_html_()  # in a notebook
    assert "95.6" in report._repr_html_()
    predicted = model(x).argmax(1)
    assert (clean.accuracy.k, clean.accuracy.n) == (430, 450)
    assert clean.loss == pytest.approx(nn.functional.cross_entropy(model(x), y).item())
    table = torch.zeros(2, 2).index_put((y, predicted), torch.ones(450), accumulate=True)
    assert torch.equal(torch.tensor(clean.confusion, dtype=torch.float32), table)
    confidence = model(x).softmax(1).amax(1)
    correct = (predicted == y).double()
    tenths = (confidence * 10).ceil()
    gaps = [(correct - confidence)[tenths == k].sum().abs().item() for k in range(11)]
    assert clean.calibration == pytest.approx(sum(gaps) / 450)


@pytest.mark.parametrize(("norm", "dual"), [("inf", 3.5), ("2", math.sqrt(5.25))])
def test_attacks_reach_the_closed_form(linear: Case, norm: str, dual: float) -> None:
    """Robust at ε if and only if |w·x + b| > ε‖w‖*."""
    model, x, y = linear
    report = evaluate(model, x, y, f"attack pgd(norm={norm}, eps=[0.1, 0.3], step=0.3), fgsm(norm={norm}, eps=0.1)")
    assert [(r.eps, r.accuracy.k) for r in report.robust] == [
        (eps, int((margins(linear) > eps * dual).sum())) for eps in (0.1, 0.3, 0.1)
    ]
    assert {r.norm for r in report.robust} == {norm}
    assert all(not d.masked and d.eps == 0.1 and d.samples == 90 for d in report.audits)
    assert all(r.audit == report.audits[0].verdict for r in report.robust)


def test_minimum_norm_attack(linear: Case) -> None:
    """The median distance of DDN is that of |w·x + b|/‖w‖ over the correctly classified samples."""
    model, x, y = linear
    report = evaluate(model, x, y, "attack ddn(steps=60)")
    (found,), (audit,) = report.robust, report.audits
    held = margins(linear)
    exact = (held[held > 0] / math.sqrt(5.25)).median().item()
    assert found.eps is None
    assert found.accuracy.k == 0
    assert found.distance == pytest.approx(exact, rel=0.02)
    assert (audit.norm, audit.masked, found.audit) == ("2", False, audit.verdict)
    assert audit.eps == pytest.approx(exact, rel=0.2)  # of a fifth of the samples


def test_gaussian_certificate(linear: Case) -> None:
    """Every radius is below the distance to the hyperplane, the exact radius of the smoothed classifier."""
    model, x, y = linear
    report = evaluate(model, x[:100], y[:100], "certify gaussian(n=2000)", sigma=0.5)
    (found,) = report.certified
    held = margins(linear)[:100] / math.sqrt(5.25)
    for radius, share in found.accuracies:
        assert share.k <= int((held >= radius).sum())
    half = next(share for radius, share in found.accuracies if radius == 0.4)
    assert half.k >= int((held >= 0.5).sum())
    assert (found.scope, found.sound, found.sigma) == (CertificateScope.SMOOTHED.value, True, 0.5)
    assert dict(found.medians)["paper"] < dict(found.medians)["lipschitz"] < dict(found.medians)["cohen"]


def test_lipschitz_certificate(linear: Case) -> None:
    class Bounded(nn.Sequential):
        def lipschitz_constant(self) -> float:
            return math.sqrt(5.25)

    model, x, y = linear
    (found,) = evaluate(Bounded(model), x, y, "certify lipschitz").certified
    held = margins(linear) / (math.sqrt(2.0) * math.sqrt(5.25))
    assert [share.k for _, share in found.accuracies] == [int((held >= r).sum()) for r, _ in found.accuracies]
    assert found.scope == CertificateScope.NETWORK.value
    assert found.violations is None  # nothing was attacked


def test_attacks_refute_invalid_certificates(linear: Case) -> None:
    """Attacks find adversarial examples within the radii of a network that claims too small a Lipschitz constant."""
    model, x, y = linear
    for constant, broken in ((math.sqrt(5.25), False), (1.0, True)):

        class Bounded(nn.Sequential):
            def lipschitz_constant(self, constant: float = constant) -> float:
                return constant

        text = "attack pgd(norm=2, eps=0.3), fgsm(eps=0.2), ddn(steps=5)\ncertify lipschitz"
        (found,) = evaluate(Bounded(model), x, y, text).certified
        assert found.violations is not None
        assert (found.violations > 0) == broken
        assert 0.3 in [radius for radius, _ in found.accuracies]


def test_sequential_certificate(linear: Case) -> None:
    """The same certified accuracies at the given radii, from fewer noise samples."""
    model, x, y = linear
    all_, some = evaluate(
        model, x[:60], y[:60], "certify gaussian(n=4000)\ncertify gaussian(n=4000, at=[0.1, 0.3])", sigma=0.5
    ).certified
    assert [radius for radius, _ in some.accuracies] == [0.1, 0.3]
    held = margins(linear)[:60] / math.sqrt(5.25)
    for radius, share in some.accuracies:
        assert int((held >= radius + 0.05).sum()) <= share.k <= int((held >= radius).sum())
    assert some.noise_samples is not None
    assert all_.noise_samples is not None
    assert some.noise_samples < 0.3 * all_.noise_samples
    assert [name for name, _ in some.medians] == ["cohen"]


def test_eot_samples_reach_every_attack_and_the_audit() -> None:
    """A model that counts its calls: with eot = 3, a query is three calls."""
    calls = []

    def noisy(z: Tensor) -> Tensor:
        calls.append(len(z))
        return torch.cat([z[:, :1], -z[:, :1]], 1) + 0.1 * torch.randn(len(z), 1)

    x, y = torch.full((3, 2), 5.0), torch.zeros(3, dtype=torch.long)
    for attack in ("boundary(queries=20{})", "square(eps=0.1, queries=20{})"):
        counts = []
        for eot in ("", ", eot=3"):
            calls.clear()
            word = parse_evaluate_block(f"attack {attack.format(eot)}").attack[0].config
            run_attack(word, Predictor(noisy, eot=word.eot, draws=1), x, y, Box(), 0)
            counts.append(len(calls))
        assert counts[1] > 2 * counts[0]
    keys = [
        what.key
        for what in measurements(parse_evaluate_block("attack fgsm(eps=0.1), pgd(eps=[0.2, 0.3], eot=4)"), range(1))
    ]
    assert keys[-1] == "audit gradient_masking norm=inf eps=0.1 eot=4"


def test_nonfinite_logits() -> None:
    """The report is valid JSON."""
    x, y = torch.rand(6, 2), torch.zeros(6, dtype=torch.long)
    report = evaluate(lambda z: 1e30 * 1e30 * z, x, y, "attack fgsm(eps=0.1)")
    assert json.loads(json.dumps(report.plain(), allow_nan=False))["clean"]["loss"] is None


def test_transfer_to_itself(linear: Case) -> None:
    model, x, y = linear
    report = evaluate(model, x, y, "transfer pgd(eps=0.3) from other", sources={"other": model}, name="this")
    there, back = report.transfers
    assert (there.source, there.target, back.source, back.target) == ("other", "this", "this", "other")
    exact = int((margins(linear) > 0.3 * 3.5).sum())
    assert {t.accuracy.k for t in report.transfers} == {t.source_accuracy.k for t in report.transfers} == {exact}


def test_transfer_to_another(linear: Case) -> None:
    """Perturbations of a coordinate do not affect a network that ignores it."""
    model, x, y = linear
    blind = nn.Linear(3, 2, dtype=torch.float64)
    with torch.no_grad():
        blind.weight.zero_()
        blind.weight[1, 2] = 1.0
        blind.bias.zero_()
    there, _ = evaluate(
        lambda z: model(z * z.new_tensor([1.0, 1.0, 0.0])),
        x,
        y,
        "transfer pgd(eps=0.3) from blind",
        sources={"blind": blind},
    ).transfers
    alone = evaluate(lambda z: model(z * z.new_tensor([1.0, 1.0, 0.0])), x, y).clean.accuracy
    assert there.accuracy == alone
    assert there.source_accuracy.k < there.accuracy.k


def test_robust_accuracy_is_the_worst_case_over_seeds() -> None:
    """Adversarial examples in a small part of the ball, zero gradient elsewhere: only random starts find them."""
    x, y = torch.zeros(60, 1), torch.zeros(60, dtype=torch.long)

    def narrow(z: Tensor) -> Tensor:
        return torch.cat([torch.zeros_like(z), 0.1 - (z - 0.7).abs().clamp(max=0.15)], 1)

    one, many = (evaluate(narrow, x, y, "attack pgd(eps=1, steps=1)", seeds=n).robust[0] for n in (1, 6))
    assert len(many.seeds) == 6
    assert many.seeds[0] == one.seeds[0] == one.accuracy.value
    assert many.accuracy.value < min(many.seeds)


def test_the_state_of_the_model_is_restored(linear: Case) -> None:
    model = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 2)).train()
    before = {key: value.clone() for key, value in model.state_dict().items()}
    x, y = linear[1].float(), linear[2]
    state = torch.get_rng_state()
    evaluate(model, x, y, "attack pgd(eps=0.1, steps=3), square(eps=0.1, queries=5)\ncertify gaussian(n=50)", sigma=0.1)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(part.training for part in model.modules())
    assert all(torch.equal(value, before[key]) for key, value in model.state_dict().items())
    assert all(p.requires_grad and p.grad is None for p in model.parameters())


def test_weights() -> None:
    model = nn.Linear(4, 2)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[1e-9, 1e-3, 0.5, 5.0], [-1e-4, 0.2, -0.2, 1e4]]))
        model.bias.copy_(torch.tensor([0.0, 1.0]))
    weights = evaluate(
        model, torch.randn(5, 4), torch.zeros(5, dtype=torch.long), "weights histogram(below=1e-2)"
    ).weights
    assert weights is not None
    assert (weights.count, weights.small, sum(weights.counts)) == (10, 4, 10)
    assert (weights.counts[0], weights.counts[-1]) == (2, 1)


def test_arguments_of_attacks() -> None:
    """Every parameter of an attack in the language is an argument of its function."""
    for name, form in ATTACKS.items():
        function = getattr(pdedsl.attacks, name)
        assert function.__name__ == name
        assert set(form.params) <= set(inspect.signature(function).parameters) | {"eot"}


def test_sweep_and_order() -> None:
    block = parse_evaluate_block(
        "attack fgsm(eps=[0.1, 0.2]), boundary\nattack ddn\ncertify lipschitz\ntransfer fgsm(eps=0.1) from a"
    )
    keys = [what.key for what in measurements(block, range(3, 5))]
    assert keys == [
        "natural",
        "attack fgsm(eps=0.1) seed 3",
        "attack fgsm(eps=0.1) seed 4",
        "attack fgsm(eps=0.2) seed 3",
        "attack fgsm(eps=0.2) seed 4",
        "attack boundary seed 3",
        "attack boundary seed 4",
        "attack ddn seed 3",
        "attack ddn seed 4",
        "transfer fgsm(eps=0.1) from a seed 3",
        "transfer fgsm(eps=0.1) to a seed 3",
        "certify lipschitz",
        "audit gradient_masking norm=inf eps=0.1",
        "audit gradient_masking norm=2",
    ]
    assert len(list(sweep(block.attack[0].config))) == 2


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("certify gaussian", "needs `sigma`"),
        ("certify lipschitz", "has no method `lipschitz_constant"),
        ("audit gradient_masking", "add one, as `attack pgd"),
        ("transfer fgsm(eps=0.1) from a", "pass sources={'a'"),
    ],
)
def test_missing_arguments(linear: Case, what: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(*linear, what)


def test_unknown_attack(linear: Case) -> None:
    with pytest.raises(pdedsl.PdeError, match="pgdd"):
        evaluate(*linear, "attack pgdd(eps=0.1)")


def test_names_of_eps() -> None:
    """Finite decimals are printed as decimals, other numbers as fractions."""
    words = [
        chosen.config
        for chosen in parse_evaluate_block("attack fgsm(eps=[8/255, 1/4, 0.3]), pgd(eps=0.1, step=2/255)").attack
    ]
    names = [attack.brief for word in words for attack in sweep(word)]
    assert names == ["fgsm(eps=8/255)", "fgsm(eps=0.25)", "fgsm(eps=0.3)", "pgd(eps=0.1, step=2/255)"]


# ---- Corruptions


def test_noise_on_the_input(linear: Case) -> None:
    """For a linear classifier, w·(x + σξ) + b is misclassified with probability Φ(-|w·x + b|/(σ‖w‖)) if x is not."""
    model, x, y = linear
    report = evaluate(model, x, y, "corrupt gaussian_noise(std=[0.01, 0.5])")
    assert [c.corruption for c in report.corrupted] == ["gaussian noise, std 0.01", "gaussian noise, std 0.5"]
    score = model(x)[:, 1].detach() * (2 * y - 1)
    for level, corrupted in zip((0.01, 0.5), report.corrupted, strict=True):
        norm = model.weight[1].norm().item()
        expected = torch.distributions.Normal(0.0, 1.0).cdf(score / (level * norm)).mean().item()
        assert corrupted.accuracy.value == pytest.approx(expected, abs=0.06)  # three standard errors of 450 samples
    assert "mean over 2 corruptions" in repr(report)
    assert "gaussian noise, std 0.5" in report._repr_html_()


def test_corruptions_of_images_need_images(linear: Case) -> None:
    with pytest.raises(ValueError, match=r"fog needs images .* with values in \[0, 1\]"):
        evaluate(*linear, "corrupt fog")


# ---- Cost


def test_evaluations_of_the_right_hand_side() -> None:
    """Three Heun steps of two stages; an adaptive solver counts its own."""
    spec = """pde P
space x in R²
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp(width=4, depth=1)
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
realize time by heun(steps=3)
"""
    x, y = torch.randn(9, 2, generator=torch.Generator().manual_seed(0)), torch.zeros(9, dtype=torch.long)
    fixed = evaluate(pdedsl.compile(spec).module(), x, y).cost
    adaptive = evaluate(
        pdedsl.compile(spec.replace("heun(steps=3)", "dopri5")).module(), x, y, "protocol standard"
    ).cost
    assert fixed is not None
    assert adaptive is not None
    assert (fixed.evaluations, fixed.samples_per_second > 0) == (6.0, True)
    assert adaptive.evaluations is not None
    assert adaptive.evaluations >= 7  # one step of Dormand and Prince
    plain = evaluate(lambda z: z, x, y).cost
    assert plain is not None
    assert plain.evaluations is None
