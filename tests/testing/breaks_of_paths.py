"""Mistakes in drift, noise and averages on data spaces."""

from __future__ import annotations

from pdedsl.testing.averages import AGREEMENT, AVERAGE
from pdedsl.testing.equation import LAW, OPERATOR, SOLUTION
from pdedsl.testing.generator import GENERATOR
from pdedsl.testing.noises import NOISE, RESIDUAL_BLOCKS
from pdedsl.testing.steps import STEPS
from testing.breaks import Break
from testing.mistakes_in_maps import (
    before_maps,
    by_units,
    half_as_wide,
    kept,
    mean_of_logits,
    minus,
    network_with,
    normal,
    not_behind_last,
    uniform,
    unnormalised,
    unscaled,
    without_shortcut,
)
from testing.mistakes_on_points import (
    at_time,
    exchanged,
    fewer,
    first_component,
    first_row,
    first_step_left_out,
    larger_values,
    legs,
    longer,
    longer_steps,
    louder,
    middle_forgotten,
    noise_first,
    not_corrected,
    of_one_sign,
    one_draw,
    one_member,
    one_noise,
    one_stream,
    scaled,
    silent_in_evaluation,
    times_field,
    transposed,
    uncorrelated,
    velocity_at,
    velocity_in_the_middle,
    without_last,
)

VALUES = ("evolution.Evolution._values",)
ADDED = ("noise.GaussianNoise.forward",)

PATHS: tuple[Break, ...] = (
    Break("noise 20 % too large", ADDED, louder(1.2), ("isotropic", "terminal", "split"), LAW),
    Break("noise 20 % too small", ADDED, louder(0.8), ("isotropic", "split"), LAW),
    Break("noise between maps 20 % too large", ADDED, louder(1.2), ("smooth", "sampling", "features"), NOISE),
    Break("noise without √Δt", ADDED, louder(2.0), ("isotropic",), STEPS),
    Break(
        "noise without √Δt in the operator",
        ("evolution.Piece.shake",),
        lambda real: lambda self, x, dt: real(self, x, 1.0),
        ("known",),
        GENERATOR,
    ),
    Break("drift reversed", ("marching.step",), times_field(-1.0), ("isotropic", "carried"), LAW),
    Break("drift 20 % off", ("marching.step",), times_field(1.2), ("isotropic", "terminal", "carried"), LAW),
    Break(
        "drift reversed in the operator", ("evolution.Piece.velocity",), scaled(-1.0), ("known", "pieces"), GENERATOR
    ),
    Break("drift 20 % off in the operator", ("evolution.Piece.velocity",), scaled(1.2), ("known", "pieces"), GENERATOR),
    Break("read at the wrong time", ("marching.step",), at_time(lambda t: 1.0 - t), ("isotropic", "terminal"), LAW),
    Break("read at the wrong time in the operator", ("evolution.Piece.velocity",), velocity_at, ("known",), GENERATOR),
    Break(
        "pieces in the wrong order",
        ("evolution.Evolution.legs",),
        legs(lambda found: found[::-1]),
        ("pieces",),
        OPERATOR,
    ),
    Break("steps of the operator 20 % too long", ("evolution.Evolution.legs",), legs(longer), ("known",), GENERATOR),
    Break("a step of the operator missing", ("evolution.Evolution.legs",), legs(fewer), ("known",), OPERATOR),
    Break("Heun's second slope forgotten", ("marching.March._heun",), not_corrected, ("corrected",), LAW),
    Break("Heun's noise at the start of its step", ("marching.March.__init__",), middle_forgotten, ("corrected",), LAW),
    Break(
        "Heun's second slope forgotten in the operator",
        ("evolution.shaken",),
        lambda real: lambda path, leg, heun, noise: real(path, leg, False, noise),
        ("corrected",),
        GENERATOR,
    ),
    Break("values of the operator 20 % off", VALUES, larger_values, ("isotropic",), AGREEMENT),
    Break("values of the solution 20 % off", VALUES, larger_values, ("pieces",), SOLUTION),
    Break("correlation dropped", ("noise.CorrelatedNoise.forward",), uncorrelated, ("full",), STEPS),
    Break("transposed factor of the matrix", ("noise.CorrelatedNoise.forward",), transposed, ("full",), STEPS),
    Break(
        "noise at another state",
        ("noise.ScaledNoise.forward",),
        lambda real: lambda self, x, at=None: real(self, x),
        ("scaled",),
        STEPS,
    ),
    Break("a repeated member", ("expectation.Expectation.__init__",), one_member, ("isotropic", "smooth"), AVERAGE),
    Break("noise shared by members", ("expectation.seed_noise",), one_noise, ("isotropic",), LAW),
    Break("noise shared by members of pictures", ("expectation.seed_noise",), one_noise, ("smooth", "relative"), NOISE),
    Break("noise shared by steps", ("expectation.seed_noise",), one_stream, ("isotropic",), STEPS),
    Break("one sample repeated", ("streams.Stream._draw",), one_draw, ("isotropic",), LAW),
    Break("one sample repeated on pictures", ("streams.Stream._draw",), one_draw, ("smooth", "sampling"), NOISE),
    Break("logits averaged", ("expectation.Expectation.__init__",), mean_of_logits, ("isotropic", "smooth"), AVERAGE),
    Break("no noise in evaluation", ADDED, silent_in_evaluation, ("isotropic",), LAW),
    Break("relative noise 20 % off", ("noise.RelativeNoise.forward",), louder(1.2), ("relative",), NOISE),
    Break("normal numbers for those of Laplace", ("streams.fill",), normal, ("heavy",), NOISE),
    Break("uniform numbers for normal ones", ("streams.fill",), uniform, ("smooth",), NOISE),
    Break(
        "Laplace noise in one step", ("evolution.IS_SUM",), lambda real: real | {"laplace": True}, ("steady",), OPERATOR
    ),
    Break("one noise for all rows", ADDED, first_row, ("isotropic",), LAW),
    Break("one noise for all components", ADDED, first_component, ("isotropic",), LAW),
    Break("noise of one sign", ADDED, of_one_sign, ("isotropic",), LAW),
    Break("components of the drift exchanged", ("marching.step",), exchanged, ("isotropic", "carried"), LAW),
    Break("drift of the middle", ("evolution.Piece.velocity",), velocity_in_the_middle, ("known",), GENERATOR),
    Break("Laplace noise of variance 2", ("streams.fill",), unnormalised, ("laplace",), LAW),
    Break(
        "a coordinate read that is no argument",
        ("marching.Reading.forward",),
        lambda real: lambda self, x, t=None: self.network(x, t),
        ("one letter", "time alone"),
        STEPS,
    ),
    Break("noise before the step", ("marching.March.forward",), noise_first, ("isotropic",), STEPS),
    Break("noise missing behind the last step", ("marching.March.__init__",), without_last, ("isotropic",), STEPS),
    Break(
        "a step of the network missing",
        ("marching.March.__init__",),
        first_step_left_out,
        ("isotropic", "carried"),
        LAW,
    ),
    Break(
        "steps of the network 20 % too long", ("marching.March.__init__",), longer_steps, ("isotropic", "carried"), LAW
    ),
    Break(
        "noise before the maps",
        ("backbones.Backbone.network",),
        network_with(before_maps),
        ("smooth", "relative"),
        NOISE,
    ),
    Break(
        "noise missing behind the last map",
        ("backbones.Backbone.network",),
        network_with(not_behind_last),
        ("smooth",),
        NOISE,
    ),
    Break("dropout without 1/p", ("random_maps.Dropout.forward",), unscaled, ("dropout", "depth"), NOISE),
    Break("dropout on points without 1/p", ("random_maps.Dropout.forward",), unscaled, ("units",), LAW),
    Break("dropout with another p", ("random_maps.Dropout.forward",), kept(0.8), ("dropout", "depth"), NOISE),
    Break("units dropped for maps", ("random_maps.Dropout.forward",), by_units, ("depth",), NOISE),
    Break("shares half as wide", ("random_maps.Mix.forward",), half_as_wide, ("shake",), NOISE),
    Break(
        "residual maps subtracted", ("convection.Residual.forward",), minus, ("transport", "smooth"), RESIDUAL_BLOCKS
    ),
    Break(
        "residual maps 20 % too long",
        ("convection.Residual.forward",),
        lambda real: lambda self, x: x + 1.2 * (real(self, x) - x),
        ("transport",),
        RESIDUAL_BLOCKS,
    ),
    Break(
        "no shortcut where the shape changes",
        ("backbones.PreactivatedTransition.forward",),
        without_shortcut,
        ("transport",),
        RESIDUAL_BLOCKS,
    ),
)
