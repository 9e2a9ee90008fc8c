"""Attacks and certificates compared with their passes through the model, and with published libraries: ratios.

    python benchmarks/attacks.py [--only pgd ddn autoattack certify] [--rounds 5] [--threads 1] [--samples 200]
        [--epochs 6]

1. PGD-20 without an active set against as many bare gradients of the cross-entropy. Goal: at most 1.10.
2. PGD-20 against torchattacks on a robust model (goal: 1.3 times faster) and on a standard one (4 times), where what is
   gained is what is left of the steps when a sample is fooled: at ε = 0.15 and at 0.3, the usual one for digits. On
   all 597 digits that are held out, whatever `--samples` says, which torchattacks gets in three batches: the last few
   rows of an active set cost a call each step, and of 200 samples that is a sixth of the time.
3. DDN-20 against foolbox. Goal: 1.5 times faster, at the same median norm.
4. AutoAttack against pyautoattack. Goal: at most 0.6 of its time, within half a point.
5. Certification against the bare forward (goal: 0.95 of its throughput) and the adversarial-robustness-toolbox (1.4).

Our side has its own copy of the model in channels_last, as an evaluation has it. Sides take turns within a round; a
ratio is the median over rounds, of processor time, which neighbours on the machine disturb less than the clock; where
they disturb it all the same, they only add to it, and the ratio of each side's fastest round says more. Memory is kept.
Libraries that are not installed are left out. The models are small residual networks for digits in 16 by 16 pixels,
trained here in half a minute.
"""

from __future__ import annotations

import argparse
import copy
import ctypes
import statistics
import sys
import time
import types
import warnings
from collections.abc import Callable
from importlib import import_module

import torch
from scipy.special import betaincinv
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional

from pdedsl import attacks
from pdedsl.attacks import Linf, Predictor
from pdedsl.attacks.base import Box
from pdedsl.attacks.constraints import feasible_set
from pdedsl.attacks.criterion import Criterion, log_odds
from pdedsl.attacks.pgd import AscentConfig, ascend
from pdedsl.certificates import gaussian

EPS, STEPS, BOX, BATCH = 0.15, 20, (0.0, 1.0), 199
Side = Callable[[], object]


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.second(self.first(x.relu()).relu())


def network() -> nn.Module:
    layers = [nn.Conv2d(1, 32, 3, 2, 1), Residual(32), Residual(32), nn.Conv2d(32, 64, 3, 2, 1), Residual(64)]
    return nn.Sequential(*layers, nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


def data() -> tuple[Tensor, Tensor]:
    raw = load_digits()
    images = torch.tensor(raw.images, dtype=torch.float32)[:, None] / 16.0
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))
    images = functional.interpolate(images, scale_factor=2, mode="bilinear").clamp(0.0, 1.0)
    return images[order], torch.tensor(raw.target)[order]


def trained(x: Tensor, y: Tensor, eps: float, epochs: int) -> nn.Module:
    torch.manual_seed(0)
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        for batch in torch.randperm(len(x)).split(50):
            points, labels = x[batch], y[batch]
            if eps > 0.0:
                limit = eps * min(1.0, (epoch + 1) / 3)
                points = attacks.pgd(Predictor(model, draws=1), points, labels, eps=limit, steps=4, bounds=BOX).x
            optimizer.zero_grad()
            functional.cross_entropy(model(points), labels).backward()
            optimizer.step()
    return model.eval()


def seconds(side: Side) -> float:
    begin = time.process_time()
    side()
    return time.process_time() - begin


def compare(name: str, goal: str, ours: Side, other: Side, rounds: int) -> None:
    """Our time over the other's."""
    ours(), other()
    mine, theirs = [], []
    for turn in range(rounds):
        for times, side in ((mine, ours), (theirs, other))[:: 1 if turn % 2 == 0 else -1]:
            times.append(seconds(side))
    ratios = [a / b for a, b in zip(mine, theirs, strict=True)]
    middle, fastest = statistics.median(ratios), min(mine) / min(theirs)
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}, of the fastest rounds {fastest:.2f}"
    print(f"{name:<46} {middle:6.2f}  (1/{1 / middle:.2f}; {spread}); goal {goal}", flush=True)


def library(name: str) -> types.ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        print(f"{name} is not installed: left out")
        return None


def bare_gradients(model: nn.Module, x: Tensor, y: Tensor) -> None:
    for _ in range(STEPS):
        at = x.detach().requires_grad_()
        torch.autograd.grad(functional.cross_entropy(model(at), y, reduction="sum"), at)


def whole_pgd(model: nn.Module, x: Tensor, y: Tensor) -> None:
    space, climb = feasible_set(Linf(), x, EPS, Box(*BOX)), AscentConfig(Linf(), EPS / 8, STEPS, log_odds, stop=False)
    with torch.no_grad():
        ascend(Predictor(model, draws=1), x, Criterion(y), space, climb)


def laid_out(model: nn.Module) -> nn.Module:
    return copy.deepcopy(model).to(memory_format=torch.channels_last)


def pgd(robust: nn.Module, standard: nn.Module, x: Tensor, y: Tensor, rounds: int) -> None:
    frozen = [p.requires_grad_(False) for p in robust.parameters()]
    compare(
        "PGD-20 / bare gradients",
        "≤ 1.10",
        lambda: whole_pgd(robust, x[:BATCH], y[:BATCH]),
        lambda: bare_gradients(robust, x[:BATCH], y[:BATCH]),
        rounds,
    )
    for parameter in frozen:
        parameter.requires_grad_(True)
    if (torchattacks := library("torchattacks")) is None:
        return
    fast = {id(model): laid_out(model) for model in (robust, standard)}
    for name, model, eps, goal in (
        ("robust", robust, EPS, "≤ 1/1.3"),
        ("standard", standard, EPS, "≤ 1/4"),
        ("standard", standard, 2 * EPS, "≤ 1/4"),
    ):
        theirs = torchattacks.PGD(model, eps=eps, alpha=eps / 8, steps=STEPS)

        def ours(model: nn.Module = model, eps: float = eps) -> object:
            return attacks.pgd(fast[id(model)], x, y, eps=eps, steps=STEPS, bounds=BOX)

        def other(theirs: Callable[[Tensor, Tensor], Tensor] = theirs) -> object:
            return [theirs(*part) for part in zip(x.split(BATCH), y.split(BATCH), strict=True)]

        compare(f"PGD-20 / torchattacks, {name} model, ε = {eps:g}", goal, ours, other, rounds)


def ddn(robust: nn.Module, x: Tensor, y: Tensor, rounds: int) -> None:
    if (foolbox := library("foolbox")) is None:
        return
    model, attack = foolbox.PyTorchModel(robust, bounds=BOX, device="cpu"), foolbox.attacks.DDNAttack(steps=STEPS)
    theirs = attack(model, x, y, epsilons=None)[1]
    ours = attacks.ddn(robust, x, y, steps=STEPS, bounds=BOX)
    fast = laid_out(robust)
    norms = [(points - x).flatten(1).norm(dim=1).median().item() for points in (ours.x, theirs)]
    print(f"DDN-20, median norm: ours {norms[0]:.4f}, foolbox {norms[1]:.4f}")
    compare(
        "DDN-20 / foolbox",
        "≤ 1/1.5",
        lambda: attacks.ddn(fast, x, y, steps=STEPS, bounds=BOX),
        lambda: attack(model, x, y, epsilons=None),
        rounds,
    )


def autoattack(robust: nn.Module, x: Tensor, y: Tensor) -> None:
    """Once: it takes minutes."""
    if (reference := library("pyautoattack")) is None:
        return
    attack = reference.AutoAttack(robust, norm="Linf", eps=EPS, seed=0)
    begin = time.process_time()
    ours = attacks.autoattack(laid_out(robust), x, y, eps=EPS, bounds=BOX)
    middle = time.process_time()
    points = attack.run_standard_evaluation(x, y, batch_size=len(x))
    end = time.process_time()
    theirs = (robust(points[0] if isinstance(points, tuple) else points).argmax(1) == y).double().mean().item()
    print(f"AutoAttack, robust accuracy: ours {_accuracy(robust, ours.x, y):.1f}, reference {100 * theirs:.1f}")
    print(f"  fooled by each part of ours: {ours.found}")
    print(f"{'AutoAttack / reference':<46} {(middle - begin) / (end - middle):6.2f}  goal ≤ 0.60")


def certify(robust: nn.Module, x: Tensor, rounds: int, n: int = 2000) -> None:
    one, batch = x[:2], 128

    def bare() -> None:
        with torch.no_grad():
            for part in x[:1].expand(len(one) * (n + 100), -1, -1, -1).split(batch):
                robust(part)

    ours = lambda: gaussian(robust, one, sigma=0.1, n=n, batch=batch)  # noqa: E731
    compare("certification / bare forward", "≤ 1/0.95", ours, bare, rounds)
    _stub_statsmodels()
    if (smoothing := library("art.estimators.certification.randomized_smoothing")) is None:
        return
    theirs = smoothing.PyTorchRandomizedSmoothing(
        model=robust,
        loss=nn.CrossEntropyLoss(),
        input_shape=tuple(x.shape[1:]),
        nb_classes=10,
        scale=0.1,
        alpha=1e-3,
        sample_size=100,
        device_type="cpu",
    )
    fast = laid_out(robust)
    compare(
        "certification / robustness toolbox",
        "≤ 1/1.4",
        lambda: gaussian(fast, one, sigma=0.1, n=n, batch=batch),
        lambda: theirs.certify(one.numpy(), n=n),
        rounds,
    )


def _stub_statsmodels() -> None:
    """The toolbox takes one number from it, the bound of Clopper and Pearson."""
    module = types.ModuleType("statsmodels.stats.proportion")

    def proportion_confint(count: int, nobs: int, alpha: float, method: str) -> tuple[float, float]:
        return float(betaincinv(count, nobs - count + 1, alpha / 2)), 1.0

    module.proportion_confint = proportion_confint  # type: ignore[attr-defined]
    for name in ("statsmodels", "statsmodels.stats"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules.setdefault(module.__name__, module)


def keep_memory() -> None:
    """glibc gives the memory of large tensors back, and faults it in again: a quarter of the time of a forward pass, on
    one side or the other as chance has it. Keep all memory, for both."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(-4, 0)  # M_MMAP_MAX
        libc.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD


def main() -> None:
    keep_memory()
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=["pgd", "ddn", "certify", "autoattack"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--epochs", type=int, default=6, help="of the networks under attack")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(options.threads)
    sys.modules.setdefault("visdom", types.ModuleType("visdom"))
    x, y = data()
    test_x, test_y = x[-options.samples :], y[-options.samples :]
    robust, standard = (trained(x[:1200], y[:1200], eps, options.epochs) for eps in (EPS, 0.0))
    for name, model in (("robust", robust), ("standard", standard)):
        left = attacks.pgd(model, test_x, test_y, eps=EPS, bounds=BOX).accuracy
        print(f"{name} model: accuracy {_accuracy(model, test_x, test_y):.1f}, after PGD-20 {100 * left:.1f}")
    if "pgd" in options.only:
        pgd(robust, standard, x[1200:], y[1200:], options.rounds)
    if "ddn" in options.only:
        ddn(robust, test_x, test_y, options.rounds)
    if "certify" in options.only:
        certify(robust, test_x, options.rounds)
    if "autoattack" in options.only:
        autoattack(robust, test_x, test_y)


def _accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    with torch.no_grad():
        return 100.0 * (model(x).argmax(1) == y).double().mean().item()


if __name__ == "__main__":
    main()
