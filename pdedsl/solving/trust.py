"""How far a solution can be trusted: judged by fresh residuals and a reference, never by the training loss.

Two solutions that are further apart than a hundredth (relative, in L2), or ten times the reference's own error
estimate, differ visibly in a picture: at least one of them is wrong. Solutions that may jump are judged in L1 instead,
in which one cell beside a jump counts little (Kuznetsov 1976). A residual that is the only evidence has the same
limit, as its root mean square relative to its terms is about the error of a problem with a well-conditioned
operator. Beside a comparison it may be up to a tenth, as a thin layer has large residuals and little weight; above that
not one digit of the equation holds: training has collapsed, or a condition was missed. If all data are small compared
with the terms, as near a resonance, residuals count for more in proportion.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf, isfinite, isnan, nan

import torch
from torch import Tensor

from pdedsl.solving.fresh import Gap

NO_DIGIT = 0.1
ENOUGH = 2.0  # factor on the share of the data: u = g has two terms, and one of them is data
VISIBLE = 0.01
MARGIN = 10.0
SIGMAS = 3.0  # half-widths of a 95 % interval, that is 5.9 standard deviations: 4e-9 for one point


class Verdict(StrEnum):
    HOLDS = "holds"  # every residual is small, and so is the distance to the reference, if there is one
    FAILS = "fails"  # an equation, a condition or the known solution is missed
    DISAGREES = "disagrees"  # with another method


@dataclass(frozen=True)
class Comparison:
    """The distance of a solution to a reference, relative in L2; `error` is the reference's own error estimate."""

    reference: str
    distance: float
    maximum: float
    error: float
    exact: bool
    components: tuple[tuple[str, float], ...] = ()
    interval: float = 0.0  # half the width of the solution's own 95 % intervals, if it has any
    mean: float = nan  # the distance in L1, by which solutions that may jump are judged

    @property
    def allowed(self) -> float:
        return max(VISIBLE, min(MARGIN * self.error, NO_DIGIT), SIGMAS * self.interval)

    @property
    def judged(self) -> float:
        return self.distance if isnan(self.mean) else self.mean

    @property
    def speaks(self) -> bool:
        """Whether at least one digit of the reference is correct."""
        return self.exact or self.error <= NO_DIGIT

    @property
    def ok(self) -> bool:
        near = isfinite(self.distance) and self.judged <= self.allowed
        return near and self.speaks and self.interval <= NO_DIGIT


@dataclass(frozen=True)
class Trust:
    """All residuals, the comparisons if there are any, and the verdict that follows."""

    gaps: tuple[Gap, ...]
    comparisons: tuple[Comparison, ...] = ()
    notes: tuple[str, ...] = ()
    own: ErrorBar | None = None  # the method's own error estimate

    @property
    def verdict(self) -> Verdict:
        missed = any(not j.ok for j in self._judged) or any(c.exact and not c.ok for c in self.comparisons)
        if missed or self._vague:
            return Verdict.FAILS
        return Verdict.HOLDS if all(c.ok for c in self.comparisons) else Verdict.DISAGREES

    @property
    def complaints(self) -> tuple[str, ...]:
        """What is wrong, in words."""
        missed = [str(j) for j in self._judged if not j.ok]
        vague = (f"not one digit is certain: {self.own}",) if self._vague else ()
        return (*missed, *vague, *(_distance_text(c) for c in self.comparisons if not c.ok))

    @property
    def _vague(self) -> bool:
        """Whether a method whose own estimate is the only evidence has not one correct digit."""
        return self.own is not None and not self.comparisons and not self.own.value <= NO_DIGIT

    @property
    def _judged(self) -> list[Judged]:
        return [Judged(g, self.allowed) for g in self.gaps]

    @property
    def allowed(self) -> float:
        """The limit of residuals relative to their terms."""
        return (NO_DIGIT if any(c.speaks for c in self.comparisons) else VISIBLE) / self.amplified

    @property
    def amplified(self) -> float:
        """By how much residuals count for more: above one if the data, which drive the solution, are small."""
        driven = max((g.data / g.size for g in self.gaps if g.size > 0), default=0.0)
        return max(1.0, 1 / (ENOUGH * driven)) if driven > 0 else 1.0

    @property
    def error(self) -> ErrorBar:
        """The best known: against the exact solution, a reference, the method's interval, or the residuals alone."""
        for c in sorted((c for c in self.comparisons if c.speaks), key=lambda c: not c.exact):
            return ErrorBar(c.distance + c.error, c.reference)
        if self.own is not None:
            return self.own
        worst = max((g.relative for g in self.gaps), default=inf) * self.amplified
        if not worst <= VISIBLE:
            return ErrorBar(inf, "nothing confirms the solution, and its residuals are not small")
        return ErrorBar(worst, "the residuals alone, relative to their terms: the error itself is not known")


@dataclass(frozen=True)
class ErrorBar:
    """A measured bound, relative in L2, and what it was measured against; infinite, and why, if nothing is known."""

    value: float
    against: str

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.1e} against {self.against}" if isfinite(self.value) else f"not known: {self.against}"


@dataclass(frozen=True)
class Judged:
    """A residual and its limit."""

    gap: Gap
    allowed: float

    @property
    def ok(self) -> bool:
        return isfinite(self.gap.relative) and self.gap.relative <= self.allowed

    def __str__(self) -> str:
        return (
            f"'{self.gap.text}' {self.gap.where} is missed: its residual is {self.gap.relative:.1e} of its terms "
            f"(allowed {self.allowed:.2g})"
        )


def _distance_text(c: Comparison) -> str:
    if not c.speaks and not isfinite(c.error):
        return f"nothing confirms the solution: {c.reference}"
    if not c.speaks:
        return f"nothing confirms the solution: the error of {c.reference} itself is {c.error:.1e}"
    if not c.interval <= NO_DIGIT:
        return f"not one digit is certain: the solution's own intervals of 95 % are ± {c.interval:.1e}"
    what = "is wrong" if c.exact else "disagrees"
    return f"the solution {what}: {c.judged:.1e} from {c.reference} (allowed {c.allowed:.1e})"


def compared(
    found: Tensor, expected: Tensor, names: tuple[str, ...], reference: str, error: float, jumps: bool = False
) -> Comparison:
    """From values (n, c) at the same points; in L1 too, if they may jump."""
    distances = tuple((name, relative(found[:, k], expected[:, k])) for k, name in enumerate(names))
    largest = float((found - expected).abs().max())
    mean = relative(found, expected, 1) if jumps else nan
    return Comparison(reference, relative(found, expected), largest, error, error == 0.0, distances, mean=mean)


def relative(found: Tensor, expected: Tensor, power: int = 2) -> float:
    """‖found - expected‖ / ‖expected‖, or the numerator alone where the denominator is zero."""
    size, distance = (torch.linalg.vector_norm(v, power) for v in (expected, found - expected))
    return float(distance / size) if size > 0 else float(distance)
