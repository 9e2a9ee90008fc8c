"""A small network on images, and the messages of a run."""

from __future__ import annotations

from pathlib import Path

import torch

import pdedsl
from pdedsl.runs.events import Stepped
from training.test_resume import Heard

SPECS = Path(__file__).parents[2] / "specs"


def weights(run: pdedsl.Run) -> dict[str, torch.Tensor]:
    return run.module.state_dict()


# ---- every entry of `train`


def heard(text: str, out: Path, *settings: str) -> list[Stepped]:
    listener = Heard()
    pdedsl.train(text, out, set=settings, listeners=(listener,))
    return listener.of(Stepped)


IMAGES = """
pde Small "Symmetric layers on digits"
space   x in pixels
time    t in [0, 3]
unknown Y(x, t) : channels
learn   K(t)    : operator = conv(3)
∂Y/∂t = -Kᵀ relu(K Y)
realize time by euler(steps=3)
network {
  input   image(1, 8, 8)
  open    8
  stages  [8]
  classes 10
}
train {
  data       digits(train=200, test=100)
  epochs     1
  batch      50
  optimizer  sgd(lr=0.1)
  regularize smooth_in_time(1e-2), weights(1e-3)
  constrain  K in [-0.05, 0.05]
}
"""
