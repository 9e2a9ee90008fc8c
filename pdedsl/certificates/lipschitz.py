"""Scores that are L-Lipschitz in ℓ2 certify a radius from one forward pass, exactly and for all weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from pdedsl.frozen_model import Model, frozen_state, modules_of


@final
@dataclass(frozen=True)
class Lipschitz:
    """The class of each sample is constant within `radii` in ℓ2, given the constant. A tie abstains."""

    classes: Tensor
    radii: Tensor
    constant: float


def lipschitz(
    model: Model, x: Tensor, *, constant: float | None = None, head: Tensor | None = None, batch: int = 256
) -> Lipschitz:
    """R = (s_A − max s_B)/(√2 L), L = `constant` for the scores (Tsuzuku et al. 2018; Meunier et al., ICML 2022).

    Scores of the form W φ + b with features φ have the tighter R = min_B (s_A − s_B)/(‖w_A − w_B‖ L) with `head` = W
    and the constant of φ. If no constant is given, the model must know its own: `model.lipschitz_head()`, W and the
    constant of φ, or `model.lipschitz_constant()`, of the scores. Exact up to the round-off of the forward pass.
    """
    if head is not None and constant is None:
        raise ValueError("with `head` pass the constant of the features")
    head, bound = _known(model) if constant is None else (head, constant)
    if not (math.isfinite(bound) and bound > 0.0):
        raise ValueError(_unknown(model, bound))
    with torch.no_grad(), frozen_state(modules_of(model), 0):
        scores = torch.cat([model(part).double() for part in torch.split(x.detach(), batch)])
    best = scores.max(1)
    gaps = best.values[:, None] - scores
    radii = (gaps / _steepest(scores, best.indices, head, bound)).scatter(1, best.indices[:, None], torch.inf).amin(1)
    radii = radii.where(radii.isfinite(), 0.0)
    return Lipschitz(best.indices.where(radii > 0.0, -1).cpu(), radii.cpu(), bound)


def _steepest(scores: Tensor, winner: Tensor, head: Tensor | None, bound: float) -> Tensor:
    """How fast s_A − s_B can fall, for each sample and class B."""
    if head is None:
        return scores.new_full((1, 1), math.sqrt(2.0) * bound)
    weight = head.detach().to(scores)
    apart: Tensor = torch.linalg.vector_norm(weight[winner][:, None] - weight[None], dim=2)
    return apart.clamp_min(torch.finfo(scores.dtype).tiny) * bound


def _known(model: Model) -> tuple[Tensor | None, float]:
    """What the model reports about itself."""
    whole, features = (getattr(model, f"lipschitz_{what}", None) for what in ("constant", "head"))
    if features is not None:
        weight, bound = features()
        return weight, float(bound)
    if whole is None:
        raise ValueError("the model does not know its Lipschitz constant: pass `constant`")
    return None, float(whole() if callable(whole) else whole)


def _unknown(model: Model, bound: float) -> str:
    """The part of the model that has no constant, if it knows its parts."""
    parts: tuple[tuple[str, float, str], ...] = getattr(model, "lipschitz_parts", tuple)()
    broken = next((f"{part}: {why}" for part, constant, why in parts if math.isinf(constant)), None)
    if broken:
        return f"the model has no Lipschitz constant, because of its {broken}"
    return f"a Lipschitz constant is a positive number, not {bound}"
