"""AutoAttack against the reference implementation on a thousand digits: how many are fooled by each, in what time.

    python benchmarks/agreement.py [--samples 1000] [--norm inf] [--epochs 16]

Goals: within half a point, in at most 0.6 of its time. Both run the standard attack in full (100 steps, nine targets,
5,000 queries), on one small network that was trained here on the 797 other digits against attacks within ε = 0.1 in ℓ∞.
Times are of the processor, for neighbours on the machine disturb it less than the clock. The network, the ε and the
number of samples were chosen before the first run.
"""

from __future__ import annotations

import argparse
import time

import pyautoattack
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional

from pdedsl import attacks
from pdedsl.attacks import Predictor

BOX = (0.0, 1.0)
EPS = {"inf": 0.1, "2": 0.6}


def network() -> nn.Module:
    convolutions = [nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.Flatten()]
    return nn.Sequential(*convolutions, nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10))


def trained(x: Tensor, y: Tensor, epochs: int) -> nn.Module:
    torch.manual_seed(0)
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(epochs):
        for batch in torch.randperm(len(x)).split(100):
            eps = EPS["inf"] * min(1.0, (epoch + 1) / 4)
            points = attacks.pgd(Predictor(model, draws=1), x[batch], y[batch], eps=eps, steps=5, bounds=BOX).x
            optimizer.zero_grad()
            functional.cross_entropy(model(points), y[batch]).backward()
            optimizer.step()
    return model.eval()


def right(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    with torch.no_grad():
        return model(x).argmax(1) == y


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--norm", choices=list(EPS), default="inf")
    parser.add_argument("--epochs", type=int, default=16, help="of the network under attack")
    options = parser.parse_args()
    torch.set_num_threads(1)
    raw = load_digits()
    order = torch.randperm(len(raw.target), generator=torch.Generator().manual_seed(0))
    x, y = torch.tensor(raw.images, dtype=torch.float32)[order, None] / 16.0, torch.tensor(raw.target)[order]
    model = trained(x[1000:], y[1000:], options.epochs)
    x, y, eps = x[: options.samples], y[: options.samples], EPS[options.norm]
    print(
        f"{len(x)} samples, ℓ{options.norm}, ε = {eps}: accuracy {right(model, x, y).double().mean():.1%}", flush=True
    )
    begin = time.process_time()
    ours = attacks.autoattack(model, x, y, eps=eps, norm=options.norm, bounds=BOX)
    middle = time.process_time()
    print(f"ours {ours.accuracy:.1%} in {middle - begin:.0f} s of the processor; fooled by {ours.found}", flush=True)
    reference = pyautoattack.AutoAttack(model, norm={"inf": "Linf", "2": "L2"}[options.norm], eps=eps, seed=0)
    points = reference.run_standard_evaluation(x, y, batch_size=250)
    end = time.process_time()
    theirs = right(model, points[0] if isinstance(points, tuple) else points, y)
    only = int((theirs & ours.fooled).sum()), int((~theirs & ~ours.fooled).sum())
    print(f"reference {theirs.double().mean():.1%} in {end - middle:.0f} s of the processor")
    print(f"fooled by ours alone {only[0]}, by the reference alone {only[1]}")
    print(f"difference {100 * (ours.accuracy - theirs.double().mean().item()):+.1f} points, goal within 0.5")
    print(f"time, ours over the reference {(middle - begin) / (end - middle):.2f}, goal at most 0.60")


if __name__ == "__main__":
    main()
