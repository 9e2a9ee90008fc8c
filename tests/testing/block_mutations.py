"""Mutations of layers and integrators on feature maps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch import Tensor
from torch.nn import functional

from pdedsl.runtime.activations import activation
from pdedsl.runtime.ode.explicit import TimeGrid
from pdedsl.runtime.ode.symplectic import AdditiveCoupling
from pdedsl.testing.equation import LAW
from testing.mutations import Mutation

BLOCK = "time steps of block()"


def unflipped(real: Any) -> Any:
    """Channels exchanged, and the stencil not turned round."""
    return lambda self, weight, y: functional.conv2d(y, weight.transpose(0, 1), padding=weight.shape[-1] // 2)


def without_norm(real: Any) -> Any:
    return lambda self, y: y


def other_activation(real: Any) -> Any:
    def init(self: Any, *args: Any, **options: Any) -> None:
        real(self, *args, **options)
        self.activation = activation("tanh" if self.activation.record.name == "relu" else "relu")

    return init


def other_sign(real: Any) -> Any:
    return lambda self, t, y: -real(self, t, y)


def reacting(factor: float) -> Any:
    def change(real: Any) -> Any:
        def init(self: Any, layers: Any, reaction: float) -> None:
            real(self, layers, factor * reaction)

        return init

    return change


def mirrored(real: Any) -> Any:
    return lambda self, t, y: real(self, 3.0 - t, y)


def next_weights(real: Any) -> Any:
    return lambda self, step: self.layers[(step + 1) % len(self.layers)]


def one_less(real: Any) -> Any:
    def integrate(self: Any, field: Any, y: Tensor, steps: TimeGrid) -> Tensor:
        h = steps.h
        for j in range(steps.count - 1):
            y = self.step(field, j, steps.time(j), h, y)
        return y

    return integrate


def longer(real: Any) -> Any:
    return property(lambda self: 1.2 * (self.stop - self.start) / self.count)


def method_with(**changes: Any) -> Any:
    return lambda real: lambda method, slope, h, y: real(replace(method, **changes), slope, h, y)


def at_start(real: Any) -> Any:
    return lambda self, field, j, t, h, y: real(self, lambda j, s, z: field(j, s - h, z), j, t, h, y)


def couplings(change: Any) -> Any:
    return lambda real: lambda self, steps: tuple(change(c, steps) for c in real(self, steps))


def second_sign(c: AdditiveCoupling, steps: TimeGrid) -> AdditiveCoupling:
    return replace(c, scale=-c.scale) if c.target == 1 else c


def from_old_half(real: Any) -> Any:
    """Both halves from the state before the step."""

    def integrate(self: Any, fields: Any, state: Any, steps: TimeGrid) -> Any:
        y, z = state
        for j in range(steps.count):
            t, h = steps.time(j), steps.h
            y, z = y + h * fields[0](j, t, z), z + h * fields[1](j, t, y)
        return y, z

    return integrate


def h_for_h2(c: AdditiveCoupling, steps: TimeGrid) -> AdditiveCoupling:
    return replace(c, scale=c.scale / steps.h) if c.field is not None else c


def accepted(real: Any) -> Any:
    return lambda options, error, y0, y1: [0.0] * y0.shape[0]


def larger_eps(real: Any) -> Any:
    return lambda self, channels, eps=1e-3: real(self, channels, 100 * eps)


def without_bias(real: Any) -> Any:
    return lambda self, y: real(self, y) - self.bias[:, None, None]


def channel_by_channel(real: Any) -> Any:
    def forward(self: Any, y: Tensor) -> Tensor:
        return self.scale[:, None, None] * y * (y.square() + self.eps).rsqrt() + self.bias[:, None, None]

    return forward


def one_term(real: Any) -> Any:
    return lambda self, field, j, t, h, y: y + h * field(j, t + h, y)


def all_at_the_start(real: Any) -> Any:
    return lambda method, slope, h, y: real(method, lambda c, z: slope(0.0, z), h, y)


def first_field(real: Any) -> Any:
    return lambda self, fields, source: real(self, (fields[0], fields[0]), source)


def a_step_late(real: Any) -> Any:
    return lambda self, field, y, steps: real(self, lambda j, t, z: field(j, t + steps.h, z), y, steps)


NORM = "symmetric_layer.TotalVariationNorm.forward"
BLOCKS: tuple[Mutation, ...] = (
    Mutation(
        "Kᵀ not the adjoint",
        ("linear_operators.ConvOperator.adjoint_product",),
        unflipped,
        ("layers", "pair", "second"),
        BLOCK,
    ),
    Mutation("missing norm", (NORM,), without_norm, ("layers", "pair"), BLOCK),
    Mutation(
        "ε of the norm a hundredfold", ("symmetric_layer.TotalVariationNorm.__init__",), larger_eps, ("layers",), BLOCK
    ),
    Mutation("norm without its bias", (NORM,), without_bias, ("layers",), BLOCK),
    Mutation("norm channel by channel", (NORM,), channel_by_channel, ("layers", "pair"), BLOCK),
    Mutation(
        "wrong activation", ("symmetric_layer.SymmetricLayer.__init__",), other_activation, ("layers", "second"), BLOCK
    ),
    Mutation("wrong activation in a net", ("convnet.ConvNet.__init__",), other_activation, ("net",), BLOCK),
    Mutation(
        "wrong sign of the layer", ("symmetric_layer.SymmetricLayer.forward",), other_sign, ("layers", "second"), BLOCK
    ),
    Mutation("reaction dropped", ("image_fields.SumLayer.__init__",), reacting(0.0), ("layers",), BLOCK),
    Mutation("reaction doubled", ("image_fields.SumLayer.__init__",), reacting(2.0), ("layers",), BLOCK),
    Mutation("learned field at T - t", ("convnet.ConvNet.forward",), mirrored, ("net", "series"), BLOCK),
    Mutation(
        "weights of the next step",
        ("image_fields.LayerPerStep.layer",),
        next_weights,
        ("layers", "pair", "second"),
        BLOCK,
    ),
    Mutation("one step missing", ("ode.explicit.OneStepMethod.integrate",), one_less, ("layers", "heun"), BLOCK),
    Mutation("steps 20 % too long", ("ode.explicit.TimeGrid.h",), longer, ("layers", "pair", "second", "rk4"), BLOCK),
    Mutation(
        "Heun with wrong weights", ("ode.explicit.runge_kutta_step",), method_with(weights=(0.4, 0.6)), ("heun",), BLOCK
    ),
    Mutation(
        "a stage of RK4 slipped",
        ("ode.explicit.runge_kutta_step",),
        method_with(rows=((1 / 2,), (1 / 2, 0.0), (0.0, 0.0, 1.0))),
        ("rk4",),
        BLOCK,
    ),
    Mutation(
        "backward Euler at the start of its step", ("ode.explicit.BackwardEuler.step",), at_start, ("series",), BLOCK
    ),
    Mutation("a term of the series missing", ("ode.explicit.BackwardEuler.step",), one_term, ("series",), BLOCK),
    Mutation("all stages at the start", ("ode.explicit.runge_kutta_step",), all_at_the_start, ("rk4", "heun"), BLOCK),
    Mutation("learned field a step late", ("ode.explicit.OneStepMethod.integrate",), a_step_late, ("net",), BLOCK),
    Mutation(
        "the first field for both halves", ("ode.symplectic.AdditiveCoupling.increment",), first_field, ("pair",), BLOCK
    ),
    Mutation(
        "the first push left out",
        ("ode.symplectic.Verlet.couplings",),
        lambda real: lambda *a: real(*a)[1:],
        ("pair",),
        BLOCK,
    ),
    Mutation("Verlet's second sign", ("ode.symplectic.Verlet.couplings",), couplings(second_sign), ("pair",), BLOCK),
    Mutation("Verlet from the old half", ("ode.symplectic.Verlet.integrate",), from_old_half, ("pair",), BLOCK),
    Mutation("leapfrog with h for h²", ("ode.symplectic.Leapfrog.couplings",), couplings(h_for_h2), ("second",), BLOCK),
    Mutation(
        "leapfrog begun as the paper does",
        ("ode.symplectic.Leapfrog._weight",),
        lambda real: lambda self, j: 1.0,
        ("second",),
        BLOCK,
    ),
    Mutation("tolerance ignored", ("ode.adaptive._error_ratios",), accepted, ("adaptive",), BLOCK),
    Mutation("tolerance ignored on points", ("ode.adaptive._error_ratios",), accepted, ("own steps",), LAW),
)
