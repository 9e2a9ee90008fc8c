"""Step size control of adaptive methods (Hairer, Nørsett, Wanner 1993, II.4)."""

from __future__ import annotations

SAFETY, GROWTH, SHRINKAGE = 0.9, 10.0, 0.2  # those of torchdiffeq, so that numbers of evaluations are comparable
END_STRETCH = 1.01  # that of Hairer's dopri5


class SolverFailed(ArithmeticError):
    """A solver did not reach the final time within its tolerance; the message gives the reason."""


def initial_step_size(h0: float, d1: float, d2: float, order: int) -> float:
    """(0.01 / max(d₁, d₂))^(1/order), at most 100 h₀; d₁ and d₂ are norms of y′ and y″ (Hairer, Nørsett, Wanner)."""
    steepest = max(d1, d2)
    h1 = max(1e-6, h0 * 1e-3) if steepest <= 1e-15 else (0.01 / steepest) ** (1 / order)
    return float(min(100 * h0, h1))


def next_step_size(t: float, h: float, ratio: float, order: int, end: float) -> float:
    """h·min(10, max(0.9 ratio^(−1/order), 0.2)), not below h after an accepted step (torchdiffeq's rule)."""
    stuck = t + h == t if ratio <= 1 else h <= 1e-14 * end
    if stuck or ratio != ratio:
        raise SolverFailed(f"step size underflow at h = {h:.3g}: the field is not finite, or too stiff")
    if ratio == 0:
        return h * GROWTH
    return float(h * min(GROWTH, max(SAFETY * ratio ** (-1 / order), 1.0 if ratio < 1 else SHRINKAGE)))


def clip_to_end(h: float, left: float) -> float:
    """The step size, clipped to the remaining time, or enlarged to it if a tiny step would remain."""
    return left if END_STRETCH * h >= left else h


def advance_time(t: float, h: float, end: float) -> float:
    """t + h; exactly `end` for a step that was cut to it."""
    return end if h == end - t else t + h
