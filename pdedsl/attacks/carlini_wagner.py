"""Carlini-Wagner attack: distance plus a penalty on the margin, with a change of variables for the box (2017).

    min_u D(x(u) − x) + c·max{−κ, max_{i≠t} Z(x(u))ᵢ − Z(x(u))_t},    x(u) = ½(tanh u + 1),

with D = ‖·‖∞ as in Wang, Yuan, Shi, Osher 2020 (eq. 3.5; 50 iterations of Adam, lr = 6e-4, c = 10, κ = 0), or
D = ‖·‖₂² with a search over c. Without a target the margin is that of y over the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never, final

import torch
from torch import Tensor

from pdedsl.attacks.adam import AdamState, TanhTransform
from pdedsl.attacks.base import AttackContext, Bounds, ClosestAdversarials, Result, attack_context
from pdedsl.attacks.batch_ops import column, inner, take
from pdedsl.attacks.criterion import Criterion, margin
from pdedsl.attacks.norms import L2, Linf, Norm, NormName, read_norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model


def cw(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    norm: NormName = "inf",
    eps: float | None = None,
    c: float = 1.0,
    kappa: float = 0.0,
    iterations: int = 50,
    lr: float = 1e-2,
    search: int | None = None,
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """Carlini-Wagner attack (2017): minimises the norm plus c times a penalty on the margin by Adam.

    With a fixed c (`search` = 1) the result depends on c: in ℓ∞, for a linear margin f, the minimum is the nearest
    point of the boundary if c‖∇f‖₁ > 1, and x itself if c‖∇f‖₁ < 1. With `search` > 1, c is found by bisection for each
    sample, relative to the dual norm of ∇f(x), so that the scale of the logits does not matter.

    Args:
        model: callable from inputs (m, …) to logits (m, classes), or a `Predictor`; its state is restored.
        x: inputs within `bounds`, shape (n, …), floating point.
        y: labels, shape (n,), integers.
        eps: if given, only adversarial examples within ε count, and the search stops at the first one. By default the
            nearest one is searched.
        norm: "inf" or "2".
        c: weight of the penalty, or its initial value in the search.
        kappa: margin κ (confidence) by which the criterion must be satisfied.
        iterations: number of iterations of Adam.
        lr: learning rate of Adam.
        search: number of bisection steps for c; by default 9 in ℓ2 and 1 (fixed c) in ℓ∞.
        eot: number of noise samples per gradient or query (expectation over transformation), for stochastic models.
        bounds: lower and upper bound of valid inputs, numbers or tensors; None for no bounds.
        target: target labels, shape (n,), for a targeted attack.
        seed: seed of the attack and of the noise of the model.

    Returns:
        `Result` with the attacked inputs x (n, …), `fooled` (n,), `distances` (n,) and the robust `accuracy`.

    Raises:
        ValueError: if shapes, dtypes, `norm` or `eps` are invalid, or inputs are outside `bounds`.

    Example:
        >>> import torch
        >>> from pdedsl import attacks
        >>> model = lambda x: torch.cat([x, -x], 1)  # class 0 for x > 0, class 1 for x < 0
        >>> x, y = torch.tensor([[0.25], [1.0]]), torch.tensor([0, 0])
        >>> result = attacks.cw(model, x, y, norm="2", iterations=40, lr=0.05, bounds=(-2, 2))
        >>> result.fooled.tolist()
        [True, True]
        >>> bool((result.distances >= x[:, 0]).all())  # the distances to the boundary
        True
    """
    measure = read_norm(norm)
    with attack_context(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as context:
        rows = context.unsolved_rows()
        if not len(rows):
            return context.result(measure, context.x.clone(), eps)
        left = context.take(rows)
        closest = ClosestAdversarials(left, measure, eps)
        search_steps = (9 if isinstance(measure, L2) else 1) if search is None else search
        last = _CarliniWagner(measure, kappa, iterations, lr).run(left, closest, c, search_steps)
        return closest.result(context, rows, last, eps)


@final
@dataclass(frozen=True)
class _CarliniWagner:
    norm: Norm
    kappa: float
    iterations: int
    lr: float

    def run(self, context: AttackContext, closest: ClosestAdversarials, c: float, search_steps: int) -> Tensor:
        """The last points of the bisection over c; c is multiplied by ten until the first success."""
        weight = torch.full_like(closest.distance, c) / (self._dual_gradient_norm(context) if search_steps > 1 else 1.0)
        low, high = torch.zeros_like(weight), torch.full_like(weight, torch.inf)
        rows, last = torch.arange(len(context.x), device=context.x.device), context.x.clone()
        for _ in range(search_steps):
            rows = rows[~closest.done(rows)]
            if not len(rows):
                break
            last[rows], success = self._descend(context, closest, rows, weight[rows])
            high[rows] = torch.where(success, torch.minimum(high[rows], weight[rows]), high[rows])
            low[rows] = torch.where(success, low[rows], torch.maximum(low[rows], weight[rows]))
            weight = torch.where(high.isfinite(), 0.5 * (low + high), 10.0 * low)
        return last

    def _dual_gradient_norm(self, context: AttackContext) -> Tensor:
        """Dual norm of ∇f(x) for the margin f; 1 where it is 0."""
        gradient = context.predictor.loss_gradient(context.x, context.criterion, margin).gradient.nan_to_num()
        size = inner(gradient, self.norm.steepest(gradient))
        return size.where(size > 0.0, torch.ones_like(size))

    def _descend(
        self, context: AttackContext, closest: ClosestAdversarials, rows: Tensor, weight: Tensor
    ) -> tuple[Tensor, Tensor]:
        """One minimisation by Adam: the last points, and whether any iterate satisfied the criterion."""
        transform, part = TanhTransform(context.box), context.take(rows)
        u, success, last = transform.variable(part.x), torch.zeros_like(rows, dtype=torch.bool), part.x.clone()
        adam, here = AdamState.zero(u), torch.arange(len(rows), device=rows.device)
        for step in range(1, self.iterations + 2):
            x = transform.point(u)
            last[here] = x
            if step > self.iterations:
                logits = part.predictor.query(x)
            else:
                logits, gradient = self._logits_and_gradient(part, x, weight)
            reached = part.criterion.is_satisfied(logits) & (margin(logits, part.criterion) >= self.kappa)
            success[here] |= reached
            left = ~closest.update(rows[here], x, reached)
            if step > self.iterations or not left.any():
                break
            u, adam = adam.move(u, gradient * transform.derivative(u), self.lr, step)
            if not left.all():
                here, u, adam, part, weight = (
                    here[left],
                    take(u, left),
                    adam.take(left),
                    part.take(left),
                    weight[left],
                )
        return last, success

    def _logits_and_gradient(self, context: AttackContext, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Logits at x, and the gradient with respect to x of D − c·min{κ, margin}."""
        _, logits, gradient = context.predictor.loss_gradient(x, context.criterion, self._capped_margin)
        return logits, self._distance_gradient(x - context.x) - column(weight, x) * gradient.nan_to_num()

    def _capped_margin(self, logits: Tensor, criterion: Criterion) -> Tensor:
        return margin(logits, criterion).clamp(max=self.kappa)

    def _distance_gradient(self, away: Tensor) -> Tensor:
        match self.norm:
            case L2():
                return 2.0 * away
            case Linf():
                largest = away.abs() == column(self.norm.length(away), away)
                return away.sign() * largest / column(largest.flatten(1).sum(1), away)
            case _:
                assert_never(self.norm)
