"""Expressions as functions of tensors, against sympy's own numbers."""

from __future__ import annotations

import torch
from sympy import Max, Rational, S, exp, pi, sin, sqrt, symbols

from pdedsl.codegen.pointwise import compile_pointwise

X, Y, U = symbols("x y u_x", real=True)
EXPRS = (sin(pi * X) * exp(-Y), U**2 / (1 + X**2) + sin(pi * X), Max(X, Y, Rational(1, 3)), sqrt(2) * S.One)


def test_values_are_those_of_sympy() -> None:
    points = torch.rand(7, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    found = torch.stack(compile_pointwise(EXPRS, (X, Y, U))(*points.unbind(-1)), -1)
    for point, row in zip(points.tolist(), found.tolist(), strict=True):
        at = dict(zip((X, Y, U), point, strict=True))
        expected = [float(e.evalf(20, subs=at)) for e in EXPRS]
        assert max(abs(a - b) for a, b in zip(row, expected, strict=True)) < 1e-14


def test_tensors_are_broadcast_and_differentiable() -> None:
    x = torch.linspace(0, 1, 4, dtype=torch.float64, requires_grad=True)
    y = torch.ones(3, 1, dtype=torch.float64)
    (value, constant) = compile_pointwise((X**2 * Y, S(2)), (X, Y))(x, y)
    assert value.shape == constant.shape == (3, 4)
    (slope,) = torch.autograd.grad(value.sum(), x)
    assert torch.allclose(slope, 6 * x.detach())
