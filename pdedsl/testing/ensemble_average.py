"""Average over ensemble members and noise samples, compared with its definition."""

from __future__ import annotations

from itertools import combinations

import torch
from torch import Tensor, nn

from pdedsl.config.methods import EnsembleWeighting, Scores
from pdedsl.ir.plan import DataPlan
from pdedsl.testing.distributions import concatenate_calls, members_of, readout_of, record_calls
from pdedsl.testing.moment_tests import CheckOutcome, Finding, Moments, compare_tensors, standard_error, violated
from pdedsl.testing.operators import EvolutionUnderTest

AVERAGE, AGREEMENT = "ensemble average of model()", "agreement of model() and operator()"


def average_finding(model: nn.Module, plan: DataPlan, x: Tensor) -> Finding:
    """u = Σ_m w_m mean_k softmax(z_mk), or the same average of logits z; members must have different weights."""
    output, logits = _member_logits(model, x)
    weights = _weights(model, len(logits), plan)
    samples = plan.samples if plan.is_random else 1
    if any(len(z) != samples for z in logits):
        return violated(AVERAGE, f"expected {samples} noise samples per member, found {[len(z) for z in logits]}")
    if plan.average is Scores.PROBABILITIES:
        parts = [w * z.softmax(-1).mean(0) for w, z in zip(weights, logits, strict=True)]
        expected, observed = torch.stack(parts).sum(0), output.softmax(-1)
    else:
        expected = torch.stack([w * z.mean(0) for w, z in zip(weights, logits, strict=True)]).sum(0)
        observed = output
    tolerance = 1e-9 if observed.dtype == torch.float64 else 1e-5
    distinct = _check_members_differ(model, plan.members)
    return (
        compare_tensors(AVERAGE, f"the mean of {plan.average.value}", expected.to(observed), observed, tolerance)
        if distinct.ok
        else distinct
    )


def _member_logits(model: nn.Module, x: Tensor) -> tuple[Tensor, list[Tensor]]:
    """The output of the model, and the logits of each member, (samples, points, classes)."""
    last: list[nn.Module] = [readout_of(m) for m in members_of(model)]
    with record_calls(last) as calls, torch.no_grad():
        value: Tensor = model(x)
    return value, [out.reshape(-1, *value.shape) for _, out in concatenate_calls(calls, "ensemble member")]


def _weights(model: nn.Module, members: int, plan: DataPlan) -> Tensor:
    own = [p for p in model.parameters(recurse=False) if p.shape == (members,)]
    if plan.weights is EnsembleWeighting.LEARNED and own:
        with torch.no_grad():
            return own[0].softmax(0)
    return torch.full((members,), 1.0 / members, dtype=torch.float64)


def _check_members_differ(model: nn.Module, count: int) -> Finding:
    """Checks the number of members, and that no two have the same weights."""
    members = members_of(model)
    if len(members) != count:
        return violated(AVERAGE, f"expected {count} members, found {len(members)}")
    for (i, a), (j, b) in combinations(enumerate(members, 1), 2):
        pairs = [(p, q) for p, q in zip(a.parameters(), b.parameters(), strict=False) if p.dim() > 1]
        if pairs and all(p.shape == q.shape and torch.equal(p, q) for p, q in pairs):
            return violated(AVERAGE, f"members {i} and {j} have the same weights")
    return Finding(AVERAGE, CheckOutcome.PASSED, f"{len(members)} members with different weights")


def agreement_finding(model: nn.Module, flow: EvolutionUnderTest, inputs: Tensor, x: Tensor, t: float) -> Finding:
    """Compares u of the network with u of the operator for the network's readout as data: two estimates of one mean.

    `inputs` holds the points x many times, each copy with independent noise.
    """
    with torch.no_grad():
        predicted = model(inputs).softmax(-1).reshape(-1, len(x), model(inputs[:1]).shape[-1])
    readouts = [readout_of(m) for m in members_of(model)]
    moments = Moments(paths=len(predicted))
    for c in range(predicted.shape[-1]):
        with torch.no_grad():
            theirs = flow.evolution.estimate(lambda y, c=c: _data(readouts, y, c), x, t)  # type: ignore[misc]
        error = torch.hypot(standard_error(predicted[..., c]), theirs.standard_error)
        moments.add(f"u of class {c + 1}", theirs.mean, predicted[..., c].mean(0), error)
    return moments.finding(AGREEMENT)


def _data(readouts: list[nn.Linear], y: Tensor, c: int) -> Tensor:
    return torch.stack([readout(y).softmax(-1)[..., c] for readout in readouts]).mean(0)
