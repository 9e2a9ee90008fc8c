"""Moment tests: z-tests of observed against expected moments, with Bonferroni correction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from math import hypot, inf, isfinite
from statistics import NormalDist

import torch
from torch import Tensor

FALSE_POSITIVE_RATE = 1e-6  # family-wise, over all moments of a finding
ROUNDING = 1e-9  # relative; added to the standard error, which may be zero


class CheckOutcome(StrEnum):
    """The result of a test."""

    PASSED = "passed"
    VIOLATED = "violated"
    UNTESTED = "untested"


@dataclass(frozen=True)
class Finding:
    """The result of one test of the network: its name, outcome and numbers."""

    name: str
    outcome: CheckOutcome
    note: str
    required: bool = True

    @property
    def ok(self) -> bool:
        return self.outcome is not CheckOutcome.VIOLATED


@dataclass(frozen=True)
class Moment:
    """An observed number with its expected value, and the standard error of the difference."""

    name: str
    expected: float
    found: float
    error: float

    @property
    def z(self) -> float:
        """The difference in standard errors; infinite if one of the three numbers is not finite."""
        if not (isfinite(self.expected) and isfinite(self.found) and isfinite(self.error)):
            return inf
        return abs(self.found - self.expected) / hypot(self.error, ROUNDING * (1.0 + abs(self.expected)))

    def __str__(self) -> str:
        return f"{self.name}: expected {self.expected:.6g}, found {self.found:.6g}, z = {self.z:.1f}"


@dataclass
class Moments:
    """Collects moment tests; keeps the one with the largest z."""

    worst: Moment | None = None
    count: int = 0
    paths: int = 0

    def add(self, name: str, expected: Tensor | float, observed: Tensor, error: Tensor | float) -> None:
        """Adds arrays of the same shape; the index of an entry, counted from one, is appended to its name."""
        expected, error = (torch.as_tensor(v).to(observed).expand_as(observed) for v in (expected, error))
        z = (observed - expected).abs() / torch.hypot(error, ROUNDING * (1.0 + expected.abs()))
        place = int(z.where(error.isfinite(), inf).nan_to_num(inf, inf).argmax())
        at = "".join(f"[{int(k) + 1}]" for k in torch.unravel_index(torch.tensor(place), observed.shape))
        values = (float(table.reshape(-1)[place]) for table in (expected, observed, error))
        self._one(Moment(name + at, *values))
        self.count += observed.numel() - 1

    def _one(self, moment: Moment) -> None:
        self.count += 1
        if self.worst is None or moment.z > self.worst.z:
            self.worst = moment

    def finding(self, of: str, rate: float = FALSE_POSITIVE_RATE) -> Finding:
        """Broken if the largest z exceeds `z_threshold` for this number of moments and false-positive rate."""
        if self.worst is None:
            return Finding(of, CheckOutcome.UNTESTED, "no moments to compare")
        stated = f"{self.count} moments of {self.paths} paths, false-positive rate {rate:g}"
        if self.worst.z <= z_threshold(self.count, rate):
            return Finding(of, CheckOutcome.PASSED, f"largest z = {self.worst.z:.1f} of {stated}")
        return violated(of, f"{self.worst} (threshold {z_threshold(self.count, rate):.1f}; {stated})")


def z_threshold(count: int, rate: float) -> float:
    """The z that `count` normal variables exceed with probability at most `rate`, by Bonferroni's inequality."""
    return -NormalDist().inv_cdf(rate / (2 * count))


def standard_error(values: Tensor) -> Tensor:
    """The standard error of the mean over axis 0; zero for a single value."""
    return values.std(0).div(len(values) ** 0.5) if len(values) > 1 else torch.zeros_like(values[0])


def compare_tensors(of: str, name: str, expected: Tensor, observed: Tensor, tolerance: float = 1e-10) -> Finding:
    """Whether two tensors are equal, to a tolerance relative to 1 + max |expected|."""
    if expected.shape != observed.shape:
        return violated(of, f"{name}: expected the shape {tuple(expected.shape)}, found {tuple(observed.shape)}")
    size = float(expected.abs().max()) + 1.0
    away = (observed - expected).abs()
    if bool((away <= tolerance * size).all()):
        return Finding(of, CheckOutcome.PASSED, f"{name}: {observed.numel()} entries within {tolerance:g}")
    place = int(away.nan_to_num(inf, inf).argmax())
    pair = f"expected {float(expected.reshape(-1)[place]):.6g}, found {float(observed.reshape(-1)[place]):.6g}"
    return violated(of, f"{name}: {pair} at entry {place + 1} of {observed.numel()}, tolerance {tolerance:g}")


def untested(of: str, why: str) -> Finding:
    return Finding(of, CheckOutcome.UNTESTED, why)


def violated(of: str, why: str) -> Finding:
    return Finding(of, CheckOutcome.VIOLATED, why)


def worst_of(of: str, findings: Iterable[Finding]) -> Finding:
    """Combines findings: the first violation, or else the last that passed."""
    every = list(findings)
    violation = next((f for f in every if not f.ok), None)
    passed = next((f for f in reversed(every) if f.outcome is CheckOutcome.PASSED), None)
    chosen = violation or passed or (every[0] if every else untested(of, "nothing to compare"))
    return replace(chosen, name=of)
