"""Declarations and conditions that several rows share."""

from __future__ import annotations

from analysis.spec_templates import declared

V = "learn v(x, t) : vector = mlp"
VI = "learn v(x, t) : vector = resnet(depth=20)"
VECTOR = "x in R^2"
GENERAL = "x in R^d"
LEARNED = "the network of a learned field may have any growth"
BOUND = "learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)"
STATIC = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"
FREE = "learn K(t) : operator = conv(3)"
TWO = declared("learn K1(t) : operator = conv(3)", "learn K2(t) : operator = conv(3)")
STATIC_TWO = declared("learn K1 : operator = conv(3)", "learn K2 : operator = conv(3)")
TV = "let N = tv_norm(eps=1e-3)"
ZERO_SPEED = "∂u/∂t(x, 0) = 0"
ZERO_VELOCITY_PLANE = "∂u/∂t(x, y, 0) = 0"
ZERO_Y_VELOCITY = "∂Y/∂t(x, 0) = 0"
VECTOR_HEAT = """pde Row
space x in R^2
time t in [0, 1]
unknown u(x, t) : vector(2)
∂u/∂t = Δu
u(x, 0) = [exp(-‖x‖²), 1]
"""
