"""Agreement with published implementations on one trained network, within half a percentage point."""

from __future__ import annotations

import sys
import types
from functools import partial
from importlib import import_module

import pytest
import torch
from torch import Tensor

from attacks.models import digits, trained
from pdedsl import attacks
from pdedsl.attacks import Result

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]
BOX = (0.0, 1.0)
EPS = {"inf": 0.1, "2": 0.6}


def accuracy(x: Tensor) -> float:
    data = digits()
    return 100.0 * (trained(0.1)(x).argmax(1) == data.test_y).double().mean().item()


def ours(attack: object, **options: object) -> Result:
    data = digits()
    return attack(trained(0.1), data.test_x, data.test_y, bounds=BOX, **options)  # type: ignore[operator,no-any-return]


@pytest.mark.parametrize(
    ("name", "norm"), [("fgsm", "inf"), ("fgsm", "2"), ("ifgsm", "inf"), ("ifgsm", "2"), ("ddn", "2")]
)
def test_foolbox(name: str, norm: str) -> None:
    import foolbox
    from foolbox import attacks as fb

    data, steps = digits(), 20
    theirs = {
        ("fgsm", "inf"): lambda: fb.FGSM(random_start=False),
        ("fgsm", "2"): lambda: fb.L2FastGradientAttack(random_start=False),
        ("ifgsm", "inf"): lambda: fb.LinfBasicIterativeAttack(
            rel_stepsize=2.5 / steps, steps=steps, random_start=False
        ),
        ("ifgsm", "2"): lambda: fb.L2BasicIterativeAttack(rel_stepsize=2.5 / steps, steps=steps, random_start=False),
        ("ddn", "2"): lambda: fb.DDNAttack(steps=steps),
    }[name, norm]()
    model = foolbox.PyTorchModel(trained(0.1), bounds=BOX, device="cpu")
    _, points, _ = theirs(model, data.test_x, data.test_y, epsilons=EPS[norm])
    options = {"fgsm": {"norm": norm}, "ifgsm": {"norm": norm, "steps": steps}, "ddn": {"steps": steps}}[name]
    result = ours(getattr(attacks, name), eps=EPS[norm], **options)
    assert 100.0 * result.accuracy == pytest.approx(accuracy(points), abs=0.5)


def adv_lib() -> types.ModuleType:
    """Its plots need `visdom`, which does not build; its attacks do not. See the Makefile."""
    stub = types.ModuleType("visdom")
    stub.Visdom = object  # type: ignore[attr-defined]
    sys.modules.setdefault("visdom", stub)
    return import_module("adv_lib.attacks")


def test_adv_lib_ddn() -> None:
    """The least ℓ2 distance; ours may be better. The norm of DDN moves by factors of 1.05 and 0.95, so that medians of
    two sound implementations differ by a few percent, depending on the rounding of the trained network."""
    library, data = adv_lib(), digits()
    points = library.ddn(trained(0.1), data.test_x, data.test_y, steps=40, levels=None)
    distances = (points - data.test_x).flatten(1).norm(dim=1)
    result = ours(attacks.ddn, steps=40)
    assert result.fooled.all()
    assert 0.95 * distances.median() < result.distances.median() < 1.01 * distances.median()


def test_adv_lib_cw() -> None:
    """The least ℓ2 distance on some samples; ours may be better."""
    library, data, n = adv_lib(), digits(), 50
    x, y = data.test_x[:n], data.test_y[:n]
    options = {"learning_rate": 0.05, "max_iterations": 60, "binary_search_steps": 5, "initial_const": 1.0}
    points = library.carlini_wagner_l2(trained(0.1), x, y, abort_early=False, **options)
    result = attacks.cw(trained(0.1), x, y, norm=2, lr=0.05, iterations=60, search=5, c=1.0, bounds=BOX)
    theirs = (points - x).flatten(1).norm(dim=1)
    assert result.fooled.all()
    assert result.distances.median() < 1.02 * theirs.median()


@pytest.mark.parametrize("norm", ["inf", "2"])
def test_adv_lib_apgd(norm: str) -> None:
    library, data = adv_lib(), digits()
    torch.manual_seed(0)
    points = library.apgd(
        trained(0.1), data.test_x, data.test_y, eps=EPS[norm], norm=float(norm), n_iter=40, loss_function="ce"
    )
    result = ours(attacks.apgd, eps=EPS[norm], norm=norm, steps=40)
    assert 100.0 * result.accuracy == pytest.approx(accuracy(points), abs=0.5)


def test_the_parts_of_the_versions() -> None:
    """Those of the reference, in which `plus` has an untargeted FAB, too: ours attacks all targets in every restart."""
    data = digits()
    x, y = data.test_x[:20], data.test_y[:20]
    parts = {}
    for version in ("standard", "plus", "rand"):
        run = partial(attacks.autoattack, eps=0.01, steps=2, queries=25, version=version)
        parts[version] = [name for name, _ in run(trained(0.1), x, y).found]
    assert parts == {
        "standard": ["apgd-ce", "apgd-t", "square", "fab-t"],
        "plus": ["apgd-ce", "apgd-dlr", "apgd-t", "square", "fab-t"],
        "rand": ["apgd-ce", "apgd-dlr"],
    }


def test_the_random_version_averages_noise() -> None:
    """Gradients of a stochastic network average 20 noise samples, those of a deterministic one none."""
    x, y = torch.full((4, 1), 0.5), torch.zeros(4, dtype=torch.long)

    def gradients(std: float) -> int:
        calls = 0

        def noisy(points: Tensor) -> Tensor:
            nonlocal calls
            calls += points.requires_grad
            shifted = points + std * torch.randn_like(points) if std else points
            return torch.cat([shifted, -shifted], 1)

        attacks.autoattack(noisy, x, y, eps=0.1, steps=1, version="rand")
        return calls

    assert gradients(0.1) == 20 * gradients(0.0) > 0


@pytest.mark.parametrize("norm", ["inf", "2"])
def test_the_reference_autoattack(norm: str) -> None:
    """On 200 samples, of which half a point is one. Fewer iterations and queries than the standard, in both."""
    import pyautoattack as library

    data, n = digits(), 200
    x, y = data.test_x[:n], data.test_y[:n]
    with torch.random.fork_rng(devices=[]):  # it seeds the global generator
        reference = library.AutoAttack(trained(0.1), norm={"inf": "Linf", "2": "L2"}[norm], eps=EPS[norm], seed=0)
        reference.apgd_targeted.n_iter = reference.apgd.n_iter = reference.fab.n_iter = 20
        reference.square.n_queries = 250
        points = reference.run_standard_evaluation(x, y, batch_size=n)
    points = points[0] if isinstance(points, tuple) else points
    theirs = (trained(0.1)(points).argmax(1) != y).sum().item()
    result = attacks.autoattack(trained(0.1), x, y, eps=EPS[norm], norm=norm, steps=20, queries=250, bounds=BOX)
    assert abs(int(result.fooled.sum()) - theirs) <= 1
