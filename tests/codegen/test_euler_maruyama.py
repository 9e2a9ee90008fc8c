"""The network and the operator of one spec take the same walk: X + Δt·v(X, t) + √Δt·Σ(X, t)·ξ, path by path.

Both are given the same numbers ξ, so that they must agree to rounding, at every step and for every coefficient, in
particular where Σ depends on the state: it is read before the drift, as in Euler-Maruyama (Kloeden and Platen,
section 10.2).
"""

from __future__ import annotations

import pytest
import torch
from lowering.test_network_order import features
from texts import compiled, learned
from torch import Tensor, nn

from pdedsl.runtime.rng import RandomStream

F64 = torch.float64
STEPS = 5
DRIFT = "let v(x, y, t) = [sin(y + t) - 2x, x y]"
FIELDS = "learn a(x, y, t) : scalar > 0 = mlp(width=8, depth=2)"
MATRIX = "learn a(x, y, t) : matrix, psd = mlp(width=8, depth=2)"
X = torch.randn(6, 2, generator=torch.Generator().manual_seed(1), dtype=F64)
XI = torch.randn(STEPS, 6, 2, generator=torch.Generator().manual_seed(2), dtype=F64)
# The diffusion, its declarations, and A(x, y, t) where it is known.
TERMS = {
    "constant": ("0.3 Δu", ""),
    "known": ("(1 + x² + t) Δu", ""),
    "known, in one direction": ("(1 + x²) ∂²u/∂y²", ""),
    "known matrix": ("A:∇∇u", "let A(x, y, t) = [[2 + sin(x), x y/(1 + x²)], [x y/(1 + x²), 3 + y² + t]]"),
    "learned": ("a Δu", FIELDS),
    "learned matrix": ("a:∇∇u", MATRIX),
}


def text(term: str, declared: str) -> str:
    return learned(f"∂u/∂t = v·∇u + {term}", f"{DRIFT}\n{declared}", realized=f"realize time by euler(steps={STEPS})")


@pytest.fixture
def given_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block draws the ξ of its step: the streams of a model are in the order of its layers."""
    turn = iter(range(1000))
    monkeypatch.setattr(RandomStream, "forward", lambda self, x, *_: XI[next(turn) % STEPS])


def walk_of_the_operator(operator: nn.Module) -> Tensor:
    seen: list[Tensor] = []
    operator._noise = lambda x, leg, step, draws: XI[step].unsqueeze(0)
    operator(lambda y: seen.append(y) or y[..., 0], X, 1.0)
    return seen[0].reshape(6, 2)


@pytest.mark.usefixtures("given_noise")
@pytest.mark.parametrize("name", TERMS)
def test_network_and_operator_take_the_same_path(name: str) -> None:
    spec = text(*TERMS[name])
    torch.manual_seed(3)
    module = compiled(spec).module().double().train()
    operator = compiled(spec).operator(module, samples=1).double()
    with torch.no_grad():
        ours, theirs = features(module, X), walk_of_the_operator(operator)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    assert (ours - X).abs().max() > 0.1


@pytest.mark.usefixtures("given_noise")
def test_one_path_by_explicit_formulas() -> None:
    """ν = 1 + x² + t with the drift above, initial data: the first step is at t = 1."""
    module = compiled(text(*TERMS["known"])).module().double().train()
    y, dt = X, 1.0 / STEPS
    for k in range(STEPS):
        t, (a, b) = 1.0 - k * dt, y.unbind(-1)
        drift = torch.stack([torch.sin(b + t) - 2 * a, a * b], -1)
        y = y + dt * drift + (2 * dt * (1 + a**2 + t)).sqrt().unsqueeze(-1) * XI[k]
    torch.testing.assert_close(features(module, X), y, rtol=1e-12, atol=1e-12)


def test_covariance_of_a_step_with_drift() -> None:
    """In law, from the model's own streams: 2ν(x)Δt = 2 at the point before the drift; behind it, it would be 8.

    N = 20,000 rows: a sample variance of Gaussian rows deviates by √(2/N) = 0.01 of itself, so 6 % is 6 standard
    errors, one false alarm in 5·10⁸ per number."""
    spec = learned("∂u/∂t = v·∇u + x² Δu", "let v(x, y, t) = [x, 0]", realized="realize time by euler(steps=1)")
    point = torch.tensor([[1.0, 0.0]], dtype=F64)
    rows = features(compiled(spec).module().double().train(), point.expand(20_000, 2))
    variance = rows.var(0)
    assert ((variance - 2.0).abs() <= 0.06 * 2.0).all(), variance
