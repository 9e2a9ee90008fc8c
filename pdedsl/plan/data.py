"""Paths → a model on a data space: how many steps, which noise behind each, what is averaged."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer, S, Symbol, sqrt

from pdedsl.diagnostics import PdeError, Span, fail
from pdedsl.ir.plan import Base, DataPlan, Maps, Noise, OperatorPiece, OperatorPlan, Part, Scheme, Shake, Timed, Walk
from pdedsl.ir.representation import Paths, Stretch
from pdedsl.ir.spec import Learned, Setting, Spec
from pdedsl.ir.symbols import Field, Softmax
from pdedsl.ir.types import Simplex

DEFAULT_STEPS = 10  # along a field on R^d, when the spec names none
DEFAULT_SAMPLES = 1024  # of an evolution operator
TORCHVISION = {"resnet18": 8, "resnet34": 16, "resnet50": 16, "resnet101": 33, "resnet152": 50}
BLOCKS = {"resnet18": 8, "preact_resnet18": 8}  # residual maps of networks of fixed depth
SCHEMES = ("euler", "heun", "rk4")


def plan_data(paths: Paths, spec: Spec) -> DataPlan:
    unknown = spec.unknowns[0]
    classes = unknown.type.classes if isinstance(unknown.type, Simplex) else None
    method = realized(spec, "diffusion")
    noise = method if method and method.name in ("noise", "dropout") else None
    parts = _parts(paths, spec, method)
    samples = method.get("samples") if method else None
    return DataPlan(
        parts,
        spec.space.dimension if isinstance(spec.space.dimension, int) else 0,
        spec.space.image,
        classes,
        isinstance(paths.data, Softmax) and not any(isinstance(p, Maps | Timed | Base) for p in parts),
        _int(noise.get("members") if noise else None, 1),
        _int(samples, 1),
        str(noise.get("average") or "probabilities") if noise else "probabilities",
        paths.data_span,
    )


def realized(spec: Spec, part: str) -> Setting | None:
    return next((r.method for r in spec.realizations if r.part == part), None)


def _int(value: object, default: int) -> int:
    return int(value) if isinstance(value, Expr) else default


def _parts(paths: Paths, spec: Spec, method: Setting | None) -> tuple[Part, ...]:
    trained = method is not None and method.name in ("residual", "retraining")
    if trained and any(s.moves for s in paths.stretches):
        return (_timed(paths, spec),)
    parts: list[Part] = []
    for stretch in paths.stretches:
        if not trained or stretch.moves:
            parts += _stretch_parts(stretch, paths, spec, method)
    parts = _with_readouts(parts)
    base = _base(paths, spec)
    return (*parts, base) if base else tuple(parts)


def _with_readouts(parts: list[Part]) -> list[Part]:
    """Named networks have their readout inside: noise behind the maps goes in front of it, and maps come last."""
    for k, part in enumerate(parts):
        if isinstance(part, Maps) and k + 1 < len(parts):
            last = parts[k + 1]
            if k + 2 < len(parts) or not isinstance(last, Shake):
                raise fail("E604", "one named network cannot stand on two pieces of time", part.span, "use mlp")
            return [*parts[:k], replace(part, before_readout=last.noise)]
    return parts


def _timed(paths: Paths, spec: Spec) -> Timed:
    """A network with a time input: its residual is penalised in training, and it is read when diffusion has ended."""
    moving = next(s for s in paths.stretches if s.moves)
    learned = _learned_drift(moving, spec)
    if learned is None or learned.net is None:
        raise fail("E604", "only a learned velocity can be trained with a residual", moving.convection or Span(0, 1))
    return Timed(learned.net, S.One, learned.span)


def _base(paths: Paths, spec: Spec) -> Base | None:
    """The data as a learned network, `f(x, 0) = base(x)`."""
    if not isinstance(paths.data, Field):
        return None
    learned = next((w for w in spec.learned if w.head == paths.data.head), None)
    return Base(learned.net, learned.span) if learned and learned.net else None


def _stretch_parts(stretch: Stretch, paths: Paths, spec: Spec, method: Setting | None) -> list[Part]:
    constant = all(e.is_number for row in stretch.diffusivity for e in row)
    if not stretch.moves and constant:
        return [Shake(_noise(stretch, stretch.length, method))] if stretch.shape != "none" else []
    learned = _learned_drift(stretch, spec)
    if learned is not None and learned.net is not None and learned.net.name != "mlp":
        return [_maps(stretch, learned, method, spec)]
    named = _named_network(stretch, spec)
    if named is not None:
        at = stretch.convection or named.span
        raise fail(
            "E604",
            f"the {named.net.name} of '{named.name}' is a velocity by itself, without factors and sums",  # type: ignore[union-attr]
            at,
            f"write {named.name}·∇u: a factor or a sign is learned with it",
        )
    steps, scheme = _steps(spec, stretch)
    dt = stretch.length / steps
    clock = -1 if paths.direction == "initial" else 1
    times = tuple(stretch.first + clock * k * dt for k in range(steps))
    if stretch.shape != "none" and scheme != "euler":
        raise fail("E605", f"{scheme} with noise is not defined", stretch.diffusion or Span(0, 1), "use euler")
    if method is not None and method.name == "sampling" and stretch.shape != "none":
        raise _no_sampling(method)
    noise = _noise(stretch, dt, method) if stretch.shape != "none" else None
    return [Walk(stretch.drift, times, dt, scheme, clock, noise, stretch.convection or stretch.diffusion or Span(0, 1))]


def _no_sampling(method: Setting) -> PdeError:
    return fail(
        "E604",
        "noise on the input only is diffusion behind the transport, not along with it",
        method.span,
        "give the diffusion a piece of time of its own, or use noise",
    )


def _maps(stretch: Stretch, learned: Learned, method: Setting | None, spec: Spec) -> Maps:
    assert learned.net is not None
    maps = residual_maps(learned.net)
    if spec.space.image is None:
        raise fail("E604", f"{learned.net.name} acts on images", learned.span, "use mlp on R^d")
    time = realized(spec, "time") or realized(spec, "convection")
    steps = _int(time.get("steps"), maps) if time and "steps" in time.given else maps
    if time is not None and (time.name != "euler" or steps != maps):
        raise fail(
            "E605",
            f"the {maps} residual maps of {learned.net.name} are its steps of Euler",
            time.span,
            f"use euler(steps={maps}), or leave it out",
        )
    if method is not None and method.name == "sampling" and stretch.shape != "none":
        raise _no_sampling(method)
    dt = stretch.length / maps
    noise = _noise(stretch, dt, method) if stretch.shape != "none" else None
    return Maps(learned.net, dt, noise, stretch.convection or learned.span)


def residual_maps(net: Setting) -> int:
    """How many residual maps a network has: the number of steps it stands for."""
    depth = _int(net.get("depth"), 0)
    match net.name:
        case "resnet":
            return (depth - 2) // 2
        case "wide_resnet":
            return (depth - 4) // 2
        case "torchvision":
            return TORCHVISION.get(str(net.get("model")), 1)
        case "convnet":
            return _int(net.get("layers"), 1)
        case _:
            return BLOCKS.get(net.name, 1)


def _named_network(stretch: Stretch, spec: Spec) -> Learned | None:
    """A network other than mlp within a formula for the drift."""
    heads = {f.head for b in stretch.drift for f in b.atoms(Field)}
    return next((w for w in spec.learned if w.head in heads and w.net is not None and w.net.name != "mlp"), None)


def _learned_drift(stretch: Stretch, spec: Spec) -> Learned | None:
    """The learned field that is the drift, component by component."""
    heads = {f.head for b in stretch.drift for f in ([b] if isinstance(b, Field) else [])}
    if len(heads) != 1 or not all(isinstance(b, Field) for b in stretch.drift):
        return None
    head: Symbol = heads.pop()
    return next((w for w in spec.learned if w.head == head), None)


def _steps(spec: Spec, stretch: Stretch) -> tuple[int, Scheme]:
    method = realized(spec, "time") or realized(spec, "convection")
    if method is None:
        return DEFAULT_STEPS, "euler"
    if method.name not in SCHEMES:
        raise fail("E605", f"{method.name} does not follow characteristics", method.span, f"use {', '.join(SCHEMES)}")
    return _int(method.get("steps"), DEFAULT_STEPS), method.name  # type: ignore[return-value]


# ---- noise


def _noise(stretch: Stretch, dt: Expr, method: Setting | None) -> Noise:
    """The noise of a step: covariance 2AΔt."""
    span = stretch.diffusion or Span(0, 1)
    kind = str(method.get("kind") or "gaussian") if method else "gaussian"
    a = stretch.diffusivity
    chosen = method.name if method else "dropout" if stretch.shape == "dropout" else "noise"
    if chosen == "dropout" and stretch.shape == "dropout":
        strength = a[0][0] / stretch.drift[0] ** 2  # Δt (1-p)/(2p) = strength
        return Noise("dropout", dt / (dt + 2 * strength), span=span)
    if method and method.get("scale") == "relative":
        return Noise("relative", sqrt(2 * a[0][0]), across=str(method.get("across")), span=span)
    if stretch.shape == "isotropic":
        std = sqrt(2 * a[0][0] * dt)
        if not std.is_number:
            return Noise("scaled", std, span=span)
        return Noise("laplace" if kind == "laplace" else "gaussian", std, span=span)
    return Noise("correlated", matrix=tuple(tuple(2 * dt * e for e in row) for row in a), span=span)


# ---- the operator


def plan_operator(paths: Paths, spec: Spec) -> OperatorPlan:
    """The evolution operator on R^d, for data that the caller brings."""
    if not spec.space.explicit:
        raise fail("E606", "an evolution operator needs a space R^d of few dimensions", spec.space.span, "use R^2")
    for stretch in paths.stretches:
        learned = _learned_drift(stretch, spec)
        if learned and learned.net and learned.net.name != "mlp":
            raise fail(
                "E606", f"{learned.net.name} changes the shape of its state", learned.span, "use mlp for a field on R^d"
            )
    steps, scheme = _steps(spec, paths.stretches[0])
    assert spec.time is not None
    method = realized(spec, "diffusion")
    given = method is not None and "samples" in method.given
    samples = _int(method.get("samples"), 1) if method and given else DEFAULT_SAMPLES
    pieces = sorted((_piece(s) for s in paths.stretches), key=lambda p: float(p.start))
    moving = [s.length for s in paths.stretches if s.moves] or [spec.time.end - spec.time.start]
    return OperatorPlan(tuple(pieces), paths.direction, max(moving) / Integer(steps), scheme, samples)


def _piece(stretch: Stretch) -> OperatorPiece:
    start, end = sorted((stretch.first, stretch.last), key=float)
    span = stretch.convection or stretch.diffusion or Span(0, 1)
    return OperatorPiece(start, end, stretch.drift, stretch.diffusivity, stretch.shape, span)
