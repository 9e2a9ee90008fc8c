"""Lipschitz certificate: the margin of L-Lipschitz logits bounds the ℓ2 distance to the decision boundary."""

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
    """Result of `lipschitz`: `classes` (n,) and certified ℓ2 `radii` (n,); ties abstain (class −1, radius 0).

    Attributes:
        classes: certified classes, (n,).
        radii: certified ℓ2 radii, (n,).
        constant: Lipschitz constant that was used.

    Example:
        >>> import torch
        >>> from pdedsl.certificates import lipschitz
        >>> result = lipschitz(lambda x: torch.cat([x, -x], 1), torch.tensor([[1.0]]), constant=2**0.5)
        >>> round(result.constant, 3), round(result.radii.item(), 3)
        (1.414, 1.0)
    """

    classes: Tensor
    radii: Tensor
    constant: float


def lipschitz(
    model: Model, x: Tensor, *, constant: float | None = None, head: Tensor | None = None, batch: int = 256
) -> Lipschitz:
    """Lipschitz certificate: classes and certified ℓ2 radii R = (z_A − max z_B)/(√2 L) for logits z with constant L
    (Tsuzuku et al. 2018; Meunier et al., ICML 2022).

    Logits W φ + b with features φ have the larger radius R = min_B (z_A − z_B)/(‖w_A − w_B‖ L), L the constant of φ.

    Args:
        model: callable from inputs (m, …) to logits (m, classes); its state is restored.
        x: inputs, shape (n, …).
        constant: ℓ2 Lipschitz constant L of the logits, or of the features φ if `head` is given. By default that of the
            model: `model.lipschitz_head()` (W and the constant of φ) or `model.lipschitz_constant()`.
        head: weight matrix W of the last layer, shape (classes, features).
        batch: batch size of the calls of the model.

    Returns:
        `Lipschitz` with classes and radii, valid up to the rounding errors of the forward pass.

    Raises:
        ValueError: if there is no finite positive constant, or `head` is given without `constant`.

    Example:
        >>> import torch
        >>> from pdedsl.certificates import lipschitz
        >>> model = lambda x: torch.cat([x, -x], 1)  # Lipschitz constant √2
        >>> lipschitz(model, torch.tensor([[1.0], [-0.5], [0.0]]), constant=2**0.5).classes.tolist()
        [0, 1, -1]
        >>> head = torch.tensor([[1.0], [-1.0]])  # of the features x, with constant 1
        >>> lipschitz(model, torch.tensor([[1.0], [-0.5]]), constant=1.0, head=head).radii.tolist()
        [1.0, 0.5]
    """
    if head is not None and constant is None:
        raise ValueError("`head` needs `constant`, the Lipschitz constant of the features")
    head, bound = _model_constant(model) if constant is None else (head, constant)
    if not (math.isfinite(bound) and bound > 0.0):
        raise ValueError(_missing_constant(model, bound))
    with torch.no_grad(), frozen_state(modules_of(model), 0):
        logits = torch.cat([model(part).double() for part in torch.split(x.detach(), batch)])
    best = logits.max(1)
    gaps = best.values[:, None] - logits
    radii = (
        (gaps / _margin_constants(logits, best.indices, head, bound))
        .scatter(1, best.indices[:, None], torch.inf)
        .amin(1)
    )
    radii = radii.where(radii.isfinite(), 0.0)
    return Lipschitz(best.indices.where(radii > 0.0, -1).cpu(), radii.cpu(), bound)


def _margin_constants(logits: Tensor, predicted: Tensor, head: Tensor | None, bound: float) -> Tensor:
    """Lipschitz constants of z_A − z_B, for each sample and class B."""
    if head is None:
        return logits.new_full((1, 1), math.sqrt(2.0) * bound)
    weight = head.detach().to(logits)
    distances: Tensor = torch.linalg.vector_norm(weight[predicted][:, None] - weight[None], dim=2)
    return distances.clamp_min(torch.finfo(logits.dtype).tiny) * bound


def _model_constant(model: Model) -> tuple[Tensor | None, float]:
    """The head and Lipschitz constant that the model provides."""
    whole, features = (getattr(model, f"lipschitz_{what}", None) for what in ("constant", "head"))
    if features is not None:
        weight, bound = features()
        return weight, float(bound)
    if whole is None:
        raise ValueError("the model has no method `lipschitz_constant()`: pass `constant`")
    return None, float(whole() if callable(whole) else whole)


def _missing_constant(model: Model, bound: float) -> str:
    """Error message, with the part of the model that has no constant if it is known."""
    parts: tuple[tuple[str, float, str], ...] = getattr(model, "lipschitz_parts", tuple)()
    part = next((f"{part}: {why}" for part, constant, why in parts if math.isinf(constant)), None)
    if part:
        return f"the model has no Lipschitz constant, because of its {part}"
    return f"the Lipschitz constant must be positive and finite, not {bound}"
