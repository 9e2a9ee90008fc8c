"""Attacks inside certified radii: every attack on every sample of the test set of digits.

    python benchmarks/certified.py [--only lipschitz gaussian] [--samples 360] [--groups 24] [--epochs 6]

Lipschitz: the shipped convex_potential.pde, trained for digits in seconds; its radii are exact for the network, and a
violation is a sample that is fooled inside its radius. Gaussian: a small network, whose average over noise is certified
with α = 1e-5 for each sample, so that all 360 radii are correct with probability 0.996; attacks follow the gradients of
the average, and a violation is a point inside the radius at which the certified class has fewer than 400 of 1,000
votes, which happens to a class that has the majority with probability 1e-10. Samples are attacked in groups of like
radii, at 0.9999 of the smallest in the group. Any violation ends the script with an error.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

import pdedsl
from pdedsl import attacks
from pdedsl.attacks import Predictor, Result
from pdedsl.certificates import gaussian, lipschitz
from pdedsl.certificates.randomized_smoothing import noise_sampler
from pdedsl.config.base import Located
from pdedsl.config.data import Digits
from pdedsl.data.load import load
from pdedsl.frozen_model import Model

BOX, SIGMA, VOTES = (0.0, 1.0), 0.2, 1000
MIN_VOTES = 400  # of 1000: a class with probability ½ has fewer with probability 1e-10
SETTINGS = (
    "network.input=image(1, 8, 8)",
    "network.close=64",
    "network.frame=lipschitz(patch=2, dense=3)",
    "train.data=digits",
    "train.batch=64",
    "train.loss=margin(eps=0.2)",
)
ATTACKS: dict[str, Callable[..., Result]] = {
    "fgsm": partial(attacks.fgsm, norm=2),
    "ifgsm": partial(attacks.ifgsm, norm=2, steps=20),
    "pgd": partial(attacks.pgd, norm=2, steps=20, restarts=2),
    "difgsm": partial(attacks.difgsm, norm=2, steps=10),
    "apgd-ce": partial(attacks.apgd, norm=2, steps=20),
    "apgd-dlr": partial(attacks.apgd, norm=2, steps=20, loss="dlr"),
    "apgd-t": partial(attacks.apgd, norm=2, steps=20, loss="dlr", targets=3),
    "fab": partial(attacks.fab, norm=2, steps=10, targets=2),
    "square": partial(attacks.square, norm=2, queries=100),
    "cw": partial(attacks.cw, norm=2, iterations=20, lr=0.05, c=10.0, search=3),
    "ddn": partial(attacks.ddn, steps=20),
    "boundary": partial(attacks.boundary, queries=100),
    "autoattack": partial(attacks.autoattack, norm=2, steps=10, queries=50),
}


def inside(
    attack: Callable[..., Result], model: Model | Predictor, x: Tensor, classes: Tensor, radii: Tensor, groups: int
) -> Iterator[tuple[Tensor, Result, float]]:
    """Rows, the result of the attack inside their radii, and ε."""
    for rows in radii.argsort().tensor_split(groups):
        if len(rows):
            eps = 0.9999 * radii[rows].min().item()
            yield rows, attack(model, x[rows], classes[rows], eps=eps, bounds=BOX), eps


def by_constant(x: Tensor, y: Tensor, groups: int, epochs: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        settings = [*SETTINGS, f"train.epochs={epochs}"]
        model = pdedsl.train("convex_potential", Path(folder) / "run", set=settings).module
    certificate = lipschitz(model, x)
    certified = certificate.radii > 0.0
    x, classes, radii = x[certified], certificate.classes[certified], certificate.radii[certified]
    accuracy = (certificate.classes == y).double().mean().item()
    counts = f"{len(x)} of {len(y)} certified, accuracy {accuracy:.1%}"
    print(f"lipschitz: {counts}, median radius {radii.median():.3f}", flush=True)
    total = 0
    for name, attack in ATTACKS.items():
        results = list(inside(attack, model, x, classes, radii, groups))
        broken = sum(int(result.fooled.sum()) for _, result, _ in results)
        used = sum(float((eps / radii[rows]).sum()) for rows, _, eps in results) / len(x)
        beyond = attack(model, x, classes, eps=4.0 * radii.median().item(), bounds=BOX).fooled.double().mean().item()
        print(
            f"  {name:<11} {broken} violations at {used:.0%} of the radius; fools {beyond:.0%} at 4 median radii",
            flush=True,
        )
        total += broken
    return total


def network(x: Tensor, y: Tensor, epochs: int = 10) -> nn.Module:
    """Trained under the noise of its certificate."""
    torch.manual_seed(0)
    convolutions = [nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.Flatten()]
    model = nn.Sequential(*convolutions, nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(x)).split(100):
            optimizer.zero_grad()
            noisy = x[batch] + SIGMA * torch.randn_like(x[batch])
            functional.cross_entropy(model(noisy), y[batch]).backward()
            optimizer.step()
    return model.eval()


def by_noise(model: nn.Module, x: Tensor, y: Tensor, groups: int) -> int:
    certificate = gaussian(model, x, sigma=SIGMA, n=1000, alpha=1e-5)
    certified = certificate.classes >= 0
    x, classes, radii = x[certified], certificate.classes[certified], certificate.radii[certified]
    accuracy = (certificate.classes == y).double().mean().item()
    counts = f"{len(x)} of {len(y)} certified, accuracy {accuracy:.1%}"
    print(f"gaussian: {counts}, median radius {radii.median():.3f}", flush=True)

    def noisy(x: Tensor) -> Tensor:
        return model(x + SIGMA * torch.randn_like(x))

    total = 0
    for name, attack in ATTACKS.items():
        points = x.clone()
        for rows, result, _ in inside(attack, Predictor(noisy, eot=2, draws=4), x, classes, radii, groups):
            points[rows] = result.x
        assert bool(((points - x).flatten(1).norm(dim=1) < radii).all())
        with noise_sampler(model, points, SIGMA, 128, seed=1) as votes:
            hits = votes.count(torch.arange(len(x)), classes, VOTES)
        broken = int((hits < MIN_VOTES).sum())
        print(f"  {name:<11} {broken} violations; the fewest of {VOTES} votes {int(hits.min())}", flush=True)
        total += broken
    return total


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=["lipschitz", "gaussian"])
    parser.add_argument("--samples", type=int, default=360)
    parser.add_argument("--groups", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=6, help="of the 1-Lipschitz network")
    options = parser.parse_args()
    torch.set_num_threads(1)
    data = load(Located(Digits()), None)
    x, y = (part[: options.samples] for part in data.test.batch(slice(None)))
    total = by_constant(x, y, options.groups, options.epochs) if "lipschitz" in options.only else 0
    total += (
        by_noise(network(*data.train.batch(slice(None))), x, y, options.groups) if "gaussian" in options.only else 0
    )
    print(f"{total} violations")
    sys.exit(1 if total else 0)


if __name__ == "__main__":
    main()
