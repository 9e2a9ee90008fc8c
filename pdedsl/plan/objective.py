"""Paths → what training minimises."""

from __future__ import annotations

from typing import Any, cast

from sympy import Expr, S

from pdedsl.diagnostics import fail
from pdedsl.ir.objective import MOST_EXACT, CrossEntropy, Objective, Residual, Retraining
from pdedsl.ir.representation import Paths
from pdedsl.ir.spec import Setting
from pdedsl.plan.methods import count_of, word_of


def objective_of(paths: Paths, method: Setting | None, dimension: int) -> Objective:
    """What training minimises: diffusion that is not in the network is in its loss."""
    if method is None or method.name not in ("residual", "retraining"):
        apart = word_of(method, "training", "joint") == "apart"
        if apart and word_of(method, "weights", "equal") == "learned":
            assert method is not None
            raise fail(
                "E604",
                "the weights of members are learned where the members are trained together",
                method.span,
                "use weights=equal, or training=joint",
            )
        return CrossEntropy(apart)
    still = [s for s in paths.stretches if s.shape != "none"]
    moving = [s for s in still if s.moves or not s.diffusivity[0][0].is_number or s.shape != "isotropic"]
    if moving or not still:
        at = moving[0].diffusion if moving else None
        raise fail(
            "E604",
            f"{method.name} is for diffusion alone, νΔu with a constant ν, in a piece of time of its own",
            at or method.span,
            "write the diffusion as a piece of time without transport, or use noise",
        )
    if any(s.shape == "none" for s in paths.stretches[: len(still)]):
        raise fail(
            "E604",
            f"{method.name} is for diffusion behind the transport in time, which smooths u itself",
            still[-1].diffusion or method.span,
            "exchange the pieces of time, or use noise",
        )
    amount = sum((s.diffusivity[0][0] * s.length for s in still), S.Zero)
    if method.name == "residual":
        if method["estimator"] == "exact" and dimension > MOST_EXACT:
            message = f"an exact Laplacian in {dimension} dimensions is too expensive, more than {MOST_EXACT} are"
            raise fail("E604", message, method.span, "use estimator=biased or unbiased")
        return _residual(method, float(amount))
    return Retraining(
        2 * float(amount),
        count_of(method["steps"], 5),
        _real(method["weight"]),
        count_of(method["probes"], 10),
        _real(method["delta"]),
        cast(Any, method["start"]),
        cast(Any, method["estimator"]),
        cast(Any, method["derivative"]),
    )


def _residual(method: Setting, diffusivity: float) -> Residual:
    """g(x, t) on the unit of time, in which all of the diffusion happens."""
    times = method.get("times")
    given = times if isinstance(times, tuple) else (S.Zero, S.One) if times is None else (times,)
    return Residual(
        diffusivity,
        1.0,
        _real(method["weight"]),
        _real(method["h"]),
        _real(method["tau"]),
        count_of(method["probes"], 1),
        tuple(_real(t) for t in given),
        _real(method["jitter"]),
        cast(Any, method["estimator"]),
        cast(Any, method["derivative"]),
        cast(Any, method["of"]),
        cast(Any, method["instants"]),
    )


def _real(value: object) -> float:
    assert isinstance(value, Expr)
    return float(value)
