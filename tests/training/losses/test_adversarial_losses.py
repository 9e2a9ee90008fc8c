"""TRADES, MART and mixed adversarial training against their formulas, written with torch's own losses."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import pdedsl
from pdedsl.config.training import Mart, Mixed, PgdAdversary, Trades
from pdedsl.data.sampling import KeyedRng
from pdedsl.training.losses import AdversarialTrainingLoss, Adversary, CrossEntropyLoss
from pdedsl.training.losses.classification import ACCURACY
from training import specs
from training.losses.exact import points, seeded

EPS = 0.3
ADVERSARY = Adversary(PgdAdversary(eps=EPS, steps=4))


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 4)).double()


def case() -> tuple[nn.Module, Tensor, Tensor, KeyedRng]:
    x, y = points(20, 3)
    return seeded(network), x, y % 4, KeyedRng(0, 0)


def divergence(p: Tensor, z: Tensor) -> Tensor:
    return functional.kl_div(z.log_softmax(-1), p, reduction="none").sum(-1)


def test_mixed_is_the_weighted_mean() -> None:
    model, x, y, rng = case()
    attacked = ADVERSARY(model, x, y, rng)
    terms = AdversarialTrainingLoss(Mixed(clean=Fraction(1, 4)), ADVERSARY)(model, x, y, rng)
    torch.testing.assert_close(terms["clean"], 0.25 * functional.cross_entropy(model(x), y))
    torch.testing.assert_close(terms["adversarial"], 0.75 * functional.cross_entropy(model(attacked), y))
    assert terms[ACCURACY] == (model(attacked).argmax(1) == y).double().mean()


def test_mart() -> None:
    model, x, y, rng = case()
    attacked = ADVERSARY(model, x, y, rng)
    terms = AdversarialTrainingLoss(Mart(), ADVERSARY)(model, x, y, rng)
    p, q = model(x).softmax(-1), model(attacked).softmax(-1)
    rows = torch.arange(len(x))
    rest = q.clone()
    rest[rows, y] = 0.0
    torch.testing.assert_close(terms["boosted"], -(q[rows, y].log() + (1 - rest.amax(1)).log()).mean())
    expected = 5.0 * (divergence(p, model(attacked)) * (1 - p[rows, y])).mean()
    torch.testing.assert_close(terms["divergence"], expected)


def test_trades_attacks_the_divergence() -> None:
    """Its examples have a larger divergence than those of an attack on the cross-entropy, and stay in the ball."""
    model, x, y, rng = case()
    p = model(x).softmax(-1).detach()
    attacked = ADVERSARY(model, x, y, rng, divergence_from=p.log())
    assert (attacked - x).abs().max() <= EPS * (1 + 1e-12)
    terms = AdversarialTrainingLoss(Trades(), ADVERSARY)(model, x, y, rng)
    torch.testing.assert_close(terms["clean"], functional.cross_entropy(model(x), y))
    torch.testing.assert_close(terms["divergence"], 6.0 * divergence(p, model(attacked)).mean())
    entropy = ADVERSARY(model, x, y, rng)
    assert divergence(p, model(attacked)).mean() > divergence(p, model(entropy)).mean()


def test_label_smoothing() -> None:
    model, x, y, rng = case()
    target = 0.9 * functional.one_hot(y, 4) + 0.1 / 4
    expected = -(target * model(x).log_softmax(-1)).sum(-1).mean()
    terms = CrossEntropyLoss(label_smoothing=0.1)(model, x, y, rng)
    torch.testing.assert_close(terms["cross_entropy"], expected)


@pytest.mark.parametrize("loss", ["trades", "mart(beta=2)", "mixed", "cross_entropy(label_smoothing=0.1)"])
def test_training(loss: str, tmp_path: Path) -> None:
    settings = {"train.adversary": "pgd(eps=0.1, steps=2)", "train.loss": loss, "train.epochs": 2, "train.clip": 1}
    run = pdedsl.train(specs.MOONS, tmp_path / "run", set=settings, listeners=())
    assert run.metrics["test_accuracy"] > 0.7


def test_clipped_gradient(tmp_path: Path) -> None:
    """With a learning rate of 1 and without momentum, one step moves the weights by the norm of the gradient."""
    text = specs.MOONS.replace("epochs    10", "steps     1")

    def weights(name: str, rate: str, **settings: object) -> Tensor:
        given = {"train.batch": 200, "train.optimizer": f"sgd(lr={rate})"} | settings
        module = pdedsl.train(text, tmp_path / name, set=given, listeners=()).module
        return torch.cat([p.detach().flatten() for p in module.parameters()])

    start = weights("start", "1e-12")
    assert float((weights("free", "1") - start).norm()) > 0.02
    assert float((weights("clipped", "1", **{"train.clip": 0.01}) - start).norm()) == pytest.approx(0.01, rel=1e-3)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("loss trades", "there is no adversary"),
        ("loss trades\n  adversary fgsm(eps=0.1)", "there is no adversary pgd"),
        ("loss mart", "there is no adversary"),
    ],
)
def test_missing_adversary(lines: str, message: str) -> None:
    with pytest.raises(pdedsl.PdeError, match=message):
        pdedsl.compile(specs.MOONS.replace("train {", "train {\n  " + lines))


def test_loss_beside_a_residual_penalty() -> None:
    with pytest.raises(pdedsl.PdeError, match="the method of the diffusion determines the loss"):
        pdedsl.compile(specs.RESIDUAL.replace("train {", "train {\n  loss mixed\n  adversary pgd(eps=0.1)"))
