"""Distribution of the path endpoints X_T of a network and of an operator, compared with that of the SDE.

X_T is recorded before the readout of `model()`, and at the points where `operator()` evaluates its data f; its moments
are compared with those of reference paths simulated from the analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from pdedsl.runtime.rng import RandomStream
from pdedsl.runtime.sde.feynman_kac import Expectation
from pdedsl.testing.coefficients import Array
from pdedsl.testing.moment_tests import Moments
from pdedsl.testing.operators import EvolutionUnderTest
from pdedsl.testing.path_segments import Mismatch, PathSegment
from pdedsl.testing.paths import PathEndpoints, ReferenceProcess

SAMPLES_PER_INPUT = 4  # noise samples per input; the paths are divided among them
CLIP_STD = 4.0  # standard deviations at which values are clipped, so that all moments have finite variance
MAX_PAIRWISE_DIMENSION = 16  # up to which all pairs of coordinates are compared
RANDOM_DIRECTIONS = 16  # in higher dimensions


def members_of(model: nn.Module) -> list[nn.Module]:
    members = getattr(model, "members", None)
    return list(members) if isinstance(members, nn.ModuleList) else [model]


def readout_of(member: nn.Module) -> nn.Linear:
    """The last linear map of a member."""
    return [m for m in member.modules() if isinstance(m, nn.Linear)][-1]


@contextmanager
def record_calls(modules: list[nn.Module]) -> Iterator[list[list[tuple[Tensor, Tensor]]]]:
    """Context manager: records the input and output of each call of the modules."""
    calls: list[list[tuple[Tensor, Tensor]]] = [[] for _ in modules]

    def keep(k: int) -> Callable[..., None]:
        return lambda _, args, out: calls[k].append((args[-1].detach(), out.detach()))

    hooks = [m.register_forward_hook(keep(k)) for k, m in enumerate(modules)]
    try:
        yield calls
    finally:
        for hook in hooks:
            hook.remove()


def concatenate_calls(calls: list[list[tuple[Tensor, Tensor]]], name: str) -> list[tuple[Tensor, Tensor]]:
    """All inputs and all outputs of each module. Raises `Mismatch` if a module was never called."""
    if idle := [f"{name} {k}" for k, recorded in enumerate(calls, 1) if not recorded]:
        raise Mismatch(f"never called: {', '.join(idle)}")
    return [(torch.cat([x for x, _ in recorded]), torch.cat([y for _, y in recorded])) for recorded in calls]


def endpoint_module(member: nn.Module, based: bool = False) -> nn.Module:
    """The module at which a path ends: the readout, or the network after the path that serves as data."""
    return member[-1] if based and isinstance(member, nn.Sequential) else readout_of(member)


def endpoints_of_model(model: nn.Module, x: Tensor, paths: int, based: bool = False) -> list[Tensor]:
    """X_T of each member, (paths, points, d): the paths of the first noise sample, then those of the second, …"""
    with record_calls([endpoint_module(member, based) for member in members_of(model)]) as calls, torch.no_grad():
        set_samples(model)(repeat_points(x, paths))
    ends = [into.flatten(1) for into, _ in concatenate_calls(calls, "ensemble member")]
    return [y.reshape(-1, len(x), y.shape[-1]) for y in ends]


def set_samples(model: nn.Module) -> nn.Module:
    """Sets a small number of noise samples, evaluated in one batch, if the model averages over them."""
    if isinstance(model, Expectation):
        model.samples, model.eval_samples, model.rows = SAMPLES_PER_INPUT, None, 1 << 30
    return model


def repeat_points(x: Tensor, paths: int) -> Tensor:
    """The points, repeated for each path of a noise sample: every row has independent noise."""
    return x.repeat(-(-paths // SAMPLES_PER_INPUT), *[1] * (x.dim() - 1))


def enable_training_noise(model: nn.Module) -> nn.Module:
    """Enables the noise of training mode; all other modules, such as batch norms, stay in evaluation mode."""
    for module in model.modules():
        if any(isinstance(child, RandomStream) for child in module.children()):
            module.train()
    return model


def endpoints_of_operator(flow: EvolutionUnderTest, x: Tensor, a: float, b: float) -> Tensor:
    """The path ends X of the operator from time a to time b, (paths, points, d)."""
    endpoints: list[Tensor] = []

    def data(y: Tensor) -> Tensor:
        endpoints.append(y)
        return y[..., 0]

    with torch.no_grad():
        flow.between(data, x, a, b)
    return torch.cat([y if y.dim() == 3 else y.unsqueeze(0) for y in endpoints])


def expected_endpoints(
    process: ReferenceProcess, x: Tensor, segments: list[PathSegment], paths: int, seed: int
) -> Tensor:
    ends = simulate_paths(process, x, segments, paths, seed).x
    return torch.from_numpy(np.ascontiguousarray(ends)).reshape(paths, *x.shape)


def simulate_paths(
    process: ReferenceProcess, x: Tensor, segments: list[PathSegment], paths: int, seed: int
) -> PathEndpoints:
    """Endpoints of simulated paths from each point: (paths · points) rows."""
    start: Array = np.repeat(x.numpy()[None], paths, 0).reshape(-1, x.shape[-1])
    return process.simulate(start, segments, np.random.default_rng([seed, 11]))


def compare_moments(moments: Moments, name: str, expected: Tensor, observed: Tensor, slack: float = 0.0) -> None:
    """First and second moments of two samples (paths, points, d), and E|X|, which distinguishes distributions of
    equal variance, at every point: two-sample z-tests.

    Coordinates are centred and scaled by the expected sample, and clipped at four standard deviations. `slack` is the
    discretization error of the paths, added to the standard error.
    """
    centre = expected.mean(0)
    scale = expected.std(0) if len(expected) > 1 else torch.zeros_like(centre)
    scale = torch.where(scale > 1e-9 * (1.0 + centre.abs()), scale, 1.0)
    a, b = (((y - centre) / scale).clamp(-CLIP_STD, CLIP_STD) for y in (expected, observed))
    moments.paths = max(moments.paths, len(observed))
    least = torch.tensor(slack, dtype=scale.dtype) / scale.min()
    for label, p, q in (
        ("E[X]", a, b),
        ("E[X Xᵀ]", second_order_products(a), second_order_products(b)),
        ("E|X|", a.abs(), b.abs()),
    ):
        of = f"{label} of {name}, in expected standard deviations"
        moments.add(of, p.mean(0), q.mean(0), _difference_standard_error(p, q).hypot(least))


def check_uncorrelated(moments: Moments, name: str, a: Tensor, b: Tensor) -> None:
    """Tests that the paths of two members, or of two noise samples, are uncorrelated."""
    if len(a) < 2 or len(a) != len(b):
        return
    both = (a - a.mean(0)) * (b - b.mean(0)) / (a.std(0) * b.std(0)).clamp_min(1e-12)
    moments.add(f"correlation of {name}", 0.0, both.mean(0), both.std(0) / len(both) ** 0.5)


def _difference_standard_error(p: Tensor, q: Tensor) -> Tensor:
    """The standard error of a difference of means; zero for a single, deterministic path."""
    first, second = (v.var(0) / len(v) if len(v) > 1 else torch.zeros_like(v[0]) for v in (p, q))
    return torch.sqrt(first + second)


def second_order_products(y: Tensor) -> Tensor:
    """All products of two coordinates; in high dimensions squares, neighbours, and squares in random directions."""
    size = y.shape[-1]
    if size <= MAX_PAIRWISE_DIMENSION:
        i, j = torch.triu_indices(size, size)
        return y[..., i] * y[..., j]
    return torch.cat([y.square(), y[..., 1:] * y[..., :-1], (y @ random_directions(size)).square()], -1)


def random_directions(size: int) -> Tensor:
    source = torch.Generator().manual_seed(size)
    return torch.randn(size, RANDOM_DIRECTIONS, generator=source, dtype=torch.float64).div(size**0.5)
