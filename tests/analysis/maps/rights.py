"""Right-hand sides on feature maps, in the notation of a spec and in numpy."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.maps.reference import ACTIVATIONS, Array, Operators, Push, combined, layer, multiple

TV = "let N = tv_norm(eps=1e-3)"
FIELD = "learn f(Y, t) : channels = convnet(layers=1)"
SIGMAS = ("relu", "tanh", "atan", "sin", "cos", "abs", "erf", "softplus", "sigmoid", "gelu", "silu")


@dataclass(frozen=True)
class Right:
    """A term, its operators, further declarations, and whether networks have a layer for it."""

    push: Push
    operators: tuple[str, ...] = ("K",)
    more: str = ""
    compiles: bool = True


def two_operators(y: Array, operators: Operators) -> Array:
    return -operators["K"].T @ ACTIVATIONS["tanh"](operators["L"] @ y)


def turned(name: str, sigma: str) -> Push:
    """K σ(Kᵀ y)."""
    return lambda y, operators: operators[name] @ ACTIVATIONS[sigma](operators[name].T @ y)


KK, LL = layer("K", "identity"), layer("L", "identity")
KT, KR, LR, ZT = layer("K", "tanh"), layer("K", "relu"), layer("L", "relu"), layer("K", "tanh")
OWN = multiple(1)
RIGHTS: dict[str, Right] = {
    **{f"-Kᵀ {sigma}(K Y)": Right(combined((-1, layer("K", sigma))), compiles=sigma != "cos") for sigma in SIGMAS},
    "-Kᵀ K Y": Right(combined((-1, KK))),
    "Kᵀ K Y": Right(KK),
    "Kᵀ tanh(K Y)": Right(KT),
    "Kᵀ relu(K Y)": Right(KR),
    "-K tanh(Kᵀ Y)": Right(combined((-1, turned("K", "tanh"))), compiles=False),
    "Kᵀ K Y - 2Y": Right(combined((1, KK), (-2, OWN))),
    "Kᵀ K Y - 0.5Y": Right(combined((1, KK), (-0.5, OWN))),
    "Kᵀ K Y - 0.9Y": Right(combined((1, KK), (-0.9, OWN))),
    "-Kᵀ K Y - Lᵀ L Y": Right(combined((-1, KK), (-1, LL)), ("K", "L")),
    "-Kᵀ tanh(K Y) - Lᵀ relu(L Y)": Right(combined((-1, KT), (-1, LR)), ("K", "L")),
    "-Kᵀ tanh(K Y) - Y": Right(combined((-1, KT), (-1, OWN))),
    "-Kᵀ tanh(K Y) - 3Y": Right(combined((-1, KT), (-3, OWN))),
    "-Kᵀ tanh(K Y) + 0.1Y": Right(combined((-1, KT), (0.1, OWN))),
    "Kᵀ tanh(K Y) - 2Y": Right(combined((1, KT), (-2, OWN))),
    "-Kᵀ sin(K Y) - 4Y": Right(combined((-1, layer("K", "sin")), (-4, OWN))),
    "-Kᵀ tanh(L Y)": Right(two_operators, ("K", "L"), compiles=False),
    "-Kᵀ tanh(K Y) - Kᵀ relu(K Y)": Right(combined((-1, KT), (-1, KR)), compiles=False),
    "Kᵀ tanh(K Y) - Kᵀ K Y": Right(combined((1, KT), (-1, KK)), compiles=False),
    "Kᵀ relu(K Y) - Kᵀ K Y": Right(combined((1, KR), (-1, KK)), compiles=False),
    "-Kᵀ relu(N(K Y))": Right(combined((-1, layer("K", "relu", 1e-3))), more=TV),
    "-Kᵀ tanh(N(K Y)) - Y": Right(combined((-1, layer("K", "tanh", 1e-3)), (-1, OWN)), more=TV),
    "Y": Right(OWN, ()),
    "-Y": Right(multiple(-1), ()),
    "-3Y": Right(multiple(-3), ()),
    "f(Y, t)": Right(multiple(0), (), FIELD),
    "f(Y, t) + Y": Right(OWN, (), FIELD),
    "f(Y, t) - 3Y": Right(multiple(-3), (), FIELD),
    "Z": Right(OWN, ()),
    "2Z": Right(multiple(2), ()),
    "Kᵀ tanh(K Z)": Right(ZT),
    "-Lᵀ relu(L Y)": Right(combined((-1, LR)), ("L",)),
}
